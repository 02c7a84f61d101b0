/*
 * Whole numbers of 1, 2, 4 and 8 bytes, and booleans.
 * Functions that read append the value's bytes: 0, or -EINVAL with the message
 * and nothing appended; no memory: out->failed. Any thread.
 */
#ifndef STORE_TYPE_NUMBER_H
#define STORE_TYPE_NUMBER_H
#include "store/type/type.h"

/* Optional sign, digits. False: not of this form, or beyond 64 bits. */
bool number_read_int64(int64_t *out, struct bytes text);
int64_t number_get_int(struct bytes value);
void number_add_int(struct buf *out, enum type_kind kind, int64_t n);
int number_read_integer(struct buf *out, enum type_kind kind,
			struct bytes text, struct type_error *error);
int number_read_boolean(struct buf *out, struct bytes text,
			struct type_error *error);
bool number_may_begin(enum type_kind kind, struct bytes text);
bool number_boolean_may_begin(struct bytes text);
#endif
