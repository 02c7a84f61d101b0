#include "store/cql/modify/plan.h"

#include "store/cql/modify/condition.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/where/plan.h"

#define TTL_MAX 630720000
/* 2106-02-07T06:28:13: the largest time in 32 bits of seconds. */
#define EXPIRY_MAX 4294967293ll

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

int modification_plan_ttl(struct execution *x, struct modification *m)
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
		err = modification_plan_ttl(x, m);
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
						execution_timestamp(x));
	if (!err)
		err = conditions_bind(x, m, false);
	return err ? err : conditions_bind(x, m, true);
}
