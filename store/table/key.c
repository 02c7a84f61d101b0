/* Keys of partitions, rows and bounds: made of values, and decoded. */
#include "store/table/key.h"

#include <errno.h>

#include "store/base/murmur3.h"
#include "store/table/inner.h"
#include "store/type/ordered.h"

/* ---------------------------------------------------------- partition keys */
void table_partition_key(struct buf *out, const struct table *t,
			 const struct bytes *values)
{
	uint32_t i;

	if (t->partition_key_count == 1) {
		buf_add_bytes(out, values[0]);
		return;
	}
	for (i = 0; i < t->partition_key_count; i++) {
		buf_add_be16(out, (uint16_t)values[i].len);
		buf_add_bytes(out, values[i]);
		buf_add_byte(out, 0);
	}
}

int table_partition_values(struct bytes *values, const struct table *t,
			   struct bytes key)
{
	struct reader r = reader_of(key);
	uint32_t i;

	if (t->partition_key_count == 1) {
		values[0] = key;
		return 0;
	}
	for (i = 0; i < t->partition_key_count; i++) {
		values[i] = read_bytes(&r, read_be16(&r));
		if (read_byte(&r))
			r.failed = true;
	}
	return r.failed || reader_left(&r) ? -EUCLEAN : 0;
}

/* -------------------------------------------------------------------- rows */
void key_add_clustering(struct buf *out, const struct table *t,
			const struct bytes *values, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct column *c = table_clustering_column(t, i);

		type_ordered_append(out, c->type, values[i], c->reversed);
	}
}

/*
 * A compact table without clustering columns has one row in each partition,
 * whose key ends with the kind and the end of a row. When the table is no
 * longer compact this row becomes the static row, and no data on disk moves.
 */
void key_add_place(struct buf *out, const struct table *t,
		   const struct bytes *clustering)
{
	bool is_static = !clustering && !table_is_flat(t);

	buf_add_byte(out, is_static ? table_static_kind(t) : table_row_kind(t));
	if (is_static && table_static_kind(t) == KEY_STATIC)
		return;
	if (!is_static)
		key_add_clustering(out, t, clustering, t->clustering_count);
	buf_add_byte(out, KEY_ROW_END);
}

void key_add_row(struct buf *out, const struct table *t,
		 struct bytes partition_key, const struct bytes *clustering)
{
	key_add_partition(out, murmur3_token(partition_key), partition_key);
	key_add_place(out, t, clustering);
}

void key_add_start(struct buf *out, const struct table *t,
		   const struct bound *start)
{
	bool after = start->count && !start->inclusive;

	buf_add_byte(out, table_row_kind(t));
	key_add_clustering(out, t, start->values, start->count);
	buf_add_byte(out, after ? KEY_AFTER_PREFIX : KEY_BEFORE_PREFIX);
}

void key_add_end(struct buf *out, const struct table *t,
		 const struct bound *end)
{
	bool before = end->count && !end->inclusive;

	buf_add_byte(out, table_row_kind(t));
	key_add_clustering(out, t, end->values, end->count);
	buf_add_byte(out, before ? KEY_BEFORE_PREFIX : KEY_AFTER_PREFIX);
}

/* Placeholder for the next bytes of memory, which moves while it grows. */
static const uint8_t decoded = 0;

/* Decode one component that is no slice: returns its length in `from`, or
 * -errno. */
static ASIDE int64_t decode_component(struct bytes *value, struct buf *memory,
				const struct column *c, struct bytes from)
{
	struct reader r = reader_of(from);
	size_t before = memory->len;
	bool is_null = false;
	int err = type_ordered_decode(memory, &is_null, c->type, &r,
				      c->reversed);

	*value = bytes_of(is_null ? NULL : &decoded, memory->len - before);
	if (!err && (r.failed || memory->failed))
		err = r.failed ? -EUCLEAN : -ENOMEM;
	return err ? err : r.ptr - from.ptr;
}

static void find_decoded(struct bytes *values, const struct buf *memory)
{
	size_t at;

	for (at = 0; at < memory->len; values++) {
		if (values->ptr != &decoded)
			continue;
		values->ptr = memory->ptr + at;
		at += values->len;
	}
}

int key_read_clustering(struct bytes *values, uint32_t *ends,
			struct buf *memory, const struct table *t,
			struct bytes clustering)
{
	struct bytes left = clustering;
	int64_t taken;
	uint32_t i;

	buf_clear(memory);
	for (i = 0; i < t->clustering_count; i++) {
		const struct column *c = table_clustering_column(t, i);

		taken = (int64_t)type_ordered_slice(&values[i], c->type, left,
						    c->reversed);
		if (!taken)
			taken = decode_component(&values[i], memory, c, left);
		if (taken < 0)
			return (int)taken;
		left = bytes_of(left.ptr + taken, left.len - (size_t)taken);
		ends[i] = (uint32_t)(left.ptr - clustering.ptr);
	}
	if (left.len != 1 || *left.ptr != KEY_ROW_END)
		return -EUCLEAN;
	if (memory->len)
		find_decoded(values, memory);
	return 0;
}

bool key_keeps_clustering(const struct table *t)
{
	uint32_t i;

	for (i = 0; i < t->clustering_count; i++)
		if (!type_ordered_exact(table_clustering_column(t, i)->type))
			return true;
	return false;
}
