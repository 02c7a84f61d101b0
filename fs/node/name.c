#include "fs/node/name.h"

#include <ctype.h>
#include <errno.h>
#include <xxhash.h>

static const char upper[] = "0123456789ABCDEF";

static void add_escaped(struct buf *out, uint8_t c)
{
	uint8_t escape[3] = { '%', (uint8_t)upper[c >> 4],
			      (uint8_t)upper[c & 15] };

	buf_add(out, escape, 3);
}

/* Return the place of the first byte that must be escaped, or the length. */
static size_t find_unescaped(struct bytes text, bool comma)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c < 0x20 || c == 0x7f || c == '/' || c == '%' ||
		    (comma && c == ','))
			break;
	}
	return i;
}

static void add_text(struct buf *out, struct bytes text, bool comma)
{
	size_t at;

	while ((at = find_unescaped(text, comma)) < text.len) {
		buf_add(out, text.ptr, at);
		add_escaped(out, text.ptr[at]);
		text = bytes_of(text.ptr + at + 1, text.len - at - 1);
	}
	buf_add_bytes(out, text);
}

void name_escape_at(struct buf *out, size_t place)
{
	uint8_t c;

	if (!buf_reserve(out, 2))
		return;
	c = out->ptr[place];
	memmove(out->ptr + place + 3, out->ptr + place + 1,
		out->len - place - 1);
	out->ptr[place] = '%';
	out->ptr[place + 1] = (uint8_t)upper[c >> 4];
	out->ptr[place + 2] = (uint8_t)upper[c & 15];
	out->len += 2;
}

static const struct {
	const char *text;
	enum name_suffix suffix;
} suffixes[] = {
	{ ".json", SUFFIX_JSON },
	{ ".ndjson", SUFFIX_NDJSON },
	{ ".csv", SUFFIX_CSV },
	{ ".cql", SUFFIX_CQL },
};

enum name_suffix name_suffix(struct bytes name, struct bytes *base)
{
	const uint8_t *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
	struct bytes end;
	size_t i;

	*base = name;
	if (!dot)
		return SUFFIX_NONE;
	end = bytes_of(dot, name.len - (size_t)(dot - name.ptr));
	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (!bytes_equal(end, bytes_str(suffixes[i].text)))
			continue;
		base->len -= end.len;
		return suffixes[i].suffix;
	}
	return SUFFIX_NONE;
}

/* Apply the rules on the leading byte and the suffix, which need the whole
 * name. */
void name_escape_end(struct buf *out, size_t start)
{
	struct bytes base;

	if (out->failed || out->len == start)
		return;
	if (name_suffix(bytes_of(out->ptr + start, out->len - start), &base))
		name_escape_at(out, start + base.len);
	if (out->ptr[start] == '.' || out->ptr[start] == '@')
		name_escape_at(out, start);
}

void name_escape(struct buf *out, struct bytes text)
{
	size_t start = out->len;

	if (!text.len) {
		buf_add_byte(out, '%');
		return;
	}
	add_text(out, text, false);
	name_escape_end(out, start);
}

bool name_is_text(struct bytes text)
{
	struct bytes base;

	return text.len && text.ptr[0] != '.' && text.ptr[0] != '@' &&
	       find_unescaped(text, false) == text.len &&
	       !name_suffix(text, &base);
}

void name_escape_from(struct buf *out, size_t start)
{
	struct bytes text = out->len == start ? BYTES_EMPTY :
			    bytes_of(out->ptr + start, out->len - start);
	struct buf copy = BUF_INIT;

	if (out->failed || name_is_text(text))
		return;
	buf_add_bytes(&copy, text);
	out->len = start;
	name_escape(out, buf_bytes(&copy));
	out->failed |= copy.failed;
	buf_release(&copy);
}

void name_escape_part(struct buf *out, size_t part, struct bytes text)
{
	if (part)
		buf_add_byte(out, ',');
	add_text(out, text, true);
}

static bool is_hex(uint8_t c)
{
	return isxdigit(c);
}

#define EACH_BYTE 0x0101010101010101u

/* Return the high bit of each byte that is 0, and perhaps of some above the
 * first. */
static uint64_t zero_bytes(uint64_t v)
{
	return (v - EACH_BYTE) & ~v & EACH_BYTE << 7;
}

/* Return the distance to the next 0, '/' or '%', or to the end. */
static inline size_t plain_length(const uint8_t *text, size_t len)
{
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		uint64_t v = get_le64(text + i);
		uint64_t found = zero_bytes(v) |
				 zero_bytes(v ^ EACH_BYTE * '/') |
				 zero_bytes(v ^ EACH_BYTE * '%');

		if (found)
			return i + (size_t)__builtin_ctzll(found) / 8;
	}
	while (i < len && text[i] && text[i] != '/' && text[i] != '%')
		i++;
	return i;
}

static ASIDE void escape_plain(struct buf *out, struct bytes text)
{
	size_t i, done = 0, start = out->len;

	if (!text.len) {
		buf_add_byte(out, '%');
		return;
	}
	if (text.len == 1 && text.ptr[0] == '%') {
		add_escaped(out, '%');
		return;
	}
	for (i = plain_length(text.ptr, text.len); i < text.len;
	     i += 1 + plain_length(text.ptr + i + 1, text.len - i - 1)) {
		uint8_t c = text.ptr[i];

		if (c == '%' &&
		    (i + 2 >= text.len || !is_hex(text.ptr[i + 1]) ||
		     !is_hex(text.ptr[i + 2])))
			continue;
		buf_add(out, text.ptr + done, i - done);
		add_escaped(out, c);
		done = i + 1;
	}
	buf_add(out, text.ptr + done, text.len - done);
	if (!out->failed && text.ptr[0] == '.' &&
	    (text.len == 1 || (text.len == 2 && text.ptr[1] == '.')))
		name_escape_at(out, start);
}

void name_escape_plain(struct buf *out, struct bytes text)
{
	if (text.len && text.ptr[0] != '.' &&
	    plain_length(text.ptr, text.len) == text.len)
		buf_add_bytes(out, text);
	else
		escape_plain(out, text);
}

static int digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode an escape at text[0]: the byte, or -1. */
static int escaped_byte(const uint8_t *text, size_t left)
{
	int high, low;

	if (left < 3)
		return -1;
	high = digit(text[1]);
	low = digit(text[2]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static int unescape(struct buf *out, struct bytes name, bool plain)
{
	const uint8_t *escape;
	int c;

	if (name.len == 1 && name.ptr[0] == '%')
		return 0;
	while (name.len && (escape = memchr(name.ptr, '%', name.len))) {
		size_t before = (size_t)(escape - name.ptr), len = 3;

		c = escaped_byte(escape, name.len - before);
		if (c < 0 && !plain)
			return -EINVAL;
		if (c < 0) {
			c = '%';
			len = 1;
		}
		buf_add(out, name.ptr, before);
		buf_add_byte(out, (uint8_t)c);
		name = bytes_of(escape + len, name.len - before - len);
	}
	buf_add_bytes(out, name);
	return 0;
}

int name_unescape(struct buf *out, struct bytes name)
{
	return unescape(out, name, false);
}

int name_unescape_plain(struct buf *out, struct bytes name)
{
	return unescape(out, name, true);
}

int name_split(struct bytes *parts, size_t n, struct bytes name)
{
	size_t i, from = 0, count = 0;

	for (i = 0; i <= name.len; i++) {
		if (i < name.len && name.ptr[i] != ',')
			continue;
		if (count == n)
			return -EINVAL;
		parts[count++] = bytes_of(name.ptr + from, i - from);
		from = i + 1;
	}
	return count == n ? 0 : -EINVAL;
}

#define SHORT_PREFIX (NAME_MAX_LEN - NAME_TAIL_LEN)

/* Return the length of the longest prefix, of at most `most` bytes, that ends
 * between characters and between escapes. */
static size_t short_prefix(struct bytes name, size_t most)
{
	size_t i = 0, last = 0;

	while (i < name.len && i <= most) {
		last = i;
		if (name.ptr[i] == '%' &&
		    escaped_byte(name.ptr + i, name.len - i) >= 0) {
			i += 3;
			continue;
		}
		for (i++; i < name.len && (name.ptr[i] & 0xc0) == 0x80; i++)
			;
	}
	return last;
}

static void make_tail(char end[NAME_TAIL_LEN], struct bytes name)
{
	static const char lower[] = "0123456789abcdef";
	uint64_t hash = XXH3_64bits(name.ptr, name.len);
	int i;

	memcpy(end, "%~", 2);
	for (i = 0; i < NAME_HASH_LEN; i++)
		end[2 + i] = lower[hash >> (60 - 4 * i) & 15];
}

void name_shorten(struct buf *name)
{
	char end[NAME_TAIL_LEN];

	if (name->failed || name->len <= NAME_MAX_LEN)
		return;
	make_tail(end, buf_bytes(name));
	name->len = short_prefix(buf_bytes(name), SHORT_PREFIX);
	buf_add(name, end, NAME_TAIL_LEN);
}

void name_shorten_for(struct buf *name, size_t suffix_len)
{
	char end[NAME_TAIL_LEN];

	if (name->failed || name->len + suffix_len <= NAME_MAX_LEN)
		return;
	if (name_is_shortened(buf_bytes(name))) {
		name->len -= NAME_TAIL_LEN;
		memcpy(end, name->ptr + name->len, NAME_TAIL_LEN);
	} else {
		make_tail(end, buf_bytes(name));
	}
	name->len = short_prefix(buf_bytes(name), SHORT_PREFIX - suffix_len);
	buf_add(name, end, NAME_TAIL_LEN);
}

void name_of_document(struct buf *name)
{
	static const char suffix[] = ".json";

	name_shorten_for(name, strlen(suffix));
	buf_add_str(name, suffix);
}

size_t name_suffix_room(struct bytes base, struct bytes name)
{
	return name.len > NAME_MAX_LEN ? 0 : name.len - base.len;
}

void name_of_text(struct buf *out, struct bytes text)
{
	buf_clear(out);
	name_escape(out, text);
	name_shorten(out);
}

bool name_is_of_for(struct bytes name, struct bytes text, size_t suffix_len)
{
	struct buf own = BUF_INIT;
	bool same;

	if (text.len + suffix_len <= NAME_MAX_LEN && name_is_text(text))
		return bytes_equal(name, text);
	name_escape(&own, text);
	name_shorten_for(&own, suffix_len);
	same = !own.failed && bytes_equal(name, buf_bytes(&own));
	buf_release(&own);
	return same;
}

bool name_is_of(struct bytes name, struct bytes text)
{
	return name_is_of_for(name, text, 0);
}

bool name_is_shortened(struct bytes name)
{
	size_t i;

	if (name.len < NAME_TAIL_LEN || name.len > NAME_MAX_LEN ||
	    memcmp(name.ptr + name.len - NAME_TAIL_LEN, "%~", 2))
		return false;
	for (i = name.len - NAME_HASH_LEN; i < name.len; i++)
		if (!isdigit(name.ptr[i]) &&
		    (name.ptr[i] < 'a' || name.ptr[i] > 'f'))
			return false;
	return true;
}

bool name_fits(struct bytes name)
{
	struct bytes base;
	enum name_suffix suffix = name_suffix(name, &base);

	if (name.len <= NAME_MAX_LEN)
		return true;
	return name.len <= NAME_MAX_LEN + NAME_SUFFIX_MAX &&
	       (suffix == SUFFIX_JSON || suffix == SUFFIX_NDJSON ||
		suffix == SUFFIX_CSV) && base.len <= NAME_MAX_LEN;
}
