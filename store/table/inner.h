/*
 * The inside of an open store, for the rooms that work in it: tables, indexes,
 * system tables, and the files of store/ itself. Besides their tests nothing
 * else includes this.
 *
 * Locks, in the order they are taken: stripes (lock.c), ddl, publish, guard,
 * clock.
 */
#ifndef STORE_TABLE_INNER_H
#define STORE_TABLE_INNER_H
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/lsm/lsm.h"
#include "store/row/key.h"
#include "store/table/observer.h"
#include "store/table/table.h"

/*
 * The number of locks of partitions for writing. Together with the other locks
 * of a thread they are fewer than 64, the most that the thread sanitizer can
 * follow.
 */
#define STRIPES 48

/* Numbers of the engine's tables. */
#define CATALOG_NUMBER 1
#define TABLE_NUMBER_FIRST 16

/*
 * Numbers of cells that belong to no column (all < COLUMN_NUMBER_FIRST); they
 * are on disk. None of them makes a row live.
 */
/* CELL_CLUSTERING 1, of row.h: path: be16 position; value: it as written */
#define CELL_ATTRIBUTE 2	/* in rows of kind KEY_ATTRIBUTES only */
#define CELL_CATALOG 3		/* a record of the catalogue */
#define CELL_INDEX 4		/* in hidden tables: path: the base's path */

struct file_ops;
struct marker_file;
struct snapshot_view;

/* The maker of the rows of virtual tables (system/virtual.c). */
struct row_source {
	/* Iterate over all rows of q's table as over a table in the engine. 0,
	 * -errno. */
	int (*iterate)(struct iterator **out, struct store *s,
		       const struct query *q, bool reverse);
	/* Read the row of that key: 1, 0, -errno. */
	int (*get)(struct store *s, const struct table *t, struct bytes key,
		   struct arena *arena, struct row *row);
};

struct store {
	const struct file_ops *files;
	struct marker_file *marker;
	const uint8_t *id;
	const struct row_source *virtual_rows;
	struct lsm *lsm;
	bool read_only;
	uid_t uid;
	gid_t gid;
	int64_t opened_us;
	/* Of a view (snapshot.h): its time, and the number of its only table,
	 * or 0. */
	int64_t now_s;
	uint32_t only;
	size_t collect_bytes;		/* that an index query may hold */
	uint64_t max_value;		/* bytes of a new value */
	_Atomic uint64_t tombstones_read;	/* by cursors; for statistics */
	struct store_observer observer;
	bool observed;
	pthread_mutex_t telling;	/* of damage; observer changes under it */

	pthread_mutex_t ddl;		/* one change of the schema at a time */
	uint32_t next_table_number;	/* under ddl */
	/*
	 * Shared by a write with the stripes of its partitions, from before it
	 * reads until it is applied; exclusive to publish a schema and to
	 * truncate. So an index that is being built and a table that replaces
	 * another miss no write, and no write depends on a truncated value.
	 */
	pthread_rwlock_t publish;
	_Atomic uint32_t truncations;	/* of tables; changed under publish */
	pthread_mutex_t guard;		/* for taking a reference */
	struct schema *schema;		/* changed under publish and guard */
	struct table **by_number;	/* sorted; under publish */
	size_t by_number_count;

	pthread_mutex_t clock;
	int64_t last_us;		/* under clock */
	int64_t lease_us;		/* under clock: durable bound */

	pthread_mutex_t views_lock;
	struct snapshot_view *views;	/* under it */

	pthread_mutex_t stripes[STRIPES];
};
#endif
