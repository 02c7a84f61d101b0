#include "fs/kind/counter.h"

#include <ctype.h>
#include <errno.h>

#include "fs/file/handle.h"
#include "fs/file/line_input.h"
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

/* Hold the line until the @key above has come; there can be one. */
static int hold_line(struct op *op, struct node *n, struct bytes line)
{
	struct store_how how = { .copied = true };

	if (unkeyed_holds(op->fs, n))
		return op_refuse(op, -EINVAL, "%s", EXISTS);
	return unkeyed_hold(op, n, line, &how);
}

static int apply_line(struct op *op, struct node *n, struct bytes line)
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
	if (node_waits_for_key(n))
		return hold_line(op, n, line);
	return apply(op, n, minus ? (int64_t)(0 - number) : (int64_t)number,
		     bare);
}

static const struct line_kind changes = { 32, "+-0123456789", REFUSAL,
					  apply_line };

static int64_t write_lines(struct op *op, struct handle *h, uint64_t offset,
			   struct bytes data)
{
	(void)offset;
	return line_input_write(op, h, &changes, data);
}

static int flush_line(struct op *op, struct handle *h)
{
	return h->writer ? line_input_flush(op, h, &changes) : 0;
}

static int read_total(struct op *op, struct handle *h, uint64_t offset,
		      size_t size, struct buf *out)
{
	struct buf text = BUF_INIT;
	int err = cell_file.load(op, h->node, &text);

	if (err == -ENOENT && h->writer)
		err = 0;
	if (!err && offset < text.len)
		buf_add(out, text.ptr + offset,
			size < text.len - offset ? size : text.len - offset);
	buf_release(&text);
	return err;
}

static int apply_lines(struct op *op, struct node *n, struct bytes text)
{
	int err = 0;

	while (!err && text.len) {
		const uint8_t *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;

		err = len > changes.max_len ?
			      op_refuse(op, -EINVAL, "%s", changes.refusal) :
			      apply_line(op, n, bytes_of(text.ptr, len));
		len += end != NULL;
		text = bytes_of(text.ptr + len, text.len - len);
	}
	return err;
}

/*
 * Apply the lines of a copier's file, which comes in one piece, once each. What
 * was copied from a counter is its total, also where that is negative: it
 * changes nothing where it is the same, and is no line where it is another.
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
};

const struct node_ops kind_counter = {
	.kind = "counter",
	.part = PART_COLUMN,
	.file = &counter_file,
	.stat = stat_counter,
	.unlink = cell_unlink,
	.set_mtime = cell_set_mtime,
};
