#include "fs/kind/partition.h"

#include <errno.h>

#include "fs/file/keep.h"
#include "fs/kind/document.h"
#include "fs/kind/key.h"
#include "fs/kind/query.h"
#include "fs/kind/query_document.h"
#include "fs/kind/row.h"
#include "fs/kind/row_json.h"
#include "fs/kind/rows.h"
#include "fs/kind/schemaless.h"
#include "fs/kind/scratch.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "fs/tree/listing.h"
#include "fs/tree/listing_shortened.h"
#include "store/type/ordered.h"

void partition_query(struct query *q, const struct place *p,
		     struct slice *slice)
{
	query_init(q, p->table);
	q->partitions = &p->partition_key;
	q->partition_count = 1;
	if (p->clustering_count) {
		slice->start = (struct bound){ p->clustering,
					       p->clustering_count, true };
		slice->end = slice->start;
		q->slices = slice;
		q->slice_count = 1;
	} else if (table_has_statics(p->table)) {
		q->with_statics = true;
		q->static_only_rows = true;
	}
}

/* Read the first row below a place, in the op's memory, and after the moment *m,
 * if m is not NULL: 1, 0. */
static int first_row(struct op *op, const struct place *p, struct row_view *row,
		     struct cursor **cursor, struct node_moment *m)
{
	struct slice slice;
	struct query q;
	int got;

	*cursor = NULL;
	if (place_is_row(p))
		return known_row(op, p, UINT64_MAX, row, m);
	if (m)
		*m = known_moment_at(op, p);
	partition_query(&q, p, &slice);
	q.limit = 1;
	q.now_s = op->now_s;
	got = table_query(cursor, op->store, &q);
	return got ? got : cursor_next(*cursor, row);
}

static const struct node_ops *kind_below(const struct table *t, uint32_t level)
{
	if (table_is_schemaless(t))
		return level ? &kind_plain : &kind_schemaless;
	return level == t->clustering_count ? &kind_row : &kind_partition;
}

int partition_stat_place(struct op *op, struct node *table,
			 const struct place *p, struct child *out)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	int err = 0, got = place_is_row(p) ?
		known_row_timed(op, table, p, &row, &out->moment) :
		first_row(op, p, &row, &cursor, &out->moment);

	if (got > 0) {
		row_child(out, p->table, &row);
		err = key_name_check(op, p, &row);
	}
	cursor_close(cursor);
	return got > 0 ? err : got ? got : -ENOENT;
}

static int stat_partition(struct op *op, struct node *n, struct child *out)
{
	struct place p;
	int err = place_of(op, n, &p);

	child_init(out, n->ops);
	out->value = node_value(n);
	return err ? err : partition_stat_place(op, n->table, &p, out);
}

/* Set out to the child that a key's name describes, without looking whether it
 * exists. */
int partition_child(struct op *op, struct node *dir, struct bytes name,
		     struct child *out)
{
	struct table *t = op_table(op, dir);
	uint32_t level = key_name_level(dir);

	if (!t || level > t->clustering_count)
		return -ESTALE;
	child_init(out, kind_below(t, level));
	times_child_owner(out, t);
	if (name_is_shortened(name)) {
		out->unkeyed = true;
		return 0;
	}
	return level ? key_name_parse_clustering(op, t, level - 1, name,
						 &out->value) :
		       key_name_parse_partition(op, t, name, &out->value);
}

int partition_check_new(struct op *op, struct node *dir, const struct child *c)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct place p;
	int got;

	if (c->unkeyed || node_waits_for_key(dir))
		return 0;
	got = place_of_child(op, dir, c, &p);
	if (got || !p.clustering_count ||
	    type_ordered_exact(table_clustering_column(p.table,
					p.clustering_count - 1)->type))
		return got;
	got = first_row(op, &p, &row, &cursor, NULL);
	if (got > 0)
		got = key_name_check(op, &p, &row);
	cursor_close(cursor);
	return got == -ENOENT ? -EINVAL : got;
}

/* Set out to the document of rows of that name and suffix, whose partition
 * exists or not. -ENOENT: it has none. */
static int rows_child(struct op *op, struct node *dir, struct bytes base,
		      struct bytes name, enum row_form form, struct child *out)
{
	struct child below;
	int err = document_of(op, dir, base, name, &below);

	/* A partition is one also where it is a row, or in a schemaless table;
	 * the row of a partition is none. */
	if (!err && (below.unkeyed || (dir != dir->table &&
				       below.ops != &kind_partition)))
		err = -ENOENT;
	if (!err)
		rows_of_partition(op, &below, op_table(op, dir), form, out);
	return err;
}

static int lookup_rows(struct op *op, struct node *dir, struct bytes base,
		       struct bytes name, enum row_form form, struct child *out)
{
	struct place p;
	int err = rows_child(op, dir, base, name, form, out);

	if (!err)
		err = place_of_child(op, dir, out, &p);
	if (err)
		return err;
	err = partition_stat_place(op, dir->table, &p, out);
	return err == -ENOENT &&
	       document_is_kept(op, dir, name, out->value) ? 0 : err;
}

static int lookup_document(struct op *op, struct node *dir, struct bytes base,
			   struct bytes name, struct child *out)
{
	struct child row;
	struct place p;
	int err = document_of(op, dir, base, name, &row);

	if (err || row.unkeyed)
		return err ? err : -ENOENT;
	if (row.ops != &kind_row)
		return -ENOENT;
	err = place_of_child(op, dir, &row, &p);
	if (err)
		return err;
	child_init(out, &kind_row_json);
	out->value = row.value;
	return row_json_stat(op, &p, out);
}

static int lookup_static(struct op *op, struct node *dir, struct child *out)
{
	struct place p;
	struct row_view row;
	int got = place_of(op, dir, &p);

	if (got)
		return got;
	if (dir->parent != dir->table || !table_has_statics(p.table))
		return -ENOENT;
	child_init(out, &kind_static);
	p.is_static = true;
	got = known_row(op, &p, UINT64_MAX, &row, &out->moment);
	if (got > 0 && !row.static_count)
		got = 0;
	if (got > 0)
		row_child(out, p.table, &row);
	return got > 0 ? 0 : got ? got : -ENOENT;
}

int partition_lookup(struct op *op, struct node *dir, struct bytes name,
		     struct child *out)
{
	enum name_suffix suffix;
	enum row_form form;
	struct bytes base;
	struct place p;
	int err;

	if (name.len && name.ptr[0] == '@') {
		if (bytes_equal(name, bytes_str("@static")) &&
		    dir != dir->table)
			return lookup_static(op, dir, out);
		if (bytes_equal(name, bytes_str("@key")))
			return key_file_lookup(op, dir, out);
		return name_suffix(name, &base) == SUFFIX_NONE ?
			       query_child(op, dir, name, out) :
			       query_document_child(op, dir, name, out);
	}
	suffix = name_suffix(name, &base);
	if (suffix == SUFFIX_JSON)
		return lookup_document(op, dir, base, name, out);
	if (rows_form(suffix, &form))
		return lookup_rows(op, dir, base, name, form, out);
	err = partition_child(op, dir, name, out);
	if (!err && (out->unkeyed || (dir->json && out->ops == &kind_row)))
		return -ENOENT;
	if (!err)
		err = place_of_child(op, dir, out, &p);
	return err ? err : partition_stat_place(op, dir->table, &p, out);
}

int partition_mkdir(struct op *op, struct node *dir, struct bytes name,
		    mode_t mode, struct child *out, bool *keep)
{
	struct table *t = op_table(op, dir);
	int err;

	(void)mode;
	if (!t)
		return -ESTALE;
	if (t->flags & TABLE_VIRTUAL)
		return -EROFS;
	if (bytes_equal(name, bytes_str("@static")) && dir != dir->table &&
	    dir->parent == dir->table && table_has_statics(t)) {
		child_init(out, &kind_static);
		times_child_owner(out, t);
		out->mtime_ns = store_timestamp(op->store) * MICROSECOND;
		*keep = true;
		return 0;
	}
	err = partition_child(op, dir, name, out);
	if (err)
		return err;
	if (dir->json && out->ops == &kind_row)
		return op_refuse(op, -EINVAL,
				 "a row is a file here: NAME.json");
	err = partition_check_new(op, dir, out);
	if (err)
		return err;
	if (out->unkeyed || out->ops != &kind_row || node_waits_for_key(dir) ||
	    (t->flags & (TABLE_COMPACT | TABLE_COUNTER)))
		*keep = true;	/* no key that the store could hold */
	if (*keep && !out->unkeyed && !node_waits_for_key(dir))
		out->mtime_ns = store_timestamp(op->store) * MICROSECOND;
	return *keep ? 0 : row_insert(op, dir, out, true);
}

static int mkdir_below(struct op *op, struct node *dir, struct bytes name,
		       mode_t mode, struct child *out, bool *keep)
{
	int err = partition_mkdir(op, dir, name, mode, out, keep);

	if (err || !*keep || node_waits_for_key(dir))
		return err;
	return times_make_alone(op, dir, out);
}

int partition_check_empty(struct op *op, struct node *n)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct place p;
	int got = keep_has_children(op, n);

	if (!got)
		got = place_of(op, n, &p);
	if (got)
		return got < 0 ? got : -ENOTEMPTY;
	got = first_row(op, &p, &row, &cursor, NULL);
	if (got > 0 && place_is_row(&p) && !row.cell_count)
		got = 0;
	cursor_close(cursor);
	return got > 0 ? -ENOTEMPTY : got;
}

static int begin_listing(struct op *op, struct listing *l)
{
	struct slice slice;
	struct query q;
	int attribute = 0, err = listing_place(op, l);

	if (err)
		return err;
	partition_query(&q, &l->place, &slice);
	/* The cursor would hold them. */
	q.with_statics = false;
	q.static_only_rows = false;
	q.now_s = op->now_s;
	if (!l->documents && !table_is_schemaless(l->place.table))
		attribute = times_attribute(op, l->node->table);
	if (attribute < 0)
		return attribute;
	q.attribute = (uint8_t)attribute;
	err = listing_narrow(l, &q, &slice);
	if (err)
		return err;
	if (l->place.clustering_count + 1 < l->place.table->clustering_count)
		q.distinct = (int)l->place.clustering_count + 1;
	return table_query(&l->cursor, op->store, &q);
}

/* Set out to the static row of the listed partition: 1; 0: it has none. */
static int list_static(struct op *op, struct listing *l, struct child *out)
{
	struct row_view row;
	int got;

	if (l->place.clustering_count || l->node->ops != &kind_partition ||
	    !table_has_statics(l->place.table))
		return 0;
	got = table_read(op->store, l->place.table, l->place.partition_key,
			 NULL, UINT64_MAX, op->now_s, &op->arena, &row);
	if (got <= 0 || !row.static_count)
		return got < 0 ? got : 0;
	child_init(out, &kind_static);
	row_child(out, l->place.table, &row);
	return 1;
}

/* Steps: @key, @static, then rows or values of the next column. */
static int next_below(struct op *op, struct listing *l, struct buf *name,
		      struct child *out)
{
	uint32_t level;
	int got;

	if (!l->step && name_is_shortened(node_name(l->node)) &&
	    !key_file_lookup(op, l->node, out)) {
		buf_add_str(name, "@key");
		return 1;
	}
	if (!l->cursor) {
		if (node_waits_for_key(l->node))
			return 0;
		got = begin_listing(op, l);
		if (!got)
			got = list_static(op, l, out);
		if (got) {
			buf_add_str(name, "@static");
			return got;
		}
	}
	got = cursor_next(l->cursor, &l->row);
	if (got <= 0)
		return got;
	level = l->place.clustering_count;
	listing_child(l, out, kind_below(l->place.table, level + 1));
	row_child(out, l->place.table, &l->row);
	out->value = l->row.clustering[level];
	key_name_of_clustering(name, l->place.table, level, out->value);
	return l->documents && out->ops == &kind_row ?
		       row_json_list(op, l, name, out) : 1;
}

int partition_rmdir(struct op *op, struct node *n)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct place p;
	int got = place_of(op, n, &p);

	if (got == -EINVAL)	/* waits for its key: no children */
		return 0;
	if (!got)
		got = first_row(op, &p, &row, &cursor, NULL);
	cursor_close(cursor);
	if (got)
		return got < 0 ? got : -ENOTEMPTY;
	got = times_touch_alone(op, n->parent);
	if (!got && n->parent != n->table)
		keep_up(op, n->parent);
	return got;
}

/* Make the document of a row that does not exist. -ENOENT: the name is not of one. */
static int create_row_json(struct op *op, struct node *dir, struct bytes name,
			   struct child *out)
{
	struct bytes base;
	struct child row;
	int err;

	if (name_suffix(name, &base) != SUFFIX_JSON)
		return -ENOENT;
	err = document_of(op, dir, base, name, &row);
	if (err == -ENOMEM)
		return err;
	if (err || row.ops != &kind_row || row.unkeyed)
		return -ENOENT;
	err = partition_check_new(op, dir, &row);
	if (err)
		return err;
	child_init(out, &kind_row_json);
	times_child_owner(out, op_table(op, dir));
	out->value = row.value;
	out->volatile_name = true;
	out->volatile_attributes = true;
	return 0;
}

static int create_below(struct op *op, struct node *dir, struct bytes name,
			struct child *out)
{
	enum row_form form;
	struct bytes base;
	struct child row;
	int err;

	if (bytes_equal(name, bytes_str("@key")) &&
	    name_is_shortened(node_name(dir)))
		return key_file_child(op, dir, out);
	err = create_row_json(op, dir, name, out);
	if (err != -ENOENT)
		return err;
	if (rows_form(name_suffix(name, &base), &form) &&
	    !rows_child(op, dir, base, name, form, out))
		return 0;
	if (name_is_scratch(name, &base))
		return scratch_create(op, name, out);
	err = partition_child(op, dir, name, &row);
	if (err == -ENOMEM || err == -ESTALE)
		return err;
	op->reason[0] = 0;
	return op_refuse(op, -EINVAL,
			 "a name here is a directory: use mkdir, or NAME.json");
}

int partition_create(struct op *op, struct node *dir, struct bytes name,
		     struct child *out)
{
	return create_below(op, dir, name, out);
}

const struct node_ops kind_partition = {
	.kind = "partition",
	.directory = true,
	.part = PART_KEY,
	.lookup = partition_lookup,
	.stat = stat_partition,
	.next = next_below,
	.create = create_below,
	.mkdir = mkdir_below,
	.rmdir = partition_rmdir,
	.set_mtime = times_set_mtime,
};
