/*
 * Names: a value is written as a legal file name, and read back from exactly
 * one spelling (fs/README.md, "Names"). Pure functions; no memory: out->failed.
 */
#ifndef FS_NODE_NAME_H
#define FS_NODE_NAME_H
#include "store/base/bytes.h"

#define NAME_MAX_LEN 255	/* bytes of a name; the kernel allows more */

/* Append the name of one canonical text. It is not shortened: see
 * name_shorten. */
void name_escape(struct buf *out, struct bytes text);
/* The same of the text that out has from `start` on, in its place. */
void name_escape_from(struct buf *out, size_t start);
/* Replace the byte of out at place by its escape. */
void name_escape_at(struct buf *out, size_t place);
/* True if the text is its own name, or would be but for its length. */
bool name_is_text(struct bytes text);
/* Set out to the name of one canonical text, shortened where it is too long. */
void name_of_text(struct buf *out, struct bytes text);
/* True if that is the name of the text. Without memory false. */
bool name_is_of(struct bytes name, struct bytes text);
/* The same of the name that name_shorten_for makes for such a suffix. */
bool name_is_of_for(struct bytes name, struct bytes text, size_t suffix_len);
/* The same for a composite partition key: the text of part 0, 1, ... and then
 * the end; start: where the name begins in out. */
void name_escape_part(struct buf *out, size_t part, struct bytes text);
void name_escape_end(struct buf *out, size_t start);
/* The same inside a schemaless table's partition, where every name is data. */
void name_escape_plain(struct buf *out, struct bytes text);

/*
 * Append the text of a name, without checking that this is its one spelling
 * (escape the text again and compare). 0 or -EINVAL where an escape is broken.
 */
int name_unescape(struct buf *out, struct bytes name);
int name_unescape_plain(struct buf *out, struct bytes name);
/* Split a composite name: exactly n slices of name. 0 or -EINVAL. */
int name_split(struct bytes *parts, size_t n, struct bytes name);

#define NAME_HASH_LEN 16	/* of a shortened name: its digits, and */
#define NAME_TAIL_LEN (2 + NAME_HASH_LEN)	/* "%~" before them */
/* Shorten a name of more than 255 bytes in place: to its beginning, "%~" and a
 * hash. */
void name_shorten(struct buf *name);
/*
 * Shorten it further, if needed, so that a document's suffix of that many bytes
 * fits after it. The hash stays that of the whole name.
 */
void name_shorten_for(struct buf *name, size_t suffix_len);
/* Make the name of a directory, shortened or not, that of its .json. */
void name_of_document(struct buf *name);
#define NAME_SUFFIX_MAX 7	/* bytes of ".ndjson", the longest */
/* Return for how long a suffix the base of a document's name was shortened, if
 * it was: 0 where the name of the directory has the suffix behind it. */
size_t name_suffix_room(struct bytes base, struct bytes name);
/* True if it has the form of a name that name_shorten made. */
bool name_is_shortened(struct bytes name);

/* .json .ndjson .csv .cql; frozen with the store's format version. */
enum name_suffix { SUFFIX_NONE, SUFFIX_JSON, SUFFIX_NDJSON, SUFFIX_CSV,
		   SUFFIX_CQL };
/* Return the suffix of the name and the part before it (may be empty). */
enum name_suffix name_suffix(struct bytes name, struct bytes *base);
/* True if the name has at most 255 bytes, or is a document's and has at most
 * 255 without its suffix. */
bool name_fits(struct bytes name);
#endif
