/*
 * Failures are reported or repaired, and harm nothing else (P11-P13).
 * Operations run one after the other on a store; each is begun again and again
 * from the same disk in memory, and each time another allocation, or another
 * call on a file, fails, once or for good. Then the store must be as before the
 * operation or as after it, say so again when it is opened again, and a retry
 * must succeed, unless the store has turned read-only, as it does when a disk
 * fails: then nothing may be acknowledged any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/lsm.h"
#include "tests/lib/answers.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simfile.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static const char *const queries[] = {
	"SELECT * FROM k.t",
	"SELECT p, c, v FROM k.t WHERE v = 1",
	"SELECT p, c, v FROM k.t WHERE v = 2",
	"SELECT * FROM k.u",
	"SELECT * FROM k.n",
	NULL
};

/* Words are calls (run_operation); the rest is CQL. */
static const char *const operations[] = {
	"open",
	TEST_KEYSPACE,
	"CREATE TABLE k.t (p int, c int, v int, w text, s int STATIC, "
	"PRIMARY KEY (p, c))",
	"CREATE TYPE k.y (a int, b text)",
	"CREATE TABLE k.u (p int PRIMARY KEY, l list<int>, m map<text, int>, "
	"y frozen<y>)",
	"INSERT INTO k.t (p, c, v, w, s) VALUES (1, 1, 1, 'eins', 10)",
	"INSERT INTO k.t (p, c, v) VALUES (1, 2, 2)",
	"sync",
	"CREATE INDEX i ON k.t (v)",
	"UPDATE k.t SET v = 1 WHERE p = 1 AND c = 2",
	"open",
	"flush",
	"UPDATE k.u SET l = [1, 2], m = {'a': 1, 'b': 2} WHERE p = 1",
	"UPDATE k.u SET l = l + [3], m['c'] = 3 WHERE p = 1",
	"UPDATE k.u SET l[0] = 7 WHERE p = 1",
	"INSERT INTO k.u (p, y) VALUES (2, {a: 1, b: 'b'}) IF NOT EXISTS",
	"UPDATE k.u SET m = {'z': 26} WHERE p = 2 IF y = {a: 1, b: 'b'}",
	"INSERT INTO k.u JSON '{\"p\": 3, \"l\": [1, 2], \"m\": {\"x\": 1}}'",
	"flush",
	"BEGIN BATCH INSERT INTO k.t (p, c, v) VALUES (2, 1, 2); "
	"DELETE FROM k.u WHERE p = 3; "
	"UPDATE k.t SET s = 5 WHERE p = 2; APPLY BATCH",
	"SELECT p, c, v, w, s, writetime(v) FROM k.t WHERE p IN (1, 2)",
	"SELECT JSON * FROM k.u",
	"SELECT count(*), max(v) FROM k.t WHERE v > 0 GROUP BY p "
	"ALLOW FILTERING",
	"SELECT w, c FROM k.t WHERE p = 1 ORDER BY c DESC LIMIT 1",
	"CREATE TABLE k.n (p int PRIMARY KEY, n counter)",
	"UPDATE k.n SET n = n + 5 WHERE p = 1",
	"UPDATE k.n SET n = n - 1 WHERE p = 1",
	"DELETE w FROM k.t WHERE p = 1 AND c = 1",
	"DELETE FROM k.t WHERE p = 1 AND c > 1",
	"flush",
	"compact",
	"verify",
	"queries",
	"ALTER TABLE k.t ADD x int",
	"ALTER TABLE k.t WITH comment = 'it''s' AND gc_grace_seconds = 10",
	"DESCRIBE KEYSPACE k",
	"SELECT * FROM system_schema.columns WHERE keyspace_name = 'k'",
	"DROP INDEX k.i",
	"INSERT INTO k.t (p, c, v) VALUES (3, 3, 3) USING TTL 1000",
	"TRUNCATE k.t",
	"DROP TABLE k.u",
	"sync",
	"close",
	"DROP KEYSPACE k",
};
#define OPERATIONS ARRAY_SIZE(operations)

struct world {
	struct sim *before[OPERATIONS + 1];	/* the disks */
	uint64_t sums[OPERATIONS + 1];
	/* Of the present run: */
	struct sim *disk;
	struct faults faults;
	struct store *store;
	struct cql_session *session;
	char what[200];
};

#define sure(w, condition)                                                    \
	do {                                                                  \
		if (!(condition))                                             \
			ck_abort_msg("%s: " #condition, (w)->what);           \
	} while (0)

static int open_world(struct world *w)
{
	int err;

	w->store = NULL;
	w->session = NULL;
	err = test_store_open_on(&w->store, &w->faults.ops, true);
	if (err)
		return err;
	err = cql_session_new(&w->session, w->store);
	if (err) {
		store_close(w->store);
		w->store = NULL;
	}
	return err;
}

static int close_world(struct world *w)
{
	int err;

	cql_session_free(w->session);
	err = store_close(w->store);
	w->session = NULL;
	w->store = NULL;
	return err;
}

static int run_queries(struct world *w)
{
	struct buf out = BUF_INIT;
	int err = answers_to_all(w->store, queries, &out);

	buf_release(&out);
	return err;
}

/* Run an operation. Before "open" the store is not open, after "close" no
 * longer. */
static int run_operation(struct world *w, const char *name)
{
	if (!strcmp(name, "open"))
		return open_world(w);
	if (!strcmp(name, "close"))
		return close_world(w);
	if (!strcmp(name, "sync"))
		return store_sync(w->store);
	if (!strcmp(name, "flush"))
		return store_flush(w->store, NULL);
	if (!strcmp(name, "compact"))
		return store_compact(w->store, NULL);
	if (!strcmp(name, "verify"))
		return store_verify(w->store, NULL, NULL);
	if (!strcmp(name, "queries"))
		return run_queries(w);
	return answer_to(w->session, name, NULL);
}

static uint64_t sum_of(struct world *w)
{
	struct buf out = BUF_INIT;
	uint64_t sum;

	sure(w, !answers_to_all(w->store, queries, &out));
	sum = XXH3_64bits(out.ptr, out.len);
	buf_release(&out);
	return sum;
}

static void use_disk(struct world *w, struct sim *from, enum sim_crash kind)
{
	struct random rng = random_seeded(1);

	w->disk = sim_crash(from, kind, &rng);
	faults_init(&w->faults, sim_files(w->disk));
}

/* Run each operation once without a fault, and keep the disk before it. */
static void prepare(struct world *w)
{
	struct sim *disk = sim_new();
	size_t i;

	for (i = 0; i < OPERATIONS; i++) {
		clock_set_us((int64_t)1000000 * 1000000 + (int64_t)i * 1000);
		snprintf(w->what, sizeof(w->what), "%.150s", operations[i]);
		w->before[i] = disk;
		use_disk(w, disk, SIM_KILLED);
		sure(w, !open_world(w));
		w->sums[i] = sum_of(w);
		if (strcmp(operations[i], "open"))
			sure(w, !run_operation(w, operations[i]));
		if (w->store)
			sure(w, !close_world(w));
		disk = w->disk;
	}
	w->before[i] = disk;
	use_disk(w, disk, SIM_KILLED);
	sure(w, !open_world(w));
	w->sums[i] = sum_of(w);
	sure(w, !close_world(w));
	sim_free(w->disk);
}

static void release(struct world *w)
{
	size_t i;

	for (i = 0; i <= OPERATIONS; i++)
		sim_free(w->before[i]);
	free(w);
}

/* Set the disk and, except for "open", the store to their state before it. */
static void begin(struct world *w, size_t i)
{
	clock_set_us((int64_t)1000000 * 1000000 + (int64_t)i * 1000);
	use_disk(w, w->before[i], SIM_KILLED);
	if (strcmp(operations[i], "open"))
		sure(w, !open_world(w));
}

static void end(struct world *w)
{
	if (w->store)
		close_world(w);
	sure(w, !sim_open_count(w->disk));
	sim_free(w->disk);
}

/* Check that the disk is as before or as after the operation, by its error; or
 * as either if that is unknown. */
static void check_disk(struct world *w, size_t i, int err, bool verify)
{
	uint64_t sum;

	w->faults.fail_at = 0;
	sure(w, !open_world(w));
	sum = sum_of(w);
	sure(w, sum == w->sums[i + 1] || (err && sum == w->sums[i]));
	if (verify)
		sure(w, !store_verify(w->store, NULL, NULL));
	sure(w, !close_world(w));
}

static bool changes_nothing(struct world *w, size_t i)
{
	return w->sums[i] == w->sums[i + 1];
}

/* Run it again, when nothing fails any more. It may have been done the first
 * time, though that was not acknowledged: then a table exists already. */
static void run_again(struct world *w, size_t i)
{
	int err = run_operation(w, operations[i]);

	if (err && (changes_nothing(w, i) ||
		    (err != -EEXIST && err != -EINVAL)))
		ck_abort_msg("%s: again: error %d: %s", w->what, err,
			     cql_session_error(w->session)->message);
}

/* Return the step from one failing call to the next: 1, unless that would be
 * slow. */
static long stride(long slowly)
{
	return test_scale(100) < 100 ? slowly : 1;
}

/* ------------------------------------------------------------------ memory */
static bool try_memory(struct world *w, size_t i, long nth, bool for_good)
{
	const char *name = operations[i];
	bool failed;
	int err;

	snprintf(w->what, sizeof(w->what), "%.120s: allocation %ld fails%s",
		 name, nth, for_good ? " for good" : "");
	begin(w, i);
	mem_fail_at(nth, for_good);
	err = run_operation(w, name);
	failed = mem_failures();
	mem_fail_at(0, 0);
	if (failed ? err && err != -ENOMEM : err)
		ck_abort_msg("%s: error %d", w->what, err);
	if (err && w->store)
		run_again(w, i);
	else if (err && !strcmp(name, "open"))
		sure(w, !open_world(w));
	if (w->store) {
		sure(w, sum_of(w) == w->sums[i + 1]);
		sure(w, !close_world(w));
	}
	check_disk(w, i, 0, nth % 8 == 0);
	end(w);
	return failed;
}

START_TEST(no_memory_harms_nothing)	/* _i: for good */
{
	struct world *w = calloc(1, sizeof(*w));
	struct random rng = random_seeded(test_seed());
	long leave = stride(36), runs = 0, nth;
	size_t i;

	ck_assert_ptr_nonnull(w);
	prepare(w);
	for (i = 0; i < OPERATIONS; i++)
		for (nth = 1 + random_below(&rng, (uint32_t)leave);
		     try_memory(w, i, nth, _i); nth += leave)
			runs++;
	release(w);
	ck_assert_int_gt(runs, 5000 / leave);
}
END_TEST

/* ------------------------------------------------------------------- files */
static const struct {
	int err;
	const char *name;
} kinds[] = {
	{ -EIO, "EIO" }, { -ENOSPC, "ENOSPC" }, { -EINTR, "EINTR" },
	{ -EMFILE, "EMFILE" }, { 0, "short" },
};

static bool has_faulted(struct world *w)
{
	struct lsm_stats stats;

	store_stats(w->store, &stats);
	return stats.faulted;
}

/* Once a disk has failed nothing is acknowledged any more. */
static void retry(struct world *w, size_t i)
{
	if (has_faulted(w))
		sure(w, answer_to(w->session, "CREATE KEYSPACE l WITH "
				  "replication = {'class': 'SimpleStrategy'}",
				  NULL));
	else
		run_again(w, i);
}

/* Cut the power: acknowledged and synced writes must survive. */
static void lose_power(struct world *w, size_t i)
{
	struct sim *old;

	if (store_sync(w->store))
		return;
	old = w->disk;
	close_world(w);
	use_disk(w, old, SIM_NONE);
	sim_free(old);
	check_disk(w, i, 0, false);
}

static bool try_files(struct world *w, size_t i, long nth, size_t kind,
		      bool for_good, long pairs)
{
	const char *name = operations[i];
	bool failed;
	int err;

	snprintf(w->what, sizeof(w->what), "%.110s: call %ld, %s%s, %ld", name,
		 nth, kinds[kind].name, for_good ? ", for good" : "", pairs);
	begin(w, i);
	w->faults.calls = 0;
	w->faults.failed = 0;
	w->faults.err = kinds[kind].err;
	w->faults.for_good = for_good;
	w->faults.pairs = pairs;
	w->faults.fail_at = nth;
	err = run_operation(w, name);
	w->faults.fail_at = 0;
	failed = w->faults.failed;
	if (!failed || !kinds[kind].err)
		sure(w, !err);
	if (err && w->store)
		retry(w, i);
	else if (!err && w->store)
		lose_power(w, i);
	if (w->store)
		close_world(w);
	check_disk(w, i, err, nth % 8 == 0);
	end(w);
	return failed;
}

START_TEST(no_call_harms_what_was_acknowledged)	/* _i: kind, for good */
{
	struct world *w = calloc(1, sizeof(*w));
	struct random rng = random_seeded(test_seed() + (uint64_t)_i);
	long leave = stride(24), runs = 0, nth;
	size_t i, kind = (size_t)_i / 2;
	bool for_good = _i & 1 && kinds[kind].err != -EINTR;

	ck_assert_ptr_nonnull(w);
	prepare(w);
	for (i = 0; i < OPERATIONS; i++)
		for (nth = 1 + random_below(&rng, (uint32_t)leave);
		     try_files(w, i, nth, kind, for_good,
			       test_seed() > 1 || test_rounds() > 1 ?
				       random_below(&rng, 20) : 0);
		     nth += leave)
			runs++;
	release(w);
	ck_assert_int_gt(runs, 500 / leave);
}
END_TEST

static void set_up(void)
{
	quiet(true);
}

static void tear_down(void)
{
	mem_fail_at(0, 0);
	quiet(false);
	clock_set_us(INT64_MIN);
}

SUITE(faults)
{
	TCase *tc = tcase_create("faults");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, no_memory_harms_nothing, 0, 2);
	tcase_add_loop_test(tc, no_call_harms_what_was_acknowledged, 0,
			    2 * ARRAY_SIZE(kinds));
	suite_add_tcase(suite, tc);
}
