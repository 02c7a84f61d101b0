/* CQL literals of compound values, for compound.c. */
#ifndef STORE_TYPE_TEXT_LITERAL_H
#define STORE_TYPE_TEXT_LITERAL_H
#include "store/type/type.h"

/*
 * Read the literal that is the whole of text: [1, 2], {1, 2}, {'a': 1}, (1, 2),
 * {field: 1}. Blanks are free inside it. strict: refuse numbers that only Java
 * takes (number_form.h). 0, -EINVAL or -ENOMEM.
 */
int literal_read(struct buf *out, const struct type *t, struct bytes text,
		 bool strict, struct type_error *error);
/* True if text is such a literal, a strict one, or more bytes may make it one. */
bool literal_may_begin(const struct type *t, struct bytes text);
#endif
