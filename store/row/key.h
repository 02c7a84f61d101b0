/*
 * Keys: one sorted space of bytes for each table; memcmp is the order.
 *
 *   token 8 (sign bit flipped, big-endian) | partition key, escaped | kind 1 |
 *   clustering components | end
 *
 * The partition key is its serialised bytes with every 00 written 00 FF, ended
 * by 00 01, so that it delimits itself. Kinds sort as below. A clustering
 * component is what type_ordered_append made of it (lead byte 3E to 42, never
 * 20, 38 or 60). A row's key ends with 38. A bound's key
 * is a prefix of components ended by 20 (before everything that begins with the
 * prefix) or 60 (after it). This layout is on disk: see sstable/format.h.
 */
#ifndef STORE_ROW_KEY_H
#define STORE_ROW_KEY_H
#include "store/base/bytes.h"

enum key_kind {
	KEY_BEGIN = 0x00,	/* bound: before all of the partition */
	KEY_ATTRIBUTES = 0x10,	/* what a filesystem keeps beside the data */
	KEY_STATIC = 0x20,	/* the static row */
	KEY_ROW = 0x30,		/* rows and bounds between them */
	KEY_LATER_ROW = 0x40,	/* the same, where KEY_ROW is the static row:
				 * TABLE_WAS_FLAT */
	KEY_END = 0xf0,		/* bound: after all of the partition */
};
#define KEY_EMPTY_LEN 10	/* token and end of a key of no bytes */
#define KEY_ROW_END 0x38
#define KEY_BEFORE_PREFIX 0x20
#define KEY_AFTER_PREFIX 0x60

/* token (base/murmur3.h) | escaped partition key: what all keys of the partition
 * begin with. */
void key_add_partition(struct buf *out, int64_t token,
		       struct bytes partition_key);
/* Append the first key bytes of a token: all partitions from that token on are
 * >=. */
void key_add_token(struct buf *out, int64_t token);

struct key_parts {
	int64_t token;
	size_t partition_len;	/* of token and escaped partition key */
	enum key_kind kind;
	struct bytes clustering; /* what follows the kind, end byte included */
};
/* Take a key apart. 0, or -EUCLEAN when it is not one. */
int key_split(struct key_parts *parts, struct bytes key);
/* Return the length of token and partition key alone; 0 when damaged. */
size_t key_partition_len(struct bytes key);
/* Append the serialised partition key of a key. -EUCLEAN when damaged. */
int key_partition_key(struct buf *out, struct bytes key);
#endif
