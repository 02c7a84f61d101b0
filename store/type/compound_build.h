/* Gathering the parts of a compound value that is read from text. Any thread. */
#ifndef STORE_TYPE_COMPOUND_BUILD_H
#define STORE_TYPE_COMPOUND_BUILD_H
#include "store/type/type.h"

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
/* Add count nulls, for fields that come in any order. */
void collect_nulls(struct collect *c, uint32_t count);
/* Note that the bytes appended from start on are part index. */
void collect_set(struct collect *c, uint32_t index, size_t start, bool null);
size_t collect_count(const struct collect *c);
void collect_release(struct collect *c);
/* Append the value; sets and maps are sorted. 0 or -ENOMEM. Releases c. */
int collect_build(struct buf *out, struct collect *c, const struct type *t);
#endif
