/* Translate the engine's cells of a row to those of a table. */
#ifndef STORE_TABLE_CELL_H
#define STORE_TABLE_CELL_H
#include "store/row/row.h"
#include "store/row/row_codec.h"
#include "store/table/table.h"

/* Append a path as the engine orders it; for inexact types also the bytes that
 * go before the cell's value. */
void cell_add_path(struct buf *out, const struct column *c, struct bytes path);
bool cell_keeps_path(const struct column *c);

/* Knowledge of a table that reading its rows needs. */
struct row_reader {
	const struct table *table;
	uint32_t *by_number;		/* places of columns, by number */
	bool in_order;			/* by number equals by place */
	bool keeps_clustering;
	bool raw;
	uint64_t mask;			/* passed to the engine */
	uint64_t wanted;		/* of the query */
	int64_t now_s;
	uint32_t lasting;		/* column of a lasting cell, or 0 */
};
/* Init; by_number comes from arena. 0, -ENOMEM. */
int row_reader_init(struct row_reader *r, const struct table *t,
		    uint64_t wanted, int64_t now_s, struct arena *arena);
/* Return the second in which the row stops to exist (store/README.md), by the
 * cells that were decoded: NO_TIME never; 0: it does not exist. */
int64_t row_reader_until(const struct row_reader *r, const struct row *row);
/* True if a lasting cell of this column makes a row last. Then sets
 * r->lasting. */
bool row_reader_find_lasting(struct row_reader *r, uint32_t column);
/* True if the beginning of an encoded row shows that it never ends. If not, it
 * has to be decoded. */
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
/* True if a deletion of that time is old enough to be purged. */
bool row_reader_may_purge(const struct row_reader *r, int64_t local_time);
/* Count the tombstones of a row that is not live, for tracing and warnings. */
uint64_t row_reader_tombstones(const struct row_reader *r,
			       const struct row *row);
/*
 * List the live cells of a row, or of the static row (statics), in order: those of
 * the other's columns, which a damaged store may have, are left out. Arrays and
 * decoded paths from arena, values point where the row's do. 0, -EUCLEAN, -ENOMEM.
 */
int row_reader_cells(const struct row_reader *r, struct arena *arena,
		     const struct row *row, bool statics,
		     const struct cell_view **cells, uint32_t *count);
/* Replace decoded clustering values by those as they were written. */
void row_reader_written_clustering(const struct row_reader *r,
				   const struct row *row,
				   struct bytes *clustering);
#endif
