#include "fs/kind/list_end.h"

#include <errno.h>

#include "fs/kind/cell_text.h"
#include "fs/kind/collection.h"
#include "fs/kind/list_id.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "store/type/text/text.h"
#include "store/type/uuid.h"

static int stat_append(struct op *op, struct node *n, struct child *out)
{
	struct table *t = op_table(op, n);

	child_init(out, n->ops);
	if (!t)
		return -ESTALE;
	times_child_owner(out, t);
	out->volatile_name = true;
	out->volatile_attributes = true;
	return 0;
}

static int store_append(struct op *op, struct node *n, struct bytes text,
			const struct store_how *how)
{
	bool first = bytes_equal(node_name(n), bytes_str("@prepend"));
	struct buf value = BUF_INIT;
	uint8_t id[16];
	int64_t at = 0;
	struct write w;
	struct place p;
	int err = place_of(op, n->parent, &p);

	(void)how;
	if (!err)
		err = cell_read_text(op, p.column->type->parts[0], text,
				     &value);
	if (!err) {
		err = place_begin_write(op, &w, n->parent, &p);
		if (first)	/* locked: the list grows in order of ids */
			list_id_prepend(id);
		else
			uuid_new_time(id);
		p.path = bytes_of(id, sizeof(id));
		if (!err)
			err = times_place_timestamp(op, &p, 0, &at);
		place_write_row(&w, &p);
		write_cell(&w, p.column, p.path, buf_bytes(&value), at,
			   p.table->options.default_time_to_live);
		if (!err)
			err = times_touch(op, &w, n->parent);
		if (!err)
			err = op_write(op, &w);
		write_release(&w);
	}
	buf_release(&value);
	return err;
}

static bool append_may_begin(struct op *op, struct node *n, struct bytes text,
			     size_t from)
{
	struct place p;

	(void)from;
	if (place_of(op, n->parent, &p) || !p.column->type->part_count)
		return true;
	if (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	return type_text_may_begin(p.column->type->parts[0], text);
}

static int append_check(struct op *op, struct node *n, struct bytes text,
			const struct store_how *how)
{
	struct place p;

	(void)how;
	return place_of(op, n->parent, &p) || !p.column->type->part_count ?
		       0 : cell_check_text(op, p.column->type->parts[0], text);
}

static bool append_is_value(struct op *op, struct node *n)
{
	struct place p;

	return !place_of(op, n->parent, &p) && p.column->type->part_count &&
	       cell_type_is_value(p.column->type->parts[0]);
}

/* A new element is later than deletions of the list; other elements do not
 * matter. */
static int append_check_time(struct op *op, struct node *n)
{
	static const uint8_t id[16];
	struct place p;

	if (place_of(op, n->parent, &p))
		return 0;
	p.path = bytes_of(id, sizeof(id));
	return times_check_place(op, &p, 0);
}

static const struct file_kind append_file = {
	.load = collection_load_nothing,
	.store = store_append,
	.may_begin = append_may_begin,
	.check = append_check,
	.check_time = append_check_time,
	.is_value = append_is_value,
	.document = true,
};

const struct node_ops kind_append = {
	.kind = "list end",
	.appends = true,
	.file = &append_file,
	.stat = stat_append,
};
