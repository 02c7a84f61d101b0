/*
 * Reading rows as lines. A cursor makes them as they are read: only the bytes
 * returned last, and the rest of a line, are held. A reader that reads on gets
 * the next ones; one that goes back, or begins again, gets them from a new
 * moment.
 */
#include "fs/kind/rows_read.h"

#include <errno.h>

#include "fs/file/reader_text.h"
#include "fs/kind/partition.h"
#include "fs/kind/query_rows.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "store/base/alloc.h"
#include "store/base/memory.h"
#include "store/base/watch.h"

#define MAKE_STEP (1 << 20)	/* bytes */
#define HELD_STEP (16 << 10)	/* the step in which a cursor is charged */
#define SPARE (2 << 20)		/* of memory kept for the next read */

/* True if the caller may see a row about this table (NULL: keyspace): it must
 * be able to enter it. */
static bool is_shown(void *context, const struct keyspace *k,
		     const struct table *t)
{
	return caller_may_enter(context, k, t);
}

/* Set q to the rows at p; slice: room. */
static void query_of(struct op *op, const struct place *p, struct query *q,
		     struct slice *slice)
{
	if (bytes_is_null(p->partition_key))
		query_init(q, p->table);
	else
		partition_query(q, p, slice);
	q->with_statics = table_has_statics(p->table);
	q->static_only_rows = q->with_statics && !p->clustering_count;
	q->now_s = op->now_s;
	q->shown = is_shown;
	q->shown_context = op;
}

int rows_exist(struct op *op, struct node *n)
{
	struct slice slice;
	struct query q;
	struct place p;
	int err = rows_place(op, n, &p);

	if (err)
		return err;
	query_of(op, &p, &q, &slice);
	q.limit = 1;
	return table_query_finds(op->store, &q);
}

static int open_cursor(struct op *op, struct cursor **out,
		       const struct place *p)
{
	struct slice slice;
	struct query q;

	query_of(op, p, &q, &slice);
	return table_query(out, op->store, &q);
}

static void end_cursor(struct fs *fs, struct rows *r)
{
	if (r->cursor || r->query)
		row_text_release(&r->text);
	cursor_close(r->cursor);
	r->cursor = NULL;
	query_rows_close(r->query);
	r->query = NULL;
	mem_free(r->wanted);
	r->wanted = NULL;
	charge_end(&fs->accounts, &r->stream);
}

void rows_read_end(struct fs *fs, struct rows *r)
{
	end_cursor(fs, r);
	text_free(fs, &r->out);
	charge_end(&fs->accounts, &r->out_charge);
}

/* Run the query whose document it is. */
static int open_query(struct op *op, struct handle *h, struct rows *r)
{
	const struct table *t = r->table;
	struct row_query *q;
	struct bytes base;
	int err;

	name_suffix(node_name(h->node), &base);
	err = row_query_parse(op, h->node->parent, base, &q);
	if (!err && q->wanted) {
		r->wanted = mem_alloc(t->column_count * sizeof(*r->wanted));
		if (r->wanted)
			memcpy(r->wanted, q->wanted,
			       t->column_count * sizeof(*r->wanted));
		else
			err = -ENOMEM;
		r->text.wanted = r->wanted;
	}
	return err ? err : query_rows_open(op, q, &r->place, true, &r->query);
}

/* Begin the document again, in the present moment. */
static int begin(struct op *op, struct handle *h, struct rows *r)
{
	struct table *t = rows_table(op, h);
	int err;

	end_cursor(op->fs, r);
	r->begun = r->ended = false;
	r->failed = 0;
	r->begin = 0;
	buf_clear(&r->out);
	if (!t)
		return op_refuse(op, -ESTALE, "the table was dropped");
	table_put(r->table);
	r->table = table_get(t);
	r->place.table = t;
	err = op_charge(op, &r->stream, RESOURCE_STREAMS, 1);
	if (!err)
		err = row_text_init(&r->text, t, r->form);
	if (err)
		return err;
	err = r->is_query ? open_query(op, h, r) :
			    open_cursor(op, &r->cursor, &r->place);
	if (err) {
		row_text_release(&r->text);
		r->cursor = NULL;
		end_cursor(op->fs, r);
		return err;
	}
	row_text_head(&r->text, &r->out);
	if (r->out.failed) {
		buf_clear(&r->out);
		end_cursor(op->fs, r);
		return -ENOMEM;
	}
	r->begun = true;
	return 0;
}

/* Add the next row: 1, 0 at the end, -errno of reading; *err: of adding. */
static int add_row(struct rows *r, int *err)
{
	struct row_view row;
	int got = cursor_next(r->cursor, &row);

	if (got > 0)
		*err = row_text_add(&r->text, &r->out, &row, row.statics,
				    row.static_count);
	return got;
}

/* The same of a query, whose result has the columns that are wanted. */
static int add_values(struct op *op, struct rows *r, int *err)
{
	const struct table *t = r->table;
	const struct bytes *values;
	struct bytes *all;
	uint32_t i;
	int got = query_rows_values(op, r->query, &values);

	if (got <= 0)
		return got;
	all = mem_zalloc(t->column_count + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (i = 0; i < t->column_count; i++)
		if (!t->columns[i].hidden && (!r->wanted || r->wanted[i]))
			all[i] = *values++;
	*err = row_text_add_values(&r->text, &r->out, all);
	mem_free(all);
	return got;
}

/* Add lines until out has so many bytes, or the end is reached. An error adds no
 * part of a line. */
static int add_lines(struct op *op, struct rows *r, size_t enough)
{
	int got = 1, err = 0;
	size_t before;

	while (got > 0 && r->out.len < enough) {
		before = r->out.len;
		got = r->query ? add_values(op, r, &err) : add_row(r, &err);
		if (got <= 0)
			break;
		buf_add_byte(&r->out, '\n');
		if (err || r->out.failed) {
			r->out.len = before;
			return err ? err : -ENOMEM;
		}
	}
	return got;
}

/* Charge what out and the cursor hold. */
static int charge_out(struct op *op, struct rows *r)
{
	struct memory_use m = { 0 };
	uint64_t amount;

	if (r->cursor)
		cursor_memory(r->cursor, &m);
	if (r->query)
		m.bytes += query_rows_memory(r->query);
	amount = r->out.cap + (m.bytes + HELD_STEP - 1) / HELD_STEP * HELD_STEP;
	return amount == r->out_charge.amount ? 0 :
		       op_charge(op, &r->out_charge, RESOURCE_RESULTS, amount);
}

/* Make the bytes up to that end: in steps, which are charged before the next. */
static int make_until(struct op *op, struct rows *r, uint64_t offset,
		      uint64_t end)
{
	uint64_t len;
	int got = 1;

	while (got > 0 && r->begin + r->out.len < end) {
		/* Text that was given, or is skipped, is not needed any more. */
		if (r->begin + r->out.len <= offset) {
			r->begin += r->out.len;
			buf_clear(&r->out);
		}
		len = end - r->begin;
		got = add_lines(op, r, len < r->out.len + MAKE_STEP ?
					   (size_t)len :
					   r->out.len + MAKE_STEP);
		if (got > 0 && charge_out(op, r))
			got = -ENOSPC;
	}
	if (got > 0 || got == -EINTR)	/* it can continue */
		return got > 0 ? 0 : got;
	r->ended = true;
	end_cursor(op->fs, r);
	return got;
}

static bool is_given_up(void *context)
{
	const struct fs_call *call = context;

	return call && call->interrupted && call->interrupted(call->context);
}

static int make_watched(struct op *op, struct rows *r, uint64_t offset,
			size_t size)
{
	struct watch watch = { .stop = is_given_up, .context = op->call };
	struct watch *outer = watch_set(&watch);
	int err = make_until(op, r, offset, offset + size);

	watch_set(outer);
	return err;
}

/* Drop what lies before the offset: it was read. */
static void drop_before(struct rows *r, uint64_t offset)
{
	uint64_t gone = offset - r->begin;

	if (offset <= r->begin)
		return;
	if (gone > r->out.len)
		gone = r->out.len;
	memmove(r->out.ptr, r->out.ptr + gone, r->out.len - gone);
	r->out.len -= gone;
	r->begin += gone;
}

static int read_at(struct op *op, struct handle *h, struct rows *r,
		   uint64_t offset, size_t size, struct buf *out)
{
	bool anew = !r->begun || !offset || offset < r->begin;
	int err = 0;

	if (offset > UINT64_MAX - size)
		return 0;
	if (anew)
		err = begin(op, h, r);
	else
		drop_before(r, offset);
	r->used_s = op->now_s;
	if (!err && !r->ended)
		r->failed = make_watched(op, r, offset, size);
	if (err)
		return err;
	if (offset >= r->begin)
		text_slice(out, buf_bytes(&r->out), offset - r->begin, size);
	if (out->len || !r->failed)
		return 0;
	/* The error is returned once; a reader that reads again begins
	 * again. */
	if (r->failed != -EINTR)
		r->begun = false;
	return r->failed;
}

int rows_read(struct op *op, struct handle *h, uint64_t offset, size_t size,
	      struct buf *out)
{
	struct rows *r = h->state;
	int err;

	mutex_lock(&h->lock);
	err = read_at(op, h, r, offset, size, out);
	if (r->ended && offset >= r->begin + r->out.len) {
		text_free(op->fs, &r->out);	/* all was read */
		r->begin = offset;
	} else if (r->out.cap > SPARE && r->out.len < r->out.cap / 2) {
		text_fit(op->fs, &r->out);
	}
	charge_out(op, r);
	mutex_unlock(&h->lock);
	return err;
}
