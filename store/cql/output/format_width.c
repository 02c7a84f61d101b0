/*
 * The width of a text on a terminal: 2 for East Asian and most pictures, 0 for
 * characters that combine with the one before.
 */
#include <locale.h>
#include <pthread.h>
#include <wchar.h>

#include "store/cql/output/format.h"
#include "store/cql/output/format_width.h"

/* The program's own locale may have only ASCII. */
static locale_t utf8;

static void make_locale(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Decode the character at text, and return how many bytes it has. Of invalid
 * text one byte is taken as '?'. */
static size_t take(struct bytes text, wchar_t *out)
{
	uint8_t first = text.ptr[0];
	size_t len = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	uint32_t c = len == 1 ? first : first & (0xff >> (len + 1));
	size_t i;

	for (i = 1; i < len && i < text.len && text.ptr[i] >> 6 == 2; i++)
		c = c << 6 | (text.ptr[i] & 0x3f);
	*out = i == len ? (wchar_t)c : L'?';
	return i == len ? len : 1;
}

uint32_t cql_format_width(struct bytes text)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t before;
	uint32_t width = 0;
	wchar_t c;
	size_t i;

	for (i = 0; i < text.len && text.ptr[i] < 0x80; i++)
		;
	if (i == text.len)
		return (uint32_t)i;
	pthread_once(&once, make_locale);
	before = utf8 ? uselocale(utf8) : (locale_t)0;
	for (width = (uint32_t)i; i < text.len;) {
		int places;

		i += take(bytes_of(text.ptr + i, text.len - i), &c);
		places = wcwidth(c);
		width += places < 0 ? 1 : (uint32_t)places;
	}
	if (before)
		uselocale(before);
	return width;
}
