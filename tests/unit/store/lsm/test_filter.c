/* The filter of a memtable: no key is lost, few are found that are none. */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/memtable_filter.h"
#include "tests/unit/suite.h"

#define KEYS 20000

static struct bytes key_of(uint8_t key[8], uint64_t i)
{
	put_be64(key, i * 0x9e3779b97f4a7c15u);
	return bytes_of(key, 8);
}

static void check_all(const struct memtable_filter *f, uint64_t count)
{
	uint8_t key[8];
	uint64_t i;

	for (i = 0; i < count; i++)
		ck_assert(filter_may_contain(f, key_of(key, i)));
}

START_TEST(no_key_is_lost_while_it_grows)
{
	struct arena arena = ARENA_INIT;
	struct memtable_filter f = { NULL };
	struct tree_item *item;
	struct tree tree;
	uint64_t i, found = 0;
	uint8_t key[8];

	tree_init(&tree, &arena);
	for (i = 0; i < KEYS; i++) {
		ck_assert_int_eq(tree_insert(&tree, key_of(key, i), &item), 1);
		ck_assert_int_eq(filter_add(&f, &tree, i + 1, key_of(key, i),
					    &arena), 0);
		ck_assert(filter_may_contain(&f, key_of(key, i)));
		if (i % 1000 == 0)
			check_all(&f, i);
	}
	check_all(&f, KEYS);
	for (i = KEYS; i < 2 * KEYS; i++)
		found += filter_may_contain(&f, key_of(key, i));
	ck_assert_uint_lt(found, KEYS / 50);
	arena_release(&arena);
}
END_TEST

START_TEST(no_memory_leaves_it_as_it_was)
{
	struct arena arena = ARENA_INIT, none = ARENA_INIT;
	struct memtable_filter f = { NULL };
	struct tree_item *item;
	struct tree tree;
	uint8_t key[8];
	uint64_t i;
	int failed = 0;

	none.failed = true;
	tree_init(&tree, &arena);
	for (i = 0; i < KEYS; i++) {
		int err;

		ck_assert_int_eq(tree_insert(&tree, key_of(key, i), &item), 1);
		err = filter_add(&f, &tree, i + 1, key_of(key, i), &none);
		if (!err)
			continue;
		ck_assert_int_eq(err, -ENOMEM);
		check_all(&f, i);
		failed++;
		ck_assert_int_eq(filter_add(&f, &tree, i + 1, key_of(key, i),
					    &arena), 0);
		check_all(&f, i + 1);
	}
	ck_assert_int_gt(failed, 2);
	arena_release(&arena);
}
END_TEST

SUITE(filter)
{
	TCase *tc = tcase_create("filter");

	tcase_add_test(tc, no_key_is_lost_while_it_grows);
	tcase_add_test(tc, no_memory_leaves_it_as_it_was);
	suite_add_tcase(suite, tc);
}
