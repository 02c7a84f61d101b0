/*
 * Open files. What is written is gathered in an image: the whole text of the
 * file as its writers see it, shared by all descriptors of a cell that are open
 * for writing (a document's have one each). It becomes the value at a commit:
 *
 *   clean ----write----> dirty ----commit----> clean
 *     |                    ^ |
 *     +--cut to 0--> cut --+ +--cut to 0--> cut
 *
 * What was only appended (O_APPEND) is added to what is stored at the commit: a
 * statement, or who came by another name, may have changed it since it was loaded.
 *
 * An image that was only cut is pending: FLUSH does not commit it, for a shell
 * flushes each redirection before it writes. RELEASE or fsync does, where the
 * type has an empty value.
 */
#ifndef FS_FILE_HANDLE_H
#define FS_FILE_HANDLE_H
#include "fs/op/op.h"

enum image_state { IMAGE_CLEAN, IMAGE_CUT, IMAGE_DIRTY };
struct image {
	struct mutex lock;
	/* These under the stripe of its name; no node: it is not found by it. */
	_Atomic unsigned users;
	struct node *node;		/* a reference */
	struct image *next;
	_Atomic unsigned descriptors;	/* of its users; one more under lock */
	/* all below under lock */
	enum image_state state;
	bool loaded;			/* text is the file's */
	bool added;			/* to the first `base` bytes, which */
	uint64_t base;			/* are the file's: by O_APPEND alone */
	bool is_new;			/* nothing is stored under the name yet, */
	bool refused;			/* and what was written last cannot be */
	bool orphan;			/* unlinked: commits go nowhere */
	struct buf text;
	struct charge charge;		/* of its length */
	struct store_how how;	/* of the commit to come; times are of one alone */
};

/*
 * A large text that readers of a node began with, shared by those that began
 * with the same.
 */
struct pin {
	unsigned users;			/* under the node's stripe */
	struct shares shares;		/* of who reads it */
	struct buf text;
};

enum hold { HOLD_NONE, HOLD_READ, HOLD_WRITE };	/* view.h */
struct handle {
	struct node *node;		/* as it was opened: a reference */
	int flags;			/* of open(2) */
	pid_t pid;			/* who opened it */
	_Atomic pid_t writer_pid;	/* who wrote last */
	uid_t uid;
	gid_t gid;
	/*
	 * Of statements: who opened it, unless root did; and who wrote what has
	 * not run yet, under the lock.
	 */
	struct credentials *opener;
	uid_t text_uid;
	gid_t text_gid;
	bool writer;
	bool cached;			/* the kernel keeps pages of it */
	enum hold hold;
	struct image *image;		/* of a writer */
	/* These under its lock. */
	int failed;			/* of a write that was refused: no commit */
	char *why;			/* its reason, or NULL */
	bool wrote, cut;		/* since the last commit, by this one */
	unsigned flushes;		/* since the last write or cut */
	_Atomic uint64_t wait_for;	/* a notice: see wait_later() */
	_Atomic bool counted;		/* in handles.empties; reads go without */
	struct charge open;		/* of the handle itself */
	struct mutex lock;		/* of what follows */
	bool pinned;
	bool at_open;			/* and not read since */
	bool let_go;			/* it held its node, and read all */
	struct buf text;		/* what a reader began with, or */
	struct charge charge;		/* (of its length) */
	struct pin *pin;
	void *state;			/* of kinds with their own calls */
	struct handle *next, **link;	/* in its directory's struct handles */
};

#define TEXT_SPARE 4096		/* bytes kept for the next text, uncharged */

/* Commit what all writers have written so far. 0, or the first error. */
int handles_commit(struct op *op);
/* A text that may have been large is released: it counts for fs_large_freed. */
void text_free(struct fs *fs, struct buf *text);
/* It takes no more room than is paid for by its length, or little. */
void text_fit(struct fs *fs, struct buf *text);
/* What a reader began with is paid for, and shared where it is large. As
 * charge_set. */
int pin_share(struct fs *fs, struct handle *h);
/* Any that h has goes. */
void pin_give(struct fs *fs, struct handle *h);
/* What it has of its own goes. */
void handle_drop_text(struct fs *fs, struct handle *h);
/* Does cutting the file to nothing and closing it store the empty value? */
bool has_empty_value(struct op *op, struct node *n);
/*
 * Is a value pending? Then *size becomes its length where the caller is of a
 * process that has it open for writing; anybody else goes by what is committed.
 */
bool image_size(struct op *op, struct node *n, uint64_t *size);
/* The same by a descriptor of its writer's. */
void image_handle_size(struct handle *h, uint64_t *size);
/* Is one pending that the caller's process has open? */
bool image_is_callers(struct op *op, struct node *n);
/* Its name is another's: who has it open goes on with it alone. */
void image_leave_name(struct fs *fs, struct node *n);
/* At most size bytes of text from offset on. */
void text_slice(struct buf *out, struct bytes text, uint64_t offset,
		size_t size);
/* Does the file exist only as a pending one? */
bool image_is_new(struct fs *fs, struct node *n);
void image_tell_others(struct op *op, struct handle *h);
/* Has anybody its file open for writing? */
bool image_is_there(struct fs *fs, struct node *n);
/*
 * What is pending of n is not committed from now on, until image_let: between the
 * change that takes the name from n, or gives it another, and the moment when its
 * descriptors know. One more user of its image, which is made where there was
 * none, and locked; NULL without memory. One caller at a time has two: the kernel
 * holds both directories.
 */
struct image *image_hold(struct fs *fs, struct node *n) UNCHECKED;
void image_let(struct fs *fs, struct node *n, struct image *image) UNCHECKED;
/* Has anybody a descriptor of it, that is held? Who only looks is a user too. */
bool image_is_open(const struct image *image);
/* A descriptor gives up its image. */
bool handle_give_image(struct fs *fs, struct handle *h);
/* Of one that is held: its name was removed: writers read what was there (text,
 * or null); make: all who have it open do. */
void image_orphan(struct op *op, struct node *n, struct image *image,
		  struct bytes text, bool make) UNCHECKED;
/* Cut by path: load, cut, commit. */
int image_truncate(struct op *op, struct node *n, struct handle *h,
		   uint64_t size);
/*
 * What is set while a value is pending goes with it: true if one is. set: times
 * to take (NULL: none), now: what will go with it (or NULL).
 */
bool image_how(struct op *op, struct node *n, const struct store_how *set,
	       struct store_how *now);
bool image_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
/* The same of a document, whose descriptors have an image each. */
bool document_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
struct image *image_new(void);
void image_free(struct fs *fs, struct image *image);
/* Its text: what it takes is kept only where that is little. */
void image_forget(struct fs *fs, struct image *image);
/* The node's image with one more user; make: where there was none. NULL. */
struct image *image_take(struct fs *fs, struct node *n, bool make);
/* One user less; true: it was the last, and the image is gone. */
bool image_give(struct fs *fs, struct node *n, struct image *image);
/* These three under the image's lock. */
int image_load(struct op *op, struct node *n, struct image *image);
int image_cut(struct op *op, struct node *n, struct image *image, uint64_t size);
int image_write(struct op *op, struct node *n, struct image *image,
		uint64_t offset, struct bytes data);
/*
 * What the caller has closed already, as far as it can know, is committed
 * before n is looked at: pending empty values in that directory, or of that file.
 */
void commit_empties(struct op *op, struct node *n);
/* The same of one descriptor, before it leaves its list: who looks meanwhile
 * finds it there, or what it stored. */
void commit_empty(struct op *op, struct handle *h);
/* The handle was written to or cut; its image's lock is held. */
void handle_changed(struct fs *fs, struct handle *h, bool cut);
/* Was one made in the directory by an open, and nothing committed so far? */
bool has_new_files(struct op *op, struct node *dir);
/* Of a writer: what is left by it since the last commit becomes the value. */
enum commit {
	COMMIT_WRITTEN,		/* what it wrote */
	COMMIT_ALL,		/* that it was cut to nothing, too */
	COMMIT_EMPTY,		/* an empty value alone that waits: counted */
};
int handle_commit(struct op *op, struct handle *h, enum commit what);
enum opened {
	OPENED, OPENED_NEW,
	OPENED_MOVED,	/* by a number that it had before a rename */
};
int handle_open(struct op *op, struct node *n, int flags, enum opened how,
		struct fs_open_reply *reply);
/*
 * In a FLUSH: has nobody a descriptor of it any more, as far as can be seen?
 * False where it cannot: then RELEASE will tell.
 */
bool handle_closes(struct op *op, struct handle *h);
/* What a FLUSH commits. */
int handle_flush(struct op *op, struct handle *h);
/*
 * Statements are run in this call. They have the rights that who calls and who
 * opened the descriptor have both: a program that has more than who started it,
 * or has given some up, does not lend them. In the last close nobody calls, and
 * the opener counts alone. begun: the first part of a statement is there
 * already; -EACCES unless its writer calls: nobody ends another's statement.
 */
int statement_begin(struct op *op, struct handle *h, bool begun);
/* The last descriptor of it is closed: what is left is committed, and its image
 * given up. */
int handle_finish(struct op *op, struct handle *h);
/* At the end: those that no RELEASE will come for. */
void handles_release(struct fs *fs);
/* Those of all files in a directory (and in others). */
struct handles *handles_of(struct fs *fs, const struct node *dir);
/* Out of its list; then, or later, all of it goes. */
void handle_unlink(struct fs *fs, struct handle *h);
void handle_free(struct fs *fs, struct handle *h);
/*
 * The file that h has open: what its name was renamed to since, which may be of
 * another kind. Asked under the image's lock, and once in a call.
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
