/*
 * Files that mknod made. tar --xattrs makes each file so, sets its attributes,
 * and opens it then: until somebody writes it, it is a file that an open made
 * and that is not closed yet, with a descriptor of ours. There are few of them;
 * a further one replaces the first, which is closed.
 */
#include "fs/file/unopened.h"

#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/process.h"

struct handle *unopened_remember(struct fs *fs, struct handle *h)
{
	struct handle *before;

	mutex_lock(&fs->made_lock);
	before = fs->made[fs->made_next];
	fs->made[fs->made_next] = h;
	fs->made_next = (fs->made_next + 1) % FS_MADE_MAX;
	mutex_unlock(&fs->made_lock);
	return before;
}

struct handle *unopened_take(struct fs *fs, const struct node *n)
{
	struct handle *found = NULL;
	unsigned i;

	mutex_lock(&fs->made_lock);
	for (i = 0; i < FS_MADE_MAX && !found; i++) {
		if (!fs->made[i] || fs->made[i]->node != n)
			continue;
		found = fs->made[i];
		fs->made[i] = NULL;
	}
	mutex_unlock(&fs->made_lock);
	return found;
}

/* True if its maker has ended, or makes the present call: it will not open the
 * file. */
static bool is_left(const struct op *op, const struct handle *h)
{
	if (op->call && op->call->pid == h->pid)
		return true;
	return h->pid <= 0 || process_has_ended(h->pid);
}

void unopened_close_all(struct op *op, const struct node *dir)
{
	struct fs *fs = op->fs;
	struct handle *left[FS_MADE_MAX];
	unsigned count = 0, i;

	if (!dir->table)
		return;
	mutex_lock(&fs->made_lock);
	for (i = 0; i < FS_MADE_MAX; i++) {
		if (!fs->made[i] || fs->made[i]->node->parent != dir ||
		    !is_left(op, fs->made[i]))
			continue;
		left[count++] = fs->made[i];
		fs->made[i] = NULL;
	}
	mutex_unlock(&fs->made_lock);
	for (i = 0; i < count; i++) {
		handle_unlink(fs, left[i]);
		handle_finish(op, left[i]);
		handle_free(fs, left[i]);
	}
}
