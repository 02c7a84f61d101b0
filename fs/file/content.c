#include "fs/file/content.h"

#include <errno.h>

#include "fs/file/unkeyed.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"

int content_store_now(struct op *op, struct node *n, struct bytes text,
		      const struct store_how *how)
{
	const struct file_kind *file = n->ops->file;
	int err = file->store ? file->store(op, n, text, how) :
				file->replace(op, n, text, how);

	if (err == -ESTALE && n->table)
		err = n->table->ops->store_adopted(op, n, text, how);
	return err;
}

int content_store(struct op *op, struct node *n, struct bytes text,
		  const struct store_how *how)
{
	int err;

	/* A text that waited there was stored under the name without this. */
	if (atomic_load(&n->parent->flags) & NODE_TAKEN)
		return n->table->ops->store_adopted(op, n, text, how);
	if (n->scratch || n->ops->key_file)
		return content_store_now(op, n, text, how);
	if (node_waits_for_key(n)) {
		err = unkeyed_store(op, n, text, how);
		return err ? err : unkeyed_catch_up(op, n);
	}
	err = unkeyed_catch_up(op, n);
	return err ? err : content_store_now(op, n, text, how);
}

uint64_t content_room(struct op *op, struct node *n, uint64_t len)
{
	struct child now;

	if (!n->scratch)
		return !n->ops->key_file && node_waits_for_key(n) ?
			       unkeyed_room(len) : 0;
	if (n->ops->stat(op, n, &now) || now.size >= len)
		return 0;
	return len - now.size;
}

int content_check_time(struct op *op, struct node *n)
{
	const struct file_kind *file = n->ops->file;

	if (!file->check_time || n->scratch || n->ops->key_file ||
	    node_waits_for_key(n))
		return 0;
	return file->check_time(op, n);
}

int content_load(struct op *op, struct node *n, struct buf *out)
{
	if (unkeyed_load(op, n, out))
		return 0;
	if (!n->ops->file->load)	/* its descriptor is of a temporary file */
		return op_refuse(op, -EPERM, "a temporary file was renamed onto "
					     "this: open it to read or add more");
	return n->ops->file->load(op, n, out);
}
