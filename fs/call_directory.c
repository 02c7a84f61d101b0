/* Calls on open directories. */
#include <errno.h>

#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/unopened.h"
#include "fs/file/view_look.h"
#include "fs/fs.h"
#include "fs/kind/waiting.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/op/op.h"
#include "fs/tree/listing.h"

/* True if the kernel has the directory by another number than its name's, or below
 * such a one: changes are not told by that. */
static bool is_former(const struct node *n, uint64_t number)
{
	return n->id != number || !node_is_current(n);
}

/* Drop what the kernel has of a listing that it began to keep before a rename:
 * with the last answer it would take it for whole. */
static void drop_listing(struct op *op, uint64_t number)
{
	struct fs *fs = op->fs;
	struct node *n = node_by_id(&fs->nodes, number);
	uint64_t notice;

	if (!n)
		return;
	atomic_fetch_or(&n->armed, ARMED_PAGES);
	notice = notice_node(&fs->notices, n, ARMED_PAGES);
	if (notice > op->wait_for)
		op->wait_for = notice;
	node_put(&fs->nodes, n);
}

int fs_opendir(struct fs *fs, struct fs_call *call, uint64_t node,
	       struct fs_open_reply *reply)
{
	struct node *n = waiting_node(fs, node);
	struct op *op = n ? op_begin(fs, call) : NULL;
	struct listing *l;
	int err;

	memset(reply, 0, sizeof(*reply));
	if (!op) {
		node_put(&fs->nodes, n);
		return n ? -ENOMEM : -ESTALE;
	}
	err = op_enter(op, n);
	if (err == -ESTALE)	/* its snapshot was released */
		err = view_lost(op, n);
	if (!err)
		err = n->ops->directory ? listing_open(op, n, &l) : -ENOTDIR;
	if (!err) {
		reply->handle = (uint64_t)(uintptr_t)l;
		reply->cache_readdir = !n->ops->made_up &&
				       !n->ops->volatile_listing && !n->json &&
				       !is_former(n, node);
		reply->keep_cache = reply->cache_readdir;
	}
	err = op_end(op, err, n, NULL);
	node_put(&fs->nodes, n);
	return err;
}

int fs_readdir(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle, uint64_t cookie, bool plus, fs_fill *fill,
	       void *context)
{
	struct listing *l = (struct listing *)(uintptr_t)handle;
	struct op *op = op_begin(fs, call);
	int err;

	if (!op)
		return -ENOMEM;
	if (!cookie)
		listing_follow(fs, l);
	err = op_enter(op, l->node);
	if (err)
		return op_end(op, err, l->node, NULL);
	op_watch(op, l->node);
	unopened_close_all(op, l->node);
	handles_commit_empty(op, l->node);
	/* Entries listed by another number of the directory have no nodes (at.h). */
	mutex_lock(&l->lock);
	err = listing_stream(op, l, cookie, plus && !is_former(l->node, node),
			     fill, context);
	mutex_unlock(&l->lock);
	if (is_former(l->node, node))
		drop_listing(op, node);
	err = op_end(op, err, l->node, NULL);
	if (call)
		call->locked = true;
	return err;
}

bool fs_directory_is_heavy(uint64_t handle)
{
	return ((struct listing *)(uintptr_t)handle)->node->ops->made_up;
}

int fs_releasedir(struct fs *fs, struct fs_call *call, uint64_t node,
		  uint64_t handle)
{
	(void)call;
	(void)node;
	listing_close(fs, (struct listing *)(uintptr_t)handle);
	return 0;
}
