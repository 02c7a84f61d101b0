/*
 * Data written below a directory that waits for its @key (it was made under a
 * shortened name) has no place in the store yet: it is held in memory, listed
 * and read as it will be, and stored when the key comes.
 */
#include "fs/file/unkeyed.h"

#include <errno.h>

#include "fs/file/content.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/xattr.h"
#include "fs/node/account.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"

struct held {
	bool has_text;			/* false: of a directory */
	struct buf text;
	struct store_how how;
	struct buf expires;		/* the attribute as set */
	struct charge charge;		/* for all of it */
};

void unkeyed_free(struct fs *fs, struct held *held)
{
	if (!held)
		return;
	charge_end(&fs->accounts, &held->charge);
	buf_release(&held->text);
	buf_release(&held->expires);
	mem_free(held);
}

static struct held *take(struct fs *fs, struct node *n)
{
	struct held *held;

	mutex_lock(&fs->held_lock);
	held = n->held;
	n->held = NULL;
	mutex_unlock(&fs->held_lock);
	return held;
}

bool unkeyed_drop(struct fs *fs, struct node *n)
{
	struct held *held = take(fs, n);

	unkeyed_free(fs, held);
	return held;
}

void unkeyed_move(struct fs *fs, struct node *n, struct node *to)
{
	struct held *held = take(fs, n), *before;

	if (!held)
		return;
	mutex_lock(&fs->held_lock);
	before = to->held;
	to->held = held;
	mutex_unlock(&fs->held_lock);
	unkeyed_free(fs, before);
}

/* Charge held data, which counts as temporary files do. */
static int charge_held(struct op *op, struct held *held)
{
	return op_charge(op, &held->charge, RESOURCE_SCRATCH,
			 sizeof(*held) + sizeof(struct node) + held->text.len +
				 held->expires.len);
}

int unkeyed_hold(struct op *op, struct node *n, struct bytes text,
		 const struct store_how *how)
{
	struct held *held = mem_zalloc(1, sizeof(*held));
	struct fs *fs = op->fs;
	int err;

	if (!held)
		return -ENOMEM;
	buf_add_bytes(&held->text, text);
	held->has_text = true;
	held->how = *how;
	held->how.adds = false;	/* it is the whole text */
	err = held->text.failed ? -ENOMEM : charge_held(op, held);
	if (err) {
		unkeyed_free(fs, held);
		return err;
	}
	unkeyed_drop(fs, n);
	mutex_lock(&fs->held_lock);
	n->held = held;
	mutex_unlock(&fs->held_lock);
	keep_for(op, n, NULL);
	return 0;
}

int unkeyed_store(struct op *op, struct node *n, struct bytes text,
		  const struct store_how *how)
{
	int err;

	if (how->append || n->ops->appends)
		return op_refuse(op, -EINVAL,
				 "this directory waits for its @key");
	err = n->ops->file->check ? n->ops->file->check(op, n, text, how) : 0;
	return err ? err : unkeyed_hold(op, n, text, how);
}

bool unkeyed_holds(struct fs *fs, struct node *n)
{
	bool found;

	mutex_lock(&fs->held_lock);
	found = n->held;
	mutex_unlock(&fs->held_lock);
	return found;
}

bool unkeyed_load(struct op *op, struct node *n, struct buf *out)
{
	bool found;

	mutex_lock(&op->fs->held_lock);
	found = n->held && n->held->has_text;
	if (found)
		buf_add_bytes(out, buf_bytes(&n->held->text));
	mutex_unlock(&op->fs->held_lock);
	return found;
}

bool unkeyed_read(struct op *op, struct node *n, struct buf *text,
		  struct store_how *how, struct buf *expires)
{
	bool found;

	mutex_lock(&op->fs->held_lock);
	found = n->held && n->held->has_text;
	if (found) {
		buf_add_bytes(text, buf_bytes(&n->held->text));
		*how = n->held->how;
		buf_add_bytes(expires, buf_bytes(&n->held->expires));
	}
	mutex_unlock(&op->fs->held_lock);
	return found;
}

bool unkeyed_stat(struct op *op, struct node *n, struct child *out)
{
	bool found;

	mutex_lock(&op->fs->held_lock);
	found = n->held && n->held->has_text;
	if (found) {
		stat_of_kept(op, n, out);
		out->size = n->held->text.len;
		if (n->held->how.has_mtime)
			out->mtime_ns = n->held->how.mtime_ns;
		out->volatile_attributes = true;
	}
	mutex_unlock(&op->fs->held_lock);
	return found;
}

bool unkeyed_set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	bool found;

	mutex_lock(&op->fs->held_lock);
	found = n->held;
	if (found) {
		n->held->how.has_mtime = true;
		n->held->how.mtime_ns = mtime_ns;
	}
	mutex_unlock(&op->fs->held_lock);
	return found;
}

/* Hold *copy as user.expires of n; then *copy is the value before. -ENODATA: it
 * is a file of which nothing is held. */
static int set_expires_locked(struct op *op, struct node *n, struct buf *copy)
	REQUIRES(&op->fs->held_lock)
{
	struct held *held = n->held;
	struct buf before;
	int err;

	if (!held && n->ops->directory)
		held = mem_zalloc(1, sizeof(*held));
	if (!held)
		return n->ops->directory ? -ENOMEM : -ENODATA;
	before = held->expires;
	held->expires = *copy;
	err = charge_held(op, held);
	if (err)
		held->expires = before;
	else
		*copy = before;
	if (err && !n->held)
		mem_free(held);
	else
		n->held = held;
	return err;
}

int unkeyed_set_expires(struct op *op, struct node *n, struct bytes value)
{
	struct buf copy = BUF_INIT;
	int err;

	if (!bytes_is_null(value))
		buf_add_bytes(&copy, value);
	if (copy.failed) {
		buf_release(&copy);
		return -ENOMEM;
	}
	mutex_lock(&op->fs->held_lock);
	err = set_expires_locked(op, n, &copy);
	mutex_unlock(&op->fs->held_lock);
	buf_release(&copy);
	return err;
}

int unkeyed_get_expires(struct op *op, struct node *n, struct buf *out)
{
	size_t before = out->len;

	mutex_lock(&op->fs->held_lock);
	if (n->held)
		buf_add_bytes(out, buf_bytes(&n->held->expires));
	mutex_unlock(&op->fs->held_lock);
	return out->len > before ? 0 : -ENODATA;
}

/* Store what is held of a directory that is being stored, or of the file
 * itself. */
static int store_held(struct op *op, struct node *n)
{
	struct held *held = take(op->fs, n);
	int err = 0;

	if (!held)
		return 0;
	if (held->has_text)
		err = content_store_now(op, n, buf_bytes(&held->text),
					&held->how);
	if (!err && held->expires.len)
		err = xattr_set(op, n, "expires", buf_bytes(&held->expires));
	if (held->has_text)
		node_unkeep(&op->fs->nodes, n);
	unkeyed_free(op->fs, held);
	return err;
}

/* Store one level at a time, down to directories that wait for keys of their
 * own. */
static int settle(struct op *op, struct node *dir, unsigned depth)
{
	struct node **children;
	int64_t mtime_ns;
	size_t i, count;
	int err = 0, one;

	if (node_is_unkeyed(dir) || depth > 64)
		return 0;
	if (dir->ops->settle)
		err = dir->ops->settle(op, dir);
	if (!err)
		err = store_held(op, dir);
	if (!err)
		err = node_children(&op->fs->nodes, dir, CHILDREN_KEPT, &children,
				    &count);
	if (err)
		return err;
	for (i = 0; i < count; i++) {
		if (children[i]->ops->waits)	/* for schema.cql */
			continue;
		one = children[i]->ops->directory ?
			      settle(op, children[i], depth + 1) :
			      store_held(op, children[i]);
		err = err ? err : one;
	}
	node_children_put(&op->fs->nodes, children, count);
	mtime_ns = atomic_exchange(&dir->mtime_ns, 0);
	if (!err && mtime_ns && dir->ops->set_mtime)
		err = dir->ops->set_mtime(op, dir, mtime_ns);
	return err;
}

int unkeyed_settle(struct op *op, struct node *dir)
{
	int err = node_waits_for_key(dir) ? 0 : settle(op, dir, 0);

	op_notify_below(op, dir);
	return err;
}
