/* Check the bytes of a value of any type, and print it as a literal of CQL. */
#ifndef STORE_TYPE_VALUE_H
#define STORE_TYPE_VALUE_H
#include "store/type/type.h"

/*
 * Check that these bytes are a value of t, with every length and nested part. 0
 * or -EINVAL with Cassandra's message.
 */
int type_validate(const struct type *t, struct bytes value,
		  struct type_error *error);
/* Print a CQL literal that reads back as this value: 'it''s', [1, 2]. */
void type_print_literal(struct buf *out, const struct type *t,
			struct bytes value);
#endif
