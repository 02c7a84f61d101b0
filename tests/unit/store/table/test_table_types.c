/*
 * Each type in each place of a table: as partition key, clustering column (both
 * directions), path of a collection and plain value, through the engine and
 * back, in order.
 */
#include "store/table/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/schema/table_edit.h"
#include "store/type/text/text.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

/* Values of a type as text, in the type's order, all different. */
static const struct {
	enum type_kind kind;
	const char *values[5];
} samples[] = {
	{ TYPE_ASCII, { "A", "a", "a b", "b" } },
	{ TYPE_BIGINT, { "-9223372036854775808", "-1", "0", "1",
			 "9223372036854775807" } },
	{ TYPE_BOOLEAN, { "false", "true" } },
	{ TYPE_DATE, { "-5877641-06-23", "1969-12-31", "1970-01-01",
		       "2016-10-04" } },
	{ TYPE_DECIMAL, { "-10", "-1.50", "0", "1.50", "1E+10" } },
	{ TYPE_DOUBLE, { "-Infinity", "-1.5", "0.0", "1.0E10", "NaN" } },
	{ TYPE_FLOAT, { "-Infinity", "-1.5", "0.0", "1.5", "NaN" } },
	{ TYPE_INET, { "1.2.3.4", "127.0.0.1", "192.168.0.1" } },
	{ TYPE_INT, { "-2147483648", "-1", "0", "5", "2147483647" } },
	{ TYPE_SMALLINT, { "-32768", "-1", "0", "5", "32767" } },
	{ TYPE_TEXT, { "A", "a", "\xc3\xa9", "\xe2\x82\xac" } },
	{ TYPE_TIME, { "00:00:00.000000000", "08:12:54.123456789",
		       "23:59:59.999999999" } },
	{ TYPE_TIMESTAMP, { "1969-12-31T23:59:59.999Z",
			    "1970-01-01T00:00:00.000Z",
			    "2016-10-04T12:34:00.000Z" } },
	{ TYPE_TIMEUUID, { "00000000-0000-1000-8080-808080808080",
			   "00000001-0000-1000-8080-808080808080",
			   "00000000-0000-1001-8080-808080808080" } },
	{ TYPE_TINYINT, { "-128", "-1", "0", "5", "127" } },
	{ TYPE_UUID, { "00000000-0000-1001-8080-808080808080",
		       "11111111-2222-4333-8444-555555555555",
		       "ffffffff-2222-4333-8444-555555555555" } },
	{ TYPE_VARINT, { "-100000000000000000000", "-1", "0", "256",
			 "100000000000000000000" } },
	{ TYPE_BLOB, { "0x", "0x00", "0x0001", "0x01", "0xff" } },
};

static struct test_store store;

static void start(void)
{
	test_store_open(&store);
	test_add_keyspace(store.store, "ks");
}

static void stop(void)
{
	test_store_close(&store);
}

static size_t read_values(struct buf *values, int sample)
{
	struct type_error error;
	size_t i;

	for (i = 0; i < 5 && samples[sample].values[i]; i++) {
		values[i] = BUF_INIT;
		ck_assert_int_eq(type_read_text(&values[i],
				type_native(samples[sample].kind),
				bytes_str(samples[sample].values[i]), &error),
				0);
	}
	return i;
}

static void release(struct buf *values, size_t count)
{
	while (count)
		buf_release(&values[--count]);
}

/* ((k), c, m map<c, c>, st set<c>, v c) */
static struct table *table_of(enum type_kind kind, bool reversed)
{
	struct table *t = table_new("ks", "t");
	struct type *type = type_native(kind), *parts[] = { type, type };

	table_add_column(t, "k", type, COLUMN_PARTITION_KEY, false);
	table_add_column(t, "c", type, COLUMN_CLUSTERING, reversed);
	table_add_column(t, "m", type_new(TYPE_MAP, false, parts, 2),
			 COLUMN_REGULAR, false);
	table_add_column(t, "st", type_new(TYPE_SET, false, parts, 1),
			 COLUMN_REGULAR, false);
	table_add_column(t, "v", type, COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	return test_add_table(store.store, t);
}

static void fill(const struct table *t, const struct buf *values, size_t count)
{
	struct write w;
	size_t i, j;

	write_init(&w, store.store);
	for (i = count; i--; ) {
		struct bytes value = buf_bytes(&values[i]);

		write_row(&w, t, buf_bytes(&values[count - 1]), &value);
		write_marker(&w, 1, 0);
		write_cell(&w, &t->columns[4], BYTES_NULL, value, 1, 0);
		for (j = count; j--; ) {
			write_cell(&w, &t->columns[2], buf_bytes(&values[j]),
				   value, 1, 0);
			write_cell(&w, &t->columns[3], buf_bytes(&values[j]),
				   BYTES_EMPTY, 1, 0);
		}
	}
	ck_assert_int_eq(test_write(&w), 0);
	write_release(&w);
}

static void check_row(const struct row_view *row, const struct buf *values,
		      size_t count, struct bytes own)
{
	size_t i;

	ck_assert_uint_eq(row->cell_count, 2 * count + 1);
	for (i = 0; i < count; i++) {
		struct bytes value = buf_bytes(&values[i]);

		ck_assert(bytes_equal(row->cells[i].path, value));
		ck_assert(bytes_equal(row->cells[i].value, own));
		ck_assert(bytes_equal(row->cells[count + i].path, value));
		ck_assert_uint_eq(row->cells[count + i].value.len, 0);
	}
	ck_assert(bytes_equal(row->cells[2 * count].value, own));
	ck_assert(bytes_equal(row->key_values[0],
			      buf_bytes(&values[count - 1])));
}

START_TEST(values_come_back_in_order)	/* _i / 2: which type; odd: DESC */
{
	struct buf values[5];
	size_t i, count = read_values(values, _i / 2);
	struct table *t = table_of(samples[_i / 2].kind, _i % 2);
	struct row_view row;
	struct cursor *c;
	struct query q;

	fill(t, values, count);
	ck_assert_int_eq(store_flush(store.store, t), 0);
	query_init(&q, t);
	ck_assert_int_eq(table_query(&c, store.store, &q), 0);
	for (i = 0; i < count; i++) {
		struct bytes value;

		value = buf_bytes(&values[_i % 2 ? count - 1 - i : i]);
		ck_assert_int_eq(cursor_next(c, &row), 1);
		ck_assert(bytes_equal(row.clustering[0], value));
		check_row(&row, values, count, value);
	}
	ck_assert_int_eq(cursor_next(c, &row), 0);
	cursor_close(c);
	release(values, count);
	table_put(t);
}
END_TEST

/* Equal, but written differently: the newest write's bytes are given. */
START_TEST(written_values_are_read_back)
{
	struct type_error error;
	struct table *t = table_of(TYPE_DECIMAL, _i);
	struct buf one = BUF_INIT, other = BUF_INIT;
	struct arena arena = ARENA_INIT;
	const struct column *set = &t->columns[3];
	struct row_view row;
	struct write w;
	struct bytes a, b;

	type_read_text(&one, type_native(TYPE_DECIMAL), bytes_str("1.0"),
		       &error);
	type_read_text(&other, type_native(TYPE_DECIMAL), bytes_str("1.00"),
		       &error);
	a = buf_bytes(&one);
	b = buf_bytes(&other);
	write_init(&w, store.store);
	write_row(&w, t, a, &b);
	write_marker(&w, 2, 0);
	write_cell(&w, set, b, BYTES_EMPTY, 2, 0);
	write_row(&w, t, a, &a);
	write_marker(&w, 1, 0);
	write_cell(&w, set, a, BYTES_EMPTY, 1, 0);
	ck_assert_int_eq(test_write(&w), 0);
	ck_assert_int_eq(table_read(store.store, t, a, &a, UINT64_MAX, 0,
				    &arena, &row), 1);
	ck_assert(bytes_equal(row.clustering[0], b));
	ck_assert(bytes_equal(row.partition_key, a));
	ck_assert_uint_eq(row.cell_count, 1);
	ck_assert(bytes_equal(row.cells[0].path, b));
	/* Partitions are bytes: this is another one. */
	ck_assert_int_eq(table_read(store.store, t, b, &a, UINT64_MAX, 0,
				    &arena, &row), 0);
	write_release(&w);
	arena_release(&arena);
	buf_release(&one);
	buf_release(&other);
	table_put(t);
}
END_TEST

static void insert(struct write *w, struct table *t, struct bytes key,
		   struct bytes clustering, int64_t timestamp)
{
	write_row(w, t, key, &clustering);
	write_marker(w, timestamp, 0);
	write_cell(w, &t->columns[4], BYTES_NULL, clustering, timestamp, 0);
}

static void is_spelled(struct table *t, struct bytes key, struct bytes as)
{
	struct arena arena = ARENA_INIT;
	struct row_view row;

	ck_assert_int_eq(table_read(store.store, t, key, &as, UINT64_MAX, 0,
				    &arena, &row), 1);
	ck_assert(bytes_equal(row.clustering[0], as));
	arena_release(&arena);
}

struct other {
	struct table *table;
	struct bytes key, clustering;
	int64_t timestamp;
	_Atomic bool done;
	int err;
};

static void *make_row(void *context)
{
	struct other *me = context;
	struct partition_ref ref = { me->table, me->key };
	struct write w;

	write_init(&w, store.store);
	write_lock(&w, &ref, 1);
	insert(&w, me->table, me->key, me->clustering, me->timestamp);
	me->err = commit_write(&w);
	write_release(&w);
	me->done = true;
	return NULL;
}

/*
 * Another writer comes between a write's look for a row and its end: the first
 * names the row, whatever the timestamps are.
 */
START_TEST(the_first_of_two_writers_names_a_row)
{
	struct table *t = table_of(TYPE_DECIMAL, _i & 1);
	struct other other = { .table = t, .timestamp = _i & 2 ? 20 : 1 };
	struct partition_ref ref = { .table = t };
	struct buf values[2] = { BUF_INIT, BUF_INIT };
	struct type_error error;
	struct bytes v[2];
	pthread_t thread;
	struct write w;
	size_t i;

	for (i = 0; i < 2; i++) {
		type_read_text(&values[i], type_native(TYPE_DECIMAL),
			       bytes_str(i ? "1.00" : "1.0"), &error);
		v[i] = buf_bytes(&values[i]);
	}
	other.key = ref.key = v[0];
	other.clustering = v[1];
	write_init(&w, store.store);
	write_lock(&w, &ref, 1);
	insert(&w, t, v[0], v[0], 10);
	insert(&w, t, v[0], v[1], 10);	/* the look for the first */
	ck_assert_int_eq(pthread_create(&thread, NULL, make_row, &other), 0);
	for (i = 0; !other.done && i < 50; i++)
		usleep(1000);
	ck_assert_int_eq(commit_write(&w), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(other.err, 0);
	for (i = 0; i < 2; i++) {
		is_spelled(t, v[0], v[0]);
		table_put(t);
		test_store_reopen(&store);
		t = test_table(store.store, "ks", "t");
	}
	write_release(&w);
	/* When it is gone, it may be named again. */
	write_init(&w, store.store);
	write_row(&w, t, v[0], &v[0]);
	write_row_deletion(&w, 30);
	ck_assert_int_eq(test_write(&w), 0);
	insert(&w, t, v[0], v[1], 40);
	ck_assert_int_eq(test_write(&w), 0);
	is_spelled(t, v[0], v[1]);
	write_release(&w);
	for (i = 0; i < 2; i++)
		buf_release(&values[i]);
	table_put(t);
}
END_TEST

/* Lists are ordered by the time of their ids, then by signed bytes. */
START_TEST(a_list_is_in_the_order_of_its_ids)
{
	static const uint8_t ids[][16] = {
		{ 9, 9, 9, 9, 0, 0, 0x10, 0, 0x80 },
		{ 9, 9, 9, 9, 0, 0, 0x10, 0, 0x7f },
		{ 0, 0, 0, 0, 0, 1, 0x10, 0, 0x80 },
		{ 0, 0, 0, 0, 0, 0, 0x10, 1, 0x80 },
	};
	struct type *number = type_native(TYPE_INT);
	struct table *t = table_new("ks", "t");
	struct arena arena = ARENA_INIT;
	struct row_view row;
	struct write w;
	size_t i;

	table_add_column(t, "k", number, COLUMN_PARTITION_KEY, false);
	table_add_column(t, "l", type_new(TYPE_LIST, false, &number, 1),
			 COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	t = test_add_table(store.store, t);
	write_init(&w, store.store);
	write_row(&w, t, bytes_str("abcd"), NULL);
	for (i = ARRAY_SIZE(ids); i--; )
		write_cell(&w, &t->columns[1], bytes_of(ids[i], 16),
			   bytes_str("1234"), 1, 0);
	ck_assert_int_eq(test_write(&w), 0);
	write_release(&w);
	ck_assert_int_eq(table_read(store.store, t, bytes_str("abcd"), NULL,
				    UINT64_MAX, 0, &arena, &row), 1);
	ck_assert_uint_eq(row.cell_count, ARRAY_SIZE(ids));
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		ck_assert_mem_eq(row.cells[i].path.ptr, ids[i], 16);
	arena_release(&arena);
	table_put(t);
}
END_TEST

SUITE_THREADS(table_types)
{
	TCase *tc = tcase_create("table_types");

	tcase_add_checked_fixture(tc, start, stop);
	tcase_add_loop_test(tc, values_come_back_in_order, 0,
			    2 * ARRAY_SIZE(samples));
	tcase_add_loop_test(tc, written_values_are_read_back, 0, 2);
	tcase_add_loop_test(tc, the_first_of_two_writers_names_a_row, 0, 4);
	tcase_add_test(tc, a_list_is_in_the_order_of_its_ids);
	suite_add_tcase(suite, tc);
}
