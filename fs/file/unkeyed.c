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
	bool storing;			/* by the thread that set it: constant */
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

/* Wait until no thread stores what is held of n; return that, or NULL. */
static struct held *held_at_rest(struct fs *fs, const struct node *n)
	REQUIRES(&fs->held_lock)
{
	while (n->held && n->held->storing)
		mutex_wait(&fs->held_lock, &fs->held_stored);
	return n->held;
}

static struct held *replace(struct fs *fs, struct node *n, struct held *by)
{
	struct held *before;

	mutex_lock(&fs->held_lock);
	before = held_at_rest(fs, n);
	n->held = by;
	mutex_unlock(&fs->held_lock);
	return before;
}

bool unkeyed_drop(struct fs *fs, struct node *n)
{
	struct held *held = replace(fs, n, NULL);

	unkeyed_free(fs, held);
	return held;
}

void unkeyed_move(struct fs *fs, struct node *n, struct node *to)
{
	struct held *held = replace(fs, n, NULL);

	if (held)
		unkeyed_free(fs, replace(fs, to, held));
}

uint64_t unkeyed_room(uint64_t len)
{
	return sizeof(struct held) + sizeof(struct node) + len;
}

/* Charge held data, which counts as temporary files do. */
static int charge_held(struct op *op, struct held *held)
{
	return op_charge(op, &held->charge, RESOURCE_SCRATCH,
			 unkeyed_room(held->text.len + held->expires.len));
}

int unkeyed_prepare(struct held **out, struct op *op, struct bytes text,
		    const struct store_how *how)
{
	struct held *held = mem_zalloc(1, sizeof(*held));
	int err;

	if (!held)
		return -ENOMEM;
	buf_add_bytes(&held->text, text);
	held->has_text = true;
	held->how = *how;
	held->how.adds = false;	/* it is the whole text */
	err = held->text.failed ? -ENOMEM : charge_held(op, held);
	if (err)
		unkeyed_free(op->fs, held);
	else
		*out = held;
	return err;
}

void unkeyed_put(struct op *op, struct node *n, struct held *held)
{
	unkeyed_free(op->fs, replace(op->fs, n, held));
	keep_for(op, n, NULL);
}

int unkeyed_hold_first(struct op *op, struct node *n, struct bytes text)
{
	struct store_how how = { .copied = true };
	struct fs *fs = op->fs;
	struct held *held;
	bool is_first;
	int err = unkeyed_prepare(&held, op, text, &how);

	if (err)
		return err;
	mutex_lock(&fs->held_lock);
	is_first = !held_at_rest(fs, n);
	if (is_first)
		n->held = held;
	mutex_unlock(&fs->held_lock);
	if (is_first)
		keep_for(op, n, NULL);
	else
		unkeyed_free(fs, held);
	return is_first ? 0 : -EEXIST;
}

int unkeyed_store(struct op *op, struct node *n, struct bytes text,
		  const struct store_how *how)
{
	struct held *held;
	int err;

	if (how->append || n->ops->appends)
		return op_refuse(op, -EINVAL,
				 "this directory waits for its @key");
	err = n->ops->file->check ? n->ops->file->check(op, n, text, how) : 0;
	if (!err)
		err = unkeyed_prepare(&held, op, text, how);
	if (!err)
		unkeyed_put(op, n, held);
	return err;
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
	found = held_at_rest(op->fs, n);
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
	struct held *held = held_at_rest(op->fs, n);
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

/* --------------------------------------------------------------- storing */
static struct held *begin_storing(struct fs *fs, struct node *n)
{
	struct held *held;

	mutex_lock(&fs->held_lock);
	held = held_at_rest(fs, n);
	if (held)
		held->storing = true;
	mutex_unlock(&fs->held_lock);
	return held;
}

static void end_storing(struct fs *fs, struct node *n, bool keep)
{
	struct held *held = n->held;	/* nobody else changes it */

	mutex_lock(&fs->held_lock);
	held->storing = false;
	if (!keep)
		n->held = NULL;
	pthread_cond_broadcast(&fs->held_stored);
	mutex_unlock(&fs->held_lock);
	if (!keep)
		unkeyed_free(fs, held);
}

/* Store a file's text; the end of a value in the same write. */
static int store_text(struct op *op, struct node *n, const struct held *held)
{
	const struct file_kind *file = n->ops->file;
	struct bytes expires = buf_bytes(&held->expires);
	bool at_once = expires.len && file->store && !file->document;
	struct store_how how = held->how;
	int err = 0;

	if (at_once) {
		err = xattr_read_expires(op, expires, &how.expires_s);
		how.has_expires = true;
	}
	if (!err)
		err = content_store_now(op, n, buf_bytes(&held->text), &how);
	return err || at_once || !expires.len ?
		       err : xattr_set(op, n, "expires", expires);
}

/* True if what failed so may succeed later. */
static bool may_succeed(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -ENOMEM ||
	       err == -EIO || err == -EROFS;
}

/* Store what is held of a directory that is being stored, or of the file
 * itself. Until it is stored, it is shown and waited for. */
static int store_held(struct op *op, struct node *n)
{
	struct held *held = begin_storing(op->fs, n);
	int err = 0;

	if (!held)
		return 0;
	if (held->has_text)
		err = store_text(op, n, held);
	else if (held->expires.len)
		err = xattr_set(op, n, "expires", buf_bytes(&held->expires));
	if (held->has_text && !may_succeed(err))
		node_unkeep(&op->fs->nodes, n);
	end_storing(op->fs, n, may_succeed(err));
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
		/* for schema.cql; a key that was none waits for another */
		if (children[i]->ops->waits || children[i]->ops->key_file)
			continue;
		one = children[i]->ops->directory ?
			      settle(op, children[i], depth + 1) :
			      store_held(op, children[i]);
		err = err ? err : one;
	}
	node_children_put(&op->fs->nodes, children, count);
	if (err)
		return err;
	mtime_ns = atomic_exchange(&dir->mtime_ns, 0);
	return mtime_ns && dir->ops->set_mtime ?
		       dir->ops->set_mtime(op, dir, mtime_ns) : 0;
}

int unkeyed_settle(struct op *op, struct node *dir)
{
	int err = node_waits_for_key(dir) ? 0 : settle(op, dir, 0);

	if (may_succeed(err))
		atomic_fetch_or(&dir->flags, NODE_UNSETTLED);
	op_notify_below(op, dir);
	return err;
}

int unkeyed_settle_again(struct op *op, struct node *dir)
{
	uint32_t before = atomic_fetch_and(&dir->flags,
					   ~(uint32_t)NODE_UNSETTLED);

	return before & NODE_UNSETTLED ? unkeyed_settle(op, dir) : 0;
}

int unkeyed_catch_up(struct op *op, struct node *n)
{
	if (!(atomic_load(&n->flags) & NODE_KEPT) || node_waits_for_key(n))
		return 0;
	return n->ops->directory ? settle(op, n, 0) : store_held(op, n);
}
