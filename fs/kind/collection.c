#include "fs/kind/collection.h"

#include <ctype.h>
#include <errno.h>

#include "fs/file/keep.h"
#include "fs/kind/cell.h"
#include "fs/kind/cell_move.h"
#include "fs/kind/cell_text.h"
#include "fs/kind/list_end.h"
#include "fs/kind/list_id.h"
#include "fs/kind/long_name.h"
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
#include "store/type/ordered.h"

static const struct node_ops kind_element, kind_position, kind_set_element;

void collection_times(struct child *c, const struct cell_view *cells,
		      size_t count)
{
	size_t i;

	c->mtime_ns = timestamp_ns(cells[0].timestamp_us);
	c->expires_s = c->changes_s = cells[0].expires_s;
	for (i = 1; i < count; i++) {
		if (timestamp_ns(cells[i].timestamp_us) > c->mtime_ns)
			c->mtime_ns = timestamp_ns(cells[i].timestamp_us);
		if (cells[i].expires_s > c->expires_s)
			c->expires_s = cells[i].expires_s;
		if (cells[i].expires_s < c->changes_s)
			c->changes_s = cells[i].expires_s;
	}
}

/* --------------------------------------------------------------- elements */
static void element_name(struct buf *out, const struct type *t,
			 struct bytes path)
{
	unsigned field;

	switch (t->kind) {
	case TYPE_LIST:
		list_id_print(out, path);
		break;
	case TYPE_UDT:
		field = path.len == 2 ? get_be16(path.ptr) : UINT16_MAX;
		if (field < t->part_count)
			name_of_text(out, bytes_str(t->field_names[field]));
		break;
	default:
		key_name_of_value(out, t->parts[0], path);
	}
}

static int field_path(struct op *op, const struct type *t, struct bytes name,
		      struct bytes *path)
{
	uint8_t number[2];
	uint32_t i;

	for (i = 0; i < t->part_count; i++) {
		if (!name_is_of(name, bytes_str(t->field_names[i])))
			continue;
		number[0] = (uint8_t)(i >> 8);
		number[1] = (uint8_t)i;
		*path = arena_copy(&op->arena, bytes_of(number, 2));
		return op->arena.failed ? -ENOMEM : 0;
	}
	return -ENOENT;
}

static const struct column *column_of(struct op *op, struct node *dir,
				      struct place *p, int *err)
{
	/* The key of a directory above may be still to come. */
	*err = place_type(op, dir, p);
	return *err ? NULL : p->column;
}

/* Set out to the element of that name in the collection, existing or not. */
static int element_child(struct op *op, struct node *dir, struct bytes name,
			 struct child *out)
{
	struct place p;
	const struct column *c;
	int err;

	c = column_of(op, dir, &p, &err);
	if (!c)
		return err ? err : -ESTALE;
	child_init(out, c->type->kind == TYPE_SET ? &kind_set_element :
						    &kind_element);
	times_child_owner(out, p.table);
	switch (c->type->kind) {
	case TYPE_LIST:
		return list_id_parse(op, name, &out->value);
	case TYPE_UDT:
		return field_path(op, c->type, name, &out->value);
	default:
		return key_name_parse_value(op, c->type->parts[0], name,
					    &out->value);
	}
}

int collection_cells(struct op *op, const struct place *p, struct arena *arena,
		     const struct cell_view **cells, size_t *count)
{
	const struct cell_view *all;
	struct row_view row;
	size_t i, n, first;
	int got = table_read(op->store, p->table, p->partition_key,
			     p->is_static ? NULL : p->clustering,
			     (uint64_t)1 << (p->column->number & 63), op->now_s,
			     arena, &row);

	*count = 0;
	if (got <= 0)
		return got;
	all = p->is_static ? row.statics : row.cells;
	n = p->is_static ? row.static_count : row.cell_count;
	for (i = 0; i < n && all[i].column->number != p->column->number; i++)
		;
	for (first = i; i < n && all[i].column->number == p->column->number;
	     i++)
		;
	*cells = n ? all + first : NULL;
	*count = i - first;
	return 0;
}

/* @0, @1, ...: find the element that has that position now. */
static int position_child(struct op *op, struct node *dir, struct bytes name,
			  struct child *out)
{
	const struct cell_view *cells;
	size_t i, at = 0, count = 0;
	struct place p;
	int err = place_type(op, dir, &p);

	if (err)
		return err;
	if (p.column->type->kind != TYPE_LIST)
		return -ENOENT;
	child_init(out, &kind_position);
	times_child_owner(out, p.table);
	out->volatile_name = true;
	out->volatile_attributes = true;
	if (bytes_equal(name, bytes_str("@append")) ||
	    bytes_equal(name, bytes_str("@prepend"))) {
		out->ops = &kind_append;
		return 0;
	}
	for (i = 1; i < name.len && i < 12 && isdigit(name.ptr[i]); i++)
		at = at * 10 + (size_t)(name.ptr[i] - '0');
	if (i < name.len || i == 1 || (i > 2 && name.ptr[1] == '0'))
		return -ENOENT;
	err = place_of(op, dir, &p);
	if (!err)
		err = collection_cells(op, &p, &op->arena, &cells, &count);
	if (err || at >= count)
		return err ? err : -ENOENT;
	out->value = cells[at].path;
	return 0;
}

static int lookup_element(struct op *op, struct node *dir, struct bytes name,
			  struct child *out)
{
	int err = name.len && name.ptr[0] == '@' ?
			  position_child(op, dir, name, out) :
			  element_child(op, dir, name, out);

	if (err || out->ops == &kind_append)
		return err;
	return cell_lookup(op, dir, out);
}

/* Append a path as elements are ordered by it. */
static void add_order(struct buf *out, const struct type *t, struct bytes path)
{
	if (t->kind == TYPE_UDT)
		buf_add_bytes(out, path);
	else
		type_ordered_append(out, t->kind == TYPE_LIST ? type_native(TYPE_TIMEUUID) :
							 t->parts[0],
				    path, false);
}

/* Set *first to the first of the cells whose path is after that one. */
static int find_after(const struct type *t, const struct cell_view *cells,
		      size_t count, struct bytes path, size_t *first)
{
	struct buf last = BUF_INIT, order = BUF_INIT;
	size_t low = 0, high = count;

	add_order(&last, t, path);
	while (low < high) {
		size_t middle = (low + high) / 2;

		buf_clear(&order);
		add_order(&order, t, cells[middle].path);
		if (bytes_compare(buf_bytes(&order), buf_bytes(&last)) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	low = last.failed || order.failed;
	buf_release(&last);
	buf_release(&order);
	return low ? -ENOMEM : 0;
}

static const struct type *value_type(const struct type *t, struct bytes path)
{
	unsigned field;

	switch (t->kind) {
	case TYPE_SET:
		return NULL;
	case TYPE_MAP:
		return t->parts[1];
	case TYPE_UDT:
		field = path.len == 2 ? get_be16(path.ptr) : UINT16_MAX;
		return field < t->part_count ? t->parts[field] : NULL;
	default:
		return t->parts[0];
	}
}

/* Add the elements to the listing, as many as there is room for. */
static int add_elements(struct op *op, struct listing *l,
			const struct cell_view *cells, size_t count)
{
	const struct type *t = l->place.column->type;
	struct child child;
	size_t i;
	int got = 1;

	listing_children_begin(l);
	for (i = 0; i < count && got > 0; i++) {
		child_init(&child, t->kind == TYPE_SET ? &kind_set_element :
							 &kind_element);
		cell_child(&child, l->place.table,
			   value_type(t, cells[i].path), &cells[i]);
		child.value = cells[i].path;
		got = listing_children_add(op, l, &child);
	}
	l->more_children = !got;
	return got < 0 ? got : 0;
}

/*
 * Read the elements to be listed next: all, or of many the first ones, then
 * those after the last one listed. Their values are valid during the call only.
 */
static int read_elements(struct op *op, struct listing *l)
{
	const struct cell_view *cells = NULL;
	struct bytes last = BYTES_NULL;
	size_t count, first = 0;
	int err = 0;

	if (l->more_children)
		last = arena_copy(&op->arena, l->children[l->count - 1].value);
	else
		err = listing_place(op, l);
	if (!err)
		err = collection_cells(op, &l->place, &op->arena, &cells,
				       &count);
	if (!err && l->more_children)
		err = find_after(l->place.column->type, cells, count, last,
				 &first);
	return err ? err : add_elements(op, l, cells + first, count - first);
}

/* True if an element of that name is a directory of its key and value: one of
 * a user type is named by the schema, and has no key. */
static bool is_long(const struct type *t, struct bytes name)
{
	return name_is_shortened(name) &&
	       (t->kind == TYPE_SET || t->kind == TYPE_MAP);
}

static int next_element(struct op *op, struct listing *l, struct buf *name,
			struct child *out)
{
	int err;

	if (l->index >= l->count && (!l->data || l->more_children)) {
		err = read_elements(op, l);
		if (err)
			return err == -EINVAL ? 0 : err;
		l->data = l;
	}
	if (l->index >= l->count)
		return 0;
	*out = l->children[l->index++];
	element_name(name, l->place.column->type, out->value);
	if (is_long(l->place.column->type, buf_bytes(name))) {
		out->ops = &kind_long_element;
		out->volatile_attributes = true;
	}
	return 1;
}

static int create_element(struct op *op, struct node *dir, struct bytes name,
			  struct child *out)
{
	struct bytes base;
	int err = name.len && name.ptr[0] == '@' ?
			  position_child(op, dir, name, out) :
			  element_child(op, dir, name, out);

	if (!err || err == -ENOMEM || err == -ESTALE)
		return err;
	if (name_is_scratch(name, &base)) {
		op->reason[0] = 0;
		return scratch_create(op, name, out);
	}
	op_refuse(op, -EINVAL, "no element of this column is named so");
	return -EINVAL;
}

/* Make a directory, only for an element whose name is too long for a file: see
 * long_name.c. */
static int mkdir_element(struct op *op, struct node *dir, struct bytes name,
			 mode_t mode, struct child *out, bool *keep)
{
	struct place p;
	int err = place_type(op, dir, &p);

	(void)mode;
	if (err)
		return err;
	if (!is_long(p.column->type, name))
		return op_refuse(op, -EPERM, "no directory can be made here");
	child_init(out, &kind_long_element);
	times_child_owner(out, p.table);
	out->unkeyed = true;
	*keep = true;
	return 0;
}

static int rmdir_collection(struct op *op, struct node *n)
{
	const struct cell_view *cells;
	size_t count = 0;
	struct place p;
	int err = place_of(op, n, &p);

	if (!err)
		err = collection_cells(op, &p, &op->arena, &cells, &count);
	if (err || count)
		return err ? err : -ENOTEMPTY;
	err = times_touch_alone(op, n->parent);
	if (!err)
		keep_up(op, n->parent);
	return err;
}

/* Check that anything of the collection is live, and get its time and end. */
static int stat_collection(struct op *op, const struct place *p,
			   struct child *out)
{
	const struct cell_view *cells;
	size_t count;
	int err;

	out->moment = known_moment_at(op, p);
	err = collection_cells(op, p, &op->arena, &cells, &count);
	if (err || !count)
		return err ? err : -ENOENT;
	collection_times(out, cells, count);
	return 0;
}

const struct node_ops kind_collection = {
	.kind = "collection",
	.directory = true,
	.part = PART_COLUMN,
	.whole_column = true,
	.lookup = lookup_element,
	.stat = cell_stat,
	.stat_place = stat_collection,
	.next = next_element,
	.create = create_element,
	.mkdir = mkdir_element,
	.rmdir = rmdir_collection,
	.set_mtime = times_set_mtime,
};

static const struct node_ops kind_element = {
	.kind = "element",
	.part = PART_PATH,
	.file = &cell_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.rename = cell_rename,
	.set_mtime = cell_set_mtime,
};

static int store_set_element(struct op *op, struct node *n, struct bytes text,
			     const struct store_how *how)
{
	return cell_file.store(op, n, text, how);
}

int collection_load_nothing(struct op *op, struct node *n, struct buf *out)
{
	(void)op;
	(void)n;
	(void)out;
	return 0;
}

static bool only_empty(struct op *op, struct node *n, struct bytes text,
		       size_t from)
{
	(void)n;
	(void)from;
	if (text.len)
		op_refuse(op, -EINVAL, "an element of a set is its name");
	return !text.len;
}

static bool always(struct op *op, struct node *n)
{
	(void)op;
	(void)n;
	return true;
}

static const struct file_kind set_element_file = {
	.load = collection_load_nothing,
	.store = store_set_element,
	.may_begin = only_empty,
	.check_time = cell_check_time,
	.takes_empty = always,
	.exists_by_name = true,
};

static const struct node_ops kind_set_element = {
	.kind = "element",
	.part = PART_PATH,
	.file = &set_element_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.rename = cell_rename,
	.set_mtime = cell_set_mtime,
};

/* ------------------------------------------------------------ by position */
static int stat_position(struct op *op, struct node *n, struct child *out)
{
	int err = cell_stat(op, n, out);

	out->volatile_name = true;
	out->volatile_attributes = true;
	return err;
}

/* The element has another name too, by which the kernel may know it. */
static int store_by_position(struct op *op, struct node *n, struct bytes text,
			     const struct store_how *how)
{
	op->broadcast = true;
	return cell_file.store(op, n, text, how);
}

static int load_position(struct op *op, struct node *n, struct buf *out)
{
	return cell_file.load(op, n, out);
}

static bool position_may_begin(struct op *op, struct node *n,
			       struct bytes text, size_t from)
{
	return cell_file.may_begin(op, n, text, from);
}

static int position_check(struct op *op, struct node *n, struct bytes text,
			  const struct store_how *how)
{
	return cell_file.check(op, n, text, how);
}

static bool position_is_value(struct op *op, struct node *n)
{
	return cell_file.is_value(op, n);
}

static bool position_takes_empty(struct op *op, struct node *n)
{
	return cell_file.takes_empty(op, n);
}

static const struct file_kind position_file = {
	.load = load_position,
	.store = store_by_position,
	.may_begin = position_may_begin,
	.check = position_check,
	.check_time = cell_check_time,
	.is_value = position_is_value,
	.takes_empty = position_takes_empty,
};

static int unlink_position(struct op *op, struct node *n)
{
	op->broadcast = true;
	return cell_unlink(op, n);
}

static const struct node_ops kind_position = {
	.kind = "element",
	.by_position = true,
	.part = PART_PATH,
	.file = &position_file,
	.stat = stat_position,
	.unlink = unlink_position,
};
