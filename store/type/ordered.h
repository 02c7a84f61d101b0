/* What compare.c and ordered.c share: pieces of the byte-comparable form. */
#ifndef STORE_TYPE_ORDERED_H
#define STORE_TYPE_ORDERED_H
#include "store/type/type.h"

/* A uuid's or timeuuid's 16 bytes as memcmp orders them, and back. */
void ordered_uuid(uint8_t out[16], enum type_kind kind, const uint8_t *uuid);
void ordered_uuid_back(uint8_t out[16], enum type_kind kind,
		       const uint8_t *ordered);
/* ordered_decimal.c: a decimal's bytes (not empty), without a lead byte. */
void ordered_add_decimal(struct buf *out, struct bytes value);
/*
 * Step over one, each byte of which was inverted with mask 0xff. With out, a
 * decimal of the same value is appended. 0 or -EUCLEAN.
 */
int ordered_read_decimal(struct buf *out, struct reader *r, uint8_t mask);
/* A varint without the bytes at its begin that only repeat the sign. */
struct bytes varint_trim(struct bytes v);
#endif
