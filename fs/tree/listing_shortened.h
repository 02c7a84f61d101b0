/*
 * The lookup of a name that was shortened: a listing is searched for it,
 * restricted to the entries that may have it.
 */
#ifndef FS_TREE_LISTING_SHORTENED_H
#define FS_TREE_LISTING_SHORTENED_H
#include "fs/tree/listing.h"

/* Restrict q to the rows that may have the name (slice is q's or it has none).
 * 0 or -ENOMEM. */
int listing_narrow(struct listing *l, struct query *q, struct slice *slice);
/* Look up a name that was shortened for a suffix of that many bytes
 * (name_shorten_for). 0, -ENOENT or another -errno; c's value is in the op's
 * arena. */
int listing_lookup_shortened(struct op *op, struct node *dir, struct bytes name,
			     size_t suffix_len, struct child *c);
#endif
