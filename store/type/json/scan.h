/*
 * The scan of JSON's form: where the reader is, what it takes next, and how the
 * text is refused (fault.c, token.c, json.c). Every function looks at text that
 * may be anything. Those that return int: 0 or -EINVAL, and then the scan's
 * error, if it has one, holds the whole message.
 */
#ifndef STORE_TYPE_JSON_SCAN_H
#define STORE_TYPE_JSON_SCAN_H
#include "store/type/json/json.h"

#define JSON_VALUES "(JSON String, Number, Array, Object or token 'null', " \
		    "'true' or 'false')"
#define JSON_PARSE "com.fasterxml.jackson.core.JsonParseException"
#define JSON_END_OF_INPUT "com.fasterxml.jackson.core.io.JsonEOFException"
#define JSON_MISMATCH                                                         \
	"com.fasterxml.jackson.databind.exc.MismatchedInputException"

struct scan {
	const uint8_t *begin, *ptr, *end;
	struct type_error *error;	/* or NULL */
	const uint8_t *place;	/* of what is wrong, where it is not ptr */
	const uint8_t *whole;	/* of the number, its whole part */
	bool in_string;		/* a line break just taken began no line */
	bool map;		/* the library reads it as one, in its own way */
	bool cut;		/* it failed, but the text may go on */
};
static inline struct scan scan_of(struct bytes text, struct type_error *error)
{
	return (struct scan){ .begin = text.ptr, .ptr = text.ptr,
			      .end = text.ptr + text.len, .error = error };
}

static inline bool scan_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}
static inline bool scan_at_digit(const struct scan *s)
{
	return s->ptr < s->end && scan_is_digit(*s->ptr);
}
#endif
