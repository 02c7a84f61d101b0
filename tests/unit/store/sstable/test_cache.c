/* The block cache: which blocks are kept and released, and which thread
 * loads. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "store/sstable/cache.h"
#include "tests/unit/suite.h"

#define SIZE 1000

static atomic_int loads;	/* of all threads */
static int load_error;
static int fail_every;		/* so many loads, one fails; 0: none */

/* A block whose bytes say which it is. */
static int load_numbered(struct block **out, const struct block_load *what)
{
	int nth = atomic_fetch_add(&loads, 1);
	struct block *b;

	sched_yield();
	if (load_error)
		return load_error;
	if (fail_every && nth % fail_every == 0)
		return -EIO;
	b = block_new(SIZE);
	ck_assert_ptr_nonnull(b);
	put_le32(b->data, what->block);
	*out = b;
	return 0;
}

static int get(struct block_cache *c, uint64_t owner, uint32_t block, bool keep)
{
	struct block_load what = { load_numbered, NULL, block };
	struct block *b;
	int err = block_cache_get(&b, c, owner, &what, keep);

	if (err)
		return err;
	ck_assert_uint_eq(get_le32(b->data), block);
	block_put(b);
	return 0;
}

static struct block_cache *cache_of(size_t bytes)
{
	struct block_cache *c;

	ck_assert_int_eq(block_cache_new(&c, bytes), 0);
	atomic_store(&loads, 0);
	load_error = 0;
	fail_every = 0;
	return c;
}

START_TEST(a_block_is_loaded_once)
{
	struct block_cache *c = cache_of(16 << 20);
	struct block_cache_stats stats;
	uint64_t a = block_cache_owner(c), b = block_cache_owner(c);
	uint32_t i;

	ck_assert_uint_ne(a, b);
	for (i = 0; i < 2000; i++)
		ck_assert_int_eq(get(c, i % 2 ? a : b, i % 1000, true), 0);
	ck_assert_int_eq(atomic_load(&loads), 1000);
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(get(c, i % 2 ? a : b, i, true), 0);
	ck_assert_int_eq(atomic_load(&loads), 1000);
	block_cache_stats(c, &stats);
	ck_assert_uint_eq(stats.hits, 2000);
	ck_assert_uint_eq(stats.misses, 1000);
	block_cache_forget(c, a);
	ck_assert_int_eq(get(c, b, 0, true), 0);
	ck_assert_int_eq(atomic_load(&loads), 1000);
	ck_assert_int_eq(get(c, a, 1, true), 0);
	ck_assert_int_eq(atomic_load(&loads), 1001);
	block_cache_free(c);
}
END_TEST

START_TEST(bytes_are_bounded)
{
	struct block_cache *c = cache_of(200 * 1024);
	struct block_cache_stats stats;
	uint64_t owner = block_cache_owner(c), one = 0;
	uint32_t i;

	for (i = 0; i < 5000; i++) {
		ck_assert_int_eq(get(c, owner, i, true), 0);
		block_cache_stats(c, &stats);
		ck_assert_uint_le(stats.bytes, 200 * 1024);
		if (!i)
			one = stats.bytes;
	}
	ck_assert_uint_gt(stats.bytes, 100 * 1024);
	ck_assert_uint_eq(stats.bytes + stats.dropped, 5000 * one);
	block_cache_forget(c, owner);
	block_cache_stats(c, &stats);
	ck_assert_uint_eq(stats.dropped, 5000 * one);
	block_cache_free(c);
}
END_TEST

START_TEST(a_block_in_use_stays_readable)
{
	struct block_cache *c = cache_of(64 * 1024);
	uint64_t owner = block_cache_owner(c);
	struct block_load what = { load_numbered, NULL, 77 };
	struct block *held;
	uint32_t i;

	ck_assert_int_eq(block_cache_get(&held, c, owner, &what, true), 0);
	for (i = 100; i < 2000; i++)
		ck_assert_int_eq(get(c, owner, i, true), 0);
	ck_assert_uint_eq(get_le32(held->data), 77);
	block_cache_forget(c, owner);
	ck_assert_uint_eq(get_le32(held->data), 77);
	block_cache_free(c);
	ck_assert_uint_eq(get_le32(held->data), 77);
	block_put(held);
}
END_TEST

START_TEST(blocks_in_frequent_use_are_kept)
{
	struct block_cache *c = cache_of(600 * 1024);
	uint64_t owner = block_cache_owner(c);
	uint32_t i;
	int before;

	for (i = 0; i < 20000; i++) {	/* a scan, and 50 hot blocks */
		ck_assert_int_eq(get(c, owner, 100 + i, true), 0);
		ck_assert_int_eq(get(c, owner, i % 50, true), 0);
	}
	before = atomic_load(&loads);
	ck_assert_int_lt(before - 20000, 500);
	block_cache_free(c);
}
END_TEST

START_TEST(a_block_is_not_kept_if_it_failed_or_should_not_be)
{
	struct block_cache *c = cache_of(1 << 20);
	uint64_t owner = block_cache_owner(c);
	struct block_cache_stats stats;

	ck_assert_int_eq(get(c, owner, 1, false), 0);
	load_error = -EIO;
	ck_assert_int_eq(get(c, owner, 1, true), -EIO);
	ck_assert_int_eq(get(c, owner, 1, false), -EIO);
	block_cache_stats(c, &stats);
	ck_assert_uint_eq(stats.bytes, 0);
	load_error = 0;
	ck_assert_int_eq(get(c, owner, 1, true), 0);
	load_error = -EIO;
	ck_assert_int_eq(get(c, owner, 1, false), 0);
	block_cache_free(c);
	load_error = 0;
	ck_assert_int_eq(get(NULL, 0, 5, true), 0);
}
END_TEST

struct crowd {
	struct block_cache *cache;
	uint64_t owner;
	uint32_t first, blocks;
};

static void *crowd_run(void *data)
{
	struct crowd *crowd = data;
	uint32_t i;

	for (i = 0; i < 3000; i++)
		get(crowd->cache, crowd->owner,
		    (crowd->first + i * i) % crowd->blocks, true);
	for (i = 0; i < crowd->blocks; i++)
		get(crowd->cache, crowd->owner, i, true);
	return NULL;
}

static void run_crowd(size_t bytes, uint32_t blocks, int failing)
{
	struct block_cache *c = cache_of(bytes);
	uint64_t owner = block_cache_owner(c);
	struct crowd crowds[4];
	pthread_t threads[4];
	int i;

	fail_every = failing;
	for (i = 0; i < 4; i++) {
		crowds[i] = (struct crowd){ c, owner, (uint32_t)i, blocks };
		ck_assert_int_eq(pthread_create(&threads[i], NULL, crowd_run,
						&crowds[i]), 0);
	}
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	block_cache_free(c);
}

START_TEST(many_readers_load_a_block_once)
{
	run_crowd(4 << 20, 500, 0);
	ck_assert_int_eq(atomic_load(&loads), 500);
}
END_TEST

START_TEST(many_readers_of_a_small_cache)
{
	run_crowd(40 * 1024, 300, 0);
	ck_assert_int_gt(atomic_load(&loads), 300);
}
END_TEST

START_TEST(many_readers_of_a_failing_disk)
{
	run_crowd(40 * 1024, 20, 2);	/* few blocks: they wait often */
	ck_assert_int_gt(atomic_load(&loads), 20);
}
END_TEST

START_TEST(blocks_have_what_sstables_do_not_hold)
{
	struct block_cache *c = cache_of(1 << 20);
	uint64_t a = block_cache_owner(c);
	struct block_cache_stats stats;
	uint32_t i;

	for (i = 0; i < 4000; i++)
		ck_assert_int_eq(get(c, a, i, true), 0);
	block_cache_stats(c, &stats);
	ck_assert_uint_gt(stats.bytes, (1 << 20) / 4 * 3);
	ck_assert_uint_eq(stats.capacity, 1 << 20);
	block_cache_hold(c, 1 << 19);
	block_cache_stats(c, &stats);
	ck_assert_uint_le(stats.bytes, 1 << 19);
	ck_assert_uint_gt(stats.bytes, 0);
	ck_assert_uint_eq(stats.held, 1 << 19);
	block_cache_hold(c, 3 << 20);	/* more than there is */
	for (i = 0; i < 4000; i++)
		ck_assert_int_eq(get(c, a, i, true), 0);
	block_cache_stats(c, &stats);
	ck_assert_uint_le(stats.bytes, (1 << 20) / 8);
	ck_assert_uint_gt(stats.bytes, (1 << 20) / 16);
	block_cache_let_go(c, 3 << 20);
	block_cache_let_go(c, 1 << 19);
	for (i = 0; i < 4000; i++)
		ck_assert_int_eq(get(c, a, i, true), 0);
	block_cache_stats(c, &stats);
	ck_assert_uint_gt(stats.bytes, (1 << 20) / 4 * 3);
	ck_assert_uint_eq(stats.held, 0);
	block_cache_free(c);
}
END_TEST

SUITE(cache)
{
	TCase *tc = tcase_create("cache");

	tcase_add_test(tc, a_block_is_loaded_once);
	tcase_add_test(tc, bytes_are_bounded);
	tcase_add_test(tc, blocks_have_what_sstables_do_not_hold);
	tcase_add_test(tc, a_block_in_use_stays_readable);
	tcase_add_test(tc, blocks_in_frequent_use_are_kept);
	tcase_add_test(tc, a_block_is_not_kept_if_it_failed_or_should_not_be);
	tcase_add_test(tc, many_readers_load_a_block_once);
	tcase_add_test(tc, many_readers_of_a_small_cache);
	tcase_add_test(tc, many_readers_of_a_failing_disk);
	suite_add_tcase(suite, tc);
}
