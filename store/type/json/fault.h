/*
 * Refuse text that is no JSON in the words of the library that Cassandra uses,
 * as clients see them, with the text and the place in it.
 */
#ifndef STORE_TYPE_JSON_FAULT_H
#define STORE_TYPE_JSON_FAULT_H
#include "store/type/json/scan.h"

/* Describe a position as the library does; columns are of UTF-16. */
void scan_print_place(struct buf *out, const struct scan *s, const uint8_t *at);
/* Describe the place where no token began yet. */
void scan_print_root(struct buf *out, const struct scan *s);
/* Refuse the text, with a Java class (the names above): -EINVAL. */
int scan_fail(struct scan *s, const char *class, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Refuse it for the character at ptr, and take that. */
int scan_unexpected(struct scan *s, const char *where, const char *why);
/* Return the length of the well-formed UTF-8 character at the beginning; 0:
 * there is none. */
size_t scan_utf8_length(const uint8_t *c, const uint8_t *end);
#endif
