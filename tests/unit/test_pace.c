/*
 * A disk slower than its writers: what is in memory stays within the budget and
 * a quarter of it, and who waits for the disk can be interrupted, or is told
 * when it fails.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/base/alloc.h"
#include "store/base/watch.h"
#include "store/lsm/lsm_internal.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define BUDGET ((size_t)4 << 20)
#define VALUE ((size_t)256 << 10)
#define WRITERS 3
/* A memtable grows by so much at a time. */
#define ARENA_STEP ((size_t)2 << 20)
#define MOST (BUDGET / 4 * 5 + VALUE + ARENA_STEP)

static struct file_ops slow_disk;
static atomic_bool stuck, full;
static atomic_int stuck_writes;
static struct lsm *lsm;

static void sleep_ms(long ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

/* Edits of the manifest are smaller than what is written of an sstable. */
#define SMALL_WRITE 4096

/* Only writes of sstables are stuck: the log is written through its map. */
static int64_t slow_pwrite(void *context, int fd, const void *from, size_t len,
			   uint64_t offset)
{
	if (atomic_load(&full))
		return -ENOSPC;
	sleep_ms(1 + (long)(len >> 16));
	while (len > SMALL_WRITE && atomic_load(&stuck)) {
		atomic_fetch_add(&stuck_writes, 1);
		sleep_ms(5);
	}
	return file_system.pwrite(context, fd, from, len, offset);
}

static int slow_sync(void *context, int fd)
{
	sleep_ms(20);
	return file_system.datasync(context, fd);
}

static void set_up(void)
{
	static const struct lsm_options options = {
		.commit_s = 1, .memtable_bytes = BUDGET,
		.cache_bytes = 1 << 20,
	};

	atomic_store(&stuck, false);
	atomic_store(&full, false);
	atomic_store(&stuck_writes, 0);
	slow_disk = file_system;
	slow_disk.pwrite = slow_pwrite;
	slow_disk.datasync = slow_sync;
	ck_assert_int_eq(lsm_open(&lsm, &slow_disk, scratch.dir, &options), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
}

static void tear_down(void)
{
	atomic_store(&stuck, false);
	lsm_close(lsm);
}

static int put(uint32_t table, int number)
{
	struct batch batch = BATCH_INIT;
	struct cell cell = { .timestamp = 5, .local_time = NO_TIME };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	uint8_t *value = mem_zalloc(1, VALUE);
	char name[16];
	int err;

	snprintf(name, sizeof(name), "%d", number);
	memset(value, number, VALUE);
	cell.value = bytes_of(value, VALUE);
	batch_add_row(&batch, table, row_key(name), &row);
	err = lsm_apply(lsm, &batch, NULL);
	batch_release(&batch);
	mem_free(value);
	return err;
}

static uint64_t in_memory(void)
{
	struct lsm_stats stats;

	lsm_stats(lsm, &stats);
	return stats.memtable_bytes;
}

/* Of this process, no file's. */
static uint64_t resident(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long kb = 0;
	char line[200];

	ck_assert_ptr_nonnull(status);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "RssAnon: %lu kB", &kb) == 1)
			break;
	fclose(status);
	ck_assert_uint_gt(kb, 0);
	return (uint64_t)kb << 10;
}

struct writer {
	int first, count;
	uint64_t most;		/* that was seen in memory */
	int err;
};

static void *write_much(void *context)
{
	struct writer *w = context;
	int i;

	for (i = w->first; i < w->first + w->count && !w->err; i++) {
		uint64_t now;

		w->err = put(1 + (uint32_t)i % 3, i);
		now = in_memory();
		if (now > w->most)
			w->most = now;
	}
	return NULL;
}

START_TEST(memory_is_bounded_on_a_slow_disk)
{
	struct writer writers[WRITERS] = { { 0, 0, 0, 0 } };
	pthread_t threads[WRITERS];
	uint64_t before = resident(), most = 0;
	struct lsm_stats stats;
	int count = test_scale(100), i;

	for (i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ i * count, count, 0, 0 };
		ck_assert_int_eq(pthread_create(&threads[i], NULL, write_much,
						&writers[i]), 0);
	}
	for (i = 0; i < WRITERS; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_int_eq(writers[i].err, 0);
		if (writers[i].most > most)
			most = writers[i].most;
	}
	ck_assert_uint_le(most, MOST);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.applied, (uint64_t)(WRITERS * count));
#ifndef __SANITIZE_ADDRESS__
#ifndef __SANITIZE_THREAD__
	/* Batches and buffers of the flush, too: of 75 MB that were written. */
	ck_assert_uint_lt(resident(), before + 6 * BUDGET);
#endif
#endif
	(void)before;
}
END_TEST

static bool stop_soon(void *context)
{
	int *asked = context;

	return ++*asked > 20;
}

START_TEST(who_waits_for_the_disk_can_be_interrupted)
{
	int asked = 0, err = 0, i;
	struct watch watch = { .stop = stop_soon, .context = &asked };

	atomic_store(&stuck, true);
	watch_set(&watch);
	for (i = 0; i < 100 && !err; i++)
		err = put(1, i);
	watch_set(NULL);
	ck_assert_int_eq(err, -EINTR);
	ck_assert_int_gt(atomic_load(&stuck_writes), 0);
	ck_assert_uint_le(in_memory(), MOST);
	atomic_store(&stuck, false);
	ck_assert_int_eq(put(1, 1000), 0);
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	ck_assert_uint_lt(in_memory(), BUDGET / 2);
}
END_TEST

/* The log has room, and sstables have none. */
START_TEST(a_flush_that_fails_is_told)
{
	int err = 0, i;

	atomic_store(&full, true);
	for (i = 0; i < 100 && !err; i++)
		err = put(1, i);
	ck_assert_int_eq(err, -ENOSPC);
	ck_assert_uint_le(in_memory(), MOST);
	atomic_store(&full, false);
	for (i = 0; i < 1000 && (err = put(1, 1000)) == -ENOSPC; i++)
		sleep_ms(20);
	ck_assert_int_eq(err, 0);
}
END_TEST

SUITE_THREADS(pace)
{
	TCase *tc = tcase_create("pace");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, memory_is_bounded_on_a_slow_disk);
	tcase_add_test(tc, who_waits_for_the_disk_can_be_interrupted);
	tcase_add_test(tc, a_flush_that_fails_is_told);
	suite_add_tcase(suite, tc);
}
