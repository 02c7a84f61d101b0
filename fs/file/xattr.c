/*
 * user.* attributes of objects in a table: the lifetime and the timestamp of a
 * cell, or of a row's marker. Setting one writes the same value anew.
 */
#include "fs/file/xattr.h"

#include <errno.h>

#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/unkeyed.h"
#include "fs/file/write_buffer.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "store/base/murmur3.h"
#include "store/type/text/text.h"

#define TTL_MAX 630720000	/* seconds: 20 years, as in CQL */

/* The times of a live cell or of a row's marker. */
struct lifetime {
	int64_t timestamp_us, expires_s;
	bool is_cell;
	struct cell_view cell;
};

static int read_lifetime(struct op *op, const struct place *p,
			 struct lifetime *out)
{
	struct row_view row;
	int got;

	memset(out, 0, sizeof(*out));
	if (p->column) {
		out->is_cell = true;
		if (type_is_multicell(p->column->type) &&
		    bytes_is_null(p->path))
			return -ENODATA;
		got = table_read_cell(op->store, p->table,
				      p->partition_key,
				      p->is_static ? NULL : p->clustering,
				      p->column, p->path, op->now_s,
				      &op->arena, &out->cell);
		out->timestamp_us = out->cell.timestamp_us;
		out->expires_s = out->cell.expires_s;
		return got < 0 ? got : got ? 0 : -ENODATA;
	}
	if (!place_is_row(p))
		return -ENODATA;
	got = table_read(op->store, p->table, p->partition_key,
			 p->clustering, UINT64_MAX, op->now_s, &op->arena,
			 &row);
	if (got <= 0)
		return got ? got : -ENODATA;
	if (row.marker.timestamp == NO_TIMESTAMP)
		return -ENODATA;
	out->timestamp_us = row.marker.timestamp;
	out->expires_s = row.marker.ttl ? row.marker.expires : NO_TIME;
	return 0;
}

void xattr_print_expires(struct buf *out, int64_t expires_s)
{
	uint8_t ms[8];

	put_be64(ms, (uint64_t)expires_s * 1000);
	type_print_text(out, type_native(TYPE_TIMESTAMP), bytes_of(ms, 8));
}

/* Read the value as a literal of a type of 8 bytes that are a number. */
static int read_number(struct op *op, enum type_kind kind, struct bytes value,
		       int64_t *number)
{
	struct type_error error = { .text = "" };
	struct buf got = BUF_INIT;
	int err = type_read_text(&got, type_native(kind), value, &error);

	if (!err && got.failed)
		err = -ENOMEM;
	else if (err == -EINVAL || (!err && got.len != 8))
		err = op_refuse_type(op, &error);
	if (!err)
		*number = (int64_t)get_be64(got.ptr);
	buf_release(&got);
	return err;
}

static int refuse_ttl(struct op *op)
{
	return op_refuse(op, -EINVAL, "a ttl is 1 to %d seconds", TTL_MAX);
}

int xattr_read_expires(struct op *op, struct bytes value, int64_t *expires_s)
{
	int64_t ms;
	int err = read_number(op, TYPE_TIMESTAMP, value, &ms);

	if (err)
		return err;
	ms = ms / 1000 + (ms % 1000 > 0);
	if (ms > op->now_s + TTL_MAX)
		return refuse_ttl(op);
	*expires_s = ms;
	return 0;
}

/* Print expires or ttl of an object that ends then. */
static int print_end(struct op *op, const char *name, int64_t expires_s,
		     struct buf *out)
{
	if (expires_s == NO_TIME)
		return -ENODATA;
	if (!strcmp(name, "ttl")) {
		buf_add_format(out, "%lld",
			       (long long)(expires_s - op->now_s));
		return 0;
	}
	xattr_print_expires(out, expires_s);
	return 0;
}

/* Print the name, in the schema, of a column or of a field of a user type. */
static int print_name(const struct place *p, struct buf *out)
{
	const struct type *t = p->column ? p->column->type : NULL;
	unsigned field = p->path.len == 2 ? get_be16(p->path.ptr) : UINT16_MAX;

	if (!t || (!bytes_is_null(p->path) &&
		   (t->kind != TYPE_UDT || field >= t->part_count)))
		return -ENODATA;
	buf_add_str(out, bytes_is_null(p->path) ? p->column->name :
						  t->field_names[field]);
	return 0;
}

static int get_in_table(struct op *op, const struct place *p, const char *name,
			struct buf *out)
{
	struct lifetime life;
	int err;

	if (!strcmp(name, "name"))
		return print_name(p, out);
	if (!strcmp(name, "type")) {
		if (p->type || p->column)
			type_print(out, p->type ? p->type : p->column->type,
				   true);
		return p->column ? 0 : -ENODATA;
	}
	if (!strcmp(name, "token")) {
		if (bytes_is_null(p->partition_key))
			return -ENODATA;
		buf_add_format(out, "%lld",
			       (long long)murmur3_token(p->partition_key));
		return 0;
	}
	if (strcmp(name, "expires") && strcmp(name, "ttl") &&
	    strcmp(name, "writetime"))
		return -EOPNOTSUPP;
	err = read_lifetime(op, p, &life);
	if (err)
		return err;
	if (!strcmp(name, "writetime")) {
		buf_add_format(out, "%lld", (long long)life.timestamp_us);
		return 0;
	}
	return print_end(op, name, life.expires_s, out);
}

int xattr_get(struct op *op, struct node *n, const char *name, struct buf *out)
{
	struct store_how how = { .has_expires = false };
	struct place p;
	int err;

	if (!n->table)
		return strcmp(name, "expires") ? -EOPNOTSUPP : -ENODATA;
	if ((!strcmp(name, "expires") || !strcmp(name, "ttl")) &&
	    buffer_how(op, n, NULL, &how) && how.has_expires)
		return print_end(op, name, how.expires_s, out);
	if (node_waits_for_key(n))
		return strcmp(name, "expires") ? -ENODATA :
						 unkeyed_get_expires(op, n,
								     out);
	err = place_of(op, n, &p);
	return err ? err : get_in_table(op, &p, name, out);
}

/* Compute the lifetime to write: *now, changed as the attribute says. */
static int parse_lifetime(struct op *op, const char *name, struct bytes value,
			  struct lifetime *life)
{
	int64_t number;
	int err;

	if (bytes_is_null(value)) {
		if (strcmp(name, "expires") && strcmp(name, "ttl"))
			return op_refuse(op, -EPERM,
					 "this attribute cannot be removed");
		if (life->expires_s == NO_TIME)
			return -ENODATA;
		life->expires_s = NO_TIME;
		return 0;
	}
	if (!strcmp(name, "expires"))
		return xattr_read_expires(op, value, &life->expires_s);
	err = read_number(op, TYPE_BIGINT, value, &number);
	if (err)
		return err;
	if (!strcmp(name, "writetime")) {
		life->timestamp_us = number;
		return 0;
	}
	if (number <= 0 || number > TTL_MAX)
		return refuse_ttl(op);
	life->expires_s = op->now_s + number;
	return 0;
}

static int write_lifetime(struct op *op, struct node *n, struct place *p,
			  const struct lifetime *life, bool stamped,
			  struct write *w)
{
	int64_t mtime_ns, ttl = 0, until = life->expires_s;
	int64_t at = life->timestamp_us;
	int err = 0;

	if (!stamped) {
		err = op_later(op, at, 0, &at);
		if (err)
			return err;
	}
	if (until != NO_TIME)
		ttl = until > op->now_s ? until - op->now_s : 1;
	/* Names and listings show the end too. */
	op->broadcast = true;
	err = times_keep(op, w, n->ops->directory ||
					n->ops->file->document ?
					n : n->parent, p);
	if (!err && life->is_cell)
		err = times_cell_mtime(op, n->table, p, life->cell.timestamp_us,
				       &mtime_ns);
	w->moves = true;
	place_write_row(w, p);
	if (life->is_cell)
		write_cell_until(w, p->column, p->path, life->cell.value, at,
				 (int32_t)ttl, until);
	else
		write_marker_until(w, at, (int32_t)ttl, until);
	if (!err && life->is_cell && !stamped)
		err = times_set_cell(op, w, n->table, p, at, mtime_ns);
	return err ? err : op_write(op, w);
}

int xattr_set_at(struct op *op, struct node *n, struct place *p,
		 const char *name, struct bytes value)
{
	struct lifetime life;
	struct write w;
	int err;

	if (p->table->flags & TABLE_VIRTUAL)
		return -EROFS;
	if (p->table->flags & TABLE_COUNTER)
		return op_refuse(op, -EINVAL,
				 "a counter has no lifetime of its own");
	err = place_begin_write(op, &w, n, p);
	if (!err)
		err = read_lifetime(op, p, &life);
	if (err == -ENODATA && !life.is_cell && place_is_row(p) &&
	    !bytes_is_null(value))
		err = 0;	/* the marker appears with it */
	if (!err)
		err = parse_lifetime(op, name, value, &life);
	if (!err)
		err = write_lifetime(op, n, p, &life,
				     !strcmp(name, "writetime"), &w);
	write_release(&w);
	return err;
}

/* Set it on a file that is written and not closed yet. 1: nothing of it is
 * pending. */
static int set_pending(struct op *op, struct node *n, const char *name,
		       struct bytes value)
{
	struct store_how how = { .has_expires = false };
	struct lifetime life;
	int err;

	if (!handles_how(op, n, NULL, &how))
		return 1;
	memset(&life, 0, sizeof(life));
	life.expires_s = how.has_expires ? how.expires_s : NO_TIME;
	err = parse_lifetime(op, name, value, &life);
	if (err)
		return err;
	how = (struct store_how){ .has_expires = true,
				  .expires_s = life.expires_s };
	return handles_how(op, n, &how, NULL) ? 0 : 1;
}

int xattr_set(struct op *op, struct node *n, const char *name,
	      struct bytes value)
{
	struct place p;
	int err;

	if (!strcmp(name, "name") || !strcmp(name, "type") ||
	    !strcmp(name, "token") ||
	    !strcmp(name, "error"))
		return op_refuse(op, -EPERM, "this attribute is read-only");
	if (strcmp(name, "expires") && strcmp(name, "ttl") &&
	    strcmp(name, "writetime"))
		return -EOPNOTSUPP;
	if (!n->table)
		return -EOPNOTSUPP;
	err = strcmp(name, "writetime") ? set_pending(op, n, name, value) : 1;
	if (err <= 0)
		return err;
	if (node_waits_for_key(n) && !strcmp(name, "expires")) {
		err = unkeyed_set_expires(op, n, value);
		return err ? err : unkeyed_catch_up(op, n);
	}
	err = place_of(op, n, &p);
	return err ? err : xattr_set_at(op, n, &p, name, value);
}
