/* Choose the index for a restriction (store/cql/README.md, "Indexes"). */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/cql/where/filter.h"
#include "store/cql/where/index_choice.h"
#include "store/cql/where/relation.h"
#include "store/cql/where/where.h"
#include "store/index/analyzer.h"

static const char *index_option(const struct index *index, const char *name)
{
	for (uint32_t i = 0; i < index->option_count; i++)
		if (!strcmp(index->options[i].name, name))
			return index->options[i].value;
	return NULL;
}

/* True if SASI treats the values as texts, which have parts but no ranges. */
static bool sasi_is_literal(const struct index *index, const struct type *t)
{
	const char *literal = index_option(index, "is_literal");

	return literal ? !strcasecmp(literal, "true") : kind_is_text(t->kind);
}

static bool sasi_contains(const struct index *index)
{
	const char *mode = index_option(index, "mode");

	return mode && !strcasecmp(mode, "CONTAINS");
}

static bool sasi_supports(const struct index *index, const struct type *t,
			  const struct restriction *r)
{
	switch (r->kind) {
	case RESTRICT_EQ:
		return !index_text_is_cut(index, t);
	case RESTRICT_SLICE:
		return !sasi_is_literal(index, t) && !sasi_contains(index);
	case RESTRICT_LIKE:
		return kind_is_text(t->kind) && sasi_is_literal(index, t);
	default:
		return false;
	}
}

/* Return the first CONTAINS of the restriction that an index on this target
 * finds, or NULL. */
static const struct contained *find_contained(const struct restriction *r,
					      enum index_target target)
{
	const struct contained *c = r->contained;

	for (; c; c = c->next)
		if (target == (c->has_key && c->has_value ? INDEX_ENTRIES :
			       c->has_key ? INDEX_KEYS : INDEX_VALUES))
			break;
	return c;
}

static bool sai_ranges(const struct type *t)
{
	switch (t->kind) {
	case TYPE_TEXT:
	case TYPE_ASCII:
	case TYPE_BOOLEAN:
	case TYPE_UUID:
		return false;
	default:
		return kind_is_native(t->kind);
	}
}

/* Return the column's place in the restriction; column_count: it has none. */
static uint32_t column_place(const struct restriction *r,
			     const struct column *c)
{
	uint32_t i = 0;

	while (i < r->column_count && r->columns[i] != c)
		i++;
	return i;
}

bool index_supports(const struct table *t, const struct index *index,
		    const struct restriction *r)
{
	const struct column *c = &t->columns[index->column];

	if (index->building || column_place(r, c) == r->column_count)
		return false;
	if (index->kind == INDEX_SASI)
		return sasi_supports(index, c->type, r);
	switch (r->kind) {
	case RESTRICT_EQ:
		return index->target == INDEX_SIMPLE ||
		       index->target == INDEX_FULL;
	case RESTRICT_CONTAINS:
		return find_contained(r, index->target);
	case RESTRICT_SLICE:
		return index->kind == INDEX_SAI &&
		       index->target == INDEX_SIMPLE && sai_ranges(c->type);
	default:
		return false;
	}
}

bool index_choice_has(const struct table *t, const struct restriction *r)
{
	for (uint32_t i = 0; i < t->index_count; i++)
		if (index_supports(t, &t->indexes[i], r))
			return true;
	return false;
}

int index_choice_check_vectors(struct execution *x,
			       const struct restrictions *r)
{
	const struct table *t = r->table;
	const struct column *c = r->nearest;
	struct restriction near = { .kind = RESTRICT_EQ, .columns = &c,
				    .column_count = 1 };
	struct restriction *of, *merged;

	if (r->type != STATEMENT_SELECT)
		return 0;
	of = c ? restriction_of(r, c) : NULL;
	if (of)
		return restriction_merge(x, &merged, of, &near);
	for (uint32_t i = 0; i < t->column_count; i++)
		if (r->by_column[i] &&
		    index_choice_of_vector(t, &t->columns[i]))
			return refuse(x, "Vector indexes only support ANN "
					 "queries");
	return 0;
}

int index_choice_check_beside_nearest(struct execution *x,
				      const struct restrictions *r)
{
	const struct table *t = r->table;

	if (!index_choice_of_vector(t, r->nearest))
		return refuse(x, "ANN ordering by vector requires the column "
				 "to be indexed");
	for (uint32_t i = 0; i < t->column_count; i++)
		if (r->by_column[i] && where_is_filtered(r, &t->columns[i]) &&
		    !index_choice_has(t, r->by_column[i]))
			return refuse(x, "ANN ordering by vector requires all "
					 "restricted column(s) to be indexed");
	return 0;
}

/* True for CONTAINS 1 AND CONTAINS 2, of which an index finds only one. */
static bool asks_several(const struct restriction *r)
{
	return r->kind == RESTRICT_CONTAINS && r->contained->next;
}

/* True if every restricted column, also each of a tuple, has an index in the
 * group of `one`: all of SAI's are one group, any other index is alone in its
 * group. */
static bool group_covers(const struct restrictions *r, const struct index *one)
{
	const struct table *t = r->table;

	for (uint32_t i = 0; i < t->column_count; i++) {
		bool served = false;

		if (!r->by_column[i] || !where_is_filtered(r, &t->columns[i]))
			continue;
		for (uint32_t n = 0; n < t->index_count && !served; n++) {
			const struct index *index = &t->indexes[n];

			if (one->kind == INDEX_SAI ? index->kind != INDEX_SAI :
						     index != one)
				continue;
			served = index->column == i &&
				 index_supports(t, index, r->by_column[i]) &&
				 (index->kind == INDEX_SAI ||
				  !asks_several(r->by_column[i]));
		}
		if (!served)
			return false;
	}
	return true;
}

const struct index *index_choice_of_vector(const struct table *t,
					   const struct column *c)
{
	const struct index *found = NULL;

	for (uint32_t i = 0; i < t->index_count; i++)
		if (&t->columns[t->indexes[i].column] == c &&
		    c->type->kind == TYPE_VECTOR && !t->indexes[i].building &&
		    (!found || t->indexes[i].kind == INDEX_SAI))
			found = &t->indexes[i];
	return found;
}

bool index_choice_covers(const struct restrictions *r)
{
	if (r->nearest) {
		const struct index *one = index_choice_of_vector(r->table,
								 r->nearest);

		return one->kind == INDEX_SAI && group_covers(r, one);
	}
	for (uint32_t i = 0; i < r->table->index_count; i++)
		if (group_covers(r, &r->table->indexes[i]))
			return true;
	return false;
}

/* Return the rank of an index for a restriction: SASI before the others, =
 * before ranges. */
static int rank(const struct index *index, const struct restriction *r)
{
	return (index->kind == INDEX_SASI ? 4 : 0) +
	       (r->kind == RESTRICT_EQ	      ? 3 :
		r->kind == RESTRICT_CONTAINS ? 2 : 1);
}

/* True for bounds of several columns: no index has such ranges, they are read
 * as slices. */
static bool is_slice_of_tuple(const struct restriction *r)
{
	return r->multi && r->kind == RESTRICT_SLICE;
}

void index_choice_make(struct restrictions *r)
{
	const struct table *t = r->table;
	int best = 0, one;

	for (uint32_t i = 0; i < t->column_count; i++) {
		for (uint32_t n = 0; r->by_column[i] && n < t->index_count;
		     n++) {
			if (!index_supports(t, &t->indexes[n],
					    r->by_column[i]) ||
			    is_slice_of_tuple(r->by_column[i]))
				continue;
			one = rank(&t->indexes[n], r->by_column[i]);
			if (one <= best)
				continue;
			best = one;
			r->index = &t->indexes[n];
			r->indexed = r->by_column[i];
		}
	}
}

static int like_query(struct execution *x, struct index_query *q,
		      const struct restrictions *r)
{
	static const char *const words[] = {
		[LIKE_MATCH] = "<term>", [LIKE_PREFIX] = "<term>%",
		[LIKE_SUFFIX] = "%<term>", [LIKE_CONTAINS] = "%<term>%",
	};
	const struct restriction *of = r->indexed;
	bool contains = sasi_contains(r->index);

	if ((!contains && (of->like == LIKE_SUFFIX ||
			   of->like == LIKE_CONTAINS)) ||
	    (contains && of->like == LIKE_PREFIX &&
	     index_text_is_cut(r->index, of->columns[0]->type)))
		return refuse(x, "%s LIKE '%s' %s is only supported on "
				 "properly indexed columns",
			      of->columns[0]->name, words[of->like],
			      text_of(x, of->pattern));
	q->operator = of->like == LIKE_MATCH  ? INDEX_EQ :
		      of->like == LIKE_PREFIX ? INDEX_PREFIX :
		      of->like == LIKE_SUFFIX ? INDEX_SUFFIX :
						INDEX_CONTAINS_TEXT;
	q->value = of->pattern;
	return 0;
}

/* The restriction has such a CONTAINS, as the index was chosen for it. */
static void contains_query(struct index_query *q, const struct restrictions *r)
{
	const struct contained *c = find_contained(r->indexed,
						   r->index->target);

	q->value = c->has_value ? c->value : c->key;
	q->key = c->has_key && c->has_value ? c->key : BYTES_NULL;
}

int index_query_make(struct execution *x, struct index_query *q,
		     const struct restrictions *r)
{
	const struct restriction *of = r->indexed;
	size_t length;

	memset(q, 0, sizeof(*q));
	q->index = r->index;
	q->operator = INDEX_EQ;
	switch (of->kind) {
	case RESTRICT_LIKE:
		return like_query(x, q, r);
	case RESTRICT_CONTAINS:
		contains_query(q, r);
		break;
	case RESTRICT_SLICE:
		q->operator = INDEX_RANGE;
		if (of->low.count)
			q->low = of->low.values[0];
		if (of->high.count)
			q->high = of->high.values[0];
		q->low_inclusive = of->low.inclusive;
		q->high_inclusive = of->high.inclusive;
		return 0;
	default:
		q->value = of->values[column_place(of,
				&r->table->columns[r->index->column])];
	}
	length = q->value.len;
	if (!bytes_is_null(q->key))
		length += q->key.len + 6;	/* as in a composite key */
	if (q->index->kind == INDEX_COMPOSITES && length > 65535)
		return refuse(x, "Index expression values may not be larger "
				 "than 64K");
	return 0;
}
