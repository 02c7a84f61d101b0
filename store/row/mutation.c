/*
 * A batch is its operations, one after the other:
 *
 *   1  1 a row, 2 a range deletion
 *   varint table; varint length and key
 *   row:    4  length, little-endian; the row (row_codec.h)
 *   range:  varint length and end key; 8 timestamp; 8 local time
 */
#include "store/row/mutation.h"

#include <errno.h>

#include "store/row/row_codec.h"

enum { OP_ROW = 1, OP_RANGE = 2 };

void batch_release(struct batch *b)
{
	buf_release(&b->bytes);
	b->op_count = 0;
}

void batch_clear(struct batch *b)
{
	buf_clear(&b->bytes);
	b->op_count = 0;
}

static void add_head(struct batch *b, uint8_t op, uint32_t table,
		     struct bytes key)
{
	buf_add_byte(&b->bytes, op);
	buf_add_varint(&b->bytes, table);
	buf_add_sized(&b->bytes, key);
	b->op_count++;
}

void batch_add_row(struct batch *b, uint32_t table, struct bytes key,
		   const struct row *row)
{
	size_t at, len;

	add_head(b, OP_ROW, table, key);
	at = b->bytes.len;
	buf_add_le32(&b->bytes, 0);
	row_encode(&b->bytes, row);
	if (b->bytes.failed)
		return;
	len = b->bytes.len - at - 4;
	if (len > UINT32_MAX)
		b->bytes.failed = true;
	else
		put_le32(b->bytes.ptr + at, (uint32_t)len);
}

void batch_add_range(struct batch *b, uint32_t table, struct bytes from,
		     struct bytes to, struct deletion deletion)
{
	add_head(b, OP_RANGE, table, from);
	buf_add_sized(&b->bytes, to);
	buf_add_le64(&b->bytes, (uint64_t)deletion.timestamp);
	buf_add_le64(&b->bytes, (uint64_t)deletion.local_time);
}

int batch_next(struct reader *r, struct batch_op *op)
{
	uint64_t table;
	uint8_t kind;

	if (!reader_left(r))
		return r->failed ? -EUCLEAN : 0;
	kind = read_byte(r);
	table = read_varint(r);
	op->table = (uint32_t)table;
	op->key = read_sized(r);
	op->row = op->to = BYTES_NULL;
	op->deletion = DELETION_NONE;
	if (kind == OP_ROW) {
		op->row = read_bytes(r, read_le32(r));
	} else if (kind == OP_RANGE) {
		op->to = read_sized(r);
		op->deletion.timestamp = (int64_t)read_le64(r);
		op->deletion.local_time = (int64_t)read_le64(r);
	} else {
		return -EUCLEAN;
	}
	return r->failed || table > UINT32_MAX ? -EUCLEAN : 1;
}
