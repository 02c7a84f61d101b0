#include "store/base/bytes.h"

#include <stdarg.h>
#include <stdio.h>

#include "store/base/alloc.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the files are little-endian, and so must the machine be");

void buf_release(struct buf *b)
{
	if (b->ptr)
		mem_free(b->ptr);
	*b = BUF_INIT;
}

bool buf_grow(struct buf *b, size_t more)
{
	size_t want, cap;
	uint8_t *ptr;

	if (b->failed)
		return false;
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

void buf_add_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_add_decimal(struct buf *b, int64_t v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";
	uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char text[20];
	size_t at = sizeof(text);
	uint32_t small;

	while (left > UINT32_MAX) {
		memcpy(text + (at -= 2), pairs + left % 100 * 2, 2);
		left /= 100;
	}
	for (small = (uint32_t)left; small > 99; small /= 100)
		memcpy(text + (at -= 2), pairs + small % 100 * 2, 2);
	if (small > 9)
		memcpy(text + (at -= 2), pairs + small * 2, 2);
	else
		text[--at] = (char)('0' + small);
	if (v < 0)
		text[--at] = '-';
	buf_add(b, text + at, sizeof(text) - at);
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

#define LONGEST_VARINT 10

/* Add it where there is room for the longest. */
static void put_varint(struct buf *b, uint64_t v)
{
	while (v >= 0x80) {
		b->ptr[b->len++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	b->ptr[b->len++] = (uint8_t)v;
}

void buf_add_varint(struct buf *b, uint64_t v)
{
	if (buf_reserve(b, LONGEST_VARINT))
		put_varint(b, v);
}

void buf_add_zigzag(struct buf *b, int64_t v)
{
	buf_add_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void buf_add_sized(struct buf *b, struct bytes bytes)
{
	if (!buf_reserve(b, LONGEST_VARINT + bytes.len))
		return;
	put_varint(b, bytes.len);
	if (bytes.len)
		memcpy(b->ptr + b->len, bytes.ptr, bytes.len);
	b->len += bytes.len;
}

void buf_add_quoted(struct buf *b, struct bytes text, uint8_t quote)
{
	size_t i, start = 0;

	buf_add_byte(b, quote);
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] != quote)
			continue;
		buf_add(b, text.ptr + start, i + 1 - start);
		start = i;	/* so that it comes twice */
	}
	buf_add(b, text.ptr + start, text.len - start);
	buf_add_byte(b, quote);
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

uint64_t bytes_read_long_varint(struct reader *r)
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
