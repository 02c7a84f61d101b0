/* The slices of rows that restrictions of clustering columns leave. */
#include "store/cql/where/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "store/cql/statement/refuse.h"
#include "store/cql/where/relation.h"
#include "store/cql/where/where.h"
#include "store/type/compare.h"

/* An end of a slice as a position: before, or after, all rows with a prefix. */
struct position {
	const struct bytes *values;
	uint32_t count;
	bool after;
};

static int compare_positions(const struct table *t, struct position a,
			     struct position b)
{
	uint32_t i, common = a.count < b.count ? a.count : b.count;
	int order;

	for (i = 0; i < common; i++) {
		const struct column *c = table_clustering_column(t, i);

		order = type_compare(c->type, a.values[i], b.values[i]);
		if (order)
			return c->reversed ? -order : order;
	}
	if (a.count == b.count)
		return (int)a.after - (int)b.after;
	if (a.count < b.count)
		return a.after ? 1 : -1;
	return b.after ? -1 : 1;
}

static struct position slice_start(const struct slice *s)
{
	return (struct position){ s->start.values, s->start.count,
				  s->start.count && !s->start.inclusive };
}

static struct position slice_end(const struct slice *s)
{
	return (struct position){ s->end.values, s->end.count,
				  !s->end.count || s->end.inclusive };
}

static int compare_slices(const void *a, const void *b, void *table)
{
	return compare_positions(table, slice_start(a), slice_start(b));
}

/* Sort them, drop empty ones, join those that overlap. */
static size_t tidy(const struct table *t, struct slice *slices, size_t count)
{
	size_t kept = 0;

	if (count > 1)
		qsort_r(slices, count, sizeof(*slices), compare_slices,
			(void *)t);
	for (size_t i = 0; i < count; i++) {
		struct slice *last = kept ? &slices[kept - 1] : NULL;

		if (compare_positions(t, slice_start(&slices[i]),
				      slice_end(&slices[i])) >= 0)
			continue;
		if (last && compare_positions(t, slice_start(&slices[i]),
					      slice_end(last)) < 0) {
			if (compare_positions(t, slice_end(&slices[i]),
					      slice_end(last)) > 0)
				last->end = slices[i].end;
			continue;
		}
		slices[kept++] = slices[i];
	}
	return kept;
}

/* One side of a slice on columns from `first` on, as slices within a prefix:
 * one, or with mixed directions one for each column. */
struct side {
	struct slice slices[64];
	uint32_t count;
};

static const struct bytes *joined(struct execution *x,
				  const struct bytes *prefix, uint32_t first,
				  const struct bytes *values, uint32_t count)
{
	struct bytes *all = arena_alloc(x->arena, (first + count + 1) *
							  sizeof(*all));

	if (!all)
		return NULL;
	memcpy(all, prefix, first * sizeof(*all));
	memcpy(all + first, values, count * sizeof(*all));
	return all;
}

/* Add c > v (low) or c < v after a prefix of count - 1 values. */
static void add_side(struct side *side, const struct table *t,
		     const struct bytes *values, uint32_t count, bool low,
		     bool inclusive)
{
	struct slice *s = &side->slices[side->count++];
	bool reversed = table_clustering_column(t, count - 1)->reversed;
	struct bound near = { values, count, inclusive };
	struct bound far = { values, count - 1, true };

	s->start = low != reversed ? near : far;
	s->end = low != reversed ? far : near;
}

static int make_side(struct execution *x, struct side *side,
		     const struct table *t, const struct bytes *prefix,
		     uint32_t first, const struct restriction_bound *b,
		     bool low)
{
	const struct bytes *values = joined(x, prefix, first, b->values,
					    b->count);
	bool same = true;
	uint32_t i;

	side->count = 0;
	if (!values)
		return -ENOMEM;
	if (b->count > ARRAY_SIZE(side->slices))
		return refuse(x, "too many columns in a tuple");
	for (i = 1; i < b->count; i++)
		same = same &&
		       table_clustering_column(t, first + i)->reversed ==
		       table_clustering_column(t, first)->reversed;
	if (!b->count || same) {
		add_side(side, t, values, first + b->count, low, b->inclusive);
		if (b->count) {
			struct slice *s = &side->slices[0];

			/* the far end fixes only the prefix */
			if (s->start.count == first + b->count)
				s->end.count = first;
			else
				s->start.count = first;
		}
		return 0;
	}
	/* (a, b) > (1, 2): a = 1 and b > 2, or a > 1 */
	for (i = 0; i < b->count; i++)
		add_side(side, t, values, first + i + 1, low,
			 b->inclusive && i == b->count - 1);
	return 0;
}

/* Append the intersections of two lists of slices; they may be empty. */
static void intersect(const struct table *t, const struct side *a,
		      const struct side *b, struct slice *out, size_t *count)
{
	for (uint32_t i = 0; i < a->count; i++) {
		for (uint32_t j = 0; j < b->count; j++) {
			const struct slice *p = &a->slices[i];
			const struct slice *q = &b->slices[j];
			struct slice *s = &out[(*count)++];

			*s = *p;
			if (compare_positions(t, slice_start(q),
					      slice_start(p)) > 0)
				s->start = q->start;
			if (compare_positions(t, slice_end(q),
					      slice_end(p)) < 0)
				s->end = q->end;
		}
	}
}

/* Add the slice at the end of a WHERE, after one prefix. */
static int add_slice(struct execution *x, const struct table *t,
		     const struct restriction *last,
		     const struct bytes *prefix, uint32_t first,
		     struct slice *out, size_t *count)
{
	struct side *sides = arena_zalloc(x->arena, 2, sizeof(*sides));
	struct slice *whole;
	int err = sides ? 0 : -ENOMEM;

	for (int i = 0; i < 2 && !err; i++) {
		const struct restriction_bound *b = i ? &last->high :
							&last->low;

		if (b->count) {
			err = make_side(x, &sides[i], t, prefix, first, b, !i);
			continue;
		}
		whole = &sides[i].slices[0];
		whole->start = (struct bound){ prefix, first, true };
		whole->end = (struct bound){ prefix, first, true };
		sides[i].count = 1;
	}
	if (!err)
		intersect(t, &sides[0], &sides[1], out, count);
	return err;
}

/* Check for null bounds. A null bound lies before all rows in the table's
 * order: of a column with DESC, c > null matches no row, and c < null is no
 * bound; without DESC it is the other way round. */
static int check_bounds(struct execution *x, struct restriction *last,
			bool *nothing)
{
	for (int i = 0; i < 2; i++) {
		struct restriction_bound *b = i ? &last->high : &last->low;

		for (uint32_t n = 0; n < b->count; n++) {
			if (!bytes_is_null(b->values[n]))
				continue;
			if (last->multi)
				return refuse(x, "Invalid null value in "
						 "condition for column %s",
					      last->columns[n]->name);
			b->count = 0;
			*nothing = *nothing || last->columns[n]->reversed != i;
		}
	}
	return 0;
}

int plan_slices(struct execution *x, const struct restrictions *r,
		struct slice **slices, size_t *count, bool *nothing)
{
	const struct table *t = r->table;
	uint32_t keys = t->partition_key_count, fixed = 0, i;
	struct restriction *last = NULL, copy;
	struct bytes **rows;
	size_t total, made = 0, each = 1;
	int err;

	*count = 0;
	*nothing = false;
	for (i = 0; i < t->clustering_count; i += last->column_count) {
		last = r->by_column[keys + i];
		if (!last || last->columns[0]->position != i ||
		    (last->kind != RESTRICT_EQ && last->kind != RESTRICT_IN))
			break;
		fixed = i + last->column_count;
	}
	last = fixed < t->clustering_count ? r->by_column[keys + fixed] : NULL;
	if (last && (last->kind != RESTRICT_SLICE ||
		     last->columns[0]->position != fixed))
		last = NULL;
	if (!fixed && !last)
		return 0;
	err = plan_check_nulls(x, r, keys, fixed);
	if (!err && last)
		err = restriction_bind(x, last);
	if (!err && last) {
		copy = *last;
		last = &copy;
		err = check_bounds(x, last, nothing);
		each = (size_t)(last->low.count + 1) * (last->high.count + 1);
	}
	if (!err)
		err = plan_product(x, r, keys, fixed, fixed, &rows, &total);
	if (err)
		return err;
	*slices = arena_zalloc(x->arena, total * each + 1, sizeof(**slices));
	if (!*slices)
		return -ENOMEM;
	for (size_t n = 0; n < total && !err; n++) {
		struct bound whole = { rows[n], fixed, true };

		if (last)
			err = add_slice(x, t, last, rows[n], fixed, *slices,
					&made);
		else
			(*slices)[made++] = (struct slice){ whole, whole };
	}
	if (err)
		return err;
	*count = tidy(t, *slices, made);
	*nothing = *nothing || !*count;
	return 0;
}
