/* float and double. Any thread. */
#ifndef STORE_TYPE_FLOAT_H
#define STORE_TYPE_FLOAT_H
#include "store/type/native.h"

extern const struct native_type native_float, native_double;

/* Return a value of float or double. */
double float_get(enum type_kind kind, struct bytes value);
/* Append a number, as a float for TYPE_FLOAT. All NaNs become one. */
void float_add(struct buf *out, enum type_kind kind, double x);
/* Read a text and append the bytes. -EINVAL with the message, and nothing
 * appended. */
int float_read(struct buf *out, enum type_kind kind, struct bytes text,
	       struct type_error *error);
/* Java's Double.toString, shortest digits: at most 26 bytes, no 0 at the end. */
#define FLOAT_TEXT_MAX 32
size_t float_print(char text[FLOAT_TEXT_MAX], enum type_kind kind, double x);
#endif
