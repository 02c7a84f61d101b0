/*
 * The commit log: what was appended comes back, in order; a torn tail is
 * dropped, missing synced records are damage; segments are used again.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/lsm/commitlog.h"
#include "store/lsm/commitlog_format.h"
#include "tests/lib/random.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

/* Each batch is a number, and after it as many bytes as the number says. */
struct seen {
	uint64_t count, first, last, bytes;
	bool in_order;
	struct commitlog *log;	/* for see_and_release */
	uint64_t position;
};

static int see(void *context, uint64_t position, struct bytes batch)
{
	struct seen *s = context;
	uint64_t number = get_le64(batch.ptr);
	size_t i;

	if (!s->count++)
		s->first = number;
	else if (number != s->last + 1 || position <= s->position)
		s->in_order = false;
	for (i = 8; i < batch.len; i++)
		s->in_order &= batch.ptr[i] == (uint8_t)number;
	s->last = number;
	s->position = position;
	s->bytes += batch.len;
	return 0;
}

static struct commitlog *open_log(const struct file_ops *files, uint64_t begin,
				  struct seen *seen, int want)
{
	struct commitlog *log;

	*seen = (struct seen){ .in_order = true };
	ck_assert_int_eq(commitlog_open(&log, files, scratch.dir, NULL, begin,
					begin, false),
			 0);
	ck_assert_int_eq(commitlog_replay(log, see, seen), want);
	ck_assert(seen->in_order);
	return log;
}

static int try_append(struct commitlog *log, struct bytes batch, uint64_t *end)
{
	int err = commitlog_room(log, batch.len, LOG_GROWING);

	if (err == -EAGAIN) {
		err = commitlog_prepare(log, batch.len);
		if (!err)
			err = commitlog_room(log, batch.len, LOG_GROWING);
	}
	return err ? err : commitlog_append(log, batch, end);
}

static uint64_t append(struct commitlog *log, uint64_t number, size_t len)
{
	uint8_t *batch = mem_alloc(len);
	uint64_t end = 0;

	ck_assert(batch && len >= 8);
	memset(batch, (int)(uint8_t)number, len);
	put_le64(batch, number);
	ck_assert_int_eq(try_append(log, bytes_of(batch, len), &end), 0);
	ck_assert_uint_eq(commitlog_end(log), end);
	mem_free(batch);
	return end;
}

static int no_map(void *context, int fd, size_t len, void **address)
{
	(void)context, (void)fd, (void)len, (void)address;
	return -EOPNOTSUPP;
}

START_TEST(appended_records_come_back)	/* _i & 1: no mapping */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct file_ops files = file_system;
	struct commitlog *log;
	struct seen seen;
	uint64_t number = 0, round, end = 0;

	if (_i & 1)
		files.map = no_map;
	for (round = 0; round < 6; round++) {
		uint32_t more = random_below(&rng, 60);

		log = open_log(&files, 0, &seen, 0);
		ck_assert_uint_eq(seen.count, number);
		ck_assert_uint_eq(commitlog_end(log), end);
		while (more--) {
			uint32_t most = random_below(&rng, 5) ? 200 : 300000;

			end = append(log, ++number,
				     8 + random_below(&rng, most));
		}
		if (round & 1)
			ck_assert_int_eq(commitlog_sync(log, end), 0);
		commitlog_close(log);
	}
	log = open_log(&files, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, number);
	ck_assert_uint_eq(seen.last, number);
	commitlog_close(log);
}
END_TEST

START_TEST(an_empty_log_is_no_file)
{
	struct seen seen;
	struct commitlog *log = open_log(&file_system, 0, &seen, 0);

	commitlog_close(log);
	ck_assert_uint_eq(scratch_count(&scratch), 0);
}
END_TEST

START_TEST(a_batch_larger_than_a_segment)
{
	struct seen seen;
	struct commitlog *log = open_log(&file_system, 0, &seen, 0);
	size_t large = (size_t)40 << 20;

	append(log, 1, 100);
	append(log, 2, large);
	append(log, 3, 100);
	commitlog_close(log);
	log = open_log(&file_system, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, 3);
	ck_assert_uint_eq(seen.bytes, large + 200);
	commitlog_close(log);
}
END_TEST

static void change(uint64_t position, const void *ptr, size_t len)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), LOG_NAME,
		 (unsigned long long)log_number(position));
	fd = openat(scratch.dir, name, O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, ptr, len, (off_t)log_offset(position)),
			 (ssize_t)len);
	close(fd);
}

/* Ten records; the one at `position` of number 6 is gone. */
static uint64_t ten_records(bool synced)
{
	struct seen seen;
	struct commitlog *log = open_log(&file_system, 0, &seen, 0);
	uint64_t position = 0, i;

	for (i = 1; i <= 10; i++) {
		uint64_t end = append(log, i, 100);

		if (i == 5)
			position = end;
		if (i == 8 && synced)
			ck_assert_int_eq(commitlog_sync(log, end), 0);
	}
	commitlog_close(log);
	return position;
}

START_TEST(a_torn_tail_is_dropped_for_ever)
{
	uint64_t hole = ten_records(false);
	struct commitlog *log;
	struct seen seen;

	change(hole + 30, "torn", 4);
	log = open_log(&file_system, 0, &seen, 0);
	ck_assert_uint_eq(seen.last, 5);
	ck_assert_uint_eq(commitlog_end(log), hole);
	/* The new record has the same size: records 7 to 10 must not come back
	 * after it. */
	append(log, 6, 100);
	commitlog_close(log);
	log = open_log(&file_system, 0, &seen, 0);
	ck_assert_uint_eq(seen.last, 6);
	ck_assert_uint_eq(seen.count, 6);
	commitlog_close(log);
}
END_TEST

START_TEST(a_hole_in_what_was_synced_is_damage)
{
	uint64_t hole = ten_records(true);
	struct commitlog *log;
	struct seen seen;

	change(hole + (_i ? 0 : 40), "torn", 4);
	log = open_log(&file_system, 0, &seen, -EUCLEAN);
	ck_assert_uint_eq(seen.last, 0);
	commitlog_close(log);
}
END_TEST

START_TEST(a_missing_segment_is_damage)
{
	struct seen seen;
	struct commitlog *log = open_log(&file_system, 0, &seen, 0);
	uint64_t i, end = 0;

	for (i = 1; i <= 3; i++) {
		end = append(log, i, (size_t)3 << 20);
		ck_assert_int_eq(commitlog_sync(log, end), 0);
	}
	append(log, 4, 100);
	commitlog_close(log);
	ck_assert_int_eq(unlinkat(scratch.dir, "log-0000000000000002", 0), 0);
	log = open_log(&file_system, 0, &seen, -EUCLEAN);
	ck_assert_uint_eq(seen.last, 0);
	commitlog_close(log);
}
END_TEST

/* The segment that follows says where the one before it ended, and its records
 * what was synced: to the length of the file nothing is believed. */
START_TEST(an_older_segment_cut_between_records_is_damage)	/* _i: left */
{
	struct seen seen;
	struct commitlog *log = open_log(&file_system, 0, &seen, 0);
	uint64_t i, end = 0, ends[3] = { LOG_HEADER };
	int fd;

	for (i = 1; i <= 2; i++)
		ends[i] = log_offset(append(log, i, (size_t)300 << 10));
	for (; log_number(end) < 2; i++)
		end = append(log, i, (size_t)300 << 10);
	ck_assert_int_eq(commitlog_sync(log, end), 0);
	append(log, i, 100);
	commitlog_close(log);
	fd = openat(scratch.dir, "log-0000000000000001", O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)ends[_i]), 0);
	close(fd);
	log = open_log(&file_system, 0, &seen, -EUCLEAN);
	ck_assert_uint_eq(seen.last, 0);
	commitlog_close(log);
}
END_TEST

static const void *places[16];
static size_t place_count;

static int64_t note_place(void *context, int fd, void *to, size_t len,
			  uint64_t offset)
{
	size_t i;

	for (i = 0; i < place_count && places[i] != to; i++)
		;
	ck_assert_uint_lt(i, ARRAY_SIZE(places));
	places[i] = to;
	place_count += i == place_count;
	return file_system.pread(context, fd, to, len, offset);
}

/* However many segments there are; it grows to the largest record. */
START_TEST(one_piece_of_the_log_is_in_memory)
{
	struct file_ops ops = file_system;
	struct commitlog *log;
	struct seen seen;
	uint64_t i;

	log = open_log(&ops, 0, &seen, 0);
	for (i = 1; i <= 60; i++)
		append(log, i, (size_t)300 << 10);
	ck_assert_uint_ge(scratch_count(&scratch), 5);
	commitlog_close(log);
	place_count = 0;
	ops.pread = note_place;
	log = open_log(&ops, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, 60);
	ck_assert_uint_le(place_count, 2);
	commitlog_close(log);
}
END_TEST

static int see_and_release(void *context, uint64_t position, struct bytes batch)
{
	struct seen *s = context;
	struct commitlog *log = s->log;
	uint64_t end = commitlog_end(log);

	ck_assert_uint_gt(end, position);
	ck_assert_int_eq(commitlog_sync(log, end), 0);
	commitlog_release(log, end);
	return see(context, position, batch);
}

/* The callback may release the log up to the record that it got. */
START_TEST(a_log_is_released_while_it_is_replayed)
{
	struct seen seen;
	struct commitlog *log = open_log(&file_system, 0, &seen, 0);
	uint64_t i, end = 0;

	for (i = 1; i <= 12; i++)
		end = append(log, i, (size_t)600 << 10);
	ck_assert_uint_ge(log_number(end), 3);
	commitlog_close(log);
	seen = (struct seen){ .in_order = true };
	ck_assert_int_eq(commitlog_open(&log, &file_system, scratch.dir, NULL, 0, 0,
					false), 0);
	seen.log = log;
	ck_assert_int_eq(commitlog_replay(log, see_and_release, &seen), 0);
	ck_assert(seen.in_order);
	ck_assert_uint_eq(seen.last, 12);
	ck_assert_uint_eq(commitlog_end(log), end);
	ck_assert_uint_ge(commitlog_synced(log), end);
	end = append(log, 13, 100);
	ck_assert_int_eq(commitlog_sync(log, end), 0);
	commitlog_close(log);
	ck_assert_uint_eq(scratch_count(&scratch), 1);
}
END_TEST

static uint64_t bytes_read;

static int64_t counted_pread(void *context, int fd, void *to, size_t len,
			     uint64_t offset)
{
	bytes_read += len;
	return file_system.pread(context, fd, to, len, offset);
}

/* Neither read, nor given room on the disk, nor mapped. */
START_TEST(a_hole_behind_the_log_costs_nothing)
{
	struct file_ops files = file_system;
	struct seen seen;
	struct commitlog *log = open_log(&files, 0, &seen, 0);
	struct stat st;
	int fd;

	append(log, 1, 100);
	commitlog_close(log);
	fd = openat(scratch.dir, "log-0000000000000001", O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)1 << 32), 0);
	files.pread = counted_pread;
	bytes_read = 0;
	log = open_log(&files, 0, &seen, 0);
	append(log, 2, 100);
	commitlog_close(log);
	ck_assert_uint_lt(bytes_read, 16 << 20);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_lt(st.st_blocks, (16 << 20) / 512);
	close(fd);
	log = open_log(&files, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, 2);
	commitlog_close(log);
}
END_TEST

/* Once it is there, no append asks for it again: each would wake a thread. */
START_TEST(a_spare_is_asked_for_once)
{
	struct commitlog *log;
	struct seen seen;
	unsigned asked = 0;
	uint64_t i;

	log = open_log(&file_system, 0, &seen, 0);
	for (i = 1; i <= 1000; i++) {
		append(log, i, 1000);
		if (!commitlog_needs_spare(log))
			continue;
		asked++;
		ck_assert_int_eq(commitlog_prepare(log, 0), 0);
		ck_assert(!commitlog_needs_spare(log));
	}
	ck_assert_uint_ge(asked, 1);
	ck_assert_uint_le(asked, 4);
	commitlog_close(log);
}
END_TEST

START_TEST(segments_are_used_again)	/* _i & 1: no mapping */
{
	struct file_ops files = file_system;
	struct commitlog_stats stats;
	struct commitlog *log;
	struct seen seen;
	uint64_t i, end = 0, kept = 0;

	if (_i & 1)
		files.map = no_map;
	log = open_log(&files, 0, &seen, 0);
	for (i = 1; i <= 3000; i++) {
		end = append(log, i, 100000);
		if (commitlog_needs_spare(log))
			ck_assert_int_eq(commitlog_prepare(log, 0), 0);
		if (i % 100 == 0) {
			commitlog_release(log, kept);
			kept = end;
		}
		if (i % 500 == 0)
			ck_assert_int_eq(commitlog_sync(log, end), 0);
	}
	commitlog_stats(log, &stats);
	ck_assert_uint_le(stats.segments, 3);
	commitlog_close(log);
	ck_assert_uint_le(scratch_count(&scratch), 3);
	log = open_log(&files, kept, &seen, 0);
	ck_assert_uint_eq(seen.count, 0);
	append(log, 3001, 100);
	commitlog_close(log);
	log = open_log(&files, kept, &seen, 0);
	ck_assert_uint_eq(seen.count, 1);
	ck_assert_uint_eq(seen.first, 3001);
	commitlog_close(log);
}
END_TEST

START_TEST(a_failed_disk_ends_it)
{
	struct faulty faulty;
	struct commitlog *log;
	struct seen seen;
	uint64_t end;
	uint8_t batch[8] = { 1 };

	faulty_init(&faulty);
	log = open_log(&faulty.ops, 0, &seen, 0);
	end = append(log, 1, 100);
	faulty.fail_at = faulty.calls + 1;
	faulty.err = -EIO;
	ck_assert_int_eq(commitlog_sync(log, end), -EIO);
	faulty.fail_at = 0;
	ck_assert_int_eq(commitlog_sync(log, end), -EIO);
	ck_assert_int_eq(try_append(log, bytes_of(batch, 8), &end), -EROFS);
	commitlog_close(log);
}
END_TEST

/* A write that must begin a segment is the first to fail: by the disk's error, not
 * by the store's. */
START_TEST(a_disk_that_fails_at_a_new_segment)	/* _i & 1: a synced one is there */
{
	struct faulty faulty;
	struct commitlog *log;
	struct seen seen;
	uint64_t end;
	uint8_t batch[8] = { 1 };
	uint8_t *large = mem_zalloc(1, 2 << 20);

	faulty_init(&faulty);
	log = open_log(&faulty.ops, 0, &seen, 0);
	if (_i & 1)
		ck_assert_int_eq(commitlog_sync(log, append(log, 1, 100)), 0);
	faulty.fail_at = faulty.calls + 1;
	faulty.err = -EIO;
	ck_assert_int_eq(try_append(log, bytes_of(large, 2 << 20), &end), -EIO);
	faulty.fail_at = 0;
	ck_assert_int_eq(try_append(log, bytes_of(batch, 8), &end), -EROFS);
	ck_assert_int_eq(commitlog_prepare(log, 8), -EROFS);
	ck_assert_int_eq(commitlog_prepare(log, 0), 0);
	commitlog_close(log);
	mem_free(large);
	log = open_log(&file_system, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, _i & 1);
	commitlog_close(log);
}
END_TEST

/* Room for one batch after the other: nothing is made inside the lock. */
START_TEST(a_segment_is_made_beforehand)
{
	struct commitlog *log;
	struct commitlog_stats stats;
	struct seen seen;

	log = open_log(&file_system, 0, &seen, 0);
	ck_assert_int_eq(commitlog_room(log, 100, LOG_GROWING), -EAGAIN);
	ck_assert_uint_eq(scratch_count(&scratch), 0);
	ck_assert_int_eq(commitlog_prepare(log, 100), 0);
	ck_assert_int_eq(commitlog_prepare(log, 100), 0);
	ck_assert_uint_eq(scratch_count(&scratch), 1);
	ck_assert_int_eq(commitlog_room(log, 100, LOG_GROWING), 0);
	append(log, 1, 100);
	/* The spare is too small for that: another takes its place. */
	ck_assert_int_eq(commitlog_prepare(log, 0), 0);
	ck_assert_uint_eq(scratch_count(&scratch), 2);
	ck_assert_int_eq(commitlog_room(log, 40 << 20, LOG_GROWING), -EAGAIN);
	append(log, 2, 100);			/* fits where the first is */
	ck_assert_int_eq(commitlog_prepare(log, 40 << 20), 0);
	ck_assert_uint_eq(scratch_count(&scratch), 2);
	append(log, 3, 40 << 20);
	append(log, 4, 100);
	commitlog_stats(log, &stats);
	ck_assert_uint_ge(stats.segments, 2);
	commitlog_close(log);
	log = open_log(&file_system, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, 4);
	commitlog_close(log);
}
END_TEST

START_TEST(a_full_disk_passes)	/* _i: calls that work */
{
	struct faulty faulty;
	struct commitlog *log;
	struct seen seen;
	uint8_t batch[8] = { 1 };
	uint64_t end;

	faulty_init(&faulty);
	faulty.ops.map = no_map;
	log = open_log(&faulty.ops, 0, &seen, 0);
	faulty.fail_at = faulty.calls + 1 + _i;
	faulty.err = -ENOSPC;
	ck_assert_int_eq(try_append(log, bytes_of(batch, 8), &end), -ENOSPC);
	/* A segment that was not begun takes no room. */
	ck_assert_uint_eq(scratch_count(&scratch), _i == 3);
	faulty.fail_at = 0;
	ck_assert_int_eq(try_append(log, bytes_of(batch, 8), &end), 0);
	commitlog_close(log);
	log = open_log(&file_system, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, 1);
	commitlog_close(log);
}
END_TEST

static unsigned maps;

static int count_map(void *context, int fd, size_t len, void **address)
{
	maps++;
	return file_system.map(context, fd, len, address);
}

static int no_allocate(void *context, int fd, uint64_t size)
{
	(void)context, (void)fd, (void)size;
	return -EOPNOTSUPP;
}

/* On ext3, say: a store into a page that has no block yet could meet a full
 * disk, which is a signal and not an error. */
START_TEST(only_allocated_blocks_are_mapped)	/* _i: it is */
{
	struct file_ops ops = file_system;
	struct commitlog *log;
	struct seen seen;

	maps = 0;
	ops.map = count_map;
	if (!_i)
		ops.allocate = no_allocate;
	log = open_log(&ops, 0, &seen, 0);
	append(log, 1, 100);
	commitlog_close(log);
	log = open_log(&ops, 0, &seen, 0);
	ck_assert_uint_eq(seen.count, 1);
	append(log, 2, 100);
	commitlog_close(log);
	ck_assert_uint_eq(maps, _i ? 2 : 0);
}
END_TEST

static void *sync_often(void *context)
{
	struct commitlog *log = context;
	intptr_t failed = 0;
	int i;

	for (i = 0; i < 50; i++)
		failed |= commitlog_sync(log, commitlog_end(log));
	return (void *)failed;
}

START_TEST(syncs_are_shared)
{
	struct seen seen;
	struct commitlog *log = open_log(&file_system, 0, &seen, 0);
	struct commitlog_stats stats;
	pthread_t threads[3];
	uint64_t i, end = 0;
	void *failed;
	int t;

	append(log, 1, 100);
	for (t = 0; t < 3; t++)
		pthread_create(&threads[t], NULL, sync_often, log);
	for (i = 2; i < 2000; i++)
		end = append(log, i, 1000);
	for (t = 0; t < 3; t++) {
		pthread_join(threads[t], &failed);
		ck_assert_ptr_null(failed);
	}
	ck_assert_int_eq(commitlog_sync(log, end), 0);
	ck_assert_uint_eq(commitlog_synced(log), end);
	commitlog_stats(log, &stats);
	ck_assert_uint_le(stats.syncs, 151);
	commitlog_close(log);
}
END_TEST

SUITE_THREADS(commitlog)
{
	TCase *tc = tcase_create("commitlog");

	scratch_fixture(tc);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, a_spare_is_asked_for_once);
	tcase_add_loop_test(tc, appended_records_come_back, 0, 10);
	tcase_add_test(tc, an_empty_log_is_no_file);
	tcase_add_test(tc, a_batch_larger_than_a_segment);
	tcase_add_test(tc, a_torn_tail_is_dropped_for_ever);
	tcase_add_loop_test(tc, a_hole_in_what_was_synced_is_damage, 0, 2);
	tcase_add_test(tc, a_missing_segment_is_damage);
	tcase_add_test(tc, one_piece_of_the_log_is_in_memory);
	tcase_add_test(tc, a_log_is_released_while_it_is_replayed);
	tcase_add_loop_test(tc, an_older_segment_cut_between_records_is_damage,
			    0, 3);
	tcase_add_test(tc, a_hole_behind_the_log_costs_nothing);
	tcase_add_loop_test(tc, segments_are_used_again, 0, 2);
	tcase_add_test(tc, a_failed_disk_ends_it);
	tcase_add_loop_test(tc, a_disk_that_fails_at_a_new_segment, 0, 2);
	tcase_add_test(tc, a_segment_is_made_beforehand);
	tcase_add_loop_test(tc, a_full_disk_passes, 0, 4);
	tcase_add_loop_test(tc, only_allocated_blocks_are_mapped, 0, 2);
	tcase_add_test(tc, syncs_are_shared);
	suite_add_tcase(suite, tc);
}
