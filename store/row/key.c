#include "store/row/key.h"

#include <errno.h>

void key_add_token(struct buf *out, int64_t token)
{
	buf_add_be64(out, (uint64_t)token ^ (uint64_t)1 << 63);
}

void key_add_partition(struct buf *out, int64_t token,
		       struct bytes partition_key)
{
	const uint8_t *p = partition_key.ptr, *end = p + partition_key.len;

	key_add_token(out, token);
	while (p < end) {
		const uint8_t *zero = memchr(p, 0, (size_t)(end - p));

		if (!zero) {
			buf_add(out, p, (size_t)(end - p));
			break;
		}
		buf_add(out, p, (size_t)(zero - p));
		buf_add(out, "\x00\xff", 2);
		p = zero + 1;
	}
	buf_add(out, "\x00\x01", 2);
}

size_t key_partition_len(struct bytes key)
{
	const uint8_t *p, *end = key.ptr + key.len;

	if (key.len < 10)
		return 0;
	for (p = key.ptr + 8; p < end; p += 2) {
		p = memchr(p, 0, (size_t)(end - p));
		if (!p || end - p < 2)
			return 0;
		if (p[1] == 0x01)
			return (size_t)(p + 2 - key.ptr);
		if (p[1] != 0xff)
			return 0;
	}
	return 0;
}

static bool is_whole(enum key_kind kind, struct bytes clustering)
{
	uint8_t last = clustering.len ? clustering.ptr[clustering.len - 1] : 0;

	switch (kind) {
	case KEY_BEGIN:
	case KEY_END:
		return !clustering.len;
	case KEY_ATTRIBUTES:
	case KEY_STATIC:
		return true;
	case KEY_ROW:
	case KEY_LATER_ROW:
		return last == KEY_ROW_END || last == KEY_BEFORE_PREFIX ||
		       last == KEY_AFTER_PREFIX;
	}
	return false;
}

int key_split(struct key_parts *parts, struct bytes key)
{
	size_t len = key_partition_len(key);

	if (!len || len >= key.len)
		return -EUCLEAN;
	parts->token = (int64_t)(get_be64(key.ptr) ^ (uint64_t)1 << 63);
	parts->partition_len = len;
	parts->kind = key.ptr[len];
	parts->clustering = bytes_of(key.ptr + len + 1, key.len - len - 1);
	return is_whole(parts->kind, parts->clustering) ? 0 : -EUCLEAN;
}

int key_partition_key(struct buf *out, struct bytes key)
{
	size_t len = key_partition_len(key);
	const uint8_t *p, *end;

	if (!len)
		return -EUCLEAN;
	p = key.ptr + 8;
	end = key.ptr + len - 2;
	while (p < end) {
		const uint8_t *zero = memchr(p, 0, (size_t)(end - p));

		if (!zero) {
			buf_add(out, p, (size_t)(end - p));
			break;
		}
		buf_add(out, p, (size_t)(zero + 1 - p));
		p = zero + 2;	/* over the FF */
	}
	return 0;
}
