#include "store/cql/modify/assignment.h"
#include "store/cql/modify/cell_change.h"
#include "store/cql/modify/condition.h"
#include "store/cql/modify/insert_json.h"
#include "store/cql/modify/modify.h"
#include "store/cql/modify/prepare.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/session.h"
#include "store/cql/where/plan.h"

#include <errno.h>
#include <string.h>

#define TTL_MAX 630720000
/* 2106-02-07T06:28:13: the largest time in 32 bits of seconds. */
#define EXPIRY_MAX 4294967293ll

/* ----------------------------------------------------------- preparation */
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

static int insert_column(struct execution *x, struct modification *m,
			 const struct column *c, const struct term *value)
{
	if (is_key(c))
		return restrictions_add_term(x, &m->where, c, value);
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
			if (is_key(columns[i]) == pass)
				err = insert_column(x, m, columns[i],
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
	/* The answer of a conditional statement shows stored values. */
	if (modification_is_conditional(m)) {
		err = statement_require_right(x, m->table, CQL_READ);
		if (err)
			return err;
	}
	if (modification_is_conditional(m) && m->table->flags & TABLE_COUNTER)
		return refuse(x, "Conditional updates are not supported on "
				 "counter tables");
	if (modification_is_conditional(m) && m->has_timestamp)
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

/* ------------------------------------------------------------------ plan */
static int plan_timestamp(struct execution *x, struct modification *m,
			  int64_t timestamp_us)
{
	if (!m->has_timestamp)
		m->timestamp_us = timestamp_us;
	else if (m->timestamp_us == INT64_MIN)
		return refuse_at(x, m->using->timestamp->span,
				 refuse(x, "Out of bound timestamp, must be in "
					   "[%lld, %lld]",
					(long long)INT64_MIN + 1,
					(long long)INT64_MAX));
	return 0;
}

static int check_ttl(struct execution *x, const struct modification *m,
		     int64_t ttl, bool is_default)
{
	if (ttl < 0)
		return refuse(x, "A TTL must be greater or equal to 0, but was "
				 "%lld", (long long)ttl);
	if (ttl > TTL_MAX)
		return refuse(x, "ttl is too large. requested (%lld) maximum "
				 "(%d)", (long long)ttl, TTL_MAX);
	if (x->now_s + ttl > EXPIRY_MAX)
		return refuse(x, "Request on table %s.%s with %sttl of %lld "
				 "seconds exceeds maximum supported expiration "
				 "date of 2106-02-07T06:28:13+00:00. In order "
				 "to avoid this use a lower TTL, change the "
				 "expiration date overflow policy or upgrade "
				 "to a version where this limitation is fixed. "
				 "See CASSANDRA-14092 and CASSANDRA-14227 for "
				 "more details.", m->table->keyspace,
			      m->table->name, is_default ? "default " : "",
			      (long long)ttl);
	return 0;
}

static int plan_ttl(struct execution *x, struct modification *m)
{
	int64_t ttl = m->has_ttl ? m->ttl :
				   m->table->options.default_time_to_live;

	m->ttl_s = (int32_t)ttl;
	return ttl ? check_ttl(x, m, ttl, !m->has_ttl) : 0;
}

/* COMPACT STORAGE with one clustering column: it was a cell's whole name. */
static int check_compact_rows(struct execution *x, const struct modification *m)
{
	const struct table *t = m->table;

	if (!(t->flags & TABLE_DENSE) || t->clustering_count != 1)
		return 0;
	for (size_t i = 0; i < m->row_count; i++)
		if (!m->rows[i][0].len)
			return refuse(x, "Invalid empty or null value for "
					 "column %s",
				      table_clustering_column(t, 0)->name);
	return 0;
}

/* True for a slice with one bound, which is null: it may match no row, but is
 * no empty slice. */
static bool has_null_slice(const struct restrictions *where)
{
	const struct table *t = where->table;

	for (uint32_t i = 0; i < t->clustering_count; i++) {
		const struct restriction *r =
			restriction_of(where, table_clustering_column(t, i));
		const struct restriction_bound *only;

		if (!r || r->kind != RESTRICT_SLICE)
			continue;
		only = r->low.count ? &r->low : &r->high;
		return !(r->low.count && r->high.count) &&
		       bytes_is_null(*only->values);
	}
	return false;
}

/* Plan the ranges that a DELETE covers. If it covers no rows it may delete
 * columns too. */
static int plan_ranges(struct execution *x, struct modification *m)
{
	int err = plan_slices(x, &m->where, &m->slices, &m->slice_count,
			      &m->nothing);

	m->ranges = true;
	if (!err && m->sets_regular && m->key_count &&
	    (!m->nothing || has_null_slice(&m->where)))
		return refuse(x, "Range deletions are not supported for "
				 "specific columns");
	return err;
}

static int plan_row_set(struct execution *x, struct modification *m)
{
	const struct table *t = m->table;
	bool whole = true;

	if (m->only_statics)
		return 0;
	/* A write of a row may leave out the last clustering columns where that
	 * is allowed: under COMPACT STORAGE. */
	for (uint32_t i = 0; i < t->clustering_count; i++) {
		const struct restriction *r =
			restriction_of(&m->where,
				       table_clustering_column(t, i));

		whole = whole && (m->kind != STATEMENT_DELETE ||
				  (r && (r->kind == RESTRICT_EQ ||
					 r->kind == RESTRICT_IN)));
	}
	if (whole && (t->clustering_count || m->kind != STATEMENT_DELETE ||
		      m->change_count)) {
		int err = plan_rows(x, &m->where, &m->rows, &m->row_count);

		return err ? err : check_compact_rows(x, m);
	}
	return plan_ranges(x, m);
}

int modification_plan_keys(struct execution *x, struct modification *m)
{
	int err;

	x->table = m->table;
	err = plan_partitions(x, &m->where, &m->keys, &m->key_count);
	return err ? err :
		plan_check_partitions(x, m->table, m->keys, m->key_count);
}

static const char *word_of(const struct modification *m)
{
	return m->kind == STATEMENT_DELETE ? "deletions" : "updates";
}

int modification_check_key(struct execution *x, const struct modification *m)
{
	return m->key_count ? 0 :
		       refuse(x, "A conditional statement wants a partition, "
				 "and this key has another token");
}

int modification_check_rows(struct execution *x, const struct modification *m)
{
	return where_clustering_is_in(&m->where) ?
		       refuse(x, "IN on the clustering key columns is not "
				 "supported with conditional %s", word_of(m)) :
		       0;
}

int modification_plan_rows(struct execution *x, struct modification *m,
			   int64_t timestamp_us)
{
	int err;

	x->table = m->table;
	err = plan_row_set(x, m);
	if (!err)
		err = plan_timestamp(x, m, timestamp_us);
	/* A conditional statement plans it once its condition holds. */
	if (!err && !modification_is_conditional(m))
		err = plan_ttl(x, m);
	return err;
}

int modification_plan(struct execution *x, struct modification *m)
{
	int err = modification_plan_keys(x, m);

	if (!err && modification_is_conditional(m)) {
		if (where_partition_is_in(&m->where))
			return refuse(x, "IN on the partition key is not "
					 "supported with conditional %s",
				      word_of(m));
		err = modification_check_key(x, m);
		if (!err)
			err = modification_check_rows(x, m);
	}
	if (!err)
		err = modification_plan_rows(x, m, m->has_timestamp ? 0 :
						statement_timestamp(x));
	if (!err)
		err = conditions_bind(x, m, false);
	return err ? err : conditions_bind(x, m, true);
}

/* ----------------------------------------------------------------- apply */
bool modification_reads(const struct modification *m)
{
	if (modification_is_conditional(m))
		return true;
	for (uint32_t i = 0; i < m->change_count; i++) {
		const struct change *c = &m->changes[i];

		if (c->kind == CHANGE_COUNT || c->kind == CHANGE_COMPUTE)
			return true;
		if (c->column->type->kind == TYPE_LIST &&
		    (c->kind == CHANGE_ELEMENT || c->kind == CHANGE_REMOVE))
			return true;
	}
	return false;
}

static void apply_ranges(struct modification *m, struct write *w,
			 struct bytes key)
{
	if (!m->slice_count)
		write_partition_deletion(w, m->table, key, m->timestamp_us);
	for (size_t i = 0; i < m->slice_count; i++)
		write_range_deletion(w, m->table, key, &m->slices[i],
				     m->timestamp_us);
}

static int apply_row(struct execution *x, struct modification *m,
		     struct write *w, struct bytes key,
		     const struct bytes *clustering)
{
	int err;

	if (m->kind == STATEMENT_DELETE && !m->change_count) {
		write_row(w, m->table, key, clustering);
		write_row_deletion(w, m->timestamp_us);
		return 0;
	}
	if (!m->sets_regular && m->kind != STATEMENT_INSERT)
		return 0;
	/* In a compact table the value makes the row; JSON without it makes
	 * none. */
	if (!m->change_count && m->table->flags & TABLE_COMPACT && m->json)
		return 0;
	if (!m->change_count && m->table->flags & TABLE_COMPACT &&
	    m->table->regular_count)
		return refuse(x, "Column %s is mandatory for this COMPACT "
				 "STORAGE table",
			      m->table->columns[m->table->partition_key_count +
						m->table->clustering_count]
				      .name);
	err = cell_change_apply(x, m, w, key, clustering);
	if (!err && m->kind == STATEMENT_INSERT)
		write_marker(w, m->timestamp_us, m->ttl_s);
	return err;
}

int modification_apply(struct execution *x, struct modification *m,
		       struct write *w)
{
	static const struct bytes none;
	int err = modification_is_conditional(m) ? plan_ttl(x, m) : 0;

	if (m->nothing)
		return err;
	for (size_t k = 0; k < m->key_count && !err; k++) {
		if (m->ranges) {
			apply_ranges(m, w, m->keys[k]);
			continue;
		}
		if (m->only_statics)
			err = cell_change_apply(x, m, w, m->keys[k], NULL);
		/* Write the statics with every row: a counter is incremented
		 * each time. */
		for (size_t i = 0; i < m->row_count && !err; i++) {
			if (m->sets_static)
				err = cell_change_apply(x, m, w, m->keys[k],
							NULL);
			if (!err)
				err = apply_row(x, m, w, m->keys[k],
						m->table->clustering_count ?
							m->rows[i] : &none);
		}
	}
	return err;
}
