#include "fs/op/times_keep.h"

#include <errno.h>

#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/known.h"
#include "fs/op/place.h"
#include "fs/op/times.h"

/* Note what is known of the directory, and that the write keeps it so. */
static void note_kept(struct op *op, struct write *w, struct node *dir,
		      const struct place *p, const struct node_known *known)
{
	struct op_kept *k;

	if (op->kept_count == ARRAY_SIZE(op->kept) ||
	    (op->kept_count &&
	     op->kept[0].known.moment.token != known->moment.token))
		return;
	write_watch(w, p->table, known->moment.token);
	k = &op->kept[op->kept_count++];
	k->n = node_get(dir);
	k->known = *known;
	k->known.is_set = true;
}

/* Store the directory's time, if it comes from its contents. */
static int keep_time(struct op *op, struct write *w, struct node *dir,
		     const struct place *p, bool adds)
{
	struct node_known known;
	struct child now;
	int err;

	if (known_now(op, dir, &known)) {
		if (adds)
			note_kept(op, w, dir, p, &known);
		return known.is_set ? 0 :
		       times_set_directory(op, w, dir->table, p,
					   known.mtime_ns);
	}
	err = times_are_set(op, dir->table, p);
	if (err)
		return err < 0 ? err : 0;
	err = dir->ops->stat(op, dir, &now);
	if (err == -ENOENT && atomic_load(&dir->flags) & NODE_KEPT) {
		child_init(&now, dir->ops);	/* as stat_of_kept shows it */
		times_child_owner(&now, p->table);
	} else if (err) {	/* it holds nothing yet */
		return err == -ENOENT ? 0 : err;
	}
	return times_set_directory(op, w, dir->table, p, now.mtime_ns);
}

/* Make the place of n, at or above p, of it. */
static void rise_to(struct place *p, const struct node *n)
{
	uint32_t keys = 0;

	p->path = BYTES_NULL;
	p->type = NULL;
	if (n->ops->part == PART_COLUMN)
		return;
	p->column = NULL;
	if (n->ops->part == PART_STATIC)
		return;
	p->is_static = false;
	for (; n->parent != n->table; n = n->parent)
		keys++;
	p->clustering_count = keys;
}

/* adds: the write removes nothing, so that what is there stays there. */
static int keep_times(struct op *op, struct write *w, struct node *dir,
		      const struct place *p, bool adds)
{
	struct place at = *p;
	int err = 0;

	for (dir = node_now(dir); !err && dir != dir->table;
	     dir = node_now(dir->parent)) {
		if (dir->ops->part == PART_PATH || node_waits_for_key(dir))
			continue;
		rise_to(&at, dir);
		err = keep_time(op, w, dir, &at, adds);
	}
	return err;
}

int times_keep(struct op *op, struct write *w, struct node *dir,
	       const struct place *p)
{
	return keep_times(op, w, dir, p, true);
}

int times_touch(struct op *op, struct write *w, struct node *dir)
{
	int64_t now_ns = store_timestamp(op->store) * MICROSECOND;
	struct place p;
	int err;

	op_alters(op, dir);
	if (!dir->table)
		return keyspace_times_set_mtime(op, dir, now_ns);
	err = place_of(op, dir, &p);
	if (err)
		return err;
	if (!op->watched)
		op_watch(op, dir);
	node_get(dir);
	node_put(&op->fs->nodes, op->touched);
	op->touched = dir;
	op->touched_ns = now_ns;
	op->touched_after = op->own_changes;
	err = times_set_directory(op, w, dir->table, &p, now_ns);
	return err || dir == dir->table ? err :
					  keep_times(op, w, dir->parent, &p,
						     false);
}

int times_row_written(struct op *op, struct write *w, struct node *dir,
		      const struct place *p)
{
	struct row_view row;
	int got = known_row(op, p, UINT64_MAX, &row, NULL);

	if (got < 0)
		return got;
	return got ? times_keep(op, w, dir, p) : times_touch(op, w, dir);
}

/* Touch dir in a write of its own, under the lock of p, and give made, the
 * directory at p, if it is not NULL, its time. */
static int touch_at(struct op *op, struct node *dir, struct place *p,
		    const struct child *made)
{
	struct write w;
	int err = place_begin_write(op, &w, dir, p);

	if (!err)
		err = times_touch(op, &w, dir);
	if (!err && made)
		err = times_set_directory(op, &w, dir->table, p,
					  made->mtime_ns);
	if (!err)
		err = op_write(op, &w);
	write_release(&w);
	return err;
}

int times_touch_alone(struct op *op, struct node *dir)
{
	struct place p;
	int err;

	if (!dir->table)
		return times_touch(op, NULL, dir);
	err = place_of(op, dir, &p);
	return err ? err : touch_at(op, dir, &p, NULL);
}

int times_make_alone(struct op *op, struct node *dir, const struct child *made)
{
	struct place p;
	int err;

	if (made->unkeyed || made->ops->part == PART_NONE ||
	    node_waits_for_key(dir))
		return times_touch_alone(op, dir);
	err = place_of_child(op, dir, made, &p);
	return err ? err : touch_at(op, dir, &p, made);
}

int times_appear(struct op *op, struct write *w, struct node *row,
		 const struct place *p)
{
	struct place at = *p;
	int err;

	op_alters(op, row);
	at.column = NULL;
	at.path = BYTES_NULL;
	err = times_move_directory(op, w, row->table, &at, true);
	return err ? err : keep_times(op, w, row->parent, &at, true);
}

void times_kept(struct op *op, uint64_t state)
{
	if (op->broadcast)	/* one may have an end by now */
		state = 0;
	while (op->kept_count) {
		struct op_kept *k = &op->kept[--op->kept_count];

		k->known.moment.state = state;
		if (state)
			node_know(&op->fs->nodes, k->n, &k->known);
		node_put(&op->fs->nodes, k->n);
	}
}
