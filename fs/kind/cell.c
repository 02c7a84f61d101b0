#include "fs/kind/cell.h"

#include <errno.h>

#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/kind/cell_move.h"
#include "fs/kind/cell_text.h"
#include "fs/kind/collection.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "store/base/murmur3.h"

/* ------------------------------------------------------------------- stat */
/* Describe all but the size. */
static void describe(struct child *c, const struct table *t,
		     const struct cell_view *cell)
{
	times_child_owner(c, t);
	c->timestamp_us = cell->timestamp_us;
	c->mtime_ns = timestamp_ns(cell->timestamp_us);
	c->expires_s = cell->expires_s;
}

void cell_child(struct child *c, const struct table *t, const struct type *type,
		const struct cell_view *cell)
{
	describe(c, t, cell);
	c->size = cell_value_size(type, cell->value);
}

static int stat_place(struct op *op, const struct place *p, struct child *out)
{
	struct cell_view cell;
	int got;

	if (out->ops->stat_place)
		return out->ops->stat_place(op, p, out);
	got = known_cell(op, p, &cell, &out->moment);
	if (got <= 0)
		return got ? got : -ENOENT;
	cell_child(out, p->table, p->type, &cell);
	out->volatile_attributes |= out->ops->volatile_attributes;
	return 0;
}

int cell_lookup(struct op *op, struct node *dir, struct child *c)
{
	struct place p;
	int err = place_of_child(op, dir, c, &p);

	return err ? err : stat_place(op, &p, c);
}

/* Key columns are renamed by ALTER TABLE, and keep their numbers. */
static bool is_name_of(const struct node *n, const struct column *c)
{
	return name_is_of(node_name(n), bytes_str(c->name));
}

static void begin_child(struct child *c, struct node *n)
{
	child_init(c, n->ops);
	c->number = n->number;
	c->value = node_value(n);
}

int cell_stat(struct op *op, struct node *n, struct child *out)
{
	struct place p;
	int err = place_of(op, n, &p);

	begin_child(out, n);
	if (!err && n->ops->key_column && !is_name_of(n, p.column))
		err = -ESTALE;
	if (err)
		return err;
	times_child_owner(out, p.table);
	return stat_place(op, &p, out);
}

/* ----------------------------------------------------------- read, commit */
static int read_at_node(struct op *op, struct node *n, struct place *p,
			struct cell_view *cell, struct node_moment *m)
{
	int got = place_of(op, n, p);

	if (!got)
		got = known_cell(op, p, cell, m);
	return got > 0 ? 0 : got ? got : -ENOENT;
}

static int load(struct op *op, struct node *n, struct buf *out)
{
	struct cell_view cell;
	struct place p;
	int err = read_at_node(op, n, &p, &cell, NULL);

	if (!err)
		cell_print_value(out, p.type, cell.value);
	return err;
}

static int load_with_stat(struct op *op, struct node *n, struct buf *out,
			  struct child *c)
{
	size_t before = out->len;
	struct cell_view cell;
	struct place p;
	int err;

	begin_child(c, n);
	err = read_at_node(op, n, &p, &cell, &c->moment);
	if (err)
		return err;
	cell_print_value(out, p.type, cell.value);
	describe(c, p.table, &cell);
	c->size = out->len - before;
	return 0;
}

/* Return the row of a cell; of an element that is above its collection. */
static struct node *row_of(struct node *n)
{
	do {
		n = n->parent;
	} while (n->ops->part == PART_PATH || n->ops->part == PART_COLUMN);
	return n;
}

/* Return the directory that lists the cell: not that of a long element, which
 * is removed with it. */
static struct node *lister_of(struct node *n)
{
	return n->parent->ops->part == PART_PATH ? n->parent->parent :
						   n->parent;
}

/* Add a name to the collection's directory. If that is new too, the time of the
 * row's directory changes. */
static int add_element(struct op *op, struct write *w, struct node *n,
		       const struct place *p)
{
	struct node *dir = lister_of(n);
	const struct cell_view *cells;
	size_t count = 1;
	int err = 0;

	if (!(atomic_load(&dir->flags) & NODE_KEPT))
		err = collection_cells(op, p, &op->arena, &cells, &count);
	if (!err)
		err = count ? times_keep(op, w, row_of(n), p) :
			      times_appear(op, w, row_of(n), p);
	return err ? err : times_touch(op, w, dir);
}

/* True for a copy into .json of a value that the row's document brought before:
 * only its time is new. */
static bool is_there(struct node *n, const struct cell_view *old,
		     struct bytes value, const struct store_how *how)
{
	return n->json && how->copied && how->has_mtime && !how->has_expires &&
	       !old->ttl_s && old->expires_s == NO_TIME &&
	       bytes_equal(old->value, value);
}

/* Read the cell that is to be written, or take its known attributes. The value
 * is then missing: is_there needs it in .json alone, where nothing is known. */
static int read_old(struct op *op, struct node *n, const struct place *p,
		    struct cell_view *old)
{
	struct node_known known;

	if (!known_now(op, n, &known))
		return known_cell(op, p, old, NULL);
	*old = (struct cell_view){ .timestamp_us = known.timestamp_us,
				   .expires_s = NO_TIME };
	return 1;
}

/* Note what was written as known of the cell. */
static void know_written(struct op *op, struct node *n, const struct place *p,
			 struct bytes value, int64_t timestamp_us,
			 int64_t mtime_ns, const struct write *w)
{
	struct node_known known = {
		.mtime_ns = mtime_ns,
		.timestamp_us = timestamp_us,
		.size = cell_value_size(p->type, value),
		.moment = { w->state, op->schema->version, w->watched_token },
	};

	node_know(&op->fs->nodes, n, &known);
}

/* Find the timestamp of a value that replaces old, or what was there: 1; 0: the
 * value waited, and is older; -errno. */
static int choose_timestamp(struct op *op, const struct place *p,
			    const struct cell_view *old,
			    const struct store_how *how, int64_t *at)
{
	int64_t newest = old ? old->timestamp_us : NO_TIMESTAMP;
	int err;

	*at = how->written_us;
	if (!*at)
		err = old ? op_later(op, newest, 0, at) :
			    times_place_timestamp(op, p, 0, at);
	else
		err = old ? 0 : times_place_newest(op, p, &newest);
	if (err)
		return err;
	return !how->written_us || newest < how->written_us;
}

static int write_value(struct op *op, struct node *n, const struct place *p,
		       struct bytes value, const struct store_how *how,
		       struct write *w)
{
	int64_t at, ttl = p->table->options.default_time_to_live;
	struct cell_view old;
	int got = read_old(op, n, p, &old);
	int err = 0;

	if (got < 0)
		return got;
	if (!got && n->ops->by_position)
		return op_refuse(op, -ESTALE, "the element that had this "
					      "position is gone");
	if (got && !ttl && is_there(n, &old, value, how)) {
		err = times_set_cell(op, w, n->table, p, old.timestamp_us,
				     how->mtime_ns);
		return err ? err : op_write(op, w);
	}
	err = choose_timestamp(op, p, got ? &old : NULL, how, &at);
	if (err <= 0)
		return err;
	/* If the cell gets or loses a TTL, names and listings change too. */
	if (ttl || how->has_expires || (got && old.ttl_s))
		op->broadcast = true;
	if (got)
		err = times_keep(op, w, n->parent, p);
	else if (n->ops->row_file)
		err = times_touch(op, w, n->parent);
	else if (bytes_is_null(p->path))
		err = times_appear(op, w, row_of(n), p);
	else
		err = add_element(op, w, n, p);
	place_write_row(w, p);
	if (how->has_expires && how->expires_s != NO_TIME)
		write_cell_until(w, p->column, p->path, value, at,
				 (int32_t)(how->expires_s > op->now_s ?
					   how->expires_s - op->now_s : 1),
				 how->expires_s);
	else
		write_cell(w, p->column, p->path, value, at, (int32_t)ttl);
	if (!err && how->has_mtime)
		err = times_set_cell(op, w, n->table, p, at, how->mtime_ns);
	write_watch(w, p->table, murmur3_token(p->partition_key));
	if (!err)
		err = op_write(op, w);
	if (err || ttl || how->has_expires)
		return err;
	if (n->ops->row_file)
		stat_know_touched(op);
	if (w->state)
		know_written(op, n, p, value, at, how->has_mtime ?
			     how->mtime_ns : timestamp_ns(at), w);
	return 0;
}

static int value_of(struct op *op, const struct place *p, struct bytes text,
		    const struct store_how *how, struct buf *value)
{
	return how->copied ? cell_read_copy(op, p->type, text, value) :
			     cell_read_text(op, p->type, text, value);
}

/* Compute the present value with text added to it. The partition is locked. */
static int added_value(struct op *op, const struct place *p, struct bytes text,
		       const struct store_how *how, struct buf *value)
{
	struct buf whole = BUF_INIT;
	struct cell_view cell;
	int err = known_cell(op, p, &cell, NULL);

	if (err > 0)
		cell_print_value(&whole, p->type, cell.value);
	buf_add(&whole, text.ptr + how->base, text.len - how->base);
	err = err < 0 ? err : whole.failed ? -ENOMEM : 0;
	if (!err)
		err = value_of(op, p, buf_bytes(&whole), how, value);
	buf_release(&whole);
	return err;
}

static int store(struct op *op, struct node *n, struct bytes text,
		 const struct store_how *how)
{
	struct buf value = BUF_INIT;
	struct write w;
	struct place p;
	int err = place_to_change(op, n, &p);

	if (!err && !how->adds)
		err = value_of(op, &p, text, how, &value);
	if (!err) {
		err = place_begin_write(op, &w, n, &p);
		if (!err && how->adds)
			err = added_value(op, &p, text, how, &value);
		if (!err)
			err = write_value(op, n, &p, buf_bytes(&value), how,
					  &w);
		write_release(&w);
	}
	buf_release(&value);
	return err;
}

int cell_check_time(struct op *op, struct node *n)
{
	struct node_known known;
	struct place p;

	if (known_now(op, n, &known))
		return op_check_later(op, known.timestamp_us, 0);
	return place_of(op, n, &p) ? 0 : times_check_place(op, &p, 0);
}

const struct file_kind cell_file = {
	.load = load,
	.load_with_stat = load_with_stat,
	.store = store,
	.may_begin = cell_may_begin,
	.check = cell_check,
	.check_time = cell_check_time,
	.keeps_newline = cell_keeps_newline,
	.is_value = cell_is_value,
	.takes_empty = cell_takes_empty,
};

/* ---------------------------------------------------------------- changes */
int cell_delete(struct op *op, struct node *n, const struct place *p,
		struct write *w)
{
	struct cell_view old;
	int got = known_cell(op, p, &old, NULL);

	if (got <= 0)
		return got ? got : -ENOENT;
	place_write_row(w, p);
	write_cell(w, p->column, p->path, BYTES_NULL,
		   op_timestamp(op, old.timestamp_us), 0);
	got = times_touch(op, w, lister_of(n));
	return got ? got : op_write(op, w);
}

int cell_keep_row(struct op *op, struct node *n, const struct place *p)
{
	struct row_view row;
	int got;

	if (!bytes_is_null(p->path) || n->ops->row_file)
		keep_up(op, n->parent);
	if (n->ops->row_file) {
		stat_know_touched(op);
		return 0;
	}
	got = table_read(op->store, p->table, p->partition_key,
			 p->is_static ? NULL : p->clustering,
			 p->is_static ? UINT64_MAX : 0, op->now_s, &op->arena,
			 &row);
	if (got <= 0 || (p->is_static && !row.static_count))
		keep_up(op, n->parent);
	return got < 0 ? got : 0;
}

int cell_unlink(struct op *op, struct node *n)
{
	struct place p;
	int err = place_to_change(op, n, &p);

	if (!err)
		err = place_change(op, n, &p, cell_delete);
	return err ? err : cell_keep_row(op, n, &p);
}

int cell_set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct cell_view cell;
	struct write w;
	struct place p;
	int err = place_of(op, n, &p), got;

	if (err)
		return err;
	err = place_begin_write(op, &w, n, &p);
	got = err ? err : known_cell(op, &p, &cell, NULL);
	if (got > 0)
		err = times_set_cell(op, &w, n->table, &p, cell.timestamp_us,
				     mtime_ns);
	else
		err = got ? got : -ENOENT;
	if (!err)
		err = op_write(op, &w);
	write_release(&w);
	return err;
}

const struct node_ops kind_cell = {
	.kind = "cell",
	.part = PART_COLUMN,
	.file = &cell_file,
	.stat = cell_stat,
	.unlink = cell_unlink,
	.rename = cell_rename,
	.set_mtime = cell_set_mtime,
};
