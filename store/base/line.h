/*
 * The text of a message for people: one line. Names, values and what the system
 * says may have bytes that drive a terminal (P16), and newlines: those become \x0a
 * and the like.
 */
#ifndef STORE_BASE_LINE_H
#define STORE_BASE_LINE_H
#include <stdarg.h>
#include <stddef.h>

/* What line_format has room for, before bytes are escaped. */
#define LINE_MAX_TEXT 4096

/*
 * Write a message to the size bytes at to (cut, if it is longer), a 0 behind it:
 * "OBJECT: " and what is wrong, or that alone (NULL). '' stands for an empty object.
 * All messages of the programs come this way, those of fs and of the log, too.
 */
void line_format(char *to, size_t size, const char *object, const char *format,
		 va_list args) __attribute__((format(printf, 4, 0)));
/* Copy a text so. */
void line_escape(char *to, size_t size, const char *text);
#endif
