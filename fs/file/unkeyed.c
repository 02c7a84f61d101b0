/*
 * Data written below a directory that waits for its @key (it was made under a
 * shortened name) has no place in its table yet: it is held in memory, listed
 * and read as it will be, and stored when the key comes. Until then a record
 * of it (unkeyed_record.h) is in the store.
 */
#include "fs/file/unkeyed.h"

#include <errno.h>
#include <string.h>

#include "fs/file/content.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed_record.h"
#include "fs/file/xattr.h"
#include "fs/node/account.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "store/base/alloc.h"
#include "store/base/log.h"

struct held {
	bool has_text;			/* false: of a directory */
	bool storing;			/* only the thread that set it changes it */
	bool is_done;			/* stored or refused, and has a record */
	struct buf text;
	struct store_how how;
	struct buf expires;		/* the attribute as set */
	struct buf at;			/* the key of its record, if it has one */
	struct charge charge;		/* for all of it */
};

void unkeyed_free(struct fs *fs, struct held *held)
{
	if (!held)
		return;
	charge_end(&fs->accounts, &held->charge);
	buf_release(&held->text);
	buf_release(&held->expires);
	buf_release(&held->at);
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

/* Take what is held of n for a change that also its record gets: other threads
 * wait until end_change. NULL: nothing is held. */
static struct held *begin_change(struct fs *fs, struct node *n)
{
	struct held *held;

	mutex_lock(&fs->held_lock);
	held = held_at_rest(fs, n);
	if (held)
		held->storing = true;
	mutex_unlock(&fs->held_lock);
	return held;
}

static void end_change(struct fs *fs, struct node *n, bool keep)
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

static struct unkeyed_record record_of(const struct op *op,
				       const struct held *held)
{
	return (struct unkeyed_record){
		.has_text = held->has_text,
		.text = buf_bytes(&held->text),
		.expires = buf_bytes(&held->expires),
		.how = held->how,
		.uid = op->who.uid,
	};
}

static int save(struct op *op, struct node *n, struct held *held)
{
	struct unkeyed_record r = record_of(op, held);

	return unkeyed_record_save(op, n, &r, &held->at);
}

/* The same after a change of the attributes alone. */
static int save_attributes(struct op *op, struct node *n, struct held *held)
{
	struct unkeyed_record r = record_of(op, held);
	bool has_record = held->at.len || (n->ops->directory &&
					   node_waits_for_key(n));

	return has_record ?
	       unkeyed_record_save_attributes(op, n, &r, &held->at) : 0;
}

int unkeyed_drop(struct op *op, struct node *n)
{
	struct held *held = begin_change(op->fs, n);
	int err;

	if (!held)
		return 0;
	err = unkeyed_record_remove(op, &held->at);
	end_change(op->fs, n, err);
	return err ? err : 1;
}

void unkeyed_move(struct op *op, struct node *n, struct node *to)
{
	struct held *held = begin_change(op->fs, n);
	struct fs *fs = op->fs;
	int err = 0;

	if (!held)
		return;
	if (held->at.len) {
		struct unkeyed_record r = record_of(op, held);

		err = unkeyed_record_move(op, to, &r, &held->at);
	}
	if (err)
		log_message(LOG_WARNING_LEVEL, "a file that waits for a @key was renamed, and is lost or under its old name after an unmount: %s",
			    strerror(-err));
	mutex_lock(&fs->held_lock);
	held->storing = false;
	n->held = NULL;
	pthread_cond_broadcast(&fs->held_stored);
	mutex_unlock(&fs->held_lock);
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
	if (!held->how.written_us)
		held->how.written_us = store_timestamp(op->store);
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
	if (is_first) {
		held->storing = true;
		n->held = held;
	}
	mutex_unlock(&fs->held_lock);
	if (!is_first) {
		unkeyed_free(fs, held);
		return -EEXIST;
	}
	err = save(op, n, held);
	end_change(fs, n, !err);
	if (!err)
		keep_for(op, n, NULL);
	return err;
}

int unkeyed_hold_again(struct op *op, struct node *n,
		       const struct unkeyed_record *r, struct bytes key)
{
	struct held *held;
	int err = unkeyed_prepare(&held, op, r->text, &r->how);

	if (err)
		return err;
	held->has_text = r->has_text;
	buf_add_bytes(&held->expires, r->expires);
	buf_add_bytes(&held->at, key);
	err = held->expires.failed || held->at.failed ? -ENOMEM :
							charge_held(op, held);
	if (err) {
		unkeyed_free(op->fs, held);
		return err;
	}
	atomic_fetch_or(&n->table->flags, NODE_RECORDED);
	unkeyed_free(op->fs, replace(op->fs, n, held));
	if (held->has_text)
		keep_for(op, n, NULL);
	return 0;
}

int unkeyed_store(struct op *op, struct node *n, struct bytes text,
		  const struct store_how *how)
{
	struct held *held;
	int err;

	if (how->append || n->ops->appends)
		return op_refuse(op, -EINVAL,
				 "this directory waits for its @key: write that first");
	err = n->ops->file->check ? n->ops->file->check(op, n, text, how) : 0;
	if (!err)
		err = unkeyed_prepare(&held, op, text, how);
	if (err)
		return err;
	err = save(op, n, held);
	if (err)
		unkeyed_free(op->fs, held);
	else
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
		how->written_us = 0;	/* it is written elsewhere now */
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

static void set_mtime(struct fs *fs, struct held *held, bool has_mtime,
		      int64_t mtime_ns)
{
	mutex_lock(&fs->held_lock);
	held->how.has_mtime = has_mtime;
	held->how.mtime_ns = mtime_ns;
	mutex_unlock(&fs->held_lock);
}

int unkeyed_set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct held *held = begin_change(op->fs, n);
	struct store_how before;
	int err;

	if (!held)
		return 0;
	before = held->how;
	set_mtime(op->fs, held, true, mtime_ns);
	err = save_attributes(op, n, held);
	if (err)
		set_mtime(op->fs, held, before.has_mtime, before.mtime_ns);
	end_change(op->fs, n, true);
	return err ? err : 1;
}

/* Hold *copy as user.expires of n, as a change that is begun; then *copy is the
 * value before. -ENODATA: it is a file of which nothing is held. */
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
	if (!err)
		held->storing = true;
	return err;
}

/* End a change of user.expires: the record gets it, or it is *before again. */
static int end_expires(struct op *op, struct node *n, struct buf *before)
{
	struct held *held = n->held;
	int err = save_attributes(op, n, held);

	if (err) {
		struct buf refused = held->expires;

		mutex_lock(&op->fs->held_lock);
		held->expires = *before;
		*before = refused;
		mutex_unlock(&op->fs->held_lock);
		charge_held(op, held);	/* less, but for a longer one before */
	}
	end_change(op->fs, n, true);
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
	if (!err)
		err = end_expires(op, n, &copy);
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

/* Store that this one was made. */
static int save_directory(struct op *op, struct node *dir)
{
	bool held;
	int err;

	mutex_lock(&op->fs->held_lock);
	held = held_at_rest(op->fs, dir);
	mutex_unlock(&op->fs->held_lock);
	if (held || !node_waits_for_key(dir))
		return 0;
	err = unkeyed_set_expires(op, dir, BYTES_NULL);
	return err ? err : unkeyed_catch_up(op, dir);
}

static int save_directories(struct op *op, struct node *dir, unsigned depth)
{
	struct node **children;
	size_t i, count;
	int err = save_directory(op, dir);

	if (err || depth > 64)
		return err;
	err = node_children(&op->fs->nodes, dir, CHILDREN_KEPT, &children,
			    &count);
	if (err)
		return err;
	for (i = 0; !err && i < count; i++)
		if (children[i]->ops->directory && !children[i]->ops->waits)
			err = save_directories(op, children[i], depth + 1);
	node_children_put(&op->fs->nodes, children, count);
	return err;
}

int unkeyed_save_directories(struct op *op, struct node *dir)
{
	return dir->table ? save_directories(op, dir, 0) : 0;
}

/* --------------------------------------------------------------- storing */
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

static int store_under_key(struct op *op, struct node *n,
			   const struct held *held)
{
	if (held->has_text)
		return store_text(op, n, held);
	return held->expires.len ?
		       xattr_set(op, n, "expires", buf_bytes(&held->expires)) :
		       0;
}

/* Store what is held of a directory that is being stored, or of the file
 * itself, and remove its record. Until then it is shown and waited for. */
static int store_held(struct op *op, struct node *n)
{
	struct held *held = begin_change(op->fs, n);
	int err, left;

	if (!held)
		return 0;
	err = held->is_done ? 0 : store_under_key(op, n, held);
	held->is_done = !may_succeed(err);
	left = held->is_done ? unkeyed_record_remove(op, &held->at) : err;
	if (held->has_text && !left)
		node_unkeep(&op->fs->nodes, n);
	end_change(op->fs, n, left);
	return err ? err : left;
}

/* Leave a row or an element that is stored now to the store, as any other: it
 * goes with a statement that deletes it. */
static void unkeep_stored(struct op *op, struct node *dir)
{
	struct child c;

	if (dir->ops->settle && !dir->ops->stat(op, dir, &c))
		node_unkeep(&op->fs->nodes, dir);
}

/* True if what the directory holds is for the table that schema.cql makes. */
static bool holds_for_schema(struct op *op, const struct node *dir)
{
	const struct table *t = dir->ops->takes_waiting ? op_table(op, dir) :
							  NULL;

	return t && t->flags & TABLE_PROVISIONAL;
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
	if (!err && !holds_for_schema(op, dir))
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
	unkeep_stored(op, dir);
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
