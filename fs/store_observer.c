/*
 * Turn changes of the store into notices: for each row of a batch the nodes in
 * memory that show it are found by name, from the table down, and the kernel's
 * copies of them are dropped. A node that is not in memory has no copies.
 *
 * A change that a call makes by path is known to the kernel; its op tells of
 * its side effects itself, and only the table's count of changes grows here.
 */
#include "fs/store_observer.h"

#include "fs/fs.h"
#include "fs/kind/schema.h"
#include "fs/kind/schemaless.h"
#include "fs/node/errors.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/op/kernel.h"
#include "fs/op/key_name.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/twin.h"
#include "fs/statement_entry.h"
#include "fs/statement_times.h"
#include "fs/tree/short_names.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/table/observer.h"

static struct node *find_escaped(struct fs *fs, struct node *dir,
				 const char *raw)
{
	struct bytes text = bytes_str(raw);
	struct buf name = BUF_INIT;
	struct node *n;

	if (text.len <= NAME_MAX_LEN && name_is_text(text))
		return node_find(&fs->nodes, dir, text);
	name_of_text(&name, text);
	n = node_find(&fs->nodes, dir, buf_bytes(&name));
	buf_release(&name);
	return n;
}

static struct node *find_table_in(struct fs *fs, struct node *tree,
				  const struct table *t)
{
	struct node *k = find_escaped(fs, tree, t->keyspace);
	struct node *n = k ? find_escaped(fs, k, t->name) : NULL;

	node_put(&fs->nodes, k);
	return n;
}

/* True if n is found by the table's names. */
static bool is_table(const struct node *n, const struct table *t)
{
	return n->table == n && n->number == t->number && !n->json &&
	       !n->snapshot && node_is_current(n) &&
	       bytes_equal(node_value(n), bytes_str(t->name)) &&
	       bytes_equal(node_value(n->parent), bytes_str(t->keyspace));
}

static struct node *find_table(struct fs *fs, const struct table *t)
{
	_Atomic uint64_t *id = &fs->table_nodes[t->number % NODE_SHARDS];
	struct node *n = node_by_id(&fs->nodes, atomic_load(id));

	if (n && is_table(n, t))
		return n;
	node_put(&fs->nodes, n);
	n = find_table_in(fs, fs->nodes.root, t);
	if (n && is_table(n, t))
		atomic_store(id, n->id);
	return n;
}

/* Return the root of the documents, if it is in memory: a reference. */
static struct node *find_json(struct fs *fs)
{
	return twin_of(fs, fs->nodes.root);
}

/* Return the table's node there: a reference, or NULL. */
static struct node *find_json_table(struct fs *fs, const struct table *t)
{
	struct node *json = find_json(fs);
	struct node *n = json ? find_table_in(fs, json, t) : NULL;

	node_put(&fs->nodes, json);
	return n;
}

/* Return the table's node if it is the one that the call is about, or that it
 * found before (a reference); NULL: it is to be found by its name. */
static struct node *known_table(const struct op *op, const struct table *t)
{
	struct node *of[] = { op->changing, op->watched,
			      op->bound ? op->bound->table : NULL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of); i++)
		if (of[i] && of[i]->table == of[i] && !of[i]->json &&
		    of[i]->number == t->number && node_is_current(of[i]))
			return node_get(of[i]);
	return NULL;
}

static void notify_columns(struct fs *fs, struct op *op, struct node *row,
			   const struct table_change *change)
{
	uint32_t i;

	if (change->row_deleted || change->whole || !change->column_count) {
		kernel_notify_below(fs, op, row);
		return;
	}
	kernel_notify(fs, op, row, ARMED_ALL);
	for (i = 0; i < change->column_count; i++) {
		struct node *n = find_escaped(fs, row,
					      change->columns[i]->name);

		if (n)
			kernel_notify_below(fs, op, n);
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
	if (dir->ops->plain_names) {
		schemaless_print_name(name, node_name(dir), value);
		name_shorten(name);
	} else {
		key_name_of_clustering(name, t, i, value);
	}
	return node_find(&fs->nodes, dir, buf_bytes(name));
}

/* Go on from a node (a reference) on the way to the row, so many clustering
 * columns below its partition, to the deepest that is in memory. */
static void descend(struct fs *fs, const struct table_change *change,
		    struct node **n, uint32_t *level)
{
	struct buf name = BUF_INIT;
	struct node *below;

	while (*level < change->clustering_count) {
		below = find_step(fs, *n, change->table, *level,
				  change->clustering[*level], &name);
		if (!below)
			break;
		node_put(&fs->nodes, *n);
		*n = below;
		++*level;
	}
	buf_release(&name);
}

/* Return the node of the partition: a reference, or NULL. any: it may be any that
 * is below the table. */
static struct node *find_partition(struct fs *fs, struct node *table,
				   const struct table_change *change, bool *any)
{
	struct buf name = BUF_INIT;
	struct node *n = NULL;

	*any = key_name_stored(&name, change->table, change->partition_key);
	if (!*any)
		n = node_find(&fs->nodes, table, buf_bytes(&name));
	buf_release(&name);
	return n;
}

/* Notify from the deepest node on the way to the row, at that level, up to the
 * partition: each may list it again. */
static void notify_way(struct fs *fs, struct op *op, struct node *n,
		       uint32_t level, const struct table_change *change)
{
	descend(fs, change, &n, &level);
	if (level == change->clustering_count)
		notify_columns(fs, op, n, change);
	else
		kernel_notify(fs, op, n, ARMED_ALL);
	for (struct node *above = n; level; level--) {
		above = above->parent;
		kernel_notify(fs, op, above, ARMED_ALL);
	}
	node_put(&fs->nodes, n);
}

static void notify_static(struct fs *fs, struct op *op, struct node *partition,
			  const struct table_change *change)
{
	struct node *n = node_find(&fs->nodes, partition, bytes_str("@static"));

	kernel_notify(fs, op, partition, ARMED_ALL);
	if (n)
		notify_columns(fs, op, n, change);
	node_put(&fs->nodes, n);
}

static void notify_change(struct fs *fs, struct op *op, struct node *table,
			  const struct table_change *change)
{
	struct node *partition;
	bool any;

	kernel_notify(fs, op, table, ARMED_ATTRIBUTES | ARMED_PAGES);
	if (op && op->reached && op->reached->table == table &&
	    node_is_current(op->reached)) {
		notify_way(fs, op, node_get(op->reached), op->reached_level,
			   change);
		return;
	}
	partition = find_partition(fs, table, change, &any);
	if (any)
		kernel_notify_below(fs, op, table);
	if (partition && change->whole)
		kernel_notify_below(fs, op, partition);
	else if (partition && change->is_static)
		notify_static(fs, op, partition, change);
	else if (partition)
		notify_way(fs, op, node_get(partition), 0, change);
	node_put(&fs->nodes, partition);
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
 * True if the kernel has all names of the way to n, as they are now. A row may
 * have been renamed while a file in it was open; or removed, or it ended, and
 * the kernel dropped its name: a writer of such a file makes the row again.
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
 * True if the kernel knows of the changes: those of a call by path, and of a
 * call on a file that was opened by one. Called when the change is done: later
 * lookups find it, and a name lost before is seen here.
 */
static bool kernel_knows(const struct op *op)
{
	size_t i;

	if (op->broadcast || op->by_former || twin_is_needed(op) ||
	    (op->bound && !has_way_to(op->bound)))
		return false;
	for (i = 0; i < ARRAY_SIZE(op->by_path) && op->by_path[i]; i++)
		if (!has_way_to(op->by_path[i]))
			return false;
	return true;
}

/* Notify open files of .json, of which the kernel keeps nothing else. */
static void changed_in_json(struct fs *fs, struct op *op, struct node *table,
			    const struct table_change *change)
{
	if (!table)
		return;
	short_names_add(fs, table, change->table, change->partition_key);
	atomic_fetch_add(&table->changes, 1);
	notify_change(fs, op, table, change);
}

static void changed(void *context, const struct table_change *changes,
		    size_t count)
{
	struct fs *fs = context;
	struct op *op = op_current();
	struct node *table = NULL, *json = NULL;
	const struct table *last = NULL;
	size_t i;

	if (op && op->fs != fs)
		op = NULL;
	for (i = 0; i < count; i++) {
		uint32_t before;

		if (changes[i].table != last) {
			node_put(&fs->nodes, table);
			node_put(&fs->nodes, json);
			last = changes[i].table;
			json = find_json_table(fs, last);
			table = op ? known_table(op, last) : NULL;
			if (!table)
				table = find_table(fs, last);
		}
		changed_in_json(fs, op, json, &changes[i]);
		if (!table)
			continue;
		short_names_add(fs, table, last, changes[i].partition_key);
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
	node_put(&fs->nodes, json);
}

/* Set op->changing to the node of the table, or to NULL. */
static void find_changing(struct op *op, const struct table *t)
{
	struct node *n = known_table(op, t);

	if (!n)
		n = find_table(op->fs, t);
	if (!n)
		n = twin_find_table(op, t);
	node_put(&op->fs->nodes, op->changing);
	op->changing = n;
}

/* Set op->reached, of a batch that is one change. */
static void find_reached(struct op *op, const struct table_change *change)
{
	bool any;

	op->reached_level = 0;
	if (!op->changing || change->whole || change->is_static)
		return;
	op->reached = find_partition(op->fs, op->changing, change, &any);
	if (op->reached)
		descend(op->fs, change, &op->reached, &op->reached_level);
}

/* Add to w what the changes make of times, table by table. */
static int change_times(struct op *op, struct write *w,
			struct statement_entry *entries, size_t count)
{
	size_t i, next;
	int err = 0;

	for (i = 0; i < count && !err; i = next) {
		const struct table_change *c = entries[i].change;

		for (next = i + 1; next < count; next++)
			if (entries[next].change->table != c->table)
				break;
		find_changing(op, c->table);
		if (count == 1)
			find_reached(op, c);
		if (op->changing)
			err = statement_times(op, w, op->changing, &entries[i],
					      next - i);
	}
	return err;
}

static int changing(void *context, struct write *w,
		    const struct table_change *changes, size_t count)
{
	struct statement_entry one, *entries = &one;
	struct fs *fs = context;
	struct op *op = op_current();
	int err;

	if (!op || op->fs != fs)
		return 0;
	node_put(&fs->nodes, op->reached);
	op->reached = NULL;
	if (!op->in_statement && !op->in_document)
		return 0;
	if (count > 1)
		entries = mem_zalloc(count, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	statement_entries(entries, changes, count);
	err = change_times(op, w, entries, count);
	if (entries != &one)
		mem_free(entries);
	return err;
}

static void everything(struct fs *fs, struct op *op, struct node *from)
{
	uint64_t number;

	kernel_notify_below(fs, op, from);
	number = notice_epoch(&fs->notices);
	if (op && number)
		op->wait_for = number;
}

/* Show a removed schema.cql again. */
static void unhide_in(struct fs *fs, struct node *tree)
{
	struct node **keyspaces;
	size_t i, count;

	if (node_children(&fs->nodes, tree, CHILDREN_NAMED, &keyspaces, &count))
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

/*
 * Names in memory alone go with their table: each node of it is searched, as one
 * that was looked up by an older schema may have taken the name. Where
 * another took the rows over, it is made there anew: kind/waiting.h.
 */
static void forget_table(struct fs *fs, struct node *keyspace, uint32_t number)
{
	struct node **tables;
	size_t i, count;

	if (node_children(&fs->nodes, keyspace, CHILDREN_ALL, &tables, &count))
		return;
	for (i = 0; i < count; i++) {
		struct node *n = tables[i];

		if (n->table == n && n->number == number &&
		    !(atomic_load(&n->flags) & NODE_ADOPTED))
			node_unkeep_below(&fs->nodes, n);
	}
	node_children_put(&fs->nodes, tables, count);
}

static void forget_dropped(struct fs *fs, struct node *tree,
			   const struct schema *from, const struct schema *to)
{
	uint32_t i, j;

	for (i = 0; i < from->keyspace_count; i++) {
		const struct keyspace *k = from->keyspaces[i];
		const struct keyspace *is =
			schema_keyspace(to, bytes_str(k->name));
		struct node *n = k != is ? find_escaped(fs, tree, k->name) :
					   NULL;

		for (j = 0; n && j < k->table_count; j++) {
			const struct table *t = k->tables[j];

			if (is && keyspace_table(is, bytes_str(t->name)) == t)
				continue;
			if (!schema_table_by_number(to, t->number))
				forget_table(fs, n, t->number);
		}
		node_put(&fs->nodes, n);
	}
}

static void changed_in(struct fs *fs, struct node *tree,
		       const struct schema *from, const struct schema *to)
{
	unhide_in(fs, tree);
	forget_dropped(fs, tree, from, to);
}

/* True if a child of the root is a keyspace that did not change. Those of the
 * system show what all others have. */
static bool is_unchanged(const struct node *n, const struct schema *from,
			 const struct schema *to)
{
	const struct keyspace *k = schema_keyspace(to, node_value(n));

	return k && !k->system && schema_keyspace(from, node_value(n)) == k;
}

/* As everything(), but leave alone what is below other keyspaces: to drop the
 * name of a file takes its path from those who have it open or watch it. */
static void everything_changed(struct fs *fs, struct op *op,
			       const struct schema *from,
			       const struct schema *to)
{
	struct node *root = fs->nodes.root, **children;
	size_t i, count;
	uint64_t number;

	if (node_children(&fs->nodes, root, CHILDREN_NAMED, &children,
			  &count)) {
		everything(fs, op, root);
		return;
	}
	for (i = 0; i < count; i++) {
		if (is_unchanged(children[i], from, to))
			kernel_notify(fs, op, children[i], ARMED_ALL);
		else
			kernel_notify_below(fs, op, children[i]);
	}
	node_children_put(&fs->nodes, children, count);
	kernel_notify(fs, op, root, ARMED_ALL);
	number = notice_epoch(&fs->notices);
	if (op && number)
		op->wait_for = number;
}

static void schema_changed(void *context, const struct schema *from,
			   const struct schema *to)
{
	struct fs *fs = context;
	struct op *op = op_current();
	struct node *json = find_json(fs);

	if (op && op->fs != fs)
		op = NULL;
	if (op && !op->brings_times) {
		keyspace_times_follow(op, from, to);
		schema_times_follow(op, from, to);
	}
	changed_in(fs, fs->nodes.root, from, to);
	if (json)
		changed_in(fs, json, from, to);
	if (!op || op->broadcast || twin_is_needed(op))
		everything_changed(fs, op, from, to);
	else if (json)
		kernel_notify_below(fs, op, json);
	node_put(&fs->nodes, json);
}

/* Tell of a table that is empty now: a reference, or NULL. Its directories are
 * gone, also those without a row, but for those of temporary files. */
static void emptied(struct fs *fs, struct op *op, struct node *table)
{
	if (!table)
		return;
	node_unkeep_empty(&fs->nodes, table);
	atomic_fetch_add(&table->changes, 1);
	everything(fs, op, table);
	node_put(&fs->nodes, table);
}

static void truncating(void *context, struct table *t)
{
	struct fs *fs = context;

	keyspace_times_truncating(fs->store, t);
}

static void truncated(void *context, struct table *t)
{
	struct fs *fs = context;
	struct op *op = op_current();

	if (op && op->fs != fs)
		op = NULL;
	if (op)
		find_changing(op, t);
	if (op && op->changing)
		statement_times_truncated(op, op->changing);
	emptied(fs, op, find_json_table(fs, t));
	emptied(fs, op, find_table(fs, t));
}

/* Log damage for root and the mounter: no call was refused. */
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

void store_observer_start(struct fs *fs)
{
	struct store_observer observer = {
		.changing = changing,
		.changed = changed,
		.schema_changed = schema_changed,
		.truncating = truncating,
		.truncated = truncated,
		.damaged = damaged,
		.context = fs,
	};

	store_observe(fs->store, &observer);
}

void store_observer_stop(struct fs *fs)
{
	store_observe(fs->store, NULL);
}
