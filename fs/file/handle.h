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
 * shell flushes each redirection before it writes. RELEASE or fsync does, where
 * the type has an empty value.
 */
#ifndef FS_FILE_HANDLE_H
#define FS_FILE_HANDLE_H
#include "fs/op/op.h"

enum buffer_state { BUFFER_CLEAN, BUFFER_TRUNCATED, BUFFER_DIRTY };
struct write_buffer {
	struct mutex lock;
	/* Under the stripe of its name: */
	_Atomic unsigned users;
	struct node *node;	/* a reference; NULL: not listed there */
	struct write_buffer *next;
	_Atomic unsigned descriptors;	/* among its users; grows under lock */
	/* all below under lock */
	enum buffer_state state;
	bool loaded;			/* text is the file's */
	/* Text was only appended, by O_APPEND, to the file's `base` bytes. */
	bool added;
	uint64_t base;
	bool is_new;			/* its name has nothing stored yet */
	bool refused;	/* the last write or close failed: nothing is pending */
	bool orphan;			/* unlinked: commits go nowhere */
	struct buf text;
	struct charge charge;		/* of its length */
	struct charge room;		/* that a commit to memory needs */
	struct store_how how;	/* of the next commit; times are used once */
};

enum hold { HOLD_NONE, HOLD_READ, HOLD_WRITE };	/* view.h */
#define HANDLE_KEYSPACE_MAX 48	/* the longest name of a keyspace */

struct handle {
	struct node *node;		/* as it was opened: a reference */
	/* The store as in its node's snapshot, which is held open; or NULL. */
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
	/* The daemon ends before it is closed, or its writer was killed: a
	 * statement or a line that was written in part does not count. */
	_Atomic bool cut;
	enum hold hold;
	struct write_buffer *buffer;		/* of a writer */
	struct lock_file *locks;		/* of what it opened */
	_Atomic bool locked;			/* it set one */
	_Atomic bool removed;	/* it reads what its file was when that went */
	/* Under the buffer's lock: */
	int failed;			/* a write was refused: no commit */
	char *why;		/* its reason or that of torn, or NULL */
	/* Since the last commit, by this one; of a counter under `lock`. */
	bool wrote, truncated;
	bool just_made;		/* the kernel keeps that it is empty */
	unsigned flushes;		/* since it last wrote or truncated */
	bool told;			/* the last of them failed: so does the close */
	_Atomic uint64_t wait_for;	/* a notice, for the next reply */
	_Atomic bool counted;		/* in handles.empties; set under lock */
	struct charge open;		/* of the handle itself */
	struct mutex lock;		/* of what follows */
	bool begun;	/* its text ends within a statement or a line */
	bool split;	/* the kernel split a write: it may go on */
	int torn;	/* the error of a part: the others are refused too */
	bool pinned;	/* a reader's text is in `text` or `pin` */
	bool at_open;	/* and is not read since the open */
	bool let_go;	/* it held its node, and has read all */
	uint64_t read_len, read_hash;	/* of a text that it has read all of */
	/* The keyspace that the CREATE of a completely written schema.cql
	 * names; empty while it has none, and for other files. */
	char whole[HANDLE_KEYSPACE_MAX + 1];
	struct buf text;		/* a reader's, as it opened it */
	size_t kept;	/* of schema.cql: bytes of text that wait for its end */
	struct schema *base;	/* of schema.cql: as it was when text was begun */
	struct charge charge;		/* of the length of text */
	/* Of .widefs: the text's place in all that was read, and the number of
	 * the line of errors after it. Of a counter: the lines that it has
	 * counted. */
	uint64_t text_base, next_line;
	struct pin *pin;
	void *state;			/* of kinds with their own calls */
	LIST_ENTRY(handle) entry;	/* of its directory's struct handles */
};

enum opened {
	OPENED, OPENED_NEW,
	OPENED_MOVED,	/* by its number before a rename */
};
/* Open n for the caller; flags of open(2). *reply is then filled in, and its
 * handle is owned by the caller, for handle_finish and handle_free. */
int handle_open(struct op *op, struct node *n, int flags, enum opened how,
		struct fs_open_reply *reply);
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
/* Close, at the end, the handles that get no RELEASE. The store is still open;
 * statements and lines without their end are not carried out, as their writers
 * have not closed. */
void handles_release(struct fs *fs);
/* Return the handles of all files in a directory (and in others). */
struct handles *handles_of(struct fs *fs, const struct node *dir);
/* Note that its empty value waits for the close (h->counted), or no longer.
 * REQUIRES its buffer's lock, or the last descriptor. */
void handle_count_empty(struct fs *fs, struct handle *h, bool waits);
/* Remove it from its list, if it is there; it is freed then or later. */
void handle_unlink(struct fs *fs, struct handle *h);
/* Free one that is in no list. */
void handle_free(struct fs *fs, struct handle *h);
/* Unlink and free it. */
void handle_close(struct fs *fs, struct handle *h);
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
