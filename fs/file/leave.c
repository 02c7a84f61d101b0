#include "fs/file/leave.h"

#include "fs/file/content.h"
#include "fs/file/view.h"
#include "fs/file/write_buffer.h"
#include "fs/node/node.h"
#include "fs/op/op.h"

void leave_begin(struct node *n)
{
	if (n)
		atomic_fetch_or(&n->flags, NODE_LEAVING);
}

void leave_end(struct fs *fs, struct node *n)
{
	if (!n)
		return;
	mutex_lock(&fs->leaving_lock);
	atomic_fetch_and(&n->flags, ~(uint32_t)NODE_LEAVING);
	pthread_cond_broadcast(&fs->left);
	mutex_unlock(&fs->leaving_lock);
}

void leave_wait(struct fs *fs, struct node *n)
{
	if (!(atomic_load(&n->flags) & NODE_LEAVING))
		return;
	mutex_lock(&fs->leaving_lock);
	while (atomic_load(&n->flags) & NODE_LEAVING)
		mutex_wait(&fs->leaving_lock, &fs->left);
	mutex_unlock(&fs->leaving_lock);
}

struct bytes leave_text(struct op *op, struct node *n,
			const struct write_buffer *buffer, struct buf *text)
{
	if (n->ops->directory || !n->ops->file->load || n->ops->file->streamed)
		return BYTES_NULL;
	if (!buffer_is_open(buffer) &&
	    (!atomic_load(&n->opens) || view_is_read(n)))
		return BYTES_NULL;
	if (n->ops->file->document && n->table)	/* schema.cql hides by its node */
		node_pass(&op->fs->nodes, n);
	content_load(op, n, text);
	op->reason[0] = 0;
	return text->len ? buf_bytes(text) : BYTES_EMPTY;
}
