#include "fs/op/twin.h"

#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"

struct node *twin_of(struct fs *fs, struct node *n)
{
	struct node *above, *twin;

	if (n->ops->json)
		return node_get(fs->nodes.root);
	if (!n->parent)
		return node_find(&fs->nodes, n, bytes_str(".json"));
	above = twin_of(fs, n->parent);
	twin = above ? node_find(&fs->nodes, above, node_name(n)) : NULL;
	node_put(&fs->nodes, above);
	return twin;
}

void twin_changed(struct op *op, struct node *n)
{
	struct node *twin = n->json ? twin_of(op->fs, n) : NULL;

	if (!twin)
		return;
	/* Attributes that were read before must not be kept from now on. */
	atomic_fetch_add(twin->table ? &twin->table->changes :
				       &op->fs->nodes.root->changes, 1);
	op_notify(op, twin, ARMED_ATTRIBUTES);
	node_put(&op->fs->nodes, twin);
}

/* Return the child of dir, which is of this number, made where it is not in
 * memory; or NULL. A node that has the name there may be of a table that was
 * dropped. */
static struct node *step(struct op *op, struct node *dir, const char *raw,
			 uint32_t number)
{
	struct buf name = BUF_INIT;
	struct node *n = NULL;
	struct child c;

	name_of_text(&name, bytes_str(raw));
	if (!name.failed)
		n = node_find(&op->fs->nodes, dir, buf_bytes(&name));
	if (n && n->number != number) {
		node_put(&op->fs->nodes, n);
		n = NULL;
	}
	if (!n && !name.failed &&
	    !dir->ops->lookup(op, dir, buf_bytes(&name), &c))
		n = op_node_of_child(op, dir, buf_bytes(&name), &c);
	if (!n)
		op->reason[0] = 0;
	buf_release(&name);
	return n;
}

bool twin_is_self(const struct node *table)
{
	return !table->json && (table->snapshot || node_is_current(table));
}

struct node *twin_find_table(struct op *op, const struct table *t)
{
	struct node *k, *n;

	k = step(op, op->fs->nodes.root, t->keyspace, 0);
	n = k ? step(op, k, t->name, t->number) : NULL;
	node_put(&op->fs->nodes, k);
	if (n && n->number == t->number)
		return n;
	node_put(&op->fs->nodes, n);
	return NULL;
}

struct node *twin_table(struct op *op, struct node *table,
			const struct table *t)
{
	return twin_is_self(table) ? node_get(table) : twin_find_table(op, t);
}

bool twin_is_needed(const struct op *op)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(op->by_path) && op->by_path[i]; i++)
		if (op->by_path[i]->json)
			return true;
	return op->bound && op->bound->json;
}
