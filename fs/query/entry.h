/*
 * The names of the entries of a query directory: the values of a row's key that
 * the queried directory does not have, joined by ',' (a comma inside of one is
 * escaped). Calls return 0 or -errno.
 */
#ifndef FS_QUERY_ENTRY_H
#define FS_QUERY_ENTRY_H
#include "fs/op/place.h"

/* The whole key of a row. */
struct row_key {
	struct bytes partition_key;
	struct bytes *clustering;	/* clustering_count values */
};

/* Return the number of the first column whose value is in the names of entries
 * below the place; the columns of the partition key are counted first, then
 * those of the clustering. */
uint32_t entry_first_column(const struct place *p);
/* Append the entry's name. -EUCLEAN, -ENOMEM. */
int entry_print_name(struct op *op, struct buf *out, const struct place *p,
		     const struct row_key *key);
/* Parse a name that was not shortened. -ENOENT with the reason where it is not
 * the one spelling of a key; *key is in the op's arena. */
int entry_parse(struct op *op, const struct place *p, struct bytes name,
		struct row_key *key);
/* Append the key's part below the place as a node's value, and read it again
 * (slices of value, and arrays of the op's arena). */
void entry_print_value(struct buf *out, const struct place *p,
		       const struct row_key *key);
int entry_read_value(struct op *op, const struct place *p, struct bytes value,
		     struct row_key *key);
#endif
