/* Numbers of any size in the byte-comparable form, for their native types. */
#ifndef STORE_TYPE_ORDERED_DECIMAL_H
#define STORE_TYPE_ORDERED_DECIMAL_H
#include "store/base/bytes.h"

/*
 * Append a value's bytes (not empty) so that memcmp orders them, without a lead
 * byte; or read that, each byte inverted where mask is 0xff: with out, a value
 * that is equal is appended. 0 or -EUCLEAN.
 */
void ordered_add_varint(struct buf *out, struct bytes value);
int ordered_read_varint(struct buf *out, struct reader *r, uint8_t mask);
void ordered_add_decimal(struct buf *out, struct bytes value);
int ordered_read_decimal(struct buf *out, struct reader *r, uint8_t mask);
#endif
