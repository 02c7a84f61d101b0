/*
 * Make a plan of reads from restrictions: keys of partitions, slices of rows,
 * tokens. Here the values themselves are checked: null, empty and oversized
 * ones.
 */
#include "store/cql/where/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/murmur3.h"
#include "store/base/watch.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/cql/where/relation.h"
#include "store/cql/where/where.h"
#include "store/type/compare.h"

#define KEY_MAX 65535
/* How many partitions or rows one statement may name. */
#define PRODUCT_MAX (1u << 24)

/* ------------------------------------------------------------- partitions */
/* Compare partition keys by the types of the table, for qsort_r. */
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

int plan_product(struct execution *x, const struct restrictions *r,
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

int plan_check_nulls(struct execution *x, const struct restrictions *r,
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
 * begins wraps around: it has the tokens before its end or after its beginning.
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

/* Keep those of the keys whose token satisfies the WHERE too. */
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
		if (!t || has_token(t, murmur3_token(keys[i])))
			keys[(*count)++] = keys[i];
	return err;
}

int plan_partitions(struct execution *x, const struct restrictions *r,
		    struct bytes **keys, size_t *count)
{
	const struct table *t = r->table;
	struct bytes **rows;
	size_t total, kept = 0;
	int err = plan_check_nulls(x, r, 0, t->partition_key_count);

	if (!err)
		err = plan_product(x, r, 0, t->partition_key_count,
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
			err = execution_keep_scratch(x, &(*keys)[kept]);
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
	err = plan_check_nulls(x, r, keys, given);
	if (!err)
		err = plan_product(x, r, keys, given, t->clustering_count, rows,
			      count);
	if (!err)
		*count = drop_equal(t, *rows, *count);
	for (size_t i = 0; !err && i < *count; i++)
		err = check_clustering_size(x, (*rows)[i],
					    t->clustering_count);
	return err;
}
