/* user.* of cells and rows. Calls give 0 or -errno. Any thread. */
#ifndef FS_FILE_XATTR_H
#define FS_FILE_XATTR_H
#include "fs/op/op.h"

struct place;

/* Append the value. name: without "user.". -ENODATA, -EOPNOTSUPP. */
int xattr_get(struct op *op, struct node *n, const char *name, struct buf *out);
/* Set it. value null: remove it. */
int xattr_set(struct op *op, struct node *n, const char *name,
	      struct bytes value);
/* The same for the object at p; n: the node whose directories keep their times,
 * it or that above it. */
int xattr_set_at(struct op *op, struct node *n, struct place *p,
		 const char *name, struct bytes value);
/* Print the text of user.expires; read it: -EINVAL with the reason. */
void xattr_print_expires(struct buf *out, int64_t expires_s);
int xattr_read_expires(struct op *op, struct bytes value, int64_t *expires_s);
#endif
