/*
 * Make a plan of reads from restrictions: keys of partitions, slices of rows,
 * tokens. Here the values themselves are checked: null, empty and oversized
 * ones.
 */
#include "store/cql/where/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/watch.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/session.h"
#include "store/cql/statement/text.h"
#include "store/cql/where/relation.h"
#include "store/cql/where/where.h"
#include "store/type/compare.h"

#define KEY_MAX 65535
/* Most partitions or rows that one statement may name. */
#define PRODUCT_MAX (1u << 24)

/* ------------------------------------------------------------- partitions */
/* Sorting needs the table; qsort_r passes it on. */
static int compare_keys(const void *a, const void *b, void *table)
{
	const struct bytes *va = *(struct bytes *const *)a;
	const struct bytes *vb = *(struct bytes *const *)b;
	const struct table *t = table;
	int order = 0;

	for (uint32_t i = 0; i < t->partition_key_count && !order; i++)
		order = type_compare(t->columns[i].type, va[i], vb[i]);
	return order;
}

static int check_size(struct execution *x, size_t size)
{
	if (size <= KEY_MAX)
		return 0;
	return refuse(x, "Key length of %zu is longer than maximum of 65535",
		      size);
}

/* Check the length of a key that is written. */
static int check_clustering_size(struct execution *x,
				 const struct bytes *values, uint32_t count)
{
	size_t size = 0;

	for (uint32_t i = 0; i < count; i++)
		size += values[i].len;
	return check_size(x, size);
}

int plan_check_partitions(struct execution *x, const struct table *t,
			  const struct bytes *keys, size_t count)
{
	size_t around = t->partition_key_count > 1 ?
				3 * (size_t)t->partition_key_count : 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		if (!keys[i].len)
			return refuse(x, "Key may not be empty");
		/* Check the values alone, then with the bytes that a composite
		 * adds. */
		err = check_size(x, keys[i].len - around);
		if (!err)
			err = check_size(x, keys[i].len);
	}
	return err;
}

/*
 * Make all combinations of the values of `count` columns from `first` on:
 * arrays of `width` values, null after those. A tuple sets its columns
 * together.
 */
static int product(struct execution *x, const struct restrictions *r,
		   uint32_t first, uint32_t count, uint32_t width,
		   struct bytes ***rows, size_t *row_count)
{
	size_t total = 1, made = 1;
	struct bytes *flat;
	const struct restriction *of, *before = NULL;
	uint32_t i;

	for (i = 0; i < count; i++) {
		of = r->by_column[first + i];
		if (of != before)
			total *= of->value_count;
		before = of;
		if (total > PRODUCT_MAX)
			return refuse(x, "too many combinations of IN");
	}
	*row_count = total;
	*rows = arena_zalloc(x->arena, total + 1, sizeof(**rows));
	flat = arena_zalloc(x->arena, total * width + 1, sizeof(*flat));
	if (!*rows || !flat)
		return -ENOMEM;
	for (size_t n = 0; n < total; n++)
		(*rows)[n] = flat + n * width;
	for (i = 0; i < count; i += of->column_count) {
		of = r->by_column[first + i];
		made *= of->value_count;
		for (size_t n = 0; n < total; n++) {
			size_t one = n / (total / made) % of->value_count;

			memcpy(&(*rows)[n][i],
			       &of->values[one * of->column_count],
			       of->column_count * sizeof(*flat));
		}
	}
	return 0;
}

static int refuse_null(struct execution *x, const struct restriction *of,
		       const struct column *c)
{
	struct buf names = BUF_INIT;

	if (!of->multi)
		return refuse(x, "Invalid null value in condition for column "
				 "%s", c->name);
	if (of->kind != RESTRICT_IN)
		return refuse(x, "Invalid null value for column %s", c->name);
	for (uint32_t i = 0; i < of->column_count; i++)
		buf_add_format(&names, "%s%s", i ? ", " : "",
			       of->columns[i]->name);
	return refuse(x, "Invalid null value in condition for columns: [%s]",
		      text_of_buf(x, &names));
}

/* After an empty IN nothing is checked any more. */
static int check_nulls(struct execution *x, const struct restrictions *r,
		       uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		struct restriction *of = r->by_column[i];
		int err;

		if (!of || of->kind == RESTRICT_SLICE)
			continue;
		if (!of->value_count)
			return 0;
		if (of->unset)
			return refuse(x, "Invalid unset value for column %s",
				      of->columns[0]->name);
		err = restriction_bind(x, of);
		if (err)
			return err;
		for (size_t n = 0; n < of->value_count * of->column_count; n++)
			if (bytes_is_null(of->values[n]))
				return refuse_null(x, of,
					of->columns[n % of->column_count]);
	}
	return 0;
}

/* ----------------------------------------------------------------- tokens */
static int64_t token_of(struct bytes value)
{
	return (int64_t)get_be64(value.ptr);
}

static int check_token(struct execution *x, struct bytes value)
{
	return bytes_is_null(value) || value.len < 8 ?
		       refuse(x, "Invalid null token value") : 0;
}

/*
 * True if a token is within the bounds of a restriction whose partition keys
 * are given too. Here every token is a value, and a range that ends before it
 * begins wraps around: it has the tokens before its end or after its begin.
 */
static bool has_token(const struct restriction *t, int64_t token)
{
	int64_t low, high;
	bool above, below;

	if (t->kind == RESTRICT_EQ)
		return token == token_of(*t->values);
	low = t->low.count ? token_of(*t->low.values) : 0;
	high = t->high.count ? token_of(*t->high.values) : 0;
	above = !t->low.count || token > low ||
		(token == low && t->low.inclusive);
	below = !t->high.count || token < high ||
		(token == high && t->high.inclusive);
	return t->low.count && t->high.count && low > high ? above || below :
							     above && below;
}

/* Keep the keys whose token the WHERE wants too. */
static int keep_tokens(struct execution *x, const struct restrictions *r,
		       struct bytes *keys, size_t total, size_t *count)
{
	struct restriction *t = r->token;
	int err = t ? restriction_bind(x, t) : 0;

	if (t && t->kind == RESTRICT_EQ && !err)
		err = check_token(x, *t->values);
	if (t && t->low.count && !err)
		err = check_token(x, *t->low.values);
	if (t && t->high.count && !err)
		err = check_token(x, *t->high.values);
	for (size_t i = 0; i < total && !err; i++)
		if (!t || has_token(t, table_token(keys[i])))
			keys[(*count)++] = keys[i];
	return err;
}

int plan_partitions(struct execution *x, const struct restrictions *r,
		    struct bytes **keys, size_t *count)
{
	const struct table *t = r->table;
	struct bytes **rows;
	size_t total, kept = 0;
	int err = check_nulls(x, r, 0, t->partition_key_count);

	if (!err)
		err = product(x, r, 0, t->partition_key_count,
			      t->partition_key_count, &rows, &total);
	if (err)
		return err;
	*keys = arena_zalloc(x->arena, total + 1, sizeof(**keys));
	if (!*keys)
		return -ENOMEM;
	*count = 0;
	if (total > 1)
		qsort_r(rows, total, sizeof(*rows), compare_keys, (void *)t);
	for (size_t i = 0; i < total; i++) {
		if (i && !compare_keys(&rows[i], &rows[i - 1], (void *)t))
			continue;
		buf_clear(&x->scratch);
		table_partition_key(&x->scratch, t, rows[i]);
		err = watch_step();
		if (!err)
			err = session_keep_scratch(x, &(*keys)[kept]);
		if (err)
			return err;
		kept++;
	}
	return keep_tokens(x, r, *keys, kept, count);
}

int plan_tokens(struct execution *x, const struct restrictions *r,
		int64_t *from, int64_t *to, bool *nothing)
{
	struct restriction *t = r->token;
	int64_t n;
	int err;

	*from = INT64_MIN;
	*to = INT64_MAX;
	*nothing = false;
	err = t ? restriction_bind(x, t) : 0;
	if (!t || err)
		return err;
	for (size_t i = 0; i < 3; i++) {
		const struct bytes *v = i == 0 ? t->low.values :
					i == 1 ? t->high.values :
					t->kind == RESTRICT_EQ ? t->values :
								 NULL;
		if (!v)
			continue;
		err = check_token(x, *v);
		if (err)
			return err;
		n = token_of(*v);
		/* The smallest token means no bound. */
		if (n == INT64_MIN)
			continue;
		if (i != 1 && (i == 2 || t->low.inclusive || n < INT64_MAX))
			*from = n + (i == 0 && !t->low.inclusive);
		else if (i == 0)
			*nothing = true;
		if (i != 0)
			*to = n - (i == 1 && !t->high.inclusive);
	}
	*nothing = *nothing || *from > *to;
	return 0;
}

/* ----------------------------------------------------------------- slices */
/* An end of a slice as a position: before or after all rows of a prefix. */
struct position {
	const struct bytes *values;
	uint32_t count;
	bool after;
};

static struct position position_of(const struct bound *b, bool is_end)
{
	return (struct position){ b->values, b->count,
				  is_end == b->inclusive || (!b->count &&
							     is_end) };
}

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
	struct position p = position_of(&s->start, false);

	p.after = s->start.count && !s->start.inclusive;
	return p;
}

static struct position slice_end(const struct slice *s)
{
	struct position p = position_of(&s->end, true);

	p.after = !s->end.count || s->end.inclusive;
	return p;
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

/* Intersect two lists of slices. */
static int intersect(struct execution *x, const struct table *t,
		     const struct side *a, const struct side *b,
		     struct slice *out, size_t *count)
{
	(void)x;
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
	return 0;
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
	return err ? err : intersect(x, t, &sides[0], &sides[1], out, count);
}

/* Check for null bounds. A null bound lies before all rows: where the column
 * has DESC, c > null matches no row, c < null is no bound; else the other way
 * round. */
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
	err = check_nulls(x, r, keys, fixed);
	if (!err && last)
		err = restriction_bind(x, last);
	if (!err && last) {
		copy = *last;
		last = &copy;
		err = check_bounds(x, last, nothing);
		each = (size_t)(last->low.count + 1) * (last->high.count + 1);
	}
	if (!err)
		err = product(x, r, keys, fixed, fixed, &rows, &total);
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

/* ------------------------------------------------------------------- rows */
int plan_compare_clusterings(const struct table *t, const struct bytes *a,
			     const struct bytes *b)
{
	int order = 0;

	for (uint32_t i = 0; i < t->clustering_count && !order; i++) {
		const struct column *c = table_clustering_column(t, i);

		order = type_compare(c->type, a[i], b[i]);
		if (c->reversed)
			order = -order;
	}
	return order;
}

static int compare_rows(const void *a, const void *b, void *table)
{
	return plan_compare_clusterings(table, *(struct bytes *const *)a,
					*(struct bytes *const *)b);
}

/* Sort in the table's order; a row that IN names twice is kept once. */
static size_t drop_equal(const struct table *t, struct bytes **rows,
			 size_t count)
{
	size_t kept = 0;

	if (count < 2)
		return count;
	qsort_r(rows, count, sizeof(*rows), compare_rows, (void *)t);
	for (size_t i = 0; i < count; i++)
		if (!kept || compare_rows(&rows[i], &rows[kept - 1], (void *)t))
			rows[kept++] = rows[i];
	return kept;
}

int plan_rows(struct execution *x, const struct restrictions *r,
	      struct bytes ***rows, size_t *count)
{
	const struct table *t = r->table;
	uint32_t keys = t->partition_key_count, given = 0;
	int err;

	while (given < t->clustering_count && r->by_column[keys + given])
		given++;
	err = check_nulls(x, r, keys, given);
	if (!err)
		err = product(x, r, keys, given, t->clustering_count, rows,
			      count);
	if (!err)
		*count = drop_equal(t, *rows, *count);
	for (size_t i = 0; !err && i < *count; i++)
		err = check_clustering_size(x, (*rows)[i],
					    t->clustering_count);
	return err;
}
