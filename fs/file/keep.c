/*
 * Directories that exist although the store has nothing of them: made, and
 * without a row so far, or left by their last row. The user who keeps one pays
 * for it.
 */
#include "fs/file/keep.h"

#include <errno.h>

#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/unopened.h"
#include "fs/node/account.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "store/base/alloc.h"
#include "store/table/present.h"

static void give_back(struct fs *fs, struct account *keeper)
{
	struct charge c = { keeper, RESOURCE_NAMES, 1 };

	if (keeper)
		charge_end(&fs->accounts, &c);
}

void keep_ended(struct fs *fs, struct node *n)
{
	give_back(fs, atomic_exchange(&n->keeper, NULL));
}

/* True if its table was dropped meanwhile; false if another table took its rows
 * over, as that also takes the kept nodes: kind/waiting.h. */
static bool is_in_dropped(struct op *op, const struct node *n)
{
	struct schema *now = store_schema(op->fs->store);
	bool dropped = n->table &&
		       !(now == op->schema ? op_table(op, n) :
			 schema_table_by_number(now, n->table->number)) &&
		       !(atomic_load(&n->table->flags) & NODE_ADOPTED);

	schema_put(now);
	return dropped;
}

void keep_for(struct op *op, struct node *n, struct account *keeper)
{
	if (!node_keep(n)) {
		give_back(op->fs, keeper);
		return;
	}
	/* Another thread stopped keeping it meanwhile: give back the charge
	 * with the node. */
	give_back(op->fs, atomic_exchange(&n->keeper, keeper));
	if (n->ops->directory && !n->table && !atomic_load(&n->mtime_ns))
		atomic_store(&n->mtime_ns, store_timestamp(op->store) *
						   MICROSECOND);
	/* Look for a drop of the table only now: a later one finds the node
	 * kept. */
	if (is_in_dropped(op, n))
		node_unkeep(&op->fs->nodes, n);
}

int keep_directory(struct op *op, struct node *n)
{
	struct charge c = { .of = NULL };
	int err;

	if (!n->ops->directory || !n->parent ||
	    (atomic_load(&n->flags) & NODE_KEPT))
		return 0;
	err = charge_set(&op->fs->accounts, &c, RESOURCE_NAMES, op->who.uid, 1);
	if (!err)
		keep_for(op, n, c.of);
	return err;
}

/* Begin at the table: a directory is kept only in one that is kept. */
int keep_up(struct op *op, struct node *n)
{
	struct node *up[64];
	size_t depth = 0;
	int err = 0;

	for (; n && n != n->table && depth < ARRAY_SIZE(up); n = n->parent)
		up[depth++] = n;
	while (!err && depth)
		err = keep_directory(op, up[--depth]);
	return err;
}

int keep_has_children(struct op *op, struct node *n)
{
	struct node **children;
	size_t i, count, hidden = 0;
	int err = 0;

	unopened_close_all(op, n);
	handles_commit_empty(op, n);
	if (handles_have_new(op, n))
		return 1;
	err = node_children(&op->fs->nodes, n, CHILDREN_KEPT, &children, &count);
	if (err)
		return err;
	for (i = 0; i < count; i++)
		hidden += (atomic_load(&children[i]->flags) & NODE_HIDDEN) != 0;
	node_children_put(&op->fs->nodes, children, count);
	return count > hidden;
}
