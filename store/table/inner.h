/*
 * What the files of store/ share: the store itself, keys and cells between the
 * schema and the engine. Nothing outside store/ includes this.
 *
 * Locks, in the order they are taken: stripes (lock.c), ddl, publish,
 * guard, clock.
 */
#ifndef STORE_TABLE_INNER_H
#define STORE_TABLE_INNER_H
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/lsm/lsm.h"
#include "store/marker.h"
#include "store/row/key.h"
#include "store/store.h"
#include "store/table/table.h"

/* Of partitions that are written. With the other locks of a thread fewer than
 * 64, which the thread sanitizer can follow. */
#define STRIPES 48

/* Numbers of the engine's tables. */
#define CATALOG_NUMBER 1
#define TABLE_NUMBER_FIRST 16

/*
 * Numbers of cells that are no column's (all < COLUMN_NUMBER_FIRST); they are
 * on disk. None of them makes a row live.
 */
/* CELL_CLUSTERING 1, of row.h: path: be16 position; value: it as written */
#define CELL_ATTRIBUTE 2	/* in rows of kind KEY_ATTRIBUTES only */
#define CELL_CATALOG 3		/* a record of the catalogue */
#define CELL_INDEX 4		/* in hidden tables: path: the base's path */

struct store {
	const struct file_ops *files;
	struct marker_file marker;
	struct lsm *lsm;
	bool read_only;
	uid_t uid;
	gid_t gid;
	int64_t opened_us;
	size_t collect_bytes;		/* that an index query may hold */
	_Atomic uint64_t tombstones_read;	/* by cursors; for statistics */
	struct store_observer observer;
	bool observed;
	pthread_mutex_t telling;	/* of damage; observer changes under it */

	pthread_mutex_t ddl;		/* one change of the schema at a time */
	uint32_t next_table_number;	/* under ddl */
	/* Shared by a write with the stripes of its partitions, from before it
	 * reads until it is applied; exclusive to publish a schema and to
	 * truncate: an index that is being built misses no write, nor does a
	 * table that replaces another, and no truncated value is counted on. */
	pthread_rwlock_t publish;
	pthread_mutex_t guard;		/* for taking a reference */
	struct schema *schema;		/* changed under publish and guard */
	struct table **by_number;	/* sorted; under publish */
	size_t by_number_count;

	pthread_mutex_t clock;
	int64_t last_us;		/* under clock */
	int64_t lease_us;		/* under clock: durable bound */

	pthread_mutex_t stripes[STRIPES];
};

/* --------------------------------------------------- store/catalog_rows.c */
/* Add to a batch; a failure shows in it. */
void catalog_put_keyspace(struct batch *batch, const struct keyspace *k,
			  uint64_t version);
void catalog_put_table(struct batch *batch, const struct table *t,
		       uint64_t version);
/* The record goes: the table's, or (NULL) the keyspace's. */
void catalog_put_gone(struct batch *batch, const char *keyspace,
		      const char *table, uint64_t version);
void catalog_put_counters(struct batch *batch, uint64_t version,
			  uint32_t next_number);
/* Add all records to an empty schema; *next_number is left alone where there
 * are none. 0, -EUCLEAN, -EPROTONOSUPPORT, or another -errno. */
int catalog_load(struct lsm *lsm, struct schema *schema, uint32_t *next_number);
/* Has each stored table and index of the list a number of its own, which was
 * given out? 0, -EUCLEAN, -ENOMEM. */
int catalog_check_numbers(struct table *const *list, size_t count,
			  uint32_t next_number);

/* -------------------------------------------------- store/schema_change.c */
/* 0 or -errno. */
int store_load_schema(struct store *s);
/* What a crash left undone, once the engine runs. */
int store_finish_schema(struct store *s);
/* store/table_takeover.c: does a table of the next version have another's
 * name? */
bool store_replaces(const struct schema *was, const struct schema *next);
/* Bring the rows over. -EEXIST: there are some, and no edit->move. REQUIRES
 * publish (exclusively). */
int store_move_rows(struct store *s, const struct schema *was,
		    const struct schema *next, const struct schema_edit *edit);
/* After a failure: what was brought over goes. */
void store_forget_rows(struct store *s, const struct schema *was,
		       const struct schema *next);
/* The engine's options of a table. */
void store_table_options(struct lsm_table_options *to, const struct table *t);
/* The present version of a table, borrowed: REQUIRES publish. NULL: dropped. */
struct table *store_current_table(const struct store *s, uint32_t number);

/* ------------------------------------------------------------------ key.c */
/* Of the keys of the table's rows and bounds, and of its static rows. */
static inline enum key_kind table_row_kind(const struct table *t)
{
	return t->flags & TABLE_WAS_FLAT ? KEY_LATER_ROW : KEY_ROW;
}
static inline enum key_kind table_static_kind(const struct table *t)
{
	return t->flags & TABLE_WAS_FLAT ? KEY_ROW : KEY_STATIC;
}
/* What follows the partition in the key of a row (clustering NULL: static). */
void key_add_place(struct buf *out, const struct table *t,
		   const struct bytes *clustering);
/* Append the components of clustering values; null values too. */
void key_add_clustering(struct buf *out, const struct table *t,
			const struct bytes *values, uint32_t count);
/* The whole key of a row (clustering NULL: the static row). */
void key_add_row(struct buf *out, const struct table *t,
		 struct bytes partition_key, const struct bytes *clustering);
/* What follows the partition in the key of a slice's end. */
void key_add_start(struct buf *out, const struct table *t,
		   const struct bound *start);
void key_add_end(struct buf *out, const struct table *t,
		 const struct bound *end);
/*
 * Decode the components that a row's key holds after its kind: values point
 * into memory or into clustering; ends[i]: the length of the first i + 1
 * components. 0, -EUCLEAN.
 */
int key_read_clustering(struct bytes *values, uint32_t *ends,
			struct buf *memory, const struct table *t,
			struct bytes clustering);
/* Must what was written be kept, as the key does not give it back? */
bool key_keeps_clustering(const struct table *t);

/* ----------------------------------------------------------------- cell.c */
/* A path as the engine orders it (appended); for inexact types the bytes that
 * go before the cell's value. */
void cell_add_path(struct buf *out, const struct column *c, struct bytes path);
bool cell_keeps_path(const struct column *c);

/* What is known of a table to read its rows. */
struct row_reader {
	const struct table *table;
	uint32_t *by_number;		/* places of columns, by number */
	bool in_order;			/* by number is by place */
	bool keeps_clustering;
	bool raw;
	uint64_t mask;			/* given to the engine */
	uint64_t wanted;		/* of the query */
	int64_t now_s;
	uint32_t lasting;		/* a column that rows had; 0: none */
};
/* by_number from arena. 0, -ENOMEM. */
int row_reader_init(struct row_reader *r, const struct table *t,
		    uint64_t wanted, int64_t now_s, struct arena *arena);
/* The second in which the row ends to be there (store/README.md), going by the
 * cells that were decoded: NO_TIME never; 0: it is not there. */
int64_t row_reader_until(const struct row_reader *r, const struct row *row);
/* Is it a column of which a cell that lasts makes a row last? Then r->lasting. */
bool row_reader_find_lasting(struct row_reader *r, uint32_t column);
/* Is it plain from the begin of an encoded row that it never ends? If not, it
 * has to be decoded to know. */
static inline bool row_reader_lasts(struct row_reader *r, struct bytes encoded)
{
	uint32_t column;

	if (row_has_lasting_marker(encoded))
		return true;
	column = row_lasting_column(encoded);
	return column >= COLUMN_NUMBER_FIRST &&
	       (column == r->lasting || row_reader_find_lasting(r, column));
}
static inline bool row_reader_is_live(const struct row_reader *r,
				      const struct row *row)
{
	return row_reader_until(r, row);
}
/* Is what was deleted then old enough to be purged? */
bool row_reader_may_purge(const struct row_reader *r, int64_t local_time);
/* The tombstones of a row that is not live, for tracing and warnings. */
uint64_t row_reader_tombstones(const struct row_reader *r,
			       const struct row *row);
/*
 * The live cells of a row, in order. Arrays and decoded paths from arena,
 * values point where the row's do. 0, -EUCLEAN, -ENOMEM.
 */
int row_reader_cells(const struct row_reader *r, struct arena *arena,
		     const struct row *row, const struct cell_view **cells,
		     uint32_t *count);
/* Put clustering values as they were written in the place of decoded ones. */
void row_reader_written_clustering(const struct row_reader *r,
				   const struct row *row,
				   struct bytes *clustering);

/* ----------------------------------------------------------------- read.c */
/* Where an attribute is kept: the key of the object's entry, and the path of
 * the CELL_ATTRIBUTE cell in it. Both are appended. */
void attribute_key(struct buf *out, const struct object_ref *o);
void attribute_path(struct buf *out, const struct object_ref *o, uint8_t name);

/* -------------------------------------------------------------- sources */
/* As lsm_iterate (of q's table) and lsm_get, but virtual tables are read from
 * code. */
struct query;
int source_iterate(struct iterator **out, struct store *s,
		   const struct query *q, struct bytes lower,
		   struct bytes upper, bool reverse);
int source_get(struct store *s, const struct table *t, struct bytes key,
	       uint64_t mask, struct arena *arena, struct row *row);

/* ------------------------------------------------------------------ scan.c */
/* A cursor whose partitions and rows come one by one from next_ref: engine
 * keys of rows, or of static rows for all of a partition, ascending. */
struct ref_source {
	/* 1 with *key (until the next call), 0, -errno. */
	int (*next)(struct ref_source *r, struct bytes *key);
	/* Does a row that was read again still answer? 1, 0, -errno. */
	int (*matches)(struct ref_source *r, const struct row_view *row);
	void (*close)(struct ref_source *r);
	uint64_t columns;	/* that matches looks at */
	bool statics;
};
/* refs is taken over, also on error. */
int cursor_open_refs(struct cursor **out, struct store *s,
		     const struct query *q, struct ref_source *refs);

/* ------------------------------------------------------- index/maintain.c */
/*
 * What a write does to the indexes of a table: called for each row of the
 * write with what is added to it, before it is applied; adds to the batch.
 */
int index_row(struct store *s, struct batch *batch, const struct table *t,
	      struct bytes key, const struct row *row, struct arena *arena);
/* For a deleted range of keys of one partition. */
int index_range(struct store *s, struct batch *batch, const struct table *t,
		struct bytes from, struct bytes to, struct deletion deletion);
/* Fill an index from the table as it is now. */
int index_build(struct store *s, const struct table *t,
		const struct index *index);

/* -------------------------------------------------------- system/tables.c */
/* Add the system's keyspaces to a schema that is being made. */
int system_add_keyspaces(struct store *s, struct schema *schema);
#endif
