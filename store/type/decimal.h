/* varint and decimal, on GMP. Any thread. */
#ifndef STORE_TYPE_DECIMAL_H
#define STORE_TYPE_DECIMAL_H
#include "store/type/big_integer.h"
#include "store/type/native.h"

extern const struct native_type native_varint, native_decimal;

/* A decimal: unscaled * 10^-scale. */
struct decimal {
	mpz_t unscaled;
	int32_t scale;
};
void decimal_init(struct decimal *d);
void decimal_release(struct decimal *d);
void decimal_get(struct decimal *d, struct bytes value);
void decimal_add(struct buf *out, const struct decimal *d);
/* Read a text by the grammar of Java's BigDecimal: 0, -EINVAL or -ENOMEM. */
int decimal_parse(struct decimal *d, struct bytes text);
/* Read a text and append the bytes. -EINVAL with the message, and nothing
 * appended. */
int decimal_read(struct buf *out, struct bytes text, struct type_error *error);
/* Return Java's message for a decimal of NaN or an infinity. */
const char *decimal_refusal(double x);
#endif
