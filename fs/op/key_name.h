/*
 * The names of keys: of partitions, of clustering columns, and of elements.
 * Calls return 0 or -errno where nothing else is said.
 */
#ifndef FS_OP_KEY_NAME_H
#define FS_OP_KEY_NAME_H
#include "fs/op/place.h"

/* Count the key names from the table down to dir. */
uint32_t key_name_level(const struct node *dir);
/* Append the name of a key: of a partition, of the i-th clustering column. */
void key_name_of_partition(struct buf *out, const struct table *t,
			   const struct bytes *values);
/* Append the name of a partition's key as it is stored. 0, -EUCLEAN,
 * -ENOMEM. */
int key_name_stored(struct buf *out, const struct table *t, struct bytes key);
void key_name_of_clustering(struct buf *out, const struct table *t, uint32_t i,
			    struct bytes value);
void key_name_of_value(struct buf *out, const struct type *type,
		       struct bytes value);
/* Append the whole name, not shortened, for @key. */
int key_name_full(struct op *op, struct node *n, struct buf *out);
/*
 * Parse a name: *value from the op's arena. -ENOENT where it is not the one
 * spelling of a value (with the reason), -ENOMEM.
 */
int key_name_parse_partition(struct op *op, const struct table *t,
			     struct bytes name, struct bytes *value);
/* Parse a composite key's name as it was before it was shortened. */
int key_name_parse_whole(struct op *op, const struct table *t,
			 struct bytes name, struct bytes *value);
/* Check the length of the value of a key: only that of an @key can be too long. */
int key_name_check_length(struct op *op, size_t len);
int key_name_parse_clustering(struct op *op, const struct table *t, uint32_t i,
			      struct bytes name, struct bytes *value);
int key_name_parse_value(struct op *op, const struct type *type,
			 struct bytes name, struct bytes *value);
/* Append the value of a name, or of a part of one, whatever its spelling. */
int key_name_read(struct op *op, struct buf *out, const struct type *type,
		  struct bytes name);

/*
 * Check that the rows that were found at p have the name of p. Of equal values
 * (decimal 1.0 and 1.00) the stored one is the name: -ENOENT with the reason.
 */
int key_name_check(struct op *op, const struct place *p,
		     const struct row_view *row);
#endif
