/*
 * Slices, growable buffers and bounded readers: every byte that comes from a
 * disk or a user is looked at through these. Nothing here takes a lock.
 */
#ifndef STORE_BASE_BYTES_H
#define STORE_BASE_BYTES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A slice that somebody else owns, passed by value. ptr NULL is null ("no
 * value"); an empty value has a ptr and len 0.
 */
struct bytes {
	const uint8_t *ptr;
	size_t len;
};

#define BYTES_NULL ((struct bytes){ NULL, 0 })
#define BYTES_EMPTY ((struct bytes){ (const uint8_t *)"", 0 })
/* Keep a rare function out of its busy caller, which then saves no registers
 * for it. */
#define ASIDE __attribute__((noinline))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline struct bytes bytes_of(const void *ptr, size_t len)
{
	return (struct bytes){ ptr, len };
}
static inline struct bytes bytes_str(const char *s)
{
	return (struct bytes){ (const uint8_t *)s, strlen(s) };
}
static inline bool bytes_is_null(struct bytes b)
{
	return !b.ptr;
}
/* Equal contents; null equals only null. */
static inline bool bytes_equal(struct bytes a, struct bytes b)
{
	return a.len == b.len && !a.ptr == !b.ptr &&
	       (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}
/* True if len bytes are equal; 8 to 16 of them are compared without a call. */
static inline bool bytes_same(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint64_t v[2], w[2];

	if (len - 8 > 8)
		return !memcmp(a, b, len);
	memcpy(&v[0], a, 8);
	memcpy(&w[0], b, 8);
	memcpy(&v[1], a + len - 8, 8);
	memcpy(&w[1], b + len - 8, 8);
	return !((v[0] ^ w[0]) | (v[1] ^ w[1]));
}
/* As memcmp, a prefix sorting first. */
static inline int bytes_compare(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}
static inline bool bytes_begin_with(struct bytes b, struct bytes prefix)
{
	return b.len >= prefix.len &&
	       (!prefix.len || !memcmp(b.ptr, prefix.ptr, prefix.len));
}

/*
 * A growable buffer. The first allocation that fails sets failed; from then on
 * every call is a no-op, so that one check at the end is enough.
 */
struct buf {
	uint8_t *ptr;
	size_t len, cap;
	bool failed;
};
#define BUF_INIT ((struct buf){ NULL, 0, 0, false })

/* Free its memory: it is empty and can be used again. */
void buf_release(struct buf *b);
/* Empty it, keep the memory, forget a failure. */
static inline void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
}
/* buf_reserve where there is no room yet. */
bool buf_grow(struct buf *b, size_t more);
/* Make room for more bytes after len. False (and failed) when there is none. */
static inline bool buf_reserve(struct buf *b, size_t more)
{
	if (!b->failed && more <= b->cap - b->len)
		return true;
	return buf_grow(b, more);
}
static inline void buf_add(struct buf *b, const void *ptr, size_t len)
{
	if (!len || ((b->failed || len > b->cap - b->len) && !buf_grow(b, len)))
		return;
	memcpy(b->ptr + b->len, ptr, len);
	b->len += len;
}
static inline void buf_add_bytes(struct buf *b, struct bytes bytes)
{
	buf_add(b, bytes.ptr, bytes.len);
}
static inline void buf_add_byte(struct buf *b, uint8_t byte)
{
	if ((!b->failed && b->len < b->cap) || buf_grow(b, 1))
		b->ptr[b->len++] = byte;
}
void buf_add_str(struct buf *b, const char *s);
void buf_add_decimal(struct buf *b, int64_t v);
void buf_add_format(struct buf *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Big-endian integers, as CQL's binary forms have them. */
void buf_add_be16(struct buf *b, uint16_t v);
void buf_add_be32(struct buf *b, uint32_t v);
void buf_add_be64(struct buf *b, uint64_t v);
/* Little-endian integers and LEB128 varints, as our files have them. */
void buf_add_le32(struct buf *b, uint32_t v);
void buf_add_le64(struct buf *b, uint64_t v);
void buf_add_varint(struct buf *b, uint64_t v);
void buf_add_zigzag(struct buf *b, int64_t v);
/* Append a varint length and the bytes; null is length 0: its reader needs a
 * flag. */
void buf_add_sized(struct buf *b, struct bytes bytes);
/* Append the text between quotes; each quote inside comes twice. */
void buf_add_quoted(struct buf *b, struct bytes text, uint8_t quote);
static inline struct bytes buf_bytes(const struct buf *b)
{
	return (struct bytes){ b->ptr ? b->ptr : (const uint8_t *)"", b->len };
}
/* End with a 0 byte that len does not count; "" when failed. */
static inline const char *buf_cstr(struct buf *b)
{
	if (!buf_reserve(b, 1))
		return "";
	b->ptr[b->len] = 0;
	return (const char *)b->ptr;
}
/* Hand the memory over (mem_free), 0-terminated; NULL when failed. */
char *buf_steal(struct buf *b, size_t *len);

static inline uint32_t get_le32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}
static inline uint64_t get_le64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}
static inline uint64_t get_be64(const void *p)
{
	return __builtin_bswap64(get_le64(p));
}
static inline uint32_t get_be32(const void *p)
{
	return __builtin_bswap32(get_le32(p));
}
static inline uint16_t get_be16(const void *p)
{
	const uint8_t *b = p;
	return (uint16_t)(b[0] << 8 | b[1]);
}

/*
 * A bounded reader. The first read past the end sets failed and returns zeros
 * from then on, so that one check at the end is enough.
 */
struct reader {
	const uint8_t *ptr, *end;
	bool failed;
};

static inline struct reader reader_of(struct bytes b)
{
	return (struct reader){ b.ptr, b.ptr + b.len, false };
}
static inline size_t reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->ptr);
}
/* len bytes, a slice of the input. */
static inline struct bytes read_bytes(struct reader *r, size_t len)
{
	struct bytes bytes = { r->ptr, len };

	if (r->failed || len > (size_t)(r->end - r->ptr)) {
		r->failed = true;
		return BYTES_EMPTY;
	}
	r->ptr += len;
	return bytes;
}
static inline uint8_t read_byte(struct reader *r)
{
	if (r->ptr < r->end && !r->failed)
		return *r->ptr++;
	r->failed = true;
	return 0;
}
/* Read that character, if it comes next. */
static inline bool read_char(struct reader *r, char c)
{
	if (r->ptr == r->end || *r->ptr != (uint8_t)c)
		return false;
	r->ptr++;
	return true;
}
static inline uint16_t read_be16(struct reader *r)
{
	struct bytes b = read_bytes(r, 2);

	return b.len ? get_be16(b.ptr) : 0;
}
static inline uint32_t read_be32(struct reader *r)
{
	struct bytes b = read_bytes(r, 4);

	return b.len ? get_be32(b.ptr) : 0;
}
static inline uint32_t read_le32(struct reader *r)
{
	struct bytes b = read_bytes(r, 4);

	return b.len ? get_le32(b.ptr) : 0;
}
static inline uint64_t read_le64(struct reader *r)
{
	struct bytes b = read_bytes(r, 8);

	return b.len ? get_le64(b.ptr) : 0;
}
/* read_varint of more than a byte, or of none. */
uint64_t bytes_read_long_varint(struct reader *r);
static inline uint64_t read_varint(struct reader *r)
{
	if (r->ptr < r->end && *r->ptr < 0x80 && !r->failed)
		return *r->ptr++;
	return bytes_read_long_varint(r);
}
static inline int64_t read_zigzag(struct reader *r)
{
	uint64_t v = read_varint(r);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}
/* Read a varint length and that many bytes. */
static inline struct bytes read_sized(struct reader *r)
{
	uint64_t len = read_varint(r);

	return read_bytes(r, (size_t)len);
}

/* n as exactly that many digits. */
static inline void put_digits(void *p, uint32_t n, unsigned width)
{
	uint8_t *text = p;

	while (width) {
		text[--width] = (uint8_t)('0' + n % 10);
		n /= 10;
	}
}
static inline void put_le32(void *p, uint32_t v)
{
	memcpy(p, &v, 4);
}
static inline void put_le64(void *p, uint64_t v)
{
	memcpy(p, &v, 8);
}
static inline void put_be64(void *p, uint64_t v)
{
	put_le64(p, __builtin_bswap64(v));
}
static inline void put_be32(void *p, uint32_t v)
{
	put_le32(p, __builtin_bswap32(v));
}
#endif
