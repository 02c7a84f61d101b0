/*
 * Check conditions as Cassandra's CQL3CasRequest does: one read for all of
 * them. It reads the rows that conditions are about or, if there are none, the
 * first of the partition: so an empty partition differs from one without
 * statics. Statics are checked first, then the rows in their order, and the
 * first condition that fails ends it. A refusal shows the rows read.
 */
#include "store/cql/modify/conditional.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/modify/condition_order.h"
#include "store/cql/expression/row_evaluate.h"
#include "store/cql/modify/condition.h"
#include "store/cql/modify/prepare.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/rows.h"
#include "store/cql/where/plan.h"

struct cas_row {
	const struct bytes *clustering;
	struct row_values values;	/* with the statics */
	bool exists;
};
/* A statement with conditions on a row. */
struct question {
	const struct modification *of;
	uint32_t index;			/* in the order written */
	struct cas_row *row;
};
struct cas {
	const struct modification *items;
	uint32_t count;
	bool batch;
	const struct table *table;
	struct bytes key;
	bool *read;			/* by place of the column */
	bool regulars;			/* a row is written: read them */
	struct row_view *statics;
	struct cas_row static_row;	/* the values without clustering */
	struct cas_row *rows;		/* in their order, no duplicates */
	uint32_t row_count;
	struct question *questions;	/* in the order of their rows */
	uint32_t question_count;
};

/* ----------------------------------------------------------------- columns */
/* True if it writes a row, rather than statics or a whole partition. */
static bool updates_row(const struct modification *m)
{
	return !m->table->clustering_count ||
		where_restricts_clustering(&m->where);
}

/* Choose the columns to read: where a row is written all of its columns, of the
 * statics too if a conditional statement writes one; else those of
 * conditions. */
static void choose_columns(struct cas *c)
{
	const struct table *t = c->table;
	bool statics = false;

	for (uint32_t i = 0; i < c->count; i++) {
		const struct modification *m = &c->items[i];

		c->regulars = c->regulars || updates_row(m);
		statics = statics || (modification_is_conditional(m) &&
				      m->sets_static);
		for (uint32_t n = 0; n < m->condition_count; n++)
			c->read[m->conditions[n].column - t->columns] = true;
	}
	for (uint32_t i = 0; i < t->column_count; i++)
		if (t->columns[i].kind == COLUMN_STATIC ? statics :
		    t->columns[i].kind != COLUMN_REGULAR || c->regulars)
			c->read[i] = true;
}

/* ----------------------------------------------------------------- reading */
static int read_row(struct execution *x, struct cas *c, struct cas_row *row,
		    bool statics_only)
{
	const struct table *t = c->table;
	struct bytes *keys = arena_zalloc(x->arena, t->partition_key_count,
					  sizeof(*keys));
	struct row_view view = { 0 };
	int found = 0, err = row_values_init(x, &row->values, t);

	if (err || !keys)
		return -ENOMEM;
	if (!statics_only)
		found = table_read(x->store, t, c->key, row->clustering,
				   UINT64_MAX, x->now_s, x->arena, &view);
	if (found < 0)
		return refuse_store_failure(x, found);
	row->exists = found;
	if (!found)
		view = (struct row_view){ 0 };
	view.row_exists = found;
	view.key_values = keys;
	view.statics = c->statics->statics;
	view.static_count = c->statics->static_count;
	err = table_partition_values(keys, t, c->key);
	row_values_set(&row->values, &view);
	return err;
}

/* The statics exist if one of those that are read does. */
static int read_statics(struct execution *x, struct cas *c)
{
	const struct table *t = c->table;
	int found = 0, err;

	c->statics = arena_zalloc(x->arena, 1, sizeof(*c->statics));
	if (!c->statics)
		return -ENOMEM;
	if (table_has_statics(t))
		found = table_read(x->store, t, c->key, NULL, UINT64_MAX,
				   x->now_s, x->arena, c->statics);
	if (found < 0)
		return refuse_store_failure(x, found);
	if (!found)
		memset(c->statics, 0, sizeof(*c->statics));
	err = read_row(x, c, &c->static_row, true);
	for (uint32_t i = 0; i < c->statics->static_count && !err; i++)
		if (c->read[c->statics->statics[i].column - t->columns])
			c->static_row.exists = true;
	return err;
}

/*
 * Read the first row of the partition. Where no regular column is read, a row
 * that no INSERT made is not seen.
 */
static int read_first(struct execution *x, struct cas *c)
{
	const struct table *t = c->table;
	struct bytes *first = arena_zalloc(x->arena, t->clustering_count,
					   sizeof(*first));
	struct cursor *cursor;
	struct row_view view;
	struct query q;
	bool there;
	int more;

	if (!first)
		return -ENOMEM;
	query_init(&q, t);
	q.partitions = &c->key;
	q.partition_count = 1;
	q.columns = 0;
	q.now_s = x->now_s;
	more = table_query(&cursor, x->store, &q);
	if (more)
		return refuse_store_failure(x, more);
	do
		more = cursor_next(cursor, &view);
	while (more > 0 && !c->regulars &&
	       view.marker.timestamp == NO_TIMESTAMP);
	there = more > 0 && view.row_exists;
	for (uint32_t i = 0; there && i < t->clustering_count; i++)
		first[i] = arena_copy(x->arena, view.clustering[i]);
	cursor_close(cursor);
	if (!there)
		return more < 0 ? refuse_store_failure(x, more) : 0;
	c->row_count = 1;
	c->rows[0].clustering = first;
	return read_row(x, c, &c->rows[0], false);
}

static int compare_rows(const struct modification *a,
			const struct modification *b)
{
	if (!a->table->clustering_count)
		return 0;
	if (!a->row_count || !b->row_count)
		return (a->row_count > 0) - (b->row_count > 0);
	return plan_compare_clusterings(a->table, a->rows[0], b->rows[0]);
}

static int compare_questions(const void *a, const void *b)
{
	const struct question *p = a, *q = b;
	int order = compare_rows(p->of, q->of);

	return order ? order : (p->index > q->index) - (p->index < q->index);
}

static int read_rows(struct execution *x, struct cas *c)
{
	static const struct bytes none;
	const struct modification *m, *before = NULL;
	struct cas_row *row = NULL;
	int err = 0;

	for (uint32_t i = 0; i < c->count; i++)
		if (condition_asks_row(&c->items[i]))
			c->questions[c->question_count++] =
				(struct question){ &c->items[i], i, NULL };
	if (!c->question_count)
		return read_first(x, c);
	qsort(c->questions, c->question_count, sizeof(*c->questions),
	      compare_questions);
	for (uint32_t n = 0; n < c->question_count && !err; n++) {
		m = c->questions[n].of;
		if (!before || compare_rows(before, m)) {
			row = &c->rows[c->row_count++];
			row->clustering = m->row_count ? m->rows[0] : &none;
			err = read_row(x, c, row, c->table->clustering_count &&
							  !m->row_count);
		}
		c->questions[n].row = row;
		before = m;
	}
	return err;
}

static int cas_read(struct execution *x, struct cas *c)
{
	const struct table *t = c->table;
	int err;

	c->read = arena_zalloc(x->arena, t->column_count, sizeof(*c->read));
	c->rows = arena_zalloc(x->arena, c->count, sizeof(*c->rows));
	c->questions = arena_zalloc(x->arena, c->count, sizeof(*c->questions));
	if (!c->read || !c->rows || !c->questions)
		return -ENOMEM;
	choose_columns(c);
	err = read_statics(x, c);
	return err ? err : read_rows(x, c);
}

/* ------------------------------------------------------------------ asking */
/* Check all conditions of one row: 1 they hold, 0, -errno. */
static int ask_row(struct execution *x, const struct question *questions,
		   uint32_t count, bool statics)
{
	struct cas_row *row = questions->row;
	const struct if_condition **all;
	uint32_t total = 0, n = 0;
	int holds = 1, err;

	for (uint32_t i = 0; i < count; i++)
		total += questions[i].of->condition_count;
	all = arena_zalloc(x->arena, total, sizeof(struct if_condition *));
	if (!all)
		return -ENOMEM;
	for (uint32_t q = 0; q < count; q++) {
		const struct modification *m = questions[q].of;

		/* All conditions of a row are of one kind. */
		if (m->exists || m->not_exists)
			return row->exists == m->exists;
		for (uint32_t i = 0; i < m->condition_count; i++)
			if ((m->conditions[i].column->kind == COLUMN_STATIC) ==
			    statics)
				all[n++] = &m->conditions[i];
	}
	err = conditions_sort(x, all, n);
	if (err)
		return err;
	for (uint32_t i = 0; i < n && holds > 0; i++)
		holds = condition_holds(x, all[i], &row->values);
	return holds;
}

static int ask_statics(struct execution *x, struct cas *c)
{
	struct question *questions = arena_zalloc(x->arena, c->count,
						  sizeof(*questions));
	uint32_t count = 0;

	if (!questions)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->count; i++)
		if (condition_asks_statics(&c->items[i]))
			questions[count++] = (struct question){
				&c->items[i], i, &c->static_row
			};
	return count ? ask_row(x, questions, count, true) : 1;
}

static int ask_all(struct execution *x, struct cas *c, bool *applies)
{
	struct question *of;
	uint32_t first, count;
	int holds = ask_statics(x, c);

	for (first = 0; first < c->question_count && holds > 0;
	     first += count) {
		of = &c->questions[first];
		for (count = 1; first + count < c->question_count &&
				of[count].row == of->row;)
			count++;
		holds = ask_row(x, of, count, false);
	}
	*applies = holds > 0;
	return holds < 0 ? holds : 0;
}

/* ----------------------------------------------------------------- results */
/* Make the column [applied], with room for more columns after it. */
static bool columns_begin(struct cql_result *r, uint32_t more)
{
	if (!statement_result_columns(r, more + 1))
		return false;
	r->columns[0].name = bytes_str("[applied]");
	r->columns[0].type = type_native(TYPE_BOOLEAN);
	return true;
}

static int result_applied(struct cql_result *r)
{
	struct bytes **rows = arena_alloc(&r->arena, sizeof(*rows));
	struct bytes *values = arena_zalloc(&r->arena, 1, sizeof(*values));

	if (!rows || !values || !columns_begin(r, 0))
		return -ENOMEM;
	rows[0] = values;
	values[0] = bytes_of("\1", 1);
	return statement_result_rows(r, rows, 1);
}

static uint32_t add_column(const struct column **columns, uint32_t count,
			   const struct column *column)
{
	for (uint32_t i = 0; i < count; i++)
		if (columns[i] == column)
			return count;
	columns[count] = column;
	return count + 1;
}

/* List the columns after [applied]: all where existence is checked; else those
 * of conditions, of a statement the regular ones first, in a batch after the
 * key. */
static uint32_t shown_columns(const struct cas *c,
			      const struct column **columns)
{
	const struct table *t = c->table;
	uint32_t keys = t->partition_key_count + t->clustering_count;
	uint32_t all = keys + t->static_count + t->regular_count;
	const struct column *hidden = modification_hidden_clustering(t);
	uint32_t count = 0, i;
	bool exists = false;

	for (i = 0; i < c->count; i++)
		exists = exists || c->items[i].exists || c->items[i].not_exists;
	for (; count < (exists ? all : c->batch ? keys : 0); count++)
		columns[count] = &t->columns[count];
	if (exists)
		return count;
	if (hidden && c->batch)
		columns[count++] = hidden;
	for (i = 0; i < 2 * c->count; i++) {
		const struct modification *m = &c->items[i / 2];

		for (uint32_t n = 0; n < m->condition_count; n++) {
			const struct column *of = m->conditions[n].column;

			if ((of->kind == COLUMN_STATIC) == i % 2)
				count = add_column(columns, count, of);
		}
	}
	return count;
}

static int show_row(struct cql_result *r, struct cas *c, struct cas_row *row,
		    const struct column **columns, uint32_t count,
		    struct bytes *values)
{
	int err = 0;

	values[0] = bytes_of("\0", 1);
	for (uint32_t i = 0; i < count && !err; i++)
		if (!columns[i]->hidden &&
		    c->read[columns[i] - c->table->columns])
			err = row_value(&r->execution, &row->values, columns[i],
					&values[i + 1]);
	return err;
}

/* Show the rows that were read, or else the statics; none: only [applied]. */
static int show(struct cql_result *r, struct cas *c,
		const struct column **columns, uint32_t count)
{
	struct bytes **rows = arena_alloc(&r->arena, (c->row_count + 1) *
						     sizeof(*rows));
	uint32_t given = 0;
	int err = rows ? 0 : -ENOMEM;

	for (uint32_t i = 0; i <= c->row_count && !err; i++) {
		struct cas_row *row = i < c->row_count ? &c->rows[i] :
							 &c->static_row;

		if (i < c->row_count ? !row->exists : given > 0)
			continue;
		rows[given] = arena_zalloc(&r->arena, count + 1,
					   sizeof(**rows));
		err = !rows[given] ? -ENOMEM :
		      show_row(r, c, row, columns, count, rows[given]);
		given++;
	}
	return err ? err : statement_result_rows(r, rows, given);
}

static int result_refused(struct cql_result *r, struct cas *c)
{
	const struct column **columns;
	bool nothing = !c->static_row.exists;
	uint32_t count;

	for (uint32_t i = 0; i < c->row_count; i++)
		nothing = nothing && !c->rows[i].exists;
	columns = arena_zalloc(&r->arena, c->table->column_count,
			       sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	count = nothing ? 0 : shown_columns(c, columns);
	if (!columns_begin(r, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		r->columns[i + 1].name = bytes_str(columns[i]->name);
		r->columns[i + 1].type = columns[i]->type;
	}
	return show(r, c, columns, count);
}

int conditional_run(struct cql_result *r, const struct modification *items,
		    uint32_t count, bool batch, bool *applies)
{
	struct cas c = { .items = items, .count = count, .batch = batch,
			 .table = items[0].table, .key = items[0].keys[0] };
	int err = cas_read(&r->execution, &c);

	if (!err)
		err = ask_all(&r->execution, &c, applies);
	if (err)
		return err;
	return *applies ? result_applied(r) : result_refused(r, &c);
}
