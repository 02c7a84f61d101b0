/* Merging: random sources, in both directions, give what one array gives. */
#include <errno.h>

#include "store/base/alloc.h"
#include "tests/lib/model.h"
#include "tests/unit/suite.h"

#define SOURCES 9

START_TEST(sources_as_one)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct model models[SOURCES], all;
	struct iterator *sources[SOURCES], *it;
	struct batch batch = BATCH_INIT;
	size_t count = random_below(&rng, SOURCES + 1), i;
	bool reverse = _i & 1;
	uint32_t changes = 0, tries;

	model_init(&all, 3);
	for (i = 0; i < count; i++) {
		model_init(&models[i], 3);
		for (changes = random_below(&rng, 30); changes; changes--)
			model_random_change(&models[i], &rng, &batch, 1);
		model_merge(&all, &models[i]);
		sources[i] = model_iterate(&models[i], reverse);
	}
	ck_assert_int_eq(merge_open(&it, sources, count, reverse), 0);
	for (tries = 0; tries < 4; tries++)
		model_check(&all, it, reverse,
			    tries ? random_below(&rng, all.count) :
			    reverse ? all.count : 0, true);
	iterator_close(it);
	for (i = 0; i < count; i++)
		model_release(&models[i]);
	model_release(&all);
	batch_release(&batch);
}
END_TEST

/* A source that fails after a few entries. */
struct failing {
	struct iterator base;
	int left, *closed;
};

static int failing_seek(struct iterator *it, struct bytes key,
			struct deletion *in_force)
{
	(void)it, (void)key;
	*in_force = DELETION_NONE;
	return 0;
}

static int failing_next(struct iterator *it, struct entry *entry)
{
	struct failing *f = (struct failing *)it;

	if (!f->left--)
		return -EUCLEAN;
	entry->key = bytes_of(&"321"[f->left], 1);
	entry->kind = ENTRY_ROW;
	entry->row = bytes_of("\1\0\0\0\0\0\0\0\1", 9);
	return 1;
}

static void failing_close(struct iterator *it)
{
	++*((struct failing *)it)->closed;
}

static const struct iterator_ops failing_ops = { failing_seek, failing_next,
						 failing_close };

START_TEST(an_error_ends_it_and_all_is_closed)
{
	int closed = 0;
	struct failing a = { { &failing_ops }, 2, &closed }, b = a;
	struct iterator *sources[] = { &a.base, &b.base }, *it;
	struct deletion in_force;
	struct entry entry;

	b.left = 3;
	ck_assert_int_eq(merge_open(&it, sources, 2, false), 0);
	ck_assert_int_eq(iterator_seek(it, BYTES_EMPTY, &in_force), 0);
	ck_assert_int_eq(iterator_next(it, &entry), 1);
	ck_assert_int_eq(iterator_next(it, &entry), 1);
	ck_assert_int_eq(iterator_next(it, &entry), 1);
	ck_assert_int_eq(iterator_next(it, &entry), -EUCLEAN);
	ck_assert_int_eq(iterator_next(it, &entry), -EUCLEAN);
	iterator_close(it);
	ck_assert_int_eq(closed, 2);
	mem_fail_at(1, 0);
	ck_assert_int_eq(merge_open(&it, sources, 2, false), -ENOMEM);
	mem_fail_at(0, 0);
	ck_assert_int_eq(closed, 4);
}
END_TEST

SUITE(merge)
{
	TCase *tc = tcase_create("merge");

	tcase_add_loop_test(tc, sources_as_one, 0, 400);
	tcase_add_test(tc, an_error_ends_it_and_all_is_closed);
	suite_add_tcase(suite, tc);
}
