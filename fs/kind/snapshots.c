/*
 * .snapshots lists the snapshots; mkdir takes one, rmdir releases it. Below
 * .snapshots/NAME are the live tree's kinds of node over the store of that
 * moment (op_enter). Names may come and go without a call by path (statements,
 * a full disk): the kernel keeps neither them nor the listing.
 */
#include "fs/kind/snapshots.h"

#include <errno.h>

#include "fs/kind/root.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/place.h"
#include "fs/tree/listing.h"
#include "store/base/alloc.h"
#include "store/snapshot.h"

static const struct node_ops kind_snapshots, kind_snapshot;

#define SNAPSHOTS ".snapshots"	/* the name of the directory */

static int snapshot_child(struct op *op, struct child *out,
			  const struct manifest_snapshot *s)
{
	uint8_t number[8];

	put_le64(number, s->number);
	child_init(out, &kind_snapshot);
	out->uid = op->fs->uid;
	out->gid = op->fs->gid;
	out->mode = 0755;
	out->mtime_ns = s->created_us * MICROSECOND;
	out->value = arena_copy(&op->arena, bytes_of(number, 8));
	out->volatile_name = true;
	out->volatile_attributes = true;
	return op->arena.failed ? -ENOMEM : 0;
}

/* Return the name with a 0 byte after it; NULL: no memory. */
static const char *text_of(struct op *op, struct bytes name)
{
	char *text = arena_alloc(&op->arena, name.len + 1);

	if (!text)
		return NULL;
	if (name.len)
		memcpy(text, name.ptr, name.len);
	text[name.len] = 0;
	return text;
}

static int lookup_snapshot(struct op *op, struct node *dir, struct bytes name,
			   struct child *out)
{
	struct manifest_snapshot found;
	const char *text = text_of(op, name);
	int err = text ? snapshot_find(op->fs->store, text, 0, &found) :
			 -ENOMEM;

	(void)dir;
	return err ? err : snapshot_child(op, out, &found);
}

/* Return a tag of the snapshots that there are, for keyspace_times_set. */
static uint64_t tag_of(const struct manifest_snapshot *list, size_t count)
{
	uint64_t tag = 0;
	size_t i;

	for (i = 0; i < count; i++)
		tag = (tag + list[i].number) * 0x9e3779b97f4a7c15;
	return tag;
}

static int set_snapshots_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct manifest_snapshot *list;
	size_t count;
	int err = snapshot_list(op->fs->store, &list, &count);

	(void)n;
	if (err)
		return err;
	err = keyspace_times_set(op, bytes_str(SNAPSHOTS), ABOVE_DIRECTORY,
				 tag_of(list, count), mtime_ns);
	mem_free(list);
	return err;
}

int snapshots_child(struct op *op, struct child *out)
{
	struct manifest_snapshot *list;
	size_t count;
	int err = snapshot_list(op->fs->store, &list, &count);

	if (err)
		return err;
	child_init(out, &kind_snapshots);
	out->uid = op->fs->uid;
	out->gid = op->fs->gid;
	out->mode = 0755;
	out->mtime_ns = count ? list[count - 1].created_us * MICROSECOND :
				op->fs->opened_ns;
	out->volatile_attributes = true;
	err = keyspace_times_get(op, bytes_str(SNAPSHOTS), ABOVE_DIRECTORY,
				 tag_of(list, count), &out->mtime_ns);
	mem_free(list);
	return err;
}

static int stat_snapshots(struct op *op, struct node *n, struct child *out)
{
	(void)n;
	return snapshots_child(op, out);
}

/* l->data: the snapshots of the listing's moment, in its arena. */
static int next_snapshot(struct op *op, struct listing *l, struct buf *name,
			 struct child *out)
{
	struct manifest_snapshot *list, *own;
	int err;

	if (!l->step) {
		err = snapshot_list(op->fs->store, &list, &l->count);
		if (err)
			return err;
		own = arena_alloc(&l->arena, (l->count + 1) * sizeof(*own));
		if (own && l->count)
			memcpy(own, list, l->count * sizeof(*own));
		mem_free(list);
		if (!own)
			return -ENOMEM;
		l->data = own;
		l->index = 0;
	}
	if (l->index >= l->count)
		return 0;
	own = (struct manifest_snapshot *)l->data + l->index++;
	buf_add_str(name, own->name);
	err = snapshot_child(op, out, own);
	return err ? err : 1;
}

static int make_snapshot(struct op *op, struct node *dir, struct bytes name,
			 mode_t mode, struct child *out, bool *keep)
{
	const char *text = text_of(op, name);
	int err;

	(void)mode;
	(void)keep;
	if (!text)
		return -ENOMEM;
	if (!snapshot_name_is_valid(name))
		return op_refuse(op, -EINVAL, "a snapshot's name is text as a "
				 "keyspace's: '/', '%%', control bytes, a "
				 "leading '.' or '@' and the dot of a "
				 "document's suffix are written as %%XX");
	err = snapshot_create(op->fs->store, text, op_uid(op));
	if (err)
		return err;
	err = lookup_snapshot(op, dir, name, out);
	if (err)	/* its maker is told that there is none */
		snapshot_drop(op->fs->store, text);
	return err;
}

static const struct node_ops kind_snapshots = {
	.kind = "snapshots",
	.directory = true,
	.lookup = lookup_snapshot,
	.stat = stat_snapshots,
	.next = next_snapshot,
	.mkdir = make_snapshot,
	.set_mtime = set_snapshots_mtime,
	.volatile_listing = true,
};

/* ------------------------------------------------------------- one of them */
/* The time of the root as it was; where none was stored, that of its newest
 * keyspace: the same in every snapshot of the same data. */
static int stat_snapshot(struct op *op, struct node *n, struct child *out)
{
	struct manifest_snapshot found;
	int err = snapshot_find(op->fs->store, NULL, n->snapshot, &found);

	if (!err)
		err = snapshot_child(op, out, &found);
	if (!err)
		err = op_enter(op, n);
	if (err)
		return err;
	out->value = node_value(n);
	return root_set_time(op, out);
}

static int release(struct op *op, struct node *n)
{
	const char *name = text_of(op, node_name(n));
	int err;

	op_leave(op);
	err = name ? snapshot_drop(op->fs->store, name) : -ENOMEM;
	if (!err)	/* it is done, with the time or not */
		set_snapshots_mtime(op, n->parent,
				    store_timestamp(op->store) * MICROSECOND);
	return err;
}

static int get_attribute(struct op *op, struct node *n, const char *name,
			 struct buf *out)
{
	struct manifest_snapshot found;
	uint64_t figure;
	int err = snapshot_find(op->fs->store, NULL, n->snapshot, &found);

	if (err)
		return err;
	if (!strcmp(name, "held")) {
		err = snapshot_held(op->fs->store, n->snapshot, &figure);
	} else if (!strcmp(name, "created")) {
		figure = (uint64_t)found.created_us / 1000000;
	} else if (!strcmp(name, "automatic")) {
		figure = found.automatic;
	} else if (!strcmp(name, "owner")) {
		figure = found.owner;
		err = found.owner == MANIFEST_NO_OWNER ? -ENODATA : 0;
	} else {
		return strcmp(name, "expires") ? -EOPNOTSUPP : -ENODATA;
	}
	if (!err)
		buf_add_format(out, "%llu", (unsigned long long)figure);
	return err;
}

static int keep_name(struct op *op, struct node *n, struct node *dir,
		     struct bytes name, struct node *replaced,
		     struct child *target)
{
	(void)n, (void)dir, (void)name, (void)replaced, (void)target;
	return op_refuse(op, -EPERM, "a snapshot keeps its name");
}

static const struct node_ops kind_snapshot = {
	.kind = "snapshot",
	.directory = true,
	.snapshot = true,
	.lookup = root_lookup_keyspace,
	.stat = stat_snapshot,
	.next = root_next,
	.rmdir = release,
	.rename = keep_name,
	.get_attribute = get_attribute,
};
