/*
 * Scans that skip what is known to be dead, against an array that says what is
 * alive: of the moment the scan began, whatever was written and found since.
 */
#include <pthread.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/dead_rows.h"
#include "store/row/key.h"
#include "tests/lib/random.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define KEYS 600
#define TABLE 7

struct world {
	struct lsm *lsm;
	struct random rng;
	int64_t now;
	int64_t deleted_s;	/* when rows are deleted */
	bool live[KEYS];
	uint64_t stepped;	/* entries that scans looked at */
};

static void open_engine(struct world *w)
{
	struct lsm_options options = { .commit_s = 1, .no_threads = true };
	struct lsm_table_options table;

	ck_assert_int_eq(lsm_open(&w->lsm, &file_system, scratch.dir,
				  &options), 0);
	lsm_table_defaults(&table);
	ck_assert_int_eq(lsm_table_set(w->lsm, TABLE, &table), 0);
	ck_assert_int_eq(lsm_start(w->lsm), 0);
}

static void open_world(struct world *w, uint64_t seed)
{
	*w = (struct world){ .rng = random_seeded(seed), .now = 1000,
			     .deleted_s = 1 };
	open_engine(w);
}

static struct bytes key_of(struct buf *key, uint32_t i)
{
	buf_clear(key);
	key_add_partition(key, 5, bytes_str("queue"));
	buf_add_byte(key, KEY_ROW);
	buf_add_be16(key, (uint16_t)i);
	buf_add_byte(key, KEY_ROW_END);
	return buf_bytes(key);
}

/* Write row i, or delete it at those seconds. */
static int apply(struct lsm *lsm, uint32_t i, bool live, int64_t timestamp,
		 int64_t deleted_s)
{
	struct cell cell = { .column = 20, .timestamp = timestamp,
			     .local_time = NO_TIME, .value = bytes_str("x") };
	struct row row = ROW_NONE;
	struct batch batch = BATCH_INIT;
	struct buf key = BUF_INIT;
	int err;

	if (live) {
		row.cells = &cell;
		row.cell_count = 1;
	} else {
		row.deletion = (struct deletion){ timestamp, deleted_s };
	}
	batch_add_row(&batch, TABLE, key_of(&key, i), &row);
	err = lsm_apply(lsm, &batch, NULL);
	batch_release(&batch);
	buf_release(&key);
	return err;
}

static void set(struct world *w, uint32_t i, bool live)
{
	ck_assert_int_eq(apply(w->lsm, i, live, ++w->now, w->deleted_s), 0);
	w->live[i] = live;
}

struct scan {
	struct iterator *it;
	struct dead_run run;
	bool live[KEYS];	/* when it began */
};

static void begin(struct scan *s, struct world *w)
{
	dead_run_init(&s->run, w->lsm, TABLE, clock_now_s());
	ck_assert_int_eq(lsm_iterate(&s->it, w->lsm, TABLE, BYTES_EMPTY,
				     BYTES_EMPTY, false), 0);
	memcpy(s->live, w->live, sizeof(s->live));
}

/* Scan from a key on: it must return the rows that were live when it began. */
static void finish(struct scan *s, struct world *w, uint32_t from, uint32_t most)
{
	struct deletion in_force;
	struct buf key = BUF_INIT;
	struct bytes to;
	struct entry entry;
	uint32_t i = from;
	int got;

	ck_assert_int_eq(iterator_seek(s->it, key_of(&key, from), &in_force),
			 0);
	while (most && (got = iterator_next(s->it, &entry)) > 0) {
		w->stepped++;
		if (!row_may_live(entry.row)) {
			if (dead_run_add(&s->run, entry.key, &to))
				ck_assert_int_eq(iterator_seek(s->it, to,
							       &in_force), 0);
			continue;
		}
		dead_run_end(&s->run);
		while (i < KEYS && !s->live[i])
			i++;
		ck_assert_uint_lt(i, KEYS);
		ck_assert(bytes_equal(entry.key, key_of(&key, i)));
		i++;
		most--;
	}
	while (most && i < KEYS)
		ck_assert(!s->live[i++]);
	iterator_close(s->it);
	dead_run_release(&s->run);
	buf_release(&key);
}

static void scan(struct world *w, uint32_t from, uint32_t most)
{
	struct scan s;

	begin(&s, w);
	finish(&s, w, from, most);
}

static void change(struct world *w)
{
	uint32_t i = random_below(&w->rng, KEYS), count;

	switch (random_below(&w->rng, 9)) {
	case 0:
		ck_assert_int_eq(lsm_flush(w->lsm, TABLE), 0);
		break;
	case 1:
	case 2:
		set(w, i, true);
		break;
	case 3:
		ck_assert_int_eq(lsm_settle(w->lsm), 0);	/* sweeps */
		break;
	default:	/* a long run dies */
		for (count = random_below(&w->rng, 300); count && i < KEYS;
		     count--, i++)
			if (w->live[i])
				set(w, i, false);
	}
}

START_TEST(scans_see_what_lived_when_they_began)	/* _i is the seed */
{
	struct world w;
	struct scan old;
	uint32_t i;

	open_world(&w, (uint64_t)_i);
	for (i = 0; i < KEYS; i++)
		set(&w, i, i % 3 == 0);
	for (i = 0; i < KEYS; i++)
		if (!w.live[i])
			set(&w, i, false);
	for (i = 0; i < 60; i++) {
		uint32_t most = 1 + random_below(&w.rng, 40);

		begin(&old, &w);
		change(&w);
		scan(&w, random_below(&w.rng, 40), most);
		change(&w);
		scan(&w, random_below(&w.rng, KEYS), UINT32_MAX);
		finish(&old, &w, random_below(&w.rng, KEYS), most);
		scan(&w, 0, 1);
	}
	ck_assert_int_eq(lsm_close(w.lsm), 0);
}
END_TEST

START_TEST(the_head_of_a_queue_is_found_at_once)
{
	struct world w;
	uint32_t i, head = 400;

	open_world(&w, 1);
	for (i = 0; i < 500; i++)
		set(&w, i, true);
	for (i = 0; i < head; i++)
		set(&w, i, false);
	scan(&w, 0, 1);
	ck_assert_uint_gt(w.stepped, head);
	w.stepped = 0;
	for (i = 500; i < KEYS; i++) {
		set(&w, i, true);	/* was passed already: no change */
		scan(&w, 0, 1);
	}
	ck_assert_uint_lt(w.stepped, 100 * 10);
	w.stepped = 0;
	for (; head < 590; head++) {	/* the head continues */
		set(&w, head, false);
		scan(&w, 0, 1);
	}
	ck_assert_uint_lt(w.stepped, 190 * 90);
	set(&w, 200, true);		/* in the midst of it */
	scan(&w, 0, 1);
	ck_assert_int_eq(lsm_close(w.lsm), 0);
}
END_TEST

START_TEST(the_first_reader_of_a_queue_finds_its_head)	/* _i: where the
							 * deletions are */
{
	enum { IN_MEMORY, IN_LOG, IN_SSTABLE };
	struct world w;
	uint32_t i;

	open_world(&w, 1);
	w.deleted_s = clock_now_s();	/* no compaction purges it */
	for (i = 0; i < KEYS; i++)
		set(&w, i, true);
	for (i = 0; i < 550; i++)
		set(&w, i, false);
	if (_i == IN_SSTABLE)
		ck_assert_int_eq(lsm_flush(w.lsm, TABLE), 0);
	if (_i != IN_MEMORY) {
		ck_assert_int_eq(lsm_close(w.lsm), 0);
		open_engine(&w);
	}
	ck_assert_int_eq(lsm_settle(w.lsm), 0);
	w.stepped = 0;
	scan(&w, 0, 1);
	ck_assert_uint_lt(w.stepped, 10);
	/* Rows come to life before the head, in it and after it. */
	for (i = 550; i > 0; i -= 50) {
		set(&w, i, true);
		ck_assert_int_eq(lsm_settle(w.lsm), 0);
		scan(&w, 0, 2);
	}
	ck_assert_int_eq(lsm_close(w.lsm), 0);
}
END_TEST

static void delete_first(struct world *w, uint32_t count)
{
	struct row row = ROW_NONE;
	struct batch batch = BATCH_INIT;
	struct buf key = BUF_INIT;
	uint32_t i;

	row.deletion = (struct deletion){ ++w->now, clock_now_s() };
	for (i = 0; i < count; i++)
		batch_add_row(&batch, TABLE, key_of(&key, i), &row);
	ck_assert_int_eq(lsm_apply(w->lsm, &batch, NULL), 0);
	batch_release(&batch);
	buf_release(&key);
}

static uint64_t blocks_read(struct world *w)
{
	struct lsm_stats stats;

	lsm_stats(w->lsm, &stats);
	return stats.cache_hits + stats.cache_misses;
}

START_TEST(sweeps_step_over_what_readers_have_found)
{
	struct world w;
	uint64_t before, by_reader;

	open_world(&w, 1);
	delete_first(&w, 60000);
	ck_assert_int_eq(lsm_flush(w.lsm, TABLE), 0);
	before = blocks_read(&w);
	scan(&w, 0, 1);
	by_reader = blocks_read(&w) - before;
	ck_assert_uint_gt(by_reader, 20);
	ck_assert_int_eq(lsm_settle(w.lsm), 0);
	ck_assert_uint_lt(blocks_read(&w) - before - by_reader, 5);
	ck_assert_int_eq(lsm_close(w.lsm), 0);
}
END_TEST

START_TEST(a_sweep_without_memory_leaves_its_work_to_readers)
{
	struct world w;
	uint32_t i;
	long nth = 0, failed;

	open_world(&w, 1);
	w.deleted_s = clock_now_s();
	do {
		for (i = 0; i < KEYS; i++)
			set(&w, i, true);
		for (i = 0; i < 550; i++)
			set(&w, i, false);
		mem_fail_at(++nth, 0);
		ck_assert_int_eq(lsm_settle(w.lsm), 0);
		failed = mem_failures();
		mem_fail_at(0, 0);
		scan(&w, 0, 2);
	} while (failed);
	ck_assert_int_gt(nth, 3);
	ck_assert_int_eq(lsm_close(w.lsm), 0);
}
END_TEST

/*
 * Several threads delete rows of their own in long runs and bring some back,
 * while the engine's thread sweeps: each sees all of its rows that live, and no
 * other of them.
 */
#define OWNERS 3
#define OWNED 1500

struct owner {
	pthread_t thread;
	struct lsm *lsm;
	uint64_t seed;
	uint32_t first;		/* its rows: first, first + OWNERS, ... */
	bool live[OWNED];
	int64_t now;
	uint64_t wrong;
};

static void owner_set(struct owner *o, uint32_t i, bool live)
{
	o->wrong += apply(o->lsm, o->first + i * OWNERS, live, ++o->now, 1) != 0;
	o->live[i] = live;
}

/* Scan all rows: count those of the owner that should not be as they are. */
static void owner_look(struct owner *o)
{
	bool seen[OWNED] = { false };
	struct deletion in_force;
	struct buf key = BUF_INIT;
	struct iterator *it;
	struct dead_run run;
	struct entry entry;
	struct bytes to;
	uint32_t i;

	dead_run_init(&run, o->lsm, TABLE, clock_now_s());
	o->wrong += lsm_iterate(&it, o->lsm, TABLE, BYTES_EMPTY, BYTES_EMPTY,
				false) != 0;
	o->wrong += iterator_seek(it, key_of(&key, 0), &in_force) != 0;
	while (iterator_next(it, &entry) > 0) {
		if (!row_may_live(entry.row)) {
			if (dead_run_add(&run, entry.key, &to))
				o->wrong += iterator_seek(it, to, &in_force) != 0;
			continue;
		}
		dead_run_end(&run);
		i = get_be16(entry.key.ptr + entry.key.len - 3);
		if (i % OWNERS == o->first)
			seen[i / OWNERS] = true;
	}
	iterator_close(it);
	dead_run_release(&run);
	for (i = 0; i < OWNED; i++)
		o->wrong += seen[i] != o->live[i];
	buf_release(&key);
}

static void *owner_run(void *data)
{
	struct owner *o = data;
	struct random rng = random_seeded(o->seed);
	uint32_t i, round;

	for (i = 0; i < OWNED; i++)
		owner_set(o, i, true);
	for (round = 0; round < 40; round++) {
		uint32_t begin = random_below(&rng, OWNED);

		for (i = begin; i < OWNED; i++)
			if (o->live[i])
				owner_set(o, i, false);
		owner_look(o);
		for (i = random_below(&rng, 20); i; i--) {
			owner_set(o, random_below(&rng, OWNED), true);
			owner_look(o);
		}
		for (i = 0; i < OWNED; i++)
			if (!o->live[i] && random_below(&rng, 4) == 0)
				owner_set(o, i, true);
		owner_look(o);
	}
	return NULL;
}

START_TEST(sweeps_beside_writers_hide_nothing)	/* _i is the seed */
{
	struct lsm_options options = { .commit_s = 1 };
	struct lsm_table_options table;
	struct owner owners[OWNERS];
	struct lsm *lsm;
	uint32_t i;

	ck_assert_int_eq(lsm_open(&lsm, &file_system, scratch.dir, &options),
			 0);
	lsm_table_defaults(&table);
	ck_assert_int_eq(lsm_table_set(lsm, TABLE, &table), 0);
	ck_assert_int_eq(lsm_start(lsm), 0);
	for (i = 0; i < OWNERS; i++) {
		owners[i] = (struct owner){ .lsm = lsm, .first = i,
					    .seed = (uint64_t)_i * 10 + i };
		ck_assert_int_eq(pthread_create(&owners[i].thread, NULL,
						owner_run, &owners[i]), 0);
	}
	for (i = 0; i < OWNERS; i++) {
		pthread_join(owners[i].thread, NULL);
		ck_assert_uint_eq(owners[i].wrong, 0);
	}
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

SUITE(dead)
{
	TCase *tc = tcase_create("dead");

	scratch_fixture(tc);
	tcase_add_loop_test(tc, scans_see_what_lived_when_they_began, 0, 30);
	tcase_add_test(tc, the_head_of_a_queue_is_found_at_once);
	tcase_add_loop_test(tc, the_first_reader_of_a_queue_finds_its_head, 0,
			    3);
	tcase_add_test(tc, sweeps_step_over_what_readers_have_found);
	tcase_add_test(tc, a_sweep_without_memory_leaves_its_work_to_readers);
	tcase_add_loop_test(tc, sweeps_beside_writers_hide_nothing, 0, 4);
	suite_add_tcase(suite, tc);
}
