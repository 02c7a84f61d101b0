/* Messages about values. */
#include "store/type/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int type_fail(struct type_error *error, const char *format, ...)
{
	va_list args;
	size_t len;

	if (!error)
		return -EINVAL;
	va_start(args, format);
	error->bare = false;
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	/* End a truncated message between two characters. */
	len = strlen(error->text);
	while (len && len == sizeof(error->text) - 1 &&
	       ((uint8_t)error->text[len - 1] & 0x80))
		error->text[--len] = 0;
	return -EINVAL;
}

int type_fail_length(struct bytes text)
{
	return (int)(text.len < 512 ? text.len : 512);
}
