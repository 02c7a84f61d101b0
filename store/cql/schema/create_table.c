/* CREATE TABLE, and the checks of every table. */
#include "store/cql/schema/create_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/base/clock.h"
#include "store/cql/schema/alter_table.h"
#include "store/cql/schema/compression_options.h"
#include "store/cql/schema/table_check.h"
#include "store/cql/schema/table_difference.h"
#include "store/cql/schema/table_options.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"
#include "store/schema/table_edit.h"

#define TABLE_NAME_LONGEST 222

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
		err = add_column(n, new_table_column(n, n->key[i].text),
				 COLUMN_PARTITION_KEY, false);
	for (uint32_t i = 0; i < s->clustering_key_count && !err; i++) {
		struct bytes name = s->clustering_key[i].text;
		const struct clustering_order *order = new_table_order(n, name);

		err = add_column(n, new_table_column(n, name), COLUMN_CLUSTERING,
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

/* Add a hidden column: base, or base1, base2, … where that is a column's
 * name. */
static int add_hidden(struct new_table *n, const char *base, bool plain,
		      enum type_kind type, enum column_kind kind)
{
	char name[32];
	int place;

	snprintf(name, sizeof(name), "%s", base);
	for (unsigned i = plain ? 0 : 1;; i++) {
		if (i)
			snprintf(name, sizeof(name), "%s%u", base, i);
		if (!new_table_column(n, bytes_str(name)))
			break;
	}
	place = table_add_column(n->table, name, type_native(type), kind,
				 false);
	if (place < 0)
		return place;
	n->table->columns[place].hidden = true;
	return 0;
}

/* Add the hidden columns of a compact table (store/cql/README.md, "Schema"). */
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

int create_table_check(struct ddl *d, const struct table *t)
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

/* Check that nothing else has the id: nodes of the tree are named by it. The
 * table itself may have it, when it is defined again. */
static int check_id(struct ddl *d, const struct table *old,
		    const uint8_t id[16])
{
	static const uint8_t none[16];

	if (old && !(old->flags & TABLE_PROVISIONAL)) {
		if (!memcmp(id, old->id, 16))
			return 0;
		return refuse_as(d->x, CQL_ALREADY_EXISTS, "Table \"%s\" "
				 "exists, and is not this one: it has another "
				 "id", text_of_table(d->x, old));
	}

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

/* Keep the directory's owner. */
static void keep_owner(struct table *t, const struct table *old)
{
	t->uid = old->uid;
	t->gid = old->gid;
	t->mode = old->mode;
}

static int fill(struct new_table *n)
{
	const struct properties *p = &n->s->properties;
	struct table *t = n->table;
	struct ddl *d = n->d;
	bool given = false;
	int err = table_options_check(d, &t->options, p);

	if (!err)
		err = new_table_check(n);
	if (!err)
		err = table_options_read_id(d, t->id, &given, p);
	if (!err && given)
		err = check_id(d, n->old, t->id);
	if (!err)
		err = add_columns(n);
	if (!err && n->s->compact_storage)
		err = add_compact_columns(n);
	if (!err)
		err = table_finish(t);
	if (!err)
		err = create_table_check(d, t);
	t->uid = d->x->session->uid;
	t->gid = d->x->session->gid;
	t->mode = d->x->session->mode;
	if (n->old)
		keep_owner(t, n->old);
	t->created_us = clock_now_us();
	return err;
}

int create_table_refuse_existing(struct ddl *d)
{
	const struct create_table *s = d->statement->create_table;

	if (s->if_not_exists)
		return 0;
	return refuse_at(d->x, s->table.name.span,
			 refuse_as(d->x, CQL_ALREADY_EXISTS,
				   "Cannot add already existing table \"%s\" to "
				   "keyspace \"%s\"",
				   text_of(d->x, s->table.name.text),
				   text_of(d->x, d->keyspace)));
}

/* Look for the table. One that mkdir made may be replaced: the store says if
 * there are rows. */
static int look_for_table(struct new_table *n, bool *done)
{
	int err = ddl_keyspace(n->d, &n->keyspace);

	*done = false;
	if (err)
		return err;
	err = ddl_table(n->d, n->keyspace, n->s->table.name.text, &n->old);
	if (err || !n->old)
		return err;
	/* Its rows will belong to the maker of the new one. */
	if (n->old->flags & TABLE_PROVISIONAL) {
		err = statement_require_right(n->d->x, n->old, CQL_READ);
		return err ? err :
			statement_require_right(n->d->x, n->old, CQL_WRITE);
	}
	if (ddl_is_definition(n->d) && !n->s->if_not_exists)
		return 0;
	*done = true;
	return create_table_refuse_existing(n->d);
}

/* Return how the statement differs from the table that it finds. */
static struct table_difference difference_of(const struct new_table *n)
{
	return (struct table_difference){ n->old, n->old, n->table,
					  &n->s->properties };
}

/* True if the table is already what the statement says. */
static bool is_made(struct new_table *n)
{
	struct table_difference t = difference_of(n);
	struct buf alterations = BUF_INIT;
	bool same;

	n->d->x->quiet++;
	same = !table_difference(n->d, &t, &alterations) && !alterations.len;
	n->d->x->quiet--;
	buf_release(&alterations);
	return same;
}

/* Refuse to drop a column where the text may have more to say of it, and note for
 * cql_session_drops() that it was for that alone; and where the text was begun
 * before the table was made. */
static int refuse_drops(struct new_table *n, const struct table_difference *t,
			bool is_newer)
{
	struct cql_session *session = n->d->x->session;
	int err = 0;

	if (is_newer)
		return table_refuse_drops(n->d, t, "the table was made after "
					  "this text was begun");
	if (session->difference == CQL_CHANGES_ALL_BUT_DROPS)
		err = table_refuse_drops(n->d, t, "a later statement alters "
			"the table: write its CREATE TABLE as it shall be");
	session->drops |= err;
	return err;
}

/*
 * The table exists: refuse a difference, or make this one of it, by all the
 * statements that the difference needs at once. The difference is to the table that
 * the text was written from: what others made of it meanwhile stays.
 */
static int define_again(struct new_table *n)
{
	struct table_difference t = difference_of(n);
	struct ddl *d = n->d;
	bool changes = d->x->session->difference != CQL_REFUSES &&
		       ddl_is_own_definition(d);
	const struct schema *base = changes ? d->x->session->base : NULL;
	const struct table *before = base ?
		schema_table_by_number(base, n->old->number) : n->old;
	bool is_newer = !before || before->flags & TABLE_PROVISIONAL;
	struct buf alterations = BUF_INIT;
	int err;

	if (before != n->old && is_made(n))
		return 0;
	if (!is_newer)
		t.before = before;
	err = table_difference(d, &t, &alterations);
	if (!err && alterations.len && !changes)
		err = refuse_as(d->x, CQL_ALREADY_EXISTS, "Table \"%s\" "
				"exists, and is not this one: its columns or "
				"options differ", text_of_table(d->x, n->old));
	if (!err)
		err = alter_table_all(d, buf_bytes(&alterations));
	if (!err)
		err = refuse_drops(n, &t, is_newer);
	buf_release(&alterations);
	return refuse_at(d->x, n->s->table.name.span, err);
}

/* Put the new table into the schema, unless it is there. Takes n->table over. */
static int set_table(struct new_table *n)
{
	static const uint8_t none[sizeof(n->table->id)];
	bool made = n->old && n->old->flags & TABLE_PROVISIONAL;
	/* An id that it gives would be another. */
	bool has_id = memcmp(n->table->id, none, sizeof(none));
	int err = 0;

	if (!n->old || (made && (!ddl_is_definition(n->d) || has_id ||
				 !is_made(n))))
		return ddl_set_table(n->d, n->table);
	if (!made)
		err = define_again(n);
	table_put(n->table);
	return err;
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
	n.table->options.bloom_filter_fp_chance = -1;
	err = table_options_read(d, &n.table->options, &s->properties);
	if (!err)
		compression_options_warn(d, &n.table->options);
	if (!err)
		err = look_for_table(&n, &done);
	if (!err && !done)
		err = new_table_columns(&n);
	if (!err && !done)
		err = fill(&n);
	new_table_release_types(&n);
	if (!err && !done)
		return set_table(&n);
	table_put(n.table);
	return err;
}
