/*
 * Names: a value makes a legal file name, and one spelling of it comes back
 * (fs/README.md, "Names"). Pure functions; no memory: out->failed.
 */
#ifndef FS_NODE_NAME_H
#define FS_NODE_NAME_H
#include "store/base/bytes.h"

#define NAME_MAX_LEN 255	/* bytes of a name; the kernel passes more */

/* The name of one canonical text. Not cut: see name_shorten. */
void name_escape(struct buf *out, struct bytes text);
/* Of a composite partition key: the text of part 0, 1, ... and then the end;
 * start: where the name begins in out. */
void name_escape_part(struct buf *out, size_t part, struct bytes text);
void name_escape_end(struct buf *out, size_t start);
/* Inside a schemaless table's partition, where every name is data. */
void name_escape_plain(struct buf *out, struct bytes text);

/*
 * The text of a name; not checked for being its one spelling (escape the text
 * again and compare). 0 or -EINVAL where an escape is broken.
 */
int name_unescape(struct buf *out, struct bytes name);
int name_unescape_plain(struct buf *out, struct bytes name);
/* Split a composite name: exactly n slices of name. 0 or -EINVAL. */
int name_split(struct bytes *parts, size_t n, struct bytes name);

#define NAME_HASH_LEN 16	/* of a name that was cut: its digits, and */
#define NAME_TAIL_LEN (2 + NAME_HASH_LEN)	/* "%~" before them */
/* A name over 255 bytes becomes its begin, "%~" and a hash: in place. */
void name_shorten(struct buf *name);
/* Has it the form that name_shorten gives? */
bool name_is_shortened(struct bytes name);

/* .json .ndjson .csv .cql; frozen with the store's format version. */
enum name_suffix { SUFFIX_NONE, SUFFIX_JSON, SUFFIX_NDJSON, SUFFIX_CSV,
		   SUFFIX_CQL };
/* Which one the name ends with, and what stands before it (may be empty). */
enum name_suffix name_suffix(struct bytes name, struct bytes *base);

/*
 * Is this a temporary name that an editor or copier derives from another? Then
 * *base is what it was derived from (empty for sedXXXXXX and 4913).
 */
bool name_is_scratch(struct bytes name, struct bytes *base);
/* Letters to change, add, drop or swap from a to b; at most limit + 1. */
unsigned name_distance(struct bytes a, struct bytes b, unsigned limit);
#endif
