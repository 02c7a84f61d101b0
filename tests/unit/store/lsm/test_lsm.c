/*
 * The engine against a sorted array: random changes, flushes, compactions and
 * reopenings; each moment is read by point and in both directions.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/lsm.h"
#include "tests/lib/model.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define TABLES 3
#define PARTITIONS 5

static const struct lsm_options told = { .commit_s = 1, .no_threads = true };

static void set_up(void)
{
	clock_set_us(0);	/* nothing of random_row's expires or is purged */
}

static void tear_down(void)
{
	clock_set_us(INT64_MIN);
}

static struct lsm *open_tables(const struct lsm_options *options,
			       const struct lsm_table_options *table)
{
	struct lsm *lsm;
	uint32_t i;

	ck_assert_int_eq(lsm_open(&lsm, &file_system, scratch.dir, options), 0);
	for (i = 1; i <= TABLES; i++)
		ck_assert_int_eq(lsm_table_set(lsm, i, table), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	return lsm;
}

static struct lsm *open_lsm(const struct lsm_options *options)
{
	struct lsm_table_options table;

	lsm_table_defaults(&table);
	return open_tables(options, &table);
}

static void keep_column(struct row *row, uint32_t column)
{
	uint32_t i, kept = 0;

	for (i = 0; i < row->cell_count; i++)
		if (row->cells[i].column == ROWS_COLUMN + column)
			row->cells[kept++] = row->cells[i];
	*row = (struct row){ MARKER_NONE, DELETION_NONE, kept, row->cells };
}

/* Read one column only: reading may stop early. */
static void check_columns(struct lsm *lsm, uint32_t table, struct bytes key,
			  struct arena *arena)
{
	struct row all, want, got;
	uint32_t column;
	int there = lsm_get(lsm, table, key, UINT64_MAX, arena, &all);

	for (column = 0; there && column < 4; column++) {
		want = all;
		want.cells = arena_zalloc(arena, all.cell_count + 1,
					  sizeof(*want.cells));
		if (all.cell_count)
			memcpy(want.cells, all.cells,
			       all.cell_count * sizeof(*want.cells));
		keep_column(&want, column);
		ck_assert_int_ge(lsm_get(lsm, table, key,
					 (uint64_t)1 << column, arena, &got),
				 want.cell_count > 0);
		keep_column(&got, column);
		ck_assert(rows_equal(&got, &want));
	}
	/* Asked for none, the marker is the row's all the same, or there is
	 * none. */
	ck_assert_int_ge(lsm_get(lsm, table, key, 0, arena, &got), 0);
	ck_assert_int_eq(got.marker.timestamp, all.marker.timestamp);
}

static void check_points(struct lsm *lsm, uint32_t table,
			 const struct model *model)
{
	uint32_t i;

	for (i = 0; i < model->count; i++) {
		struct arena arena = ARENA_INIT;
		struct row want, got;
		bool there = model_row(model, i, &arena, &want);

		if (model->places[i].is_row) {
			ck_assert_int_eq(lsm_get(lsm, table,
						 model->places[i].key,
						 UINT64_MAX, &arena, &got),
					 there);
			ck_assert(rows_equal(&got, &want));
			check_columns(lsm, table, model->places[i].key, &arena);
		}
		arena_release(&arena);
	}
}

static void check_table(struct lsm *lsm, uint32_t table,
			const struct model *model, struct random *rng)
{
	struct iterator *it;
	int reverse, i;

	check_points(lsm, table, model);
	for (reverse = 0; reverse < 2; reverse++) {
		ck_assert_int_eq(lsm_iterate(&it, lsm, table, BYTES_EMPTY,
					     BYTES_EMPTY, reverse), 0);
		model_check(model, it, reverse, reverse ? model->count : 0,
			    true);
		for (i = 0; i < 3; i++)
			model_check(model, it, reverse,
				    random_below(rng, model->count), true);
		iterator_close(it);
	}
}

struct world {
	struct lsm *lsm;
	struct lsm_table_options table;
	struct model models[TABLES];
	struct random rng;
};

static void change_some(struct world *w)
{
	struct batch batch = BATCH_INIT;
	uint32_t left = 1 + random_below(&w->rng, 8);

	while (left--) {
		uint32_t t = random_below(&w->rng, TABLES);

		model_random_change(&w->models[t], &w->rng, &batch, t + 1);
	}
	ck_assert_int_eq(lsm_apply(w->lsm, &batch, NULL), 0);
	batch_release(&batch);
}

static void do_something(struct world *w)
{
	uint32_t t = random_below(&w->rng, TABLES);

	switch (random_below(&w->rng, 24)) {
	case 0:
		ck_assert_int_eq(lsm_flush(w->lsm, t + 1), 0);
		break;
	case 1:
		ck_assert_int_eq(lsm_flush(w->lsm, UINT32_MAX), 0);
		break;
	case 2:
		ck_assert_int_eq(lsm_compact(w->lsm, t + 1), 0);
		break;
	case 3:
		ck_assert_int_eq(lsm_settle(w->lsm), 0);
		break;
	case 4:
		ck_assert_int_eq(lsm_close(w->lsm), 0);
		w->lsm = open_tables(&told, &w->table);
		break;
	case 5:
		if (random_below(&w->rng, 4))
			break;
		ck_assert_int_eq(lsm_table_truncate(w->lsm, t + 1), 0);
		model_clear(&w->models[t]);
		break;
	default:
		change_some(w);
	}
}

START_TEST(the_engine_is_a_sorted_array)	/* _i is the seed */
{
	struct world w = { .rng = random_seeded((uint64_t)_i) };
	struct model before;
	struct iterator *old;
	uint32_t round, t;

	for (t = 0; t < TABLES; t++)
		model_init(&w.models[t], PARTITIONS);
	lsm_table_defaults(&w.table);
	if (_i & 1) {	/* small files, which do not overlap */
		w.table.strategy = LSM_LEVELED;
		w.table.sstable_size = 1;
	}
	w.lsm = open_tables(&told, &w.table);
	for (round = 0; round < 60; round++) {
		t = round % TABLES;
		ck_assert_int_eq(lsm_iterate(&old, w.lsm, t + 1, BYTES_EMPTY,
					     BYTES_EMPTY, round & 1), 0);
		model_copy(&before, &w.models[t]);
		if (round % 4)
			change_some(&w);
		model_check(&before, old, round & 1,
			    round & 1 ? before.count : 0, true);
		iterator_close(old);
		model_release(&before);
		do_something(&w);
		check_table(w.lsm, t + 1, &w.models[t], &w.rng);
	}
	ck_assert_int_eq(lsm_verify(w.lsm, NULL, NULL), 0);
	ck_assert_int_eq(lsm_close(w.lsm), 0);
	for (t = 0; t < TABLES; t++)
		model_release(&w.models[t]);
}
END_TEST

static void put(struct lsm *lsm, uint32_t table, const char *name,
		int64_t timestamp, size_t size)
{
	struct batch batch = BATCH_INIT;
	struct cell cell = { .timestamp = timestamp, .local_time = NO_TIME };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	char *value = mem_alloc(size);

	memset(value, 'v', size);
	cell.value = bytes_of(value, size);
	batch_add_row(&batch, table, row_key(name), &row);
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), 0);
	batch_release(&batch);
	mem_free(value);
}

static int64_t timestamp_of(struct lsm *lsm, uint32_t table, const char *name)
{
	struct arena arena = ARENA_INIT;
	struct row row;
	int64_t timestamp = -1;

	if (lsm_get(lsm, table, row_key(name), UINT64_MAX, &arena, &row) > 0)
		timestamp = row.cells[0].timestamp;
	arena_release(&arena);
	return timestamp;
}

START_TEST(an_empty_store_is_small_and_a_dropped_table_gone)
{
	struct lsm *lsm = open_lsm(&told);
	struct lsm_table_stats stats;
	struct batch batch = BATCH_INIT;
	struct row row = ROW_NONE;
	uint32_t *tables;
	size_t count;

	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), -1);
	put(lsm, 1, "k", 5, 10);
	put(lsm, 2, "k", 6, 10);
	ck_assert_int_eq(lsm_flush(lsm, 1), 0);
	put(lsm, 1, "k", 7, 10);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), 7);
	lsm_table_stats(lsm, 1, &stats);
	ck_assert_uint_eq(stats.sstable_count, 1);
	ck_assert_int_eq(stats.max_timestamp, 7);
	ck_assert_int_eq(lsm_table_drop(lsm, 1), 0);
	batch_add_row(&batch, 1, row_key("k"), &row);
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), -ESTALE);
	batch_clear(&batch);
	batch_add_row(&batch, 2, bytes_str("no key"), &row);
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), -EINVAL);
	batch_release(&batch);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), -1);
	ck_assert_int_eq(lsm_table_list(lsm, &tables, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(tables[0], 2);
	mem_free(tables);
	ck_assert_int_eq(lsm_close(lsm), 0);
	lsm = open_lsm(&told);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), -1);
	ck_assert_int_eq(timestamp_of(lsm, 2, "k"), 6);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* Else a power cut might end the log below the mark in the manifest. */
START_TEST(the_log_is_synced_before_a_mark)
{
	struct lsm *lsm = open_lsm(&told);
	struct lsm_stats stats;

	put(lsm, 1, "k", 5, 10);
	put(lsm, 2, "k", 5, 10);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.syncs, 0);
	ck_assert_int_eq(lsm_flush(lsm, 1), 0);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.syncs, 1);
	put(lsm, 2, "k", 6, 10);
	ck_assert_int_eq(lsm_table_truncate(lsm, 1), 0);
	lsm_stats(lsm, &stats);
	ck_assert_uint_eq(stats.syncs, 2);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(properties_last)
{
	struct lsm *lsm = open_lsm(&told);
	struct buf value = BUF_INIT;

	ck_assert_int_eq(lsm_property_get(lsm, "p", &value), -ENOENT);
	ck_assert_int_eq(lsm_property_set(lsm, "p", bytes_str("one")), 0);
	ck_assert_int_eq(lsm_property_set(lsm, "p", bytes_str("two")), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
	lsm = open_lsm(&told);
	ck_assert_int_eq(lsm_property_get(lsm, "p", &value), 0);
	ck_assert_str_eq(buf_cstr(&value), "two");
	buf_release(&value);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(a_full_log_is_used_again)
{
	struct lsm *lsm = open_lsm(&told);
	struct lsm_stats stats;
	int i;

	for (i = 0; i < 60; i++) {
		put(lsm, 1, "k", i, 500000);
		if (i % 10 == 9)
			ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	}
	lsm_stats(lsm, &stats);
	ck_assert_uint_le(stats.log_bytes, 40 << 20);
	ck_assert_uint_eq(stats.flushes, 6);
	ck_assert_int_eq(lsm_compact(lsm, 1), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
	lsm = open_lsm(&told);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), 59);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

static void note(void *context, const char *text)
{
	ck_assert_ptr_nonnull(text);
	++*(int *)context;
}

/* The log is well yet, and nothing is acknowledged any more. */
START_TEST(no_sync_succeeds_after_a_failed_flush)
{
	struct faulty faulty;
	struct lsm *lsm;

	faulty_init(&faulty);
	ck_assert_int_eq(lsm_open(&lsm, &faulty.ops, scratch.dir, &told), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	put(lsm, 1, "k", 5, 10);
	ck_assert_int_eq(lsm_sync(lsm, lsm_position(lsm)), 0);
	put(lsm, 1, "l", 6, 10);
	faulty.fail_at = faulty.calls + 1;
	faulty.err = -EIO;
	ck_assert_int_eq(lsm_flush(lsm, 1), -EIO);
	ck_assert(lsm_has_failed(lsm));
	ck_assert_int_eq(lsm_sync(lsm, lsm_position(lsm)), -EIO);
	ck_assert_int_eq(timestamp_of(lsm, 1, "l"), 6);
	ck_assert_int_eq(lsm_close(lsm), -EIO);
	lsm = open_lsm(&told);
	ck_assert_int_eq(timestamp_of(lsm, 1, "l"), 6);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(a_failed_disk_makes_it_read_only)
{
	struct lsm_options options = told;
	struct faulty faulty;
	struct batch batch = BATCH_INIT;
	struct row row = ROW_NONE;
	struct lsm_stats stats;
	struct lsm *lsm;
	int told_of = 0;

	faulty_init(&faulty);
	options.notice = note;
	options.context = &told_of;
	ck_assert_int_eq(lsm_open(&lsm, &faulty.ops, scratch.dir, &options), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	put(lsm, 1, "k", 5, 10);
	faulty.fail_at = faulty.calls + 1;
	faulty.err = -EIO;
	ck_assert_int_eq(lsm_sync(lsm, lsm_position(lsm)), -EIO);
	ck_assert_int_eq(told_of, 1);
	row.marker.timestamp = 1;
	batch_add_row(&batch, 1, row_key("l"), &row);
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), -EROFS);
	ck_assert_int_eq(lsm_flush(lsm, 1), -EROFS);
	ck_assert_int_eq(lsm_property_set(lsm, "p", BYTES_EMPTY), -EROFS);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), 5);
	lsm_stats(lsm, &stats);
	ck_assert(stats.faulted);
	ck_assert_int_eq(lsm_close(lsm), -EIO);
	batch_release(&batch);
	lsm = open_lsm(&told);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), 5);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* Every call that changes a file fails once; acknowledged writes stay. */
START_TEST(a_call_that_fails_loses_nothing)	/* _i + 1: which one */
{
	struct lsm_options options = told;
	struct faulty faulty;
	struct lsm *lsm;
	int done = 0, i, err;

	faulty_init(&faulty);
	faulty.fail_at = _i + 1;
	faulty.err = _i & 1 ? -EIO : -ENOSPC;
	err = lsm_open(&lsm, &faulty.ops, scratch.dir, &options);
	for (i = 1; !err && i <= 6; i++) {
		struct batch batch = BATCH_INIT;
		struct cell cell = { .timestamp = i, .local_time = NO_TIME,
				     .value = bytes_str("v") };
		struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };

		batch_add_row(&batch, 1, row_key("k"), &row);
		if (!lsm_apply(lsm, &batch, NULL))
			done = i;
		ck_assert_int_eq(timestamp_of(lsm, 1, "k"), done ? done : -1);
		batch_release(&batch);
		if (i & 1)
			lsm_flush(lsm, 1);
		if (i == 5)
			lsm_compact(lsm, 1);
		ck_assert_int_eq(timestamp_of(lsm, 1, "k"), done ? done : -1);
	}
	if (!err)
		lsm_close(lsm);
	lsm = open_lsm(&told);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), done ? done : -1);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

START_TEST(no_memory_loses_nothing)	/* _i: which allocation */
{
	struct lsm *lsm = NULL;
	struct batch batch = BATCH_INIT;
	struct row row = ROW_NONE;
	int err;

	row.marker.timestamp = 5;
	batch_add_row(&batch, 1, row_key("k"), &row);
	mem_fail_at(_i + 1, 0);
	err = lsm_open(&lsm, &file_system, scratch.dir, &told);
	if (!err) {
		err = lsm_apply(lsm, &batch, NULL);
		ck_assert(!err || err == -ENOMEM);
		err = lsm_flush(lsm, 1);
		ck_assert(!err || err == -ENOMEM);
	} else {
		ck_assert_int_eq(err, -ENOMEM);
	}
	mem_fail_at(0, 0);
	batch_release(&batch);
	if (lsm) {
		put(lsm, 1, "k", 9, 3);
		ck_assert_int_eq(lsm_flush(lsm, 1), 0);
		ck_assert_int_eq(lsm_close(lsm), 0);
	}
}
END_TEST

START_TEST(read_only_writes_nothing)
{
	struct lsm_options options = told;
	struct batch batch = BATCH_INIT;
	struct row row = ROW_NONE;
	struct faulty faulty;
	struct lsm *lsm = open_lsm(&told);

	put(lsm, 1, "k", 5, 10);
	ck_assert_int_eq(lsm_flush(lsm, 1), 0);
	put(lsm, 1, "l", 6, 10);
	ck_assert_int_eq(lsm_close(lsm), 0);
	faulty_init(&faulty);
	options.read_only = true;
	ck_assert_int_eq(lsm_open(&lsm, &faulty.ops, scratch.dir, &options), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	ck_assert_int_eq(timestamp_of(lsm, 1, "k"), 5);
	ck_assert_int_eq(timestamp_of(lsm, 1, "l"), 6);
	row.marker.timestamp = 1;
	batch_add_row(&batch, 1, row_key("m"), &row);
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), -EROFS);
	ck_assert_int_eq(lsm_close(lsm), 0);
	ck_assert_int_eq(faulty.calls, 0);
	batch_release(&batch);
}
END_TEST

/* ------------------------------------------------------------- with threads */

struct readers {
	struct lsm *lsm;
	atomic_bool done;
	atomic_int wrong;
	_Atomic int64_t least;
};

static void *read_often(void *context)
{
	struct readers *r = context;

	while (!atomic_load(&r->done)) {
		int64_t least = atomic_load(&r->least);
		struct deletion force;
		struct iterator *it;
		struct entry entry;
		int rows = 0;

		if (timestamp_of(r->lsm, 1, "k") < least)
			atomic_fetch_add(&r->wrong, 1);
		if (lsm_iterate(&it, r->lsm, 1, BYTES_EMPTY, BYTES_EMPTY, false))
			continue;
		if (iterator_seek(it, BYTES_EMPTY, &force))
			atomic_fetch_add(&r->wrong, 1);
		while (iterator_next(it, &entry) > 0)
			rows++;
		if (rows != 2)
			atomic_fetch_add(&r->wrong, 1);
		iterator_close(it);
	}
	return NULL;
}

START_TEST(readers_beside_flush_and_compaction)
{
	struct lsm_options options = { .commit_s = 0.01,
				       .memtable_bytes = 1 << 20 };
	struct readers r = { .done = false };
	struct lsm_stats stats;
	pthread_t thread;
	int i;

	r.lsm = open_lsm(&options);
	put(r.lsm, 1, "j", 1, 10);
	put(r.lsm, 1, "k", 1, 10);
	atomic_store(&r.least, 1);
	pthread_create(&thread, NULL, read_often, &r);
	for (i = 2; i < 2000; i++) {
		put(r.lsm, 1, i & 1 ? "j" : "k", i, 5000);
		if (!(i & 1))
			atomic_store(&r.least, i);
	}
	ck_assert_int_eq(lsm_settle(r.lsm), 0);
	atomic_store(&r.done, true);
	pthread_join(thread, NULL);
	ck_assert_int_eq(atomic_load(&r.wrong), 0);
	lsm_stats(r.lsm, &stats);
	ck_assert_uint_gt(stats.flushes, 2);
	ck_assert_int_eq(lsm_close(r.lsm), 0);
	r.lsm = open_lsm(&told);
	ck_assert_int_eq(timestamp_of(r.lsm, 1, "k"), 1998);
	ck_assert_int_eq(lsm_close(r.lsm), 0);
}
END_TEST

SUITE_THREADS(lsm)
{
	TCase *tc = tcase_create("lsm");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, the_engine_is_a_sorted_array, 0,
			    test_scale(8));
	tcase_add_test(tc, an_empty_store_is_small_and_a_dropped_table_gone);
	tcase_add_test(tc, the_log_is_synced_before_a_mark);
	tcase_add_test(tc, properties_last);
	tcase_add_test(tc, a_full_log_is_used_again);
	tcase_add_test(tc, a_failed_disk_makes_it_read_only);
	tcase_add_test(tc, no_sync_succeeds_after_a_failed_flush);
	tcase_add_loop_test(tc, a_call_that_fails_loses_nothing, 0, 50);
	tcase_add_loop_test(tc, no_memory_loses_nothing, 0, 60);
	tcase_add_test(tc, read_only_writes_nothing);
	tcase_add_test(tc, readers_beside_flush_and_compaction);
	suite_add_tcase(suite, tc);
}
