/*
 * Native types for the rest of store/type: what text.c and compound.c call for
 * a value that has no parts. Each function does for a native kind what the
 * type_ function of the same name in type.h does for a type; nothing outside
 * store/type includes this file. Any thread.
 */
#ifndef STORE_TYPE_NATIVE_H
#define STORE_TYPE_NATIVE_H
#include "store/type/type.h"

/* 0 or -EINVAL with Cassandra's words for a wrong bound value. */
int native_validate(enum type_kind kind, struct bytes value,
		    struct type_error *error);
/*
 * Appends the value's bytes. 0 or -EINVAL; no memory: out->failed. Takes what
 * Java's readers of the type take, which is more than CQL's literals (+1 for an
 * int, .5, 0x1p3). The empty text is a value of ascii, text, inet, timestamp
 * (the empty one) and duration (zero), and refused by the others.
 */
int native_read_text(struct buf *out, enum type_kind kind, struct bytes text,
		     struct type_error *error);
/* Without quotes; a value of a wrong length (never stored) prints nothing. */
void native_print_text(struct buf *out, enum type_kind kind,
		       struct bytes value);
size_t native_text_length(enum type_kind kind, struct bytes value);
bool native_text_may_begin(enum type_kind kind, struct bytes text);
/*
 * As print_text, in quotes where CQL wants them; null for null. What no literal
 * gives (the empty int, a time beyond its day) is written blob_as_int(0x).
 */
void native_print_literal(struct buf *out, enum type_kind kind,
			  struct bytes value);
/* Do the kind's literals stand in quotes ('a', '2016-10-04', '::1')? */
bool native_is_quoted(enum type_kind kind);
#endif
