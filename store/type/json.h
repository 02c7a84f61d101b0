/*
 * What store/type shares of its JSON: json.c reads the form, json_value.c values
 * of types. Nothing outside includes this file.
 */
#ifndef STORE_TYPE_JSON_H
#define STORE_TYPE_JSON_H
#include "store/type/type.h"

/*
 * type_print_json, with floats that JSON has no numbers for as strings ("NaN")
 * where exact, so that what is read back is the same.
 */
void json_print_value(struct buf *out, const struct type *t,
		      struct bytes value, bool exact);
/* The length of what json_print_value prints. */
size_t json_value_length(const struct type *t, struct bytes value, bool exact);

/*
 * The parts of a compound value while they are read: each is appended to bytes
 * between collect_begin and collect_end, or is null. Any failure to allocate is
 * kept until collect_build, which releases all.
 */
struct collect {
	struct buf bytes;
	struct buf spans;	/* struct collect_span */
};
struct collect_span {
	size_t start, len;
	bool null;
};
#define COLLECT_INIT ((struct collect){ BUF_INIT, BUF_INIT })
void collect_begin(struct collect *c);
void collect_end(struct collect *c, bool null);
/* count nulls, for fields that come in any order. */
void collect_nulls(struct collect *c, uint32_t count);
/* What was appended to bytes from start on is part index. */
void collect_set(struct collect *c, uint32_t index, size_t start, bool null);
size_t collect_count(const struct collect *c);
void collect_release(struct collect *c);
/* Append the value; sets and maps are sorted. 0 or -ENOMEM. Releases c. */
int collect_build(struct buf *out, struct collect *c, const struct type *t);
#endif
