/*
 * The inside of fs/, for its rooms above node/: the calls of fs/fs.h, the kinds
 * of node, and what these share.
 *
 * One call is one struct op: it pins a version of the schema, an arena and the
 * time, and remembers why it was refused.
 *
 * Order of locks: the list of open directories, one of them; the list of
 * consoles, one of them; that of documents of rows, one of them; one of the
 * lists of open handles; a buffer's; a scratch file's `changing`; those of the
 * store; the retries; a stripe's; data that waits for keys; a scratch file's
 * `lock`; below them the leaves (shards of nodes, notices, errors, timer, short
 * names, locks of files, accounts, files that mknod made). A buffer's is held
 * during calls of the store, and a list's where pending values are committed
 * (handles_commit_empty, handle_commit_empty, fs_flush_all).
 */
#ifndef FS_OP_OP_H
#define FS_OP_OP_H
#include <sys/queue.h>

#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/errors.h"
#include "fs/node/kind.h"
#include "fs/node/locks.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/node/requests.h"
#include "fs/node/scrub.h"
#include "fs/node/timer.h"
#include "fs/op/owner.h"
#include "store/base/arena.h"
#include "store/cql/cql.h"
#include "store/table/table.h"

#define FILE_CACHED 4096	/* larger values are not cached by the kernel */
#define DIRECTORY_SIZE 4096
#define MICROSECOND 1000	/* in nanoseconds */
#define SECOND 1000000000	/* in nanoseconds */

/* Return count of `unit` nanoseconds, and some more. Users choose their times:
 * one that lies further away is the last (or first) moment that there is. */
static inline int64_t time_ns(int64_t count, int64_t unit, int64_t more)
{
	int64_t ns;

	if (!__builtin_mul_overflow(count, unit, &ns) &&
	    !__builtin_add_overflow(ns, more, &ns))
		return ns;
	return count < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t timestamp_ns(int64_t timestamp_us)
{
	return time_ns(timestamp_us, MICROSECOND, 0);
}

struct handle;
struct write_buffer;
struct view_version;
struct op;
struct retry;
struct known_row;

/* A row that was read lately, for who reads it next: op/known.h. */
struct known_place {
	struct mutex lock;
	struct known_row *row;		/* under lock; or NULL */
};

#define FS_MADE_MAX 16
#define FS_HANDLES 256
#define FS_ROWS 64
#define FS_POOL 16
#define OP_ROWS 4

LIST_HEAD(handle_list, handle);
/* Open files of some directories: an open of one of many files waits for, and
 * searches, only those beside it. */
struct handles {
	struct mutex lock;
	/* under lock; writers: of values, by buffers */
	struct handle_list writers, readers;
	_Atomic unsigned empties;	/* of them: truncated and flushed */
};

/* Names by their number: their pending values, and the holders of their nodes
 * (file/view.h). */
struct stripe {
	struct mutex lock;
	struct write_buffer *buffers;		/* under lock */
	/* The last small one that its readers let go, for who reads it next:
	 * under lock; NULL. */
	struct view_version *spare;
	_Atomic unsigned buffer_count;
};

struct fs {
	struct store *store;
	uid_t uid;
	gid_t gid;
	struct fs_shown shown;
	/* Bytes of a value, and of a text that is no value as it stands: a
	 * document, a line, a value that is written longer than it is. */
	uint64_t max_value, max_document;
	uint64_t scratch_max;
	char *keyspace, *store_path, *version, *options_text;
	bool read_only;
	int64_t opened_ns;
	struct node_table nodes;
	_Atomic uint64_t nodes_asked;	/* the kernel was asked to drop */
	/* Ids of tables' nodes, by the tables' numbers: store_observer.c. */
	_Atomic uint64_t table_nodes[NODE_SHARDS];
	struct notices notices;
	/* Tells the kernel that its copies of n (bits: enum armed) are stale:
	 * view_changed of file/view.h. */
	uint64_t (*changed)(struct fs *fs, struct op *op, struct node *n,
			    uint32_t bits);
	/* Looks up a shortened name in dir: listing_lookup_shortened of
	 * tree/listing_shortened.h. */
	int (*lookup_shortened)(struct op *op, struct node *dir,
				struct bytes base, struct bytes name,
				struct child *c);
	struct errors errors;
	struct accounts accounts;
	struct requests requests;
	struct locks locks;
	struct scrub scrub;
	struct stripe stripes[NODE_SHARDS];	/* by ino */
	struct known_place rows_known[FS_ROWS];
	struct mutex retry_lock;
	struct retry *retries;		/* under it */
	_Atomic unsigned retry_count;
	_Atomic int64_t unknown_told_s;	/* retry.h: the last of those */
	_Atomic uint64_t short_name_count;	/* stored in memory: short_names.c */
	_Atomic uint64_t large_freed;	/* fs_large_freed */
	_Atomic(struct op *) pool[FS_POOL];	/* spare ops; or NULL */
	/* For nodes' NODE_LEAVING and NODE_MOVING: a leaf. */
	struct mutex leaving_lock;
	pthread_cond_t left;		/* one has left */
	/* The writings of schema.cql that calls wait for: kind/waiting.h. */
	struct waiting_list *waiting;	/* under leaving_lock */
	_Atomic unsigned waiting_count;
	struct timers timers;
	struct mutex held_lock;		/* node->held */
	pthread_cond_t held_stored;	/* one of these is, or is not */
	struct mutex listings_lock;	/* of open directories: */
	LIST_HEAD(listing_list, listing) listings;
	struct mutex consoles_lock;	/* of those that are open: */
	LIST_HEAD(console_list, console) consoles;
	_Atomic uint64_t results_begun;	/* of consoles */
	struct mutex rows_lock;		/* of open documents of rows: */
	LIST_HEAD(rows_list, rows) rows;
	struct handles handles[FS_HANDLES];	/* handles_of */
	/*
	 * The last maker of the schema.cql of a keyspace by O_EXCL: its
	 * process, and bits of the keyspace's number. Nodes may be forgotten
	 * meanwhile.
	 */
	_Atomic uint64_t copiers[NODE_SHARDS];	/* by ino */
	/* The numbers, in order, of the tables whose directories they made. */
	struct mutex copied_lock;
	uint32_t *copied;			/* both under it */
	size_t copied_count;
	struct mutex made_lock;
	struct handle *made[FS_MADE_MAX];	/* by mknod, of the writers */
	unsigned made_next;			/* both under it */
};
/* Return the stripe of a node's open files. */
static inline struct stripe *op_stripe(struct fs *fs, const struct node *n)
{
	return &fs->stripes[n->ino % NODE_SHARDS];
}

/* True if opens for writing and changes of names are refused; files already
 * open are told at their commit. */
static inline bool fs_is_read_only(const struct fs *fs)
{
	return fs->read_only || store_has_failed(fs->store);
}

/* --------------------------------------------------------------------- op */
struct op {
	struct fs *fs;
	struct fs_call *call;
	struct credentials who;		/* of the call */
	/* Of the descriptor that a statement is written to: it also needs their
	 * rights. NULL: none, or root's. */
	struct credentials *opener;
	/* The store that it works on: that of the mount, or a snapshot's, which
	 * op_enter took. */
	struct store *store;
	uint64_t snapshot;		/* its number; 0 */
	struct schema *schema;		/* a reference */
	struct table *found;		/* by op_table last, in found_in */
	const struct schema *found_in;	/* NULL: none */
	struct op_place *placed;	/* place.c; or NULL */
	/* Rows that it has read, and memory for the next: known.c. */
	struct known_row *rows[OP_ROWS], *spare_row;
	unsigned row_count;
	struct arena arena;
	struct buf text;		/* spare room for whoever needs it */
	int64_t now_s;
	/* The table's count of changes when the op began to read it. If it is
	 * different at the end the data read may be stale and is not cached. */
	struct node *watched;
	uint32_t watched_changes;
	/* The directory whose time it sets last, and the table (references);
	 * how many changes of rows it had made before. */
	struct node *touched, *timed;
	int64_t touched_ns;
	uint32_t own_changes, touched_after, timed_after;
	/* Directories (references) whose times are in the present write, and
	 * what is known of them once it is done. */
	struct op_kept {
		struct node *n;
		struct node_known known;
	} kept[4];
	uint32_t kept_count;
	/* The table (a reference) that a statement is about to change; of a
	 * change of one row the deepest node on the way to it (a reference), so
	 * many clustering columns below its partition. */
	struct node *changing, *reached;
	uint32_t reached_level;
	/* The table (a reference) whose hints the present write has, and the
	 * hints. */
	struct node *hinted;
	uint32_t hints, hinted_after;
	/* The nodes of op_alters, and those of them that the kernel drops
	 * itself when a call by path succeeds (references). */
	struct node *altered[4], *by_path[2];
	/* One of by_path was moved, and the kernel called by its number of
	 * before: it drops nothing of the present one. */
	bool by_former;
	/* Observers notify the changes of this op, as if others had made them:
	 * always, or when this node (the caller's) has lost its name. */
	bool broadcast;
	struct node *bound;
	uint64_t wait_for;		/* a notice */
	struct fs_notice *names;	/* see struct fs_call */
	size_t name_count;
	bool runs_statements;		/* in a write */
	bool in_statement;		/* what it writes, statements do */
	/* A document writes, whose caller moves the time of the directory that
	 * has the row. */
	bool in_document;
	bool brings_times;	/* of keyspaces, with a schema of before */
	/* The kernel has locked only the directories of by_path. */
	bool changes_file;
	char reason[1024];		/* why it was refused; "" */
	bool tells_missing;	/* of -ENOENT, too: the name is a query's */
	struct op *outer;
};
/* Begin and end a call; NULL without memory. */
struct op *op_begin(struct fs *fs, struct fs_call *call);
/*
 * Continue in the store of the node, until the next call of op_enter, op_leave
 * or the end. 0; -ESTALE: the snapshot was released; an error of
 * snapshot_acquire.
 */
int op_enter(struct op *op, const struct node *n);
/* Continue in the store of the mount. */
void op_leave(struct op *op);
/* Set op->schema to the present version. */
void op_renew_schema(struct op *op);
/* End the op. Returns err; a refusal with a reason is added to the errors. */
int op_end(struct op *op, int err, struct node *node, const char *name);
/* Return the user whose request it is; without a call, the mounter. */
uid_t op_uid(const struct op *op);
/* Return the op that runs on this thread, for the store's observer; or NULL. */
struct op *op_current(void);
/* Set the reason; returns err. The first reason stays. */
int op_refuse(struct op *op, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Append the path of a node, or of a name in it (or NULL), for people. */
void op_print_path(struct buf *out, struct node *n, const char *name);
/* Add a sentence to the errors, about a call that did not fail. */
void op_remark(struct op *op, struct node *n, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int op_refuse_type(struct op *op, const struct type_error *error);
/* Charge the caller that amount of r: charge_set, with its reason. */
int op_charge(struct op *op, struct charge *c, enum resource r,
	      uint64_t amount);
/* Set the reason of an error of charge_set. Returns err. */
int op_refuse_resource(struct op *op, enum resource r, int err);
/* Commit a write (commit_write): all changes of rows come this way. Its refusal
 * becomes the reason. */
int op_write(struct op *op, struct write *w);
/* Make w->refusal, if there is one, the reason of err. Returns err. */
int op_refuse_write(struct op *op, struct write *w, int err);

/* As store_edit_schema; the op continues with the new version. */
int op_edit_schema(struct op *op,
		   int (*edit)(void *context, const struct schema *now,
			       struct schema **next),
		   void *context);
/* Return the node of a child (a reference). */
struct node *op_node_of_child(struct op *op, struct node *dir,
			      struct bytes name, const struct child *c);
/* The same, in memory of rooms, if it has such (fs/node/node_room.h). */
struct node *op_node_in_rooms(struct op *op, struct node *dir,
			      struct bytes name, const struct child *c,
			      struct node_rooms *rooms);
/* Watch the table of n, so that data read from now on may be cached. */
void op_watch(struct op *op, struct node *n);
void op_pool_release(struct fs *fs);
bool op_is_fresh(const struct op *op);
/* Find by number, following forwards: a reference, or NULL. */
struct node *op_node(struct fs *fs, uint64_t id);

/* ------------------------------------------------------------------ child */
/* The object of a name in a directory, and its present attributes. */
struct child {
	const struct node_ops *ops;
	bool is_table;
	uint32_t number;
	struct bytes value;	/* see node_value */
	struct scratch *scratch;
	mode_t mode;		/* permissions of a directory; files lose x */
	bool read_only;		/* not writable by anybody: w is removed */
	uid_t uid;
	gid_t gid;
	uint64_t size;
	/* From the data, and for a cell the timestamp: a time that was set
	 * beside it is looked up by the kind's caller. */
	int64_t mtime_ns, timestamp_us;
	bool time_is_read;	/* it was looked up, */
	bool time_is_set;	/* and was stored beside the data */
	int64_t expires_s;	/* NO_TIME: never */
	/* The second in which the first value in a directory ends, from which
	 * its time comes; NO_TIME: none does. */
	int64_t changes_s;
	/* After which it was read: op/known.h. state 0: it is of no use. */
	struct node_moment moment;
	bool volatile_name, volatile_attributes;	/* timeout 0 */
	bool unkeyed;		/* its @key will tell its kind */
};
static inline void child_init(struct child *c, const struct node_ops *ops)
{
	*c = (struct child){ .ops = ops, .mode = 0755, .expires_s = NO_TIME,
			     .changes_s = NO_TIME,
			     .timestamp_us = NO_TIMESTAMP };
}
#endif
