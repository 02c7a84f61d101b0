#include "fs/kind/collection_json.h"

#include <errno.h>

#include "fs/file/keep.h"
#include "fs/kind/cell.h"
#include "fs/kind/collection.h"
#include "fs/kind/document.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "store/document/cells.h"

/* Print the collection. c: gets its times; or NULL. -ENOENT: no element is
 * live. */
static int print(struct op *op, const struct place *p, struct buf *out,
		 struct child *c)
{
	const struct cell_view *cells;
	size_t count;
	int err = collection_cells(op, p, &op->arena, &cells, &count);

	if (err || !count)
		return err ? err : -ENOENT;
	if (c)
		collection_times(c, cells, count);
	err = cells_print_json(out, p->column, cells, count);
	buf_add_byte(out, '\n');
	return err;
}

/* -ENOENT: no element is live. */
static int stat_json(struct op *op, const struct place *p, struct child *c)
{
	struct buf text = BUF_INIT;
	int err;

	times_child_owner(c, p->table);
	err = print(op, p, &text, c);
	c->size = text.len;
	c->volatile_name = true;
	c->volatile_attributes = true;
	buf_release(&text);
	return err;
}

static int load(struct op *op, struct node *n, struct buf *out)
{
	struct place p;
	int err = place_of(op, n, &p);

	return err ? err : print(op, &p, out, NULL);
}

/* Touch the row if the collection is new in it. */
static int move_times(struct op *op, struct write *w, struct node *row,
		      const struct place *p)
{
	const struct cell_view *cells;
	size_t count;
	int err = collection_cells(op, p, &op->arena, &cells, &count);

	if (err)
		return err;
	return count ? times_keep(op, w, row, p) : times_touch(op, w, row);
}

static int write_whole(struct op *op, struct node *n, struct place *p,
		       struct bytes value, const struct store_how *how)
{
	struct write w;
	int64_t at;
	int err;

	op->broadcast = true;
	op->in_document = true;
	err = place_begin_write(op, &w, n, p);
	at = how->written_us;
	if (!err && !at)
		err = times_place_timestamp(op, p, 1, &at);
	if (!err) {
		place_write_row(&w, p);
		err = cells_write(&w, p->column, value, at,
					    p->table->options
						    .default_time_to_live,
					    how->append &&
						    !bytes_is_null(value));
	}
	if (!err)
		err = move_times(op, &w, n->parent, p);
	if (!err && how->has_mtime)
		err = times_set_document(op, &w, n->table, p, at,
					 how->mtime_ns);
	if (!err)
		err = op_write(op, &w);
	write_release(&w);
	return err;
}

static int store(struct op *op, struct node *n, struct bytes text,
		 const struct store_how *how)
{
	struct bytes value;
	struct place p;
	int err = place_to_change(op, n, &p);

	if (!err)
		err = document_value(op, p.column, text, &value);
	return err ? err : write_whole(op, n, &p, value, how);
}

static int check(struct op *op, struct node *n, struct bytes text,
		 const struct store_how *how)
{
	struct bytes value;
	struct place p;

	(void)how;
	return place_of(op, n, &p) ? 0 :
				     document_value(op, p.column, text, &value);
}

static int check_time(struct op *op, struct node *n)
{
	struct place p;

	return place_of(op, n, &p) ? 0 : times_check_place(op, &p, 1);
}

static const struct file_kind collection_json_file = {
	.load = load,
	.store = store,
	.check = check,
	.check_time = check_time,
	.document = true,
};

static int unlink_collection(struct op *op, struct node *n)
{
	static const struct store_how how = { .append = false };
	struct place p;
	int err = place_to_change(op, n, &p);

	if (!err)
		err = write_whole(op, n, &p, BYTES_NULL, &how);
	if (!err)
		keep_up(op, n->parent);
	return err;
}

const struct node_ops kind_collection_json = {
	.kind = "collection document",
	.part = PART_COLUMN,
	.whole_column = true,
	.file = &collection_json_file,
	.stat = cell_stat,
	.stat_place = stat_json,
	.unlink = unlink_collection,
	.set_mtime = times_set_mtime,
};
