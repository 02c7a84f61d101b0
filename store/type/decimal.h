/*
 * varint and decimal, on GMP.
 * Functions that read append the value's bytes: 0, or -EINVAL with the message
 * and nothing appended; no memory: out->failed. Any thread.
 */
#ifndef STORE_TYPE_DECIMAL_H
#define STORE_TYPE_DECIMAL_H
#include "store/type/big_integer.h"
#include "store/type/type.h"

/* A decimal: unscaled * 10^-scale. */
struct decimal {
	mpz_t unscaled;
	int32_t scale;
};
void decimal_init(struct decimal *d);
void decimal_release(struct decimal *d);
void decimal_get(struct decimal *d, struct bytes value);
void decimal_add(struct buf *out, const struct decimal *d);
/* By the grammar of Java's BigDecimal: 0, -EINVAL or -ENOMEM. */
int decimal_parse(struct decimal *d, struct bytes text);

int decimal_read_varint(struct buf *out, struct bytes text,
			struct type_error *error);
int decimal_read(struct buf *out, struct bytes text, struct type_error *error);
/* Why Java makes no decimal of NaN or an infinity. */
const char *decimal_refusal(double x);
void decimal_print_varint(struct buf *out, struct bytes value);
void decimal_print(struct buf *out, struct bytes value);
size_t decimal_varint_length(struct bytes value);
size_t decimal_length(struct bytes value);
bool decimal_may_begin(struct bytes text);
bool decimal_varint_may_begin(struct bytes text);
#endif
