#include "fs/kind/cell_move.h"

#include <errno.h>

#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/kind/cell.h"
#include "fs/kind/cell_text.h"
#include "fs/kind/scratch.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"

/* Write the cell's value at another place, in one batch with its deletion. */
static int write_moved(struct op *op, struct node *n, struct node *dir,
		       const struct place *from, const struct place *to,
		       const struct cell_view *cell, struct bytes value,
		       struct write *w)
{
	int64_t at, gone_at, newest, mtime_ns;
	int got = times_cell_mtime(op, n->table, from, cell->timestamp_us,
				   &mtime_ns);

	if (!got)
		got = table_newest(op->store, to->table, to->partition_key,
				   to->is_static ? NULL : to->clustering,
				   to->column, to->path, &op->arena, &newest);
	if (got)
		return got;
	/* The cell keeps its write time, and so its mtime, if that is later
	 * than all data at the target. */
	gone_at = op_timestamp(op, newest > cell->timestamp_us ?
					   newest : cell->timestamp_us);
	at = cell->timestamp_us;
	if (newest >= at)
		got = op_later(op, newest, 0, &at);
	if (got)
		return got;
	w->moves = true;
	place_write_row(w, from);
	write_cell(w, from->column, from->path, BYTES_NULL, gone_at, 0);
	place_write_row(w, to);
	write_cell_until(w, to->column, to->path, value, at, cell->ttl_s,
			 cell->expires_s);
	if (mtime_ns != timestamp_ns(at))
		got = times_set_cell(op, w, n->table, to, at, mtime_ns);
	if (dir != n->parent && !got)
		got = times_touch(op, w, n->parent);
	if (!got)
		got = times_touch(op, w, dir);
	if (!got)
		got = op_write(op, w);
	if (!got && !cell->ttl_s && n->ops->row_file)
		stat_know_touched(op);
	return got;
}

/* Move it to another column of the row, if the text is valid there. */
static int move_cell(struct op *op, struct node *n, const struct child *target,
		     struct node *dir)
{
	struct buf text = BUF_INIT, value = BUF_INIT;
	struct place from, to;
	const struct placed of[] = { { n, &from }, { dir, &to } };
	struct cell_view cell;
	struct write w;
	int got = place_of(op, n, &from);

	if (!got)
		got = place_of_child(op, dir, target, &to);
	if (got)
		return got;
	got = place_begin_writes(op, &w, of, 2);
	if (!got)
		got = known_cell(op, &from, &cell, NULL);
	if (got > 0) {
		cell_print_value(&text, from.type, cell.value);
		got = text.failed ? -ENOMEM :
		      cell_read_copy(op, to.type, buf_bytes(&text), &value);
		if (!got)
			got = write_moved(op, n, dir, &from, &to, &cell,
					  buf_bytes(&value), &w);
	} else if (!got) {
		got = -ENOENT;
	}
	write_release(&w);
	if (!got && dir != n->parent)
		keep_up(op, n->parent);
	buf_release(&text);
	buf_release(&value);
	return got;
}

/* Move it to an editor's backup: the value goes to memory and leaves the
 * row. */
static int move_to_scratch(struct op *op, struct node *n, struct bytes name,
			   struct child *target)
{
	struct buf text = BUF_INIT;
	struct child now;
	struct write w;
	struct place p;
	int err = place_to_change(op, n, &p);

	if (!err)
		err = stat_node(op, n, &now);
	if (!err)
		err = scratch_create(op, name, target);
	if (err)
		return err;
	/* Under the lock: delete exactly what was copied. */
	err = place_begin_write(op, &w, n, &p);
	if (!err)
		err = n->ops->file->load(op, n, &text);
	if (!err && text.failed)
		err = -ENOMEM;
	if (!err)
		err = scratch_of(op, buf_bytes(&text), now.mtime_ns, target);
	if (!err)
		target->scratch->about.expires_s = now.expires_s;
	if (!err)
		err = cell_delete(op, n, &p, &w);
	write_release(&w);
	if (!err)	/* done, even if the row cannot be read */
		cell_keep_row(op, n, &p);
	if (err) {
		scratch_free(op->fs, target->scratch);
		target->scratch = NULL;
	}
	buf_release(&text);
	return err;
}

/* True if a row of a schemaless table moves to another partition. */
static bool is_moved_row(const struct node *n, const struct node *dir)
{
	return n->ops->row_file && dir->ops->plain_names &&
	       dir->table == n->table;
}

int cell_rename(struct op *op, struct node *n, struct node *dir,
		struct bytes name, struct node *replaced, struct child *target)
{
	int err;

	(void)replaced;
	memset(target, 0, sizeof(*target));
	if (dir != n->parent && !is_moved_row(n, dir))
		return -EXDEV;
	/* What waits for a key is copied: it is written as any other file. */
	if (node_waits_for_key(dir) || node_waits_for_key(n->parent))
		return -EXDEV;
	if (!dir->ops->create)
		return -EXDEV;
	err = dir->ops->create(op, dir, name, target);
	if (err)
		return err;
	/* A name is that of a backup only if no column or element has it. */
	if (!n->ops->row_file && target->scratch) {
		scratch_free(op->fs, target->scratch);
		memset(target, 0, sizeof(*target));
		return move_to_scratch(op, n, name, target);
	}
	if (target->ops != n->ops || target->ops->file != n->ops->file)
		return -EXDEV;
	return move_cell(op, n, target, dir);
}
