/*
 * Rows against a model that keeps them in an array: random writes at every
 * level, then random queries, with flushes, compactions and restarts between.
 */
#include "store/base/murmur3.h"
#include "store/table/table.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/base/clock.h"
#include "store/schema/table_edit.h"
#include "store/table/present.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

/* (k int, a int, b text DESC, s int STATIC, u int, v int, m map<text, int>) */
enum { K, A, B, S, M, U, V };	/* places of columns */
#define PARTITIONS 4
#define A_COUNT 4
#define B_COUNT 5
#define KEYS 3
static const char *const texts[B_COUNT] = { "", "a", "ab", "b", "ba" };
static const char *const keys[KEYS] = { "x", "y", "z" };

struct value {
	bool set;
	int32_t n;
	int64_t expires;	/* 0: never */
};
struct model_row {
	struct value marker, u, v, m[KEYS];
};
struct model {
	struct value statics[PARTITIONS];
	struct model_row rows[PARTITIONS][A_COUNT][B_COUNT];
	int64_t now_s;
	uint64_t random;
	unsigned rests;
};

static struct table *new_table(void)
{
	struct table *t = table_new("ks", "t");
	struct type *parts[] = { type_native(TYPE_TEXT),
				 type_native(TYPE_INT) };
	struct type *map = type_new(TYPE_MAP, false, parts, 2);

	/* Numbers are not in the order of names. */
	table_add_column(t, "v", type_native(TYPE_INT), COLUMN_REGULAR, false);
	table_add_column(t, "k", type_native(TYPE_INT), COLUMN_PARTITION_KEY,
			 false);
	table_add_column(t, "a", type_native(TYPE_INT), COLUMN_CLUSTERING,
			 false);
	table_add_column(t, "b", type_native(TYPE_TEXT), COLUMN_CLUSTERING,
			 true);
	table_add_column(t, "u", type_native(TYPE_INT), COLUMN_REGULAR, false);
	table_add_column(t, "s", type_native(TYPE_INT), COLUMN_STATIC, false);
	table_add_column(t, "m", map, COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static uint32_t random_below(struct model *m, uint32_t n)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(m->random >> 33) % n;
}

static void be32(uint8_t out[4], int32_t n)
{
	put_be32(out, (uint32_t)n);
}

/* ------------------------------------------------------------------ writing */
struct place {
	int k, a, b;
	uint8_t key[4], first[4];
	struct bytes clustering[2];
};

static void at(struct place *p, int k, int a, int b)
{
	p->k = k;
	p->a = a;
	p->b = b;
	be32(p->key, k);
	be32(p->first, a);
	p->clustering[0] = bytes_of(p->first, 4);
	p->clustering[1] = bytes_str(texts[b]);
}

static void random_place(struct model *m, struct place *p)
{
	at(p, (int)random_below(m, PARTITIONS), (int)random_below(m, A_COUNT),
	   (int)random_below(m, B_COUNT));
}

static void set_value(struct model *m, struct value *value, int32_t n,
		      int32_t ttl)
{
	*value = (struct value){ true, n, ttl ? m->now_s + ttl : 0 };
}

static void write_int(struct model *m, struct write *w,
		      const struct column *c, struct bytes path,
		      struct value *value, int64_t us, int32_t ttl)
{
	int32_t n = (int32_t)random_below(m, 1000) - 500;
	uint8_t be[4];

	be32(be, n);
	if (random_below(m, 5)) {
		write_cell(w, c, path, bytes_of(be, 4), us, ttl);
		set_value(m, value, n, ttl);
	} else {
		write_cell(w, c, path, BYTES_NULL, us, 0);
		value->set = false;
	}
}

static void write_some(struct model *m, struct write *w, const struct table *t,
		       int64_t us)
{
	struct place p;
	struct model_row *row;
	int32_t ttl = random_below(m, 4) ? 0 : 1 + (int)random_below(m, 50);
	uint32_t key = random_below(m, KEYS);

	random_place(m, &p);
	row = &m->rows[p.k][p.a][p.b];
	write_row(w, t, bytes_of(p.key, 4), p.clustering);
	if (random_below(m, 2)) {
		write_marker(w, us, ttl);
		set_value(m, &row->marker, 0, ttl);
	}
	if (random_below(m, 2))
		write_int(m, w, &t->columns[V], BYTES_NULL, &row->v, us, ttl);
	if (random_below(m, 2))
		write_int(m, w, &t->columns[U], BYTES_NULL, &row->u, us, ttl);
	if (!random_below(m, 8)) {
		write_column_deletion(w, &t->columns[M], us - 1);
		memset(row->m, 0, sizeof(row->m));
	}
	if (random_below(m, 2))
		write_int(m, w, &t->columns[M], bytes_str(keys[key]),
			  &row->m[key], us, ttl);
}

static void write_static(struct model *m, struct write *w,
			 const struct table *t, int64_t us)
{
	struct place p;

	random_place(m, &p);
	write_row(w, t, bytes_of(p.key, 4), NULL);
	write_int(m, w, &t->columns[S], BYTES_NULL, &m->statics[p.k], us,
		  random_below(m, 3) ? 0 : 20);
}

/* Clusterings in the table's order: a, then b from last to first. */
static int row_number(int a, int b)
{
	return a * B_COUNT + (B_COUNT - 1 - b);
}

/* A random end of a slice; the rows from *from to before *to are in it. */
static void random_bound(struct model *m, struct bound *bound,
			 struct place *p, bool is_start, int *number)
{
	random_place(m, p);
	bound->values = p->clustering;
	bound->count = random_below(m, 3);
	bound->inclusive = random_below(m, 2);
	switch (bound->count) {
	case 0:
		*number = is_start ? 0 : A_COUNT * B_COUNT;
		break;
	case 1:
		*number = (p->a + (is_start != bound->inclusive)) * B_COUNT;
		break;
	default:
		*number = row_number(p->a, p->b) +
			  (is_start != bound->inclusive);
	}
}

static void delete_some(struct model *m, struct write *w, const struct table *t,
			int64_t us)
{
	struct place p, from, to;
	struct slice slice;
	int first, end, i;

	random_place(m, &p);
	switch (random_below(m, 6)) {
	case 0:
		write_partition_deletion(w, t, bytes_of(p.key, 4), us);
		memset(m->rows[p.k], 0, sizeof(m->rows[p.k]));
		m->statics[p.k].set = false;
		break;
	case 1:
	case 2:
		random_bound(m, &slice.start, &from, true, &first);
		random_bound(m, &slice.end, &to, false, &end);
		write_range_deletion(w, t, bytes_of(p.key, 4), &slice, us);
		for (i = first; i < end; i++)
			memset(&m->rows[p.k][i / B_COUNT]
			       [B_COUNT - 1 - i % B_COUNT], 0,
			       sizeof(struct model_row));
		break;
	default:
		write_row(w, t, bytes_of(p.key, 4), p.clustering);
		write_row_deletion(w, us);
		memset(&m->rows[p.k][p.a][p.b], 0, sizeof(struct model_row));
	}
}

static void write_batch(struct model *m, struct store *s,
			const struct table *t)
{
	uint32_t i, count = 1 + random_below(m, 4);
	struct write w;

	write_init(&w, s);
	for (i = 0; i < count; i++) {
		/* A later deletion covers what has its timestamp. */
		int64_t us = store_timestamp(s) + 2 * i;

		if (!random_below(m, 6))
			delete_some(m, &w, t, us);
		else if (!random_below(m, 4))
			write_static(m, &w, t, us);
		else
			write_some(m, &w, t, us);
		clock_set_us(clock_now_us() + 100);
	}
	ck_assert_int_eq(test_write(&w), 0);
	write_release(&w);
}

/* ------------------------------------------------------------------ reading */
static bool is_live(const struct model *m, const struct value *v)
{
	return v->set && (!v->expires || v->expires > m->now_s);
}

static bool row_is_live(const struct model *m, const struct model_row *row)
{
	int i;

	for (i = 0; i < KEYS; i++)
		if (is_live(m, &row->m[i]))
			return true;
	return is_live(m, &row->marker) || is_live(m, &row->u) ||
	       is_live(m, &row->v);
}

static void add_value(struct buf *out, const struct model *m, const char *name,
		      const struct value *v)
{
	if (is_live(m, v))
		buf_add_format(out, " %s=%d", name, v->n);
}

/* b < 0: the statics alone. */
static void add_model_row(struct buf *out, const struct model *m,
			  const struct query *q, int k, int a, int b)
{
	const struct model_row *row = &m->rows[k][a][b < 0 ? 0 : b];
	int i;

	buf_add_format(out, "%d", k);
	if (b >= 0) {
		buf_add_format(out, "/%d/'%s'", a, texts[b]);
		if (is_live(m, &row->marker))
			buf_add_str(out, " *");
		for (i = 0; i < KEYS; i++)
			add_value(out, m, keys[i], &row->m[i]);
		add_value(out, m, "u", &row->u);
		add_value(out, m, "v", &row->v);
	}
	if (q->with_statics)
		add_value(out, m, "s", &m->statics[k]);
	buf_add_byte(out, '\n');
}

struct wanted {
	struct query query;
	struct slice slices[2];
	struct place places[4], partitions[PARTITIONS], after;
	struct bytes keys[PARTITIONS];
	int first[2], end[2];		/* numbers of rows */
};

static bool in_slices(const struct wanted *w, int number)
{
	size_t i;

	for (i = 0; i < w->query.slice_count; i++)
		if (number >= w->first[i] && number < w->end[i])
			return true;
	return !w->query.slice_count;
}

/* The same leading clustering values as the row that was given last? */
static bool is_repeated(const struct wanted *w, int last, int number)
{
	if (last < 0 || w->query.distinct < 0)
		return false;
	if (!w->query.distinct)
		return true;
	return w->query.distinct == 1 ? last / B_COUNT == number / B_COUNT
				      : last == number;
}

static int64_t token_of(int k)
{
	uint8_t key[4];

	be32(key, k);
	return murmur3_token(bytes_of(key, 4));
}

/* True if the row comes before the query's begin, or is that. */
static bool is_passed(const struct wanted *w, int k, int number)
{
	const struct query *q = &w->query;
	int begin = w->after.a * B_COUNT + B_COUNT - 1 - w->after.b;

	if (bytes_is_null(q->after_key))
		return false;
	if (k != w->after.k)
		return token_of(k) < token_of(w->after.k);
	return !q->after_clustering ||
	       (q->reversed ? number >= begin : number <= begin);
}

static void add_model_partition(struct buf *out, const struct model *m,
				const struct wanted *w, int k, uint64_t *given)
{
	const struct query *q = &w->query;
	uint64_t here = 0;
	int i, last = -1, number;

	for (i = 0; i < A_COUNT * B_COUNT; i++) {
		int a, b;

		number = q->reversed ? A_COUNT * B_COUNT - 1 - i : i;
		a = number / B_COUNT;
		b = B_COUNT - 1 - number % B_COUNT;
		if (is_passed(w, k, number) || !in_slices(w, number) ||
		    is_repeated(w, last, number) || !row_is_live(m, &m->rows[k][a][b]))
			continue;
		if ((q->limit && *given == q->limit) ||
		    (q->partition_limit && here == q->partition_limit))
			return;
		add_model_row(out, m, q, k, a, b);
		last = number;
		++*given;
		here++;
	}
	if (!bytes_is_null(q->after_key) &&
	    (k == w->after.k || token_of(k) < token_of(w->after.k)))
		return;
	if (!here && q->static_only_rows && is_live(m, &m->statics[k]) &&
	    !(q->limit && *given == q->limit)) {
		add_model_row(out, m, q, k, 0, -1);
		++*given;
	}
}

static void add_model(struct buf *out, const struct model *m,
		      const struct wanted *w)
{
	const struct query *q = &w->query;
	uint64_t given = 0;
	int64_t above = INT64_MIN;
	size_t i;
	int k, next;

	for (i = 0; i < q->partition_count; i++)
		add_model_partition(out, m, w, w->partitions[i].k, &given);
	while (!q->partition_count) {
		for (k = 0, next = -1; k < PARTITIONS; k++)
			if (token_of(k) > above && token_of(k) >= q->from_token
			    && token_of(k) <= q->to_token &&
			    (next < 0 || token_of(k) < token_of(next)))
				next = k;
		if (next < 0)
			break;
		above = token_of(next);
		add_model_partition(out, m, w, next, &given);
	}
}

static int32_t int_of(struct bytes value)
{
	ck_assert_uint_eq(value.len, 4);
	return (int32_t)get_be32(value.ptr);
}

static void add_cells(struct buf *out, const struct cell_view *cells,
		      uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct cell_view *c = &cells[i];
		struct bytes name = bytes_is_null(c->path) ?
				    bytes_str(c->column->name) : c->path;

		buf_add_format(out, " %.*s=%d", (int)name.len,
			       (const char *)name.ptr, int_of(c->value));
	}
}

static void add_view(struct buf *out, const struct row_view *row)
{
	buf_add_format(out, "%d", int_of(row->key_values[0]));
	ck_assert_int_eq(row->token, murmur3_token(row->partition_key));
	if (row->row_exists) {
		buf_add_format(out, "/%d/'%.*s'", int_of(row->clustering[0]),
			       (int)row->clustering[1].len,
			       (const char *)row->clustering[1].ptr);
		if (row->marker.timestamp != NO_TIMESTAMP)
			buf_add_str(out, " *");
		add_cells(out, row->cells, row->cell_count);
	}
	add_cells(out, row->statics, row->static_count);
	buf_add_byte(out, '\n');
}

static void add_query(struct buf *out, struct store *s, const struct query *q)
{
	struct cursor *c;
	struct row_view row;
	int more;

	ck_assert_int_eq(table_query(&c, s, q), 0);
	while ((more = cursor_next(c, &row)) > 0)
		add_view(out, &row);
	ck_assert_int_eq(more, 0);
	ck_assert_int_eq(cursor_next(c, &row), 0);
	cursor_close(c);
}

/* Another moment of the store, in which no row is another. */
static void pass_time(struct store *s, const struct table *t)
{
	struct object_ref table = { .table = t, .partition_key = BYTES_EMPTY };
	struct write w;

	write_init(&w, s);
	attribute_write(&w, &table, 'z', bytes_str("z"), store_timestamp(s));
	ck_assert_int_eq(test_write(&w), 0);
	write_release(&w);
	ck_assert_int_eq(store_flush(s, (struct table *)t), 0);
}

/* A cursor that rests now and then. The number of times that it did. */
static unsigned check_rest(struct model *m, struct store *s,
			   const struct query *q)
{
	struct buf all = BUF_INIT, got = BUF_INIT;
	unsigned rests = 0;
	struct cursor *c;
	struct row_view row;
	int more;

	add_query(&all, s, q);
	ck_assert_int_eq(table_query(&c, s, q), 0);
	while ((more = cursor_next(c, &row)) > 0) {
		add_view(&got, &row);
		if (random_below(m, 3))
			continue;
		pass_time(s, q->table);
		cursor_rest(c);
		rests++;
	}
	ck_assert_int_eq(more, 0);
	ck_assert_str_eq(buf_cstr(&got), buf_cstr(&all));
	cursor_close(c);
	buf_release(&all);
	buf_release(&got);
	return rests;
}

/* When a row that was given whole ends to be there. */
static int64_t ends(const struct row_view *row)
{
	int64_t last = 0, end;
	uint32_t i;

	if (row->marker.timestamp != NO_TIMESTAMP)
		last = row->marker.ttl ? row->marker.expires : NO_TIME;
	for (i = 0; i < row->cell_count; i++) {
		end = row->cells[i].expires_s;
		last = end > last ? end : last;
	}
	return last;
}

/* A cursor that gives names now and then: the same rows, the same ends. */
static void check_names(struct model *m, struct store *s, const struct query *q)
{
	struct row_view whole, row;
	struct cursor *all, *names;
	int more;

	ck_assert_int_eq(table_query(&all, s, q), 0);
	ck_assert_int_eq(table_query(&names, s, q), 0);
	do {
		bool on = random_below(m, 4);

		cursor_names(names, on);
		more = cursor_next(all, &whole);
		ck_assert_int_eq(cursor_next(names, &row), more);
		if (more <= 0)
			break;
		ck_assert(bytes_equal(whole.engine_key, row.engine_key));
		ck_assert(bytes_equal(whole.partition_key, row.partition_key));
		ck_assert_int_eq(whole.row_exists, row.row_exists);
		ck_assert_int_eq(whole.static_count, row.static_count);
		if (!row.row_exists)
			continue;
		ck_assert(bytes_equal(whole.clustering[0], row.clustering[0]));
		ck_assert(bytes_equal(whole.clustering[1], row.clustering[1]));
		ck_assert_int_eq(row.names, on);
		ck_assert(row.expires_s == ends(&whole));
		ck_assert(!on || !row.cell_count);
	} while (true);
	ck_assert_int_eq(more, 0);
	cursor_close(all);
	cursor_close(names);
}

static void random_slices(struct model *m, struct wanted *w)
{
	size_t i, count = random_below(m, 3);

	for (i = 0; i < count; i++) {
		random_bound(m, &w->slices[i].start, &w->places[2 * i], true,
			     &w->first[i]);
		random_bound(m, &w->slices[i].end, &w->places[2 * i + 1],
			     false, &w->end[i]);
	}
	/* They must be sorted and apart, and go forward. */
	if (count == 2 && w->first[1] < w->end[0])
		count = 1;
	if (count && w->first[0] >= w->end[0])
		count = 0;
	if (count == 2 && w->first[1] >= w->end[1])
		count = 1;
	w->query.slices = w->slices;
	w->query.slice_count = count;
}

static void random_query(struct model *m, struct wanted *w,
			 const struct table *t)
{
	struct query *q = &w->query;
	size_t i;

	query_init(q, t);
	random_slices(m, w);
	if (random_below(m, 2)) {
		q->partition_count = 1 + random_below(m, 3);
		for (i = 0; i < q->partition_count; i++) {
			random_place(m, &w->partitions[i]);
			w->keys[i] = bytes_of(w->partitions[i].key, 4);
		}
		q->partitions = w->keys;
	} else if (random_below(m, 2)) {
		random_place(m, &w->partitions[0]);
		q->from_token = token_of(w->partitions[0].k);
		q->to_token = token_of((int)random_below(m, PARTITIONS));
	}
	if (!random_below(m, 3)) {
		random_place(m, &w->after);
		q->after_key = bytes_of(w->after.key, 4);
		if (random_below(m, 2))
			q->after_clustering = w->after.clustering;
	}
	q->reversed = random_below(m, 2);
	q->with_statics = random_below(m, 2);
	q->static_only_rows = q->with_statics && random_below(m, 2);
	if (!random_below(m, 3))
		q->limit = 1 + random_below(m, 10);
	if (!random_below(m, 3))
		q->partition_limit = 1 + random_below(m, 4);
	if (!random_below(m, 3))
		q->distinct = (int)random_below(m, 3);
}

static void check_query(struct model *m, struct store *s,
			const struct table *t)
{
	struct buf expected = BUF_INIT, found = BUF_INIT;
	struct wanted w;

	memset(&w, 0, sizeof(w));
	random_query(m, &w, t);
	add_model(&expected, m, &w);
	add_query(&found, s, &w.query);
	ck_assert_str_eq(buf_cstr(&found), buf_cstr(&expected));
	check_names(m, s, &w.query);
	if (!random_below(m, 8))
		m->rests += check_rest(m, s, &w.query);
	buf_release(&expected);
	buf_release(&found);
}

static void check_read(struct model *m, struct store *s, const struct table *t)
{
	struct arena arena = ARENA_INIT;
	struct model_row *row;
	struct row_view view;
	struct cell_view cell;
	struct place p;
	int found;

	random_place(m, &p);
	row = &m->rows[p.k][p.a][p.b];
	found = table_read(s, t, bytes_of(p.key, 4), p.clustering,
			   (uint64_t)1 << t->columns[V].number, 0, &arena,
			   &view);
	ck_assert_int_eq(found, row_is_live(m, row));
	ck_assert_uint_ne(view.state, 0);
	ck_assert_uint_eq(view.state, store_partition_state(s, t->number,
							    view.token));
	found = table_read_cell(s, t, bytes_of(p.key, 4), p.clustering,
				&t->columns[M], bytes_str("y"), 0, &arena,
				&cell);
	ck_assert_int_eq(found, is_live(m, &row->m[1]));
	if (found)
		ck_assert_int_eq(int_of(cell.value), row->m[1].n);
	found = table_read(s, t, bytes_of(p.key, 4), NULL, UINT64_MAX, 0,
			   &arena, &view);
	ck_assert_int_eq(found, is_live(m, &m->statics[p.k]));
	if (found)
		ck_assert_int_eq(int_of(view.statics[0].value),
				 m->statics[p.k].n);
	arena_release(&arena);
}

static void disturb(struct model *m, struct test_store *store, struct table **t)
{
	switch (random_below(m, 12)) {
	case 0:
		ck_assert_int_eq(store_flush(store->store, *t), 0);
		break;
	case 1:
		ck_assert_int_eq(store_flush(store->store, NULL), 0);
		ck_assert_int_eq(store_compact(store->store, *t), 0);
		break;
	case 2:
		table_put(*t);
		test_store_reopen(store);
		*t = test_table(store->store, "ks", "t");
		break;
	case 3:
	case 4:
		m->now_s += 5;
		clock_set_us(m->now_s * 1000000);
		break;
	}
}

START_TEST(rows_are_those_of_a_model)	/* _i is the seed */
{
	struct model m = { .now_s = 1000000, .random = (uint64_t)_i };
	struct test_store store;
	struct table *t;
	int i, j;

	clock_set_us(m.now_s * 1000000);
	test_store_open(&store);
	test_add_keyspace(store.store, "ks");
	t = test_add_table(store.store, new_table());
	for (i = 0; i < 60; i++) {
		write_batch(&m, store.store, t);
		m.now_s = clock_now_s();
		disturb(&m, &store, &t);
		for (j = 0; j < 4; j++)
			check_query(&m, store.store, t);
		check_read(&m, store.store, t);
	}
	ck_assert_uint_gt(m.rests, 10);
	table_put(t);
	test_store_close(&store);
	clock_set_us(INT64_MIN);
}
END_TEST

SUITE(table)
{
	TCase *tc = tcase_create("table");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, rows_are_those_of_a_model, 0, 30);
	suite_add_tcase(suite, tc);
}
