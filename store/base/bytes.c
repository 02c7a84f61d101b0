#include "store/base/bytes.h"

#include <stdarg.h>
#include <stdio.h>

#include "store/base/alloc.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the files are little-endian, and so must the machine be");

void buf_release(struct buf *b)
{
	mem_free(b->ptr);
	*b = BUF_INIT;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
}

bool buf_reserve(struct buf *b, size_t more)
{
	size_t want, cap;
	uint8_t *ptr;

	if (b->failed)
		return false;
	if (more <= b->cap - b->len)
		return true;
	if (__builtin_add_overflow(b->len, more, &want) ||
	    want > SIZE_MAX / 4) {
		b->failed = true;
		return false;
	}
	cap = b->cap < 64 ? 64 : b->cap + b->cap / 2;
	if (cap < want)
		cap = want;
	ptr = mem_resize(b->ptr, cap, 1);
	if (!ptr) {
		b->failed = true;
		return false;
	}
	b->ptr = ptr;
	b->cap = cap;
	return true;
}

void buf_add(struct buf *b, const void *ptr, size_t len)
{
	if (!len || !buf_reserve(b, len))
		return;
	memcpy(b->ptr + b->len, ptr, len);
	b->len += len;
}

void buf_add_bytes(struct buf *b, struct bytes bytes)
{
	buf_add(b, bytes.ptr, bytes.len);
}

void buf_add_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_add_byte(struct buf *b, uint8_t byte)
{
	if (buf_reserve(b, 1))
		b->ptr[b->len++] = byte;
}

void buf_add_format(struct buf *b, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0) {
		b->failed = true;
		return;
	}
	if (!buf_reserve(b, (size_t)len + 1))
		return;
	va_start(args, format);
	vsnprintf((char *)b->ptr + b->len, (size_t)len + 1, format, args);
	va_end(args);
	b->len += (size_t)len;
}

void buf_add_be16(struct buf *b, uint16_t v)
{
	v = __builtin_bswap16(v);
	buf_add(b, &v, sizeof(v));
}

void buf_add_be32(struct buf *b, uint32_t v)
{
	v = __builtin_bswap32(v);
	buf_add(b, &v, sizeof(v));
}

void buf_add_be64(struct buf *b, uint64_t v)
{
	v = __builtin_bswap64(v);
	buf_add(b, &v, sizeof(v));
}

void buf_add_le32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_add_le64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_add_varint(struct buf *b, uint64_t v)
{
	if (!buf_reserve(b, 10))
		return;
	while (v >= 0x80) {
		b->ptr[b->len++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	b->ptr[b->len++] = (uint8_t)v;
}

void buf_add_zigzag(struct buf *b, int64_t v)
{
	buf_add_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void buf_add_sized(struct buf *b, struct bytes bytes)
{
	buf_add_varint(b, bytes.len);
	buf_add_bytes(b, bytes);
}

const char *buf_cstr(struct buf *b)
{
	if (!buf_reserve(b, 1))
		return "";
	b->ptr[b->len] = 0;
	return (const char *)b->ptr;
}

char *buf_steal(struct buf *b, size_t *len)
{
	char *ptr = NULL;

	if (buf_reserve(b, 1)) {
		b->ptr[b->len] = 0;
		ptr = (char *)b->ptr;
		if (len)
			*len = b->len;
		*b = BUF_INIT;
	}
	buf_release(b);
	return ptr;
}

struct bytes read_bytes(struct reader *r, size_t len)
{
	struct bytes bytes = { r->ptr, len };

	if (r->failed || len > reader_left(r)) {
		r->failed = true;
		return BYTES_EMPTY;
	}
	r->ptr += len;
	return bytes;
}

uint8_t read_byte(struct reader *r)
{
	struct bytes b = read_bytes(r, 1);

	return b.len ? b.ptr[0] : 0;
}

uint16_t read_be16(struct reader *r)
{
	struct bytes b = read_bytes(r, 2);

	return b.len ? get_be16(b.ptr) : 0;
}

uint32_t read_be32(struct reader *r)
{
	struct bytes b = read_bytes(r, 4);

	return b.len ? get_be32(b.ptr) : 0;
}

uint64_t read_be64(struct reader *r)
{
	struct bytes b = read_bytes(r, 8);

	return b.len ? get_be64(b.ptr) : 0;
}

uint32_t read_le32(struct reader *r)
{
	struct bytes b = read_bytes(r, 4);

	return b.len ? get_le32(b.ptr) : 0;
}

uint64_t read_le64(struct reader *r)
{
	struct bytes b = read_bytes(r, 8);

	return b.len ? get_le64(b.ptr) : 0;
}

uint64_t read_varint(struct reader *r)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (r->failed || r->ptr == r->end)
			break;
		byte = *r->ptr++;
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	r->failed = true;
	return 0;
}

int64_t read_zigzag(struct reader *r)
{
	uint64_t v = read_varint(r);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

struct bytes read_sized(struct reader *r)
{
	uint64_t len = read_varint(r);

	if (len > reader_left(r)) {
		r->failed = true;
		return BYTES_EMPTY;
	}
	return read_bytes(r, (size_t)len);
}
