/*
 * A full disk: what the log held is flushed, what frees room goes on, nothing
 * that was acknowledged is lost, and writing returns with the room.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/lsm/lsm_internal.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

static const struct lsm_options told = { .commit_s = 1, .no_threads = true };

/* The system's files on a disk where no file may be made larger than `largest`;
 * 0: not a byte is left; then the reserve may make room. */
static uint64_t largest;
static bool reserve_is_room;
static struct file_ops small_disk;

static int small_allocate(void *context, int fd, uint64_t size)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	return size > largest && size > (uint64_t)st.st_blocks * 512 ?
		       -ENOSPC : file_system.allocate(context, fd, size);
}

static int64_t small_pwrite(void *context, int fd, const void *from, size_t len,
			    uint64_t offset)
{
	return largest ? file_system.pwrite(context, fd, from, len, offset) :
			 -ENOSPC;
}

static int small_unlink(void *context, int dir, const char *name)
{
	if (reserve_is_room && !strcmp(name, "reserve-files"))
		largest = 1 << 20;
	return file_system.unlink(context, dir, name);
}

static struct lsm *open_lsm(void)
{
	struct lsm *lsm;

	ck_assert_int_eq(lsm_open(&lsm, &small_disk, scratch.dir, &told), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	return lsm;
}

static void set_up(void)
{
	largest = UINT64_MAX;
	reserve_is_room = false;
	small_disk = file_system;
	small_disk.allocate = small_allocate;
	small_disk.pwrite = small_pwrite;
	small_disk.unlink = small_unlink;
}

static struct bytes key_of(int number)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", number);
	return row_key(name);
}

/* A row of that many bytes; 0: it is deleted. */
static int put(struct lsm *lsm, int number, size_t size)
{
	struct batch batch = BATCH_INIT;
	struct cell cell = { .timestamp = 5, .local_time = NO_TIME };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	uint8_t *value = mem_zalloc(1, size + 1);
	int err;

	cell.value = bytes_of(value, size);
	if (!size)
		row = (struct row){ MARKER_NONE, { 6, 1 }, 0, NULL };
	batch_add_row(&batch, 1, key_of(number), &row);
	err = lsm_apply(lsm, &batch, NULL);
	batch_release(&batch);
	mem_free(value);
	return err;
}

static bool is_there(struct lsm *lsm, int number)
{
	struct arena arena = ARENA_INIT;
	struct row row;
	int got = lsm_get(lsm, 1, key_of(number), UINT64_MAX, &arena, &row);
	bool there = got > 0 && row.cell_count;

	ck_assert_int_ge(got, 0);
	arena_release(&arena);
	return there;
}

/* Rows 0 to count of 16 KB, as many as fit; at most 1000. */
static int fill(struct lsm *lsm)
{
	int count = 0, err = 0;

	while (count < 1000 && !(err = put(lsm, count, 16384)))
		count++;
	ck_assert(!err || err == -ENOSPC);
	return count;
}

static void check_rows(struct lsm *lsm, int from, int to, bool there)
{
	for (; from < to; from++)
		ck_assert_int_eq(is_there(lsm, from), there);
}

static struct lsm *reopen(struct lsm *lsm)
{
	ck_assert_int_eq(lsm_close(lsm), 0);
	largest = UINT64_MAX;
	return open_lsm();
}

/* The log's next segment does not fit: what it holds is flushed, and it goes
 * on with what does. */
START_TEST(a_log_that_does_not_fit_is_flushed)
{
	static const uint64_t sizes[] = { 1 << 20, 100000 };
	struct lsm *lsm = open_lsm();
	struct lsm_stats stats;

	ck_assert_int_eq(put(lsm, 1000, 10), 0);
	largest = sizes[_i];
	ck_assert_int_eq(fill(lsm), 1000);
	lsm_stats(lsm, &stats);
	ck_assert_uint_gt(stats.flushes, 0);
	check_rows(lsm, 0, 1001, true);
	lsm = reopen(lsm);
	check_rows(lsm, 0, 1001, true);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(what_frees_room_goes_on)
{
	struct lsm *lsm = open_lsm();
	int count, i;

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	largest = 0;
	count = fill(lsm);
	ck_assert_int_gt(count, 10);
	ck_assert_int_lt(count, 1000);
	ck_assert_int_eq(put(lsm, 1000, 16384), -ENOSPC);
	/* More than the segment at hand has room for. */
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(put(lsm, i % 10, 0), 0);
	ck_assert_int_eq(put(lsm, 1000, 100), -ENOSPC);
	check_rows(lsm, 0, 10, false);
	check_rows(lsm, 10, count, true);
	/* Other people made room. */
	largest = UINT64_MAX;
	ck_assert_int_eq(put(lsm, 1000, 16384), 0);
	check_rows(lsm, 0, 10, false);
	check_rows(lsm, 10, count, true);
	lsm = reopen(lsm);
	check_rows(lsm, 0, 10, false);
	check_rows(lsm, 10, count, true);
	check_rows(lsm, 1000, 1001, true);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* What the manifest needs for it comes from the reserve; then there is room, that
 * of the log too. */
START_TEST(a_table_is_emptied)
{
	struct lsm *lsm = open_lsm();
	struct lsm_stats stats;
	int count;

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	largest = 0;
	count = fill(lsm);
	reserve_is_room = true;
	ck_assert_int_eq(_i ? lsm_table_drop(lsm, 1) :
			      lsm_table_truncate(lsm, 1), 0);
	check_rows(lsm, 0, count, false);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.log_bytes, 0);
	if (!_i)
		ck_assert_int_eq(put(lsm, 1000, 16384), 0);
	lsm = reopen(lsm);
	check_rows(lsm, 0, count, false);
	ck_assert_int_eq(is_there(lsm, 1000), !_i);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

static uint64_t memory_of(struct lsm *lsm)
{
	struct lsm_stats stats;

	lsm_stats(lsm, &stats);
	return stats.memtable_bytes;
}

/* A writer that does not give up takes no memory, */
START_TEST(what_is_refused_costs_nothing)
{
	struct lsm *lsm = open_lsm();
	uint64_t memory;
	int i;

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	largest = 0;
	fill(lsm);
	memory = memory_of(lsm);
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(put(lsm, 1000 + i, 16384), -ENOSPC);
	ck_assert_uint_eq(memory_of(lsm), memory);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* and one that deletes now and then does not cut it into pieces. */
START_TEST(what_does_not_fit_is_frozen_once)
{
	struct lsm *lsm = open_lsm();
	struct version *v;
	int i;

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	largest = 0;
	fill(lsm);
	for (i = 0; i < 50; i++) {
		ck_assert_int_eq(put(lsm, i, 0), 0);
		ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), -ENOSPC);
	}
	v = lsm_pin(lsm, 1);
	ck_assert_uint_eq(v->frozen_count, 1);
	version_put(v);
	check_rows(lsm, 0, 50, false);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* As many as fill segments soon. */
static int delete_many(struct lsm *lsm)
{
	struct batch batch = BATCH_INIT;
	struct row row = { MARKER_NONE, { 6, 1 }, 0, NULL };
	int i, err;

	for (i = 0; i < 1000; i++)
		batch_add_row(&batch, 1, key_of(i), &row);
	err = lsm_apply(lsm, &batch, NULL);
	batch_release(&batch);
	return err;
}

static int no_sync(void *context, int fd)
{
	(void)context, (void)fd;
	return -EIO;
}

/* Whoever finds it: a writer that looks for room, too. */
START_TEST(an_error_of_the_disk_ends_writing)
{
	struct lsm *lsm = open_lsm();

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	largest = 0;
	fill(lsm);
	while (!delete_many(lsm))	/* until the reserve is spent */
		;
	largest = 100000;
	small_disk.datasync = no_sync;
	ck_assert_int_eq(put(lsm, 1000, 16384), -EIO);
	small_disk.datasync = file_system.datasync;
	ck_assert_int_eq(put(lsm, 0, 0), -EROFS);
	lsm = reopen(lsm);
	ck_assert(!is_there(lsm, 1000));
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* ------------------------------------------------------------- two writers */
static atomic_bool torn;

/* Of a file that has no room yet: long enough for others to see it. */
static int slow_allocate(void *context, int fd, uint64_t size)
{
	int i;

	for (i = 0; i < 20; i++)
		sched_yield();
	return small_allocate(context, fd, size);
}

static int whole_rename(void *context, int dir, const char *from,
			const char *to)
{
	struct stat st;

	if (!strcmp(from, "reserve") && !fstatat(dir, from, &st, 0) &&
	    st.st_size != 1 << 20) {
		atomic_store(&torn, true);
		return -ENOENT;
	}
	return file_system.rename(context, dir, from, to);
}

static void *write_in_vain(void *context)
{
	int i;

	for (i = 0; i < test_scale(300); i++)
		put(context, 1000, 16384);
	return NULL;
}

/* One makes the reserve anew where there is no room for it, the other takes
 * what it finds for a segment: a file of no size would be written behind its
 * end, which ends the process. */
START_TEST(a_reserve_is_whole_or_not_there)
{
	struct lsm *lsm;
	pthread_t thread;
	int i;

	small_disk.allocate = slow_allocate;
	small_disk.rename = whole_rename;
	lsm = open_lsm();
	ck_assert_int_eq(put(lsm, 0, 10), 0);
	largest = 0;
	fill(lsm);
	while (!delete_many(lsm))
		;
	ck_assert_int_eq(pthread_create(&thread, NULL, write_in_vain, lsm), 0);
	for (i = 0; i < test_scale(300); i++)
		delete_many(lsm);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert(!torn);
	lsm = reopen(lsm);
	ck_assert_int_eq(put(lsm, 1000, 16384), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

SUITE_THREADS(room)
{
	TCase *tc = tcase_create("room");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, a_log_that_does_not_fit_is_flushed, 0, 2);
	tcase_add_test(tc, what_frees_room_goes_on);
	tcase_add_loop_test(tc, a_table_is_emptied, 0, 2);
	tcase_add_test(tc, what_is_refused_costs_nothing);
	tcase_add_test(tc, what_does_not_fit_is_frozen_once);
	tcase_add_test(tc, an_error_of_the_disk_ends_writing);
	tcase_add_test(tc, a_reserve_is_whole_or_not_there);
	suite_add_tcase(suite, tc);
}
