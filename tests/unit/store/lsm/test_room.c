/* A full disk: what the log held is flushed, what frees room continues, nothing
 * that was acknowledged is lost, and writing returns with the room. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_version.h"
#include "tests/lib/random.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

static const struct lsm_options told = { .commit_s = 1, .no_threads = true };

/* The system's files on a disk that has room for so many bytes. */
static uint64_t room;
static struct file_ops small_disk;
static _Atomic int64_t last_timestamp;

static int add_blocks(void *data, const char *name)
{
	uint64_t *bytes = data;
	struct stat st;

	if (!fstatat(scratch.dir, name, &st, AT_SYMLINK_NOFOLLOW))
		*bytes += (uint64_t)st.st_blocks * 512;
	return 0;
}

static uint64_t used(void)
{
	uint64_t bytes = 0;

	ck_assert_int_eq(file_system.list(NULL, scratch.dir, add_blocks,
					  &bytes), 0);
	return bytes;
}

/* Leave room for that many bytes more. */
static void leave_room(uint64_t more)
{
	room = used() + more;
}

/* Is there room for the file to be so large? */
static bool fits(int fd, uint64_t size)
{
	struct stat st;
	uint64_t has;

	if (room == UINT64_MAX)
		return true;
	ck_assert_int_eq(fstat(fd, &st), 0);
	has = (uint64_t)st.st_blocks * 512;
	return size <= has || used() + (size - has) <= room;
}

static int small_allocate(void *context, int fd, uint64_t size)
{
	return fits(fd, size) ? file_system.allocate(context, fd, size) :
				-ENOSPC;
}

static int64_t small_pwrite(void *context, int fd, const void *from, size_t len,
			    uint64_t offset)
{
	return fits(fd, offset + len) ?
		       file_system.pwrite(context, fd, from, len, offset) :
		       -ENOSPC;
}

/* Let others take the room of the reserve. */
static void steal_reserve(void)
{
	ck_assert_int_eq(unlinkat(scratch.dir, "reserve-files", 0), 0);
	leave_room(0);
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
	room = UINT64_MAX;
	small_disk = file_system;
	small_disk.allocate = small_allocate;
	small_disk.pwrite = small_pwrite;
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
	struct cell cell = { .timestamp = ++last_timestamp, .local_time = NO_TIME };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	struct random rng = random_seeded((uint64_t)number);
	uint8_t *value = mem_zalloc(1, size + 8);
	size_t i;
	int err;

	for (i = 0; i < size; i += 8)	/* it does not get smaller */
		put_le64(value + i, random_next(&rng));
	cell.value = bytes_of(value, size);
	if (!size)
		row = (struct row){ MARKER_NONE, { ++last_timestamp, 1 }, 0, NULL };
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
	room = UINT64_MAX;
	return open_lsm();
}

/* The log's next segment does not fit: its rows are flushed, and it goes on
 * with a segment that does. */
START_TEST(a_log_that_does_not_fit_is_flushed)
{
	static const uint64_t sizes[] = { 20 << 20, 18 << 20 };
	struct lsm *lsm = open_lsm();
	struct lsm_stats stats;

	ck_assert_int_eq(put(lsm, 1000, 10), 0);
	leave_room(sizes[_i]);
	ck_assert_int_eq(fill(lsm), 1000);
	lsm_stats(lsm, &stats);
	ck_assert_uint_gt(stats.flushes, 0);
	check_rows(lsm, 0, 1001, true);
	lsm = reopen(lsm);
	check_rows(lsm, 0, 1001, true);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(deletions_that_free_room_go_on)
{
	struct lsm *lsm = open_lsm();
	int count, i;

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	leave_room(0);
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
	room = UINT64_MAX;
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

/* The room that the manifest needs for it comes from the reserve; then there is
 * room, that of the log too. */
START_TEST(a_table_is_emptied)
{
	struct lsm *lsm = open_lsm();
	struct lsm_stats stats;
	int count;

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	leave_room(0);
	count = fill(lsm);
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
START_TEST(refused_writes_take_no_memory)
{
	struct lsm *lsm = open_lsm();
	uint64_t memory;
	int i;

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	leave_room(0);
	fill(lsm);
	memory = memory_of(lsm);
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(put(lsm, 1000 + i, 16384), -ENOSPC);
	ck_assert_uint_eq(memory_of(lsm), memory);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* and one that deletes now and then does not cut it into pieces. */
START_TEST(a_memtable_without_room_is_frozen_once)
{
	struct lsm *lsm = open_lsm();
	struct version *v;
	int i;

	for (i = 0; i < 50; i++)
		ck_assert_int_eq(put(lsm, i, 10000), 0);
	steal_reserve();
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

/* While it writes into the room of the reserve others look for some. */
static struct lsm *rival;
static bool spent;

static int spending_unlink(void *context, int dir, const char *name)
{
	spent |= !strcmp(name, "reserve-files");
	return file_system.unlink(context, dir, name);
}

static int64_t rival_pwrite(void *context, int fd, const void *from, size_t len,
			    uint64_t offset)
{
	if (spent && rival)
		ck_assert_int_eq(lsm_reserve_keep(rival, 16384), -ENOSPC);
	return small_pwrite(context, fd, from, len, offset);
}

START_TEST(a_flush_keeps_the_room_that_it_was_given)
{
	struct lsm *lsm;
	int i;

	small_disk.unlink = spending_unlink;
	small_disk.pwrite = rival_pwrite;
	spent = false;
	lsm = open_lsm();
	for (i = 0; i < 50; i++)
		ck_assert_int_eq(put(lsm, i, 10000), 0);
	leave_room(0);
	rival = lsm;
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	rival = NULL;
	ck_assert(spent);
	check_rows(lsm, 0, 50, true);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* Write enough to fill segments soon. */
static int delete_many(struct lsm *lsm)
{
	struct batch batch = BATCH_INIT;
	struct row row = { MARKER_NONE, { ++last_timestamp, 1 }, 0, NULL };
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

/* Any caller may find it, also a writer that looks for room. */
START_TEST(an_error_of_the_disk_ends_writing)
{
	struct lsm *lsm = open_lsm();

	ck_assert_int_eq(put(lsm, 0, 10), 0);
	leave_room(0);
	fill(lsm);
	while (!delete_many(lsm))	/* until the reserve is spent */
		;
	leave_room(100000);
	small_disk.datasync = no_sync;
	ck_assert_int_eq(put(lsm, 1000, 16384), -EIO);
	small_disk.datasync = file_system.datasync;
	ck_assert_int_eq(put(lsm, 0, 0), -EROFS);
	/* Acknowledged writes may not be durable: no sync succeeds. */
	ck_assert_int_eq(lsm_close(lsm), -EIO);
	room = UINT64_MAX;
	lsm = open_lsm();
	ck_assert(!is_there(lsm, 1000));
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* ---------------------------------------------------------- deleted rows */
/* Let the works run until there is room for a row. */
static bool comes_back(struct lsm *lsm)
{
	int i;

	for (i = 0; i < 1000; i++) {
		ck_assert_int_eq(lsm_settle(lsm), 0);
		if (!put(lsm, 2000, 16384))
			return true;
		usleep(10000);
	}
	return false;
}

/* On a full disk most rows are deleted. With every strategy as many new ones
 * then find room, again and again, and no other row is lost. */
START_TEST(deleted_rows_give_their_room_back)
{
	struct lsm_table_options options;
	struct lsm *lsm = open_lsm();
	int count, first = 0, cycle, i;

	lsm_table_defaults(&options);
	options.gc_grace_s = 0;
	options.strategy = (enum lsm_strategy)_i;
	ck_assert_int_eq(lsm_table_set(lsm, 1, &options), 0);
	leave_room(12 << 20);
	for (cycle = 0; cycle < 3; cycle++) {
		count = fill(lsm);
		if (!cycle)
			first = count;
		ck_assert_int_gt(count, 200);
		ck_assert_int_ge(count, first * 2 / 3);
		if (cycle == 1) {
			ck_assert_int_eq(lsm_close(lsm), 0);
			lsm = open_lsm();
			ck_assert_int_eq(lsm_table_set(lsm, 1, &options), 0);
		}
		for (i = 0; i < count; i++)
			if (i % 10)
				ck_assert_int_eq(put(lsm, i, 0), 0);
		ck_assert(comes_back(lsm));
		for (i = 0; i < count; i++)
			ck_assert_int_eq(is_there(lsm, i), i % 10 == 0);
		for (i = 0; i < count; i += 10)
			ck_assert_int_eq(put(lsm, i, 0), 0);
		ck_assert_int_eq(put(lsm, 2000, 0), 0);
		ck_assert_int_eq(lsm_flush(lsm, 1), 0);
		ck_assert_int_eq(lsm_settle(lsm), 0);
	}
	lsm = reopen(lsm);
	check_rows(lsm, 0, 1000, false);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* The rows are in many files, each with some rows of every part of the table:
 * merged at once, the remaining ones would be larger than the reserve. */
START_TEST(room_comes_back_file_by_file)	/* _i: strategy */
{
	struct lsm_table_options options;
	struct lsm *lsm = open_lsm();
	int count = 0, more = 0, err, i;

	lsm_table_defaults(&options);
	options.gc_grace_s = 0;
	options.strategy = (enum lsm_strategy)_i;
	ck_assert_int_eq(lsm_table_set(lsm, 1, &options), 0);
	leave_room(24 << 20);
	while (!put(lsm, count, 16384)) {
		if (++count % 60)
			continue;
		/* Each file deletes something of the one before. */
		ck_assert_int_eq(put(lsm, count - 50, 0), 0);
		err = lsm_flush(lsm, 1);
		ck_assert(!err || err == -ENOSPC);
	}
	ck_assert_int_gt(count, 600);
	for (i = 0; i < count; i++)
		if (i % 5 > 1)
			ck_assert_int_eq(put(lsm, i, 0), 0);
	ck_assert(comes_back(lsm));
	while (!put(lsm, 3000 + more, 16384))
		more++;
	ck_assert_int_gt(more, count / 3);
	for (i = 0; i < count; i++)
		ck_assert_int_eq(is_there(lsm, i),
				 i % 5 < 2 && (i % 60 != 10 || i + 50 > count));
	lsm = reopen(lsm);
	for (i = 0; i < count; i++)
		ck_assert_int_eq(is_there(lsm, i),
				 i % 5 < 2 && (i % 60 != 10 || i + 50 > count));
	check_rows(lsm, 3000, 3000 + more, true);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* ------------------------------------------------- the size of the reserve */
static uint64_t reserve_size(void)
{
	struct stat st;

	ck_assert_int_eq(fstatat(scratch.dir, "reserve-files", &st, 0), 0);
	return (uint64_t)st.st_size;
}

/* Any one file can be rewritten, not an eighth of all. */
START_TEST(a_reserve_is_as_large_as_the_largest_file)
{
	struct lsm *lsm = open_lsm();
	int i;

	for (i = 0; i < 2000; i++) {
		ck_assert_int_eq(put(lsm, i, 16384), 0);
		if (i % 64 == 63)
			ck_assert_int_eq(lsm_flush(lsm, 1), 0);
	}
	ck_assert_int_eq(lsm_flush(lsm, 1), 0);
	ck_assert_int_eq(lsm_reserve_keep(lsm, 0), 0);
	/* Files of 1 MiB, 31 MiB of them. */
	ck_assert_uint_ge(reserve_size(), (uint64_t)2 << 20);
	ck_assert_uint_le(reserve_size(), (uint64_t)4 << 20);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(a_reserve_shrinks_and_grows_again)
{
	struct lsm *lsm = open_lsm();
	int count, i;

	for (i = 0; i < 500; i++)
		ck_assert_int_eq(put(lsm, i, 16384), 0);
	lsm_reserve_shrink(lsm);
	/* All of it is for what the log alone has. */
	ck_assert_uint_ge(reserve_size(), (uint64_t)500 * 16384);
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	lsm_reserve_shrink(lsm);
	ck_assert_uint_le(reserve_size(), (uint64_t)2 << 20);
	for (i = 500; i < 700; i++)
		ck_assert_int_eq(put(lsm, i, 16384), 0);
	ck_assert_uint_ge(reserve_size(), (uint64_t)200 * 16384);
	/* It does what it is for: what is in memory can be flushed. */
	leave_room(0);
	count = fill(lsm);
	ck_assert_int_lt(count, 1000);
	lsm_reserve_shrink(lsm);
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	ck_assert_int_eq(put(lsm, 0, 0), 0);
	check_rows(lsm, 500, 700, true);
	lsm = reopen(lsm);
	check_rows(lsm, 500, 700, true);
	ck_assert_int_eq(is_there(lsm, 0), false);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* ------------------------------------------------------------- two writers */
static atomic_bool torn;

/* Delay the write of a file without room, so that others see it so. */
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

/*
 * One makes the reserve again where there is no room for it, the other takes
 * what it finds for a segment: a file of no size would be written behind its
 * end, which ends the process.
 */
START_TEST(a_reserve_is_whole_or_not_there)
{
	struct lsm *lsm;
	pthread_t thread;
	int i;

	small_disk.allocate = slow_allocate;
	small_disk.rename = whole_rename;
	lsm = open_lsm();
	ck_assert_int_eq(put(lsm, 0, 10), 0);
	leave_room(0);
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
	tcase_add_test(tc, deletions_that_free_room_go_on);
	tcase_add_loop_test(tc, a_table_is_emptied, 0, 2);
	tcase_add_test(tc, refused_writes_take_no_memory);
	tcase_add_test(tc, a_memtable_without_room_is_frozen_once);
	tcase_add_test(tc, a_flush_keeps_the_room_that_it_was_given);
	tcase_add_test(tc, an_error_of_the_disk_ends_writing);
	tcase_add_loop_test(tc, deleted_rows_give_their_room_back,
			    LSM_UNIFIED, LSM_TIME_WINDOW + 1);
	tcase_add_loop_test(tc, room_comes_back_file_by_file, LSM_UNIFIED,
			    LSM_TIME_WINDOW + 1);
	tcase_add_test(tc, a_reserve_is_as_large_as_the_largest_file);
	tcase_add_test(tc, a_reserve_shrinks_and_grows_again);
	tcase_add_test(tc, a_reserve_is_whole_or_not_there);
	suite_add_tcase(suite, tc);
}
