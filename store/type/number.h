/* Whole numbers of 1, 2, 4 and 8 bytes, and booleans. Any thread. */
#ifndef STORE_TYPE_NUMBER_H
#define STORE_TYPE_NUMBER_H
#include "store/type/native.h"

extern const struct native_type native_tinyint, native_smallint, native_int,
	native_bigint, native_counter, native_boolean;

/* Optional sign, digits. False: not of this form, or beyond 64 bits. */
bool number_read_int64(int64_t *out, struct bytes text);
int64_t number_get_int(struct bytes value);
void number_add_int(struct buf *out, enum type_kind kind, int64_t n);
/* Compare, and make ordered, big-endian signed numbers, for a native type. */
int number_compare(struct bytes a, struct bytes b);
void number_flip_sign(uint8_t *bytes);
#endif
