/* user.* of cells and rows. Calls return 0 or -errno. Any thread. */
#ifndef FS_FILE_XATTR_H
#define FS_FILE_XATTR_H
#include "fs/op/op.h"

struct place;

/* Append the value of an attribute. name: without "user.". -ENODATA,
 * -EOPNOTSUPP. */
int xattr_get(struct op *op, struct node *n, const char *name, struct buf *out);
/* Set an attribute; value null: remove it. */
int xattr_set(struct op *op, struct node *n, const char *name,
	      struct bytes value);
/* The same for the object at p. n: its node or the one above it; the
 * directories there keep their times. */
int xattr_set_at(struct op *op, struct node *n, struct place *p,
		 const char *name, struct bytes value);
/* Print the text of user.expires; read it: -EINVAL with the reason. */
void xattr_print_expires(struct buf *out, int64_t expires_s);
int xattr_read_expires(struct op *op, struct bytes value, int64_t *expires_s);
#endif
