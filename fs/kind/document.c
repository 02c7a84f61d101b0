#include "fs/kind/document.h"

#include <errno.h>

#include "fs/kind/partition.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/key_name.h"
#include "fs/op/twin.h"
#include "store/document/json_line.h"
#include "store/document/refusal.h"
#include "store/document/row_text.h"
#include "store/type/json/value.h"

int document_print_row(struct buf *out, const struct table *t,
		       const struct row_view *row,
		       const struct cell_view *statics, uint32_t static_count)
{
	struct row_text text;
	int err = row_text_init(&text, t, ROW_JSON);

	if (err)
		return err;
	err = row_text_add(&text, out, row, statics, static_count);
	row_text_release(&text);
	return err;
}

const struct column *document_column(const struct table *t, struct bytes name)
{
	int place = json_line_column(t, name);

	return place < 0 ? NULL : &t->columns[place];
}

int document_value(struct op *op, const struct column *c, struct bytes json,
		   struct bytes *value)
{
	struct type_error error = { .text = "" };
	struct buf got = BUF_INIT;
	bool is_null = false;
	int err = type_read_json_exact(&got, &is_null, c->type, json, &error);

	if (err == -EINVAL) {
		refusal_say_plainly(&error);
		op_refuse(op, err, "Error decoding JSON value for %s: %s",
			  c->name, error.text);
	}
	*value = BYTES_NULL;
	if (!err && !is_null) {
		*value = arena_copy(&op->arena, buf_bytes(&got));
		if (op->arena.failed || got.failed)
			err = -ENOMEM;
	}
	buf_release(&got);
	return err;
}

int document_of(struct op *op, struct node *dir, struct bytes base,
		struct bytes name, struct child *out)
{
	if (name_is_shortened(base))
		return op->fs->lookup_shortened(op, dir, base, name, out);
	return partition_child(op, dir, base, out);
}

/* Return the directory in `above` whose document has that name and value, if it is
 * in memory: a reference, or NULL. */
static struct node *find_directory(struct op *op, struct node *above,
				   struct bytes name, struct bytes value)
{
	struct table *t = op_table(op, above);
	struct buf full = BUF_INIT;
	struct node *n = NULL;
	uint32_t level = key_name_level(above);
	int err = 0;

	name_suffix(name, &name);
	if (name_is_shortened(name)) {
		if (!t)
			return NULL;
		if (level)
			key_name_of_clustering(&full, t, level - 1, value);
		else
			err = key_name_stored(&full, t, value);
		name = buf_bytes(&full);
	}
	if (!err && !full.failed)
		n = node_find(&op->fs->nodes, above, name);
	buf_release(&full);
	if (n && !n->ops->directory) {	/* an editor's file */
		node_put(&op->fs->nodes, n);
		n = NULL;
	}
	return n;
}

bool document_is_kept(struct op *op, struct node *dir, struct bytes name,
		      struct bytes value)
{
	struct node *n = find_directory(op, dir, name, value);
	bool kept = n && (atomic_load(&n->flags) & NODE_KEPT);

	node_put(&op->fs->nodes, n);
	return kept;
}

static void drop_in(struct op *op, struct node *above, struct node *n)
{
	struct node *dir = above ? find_directory(op, above, node_name(n),
						  node_value(n)) : NULL;

	if (!dir)
		return;
	op_notify_below(op, dir);
	if (node_unkeep_empty(&op->fs->nodes, dir))
		node_unkeep(&op->fs->nodes, dir);
	node_put(&op->fs->nodes, dir);
}

void document_drop_directory(struct op *op, struct node *n)
{
	struct node *twin = twin_of(op->fs, n->parent);

	drop_in(op, n->parent, n);
	drop_in(op, twin, n);
	node_put(&op->fs->nodes, twin);
}
