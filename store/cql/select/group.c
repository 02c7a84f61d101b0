/*
 * Groups: rows come in the order of their keys, so a group ends where the key
 * changes. Of each only its first row and its accumulators are kept.
 */
#include "store/cql/select/group.h"

#include <errno.h>

#include "store/cql/expression/overload.h"
#include "store/cql/expression/row_evaluate.h"
#include "store/cql/select/evaluate.h"
#include "store/cql/select/select.h"
#include "store/type/compare.h"

int group_init(struct select_state *s)
{
	struct grouping *g = &s->group;
	uint32_t count = s->selectors.aggregate_count;

	g->arena = ARENA_INIT;
	g->partition = BUF_INIT;
	g->limited = BUF_INIT;
	g->function_value = BUF_INIT;
	g->accumulators = arena_zalloc(s->x->arena, count + 1,
				       sizeof(*g->accumulators));
	return g->accumulators ? 0 : -ENOMEM;
}

static void release_accumulators(struct select_state *s)
{
	for (uint32_t i = 0; s->group.accumulators &&
			     i < s->selectors.aggregate_count; i++)
		accumulator_release(&s->group.accumulators[i]);
}

void group_release(struct select_state *s)
{
	release_accumulators(s);
	arena_release(&s->group.arena);
	buf_release(&s->group.partition);
	buf_release(&s->group.limited);
	buf_release(&s->group.function_value);
}

static void begin_accumulators(struct select_state *s)
{
	release_accumulators(s);
	for (uint32_t i = 0; i < s->selectors.aggregate_count; i++) {
		const struct expression *e = s->selectors.aggregates[i];

		accumulator_init(&s->group.accumulators[i],
				 e->function->aggregate,
				 e->arg_count ? e->args[0]->type : e->type);
	}
}

static int begin(struct select_state *s, const struct row_view *view,
		 struct bytes function_value)
{
	struct grouping *g = &s->group;

	arena_clear(&g->arena);
	begin_accumulators(s);
	buf_clear(&g->partition);
	buf_clear(&g->function_value);
	if (view)
		buf_add_bytes(&g->partition, view->partition_key);
	g->function_null = bytes_is_null(function_value);
	buf_add_bytes(&g->function_value, function_value);
	if (g->partition.failed || g->function_value.failed)
		return -ENOMEM;
	return row_values_copy(s->x, &g->arena, &g->first, &s->row);
}

static int add_row(struct select_state *s)
{
	struct bytes value;
	int err = 0;

	for (uint32_t i = 0; i < s->selectors.aggregate_count && !err; i++) {
		const struct expression *e = s->selectors.aggregates[i];

		value = BYTES_NULL;
		if (e->arg_count)
			err = evaluate_expression(s->x, e->args[0], &s->row,
						  NULL, &value);
		if (!err)
			err = accumulator_add(s->x, &s->group.accumulators[i],
					      value);
	}
	return err;
}

/* True if the row belongs to the open group. */
static bool is_same(struct select_state *s, const struct row_view *view,
		    struct bytes function_value)
{
	const struct grouping *g = &s->group;
	const struct table *t = s->table;
	uint32_t compared = g->prefix - (g->function ? 1 : 0);

	if (g->whole)
		return true;
	if (!bytes_equal(buf_bytes(&g->partition), view->partition_key))
		return false;
	for (uint32_t i = 0; i < compared; i++) {
		const struct column *c = table_clustering_column(t, i);
		uint32_t place = t->partition_key_count + i;

		if (type_compare(c->type, g->first.values[place],
				 s->row.values[place]))
			return false;
	}
	if (!g->function)
		return true;
	if (g->function_null || bytes_is_null(function_value))
		return g->function_null && bytes_is_null(function_value);
	return bytes_equal(buf_bytes(&g->function_value), function_value);
}

/* Compute the function of GROUP BY for the present row; null without one. */
static int group_value(struct select_state *s, struct bytes *value)
{
	*value = BYTES_NULL;
	return s->group.function ?
		evaluate_expression(s->x, s->group.function, &s->row, NULL,
				    value) : 0;
}

/* Add a row to the open group, or begin a new one with it. */
static int take(struct select_state *s, bool open, struct bytes value)
{
	int err = open ? 0 : begin(s, &s->group.view, value);

	return err ? err : add_row(s);
}

/* Return the next group. The row that ends a group is read already: it is kept
 * to begin the next. */
int group_next(struct select_state *s)
{
	struct grouping *g = &s->group;
	struct bytes value;
	bool open = false;
	int more;

	if (g->ended)
		return 0;
	for (;; open = true) {
		if (!g->waiting) {
			more = select_row(s, &g->view);
			if (more < 0)
				return more;
			if (!more)
				break;
		} else {
			row_values_set(&s->row, &g->view);
		}
		g->waiting = false;
		more = group_value(s, &value);
		if (more)
			return more;
		if (open && !is_same(s, &g->view, value)) {
			g->waiting = true;
			return 1;
		}
		more = take(s, open, value);
		if (more)
			return more;
	}
	g->ended = true;
	if (open || !g->whole)
		return open;
	/* Aggregates of no row at all give one row. */
	row_values_set(&s->row, NULL);
	more = begin(s, NULL, BYTES_NULL);
	return more ? more : 1;
}
