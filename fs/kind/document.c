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

/* Return the directory in the tree above that of document n: a reference, or
 * NULL. */
static struct node *directory_above(struct op *op, struct node *n)
{
	return n->json ? twin_of(op->fs, n->parent) : node_get(n->parent);
}

static struct node *find_directory(struct op *op, struct node *n,
				   struct node *above)
{
	struct table *t = op_table(op, n);
	struct buf full = BUF_INIT;
	struct node *dir = NULL;
	struct bytes base;
	uint32_t level;
	int err = 0;

	name_suffix(node_name(n), &base);
	if (!name_is_shortened(base))
		return node_find(&op->fs->nodes, above, base);
	level = key_name_level(above);
	if (!t)
		return NULL;
	if (level)
		key_name_of_clustering(&full, t, level - 1, node_value(n));
	else
		err = key_name_stored(&full, t, node_value(n));
	if (!err && !full.failed)
		dir = node_find(&op->fs->nodes, above, buf_bytes(&full));
	buf_release(&full);
	return dir;
}

struct node *document_directory(struct op *op, struct node *n)
{
	struct node *above = directory_above(op, n);
	struct node *dir = above ? find_directory(op, n, above) : NULL;

	node_put(&op->fs->nodes, above);
	return dir;
}

/* Directories below a partition may be kept too. */
static void unkeep_below(struct op *op, struct node *dir)
{
	struct node **children;
	size_t i, count;

	if (!node_children(&op->fs->nodes, dir, CHILDREN_KEPT, &children, &count)) {
		for (i = 0; i < count; i++)
			if (children[i]->ops->directory)
				unkeep_below(op, children[i]);
		node_children_put(&op->fs->nodes, children, count);
	}
	node_unkeep(&op->fs->nodes, dir);
}

void document_drop_directory(struct op *op, struct node *n)
{
	struct node *dir = document_directory(op, n);

	if (!dir)
		return;
	op_notify_below(op, dir);
	unkeep_below(op, dir);
	node_put(&op->fs->nodes, dir);
}
