/* Merging: random sources, in both directions, give what one array gives. */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/row/merge.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"
#include "store/row/shadow.h"
#include "tests/lib/model.h"
#include "tests/lib/rows.h"
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

/* ------------------------------------------------- without what shadows it */
/* A source without the entries that are to be skipped. */
struct skipping {
	struct iterator base, *it;
};

static int skipping_seek(struct iterator *base, struct bytes key,
			 struct deletion *in_force)
{
	return iterator_seek(((struct skipping *)base)->it, key, in_force);
}

static int skipping_next(struct iterator *base, struct entry *entry)
{
	int got;

	do {
		got = iterator_next(((struct skipping *)base)->it, entry);
	} while (got > 0 && entry->kind == ENTRY_ROW && !entry->row.len);
	return got;
}

static void skipping_close(struct iterator *base)
{
	iterator_close(((struct skipping *)base)->it);
}

static const struct iterator_ops skipping_ops = {
	skipping_seek, skipping_next, skipping_close, NULL,
};

/* Of all these sources, the entries that the last one does not shadow. */
static struct iterator *left_of(struct model *models, size_t count)
{
	struct iterator *sources[SOURCES], *all, *by, *left;
	size_t i;

	for (i = 0; i < count; i++)
		sources[i] = model_iterate(&models[i], false);
	ck_assert_int_eq(merge_open(&all, sources, count - 1, false), 0);
	ck_assert_int_eq(merge_open(&by, sources + count - 1, 1, false), 0);
	ck_assert_int_eq(shadow_open(&left, all, by), 0);
	return left;
}

static bool has_cell(const struct row *row, const struct cell *cell)
{
	struct row one = ROW_NONE, other = ROW_NONE;
	uint32_t i;

	one.cell_count = other.cell_count = 1;
	one.cells = (struct cell *)(uintptr_t)cell;
	for (i = 0; i < row->cell_count; i++) {
		other.cells = &row->cells[i];
		if (rows_equal(&one, &other))
			return true;
	}
	return false;
}

/* All of it is in the merge, and nothing of it in the other. */
static void check_row(const struct row *left, const struct row *merged,
		      const struct row *other)
{
	uint32_t i;

	for (i = 0; i < left->cell_count; i++) {
		ck_assert(has_cell(merged, &left->cells[i]));
		ck_assert(!has_cell(other, &left->cells[i]));
	}
	if (left->marker.timestamp != NO_TIMESTAMP) {
		ck_assert(!reconcile_marker(&left->marker, &merged->marker));
		ck_assert(reconcile_marker(&left->marker, &other->marker));
	}
	if (!deletion_is_none(left->deletion)) {
		ck_assert_int_eq(left->deletion.timestamp,
				 merged->deletion.timestamp);
		ck_assert(left->deletion.timestamp !=
				  other->deletion.timestamp ||
			  left->deletion.local_time !=
				  other->deletion.local_time);
	}
}

static uint32_t place_of(const struct model *m, struct bytes key)
{
	uint32_t i = 0;

	while (!bytes_equal(m->places[i].key, key))
		ck_assert_uint_lt(++i, m->count);
	return i;
}

/* Nothing is left that could be missed. */
static void check_nothing_more(struct iterator *left, const struct model *all,
			       const struct model *other)
{
	struct arena arena = ARENA_INIT;
	struct deletion in_force;
	struct entry entry;
	int got;

	ck_assert_int_eq(iterator_seek(left, BYTES_EMPTY, &in_force), 0);
	while ((got = iterator_next(left, &entry)) > 0) {
		struct row row, merged = ROW_NONE;
		uint32_t i;

		if (entry.kind == ENTRY_ROW && !entry.row.len)
			continue;
		i = place_of(all, entry.key);
		if (entry.kind == ENTRY_ROW) {
			ck_assert_int_eq(row_decode(&row, &arena, entry.row),
					 0);
			ck_assert(model_row(all, i, &arena, &merged));
			check_row(&row, &merged, &other->places[i].row);
		} else if (!deletion_is_none(entry.after)) {
			ck_assert_int_eq(entry.after.timestamp,
					 all->places[i].force.timestamp);
			ck_assert_int_eq(entry.after.local_time,
					 all->places[i].force.local_time);
		}
	}
	ck_assert_int_eq(got, 0);
	iterator_close(left);
	arena_release(&arena);
}

/* A source may skip the entries that another shadows: the merge of both is the
 * same, with any other sources beside them. */
START_TEST(a_source_may_skip_shadowed_entries)	/* _i: seed */
{
	struct random rng = random_seeded((uint64_t)_i + 5000);
	struct model models[SOURCES], all, both, other;
	size_t count = 2 + random_below(&rng, 3), i;
	struct skipping skipping = { { &skipping_ops }, NULL };
	struct iterator *sources[3], *it;
	struct batch batch = BATCH_INIT;
	uint32_t changes, tries;

	model_init(&both, 3);
	for (i = 0; i <= count; i++) {	/* the last: beside them */
		model_init(&models[i], 3);
		for (changes = random_below(&rng, 40); changes; changes--)
			model_random_change(&models[i], &rng, &batch, 1);
		if (i < count)
			model_merge(&both, &models[i]);
	}
	model_init(&all, 3);
	model_merge(&all, &both);
	model_merge(&all, &models[count]);
	model_init(&other, 3);
	model_merge(&other, &models[count - 1]);
	for (i = 0; i < 2; i++) {
		skipping.it = left_of(models, count);
		sources[0] = &skipping.base;
		sources[1] = model_iterate(&models[count - 1], false);
		sources[2] = model_iterate(&models[count], false);
		ck_assert_int_eq(merge_open(&it, sources, 2 + i, false), 0);
		for (tries = 0; tries < 4; tries++)
			model_check(i ? &all : &both, it, false,
				    tries ? random_below(&rng, all.count) : 0,
				    true);
		iterator_close(it);
		if (!i)
			iterator_close(sources[2]);
	}
	check_nothing_more(left_of(models, count), &both, &other);
	for (i = 0; i <= count; i++)
		model_release(&models[i]);
	model_release(&all);
	model_release(&both);
	model_release(&other);
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
						 failing_close, NULL };

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
	a.left = 1;
	b.left = 2;
	ck_assert_int_eq(shadow_open(&it, &a.base, &b.base), 0);
	ck_assert_int_eq(iterator_seek(it, BYTES_EMPTY, &in_force), 0);
	ck_assert_int_eq(iterator_next(it, &entry), 1);
	ck_assert_int_eq(iterator_next(it, &entry), -EUCLEAN);
	ck_assert_int_eq(iterator_next(it, &entry), -EUCLEAN);
	iterator_close(it);
	ck_assert_int_eq(closed, 6);
	mem_fail_at(1, 0);
	ck_assert_int_eq(shadow_open(&it, &a.base, &b.base), -ENOMEM);
	mem_fail_at(0, 0);
	ck_assert_int_eq(closed, 8);
}
END_TEST

SUITE(merge)
{
	TCase *tc = tcase_create("merge");

	tcase_add_loop_test(tc, sources_as_one, 0, 400);
	tcase_add_loop_test(tc, a_source_may_skip_shadowed_entries, 0, 400);
	tcase_add_test(tc, an_error_ends_it_and_all_is_closed);
	suite_add_tcase(suite, tc);
}
