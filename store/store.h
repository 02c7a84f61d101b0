/*
 * A store: a directory with its marker file, lock, engine and schema. Opening
 * recovers it; background threads run until it is closed. All calls from any
 * thread. store/table/table.h reads and writes rows.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H
#include "store/base/file.h"
#include "store/lsm/stats.h"
#include "store/row/mutation.h"
#include "store/schema/schema.h"

struct store;
struct lsm_table_stats;

struct store_options {
	bool read_only;		/* never writes one byte; shares the lock */
	bool create;		/* make a store where there is none */
	bool no_threads;	/* tests */
	size_t cache_bytes, memtable_bytes;	/* 0: defaults */
	double commit_s;	/* seconds between syncs; 0: every commit */
	uid_t uid;		/* owner of what `create` makes, and of the */
	gid_t gid;		/* system keyspaces */
	const struct file_ops *files;	/* NULL: the system's */
};
/* Set the defaults. */
void store_options_init(struct store_options *o);

/*
 * Open the store at path. 0; -ENOENT there is none (and not create); -ENOTEMPTY
 * a directory that is something else; -EBUSY in use (*owner_pid is set);
 * -EPROTONOSUPPORT its format is too new; -EUCLEAN damaged
 * (log_corrupt_last()); -errno. *created tells whether it was made.
 */
int store_open(struct store **out, const char *path,
	       const struct store_options *options, pid_t *owner_pid,
	       bool *created);
int store_close(struct store *s);
bool store_is_read_only(const struct store *s);
/* True after the first error of the disk, which makes it read-only too. */
bool store_has_failed(const struct store *s);

/*
 * An engine table that no schema has: for attributes (table/table.h) of objects
 * above tables. It is there in every store.
 */
#define STORE_ATTRIBUTES_NUMBER 2

/*
 * Set the most bytes that a new value may have: of a cell, or an element of a
 * collection. At first it is 2 GB - 1. A write of a longer one is refused
 * (-EFBIG, table/table.h); longer ones that are stored stay, and can be read,
 * moved and removed. Before any other thread uses the store.
 */
void store_set_max_value(struct store *s, uint64_t bytes);

/* ---------------------------------------------------------------- schema */
/*
 * Change the schema: `edit` is called under the schema lock with the present
 * version and makes the next (NULL with 0: nothing to do); it is then made
 * durable, passed to the engine, published, and observers are told. Data of
 * removed tables is dropped; new tables get their engine number here (a table
 * with number 0), new indexes are built before this returns. owner: the user
 * whose request it is, who owns the automatic snapshots of it (snapshot.h).
 */
int store_edit_schema(struct store *s,
		      int (*edit)(void *context, const struct schema *now,
				  struct schema **next),
		      void *context, uid_t owner);
/*
 * The same where a new table may take the name of another. `move` then copies
 * the rows (commit_fill) while no other thread writes; if it fails the schema
 * is not changed. NULL: -EEXIST if there are any rows.
 */
struct schema_edit {
	int (*edit)(void *context, const struct schema *now,
		    struct schema **next);
	/*
	 * If set, it is called after `edit`, before anything is changed and
	 * while no other thread writes: it looks at rows on which the change
	 * depends. If it fails nothing is changed. It may read, not write.
	 */
	int (*check)(void *context);
	int (*move)(void *context, struct table *from, struct table *to);
	/*
	 * If set, it is called instead of `move`, when the new tables have
	 * numbers and no other thread writes: it adds their data, and
	 * operations of its own to the batch that changes the schema. Rows of
	 * replaced tables are not copied.
	 */
	int (*fill)(void *context, struct batch *batch);
	/* With fill: the change does not happen, and its data is to be
	 * removed. */
	void (*forget)(void *context);
	void *context;
	uid_t owner;
};
int store_edit_tables(struct store *s, const struct schema_edit *edit);
/* Remove all rows of a table and its indexes. owner: as above. */
int store_truncate(struct store *s, struct table *t, uid_t owner);

/* ------------------------------------------------------------- durability */
/* Sync the log: all that was applied before the call is on disk at the
 * return. */
int store_sync(struct store *s);
/* Return the position of the last commit; wait for a position. */
uint64_t store_position(struct store *s);
int store_sync_to(struct store *s, uint64_t position);
/* Flush a table. NULL: all. */
int store_flush(struct store *s, struct table *t);
int store_compact(struct store *s, struct table *t);
/* For tests: verify all, as lsm_verify. */
int store_verify(struct store *s,
		 void (*report)(void *context, const char *text), void *context);
/* Verify a table and its indexes (NULL: all): lsm_verify_tables. */
int store_verify_table(struct store *s, struct table *t,
		       const struct lsm_verify_told *told);
void store_stats(struct store *s, struct lsm_stats *stats);
/* Look at all files: their levels. 0, -ENOMEM. */
int store_shape(struct store *s, struct lsm_shape *shape);
void store_table_stats(struct store *s, struct table *t,
		       struct lsm_table_stats *stats);

/* --------------------------------------------------------------- observer */
struct store_observer;	/* table/observer.h */
/* Set the observer before any other thread uses the store; NULL removes it. */
void store_observe(struct store *s, const struct store_observer *observer);

/*
 * Return a timestamp of the store's clock for conflicts: microseconds, strictly
 * increasing over all threads and restarts.
 */
int64_t store_timestamp(struct store *s);
#endif
