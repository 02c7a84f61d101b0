#include "store/type/json/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "store/type/json/scan.h"


#define SOURCE_MAX 500		/* of a text in a message, in UTF-16 */

/* Append the text and its closing quote; of a long one the beginning. */
static void print_source(struct buf *out, struct bytes text)
{
	size_t i, shown = text.len, units = 0;

	for (i = 0; i < text.len; i++) {
		if ((text.ptr[i] & 0xc0) == 0x80)
			continue;
		if (units >= SOURCE_MAX && shown == text.len)
			shown = i;
		units += 1 + (text.ptr[i] >= 0xf0);
	}
	buf_add(out, text.ptr, shown);
	buf_add_byte(out, '"');
	if (units > SOURCE_MAX)
		buf_add_format(out, "[truncated %zu chars]",
			       units - SOURCE_MAX);
}

static void print_position(struct buf *out, const struct scan *s, unsigned line,
			   unsigned column)
{
	buf_add_str(out, "[Source: (String)\"");
	print_source(out, bytes_of(s->begin, (size_t)(s->end - s->begin)));
	buf_add_format(out, "; line: %u, column: %u]", line, column);
}

void scan_print_place(struct buf *out, const struct scan *s, const uint8_t *at)
{
	unsigned line = 1, column = 1;
	const uint8_t *c;

	for (c = s->begin; c < at; c++) {
		if (*c == '\n' && !(s->in_string && c + 1 == at)) {
			line++;
			column = 1;
		} else if ((*c & 0xc0) != 0x80) {
			column += 1 + (*c >= 0xf0);
		}
	}
	if (s->begin == s->end)
		column = 0;
	print_position(out, s, line, column);
}

void scan_print_root(struct buf *out, const struct scan *s)
{
	print_position(out, s, 1, 0);
}

int scan_fail(struct scan *s, const char *class, const char *format, ...)
{
	struct buf text = BUF_INIT;
	char message[2200];
	va_list args;

	s->cut = !strcmp(class, JSON_END_OF_INPUT);
	if (!s->error)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	buf_add_format(&text, "%s: %s\n at ", class, message);
	scan_print_place(&text, s, s->place ? s->place : s->ptr);
	type_fail(s->error, "%s", buf_cstr(&text));
	buf_release(&text);
	return -EINVAL;
}

size_t scan_utf8_length(const uint8_t *c, const uint8_t *end)
{
	size_t left = (size_t)(end - c), len, i;

	if (c[0] < 0x80)
		return 1;
	len = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	if (c[0] < 0xc2 || c[0] > 0xf4 || left < len)
		return 0;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	for (i = 1; i < len; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

int scan_unexpected(struct scan *s, const char *where, const char *why)
{
	size_t len = scan_utf8_length(s->ptr, s->end);
	const uint8_t *c = s->ptr;
	unsigned code = c[0];

	if (!len)
		return scan_fail(s, JSON_PARSE, "Invalid UTF-8");
	if (len == 2)
		code = (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
	if (len == 3)
		code = (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 |
		       (c[2] & 0x3fu);
	s->ptr += len;
	if (code < 0x20)
		return scan_fail(s, JSON_PARSE,
				 "Unexpected character ((CTRL-CHAR, code "
				 "%u))%s: %s",
				 code, where, why);
	return scan_fail(s, JSON_PARSE,
			 "Unexpected character ('%.*s' (code %u))%s: %s",
			 (int)len, c, code, where, why);
}
