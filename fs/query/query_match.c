#include "fs/query/query_match.h"

#include <errno.h>
#include <string.h>

#include "fs/op/op.h"
#include "fs/query/query.h"
#include "store/base/murmur3.h"
#include "store/type/compare.h"

/* -------------------------------------------------------------------- rows */
/* Compare as CQL does: the smallest token is no bound. */
static bool has_token(const struct query_condition *c, int64_t token)
{
	int64_t from = bytes_is_null(c->value) ? INT64_MIN :
				(int64_t)get_be64(c->value.ptr);
	int64_t end = bytes_is_null(c->end) ? INT64_MIN :
				(int64_t)get_be64(c->end.ptr);

	if (c->operator == QUERY_EQUAL)
		return from == INT64_MIN || token == from;
	return token >= from && (end == INT64_MIN || token < end);
}

static bool has_value(const struct query_condition *c, struct bytes value)
{
	const struct type *type = c->column->type;

	if (bytes_is_null(value))
		return false;
	if (c->operator == QUERY_EQUAL)
		return !type_compare(type, value, c->value);
	return (bytes_is_null(c->value) ||
		type_compare(type, value, c->value) >= 0) &&
	       (bytes_is_null(c->end) || type_compare(type, value, c->end) < 0);
}

/* Compare as LIKE does: '%' stands for anything at either end. */
static bool is_like(struct bytes pattern, struct bytes value)
{
	bool open = pattern.len && pattern.ptr[0] == '%';
	bool ends = pattern.len > open && pattern.ptr[pattern.len - 1] == '%';
	struct bytes p = bytes_of(pattern.ptr + open, pattern.len - open - ends);

	if (bytes_is_null(value) || value.len < p.len)
		return false;
	if (open && ends)
		return !p.len || memmem(value.ptr, value.len, p.ptr, p.len);
	if (open)
		return !memcmp(value.ptr + value.len - p.len, p.ptr, p.len);
	return (ends || value.len == p.len) && !memcmp(value.ptr, p.ptr, p.len);
}

/* True if an index of the column compares otherwise than its type does. */
static bool has_folding_index(const struct table *t, const struct column *c)
{
	uint32_t i;

	for (i = 0; i < t->index_count; i++)
		if (&t->columns[t->indexes[i].column] == c &&
		    t->indexes[i].kind != INDEX_COMPOSITES)
			return true;
	return false;
}

int query_matches_values(const struct row_query *q,
			 const struct bytes *values)
{
	uint32_t i, n = 0;
	int has = 1;

	for (i = 0; i < q->terms.count; i++) {
		const struct query_condition *c = &q->conditions[i];
		struct bytes value;

		if (query_is_on_key(c))
			continue;
		value = values[n++];
		if (type_is_multicell(c->column->type))
			return 0;	/* as CQL refuses it */
		if (c->operator == QUERY_LIKE ? is_like(c->value, value) :
						has_value(c, value))
			continue;
		if (bytes_is_null(value) ||
		    !has_folding_index(q->place.table, c->column))
			return 0;
		has = -EAGAIN;
	}
	return has;
}

bool query_matches_key(const struct row_query *q, struct bytes partition_key,
		       const struct bytes *partition_values,
		       const struct bytes *clustering)
{
	uint32_t i;

	for (i = 0; i < q->terms.count; i++) {
		const struct query_condition *c = &q->conditions[i];

		if (!query_is_on_key(c))
			continue;
		if (!c->column ? !has_token(c, murmur3_token(partition_key)) :
		    !has_value(c, c->column->kind == COLUMN_CLUSTERING ?
					  clustering[c->column->position] :
					  partition_values[c->column->position]))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------- range */
/* Put the condition into the bounds of the clustering column at `level`.
 * -EPERM: it is on another column, or that bound is set already. */
static int add_bound(const struct query_condition *c, uint32_t level,
		     struct bytes *low, struct bytes *high)
{
	if (!c->column || c->operator == QUERY_LIKE ||
	    c->column->kind != COLUMN_CLUSTERING ||
	    c->column->position != level)
		return -EPERM;
	if ((!bytes_is_null(c->value) && !bytes_is_null(low[level])) ||
	    (!bytes_is_null(c->end) && !bytes_is_null(high[level])))
		return -EPERM;
	if (!bytes_is_null(c->value))
		low[level] = c->value;
	if (!bytes_is_null(c->end))
		high[level] = c->end;
	return 0;
}

/* Make the bounds of the columns below the place; each condition is used once.
 * *equal: how many columns, from the first on, have one value. */
static int make_bounds(const struct row_query *q, struct bytes *low,
		       struct bytes *high, uint32_t *equal)
{
	const struct table *t = q->place.table;
	uint32_t i, taken = 0, level = q->place.clustering_count;
	bool ranged = false;
	int err = 0;

	for (; level < t->clustering_count && taken < q->terms.count && !ranged;
	     level++) {
		uint32_t before = taken;

		for (i = 0; i < q->terms.count && !err; i++) {
			const struct query_condition *c = &q->conditions[i];

			if (!c->column || c->column->position != level ||
			    c->column->kind != COLUMN_CLUSTERING)
				continue;
			/* A value, and something else of the same column. */
			if (taken > before && (!ranged || c->operator != QUERY_RANGE))
				return -EPERM;
			ranged = c->operator == QUERY_RANGE;
			err = add_bound(c, level, low, high);
			taken++;
		}
		if (taken == before)
			return -EPERM;
		*equal = level + !ranged;
	}
	return err ? err : taken == q->terms.count ? 0 : -EPERM;
}

int query_range(struct op *op, const struct row_query *q,
		struct slice *out)
{
	const struct place *p = &q->place;
	const struct table *t = p->table;
	struct bytes *low = arena_zalloc(&op->arena, t->clustering_count + 1,
					 sizeof(*low));
	struct bytes *high = arena_zalloc(&op->arena, t->clustering_count + 1,
					  sizeof(*high));
	uint32_t i, equal = 0;
	struct bound from, to;

	if (!low || !high)
		return -ENOMEM;
	if (bytes_is_null(p->partition_key) || !q->terms.count ||
	    q->terms.limited || q->terms.descending || q->terms.scan ||
	    !bytes_is_null(q->terms.after) || !bytes_is_null(q->terms.columns))
		return -EPERM;
	for (i = 0; i < p->clustering_count; i++)
		low[i] = p->clustering[i];
	if (make_bounds(q, low, high, &equal))
		return -EPERM;
	for (i = 0; i < equal; i++)
		high[i] = low[i];
	from = (struct bound){ low, equal, true };
	to = (struct bound){ high, equal, true };
	if (equal < t->clustering_count) {
		from.count += !bytes_is_null(low[equal]);
		if (!bytes_is_null(high[equal]))
			to = (struct bound){ high, equal + 1, false };
		if (from.count == to.count && from.count > equal &&
		    type_compare(table_clustering_column(t, equal)->type,
				 low[equal], high[equal]) >= 0)
			return 0;
	}
	if (equal < t->clustering_count &&
	    table_clustering_column(t, equal)->reversed)
		*out = (struct slice){ to, from };
	else
		*out = (struct slice){ from, to };
	return 1;
}
