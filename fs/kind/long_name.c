#include "fs/kind/long_name.h"

#include <errno.h>

#include "fs/file/xattr.h"
#include "fs/kind/cell.h"
#include "fs/kind/key.h"
#include "fs/kind/partition.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting.h"
#include "fs/node/kind.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/tree/listing.h"

static const struct node_ops kind_long_value, kind_plain_value;

static bool has_value(struct op *op, struct node *dir)
{
	struct place p;

	return dir->ops == &kind_plain_long ||
	       (!place_type(op, dir, &p) && p.type);
}

static void value_child(struct op *op, struct node *dir, struct child *out)
{
	struct table *t = op_table(op, dir);

	child_init(out, dir->ops == &kind_plain_long ? &kind_plain_value :
						       &kind_long_value);
	if (t)
		times_child_owner(out, t);
}

static int lookup_in_long(struct op *op, struct node *dir, struct bytes name,
			  struct child *out)
{
	if (bytes_equal(name, bytes_str("@key")))
		return key_file_lookup(op, dir, out);
	if (!bytes_equal(name, bytes_str("value")) || !has_value(op, dir))
		return -ENOENT;
	value_child(op, dir, out);
	return cell_lookup(op, dir, out);
}

static int create_in_long(struct op *op, struct node *dir, struct bytes name,
			  struct child *out)
{
	struct bytes base;

	if (bytes_equal(name, bytes_str("@key")))
		return key_file_child(op, dir, out);
	if (bytes_equal(name, bytes_str("value")) && has_value(op, dir)) {
		value_child(op, dir, out);
		return 0;
	}
	if (name_is_scratch(name, &base))
		return scratch_create(op, name, out);
	if (dir->ops->takes_waiting && waiting_is_allowed(op, dir) > 0)
		return waiting_create(op, dir, name, out);
	return op_refuse(op, -EINVAL, has_value(op, dir) ?
				"here are the files @key and value" :
				"here is the file @key");
}

static int next_in_long(struct op *op, struct listing *l, struct buf *name,
			struct child *out)
{
	if (!l->step && !key_file_lookup(op, l->node, out)) {
		buf_add_str(name, "@key");
		return 1;
	}
	if (l->data || lookup_in_long(op, l->node, bytes_str("value"), out))
		return 0;
	l->data = l;
	buf_add_str(name, "value");
	return 1;
}

/* -------------------------------------------------------------------- rows */
static int stat_long(struct op *op, struct node *n, struct child *out)
{
	return kind_partition.stat(op, n, out);
}

const struct node_ops kind_plain_long = {
	.kind = "row",
	.directory = true,
	.part = PART_KEY,
	.takes_waiting = true,
	.lookup = lookup_in_long,
	.stat = stat_long,
	.next = next_in_long,
	.create = create_in_long,
	.mkdir = waiting_mkdir,
	.rmdir = partition_rmdir,
	.set_mtime = times_set_mtime,
	.get_attribute = waiting_get_attribute,
	.set_attribute = waiting_set_attribute,
};

static const struct node_ops kind_plain_value = {
	.kind = "file",
	.part = PART_VALUE,
	.plain_value = true,
	.file = &cell_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.set_mtime = cell_set_mtime,
};

/* ---------------------------------------------------------------- elements */
/* The directory has the time of its cell, which is written through another
 * file. */
static int stat_element(struct op *op, struct node *n, struct child *out)
{
	int err = cell_stat(op, n, out);

	out->volatile_attributes = true;
	return err;
}

static int element_settle(struct op *op, struct node *n)
{
	struct store_how how = { .append = false };

	return has_value(op, n) ? 0 :
				  cell_file.store(op, n, BYTES_EMPTY, &how);
}

/* A map's element is removed with its value; that of a set with its name. */
static int rmdir_element(struct op *op, struct node *n)
{
	struct child c;
	int err;

	if (!has_value(op, n)) {
		err = cell_unlink(op, n);
		return err == -ENOENT ? 0 : err;
	}
	err = cell_stat(op, n, &c);
	return err == -ENOENT ? 0 : err ? err : -ENOTEMPTY;
}

/* Remember the time if there is no cell yet. */
static int set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	int err = cell_set_mtime(op, n, mtime_ns);

	if (err == -ENOENT || err == -EINVAL) {
		atomic_store(&n->mtime_ns, mtime_ns);
		err = 0;
	} else if (!err) {
		atomic_store(&n->mtime_ns, 0);
	}
	return err;
}

/* The attributes of a map's element are its value's. */
static int get_attribute(struct op *op, struct node *n, const char *name,
			 struct buf *out)
{
	return has_value(op, n) ? -ENODATA : xattr_get(op, n, name, out);
}

static int set_attribute(struct op *op, struct node *n, const char *name,
			 struct bytes value)
{
	return has_value(op, n) ? -ENODATA : xattr_set(op, n, name, value);
}

const struct node_ops kind_long_element = {
	.kind = "element",
	.directory = true,
	.part = PART_PATH,
	.lookup = lookup_in_long,
	.stat = stat_element,
	.next = next_in_long,
	.create = create_in_long,
	.rmdir = rmdir_element,
	.set_mtime = set_mtime,
	.get_attribute = get_attribute,
	.set_attribute = set_attribute,
	.settle = element_settle,
};

static const struct node_ops kind_long_value = {
	.kind = "element",
	.part = PART_VALUE,
	.file = &cell_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.set_mtime = cell_set_mtime,
};
