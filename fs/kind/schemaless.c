/*
 * A partition of a schemaless table: a directory whose files are its rows. Any
 * name is a row's; only one too long for a name is a directory, of its key and
 * its value.
 */
#include <errno.h>

#include "fs/inner.h"
#include "fs/listing.h"

static void plain_name(struct buf *out, struct bytes value)
{
	name_escape_plain(out, value);
	name_shorten(out);
}

static int parse_plain(struct op *op, struct node *dir, struct bytes name,
		       struct child *out)
{
	struct table *t = op_table(op, dir);
	struct buf text = BUF_INIT, again = BUF_INIT;
	struct type_error error = { "" };
	int err;

	child_init(out, &kind_plain);
	if (!t)
		return -ESTALE;
	child_owner(out, t);
	err = name_unescape_plain(&text, name);
	if (!err)
		name_escape_plain(&again, buf_bytes(&text));
	if (!err && (text.failed || again.failed))
		err = -ENOMEM;
	else if (!err && !bytes_equal(buf_bytes(&again), name))
		err = op_refuse(op, -ENOENT, "the name of this row is '%s'",
				buf_cstr(&again));
	if (!err && type_validate(table_clustering_column(t, 0)->type,
				  buf_bytes(&text), &error)) {
		op_refuse_type(op, &error);
		err = -ENOENT;
	}
	if (!err)
		out->value = arena_copy(&op->arena, buf_bytes(&text));
	buf_release(&text);
	buf_release(&again);
	return err ? err : op->arena.failed ? -ENOMEM : 0;
}

static int lookup_plain(struct op *op, struct node *dir, struct bytes name,
			struct child *out)
{
	int err = parse_plain(op, dir, name, out);

	return err ? err : cell_lookup(op, dir, out);
}

static int create_plain(struct op *op, struct node *dir, struct bytes name,
			struct child *out)
{
	return parse_plain(op, dir, name, out);
}

static int stat_schemaless(struct op *op, struct node *n, struct child *out)
{
	return kind_partition.stat(op, n, out);
}

static int next_plain(struct op *op, struct listing *l, struct buf *name,
		      struct child *out)
{
	struct query q;
	int got;

	if (!l->cursor) {
		got = listing_place(op, l);
		if (got)
			return got == -EINVAL ? 0 : got;
		query_init(&q, l->place.table);
		q.partitions = &l->place.partition_key;
		q.partition_count = 1;
		q.now_s = op->now_s;
		got = table_query(&l->cursor, op->fs->store, &q);
		if (got)
			return got;
	}
	do {
		got = cursor_next(l->cursor, &l->row);
	} while (got > 0 && !l->row.cell_count);
	if (got <= 0)
		return got;
	plain_name(name, l->row.clustering[0]);
	child_init(out, &kind_plain);
	out->value = l->row.clustering[0];
	cell_child(out, l->place.table, l->row.cells[0].column->type,
		   &l->row.cells[0]);
	if (name_is_shortened(buf_bytes(name))) {
		struct buf whole = BUF_INIT;

		name_escape_plain(&whole, out->value);
		if (!bytes_equal(buf_bytes(&whole), buf_bytes(name)))
			out->ops = &kind_plain_long;
		buf_release(&whole);
	}
	return 1;
}

static int mkdir_long(struct op *op, struct node *dir, struct bytes name,
		      mode_t mode, struct child *out, bool *keep)
{
	struct table *t = op_table(op, dir);

	(void)mode;
	if (!t)
		return -ESTALE;
	if (!name_is_shortened(name))
		return op_refuse(op, -EPERM, "rows of %s are files, and no directories",
				 t->name);
	child_init(out, &kind_plain_long);
	child_owner(out, t);
	out->unkeyed = true;
	*keep = true;
	return 0;
}

static int rmdir_long(struct op *op, struct node *n)
{
	return kind_partition.rmdir(op, n);
}

const struct node_ops kind_schemaless = {
	.kind = "partition",
	.directory = true,
	.part = PART_KEY,
	.lookup = lookup_plain,
	.stat = stat_schemaless,
	.next = next_plain,
	.create = create_plain,
	.mkdir = mkdir_long,
	.rmdir = rmdir_long,
	.set_mtime = attr_set_mtime,
};

const struct node_ops kind_plain = {
	.kind = "file",
	.part = PART_KEY,
	.file = &cell_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.rename = cell_rename,
	.set_mtime = cell_set_mtime,
};

/* ---------------------------------------------------- names over 255 bytes */
static int lookup_in_long(struct op *op, struct node *dir, struct bytes name,
			  struct child *out)
{
	struct table *t = op_table(op, dir);

	if (!t)
		return -ESTALE;
	if (bytes_equal(name, bytes_str("@key")))
		return key_file_lookup(op, dir, out);
	if (!bytes_equal(name, bytes_str("value")))
		return -ENOENT;
	child_init(out, &kind_plain_value);
	child_owner(out, t);
	return cell_lookup(op, dir, out);
}

static int create_in_long(struct op *op, struct node *dir, struct bytes name,
			  struct child *out)
{
	struct table *t = op_table(op, dir);
	struct bytes base;

	if (!t)
		return -ESTALE;
	if (bytes_equal(name, bytes_str("@key")))
		return key_file_lookup(op, dir, out);
	if (bytes_equal(name, bytes_str("value"))) {
		child_init(out, &kind_plain_value);
		child_owner(out, t);
		return 0;
	}
	if (name_is_scratch(name, &base))
		return scratch_create(op, name, out);
	return op_refuse(op, -EINVAL, "here are the files @key and value");
}

static int next_in_long(struct op *op, struct listing *l, struct buf *name,
			struct child *out)
{
	if (!l->step) {
		buf_add_str(name, "@key");
		return key_file_lookup(op, l->node, out) ? 0 : 1;
	}
	if (l->data || lookup_in_long(op, l->node, bytes_str("value"), out))
		return 0;
	l->data = l;
	buf_add_str(name, "value");
	return 1;
}

static int stat_long(struct op *op, struct node *n, struct child *out)
{
	return kind_partition.stat(op, n, out);
}

const struct node_ops kind_plain_long = {
	.kind = "row",
	.directory = true,
	.part = PART_KEY,
	.lookup = lookup_in_long,
	.stat = stat_long,
	.next = next_in_long,
	.create = create_in_long,
	.rmdir = rmdir_long,
	.set_mtime = attr_set_mtime,
};

const struct node_ops kind_plain_value = {
	.kind = "file",
	.file = &cell_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.set_mtime = cell_set_mtime,
};
