#include "fs/kind/root.h"

#include <errno.h>

#include "fs/kind/control.h"
#include "fs/kind/cql.h"
#include "fs/kind/json_tree.h"
#include "fs/kind/keyspace.h"
#include "fs/kind/schema.h"
#include "fs/kind/scratch.h"
#include "fs/kind/snapshots.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "fs/op/times_keep.h"
#include "fs/tree/listing.h"

static bool is_shown(const struct fs *fs, const struct keyspace *k)
{
	return !k->system && (!fs->keyspace || !strcmp(fs->keyspace, k->name));
}

static int lookup(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	if (bytes_equal(name, bytes_str(".widefs")))
		return control_child(op, out);
	if (bytes_equal(name, bytes_str(".snapshots")))
		return snapshots_child(op, out);
	if (bytes_equal(name, bytes_str(".json")))
		return json_tree_child(op, out);
	if (name.len && name.ptr[0] == '.')
		return cql_child(op, dir, name, out);
	return root_lookup_keyspace(op, dir, name, out);
}

int root_lookup_keyspace(struct op *op, struct node *dir, struct bytes name,
			 struct child *out)
{
	struct keyspace *k;
	struct bytes raw, base;
	bool definition = name_suffix(name, &base) == SUFFIX_CQL;
	int err = keyspace_read_name(op, definition ? base : name, &raw);

	if (err)
		return err;
	k = schema_keyspace(op->schema, raw);
	if (!k || (!k->system && !is_shown(op->fs, k)))
		return -ENOENT;
	if (definition)
		return schema_definition_child(op, dir, base, out);
	keyspace_child(out, k);
	return keyspace_set_time(op, k, out);
}

int root_set_time(struct op *op, struct child *out)
{
	int64_t newest = 0;
	uint32_t i;

	for (i = 0; i < op->schema->keyspace_count; i++)
		if (!op->schema->keyspaces[i]->system &&
		    op->schema->keyspaces[i]->created_us > newest)
			newest = op->schema->keyspaces[i]->created_us;
	if (newest)
		out->mtime_ns = newest * MICROSECOND;
	return keyspace_times_get(op, BYTES_EMPTY, ABOVE_DIRECTORY, 0,
				  &out->mtime_ns);
}

int root_child(struct op *op, struct child *out, const struct node_ops *ops)
{
	child_init(out, ops);
	out->uid = op->fs->uid;
	out->gid = op->fs->gid;
	out->mode = 0755;
	out->mtime_ns = op->fs->opened_ns;
	return root_set_time(op, out);
}

static int stat_root(struct op *op, struct node *n, struct child *out)
{
	(void)n;
	return root_child(op, out, &kind_root);
}

int root_next(struct op *op, struct listing *l, struct buf *name,
	      struct child *out)
{
	const struct keyspace *k;
	int err;

	while (l->index < op->schema->keyspace_count) {
		k = op->schema->keyspaces[l->index++];
		if (!is_shown(op->fs, k))
			continue;
		keyspace_child(out, k);
		name_escape(name, bytes_str(k->name));
		err = keyspace_set_time(op, k, out);
		return err ? err : 1;
	}
	return 0;
}

static int create(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	struct bytes base;

	(void)dir;
	if (name_is_scratch(name, &base))
		return scratch_create(op, name, out);
	return op_refuse(op, -EINVAL, "here are keyspaces: use mkdir");
}

static int mkdir_keyspace(struct op *op, struct node *dir, struct bytes name,
			  mode_t mode, struct child *out, bool *keep)
{
	struct buf text = BUF_INIT;
	struct keyspace *k;
	struct bytes raw;
	int err = keyspace_read_name(op, name, &raw);

	(void)keep;
	if (!err)
		err = keyspace_check_name(op, raw, "keyspace");
	if (!err && op->fs->keyspace &&
	    !bytes_equal(raw, bytes_str(op->fs->keyspace)))
		err = op_refuse(op, -EPERM, "only keyspace %s is mounted",
				op->fs->keyspace);
	if (err)
		return err;
	buf_add_str(&text, "CREATE KEYSPACE ");
	schema_print_name(&text, raw);
	buf_add_str(&text, " WITH replication = {'class': 'SimpleStrategy', "
			   "'replication_factor': 1}");
	err = text.failed ? -ENOMEM :
			    schema_run_statement(op, NULL, buf_bytes(&text),
						 mode & 0777, false);
	buf_release(&text);
	if (err)
		return err;
	op_renew_schema(op);
	k = schema_keyspace(op->schema, raw);
	if (!k)		/* another dropped it since */
		return -ESTALE;
	keyspace_child(out, k);
	out->value = raw;
	times_touch(op, NULL, dir);	/* it is made, with them or not */
	return 0;
}

const struct node_ops kind_root = {
	.kind = "store",
	.directory = true,
	.lookup = lookup,
	.stat = stat_root,
	.next = root_next,
	.create = create,
	.mkdir = mkdir_keyspace,
	.set_mtime = keyspace_times_set_mtime,
};
