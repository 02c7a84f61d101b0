#include "fs/query/query.h"

#include <errno.h>

#include "fs/node/name.h"
#include "fs/query/entry.h"
#include "fs/query/spelling.h"
#include "store/base/alloc.h"
#include "store/type/text/text.h"
#include "store/type/value.h"

/* The bytes of names of columns that a refusal shows, and one name more. */
#define COLUMNS_SHOWN 500

/* ------------------------------------------------------------------ values */
/* Unescape a part of the name into op->text. */
static int unescape(struct op *op, struct bytes spelled)
{
	op->text.len = 0;
	if (name_unescape(&op->text, spelled))
		return op_refuse(op, -ENOENT,
				 "two upper-case hex digits must follow a %% in a name");
	return op->text.failed ? -ENOMEM : 0;
}

/* Check that a part of the name has the right spelling: -ENOENT. what: its kind,
 * for people. */
static int check_spelling(struct op *op, struct buf *right,
			  struct bytes spelled, const char *what)
{
	if (right->failed)
		return -ENOMEM;
	if (bytes_equal(buf_bytes(right), spelled))
		return 0;
	return op_refuse(op, -ENOENT, "the name of this %s is '%s'", what,
			 buf_cstr(right));
}

/* Check the spelling of a value's text, a pattern or an entry's name. */
static int check_text(struct op *op, struct bytes text, struct bytes spelled,
		      const char *what, bool before_dots)
{
	struct buf right = BUF_INIT;
	int err;

	spelling_value(&right, text, before_dots);
	err = check_spelling(op, &right, spelled, what);
	buf_release(&right);
	return err;
}

static int check_value(struct op *op, const struct type *type,
		       struct bytes value, struct bytes spelled,
		       bool before_dots)
{
	struct buf text = BUF_INIT;
	int err;

	type_print_text(&text, type, value);
	err = text.failed ? -ENOMEM :
	      check_text(op, buf_bytes(&text), spelled, "value", before_dots);
	buf_release(&text);
	return err;
}

static int read_value(struct op *op, const struct type *type,
		      struct bytes spelled, bool before_dots,
		      struct bytes *out)
{
	struct type_error error = { .text = "" };
	struct buf value = BUF_INIT;
	int err = unescape(op, spelled);

	if (!err)
		err = type_read_text(&value, type, buf_bytes(&op->text),
				     &error);
	if (err == -EINVAL)
		op_refuse_type(op, &error);
	if (!err && value.failed)
		err = -ENOMEM;
	if (!err)
		err = check_value(op, type, buf_bytes(&value), spelled,
				  before_dots);
	if (!err) {
		*out = arena_copy(&op->arena, buf_bytes(&value));
		err = op->arena.failed ? -ENOMEM : 0;
	}
	buf_release(&value);
	return err;
}

/* Read a text that has no type: a pattern, or the name of an entry. */
static int read_plain(struct op *op, struct bytes spelled, const char *what,
		      struct bytes *out)
{
	int err = unescape(op, spelled);

	if (!err)
		err = check_text(op, buf_bytes(&op->text), spelled, what,
				 false);
	if (!err)
		*out = arena_copy(&op->arena, buf_bytes(&op->text));
	return !err && op->arena.failed ? -ENOMEM : err;
}

/* ------------------------------------------------------------------- parse */
/* Refuse a column that t does not have, with those that it has: -ENOENT. */
static int refuse_column(struct op *op, const struct table *t,
			 const char *name)
{
	struct buf has = BUF_INIT;
	uint32_t i;

	for (i = 0; i < t->column_count && has.len < COLUMNS_SHOWN; i++)
		if (!t->columns[i].hidden)
			buf_add_format(&has, has.len ? ", %s" : "%s",
				       t->columns[i].name);
	op_refuse(op, -ENOENT, "%s has no column '%s'; it has %s%s", t->name,
		  name, has.failed ? "?" : buf_cstr(&has),
		  i < t->column_count ? ", …" : "");
	buf_release(&has);
	return -ENOENT;
}

static int find_column(struct op *op, const struct table *t,
		       struct bytes spelled, bool before_equal,
		       const struct column **out)
{
	struct buf right = BUF_INIT;
	int i, err = unescape(op, spelled);

	if (err)
		return err;
	i = table_column(t, buf_bytes(&op->text));
	if (i < 0)
		return refuse_column(op, t, buf_cstr(&op->text));
	spelling_column(&right, buf_bytes(&op->text), before_equal);
	err = check_spelling(op, &right, spelled, "column");
	buf_release(&right);
	*out = &t->columns[i];
	return err;
}

/* True where CQL refuses any value: the column has cells of its own for each
 * element or field. */
static bool is_never_compared(const struct query_condition *c)
{
	return c->column && c->operator != QUERY_LIKE &&
	       type_is_multicell(c->column->type);
}

static int resolve(struct op *op, const struct table *t,
		   const struct query_term *term, struct query_condition *out)
{
	const struct type *type = type_native(TYPE_BIGINT);
	int err = 0;

	out->operator = term->operator;
	if (!term->on_token) {
		err = find_column(op, t, term->column,
				  term->operator != QUERY_LIKE, &out->column);
		type = err ? NULL : out->column->type;
	}
	if (err)
		return err;
	if (is_never_compared(out)) {
		out->value = term->value;
		out->end = term->end;
		return 0;
	}
	if (term->operator == QUERY_LIKE)
		return read_plain(op, term->value, "pattern", &out->value);
	if (!bytes_is_null(term->value))
		err = read_value(op, type, term->value,
				 term->operator == QUERY_RANGE, &out->value);
	if (!err && !bytes_is_null(term->end))
		err = read_value(op, type, term->end, false, &out->end);
	return err;
}

static int resolve_after(struct op *op, struct row_query *q)
{
	struct bytes name;
	struct row_key key;
	int err;

	if (bytes_is_null(q->terms.after))
		return 0;
	err = read_plain(op, q->terms.after, "entry", &name);
	if (!err)
		err = entry_parse(op, &q->place, name, &key);
	if (err)
		return err;
	q->after_partition = key.partition_key;
	if (q->place.table->clustering_count)
		q->after_clustering = key.clustering;
	return 0;
}

static int resolve_columns(struct op *op, struct row_query *q)
{
	const struct table *t = q->place.table;
	struct bytes rest = q->terms.columns, one;
	const struct column *c;
	uint32_t i;
	int err = 0;

	if (bytes_is_null(rest))
		return 0;
	q->wanted = arena_zalloc(&op->arena, t->column_count,
				 sizeof(*q->wanted));
	if (!q->wanted)
		return -ENOMEM;
	for (i = 0; i < t->column_count; i++)
		q->wanted[i] = t->columns[i].kind == COLUMN_PARTITION_KEY ||
			       t->columns[i].kind == COLUMN_CLUSTERING;
	while (!err && query_next_column(&rest, &one)) {
		err = find_column(op, t, one, false, &c);
		if (!err)
			q->wanted[c - t->columns] = true;
	}
	return err;
}

static int parse(struct op *op, struct node *dir, struct bytes name,
		 struct row_query **out)
{
	struct row_query *q = arena_zalloc(&op->arena, 1, sizeof(*q));
	const char *why;
	uint32_t i;
	int err = q ? place_of(op, dir, &q->place) : -ENOMEM;

	if (err)
		return err == -EINVAL ? -ENOENT : err;	/* waits for its key */
	err = query_parse(&q->terms, name, &why);
	if (err)
		op_refuse(op, err, "%s", why);
	for (i = 0; i < q->terms.count && !err; i++)
		err = resolve(op, q->place.table, &q->terms.terms[i],
			      &q->conditions[i]);
	if (!err)
		err = resolve_after(op, q);
	if (!err)
		err = resolve_columns(op, q);
	*out = q;
	return err;
}

int row_query_parse(struct op *op, struct node *dir, struct bytes name,
		    struct row_query **out)
{
	int err = parse(op, dir, name, out);

	op->tells_missing |= err == -ENOENT;
	return err;
}

/* ------------------------------------------------------------------- print */
/* Print the beginning of a relation: AND and a column. */
static void add_relation(struct buf *out, bool *any, const struct column *c)
{
	buf_add_str(out, *any ? " AND " : " WHERE ");
	*any = true;
	if (c)
		schema_print_name(out, bytes_str(c->name));
}

static void add_equal(struct buf *out, bool *any, const struct column *c,
		      struct bytes value)
{
	add_relation(out, any, c);
	buf_add_str(out, " = ");
	type_print_literal(out, c->type, value);
}

static void add_token(struct buf *out, const struct table *t)
{
	uint32_t i;

	buf_add_str(out, "token(");
	for (i = 0; i < t->partition_key_count; i++) {
		if (i)
			buf_add_str(out, ", ");
		schema_print_name(out,
				  bytes_str(table_partition_column(t,
								   i)->name));
	}
	buf_add_byte(out, ')');
}

static void add_compared(struct buf *out, bool *any, const struct table *t,
			 const struct query_condition *c, const char *sign,
			 struct bytes value)
{
	if (bytes_is_null(value))
		return;
	add_relation(out, any, c->column);
	if (!c->column)
		add_token(out, t);
	buf_add_str(out, sign);
	if (is_never_compared(c)) {
		buf_add_str(out, "null");
		return;
	}
	type_print_literal(out, c->operator == QUERY_LIKE ?
				   type_native(TYPE_TEXT) :
			   c->column ? c->column->type :
				       type_native(TYPE_BIGINT), value);
}

static void add_condition(struct buf *out, bool *any, const struct table *t,
			  const struct query_condition *c)
{
	if (c->operator == QUERY_RANGE) {
		add_compared(out, any, t, c, " >= ", c->value);
		add_compared(out, any, t, c, " < ", c->end);
	} else {
		add_compared(out, any, t, c, c->operator == QUERY_LIKE ?
			     " LIKE " : " = ", c->value);
	}
}

/* Print the columns of the key, from that number on. */
static void add_key_columns(struct buf *out, const struct table *t,
			    uint32_t from)
{
	uint32_t i, end = t->partition_key_count + t->clustering_count;

	for (i = from; i < end; i++) {
		if (i > from)
			buf_add_str(out, ", ");
		schema_print_name(out, bytes_str(table_key_column(t, i)->name));
	}
}

/* Print the columns that are wanted of whole rows. */
static void add_wanted(struct buf *out, const struct row_query *q)
{
	const struct table *t = q->place.table;
	const char *between = "";
	uint32_t i;

	for (i = 0; i < t->column_count; i++) {
		if (t->columns[i].hidden || !q->wanted[i])
			continue;
		buf_add_str(out, between);
		schema_print_name(out, bytes_str(t->columns[i].name));
		between = ", ";
	}
}

void row_query_print_table(struct buf *out, const struct table *t)
{
	buf_add_str(out, " FROM ");
	schema_print_name(out, bytes_str(t->keyspace));
	buf_add_byte(out, '.');
	schema_print_name(out, bytes_str(t->name));
}

/* Print the relations on the part of the key that the directory has. */
static void add_place(struct buf *out, bool *any, const struct place *p)
{
	const struct table *t = p->table;
	struct bytes *values;
	uint32_t i;

	if (bytes_is_null(p->partition_key))
		return;
	values = mem_alloc(t->partition_key_count * sizeof(*values));
	if (!values || table_partition_values(values, t, p->partition_key))
		out->failed = true;
	for (i = 0; i < t->partition_key_count && !out->failed; i++)
		add_equal(out, any, table_partition_column(t, i), values[i]);
	mem_free(values);
	for (i = 0; i < p->clustering_count; i++)
		add_equal(out, any, table_clustering_column(t, i),
			  p->clustering[i]);
}

/* Print the order: that of the first column of the names, from the largest. */
static void add_order(struct buf *out, const struct place *p)
{
	const struct table *t = p->table;
	const struct column *c = p->clustering_count < t->clustering_count ?
		table_clustering_column(t, p->clustering_count) :
		table_partition_column(t, 0);

	buf_add_str(out, " ORDER BY ");
	schema_print_name(out, bytes_str(c->name));
	buf_add_str(out, " DESC");
}

void row_query_print_columns(struct buf *out, const struct row_query *q,
			     bool keys)
{
	const struct place *p = &q->place;

	buf_add_str(out, "SELECT ");
	if (keys)
		add_key_columns(out, p->table,
				entry_first_column(p));
	else if (q->wanted)
		add_wanted(out, q);
	else
		buf_add_byte(out, '*');
}

void row_query_print_rest(struct buf *out, const struct row_query *q)
{
	const struct place *p = &q->place;
	bool any = false;
	uint32_t i;

	add_place(out, &any, p);
	for (i = 0; i < q->terms.count; i++)
		add_condition(out, &any, p->table, &q->conditions[i]);
	if (q->terms.descending)
		add_order(out, p);
	if (q->terms.scan)
		buf_add_str(out, " ALLOW FILTERING");
}

bool query_is_on_key(const struct query_condition *c)
{
	return c->operator != QUERY_LIKE &&
	       (!c->column || c->column->kind == COLUMN_PARTITION_KEY ||
		c->column->kind == COLUMN_CLUSTERING);
}

bool row_query_print_check(struct buf *out, const struct row_query *q,
			   const struct bytes *partition_values,
			   const struct bytes *clustering, bool conditions)
{
	const struct table *t = q->place.table;
	bool any = false, found = false;
	uint32_t i;

	buf_add_str(out, "SELECT ");
	add_key_columns(out, t, 0);
	for (i = 0; i < q->terms.count && !conditions; i++) {
		if (query_is_on_key(&q->conditions[i]))
			continue;
		buf_add_str(out, ", ");
		schema_print_name(out, bytes_str(q->conditions[i].column->name));
	}
	row_query_print_table(out, t);
	for (i = 0; i < t->partition_key_count; i++)
		add_equal(out, &any, table_partition_column(t, i),
			  partition_values[i]);
	for (i = 0; i < t->clustering_count; i++)
		add_equal(out, &any, table_clustering_column(t, i),
			  clustering[i]);
	for (i = 0; i < q->terms.count; i++) {
		if (query_is_on_key(&q->conditions[i]))
			continue;
		if (conditions)
			add_condition(out, &any, t, &q->conditions[i]);
		found = true;
	}
	if (conditions)
		buf_add_str(out, " ALLOW FILTERING");
	return found;
}
