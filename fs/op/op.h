/*
 * The inside of fs/, shared by the calls of fs/fs.h and the kinds of node.
 *
 * One call is one struct op: it pins a version of the schema, an arena and the
 * time, and remembers why it was refused.
 *
 * Order of locks: the list of open directories, one of them; one of the lists
 * of open handles; an image's; those of the store; the wishes; a stripe's; data
 * that waits for keys; a scratch file's; below them the leaves (shards of nodes,
 * notices, errors, timer, cuts, accounts, files that mknod made). Over a call of
 * the store an image's is held, and a list's where pending values are committed
 * (commit_empties, commit_empty, fs_flush_all).
 */
#ifndef FS_OP_OP_H
#define FS_OP_OP_H
#include "fs/fs.h"
#include "fs/node/account.h"
#include "fs/node/errors.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
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
struct image;
struct op;
struct wish;

#define FS_MADE_MAX 16
#define FS_HANDLES 256

/* Open files of some directories: an open of one of many files waits for, and
 * searches, only those beside it. */
struct handles {
	struct mutex lock;
	/* under lock; writers: of values, by images */
	struct handle *writers, *readers;
	_Atomic unsigned empties;	/* of them: cut to nothing, flushed */
};

/* Names by their number: their pending values, and the holders of their nodes
 * (file/view.h). */
struct stripe {
	struct mutex lock;
	struct image *images;		/* under lock */
	_Atomic unsigned image_count;
};

struct fs {
	struct store *store;
	uid_t uid;
	gid_t gid;
	uint64_t max_value, scratch_max;
	char *keyspace, *store_path, *version, *options_text;
	bool read_only;
	int64_t opened_ns;
	struct node_table nodes;
	struct notices notices;
	/* Tells the kernel that what it may hold of n (bits: enum armed) is no
	 * longer so: view_changed of file/view.h. */
	uint64_t (*changed)(struct fs *fs, struct op *op, struct node *n,
			    uint32_t bits);
	struct errors errors;
	struct accounts accounts;
	struct stripe stripes[NODE_SHARDS];	/* by ino */
	struct mutex wish_lock;
	struct wish *wishes;		/* under it */
	_Atomic unsigned wish_count;
	_Atomic uint64_t cut_names;	/* stored in memory: short_names.c */
	_Atomic uint64_t large_freed;	/* fs_large_freed */
	struct mutex pool_lock;
	struct op *pool;		/* spare ops, under pool_lock */
	unsigned pool_count;
	/* For nodes' NODE_LEAVING and NODE_MOVING: a leaf. */
	struct mutex leaving_lock;
	pthread_cond_t left;		/* one has left */
	struct timers timers;
	struct mutex held_lock;		/* node->held */
	struct mutex listings_lock;
	struct listing *listings;	/* open directories, under it */
	struct handles handles[FS_HANDLES];	/* handles_of */
	struct mutex made_lock;
	struct handle *made[FS_MADE_MAX];	/* by mknod, of the writers */
	unsigned made_next;			/* both under it */
};

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
	struct schema *schema;		/* a reference */
	struct table *found;		/* by op_table last, in found_in */
	const struct schema *found_in;	/* NULL: none */
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
	/* The table (a reference) whose hints the present write has, and the
	 * hints. */
	struct node *hinted;
	uint32_t hints;
	/* The nodes of op_alters, and those of them that the kernel drops
	 * itself when a call by path succeeds (references). */
	struct node *altered[4], *by_path[2];
	/* Observers notify the changes of this op, as if others had made them:
	 * always, or when this node (the caller's) has lost its name. */
	bool broadcast;
	struct node *bound;
	uint64_t wait_for;		/* a notice */
	struct fs_notice *names;	/* see struct fs_call */
	size_t name_count;
	bool runs_statements;		/* in a write */
	/* The kernel has locked only the directories of by_path. */
	bool changes_file;
	char reason[1024];		/* why it was refused; "" */
	struct op *next, *outer;
};
/* Begin and end a call; NULL without memory. */
struct op *op_begin(struct fs *fs, struct fs_call *call);
/* Set op->schema to the present version. */
void op_renew_schema(struct op *op);
/* Returns err; a refusal with a reason is put down in errors. */
int op_end(struct op *op, int err, struct node *node, const char *name);
/* Return the op that runs on this thread, for the store's observer; or NULL. */
struct op *op_current(void);
/* Set the reason; returns err. The first reason stays. */
int op_refuse(struct op *op, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int op_refuse_type(struct op *op, const struct type_error *error);
/* Charge the caller that amount of r: charge_set, with its reason. */
int op_charge(struct op *op, struct charge *c, enum resource r,
	      uint64_t amount);
/* Set the reason of an error of charge_set. Returns err. */
int op_refuse_resource(struct op *op, enum resource r, int err);
/* table_write, for all changes of rows; an index's refusal becomes the
 * reason. */
int op_write(struct op *op, struct write *w);

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
	int64_t expires_s;	/* NO_TIME: never */
	bool volatile_name, volatile_attributes;	/* timeout 0 */
	bool unkeyed;		/* its @key will tell its kind */
};
static inline void child_init(struct child *c, const struct node_ops *ops)
{
	*c = (struct child){ .ops = ops, .mode = 0755, .expires_s = NO_TIME,
			     .timestamp_us = NO_TIMESTAMP };
}
/* Set owner, group and mode, those of all objects in a table. */
void child_owner(struct child *c, const struct table *t);
void child_stat(const struct child *c, uint64_t ino, struct stat *out);

/* ------------------------------------------------------------------ place */
/* The place of a node in a table, in the terms of the store. */
struct place {
	struct table *table;		/* of op->schema */
	struct bytes partition_key;	/* null above partitions */
	struct bytes *clustering;	/* room for all of them */
	uint32_t clustering_count;
	bool is_static;
	const struct column *column;	/* or NULL */
	struct bytes path;		/* of an element; else null */
	const struct type *type;	/* of the value, where it is a cell */
};
/* Compute the place: 0; -ESTALE where table or column are gone; -ENOMEM. */
int place_of(struct op *op, struct node *n, struct place *p);
/* The same while the key of a directory above is not known: only the known
 * parts of the value's place, its column and type. */
int place_type(struct op *op, struct node *n, struct place *p);
/* Count the key names from the table down to dir. */
uint32_t key_level(const struct node *dir);
/* The place of a child that has no node yet. */
int place_of_child(struct op *op, struct node *dir, const struct child *c,
		   struct place *p);
bool place_is_row(const struct place *p);
struct object_ref place_object(const struct place *p);
/* Return the table of a node at or below one; NULL: it was dropped. */
struct table *op_table(struct op *op, const struct node *n);
struct keyspace *op_keyspace(struct op *op, const struct node *n);
/* Return the column of that engine number. */
const struct column *table_column_numbered(const struct table *t, uint32_t n);
/*
 * Begin w, with the partitions locked: before reading data that w depends on.
 * n: the node whose place p is, or a directory on the way to it. Its row may have
 * been renamed since p was found: p's keys become those of the row's present
 * name, which stays until w is written. 0, or an error of place_of; w is to be
 * released.
 */
struct placed {
	struct node *n;
	struct place *p;
};
int place_begin_writes(struct op *op, struct write *w,
		       const struct placed *of, size_t count) UNCHECKED;
int place_begin_write(struct op *op, struct write *w, struct node *n,
		      struct place *p);
/* The row is renamed: from before its data is locked until its node has the new
 * name (or not) nothing is written by the name that it had. */
void place_move_begin(struct node *row);
void place_move_end(struct fs *fs, struct node *row);
/* Begin (or go on with) the place's row in w. */
void place_write_row(struct write *w, const struct place *p);

/* -------------------------------------------------------------- key names */
/* Append the name of a key: of a partition, of the i-th clustering column. */
void key_partition_name(struct buf *out, const struct table *t,
			const struct bytes *values);
/* Append the name of a partition's key as it is stored. 0, -EUCLEAN,
 * -ENOMEM. */
int key_stored_name(struct buf *out, const struct table *t, struct bytes key);
void key_clustering_name(struct buf *out, const struct table *t, uint32_t i,
			 struct bytes value);
void key_value_name(struct buf *out, const struct type *type,
		    struct bytes value);
/* The same without shortening, for @key. */
int key_full_name(struct op *op, struct node *n, struct buf *out);
/*
 * Parse a name: *value from the op's arena. -ENOENT where it is not the one
 * spelling of a value (with the reason), -ENOMEM.
 */
int key_parse_partition(struct op *op, const struct table *t,
			struct bytes name, struct bytes *value);
/* Parse a composite key's name as it was before it was shortened. */
int key_parse_uncut(struct op *op, const struct table *t, struct bytes name,
		    struct bytes *value);
int key_parse_clustering(struct op *op, const struct table *t, uint32_t i,
			 struct bytes name, struct bytes *value);
int key_parse_value(struct op *op, const struct type *type, struct bytes name,
		    struct bytes *value);

/*
 * Check that the rows that were found at p have the name of p. Of equal values
 * (decimal 1.0 and 1.00) the stored one is the name: -ENOENT with the reason.
 */
int place_check_name(struct op *op, const struct place *p,
		     const struct row_view *row);

/* ------------------------------------------------------------------- kinds */
extern const struct node_ops kind_root, kind_keyspace, kind_table,
	kind_partition, kind_row, kind_static, kind_cell, kind_counter,
	kind_key_column, kind_collection, kind_element, kind_position,
	kind_row_json, kind_collection_json, kind_schema, kind_table_cql,
	kind_cql, kind_control, kind_control_file, kind_schemaless,
	kind_plain, kind_plain_long, kind_plain_value, kind_key_file,
	kind_append, kind_set_element, kind_long_element, kind_long_value,
	kind_scratch;

/* --------------------------------------------------- shared by the kinds */
/* kind/cell.c: set a file's attributes to those of a live cell. */
void cell_child(struct child *c, const struct table *t, const struct type *type,
		const struct cell_view *cell);
int cell_lookup(struct op *op, struct node *dir, struct child *c);
int cell_stat(struct op *op, struct node *n, struct child *out);
int cell_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
int cell_unlink(struct op *op, struct node *n);
int cell_rename(struct op *op, struct node *n, struct node *dir,
		struct bytes name, struct node *replaced, struct child *target);
int key_column_stat(struct op *op, const struct place *p, struct child *c);
int collection_json_stat(struct op *op, const struct place *p,
			 struct child *c);
extern const struct file_kind cell_file;
/* Read the value of a file's text. -EINVAL with the reason. */
int text_value(struct op *op, const struct type *type, struct bytes text,
	       struct buf *value);
/* The same of a text copied from another file: a lone newline may be the empty
 * value of a type that has no literal for it. */
int copied_value(struct op *op, const struct type *type, struct bytes text,
		 struct buf *value);
/* Check that text_value would accept a complete text of a type. */
int text_check(struct op *op, const struct type *type, struct bytes text);
void value_text(struct buf *out, const struct type *type, struct bytes value);
uint64_t value_text_size(const struct type *type, struct bytes value);
/* kind/collection.c: read the live cells of the place's column; none: 0 of
 * them. They live as long as the arena. 0 or -errno. */
int collection_cells(struct op *op, const struct place *p, struct arena *arena,
		     const struct cell_view **cells, size_t *count);
/* Set time and end of a collection with these cells (at least one): the
 * latest. */
void collection_times(struct child *c, const struct cell_view *cells,
		      size_t count);
/* kind/partition.c: read the first row below a place, in the op's memory: 1,
 * 0. */
int first_row(struct op *op, const struct place *p, struct row_view *row,
	      struct cursor **cursor);
int key_lookup(struct op *op, struct node *dir, struct bytes name,
	       struct child *out);
/* Describe the child of a key's name, existing or not (unkeyed: a shortened
 * name). */
int key_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out);
/* Check that a name may be made. -EINVAL: rows exist with another spelling of
 * it. */
int key_check_new(struct op *op, struct node *dir, const struct child *c);
/* Check that a directory that a rename replaces is empty: -ENOTEMPTY. */
int remove_check_empty(struct op *op, struct node *n);
int key_create(struct op *op, struct node *dir, struct bytes name,
	       struct child *out);
int key_mkdir(struct op *op, struct node *dir, struct bytes name, mode_t mode,
	      struct child *out, bool *keep);
/* kind/row.c: */
int row_lookup_name(struct op *op, struct node *dir, struct bytes name,
		    struct child *out);
/* touch: the directory above changes with it. */
int row_insert(struct op *op, struct node *dir, const struct child *c,
	       bool touch);
int row_json_stat(struct op *op, const struct place *p, struct child *out);
void row_child(struct child *c, const struct table *t,
	       const struct row_view *row);
/* kind/schemaless.c: append the whole name of a row in dir. */
void plain_name(struct buf *out, struct node *dir, struct bytes value);
/* kind/key.c: look up the @key of a directory with a shortened name. */
int key_file_lookup(struct op *op, struct node *dir, struct child *out);
/* The same, existing or not. */
int key_file_child(struct op *op, struct node *dir, struct child *out);
/* kind/root.c: translate a file name to the name in the schema. */
int raw_name(struct op *op, struct bytes name, struct bytes *raw);
/* Check that a keyspace or table may have this name. */
int check_identifier(struct op *op, struct bytes name, const char *what);
int keyspace_stat(struct op *op, struct node *n, struct child *out);
/* Describe the child of this name, existing or not. */
int control_child(struct op *op, struct child *out);
int cql_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out);
int schema_child(struct op *op, struct node *dir, struct child *out);
int ddl_child(struct op *op, struct node *dir, struct bytes base,
	      struct child *out);
/* kind/schema.c: run statements for the caller. */
bool cql_may_caller(void *context, const struct keyspace *k,
		    const struct table *t, enum cql_right right);
int session_open(struct op *op, struct cql_session **out, const char *keyspace,
		 mode_t mode, bool as_caller);
int session_run(struct op *op, struct cql_session *session, struct bytes text);
int print_keyspace(struct op *op, struct buf *out, const struct keyspace *k);
int run_statement(struct op *op, const char *keyspace, struct bytes text,
		  mode_t mode, bool as_caller);

/* kind/adopt.c: give the rows of a table that mkdir made, n's (its schema.cql),
 * to another one (cql_adopt). */
int adopt_rows(struct op *op, struct node *n, struct table *from,
	       struct table *to);
/* Store a file of it that was open then under its name's present place;
 * -ESTALE: no table took over. */
int adopt_store(struct op *op, struct node *n, struct bytes text,
		const struct store_how *how);

/* kind/schema_write.c: run the statements written into a schema.cql, n. */
int ddl_apply(struct op *op, struct node *n, struct bytes text);
int64_t ddl_write(struct op *op, struct handle *h, uint64_t offset,
		  struct bytes data);
int ddl_flush(struct op *op, struct handle *h);
void ddl_close(struct op *op, struct handle *h);

/* ---------------------------------------------------------------- helpers */
/* store_edit_schema; the op continues with the new version. */
int op_edit_schema(struct op *op,
		   int (*edit)(void *context, const struct schema *now,
			       struct schema **next),
		   void *context);
/* fs/call_names.c: return the node of a child (a reference). */
struct node *node_of_child(struct op *op, struct node *dir, struct bytes name,
			   const struct child *c);
/* Watch the table of n, so that data read from now on may be cached. */
void op_watch(struct op *op, struct node *n);
/*
 * Record that dir's attributes and listing change. At the end of the op the
 * kernel is told to drop its copies, unless the call itself (by path) makes it
 * do so; told_to says which other copies it may have (fs/store_observer.c).
 */
void op_alters(struct op *op, struct node *dir);
/* Record that the call is by path in dir (at most two): the kernel notes that
 * itself. */
void op_by_path(struct op *op, struct node *dir);
/* Record that the caller gets the attributes of n, and may keep them. */
void op_told(struct op *op, struct node *n);
/* At the end, with the result: drop copies that others than the caller may
 * have. */
void op_tell_altered(struct op *op, int err);
/*
 * Keep a directory although the store has nothing of it. If the caller may have
 * no more of them (-EMFILE, -ENOSPC, -ENOMEM, without a reason) it is not kept,
 * and goes with its last row.
 */
int keep_directory(struct op *op, struct node *n);
/* The same for all directories above it, up to the table. */
int keep_up(struct op *op, struct node *n);
/* Keep n in the place of another node: its keeper goes on paying. */
void keep_for(struct op *op, struct node *n, struct account *keeper);
/* True if there is a kept child, or an open file that is not committed yet. */
int has_kept_children(struct op *op, struct node *n);
/* owner.c */
/* Compare what set_owner sets (enum fs_set) with a keyspace's or table's: 1
 * differs, 0; -EPERM: it is not stored. Set it. */
int owner_differs(struct op *op, unsigned set, const struct stat *attr,
		  uid_t uid, gid_t gid, mode_t mode);
void owner_change(unsigned set, const struct stat *attr, uid_t *uid, gid_t *gid,
		  mode_t *mode);
/* Below a table of system_schema: set c's owner and mode to those of the
 * described object, as mode_of_description. */
void guard_description(struct op *op, const struct node *n, struct child *c);
/* kind/scratch.c: make a scratch file for this name, or -EINVAL with a
 * reason. */
int scratch_create(struct op *op, struct bytes name, struct child *out);
/* Put the nearest of these names into the reason; returns -EINVAL. */
int refuse_name(struct op *op, struct bytes name, const char *what,
		const struct table *t);
#endif
