/* The bytes of values with parts: read and build them. */
#ifndef STORE_TYPE_COMPOUND_CODEC_H
#define STORE_TYPE_COMPOUND_CODEC_H
#include "store/type/type.h"

/* Encode Cassandra's unsigned vint. Returns the number of bytes. */
size_t compound_encode_vint(uint8_t out[9], uint64_t v);
/* Step through the parts of a value: see struct type_parts. */
int type_parts_begin(struct type_parts *p, const struct type *t,
		     struct bytes value);
int type_parts_next(struct type_parts *p, struct bytes *part);
/*
 * Build a value from its parts, in the order given (sets and maps: sorted
 * by the caller or with type_build_sorted, which sorts, reordering parts, and of
 * equal keys keeps the first key and the last value, as Cassandra does). Tuples
 * may be given fewer parts than fields. sorted: 0 or -ENOMEM.
 */
void type_build(struct buf *out, const struct type *t,
		const struct bytes *parts, size_t part_count);
int type_build_sorted(struct buf *out, const struct type *t,
		      struct bytes *parts, size_t part_count);
#endif
