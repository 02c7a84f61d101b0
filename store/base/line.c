#include "store/base/line.h"

#include <stdio.h>

void line_escape(char *to, size_t size, const char *text)
{
	size_t at = 0;

	for (; *text && at + 5 < size; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x20 && c != 0x7f)
			to[at++] = (char)c;
		else
			at += (size_t)snprintf(to + at, size - at, "\\x%02x",
					       c);
	}
	to[at] = 0;
}

void line_format(char *to, size_t size, const char *object, const char *format,
		 va_list args)
{
	char text[LINE_MAX_TEXT];
	int len = 0;

	if (object)
		len = snprintf(text, sizeof(text), "%.2000s: ",
			       *object ? object : "''");
	vsnprintf(text + len, sizeof(text) - (size_t)len, format, args);
	line_escape(to, size, text);
}
