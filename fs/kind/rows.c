#include "fs/kind/rows.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/file/keep.h"
#include "fs/file/last_close.h"
#include "fs/kind/document.h"
#include "fs/kind/keyspace.h"
#include "fs/kind/partition.h"
#include "fs/kind/query_rows.h"
#include "fs/kind/rows_read.h"
#include "fs/kind/rows_write.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "store/base/alloc.h"
#include "store/store.h"

static const struct node_ops kind_partition_rows, kind_table_rows;

#define REST_AFTER_S 5		/* without a read */

bool rows_form(enum name_suffix suffix, enum row_form *form)
{
	*form = suffix == SUFFIX_CSV ? ROW_CSV : ROW_JSON;
	return suffix == SUFFIX_CSV || suffix == SUFFIX_NDJSON;
}

/* ------------------------------------------------------------------ places */
/* Return the table that the document of n is of. NULL: it was dropped, or has another
 * name. */
static struct table *table_of(struct op *op, struct node *n)
{
	struct keyspace *k;

	if (n->table)
		return op_table(op, n);
	k = op_keyspace(op, n->parent);
	return k ? keyspace_table(k, node_value(n)) : NULL;
}

struct table *rows_table(struct op *op, struct handle *h)
{
	const struct rows *r = h->state;

	/* Virtual ones all have the number 0. */
	return r->table->number ?
		       schema_table_by_number(op->schema, r->table->number) :
		       table_of(op, h->node);
}

int rows_place(struct op *op, struct node *n, struct place *p)
{
	if (n->table)
		return place_of(op, n, p);
	memset(p, 0, sizeof(*p));
	p->table = table_of(op, n);
	return p->table ? 0 : -ESTALE;
}

/* Return the mode of a document beside the table: users who may not enter that
 * may not read it. */
static mode_t mode_beside(mode_t mode)
{
	mode_t enter = mode & 0111;

	return mode & (enter | enter << 1 | enter << 2);
}

static void describe(struct child *c, const struct table *t, enum row_form form)
{
	times_child_owner(c, t);
	if (c->ops == &kind_table_rows)
		c->mode = mode_beside(c->mode);
	c->number = form;
	c->volatile_name = true;
	c->volatile_attributes = true;
}

int rows_of_table(struct op *op, struct node *dir, struct bytes base,
		  enum row_form form, struct child *out)
{
	struct keyspace *k = op_keyspace(op, dir);
	struct bytes raw;
	struct table *t;
	int err = k ? keyspace_read_name(op, base, &raw) : -ESTALE;

	if (err)
		return err;
	t = keyspace_table(k, raw);
	if (!t)
		return -ENOENT;
	child_init(out, &kind_table_rows);
	out->value = bytes_str(t->name);
	describe(out, t, form);
	return 0;
}

void rows_of_partition(struct op *op, const struct child *partition,
		       const struct table *t, enum row_form form,
		       struct child *out)
{
	struct bytes value = partition->value;

	(void)op;
	child_init(out, &kind_partition_rows);
	out->value = value;
	describe(out, t, form);
}

static int stat_table_rows(struct op *op, struct node *n, struct child *out)
{
	struct table *t = table_of(op, n);

	child_init(out, &kind_table_rows);
	if (!t)
		return -ENOENT;
	out->value = node_value(n);
	describe(out, t, (enum row_form)n->number);
	return 0;
}

/* A directory that is kept has an empty document. */
static bool is_kept(struct op *op, struct node *n)
{
	return document_is_kept(op, n->parent, node_name(n), node_value(n));
}

static int stat_partition_rows(struct op *op, struct node *n,
			       struct child *out)
{
	struct place p;
	int err = place_of(op, n, &p);

	child_init(out, &kind_partition_rows);
	out->value = node_value(n);
	if (err)
		return err;
	describe(out, p.table, (enum row_form)n->number);
	err = partition_stat_place(op, n->table, &p, out);
	return err == -ENOENT && (is_kept(op, n) || atomic_load(&n->opens)) ?
		       0 : err;
}

/* ------------------------------------------------------------------- files */
static void link_rows(struct fs *fs, struct rows *r)
{
	mutex_lock(&fs->rows_lock);
	LIST_INSERT_HEAD(&fs->rows, r, entry);
	mutex_unlock(&fs->rows_lock);
}

static void unlink_rows(struct fs *fs, struct rows *r)
{
	mutex_lock(&fs->rows_lock);
	LIST_REMOVE(r, entry);
	mutex_unlock(&fs->rows_lock);
}

void rows_rest(struct fs *fs, int64_t now_s)
{
	struct rows *r;

	mutex_lock(&fs->rows_lock);
	LIST_FOREACH(r, &fs->rows, entry) {
		if (!mutex_try(&r->handle->lock))
			continue;
		if (r->cursor && now_s - r->used_s >= REST_AFTER_S)
			cursor_rest(r->cursor);
		if (r->query && now_s - r->used_s >= REST_AFTER_S)
			query_rows_rest(r->query);
		mutex_unlock(&r->handle->lock);
	}
	mutex_unlock(&fs->rows_lock);
}

/* Check that lines may replace what is there: there is nothing. */
static int check_nothing(struct op *op, struct node *n)
{
	int got = rows_exist(op, n);

	return got > 0 ? op_refuse(op, -EPERM, "rows are there: >> adds lines "
					       "to them, > writes only where "
					       "there is nothing yet") : got;
}

static int check_writer(struct op *op, struct node *n, int flags)
{
	struct table *t = table_of(op, n);

	if (fs_is_read_only(op->fs))
		return -EROFS;
	if (!t)
		return -ESTALE;
	if (t->flags & TABLE_VIRTUAL)
		return -EROFS;
	if ((flags & O_APPEND) && !(flags & O_TRUNC))
		return 0;
	return check_nothing(op, n);
}

/* Keep the place, whose keys are the op's, for as long as the file is open. */
static int keep_place(struct rows *r, const struct place *p)
{
	uint32_t i;

	r->place = *p;
	r->place.partition_key = arena_copy(&r->memory, p->partition_key);
	r->place.clustering = arena_alloc(&r->memory,
					  (p->clustering_count + 1) *
						  sizeof(*p->clustering));
	for (i = 0; r->place.clustering && i < p->clustering_count; i++)
		r->place.clustering[i] = arena_copy(&r->memory,
						    p->clustering[i]);
	return r->memory.failed ? -ENOMEM : 0;
}

int rows_open(struct op *op, struct handle *h)
{
	struct rows *r;
	struct place p;
	int err = rows_place(op, h->node, &p);

	if (!err && h->writer)
		err = check_writer(op, h->node, h->flags);
	if (err)
		return err;
	r = mem_zalloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->memory = r->lines = ARENA_INIT;
	r->form = (enum row_form)h->node->number;
	r->handle = h;
	err = keep_place(r, &p);
	if (err) {
		arena_release(&r->memory);
		mem_free(r);
		return err;
	}
	r->table = table_get(p.table);
	h->state = r;
	link_rows(op->fs, r);
	return 0;
}

static int flush_rows(struct op *op, struct handle *h)
{
	struct rows *r = h->state;
	int err = 0;

	mutex_lock(&h->lock);
	if (r->rest.len && last_close_is_now(op, h))
		err = rows_write_rest(op, h, r);
	mutex_unlock(&h->lock);
	return err;
}

int rows_close(struct op *op, struct handle *h)
{
	struct rows *r = h->state;
	int err = 0;

	if (!r)
		return 0;
	unlink_rows(op->fs, r);
	if (r->rest.len && !h->cut)
		err = rows_write_rest(op, h, r);
	rows_read_end(op->fs, r);
	rows_write_end(op->fs, r);
	arena_release(&r->memory);
	table_put(r->table);
	mem_free(r);
	h->state = NULL;
	return err;
}

static int truncate_rows(struct op *op, struct node *n, struct handle *h,
			 uint64_t size)
{
	int err = check_writer(op, n, O_TRUNC);

	(void)h;
	return err || !size ? err :
			      op_refuse(op, -EPERM, "it has no size to set");
}

/* A temporary file is renamed onto it: all of its lines, where nothing is. */
static int replace_rows(struct op *op, struct node *n, struct bytes text,
			const struct store_how *how)
{
	struct handle h = { .node = n, .flags = O_TRUNC, .writer = true };
	int64_t count = 0;
	int err;

	(void)how;
	mutex_init(&h.lock);
	err = rows_open(op, &h);
	while (!err && text.len) {
		count = rows_write(op, &h, ((struct rows *)h.state)->taken,
				   text);
		if (count < 0)
			err = (int)count;
		else
			text = bytes_of(text.ptr + count,
					text.len - (size_t)count);
	}
	if (!err)
		err = rows_write_rest(op, &h, h.state);
	if (h.state)
		buf_clear(&((struct rows *)h.state)->rest);
	rows_close(op, &h);
	mutex_release(&h.lock);
	return err;
}

static const struct file_kind rows_file = {
	.streamed = true,
	.statements = true,
	.alone = true,
	.open = rows_open,
	.read = rows_read,
	.write = rows_write,
	.flush = flush_rows,
	.close = rows_close,
	.truncate = truncate_rows,
	.replace = replace_rows,
};

/* ------------------------------------------------------------------ remove */
int rows_later_timestamp(struct op *op, const struct place *p, int64_t *at)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct slice slice;
	struct query q;
	int64_t newest = NO_TIMESTAMP, latest;
	uint32_t i;
	int got;

	latest = table_latest(op->store, p->table);
	*at = store_timestamp(op->store);
	if (latest < *at)
		return 0;
	/* A writer chose timestamps: they may be in this range. */
	partition_query(&q, p, &slice);
	q.raw = true;
	q.now_s = op->now_s;
	got = table_query(&cursor, op->store, &q);
	while (!got && (got = cursor_next(cursor, &row)) > 0) {
		got = 0;
		if (row.marker.timestamp > newest)
			newest = row.marker.timestamp;
		for (i = 0; i < row.cell_count; i++)
			if (row.cells[i].timestamp_us > newest)
				newest = row.cells[i].timestamp_us;
		for (i = 0; i < row.static_count; i++)
			if (row.statics[i].timestamp_us > newest)
				newest = row.statics[i].timestamp_us;
	}
	if (!got)
		*at = op_timestamp(op, newest);
	cursor_close(cursor);
	return got < 0 ? got : 0;
}

static int delete_range(struct op *op, struct node *n, const struct place *p,
			struct write *w)
{
	struct bound all = { p->clustering, p->clustering_count, true };
	struct slice slice = { all, all };
	int64_t at;
	int err = rows_exist(op, n);

	if (err <= 0)
		return err ? err : is_kept(op, n) ? 0 : -ENOENT;
	err = rows_later_timestamp(op, p, &at);
	if (err)
		return err;
	if (p->clustering_count)
		write_range_deletion(w, p->table, p->partition_key, &slice, at);
	else
		write_partition_deletion(w, p->table, p->partition_key, at);
	err = times_touch(op, w, n->parent);
	return err ? err : op_write(op, w);
}

/* One deletion, of the partition or of the range of the prefix; its directory
 * goes too. */
static int unlink_rows_of(struct op *op, struct node *n)
{
	struct place p;
	int err = place_to_change(op, n, &p);

	if (err)
		return err;
	op->broadcast = true;
	err = place_change(op, n, &p, delete_range);
	if (err)
		return err;
	document_drop_directory(op, n);
	if (n->parent != n->table)
		keep_up(op, n->parent);
	return 0;
}

static int refuse_unlink(struct op *op, struct node *n)
{
	struct table *t = table_of(op, n);

	if (t && t->flags & TABLE_VIRTUAL)
		return -EROFS;
	return op_refuse(op, -EPERM, "all rows of a table are not removed like "
			 "this: rm -r of its directory drops it, TRUNCATE in "
			 ".cql empties it");
}

static const struct node_ops kind_partition_rows = {
	.kind = "rows of a partition",
	.part = PART_KEY,
	.file = &rows_file,
	.stat = stat_partition_rows,
	.unlink = unlink_rows_of,
};

static const struct node_ops kind_table_rows = {
	.kind = "rows of a table",
	.file = &rows_file,
	.stat = stat_table_rows,
	.unlink = refuse_unlink,
};
