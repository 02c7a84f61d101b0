/*
 * The text of compound values, for text.c: each function does for a list, set,
 * map, tuple, user type or vector what the type_ function of the same name in
 * text.h does for any type; with strict, read is type_read_literal. Any thread.
 */
#ifndef STORE_TYPE_TEXT_COMPOUND_H
#define STORE_TYPE_TEXT_COMPOUND_H
#include "store/type/type.h"

int compound_read_text(struct buf *out, const struct type *t, struct bytes text,
		       bool strict, struct type_error *error);
void compound_print_text(struct buf *out, const struct type *t,
			 struct bytes value);
size_t compound_text_length(const struct type *t, struct bytes value);
bool compound_text_may_begin(const struct type *t, struct bytes text);
#endif
