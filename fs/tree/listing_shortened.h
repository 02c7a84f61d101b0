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
/* Look up base, which was shortened: it is the whole name, or what is before the
 * suffix of a document's name, and then of the directory beside that. 0, -ENOENT or
 * another -errno; c's value is in the op's arena. */
int listing_lookup_shortened(struct op *op, struct node *dir, struct bytes base,
			     struct bytes name, struct child *c);
#endif
