/*
 * CREATE TABLE. Columns are first taken as they were written, in a list that is
 * sorted by name (a table may have thousands); then the key picks its own, and
 * what is left is static or regular.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/clock.h"
#include "store/cql/execute_schema.h"

#define TABLE_NAME_LONGEST 222

struct new_column {
	const struct column_definition *definition;
	struct type *type;		/* a reference, until it is added */
	bool in_key;
};

struct new_table {
	struct ddl *d;
	const struct create_table *s;
	const struct keyspace *keyspace;
	const char *name;
	const struct identifier *key;	/* of the partition: in its clause, */
	uint32_t key_count;		/* or right behind a column */
	struct new_column *columns;	/* by name */
	uint32_t count;
	struct table *table;
};

static int compare_columns(const void *a, const void *b)
{
	const struct new_column *x = a, *y = b;

	return bytes_compare(x->definition->name.text,
			     y->definition->name.text);
}

static struct new_column *find_column(struct new_table *n, struct bytes name)
{
	struct column_definition wanted = { .name.text = name };
	struct new_column key = { .definition = &wanted };

	return bsearch(&key, n->columns, n->count, sizeof(key),
		       compare_columns);
}

/* ------------------------------------------------------- what the text says */
static int check_orders(struct new_table *n)
{
	const struct create_table *s = n->s;

	for (uint32_t i = 0; i < s->order_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (bytes_equal(s->orders[i].column.text,
					s->orders[k].column.text))
				return refuse_at(n->d->x,
					s->orders[i].column.span,
					refuse(n->d->x, "Duplicate column '%s' "
					       "in CLUSTERING ORDER BY clause "
					       "for table '%s'",
					       text_of(n->d->x,
						s->orders[i].column.text),
					       n->name));
	return 0;
}

static int list_columns(struct new_table *n)
{
	const struct create_table *s = n->s;
	struct execution *x = n->d->x;

	n->columns = arena_zalloc(x->arena, s->column_count,
				  sizeof(*n->columns));
	if (!n->columns)
		return -ENOMEM;
	n->key = s->partition_key;
	n->key_count = s->partition_key_count;
	n->count = s->column_count;
	for (uint32_t i = 0; i < s->column_count; i++) {
		n->columns[i].definition = &s->columns[i];
		if (!s->columns[i].primary_key)
			continue;
		n->key = &s->columns[i].name;
		n->key_count = 1;
	}
	qsort(n->columns, n->count, sizeof(*n->columns), compare_columns);
	for (uint32_t i = 1; i < n->count; i++)
		if (!compare_columns(&n->columns[i - 1], &n->columns[i]))
			return refuse(x, "Duplicate column '%s' declaration "
					 "for table '%s'",
				      text_of(x, n->columns[i].definition
								->name.text),
				      n->name);
	for (uint32_t i = 0; i < n->count; i++) {
		const struct column_definition *c = n->columns[i].definition;
		int err = ddl_check_name(n->d, c->name.text);

		if (!err && c->masked)
			err = refuse_at(x, c->span,
					refuse(x, "Cannot mask columns because "
					       "dynamic data masking is not "
					       "enabled. You can enable it "
					       "with the dynamic_data_masking_"
					       "enabled property on "
					       "cassandra.yaml"));
		if (err)
			return err;
	}
	return 0;
}

int check_new_table(struct ddl *d)
{
	const struct create_table *s = d->statement->create_table;
	struct new_table n = {
		.d = d, .s = s, .name = text_of(d->x, s->table.name.text),
	};
	int err = list_columns(&n);

	if (!err && s->key_count > 1)
		err = refuse(d->x, "Multiple PRIMARY KEY specified for table "
				   "'%s' (exactly one required)", n.name);
	if (!err)
		err = check_orders(&n);
	if (!err && !s->key_count)
		err = refuse(d->x, "No PRIMARY KEY specifed for table '%s' "
				   "(exactly one required)", n.name);
	return err;
}

/* ------------------------------------------------------------------- types */
static void release_types(struct new_table *n)
{
	for (uint32_t i = 0; i < n->count; i++) {
		type_put(n->columns[i].type);
		n->columns[i].type = NULL;
	}
}

static int look_up_types(struct new_table *n)
{
	int err = 0;

	for (uint32_t i = 0; i < n->s->column_count && !err; i++) {
		struct new_column *c =
			find_column(n, n->s->columns[i].name.text);

		err = ddl_type(n->d, &c->type, c->definition->type,
			       n->keyspace);
	}
	for (uint32_t i = 0; i < n->count && !err; i++)
		err = check_nested_fields(n->d, n->columns[i].type, NULL);
	return err;
}

/* As Cassandra prints a user type that is not frozen: its whole name as one. */
static const char *text_of_key_type(struct new_table *n, const struct type *t)
{
	struct buf name = BUF_INIT, quoted = BUF_INIT;

	if (t->kind != TYPE_UDT)
		return text_of_type(n->d->x, t);
	buf_add_format(&name, "%s.%s", t->keyspace, t->name);
	name_print(&quoted, buf_bytes(&name));
	buf_release(&name);
	return text_of_buf(n->d->x, &quoted);
}

/* Cassandra looks for durations in all but vectors. */
static bool has_duration(const struct type *t)
{
	if (t->kind == TYPE_DURATION)
		return true;
	for (uint32_t i = 0; i < t->part_count && t->kind != TYPE_VECTOR; i++)
		if (has_duration(t->parts[i]))
			return true;
	return false;
}

static int check_key_column(struct new_table *n, struct new_column *c,
			    const char *name)
{
	struct execution *x = n->d->x;
	const struct type *t = c->type;

	if (type_is_multicell(t))
		return refuse(x, "Invalid non-frozen %s type %s for PRIMARY "
				 "KEY column '%s'",
			      t->kind == TYPE_UDT ? "user-defined" :
						    "collection",
			      text_of_key_type(n, t), name);
	if (t->kind == TYPE_COUNTER)
		return refuse(x, "counter type is not supported for PRIMARY "
				 "KEY column '%s'", name);
	if (has_duration(t))
		return refuse(x, "duration type is not supported for PRIMARY "
				 "KEY column '%s'", name);
	if (c->definition->is_static)
		return refuse(x, "Static column '%s' cannot be part of the "
				 "PRIMARY KEY", name);
	return 0;
}

static int check_key_columns(struct new_table *n,
			     const struct identifier *names, uint32_t count)
{
	struct execution *x = n->d->x;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		const char *name = text_of(x, names[i].text);
		struct new_column *c = find_column(n, names[i].text);

		if (!c)
			err = refuse(x, "Unknown column '%s' referenced in "
					"PRIMARY KEY for table '%s'", name,
				     n->name);
		else if (c->in_key)
			err = refuse(x, "Duplicate column '%s' in PRIMARY KEY "
					"clause for table '%s'", name,
				     n->name);
		else
			err = check_key_column(n, c, name);
		err = refuse_at(x, names[i].span, err);
		if (c)
			c->in_key = true;
	}
	return err;
}

/* ---------------------------------------------------------------- the order */
static bool is_clustering(const struct new_table *n, struct bytes name)
{
	for (uint32_t i = 0; i < n->s->clustering_key_count; i++)
		if (bytes_equal(n->s->clustering_key[i].text, name))
			return true;
	return false;
}

static const struct clustering_order *find_order(const struct new_table *n,
						 struct bytes name)
{
	for (uint32_t i = 0; i < n->s->order_count; i++)
		if (bytes_equal(n->s->orders[i].column.text, name))
			return &n->s->orders[i];
	return NULL;
}

static int check_clustering_order(struct new_table *n)
{
	const struct create_table *s = n->s;
	struct execution *x = n->d->x;
	struct buf strange = BUF_INIT;

	for (uint32_t i = 0; i < s->order_count; i++) {
		if (is_clustering(n, s->orders[i].column.text))
			continue;
		buf_add_str(&strange, strange.len ? ", " : "");
		buf_add_bytes(&strange, s->orders[i].column.text);
	}
	if (strange.len || strange.failed)
		return refuse_at(x, s->orders[0].column.span,
				 refuse(x, "Only clustering key columns can be "
					"defined in CLUSTERING ORDER "
					"directive: [%s] are not clustering "
					"columns", text_of_buf(x, &strange)));
	for (uint32_t i = 0; i < s->order_count; i++) {
		struct bytes is = s->orders[i].column.text;
		struct bytes should = s->clustering_key[i].text;

		if (bytes_equal(is, should))
			continue;
		if (!find_order(n, should))
			return refuse(x, "Missing CLUSTERING ORDER for column "
					 "%s", text_of(x, should));
		return refuse(x, "The order of columns in the CLUSTERING ORDER "
				 "directive must match that of the clustering "
				 "columns (%s must appear before %s)",
			      text_of(x, should), text_of(x, is));
	}
	return 0;
}

/* ------------------------------------------------------- what is beside keys */
static bool has_statics(const struct new_table *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (n->columns[i].definition->is_static)
			return true;
	return false;
}

static int check_compact(struct new_table *n)
{
	struct execution *x = n->d->x;
	struct buf list = BUF_INIT;
	uint32_t values = 0;

	for (uint32_t i = 0; i < n->count; i++) {
		if (n->columns[i].in_key)
			continue;
		if (type_is_multicell(n->columns[i].type)) {
			buf_release(&list);
			return refuse(x, "Non-frozen collections and UDTs are "
					 "not supported with COMPACT STORAGE");
		}
		buf_add_str(&list, values++ ? ", " : "");
		buf_add_bytes(&list, n->columns[i].definition->name.text);
	}
	if (has_statics(n) || !n->s->clustering_key_count || values < 2)
		buf_release(&list);
	if (has_statics(n))
		return refuse(x, "Static columns are not supported in COMPACT "
				 "STORAGE tables");
	if (!n->s->clustering_key_count && !values)
		return refuse(x, "No definition found that is not part of the "
				 "PRIMARY KEY");
	if (!n->s->clustering_key_count || values < 2)
		return 0;
	return refuse(x, "COMPACT STORAGE with composite PRIMARY KEY allows no "
			 "more than one column not part of the PRIMARY KEY "
			 "(got: %s)", text_of_buf(x, &list));
}

static int check_counters(struct new_table *n, const struct table_options *o)
{
	uint32_t counters = 0, values = 0;

	for (uint32_t i = 0; i < n->count; i++) {
		if (n->columns[i].in_key)
			continue;
		values++;
		counters += n->columns[i].type->kind == TYPE_COUNTER;
	}
	if (!counters)
		return 0;
	n->table->flags |= TABLE_COUNTER;
	if (counters < values)
		return refuse(n->d->x, "Cannot mix counter and non counter "
				       "columns in the same table");
	if (o->default_time_to_live > 0)
		return refuse(n->d->x, "Cannot set default_time_to_live on a "
				       "table with counters");
	return 0;
}

static int check_columns(struct new_table *n)
{
	const struct create_table *s = n->s;
	int err = look_up_types(n);

	if (!err)
		err = check_key_columns(n, n->key, n->key_count);
	if (!err)
		err = check_key_columns(n, s->clustering_key,
					s->clustering_key_count);
	if (!err)
		err = check_clustering_order(n);
	if (!err && s->compact_storage)
		err = check_compact(n);
	else if (!err && !s->clustering_key_count && has_statics(n))
		err = refuse(n->d->x, "Static columns are only useful (and "
				      "thus allowed) if the table has at least "
				      "one clustering column");
	if (!err)
		err = check_counters(n, &n->table->options);
	return err;
}

/* ----------------------------------------------------------------- building */
static int add_column(struct new_table *n, struct new_column *c,
		      enum column_kind kind, bool reversed)
{
	struct type *type = c->type;
	int place;

	c->type = NULL;
	place = table_add_column(n->table,
				 text_of(n->d->x, c->definition->name.text),
				 type, kind, reversed);
	return place < 0 ? place : 0;
}

static int add_columns(struct new_table *n)
{
	const struct create_table *s = n->s;
	int err = 0;

	for (uint32_t i = 0; i < n->key_count && !err; i++)
		err = add_column(n, find_column(n, n->key[i].text),
				 COLUMN_PARTITION_KEY, false);
	for (uint32_t i = 0; i < s->clustering_key_count && !err; i++) {
		struct bytes name = s->clustering_key[i].text;
		const struct clustering_order *order = find_order(n, name);

		err = add_column(n, find_column(n, name), COLUMN_CLUSTERING,
				 order && order->descending);
	}
	for (uint32_t i = 0; i < n->count && !err; i++)
		if (!n->columns[i].in_key)
			err = add_column(n, &n->columns[i],
					 n->columns[i].definition->is_static ?
						 COLUMN_STATIC : COLUMN_REGULAR,
					 false);
	return err;
}

/* base, or base1, base2, … where that is a column's name. */
static int add_hidden(struct new_table *n, const char *base, bool plain,
		      enum type_kind type, enum column_kind kind)
{
	char name[32];
	int place;

	snprintf(name, sizeof(name), "%s", base);
	for (unsigned i = plain ? 0 : 1;; i++) {
		if (i)
			snprintf(name, sizeof(name), "%s%u", base, i);
		if (!find_column(n, bytes_str(name)))
			break;
	}
	place = table_add_column(n->table, name, type_native(type), kind,
				 false);
	if (place < 0)
		return place;
	n->table->columns[place].hidden = true;
	return 0;
}

/* What lies below a compact table's surface (semantics.md 6.4). */
static int add_compact_columns(struct new_table *n)
{
	bool counter = n->table->flags & TABLE_COUNTER;
	uint32_t keys = n->key_count + n->s->clustering_key_count;
	int err;

	n->table->flags |= TABLE_COMPACT;
	if (n->s->clustering_key_count) {
		n->table->flags |= TABLE_DENSE;
		return keys < n->count ? 0 :
		       add_hidden(n, "value", true, TYPE_EMPTY, COLUMN_REGULAR);
	}
	err = add_hidden(n, "column", false, TYPE_TEXT, COLUMN_CLUSTERING);
	return err ? err : add_hidden(n, "value", true,
				      counter ? TYPE_COUNTER : TYPE_BLOB,
				      COLUMN_REGULAR);
}

int check_table(struct ddl *d, const struct table *t)
{
	bool counter = t->flags & TABLE_COUNTER;

	if (!ddl_is_plain_name(bytes_str(t->name), TABLE_NAME_LONGEST))
		return misconfigured(d, "%s.%s: Table name must not be empty, "
					"more than 48 characters long, or "
					"contain non-alphanumeric-underscore "
					"characters (got \"%s\")",
				     t->keyspace, t->name, t->name);
	for (uint32_t i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];
		bool is_counter = c->type->kind == TYPE_COUNTER;

		if (c->kind == COLUMN_PARTITION_KEY ||
		    c->kind == COLUMN_CLUSTERING || c->hidden ||
		    is_counter == counter)
			continue;
		return misconfigured(d, "%s.%s: Cannot have a %scounter column "
					"(\"%s\") in a %scounter table",
				     t->keyspace, t->name,
				     is_counter ? "" : "non ", c->name,
				     counter ? "" : "non ");
	}
	return 0;
}

/* Nothing else may have the id: nodes of the tree are named by it. */
static int check_id(struct ddl *d, const uint8_t id[16])
{
	static const uint8_t none[16];

	if (!memcmp(id, none, 16))
		return misconfigured(d, "Invalid table id");
	for (uint32_t i = 0; i < d->now->keyspace_count; i++)
		for (uint32_t t = 0; t < d->now->keyspaces[i]->table_count; t++)
			if (!memcmp(d->now->keyspaces[i]->tables[t]->id, id,
				    16))
				return misconfigured(d, "The table id is in "
							"use already");
	return 0;
}

static int fill(struct new_table *n)
{
	const struct properties *p = &n->s->properties;
	struct table *t = n->table;
	struct ddl *d = n->d;
	bool given = false;
	int err = check_table_options(d, &t->options, p);

	if (!err)
		err = check_columns(n);
	if (!err)
		err = read_table_id(d, t->id, &given, p);
	if (!err && given)
		err = check_id(d, t->id);
	if (!err)
		err = add_columns(n);
	if (!err && n->s->compact_storage)
		err = add_compact_columns(n);
	if (!err)
		err = table_finish(t);
	if (!err)
		err = check_table(d, t);
	t->uid = d->x->session->uid;
	t->gid = d->x->session->gid;
	t->mode = d->x->session->mode;
	t->created_us = clock_now_us();
	return err;
}

/* False positives cost most where levels are many: Cassandra's own default. */
static void choose_filter(struct table_options *o, const struct properties *p)
{
	const char *class = options_find(o->compaction, o->compaction_count,
					 "class");

	if (!find_property(p, "bloom_filter_fp_chance") && class &&
	    strstr(class, "LeveledCompactionStrategy"))
		o->bloom_filter_fp_chance = 0.1;
}

/* A table that mkdir made and that has no row yet may be replaced. */
static int look_for_table(struct new_table *n, bool *done)
{
	const struct create_table *s = n->s;
	const struct table *old;
	struct execution *x = n->d->x;
	int err = ddl_keyspace(n->d, &n->keyspace);

	*done = false;
	if (err)
		return err;
	old = keyspace_table(n->keyspace, s->table.name.text);
	if (!old || old->flags & TABLE_PROVISIONAL)
		return 0;
	*done = s->if_not_exists;
	if (*done)
		return 0;
	return refuse_at(x, s->table.name.span,
			 refuse_as(x, CQL_ALREADY_EXISTS,
				   "Cannot add already existing table \"%s\" to "
				   "keyspace \"%s\"", n->name,
				   n->keyspace->name));
}

int create_table(struct ddl *d)
{
	const struct create_table *s = d->statement->create_table;
	struct new_table n = {
		.d = d, .s = s, .name = text_of(d->x, s->table.name.text),
	};
	bool done = false;
	int err;

	n.table = table_new(text_of(d->x, d->keyspace), n.name);
	if (!n.table)
		return -ENOMEM;
	err = read_table_options(d, &n.table->options, &s->properties);
	choose_filter(&n.table->options, &s->properties);
	if (!err)
		err = look_for_table(&n, &done);
	if (!err && !done)
		err = list_columns(&n);
	if (!err && !done)
		err = fill(&n);
	release_types(&n);
	if (!err && !done)
		return ddl_set_table(d, n.table);
	table_put(n.table);
	return err;
}
