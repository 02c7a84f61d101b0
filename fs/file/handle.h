/*
 * Open files. Writes are gathered in a buffer: the whole text of the file as
 * its writers see it, shared by all descriptors of a cell that are open for
 * writing (a document's have one each). It becomes the value at a commit:
 *
 *   clean ------------write------------> dirty ----commit----> clean
 *     |                                   ^ |
 *     +--truncate to 0--> truncated ------+ +--truncate to 0--> truncated
 *
 * Text that was only appended (O_APPEND) is added to the stored value at the
 * commit: a statement, or a writer by another name, may have changed it since
 * it was loaded.
 *
 * A buffer that was only truncated is pending: FLUSH does not commit it, for a
 * shell flushes each redirection before it writes. RELEASE or fsync does, where the
 * type has an empty value.
 */
#ifndef FS_FILE_HANDLE_H
#define FS_FILE_HANDLE_H
#include "fs/op/op.h"

enum buffer_state { BUFFER_CLEAN, BUFFER_TRUNCATED, BUFFER_DIRTY };
struct write_buffer {
	struct mutex lock;
	/* These under the stripe of its name; node NULL: it is not found by
	 * it. */
	_Atomic unsigned users;
	struct node *node;		/* a reference */
	struct write_buffer *next;
	_Atomic unsigned descriptors;	/* of its users; one more under lock */
	/* all below under lock */
	enum buffer_state state;
	bool loaded;			/* text is the file's */
	bool added;			/* to the first `base` bytes, which */
	uint64_t base;			/* are the file's: by O_APPEND alone */
	bool is_new;			/* its name has nothing stored yet */
	bool refused;			/* the last write cannot be stored */
	bool orphan;			/* unlinked: commits go nowhere */
	struct buf text;
	struct charge charge;		/* of its length */
	struct store_how how;	/* of the next commit; times are used once */
};

enum hold { HOLD_NONE, HOLD_READ, HOLD_WRITE };	/* view.h */
#define HANDLE_KEYSPACE_MAX 48	/* the longest name of a keyspace */

struct handle {
	struct node *node;		/* as it was opened: a reference */
	/* That of its node's snapshot, held for what is read of it; or NULL. */
	struct store *view;
	int flags;			/* of open(2) */
	pid_t pid;			/* who opened it */
	_Atomic pid_t writer_pid;	/* who wrote last */
	uid_t uid;
	gid_t gid;
	/*
	 * For statements: the user who opened it, except root; and the writer
	 * of what has not run yet, under the lock.
	 */
	struct credentials *opener;
	uid_t text_uid;
	gid_t text_gid;
	bool writer;
	bool cached;			/* the kernel keeps pages of it */
	bool moved;			/* the kernel opened another inode */
	bool cut;	/* the daemon ends first: what it has written in part */
			/* (a statement, a line) does not count */
	enum hold hold;
	struct write_buffer *buffer;		/* of a writer */
	struct lock_file *locks;		/* of what it opened */
	_Atomic bool locked;			/* it set one */
	/* These under its lock. */
	int failed;			/* a write was refused: no commit */
	char *why;			/* its reason or that of torn, or NULL */
	bool wrote, truncated;		/* since the last commit, by this one */
	unsigned flushes;		/* since it last wrote or truncated */
	_Atomic uint64_t wait_for;	/* a notice: see wait_later() */
	_Atomic bool counted;		/* in handles.empties; reads go without */
	struct charge open;		/* of the handle itself */
	struct mutex lock;		/* of what follows */
	bool begun;	/* its text ends within a statement or a line, and */
	bool split;	/* that may go on: the kernel split its write */
	int torn;	/* then one was refused: what follows is, too */
	bool pinned;
	bool at_open;			/* and not read since */
	bool let_go;			/* held its node, and has read all */
	/* Of a schema.cql all of which is written: the keyspace that its CREATE
	 * names, or empty while it has none. */
	char whole[HANDLE_KEYSPACE_MAX + 1];
	struct buf text;		/* a reader's, as it opened it; or */
	struct charge charge;		/* (of its length) */
	/* Of .widefs: the text's place in all that was read, and the number of
	 * the line of errors behind it. */
	uint64_t text_base, next_line;
	struct pin *pin;
	void *state;			/* of kinds with their own calls */
	struct handle *next, **link;	/* in its directory's struct handles */
};

/* Commit what all writers have written so far. 0, or the first error. */
int handles_commit(struct op *op);
/* True if cutting the file to nothing and closing it stores the empty value. */
bool handle_takes_empty(struct op *op, struct node *n);
/* Truncate by path: load, shorten, commit. moved: the kernel's node is one that
 * a rename left. */
int handle_truncate(struct op *op, struct node *n, bool moved, struct handle *h,
		    uint64_t size);
/* The same of a document, whose descriptors have a buffer each. */
bool handles_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
/*
 * Commit, before n is looked at, the files that the caller has closed already,
 * as far as it can know: pending empty values in that directory, or of that
 * file.
 */
void handles_commit_empty(struct op *op, struct node *n);
/* The same for one descriptor, before it leaves its list: others find it there
 * until then, or find the value that it stored. */
void handle_commit_empty(struct op *op, struct handle *h);
/* Note that the handle was written to or truncated. REQUIRES its buffer's
 * lock. */
void handle_changed(struct fs *fs, struct handle *h, bool truncated);
/* True if an open has made a file in the directory that is not committed
 * yet. */
bool handles_have_new(struct op *op, struct node *dir);
/* The changes by a writer since the last commit that become the value. */
enum commit {
	COMMIT_WRITTEN,		/* what it wrote */
	COMMIT_ALL,		/* and that it was truncated */
	COMMIT_EMPTY,		/* only a waiting empty value: counted */
};
int handle_commit(struct op *op, struct handle *h, enum commit what);
enum opened {
	OPENED, OPENED_NEW,
	OPENED_MOVED,	/* by its number before a rename */
};
int handle_open(struct op *op, struct node *n, int flags, enum opened how,
		struct fs_open_reply *reply);
/* Commit as a FLUSH does. */
int handle_flush(struct op *op, struct handle *h);
/*
 * Begin a call that runs statements. They have the rights that the caller and
 * the opener of the descriptor have both: a program that has more rights than
 * the one that started it, or has given some up, does not lend them. In the
 * last close there is no caller, and the opener counts alone. begun: the first
 * part of a statement is there already; -EACCES unless its writer calls: nobody
 * ends another's statement.
 */
int handle_begin_statement(struct op *op, struct handle *h, bool begun);
/* Note whether a statement or a line has begun in what was written and not
 * carried out. REQUIRES its lock. */
void handle_note_begun(struct handle *h, struct bytes text);
/* Close its last descriptor: commit what is left, and give up its buffer. */
int handle_finish(struct op *op, struct handle *h);
/* Close, at the end, the handles that get no RELEASE. The store is open yet;
 * statements and lines without their end are not carried out: their writers had
 * not closed. */
void handles_release(struct fs *fs);
/* Return the handles of all files in a directory (and in others). */
struct handles *handles_of(struct fs *fs, const struct node *dir);
/* Remove it from its list; it is freed then or later. */
void handle_unlink(struct fs *fs, struct handle *h);
void handle_free(struct fs *fs, struct handle *h);
/*
 * Return the file that h has open: that to which its name was renamed since,
 * which may be of another kind. Called under the buffer's lock, and once in a
 * call.
 */
static inline struct node *handle_node(const struct handle *h)
{
	return node_now(h->node);
}
static inline struct handle *handle_of(uint64_t number)
{
	return (struct handle *)(uintptr_t)number;
}
#endif
