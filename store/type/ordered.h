/*
 * Values as bytes that memcmp orders. After the lead byte:
 *
 *   fixed length  as their native types order them: big-endian, the sign bit
 *                 flipped where there is one; floats with all bits flipped
 *                 where negative, one NaN; of a uuid the version nibble first,
 *                 then the time of version 1; of a timeuuid its time, then the
 *                 rest with each byte's sign flipped
 *   text, blob    the bytes; 00 ends them. Zeros inside: 00, an FE for each
 *                 further one, FF. Zeros at the end: 00, an FE for each, 00.
 *                 No zeros at the end: 00 00
 *   varint, decimal   ordered_decimal.c
 *   the others    each part as a component with a lead byte, then 38. Nulls at
 *                 the end of a tuple or user type are left out, so that a type
 *                 that got another field still finds its values.
 *
 * Every form ends itself: none is the begin of another.
 */
#ifndef STORE_TYPE_ORDERED_H
#define STORE_TYPE_ORDERED_H
#include "store/type/type.h"

/*
 * Byte-comparable form: memcmp orders two encodings as
 * type_compare orders the values, and none is a prefix of another. append adds
 * the lead byte: 0x3E null, 0x3F empty, 0x40 value. For reversed columns every
 * byte after it is inverted, and it is 0x40 value, 0x41 empty, 0x42 null, so
 * that it stays between a key's bounds (row/key.h). decode reads one
 * component from r and appends the value's bytes, or sets *is_null.
 * type_ordered_exact: decode gives back the very bytes that were encoded
 * (false for what holds a decimal, and for other types where values that are
 * equal may differ in bytes).
 */
void type_ordered_append(struct buf *out, const struct type *t,
			 struct bytes value, bool reversed);
int type_ordered_decode(struct buf *out, bool *is_null, const struct type *t,
			struct reader *r, bool reversed);
/* Return the length of the component at the beginning of `from` if it holds its
 * value as it is (text and blobs without zeros inside), with *value a slice of
 * it. Else 0. */
size_t type_ordered_slice(struct bytes *value, const struct type *t,
			  struct bytes from, bool reversed);
/* Step over one component: 0 or -EUCLEAN. */
int type_ordered_skip(struct reader *r, const struct type *t, bool reversed);
bool type_ordered_exact(const struct type *t);
#endif
