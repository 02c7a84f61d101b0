/* Writes one by one: counters, attributes, dropped columns, compact tables. */
#include "store/table/table.h"

#include <errno.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/schema/table_edit.h"
#include "store/table/observer.h"
#include "store/store.h"
#include "tests/lib/random.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store store;
static struct arena arena;
static struct write w;

static void start(void)
{
	test_store_open(&store);
	test_add_keyspace(store.store, "ks");
	arena = ARENA_INIT;
	write_init(&w, store.store);
}

static void stop(void)
{
	write_release(&w);
	arena_release(&arena);
	test_store_close(&store);
}

/* (k text, c text, v of kind, x text) */
static struct table *new_table(enum type_kind kind, uint32_t flags)
{
	struct table *t = table_new("ks", "t");
	struct type *text = type_native(TYPE_TEXT);

	t->flags = flags;
	table_add_column(t, "k", text, COLUMN_PARTITION_KEY, false);
	table_add_column(t, "c", text, COLUMN_CLUSTERING, false);
	table_add_column(t, "v", type_native(kind), COLUMN_REGULAR, false);
	if (!flags)
		table_add_column(t, "x", text, COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static const struct column *value_column(const struct table *t)
{
	return &t->columns[2];
}

static void begin(const struct table *t, const char *k, const char *c)
{
	struct bytes clustering = bytes_str(c);

	write_row(&w, t, bytes_str(k), &clustering);
}

static void done(void)
{
	ck_assert_int_eq(test_write(&w), 0);
}

static int read_row(const struct table *t, const char *k, const char *c,
		    struct row_view *row)
{
	struct bytes clustering = bytes_str(c);

	return table_read(store.store, t, bytes_str(k), &clustering,
			  UINT64_MAX, 0, &arena, row);
}

/* ---------------------------------------------------------------- counters */
static void add(const struct table *t, const char *k, int64_t delta)
{
	begin(t, k, "c");
	ck_assert_int_eq(commit_counter_add(&w, value_column(t), BYTES_NULL,
				delta, store_timestamp(store.store)), 0);
}

static int64_t total(const struct table *t, const char *k)
{
	struct row_view row;

	if (!read_row(t, k, "c", &row))
		return -1;
	ck_assert_uint_eq(row.cells[0].value.len, 8);
	return (int64_t)get_be64(row.cells[0].value.ptr);
}

START_TEST(counters_add_up)
{
	struct table *t = test_add_table(store.store,
					 new_table(TYPE_COUNTER,
						   TABLE_COUNTER));

	add(t, "a", 5);
	add(t, "b", 100);
	add(t, "a", -2);	/* in one batch, with another row between */
	add(t, "a", -1);
	done();
	ck_assert_int_eq(total(t, "a"), 2);
	ck_assert_int_eq(total(t, "b"), 100);
	ck_assert_int_eq(store_flush(store.store, t), 0);
	add(t, "a", -10);
	done();
	ck_assert_int_eq(total(t, "a"), -8);
	add(t, "b", INT64_MAX);
	done();
	ck_assert_int_eq(total(t, "b"), INT64_MIN + 99);
	table_put(t);
}
END_TEST

START_TEST(a_deleted_counter_begins_anew)	/* _i: at which level */
{
	struct table *t = test_add_table(store.store,
					 new_table(TYPE_COUNTER,
						   TABLE_COUNTER));
	int64_t us;

	add(t, "a", 5);
	done();
	us = store_timestamp(store.store);
	begin(t, "a", "c");
	if (_i == 0)
		write_cell(&w, value_column(t), BYTES_NULL, BYTES_NULL, us, 0);
	else if (_i == 1)
		write_row_deletion(&w, us);
	else
		write_partition_deletion(&w, t, bytes_str("a"), us);
	done();
	ck_assert_int_eq(total(t, "a"), -1);
	add(t, "a", 7);
	done();
	ck_assert_int_eq(total(t, "a"), 7);
	table_put(t);
}
END_TEST

/* -------------------------------------------------------------- attributes */
static int attribute(const struct object_ref *o, uint8_t name,
		     struct bytes *value)
{
	return table_attribute(store.store, o, name, &arena, value);
}

START_TEST(attributes_are_beside_the_data)
{
	struct table *t = test_add_table(store.store,
					 new_table(TYPE_TEXT, 0));
	struct bytes c = bytes_str("c"), value;
	struct object_ref o = { .table = t, .partition_key = bytes_str("a"),
				.clustering = &c };
	struct row_view row;
	struct cursor *cursor;
	struct query q;

	attribute_write(&w, &o, 'm', bytes_str("partition"), 1);
	o.clustering_count = 1;
	attribute_write(&w, &o, 'm', bytes_str("row"), 1);
	o.column = value_column(t);
	attribute_write(&w, &o, 'm', bytes_str("cell"), 1);
	attribute_write(&w, &o, 'n', bytes_str("other"), 1);
	done();
	ck_assert_int_eq(attribute(&o, 'm', &value), 1);
	ck_assert(bytes_equal(value, bytes_str("cell")));
	o.column = NULL;
	ck_assert_int_eq(attribute(&o, 'm', &value), 1);
	ck_assert(bytes_equal(value, bytes_str("row")));
	ck_assert_int_eq(attribute(&o, 'n', &value), 0);
	o.is_static = true;
	ck_assert_int_eq(attribute(&o, 'm', &value), 0);
	o.is_static = false;
	/* They make nothing live. */
	query_init(&q, t);
	ck_assert_int_eq(table_query(&cursor, store.store, &q), 0);
	ck_assert_int_eq(cursor_next(cursor, &row), 0);
	cursor_close(cursor);
	attribute_write(&w, &o, 'm', BYTES_NULL, 2);
	done();
	ck_assert_int_eq(attribute(&o, 'm', &value), 0);
	o.clustering_count = 0;
	ck_assert_int_eq(attribute(&o, 'm', &value), 1);
	write_partition_deletion(&w, t, bytes_str("a"), 3);
	done();
	ck_assert_int_eq(attribute(&o, 'm', &value), 0);
	table_put(t);
}
END_TEST

/* The keys of one object of the table below. */
struct object_keys {
	char partition[2], c[2];
	uint8_t d[4];
	struct bytes clustering[2];
};

static void object_at(struct object_ref *o, struct object_keys *keys,
		      const struct table *t, unsigned k, unsigned c, unsigned d)
{
	snprintf(keys->partition, 2, "%c", 'a' + (int)k % 4);
	snprintf(keys->c, 2, "%c", 'a' + (int)c % 8);
	put_be32(keys->d, d % 8);
	keys->clustering[0] = bytes_str(keys->c);
	keys->clustering[1] = bytes_of(keys->d, 4);
	*o = (struct object_ref){ .table = t,
				  .partition_key = bytes_str(keys->partition),
				  .clustering = keys->clustering };
}

/* Write or remove some row, or some attribute of a row or of what is above it. */
static void change_something(const struct table *t, struct random *rng)
{
	struct object_keys keys;
	struct object_ref o;
	unsigned what = (unsigned)random_below(rng, 10);

	object_at(&o, &keys, t, (unsigned)random_below(rng, 4),
		  (unsigned)random_below(rng, 8),
		  (unsigned)random_below(rng, 8));
	if (what < 4) {
		write_row(&w, t, o.partition_key, o.clustering);
		if (what)
			write_marker(&w, store_timestamp(store.store), 0);
		else
			write_row_deletion(&w, store_timestamp(store.store));
	} else {
		o.clustering_count = (uint32_t)random_below(rng, 3);
		o.is_static = what == 4;
		o.column = what == 5 ? &t->columns[3] : NULL;
		attribute_write(&w, &o, what == 6 ? 'n' : 'm',
				what == 7 ? BYTES_NULL :
					    bytes_of(keys.c, 1 + what % 2),
				store_timestamp(store.store));
	}
	done();
}

/* Compare what a query has with each row to single reads. */
static void check_attributes(const struct table *t, const struct bytes *partition,
			     int distinct, bool rests)
{
	struct cursor *cursor;
	struct row_view row;
	struct query q;
	int got;

	query_init(&q, t);
	q.partitions = partition;
	q.partition_count = partition ? 1 : 0;
	q.distinct = distinct;
	q.attribute = 'm';
	ck_assert_int_eq(table_query(&cursor, store.store, &q), 0);
	while ((got = cursor_next(cursor, &row)) > 0) {
		struct object_ref o = {
			.table = t, .partition_key = row.partition_key,
			.clustering = row.clustering,
			.clustering_count = distinct < 0 ? 2 :
							   (uint32_t)distinct };
		struct bytes value = BYTES_EMPTY;

		ck_assert_int_ge(attribute(&o, 'm', &value), 0);
		ck_assert(!bytes_is_null(row.attribute));
		ck_assert(bytes_equal(row.attribute, value));
		if (rests)
			cursor_trim(cursor, 0);
	}
	ck_assert_int_eq(got, 0);
	cursor_close(cursor);
}

START_TEST(attributes_come_with_rows)
{
	struct table *t = table_new("ks", "t");
	struct type *text = type_native(TYPE_TEXT);
	struct random rng = random_seeded(29);
	struct bytes a = bytes_str("a");
	int i, distinct;

	table_add_column(t, "k", text, COLUMN_PARTITION_KEY, false);
	table_add_column(t, "c", text, COLUMN_CLUSTERING, _i);
	table_add_column(t, "d", type_native(TYPE_INT), COLUMN_CLUSTERING,
			 false);
	table_add_column(t, "v", text, COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	t = test_add_table(store.store, t);
	for (i = 0; i < 1000; i++) {
		change_something(t, &rng);
		if (i % 250 == 99)
			ck_assert_int_eq(store_flush(store.store, t), 0);
		for (distinct = -1; i % 20 == 0 && distinct <= 2; distinct++) {
			check_attributes(t, NULL, distinct, i % 40 == 0);
			check_attributes(t, &a, distinct, i % 40 == 0);
		}
	}
	table_put(t);
}
END_TEST

/* Those of the store and its keyspaces are in no table of the schema. */
START_TEST(attributes_above_tables)
{
	const struct table above = { .number = STORE_ATTRIBUTES_NUMBER,
				     .keyspace = (char *)"system",
				     .name = (char *)"attributes" };
	struct object_ref o = { .table = &above,
				.partition_key = bytes_str("ks") };
	struct bytes value;

	attribute_write(&w, &o, 'm', bytes_str("1"), 1);
	done();
	write_release(&w);
	test_store_reopen(&store);
	write_init(&w, store.store);
	ck_assert_int_eq(attribute(&o, 'm', &value), 1);
	ck_assert(bytes_equal(value, bytes_str("1")));
}
END_TEST

/* Those of a table have no partition: a scan passes over them. */
START_TEST(attributes_of_a_table)	/* _i: of how many columns the key is */
{
	struct table *t = table_new("ks", "t");
	struct type *text = type_native(TYPE_TEXT);
	struct object_ref o = { .partition_key = BYTES_EMPTY };
	struct bytes values[2] = { bytes_str("a"), bytes_str("b") }, value;
	struct buf key = BUF_INIT;
	struct row_view row;
	struct cursor *c;
	struct query q;

	table_add_column(t, "k", text, COLUMN_PARTITION_KEY, false);
	if (_i > 1)
		table_add_column(t, "l", text, COLUMN_PARTITION_KEY, false);
	table_add_column(t, "v", text, COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	t = test_add_table(store.store, t);
	o.table = t;
	attribute_write(&w, &o, 'm', bytes_str("1"), 1);
	done();
	query_init(&q, t);
	ck_assert_int_eq(table_query(&c, store.store, &q), 0);
	ck_assert_int_eq(cursor_next(c, &row), 0);
	cursor_close(c);
	table_partition_key(&key, t, values);
	write_row(&w, t, buf_bytes(&key), NULL);
	write_marker(&w, 1, 0);
	done();
	ck_assert_int_eq(table_query(&c, store.store, &q), 0);
	ck_assert_int_eq(cursor_next(c, &row), 1);
	ck_assert(bytes_equal(row.partition_key, buf_bytes(&key)));
	ck_assert_int_eq(cursor_next(c, &row), 0);
	cursor_close(c);
	ck_assert_int_eq(attribute(&o, 'm', &value), 1);
	buf_release(&key);
	table_put(t);
}
END_TEST

/* -------------------------------------------------------- dropped, compact */
START_TEST(a_dropped_columns_cells_are_gone)
{
	struct table *t = test_add_table(store.store,
					 new_table(TYPE_TEXT, 0)), *next;
	struct row_view row;

	begin(t, "a", "old");
	write_cell(&w, value_column(t), BYTES_NULL, bytes_str("1"), 10, 0);
	begin(t, "a", "new");
	write_cell(&w, value_column(t), BYTES_NULL, bytes_str("2"), 30, 0);
	done();
	next = table_copy(t);
	ck_assert_int_eq(table_drop_column(next, 2, 20), 0);
	ck_assert_int_eq(table_finish(next), 0);
	table_put(t);
	t = test_add_table(store.store, next);
	ck_assert_int_eq(read_row(t, "a", "old", &row), 0);
	ck_assert_int_eq(read_row(t, "a", "new", &row), 0);
	next = table_copy(t);
	table_add_column(next, "v", type_native(TYPE_TEXT), COLUMN_REGULAR,
			 false);
	ck_assert_int_eq(table_finish(next), 0);
	table_put(t);
	t = test_add_table(store.store, next);
	ck_assert_int_eq(read_row(t, "a", "old", &row), 0);
	ck_assert_int_eq(read_row(t, "a", "new", &row), 1);
	ck_assert(bytes_equal(row.cells[0].value, bytes_str("2")));
	table_put(t);
}
END_TEST

START_TEST(a_compact_row_is_its_value)
{
	struct table *t = test_add_table(store.store, new_table(TYPE_BLOB,
					 TABLE_COMPACT | TABLE_DENSE));
	struct row_view row;
	struct bytes null = BYTES_NULL;

	begin(t, "a", "c");
	write_marker(&w, 1, 0);
	write_cell(&w, value_column(t), BYTES_NULL, bytes_str("v"), 1, 0);
	write_row(&w, t, bytes_str("a"), &null);	/* c is left out */
	write_cell(&w, value_column(t), BYTES_NULL, bytes_str("w"), 1, 0);
	done();
	ck_assert_int_eq(read_row(t, "a", "c", &row), 1);
	ck_assert_int_eq(row.marker.timestamp, NO_TIMESTAMP);
	ck_assert_int_eq(table_read(store.store, t, bytes_str("a"), &null,
				    UINT64_MAX, 0, &arena, &row), 1);
	ck_assert(bytes_is_null(row.clustering[0]));
	begin(t, "a", "c");
	write_cell(&w, value_column(t), BYTES_NULL, BYTES_NULL, 2, 0);
	done();
	ck_assert_int_eq(read_row(t, "a", "c", &row), 0);
	table_put(t);
}
END_TEST

/* ----------------------------------------------------------------- changes */
struct seen {
	size_t count;
	bool whole, deleted, marker;
	uint32_t columns;
	int64_t expiry;
	uint32_t start, end;
};

static void see(void *context, const struct table_change *changes,
		size_t count)
{
	struct seen *seen = context;
	const struct table_change *last = &changes[count - 1];

	seen->count += count;
	seen->whole = last->whole;
	seen->deleted = last->row_deleted;
	seen->marker = last->written.marker.timestamp !=
			       NO_TIMESTAMP;
	seen->columns = last->column_count;
	seen->expiry = last->earliest_expiry_s;
	seen->start = last->range.start.count;
	seen->end = last->range.end.count;
	ck_assert(bytes_equal(last->partition_key, bytes_str("a")));
}

START_TEST(an_observer_sees_what_changed)
{
	struct table *t = test_add_table(store.store,
					 new_table(TYPE_TEXT, 0));
	struct bytes c = bytes_str("c");
	struct slice slice = { { &c, 1, true }, { NULL, 0, false } };
	struct seen seen = { 0 };
	struct store_observer observer = { .changed = see, .context = &seen };

	clock_set_us(1000 * 1000000LL);
	store_observe(store.store, &observer);
	begin(t, "b", "c");
	write_marker(&w, 1, 0);
	begin(t, "a", "c");
	write_marker(&w, 1, 50);
	write_cell(&w, value_column(t), BYTES_NULL, c, 1, 30);
	write_cell(&w, &t->columns[3], BYTES_NULL, BYTES_NULL, 1, 0);
	done();
	ck_assert_uint_eq(seen.count, 2);
	ck_assert(seen.marker && !seen.whole && !seen.deleted);
	ck_assert_uint_eq(seen.columns, 2);
	ck_assert_int_eq(seen.expiry, 1030);
	write_range_deletion(&w, t, bytes_str("a"), &slice, 2);
	done();
	ck_assert(seen.whole && seen.start == 1 && !seen.end);
	ck_assert_int_eq(seen.expiry, NO_TIME);
	done();				/* empty: nothing to see */
	ck_assert_uint_eq(seen.count, 3);
	store_observe(store.store, NULL);
	clock_set_us(INT64_MIN);
	table_put(t);
}
END_TEST

START_TEST(a_cursor_skips)	/* _i: how many components; reversed from 2 on */
{
	struct table *t = test_add_table(store.store,
					 new_table(TYPE_TEXT, 0));
	struct row_view row;
	struct cursor *c;
	struct query q;
	int rows = 0;

	begin(t, "a", "1");
	write_marker(&w, 1, 0);
	begin(t, "a", "2");
	write_marker(&w, 1, 0);
	begin(t, "b", "1");
	write_marker(&w, 1, 0);
	done();
	query_init(&q, t);
	q.reversed = _i >= 2;
	ck_assert_int_eq(table_query(&c, store.store, &q), 0);
	ck_assert_int_eq(cursor_next(c, &row), 1);
	do {
		rows++;
		ck_assert_int_eq(cursor_skip(c, (uint32_t)_i % 2), 0);
	} while (cursor_next(c, &row) > 0);
	ck_assert_int_eq(rows, _i % 2 ? 3 : 2);
	cursor_close(c);
	table_put(t);
}
END_TEST

/* The row is there before, and gone after. */
static void see_truncating(void *context, struct table *t)
{
	struct row_view row;

	ck_assert_int_eq(read_row(t, "a", "1", &row), 1);
	ck_assert_int_eq((*(int *)context)++, 0);
}

static void see_truncated(void *context, struct table *t)
{
	struct row_view row;

	ck_assert_str_eq(t->name, "t");
	ck_assert_int_eq(read_row(t, "a", "1", &row), 0);
	ck_assert_int_eq((*(int *)context)++, 1);
}

START_TEST(a_truncated_table_is_empty)
{
	int seen = 0;
	struct store_observer observer = { .truncating = see_truncating,
					   .truncated = see_truncated,
					   .context = &seen };
	struct table *t = test_add_table(store.store,
					 new_table(TYPE_TEXT, 0));
	struct row_view row;

	begin(t, "a", "1");
	write_marker(&w, 100, 0);
	done();
	store_observe(store.store, &observer);
	ck_assert_int_eq(store_truncate(store.store, t, 0), 0);
	store_observe(store.store, NULL);
	ck_assert_int_eq(seen, 2);
	ck_assert_int_eq(read_row(t, "a", "1", &row), 0);
	/* No tombstone stays: what is older can be written again. */
	begin(t, "a", "1");
	write_marker(&w, 50, 0);
	done();
	ck_assert_int_eq(read_row(t, "a", "1", &row), 1);
	table_put(t);
}
END_TEST

START_TEST(without_memory_a_write_fails_whole)	/* _i: which allocation */
{
	struct table *t = new_table(TYPE_TEXT, 0);
	struct index index = { .name = "i", .target = INDEX_SIMPLE,
			       .column = 2 };
	struct row_view row;
	struct write other;
	struct bytes c = bytes_str("c");
	int err, found;

	ck_assert_int_eq(table_add_index(t, &index), 0);
	t = test_add_table(store.store, t);
	mem_fail_at(_i, 0);
	write_init(&other, store.store);
	write_row(&other, t, bytes_str("a"), &c);
	write_marker(&other, 1, 0);
	write_cell(&other, value_column(t), BYTES_NULL, c, 1, 0);
	err = test_write(&other);
	write_release(&other);
	found = read_row(t, "a", "c", &row);
	mem_fail_at(0, 0);
	arena_release(&arena);
	arena = ARENA_INIT;		/* it remembers the failure */
	ck_assert(!err || err == -ENOMEM);
	ck_assert(found == !err || found == -ENOMEM);
	ck_assert_int_eq(read_row(t, "a", "c", &row), !err);
	table_put(t);
}
END_TEST

/* A value is bounded; a deletion, and one that is moved, is not. */
START_TEST(a_long_value_is_refused)
{
	struct table *t = test_add_table(store.store, new_table(TYPE_BLOB, 0));
	struct bytes longest = bytes_str("ten bytes!");
	struct bytes longer = bytes_str("ten bytes!!");
	struct row_view row;

	store_set_max_value(store.store, longest.len);
	for (int i = 0; i < 3; i++) {
		begin(t, "a", "b");
		write_marker(&w, 1, 0);
		write_cell(&w, &t->columns[3], BYTES_NULL, longest, 1, 0);
		ck_assert_int_eq(write_error(&w), 0);
		w.moves = i == 2;
		write_cell(&w, value_column(t), BYTES_NULL,
			   i == 1 ? BYTES_NULL : longer, 1, 0);
		ck_assert_int_eq(write_error(&w), i ? 0 : -EFBIG);
		begin(t, "a", "c");
		write_marker(&w, 1, 0);
		ck_assert_int_eq(test_write(&w), i ? 0 : -EFBIG);
		if (!i)
			ck_assert_str_eq(buf_cstr(&w.refusal), "v: a value may "
					 "have 10 bytes, and this one has 11");
		else
			ck_assert_uint_eq(w.refusal.len, 0);
		ck_assert_int_eq(read_row(t, "a", "b", &row), i > 0);
		ck_assert_int_eq(read_row(t, "a", "c", &row), i > 0);
	}
	w.moves = false;
	table_put(t);
}
END_TEST

SUITE(write)
{
	TCase *tc = tcase_create("write");

	tcase_add_checked_fixture(tc, start, stop);
	tcase_add_test(tc, counters_add_up);
	tcase_add_loop_test(tc, a_deleted_counter_begins_anew, 0, 3);
	tcase_add_test(tc, attributes_are_beside_the_data);
	tcase_add_loop_test(tc, attributes_come_with_rows, 0, 2);
	tcase_add_test(tc, attributes_above_tables);
	tcase_add_loop_test(tc, attributes_of_a_table, 1, 3);
	tcase_add_test(tc, a_dropped_columns_cells_are_gone);
	tcase_add_test(tc, a_compact_row_is_its_value);
	tcase_add_test(tc, an_observer_sees_what_changed);
	tcase_add_loop_test(tc, a_cursor_skips, 0, 4);
	tcase_add_test(tc, a_truncated_table_is_empty);
	tcase_add_test(tc, a_long_value_is_refused);
	tcase_add_loop_test(tc, without_memory_a_write_fails_whole, 1, 40);
	suite_add_tcase(suite, tc);
}
