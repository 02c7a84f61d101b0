/* What compare.c and ordered.c share: pieces of the byte-comparable form. */
#ifndef STORE_TYPE_ORDERED_H
#define STORE_TYPE_ORDERED_H
#include "store/type/type.h"

/* ordered_decimal.c: a decimal's bytes (not empty), without a lead byte. */
void ordered_add_decimal(struct buf *out, struct bytes value);
/*
 * Step over one, each byte of which was inverted with mask 0xff. With out, a
 * decimal of the same value is appended. 0 or -EUCLEAN.
 */
int ordered_read_decimal(struct buf *out, struct reader *r, uint8_t mask);
#endif
