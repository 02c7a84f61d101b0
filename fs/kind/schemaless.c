#include "fs/kind/schemaless.h"

#include <errno.h>

#include "fs/kind/cell.h"
#include "fs/kind/cell_move.h"
#include "fs/kind/key.h"
#include "fs/kind/long_name.h"
#include "fs/kind/partition.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/tree/listing.h"
#include "fs/tree/listing_shortened.h"
#include "store/type/value.h"

static bool is_key_file(struct bytes dir_name, struct bytes name)
{
	return bytes_equal(name, bytes_str("@key")) &&
	       name_is_shortened(dir_name);
}

void schemaless_print_name(struct buf *out, struct bytes dir_name,
			   struct bytes value)
{
	if (is_key_file(dir_name, value))
		buf_add_str(out, "%40key");
	else
		name_escape_plain(out, value);
}

static int parse_plain(struct op *op, struct node *dir, struct bytes name,
		       struct child *out)
{
	struct table *t = op_table(op, dir);
	struct buf text = BUF_INIT, again = BUF_INIT;
	struct type_error error = { .text = "" };
	int err;

	child_init(out, &kind_plain);
	if (!t)
		return -ESTALE;
	times_child_owner(out, t);
	err = name_unescape_plain(&text, name);
	if (!err)
		schemaless_print_name(&again, node_name(dir), buf_bytes(&text));
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
	int err;

	if (is_key_file(node_name(dir), name))
		return key_file_lookup(op, dir, out);
	err = parse_plain(op, dir, name, out);
	return err ? err : cell_lookup(op, dir, out);
}

static int create_plain(struct op *op, struct node *dir, struct bytes name,
			struct child *out)
{
	struct bytes base;
	int err;

	if (is_key_file(node_name(dir), name))
		return key_file_child(op, dir, out);
	err = parse_plain(op, dir, name, out);
	/* A temporary name that rsync derives from an escaped name need not be
	 * legal; nor the name of a column that is still to come. */
	if (err != -ENOENT)
		return err;
	if (name_is_scratch(name, &base)) {
		op->reason[0] = 0;
		return scratch_create(op, name, out);
	}
	if (waiting_is_allowed(op, dir) <= 0)
		return -ENOENT;
	op->reason[0] = 0;
	return waiting_create(op, dir, name, out);
}

static int stat_schemaless(struct op *op, struct node *n, struct child *out)
{
	return kind_partition.stat(op, n, out);
}

static ASIDE int open_rows(struct op *op, struct listing *l)
{
	struct slice slice;
	struct query q;
	int err = listing_place(op, l);

	if (err)
		return err;
	query_init(&q, l->place.table);
	q.partitions = &l->place.partition_key;
	q.partition_count = 1;
	q.now_s = op->now_s;
	err = listing_narrow(l, &q, &slice);
	return err ? err : table_query(&l->cursor, op->store, &q);
}

static int next_plain(struct op *op, struct listing *l, struct buf *name,
		      struct child *out)
{
	int got;

	if (!l->step && is_key_file(node_name(l->node), bytes_str("@key")) &&
	    !key_file_lookup(op, l->node, out)) {
		buf_add_str(name, "@key");
		return 1;
	}
	if (!l->cursor) {
		got = open_rows(op, l);
		if (got)
			return got == -EINVAL ? 0 : got;
	}
	do {
		got = cursor_next(l->cursor, &l->row);
	} while (got > 0 && !l->row.cell_count && !l->row.names);
	if (got <= 0)
		return got;
	schemaless_print_name(name, node_name(l->node), l->row.clustering[0]);
	listing_child(l, out, &kind_plain);
	out->value = l->row.clustering[0];
	if (!l->row.names)
		cell_child(out, l->place.table, l->row.cells[0].column->type,
			   &l->row.cells[0]);
	if (name->len > NAME_MAX_LEN) {
		out->ops = &kind_plain_long;
		name_shorten(name);
	}
	return 1;
}

static int mkdir_long(struct op *op, struct node *dir, struct bytes name,
		      mode_t mode, struct child *out, bool *keep)
{
	struct table *t = op_table(op, dir);

	if (!t)
		return -ESTALE;
	if (!name_is_shortened(name))
		return waiting_mkdir(op, dir, name, mode, out, keep);
	child_init(out, &kind_plain_long);
	times_child_owner(out, t);
	out->unkeyed = true;
	*keep = true;
	return 0;
}

const struct node_ops kind_schemaless = {
	.kind = "partition",
	.directory = true,
	.part = PART_KEY,
	.plain_names = true,
	.takes_waiting = true,
	.lookup = lookup_plain,
	.stat = stat_schemaless,
	.next = next_plain,
	.create = create_plain,
	.mkdir = mkdir_long,
	.rmdir = partition_rmdir,
	.set_mtime = times_set_mtime,
	.get_attribute = waiting_get_attribute,
	.set_attribute = waiting_set_attribute,
};

const struct node_ops kind_plain = {
	.kind = "file",
	.part = PART_KEY,
	.plain_value = true,
	.row_file = true,
	.file = &cell_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.rename = cell_rename,
	.set_mtime = cell_set_mtime,
};
