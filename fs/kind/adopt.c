#include "fs/kind/adopt.h"

#include <errno.h>
#include <stdio.h>

#include "fs/file/content.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/kind/cell.h"
#include "fs/kind/cell_text.h"
#include "fs/kind/row.h"
#include "fs/kind/schemaless.h"
#include "fs/kind/scratch.h"
#include "fs/kind/table.h"
#include "fs/kind/waiting.h"
#include "fs/kind/waiting_store.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/table_takeover.h"
#include "store/type/text/text.h"

struct adoption {
	struct op *op;
	struct table *from, *to;
	struct write w;
	struct buf name, value;
	struct buf dir;		/* the name of the row's directory */
};

static bool can_adopt(const struct table *t)
{
	return table_is_schemaless(t) ||
	       (!t->clustering_count &&
		!(t->flags & (TABLE_COMPACT | TABLE_COUNTER)));
}

/* Refuse a file: the reason so far becomes the end of the sentence. */
static int misfit(struct adoption *a, struct bytes name)
{
	struct op *op = a->op;
	char why[sizeof(op->reason)];

	snprintf(why, sizeof(why), "%s", op->reason);
	op->reason[0] = 0;
	return op_refuse(op, -EEXIST,
			 "%s was made by mkdir and has files that do not fit (%.*s: %s): schema.cql is to be written before them",
			 a->from->name, (int)name.len, name.ptr, why);
}

/* The key is the text that its @key had. */
static int adopt_long_key(struct adoption *a, struct bytes key,
			  struct place *to)
{
	struct type_error error = { .text = "" };
	struct buf value = BUF_INIT;
	int err;

	if (a->to->partition_key_count > 1)
		return key_name_parse_whole(a->op, a->to, key,
					    &to->partition_key);
	err = type_read_text(&value, table_partition_column(a->to, 0)->type,
			     key, &error);
	if (err == -EINVAL)
		op_refuse_type(a->op, &error);
	to->partition_key = arena_copy(&a->op->arena, buf_bytes(&value));
	if (value.failed || a->op->arena.failed)
		err = -ENOMEM;
	buf_release(&value);
	return err;
}

static int adopt_key(struct adoption *a, struct bytes key, struct place *to)
{
	int err;

	buf_clear(&a->dir);
	err = key_name_stored(&a->dir, a->from, key);
	if (err)
		return err;
	if (name_is_shortened(buf_bytes(&a->dir)))
		return adopt_long_key(a, key, to);
	return key_name_parse_partition(a->op, a->to, buf_bytes(&a->dir),
					&to->partition_key);
}

/* Take over a row's directory, with its time and its marker. */
static int adopt_partition(struct adoption *a, struct bytes key)
{
	struct place from = { .table = a->from, .partition_key = key };
	struct place to = { .table = a->to };
	int err = adopt_key(a, key, &to);

	if (err)
		return err;
	if (!table_is_schemaless(a->to)) {
		place_write_row(&a->w, &to);
		write_marker(&a->w, op_timestamp(a->op, NO_TIMESTAMP),
			     a->to->options.default_time_to_live);
	}
	return times_carry(a->op, &a->w, &from, &to);
}

/* Find the column of a file in the directory of adopt_key. */
static int find_column(struct adoption *a, struct bytes column1,
		       struct place *to)
{
	const struct column *c;

	buf_clear(&a->name);
	schemaless_print_name(&a->name, buf_bytes(&a->dir), column1);
	if (a->name.failed)
		return -ENOMEM;
	c = row_column(a->op, a->to, buf_bytes(&a->name), 0);
	if (!c || c->kind != COLUMN_REGULAR || type_is_multicell(c->type))
		return op_refuse(a->op, -ENOENT, "no column that is a file");
	to->column = c;
	return 0;
}

static int adopt_value(struct adoption *a, const struct cell_view *cell,
		       const struct place *to)
{
	int32_t ttl = a->to->options.default_time_to_live;
	int err;

	buf_clear(&a->value);
	err = cell_read_copy(a->op, to->column->type, cell->value, &a->value);
	if (err)
		return err;
	place_write_row(&a->w, to);
	if (cell->expires_s != NO_TIME)
		write_cell_until(&a->w, to->column, BYTES_NULL,
				 buf_bytes(&a->value), cell->timestamp_us,
				 cell->ttl_s, cell->expires_s);
	else
		write_cell(&a->w, to->column, BYTES_NULL, buf_bytes(&a->value),
			   cell->timestamp_us, ttl);
	return 0;
}

static int adopt_row(struct adoption *a, const struct row_view *row)
{
	struct place from = { .table = a->from,
			      .partition_key = row->partition_key };
	struct bytes clustering[1] = { row->clustering[0] };
	struct place to = { .table = a->to, .clustering = clustering };
	int err = adopt_key(a, row->partition_key, &to);

	from.clustering = clustering;
	from.clustering_count = 1;
	from.column = row->cells[0].column;
	if (err)
		return err;
	if (table_is_schemaless(a->to)) {
		to.clustering_count = 1;
		to.column = &a->to->columns[2];
	} else {
		err = find_column(a, clustering[0], &to);
	}
	if (!err)
		err = adopt_value(a, &row->cells[0], &to);
	return err ? err : times_carry(a->op, &a->w, &from, &to);
}

static int adopt_entry(struct adoption *a, struct node *table,
		       const struct row_view *row)
{
	struct bytes name = row->key_values[0];
	int err = 0;

	(void)table;
	if (!can_adopt(a->to)) {
		op_refuse(a->op, -ENOENT, "its rows are no such files");
		return misfit(a, name);
	}
	if (row->first_of_partition)
		err = adopt_partition(a, row->partition_key);
	if (!err && row->cell_count) {
		name = row->clustering[0];
		err = adopt_row(a, row);
	}
	if (err == -ENOENT || err == -EINVAL)
		return misfit(a, name);
	return err ? err : commit_fill(&a->w);
}

typedef int adopt_one(struct adoption *a, struct node *table,
		      const struct row_view *row);

/* Take each stored row of the table over by `one`. */
static int adopt_stored(struct adoption *a, struct node *table, adopt_one *one)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct query q;
	int got;

	query_init(&q, a->from);
	q.now_s = a->op->now_s;
	got = table_query(&cursor, a->op->store, &q);
	while (!got && (got = cursor_next(cursor, &row)) > 0) {
		got = one(a, table, &row);
		arena_clear(&a->op->arena);
	}
	cursor_close(cursor);
	return got;
}

/* Take over a directory without a file: a row, or nothing where its name is no
 * key. */
static int adopt_empty(struct adoption *a, struct node *n)
{
	struct op *op = a->op;
	int err;

	if (!n->ops->plain_names || node_is_unkeyed(n))
		return 0;
	err = adopt_partition(a, node_value(n));
	if (err != -ENOENT && err != -EINVAL)
		return err ? err : commit_fill(&a->w);
	op->reason[0] = 0;
	return 0;
}

/* Take over such directories that exist only in memory. */
static int adopt_kept(struct adoption *a, struct node *table)
{
	struct node **children;
	size_t i, count;
	int err = node_children(&a->op->fs->nodes, table, CHILDREN_KEPT, &children,
				&count);

	if (err)
		return err;
	for (i = 0; i < count && !err; i++) {
		err = adopt_empty(a, children[i]);
		arena_clear(&a->op->arena);
	}
	node_children_put(&a->op->fs->nodes, children, count);
	return err;
}

/* Turn a row that cells cannot be written from (of a table of counters) into a
 * file that waits in its partition's directory, as if it had never been stored.
 * The file then makes the row. */
static int wait_row(struct adoption *a, struct node *table,
		    const struct row_view *row)
{
	struct op *op = a->op;
	struct node *dir, *n = NULL;
	struct buf text = BUF_INIT;
	struct child c, file;
	int err;

	if (!row->cell_count)
		return 0;
	buf_clear(&a->name);
	err = key_name_stored(&a->name, a->from, row->partition_key);
	if (err)
		return err;
	child_init(&c, &kind_schemaless);
	c.value = row->partition_key;
	dir = op_node_of_child(op, table, buf_bytes(&a->name), &c);
	if (!dir)
		return -ENOMEM;
	buf_clear(&a->name);
	schemaless_print_name(&a->name, node_name(dir), row->clustering[0]);
	err = stat_lookup(op, dir, buf_bytes(&a->name), &c, &n);
	if (!err)
		err = content_load(op, n, &text);
	if (!err && text.failed)
		err = -ENOMEM;
	if (!err)
		err = waiting_child(op, dir, buf_bytes(&a->name), &file);
	if (!err) {
		file.scratch->about.expires_s = row->cells[0].expires_s;
		err = scratch_of(op, buf_bytes(&text), c.mtime_ns, &file);
		node_put(&op->fs->nodes, n);
		n = err ? NULL : op_node_of_child(op, dir, buf_bytes(&a->name),
						  &file);
		if (n) {
			keep_for(op, n, NULL);
			waiting_mark_told(table);
			err = waiting_save_row(op, n);
		} else {
			scratch_free(op->fs, file.scratch);
		}
	}
	node_put(&op->fs->nodes, n);
	node_put(&op->fs->nodes, dir);
	buf_release(&text);
	return err;
}

static int adopt_all(struct adoption *a, struct node *table)
{
	struct place from = { .table = a->from }, to = { .table = a->to };
	int err = can_adopt(a->to) || a->to->clustering_count ?
			  adopt_stored(a, table, adopt_entry) :
			  adopt_stored(a, table, wait_row);

	if (err || !can_adopt(a->to))
		return err;
	if (!table_is_schemaless(a->to))
		err = adopt_kept(a, table);
	if (!err)
		err = times_carry(a->op, &a->w, &from, &to);
	return err ? err : commit_fill(&a->w);
}

/* Find the node of the table. */
static int find_table(struct adoption *a, struct node *keyspace,
		      struct node **table)
{
	struct child c;

	name_of_text(&a->name, bytes_str(a->from->name));
	if (a->name.failed)
		return -ENOMEM;
	table_child(&c, a->from);
	*table = op_node_of_child(a->op, keyspace, buf_bytes(&a->name), &c);
	return *table ? 0 : -ENOMEM;
}

/* Keep the time of a directory that is made anew with itself: what is stored of
 * it goes with the old table. */
static void remember_times(struct op *op, struct node *n)
{
	struct node **children;
	struct child c;
	size_t i, count;

	if (!n->ops->directory)
		return;
	if (!atomic_load(&n->mtime_ns) && !stat_node(op, n, &c))
		atomic_store(&n->mtime_ns, c.mtime_ns);
	op->reason[0] = 0;
	arena_clear(&op->arena);
	if (node_children(&op->fs->nodes, n, CHILDREN_KEPT, &children, &count))
		return;
	for (i = 0; i < count; i++)
		remember_times(op, children[i]);
	node_children_put(&op->fs->nodes, children, count);
}

int adopt_rows(struct op *op, struct node *keyspace, struct table *from,
	       struct table *to, struct waiting_list *waiting)
{
	struct adoption a = { .op = op, .from = from, .to = to,
			      .name = BUF_INIT, .value = BUF_INIT,
			      .dir = BUF_INIT };
	struct arena kept = op->arena;	/* op->arena is cleared with each row */
	struct node *table = NULL;
	int err;

	op->arena = ARENA_INIT;
	write_init(&a.w, op->store);
	a.w.moves = true;
	err = find_table(&a, keyspace, &table);
	if (!err)
		err = adopt_all(&a, table);
	if (!err)
		err = waiting_begin(op, waiting, table, to);
	if (!err)
		remember_times(op, table);
	if (!err)	/* before anybody finds it removed */
		atomic_fetch_or(&table->flags, NODE_ADOPTED);
	node_put(&op->fs->nodes, table);
	write_release(&a.w);
	buf_release(&a.name);
	buf_release(&a.dir);
	buf_release(&a.value);
	arena_release(&op->arena);
	op->arena = kept;
	return err;
}

int adopt_empty_table(struct op *op, struct table *from, struct table *to,
		      struct waiting_list *waiting)
{
	struct node_table *nodes = &op->fs->nodes;
	int err = store_has_rows(op->store, from);
	struct buf name = BUF_INIT;
	struct node *keyspace;

	if (err)
		return err < 0 ? err : -EEXIST;
	name_of_text(&name, bytes_str(from->keyspace));
	keyspace = name.failed ? NULL :
				 node_find(nodes, nodes->root, buf_bytes(&name));
	err = name.failed ? -ENOMEM : 0;
	if (keyspace)	/* else nothing of it is in memory */
		err = adopt_rows(op, keyspace, from, to, waiting);
	node_put(nodes, keyspace);
	buf_release(&name);
	return err;
}

/* Go down by one name: find it, or make it. */
static int step_down(struct op *op, struct node **dir, struct bytes name,
		     bool last)
{
	struct node *next = NULL;
	struct child c;
	int err = stat_lookup(op, *dir, name, &c, &next);

	if (err == -ENOENT && last && (*dir)->ops->create) {
		op->reason[0] = 0;
		err = (*dir)->ops->create(op, *dir, name, &c);
		next = err ? NULL : op_node_of_child(op, *dir, name, &c);
		if (!err && !next)
			err = -ENOMEM;
	}
	node_put(&op->fs->nodes, *dir);
	*dir = next;
	return err;
}

int adopt_store(struct op *op, struct node *n, struct bytes text,
		const struct store_how *how)
{
	struct node *path[64], *now, *at = node_now(n);
	unsigned count = 0;
	int err = 0;

	if (!(atomic_load(&n->table->flags) & NODE_ADOPTED))
		return -ESTALE;
	for (; at != n->table->parent && count < ARRAY_SIZE(path);
	     at = node_now(at->parent))
		path[count++] = at;
	op_renew_schema(op);
	op->broadcast = true;	/* the kernel has another number of it */
	now = node_get(at);
	while (count-- && !err)
		err = step_down(op, &now, node_name(path[count]), !count);
	if (!err && (!now->ops->file || !now->ops->file->store))
		err = -ESTALE;
	if (!err)
		err = now->ops->file->store(op, now, text, how);
	node_put(&op->fs->nodes, now);
	return err;
}
