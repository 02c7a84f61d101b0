/*
 * The attributes of a node as they are now, with the texts that are open or
 * pending; and the child of a name.
 */
#include "fs/file/stat.h"

#include <errno.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view.h"
#include "fs/file/write_buffer.h"
#include "fs/node/call.h"
#include "fs/node/idle.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/op/kernel.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/base/clock.h"

/* Set the attributes that the directory had when it was kept: the store has
 * none. */
void stat_of_kept(struct op *op, struct node *n, struct child *out)
{
	struct table *t = op_table(op, n);
	struct child above;

	child_init(out, n->ops);
	if (t) {
		times_child_owner(out, t);
	} else if (!n->table && n->parent &&
		   !n->parent->ops->stat(op, n->parent, &above)) {
		out->uid = above.uid;
		out->gid = above.gid;
		out->mode = above.mode;
	}
	out->number = n->number;
	out->value = node_value(n);
}

/* Set times stored beside the data: of n, or of a child of dir without a
 * node. */
static int set_times(struct op *op, struct node *dir, struct node *n,
		     struct child *c)
{
	struct node *table = n ? n->table : c->is_table || !dir ? NULL :
						      dir->table;
	struct place p;
	int err;

	if (!table || c->ops->part == PART_NONE || c->time_is_read)
		return 0;
	if (!c->ops->directory && !c->ops->file->document &&
	    c->timestamp_us == NO_TIMESTAMP)
		return 0;
	err = times_exist(op, table, c->ops);
	if (err <= 0)
		return err;
	err = n ? place_of(op, n, &p) : place_of_child(op, dir, c, &p);
	return err ? err : times_of_child(op, table, &p, c);
}

int stat_set_times(struct op *op, struct node *dir, struct child *c)
{
	int err = set_times(op, dir, NULL, c);

	return err == -EINVAL ? 0 : err;	/* no key: it has no place */
}

/*
 * A kept directory with a stored time exists whatever the store holds below it:
 * a live row among the deleted ones need not be searched.
 */
static bool stat_kept(struct op *op, struct node *n, struct child *out)
{
	if (!n->ops->directory || !n->table || n->table == n ||
	    n->ops->part == PART_PATH ||
	    !(atomic_load(&n->flags) & NODE_KEPT))
		return false;
	stat_of_kept(op, n, out);
	out->mtime_ns = 0;
	return !set_times(op, NULL, n, out) && out->mtime_ns;
}

/* True if every change of the directory's attributes changes its time. */
static bool is_known_by_time(struct op *op, const struct node *n)
{
	struct table *t;

	if (!n->ops->directory || !n->table || n->table == n || n->json ||
	    n->ops->part == PART_PATH ||
	    (atomic_load(&n->flags) & NODE_UNKEYED))
		return false;
	t = op_table(op, n);
	return t && !(t->flags & TABLE_VIRTUAL);
}

/* True if what is known of n is still so. The changes of this op itself are not
 * counted yet. */
static bool is_known(struct op *op, struct node *n,
		     const struct node_known *known)
{
	if (known_is_same(op, n, &known->moment))
		return true;
	/* The changes of a table that was renamed are counted in another node. */
	return n->ops->directory && known->mtime_ns && !op->timed &&
	       node_is_current(n->table) &&
	       known->changes == atomic_load(&n->table->changes);
}

/*
 * Set what is known of n, if its partition or table has not changed since: the
 * first row of a directory is not searched again, however many deleted rows
 * come before it, and a cell is not read again. False: n must be read.
 */
static bool stat_known(struct op *op, struct node *n, struct child *out)
{
	struct node_known known;

	if (n->ops->directory && !is_known_by_time(op, n))
		return false;
	known = node_knows(&op->fs->nodes, n);
	if (!is_known(op, n, &known))
		return false;
	stat_of_kept(op, n, out);
	out->mtime_ns = known.mtime_ns;
	if (!n->ops->directory) {
		out->timestamp_us = known.timestamp_us;
		out->size = known.size;
	}
	return true;
}

/* Note the attributes *c, which were read after the table's count of changes
 * was. */
static void know(struct op *op, struct node *n, const struct child *c,
		 uint32_t changes)
{
	struct node_known known = {
		.mtime_ns = c->mtime_ns,
		.timestamp_us = c->timestamp_us,
		.size = c->size,
		.changes = changes,
		.is_set = c->time_is_set,
		.moment = c->moment,
	};

	if (times_child_changes_s(c) == NO_TIME && !c->volatile_attributes)
		node_know(&op->fs->nodes, n, &known);
}

void stat_know(struct op *op, struct node *n, const struct child *c)
{
	know(op, n, c, op->watched_changes);
}

void stat_know_touched(struct op *op)
{
	struct node *dir = op->touched;
	struct node_known known = { .mtime_ns = op->touched_ns,
				    .changes = op->watched_changes };

	if (dir && op->own_changes != op->touched_after &&
	    op->watched == dir->table && op_is_fresh(op) &&
	    is_known_by_time(op, dir))
		node_know(&op->fs->nodes, dir, &known);
}

static int stat_now(struct op *op, struct node *n, struct child *out)
{
	uint32_t changes = n->table ? atomic_load(&n->table->changes) : 0;
	int err = n->ops->stat(op, n, out);
	bool found = !err;

	if ((err == -ENOENT || err == -EINVAL) && n->ops->directory &&
	    (node_is_unkeyed(n) || (atomic_load(&n->flags) & NODE_KEPT))) {
		stat_of_kept(op, n, out);
		err = 0;
	}
	if (!err)
		err = set_times(op, NULL, n, out);
	if (!err && found && (out->moment.state || is_known_by_time(op, n)))
		know(op, n, out, changes);
	return err == -EINVAL ? 0 : err;	/* no key: it has no place */
}

int stat_node(struct op *op, struct node *n, struct child *out)
{
	int64_t mtime_ns;
	int err = 0;

	if (node_is_gone(n))
		return -ENOENT;
	if (!n->ops->directory && unkeyed_stat(op, n, out))
		return 0;
	if (!stat_known(op, n, out)) {
		if (stat_kept(op, n, out))
			return 0;
		err = stat_now(op, n, out);
	}
	mtime_ns = atomic_load(&n->mtime_ns);
	if (!err && mtime_ns && n->ops->directory)
		out->mtime_ns = mtime_ns;
	return err;
}

/* A kind can read both at once only if they are stored under n's own name. */
int stat_and_load(struct op *op, struct node *n, struct child *out,
		  struct buf *text)
{
	const struct file_kind *file = n->ops->file;
	int err;

	if (!file->load_with_stat || node_is_gone(n) ||
	    unkeyed_holds(op->fs, n)) {
		/* If the file changes in between, an older time is told with the
		 * new text: programs that copy by time copy it again. */
		err = stat_node(op, n, out);
		out->moment.state = 0;
		return err ? err : content_load(op, n, text);
	}
	err = file->load_with_stat(op, n, text, out);
	if (!known_may_be(n))
		out->moment.state = 0;
	if (!err)
		err = set_times(op, NULL, n, out);
	if (!err && out->moment.state)
		know(op, n, out, 0);
	return err;
}

int stat_lookup(struct op *op, struct node *dir, struct bytes name,
		struct child *c, struct node **out)
{
	uint32_t changes = dir->table ? atomic_load(&dir->table->changes) : 0;
	struct node *n;
	bool waited;
	int err;

	*out = NULL;
	if (dir->ops->is_being_made && dir->ops->is_being_made(op, dir, name))
		return -ENOENT;
	n = node_find(&op->fs->nodes, dir, name);
	if (n && (atomic_load(&n->flags) & NODE_HIDDEN)) {
		node_put(&op->fs->nodes, n);
		return -ENOENT;
	}
	/* A node by position is found anew: other elements may have come
	 * before. */
	if (n && !n->ops->by_position) {
		err = stat_node(op, n, c);
		if (err == -ENOENT && buffer_is_new(op->fs, n)) {
			stat_of_kept(op, n, c);
			err = 0;
		}
		if (!err || (err != -ENOENT && err != -ESTALE)) {
			*out = n;
			return err;
		}
		op->reason[0] = 0;
	}
	node_put(&op->fs->nodes, n);
	if (!dir->ops->lookup)
		return -ENOTDIR;
	do {		/* again, if the key comes meanwhile */
		waited = node_waits_for_key(dir);
		err = name_is_shortened(name) && !dir->ops->schema_names ?
			      op->fs->lookup_shortened(op, dir, name, name, c) :
			      dir->ops->lookup(op, dir, name, c);
		if (!err)
			err = stat_set_times(op, dir, c);
	} while (err == -EINVAL && waited && !node_waits_for_key(dir));
	if (err == -EINVAL && waited)
		err = -ENOENT;	/* without a key it holds nothing */
	if (err)
		return err;
	*out = op_node_of_child(op, dir, name, c);
	if (!*out)
		return -ENOMEM;
	if (c->moment.state)
		know(op, *out, c, changes);
	/* A table's own times are found by its node. */
	return c->is_table ? stat_node(op, *out, c) : 0;
}

/* Find the directory that has the path of dir now. -EACCES: the caller may not
 * enter it. */
static int find_now(struct op *op, const struct node *dir, struct node **now)
{
	struct node *above;
	struct child c;
	int err;

	*now = NULL;
	if (!dir->parent)
		return (*now = op_node(op->fs, dir->id)) ? 0 : -ENOENT;
	err = find_now(op, dir->parent, &above);
	if (!err)
		err = stat_lookup(op, above, node_name(dir), &c, now);
	if (!err && !caller_may(op, c.uid, c.gid, c.mode, RIGHT_ENTER))
		err = -EACCES;
	node_put(&op->fs->nodes, above);
	return err;
}

int stat_lookup_by_path(struct op *op, const struct node *dir,
			struct bytes name, struct child *c, struct node **out)
{
	struct node *now;
	int err;

	*out = NULL;
	if (dir->snapshot)
		return -ESTALE;
	err = find_now(op, dir, &now);
	if (!err)
		err = stat_lookup(op, now, name, c, out);
	node_put(&op->fs->nodes, now);
	op->reason[0] = 0;
	return err;
}

/* Return the seconds from now to the beginning of the second in which it
 * ends. */
static double seconds_until(const struct op *op, int64_t expires_s)
{
	double left;

	if (expires_s == NO_TIME || expires_s - op->now_s > FS_FOREVER)
		return FS_FOREVER;
	if (expires_s <= op->now_s)
		return 0;
	left = ((double)expires_s * 1e6 - (double)clock_now_us()) / 1e6;
	return left > 0 ? left : 0;
}

/*
 * The kernel takes the attributes of an answer for fresh before it sets their
 * size: until then it would show the size that a writer left there. So after
 * writers its first answers are kept by nobody. It is unknown here which of
 * several comes first to the kernel: they are all those of a second,
 * node.resized says since when.
 */
#define RESIZED_ASKED 1u	/* it had writers, and no answer since */
#define RESIZED_UNIT_US 65536	/* 32 bits are nine years of these */
#define RESIZED_UNITS 16

void stat_note_resized(struct node *n)
{
	atomic_store(&n->resized, RESIZED_ASKED);
}

/* True if an answer about n may be one of the first after its writers. */
static bool is_resized(struct node *n)
{
	uint32_t since = atomic_load(&n->resized), now;

	if (!since)
		return false;
	now = (uint32_t)(clock_now_us() / RESIZED_UNIT_US) | 2;
	if (since == RESIZED_ASKED)
		atomic_compare_exchange_strong(&n->resized, &since, now);
	else if (now - since > RESIZED_UNITS + 2)
		return !atomic_compare_exchange_strong(&n->resized, &since, 0);
	return true;
}

void stat_fill_attr(struct op *op, struct node *n, struct child *c,
		    struct stat *attr, double *timeout_s)
{
	bool pending = false;

	if (!n->ops->directory) {
		pending = buffer_size(op, n, &c->size);
		pending |= view_fill(op->fs, n, c);
	}
	if (op->fs->read_only)
		c->read_only = true;
	if (n->snapshot)	/* time stands still there */
		c->expires_s = c->changes_s = NO_TIME;
	owner_show(op, &c->uid, &c->gid, &c->mode);
	owner_guard_description(op, n, c);
	times_child_stat(c, n->ino, attr);
	*timeout_s = seconds_until(op, times_child_changes_s(c));
	if (pending || c->volatile_attributes || n->json ||
	    (atomic_load(&n->flags) & NODE_PAST) || !node_is_current(n) ||
	    (!pending && is_resized(n)))
		*timeout_s = 0;
	if (*timeout_s <= 0)
		return;
	atomic_fetch_or(&n->armed, ARMED_ATTRIBUTES);
	if (n->ops->directory)
		op_note_told(op, n);
	/* Arm it last: later changes and writers find it armed. */
	if (!op_is_fresh(op) || (atomic_load(&n->flags) & NODE_PAST) ||
	    !node_is_current(n) ||
	    (!n->ops->directory && view_is_written(n)))
		*timeout_s = 0;
}

void stat_fill_entry(struct op *op, struct node *n, struct child *c,
		     struct fs_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	entry->node = n->id;
	stat_fill_attr(op, n, c, &entry->attr, &entry->attr_timeout_s);
	entry->entry_timeout_s = seconds_until(op, c->expires_s);
	if (c->volatile_name || n->json)
		entry->entry_timeout_s = 0;
	atomic_store(&n->ends_s, c->expires_s);
	/* Arm before the check: later changes find it armed. */
	if (entry->entry_timeout_s > 0)
		atomic_fetch_or(&n->armed, ARMED_NAME);
	if (!op_is_fresh(op) || (atomic_load(&n->flags) & NODE_PAST) ||
	    !node_is_current(n))
		entry->entry_timeout_s = 0;
	node_count(n);
	if (idle_is_due(&op->fs->nodes))
		notice_prune(&op->fs->notices);
}

void stat_fill_alias(struct op *op, struct node *n, struct node *alias,
		     struct child *c, struct fs_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	entry->node = alias->id;
	stat_fill_attr(op, n, c, &entry->attr, &entry->attr_timeout_s);
	entry->attr_timeout_s = 0;
	node_count(alias);
	if (idle_is_due(&op->fs->nodes))
		notice_prune(&op->fs->notices);
}
