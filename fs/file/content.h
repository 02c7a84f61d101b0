/* The contents of a file as a whole: load and store them. Any thread. */
#ifndef FS_FILE_CONTENT_H
#define FS_FILE_CONTENT_H
#include "fs/op/op.h"

/* Append what the file holds: what waits in memory for its @key, else what is
 * stored. 0; -ENOENT: nothing; -errno. */
int content_load(struct op *op, struct node *n, struct buf *out);
/* Store a text as the contents: in memory while the file waits for its @key. 0
 * or -errno. */
int content_store(struct op *op, struct node *n, struct bytes text,
		  const struct store_how *how);
/* Return how many bytes of RESOURCE_SCRATCH storing a text of that length needs
 * besides those that are charged to the file; 0: it is not stored in memory. */
uint64_t content_room(struct op *op, struct node *n, uint64_t len);
/* Check that a text stored now would be later than what is or was there. 0;
 * -EPERM with the reason, or another -errno: it cannot be stored. */
int content_check_time(struct op *op, struct node *n);
/* Store it in the store in any case: the key is known. */
int content_store_now(struct op *op, struct node *n, struct bytes text,
		      const struct store_how *how);
#endif
