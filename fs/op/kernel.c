#include "fs/op/kernel.h"

#include "fs/node/call.h"
#include "fs/node/kernel_notice.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/op/op.h"
#include "fs/op/twin.h"
#include "store/base/alloc.h"

#define DEPTH_MAX 1000

void kernel_notify(struct fs *fs, struct op *op, struct node *n,
		   uint32_t bits)
{
	uint64_t number;

	for (; n; n = atomic_load(&n->forward)) {
		if (bits & ARMED_PAGES)
			atomic_fetch_add(&n->changes, 1);
		number = fs->changed(fs, op, n, bits);
		if (op && number)
			op->wait_for = number;
	}
}

/* Return the node (a reference) to which n lost its name, or NULL: a change
 * through an open file of n changes what that name shows. */
static struct node *named_now(struct op *op, const struct node *n)
{
	return atomic_load(&n->flags) & NODE_PAST ?
		       node_find(&op->fs->nodes, n->parent, node_name(n)) :
		       NULL;
}

void op_notify(struct op *op, struct node *n, uint32_t bits)
{
	struct node *named = named_now(op, n);

	kernel_notify(op->fs, op, n, bits);
	if (named)
		kernel_notify(op->fs, op, named, bits);
	node_put(&op->fs->nodes, named);
}

void kernel_notify_alone(struct fs *fs, struct node *n, uint32_t bits)
{
	kernel_notify(fs, NULL, n, bits);
}

/* ------------------------------------------------ what the op itself alters */
/*
 * After a call by path the kernel only marks the attributes of the directory as
 * stale: a reply that carries older ones, still on its way to another thread,
 * makes them valid again. So told_to has the thread that got them since they
 * were dropped last, or TOLD_MANY. The calling thread itself had received its
 * replies before it called; for any other the kernel is told to drop them,
 * which (unlike its mark) outdates replies on their way. After calls on open
 * files, as the close that makes a file appear, the kernel drops nothing of the
 * directory.
 */
#define TOLD_MANY UINT32_MAX

static uint32_t caller_of(const struct op *op)
{
	return op->call && op->call->pid ? (uint32_t)op->call->pid : TOLD_MANY;
}

void op_note_told(struct op *op, struct node *n)
{
	uint32_t who = caller_of(op), before = atomic_load(&n->told_to);

	if (before == who ||
	    (!before &&
	     atomic_compare_exchange_strong(&n->told_to, &before, who)))
		return;
	atomic_store(&n->told_to, TOLD_MANY);
}

bool op_drops_at_once(const struct op *op)
{
	return op && op->call && op->call->drop_attributes;
}

void op_drop_attributes(struct op *op, struct node *n)
{
	if (op_drops_at_once(op))
		op->call->drop_attributes(op->call->context, n->id);
	else
		op_notify(op, n, ARMED_ATTRIBUTES);
}

/* Others may be about to get the attributes by a lookup: its reply comes before the
 * notice of the name, which takes the lock of the directory. */
void op_drop_named(struct op *op, struct node *n)
{
	struct node *named = named_now(op, n);

	if (named) {
		op_drop_attributes(op, named);
		notice_node(&op->fs->notices, named, ARMED_NAME);
	}
	node_put(&op->fs->nodes, named);
}

static bool is_below(const struct node *dir, const struct node *above)
{
	for (dir = dir->parent; dir; dir = dir->parent)
		if (dir == above)
			return true;
	return false;
}

static bool may_wait_for_name(const struct op *op, const struct node *n)
{
	struct node *const *locked = op->by_path;

	if (!op->call || !op->call->sends_names)
		return false;
	return op->runs_statements ||
	       (op->changes_file &&
		(is_below(n->parent, locked[0]) ||
		 (locked[1] && is_below(n->parent, locked[1]))));
}

bool op_drops_name(struct op *op, const struct node *n)
{
	struct fs_notice *more;
	char *name;

	if (!may_wait_for_name(op, n))
		return false;
	more = mem_resize(op->names, op->name_count + 1, sizeof(*more));
	if (more)
		op->names = more;
	name = more ? mem_copy(node_name(n).ptr, n->name_len) : NULL;
	if (!name)
		return false;
	op->names[op->name_count++] = (struct fs_notice){
		.kind = FS_NOTICE_ENTRY, .node = n->parent->id, .name = name,
	};
	return true;
}

static void tell_altered(struct op *op, struct node *n, bool by_path)
{
	/* Above tables the observer does not count; see op_watch. */
	if (!n->table)
		atomic_fetch_add(&op->fs->nodes.root->changes, 1);
	if (!by_path)
		op_notify(op, n, ARMED_PAGES);
	if (atomic_exchange(&n->told_to, 0))
		op_drop_attributes(op, n);
	twin_changed(op, n);
}

void op_alters(struct op *op, struct node *dir)
{
	struct node *oldest = op->altered[0];
	size_t i, last = ARRAY_SIZE(op->altered) - 1;

	for (i = 0; i <= last && op->altered[i]; i++)
		if (op->altered[i] == dir)
			return;
	if (i > last) {	/* a write alters two directories: the oldest is done */
		tell_altered(op, oldest, false);
		node_put(&op->fs->nodes, oldest);
		memmove(op->altered, op->altered + 1,
			last * sizeof(op->altered[0]));
		i = last;
	}
	op->altered[i] = node_get(dir);
}

void op_by_path(struct op *op, struct node *dir, uint64_t number)
{
	op->by_former |= dir->id != number;
	op->by_path[op->by_path[0] != NULL] = node_get(dir);
}

void op_tell_altered(struct op *op, int err)
{
	struct node **by_path = op->by_path;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(op->by_path) && by_path[i]; i++) {
		uint32_t who = caller_of(op);

		if (!err && who != TOLD_MANY)
			atomic_compare_exchange_strong(&by_path[i]->told_to,
						       &who, 0);
		if (!err && op->by_former)
			op_notify(op, by_path[i],
				  ARMED_ATTRIBUTES | ARMED_PAGES);
	}
	for (i = 0; i < ARRAY_SIZE(op->altered) && op->altered[i]; i++) {
		struct node *n = op->altered[i];

		tell_altered(op, n,
			     !err && !op->by_former &&
				     (n == by_path[0] || n == by_path[1]));
		node_put(&op->fs->nodes, n);
	}
	for (i = 0; i < ARRAY_SIZE(op->by_path) && by_path[i]; i++)
		node_put(&op->fs->nodes, by_path[i]);
}

static void notify_below(struct fs *fs, struct op *op, struct node *n,
			 unsigned depth);

static void notify_inside(struct fs *fs, struct op *op, struct node *n,
			  unsigned depth)
{
	struct node **children;
	size_t i, count;
	uint64_t number;

	if (depth > DEPTH_MAX ||
	    node_children(&fs->nodes, n, CHILDREN_NAMED, &children, &count)) {
		/* Drop too much rather than too little. */
		number = notice_epoch(&fs->notices);
		if (op && number)
			op->wait_for = number;
		return;
	}
	for (i = 0; i < count; i++)
		notify_below(fs, op, children[i], depth + 1);
	node_children_put(&fs->nodes, children, count);
}

static void notify_below(struct fs *fs, struct op *op, struct node *n,
			 unsigned depth)
{
	notify_inside(fs, op, n, depth);
	kernel_notify(fs, op, n, ARMED_ALL);
}

void op_notify_inside(struct op *op, struct node *n)
{
	notify_inside(op->fs, op, n, 0);
}

void op_notify_below(struct op *op, struct node *n)
{
	notify_below(op->fs, op, n, 0);
}

void kernel_notify_below(struct fs *fs, struct op *op, struct node *n)
{
	notify_below(fs, op, n, 0);
}
