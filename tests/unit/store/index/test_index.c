/*
 * An index finds the same as a scan: random writes of every kind, then each
 * index asked for each value.
 */
#include "store/table/table.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "store/base/clock.h"
#include "store/schema/table_edit.h"
#include "store/table/inner.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

/* ((p, q), c, s static, l list<int>, m map<text, int>, st set<text>, v, w) */
enum { P, Q, C, S, L, M, ST, V, W };	/* places of columns */
static const char *const words[] = { "Ann", "anna", "Bob", "annabel", "b" };
#define WORDS 5
#define NUMBERS 4

static const struct {
	const char *name;
	enum index_kind kind;
	enum index_target target;
	uint32_t column;
	uint32_t option_count;
	struct property options[2];
} indexes[] = {
	{ "i_q", INDEX_COMPOSITES, INDEX_SIMPLE, Q, 0, { } },
	{ "i_c", INDEX_COMPOSITES, INDEX_SIMPLE, C, 0, { } },
	{ "i_s", INDEX_COMPOSITES, INDEX_SIMPLE, S, 0, { } },
	{ "i_v", INDEX_COMPOSITES, INDEX_SIMPLE, V, 0, { } },
	{ "i_l", INDEX_COMPOSITES, INDEX_VALUES, L, 0, { } },
	{ "i_st", INDEX_COMPOSITES, INDEX_VALUES, ST, 0, { } },
	{ "i_mk", INDEX_COMPOSITES, INDEX_KEYS, M, 0, { } },
	{ "i_mv", INDEX_COMPOSITES, INDEX_VALUES, M, 0, { } },
	{ "i_me", INDEX_COMPOSITES, INDEX_ENTRIES, M, 0, { } },
	{ "i_w", INDEX_SASI, INDEX_SIMPLE, W, 2,
	  { { (char *)"analyzer_class", (char *)"NonTokenizingAnalyzer" },
	    { (char *)"case_sensitive", (char *)"false" } } },
};

static struct table *new_table(bool indexed)
{
	struct table *t = table_new("ks", "t");
	struct type *text = type_native(TYPE_TEXT),
		    *number = type_native(TYPE_INT);
	struct type *map[] = { text, number };
	size_t i;

	table_add_column(t, "p", number, COLUMN_PARTITION_KEY, false);
	table_add_column(t, "q", number, COLUMN_PARTITION_KEY, false);
	table_add_column(t, "c", number, COLUMN_CLUSTERING, true);
	table_add_column(t, "s", text, COLUMN_STATIC, false);
	table_add_column(t, "l", type_new(TYPE_LIST, false, &number, 1),
			 COLUMN_REGULAR, false);
	table_add_column(t, "m", type_new(TYPE_MAP, false, map, 2),
			 COLUMN_REGULAR, false);
	table_add_column(t, "st", type_new(TYPE_SET, false, &text, 1),
			 COLUMN_REGULAR, false);
	table_add_column(t, "v", number, COLUMN_REGULAR, false);
	table_add_column(t, "w", text, COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	for (i = 0; indexed && i < ARRAY_SIZE(indexes); i++) {
		struct index x = {
			.name = (char *)indexes[i].name,
			.kind = indexes[i].kind,
			.target = indexes[i].target,
			.column = indexes[i].column,
			.options = (struct property *)indexes[i].options,
			.option_count = indexes[i].option_count,
		};

		ck_assert_int_eq(table_add_index(t, &x), 0);
	}
	return t;
}

struct run {
	uint64_t random;
	struct test_store store;
	struct table *table;
};

static uint32_t below(struct run *r, uint32_t n)
{
	r->random = r->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(r->random >> 33) % n;
}

/* ------------------------------------------------------------------ writing */
struct numbers {
	uint8_t bytes[4][4];
};

static struct bytes number(uint8_t bytes[4], uint32_t n)
{
	put_be32(bytes, n);
	return bytes_of(bytes, 4);
}

static void set_cell(struct run *r, struct write *w, uint32_t place,
		     struct bytes path, struct bytes value, int64_t us)
{
	int32_t ttl = below(r, 4) ? 0 : 1 + (int32_t)below(r, 20);

	write_cell(w, &r->table->columns[place], path,
		   below(r, 4) ? value : BYTES_NULL, us, ttl);
}

static void set_some(struct run *r, struct write *w, int64_t us)
{
	uint8_t n[4], id[16] = { 0, 0, 0, 0, 0, 0, 0x10 };
	struct bytes word = bytes_str(words[below(r, WORDS)]);

	id[3] = (uint8_t)below(r, 3);
	if (below(r, 2))
		write_marker(w, us, below(r, 4) ? 0 : 9);
	if (!below(r, 10))
		write_column_deletion(w, &r->table->columns[L + below(r, 3)],
				      us - 1);
	switch (below(r, 5)) {
	case 0:
		set_cell(r, w, L, bytes_of(id, 16),
			 number(n, below(r, NUMBERS)), us);
		break;
	case 1:
		set_cell(r, w, M, word, number(n, below(r, NUMBERS)), us);
		break;
	case 2:
		set_cell(r, w, ST, word, BYTES_EMPTY, us);
		break;
	case 3:
		set_cell(r, w, V, BYTES_NULL, number(n, below(r, NUMBERS)), us);
		break;
	case 4:
		set_cell(r, w, W, BYTES_NULL, word, us);
		break;
	}
}

static void random_key(struct run *r, struct buf *key)
{
	struct bytes values[2];
	uint8_t p[4], q[4];

	values[0] = number(p, below(r, 3));
	values[1] = number(q, below(r, 2));
	buf_clear(key);
	table_partition_key(key, r->table, values);
}

static void change(struct run *r, struct write *w)
{
	struct buf key = BUF_INIT;
	uint8_t n[4], high[4];
	struct bytes c = number(n, below(r, 4)), d = number(high, below(r, 4));
	struct slice slice = { { &c, 1, true }, { &d, 1, true } };
	/* Some come late, and lose against what is there. */
	int64_t us = store_timestamp(r->store.store) -
		     (below(r, 4) ? 0 : below(r, 20));

	random_key(r, &key);
	switch (below(r, 16)) {
	case 0:
		write_partition_deletion(w, r->table, buf_bytes(&key), us);
		break;
	case 1:
		write_range_deletion(w, r->table, buf_bytes(&key), &slice, us);
		break;
	case 2:
		write_row(w, r->table, buf_bytes(&key), &c);
		write_row_deletion(w, us);
		break;
	case 3:
	case 4:
		write_row(w, r->table, buf_bytes(&key), NULL);
		set_cell(r, w, S, BYTES_NULL,
			 bytes_str(words[below(r, WORDS)]), us);
		break;
	default:
		write_row(w, r->table, buf_bytes(&key), &c);
		set_some(r, w, us);
	}
	buf_release(&key);
}

static void change_some(struct run *r)
{
	uint32_t i, count = 1 + below(r, 4);
	struct write w;

	write_init(&w, r->store.store);
	for (i = 0; i < count; i++)
		change(r, &w);
	ck_assert_int_eq(test_write(&w), 0);
	write_release(&w);
	clock_set_us(clock_now_us() + below(r, 2000000));
}

/* ------------------------------------------------------------------ reading */
static void add_bytes(struct buf *out, struct bytes b)
{
	size_t i;

	for (i = 0; i < b.len; i++)
		buf_add_format(out, "%02x", b.ptr[i]);
	buf_add_byte(out, ' ');
}

static void add_view(struct buf *out, const struct row_view *row)
{
	uint32_t i;

	add_bytes(out, row->partition_key);
	if (row->row_exists)
		add_bytes(out, row->clustering[0]);
	for (i = 0; i < row->cell_count; i++) {
		buf_add_format(out, "%s:", row->cells[i].column->name);
		add_bytes(out, row->cells[i].path);
		add_bytes(out, row->cells[i].value);
	}
	for (i = 0; i < row->static_count; i++)
		add_bytes(out, row->statics[i].value);
	buf_add_byte(out, '\n');
}

/* The value to look for in an index, and for entries its key. */
struct wanted {
	struct bytes value, key;
	enum index_operator operator;
};

static int compare_folded(struct bytes a, struct bytes b)
{
	return a.len != b.len ||
	       strncasecmp((const char *)a.ptr, (const char *)b.ptr, a.len);
}

static bool word_matches(const struct wanted *w, struct bytes value)
{
	size_t i;

	if (w->operator == INDEX_EQ)
		return !compare_folded(value, w->value);
	if (value.len < w->value.len)
		return false;
	for (i = 0; i + w->value.len <= value.len; i++)
		if (!compare_folded(bytes_of(value.ptr + i, w->value.len),
				    w->value) &&
		    (w->operator == INDEX_CONTAINS_TEXT ||
		     (w->operator == INDEX_PREFIX && !i) ||
		     (w->operator == INDEX_SUFFIX &&
		      i + w->value.len == value.len)))
			return true;
	return false;
}

static bool cell_matches(size_t i, const struct wanted *w,
			 const struct cell_view *c)
{
	struct bytes value = c->value;

	if (indexes[i].column != (uint32_t)(c->column->kind == COLUMN_STATIC ?
	    S : c->column->number - COLUMN_NUMBER_FIRST))
		return false;
	if (indexes[i].kind == INDEX_SASI)
		return word_matches(w, value);
	if (indexes[i].target == INDEX_KEYS || indexes[i].column == ST)
		value = c->path;
	if (indexes[i].target == INDEX_ENTRIES && !bytes_equal(c->path, w->key))
		return false;
	return w->operator == INDEX_EQ ? bytes_equal(value, w->value)
				       : bytes_compare(value, w->value) >= 0;
}

static bool matches(size_t i, const struct wanted *w,
		    const struct row_view *row)
{
	uint32_t j;

	if (indexes[i].column == Q)
		return w->operator == INDEX_EQ ?
		       bytes_equal(row->key_values[1], w->value) :
		       bytes_compare(row->key_values[1], w->value) >= 0;
	if (indexes[i].column == C)
		return row->row_exists && (w->operator == INDEX_EQ ?
		       bytes_equal(row->clustering[0], w->value) :
		       bytes_compare(row->clustering[0], w->value) >= 0);
	for (j = 0; j < row->cell_count; j++)
		if (cell_matches(i, w, &row->cells[j]))
			return true;
	for (j = 0; j < row->static_count; j++)
		if (cell_matches(i, w, &row->statics[j]))
			return true;
	return false;
}

static void add_rows(struct buf *out, struct cursor *c, size_t i,
		     const struct wanted *filter)
{
	struct row_view row;
	int more;

	while ((more = cursor_next(c, &row)) > 0)
		if (!filter || matches(i, filter, &row))
			add_view(out, &row);
	ck_assert_int_eq(more, 0);
	cursor_close(c);
}

static void check(struct run *r, size_t i, const struct wanted *w)
{
	struct index_query by = { .index = &r->table->indexes[i],
				  .operator = w->operator, .value = w->value,
				  .key = w->key, .low_inclusive = true };
	struct buf scanned = BUF_INIT, found = BUF_INIT, key = BUF_INIT;
	struct bytes partition;
	struct cursor *c;
	struct query q;

	if (w->operator == INDEX_RANGE)
		by.low = w->value;
	query_init(&q, r->table);
	q.with_statics = q.static_only_rows = true;
	if (!below(r, 3)) {
		random_key(r, &key);
		partition = buf_bytes(&key);
		q.partitions = &partition;
		q.partition_count = 1;
	}
	ck_assert_int_eq(table_query(&c, r->store.store, &q), 0);
	add_rows(&scanned, c, i, w);
	ck_assert_int_eq(index_query_table(&c, r->store.store, &q, &by), 0);
	add_rows(&found, c, i, NULL);
	ck_assert_msg(!strcmp(buf_cstr(&found), buf_cstr(&scanned)),
		      "%s: found\n%swanted\n%s", indexes[i].name,
		      buf_cstr(&found), buf_cstr(&scanned));
	buf_release(&scanned);
	buf_release(&found);
	buf_release(&key);
}

static void check_words(struct run *r, size_t i)
{
	static const enum index_operator operators[] = {
		INDEX_EQ, INDEX_PREFIX, INDEX_SUFFIX, INDEX_CONTAINS_TEXT
	};
	static const char *const parts[] = { "ANN", "b", "a", "nn", "bel" };
	struct wanted w = { .key = BYTES_NULL };
	size_t j, k;

	for (j = 0; j < ARRAY_SIZE(operators); j++)
		for (k = 0; k < ARRAY_SIZE(parts); k++) {
			w.operator = operators[j];
			w.value = bytes_str(parts[k]);
			check(r, i, &w);
		}
}

static void check_index(struct run *r, size_t i)
{
	bool text = indexes[i].column == S || indexes[i].column == ST ||
		    indexes[i].target == INDEX_KEYS;
	struct wanted w = { .operator = INDEX_EQ, .key = BYTES_NULL };
	uint8_t n[4];
	uint32_t j;

	if (indexes[i].kind == INDEX_SASI) {
		check_words(r, i);
		return;
	}
	for (j = 0; j < WORDS; j++) {
		w.value = text ? bytes_str(words[j]) : number(n, j);
		if (indexes[i].target == INDEX_ENTRIES)
			w.key = bytes_str(words[below(r, WORDS)]);
		check(r, i, &w);
	}
	if (text || indexes[i].target != INDEX_SIMPLE)
		return;
	w.operator = INDEX_RANGE;
	w.value = number(n, 1);
	check(r, i, &w);
}

static void start(struct run *r, int seed, bool indexed)
{
	r->random = (uint64_t)seed;
	clock_set_us(5000000LL * 1000000);
	test_store_open(&r->store);
	test_add_keyspace(r->store.store, "ks");
	r->table = test_add_table(r->store.store, new_table(indexed));
}

static void stop(struct run *r)
{
	table_put(r->table);
	test_store_close(&r->store);
	clock_set_us(INT64_MIN);
}

START_TEST(an_index_finds_what_a_scan_finds)	/* _i is the seed */
{
	struct run r;
	size_t i, round;

	start(&r, _i, true);
	/* So little that ranges are walked again and again. */
	if (_i % 2)
		r.store.store->collect_bytes = 200;
	for (round = 0; round < 30; round++) {
		change_some(&r);
		if (!below(&r, 8))
			ck_assert_int_eq(store_flush(r.store.store, NULL), 0);
		if (!below(&r, 12))
			ck_assert_int_eq(store_compact(r.store.store, NULL),
					 0);
		if (round % 3)
			continue;
		for (i = 0; i < ARRAY_SIZE(indexes); i++)
			check_index(&r, i);
	}
	stop(&r);
}
END_TEST

/* Made on a table that has rows, and again found after a restart. */
START_TEST(an_index_is_built)
{
	struct run r;
	struct table *t;
	size_t i, round;

	start(&r, _i, false);
	for (round = 0; round < 40; round++)
		change_some(&r);
	t = new_table(true);
	t->number = r.table->number;
	memcpy(t->id, r.table->id, 16);
	t->created_us = r.table->created_us;
	table_put(r.table);
	r.table = test_add_table(r.store.store, t);
	for (i = 0; i < ARRAY_SIZE(indexes); i++) {
		ck_assert(!r.table->indexes[i].building);
		ck_assert_uint_gt(r.table->indexes[i].number, r.table->number);
		check_index(&r, i);
	}
	table_put(r.table);
	test_store_reopen(&r.store);
	r.table = test_table(r.store.store, "ks", "t");
	for (i = 0; i < ARRAY_SIZE(indexes); i++)
		check_index(&r, i);
	stop(&r);
}
END_TEST

/* A writer that still has the table as it was keeps the new index in step. */
START_TEST(a_writer_with_an_old_table)
{
	struct run r;
	struct table *t, *old;
	size_t i;

	start(&r, 1, false);
	old = table_get(r.table);
	t = new_table(true);
	t->number = old->number;
	table_put(r.table);
	t = test_add_table(r.store.store, t);
	r.table = old;
	for (i = 0; i < 20; i++)
		change_some(&r);
	r.table = t;
	for (i = 0; i < ARRAY_SIZE(indexes); i++)
		check_index(&r, i);
	table_put(old);
	stop(&r);
}
END_TEST

struct writer {
	struct run *run;
	pthread_t thread;
	_Atomic bool stop;
	_Atomic int failed;
	_Atomic uint32_t writes;
};

/* Rewrites one value after another; Check may not be called from here. */
static void *write_on(void *context)
{
	struct writer *me = context;
	const struct table *t = me->run->table;
	uint8_t p[4], q[4], c[4], v[4];
	struct bytes values[2], clustering;
	struct buf key = BUF_INIT;
	struct write w;
	uint32_t i;

	write_init(&w, me->run->store.store);
	for (i = 0; !me->stop && !me->failed; i++) {
		values[0] = number(p, i % 3);
		values[1] = number(q, i / 3 % 2);
		clustering = number(c, i / 6 % 4);
		buf_clear(&key);
		table_partition_key(&key, t, values);
		write_row(&w, t, buf_bytes(&key), &clustering);
		write_cell(&w, &t->columns[V], BYTES_NULL,
			   number(v, i / 5 % NUMBERS),
			   store_timestamp(me->run->store.store), 0);
		me->failed = test_write(&w);
		me->writes++;
	}
	write_release(&w);
	buf_release(&key);
	return NULL;
}

/* An index that is built under a writer misses nothing that it writes. */
START_TEST(an_index_is_built_under_writes)
{
	struct run r;
	struct writer writer = { .run = &r };
	struct table *t, *old;
	uint32_t at;
	size_t i;

	start(&r, 1, false);
	old = table_get(r.table);
	ck_assert_int_eq(pthread_create(&writer.thread, NULL, write_on,
					&writer), 0);
	while (writer.writes < 200 && !writer.failed)
		sched_yield();
	t = new_table(true);
	t->number = old->number;
	t = test_add_table(r.store.store, t);
	at = writer.writes;
	while (writer.writes < at + 50 && !writer.failed)
		sched_yield();
	writer.stop = true;
	pthread_join(writer.thread, NULL);
	ck_assert_int_eq(writer.failed, 0);
	table_put(r.table);
	r.table = t;
	for (i = 0; i < ARRAY_SIZE(indexes); i++)
		check_index(&r, i);
	table_put(old);
	stop(&r);
}
END_TEST

START_TEST(a_dropped_tables_writer_is_told)
{
	struct run r;
	struct write w;
	struct buf key = BUF_INIT;
	uint8_t n[4];
	struct bytes c = number(n, 1);

	start(&r, 1, true);
	random_key(&r, &key);
	test_drop_table(r.store.store, "ks", "t");
	write_init(&w, r.store.store);
	write_row(&w, r.table, buf_bytes(&key), &c);
	write_marker(&w, 1, 0);
	ck_assert_int_eq(test_write(&w), -ESTALE);
	write_release(&w);
	buf_release(&key);
	stop(&r);
}
END_TEST

SUITE(index)
{
	TCase *tc = tcase_create("index");

	tcase_set_timeout(tc, 20);
	tcase_add_loop_test(tc, an_index_finds_what_a_scan_finds, 0, 15);
	tcase_add_loop_test(tc, an_index_is_built, 0, 5);
	tcase_add_test(tc, a_writer_with_an_old_table);
	tcase_add_loop_test(tc, an_index_is_built_under_writes, 0, 5);
	tcase_add_test(tc, a_dropped_tables_writer_is_told);
	suite_add_tcase(suite, tc);
}
