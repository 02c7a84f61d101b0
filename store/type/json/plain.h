/* The part of a JSON string that needs no escapes, eight bytes at a time. */
#ifndef STORE_TYPE_JSON_PLAIN_H
#define STORE_TYPE_JSON_PLAIN_H
#include "store/base/bytes.h"

/* Return the first byte that is a quote, a backslash or a control byte; end:
 * there is none. *is_ascii: no byte before it has its highest bit set. */
static inline const uint8_t *json_plain_end(const uint8_t *p, const uint8_t *end,
					    bool *is_ascii)
{
	const uint64_t ones = 0x0101010101010101, high = ones << 7;
	uint64_t eight, quotes, slashes, bits = 0;

	for (; end - p >= 8; p += 8) {
		memcpy(&eight, p, 8);
		quotes = eight ^ ones * '"';
		slashes = eight ^ ones * '\\';
		if (((quotes - ones) & ~quotes & high) |
		    ((slashes - ones) & ~slashes & high) |
		    ((eight - ones * 0x20) & ~eight & high))
			break;
		bits |= eight;
	}
	for (; p < end && *p != '"' && *p != '\\' && *p >= 0x20; p++)
		bits |= *p;
	*is_ascii = !(bits & high);
	return p;
}
#endif
