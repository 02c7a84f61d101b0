#include "fs/kind/row_json.h"

#include <errno.h>

#include "fs/file/handle_commit.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/xattr.h"
#include "fs/kind/document.h"
#include "fs/kind/row.h"
#include "fs/kind/scratch.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "fs/tree/listing.h"
#include "store/document/cells.h"
#include "store/document/refusal.h"
#include "store/type/compare.h"
#include "store/type/json/json.h"

/* Read the row, and the statics of its partition. 1, 0, -errno. */
static int read_whole(struct op *op, const struct place *p,
		      struct row_view *row, struct row_view *statics)
{
	int got;

	statics->static_count = 0;
	if (table_has_statics(p->table)) {
		got = table_read(op->store, p->table, p->partition_key,
				 NULL, UINT64_MAX, op->now_s, &op->arena,
				 statics);
		if (got < 0)
			return got;
		if (!got)
			statics->static_count = 0;
	}
	return table_read(op->store, p->table, p->partition_key,
			  p->clustering, UINT64_MAX, op->now_s, &op->arena,
			  row);
}

static int load(struct op *op, struct node *n, struct buf *out)
{
	struct row_view row, statics = { .static_count = 0 };
	struct place p;
	int got = place_of(op, n, &p);

	if (!got)
		got = read_whole(op, &p, &row, &statics);
	if (got <= 0)
		return got ? got : -ENOENT;
	got = document_print_row(out, p.table, &row, statics.statics,
				 statics.static_count);
	buf_add_byte(out, '\n');
	return got;
}

static int stat_document(struct op *op, struct node *n, struct child *out)
{
	struct place p;
	int err = place_of(op, n, &p);

	child_init(out, &kind_row_json);
	out->value = node_value(n);
	return err ? err : row_json_stat(op, &p, out);
}

int row_json_stat(struct op *op, const struct place *p, struct child *out)
{
	struct row_view row, statics = { .static_count = 0 };
	struct buf text = BUF_INIT;
	int got = read_whole(op, p, &row, &statics);

	if (got <= 0)
		return got ? got : -ENOENT;
	row_child(out, p->table, &row);
	got = key_name_check(op, p, &row);
	if (got)
		return got;
	got = document_print_row(&text, p->table, &row, statics.statics,
				 statics.static_count);
	out->size = text.len + 1;
	out->volatile_name = true;
	out->volatile_attributes = true;
	buf_release(&text);
	return got;
}

int row_json_list(struct op *op, struct listing *l, struct buf *name,
		  struct child *out)
{
	const struct table *t = l->place.table;
	struct row_view statics = { .static_count = 0 };
	struct arena memory = ARENA_INIT;
	struct buf text = BUF_INIT;
	int got = 0;

	name_of_document(name);
	out->ops = &kind_row_json;
	if (l->row.names)
		return 1;
	/* Read the statics for one entry after the other: rows may be large. */
	if (table_has_statics(t))
		got = table_read(op->store, t, l->row.partition_key, NULL,
				 UINT64_MAX, op->now_s, &memory, &statics);
	if (got >= 0)
		got = document_print_row(&text, t, &l->row, statics.statics,
					 got ? statics.static_count : 0);
	if (!got && text.failed)
		got = -ENOMEM;
	out->size = text.len + 1;
	buf_release(&text);
	arena_release(&memory);
	return got < 0 ? got : 1;
}

/* ------------------------------------------------------------------- write */
struct row_merge {
	struct op *op;
	const struct place *p;
	struct write *w;
	int64_t at;
	bool append;
	bool checks;		/* nothing is written, or locked */
	int32_t ttl;		/* of the table */
	/* Of the marker and the row's cells; expires_s may be NO_TIME. */
	int64_t expires_s;
	int32_t row_ttl;
	/* The static columns as they are printed now. A member of a document of
	 * .json that has the same value is not written. */
	struct json_member *statics;
	size_t static_count;
};

/* Check that key columns inside agree with the path. */
static int check_key(struct row_merge *m, const struct column *c,
		     struct bytes value)
{
	const struct table *t = m->p->table;
	struct bytes *values;
	struct bytes here;
	int err;

	if (c->kind == COLUMN_CLUSTERING) {
		here = m->p->clustering[c->position];
	} else {
		values = arena_alloc(&m->op->arena, t->partition_key_count *
							    sizeof(*values));
		err = values ? table_partition_values(values, t,
						      m->p->partition_key) :
			       -ENOMEM;
		if (err)
			return err;
		here = values[c->position];
	}
	if (bytes_is_null(value) || type_compare(c->type, value, here))
		return op_refuse(m->op, -EINVAL,
				 "%s is another than that of the path",
				 c->name);
	return 0;
}

/* True if the column is static and already has the member's value. */
static bool stands(const struct row_merge *m, const struct json_member *member)
{
	size_t i;

	for (i = 0; i < m->static_count; i++)
		if (bytes_equal(m->statics[i].name, member->name))
			return bytes_equal(m->statics[i].value, member->value);
	return false;
}

/* Accept a counter's total, which must be the present one or that of a new
 * counter; null deletes the counter. */
static int take_total(struct row_merge *m, const struct column *c,
		      struct bytes value)
{
	int got = cells_check_total(m->w, m->p->table, m->p->partition_key,
				    c->kind == COLUMN_STATIC ? NULL :
							       m->p->clustering,
				    c, value);

	if (got == -EINVAL)
		return op_refuse(m->op, got, "%s", buf_cstr(&m->w->refusal));
	return got <= 0 || m->checks ? got < 0 ? got : 0 :
		       cells_write_total(m->w, c, value, m->at);
}

static bool is_given(const struct table *t, const struct column *c,
		     const struct json_member *members, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (document_column(t, members[i].name) == c)
			return true;
	return false;
}

/* Delete the counters of a replaced row that are not in its document. Those in
 * it are kept. */
static int drop_counters(struct row_merge *m, const struct json_member *members,
			 size_t count)
{
	const struct table *t = m->p->table;
	uint32_t i;
	int err = 0;

	for (i = 0; i < t->column_count && !err; i++)
		if (t->columns[i].kind == COLUMN_REGULAR &&
		    !t->columns[i].hidden &&
		    !is_given(t, &t->columns[i], members, count))
			err = take_total(m, &t->columns[i], BYTES_NULL);
	return err;
}

/* Return the TTL of the row's marker and cells. */
static int32_t row_ttl(const struct row_merge *m)
{
	int64_t left;

	if (m->expires_s == NO_TIME || m->w->failed)
		return m->ttl;
	left = m->expires_s - write_now_s(m->w);
	return left > 0 ? (int32_t)left : 1;
}

static int write_member(struct row_merge *m, const struct json_member *member,
			bool statics)
{
	const struct column *c = document_column(m->p->table,
						 member->name);
	struct bytes value;
	int err;

	if (!c)
		return scratch_refuse_name(m->op, member->name, "column",
					   m->p->table);
	err = document_value(m->op, c, member->value, &value);
	if (err)
		return err;
	if (c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING)
		return check_key(m, c, value);
	if ((c->kind == COLUMN_STATIC) != statics || (statics && stands(m, member)))
		return 0;
	if (c->type->kind == TYPE_COUNTER)
		return take_total(m, c, value);
	/* A replaced row is deleted as a whole: not column by column. */
	return cells_write(m->w, c, value, m->at, statics ? m->ttl : m->row_ttl,
			   !m->append && !statics);
}

/* Of the members of one column keep the last, as lines do: their cells would have
 * one timestamp, and totals of a counter be added. */
static int keep_last(struct row_merge *m, struct json_member *members,
		     size_t *count)
{
	const struct table *t = m->p->table;
	size_t *last = arena_zalloc(&m->op->arena, t->column_count,
				    sizeof(*last));
	size_t i, kept = 0;

	if (!last)
		return -ENOMEM;
	for (i = 0; i < *count; i++) {
		const struct column *c = document_column(t, members[i].name);

		if (c && last[c - t->columns])
			members[last[c - t->columns] - 1].name = BYTES_NULL;
		if (c)
			last[c - t->columns] = i + 1;
	}
	for (i = 0; i < *count; i++)
		if (!bytes_is_null(members[i].name))
			members[kept++] = members[i];
	*count = kept;
	return 0;
}

static int write_object(struct row_merge *m, struct json_member *members,
			size_t count)
{
	struct place statics = *m->p;
	bool counters = m->p->table->flags & TABLE_COUNTER;
	size_t i;
	int err = keep_last(m, members, &count);

	if (err)
		return err;
	place_write_row(m->w, m->p);
	m->row_ttl = row_ttl(m);
	if (counters && !m->append)
		err = drop_counters(m, members, count);
	else if (!m->append)
		write_row_deletion(m->w, m->at - 1);
	if (!counters && !(m->p->table->flags & TABLE_COMPACT))
		write_marker(m->w, m->at, m->row_ttl);
	for (i = 0; i < count && !err; i++)
		err = write_member(m, &members[i], false);
	if (err || !table_has_statics(m->p->table))
		return err;
	statics.is_static = true;
	place_write_row(m->w, &statics);
	for (i = 0; i < count && !err; i++)
		err = write_member(m, &members[i], true);
	return err;
}

/* Choose a timestamp later than all that exists, with room for the deletion. */
static int later_than(struct op *op, const struct place *p, int64_t *at)
{
	struct place statics = *p;
	int64_t of_statics;
	int err = times_place_timestamp(op, p, 1, at);

	statics.is_static = true;
	if (!err && table_has_statics(p->table)) {
		err = times_place_timestamp(op, &statics, 1, &of_statics);
		if (!err && of_statics > *at)
			*at = of_statics;
	}
	return err;
}

/* Process the text of one object. */
typedef int take_object(struct op *op, struct node *n, struct bytes text,
			const struct store_how *how, struct place *p);

static int read_object(struct op *op, struct bytes text,
		       struct json_member **members, size_t *count)
{
	struct type_error error = { .text = "" };
	int err = json_read_object(&op->arena, members, count, text, &error);

	if (err != -EINVAL)
		return err;
	refusal_say_plainly(&error);
	return op_refuse_type(op, &error);
}

/*
 * Read the static columns, so that those that a document repeats unchanged are
 * not written. Each document of the partition has them: copied back one after
 * the other, the documents must change neither the times of those copied before
 * nor those of the files in @static. If cells have a TTL, all are written. The
 * partition is locked.
 */
static int read_statics(struct row_merge *m)
{
	struct row_view row;
	struct buf text = BUF_INIT;
	struct bytes copy;
	uint32_t i;
	int got = table_read(m->op->store, m->p->table, m->p->partition_key, NULL,
			     UINT64_MAX, m->op->now_s, &m->op->arena, &row);

	if (got <= 0 || !row.static_count || m->ttl)
		return got < 0 ? got : 0;
	for (i = 0; i < row.static_count; i++)
		if (row.statics[i].ttl_s)
			return 0;
	row.cell_count = 0;
	got = document_print_row(&text, m->p->table, &row, row.statics,
				 row.static_count);
	copy = arena_copy(&m->op->arena, buf_bytes(&text));
	if (!got && (text.failed || m->op->arena.failed))
		got = -ENOMEM;
	if (!got)
		got = read_object(m->op, copy, &m->statics, &m->static_count);
	buf_release(&text);
	return got;
}

static int store_object(struct op *op, struct node *n, struct bytes text,
			const struct store_how *how, struct place *p)
{
	struct row_merge m = { .op = op, .p = p, .append = how->append,
			       .expires_s = how->has_expires ? how->expires_s :
							       NO_TIME };
	struct json_member *members;
	struct write w;
	size_t count;
	int err = read_object(op, text, &members, &count);

	if (err)
		return err;
	err = place_begin_write(op, &w, n, p);
	m.w = &w;
	m.ttl = p->table->options.default_time_to_live;
	if (!err && n->json && table_has_statics(p->table))
		err = read_statics(&m);
	m.at = p->table->flags & TABLE_COUNTER ? 0 : how->written_us;
	if (!err && !m.at)
		err = later_than(op, p, &m.at);
	if (!err)
		err = write_object(&m, members, count);
	if (!err)
		err = times_row_written(op, &w, n->parent, p);
	if (!err && how->has_mtime)
		err = times_set_document(op, &w, n->table, p, m.at,
					 how->mtime_ns);
	op->in_document = true;
	if (!err)
		err = op_write(op, &w);
	write_release(&w);
	return err;
}

/* Check all except the write itself. */
static int check_object(struct op *op, struct node *n, struct bytes text,
			const struct store_how *how, struct place *p)
{
	struct row_merge m = { .op = op, .p = p, .append = how->append,
			       .checks = true, .expires_s = NO_TIME };
	struct json_member *members;
	struct write w;
	size_t count;
	int err = read_object(op, text, &members, &count);

	(void)n;
	if (err)
		return err;
	write_init(&w, op->store);
	m.w = &w;
	err = write_object(&m, members, count);
	if (!err)
		err = op_refuse_write(op, &w, write_error(&w));
	write_release(&w);
	return err;
}

/* Take objects, one a line; one that spans lines is taken whole. */
static int each_object(struct op *op, struct node *n, struct bytes text,
		       const struct store_how *how, struct place *p,
		       take_object *take)
{
	int err = 0;

	if (!how->append)
		return take(op, n, text, how, p);
	while (!err && text.len) {
		const uint8_t *end = memchr(text.ptr, '\n', text.len);
		size_t line = end ? (size_t)(end - text.ptr) : text.len;
		struct type_error error;
		struct json_member *members;
		size_t count;

		if (json_read_object(&op->arena, &members, &count,
				     bytes_of(text.ptr, line), &error))
			line = text.len;
		err = take(op, n, bytes_of(text.ptr, line), how, p);
		text.ptr += line;
		text.len -= line;
		while (text.len && text.ptr[0] == '\n') {
			text.ptr++;
			text.len--;
		}
	}
	return err;
}

static int take_text(struct op *op, struct node *n, struct bytes text,
		     const struct store_how *how, take_object *take)
{
	struct place p;
	int err = place_of(op, n, &p);

	if (!err && (p.table->flags & TABLE_VIRTUAL))
		err = -EROFS;
	return err ? err : each_object(op, n, text, how, &p, take);
}

static int store(struct op *op, struct node *n, struct bytes text,
		 const struct store_how *how)
{
	op->broadcast = true;
	return take_text(op, n, text, how, store_object);
}

static int check(struct op *op, struct node *n, struct bytes text,
		 const struct store_how *how)
{
	return node_waits_for_key(n) ? 0 :
				  take_text(op, n, text, how, check_object);
}

static int check_time(struct op *op, struct node *n)
{
	struct place p, statics;
	int err;

	if (place_of(op, n, &p))
		return 0;
	statics = p;
	statics.is_static = true;
	err = times_check_place(op, &p, 1);
	return err || !table_has_statics(p.table) ?
		       err : times_check_place(op, &statics, 1);
}

static const struct file_kind row_json_file = {
	.load = load,
	.store = store,
	.check = check,
	.check_time = check_time,
	.document = true,
};

static int delete_row(struct op *op, struct node *n, const struct place *p,
		      struct write *w)
{
	struct row_view row;
	int64_t at;
	int got = table_read(op->store, p->table, p->partition_key,
			     p->clustering, UINT64_MAX, op->now_s, &op->arena,
			     &row);

	if (got <= 0)
		return got ? got : -ENOENT;
	got = times_place_deletion(op, p, &at);
	if (got)
		return got;
	op->broadcast = true;
	place_write_row(w, p);
	write_row_deletion(w, at);
	got = times_touch(op, w, n->parent);
	return got ? got : op_write(op, w);
}

static int unlink_row(struct op *op, struct node *n)
{
	struct place p;
	int got = place_to_change(op, n, &p);

	if (!got)
		got = place_change(op, n, &p, delete_row);
	if (got)
		return got;
	document_drop_directory(op, n);
	if (n->parent != n->table)
		keep_up(op, n->parent);
	return 0;
}

/* Set the lifetime of the marker and of all cells. */
static int set_all(struct op *op, struct node *n, const char *name,
		   struct bytes value)
{
	struct row_view row;
	struct place p;
	uint32_t i;
	int got = place_of(op, n, &p);

	if (!got)
		got = table_read(op->store, p.table, p.partition_key,
				 p.clustering, UINT64_MAX, op->now_s,
				 &op->arena, &row);
	if (got <= 0)
		return got ? got : -ENODATA;
	got = 0;
	for (i = 0; i < row.cell_count && !got; i++) {
		struct place at = p;

		at.column = row.cells[i].column;
		at.path = row.cells[i].path;
		got = xattr_set_at(op, n, &at, name, value);
		if (got == -ENODATA)
			got = 0;
	}
	return got;
}

/* Keep the document's time: its values do not change. A text that is not written
 * yet has the lifetime, and what it replaces keeps its own. */
static int set_attribute(struct op *op, struct node *n, const char *name,
			 struct bytes value)
{
	struct child before;
	bool pending = handles_how(op, n, NULL, NULL);
	int found = stat_node(op, n, &before);
	int err = xattr_set(op, n, name, value);

	if (pending && strcmp(name, "writetime"))
		return err;
	if ((err && err != -ENODATA) || !strcmp(name, "writetime"))
		return err;
	err = set_all(op, n, name, value);
	return err || found ? err : times_set_mtime(op, n, before.mtime_ns);
}

const struct node_ops kind_row_json = {
	.kind = "row document",
	.part = PART_KEY,
	.file = &row_json_file,
	.stat = stat_document,
	.unlink = unlink_row,
	.set_mtime = times_set_mtime,
	.set_attribute = set_attribute,
};
