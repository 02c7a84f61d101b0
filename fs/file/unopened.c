/*
 * Files that mknod made. tar --xattrs makes each so, sets its attributes, and
 * opens it then: until somebody writes it, it is there as one that an open made
 * and that is not closed yet, with a descriptor of ours. There are few of them;
 * what is made after those gives up the first, as its close would.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "fs/op/inner.h"

/* h takes a place; what had it before is given back, or NULL. */
static struct handle *remember(struct fs *fs, struct handle *h)
{
	struct handle *before;

	mutex_lock(&fs->made_lock);
	before = fs->made[fs->made_next];
	fs->made[fs->made_next] = h;
	fs->made_next = (fs->made_next + 1) % FS_MADE_MAX;
	mutex_unlock(&fs->made_lock);
	return before;
}

struct handle *made_take(struct fs *fs, const struct node *n)
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

/* Who made it has ended, or asks himself: he does not go on with it. */
static bool is_left(const struct op *op, const struct handle *h)
{
	if (op->call && op->call->pid == h->pid)
		return true;
	return h->pid <= 0 || (kill(h->pid, 0) && errno == ESRCH);
}

void made_settle(struct op *op, const struct node *dir)
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

int fs_make_file(struct fs *fs, struct fs_call *call, uint64_t parent,
		 const char *name, mode_t mode, struct fs_entry *entry)
{
	struct fs_open_reply reply;
	struct handle *h;
	int err = fs_create(fs, call, parent, name, mode,
			    O_WRONLY | O_CREAT | O_EXCL, entry, &reply);

	if (err)
		return err;
	h = handle_of(reply.handle);
	if (h->image && !h->node->ops->file->document)
		h = remember(fs, h);
	if (h)
		fs_release(fs, NULL, 0, (uint64_t)(uintptr_t)h);
	return 0;
}
