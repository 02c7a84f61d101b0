/*
 * What the store changed becomes notices: for each row of a batch the nodes in
 * memory that show it are found by name, from the table down, and what the
 * kernel holds of them is dropped. Nothing in memory means nothing held.
 *
 * A change that a call makes by path is known to the kernel; its op tells of
 * its side effects itself, and only the table's count of changes moves here.
 */
#include "fs/op/inner.h"
#include "fs/tree/short_names.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/table/observer.h"

#define ALL (ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES | ARMED_OWNER)
#define DEPTH_MAX 1000

/* Descriptors may be open under the number that it had before a rename. */
static void notify(struct fs *fs, struct op *op, struct node *n, uint32_t bits)
{
	uint64_t number;

	for (; n; n = atomic_load(&n->forward)) {
		if (bits & ARMED_PAGES)
			atomic_fetch_add(&n->changes, 1);
		number = view_changed(fs, op, n, bits);
		if (op && number)
			op->wait_for = number;
	}
}

void op_notify(struct op *op, struct node *n, uint32_t bits)
{
	struct node *named;

	notify(op->fs, op, n, bits);
	if (!(atomic_load(&n->flags) & NODE_PAST))
		return;
	/* Its writers change what the name shows by another node now. */
	named = node_find(&op->fs->nodes, n->parent, node_name(n));
	if (named)
		notify(op->fs, op, named, bits);
	node_put(&op->fs->nodes, named);
}

void fs_notify(struct fs *fs, struct node *n, uint32_t bits)
{
	notify(fs, NULL, n, bits);
}

/* ------------------------------------------------ what the op itself alters */
/*
 * Behind a call by path the kernel marks the attributes of the directory as
 * stale, and that is all: a reply that carries them from before, still on its
 * way to another thread, makes them valid again. So told_to has the thread
 * that was given them since they were dropped last, or TOLD_MANY. The thread
 * of the call itself had taken in what it was told before it called; for any
 * other the kernel is told to drop them, which (unlike its mark) outdates what
 * is on its way. Behind calls on open files, as the close that makes a file
 * appear, the kernel drops nothing of the directory.
 */
#define TOLD_MANY UINT32_MAX

static uint32_t caller_of(const struct op *op)
{
	return op->call && op->call->pid ? (uint32_t)op->call->pid : TOLD_MANY;
}

void op_told(struct op *op, struct node *n)
{
	uint32_t who = caller_of(op), before = atomic_load(&n->told_to);

	if (before == who ||
	    (!before &&
	     atomic_compare_exchange_strong(&n->told_to, &before, who)))
		return;
	atomic_store(&n->told_to, TOLD_MANY);
}

void op_drop_attributes(struct op *op, struct node *n)
{
	struct fs_call *call = op->call;

	if (call && call->drop_attributes)
		call->drop_attributes(call->context, n->id);
	else
		op_notify(op, n, ARMED_ATTRIBUTES);
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
	/* Above tables no observer counts; see op_watch. */
	if (!n->table)
		atomic_fetch_add(&op->fs->nodes.root->changes, 1);
	if (!by_path)
		op_notify(op, n, ARMED_PAGES);
	if (atomic_exchange(&n->told_to, 0))
		op_drop_attributes(op, n);
}

void op_alters(struct op *op, struct node *dir)
{
	struct node *oldest = op->altered[0];
	size_t i, last = ARRAY_SIZE(op->altered) - 1;

	for (i = 0; i <= last && op->altered[i]; i++)
		if (op->altered[i] == dir)
			return;
	if (i > last) {	/* a write alters two: that one is done */
		tell_altered(op, oldest, false);
		node_put(&op->fs->nodes, oldest);
		memmove(op->altered, op->altered + 1,
			last * sizeof(op->altered[0]));
		i = last;
	}
	op->altered[i] = node_get(dir);
}

void op_by_path(struct op *op, struct node *dir)
{
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
	}
	for (i = 0; i < ARRAY_SIZE(op->altered) && op->altered[i]; i++) {
		struct node *n = op->altered[i];

		tell_altered(op, n,
			     !err && (n == by_path[0] || n == by_path[1]));
		node_put(&op->fs->nodes, n);
	}
	node_put(&op->fs->nodes, by_path[0]);
	node_put(&op->fs->nodes, by_path[1]);
}

static void notify_below(struct fs *fs, struct op *op, struct node *n,
			 unsigned depth)
{
	struct node **children;
	size_t i, count;
	uint64_t number;

	if (depth > DEPTH_MAX ||
	    node_children(&fs->nodes, n, false, &children, &count)) {
		/* Too much rather than too little. */
		number = notice_epoch(&fs->notices);
		if (op && number)
			op->wait_for = number;
		return;
	}
	for (i = 0; i < count; i++)
		notify_below(fs, op, children[i], depth + 1);
	node_children_put(&fs->nodes, children, count);
	notify(fs, op, n, ALL);
}

void op_notify_below(struct op *op, struct node *n)
{
	notify_below(op->fs, op, n, 0);
}

static struct node *find_escaped(struct fs *fs, struct node *dir,
				 const char *raw)
{
	struct buf name = BUF_INIT;
	struct node *n;

	name_escape(&name, bytes_str(raw));
	name_shorten(&name);
	n = node_find(&fs->nodes, dir, buf_bytes(&name));
	buf_release(&name);
	return n;
}

static struct node *find_table(struct fs *fs, const struct table *t)
{
	struct node *k = find_escaped(fs, fs->nodes.root, t->keyspace);
	struct node *n = k ? find_escaped(fs, k, t->name) : NULL;

	node_put(&fs->nodes, k);
	return n;
}

static void notify_columns(struct fs *fs, struct op *op, struct node *row,
			   const struct table_change *change)
{
	uint32_t i;

	if (change->row_deleted || change->whole || !change->column_count) {
		notify_below(fs, op, row, 0);
		return;
	}
	notify(fs, op, row, ALL);
	for (i = 0; i < change->column_count; i++) {
		struct node *n = find_escaped(fs, row,
					      change->columns[i]->name);

		if (n)
			notify_below(fs, op, n, 0);
		node_put(&fs->nodes, n);
	}
}

static struct node *find_step(struct fs *fs, struct node *dir,
			      const struct table *t, uint32_t i,
			      struct bytes value, struct buf *name)
{
	buf_clear(name);
	if (bytes_is_null(value))
		return NULL;
	if (dir->ops == &kind_schemaless) {
		plain_name(name, dir, value);
		name_shorten(name);
	} else {
		key_clustering_name(name, t, i, value);
	}
	return node_find(&fs->nodes, dir, buf_bytes(name));
}

/* From the partition down to the row: each level may list it anew. */
static void notify_row(struct fs *fs, struct op *op, struct node *partition,
		       const struct table_change *change)
{
	struct node *n = node_get(partition), *below = NULL;
	struct buf name = BUF_INIT;
	uint32_t i;

	if (change->is_static) {
		notify(fs, op, n, ALL);
		below = node_find(&fs->nodes, n, bytes_str("@static"));
	} else {
		below = node_get(n);
		for (i = 0; below && i < change->clustering_count; i++) {
			notify(fs, op, below, ALL);
			node_put(&fs->nodes, n);
			n = below;
			below = find_step(fs, n, change->table, i,
					  change->clustering[i], &name);
		}
	}
	if (below)
		notify_columns(fs, op, below, change);
	node_put(&fs->nodes, below);
	node_put(&fs->nodes, n);
	buf_release(&name);
}

static void notify_change(struct fs *fs, struct op *op, struct node *table,
			  const struct table_change *change)
{
	struct buf name = BUF_INIT;
	struct node *partition = NULL;

	notify(fs, op, table, ARMED_ATTRIBUTES | ARMED_PAGES);
	if (key_stored_name(&name, change->table, change->partition_key))
		notify_below(fs, op, table, 0);	/* it may be any of them */
	else
		partition = node_find(&fs->nodes, table, buf_bytes(&name));
	if (partition && change->whole)
		notify_below(fs, op, partition, 0);
	else if (partition)
		notify_row(fs, op, partition, change);
	node_put(&fs->nodes, partition);
	buf_release(&name);
}

static bool has_name_of(const struct node *dir)
{
	int64_t ends_s = atomic_load(&dir->ends_s);

	if (!atomic_load(&dir->lookups))
		return true;	/* the kernel has nothing of it */
	return (atomic_load(&dir->armed) & ARMED_NAME) &&
	       (ends_s == NO_TIME || ends_s > clock_now_s());
}

/*
 * Has the kernel all names of the way to n, as they are now? A row may have been
 * renamed while a file in it was open; or removed, or it ended, and the kernel
 * dropped its name: who has such a file open makes the row again.
 */
static bool has_way_to(const struct node *n)
{
	if (!node_is_current(n))
		return false;
	if (!n->ops->directory)
		n = n->parent;
	for (; n && n != n->table; n = n->parent)
		if (!has_name_of(n))
			return false;
	return true;
}

/*
 * The kernel knows of what a call by path changes, and a call on what was opened
 * by one. Asked when the change is done: from then on who looks finds it, and
 * what has lost its name before is seen here.
 */
static bool kernel_knows(const struct op *op)
{
	size_t i;

	if (op->broadcast || (op->bound && !has_way_to(op->bound)))
		return false;
	for (i = 0; i < ARRAY_SIZE(op->by_path) && op->by_path[i]; i++)
		if (!has_way_to(op->by_path[i]))
			return false;
	return true;
}

static void changed(void *context, const struct table_change *changes,
		    size_t count)
{
	struct fs *fs = context;
	struct op *op = op_current();
	struct node *table = NULL;
	const struct table *last = NULL;
	size_t i;

	if (op && op->fs != fs)
		op = NULL;
	for (i = 0; i < count; i++) {
		uint32_t before;

		if (changes[i].table != last) {
			node_put(&fs->nodes, table);
			last = changes[i].table;
			table = find_table(fs, last);
		}
		if (!table)
			continue;
		cuts_add(fs, table, last, changes[i].partition_key);
		before = atomic_fetch_add(&table->changes, 1);
		if (op && kernel_knows(op)) {
			op->own_changes++;
			if (op->watched == table &&
			    before == op->watched_changes)
				op->watched_changes++;
			continue;
		}
		notify_change(fs, op, table, &changes[i]);
	}
	node_put(&fs->nodes, table);
}

static void everything(struct fs *fs, struct op *op, struct node *from)
{
	uint64_t number;

	notify_below(fs, op, from, 0);
	number = notice_epoch(&fs->notices);
	if (op && number)
		op->wait_for = number;
}

/* A schema.cql that was removed shows itself again. */
static void unhide(struct fs *fs)
{
	struct node **keyspaces;
	size_t i, count;

	if (node_children(&fs->nodes, fs->nodes.root, false, &keyspaces,
			  &count))
		return;
	for (i = 0; i < count; i++) {
		struct node *n = node_find(&fs->nodes, keyspaces[i],
					   bytes_str("schema.cql"));

		if (n && (atomic_fetch_and(&n->flags,
					   ~(uint32_t)NODE_HIDDEN) &
			  NODE_HIDDEN))
			node_unkeep(&fs->nodes, n);
		node_put(&fs->nodes, n);
	}
	node_children_put(&fs->nodes, keyspaces, count);
}

static void schema_changed(void *context, const struct schema *from,
			   const struct schema *to)
{
	struct fs *fs = context;
	struct op *op = op_current();

	(void)from;
	(void)to;
	if (op && op->fs != fs)
		op = NULL;
	unhide(fs);
	if (op && !op->broadcast)
		return;
	everything(fs, op, fs->nodes.root);
}

static void truncated(void *context, struct table *t)
{
	struct fs *fs = context;
	struct op *op = op_current();
	struct node *table = find_table(fs, t);

	if (!table)
		return;
	atomic_fetch_add(&table->changes, 1);
	atomic_store(&table->hints, 0);	/* what was set is gone too */
	everything(fs, op && op->fs == fs ? op : NULL, table);
	node_put(&fs->nodes, table);
}

/* Nobody's call was refused: told to root and to who mounted. */
static void damaged(void *context, const char *table, const char *text)
{
	struct fs *fs = context;
	struct buf path = BUF_INIT;
	char *dot;

	buf_add_format(&path, "/%s", table);
	dot = path.failed ? NULL : strchr(buf_cstr(&path), '.');
	if (dot)
		*dot = '/';
	errors_add(&fs->errors, 0, 0, fs->uid, EUCLEAN, buf_bytes(&path), text);
	buf_release(&path);
}

void observe_start(struct fs *fs)
{
	struct store_observer observer = {
		.changed = changed,
		.schema_changed = schema_changed,
		.truncated = truncated,
		.damaged = damaged,
		.context = fs,
	};

	store_observe(fs->store, &observer);
}

void observe_stop(struct fs *fs)
{
	store_observe(fs->store, NULL);
}
