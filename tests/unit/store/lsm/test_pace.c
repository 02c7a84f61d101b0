/*
 * A disk slower than its writers: what is in memory stays within the budget and
 * a quarter of it, the files that wait for a compaction have a bound, and who
 * waits for the disk can be interrupted, or is told when it fails. Nobody waits
 * for a compaction that will not come.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/base/alloc.h"
#include "store/base/watch.h"
#include "store/lsm/lsm_pace.h"
#include "store/lsm/lsm_version.h"
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
static atomic_bool stuck, full, compaction_fails;
static atomic_bool sync_stuck;
static atomic_int stuck_syncs;
static bool fast;
static pthread_t tester;
static atomic_int stuck_writes;
static struct lsm *lsm;

static void sleep_ms(long ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

/* Edits of the manifest are smaller than the writes of an sstable. */
#define SMALL_WRITE 4096

/* Only writes of sstables are stuck: the log is written through its map. */
static int64_t slow_pwrite(void *context, int fd, const void *from, size_t len,
			   uint64_t offset)
{
	if (atomic_load(&full))
		return -ENOSPC;
	if (atomic_load(&compaction_fails) &&
	    !pthread_equal(pthread_self(), tester))
		return -ENOSPC;
	if (!fast)
		sleep_ms(1 + (long)(len >> 16));
	while (len > SMALL_WRITE && atomic_load(&stuck)) {
		atomic_fetch_add(&stuck_writes, 1);
		sleep_ms(5);
	}
	return file_system.pwrite(context, fd, from, len, offset);
}

static int slow_sync(void *context, int fd)
{
	while (atomic_load(&sync_stuck) &&
	       !pthread_equal(pthread_self(), tester)) {
		atomic_fetch_add(&stuck_syncs, 1);
		sleep_ms(1);
	}
	if (fast)
		return 0;
	sleep_ms(20);
	return file_system.datasync(context, fd);
}

static int no_sync(void *context, int fd)
{
	(void)context;
	(void)fd;
	return 0;
}

static int no_map_sync(void *context, int fd, void *address, size_t len)
{
	(void)address;
	(void)len;
	return no_sync(context, fd);
}

static void set_up(void)
{
	static const struct lsm_options options = {
		.commit_s = 1, .memtable_bytes = BUDGET,
		.cache_bytes = 1 << 20,
	};

	atomic_store(&stuck, false);
	atomic_store(&full, false);
	atomic_store(&compaction_fails, false);
	atomic_store(&sync_stuck, false);
	atomic_store(&stuck_syncs, 0);
	tester = pthread_self();
	atomic_store(&stuck_writes, 0);
	slow_disk = file_system;
	slow_disk.pwrite = slow_pwrite;
	slow_disk.datasync = slow_sync;
	if (fast) {
		slow_disk.sync = no_sync;
		slow_disk.map_sync = no_map_sync;
	}
	ck_assert_int_eq(lsm_open(&lsm, &slow_disk, scratch.dir, &options), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
}

static void set_up_fast(void)
{
	fast = true;
	set_up();
}

static void tear_down(void)
{
	atomic_store(&stuck, false);
	atomic_store(&sync_stuck, false);
	lsm_close(lsm);
}

static int put_value(uint32_t table, int number, size_t len)
{
	struct batch batch = BATCH_INIT;
	struct cell cell = { .timestamp = 5, .local_time = NO_TIME };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	uint8_t *value = mem_zalloc(1, len);
	char name[16];
	int err;

	snprintf(name, sizeof(name), "%d", number);
	memset(value, number, len);
	cell.value = bytes_of(value, len);
	batch_add_row(&batch, table, row_key(name), &row);
	err = lsm_apply(lsm, &batch, NULL);
	batch_release(&batch);
	mem_free(value);
	return err;
}

static int put(uint32_t table, int number)
{
	return put_value(table, number, VALUE);
}

static uint64_t in_memory(void)
{
	struct lsm_stats stats;

	lsm_stats(lsm, &stats);
	return stats.memtable_bytes;
}

/* Return the memory of this process, without that of files. */
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

START_TEST(a_writer_that_waits_for_the_disk_can_be_interrupted)
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

/* Writers of all tables may wait meanwhile, for an automatic snapshot. */
START_TEST(a_table_without_news_waits_for_no_other)
{
	int asked = 0, err = 0, i;
	struct watch watch = { .stop = stop_soon, .context = &asked };

	ck_assert_int_eq(put(2, 0), 0);
	ck_assert_int_eq(lsm_flush(lsm, 2), 0);
	atomic_store(&stuck, true);
	watch_set(&watch);
	for (i = 0; i < 100 && !err; i++)
		err = put(1, i);
	ck_assert_int_eq(err, -EINTR);
	asked = 0;
	watch.stopped = false;
	ck_assert_int_eq(lsm_flush(lsm, 2), 0);
	ck_assert_int_eq(lsm_flush(lsm, 1), -EINTR);
	watch_set(NULL);
	atomic_store(&stuck, false);
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
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

/* --------------------------------------------------------------- debt */
/* Compaction does nothing as long as this is held. */
#define STUCK_COMPACTION (&lsm->compacting)

static uint64_t file_count(uint32_t table)
{
	struct lsm_table_stats stats;

	lsm_table_stats(lsm, table, &stats);
	return stats.sstable_count;
}

static uint64_t paused_ns(void)
{
	struct lsm_stats stats;

	lsm_stats(lsm, &stats);
	return stats.paused_ns;
}

/* Add another file with the same keys. A writer that has to wait gives up. */
static int add_file(uint32_t table)
{
	int asked = 0, err, i;
	struct watch watch = { .stop = stop_soon, .context = &asked };

	watch_set(&watch);
	for (err = i = 0; i < 2 && !err; i++)
		err = put_value(table, i, 100);
	watch_set(NULL);
	return err ? err : lsm_flush(lsm, table);
}

/* Add as many files as the writers may before they wait. */
static int add_files(uint32_t table, int most)
{
	int count = 0, err = 0;

	while (count < most && !(err = add_file(table)))
		count++;
	ck_assert(!err || err == -EINTR);
	return count;
}

START_TEST(files_are_bounded_when_compaction_is_stuck)
{
	int count;

	mutex_lock(STUCK_COMPACTION);
	ck_assert_int_eq(add_files(1, LSM_MOST_WAITING / 2), LSM_MOST_WAITING / 2);
	ck_assert_uint_eq(paused_ns(), 0);
	count = LSM_MOST_WAITING / 2 + add_files(1, 1000);
	ck_assert_int_eq(count, LSM_MOST_WAITING);
	ck_assert_uint_gt(paused_ns(), 0);
	ck_assert_uint_eq(file_count(1), LSM_MOST_WAITING);
	/* A writer of another table waits too: one compaction serves all. */
	ck_assert_int_eq(add_files(2, 1000), 0);
	mutex_unlock(STUCK_COMPACTION);
	ck_assert_int_eq(put_value(1, 1, 100), 0);	/* waits, and
							 * continues */
	ck_assert_int_eq(lsm_settle(lsm), 0);
	ck_assert_uint_le(file_count(1), 16);
	ck_assert_int_eq(add_files(1, 3), 3);
}
END_TEST

static void mark_damaged(uint32_t table)
{
	struct version *v = lsm_pin(lsm, table);
	size_t i;

	for (i = 0; i < v->file_count; i++)
		sstable_set_damaged(v->files[i].sstable, 100);
	version_put(v);
}

static int set_table(uint32_t table, bool enabled, enum lsm_strategy strategy,
		     uint32_t least)
{
	struct lsm_table_options options;

	lsm_table_defaults(&options);
	options.compaction_enabled = enabled;
	options.strategy = strategy;
	options.min_threshold = least;
	options.max_threshold = 2 * least;
	return lsm_table_set(lsm, table, &options);
}

static const char *const ways_out[] = {
	"compaction is switched off", "the table is emptied",
	"the table is dropped", "another strategy lets them be",
	"the files are damaged", "compaction finds no room",
};

/* The wait ends before the present compaction does, except in the last two
 * cases. */
START_TEST(no_writer_waits_for_a_compaction_that_will_not_come)	/* _i: way out */
{
	int err = -EINTR, i;

	mutex_lock(STUCK_COMPACTION);
	ck_assert_int_eq(add_files(1, 1000), LSM_MOST_WAITING);
	switch (_i) {
	case 0:
		err = set_table(1, false, LSM_UNIFIED, 4);
		break;
	case 1:
		err = lsm_table_truncate(lsm, 1);
		break;
	case 2:
		err = lsm_table_drop(lsm, 1);
		break;
	case 3:
		err = set_table(1, true, LSM_SIZE_TIERED, 10000);
		break;
	case 4:
		mark_damaged(1);
		err = 0;
		break;
	default:
		atomic_store(&compaction_fails, true);
		err = 0;
	}
	ck_assert_int_eq(err, 0);
	if (_i < 4)
		ck_assert_int_eq(add_files(2, 3), 3);
	mutex_unlock(STUCK_COMPACTION);
	for (i = 0; i < 1000 && !add_files(2, 1); i++)
		sleep_ms(10);
	ck_assert_msg(i < 1000, "writers are stuck: %s", ways_out[_i]);
	ck_assert_int_eq(add_files(2, 3), 3);
	if (_i < 5)
		ck_assert_int_eq(lsm_settle(lsm), 0);
	atomic_store(&compaction_fails, false);
}
END_TEST

/* Nothing is merged on a full disk. When it has room again that is made up for,
 * though nothing is written, and a writer that came before it does not wait for
 * ever. */
START_TEST(files_of_a_full_disk_are_merged_when_it_has_room)	/* _i: a writer? */
{
	int i;

	mutex_lock(STUCK_COMPACTION);
	ck_assert_int_eq(add_files(1, 1000), LSM_MOST_WAITING);
	lsm->refused = true;
	ck_assert(lsm_is_full(lsm));
	mutex_unlock(STUCK_COMPACTION);
	worker_drain(lsm->worker);
	ck_assert_uint_eq(file_count(1), LSM_MOST_WAITING);
	lsm->refused = false;
	for (i = 0; _i && i < 1000 && !add_files(2, 1); i++)
		sleep_ms(10);
	for (; i < 1000 && file_count(1) > 16; i++)
		sleep_ms(10);
	ck_assert_int_lt(i, 1000);
}
END_TEST

/* Never more than that, though nothing is wrong. */
START_TEST(files_without_a_merge_are_no_debt)	/* _i: 0 off, 1 never */
{
	int most = test_scale(200);

	ck_assert_int_eq(set_table(1, _i == 1, LSM_SIZE_TIERED, 10000), 0);
	ck_assert_int_eq(add_files(1, most), most);
	ck_assert_uint_eq(file_count(1), (uint64_t)most);
	ck_assert_uint_eq(paused_ns(), 0);
}
END_TEST

/* Each flush has a row of its own, which overlaps nothing. */
START_TEST(rows_side_by_side_are_merged)
{
	int i;

	for (i = 0; i < 200; i++) {
		ck_assert_int_eq(put_value(1, i, 100), 0);
		ck_assert_int_eq(lsm_flush(lsm, 1), 0);
	}
	ck_assert_int_eq(lsm_settle(lsm), 0);
	ck_assert_uint_le(file_count(1), 32);
}
END_TEST

static void *put_large(void *context)
{
	int *err = context;

	*err = put_value(1, 7, 20 << 20);
	return NULL;
}

/*
 * A write that needs a segment of the log that must be made waits for the disk
 * alone: others continue, in the room that there is. The test ends by its time
 * if not.
 */
START_TEST(no_writer_waits_for_the_segment_of_another)
{
	struct lsm_table_options options;
	pthread_t thread;
	int err = 1, i;

	lsm_table_defaults(&options);
	ck_assert_int_eq(put_value(1, 1, 100), 0);
	atomic_store(&sync_stuck, true);
	ck_assert_int_eq(pthread_create(&thread, NULL, put_large, &err), 0);
	while (!atomic_load(&stuck_syncs))
		sleep_ms(1);
	for (i = 0; i < 100; i++)
		ck_assert_int_eq(put_value(1, i, 100), 0);
	ck_assert_int_eq(lsm_table_set(lsm, 3, &options), 0);
	ck_assert_int_eq(err, 1);	/* it still waits */
	atomic_store(&sync_stuck, false);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(err, 0);
}
END_TEST

/* It is refused before any part of it is read. */
START_TEST(a_batch_that_no_log_can_hold)
{
	struct batch batch = BATCH_INIT;
	uint8_t byte = 0;

	batch.bytes.ptr = &byte;
	batch.bytes.len = LSM_LARGEST_BATCH + 1;
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), -EFBIG);
	ck_assert_int_eq(put(1, 1), 0);
}
END_TEST

SUITE_THREADS(pace)
{
	TCase *tc = tcase_create("pace");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, memory_is_bounded_on_a_slow_disk);
	tcase_add_test(tc, a_writer_that_waits_for_the_disk_can_be_interrupted);
	tcase_add_test(tc, a_table_without_news_waits_for_no_other);
	tcase_add_test(tc, a_flush_that_fails_is_told);
	suite_add_tcase(suite, tc);
	tc = tcase_create("debt");
	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up_fast, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, files_are_bounded_when_compaction_is_stuck);
	tcase_add_loop_test(tc,
			    no_writer_waits_for_a_compaction_that_will_not_come,
			    0,
			    ARRAY_SIZE(ways_out));
	tcase_add_loop_test(tc, files_of_a_full_disk_are_merged_when_it_has_room,
			    0, 2);
	tcase_add_loop_test(tc, files_without_a_merge_are_no_debt, 0, 2);
	tcase_add_test(tc, rows_side_by_side_are_merged);
	tcase_add_test(tc, no_writer_waits_for_the_segment_of_another);
	tcase_add_test(tc, a_batch_that_no_log_can_hold);
	suite_add_tcase(suite, tc);
}
