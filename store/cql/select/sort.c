/*
 * Results that are sorted when all are read: the groups of several partitions
 * under ORDER BY, the rows of very many partitions under ORDER BY, and the rows
 * of ANN OF, whose vectors are nearest to one; for these each row that passes
 * the WHERE is read. At most as many as the LIMIT are kept, and at most
 * SORTED_MOST.
 */
#include "store/cql/select/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/cql/expression/row_evaluate.h"
#include "store/cql/select/row_source.h"
#include "store/cql/select/select.h"
#include "store/cql/statement/refuse.h"
#include "store/index/refuse.h"
#include "store/schema/options.h"

#define SORTED_MOST ((size_t)256 << 20)	/* bytes */
/* Rows of more partitions are sorted; of fewer their cursors are merged. */
#define MERGED_MOST 1000

bool sort_applies(const struct select_state *s)
{
	if (s->nearest)
		return true;
	if (!s->order_count || s->query.partition_count <= 1)
		return false;
	return s->group.active ? !s->group.whole :
				 s->query.partition_count > MERGED_MOST;
}

/* ----------------------------------------------------------------- nearness */
static double element(struct bytes vector, uint32_t i)
{
	uint32_t bits = get_be32(vector.ptr + 4 * (size_t)i);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Compute the score, larger if nearer; false: the row cannot be compared. */
static bool score_of(const struct select_state *s, struct bytes vector,
		     double *score)
{
	uint32_t n = s->nearest->type->dimension;
	double dot = 0, length = 0, distance = 0, a, b;

	if (bytes_is_null(vector) || vector.len < 4 * (size_t)n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		a = element(vector, i);
		b = element(s->near_to, i);
		dot += a * b;
		length += a * a;
		distance += (a - b) * (a - b);
	}
	switch (s->similarity) {
	case NEAR_EUCLIDEAN:
		*score = -distance;
		break;
	case NEAR_DOT_PRODUCT:
		*score = dot;
		break;
	case NEAR_COSINE:
		*score = dot / sqrt(length);	/* of zeros: no number */
	}
	return !isnan(*score);
}

int sort_nearest_init(struct select_state *s, const struct index *index)
{
	const char *name = options_find(index->options, index->option_count,
					"similarity_function");
	struct buf why = BUF_INIT;
	int err = 0;

	s->similarity = !name || !strcasecmp(name, "cosine") ? NEAR_COSINE :
			!strcasecmp(name, "euclidean") ? NEAR_EUCLIDEAN :
							 NEAR_DOT_PRODUCT;
	if (bytes_is_null(s->near_to))
		return refuse(s->x, "Unsupported null value for column %s",
			      s->nearest->name);
	index_refuses_vector(&why, index, s->near_to);
	if (why.failed)
		err = -ENOMEM;
	else if (why.len)
		err = refuse_as(s->x, CQL_READ_FAILURE, "%s", buf_cstr(&why));
	buf_release(&why);
	return err;
}

/* ------------------------------------------------------------------ sorting */
static int compare(const void *left, const void *right, void *context)
{
	const struct sorted_result *a = left, *b = right;
	const struct select_state *s = context;
	int order = (a->score < b->score) - (a->score > b->score);

	for (uint32_t i = 0; a->keys && i < s->order_count && !order; i++)
		order = row_source_compare(s, i, a->keys[i], b->keys[i]);
	return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int make_room(struct sorted_results *all)
{
	struct sorted_result *bigger = array_grow(all->items, all->count,
						  sizeof(*bigger), &all->room);

	if (!bigger)
		return -ENOMEM;
	all->items = bigger;
	return 0;
}

static int copy_keys(struct select_state *s, struct sorted_result *one)
{
	struct row_values *row = s->group.active ? &s->group.first :
							 &s->row;
	struct arena *arena = &s->sorted.arena;
	struct bytes value;
	int err = 0;

	one->keys = arena_zalloc(arena, s->order_count, sizeof(*one->keys));
	if (!one->keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->order_count && !err; i++) {
		err = row_value(s->x, row, s->orders[i], &value);
		one->keys[i] = arena_copy(arena, value);
	}
	return err;
}

static int copy_values(struct bytes **copy, struct arena *arena,
		       const struct bytes *values, uint32_t count)
{
	*copy = arena_zalloc(arena, count, sizeof(**copy));
	for (uint32_t i = 0; i < count && *copy; i++)
		(*copy)[i] = arena_copy(arena, values[i]);
	return arena->failed ? -ENOMEM : 0;
}

/* When there are twice as many as wanted, copy the first half to other memory
 * and drop the rest. */
static int drop_far(struct select_state *s)
{
	struct sorted_results *all = &s->sorted;
	struct arena kept = ARENA_INIT;
	int err = 0;

	if (!s->limit || all->count / 2 < s->limit)
		return 0;
	qsort_r(all->items, all->count, sizeof(*all->items), compare, s);
	all->count = s->limit;
	all->worst = all->items[all->count - 1].score;
	all->full = true;
	kept.limit = all->arena.limit;
	for (size_t i = 0; i < all->count && !err; i++) {
		struct sorted_result *one = &all->items[i];

		err = copy_values(&one->values, &kept, one->values,
				  s->selectors.count);
		if (!err && one->keys)
			err = copy_values(&one->keys, &kept, one->keys,
					  s->order_count);
	}
	arena_release(&all->arena);
	all->arena = kept;
	return err;
}

/* Copy the present result, after the others. */
static int keep(struct select_state *s)
{
	struct sorted_results *all = &s->sorted;
	struct sorted_result *one;
	struct bytes vector;
	double score = 0;
	int err;

	if (s->nearest) {
		err = row_value(s->x, &s->row, s->nearest, &vector);
		if (err || !score_of(s, vector, &score) ||
		    (all->full && score <= all->worst))
			return err;
	}
	err = make_room(all);
	if (err)
		return err;
	one = &all->items[all->count++];
	*one = (struct sorted_result){ .score = score, .place = all->places++ };
	all->arena.limit = SORTED_MOST;
	err = copy_values(&one->values, &all->arena, s->values,
			  s->selectors.count);
	if (!err && !s->nearest)
		err = copy_keys(s, one);
	if (all->arena.failed && all->arena.total > SORTED_MOST / 2)
		return refuse_as(s->x, CQL_READ_FAILURE, "More than %zu MiB of "
				 "rows to sort: name fewer partitions, or add a "
				 "LIMIT", SORTED_MOST >> 20);
	return err ? err : drop_far(s);
}

int sort_next(struct select_state *s)
{
	struct sorted_results *all = &s->sorted;
	int more;

	while (!all->ready) {
		more = select_values(s);
		if (more > 0)
			more = keep(s);
		else if (!more)
			all->ready = true;
		if (more < 0)
			return more;
	}
	if (!all->given && all->count)
		qsort_r(all->items, all->count, sizeof(*all->items), compare,
			s);
	if (all->given == all->count)
		return 0;
	memcpy(s->values, all->items[all->given++].values,
	       s->selectors.count * sizeof(*s->values));
	return 1;
}

void sort_release(struct select_state *s)
{
	arena_release(&s->sorted.arena);
	mem_free(s->sorted.items);
}
