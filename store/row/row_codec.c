#include "store/row/row_codec.h"

#include <errno.h>

#include "store/row/row.h"

#define ROW_KNOWN 15	/* enum row_head */
enum { CELL_FLAGS = 7, CELL_EXPIRES = 8, CELL_TIMESTAMP = 16, CELL_PATH = 32,
       CELL_COLUMN_SHIFT = 6 };
#define CELL_DELETED (CELL_TOMBSTONE | CELL_COLUMN_DELETION)

static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t base_of(const struct row *row)
{
	if (row->marker.timestamp != NO_TIMESTAMP)
		return row->marker.timestamp;
	if (!deletion_is_none(row->deletion))
		return row->deletion.timestamp;
	return row->cells[0].timestamp;
}

static void encode_cell(struct buf *out, const struct cell *cell,
			uint32_t step, int64_t base)
{
	bool deleted = cell->flags & CELL_DELETED;
	bool expires = !deleted && cell->ttl;
	bool has_path = !bytes_is_null(cell->path);
	int64_t seconds = base / 1000000;
	unsigned head = cell->flags & CELL_FLAGS;

	head |= (expires ? CELL_EXPIRES : 0) | (has_path ? CELL_PATH : 0);
	head |= cell->timestamp != base ? CELL_TIMESTAMP : 0;
	head |= (step < 3 ? step : 3) << CELL_COLUMN_SHIFT;
	buf_add_byte(out, (uint8_t)head);
	if (step >= 3)
		buf_add_varint(out, step - 3);
	if (cell->timestamp != base)
		buf_add_zigzag(out, wrap_sub(cell->timestamp, base));
	if (expires) {
		buf_add_varint(out, (uint32_t)cell->ttl);
		buf_add_zigzag(out, wrap_sub(wrap_sub(cell->local_time,
						      cell->ttl), seconds));
	} else if (deleted) {
		buf_add_zigzag(out, wrap_sub(cell->local_time, seconds));
	}
	if (has_path)
		buf_add_sized(out, cell->path);
	if (!deleted)
		buf_add_sized(out, cell->value);
}

void row_encode(struct buf *out, const struct row *row)
{
	bool marker = row->marker.timestamp != NO_TIMESTAMP;
	bool deletion = !deletion_is_none(row->deletion);
	unsigned head = (marker ? ROW_HAS_MARKER : 0) |
			(marker && row->marker.ttl ? ROW_HAS_EXPIRY : 0) |
			(deletion ? ROW_HAS_DELETION : 0) |
			(row->cell_count ? ROW_HAS_CELLS : 0);
	uint32_t column = UINT32_MAX, i;
	int64_t base, seconds;

	buf_add_byte(out, (uint8_t)head);
	if (!head)
		return;
	base = base_of(row);
	seconds = base / 1000000;
	buf_add_le64(out, (uint64_t)base);
	if (head & ROW_HAS_EXPIRY) {
		buf_add_varint(out, (uint32_t)row->marker.ttl);
		buf_add_zigzag(out, wrap_sub(wrap_sub(row->marker.expires,
						      row->marker.ttl),
					     seconds));
	}
	if (deletion) {
		buf_add_zigzag(out, wrap_sub(row->deletion.timestamp, base));
		buf_add_zigzag(out, wrap_sub(row->deletion.local_time,
					     seconds));
	}
	if (row->cell_count)
		buf_add_varint(out, row->cell_count);
	for (i = 0; i < row->cell_count; i++) {
		encode_cell(out, &row->cells[i], row->cells[i].column - column,
			    base);
		column = row->cells[i].column;
	}
}

static int32_t read_ttl(struct reader *r)
{
	uint64_t ttl = read_varint(r);

	if (!ttl || ttl > INT32_MAX)
		r->failed = true;
	return (int32_t)ttl;
}

/* Read the local time at which a value with that ttl ends. */
static int64_t read_expiry(struct reader *r, int64_t seconds, int32_t ttl)
{
	int64_t written = wrap_add(read_zigzag(r), seconds), expiry;

	if (__builtin_add_overflow(written, ttl, &expiry))
		r->failed = true;
	return expiry;
}

/* column: in, that of the cell before; out, that of this cell. */
static void decode_cell(struct cell *cell, struct reader *r, uint64_t *column,
			int64_t base)
{
	int64_t seconds = base / 1000000;
	unsigned head = read_byte(r);
	uint64_t step = head >> CELL_COLUMN_SHIFT;

	if (step == 3)
		step += read_varint(r);
	*column += step;
	if (step > UINT32_MAX || *column > UINT32_MAX)
		r->failed = true;
	cell->column = (uint32_t)*column;
	cell->flags = head & CELL_FLAGS;
	cell->ttl = 0;
	cell->local_time = NO_TIME;
	cell->timestamp = base;
	if (head & CELL_TIMESTAMP)
		cell->timestamp = wrap_add(base, read_zigzag(r));
	if (head & CELL_EXPIRES) {
		cell->ttl = read_ttl(r);
		cell->local_time = read_expiry(r, seconds, cell->ttl);
	} else if (head & CELL_DELETED) {
		cell->local_time = wrap_add(read_zigzag(r), seconds);
	}
	cell->path = head & CELL_PATH ? read_sized(r) : BYTES_NULL;
	cell->value = head & CELL_DELETED ? BYTES_NULL : read_sized(r);
}

/* Merging relies on the order: (column, column deletion first, path). */
static bool in_order(const struct cell *a, const struct cell *b)
{
	if (a->column != b->column)
		return true;
	if (b->flags & CELL_COLUMN_DELETION)
		return false;
	return a->flags & CELL_COLUMN_DELETION ||
	       (a->path.ptr && b->path.ptr &&
		bytes_compare(a->path, b->path) < 0);
}

static int decode_cells(struct row *row, struct arena *arena, struct reader *r,
			int64_t base, uint64_t mask)
{
	uint64_t count = read_varint(r), column = UINT64_MAX, i;
	struct cell *cell, *before = NULL, left_out;

	/* A cell is two bytes at least. */
	if (!count || count > reader_left(r) / 2 || count > UINT32_MAX)
		return -EUCLEAN;
	row->cells = arena_alloc(arena, count * sizeof(*row->cells));
	if (!row->cells)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		cell = &row->cells[row->cell_count];
		decode_cell(cell, r, &column, base);
		if (r->failed || (before && !in_order(before, cell)))
			return -EUCLEAN;
		if (mask >> (cell->column & 63) & 1) {
			row->cell_count++;
		} else {
			left_out = *cell;
			cell = &left_out;
		}
		before = cell;
	}
	return 0;
}

int row_decode_columns(struct row *row, struct arena *arena,
		       struct bytes bytes, uint64_t mask)
{
	struct reader r = reader_of(bytes);
	unsigned head = read_byte(&r);
	int64_t base, seconds;
	int err = 0;

	*row = ROW_NONE;
	if (!head && !r.failed)
		return reader_left(&r) ? -EUCLEAN : 0;
	base = (int64_t)read_le64(&r);
	seconds = base / 1000000;
	if (head > ROW_KNOWN ||
	    (head & (ROW_HAS_EXPIRY | ROW_HAS_MARKER)) == ROW_HAS_EXPIRY)
		return -EUCLEAN;
	if (head & ROW_HAS_MARKER)
		row->marker.timestamp = base;
	if (head & ROW_HAS_EXPIRY) {
		row->marker.ttl = read_ttl(&r);
		row->marker.expires = read_expiry(&r, seconds,
						  row->marker.ttl);
	}
	if (head & ROW_HAS_DELETION) {
		row->deletion.timestamp = wrap_add(base, read_zigzag(&r));
		row->deletion.local_time = wrap_add(seconds, read_zigzag(&r));
	}
	if (head & ROW_HAS_CELLS && !r.failed)
		err = decode_cells(row, arena, &r, base, mask);
	if (!err && (r.failed || reader_left(&r)))
		err = -EUCLEAN;
	return err;
}

uint32_t row_lasting_column(struct bytes encoded)
{
	const uint8_t *p = encoded.ptr;

	/* A head, a base, a count of one byte, a cell: a far column. */
	if (encoded.len < 12 || p[0] != ROW_HAS_CELLS || p[9] >= 0x80 ||
	    p[10] & (CELL_DELETED | CELL_EXPIRES) ||
	    p[10] >> CELL_COLUMN_SHIFT != 3 || p[11] >= 0x80)
		return 0;
	return 2 + p[11];
}

int row_decode(struct row *row, struct arena *arena, struct bytes bytes)
{
	return row_decode_columns(row, arena, bytes, UINT64_MAX);
}
