/*
 * SELECT: analysis in Cassandra's order of checks, then a cursor that is pulled
 * row by row: filter, per-partition limit, groups, limit, selectors.
 */
#include "store/cql/select/select.h"

#include <errno.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/cql/expression/row_evaluate.h"
#include "store/cql/select/check.h"
#include "store/cql/select/evaluate.h"
#include "store/cql/select/group.h"
#include "store/cql/select/list.h"
#include "store/cql/select/row_source.h"
#include "store/cql/select/selector.h"
#include "store/cql/select/sort.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/rows.h"
#include "store/cql/where/filter.h"
#include "store/cql/where/index_choice.h"
#include "store/cql/where/plan.h"
#include "store/type/json/print.h"

/* ------------------------------------------------------------- analysis */
static int resolve_nearest(struct select_state *s, const struct column *c,
			   const struct term *t)
{
	struct receiver receiver = receiver_column(c);
	int err = term_value_or_late(s->x, &s->near_to, t, &receiver,
				     &s->near_late);

	if (err)
		return err;
	if (c->type->kind != TYPE_VECTOR ||
	    c->type->parts[0]->kind != TYPE_FLOAT)
		return refuse(s->x, "ANN ordering is only supported on float "
				    "vector indexes");
	s->nearest = c;
	return 0;
}

static int resolve_orders(struct select_state *s)
{
	const struct select *q = s->select;
	int err = 0;

	s->orders = arena_zalloc(s->x->arena, q->ordering_count,
				 sizeof(*s->orders));
	if (!s->orders)
		return -ENOMEM;
	for (uint32_t i = 0; i < q->ordering_count && !err; i++) {
		err = resolve_column(s->x, &s->orders[i], s->table,
				     &q->orderings[i].column);
		if (!err && q->orderings[i].ann_of)
			err = resolve_nearest(s, s->orders[i],
					      q->orderings[i].ann_of);
	}
	return err;
}

static int analyse(struct select_state *s)
{
	const struct select *q = s->select;
	bool statics;
	int err = select_only_statics(s, &statics);

	if (!err)
		err = resolve_orders(s);
	if (!err)
		err = where_analyse(s->x, &s->where, s->table, STATEMENT_SELECT,
				    q->relations, q->relation_count,
				    q->allow_filtering, statics, s->nearest);
	if (!err)
		err = select_prepare(s);
	if (!err)
		err = check_distinct(s);
	if (!err)
		err = check_groups(s);
	if (!err)
		err = check_order(s);
	if (!err)
		err = restrictions_need_filtering(s->x, &s->where);
	return err;
}

static int read_limit(struct execution *x, int64_t *n, const struct term *t,
		      const char *name)
{
	*n = 0;
	return t ? term_integer(x, n, t, TYPE_INT, name) : 0;
}

static int check_limit(struct execution *x, uint64_t *out, const struct term *t,
		       int64_t n)
{
	if (t && n <= 0)
		return refuse_at(x, t->span,
				 refuse(x, "LIMIT must be strictly positive"));
	*out = (uint64_t)n;
	return 0;
}

/* ----------------------------------------------------------------- plan */
static int plan_where(struct select_state *s)
{
	const struct restrictions *r = &s->where;
	struct query *q = &s->query;
	struct bytes *keys = NULL;
	struct slice *slices = NULL;
	bool nothing = false, whole = true;
	int err = filter_init(s->x, &s->filter, r);

	if (!err && r->uses_index && r->index)
		err = index_query_make(s->x, &s->index_query, r);
	for (uint32_t i = 0; i < s->table->partition_key_count; i++)
		whole = whole && r->by_column[i] &&
			(r->by_column[i]->kind == RESTRICT_EQ ||
			 r->by_column[i]->kind == RESTRICT_IN);
	if (!err && whole) {
		err = plan_partitions(s->x, r, &keys, &q->partition_count);
		s->nothing = !q->partition_count;
	} else if (!err) {
		err = plan_tokens(s->x, r, &q->from_token, &q->to_token,
				  &s->nothing);
	}
	q->partitions = keys;
	/* A scan reads all rows of each partition only to filter them. */
	if (!err && !(whole && s->nothing))
		err = plan_slices(s->x, r, &slices, &q->slice_count, &nothing);
	q->slices = slices;
	s->nothing = s->nothing || nothing;
	/* If no row can match, partitions are not checked. */
	if (!err && whole && !s->nothing)
		err = plan_check_partitions(s->x, s->table, keys,
					    q->partition_count);
	return err;
}

static void plan_columns(struct select_state *s)
{
	const struct table *t = s->table;
	struct query *q = &s->query;
	bool statics = table_has_statics(t);
	bool wants_statics = false;

	q->columns = s->select->all ? UINT64_MAX : s->selectors.columns;
	for (uint32_t i = t->partition_key_count + t->clustering_count;
	     i < t->column_count; i++) {
		bool restricted = s->where.by_column[i];

		/* Any static column makes a row of a partition. */
		if (restricted || t->columns[i].kind == COLUMN_STATIC)
			q->columns |= 1ull << (t->columns[i].number & 63);
		if (t->columns[i].kind == COLUMN_STATIC &&
		    (restricted || s->selectors.selected[i]))
			wants_statics = true;
	}
	if (s->nearest)
		q->columns |= 1ull << (s->nearest->number & 63);
	q->static_only_rows = statics &&
		!where_restricts_clustering(&s->where) &&
		!s->where.restricts_regular;
	q->with_statics = q->static_only_rows || wants_statics;
	q->distinct = s->select->distinct && !select_has_static_shape(t) ? 0 :
		-1;
	q->now_s = s->x->now_s;
}

static bool is_shown(void *context, const struct keyspace *k,
		     const struct table *t)
{
	return statement_may_enter(context, k, t);
}

static int plan(struct select_state *s)
{
	struct query *q = &s->query;
	const struct term *limit = s->select->limit;
	const struct term *in_partition = s->select->per_partition_limit;
	bool reversed = q->reversed;
	int64_t n, per_partition;
	int err = read_limit(s->x, &n, limit, "[limit]");

	if (!err)
		err = read_limit(s->x, &per_partition, in_partition,
				 "[per_partition_limit]");
	if (!err)
		err = refuse_markers(s->x);
	if (!err)
		err = check_limit(s->x, &s->limit, limit, n);
	if (!err)
		err = check_limit(s->x, &s->partition_limit, in_partition,
				  per_partition);
	for (uint32_t i = 0; i < s->selectors.count && !err; i++)
		err = selector_fold(s->x, s->selectors.items[i]);
	if (!err)
		err = check_group_function(s);
	if (!err && s->nearest)
		err = check_nearest(s);
	if (err)
		return err;
	query_init(q, s->table);
	if (s->x->session->may) {
		q->shown = is_shown;
		q->shown_context = s->x;
	}
	q->reversed = reversed;
	q->after_key = s->x->after_key;
	q->after_clustering = s->x->after_clustering;
	err = plan_where(s);
	if (err)
		return err;
	plan_columns(s);
	if (!s->filter.count && !s->group.active && !s->where.uses_index) {
		q->limit = sort_applies(s) ? 0 : s->limit;
		q->partition_limit = s->partition_limit;
	}
	return row_values_init(s->x, &s->row, s->table);
}

/* ----------------------------------------------------------------- rows */
int select_row(struct select_state *s, struct row_view *view)
{
	bool per_row = s->partition_limit && !s->group.active;
	int more;

	while ((more = source_next(s, view)) > 0) {
		arena_clear(&s->arena);
		s->token = view->token;
		if (!bytes_equal(buf_bytes(&s->partition),
				 view->partition_key)) {
			buf_clear(&s->partition);
			buf_add_bytes(&s->partition, view->partition_key);
			if (per_row)
				s->given_of_partition = 0;
		} else if (per_row &&
			   s->given_of_partition >= s->partition_limit) {
			more = source_skip_partition(s);
			if (more)
				return more;
			continue;
		}
		row_values_set(&s->row, view);
		more = filter_row(s->x, &s->filter, &s->row);
		if (more < 0)
			return more;
		if (!more)
			continue;
		if (per_row)
			s->given_of_partition++;
		return 1;
	}
	return more;
}

static void print_json_name(struct buf *out, const char *name)
{
	struct buf quoted = BUF_INIT;
	bool upper = false;

	for (const char *p = name; *p; p++)
		upper = upper || (*p >= 'A' && *p <= 'Z');
	if (upper)
		buf_add_byte(&quoted, '"');
	buf_add_str(&quoted, name);
	if (upper)
		buf_add_byte(&quoted, '"');
	json_print_string(out, buf_bytes(&quoted));
	buf_release(&quoted);
}

/* Make one JSON object of all values of the row; it becomes the one value. */
static int row_json(struct select_state *s)
{
	struct buf *out = &s->x->scratch;

	buf_clear(out);
	buf_add_byte(out, '{');
	for (uint32_t i = 0; i < s->selectors.count; i++) {
		if (i)
			buf_add_str(out, ", ");
		print_json_name(out, (const char *)s->columns[i].name.ptr);
		buf_add_str(out, ": ");
		type_print_json(out, s->columns[i].type, s->values[i]);
	}
	buf_add_byte(out, '}');
	return execution_keep_scratch(s->x, &s->values[0]);
}

/* True if PER PARTITION LIMIT leaves room for the group. */
static bool is_within(struct select_state *s)
{
	struct bytes partition = buf_bytes(&s->group.partition);

	if (!s->partition_limit)
		return true;
	if (!bytes_equal(partition, buf_bytes(&s->group.limited))) {
		buf_clear(&s->group.limited);
		buf_add_bytes(&s->group.limited, partition);
		s->given_of_partition = 0;
	}
	return s->given_of_partition++ < s->partition_limit;
}

int select_values(struct select_state *s)
{
	struct row_view view;
	struct row_values *row = &s->row;
	int more;

	if (s->group.active) {
		row = &s->group.first;
		while ((more = group_next(s)) > 0 && !is_within(s))
			;
	} else {
		more = select_row(s, &view);
	}
	if (more <= 0)
		return more;
	for (uint32_t i = 0; i < s->selectors.count; i++) {
		int err = evaluate_expression(s->x, s->selectors.items[i], row,
					      s->group.accumulators,
					      &s->values[i]);

		if (err)
			return err;
	}
	return 1;
}

static int next_row(struct select_state *s)
{
	int more;

	if (s->limit && s->given >= s->limit)
		return 0;
	more = sort_applies(s) ? sort_next(s) : select_values(s);
	if (more > 0)
		s->given++;
	return more;
}

static int select_next(struct cql_result *r, const struct bytes **values)
{
	struct select_state *s = r->state;
	struct arena *before = s->x->arena;
	int more;

	arena_clear(&s->arena);
	s->x->arena = &s->arena;
	more = next_row(s);
	if (more >= 0 && (s->cursor || s->merged)) {
		int err;

		/* The warning has to live as long as the result. */
		s->x->arena = before;
		err = source_check_tombstones(s, !more);
		s->x->arena = &s->arena;
		if (err)
			more = err;
	}
	if (!more) {	/* the cost is known now */
		source_close(s);
		s->nothing = true;
	}
	if (more > 0 && r->json) {
		int err = row_json(s);

		more = err ? err : 1;
	}
	if (more >= 0 && (s->arena.failed || s->partition.failed))
		more = -ENOMEM;
	s->x->arena = before;
	*values = s->values;
	return more;
}

static void select_rest(struct cql_result *r)
{
	struct select_state *s = r->state;

	/* The row that begins the next group is in the cursor's memory. */
	if (s->cursor && !s->group.waiting)
		cursor_rest(s->cursor);
}

static void select_memory(const struct cql_result *r, struct memory_use *m)
{
	const struct select_state *s = r->state;

	m->bytes += s->arena.total + s->group.arena.total +
		    s->sorted.arena.total +
		    s->sorted.room * sizeof(*s->sorted.items);
	if (s->cursor)
		cursor_memory(s->cursor, m);
	for (size_t i = 0; i < s->merged_count; i++)
		cursor_memory(s->merged[i].cursor, m);
}

static void select_close(struct cql_result *r)
{
	struct select_state *s = r->state;

	source_close(s);
	group_release(s);
	sort_release(s);
	arena_release(&s->arena);
	buf_release(&s->partition);
}

/* -------------------------------------------------------------- columns */
static int name_columns(struct cql_result *r, struct select_state *s)
{
	const struct select *q = s->select;
	uint32_t count = s->selectors.count;

	s->columns = arena_zalloc(&r->arena, count + 1, sizeof(*s->columns));
	s->values = arena_zalloc(&r->arena, count + 1, sizeof(*s->values));
	if (!s->columns || !s->values)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct expression *e = s->selectors.items[i];

		s->columns[i].type = e->type;
		if (!e->name)
			return -ENOMEM;
		s->columns[i].name = !q->all && identifier_is_given(
						&q->selections[i].alias) ?
					     q->selections[i].alias.text :
					     bytes_str(e->name);
	}
	r->columns = s->columns;
	r->column_count = count;
	if (!q->json)
		return 0;
	r->json = true;
	if (!statement_result_columns(r, 1))
		return -ENOMEM;
	r->columns[0].name = bytes_str("[json]");
	r->columns[0].type = type_native(TYPE_TEXT);
	return 0;
}

int select_execute(struct cql_result *r, const struct select *q)
{
	struct execution *x = &r->execution;
	struct select_state *s = arena_zalloc(&r->arena, 1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->x = x;
	s->select = q;
	s->arena = ARENA_INIT;
	s->sorted.arena = ARENA_INIT;
	s->partition = BUF_INIT;
	r->state = s;
	r->close = select_close;
	err = resolve_table(x, &s->table, &q->table, CQL_READ);
	if (!err)
		r->table_number = s->table->number;
	if (!err)
		err = analyse(s);
	if (!err)
		err = refuse_markers(x);
	if (!err)
		err = plan(s);
	if (!err)
		err = name_columns(r, s);
	if (!err && s->group.active)
		err = group_init(s);
	if (!err)
		err = source_open(s);
	if (!err && s->group.active)
		select_warn_of_groups(s);
	if (!err) {
		r->next = select_next;
		r->rest = select_rest;
		r->memory = select_memory;
	}
	return err;
}
