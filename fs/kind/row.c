#include "fs/kind/row.h"

#include <errno.h>

#include "fs/file/keep.h"
#include "fs/kind/cell.h"
#include "fs/kind/collection.h"
#include "fs/kind/collection_json.h"
#include "fs/kind/counter.h"
#include "fs/kind/key.h"
#include "fs/kind/partition.h"
#include "fs/kind/row_move.h"
#include "fs/kind/scratch.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/key_name.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "fs/tree/listing.h"

void row_child(struct child *c, const struct table *t,
	       const struct row_view *row)
{
	c->expires_s = times_row_expires_s(row);
	if (row->names)
		return;
	times_child_owner(c, t);
	c->mtime_ns = times_row_mtime_ns(row);
	c->changes_s = times_row_changes_s(row);
	if (!c->mtime_ns)
		c->mtime_ns = t->created_us * MICROSECOND;
	if (!bytes_is_null(row->attribute))
		times_of_listed(c, row->attribute);
}

/* True if nothing of the static row that was read is there. */
static bool is_nothing(const struct place *p, const struct row_view *row)
{
	return p->is_static && !row->static_count;
}

static int read_row(struct op *op, const struct place *p, struct row_view *row)
{
	int got = known_row(op, p, UINT64_MAX, row, NULL);

	return got > 0 && is_nothing(p, row) ? 0 : got;
}

static int stat_row(struct op *op, struct node *n, struct child *out)
{
	struct row_view row;
	struct place p;
	int got = place_of(op, n, &p);

	child_init(out, n->ops);
	out->value = node_value(n);
	if (got)
		return got;
	got = known_row_timed(op, n->table, &p, &row, &out->moment);
	if (got <= 0 || is_nothing(&p, &row))
		return got < 0 ? got : -ENOENT;
	row_child(out, p.table, &row);
	return p.is_static ? 0 : key_name_check(op, &p, &row);
}

/* ----------------------------------------------------------------- lookup */
/* Find the column of a shortened name. One that two have, whose hashes are the same,
 * is none's: what is written there would go to the other. */
static const struct column *column_shortened(const struct table *t,
					     struct bytes name,
					     size_t suffix_len)
{
	const struct column *found = NULL;
	uint32_t i;

	for (i = 0; i < t->column_count; i++) {
		if (!name_is_of_for(name, bytes_str(t->columns[i].name),
				    suffix_len))
			continue;
		if (found)
			return NULL;
		found = &t->columns[i];
	}
	return found;
}

const struct column *row_column(struct op *op, const struct table *t,
				struct bytes name, size_t suffix_len)
{
	int place;

	if (name_is_shortened(name))
		return column_shortened(t, name, suffix_len);
	op->text.len = 0;
	if (name_unescape(&op->text, name))
		return NULL;
	place = table_column(t, buf_bytes(&op->text));
	return place >= 0 && name_is_of(name, bytes_str(t->columns[place].name)) ?
		       &t->columns[place] : NULL;
}

/* Set out to the column of that name in this row, existing or not. */
static int column_child(struct op *op, struct node *dir, const struct table *t,
			const struct column *c, struct child *out)
{
	bool is_static = dir->ops == &kind_static;

	(void)op;
	if (c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING) {
		if (is_static && c->kind == COLUMN_CLUSTERING)
			return -ENOENT;
		child_init(out, &kind_key_column);
		out->read_only = true;
	} else if ((c->kind == COLUMN_STATIC) != is_static) {
		return -ENOENT;
	} else if (type_is_multicell(c->type)) {
		child_init(out, &kind_collection);
	} else if (c->type->kind == TYPE_COUNTER) {
		child_init(out, &kind_counter);
		out->volatile_attributes = true;
	} else {
		child_init(out, &kind_cell);
	}
	out->number = c->number;
	times_child_owner(out, t);
	return 0;
}

static int lookup_collection_json(struct op *op, struct node *dir,
				  const struct table *t, struct bytes base,
				  struct bytes name, struct child *out)
{
	const struct column *c =
		row_column(op, t, base, name_suffix_room(base, name));
	struct child collection;
	int err;

	if (!c || !type_is_multicell(c->type))
		return -ENOENT;
	err = column_child(op, dir, t, c, &collection);
	if (err)
		return err;
	child_init(out, &kind_collection_json);
	out->number = c->number;
	times_child_owner(out, t);
	out->volatile_name = true;
	out->volatile_attributes = true;
	return 0;
}

static int row_lookup_name(struct op *op, struct node *dir, struct bytes name,
			   struct child *out)
{
	struct table *t = op_table(op, dir);
	const struct column *c;
	struct bytes base;

	if (!t)
		return -ESTALE;
	c = row_column(op, t, name, 0);
	if (c)
		return column_child(op, dir, t, c, out);
	if (name_suffix(name, &base) == SUFFIX_JSON)
		return lookup_collection_json(op, dir, t, base, name, out);
	return -ENOENT;
}

static int lookup(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	int err;

	if (bytes_equal(name, bytes_str("@key")))
		return dir->ops == &kind_row ? key_file_lookup(op, dir, out) :
					       -ENOENT;
	err = row_lookup_name(op, dir, name, out);
	return err ? err : cell_lookup(op, dir, out);
}

/* ---------------------------------------------------------------- listing */
/* Add the cells of a column, which begin at `cells`, to the listing, with its
 * name as their value. timed: a time may be stored beside a cell. */
static int add_column(struct op *op, struct listing *l,
		      const struct cell_view *cells, size_t count, bool timed)
{
	const struct column *c = cells->column;
	struct child child;
	int got = column_child(op, l->node, l->place.table, c, &child);

	if (got)
		return got;
	if (child.ops == &kind_collection) {
		collection_times(&child, cells, count);
	} else {
		cell_child(&child, l->place.table, c->type, cells);
		child.time_is_read = !timed;
	}
	child.value = bytes_str(c->name);
	got = listing_children_add(op, l, &child);
	return got ? got : op_refuse_resource(op, RESOURCE_RESULTS, -ENOSPC);
}

/* Read the row's cells to be listed; their values are valid during the call
 * only. */
static int begin_listing(struct op *op, struct listing *l)
{
	const struct cell_view *cells;
	struct row_view row;
	size_t i, next, count;
	bool timed;
	int got = listing_place(op, l);

	if (!got)
		got = read_row(op, &l->place, &row);
	if (got <= 0)
		return got == -EINVAL ? 0 : got;
	cells = l->place.is_static ? row.statics : row.cells;
	count = l->place.is_static ? row.static_count : row.cell_count;
	listing_children_begin(l);
	timed = l->names || times_exist(op, l->node->table, &kind_cell);
	for (i = 0; i < count && got >= 0; i = next) {
		next = i + 1;
		while (next < count && cells[next].column == cells[i].column)
			next++;
		if (!cells[i].column->hidden)
			got = add_column(op, l, &cells[i], next - i, timed);
	}
	return got < 0 ? got : 0;
}

/* Refuse a shortened name that is another column's too. */
static int check_column(struct op *op, struct listing *l, const struct buf *name)
{
	struct table *t = op_table(op, l->node);

	if (name->failed || !t || !name_is_shortened(buf_bytes(name)) ||
	    row_column(op, t, buf_bytes(name), 0))
		return 1;
	return op_refuse(op, -EIO, "%.*s is the shortened name of two columns: "
			 "they are in statements and documents alone",
			 (int)name->len, (const char *)name->ptr);
}

static int next_cell(struct op *op, struct listing *l, struct buf *name,
		     struct child *out)
{
	int got;

	if (!l->step && l->node->ops == &kind_row &&
	    name_is_shortened(node_name(l->node)) &&
	    !key_file_lookup(op, l->node, out)) {
		buf_add_str(name, "@key");
		return 1;
	}
	if (!l->data) {
		got = begin_listing(op, l);
		if (got < 0)
			return got;
		l->data = l;
	}
	if (l->index >= l->count)
		return 0;
	*out = l->children[l->index++];
	name_of_text(name, out->value);
	out->value = BYTES_NULL;
	return check_column(op, l, name);
}

/* ---------------------------------------------------------------- changes */
static int create(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	struct table *t = op_table(op, dir);
	struct bytes base;
	int err;

	if (!t)
		return -ESTALE;
	if (dir->ops == &kind_row && bytes_equal(name, bytes_str("@key")) &&
	    name_is_shortened(node_name(dir)))
		return key_file_child(op, dir, out);
	err = row_lookup_name(op, dir, name, out);
	if (!err && out->ops == &kind_collection)
		return op_refuse(op, -EINVAL,
				 "this column is a directory of its elements");
	if (err != -ENOENT)
		return err;
	if (name_is_scratch(name, &base))
		return scratch_create(op, name, out);
	return scratch_refuse_name(op, name, "column", t);
}

static int mkdir_collection(struct op *op, struct node *dir, struct bytes name,
			    mode_t mode, struct child *out, bool *keep)
{
	struct table *t = op_table(op, dir);
	int err = t ? row_lookup_name(op, dir, name, out) : -ESTALE;

	(void)mode;
	if (err == -ENOENT)
		return scratch_refuse_name(op, name, "column", t);
	if (!err && out->ops != &kind_collection)
		return op_refuse(op, -EINVAL, "this column is a file");
	if (err)
		return err;
	*keep = true;
	if (node_waits_for_key(dir))
		return 0;
	out->mtime_ns = store_timestamp(op->store) * MICROSECOND;
	return times_make_alone(op, dir, out);
}

/* Set the times that a new row shows: that of its marker, which one that was set
 * for an earlier row of its name must not hide. */
static int touch_new(struct op *op, struct write *w, struct node *dir,
		     const struct place *p, int64_t mtime_ns)
{
	int err = times_touch(op, w, dir);
	int set = err ? err : times_are_set(op, dir->table, p);

	return set <= 0 ? set :
			  times_set_directory(op, w, dir->table, p, mtime_ns);
}

int row_insert(struct op *op, struct node *dir, struct child *c, bool touch)
{
	struct write w;
	struct place p;
	int err = place_of_child(op, dir, c, &p);
	int64_t at;

	if (err)
		return err;
	err = place_begin_write(op, &w, dir, &p);
	if (!err)
		err = times_place_timestamp(op, &p, 0, &at);
	if (!err)
		c->mtime_ns = timestamp_ns(at);
	if (!err && touch)
		err = touch_new(op, &w, dir, &p, c->mtime_ns);
	if (!err) {
		place_write_row(&w, &p);
		write_marker(&w, at, p.table->options.default_time_to_live);
		err = op_write(op, &w);
	}
	write_release(&w);
	return err;
}

/* Delete the row, if it is empty. Later writes to it go into a new row. */
static int delete_empty(struct op *op, struct node *n, const struct place *p,
			struct write *w)
{
	struct row_view row;
	int got = read_row(op, p, &row);

	if (got < 0)
		return got;
	if (got && (p->is_static || row.cell_count))
		return -ENOTEMPTY;
	if (p->table->flags & TABLE_VIRTUAL)
		return -EROFS;
	if (got) {
		place_write_row(w, p);
		write_row_deletion(w, op_timestamp(op, row.marker.timestamp));
	}
	got = times_touch(op, w, n->parent);
	return got ? got : op_write(op, w);
}

static int rmdir_row(struct op *op, struct node *n)
{
	struct place p;
	int got = place_of(op, n, &p);

	if (got == -EINVAL)
		return 0;
	if (!got)
		got = place_change(op, n, &p, delete_empty);
	if (!got && n->parent != n->table)
		keep_up(op, n->parent);
	return got;
}

static int touch_both(struct op *op, struct node *from, struct node *to)
{
	int err = times_touch_alone(op, from);

	return err || to == from ? err : times_touch_alone(op, to);
}

static int rename_row(struct op *op, struct node *n, struct node *dir,
		      struct bytes name, struct node *replaced,
		      struct child *target)
{
	struct partition_ref refs[2];
	struct place from, to;
	struct row_view row;
	struct write w;
	struct child c;
	bool alone;
	int got;

	if (dir->table != n->table || !dir->table ||
	    (dir != dir->table && dir->ops != &kind_partition))
		return -EXDEV;
	if (node_waits_for_key(n) || node_waits_for_key(dir))
		return -EXDEV;
	got = place_of(op, n, &from);
	if (got)
		return got;
	if (from.table->flags & (TABLE_COUNTER | TABLE_VIRTUAL))
		return -EXDEV;
	if (replaced) {
		got = partition_check_empty(op, replaced);
		if (got)
			return got;
	}
	got = partition_child(op, dir, name, &c);
	if (got)
		return got;
	if (c.ops != &kind_row || c.unkeyed)
		return -EXDEV;
	got = partition_check_new(op, dir, &c);
	if (!got)
		got = place_of_child(op, dir, &c, &to);
	if (got)
		return got;
	refs[0] = (struct partition_ref){ from.table, from.partition_key };
	refs[1] = (struct partition_ref){ to.table, to.partition_key };
	write_init(&w, op->store);
	w.moves = true;
	place_move_begin(n);	/* until fs/call_rename.c has renamed the node */
	write_lock(&w, refs, 2);
	got = read_row(op, &from, &row);
	alone = !got;	/* it exists only in memory */
	if (got > 0)
		got = row_write_moved(op, &w, n, dir, &from, &to, &row);
	write_release(&w);
	if (alone)
		got = touch_both(op, n->parent, dir);
	if (got)
		return got;
	*target = c;
	if (n->parent != n->table)
		keep_up(op, n->parent);
	op_notify_below(op, n);
	return 0;
}

static int settle_row(struct op *op, struct node *dir)
{
	struct child row;

	child_init(&row, dir->ops);
	row.value = node_value(dir);
	return row_insert(op, dir->parent, &row, false);
}

const struct node_ops kind_row = {
	.kind = "row",
	.directory = true,
	.part = PART_KEY,
	.schema_names = true,
	.lookup = lookup,
	.stat = stat_row,
	.next = next_cell,
	.create = create,
	.mkdir = mkdir_collection,
	.rmdir = rmdir_row,
	.rename = rename_row,
	.set_mtime = times_set_mtime,
	.settle = settle_row,
};

const struct node_ops kind_static = {
	.kind = "static row",
	.directory = true,
	.part = PART_STATIC,
	.schema_names = true,
	.lookup = lookup,
	.stat = stat_row,
	.next = next_cell,
	.create = create,
	.mkdir = mkdir_collection,
	.rmdir = rmdir_row,
	.set_mtime = times_set_mtime,
};
