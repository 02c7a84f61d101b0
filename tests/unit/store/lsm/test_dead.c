/*
 * Scans that skip what is known to be dead, against an array that says what is
 * alive: of the moment the scan began, whatever was written and found since.
 */
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
	bool live[KEYS];
	uint64_t stepped;	/* entries that scans looked at */
};

static void open_world(struct world *w, uint64_t seed)
{
	struct lsm_options options = { .commit_s = 1, .no_threads = true };
	struct lsm_table_options table;

	*w = (struct world){ .rng = random_seeded(seed), .now = 1000 };
	ck_assert_int_eq(lsm_open(&w->lsm, &file_system, scratch.dir,
				  &options), 0);
	lsm_table_defaults(&table);
	ck_assert_int_eq(lsm_table_set(w->lsm, TABLE, &table), 0);
	ck_assert_int_eq(lsm_start(w->lsm), 0);
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

static void set(struct world *w, uint32_t i, bool live)
{
	struct cell cell = { .column = 20, .timestamp = ++w->now,
			     .local_time = NO_TIME, .value = bytes_str("x") };
	struct row row = ROW_NONE;
	struct batch batch = BATCH_INIT;
	struct buf key = BUF_INIT;

	if (live) {
		row.cells = &cell;
		row.cell_count = 1;
	} else {
		row.deletion = (struct deletion){ w->now, 1 };
	}
	batch_add_row(&batch, TABLE, key_of(&key, i), &row);
	ck_assert_int_eq(lsm_apply(w->lsm, &batch, NULL), 0);
	batch_release(&batch);
	buf_release(&key);
	w->live[i] = live;
}

struct scan {
	struct iterator *it;
	struct dead_run run;
	bool live[KEYS];	/* when it began */
};

static void begin(struct scan *s, struct world *w)
{
	dead_run_init(&s->run, w->lsm, TABLE, 1);
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

	switch (random_below(&w->rng, 8)) {
	case 0:
		ck_assert_int_eq(lsm_flush(w->lsm, TABLE), 0);
		break;
	case 1:
	case 2:
		set(w, i, true);
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

SUITE(dead)
{
	TCase *tc = tcase_create("dead");

	scratch_fixture(tc);
	tcase_add_loop_test(tc, scans_see_what_lived_when_they_began, 0, 30);
	tcase_add_test(tc, the_head_of_a_queue_is_found_at_once);
	suite_add_tcase(suite, tc);
}
