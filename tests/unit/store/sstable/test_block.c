/*
 * Blocks, index, filters and statistics made of damaged bytes whose checksums
 * are right (somebody else's file): whatever is read stays inside of them, and
 * every walk ends. Under the address sanitizer this is a small fuzzer.
 */
#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/sstable/block.h"
#include "store/sstable/bloom.h"
#include "store/sstable/index.h"
#include "store/sstable/stats.h"
#include "tests/lib/entries.h"
#include "tests/unit/suite.h"

static void build(struct block_builder *b, struct random *rng,
		  struct entries *e)
{
	struct entries_shape shape = { 4, 20, 20, true, false };
	size_t i;

	entries_make(e, rng, &shape);
	for (i = 0; i < e->count; i++)
		block_builder_add(b, &e->entries[i]);
	ck_assert_int_eq(block_builder_finish(b), 0);
}

/* Change some bytes, or cut, of a copy with no room to spare. */
static uint8_t *spoil(struct random *rng, struct bytes good, size_t *len)
{
	uint8_t *copy = malloc(good.len);
	uint32_t times = 1 + random_below(rng, 4);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, good.ptr, good.len);
	*len = good.len;
	while (times--)
		copy[random_below(rng, (uint32_t)good.len)] =
			(uint8_t)random_next(rng);
	if (!random_below(rng, 8)) {
		*len = random_below(rng, (uint32_t)good.len);
		copy = realloc(copy, *len ? *len : 1);
	}
	return copy;
}

static void read_all(const struct block *b, const struct entries *e,
		     struct random *rng)
{
	struct block_cursor c = CURSOR_INIT;
	struct bytes row, key;
	struct entry entry;
	struct deletion d = DELETION_NONE;
	size_t steps = 0;
	int i;

	block_cursor_start(&c, b, 0);
	while (block_cursor_next(&c, &entry) > 0)
		ck_assert_uint_lt(++steps, 100000);
	block_cursor_start(&c, b, random_below(rng, b->restart_count));
	while (block_cursor_next(&c, &entry) > 0)
		ck_assert_uint_lt(++steps, 100000);
	for (i = 0; i < 10; i++) {
		key = e->entries[random_below(rng, (uint32_t)e->count)].key;
		if (block_lookup(b, key, &row, &d) > 0 && row.len)
			ck_assert(row.ptr + row.len <= b->entries_end);
		block_cursor_seek(&c, b, key, &d);
		block_cursor_next(&c, &entry);
	}
	block_cursor_release(&c);
}

START_TEST(a_spoilt_block_is_survived)	/* _i: seed */
{
	struct random rng = random_seeded((uint64_t)_i * 7919);
	struct block_builder builder = { .contents = BUF_INIT };
	struct bytes good;
	struct entries e;
	const char *why;
	int round;

	build(&builder, &rng, &e);
	good = bytes_of(builder.contents.ptr + BLOCK_HEADER_SIZE,
			builder.contents.len - BLOCK_HEADER_SIZE);
	for (round = 0; round < 300; round++) {
		struct block b = { .memory = 0 };
		size_t len;
		uint8_t *copy = spoil(&rng, good, &len);

		if (!block_parse(&b, bytes_of(copy, len), &why))
			read_all(&b, &e, &rng);
		free(copy);
	}
	block_builder_release(&builder);
	entries_free(&e);
}
END_TEST

START_TEST(a_spoilt_index_is_survived)
{
	struct random rng = random_seeded((uint64_t)_i * 104729);
	struct index_builder b = { .bytes = BUF_INIT };
	struct entries_shape shape = { 30, 10, 0, true, false };
	struct deletion d = { 5, 6 };
	struct entries e;
	size_t i;
	int round;

	entries_make(&e, &rng, &shape);
	for (i = 2; i < e.count; i += 2)
		index_builder_add(&b, e.entries[i - 1].key, e.entries[i].key,
				  100, i % 8 ? DELETION_NONE : d);
	for (round = 0; round < 300; round++) {
		struct block_index x;
		const char *why;
		size_t len;
		uint8_t *copy = spoil(&rng, buf_bytes(&b.bytes), &len);
		int err = block_index_read(&x, bytes_of(copy, len), b.count,
					   32, 32 + 100 * b.count, &why);

		ck_assert(!err || err == -EUCLEAN);
		for (i = 0; !err && i < e.count; i++)
			ck_assert_uint_lt(block_index_find(&x,
							   e.entries[i].key),
					  b.count);
		if (!err)
			block_index_release(&x);
		free(copy);
	}
	index_builder_release(&b);
	entries_free(&e);
}
END_TEST

START_TEST(the_index_finds_the_block)	/* _i: seed */
{
	struct random rng = random_seeded((uint64_t)_i * 31337);
	struct index_builder b = { .bytes = BUF_INIT };
	struct entries_shape shape = { _i % 2 ? 500 : 2, _i % 2 ? 3 : 600, 0,
				       false, false };
	struct block_index x;
	struct entries e;
	const char *why;
	size_t i, each = 3;

	entries_make(&e, &rng, &shape);
	for (i = 0; i < e.count; i += each)
		index_builder_add(&b, i ? e.entries[i - 1].key : BYTES_EMPTY,
				  e.entries[i].key, 50 + i, DELETION_NONE);
	ck_assert_int_eq(block_index_read(&x, buf_bytes(&b.bytes), b.count, 0,
					  50 * b.count +
					  each * b.count * (b.count - 1) / 2,
					  &why), 0);
	for (i = 0; i < e.count; i++)
		ck_assert_uint_eq(block_index_find(&x, e.entries[i].key),
				  i / each);
	/* Short separators: far fewer bytes than the keys themselves. */
	ck_assert_uint_eq(x.offsets[1], 50);
	block_index_release(&x);
	index_builder_release(&b);
	entries_free(&e);
}
END_TEST

START_TEST(a_filter_knows_all_it_was_given)	/* _i: bits */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct bloom_builder exact, folded;
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct bloom f, g;
	uint32_t wrong = 0, i, keys = 5000;

	bloom_builder_init(&exact, (uint32_t)_i, 0);
	bloom_builder_init(&folded, (uint32_t)_i, 100000);
	for (i = 0; i < keys; i++) {
		uint64_t hash = random_next(&rng);

		bloom_builder_add(&exact, hash);
		bloom_builder_add(&folded, hash);
	}
	ck_assert_int_eq(bloom_builder_finish(&exact, &a), 0);
	ck_assert_int_eq(bloom_builder_finish(&folded, &b), 0);
	ck_assert_int_eq(bloom_parse(&f, buf_bytes(&a)), 0);
	ck_assert_int_eq(bloom_parse(&g, buf_bytes(&b)), 0);
	ck_assert_uint_lt(b.len, 3 * a.len);
	rng = random_seeded((uint64_t)_i);
	for (i = 0; i < keys; i++) {
		uint64_t hash = random_next(&rng);

		ck_assert(bloom_may_contain(&f, hash));
		ck_assert(bloom_may_contain(&g, hash));
	}
	for (i = 0; i < 20000; i++)
		wrong += bloom_may_contain(&f, random_next(&rng));
	if (_i >= 10)
		ck_assert_uint_lt(wrong, 20000 / 50);
	ck_assert_int_eq(bloom_parse(&f, bytes_of(a.ptr, a.len - 1)),
			 -EUCLEAN);
	ck_assert_int_eq(bloom_parse(&f, bytes_of(a.ptr, 7)), -EUCLEAN);
	ck_assert_int_eq(bloom_parse(&f, BYTES_EMPTY), 0);
	ck_assert(bloom_may_contain(&f, 1));
	bloom_builder_release(&exact);
	bloom_builder_release(&folded);
	buf_release(&a);
	buf_release(&b);
}
END_TEST

START_TEST(times_are_joined_not_lost)
{
	struct random rng = random_seeded(2);
	struct histogram h = { .used = 0 };
	struct stats s, back;
	struct buf bytes = BUF_INIT;
	uint32_t i;

	for (i = 0; i < 10000; i++)
		histogram_add(&h, random_below(&rng, 100000), 1);
	ck_assert_uint_le(h.used, HISTOGRAM_BUCKETS);
	ck_assert_double_eq(histogram_below(&h, 100000), 10000);
	ck_assert_double_eq(histogram_below(&h, 0), 0);
	ck_assert_double_gt(histogram_below(&h, 50000), 4000);
	ck_assert_double_lt(histogram_below(&h, 50000), 6000);
	histogram_add(&h, INT64_MAX - 1, 1);
	histogram_add(&h, INT64_MIN, 1);
	ck_assert_double_eq(histogram_below(&h, INT64_MAX), 10002);
	stats_init(&s);
	stats_init(&back);
	s.drop_times = h;
	buf_add_str(&s.last_key, "the last");
	stats_write(&bytes, &s);
	ck_assert_int_eq(stats_read(&back, buf_bytes(&bytes)), 0);
	ck_assert_str_eq(buf_cstr(&back.last_key), "the last");
	ck_assert_double_eq(histogram_below(&back.drop_times, 50000),
			    histogram_below(&h, 50000));
	for (i = 0; i < bytes.len; i++)
		ck_assert_int_eq(stats_read(&back, bytes_of(bytes.ptr, i)),
				 -EUCLEAN);
	stats_release(&s);
	stats_release(&back);
	buf_release(&bytes);
}
END_TEST

SUITE(block)
{
	TCase *tc = tcase_create("block");

	tcase_add_loop_test(tc, a_spoilt_block_is_survived, 0, 20);
	tcase_add_loop_test(tc, a_spoilt_index_is_survived, 0, 10);
	tcase_add_loop_test(tc, the_index_finds_the_block, 0, 6);
	tcase_add_loop_test(tc, a_filter_knows_all_it_was_given, 1, 21);
	tcase_add_test(tc, times_are_joined_not_lost);
	suite_add_tcase(suite, tc);
}
