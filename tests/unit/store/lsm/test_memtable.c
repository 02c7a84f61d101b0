/*
 * The memtable against an array, iterators against the moment they were made
 * in, readers beside the writer (run these under the thread sanitizer too).
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "store/base/alloc.h"
#include "store/lsm/memtable.h"
#include "store/lsm/memtable_tree.h"
#include "store/row/row_codec.h"
#include "tests/lib/model.h"
#include "tests/lib/rows.h"
#include "tests/unit/suite.h"

/* ------------------------------------------------------------------- tree */

START_TEST(a_tree_is_an_ordered_set)	/* _i is the seed and the kind of key */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct arena arena = ARENA_INIT;
	struct tree tree;
	struct tree_item *item;
	struct buf key = BUF_INIT;
	size_t made = 0, count;
	uint32_t i;

	tree_init(&tree, &arena);
	ck_assert(tree_is_empty(&tree));
	for (i = 0; i < 5000; i++) {
		uint32_t number = _i % 3 ? random_below(&rng, 4000) : i;
		int got;

		buf_clear(&key);
		if (_i % 4 == 1)
			random_bytes(&rng, &key, 4);
		else if (_i % 4 != 3)
			buf_add_str(&key, "a long beginning that all share");
		else
			buf_add_be32(&key, number % 7);
		buf_add_be32(&key, number);
		got = tree_insert(&tree, buf_bytes(&key), &item);
		ck_assert_int_ge(got, 0);
		made += (size_t)got;
		ck_assert(bytes_equal(tree_item_key(item), buf_bytes(&key)));
	}
	ck_assert(tree_verify(&tree, &count));
	ck_assert_uint_eq(count, made);
	buf_release(&key);
	arena_release(&arena);
}
END_TEST

START_TEST(no_memory_leaves_a_tree_whole)
{
	struct arena arena = ARENA_INIT;
	struct tree tree;
	struct tree_item *item;
	uint32_t i, made = 0;
	uint8_t key[1000] = { 0 };
	size_t count;

	tree_init(&tree, &arena);
	for (i = 0; i < 2000; i++) {
		put_be32(key, i * 2654435761u);
		mem_fail_at(i % 3 ? 1 : 0, 0);
		if (tree_insert(&tree, bytes_of(key, sizeof(key)), &item) > 0)
			made++;
		mem_fail_at(0, 0);
		arena.failed = false;
	}
	ck_assert_uint_lt(made, 2000);
	ck_assert(tree_verify(&tree, &count));
	ck_assert_uint_eq(count, made);
	arena_release(&arena);
}
END_TEST

/* --------------------------------------------------------------- memtable */

static int add_batch(struct memtable *m, const struct batch *batch)
{
	struct reader r = reader_of(buf_bytes(&batch->bytes));
	struct batch_op op;
	int got;

	while ((got = batch_next(&r, &op)) > 0) {
		got = memtable_add(m, &op);
		if (got)
			return got;
	}
	return got;
}

static void check_all(struct memtable *m, const struct model *model,
		      struct random *rng)
{
	struct iterator *it;
	int reverse;
	uint32_t i;

	for (reverse = 0; reverse < 2; reverse++) {
		ck_assert_int_eq(memtable_iterate(&it, m, reverse), 0);
		model_check(model, it, reverse, reverse ? model->count : 0,
			    false);
		for (i = 0; i < 5; i++)
			model_check(model, it, reverse,
				    random_below(rng, model->count), false);
		iterator_close(it);
	}
	for (i = 0; i < model->count; i++) {
		const struct model_place *p = &model->places[i];
		struct arena arena = ARENA_INIT;
		const struct memtable_part *more;
		struct deletion force;
		struct bytes bytes;
		struct row row = ROW_NONE;

		if (memtable_lookup(m, p->key, &bytes, &more, &force))
			ck_assert_int_eq(row_decode(&row, &arena, bytes), 0);
		ck_assert(rows_equal(&row, &p->row));
		ck_assert_int_eq(force.timestamp, p->force.timestamp);
		arena_release(&arena);
	}
}

START_TEST(a_memtable_is_a_sorted_array)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct batch batch = BATCH_INIT;
	struct model model, lost, before;
	struct memtable *m;
	struct iterator *old[2];
	int round;

	model_init(&model, 4);
	ck_assert_int_eq(memtable_new(&m), 0);
	check_all(m, &model, &rng);
	for (round = 0; round < 20; round++) {
		uint32_t left = random_below(&rng, 10);

		ck_assert_int_eq(memtable_iterate(&old[0], m, false), 0);
		ck_assert_int_eq(memtable_iterate(&old[1], m, true), 0);
		model_copy(&before, &model);
		batch_clear(&batch);
		while (left--)
			model_random_change(&model, &rng, &batch, 1);
		ck_assert_int_eq(add_batch(m, &batch), 0);
		model_check(&before, old[0], false, 0, false);
		check_all(m, &before, &rng);	/* not yet committed */
		memtable_commit(m);
		model_check(&before, old[0], false, 0, false);
		model_check(&before, old[1], true, before.count, false);
		iterator_close(old[0]);
		iterator_close(old[1]);
		model_release(&before);
		check_all(m, &model, &rng);
		/* Taken back: as if it had never been. */
		batch_clear(&batch);
		model_init(&lost, 4);
		for (left = 5; left; left--)
			model_random_change(&lost, &rng, &batch, 1);
		ck_assert_int_eq(add_batch(m, &batch), 0);
		memtable_rollback(m);
		model_release(&lost);
		check_all(m, &model, &rng);
	}
	batch_release(&batch);
	model_release(&model);
	memtable_put(m);
}
END_TEST

START_TEST(no_memory_takes_a_batch_back)
{
	struct random rng = random_seeded(1);
	struct batch batch = BATCH_INIT;
	struct model model, none;
	struct memtable *m;
	long nth;
	int err;

	model_init(&model, 4);
	model_init(&none, 4);
	for (nth = 60; nth; nth--)
		model_random_change(&model, &rng, &batch, 1);
	ck_assert_int_eq(memtable_new(&m), 0);
	for (nth = 1;; nth++) {
		mem_fail_at(nth, 0);
		err = add_batch(m, &batch);
		mem_fail_at(0, 0);
		if (!err)
			break;
		ck_assert_int_eq(err, -ENOMEM);
		memtable_rollback(m);
		check_all(m, &none, &rng);
	}
	ck_assert_int_gt(nth, 5);
	memtable_commit(m);
	check_all(m, &model, &rng);
	batch_release(&batch);
	model_release(&model);
	model_release(&none);
	memtable_put(m);
}
END_TEST

/* A set grows by one element at a time; all of it is there, once. */
START_TEST(a_large_row_grows_by_parts)
{
	struct batch batch = BATCH_INIT;
	struct arena arena = ARENA_INIT;
	const struct memtable_part *more;
	struct deletion force;
	struct iterator *it;
	struct entry entry;
	struct memtable *m;
	struct bytes bytes;
	struct row row;
	uint32_t i, parts = 1;
	size_t memory;

	ck_assert_int_eq(memtable_new(&m), 0);
	for (i = 0; i < 3000; i++) {
		uint8_t path[4];
		struct cell cell = { .timestamp = i, .local_time = NO_TIME,
				     .path = bytes_of(path, 4),
				     .value = BYTES_EMPTY };

		put_be32(path, i * 7 % 3000);
		row = (struct row){ MARKER_NONE, DELETION_NONE, 1, &cell };
		batch_clear(&batch);
		batch_add_row(&batch, 1, bytes_str("k"), &row);
		ck_assert_int_eq(add_batch(m, &batch), 0);
		memtable_commit(m);
	}
	memory = memtable_memory(m);
	ck_assert_uint_lt(memory, 8 << 20);	/* the square would be 60 */
	ck_assert_int_eq(memtable_lookup(m, bytes_str("k"), &bytes, &more,
					 &force), 1);
	for (; more; parts++)
		bytes = memtable_next_part(&more);
	ck_assert_uint_gt(parts, 1);
	ck_assert_int_eq(memtable_iterate(&it, m, false), 0);
	ck_assert_int_eq(iterator_seek(it, BYTES_EMPTY, &force), 0);
	ck_assert_int_eq(iterator_next(it, &entry), 1);
	ck_assert_int_eq(row_decode(&row, &arena, entry.row), 0);
	ck_assert_uint_eq(row.cell_count, 3000);
	for (i = 0; i < 3000; i++)
		ck_assert_uint_eq(get_be32(row.cells[i].path.ptr), i);
	ck_assert_int_eq(iterator_next(it, &entry), 0);
	iterator_close(it);
	arena_release(&arena);
	batch_release(&batch);
	memtable_put(m);
}
END_TEST

START_TEST(damaged_operations_are_refused)
{
	struct batch_op op = { .key = bytes_str("k"), .row = bytes_str("?") };
	struct memtable *m;

	ck_assert_int_eq(memtable_new(&m), 0);
	ck_assert_int_eq(memtable_add(m, &op), -EUCLEAN);
	ck_assert(memtable_is_empty(m));
	memtable_put(m);
}
END_TEST

/* ---------------------------------------------------------- concurrent_... */

#define PAIRS 64
#define ROUNDS 150

struct shared {
	struct memtable *m;
	atomic_bool done;
	/* Check's assertions are for one thread: the others count here. */
	atomic_int checked, wrong;
};

static int64_t timestamp_of(struct bytes bytes)
{
	return bytes.len >= 9 ? (int64_t)get_le64(bytes.ptr + 1) : -1;
}

/* A batch writes one time to all rows of a group: all or none are seen. */
static bool sees_one_time(struct memtable *m, bool reverse)
{
	struct deletion force;
	struct iterator *it;
	struct entry entry;
	int64_t first = -1;
	uint32_t seen = 0;
	bool same = true;

	if (memtable_iterate(&it, m, reverse))
		return false;
	iterator_seek(it, BYTES_EMPTY, &force);
	while (iterator_next(it, &entry) > 0) {
		if (entry.key.ptr[entry.key.len - 1] != 'x')
			continue;
		if (first < 0)
			first = timestamp_of(entry.row);
		same &= timestamp_of(entry.row) == first;
		seen++;
	}
	iterator_close(it);
	return same && seen == PAIRS;
}

static void *watch(void *context)
{
	struct shared *s = context;
	int rounds = 0;

	while (!atomic_load(&s->done) || !rounds) {
		if (!sees_one_time(s->m, rounds++ & 1))
			atomic_fetch_add(&s->wrong, 1);
		atomic_fetch_add(&s->checked, 1);
	}
	return NULL;
}

static void write_group(struct memtable *m, struct random *rng, int64_t time)
{
	struct batch batch = BATCH_INIT;
	struct row row = ROW_NONE;
	uint32_t i;

	row.marker.timestamp = time;
	for (i = 0; i < PAIRS; i++) {
		uint8_t key[5] = { 0, 0, 0, 0, 'x' };

		put_be32(key, i * 1000);
		batch_add_row(&batch, 1, bytes_of(key, 5), &row);
		put_be32(key, random_below(rng, PAIRS * 1000));
		key[4] = 'y';	/* these make nodes split meanwhile */
		batch_add_row(&batch, 1, bytes_of(key, 5), &row);
	}
	ck_assert_int_eq(add_batch(m, &batch), 0);
	if (time % 5 == 4)
		memtable_rollback(m);
	else
		memtable_commit(m);
	batch_release(&batch);
}

START_TEST(concurrent_readers_see_whole_batches)
{
	struct random rng = random_seeded(7);
	struct shared s = { .done = false };
	pthread_t threads[2];
	int i;

	ck_assert_int_eq(memtable_new(&s.m), 0);
	write_group(s.m, &rng, 1);
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, watch, &s);
	for (i = 2; i < ROUNDS; i++)
		write_group(s.m, &rng, i);
	atomic_store(&s.done, true);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_gt(atomic_load(&s.checked), 1);
	ck_assert_int_eq(atomic_load(&s.wrong), 0);
	memtable_put(s.m);
}
END_TEST

static void *look_up(void *context)
{
	struct shared *s = context;
	uint32_t i = 0;

	while (!atomic_load(&s->done) || i < 1000) {
		uint8_t key[5] = { 0, 0, 0, 0, 'x' };
		const struct memtable_part *more;
		struct deletion force;
		struct bytes row;

		put_be32(key, i++ % PAIRS * 1000);
		if (memtable_lookup(s->m, bytes_of(key, 5), &row,
				    &more, &force) != 1 || timestamp_of(row) < 1)
			atomic_fetch_add(&s->wrong, 1);
	}
	return NULL;
}

START_TEST(concurrent_lookups_find_what_is_there)
{
	struct random rng = random_seeded(8);
	struct shared s = { .done = false };
	pthread_t thread;
	int i;

	ck_assert_int_eq(memtable_new(&s.m), 0);
	write_group(s.m, &rng, 1);
	pthread_create(&thread, NULL, look_up, &s);
	for (i = 2; i < ROUNDS; i++)
		write_group(s.m, &rng, i);
	atomic_store(&s.done, true);
	pthread_join(thread, NULL);
	ck_assert_int_eq(atomic_load(&s.wrong), 0);
	memtable_put(s.m);
}
END_TEST

SUITE_THREADS(memtable)
{
	TCase *tc = tcase_create("tree");

	tcase_add_loop_test(tc, a_tree_is_an_ordered_set, 0, 12);
	tcase_add_test(tc, no_memory_leaves_a_tree_whole);
	suite_add_tcase(suite, tc);
	tc = tcase_create("memtable");
	tcase_add_loop_test(tc, a_memtable_is_a_sorted_array, 0, 15);
	tcase_add_test(tc, no_memory_takes_a_batch_back);
	tcase_add_test(tc, a_large_row_grows_by_parts);
	tcase_add_test(tc, damaged_operations_are_refused);
	suite_add_tcase(suite, tc);
	tc = tcase_create("concurrent");
	tcase_add_test(tc, concurrent_readers_see_whole_batches);
	tcase_add_test(tc, concurrent_lookups_find_what_is_there);
	suite_add_tcase(suite, tc);
}
