#include <errno.h>

#include "store/cql/expression/overload.h"
#include "store/cql/expression/selectable.h"
#include "store/cql/select/check.h"
#include "store/cql/select/select.h"
#include "store/cql/select/selector.h"
#include "store/cql/select/sort.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/parse.h"
#include "store/cql/where/index_choice.h"

#define NEAREST_MAX 1000

/* ------------------------------------------------------------ DISTINCT */
bool select_has_static_shape(const struct table *t)
{
	return (t->flags & TABLE_COMPACT) && !t->clustering_count;
}

static bool is_of_rows(const struct column *c)
{
	return c->kind != COLUMN_PARTITION_KEY && c->kind != COLUMN_STATIC;
}

/* Return the first selected column that is not of a partition as a whole, or
 * NULL. Rows of several partitions are sorted by columns that the result has
 * too. */
static const struct column *first_of_rows(const struct select_state *s)
{
	const struct selectors *of = &s->selectors;
	uint32_t i;

	for (i = 0; i < of->found_count; i++)
		if (is_of_rows(of->found[i]))
			return of->found[i];
	for (i = 0; i < s->select->ordering_count &&
		    where_partition_is_in(&s->where); i++)
		if (is_of_rows(s->orders[i]))
			return s->orders[i];
	return NULL;
}

int check_distinct(struct select_state *s)
{
	const struct table *t = s->table;
	struct execution *x = s->x;
	const struct column *c;

	if (!s->select->distinct)
		return 0;
	if (s->select->per_partition_limit)
		return refuse(x, "PER PARTITION LIMIT is not allowed with "
				 "SELECT DISTINCT queries");
	if (s->nearest || where_restricts_clustering(&s->where) ||
	    (!select_has_static_shape(t) &&
	     where_restricts_others(&s->where, false)))
		return refuse(x, "SELECT DISTINCT with WHERE clause only "
				 "supports restriction by partition key and/or "
				 "static columns.");
	c = first_of_rows(s);
	if (s->selectors.row_times)
		return refuse(x, "SELECT DISTINCT queries must only request "
				 "partition key columns and/or static columns "
				 "(not the time of a row)");
	if (c && !select_has_static_shape(t))
		return refuse(x, "SELECT DISTINCT queries must only request "
				 "partition key columns and/or static columns "
				 "(not %s)", c->name);
	for (uint32_t i = 0; s->where.key_range && i < t->partition_key_count;
	     i++)
		if (!s->selectors.selected[i])
			return refuse(x, "SELECT DISTINCT queries must request "
					 "all the partition key columns "
					 "(missing %s)", t->columns[i].name);
	return 0;
}

/* ------------------------------------------------------------- GROUP BY */
/* List each column in an expression once, in their order. */
static void gather_columns(const struct expression *e,
			   const struct column **columns, uint32_t *count)
{
	uint32_t i;

	for (i = 0; e->column && i < *count; i++)
		if (columns[i] == e->column)
			break;
	if (e->column && i == *count)
		columns[(*count)++] = e->column;
	for (i = 0; i < e->arg_count; i++)
		if (e->args[i])
			gather_columns(e->args[i], columns, count);
}

static int refuse_columns(struct execution *x, const struct column **columns,
			  uint32_t count)
{
	struct buf names = BUF_INIT;

	for (uint32_t i = 0; i < count; i++) {
		buf_add_str(&names, i ? "," : "");
		cql_print_name(&names, bytes_str(columns[i]->name));
	}
	return refuse(x, "GROUP BY functions accept only one clustering column "
			 "as parameter, got: %s", text_of_buf(x, &names));
}

/* Find the one clustering column that a function of GROUP BY is about. */
static int group_function(struct select_state *s, const struct term *t,
			  const struct column **c)
{
	struct execution *x = s->x;
	const struct column **columns = arena_zalloc(x->arena,
						     s->table->column_count,
						     sizeof(*columns));
	uint32_t count = 0;
	struct selectable *of;
	struct expression *e;
	int err = columns ? selectable_prepare(x, &of, s->table, t) : -ENOMEM;

	if (err)
		return err;
	if (!of->function)
		return refuse(x, "Group by is currently only supported on the "
				 "columns of the PRIMARY KEY, got %s",
			      selectable_text(x, of));
	if (of->function->aggregate)
		return refuse(x, "Aggregate functions are not supported within "
				 "the GROUP BY clause, got: system.%s",
			      of->function->aggregate == AGGREGATE_COUNT_ROWS ?
				      "count_rows" : of->function->name);
	err = selector_make(x, &s->selectors, &e, of);
	if (err)
		return err;
	gather_columns(e, columns, &count);
	if (!count)
		return refuse(x, "GROUP BY functions must have one clustering "
				 "column name as parameter");
	if (count > 1)
		return refuse_columns(x, columns, count);
	*c = columns[0];
	if ((*c)->kind != COLUMN_CLUSTERING)
		return refuse(x, "Group by functions are only supported on "
				 "clustering columns, got %s", (*c)->name);
	s->group.function = e;
	return 0;
}

/* Check that a function is monotonic: in its first argument, with constants as
 * others. */
static int check_monotonic(struct execution *x, const struct expression *e)
{
	struct buf signature = BUF_INIT;
	uint32_t constants = 0, i;
	int err = 0;

	if (e->kind == EXPRESSION_COLUMN)
		return 0;
	if (e->kind != EXPRESSION_CALL)
		return refuse(x, "Only column names and monotonic scalar "
				 "functions are supported in the GROUP BY "
				 "clause.");
	for (i = 0; i < e->arg_count; i++)
		if (i < 32 && e->args[i]->kind == EXPRESSION_VALUE)
			constants |= 1u << i;
	if (!e->function->monotonic ||
	    (constants | 1) != (1u << e->arg_count) - 1) {
		function_print_signature(&signature, e->function, constants);
		return refuse(x, "Only monotonic functions are supported in "
				 "the GROUP BY clause. Got: %s ",
			      text_of_buf(x, &signature));
	}
	for (i = 0; i < e->arg_count && !err; i++)
		if (!(constants >> i & 1))
			err = check_monotonic(x, e->args[i]);
	return err;
}

int check_group_function(struct select_state *s)
{
	struct expression *e = s->group.function;
	int err = e ? selector_fold(s->x, e) : 0;

	return e && !err ? check_monotonic(s->x, e) : err;
}

static int group_column(struct select_state *s, const struct term *t,
			const struct column **c)
{
	struct execution *x = s->x;
	int err;

	if (t->kind != TERM_COLUMN)
		return group_function(s, t, c);
	err = resolve_column(x, c, s->table, &t->name);
	if (err)
		return err;
	if ((*c)->kind != COLUMN_PARTITION_KEY &&
	    (*c)->kind != COLUMN_CLUSTERING)
		return refuse(x, "Group by is currently only supported on the "
				 "columns of the PRIMARY KEY, got %s",
			      (*c)->name);
	if (s->group.function)
		return refuse(x, "Functions are only supported on the last "
				 "element of the GROUP BY clause");
	return 0;
}

int check_groups(struct select_state *s)
{
	const struct table *t = s->table;
	uint32_t keys = t->partition_key_count, next = 0;
	uint32_t all = keys + t->clustering_count;
	const struct column *c;
	bool found;
	int err;

	for (uint32_t i = 0; i < s->select->group_count; i++) {
		err = group_column(s, s->select->groups[i], &c);
		if (err)
			return err;
		for (found = false; !found; next++) {
			if (next == all)
				break;
			found = &t->columns[next] == c;
			if (!found &&
			    !where_restricted_by_eq(&s->where,
						    &t->columns[next]))
				break;
		}
		if (!found)
			return refuse(s->x, "Group by currently only support "
					    "groups of columns following their "
					    "declared order in the PRIMARY KEY");
	}
	if (s->select->group_count && next < keys)
		return refuse(s->x, "Group by is not supported on only a part "
				    "of the partition key");
	s->group.prefix = next > keys ? next - keys : 0;
	if (s->group.prefix && s->select->distinct)
		return refuse(s->x, "Grouping on clustering columns is not "
				    "allowed for SELECT DISTINCT queries");
	s->group.whole = !s->select->group_count;
	s->group.active = s->select->group_count ||
			  s->selectors.aggregate_count;
	if (s->group.active && s->group.whole && s->select->per_partition_limit)
		return refuse(s->x, "PER PARTITION LIMIT is not allowed with "
				    "aggregate queries.");
	return 0;
}

void select_warn_of_groups(struct select_state *s)
{
	bool restricted = s->where.token;
	uint32_t i;

	for (i = 0; i < s->table->partition_key_count; i++)
		restricted |= restriction_of(&s->where,
					     &s->table->columns[i]) != NULL;
	if (!restricted)
		statement_warn(s->x,
			       "Aggregation query used without partition key");
	else if (where_partition_is_in(&s->where))
		statement_warn(s->x, "Aggregation query used on multiple "
			       "partition keys (IN restriction)");
}

/* ------------------------------------------------------------- ORDER BY */
static int check_order_columns(struct select_state *s, const int8_t *descending)
{
	const struct table *t = s->table;
	int reversed = -1, one;
	uint32_t place = 0;

	for (uint32_t i = 0; i < s->order_count; i++) {
		const struct column *c = s->orders[i];

		if (c->kind != COLUMN_CLUSTERING)
			return refuse(s->x, "Order by is currently only "
					    "supported on the clustered "
					    "columns of the PRIMARY KEY, got "
					    "%s", c->name);
		while (place != c->position) {
			if (place >= t->clustering_count ||
			    !where_restricted_by_eq(&s->where,
				table_clustering_column(t, place)))
				return refuse(s->x, "Order by currently only "
						    "supports the ordering of "
						    "columns following their "
						    "declared order in the "
						    "PRIMARY KEY");
			place++;
		}
		place++;
		one = descending[i] != c->reversed;
		if (reversed >= 0 && one != reversed)
			return refuse(s->x, "Unsupported order by relation");
		reversed = one;
	}
	s->query.reversed = reversed == 1;
	return 0;
}

static int check_nearest_alone(struct select_state *s)
{
	const struct select *q = s->select;
	uint32_t nearest = 0;

	for (uint32_t i = 0; i < q->ordering_count; i++)
		nearest += q->orderings[i].ann_of != NULL;
	if (nearest > 1)
		return refuse(s->x, "Cannot specify more than one ANN "
				    "ordering");
	if (q->ordering_count > 1)
		return refuse(s->x, "ANN ordering does not support any other "
				    "ordering");
	if (q->orderings[0].descending)
		return refuse(s->x, "Descending ANN ordering is not supported");
	return 0;
}

int check_nearest(struct select_state *s)
{
	int err;

	if (s->group.active)
		return refuse(s->x, "Top-K queries can not be run with "
				    "aggregation");
	if (!s->limit)
		return refuse(s->x, "Top-K queries must have a limit specified "
				    "and the limit must be less than the query "
				    "page size");
	if (s->partition_limit)
		return refuse(s->x, "Top-K queries do not support "
				    "per-partition limits");
	if (s->limit > NEAREST_MAX)
		return refuse(s->x, "Use of ANN OF in an ORDER BY clause "
				    "requires a LIMIT that is not greater than "
				    "%d. LIMIT was %llu", NEAREST_MAX,
			      (unsigned long long)s->limit);
	err = late_term_bind(s->x, s->near_late);
	return err ? err :
		sort_nearest_init(s,
				  index_choice_of_vector(s->table, s->nearest));
}

int check_order(struct select_state *s)
{
	const struct select *q = s->select;
	int8_t *descending;
	uint32_t i, j;

	if (!q->ordering_count)
		return 0;
	if (s->nearest)
		return check_nearest_alone(s);
	if (s->where.uses_index)
		return refuse(s->x, "ORDER BY with 2ndary indexes is not "
				    "supported, except for ANN queries.");
	if (s->where.key_range)
		return refuse(s->x, "ORDER BY is only supported when the "
				    "partition key is restricted by an EQ or "
				    "an IN.");
	descending = arena_zalloc(s->x->arena, q->ordering_count, 1);
	if (!descending)
		return -ENOMEM;
	/* Of a column given twice the last direction is valid, at its first
	 * place. */
	for (i = 0, s->order_count = 0; i < q->ordering_count; i++) {
		const struct column *c = s->orders[i];

		for (j = 0; j < s->order_count && s->orders[j] != c;)
			j++;
		s->orders[j] = c;
		descending[j] = q->orderings[i].descending;
		if (j == s->order_count)
			s->order_count++;
	}
	return check_order_columns(s, descending);
}
