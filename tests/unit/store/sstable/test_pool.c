/*
 * A store has more files than the process may have open: they are opened when
 * they are read, are the files that they were, and a descriptor that cannot be
 * had fails that read alone.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store/lsm/lsm_internal.h"
#include "store/sstable/cache.h"
#include "store/sstable/iterate.h"
#include "store/sstable/verify.h"
#include "store/sstable/writer.h"
#include "tests/lib/entries.h"
#include "tests/lib/random.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define FILES 60
#define LIMIT 64	/* descriptors of the process, those of the test among them */

static struct rlimit before;
static struct entries entries;
static struct block_cache *cache;
static struct sstable *tables[FILES];
static struct file_ops some_files;
static atomic_int most_open, refuse_open, refused;

static void set_limit(rlim_t limit)
{
	struct rlimit less = before;

	less.rlim_cur = limit;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &less), 0);
}

/* Those of this process. */
static int count_descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	int count = 0;

	ck_assert_ptr_nonnull(all);
	while (readdir(all))
		count++;
	closedir(all);
	return count;
}

static int counted_open(void *context, int dir, const char *name, int flags,
			unsigned mode)
{
	int open;

	if (atomic_load(&refuse_open)) {
		atomic_fetch_add(&refused, 1);
		return -EMFILE;
	}
	open = (int)file_pool_open_count(block_cache_files(cache));
	if (open > atomic_load(&most_open))
		atomic_store(&most_open, open);
	return file_system.open(context, dir, name, flags, mode);
}

static void write_file(uint64_t number)
{
	struct sstable_options options = { .block_size = 1024 };
	struct sstable_writer *w;
	struct sstable_info info;
	size_t i;

	ck_assert_int_eq(sstable_writer_create(&w, &file_system, scratch.dir,
					       number, &options), 0);
	for (i = 0; i < entries.count; i++)
		ck_assert_int_eq(sstable_writer_add(w, &entries.entries[i]),
				 0);
	ck_assert_int_eq(sstable_writer_finish(w, &info), 0);
	sstable_writer_close(w);
}

static void set_up(void)
{
	static const struct entries_shape shape = {
		.partitions = 10, .rows = 30, .value = 50, .bounds = true,
	};
	struct random rng = random_seeded(7);
	uint64_t i;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	some_files = file_system;
	some_files.open = counted_open;
	atomic_store(&most_open, 0);
	atomic_store(&refuse_open, 0);
	atomic_store(&refused, 0);
	entries_make(&entries, &rng, &shape);
	for (i = 0; i < FILES; i++)
		write_file(i + 1);
	set_limit(LIMIT);
	ck_assert_int_eq(block_cache_new(&cache, 1 << 16), 0);
	for (i = 0; i < FILES; i++)
		ck_assert_int_eq(sstable_open(&tables[i], &some_files,
					      scratch.dir, i + 1, cache), 0);
}

static void tear_down(void)
{
	size_t i;

	for (i = 0; i < FILES; i++)
		sstable_put(tables[i]);
	ck_assert_uint_eq(file_pool_open_count(block_cache_files(cache)), 0);
	block_cache_free(cache);
	entries_free(&entries);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}

START_TEST(more_files_than_descriptors)
{
	size_t round, i;

	for (round = 0; round < 3; round++)
		for (i = 0; i < FILES; i++)
			ck_assert_int_eq(sstable_verify(tables[i]), 0);
	ck_assert_int_ge(atomic_load(&most_open), 1);
	ck_assert_int_le(atomic_load(&most_open), LIMIT / 8);
	ck_assert_uint_le(file_pool_open_count(block_cache_files(cache)),
			  LIMIT / 8);
	ck_assert_int_le(count_descriptors(), LIMIT / 2);
}
END_TEST

static void *read_at_random(void *context)
{
	struct random rng = random_seeded((uint64_t)(uintptr_t)context);
	int i;

	for (i = 0; i < test_scale(2000); i++)
		if (sstable_verify(tables[random_below(&rng, FILES)]))
			return context;
	return NULL;
}

START_TEST(many_readers_share_few_descriptors)
{
	pthread_t threads[4];
	uintptr_t i;
	void *bad;

	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
						read_at_random,
						(void *)(i + 1)), 0);
	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(pthread_join(threads[i], &bad), 0);
		ck_assert_ptr_null(bad);
	}
	/* Each may have one more for a moment. */
	ck_assert_int_le(atomic_load(&most_open), LIMIT / 8 + 4);
}
END_TEST

/* The first file was closed when others were opened. */
START_TEST(a_file_is_opened_again_as_itself)
{
	struct stat st;

	ck_assert_int_eq(renameat(scratch.dir, "000000000001.sst", scratch.dir,
				  "away"), 0);
	ck_assert_int_eq(sstable_verify(tables[0]), -EUCLEAN);
	/* The same bytes in another file are another file. */
	write_file(1);
	ck_assert_int_eq(fstatat(scratch.dir, "000000000001.sst", &st, 0), 0);
	ck_assert_int_eq(sstable_verify(tables[0]), -EUCLEAN);
	ck_assert_int_eq(unlinkat(scratch.dir, "000000000001.sst", 0), 0);
	ck_assert_int_eq(symlinkat("away", scratch.dir, "000000000001.sst"),
			 0);
	ck_assert_int_lt(sstable_verify(tables[0]), 0);
	ck_assert_int_eq(renameat(scratch.dir, "away", scratch.dir,
				  "000000000001.sst"), 0);
	ck_assert_int_eq(sstable_verify(tables[0]), 0);
}
END_TEST

/* A compaction has replaced it, and its descriptor was given away. */
START_TEST(a_dropped_file_is_read_to_its_end)
{
	struct sstable *held = sstable_get(tables[0]);
	struct stat st;
	size_t i;

	sstable_drop(tables[0]);
	sstable_put(tables[0]);
	tables[0] = NULL;
	for (i = 1; i < FILES; i++)
		ck_assert_int_eq(sstable_verify(tables[i]), 0);
	ck_assert_int_eq(sstable_verify(held), 0);
	sstable_put(held);
	ck_assert_int_lt(fstatat(scratch.dir, "000000000001.sst", &st, 0), 0);
}
END_TEST

/* Nobody's table is damaged by it, and those whose file is open continue. */
START_TEST(without_a_descriptor_one_read_fails)
{
	struct iterator *it;

	ck_assert_int_eq(sstable_verify(tables[1]), 0);
	atomic_store(&refuse_open, 1);
	ck_assert_int_eq(sstable_verify(tables[0]), -EMFILE);
	ck_assert_int_gt(atomic_load(&refused), 0);
	/* Looking for a descriptor closed them all. */
	ck_assert_uint_eq(file_pool_open_count(block_cache_files(cache)), 0);
	ck_assert_int_eq(sstable_iterate(&it, tables[1], false, false), 0);
	iterator_close(it);
	atomic_store(&refuse_open, 0);
	ck_assert_int_eq(sstable_verify(tables[0]), 0);
	ck_assert_int_eq(sstable_verify(tables[1]), 0);
}
END_TEST

/* --------------------------------------------------------------- a store */
#define TABLES 150

static struct lsm *open_lsm(void)
{
	static const struct lsm_options told = { .commit_s = 1,
						 .no_threads = true };
	struct lsm *lsm;

	ck_assert_int_eq(lsm_open(&lsm, &file_system, scratch.dir, &told), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	return lsm;
}

static void put(struct lsm *lsm, uint32_t table, int64_t timestamp)
{
	struct batch batch = BATCH_INIT;
	struct cell cell = { .timestamp = timestamp, .local_time = NO_TIME,
			     .value = bytes_str("value") };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };

	batch_add_row(&batch, table, row_key("a"), &row);
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), 0);
	batch_release(&batch);
}

static void no_damage(void *context, const char *text)
{
	(void)context;
	ck_abort_msg("%s", text);
}

START_TEST(a_store_of_many_tables)
{
	struct arena arena = ARENA_INIT;
	struct lsm_stats stats;
	struct lsm *lsm;
	struct row row;
	uint32_t i;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	lsm = open_lsm();
	for (i = 1; i <= TABLES; i++)
		put(lsm, i, 5);
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
	set_limit(LIMIT);
	lsm = open_lsm();
	for (i = 1; i <= TABLES; i++) {
		arena_clear(&arena);
		ck_assert_int_eq(lsm_get(lsm, i, row_key("a"), UINT64_MAX,
					 &arena, &row), 1);
		put(lsm, i, 6);
	}
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	for (i = 1; i <= TABLES; i++)
		ck_assert_int_eq(lsm_compact(lsm, i), 0);
	ck_assert_int_eq(lsm_verify(lsm, no_damage, NULL), 0);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.compactions, TABLES);
	ck_assert_int_eq(lsm_close(lsm), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	arena_release(&arena);
}
END_TEST

SUITE_THREADS(pool)
{
	TCase *tc = tcase_create("pool");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, more_files_than_descriptors);
	tcase_add_test(tc, many_readers_share_few_descriptors);
	tcase_add_test(tc, a_file_is_opened_again_as_itself);
	tcase_add_test(tc, a_dropped_file_is_read_to_its_end);
	tcase_add_test(tc, without_a_descriptor_one_read_fails);
	suite_add_tcase(suite, tc);
	tc = tcase_create("store");
	scratch_fixture(tc);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, a_store_of_many_tables);
	suite_add_tcase(suite, tc);
}
