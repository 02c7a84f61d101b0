#include "store/cql/modify/assignment.h"
#include "store/cql/modify/cell_change.h"
#include "store/cql/modify/condition.h"
#include "store/cql/modify/insert_json.h"
#include "store/cql/modify/modify.h"
#include "store/cql/modify/prepare.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/where/plan.h"

#include <errno.h>
#include <string.h>

static int room_for_changes(struct execution *x, struct modification *m,
			    uint32_t count)
{
	m->changes = arena_zalloc(x->arena, count, sizeof(*m->changes));
	return m->changes ? 0 : -ENOMEM;
}

void modification_touches(struct modification *m, const struct column *c)
{
	if (c->kind == COLUMN_STATIC)
		m->sets_static = true;
	else
		m->sets_regular = true;
}

/* True if only static columns are changed, and all conditions are on such. */
static bool touches_only_statics(const struct modification *m)
{
	bool statics = m->sets_static;

	if (m->sets_regular)
		return false;
	for (uint32_t i = 0; i < m->condition_count; i++) {
		if (m->conditions[i].column->kind != COLUMN_STATIC)
			return false;
		statics = true;
	}
	return statics;
}

const struct column *modification_hidden_clustering(const struct table *t)
{
	for (uint32_t i = 0; i < t->column_count; i++)
		if (t->columns[i].hidden &&
		    t->columns[i].kind == COLUMN_CLUSTERING)
			return &t->columns[i];
	return NULL;
}

static bool is_key(const struct column *c)
{
	return c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING;
}

static int insert_change(struct execution *x, struct modification *m,
			 const struct column *c, const struct term *value)
{
	modification_touches(m, c);
	return assignment_change_of_value(x, &m->changes[m->change_count++], c,
					  value);
}

static int check_names(struct execution *x, const struct insert *s)
{
	struct hash names = { .count = 0 };
	struct hash_place *place;

	for (uint32_t i = 0; i < s->column_count; i++) {
		place = hash_place(&names, x->arena, s->columns[i].text);
		if (!place)
			return -ENOMEM;
		if (place->value)
			return refuse_at(x, s->columns[i].span,
					 refuse(x, "The column names contains "
						   "duplicates"));
		place->value = &s->columns[i];
	}
	return 0;
}

static int check_insert(struct execution *x, const struct modification *m,
			const struct insert *s)
{
	if (m->table->flags & TABLE_COUNTER)
		return refuse(x, "INSERT statements are not allowed on counter "
				 "tables, use UPDATE instead");
	if (s->json)
		return 0;
	if (s->column_count != s->value_count)
		return refuse(x, "Unmatched column names/values");
	return 0;
}

/* Find the columns; NULL where there is none of that name. No name may occur
 * twice. */
static int insert_columns(struct execution *x, const struct column **columns,
			  const struct table *t, const struct insert *s)
{
	uint8_t *seen = arena_zalloc(x->arena, t->column_count, 1);
	bool all_once = seen;
	int place;

	for (uint32_t i = 0; i < s->column_count && all_once; i++) {
		place = table_column(t, s->columns[i].text);
		columns[i] = place < 0 ? NULL : &t->columns[place];
		all_once = place >= 0 && !seen[place]++;
	}
	return !seen ? -ENOMEM : all_once ? 0 : check_names(x, s);
}

static int prepare_insert(struct execution *x, struct modification *m,
			  const struct insert *s)
{
	const struct column **columns, *hidden;
	bool clustered = false;
	int err, pass;

	m->not_exists = s->if_not_exists;
	m->json = s->json;
	err = check_insert(x, m, s);
	if (!err)
		err = restrictions_init(x, &m->where, m->table,
					STATEMENT_INSERT);
	if (err)
		return err;
	if (s->json)
		return insert_json(x, m, s);
	columns = arena_zalloc(x->arena, s->column_count, sizeof(*columns));
	err = columns ? insert_columns(x, columns, m->table, s) : -ENOMEM;
	if (!err)
		err = room_for_changes(x, m, s->column_count);
	/* Check the values of other columns first, then those of the key. */
	for (pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < s->column_count && !err; i++) {
			if (!columns[i])
				err = resolve_column(x, &columns[i], m->table,
						     &s->columns[i]);
			if (err)
				return err;
			clustered |= columns[i]->kind == COLUMN_CLUSTERING;
			if (is_key(columns[i]) != pass)
				continue;
			err = pass ? restrictions_add_term(x, &m->where,
							   columns[i],
							   s->values[i])
				   : insert_change(x, m, columns[i],
						   s->values[i]);
		}
	}
	if (err)
		return err;
	m->only_statics = !clustered && touches_only_statics(m);
	m->where.only_statics = m->only_statics;
	err = restrictions_check(x, &m->where);
	hidden = modification_hidden_clustering(m->table);
	if (!err && !m->change_count && hidden)
		return refuse(x, "Some clustering keys are missing: %s",
			      hidden->name);
	return err;
}

static int prepare_update(struct execution *x, struct modification *m,
			  const struct update *s)
{
	int err = conditions_prepare(x, m, &s->condition);

	if (!err)
		err = room_for_changes(x, m, s->assignment_count);
	for (uint32_t i = 0; i < s->assignment_count && !err; i++) {
		struct change *c = &m->changes[m->change_count++];

		err = assignment_change(x, c, m->table, &s->assignments[i],
					modification_is_conditional(m));
		if (err)
			return refuse_at(x, s->assignments[i].span, err);
		modification_touches(m, c->column);
	}
	if (err)
		return err;
	m->only_statics = touches_only_statics(m);
	return where_analyse(x, &m->where, m->table, STATEMENT_UPDATE,
			     s->relations, s->relation_count, false,
			     m->only_statics, NULL);
}

static bool whole_key_given(const struct modification *m)
{
	const struct table *t = m->table;

	for (uint32_t i = 0; i < t->partition_key_count + t->clustering_count;
	     i++) {
		const struct restriction *r =
			restriction_of(&m->where, &t->columns[i]);

		if (!r || (r->kind != RESTRICT_EQ && r->kind != RESTRICT_IN))
			return false;
	}
	return true;
}

static int check_delete(struct execution *x, const struct modification *m)
{
	const struct table *t = m->table;
	bool fixed = modification_hidden_clustering(t) != NULL;

	if (modification_is_conditional(m) && (fixed || !whole_key_given(m))) {
		if ((m->sets_regular && !fixed) || !m->change_count)
			return refuse(x, "DELETE statements must restrict all "
					 "PRIMARY KEY columns with equality "
					 "relations in order to delete non "
					 "static columns");
		for (uint32_t i = 0; i < m->condition_count && !fixed; i++)
			if (m->conditions[i].column->kind == COLUMN_REGULAR)
				return refuse(x, "DELETE statements must "
						 "restrict all PRIMARY KEY "
						 "columns with equality "
						 "relations in order to use IF "
						 "condition on non static "
						 "columns");
	}
	return 0;
}

static int prepare_delete(struct execution *x, struct modification *m,
			  const struct delete *s)
{
	int err = conditions_prepare(x, m, &s->condition);

	if (!err)
		err = room_for_changes(x, m, s->deletion_count);
	for (uint32_t i = 0; i < s->deletion_count && !err; i++) {
		struct change *c = &m->changes[m->change_count++];

		err = assignment_change_of_deletion(x, c, m->table,
						    &s->deletions[i]);
		if (err)
			return refuse_at(x, s->deletions[i].span, err);
		modification_touches(m, c->column);
	}
	if (err)
		return err;
	m->only_statics = m->change_count && touches_only_statics(m);
	return where_analyse(x, &m->where, m->table, STATEMENT_DELETE,
			     s->relations, s->relation_count, false,
			     m->only_statics, NULL);
}

/* Prepare the numbers of USING: their bounds are checked when it runs. */
static int prepare_using(struct execution *x, struct modification *m)
{
	int err = 0;

	m->has_timestamp = m->using->timestamp;
	m->has_ttl = m->using->ttl;
	if (m->has_timestamp)
		err = term_integer(x, &m->timestamp_us, m->using->timestamp,
				   TYPE_BIGINT, "timestamp");
	if (!err && m->has_ttl)
		err = term_integer(x, &m->ttl, m->using->ttl, TYPE_INT, "ttl");
	return err;
}

const struct table_name *modification_table(const struct statement *s)
{
	return s->kind == STATEMENT_INSERT ? &s->insert->table :
	       s->kind == STATEMENT_UPDATE ? &s->update->table :
					     &s->delete->table;
}

int modification_prepare(struct execution *x, struct modification *m,
			 const struct statement *s)
{
	bool conditional;
	int err;

	memset(m, 0, sizeof(*m));
	m->kind = s->kind;
	m->using = s->kind == STATEMENT_INSERT ? &s->insert->using :
		   s->kind == STATEMENT_UPDATE ? &s->update->using :
						 &s->delete->using;
	err = resolve_table(x, &m->table, modification_table(s), CQL_WRITE);
	if (err)
		return err;
	if (m->table->flags & TABLE_VIRTUAL)
		return refuse_as(x, CQL_UNAUTHORIZED, "%s keyspace is not "
				 "user-modifiable.", m->table->keyspace);
	x->table = m->table;
	err = prepare_using(x, m);
	if (!err)
		err = s->kind == STATEMENT_INSERT ?
			      prepare_insert(x, m, s->insert) :
		      s->kind == STATEMENT_UPDATE ?
			      prepare_update(x, m, s->update) :
			      prepare_delete(x, m, s->delete);
	if (err)
		return err;
	conditional = modification_is_conditional(m);
	/* The answer of a conditional statement shows stored values. */
	if (conditional) {
		err = statement_require_right(x, m->table, CQL_READ);
		if (err)
			return err;
	}
	if (conditional && m->table->flags & TABLE_COUNTER)
		return refuse(x, "Conditional updates are not supported on "
				 "counter tables");
	if (conditional && m->has_timestamp)
		return refuse(x, "Cannot provide custom timestamp for "
				 "conditional updates");
	return s->kind == STATEMENT_DELETE ? check_delete(x, m) : 0;
}

int modification_validate(struct execution *x, const struct modification *m)
{
	if (m->table->flags & TABLE_COUNTER && m->has_timestamp)
		return refuse(x, "Cannot provide custom timestamp for counter "
				 "updates");
	if (m->table->flags & TABLE_COUNTER && m->has_ttl)
		return refuse(x, "Cannot provide custom TTL for counter "
				 "updates");
	return 0;
}
