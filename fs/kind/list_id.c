#include "fs/kind/list_id.h"

#include <ctype.h>
#include <errno.h>

#include "fs/op/op.h"
#include "store/type/ordered.h"
#include "store/type/uuid.h"

static const struct type *uuid_type(void)
{
	return type_native(TYPE_TIMEUUID);
}

void list_id_print(struct buf *out, struct bytes id)
{
	struct buf ordered = BUF_INIT;
	size_t i;

	type_ordered_append(&ordered, uuid_type(), id, false);
	for (i = 1; i < ordered.len; i++)
		buf_add_format(out, "%02x", ordered.ptr[i]);
	out->failed |= ordered.failed;
	buf_release(&ordered);
}

static int hex(uint8_t c)
{
	return isdigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int list_id_parse(struct op *op, struct bytes name, struct bytes *id)
{
	struct buf value = BUF_INIT, again = BUF_INIT;
	uint8_t bytes[64] = { 0x40 };
	struct reader r;
	bool is_null;
	size_t i;
	int err;

	if (name.len % 2 || name.len > 80 || name.len < 32)
		return -ENOENT;
	for (i = 0; i < name.len; i += 2) {
		int high = hex(name.ptr[i]), low = hex(name.ptr[i + 1]);

		if (high < 0 || low < 0)
			return -ENOENT;
		bytes[1 + i / 2] = (uint8_t)(high << 4 | low);
	}
	r = reader_of(bytes_of(bytes, 1 + name.len / 2));
	err = type_ordered_decode(&value, &is_null, uuid_type(), &r, false);
	if (!err && (is_null || value.len != 16 || reader_left(&r)))
		err = -ENOENT;
	if (!err)
		list_id_print(&again, buf_bytes(&value));
	if (!err && !bytes_equal(buf_bytes(&again), name))
		err = -ENOENT;
	if (!err)
		*id = arena_copy(&op->arena, buf_bytes(&value));
	buf_release(&value);
	buf_release(&again);
	return err ? -ENOENT : op->arena.failed ? -ENOMEM : 0;
}

/* Seconds from 1582 to 2010-01-01, which prepended ids mirror at, as 100 ns. */
#define MIRROR 134775360000000000ull

/* Time runs backwards from the mirror, so that elements prepended later sort
 * first. */
void list_id_prepend(uint8_t id[16])
{
	uint64_t time;

	uuid_new_time(id);
	time = (uint64_t)get_be32(id) | (uint64_t)get_be16(id + 4) << 32 |
	       (uint64_t)(get_be16(id + 6) & 0x0fff) << 48;
	time = 2 * MIRROR - time;
	put_be32(id, (uint32_t)time);
	id[4] = (uint8_t)(time >> 40);
	id[5] = (uint8_t)(time >> 32);
	id[6] = (uint8_t)(0x10 | (time >> 56 & 0x0f));
	id[7] = (uint8_t)(time >> 48);
}
