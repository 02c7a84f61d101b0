#include "fs/kind/json_tree.h"

#include "fs/kind/root.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"

static const struct node_ops kind_json_tree;

int json_tree_child(struct op *op, struct child *out)
{
	return root_child(op, out, &kind_json_tree);
}

static int stat_json_tree(struct op *op, struct node *n, struct child *out)
{
	(void)n;
	return json_tree_child(op, out);
}

static int create(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	return kind_root.create(op, dir, name, out);
}

static int mkdir_keyspace(struct op *op, struct node *dir, struct bytes name,
			  mode_t mode, struct child *out, bool *keep)
{
	return kind_root.mkdir(op, dir, name, mode, out, keep);
}

static const struct node_ops kind_json_tree = {
	.kind = "store",
	.directory = true,
	.json = true,
	.lookup = root_lookup_keyspace,
	.stat = stat_json_tree,
	.next = root_next,
	.create = create,
	.mkdir = mkdir_keyspace,
	.set_mtime = keyspace_times_set_mtime,
};
