/* Calls that remove a name: rmdir and unlink. */
#include "fs/fs.h"

#include <errno.h>

#include "fs/at.h"
#include "fs/file/keep.h"
#include "fs/file/leave.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/write_buffer.h"
#include "fs/kind/waiting.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"

static int remove_directory(struct op *op, struct node *n)
{
	int err;

	if (!n->ops->directory)
		return -ENOTDIR;
	if (!n->ops->rmdir)
		return op_refuse(op, -EPERM, "this directory always exists");
	err = keep_has_children(op, n);
	if (err > 0)
		err = -ENOTEMPTY;
	else if (!err && !node_waits_for_key(n))	/* it is stored */
		err = n->ops->rmdir(op, n);
	if (!err)
		err = unkeyed_drop(op, n);
	if (err > 0)
		err = 0;
	if (err == -ENOTEMPTY)
		op_refuse(op, err, "it is not empty: rm -r removes it with "
				   "what it holds");
	return err;
}

static int remove_file(struct op *op, struct node *n)
{
	struct bytes before;
	struct buf text = BUF_INIT;
	struct write_buffer *buffer;
	bool is_new;
	int err = 0, held;

	if (n->ops->directory)
		return -EISDIR;
	if (!n->ops->unlink)
		return op_refuse(op, -EPERM, "this file cannot be removed");
	op->changes_file = true;
	is_new = buffer_is_new(op->fs, n);
	buffer = buffer_hold(op->fs, n);
	if (!buffer)
		return -ENOMEM;
	before = leave_text(op, n, buffer, &text);
	if (!buffer->is_new)
		is_new = false;		/* committed meanwhile */
	held = unkeyed_drop(op, n);
	if (held < 0)
		err = held;
	else if (!is_new && (!held || !node_waits_for_key(n)))
		err = n->ops->unlink(op, n);
	if (held > 0 && err == -ENOENT)
		err = 0;
	if (!err) {
		locks_remove(&op->fs->locks, n);
		buffer_orphan(op, n, buffer, before, true);
	}
	buffer_release(op->fs, n, buffer);
	buf_release(&text);
	return err;
}

static int remove_now(struct fs *fs, struct fs_call *call, uint64_t parent,
		      const char *name, bool directory)
{
	struct node *n = NULL;
	struct child c;
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, true);

	if (err)
		return err;
	/*
	 * The kernel has a name until the notice of its end arrives: the store
	 * may already have nothing of a directory. Files are checked later.
	 */
	n = directory ? NULL : node_find(&fs->nodes, at.dir, at.name);
	if (!n || (atomic_load(&n->flags) & NODE_HIDDEN)) {
		node_put(&fs->nodes, n);
		err = stat_lookup(at.op, at.dir, at.name, &c, &n);
	}
	leave_begin(n);
	if (!err)
		err = directory ? remove_directory(at.op, n) :
				  remove_file(at.op, n);
	/* By the other number its name may go after the reply, which waits
	 * for its attributes alone. */
	if (!err && at.op->by_former)
		op_notify(at.op, n, ARMED_ALL);
	if (!err && !(atomic_load(&n->flags) & NODE_HIDDEN))
		node_detach(&fs->nodes, n);
	leave_end(fs, n);
	/* The kernel drops the name itself. */
	if (!err)
		atomic_fetch_and(&n->armed, ~(uint32_t)ARMED_NAME);
	node_put(&fs->nodes, n);
	return at_end(&at, at_or_lost(&at, err));
}

static int remove_name(struct fs *fs, struct fs_call *call, uint64_t parent,
		       const char *name, bool directory)
{
	return WAITING_REPEATED(remove_now(fs, call, parent, name, directory));
}

int fs_rmdir(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name)
{
	return remove_name(fs, call, parent, name, true);
}

int fs_unlink(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name)
{
	return remove_name(fs, call, parent, name, false);
}
