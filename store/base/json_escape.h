/* The escapes in a string of JSON. */
#ifndef STORE_BASE_JSON_ESCAPE_H
#define STORE_BASE_JSON_ESCAPE_H
#include <stddef.h>
#include <stdint.h>

#define JSON_ESCAPE_MAX 8
/* Write the escape of a quote, a backslash or a byte below 0x20, as Cassandra writes
 * it. Returns its length. Any thread. */
size_t json_escape(char out[JSON_ESCAPE_MAX], uint8_t c);
#endif
