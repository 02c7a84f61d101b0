/*
 * Writing rows as lines. The complete lines of a write are read first, without a
 * lock, and applied as one batch or a few: each row whole or not at all. The
 * rest of a line waits for the next write, or for the close.
 *
 * The first bad line ends the write: what is before it is applied, and is
 * the count that the write returns. The writer comes again with the bad line in
 * front, and then the write fails.
 */
#include "fs/kind/rows_write.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/file/reader_text.h"
#include "fs/node/account.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/store.h"

#define BATCH_ROWS 4096

/* The lines of a write. */
struct lines {
	struct op *op;
	struct handle *handle;
	struct rows *r;
	struct bytes data;
	size_t at;		/* of the next line in data */
	size_t good;		/* the end of the last line that is done */
	uint64_t line;		/* lines before `at`, */
	uint64_t good_line;	/* and before `good` */
	/* Rows that were read and are not applied yet: */
	struct line_row *rows;
	size_t *ends;		/* where each ends in data, */
	uint64_t *numbers;	/* and the number of its line, by row */
	size_t count, room;
};

/* ------------------------------------------------------------------- apply */
/* Apply some of the rows, at least one, in one batch. Returns their number or
 * -errno: then none is applied. */
static int64_t apply_some(struct lines *l, const struct line_row *rows,
			  size_t count)
{
	struct write w;
	size_t taken;
	int err;

	write_init(&w, l->op->store);
	err = line_rows_collect(&w, l->r->table, rows, count, &taken);
	op_refuse_write(l->op, &w, err);
	if (!err)
		err = op_write(l->op, &w);
	write_release(&w);
	return err ? err : (int64_t)taken;
}

/* The rows are done: give back their memory, also that of a line that was
 * refused. */
static void end_rows(struct lines *l)
{
	l->count = 0;
	arena_clear(&l->r->lines);
	l->r->lines.failed = false;
}

/* Apply what was read. On an error the rows before the one that has it are
 * applied. */
static int apply(struct lines *l)
{
	size_t done = 0, most = BATCH_ROWS, left;
	int64_t got = 0;

	while (done < l->count && got >= 0) {
		left = l->count - done;
		got = apply_some(l, l->rows + done, left < most ? left : most);
		if (got < 0 && left > 1 && most > 1 && got != -ENOMEM) {
			most = 1;	/* find the row that it is */
			l->op->reason[0] = 0;
			got = 0;
			continue;
		}
		if (got < 0)
			break;
		done += (size_t)got;
		l->good = l->ends[done - 1];
		l->good_line = l->numbers[done - 1];
	}
	end_rows(l);
	return got < 0 ? (int)got : 0;
}

/* -------------------------------------------------------------------- read */
/* Set up the reader for the table as it is now; its columns may have changed. */
static int renew_reader(struct op *op, struct handle *h, struct rows *r)
{
	struct table *t = rows_table(op, h);
	struct line_place place;
	struct buf header = BUF_INIT;
	uint32_t i;
	int err;

	if (!t)
		return op_refuse(op, -ESTALE, "the table was dropped");
	if (r->reads_lines && r->table == t)
		return 0;
	place = (struct line_place){ r->place.partition_key,
				     r->place.clustering,
				     r->place.clustering_count };
	/* The header has names of columns: look them up again. */
	for (i = 0; r->reads_lines && i < r->reader.header_count; i++) {
		if (i)
			buf_add_byte(&header, ',');
		row_text_csv_field(&header,
				   bytes_str(r->table->columns
						     [r->reader.header[i]].name));
	}
	if (r->reads_lines)
		line_reader_release(&r->reader);
	r->reads_lines = false;
	table_put(r->table);
	r->table = table_get(t);
	err = header.failed ? -ENOMEM :
			      line_reader_init(&r->reader, t, r->form, &place,
					       &r->lines);
	r->reads_lines = !err;
	if (!err && header.len) {
		struct line_row row;

		err = line_read(&r->reader, buf_bytes(&header), &row);
		if (err == -EINVAL)
			op_refuse(op, err, "%s", r->reader.error.text);
	}
	buf_release(&header);
	return err;
}

static uint64_t count_newlines(enum row_form form, struct bytes line)
{
	const uint8_t *at = line.ptr, *end = line.ptr + line.len;
	uint64_t n = 0;

	if (form == ROW_JSON)
		return 1;
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		n++;
		at++;
	}
	return n ? n : 1;
}

/* Read a line, which ends at that place of data. 0, -errno. */
static int take_line(struct lines *l, struct bytes line, size_t end)
{
	struct rows *r = l->r;
	uint64_t newlines = count_newlines(r->form, line);
	int got = line_read(&r->reader, line, &l->rows[l->count]);

	if (got == -EINVAL)
		op_refuse(l->op, got, "%s", r->reader.error.text);
	if (got < 0)
		return got;
	l->at = end;
	l->line += newlines;
	if (got) {
		l->ends[l->count] = end;
		l->numbers[l->count++] = l->line;
	} else if (l->count) {	/* it goes with the row before */
		l->ends[l->count - 1] = end;
		l->numbers[l->count - 1] = l->line;
	} else {
		l->good = end;
		l->good_line = l->line;
	}
	return 0;
}

static int refuse_length(struct lines *l)
{
	return op_refuse(l->op, -EFBIG, "a line may have %llu bytes",
			 (unsigned long long)l->op->fs->max_document);
}

/* Charge and keep the beginning of a line. */
static int keep_rest(struct lines *l)
{
	struct rows *r = l->r;
	struct bytes more = bytes_of(l->data.ptr + l->at,
				     l->data.len - l->at);
	uint64_t len = r->rest.len + more.len;
	int err = 0;

	if (len > l->op->fs->max_document)
		err = refuse_length(l);
	if (!err)
		err = op_charge(l->op, &r->rest_charge, RESOURCE_STATEMENTS,
				len);
	if (!err && !buf_reserve(&r->rest, more.len)) {
		r->rest.failed = false;
		err = -ENOMEM;
	}
	if (err)
		return err;
	buf_add_bytes(&r->rest, more);
	l->good = l->data.len;
	return 0;
}

static void drop_rest(struct op *op, struct rows *r)
{
	buf_clear(&r->rest);
	r->quoted = false;
	text_fit(op->fs, &r->rest);
	op_charge(op, &r->rest_charge, RESOURCE_STATEMENTS, 0);
}

/* The line that began in an earlier write ends in this one. */
static int take_first(struct lines *l, bool *complete)
{
	struct rows *r = l->r;
	size_t before = r->rest.len;
	size_t len = line_length(r->form, l->data, &r->quoted);
	int err;

	*complete = len;
	if (!len)
		return 0;
	if (before + len > l->op->fs->max_document)
		return refuse_length(l);
	buf_add(&r->rest, l->data.ptr, len);
	if (r->rest.failed) {
		r->rest.len = before;
		return -ENOMEM;
	}
	err = take_line(l, buf_bytes(&r->rest), len);
	/* Apply it now: its bytes are those of the rest, which is dropped. */
	if (!err)
		err = apply(l);
	drop_rest(l->op, r);
	return err;
}

static int take_lines(struct lines *l)
{
	struct rows *r = l->r;
	struct bytes left;
	bool complete = true;
	size_t len;
	int err = 0;

	if (r->rest.len)
		err = take_first(l, &complete);
	while (!err && complete && l->at < l->data.len) {
		left = bytes_of(l->data.ptr + l->at, l->data.len - l->at);
		r->quoted = false;
		len = line_length(r->form, left, &r->quoted);
		if (!len)
			break;
		err = take_line(l, bytes_of(left.ptr, len), l->at + len);
		if (!err && l->count == l->room)
			err = apply(l);
	}
	return err;
}

/* Add the number of the refused line to the reason. */
static int refuse_line(struct lines *l, int err)
{
	char reason[sizeof(l->op->reason)];

	memcpy(reason, l->op->reason, sizeof(reason));
	if (!reason[0] && err != -EINVAL)
		return err;
	l->op->reason[0] = 0;
	return op_refuse(l->op, err, "line %llu: %.*s",
			 (unsigned long long)l->good_line + 1,
			 (int)sizeof(reason) - 40, reason);
}

/* Read the lines, and apply those before the first bad one. Returns 0 or the
 * error of that line; l->good: the bytes before it. */
static int run(struct lines *l)
{
	char reason[sizeof(l->op->reason)];
	int err = take_lines(l), later;

	/* Apply the lines before the bad one, which is not the reason if one of
	 * these is bad. */
	memcpy(reason, l->op->reason, sizeof(reason));
	l->op->reason[0] = 0;
	later = l->count ? apply(l) : 0;
	if (later)
		err = later;
	else
		memcpy(l->op->reason, reason, sizeof(reason));
	l->r->line = l->good_line;
	if (!err && l->at < l->data.len)
		err = keep_rest(l);
	return err ? refuse_line(l, err) : 0;
}

/* ------------------------------------------------------------------- calls */
static int begin(struct op *op, struct handle *h, struct rows *r,
		 struct lines *l, size_t bytes)
{
	int err = handle_begin_statement(op, h, r->rest.len);

	op->broadcast = true;
	*l = (struct lines){ .op = op, .handle = h, .r = r,
			     .line = r->line, .good_line = r->line };
	if (!err)
		err = renew_reader(op, h, r);
	if (err)
		return err;
	/* The shortest line that is a row has more than two bytes. */
	l->room = bytes / 2 < BATCH_ROWS ? bytes / 2 + 1 : BATCH_ROWS;
	l->rows = arena_alloc(&op->arena, l->room * sizeof(*l->rows));
	l->ends = arena_alloc(&op->arena, l->room * sizeof(*l->ends));
	l->numbers = arena_alloc(&op->arena, l->room * sizeof(*l->numbers));
	return op->arena.failed ? -ENOMEM : 0;
}

int64_t rows_write(struct op *op, struct handle *h, uint64_t offset,
		   struct bytes data)
{
	struct rows *r = h->state;
	struct lines l;
	int64_t count;
	int err;

	mutex_lock(&h->lock);
	err = begin(op, h, r, &l, data.len);
	if (!err && !(h->flags & O_APPEND) && offset != r->taken)
		err = op_refuse(op, -EINVAL,
				"lines are written one after the other");
	if (err) {
		mutex_unlock(&h->lock);
		return err;
	}
	l.data = data;
	err = run(&l);
	end_rows(&l);
	count = (int64_t)l.good;
	if (err) {
		drop_rest(op, r);
		if (count)	/* the rest is written again: refused then */
			op->reason[0] = 0;
		else
			count = err;
	}
	handle_note_begun(h, buf_bytes(&r->rest));
	if (count > 0) {
		r->taken += (uint64_t)count;
		if (h->flags & (O_SYNC | O_DSYNC) &&
		    (err = store_sync(op->store)))
			count = err;
	}
	mutex_unlock(&h->lock);
	return count;
}

int rows_write_rest(struct op *op, struct handle *h, struct rows *r)
{
	struct lines l;
	int err;

	if (!r->rest.len)
		return 0;
	err = begin(op, h, r, &l, r->rest.len);
	if (!err)
		err = take_line(&l, buf_bytes(&r->rest), r->rest.len);
	if (!err)
		err = apply(&l);
	if (err)
		refuse_line(&l, err);
	r->line = l.good_line;
	drop_rest(op, r);
	return err;
}

void rows_write_end(struct fs *fs, struct rows *r)
{
	if (r->reads_lines)
		line_reader_release(&r->reader);
	text_free(fs, &r->rest);
	charge_end(&fs->accounts, &r->rest_charge);
	arena_release(&r->lines);
}
