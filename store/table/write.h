/* A write that is being built, for this folder and store/commit.c alone. */
#ifndef STORE_TABLE_WRITE_H
#define STORE_TABLE_WRITE_H
#include "store/table/inner.h"

/* A counter that this write has already changed. */
struct counter {
	struct bytes key, path;
	uint32_t column;
	int64_t total, timestamp;
	struct counter *next;
};

/* How the rows of this write are spelled, by key: see spelling.c. */
struct spellings {
	struct spelling **buckets;
	size_t count, bucket_count;
};

struct row_builder {
	const struct table *table;	/* of the row; NULL: none begun */
	struct bytes partition_key;	/* in the arena, as all below */
	const struct bytes *clustering;
	struct buf key;
	size_t partition_len;		/* of the key: for the next row */
	const struct table *partition_table;
	struct row row;
	size_t cell_capacity;
	int64_t now_s;			/* of all of the write; 0: not read */
	struct counter *counters;
	struct spellings spellings;
	int err;			/* why the write failed; 0: memory */
	const struct table **tables;	/* the tables written to */
	uint32_t table_count, table_capacity;
};

struct change_list {
	struct table_change *changes;
	size_t count, capacity;
};

/* ---------------------------------------------------------------- lock.c */
/* Note that the write changes the table's partition of that token. */
void write_note_partition(struct write *w, const struct table *t,
			  int64_t token);
/* Set w->state, before the lock goes, if the partition of write_watch has been
 * locked. */
void write_look(struct write *w);
/* True if all that was noted is locked. */
bool write_holds_all(const struct write *w);
/* Lock these stripes, by number; for tests: (1 << STRIPES) - 1 for all. */
void write_lock_stripes(struct write *w, uint64_t stripes);

/* --------------------------------------------------------------- write.c */
/* Make an operation of the batch of the row that is being built. */
void write_finish_row(struct write *w);
/* Note that the table is written to. */
void write_note_table(struct write *w, const struct table *t);
/* Add a cell to the row that is being built. */
void write_add_cell(struct write *w, const struct cell *cell);
/* Return a path in the form of cells, in the arena. */
struct bytes write_ordered_path(struct write *w, const struct column *c,
				struct bytes path);

/* ------------------------------------------------------------ spelling.c */
/*
 * Set the clustering values of the row that is being built to the row's
 * spelling, and add cells for those that the key does not hold exactly.
 */
void write_spelling(struct write *w);
#endif
