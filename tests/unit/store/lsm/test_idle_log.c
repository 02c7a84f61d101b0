/* A store that nobody writes to gives room back: its log becomes small, nothing
 * is lost, and the next write finds a segment. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/lsm/lsm_idle.h"
#include "store/lsm/lsm_internal.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define SIZE 16384
#define SMALL ((uint64_t)1 << 20)

static struct file_ops counted;
static _Atomic int changes;	/* of the disk, but for data */

static int count_sync(void *context, int fd)
{
	changes++;
	return file_system.sync(context, fd);
}

static int count_datasync(void *context, int fd)
{
	changes++;
	return file_system.datasync(context, fd);
}

static int count_allocate(void *context, int fd, uint64_t size)
{
	changes++;
	return file_system.allocate(context, fd, size);
}

static void set_up(void)
{
	counted = file_system;
	counted.sync = count_sync;
	counted.datasync = count_datasync;
	counted.allocate = count_allocate;
}

static struct lsm *open_lsm(bool threads)
{
	struct lsm_options options = { .commit_s = 1, .no_threads = !threads };
	struct lsm *lsm;

	ck_assert_int_eq(lsm_open(&lsm, &counted, scratch.dir, &options), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	return lsm;
}

static struct bytes key_of(int number)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", number);
	return row_key(name);
}

static void put(struct lsm *lsm, int from, int to)
{
	static const uint8_t value[SIZE];

	for (; from < to; from++) {
		struct cell cell = { .timestamp = 1, .local_time = NO_TIME,
				     .value = bytes_of(value, SIZE) };
		struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
		struct batch batch = BATCH_INIT;

		batch_add_row(&batch, 1, key_of(from), &row);
		ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), 0);
		batch_release(&batch);
	}
}

static void check_rows(struct lsm *lsm, int count)
{
	struct arena arena = ARENA_INIT;
	struct row row;
	int i;

	for (i = 0; i < count; i++) {
		ck_assert_int_eq(lsm_get(lsm, 1, key_of(i), UINT64_MAX, &arena,
					 &row), 1);
		arena_clear(&arena);
	}
	arena_release(&arena);
}

static int add_log(void *data, const char *name)
{
	uint64_t *bytes = data;
	struct stat st;

	if (!strncmp(name, "log-", 4) && !fstatat(scratch.dir, name, &st, 0))
		*bytes += (uint64_t)st.st_size;
	return 0;
}

/* Return the size of the log's files, which is what the log says. */
static uint64_t log_bytes(struct lsm *lsm)
{
	uint64_t bytes = 0;
	struct lsm_stats stats;

	ck_assert_int_eq(file_system.list(NULL, scratch.dir, add_log, &bytes),
			 0);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.log_bytes, bytes);
	return bytes;
}

static void shrink(struct lsm *lsm)
{
	lsm_idle_run(&lsm->idle_work);
	ck_assert(!lsm_has_failed(lsm));
}

static uint64_t reserve_bytes(void)
{
	struct stat st;

	ck_assert_int_eq(fstatat(scratch.dir, "reserve-files", &st, 0), 0);
	return (uint64_t)st.st_size;
}

/* It does so without waiting, but flushes nothing that was written since. */
START_TEST(a_compaction_on_demand_leaves_a_small_log)
{
	struct lsm *lsm = open_lsm(false);
	uint64_t bytes;

	put(lsm, 0, 1000);
	ck_assert_int_eq(lsm_settle(lsm), 0);
	bytes = log_bytes(lsm);
	ck_assert_uint_gt(bytes, 8 * SMALL);
	ck_assert_uint_gt(reserve_bytes(), 8 * SMALL);
	ck_assert_int_eq(lsm_compact(lsm, 1), 0);
	ck_assert_uint_eq(log_bytes(lsm), bytes);
	ck_assert_uint_gt(reserve_bytes(), 8 * SMALL);
	ck_assert_int_eq(lsm_flush(lsm, 1), 0);
	ck_assert_int_eq(lsm_compact(lsm, 1), 0);
	ck_assert_uint_eq(log_bytes(lsm), SMALL);
	ck_assert_uint_le(reserve_bytes(), 2 * SMALL);
	put(lsm, 1000, 1010);
	check_rows(lsm, 1010);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(an_idle_log_is_one_small_segment)
{
	struct lsm *lsm = open_lsm(false);
	int round, before;

	for (round = 1; round <= 3; round++) {
		put(lsm, 0, 1000 * round);
		ck_assert_int_eq(lsm_settle(lsm), 0);
		ck_assert_uint_gt(log_bytes(lsm), 8 * SMALL);
		shrink(lsm);
		ck_assert_uint_eq(log_bytes(lsm), SMALL);
		/* It is ready: nobody waits for a new one. */
		before = changes;
		put(lsm, 0, 10);
		ck_assert_int_eq(changes, before);
		check_rows(lsm, 1000 * round);
		ck_assert_int_eq(lsm_close(lsm), 0);
		lsm = open_lsm(false);
		check_rows(lsm, 1000 * round);
	}
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(a_small_log_is_left_alone)
{
	struct lsm *lsm = open_lsm(false);
	struct lsm_stats stats;

	put(lsm, 0, 10);
	shrink(lsm);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.flushes, 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* The seconds are over. */
static void let_time_pass(struct lsm *lsm)
{
	lsm->idle_since_ns -= (uint64_t)11 * 1000000000;
	lsm_idle_look(lsm);
	ck_assert_int_eq(lsm_settle(lsm), 0);
}

START_TEST(a_store_is_idle_some_seconds_after_the_last_write)
{
	struct lsm *lsm = open_lsm(false);
	struct lsm_stats stats;

	put(lsm, 0, 500);
	lsm_idle_look(lsm);
	lsm_idle_look(lsm);
	ck_assert_int_eq(lsm_settle(lsm), 0);
	ck_assert_uint_gt(log_bytes(lsm), SMALL);
	put(lsm, 500, 501);
	let_time_pass(lsm);		/* a write came meanwhile */
	ck_assert_uint_gt(log_bytes(lsm), SMALL);
	let_time_pass(lsm);
	ck_assert_uint_eq(log_bytes(lsm), SMALL);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.flushes, 1);
	let_time_pass(lsm);
	let_time_pass(lsm);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.flushes, 1);
	check_rows(lsm, 501);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

#define ROWS 600
static void *write_rows(void *lsm)
{
	put(lsm, 0, ROWS);
	return NULL;
}

/* It is taken for idle and is not. */
START_TEST(a_busy_log_may_be_shrunk)
{
	struct lsm *lsm = open_lsm(true);
	pthread_t thread;
	int i;

	ck_assert_int_eq(pthread_create(&thread, NULL, write_rows, lsm), 0);
	for (i = 0; i < 20; i++)
		shrink(lsm);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	check_rows(lsm, ROWS);
	ck_assert_int_eq(lsm_close(lsm), 0);
	lsm = open_lsm(true);
	check_rows(lsm, ROWS);
	shrink(lsm);
	ck_assert_int_eq(lsm_settle(lsm), 0);
	ck_assert_uint_le(log_bytes(lsm), 2 * SMALL);
	check_rows(lsm, ROWS);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* An error of the disk ends writing, as that of any flush. */
static int no_sync(void *context, int fd)
{
	(void)context, (void)fd;
	return -EIO;
}

START_TEST(an_error_of_the_disk_while_idle)
{
	struct lsm *lsm = open_lsm(false);

	put(lsm, 0, 500);
	counted.datasync = no_sync;
	lsm_idle_look(lsm);
	lsm->idle_since_ns -= (uint64_t)11 * 1000000000;
	lsm_idle_look(lsm);
	ck_assert_int_eq(lsm_settle(lsm), -EIO);
	ck_assert(lsm_has_failed(lsm));
	set_up();
	ck_assert_int_eq(lsm_close(lsm), -EIO);
	lsm = open_lsm(false);
	check_rows(lsm, 500);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

SUITE_THREADS(idle_log)
{
	TCase *tc = tcase_create("idle_log");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, a_compaction_on_demand_leaves_a_small_log);
	tcase_add_test(tc, an_idle_log_is_one_small_segment);
	tcase_add_test(tc, a_small_log_is_left_alone);
	tcase_add_test(tc, a_store_is_idle_some_seconds_after_the_last_write);
	tcase_add_test(tc, a_busy_log_may_be_shrunk);
	tcase_add_test(tc, an_error_of_the_disk_while_idle);
	suite_add_tcase(suite, tc);
}
