#include "fs/kind/counter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "fs/file/handle.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/kind/cell.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"

#define EXISTS "this counter exists: write +N or -N"
#define REFUSAL "a counter takes lines of +N or -N"
#define LINE_LONGEST 32

static int stat_counter(struct op *op, struct node *n, struct child *out)
{
	int err = cell_stat(op, n, out);

	out->volatile_attributes = true;
	out->volatile_name = true;
	if (err == -ENOENT && atomic_load(&n->opens)) {
		/* made by open, not yet counted */
		stat_of_kept(op, n, out);
		err = 0;
	}
	out->volatile_attributes = true;
	return err;
}

static int open_counter(struct op *op, struct handle *h)
{
	if (h->writer && fs_is_read_only(op->fs))
		return -EROFS;
	h->truncated = h->writer && (h->flags & O_TRUNC);
	return 0;
}

static int refuse_empty(struct op *op)
{
	return op_refuse(op, -EINVAL, "nothing was written, and a counter has "
				      "no empty value: write +N or -N");
}

/* A truncation alone is refused, of an open file at its close. */
static int truncate_counter(struct op *op, struct node *n, struct handle *h,
			    uint64_t size)
{
	(void)n;
	if (!h)
		return refuse_empty(op);
	mutex_lock(&h->lock);
	if (!size)
		h->truncated = true;
	mutex_unlock(&h->lock);
	return 0;
}

static int apply(struct op *op, struct node *n, int64_t delta, bool bare)
{
	struct cell_view cell;
	struct write w;
	struct place p;
	int got = place_of(op, n, &p);

	if (got)
		return got;
	got = place_begin_write(op, &w, n, &p);
	if (!got)
		got = table_read_cell(op->store, p.table, p.partition_key,
				      p.is_static ? NULL : p.clustering,
				      p.column, BYTES_NULL, op->now_s,
				      &op->arena, &cell);
	if (got > 0 && bare)
		got = op_refuse(op, -EINVAL, "%s", EXISTS);
	else if (got > 0)
		got = times_keep(op, &w, n->parent, &p);
	else if (!got)
		got = times_appear(op, &w, n->parent, &p);
	place_write_row(&w, &p);
	if (!got)
		got = commit_counter_add(&w, p.column, BYTES_NULL, delta,
					 op_timestamp(op, NO_TIMESTAMP));
	if (!got)
		got = op_write(op, &w);
	write_release(&w);
	return got;
}

/* The lines of one write. They are all read before one is counted, and are
 * counted by one batch: all of them or none. */
struct counter_lines {
	uint64_t delta;		/* their sum */
	uint64_t count;
	bool bare;		/* the first is a bare number */
	char first[LINE_LONGEST];	/* and its text */
	size_t first_len;
};

static int add_line(struct op *op, struct counter_lines *l, struct bytes line)
{
	uint64_t number = 0;
	bool minus, bare;
	size_t i;

	if (!line.len)
		return op_refuse(op, -EINVAL, "%s", REFUSAL);
	bare = isdigit(line.ptr[0]);
	minus = line.ptr[0] == '-';
	for (i = bare ? 0 : 1; i < line.len && isdigit(line.ptr[i]); i++) {
		uint64_t digit = (uint64_t)(line.ptr[i] - '0');

		if (number > (UINT64_MAX - digit) / 10)
			break;
		number = number * 10 + digit;
	}
	if (i < line.len || (!bare && line.len == 1) ||
	    (!bare && !minus && line.ptr[0] != '+') ||
	    number > (uint64_t)INT64_MAX + minus)
		return op_refuse(op, -EINVAL, "%s", REFUSAL);
	if (bare && l->count)
		return op_refuse(op, -EINVAL, "%s", EXISTS);
	if (!l->count) {
		l->bare = bare;
		memcpy(l->first, line.ptr, line.len);
		l->first_len = line.len;
	}
	l->delta += minus ? 0 - number : number;
	l->count++;
	return 0;
}

/* Add the complete lines. line: the beginning of the next one, before and
 * after. */
static int add_text(struct op *op, struct counter_lines *l, struct buf *line,
		    struct bytes text)
{
	int err = 0;

	for (size_t i = 0; !err && i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c == '\n') {
			err = add_line(op, l, buf_bytes(line));
			buf_clear(line);
		} else if (line->len == LINE_LONGEST || !c ||
			   !strchr("+-0123456789", c)) {
			err = op_refuse(op, -EINVAL, "%s", REFUSAL);
		} else {
			buf_add_byte(line, c);
			err = line->failed ? -ENOMEM : 0;
		}
	}
	return err;
}

/* Hold the line until the @key above has come; there can be one. */
static int hold(struct op *op, struct node *n, const struct counter_lines *l)
{
	int err = l->count > 1 ? -EEXIST :
			unkeyed_hold_first(op, n, bytes_of(l->first,
							   l->first_len));

	return err == -EEXIST ? op_refuse(op, -EINVAL, "%s", EXISTS) : err;
}

static int count(struct op *op, struct node *n, const struct counter_lines *l)
{
	int err;

	if (!l->count)
		return 0;
	if (!node_waits_for_key(n))
		return apply(op, n, (int64_t)l->delta, l->bare);
	err = hold(op, n, l);
	return err ? err : unkeyed_catch_up(op, n);
}

/* Refuse a line: the reason names it and the lines that are counted, which
 * would count twice if the whole file were written again. before: the lines of
 * earlier writes; after them `more` were read and not counted. */
static int refuse_line(struct op *op, int err, uint64_t before, uint64_t more)
{
	char reason[sizeof(op->reason)], counted[64] = "none of this write is";
	unsigned long long line = before + more + 1;

	memcpy(reason, op->reason, sizeof(reason));
	if (line == 1 || (!reason[0] && !before))
		return err;
	if (before)
		snprintf(counted, sizeof(counted), "the first %llu are",
			 (unsigned long long)before);
	op->reason[0] = 0;
	return op_refuse(op, err, "line %llu: %.*s (%s counted)", line,
			 (int)sizeof(reason) - 128,
			 reason[0] ? reason : strerror(-err), counted);
}

/* Read lines, and count them. last: the rest without a newline is one. */
static int take(struct op *op, struct node *n, struct buf *rest,
		struct bytes text, bool last, uint64_t *counted)
{
	struct counter_lines l = { 0 };
	int err = add_text(op, &l, rest, text);
	uint64_t more;

	if (!err && last && rest->len) {
		err = add_line(op, &l, buf_bytes(rest));
		buf_clear(rest);
	}
	more = err ? l.count : 0;
	if (!err)
		err = count(op, n, &l);
	if (err) {
		buf_release(rest);
		return refuse_line(op, err, *counted, more);
	}
	*counted += l.count;
	return 0;
}

static int64_t write_lines(struct op *op, struct handle *h, uint64_t offset,
			   struct bytes data)
{
	int err;

	(void)offset;
	mutex_lock(&h->lock);
	err = unkeyed_catch_up(op, h->node);
	if (!err)
		err = take(op, h->node, &h->text, data, false, &h->next_line);
	h->truncated = false;	/* its writer was told, if it was refused */
	handle_note_begun(h, buf_bytes(&h->text));
	mutex_unlock(&h->lock);
	return err ? err : (int64_t)data.len;
}

/* The rest counts once, however often descriptors are closed. */
static int flush_line(struct op *op, struct handle *h)
{
	int err;

	if (!h->writer)
		return 0;
	mutex_lock(&h->lock);
	err = unkeyed_catch_up(op, h->node);
	if (!err)
		err = take(op, h->node, &h->text, BYTES_NULL, true,
			   &h->next_line);
	/* Give no reason, as a line may follow: a shell that redirects closes
	 * its first descriptor before. */
	if (!err && h->truncated && (!op->call || op->call->pid == h->pid))
		err = -EINVAL;
	mutex_unlock(&h->lock);
	return err;
}

static int read_total(struct op *op, struct handle *h, uint64_t offset,
		      size_t size, struct buf *out)
{
	struct buf text = BUF_INIT;
	int err = cell_file.load(op, h->node, &text);

	if (err == -ENOENT && h->writer)
		err = 0;
	if (!err && text.failed)
		err = -ENOMEM;
	if (!err && offset < text.len)
		buf_add(out, text.ptr + offset,
			size < text.len - offset ? size : text.len - offset);
	buf_release(&text);
	return err;
}

static int apply_lines(struct op *op, struct node *n, struct bytes text)
{
	struct buf rest = BUF_INIT;
	uint64_t counted = 0;
	int err = take(op, n, &rest, text, true, &counted);

	buf_release(&rest);
	return err;
}

/*
 * Count each line of a copier's file, which comes in one piece, once. If the
 * text is the counter's present total, nothing changes: it was copied from
 * here. A negative number that is another total is refused.
 */
static int replace_counter(struct op *op, struct node *n, struct bytes text,
			   const struct store_how *how)
{
	struct buf now = BUF_INIT;
	int err = cell_file.load(op, n, &now);

	if (err == -ENOENT)
		err = apply_lines(op, n, text);
	else if (!err && text.len && text.ptr[0] == '-' &&
		 !bytes_equal(text, buf_bytes(&now)))
		err = op_refuse(op, -EINVAL, "%s", EXISTS);
	else if (!err && !bytes_equal(text, buf_bytes(&now)))
		err = apply_lines(op, n, text);
	buf_release(&now);
	if (!err && how->has_mtime)
		err = cell_set_mtime(op, n, how->mtime_ns);
	return err;
}

static const struct file_kind counter_file = {
	.open = open_counter,
	.read = read_total,
	.write = write_lines,
	.flush = flush_line,
	.replace = replace_counter,
	.truncate = truncate_counter,
};

const struct node_ops kind_counter = {
	.kind = "counter",
	.part = PART_COLUMN,
	.volatile_attributes = true,
	.file = &counter_file,
	.stat = stat_counter,
	.unlink = cell_unlink,
	.set_mtime = cell_set_mtime,
};
