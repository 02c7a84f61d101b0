/*
 * The source of rows: one cursor; or, for ORDER BY over several partitions, a
 * cursor of each, merged by the columns ordered by. Ties go to the partition
 * whose key is smaller. The rows of very many partitions are sorted (sort.c).
 * Rows that are grouped come partition by partition; then the groups are sorted
 * (group.c).
 */
#include "store/cql/select/row_source.h"

#include <errno.h>

#include "store/cql/select/select.h"
#include "store/cql/select/sort.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/syntax/parse.h"
#include "store/type/compare.h"
#include "store/type/value.h"

static int open_cursor(struct select_state *s, struct cursor **cursor,
		       const struct query *q)
{
	if (s->where.uses_index && s->where.index)
		return index_query_table(cursor, s->x->store, q,
					 &s->index_query);
	return table_query(cursor, s->x->store, q);
}

static int open_merged(struct select_state *s)
{
	struct query one = s->query;
	int err = 0;

	s->merged = arena_zalloc(s->x->arena, s->query.partition_count,
				 sizeof(*s->merged));
	s->heap = arena_zalloc(s->x->arena, s->query.partition_count,
			       sizeof(*s->heap));
	if (!s->merged || !s->heap)
		return -ENOMEM;
	one.partition_count = 1;
	for (size_t i = 0; i < s->query.partition_count && !err; i++) {
		one.partitions = &s->query.partitions[i];
		err = open_cursor(s, &s->merged[i].cursor, &one);
		if (!err)
			s->merged_count++;
	}
	return err;
}

/* Read a row named by its whole key without a cursor. */
static int open_point(struct select_state *s)
{
	static const struct bytes none;
	const struct query *q = &s->query;
	int found = table_read(s->x->store, s->table, q->partitions[0],
			       s->table->clustering_count ?
				       q->slices[0].start.values : &none,
			       q->columns, s->x->now_s, s->x->arena, &s->point);

	s->x->session->trace.rows_read += found > 0;
	s->is_point = true;
	s->nothing = found <= 0;
	return found < 0 ? found : 0;
}

static bool is_point(const struct select_state *s)
{
	const struct query *q = &s->query;
	uint32_t n = s->table->clustering_count;

	if (s->where.uses_index || q->partition_count != 1 || q->with_statics ||
	    !bytes_is_null(q->after_key))
		return false;
	if (q->shown && s->table->flags & TABLE_VIRTUAL)
		return false;
	if (!n)
		return true;
	return q->slice_count == 1 && q->slices[0].start.count == n &&
	       q->slices[0].start.inclusive && q->slices[0].end.inclusive &&
	       q->slices[0].start.values == q->slices[0].end.values &&
	       q->slices[0].end.count == n;
}

int source_open(struct select_state *s)
{
	int err;

	if (s->nothing)
		return 0;
	if (is_point(s))
		err = open_point(s);
	else if (s->order_count && s->query.partition_count > 1 &&
		 !s->group.active && !sort_applies(s))
		err = open_merged(s);
	else
		err = open_cursor(s, &s->cursor, &s->query);
	return refuse_store_failure(s->x, err);
}

int row_source_compare(const struct select_state *s, uint32_t i, struct bytes a,
		       struct bytes b)
{
	const struct column *c = s->orders[i];
	bool reversed = s->query.reversed;
	int order;

	/* Null comes first in the declared order, whatever that is. */
	if (bytes_is_null(a) || bytes_is_null(b)) {
		order = (int)bytes_is_null(b) - (int)bytes_is_null(a);
	} else {
		order = type_compare(c->type, a, b);
		reversed = reversed != c->reversed;
	}
	return reversed ? -order : order;
}

static int compare_rows(const struct select_state *s, const struct row_view *a,
			const struct row_view *b)
{
	int order = 0;

	for (uint32_t i = 0; i < s->order_count && !order; i++) {
		uint32_t place = s->orders[i]->position;

		order = row_source_compare(s, i, a->row_exists ?
					   a->clustering[place] : BYTES_NULL,
					   b->row_exists ?
					   b->clustering[place] : BYTES_NULL);
	}
	return order;
}

/* Compare two cursors' rows: true if a's comes first. */
static bool comes_first(const struct select_state *s, size_t a, size_t b)
{
	int order = compare_rows(s, &s->merged[a].row, &s->merged[b].row);

	return order ? order < 0 : a < b;
}

/* Move the heap's first item down to its place. */
static void sift(struct select_state *s, size_t at)
{
	size_t *heap = s->heap, child, one = heap[at];

	while ((child = 2 * at + 1) < s->heap_count) {
		if (child + 1 < s->heap_count &&
		    comes_first(s, heap[child + 1], heap[child]))
			child++;
		if (!comes_first(s, heap[child], one))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = one;
}

static int merged_step(struct select_state *s, struct merged *m)
{
	struct cursor_cost cost = { 0 };
	int more = cursor_next(m->cursor, &m->row);

	cursor_cost(m->cursor, &cost);
	s->merged_tombstones += cost.tombstones - m->tombstones;
	m->tombstones = cost.tombstones;
	return more;
}

static int begin_heap(struct select_state *s)
{
	size_t i;
	int more;

	s->heap_begun = true;
	for (i = 0; i < s->merged_count; i++) {
		more = merged_step(s, &s->merged[i]);
		if (more < 0)
			return more;
		if (more)
			s->heap[s->heap_count++] = i;
	}
	for (i = s->heap_count / 2; i-- > 0;)
		sift(s, i);
	return 0;
}

/* The row that was returned last is the heap's first until the next call. */
static int merged_next(struct select_state *s, struct row_view *view)
{
	int more;

	if (!s->heap_begun) {
		more = begin_heap(s);
		if (more)
			return more;
	} else if (s->heap_count) {
		more = merged_step(s, &s->merged[s->heap[0]]);
		if (more < 0)
			return more;
		if (!more)
			s->heap[0] = s->heap[--s->heap_count];
		sift(s, 0);
	}
	if (!s->heap_count)
		return 0;
	*view = s->merged[s->heap[0]].row;
	return 1;
}

int source_next(struct select_state *s, struct row_view *view)
{
	int more;

	if (s->nothing)
		return 0;
	if (s->is_point) {
		*view = s->point;
		s->nothing = true;
		return 1;
	}
	more = s->merged ? merged_next(s, view) : cursor_next(s->cursor, view);
	return refuse_store_failure(s->x, more);
}

int source_skip_partition(struct select_state *s)
{
	return s->cursor ? cursor_skip(s->cursor, 0) : 0;
}

#define TOMBSTONE_WARN 1000
#define TOMBSTONE_FAIL 100000

/* Print partition key and clustering columns as a WHERE would name them. */
static void print_where(struct buf *out, const struct select_state *s)
{
	const struct table *t = s->table;
	bool any = false;

	for (uint32_t i = 0; i < t->column_count; i++) {
		const struct restriction *r = s->where.by_column[i];

		if (!r || r->kind != RESTRICT_EQ || r->multi)
			continue;
		buf_add_str(out, any ? " AND " : " WHERE ");
		cql_print_name(out, bytes_str(t->columns[i].name));
		buf_add_str(out, " = ");
		type_print_literal(out, t->columns[i].type, r->values[0]);
		any = true;
	}
	if (s->limit)
		buf_add_format(out, " LIMIT %llu",
			       (unsigned long long)s->limit);
}

int source_check_tombstones(struct select_state *s, bool ended)
{
	struct cursor_cost cost = { .tombstones = s->merged_tombstones };
	struct buf query = BUF_INIT;

	if (s->cursor)
		cursor_cost(s->cursor, &cost);
	if (cost.tombstones > TOMBSTONE_FAIL)
		return refuse_as(s->x, CQL_READ_FAILURE,
				 "Operation failed - received 0 responses and "
				 "1 failures: READ_TOO_MANY_TOMBSTONES from "
				 "/127.0.0.1:7000");
	if (!ended || s->warned || cost.tombstones <= TOMBSTONE_WARN)
		return 0;
	s->warned = true;
	print_where(&query, s);
	statement_warn(s->x,
		       "Read %llu live rows and %llu tombstone cells for query "
		       "SELECT * FROM %s.%s%s ALLOW FILTERING; token %lld (see "
		       "tombstone_warn_threshold)",
		       (unsigned long long)s->given,
		       (unsigned long long)cost.tombstones, s->table->keyspace,
		       s->table->name, buf_cstr(&query), (long long)s->token);
	buf_release(&query);
	return 0;
}

static void add_cost(struct select_state *s, struct cursor *cursor)
{
	struct cql_trace *trace = &s->x->session->trace;
	struct cursor_cost cost = { 0 };

	if (!cursor)
		return;
	cursor_cost(cursor, &cost);
	trace->rows_read += cost.rows;
	trace->tombstones += cost.tombstones;
	cursor_close(cursor);
}

void source_close(struct select_state *s)
{
	add_cost(s, s->cursor);
	for (size_t i = 0; i < s->merged_count; i++)
		add_cost(s, s->merged[i].cursor);
	s->cursor = NULL;
	s->merged_count = 0;
}
