#include "fs/kind/scratch.h"

#include <errno.h>
#include <strings.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/reader_text.h"
#include "fs/file/stat.h"
#include "fs/file/xattr.h"
#include "fs/kind/memory_directory.h"
#include "fs/kind/waiting_store.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/distance.h"

/* Bytes that a file takes beside its text and its name. */
#define SCRATCH_RECORD (sizeof(struct scratch) + sizeof(struct node) + 128)

void scratch_free(struct fs *fs, struct scratch *s)
{
	if (!s || atomic_fetch_sub(&s->users, 1) > 1)
		return;
	charge_end(&fs->accounts, &s->charge);
	text_free(fs, &s->text);
	buf_release(&s->stored_at);
	mutex_release(&s->changing);
	mutex_release(&s->lock);
	mem_free(s);
}

int scratch_create(struct op *op, struct bytes name, struct child *out)
{
	struct scratch *s = mem_zalloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->record = SCRATCH_RECORD + name.len;
	err = op_charge(op, &s->charge, RESOURCE_SCRATCH, s->record);
	if (err) {
		mem_free(s);
		return err;
	}
	mutex_init(&s->changing);
	mutex_init(&s->lock);
	atomic_store(&s->users, 1);
	s->about = (struct scratch_about){
		.mtime_ns = clock_now_us() * MICROSECOND,
		.expires_s = NO_TIME,
		.mode = 0644,
		.uid = op_uid(op),
		.gid = op->call ? op->call->gid : op->fs->gid,
	};
	child_init(out, &kind_scratch);
	out->scratch = s;
	out->uid = s->about.uid;
	out->gid = s->about.gid;
	out->mode = s->about.mode;
	out->mtime_ns = s->about.mtime_ns;
	return 0;
}

/* ------------------------------------------------------------------ changes */
static struct scratch_about begin_change(struct scratch *s)
	ACQUIRES(&s->changing)
{
	struct scratch_about about;

	mutex_lock(&s->changing);
	mutex_lock(&s->lock);
	about = s->about;
	mutex_unlock(&s->lock);
	return about;
}

/* End a change: n has this about it from now on, and is stored so if it waits;
 * or, on an error, none of it. */
static int end_change(struct op *op, struct node *n,
		      const struct scratch_about *about)
	RELEASES(&n->scratch->changing)
{
	struct scratch *s = n->scratch;
	int err = n->ops->waits ?
			  waiting_save(op, n, about, buf_bytes(&s->text)) : 0;

	if (!err) {
		mutex_lock(&s->lock);
		s->about = *about;
		mutex_unlock(&s->lock);
	}
	mutex_unlock(&n->scratch->changing);
	return err;
}

static int charge_text(struct op *op, struct scratch *s, size_t len)
{
	return op_charge(op, &s->charge, RESOURCE_SCRATCH, s->record + len);
}

/* Replace the text, with what goes with it. n: the file, if it waits and is
 * stored; or NULL. */
static int set_text(struct op *op, struct node *n, struct scratch *s,
		    struct bytes text, const struct scratch_about *about)
	REQUIRES(&s->changing)
{
	struct buf copy = BUF_INIT, before;
	size_t len = s->text.len;
	int err;

	buf_add_bytes(&copy, text);
	err = copy.failed ? -ENOMEM : 0;
	/* More is charged before it is stored, less after that. */
	if (!err && text.len > len)
		err = charge_text(op, s, text.len);
	if (!err && n) {
		err = waiting_save(op, n, about, text);
		if (err)
			charge_text(op, s, len);
	}
	if (!err)
		charge_text(op, s, text.len);
	before = err ? copy : s->text;
	mutex_lock(&s->lock);
	if (!err) {
		s->text = copy;
		s->about = *about;
	}
	mutex_unlock(&s->lock);
	buf_release(&before);
	return err;
}

int scratch_of(struct op *op, struct bytes text, int64_t mtime_ns,
	       struct child *c)
{
	struct scratch *s = c->scratch;
	struct scratch_about about = begin_change(s);
	int err;

	about.mtime_ns = mtime_ns;
	about.has_mtime = true;
	c->size = text.len;
	err = set_text(op, NULL, s, text, &about);
	mutex_unlock(&s->changing);
	return err;
}

static int stat_scratch(struct op *op, struct node *n, struct child *out)
{
	struct scratch *s = n->scratch;

	(void)op;
	child_init(out, n->ops);
	mutex_lock(&s->lock);
	out->size = s->text.len;
	out->mtime_ns = s->about.mtime_ns;
	out->uid = s->about.uid;
	out->gid = s->about.gid;
	out->mode = s->about.mode;
	mutex_unlock(&s->lock);
	return 0;
}

static int load(struct op *op, struct node *n, struct buf *out)
{
	(void)op;
	mutex_lock(&n->scratch->lock);
	buf_add_bytes(out, buf_bytes(&n->scratch->text));
	mutex_unlock(&n->scratch->lock);
	return 0;
}

static int store(struct op *op, struct node *n, struct bytes text,
		 const struct store_how *how)
{
	struct scratch *s = n->scratch;
	struct scratch_about about = begin_change(s);
	int err;

	about.has_mtime = how->has_mtime;
	about.mtime_ns = how->has_mtime ? how->mtime_ns :
					  clock_now_us() * MICROSECOND;
	err = set_text(op, n->ops->waits ? n : NULL, s, text, &about);
	mutex_unlock(&s->changing);
	return err;
}

static bool takes_empty(struct op *op, struct node *n)
{
	(void)op;
	(void)n;
	return true;
}

static const struct file_kind scratch_file = {
	.load = load,
	.store = store,
	.takes_empty = takes_empty,
};

static int unlink_scratch(struct op *op, struct node *n)
{
	int err;

	if (!n->ops->waits)
		return 0;
	mutex_lock(&n->scratch->changing);
	err = waiting_unsave(op, n);
	mutex_unlock(&n->scratch->changing);
	return err;
}

void scratch_contents(struct scratch *s, struct buf *text, struct store_how *how)
{
	mutex_lock(&s->lock);
	how->has_mtime = s->about.has_mtime;
	how->mtime_ns = s->about.mtime_ns;
	how->has_expires = s->about.expires_s != NO_TIME;
	how->expires_s = s->about.expires_s;
	buf_add_bytes(text, buf_bytes(&s->text));
	mutex_unlock(&s->lock);
}

/* Replace the file that it was a copy of: one write, with its times. */
static int become(struct op *op, struct node *n, struct node *dir,
		  struct bytes name, struct child *target)
{
	struct store_how how = { .copied = true };
	struct buf text = BUF_INIT;
	struct node *now;
	int err;

	if (target->ops->directory ||
	    (!target->ops->file->store && !target->ops->file->replace))
		return op_refuse(op, -EPERM, "this file is read-only");
	scratch_contents(n->scratch, &text, &how);
	now = op_node_of_child(op, dir, name, target);
	err = now && !text.failed ? 0 : -ENOMEM;
	if (!err)
		err = content_store(op, now, buf_bytes(&text), &how);
	node_put(&op->fs->nodes, now);
	buf_release(&text);
	return err;
}

/* Say whether the record of a file that waited is gone: another's has the place. */
static void set_removed(struct node *n, bool removed)
{
	if (!n || !n->scratch)
		return;
	mutex_lock(&n->scratch->changing);
	n->scratch->is_removed = removed;
	mutex_unlock(&n->scratch->changing);
}

static int save_renamed(struct op *op, struct node *n, struct node *dir,
			struct bytes name, struct node *replaced, bool waits)
{
	int err;

	set_removed(replaced, true);
	mutex_lock(&n->scratch->changing);
	err = waiting_save_renamed(op, n, dir, name, waits);
	mutex_unlock(&n->scratch->changing);
	if (err)
		set_removed(replaced, false);
	return err;
}

static int rename_scratch(struct op *op, struct node *n, struct node *dir,
			  struct bytes name, struct node *replaced,
			  struct child *target)
{
	int err;

	memset(target, 0, sizeof(*target));
	if (!dir->ops->create)
		return -EXDEV;
	err = dir->ops->create(op, dir, name, target);
	if (err)
		return err;
	if (!target->scratch)
		err = become(op, n, dir, name, target);
	if (!err && (n->ops->waits || target->ops->waits))
		err = save_renamed(op, n, dir, name, replaced,
				   target->ops->waits);
	if (!target->scratch)
		return err;
	scratch_free(op->fs, target->scratch);
	target->scratch = NULL;
	if (err)
		return err;
	atomic_fetch_add(&n->scratch->users, 1);
	target->scratch = n->scratch;
	return 0;
}

static int set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct scratch_about about = begin_change(n->scratch);

	about.mtime_ns = mtime_ns;
	about.has_mtime = true;
	return end_change(op, n, &about);
}

/* Accept owners that the target cannot keep, as copiers set them; they are
 * forgotten with the name. */
static int set_owner(struct op *op, struct node *n, unsigned set,
		     const struct stat *attr)
{
	struct scratch_about about = begin_change(n->scratch);

	if (set & FS_SET_MODE)
		about.mode = attr->st_mode & 0777;
	if (set & FS_SET_UID)
		about.uid = attr->st_uid;
	if (set & FS_SET_GID)
		about.gid = attr->st_gid;
	return end_change(op, n, &about);
}

static int get_attribute(struct op *op, struct node *n, const char *name,
			 struct buf *out)
{
	int64_t expires_s;

	(void)op;
	if (strcmp(name, "expires"))
		return -EOPNOTSUPP;
	mutex_lock(&n->scratch->lock);
	expires_s = n->scratch->about.expires_s;
	mutex_unlock(&n->scratch->lock);
	if (expires_s == NO_TIME)
		return -ENODATA;
	xattr_print_expires(out, expires_s);
	return 0;
}

static int set_attribute(struct op *op, struct node *n, const char *name,
			 struct bytes value)
{
	struct scratch_about about;
	int64_t expires_s = NO_TIME;
	int err;

	if (strcmp(name, "expires"))
		return -EOPNOTSUPP;
	err = bytes_is_null(value) ? 0 :
				     xattr_read_expires(op, value, &expires_s);
	if (err)
		return err;
	about = begin_change(n->scratch);
	about.expires_s = expires_s;
	return end_change(op, n, &about);
}

/* The calls that both kinds have. */
#define SCRATCH_CALLS                                                         \
	.stat = stat_scratch, .unlink = unlink_scratch,                       \
	.rename = rename_scratch, .set_mtime = set_mtime,                     \
	.set_owner = set_owner, .get_attribute = get_attribute,               \
	.set_attribute = set_attribute

const struct node_ops kind_scratch = {
	.kind = "temporary file",
	.file = &scratch_file,
	SCRATCH_CALLS,
};

const struct node_ops kind_scratch_waiting = {
	.kind = "file that waits for its schema.cql",
	.waits = true,
	.file = &scratch_file,
	SCRATCH_CALLS,
};

/* ------------------------------------------------------------- directories */
static int create_in_directory(struct op *op, struct node *dir,
			       struct bytes name, struct child *out)
{
	(void)dir;
	return scratch_create(op, name, out);
}

static const struct node_ops kind_scratch_directory = {
	.kind = "temporary directory",
	.directory = true,
	.temporary = true,
	.takes_waiting = true,
	.lookup = memory_directory_lookup,
	.stat = memory_directory_stat,
	.next = memory_directory_next,
	.create = create_in_directory,
	.rmdir = memory_directory_rmdir,
};

int scratch_mkdir(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	struct child above;
	int err;

	if (!name_is_scratch_directory(name) || !dir->ops->create ||
	    dir->ops->temporary)
		return -ENOENT;
	err = stat_node(op, dir, &above);
	if (err)
		return err;
	child_init(out, &kind_scratch_directory);
	out->uid = above.uid;
	out->gid = above.gid;
	out->mode = above.mode;
	return 0;
}

/* ------------------------------------------------------- names to be near */
#define FARTHEST 3	/* letters that differ in a name that is still near */

/* Return how far the name is from that of the column, at most twice FARTHEST and
 * one. Of two that are as near the one that can be written is meant. */
static unsigned column_distance(const struct column *c, struct bytes name)
{
	struct bytes of = bytes_str(c->name);
	unsigned letters = of.len == name.len &&
			   !strncasecmp(c->name, (const char *)name.ptr, of.len) ?
				   0 : distance_of(name, of, FARTHEST);

	return 2 * letters + (c->kind == COLUMN_PARTITION_KEY ||
			      c->kind == COLUMN_CLUSTERING);
}

int scratch_refuse_name(struct op *op, struct bytes name, const char *what,
			const struct table *t)
{
	unsigned best = 2 * FARTHEST + 2, distance;
	const char *nearest = NULL;
	uint32_t i;

	for (i = 0; t && i < t->column_count; i++) {
		if (t->columns[i].hidden)
			continue;
		distance = column_distance(&t->columns[i], name);
		if (distance < best) {
			best = distance;
			nearest = t->columns[i].name;
		}
	}
	if (nearest)
		return op_refuse(op, -EINVAL,
				 "there is no %s '%.*s'; the nearest is '%s'",
				 what, (int)name.len, name.ptr, nearest);
	return op_refuse(op, -EINVAL, "there is no %s '%.*s'", what,
			 (int)name.len, name.ptr);
}
