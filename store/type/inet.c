/*
 * Addresses: read as Java reads numeric ones (never a host name), printed as
 * RFC 5952 says. An IPv4 address that is mapped into IPv6 is the IPv4 one, in
 * text both ways; only a blob can store the long form.
 */
#include "store/type/inet.h"

#include <ctype.h>
#include <stdio.h>

/* Nothing sensible is longer: 8 groups, brackets and a zone. */
#define TEXT_MAX 64

/*
 * 1 to 4 decimal parts, of which the last fills the bytes that are left:
 * 1.2.3 is 1.2.0.3. parts_wanted: 0 or exactly so many.
 */
static bool read_v4(uint8_t address[4], struct bytes text, int parts_wanted)
{
	uint64_t part = 0;
	int parts = 0, left;
	bool digit = false;
	size_t i;

	if (text.len > 15)
		return false;
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] == '.') {
			if (!digit || part > 0xff || parts == 3)
				return false;
			address[parts++] = (uint8_t)part;
			part = 0;
			digit = false;
		} else if (isdigit(text.ptr[i])) {
			part = part * 10 + (uint64_t)(text.ptr[i] - '0');
			digit = true;
		} else {
			return false;
		}
	}
	left = 4 - parts;
	if (!digit || part >= (uint64_t)1 << left * 8 ||
	    (parts_wanted && parts + 1 != parts_wanted))
		return false;
	for (; left > 0; left--)
		address[parts++] = (uint8_t)(part >> (left - 1) * 8);
	return true;
}

/* Read one group of hex digits at *at. False: there is none, or it is too
 * big. */
static bool read_group(uint32_t *group, struct bytes text, size_t *at)
{
	size_t start = *at;

	*group = 0;
	while (*at < text.len && isxdigit(text.ptr[*at])) {
		uint8_t c = text.ptr[(*at)++];

		*group = *group * 16 +
			 (uint32_t)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
		if (*group > 0xffff)
			return false;
	}
	return *at > start;
}

/* Open up the :: at gap, so that the bytes after it end at 16. */
static bool spread(uint8_t address[16], size_t filled, int gap)
{
	size_t after;

	if (gap < 0)
		return filled == 16;
	if (filled == 16)
		return false;
	after = filled - (size_t)gap;
	memmove(address + 16 - after, address + gap, after);
	memset(address + gap, 0, 16 - after - (size_t)gap);
	return true;
}

static bool read_v6(uint8_t address[16], struct bytes text)
{
	size_t at = 0, filled = 0, start;
	int gap = -1;
	uint32_t group;

	if (text.len < 2 || (text.ptr[0] == ':' && text.ptr[1] != ':'))
		return false;
	while (at < text.len) {
		if (text.ptr[at] == ':' && at + 1 < text.len &&
		    text.ptr[at + 1] == ':') {
			if (gap >= 0)
				return false;
			gap = (int)filled;
			at += 2;
			continue;
		}
		/* A single colon is allowed between groups only. */
		if (text.ptr[at] == ':' &&
		    (!at || text.ptr[at - 1] == ':' || ++at == text.len))
			return false;
		start = at;
		if (!read_group(&group, text, &at))
			return false;
		if (at < text.len && text.ptr[at] == '.') {
			if (filled > 12 ||
			    !read_v4(address + filled, bytes_of(text.ptr +
						start, text.len - start), 4))
				return false;
			filled += 4;
			break;
		}
		if (filled > 14 || (at < text.len && text.ptr[at] != ':'))
			return false;
		address[filled++] = (uint8_t)(group >> 8);
		address[filled++] = (uint8_t)group;
	}
	return spread(address, filled, gap);
}

static bool is_mapped(const uint8_t address[16])
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, prefix, sizeof(prefix));
}

/* Remove a numeric zone (%1). False: it is not a number. */
static bool drop_zone(struct bytes *text)
{
	const uint8_t *percent = memchr(text->ptr, '%', text->len);
	const uint8_t *end = text->ptr + text->len, *p;

	if (!percent)
		return true;
	for (p = percent + 1; p < end; p++)
		if (!isdigit(*p))
			return false;
	text->len = (size_t)(percent - text->ptr);
	return percent + 1 < end;
}

static bool read_any(struct buf *out, struct bytes text)
{
	bool bracketed = text.len > 2 && text.ptr[0] == '[';
	uint8_t address[16];

	if (!text.len)
		return true;
	if (text.len > TEXT_MAX)
		return false;
	if (bracketed) {
		if (text.ptr[text.len - 1] != ']')
			return false;
		text = bytes_of(text.ptr + 1, text.len - 2);
	} else if (read_v4(address, text, 0)) {
		buf_add(out, address, 4);
		return true;
	}
	if (!drop_zone(&text) || !read_v6(address, text))
		return false;
	if (is_mapped(address))
		buf_add(out, address + 12, 4);
	else
		buf_add(out, address, 16);
	return true;
}

static int read_inet(struct buf *out, struct bytes text, struct type_error *error)
{
	if (read_any(out, text))
		return 0;
	return type_fail(error, "Unable to make inet address from '%.*s'",
			 type_fail_length(text), text.ptr);
}

static bool may_begin(struct bytes text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (!isxdigit(text.ptr[i]) && !strchr(".:%[]", text.ptr[i]))
			return false;
	return text.len <= TEXT_MAX && !memchr(text.ptr, 0, text.len);
}

static void print_v4(struct buf *out, const uint8_t a[4])
{
	buf_add_format(out, "%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
}

static void print_v6(struct buf *out, const uint8_t address[16])
{
	int i, run = 0, best = -1, best_run = 1;

	for (i = 0; i < 8; i++) {
		run = get_be16(address + 2 * i) ? 0 : run + 1;
		if (run > best_run) {
			best_run = run;
			best = i + 1 - run;
		}
	}
	for (i = 0; i < 8; i++) {
		if (i == best) {
			buf_add_str(out, "::");
			i += best_run - 1;
			continue;
		}
		if (i && i != best + best_run)
			buf_add_byte(out, ':');
		buf_add_format(out, "%x", get_be16(address + 2 * i));
	}
}

static void print_inet(struct buf *out, struct bytes value)
{
	if (value.len == 4)
		print_v4(out, value.ptr);
	else if (value.len == 16 && is_mapped(value.ptr))
		print_v4(out, value.ptr + 12);
	else if (value.len == 16)
		print_v6(out, value.ptr);
}

bool inet_is_mapped(struct bytes value)
{
	return value.len == 16 && is_mapped(value.ptr);
}

static int validate_inet(struct bytes value, struct type_error *error)
{
	char hex[2 * 200 + 1];
	size_t i;

	if (!value.len || value.len == 4 || value.len == 16)
		return 0;
	for (i = 0; i < value.len && i < 200; i++)
		snprintf(hex + 2 * i, 3, "%02x", value.ptr[i]);
	return type_fail(error, "Expected 4 or 16 byte inetaddress; got %s",
			 hex);
}

static bool has_literal(struct bytes value)
{
	return !inet_is_mapped(value);
}

const struct native_type native_inet = {
	.type = { .kind = TYPE_INET, .depth = 1 },
	.name = "inet",
	.class = "InetAddressType",
	.validate = validate_inet,
	.read = read_inet,
	.may_begin = may_begin,
	.print = print_inet,
	.constants = 1 << LITERAL_STRING,
	.casts_to_text = true,
	.is_quoted = true,
	.has_literal = has_literal,
	.json_expected = "a string representation of an inet value",
	.masked = { (const uint8_t *)"\0\0\0\0", 4 },
};
