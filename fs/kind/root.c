/* The root: a directory of keyspaces, and of objects reached only by name. */
#include <errno.h>

#include "fs/kind/kind.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/times.h"
#include "fs/tree/listing.h"

static void keyspace_child(struct child *c, const struct keyspace *k)
{
	child_init(c, &kind_keyspace);
	c->uid = k->uid;
	c->gid = k->gid;
	c->mode = k->mode & 0777;
	c->mtime_ns = k->created_us * MICROSECOND;
	c->value = bytes_str(k->name);
	c->read_only = k->system;
}

static int set_time(struct op *op, const struct keyspace *k, struct child *c)
{
	if (k->system)
		return 0;
	return above_get(op, bytes_str(k->name), ABOVE_DIRECTORY,
			 (uint64_t)k->created_us, &c->mtime_ns);
}

int keyspace_stat(struct op *op, struct node *n, struct child *out)
{
	struct keyspace *k = schema_keyspace(op->schema, node_value(n));

	child_init(out, &kind_keyspace);
	if (!k)
		return -ENOENT;
	keyspace_child(out, k);
	out->value = node_value(n);
	return set_time(op, k, out);
}

int raw_name(struct op *op, struct bytes name, struct bytes *raw)
{
	struct buf text = BUF_INIT, again = BUF_INIT;
	int err = name_unescape(&text, name) ? -ENOENT : 0;

	if (!err)
		name_escape(&again, buf_bytes(&text));
	if (!err && !bytes_equal(buf_bytes(&again), name))
		err = op_refuse(op, -ENOENT, "this is written '%s'",
				buf_cstr(&again));
	if (!err)
		*raw = arena_copy(&op->arena, buf_bytes(&text));
	if (text.failed || again.failed || op->arena.failed)
		err = -ENOMEM;
	buf_release(&text);
	buf_release(&again);
	return err;
}

static bool is_shown(const struct fs *fs, const struct keyspace *k)
{
	return !k->system && (!fs->keyspace || !strcmp(fs->keyspace, k->name));
}

static int lookup(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	struct keyspace *k;
	struct bytes raw, base;
	int err;

	(void)dir;
	if (name.len && name.ptr[0] == '.')
		return bytes_equal(name, bytes_str(".widefs")) ?
			       control_child(op, out) :
			       cql_child(op, dir, name, out);
	if (name_suffix(name, &base) == SUFFIX_CQL)
		return ddl_child(op, dir, base, out);
	err = raw_name(op, name, &raw);
	if (err)
		return err;
	k = schema_keyspace(op->schema, raw);
	if (!k || (!k->system && !is_shown(op->fs, k)))
		return -ENOENT;
	keyspace_child(out, k);
	return set_time(op, k, out);
}

static int stat_root(struct op *op, struct node *n, struct child *out)
{
	(void)n;
	child_init(out, &kind_root);
	out->uid = op->fs->uid;
	out->gid = op->fs->gid;
	out->mode = 0755;
	out->mtime_ns = op->fs->opened_ns;
	return above_get(op, BYTES_EMPTY, ABOVE_DIRECTORY, 0, &out->mtime_ns);
}

static int next(struct op *op, struct listing *l, struct buf *name,
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
		err = set_time(op, k, out);
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
	int err = raw_name(op, name, &raw);

	(void)keep;
	if (!err)
		err = check_identifier(op, raw, "keyspace");
	if (!err && op->fs->keyspace &&
	    !bytes_equal(raw, bytes_str(op->fs->keyspace)))
		err = op_refuse(op, -EPERM, "only keyspace %s is mounted",
				op->fs->keyspace);
	if (err)
		return err;
	buf_add_str(&text, "CREATE KEYSPACE ");
	name_print(&text, raw);
	buf_add_str(&text, " WITH replication = {'class': 'SimpleStrategy', "
			   "'replication_factor': 1}");
	err = text.failed ? -ENOMEM :
			    run_statement(op, NULL, buf_bytes(&text),
					  mode & 0777, false);
	buf_release(&text);
	if (err)
		return err;
	op_renew_schema(op);
	k = schema_keyspace(op->schema, raw);
	if (!k)
		return -EIO;
	keyspace_child(out, k);
	out->value = raw;
	return attr_touch(op, NULL, dir);
}

const struct node_ops kind_root = {
	.kind = "store",
	.directory = true,
	.lookup = lookup,
	.stat = stat_root,
	.next = next,
	.create = create,
	.mkdir = mkdir_keyspace,
	.set_mtime = above_set_mtime,
};
