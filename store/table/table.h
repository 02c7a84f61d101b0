/*
 * The seam: rows by schema. The floors above do not know memtables, those below
 * do not know the meaning of columns. struct query reads, struct write changes.
 * Whole queries and whole batches go through here, and no memory handed out is
 * valid after the next call on its cursor.
 */
#ifndef STORE_TABLE_TABLE_H
#define STORE_TABLE_TABLE_H
#include "store/base/memory.h"
#include "store/row/mutation.h"
#include "store/schema/schema.h"

struct store;

/* ------------------------------------------------------------------- keys */
/* Append the serialised partition key of its columns' values:
 * store/cql/README.md has its form. */
void table_partition_key(struct buf *out, const struct table *t,
			 const struct bytes *values);
/* Split it again: partition_key_count slices of key. 0 or -EUCLEAN. */
int table_partition_values(struct bytes *values, const struct table *t,
			   struct bytes key);

/* ------------------------------------------------------------------- read */
/* One end of a slice: values of the first `count` clustering columns. */
struct bound {
	const struct bytes *values;
	uint32_t count;		/* 0: open */
	bool inclusive;
};
/* Rows between two bounds, in the table's clustering order (so with DESC
 * columns `start` has the larger values). Both ends name prefixes. */
struct slice {
	struct bound start, end;
};

/* True if this reader may see rows about the table (NULL: about the
 * keyspace). */
typedef bool table_shown(void *context, const struct keyspace *k,
			 const struct table *t);

struct query {
	const struct table *table;
	/* Of a virtual table, rows for which this returns false are left out;
	 * NULL: none. Called while table_query runs. */
	table_shown *shown;
	void *shown_context;
	/*
	 * The partitions: these, in this order (serialised keys; an iterator
	 * returns them in the order listed), or, with partition_count 0, those
	 * with from <= token <= to, in token order.
	 */
	const struct bytes *partitions;
	size_t partition_count;
	int64_t from_token, to_token;
	/*
	 * When after_key is not null only what comes after that partition in
	 * token order; with after_clustering (clustering_count values) also the
	 * rows of that partition which come after the row of this key, in the
	 * direction of the query.
	 */
	struct bytes after_key;
	const struct bytes *after_clustering;
	/* Rows of each partition: those in any of the slices (sorted, disjoint,
	 * in clustering order); none: all. No rows at all: statics only. */
	const struct slice *slices;
	size_t slice_count;
	bool statics_only;
	bool reversed;		/* rows within a partition, last first; the
				 * slices stay in the table's order */
	/*
	 * Bit n: cells of column number n (& 63) are wanted; others may be
	 * missing from the rows, and the marker of a point read too where
	 * not all are wanted. Liveness always counts all columns.
	 * UINT64_MAX: all.
	 */
	uint64_t columns;
	/*
	 * Return only the first live row for each distinct value of the first
	 * `distinct` clustering columns, seeking past the rest; -1: every row.
	 * 0: the first row (or the statics) of each partition.
	 */
	int distinct;
	bool with_statics;	/* read the static row too */
	/* Return, of a partition with live statics and no row in the slices,
	 * one row view with row_exists false (SELECT's rule); only with
	 * with_statics. */
	bool static_only_rows;
	/* Stop after this many row views; 0: no limit. Of each partition
	 * too. */
	uint64_t limit, partition_limit;
	int64_t now_s;		/* for expiry; 0: read the clock */
	/*
	 * The name of an attribute that each view has with it: of the row, or,
	 * with `distinct` from 1 on, of the prefix. 0: none. Forward only, not
	 * with cursor_names.
	 */
	uint8_t attribute;
	/* Return tombstones as well (in cells, marked): for tools. */
	bool raw;
};
/* Set q to all rows of t. */
void query_init(struct query *q, const struct table *t);

/* A live cell as read. Multi-cell columns have one per element, in order. */
struct cell_view {
	const struct column *column;
	struct bytes path;	/* element, key, field number (2 bytes) or list id
				 * in the binary form of its type; else null */
	struct bytes value;	/* sets: empty. counters: 8 bytes, the total */
	int64_t timestamp_us;
	int32_t ttl_s;		/* 0: none */
	int64_t expires_s;	/* NO_TIME: never */
	bool tombstone;		/* raw only */
};

struct row_view {
	struct bytes partition_key;	/* serialised */
	int64_t token;
	/* store_partition_state before the read; table_read alone sets it. */
	uint64_t state;
	const struct bytes *key_values;	/* partition_key_count */
	bool first_of_partition;
	bool row_exists;		/* false: statics only */
	const struct bytes *clustering;	/* clustering_count (null in a compact
					 * table's missing ones) */
	struct marker marker;		/* live, or MARKER_NONE */
	const struct cell_view *cells;	/* live cells of regular columns, by
					 * (column place, path) */
	uint32_t cell_count;
	const struct cell_view *statics;
	uint32_t static_count;
	/* query.attribute; empty: it has none; null: it was not read. */
	struct bytes attribute;
	/* The row's key in the engine: opaque, for resuming and for changes. */
	struct bytes engine_key;
	/* See cursor_names: without marker and cells, but with the second in
	 * which the row stops to exist, or NO_TIME. */
	bool names;
	int64_t expires_s;
};

struct cursor;
/* A cursor sees one moment of the table and belongs to one thread at a time.
 * The query's arrays are copied. */
int table_query(struct cursor **out, struct store *s, const struct query *q);
/* 1 with *row (valid until the next call), 0 at the end, -errno. */
int cursor_next(struct cursor *c, struct row_view *row);
/* Look whether a query finds a row: 1, 0, -errno. */
int table_query_finds(struct store *s, const struct query *q);
/* Seek past all rows that share the first n clustering values of the row that
 * was returned last; 0: past its partition. */
int cursor_skip(struct cursor *c, uint32_t n);
/* Return of the following rows only keys: nothing else of them is decoded. It
 * can be turned on and off at any time. */
void cursor_names(struct cursor *c, bool on);
/*
 * Release the moment that the cursor sees, where others have followed (a flush,
 * a compaction): it holds their memory and files. The next call continues from
 * the same row in the moment of that call; the row returned last is not valid
 * any more. No effect where no moment followed, and on cursors that go
 * backwards, by an index, or over virtual tables.
 */
void cursor_rest(struct cursor *c);
/* The same, whatever the moment is, if it holds more than that many bytes, of
 * rows above all: what the next call needs is read again. */
void cursor_trim(struct cursor *c, uint64_t most);
/* Add the memory that it holds. */
void cursor_memory(const struct cursor *c, struct memory_use *m);
void cursor_close(struct cursor *c);
/* The cost so far, for TRACING and for tombstone warnings. */
struct cursor_cost {
	uint64_t rows, tombstones;
};
void cursor_cost(const struct cursor *c, struct cursor_cost *cost);
/*
 * Read one row (clustering null: the static row, in statics). 1 with *row, its
 * memory from arena; 0: no such live row; -errno. Cheaper than a query.
 */
int table_read(struct store *s, const struct table *t, struct bytes partition_key,
	       const struct bytes *clustering, uint64_t columns, int64_t now_s,
	       struct arena *arena, struct row_view *row);
/* Return the bit of a column (struct query). */
uint64_t table_columns_of(const struct column *column);
/* Set *cell to the first of the row's cells with this (column, path): 1, 0,
 * -ENOMEM. */
int table_row_cell(const struct row_view *row, const struct column *column,
		   struct bytes path, struct cell_view *cell);
/* The same of a row that is not read yet: 1, 0, -errno. */
int table_read_cell(struct store *s, const struct table *t,
		    struct bytes partition_key, const struct bytes *clustering,
		    const struct column *column, struct bytes path,
		    int64_t now_s, struct arena *arena, struct cell_view *cell);

/*
 * Return the timestamp that a write of this cell must exceed to be seen: that
 * of the newest value or deletion, live or not, or NO_TIMESTAMP. Without a path
 * that of the whole column, without a column that of the row and all in it. 0,
 * -errno.
 */
int table_newest(struct store *s, const struct table *t,
		 struct bytes partition_key, const struct bytes *clustering,
		 const struct column *column, struct bytes path,
		 struct arena *arena, int64_t *newest_us);
/* Return a timestamp that nothing in the table exceeds; NO_TIMESTAMP: it is
 * empty. Cheap: from what each source of the table says of itself. */
int64_t table_latest(struct store *s, const struct table *t);

/* ------------------------------------------------------------------ write */
/*
 * A write collects changes; commit_write applies all of them or none. Values
 * must be valid for their types (type_validate): checked by assertion only.
 *
 *   write_lock(w, ...)	the partitions that it writes
 *   table_read(...)	the data that its values and timestamps depend on
 *   store_timestamp(s)
 *   write_row(w, ...)	and its cells
 *   commit_write(w)	unlocks, too
 */
struct write {
	struct batch batch;
	struct store *store;
	struct arena arena;
	struct row_builder *row;	/* being built, see write.c */
	struct change_list *changes;
	bool failed;
	/*
	 * Why the last commit_write returned -EINVAL: an index refuses the
	 * value; or -EFBIG: a value is longer than store_set_max_value allows.
	 * Late: Cassandra refuses it only when it is applied.
	 */
	struct buf refusal;
	bool refused_late;
	/* The values are in the store already, only elsewhere: their length is
	 * not bounded. Set it after write_init. */
	bool moves;
	bool is_locked;
	uint64_t written, locked;	/* stripes of partitions */
	/* One that is asked for: the token and the table; and its state. */
	int64_t watched_token;
	uint32_t watched_table;
	uint64_t state;
};
/* Begin a write to s without changes. Want of memory, here or later, is told by
 * commit_write. One thread at a time. */
void write_init(struct write *w, struct store *s);
/* Unlock, and free all memory of the write. */
void write_release(struct write *w);
/* Return the error with which commit_write will fail for what was collected so
 * far: -EFBIG with w->refusal, -ENOMEM; 0: none is known. */
int write_error(const struct write *w);
/* Discard the collected changes, and unlock; the memory is kept. */
void write_clear(struct write *w);

struct partition_ref {
	const struct table *table;
	struct bytes key;	/* serialised partition key */
};
/*
 * Lock all partitions that the write changes, in one call: no other write of
 * them comes between this call and the end of commit_write, none that is
 * applied later has an earlier timestamp of the store's clock, and no table is
 * truncated. A thread has one locked write at a time.
 */
void write_lock(struct write *w, const struct partition_ref *partitions,
		size_t count);
void write_unlock(struct write *w);
/*
 * Have commit_write set w->state to store_partition_state of a partition as the
 * write leaves it: what was known of it under its lock is so then, but for what w
 * changes. 0: it failed, or the partition was not locked.
 */
void write_watch(struct write *w, const struct table *t, int64_t token);

/*
 * Begin (or continue with) a row; the following calls are about it until the
 * next begin. clustering: clustering_count values; NULL: the static row. Slices
 * are copied.
 */
void write_row(struct write *w, const struct table *t,
	       struct bytes partition_key, const struct bytes *clustering);
/* Return the time of all of this write, read once: when its TTLs begin. */
int64_t write_now_s(struct write *w);
/* Write the row's marker. ttl_s 0: permanent. */
void write_marker(struct write *w, int64_t timestamp_us, int32_t ttl_s);
/* The same with an absolute end (restores): expires_s as user.expires shows
 * it. */
void write_marker_until(struct write *w, int64_t timestamp_us, int32_t ttl_s,
			int64_t expires_s);
/* Write a cell. path null for a simple column; as in cell_view. value null: a
 * tombstone. Value and path are bounded (store_set_max_value): write_error. */
void write_cell(struct write *w, const struct column *column, struct bytes path,
		struct bytes value, int64_t timestamp_us, int32_t ttl_s);
void write_cell_until(struct write *w, const struct column *column,
		      struct bytes path, struct bytes value,
		      int64_t timestamp_us, int32_t ttl_s, int64_t expires_s);
/* Delete all cells of a multi-cell column up to timestamp. */
void write_column_deletion(struct write *w, const struct column *column,
			   int64_t timestamp_us);
void write_row_deletion(struct write *w, int64_t timestamp_us);
/* Delete the rows in the slice; the whole partition with its statics. */
void write_range_deletion(struct write *w, const struct table *t,
			  struct bytes partition_key, const struct slice *slice,
			  int64_t timestamp_us);
void write_partition_deletion(struct write *w, const struct table *t,
			      struct bytes partition_key, int64_t timestamp_us);
/* Increment a counter: read the total, write the new one. */
int commit_counter_add(struct write *w, const struct column *column,
		       struct bytes path, int64_t delta, int64_t timestamp_us);
/* Apply to a table that is in no schema yet (store_edit_tables): no observer is
 * told. The write is then empty again. */
int commit_fill(struct write *w);
/*
 * Apply the write: indexes are updated, observers told. The partitions of its
 * rows must be locked (asserted; attributes need no lock). 0 or -errno
 * (-EINVAL: see refusal); the write is then empty again, and unlocked.
 */
int commit_write(struct write *w);

/* ------------------------------------------------- attributes of objects */
/*
 * Attributes that a filesystem stores beside the data (a set mtime): small
 * values by object and name; part of no row, removed by a deletion of their
 * partition or table. An object is a partition (clustering_count 0), a prefix,
 * a row, or with column >= 0 a cell (or element) of a row. name: one byte.
 */
struct object_ref {
	const struct table *table;
	struct bytes partition_key;
	const struct bytes *clustering;
	uint32_t clustering_count;
	bool is_static;			/* the static row or a cell of it */
	const struct column *column;	/* or NULL */
	struct bytes path;
};
/* Write an attribute; its partition, if the object is in one, is locked
 * (write_lock). value null removes it. */
void attribute_write(struct write *w, const struct object_ref *object,
		     uint8_t name, struct bytes value, int64_t timestamp_us);
/* Read it: 1 with *value from arena, 0, -errno. */
int table_attribute(struct store *s, const struct object_ref *object,
		    uint8_t name, struct arena *arena, struct bytes *value);
/* The same of a row that was read by table_read: row->attribute is set. 0 or
 * -errno. */
int table_row_attribute(struct store *s, const struct table *t, uint8_t name,
			struct arena *arena, struct row_view *row);
/*
 * Pass the attribute of that name of each partition that has one to `each`, in
 * the order of tokens, until it returns something else than 0. Keys and values
 * are valid during the call, which may read and not write. Returns 0, what
 * `each` returned, or -errno.
 */
typedef int table_attribute_each(void *context, struct bytes partition_key,
				 struct bytes value);
int table_each_attribute(struct store *s, const struct table *t, uint8_t name,
			 table_attribute_each *each, void *context);

/* ----------------------------------------------------------------- index */
/*
 * Rows of the base table by an index, in the base's order (token, clustering):
 * the keys are found in the hidden table and each row is read again, so that
 * stale entries are not shown. The restriction is on the indexed value.
 */
enum index_operator { INDEX_EQ, INDEX_RANGE, INDEX_PREFIX, INDEX_SUFFIX,
		      INDEX_CONTAINS_TEXT };
struct index_query {
	const struct index *index;
	enum index_operator operator;
	struct bytes value;		/* EQ, text operators; map key of an
					 * entries index: */
	struct bytes key;
	struct bytes low, high;		/* RANGE: null is open */
	bool low_inclusive, high_inclusive;
	/* Only in these partitions / tokens: given by the query below. */
};
int index_query_table(struct cursor **out, struct store *s,
		      const struct query *q, const struct index_query *by);
#endif
