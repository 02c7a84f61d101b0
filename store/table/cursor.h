/* A cursor, for the files that read rows: those of this folder, and the index. */
#ifndef STORE_TABLE_CURSOR_H
#define STORE_TABLE_CURSOR_H
#include "store/lsm/dead_rows.h"
#include "store/table/cell.h"
#include "store/table/inner.h"

/* A source of the partitions and rows of a cursor, which come one by one from
 * next: engine keys of rows, or of static rows for all of a partition,
 * ascending. */
struct ref_source {
	/* 1 with *key (until the next call), 0, -errno. */
	int (*next)(struct ref_source *r, struct bytes *key);
	/* Check that a row that was read again still matches. 1, 0, -errno. */
	int (*matches)(struct ref_source *r, const struct row_view *row);
	void (*close)(struct ref_source *r);
	/* Add what it holds, as an iterator does. */
	void (*memory)(const struct ref_source *r, struct memory_use *m);
	uint64_t columns;	/* that matches looks at */
	bool statics;
};
/* refs is taken over, also on error. */
int cursor_open_refs(struct cursor **out, struct store *s,
		     const struct query *q, struct ref_source *refs);

/* The ends of a slice as keys, without the partition's part. */
struct range {
	struct bytes start, end;
};

/* An engine's iterator and its next row. */
struct peek {
	struct iterator *it;
	struct entry entry;		/* the last; its key is null: none */
	bool have, ended, sought;
	bool reversed;
};

struct cursor {
	struct store *store;
	struct table *table;		/* a reference */
	struct query query;		/* arrays in memory */
	struct arena memory;		/* as long as the cursor */
	struct arena partition_memory;	/* statics, of this partition */
	struct arena row_memory;	/* cells, of this row */
	struct row_reader reader;
	struct range *ranges;
	struct bytes after_prefix;	/* of query.after_key; or null */
	struct bytes after_place;	/* of after_clustering, as in a range; or
					 * null */
	bool is_after;			/* this partition is the first one, and
					 * begins there */
	struct peek partitions;		/* forward: finds partitions, statics */
	struct peek reverse_rows;	/* rows, in a reversed query */
	struct peek *rows;		/* one of the two */
	struct peek attributes;		/* of this partition, for query.attribute:
					 * opened when it is needed */
	struct ref_source *refs;	/* or NULL */
	uint64_t moment;		/* lsm_moment at its beginning */
	bool rests;			/* without an iterator: continues at, */
	bool rests_after;		/* or after */
	struct buf rest;		/* this key */
	struct buf ref;			/* the row it named */
	bool ref_is_row;
	bool partition_done;		/* pass what it names of this one */

	/* A forward scan; its rows follow each other with no seek between. */
	struct dead_run dead;

	struct buf prefix;		/* token and partition of this one */
	bool in_partition, at_end, started;
	size_t partition_index;		/* in the query's list */
	size_t range_index;
	bool range_entered;
	uint64_t given, given_in_partition;
	struct buf partition_key;
	struct bytes *key_values;
	int64_t token;
	const struct cell_view *statics;
	uint32_t static_count;
	bool statics_read;

	struct bytes *clustering;	/* of the row returned last */
	uint32_t *ends;
	struct buf clustering_memory;
	struct buf row_key;
	bool names;			/* keys alone */
	int skip;			/* components to seek past, or -1 */
	struct cursor_cost cost;
	struct buf scratch;
};

/* cursor_open.c: continue a cursor that rests, in the entries of the present
 * moment. 0 or -errno. */
int cursor_go_on(struct cursor *c);

/* attribute.c: add query.attribute to a row that was returned: 1 or -errno. */
int cursor_attribute(struct cursor *c, struct row_view *row);
/* Give the iterator of attributes back. */
void cursor_leave_attributes(struct cursor *c);

/* scan.c: the rows of the partition that the cursor is in. */
/* Read the next row: 1 with *row, 0 when there are no more, -errno. */
int cursor_row(struct cursor *c, struct row_view *row);
/* Read the row of that key, if it is in the slices: 1, 0, -errno. Keys
 * ascend. */
int cursor_row_at(struct cursor *c, struct bytes key, struct row_view *row);
/* Read the statics of the partition, once. 0 or -errno. */
int cursor_read_statics(struct cursor *c);
static inline int cursor_statics(struct cursor *c)
{
	return c->statics_read ? 0 : cursor_read_statics(c);
}

/* Look at the next row entry: 1, 0 at the end, -errno. */
int scan_peek_row(struct cursor *c, struct peek *p);
/* Go to the first entry from key on (reversed: the last below it), by steps
 * where it is near. */
int scan_peek_seek(struct cursor *c, struct peek *p, struct bytes key);
/* Forget the place: the next seek may go anywhere. */
void scan_peek_forget(struct peek *p);

/* cursor.c: read the rows of the partition of c->prefix next; and enter it: 1
 * or -errno. */
int cursor_seek_partition(struct cursor *c);
int cursor_enter(struct cursor *c);
/* True if all of the partition of prefix lies before the query's beginning. */
bool cursor_passes_partition(const struct cursor *c);
/* Return the next view in this partition; 0: it is done, and left. */
int cursor_next_in_partition(struct cursor *c, struct row_view *row);
/* Fill in the members that all views of a partition share, and count the
 * view. */
void cursor_give(struct cursor *c, struct row_view *row);
/* Seek as distinct and partition_limit demand after it. */
void cursor_after_row(struct cursor *c);
#endif
