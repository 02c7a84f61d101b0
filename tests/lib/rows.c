#include "tests/lib/rows.h"

#include <check.h>

#include "store/base/murmur3.h"
#include "store/row/key.h"

static const char *const values[] = { "", "a", "b", "ab", "\xff" };
static const char *const paths[] = { "", "p", "q" };

static void random_cell(struct random *rng, struct cell *c)
{
	c->flags = 0;
	c->ttl = 0;
	c->timestamp = 1000000 + random_below(rng, 3);
	c->local_time = NO_TIME;
	c->path = BYTES_NULL;
	c->value = bytes_str(values[random_below(rng, 5)]);
	if (c->column % 4 == 2)
		c->flags = CELL_COUNTER;
	switch (random_below(rng, 4)) {
	case 0:
		c->flags |= CELL_TOMBSTONE;
		c->value = BYTES_NULL;
		c->local_time = random_below(rng, 2);
		break;
	case 1:
		c->ttl = 1 + (int32_t)random_below(rng, 2);
		c->local_time = 1 + random_below(rng, 2);
		break;
	}
}

static void random_collection(struct random *rng, struct row *row,
			      uint32_t column)
{
	struct cell *c;
	uint32_t i;

	if (!random_below(rng, 3)) {
		c = &row->cells[row->cell_count++];
		c->column = column;
		random_cell(rng, c);
		c->flags = CELL_COLUMN_DELETION;
		c->ttl = 0;
		c->local_time = 1;
		c->value = BYTES_NULL;
	}
	for (i = 0; i < 3; i++) {
		if (random_below(rng, 2))
			continue;
		c = &row->cells[row->cell_count++];
		c->column = column;
		random_cell(rng, c);
		c->path = bytes_str(paths[i]);
	}
}

void random_row(struct random *rng, struct arena *arena, struct row *row,
		uint32_t columns)
{
	uint32_t column;

	*row = ROW_NONE;
	row->cells = arena_alloc(arena, columns * 4 * sizeof(*row->cells));
	if (random_below(rng, 2))
		row->marker.timestamp = 1000000 + random_below(rng, 3);
	if (row->marker.timestamp != NO_TIMESTAMP && random_below(rng, 2)) {
		row->marker.ttl = 1 + (int32_t)random_below(rng, 2);
		row->marker.expires = random_below(rng, 3);
	}
	if (!random_below(rng, 4)) {
		row->deletion.timestamp = 999999 + random_below(rng, 3);
		row->deletion.local_time = random_below(rng, 2);
	}
	for (column = ROWS_COLUMN; column < ROWS_COLUMN + columns; column++) {
		if (random_below(rng, 2))
			continue;
		if (column & 1) {
			random_collection(rng, row, column);
			continue;
		}
		row->cells[row->cell_count].column = column;
		random_cell(rng, &row->cells[row->cell_count++]);
	}
}

bool rows_equal(const struct row *a, const struct row *b)
{
	uint32_t i;

	if (a->marker.timestamp != b->marker.timestamp ||
	    a->marker.ttl != b->marker.ttl ||
	    a->marker.expires != b->marker.expires ||
	    a->deletion.timestamp != b->deletion.timestamp ||
	    a->deletion.local_time != b->deletion.local_time ||
	    a->cell_count != b->cell_count)
		return false;
	for (i = 0; i < a->cell_count; i++) {
		const struct cell *x = &a->cells[i], *y = &b->cells[i];

		if (x->column != y->column || x->flags != y->flags ||
		    x->ttl != y->ttl || x->timestamp != y->timestamp ||
		    x->local_time != y->local_time ||
		    !bytes_equal(x->path, y->path) ||
		    !bytes_equal(x->value, y->value))
			return false;
	}
	return true;
}

struct bytes row_key(const char *partition)
{
	static _Thread_local uint8_t memory[64];
	struct bytes name = bytes_str(partition);
	struct buf key = BUF_INIT;
	size_t len;

	key_add_partition(&key, murmur3_token(name), name);
	buf_add(&key, "\x30\x38", 2);
	len = key.len;
	ck_assert_uint_le(len, sizeof(memory));
	memcpy(memory, key.ptr, len);
	buf_release(&key);
	return bytes_of(memory, len);
}
