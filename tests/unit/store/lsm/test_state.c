/* The states of partitions: as long as a state is the same, reads are equal. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "store/base/murmur3.h"
#include "store/lsm/lsm.h"
#include "store/row/key.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define TABLE 7

static struct lsm *lsm;

static void set_up(void)
{
	struct lsm_options options = { .commit_s = 1, .no_threads = true };
	struct lsm_table_options table;

	ck_assert_int_eq(lsm_open(&lsm, &file_system, scratch.dir, &options),
			 0);
	lsm_table_defaults(&table);
	ck_assert_int_eq(lsm_table_set(lsm, TABLE, &table), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
}

static void tear_down(void)
{
	ck_assert_int_eq(lsm_close(lsm), 0);
}

static void apply(struct batch *batch)
{
	ck_assert_int_eq(lsm_apply(lsm, batch, NULL), 0);
	batch_release(batch);
}

static void put(const char *partition, int64_t timestamp)
{
	struct cell cell = { .column = 20, .timestamp = timestamp,
			     .local_time = NO_TIME, .value = bytes_str("x") };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	struct batch batch = BATCH_INIT;

	batch_add_row(&batch, TABLE, row_key(partition), &row);
	apply(&batch);
}

static int64_t timestamp_of(const char *partition)
{
	struct arena arena = ARENA_INIT;
	struct row row;
	int64_t timestamp = 0;

	if (lsm_get(lsm, TABLE, row_key(partition), UINT64_MAX, &arena,
		    &row) > 0)
		timestamp = row.cells[0].timestamp;
	arena_release(&arena);
	return timestamp;
}

static uint64_t state_of(const char *partition)
{
	return lsm_partition_state(lsm, TABLE,
				   murmur3_token(bytes_str(partition)));
}

static void delete_all(const char *partition)
{
	struct buf from = BUF_INIT, to = BUF_INIT;
	struct batch batch = BATCH_INIT;

	key_add_partition(&from, murmur3_token(bytes_str(partition)),
			  bytes_str(partition));
	buf_add_bytes(&to, buf_bytes(&from));
	buf_add_byte(&from, KEY_ROW);
	buf_add_byte(&to, KEY_ROW + 1);
	batch_add_range(&batch, TABLE, buf_bytes(&from), buf_bytes(&to),
			(struct deletion){ 100, 1 });
	apply(&batch);
	buf_release(&from);
	buf_release(&to);
}

START_TEST(a_state_ends_with_each_change)
{
	uint64_t first = state_of("a"), second, other;

	put("a", 1);
	second = state_of("a");
	ck_assert(first && second && first != second);
	ck_assert_int_eq(lsm_flush(lsm, TABLE), 0);
	ck_assert_int_eq(lsm_compact(lsm, TABLE), 0);
	ck_assert_uint_eq(state_of("a"), second);
	other = state_of("b");
	put("b", 1);
	ck_assert_uint_ne(state_of("b"), other);
	ck_assert_uint_eq(state_of("a"), second);
	delete_all("a");
	ck_assert_uint_ne(state_of("a"), second);
	second = state_of("a");
	ck_assert_int_eq(lsm_table_truncate(lsm, TABLE), 0);
	ck_assert_uint_ne(state_of("a"), second);
}
END_TEST

/* Knowledge of many partitions outlasts a change of one. */
START_TEST(few_states_end_with_a_change)
{
	enum { COUNT = 1000 };
	uint64_t before[COUNT];
	unsigned i, changed = 0;
	char name[8];

	for (i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		before[i] = state_of(name);
	}
	put("a", 1);
	for (i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		changed += state_of(name) != before[i];
	}
	ck_assert_uint_lt(changed, 4);
}
END_TEST

START_TEST(the_state_of_all_ends_with_each_change)
{
	uint64_t before = lsm_state(lsm), after;

	put("a", 1);
	after = lsm_state(lsm);
	ck_assert(before && after && before != after);
	put("b", 1);
	ck_assert_uint_ne(lsm_state(lsm), after);
	after = lsm_state(lsm);
	ck_assert_int_eq(lsm_flush(lsm, TABLE), 0);
	ck_assert_int_eq(lsm_compact(lsm, TABLE), 0);
	ck_assert_uint_eq(lsm_state(lsm), after);
	delete_all("a");
	ck_assert_uint_ne(lsm_state(lsm), after);
	after = lsm_state(lsm);
	ck_assert_int_eq(lsm_table_truncate(lsm, TABLE), 0);
	ck_assert(lsm_state(lsm) && lsm_state(lsm) != after);
}
END_TEST

START_TEST(a_refused_change_leaves_no_state_open)
{
	struct cell cell = { .column = 20, .timestamp = 1,
			     .local_time = NO_TIME, .value = bytes_str("x") };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	struct batch batch = BATCH_INIT;

	batch_add_row(&batch, TABLE, row_key("a"), &row);
	batch_add_row(&batch, TABLE, bytes_str("no key"), &row);
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), -EINVAL);
	batch_release(&batch);
	ck_assert_uint_ne(state_of("a"), 0);
	ck_assert_uint_ne(lsm_state(lsm), 0);
	ck_assert_int_eq(timestamp_of("a"), 0);
}
END_TEST

static atomic_bool done;
static atomic_int wrong;

static void *read_often(void *unused)
{
	while (!atomic_load(&done)) {
		uint64_t state = state_of("a"), all = lsm_state(lsm);
		int64_t first = timestamp_of("a"), second = timestamp_of("a");

		if (first != second && state && state == state_of("a"))
			atomic_fetch_add(&wrong, 1);
		if (first != second && all && all == lsm_state(lsm))
			atomic_fetch_add(&wrong, 1);
	}
	return unused;
}

START_TEST(reads_in_one_state_are_equal)
{
	pthread_t thread;
	int64_t i;

	ck_assert_int_eq(pthread_create(&thread, NULL, read_often, NULL), 0);
	for (i = 1; i < 20000; i++) {
		put("a", i);
		if (i % 16 == 0)
			sched_yield();
	}
	atomic_store(&done, true);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(atomic_load(&wrong), 0);
}
END_TEST

SUITE_THREADS(state)
{
	TCase *tc = tcase_create("state");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_state_ends_with_each_change);
	tcase_add_test(tc, few_states_end_with_a_change);
	tcase_add_test(tc, the_state_of_all_ends_with_each_change);
	tcase_add_test(tc, a_refused_change_leaves_no_state_open);
	tcase_add_test(tc, reads_in_one_state_are_equal);
	suite_add_tcase(suite, tc);
}
