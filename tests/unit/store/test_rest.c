/*
 * Compactions come to rest: without new data they end, whatever the strategy,
 * and nothing begins again by itself, at the next open or by a clock that
 * continued. A store that makes too many files loses its disk, so that a
 * compaction that goes on for ever ends in a failed assertion.
 *
 * One damaged block does not keep other files from compaction, and no row is
 * lost by it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/lsm/lsm.h"
#include "store/marker.h"
#include "store/sstable/sstable.h"
#include "store/table/inner.h"
#include "store/table/observer.h"
#include "tests/lib/answers.h"
#include "tests/lib/random.h"
#include "tests/lib/scratch.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define BEGIN_S 2524608000LL

/* The system's files, but only a limited number can be made. */
static struct file_ops limited;
static int files_left;

static int limited_open(void *context, int dir, const char *name, int flags,
			unsigned mode)
{
	(void)context;
	if (flags & O_CREAT && strstr(name, ".sst") && files_left-- <= 0)
		return -EIO;
	return file_system.open(file_system.context, dir, name, flags, mode);
}

/* There are no crashes here: syncs need not be waited for. */
static int no_sync(void *context, int fd)
{
	(void)context;
	(void)fd;
	return 0;
}

struct play {
	struct random rng;
	uint64_t seed;
	struct test_store store;
	struct cql_session *session;
	struct buf statement;
	int64_t now_s;
};

static void run(struct play *p, const char *statement)
{
	struct buf why = BUF_INIT;
	int err = answer_to(p->session, statement, &why);

	ck_assert_msg(!err, "seed %llu: %s: %s", (unsigned long long)p->seed,
		      statement, buf_cstr(&why));
	buf_release(&why);
}

#define RUN(p, ...)                                                           \
	do {                                                                  \
		buf_clear(&(p)->statement);                                   \
		buf_add_format(&(p)->statement, __VA_ARGS__);                 \
		run(p, buf_cstr(&(p)->statement));                            \
	} while (0)

static void begin(struct play *p, uint64_t seed)
{
	struct store_options options;

	memset(p, 0, sizeof(*p));
	p->seed = seed;
	p->rng = random_seeded(seed);
	p->now_s = BEGIN_S;
	clock_set_us(p->now_s * 1000000);
	limited = file_system;
	limited.open = limited_open;
	limited.datasync = limited.sync = no_sync;
	files_left = 1000;
	store_options_init(&options);
	options.no_threads = true;
	options.commit_s = 1000;
	options.files = &limited;
	test_store_open_with(&p->store, &options);
	ck_assert_int_eq(cql_session_new(&p->session, p->store.store), 0);
	run(p, TEST_KEYSPACE);
}

static void reopen(struct play *p)
{
	cql_session_free(p->session);
	test_store_reopen(&p->store);
	ck_assert_int_eq(cql_session_new(&p->session, p->store.store), 0);
}

static void end(struct play *p)
{
	cql_session_free(p->session);
	test_store_close(&p->store);
	buf_release(&p->statement);
	clock_set_us(INT64_MIN);
}

static struct lsm *lsm_of(struct play *p)
{
	return p->store.store->lsm;
}

static uint64_t compactions(struct play *p)
{
	struct lsm_stats stats;

	lsm_stats(lsm_of(p), &stats);
	return stats.compactions;
}

/* Run all work that is due. */
static uint64_t settle(struct play *p)
{
	uint64_t before = compactions(p);

	ck_assert_msg(!lsm_settle(lsm_of(p)),
		      "seed %llu: compactions go on for ever",
		      (unsigned long long)p->seed);
	return compactions(p) - before;
}

static void flush(struct play *p)
{
	ck_assert_int_eq(store_flush(p->store.store, NULL), 0);
	settle(p);
}

/* Let the store choose files again, as it does when any table's options are
 * set. */
static uint64_t look_again(struct play *p)
{
	struct lsm_table_options options;

	lsm_table_defaults(&options);
	ck_assert_int_eq(lsm_table_set(lsm_of(p), 1000000, &options), 0);
	return settle(p);
}

/* ------------------------------------------------------------- the one file */
START_TEST(an_index_does_not_run_for_ever)	/* _i: insert again, or update */
{
	struct play p;

	begin(&p, 0);
	run(&p, "CREATE TABLE k.t (k int PRIMARY KEY, v int)");
	run(&p, "CREATE INDEX ON k.t (v)");
	run(&p, "INSERT INTO k.t (k, v) VALUES (1, 1)");
	flush(&p);
	run(&p, "INSERT INTO k.t (k, v) VALUES (2, 2)");
	run(&p, "INSERT INTO k.t (k, v) VALUES (3, 3)");
	run(&p, "INSERT INTO k.t (k, v) VALUES (4, 4)");
	run(&p, _i ? "UPDATE k.t SET v = 1 WHERE k = 3" :
		     "UPDATE k.t SET v = 2 WHERE k = 3");
	run(&p, _i ? "UPDATE k.t SET v = 1 WHERE k = 4" :
		     "UPDATE k.t SET v = 2 WHERE k = 4");
	p.now_s += 10;			/* the tombstones may go */
	clock_set_us(p.now_s * 1000000);
	flush(&p);
	run(&p, "INSERT INTO k.t (k, v) VALUES (9, 9)");
	flush(&p);
	ck_assert_uint_lt(compactions(&p), 10);
	reopen(&p);
	settle(&p);
	ck_assert_uint_lt(compactions(&p), 10);
	end(&p);
}
END_TEST

/* -------------------------------------------------------------- random data */
static const char *const strategies[] = {
	"",
	"AND compaction = {'class': 'SizeTieredCompactionStrategy', "
	"'min_threshold': 2}",
	"AND compaction = {'class': 'LeveledCompactionStrategy', "
	"'sstable_size_in_mb': 1}",
	"AND compaction = {'class': 'TimeWindowCompactionStrategy', "
	"'compaction_window_unit': 'MINUTES', 'compaction_window_size': 1}",
	"AND compaction = {'class': 'UnifiedCompactionStrategy', "
	"'scaling_parameters': 'N, L3, T2', 'target_sstable_size': '1MiB', "
	"'base_shard_count': 3, 'min_sstable_size': '0B', "
	"'max_sstables_to_compact': 2, 'overlap_inclusion_method': 'NONE', "
	"'unchecked_tombstone_compaction': true, "
	"'provide_overlapping_tombstones': 'ROW', "
	"'expired_sstable_check_frequency_seconds': 600}",
	"AND compaction = {'class': 'LeveledCompactionStrategy', "
	"'sstable_size_in_mb': 1, 'fanout_size': 1, 'single_sstable_uplevel': "
	"false, 'tombstone_compaction_interval': 500, 'tombstone_threshold': "
	"0.01, 'unchecked_tombstone_compaction': true}",
};

static int below(struct play *p, uint32_t limit)
{
	return (int)random_below(&p->rng, limit);
}

static void change_something(struct play *p)
{
	int k = below(p, 12), c = below(p, 6), v = below(p, 5);

	switch (below(p, 12)) {
	case 0:
		RUN(p, "DELETE FROM k.t WHERE p = %d", k);
		break;
	case 1:
		RUN(p, "DELETE FROM k.t WHERE p = %d AND c >= %d AND c < %d", k,
		    c, c + 1 + below(p, 3));
		break;
	case 2:
		RUN(p, "DELETE FROM k.t WHERE p = %d AND c = %d", k, c);
		break;
	case 3:
		RUN(p, "DELETE v, m FROM k.t WHERE p = %d AND c = %d", k, c);
		break;
	case 4:
	case 5:
		RUN(p, "INSERT INTO k.t (p, c, v) VALUES (%d, %d, %d) USING "
		    "TTL %d", k, c, v, 1 + below(p, 500));
		break;
	case 6:
		RUN(p, "UPDATE k.t USING TIMESTAMP %lld SET v = %d WHERE p = "
		    "%d AND c = %d",
		    (long long)(p->now_s - 50 + below(p, 100)) * 1000000, v, k,
		    c);
		break;
	case 7:
		RUN(p, "UPDATE k.t SET m[%d] = %d, s = %d WHERE p = %d AND c = "
		    "%d", v, c, v, k, c);
		break;
	default:
		RUN(p, "INSERT INTO k.t (p, c, v) VALUES (%d, %d, %d)", k, c,
		    v);
	}
}

/* Each entry of it may be compacted a few times, and then no more. */
static void come_to_rest(struct play *p)
{
	flush(p);
	ck_assert_msg(!look_again(p), "seed %llu: once more for nothing",
		      (unsigned long long)p->seed);
	reopen(p);
	settle(p);
	ck_assert_msg(!look_again(p), "seed %llu: again after opening",
		      (unsigned long long)p->seed);
}

static void read_all(struct play *p, struct buf *out)
{
	int err = answer_to(p->session, "SELECT p, c, s, v, m FROM k.t", out);

	ck_assert_int_eq(err, 0);
	ck_assert_int_eq(answer_to(p->session,
				   "SELECT p, c FROM k.t WHERE v = 2", out), 0);
}

/* Check that only data which no reader sees is gone. */
static void check_same(struct play *p, const struct buf *before)
{
	struct buf after = BUF_INIT;

	read_all(p, &after);
	ck_assert_msg(bytes_equal(buf_bytes(before), buf_bytes(&after)),
		      "seed %llu: before\n%s\nafter\n%s",
		      (unsigned long long)p->seed, buf_cstr((struct buf *)before),
		      buf_cstr(&after));
	buf_release(&after);
}

/* Move the clock on, past all TTLs and graces; nothing is written. */
static void let_time_pass(struct play *p)
{
	static const int64_t steps[] = { 1, 100, 600, 4000, 86400, 86400 * 11,
					 86400 * 11, 86400 * 365 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct buf before = BUF_INIT;

		p->now_s += steps[i];
		clock_set_us(p->now_s * 1000000);
		read_all(p, &before);
		look_again(p);
		ck_assert_msg(!look_again(p), "seed %llu: twice at one time",
			      (unsigned long long)p->seed);
		check_same(p, &before);
		buf_release(&before);
	}
}

START_TEST(random_data_come_to_rest)	/* _i: strategy and seed */
{
	for (int round = 0; round < test_rounds(); round++) {
		struct play p;
		int i, j, steps;

		begin(&p, test_seed() * 1000 + (uint64_t)(round * 40 + _i));
		RUN(&p, "CREATE TABLE k.t (p int, c int, s int static, v int, "
		    "m map<int, int>, PRIMARY KEY (p, c)) WITH "
		    "gc_grace_seconds = %d %s", below(&p, 3) ? 3600 : 0,
		    strategies[_i % (int)ARRAY_SIZE(strategies)]);
		run(&p, "CREATE INDEX ON k.t (v)");
		for (i = 0; i < 6; i++) {
			steps = 1 + below(&p, below(&p, 2) ? 40 : 3);
			for (j = 0; j < steps; j++)
				change_something(&p);
			p.now_s += below(&p, 3) ? below(&p, 20) :
						  below(&p, 4000);
			clock_set_us(p.now_s * 1000000);
			if (below(&p, 2))
				flush(&p);
			else
				come_to_rest(&p);
		}
		come_to_rest(&p);
		let_time_pass(&p);
		end(&p);
	}
}
END_TEST

/* -------------------------------------------------------------------- space */
static struct lsm_table_stats stats_of(struct play *p, const char *name)
{
	struct table *t = test_table(p->store.store, "k", name);
	struct lsm_table_stats stats;

	store_table_stats(p->store.store, t, &stats);
	table_put(t);
	return stats;
}

/*
 * Rows are in one large file, and their deletions in small ones, which no
 * strategy would merge with it. The rows are removed nevertheless, all or
 * nearly all, and if only partitions are deleted, within seconds for each MiB.
 * _i: strategy and how.
 */
START_TEST(deleted_rows_give_their_room_back)
{
	struct play p;
	uint64_t full, seconds;
	int i, rows = 0;

	begin(&p, (uint64_t)_i);
	RUN(&p, "CREATE TABLE k.t (p int, c int, b blob, PRIMARY KEY (p, c)) "
	    "WITH gc_grace_seconds = 0 %s", strategies[_i % 3]);
	for (i = 0; i < 400; i++) {
		buf_clear(&p.statement);
		buf_add_format(&p.statement, "INSERT INTO k.t (p, c, b) VALUES "
			       "(%d, %d, 0x", i / 10, i % 10);
		while (p.statement.len < 4000)
			buf_add_format(&p.statement, "%08x",
				       (uint32_t)random_next(&p.rng));
		buf_add_str(&p.statement, ")");
		run(&p, buf_cstr(&p.statement));
	}
	flush(&p);
	full = stats_of(&p, "t").sstable_bytes;
	p.now_s++;
	clock_set_us(p.now_s * 1000000);
	for (i = 0; i < 400; i++) {
		if (_i / 3 == 0 && i % 10 == 0 && i < 360)
			RUN(&p, "DELETE FROM k.t WHERE p = %d", i / 10);
		else if (_i / 3 == 1 && i % 10 != 9)
			RUN(&p, "DELETE FROM k.t WHERE p = %d AND c = %d",
			    i / 10, i % 10);
		else if (_i / 3 == 2 && i == 77)
			RUN(&p, "DELETE FROM k.t WHERE p = 7 AND c = 7");
		if (i == 100)
			flush(&p);
	}
	flush(&p);
	for (seconds = 1; seconds < 1 << 11; seconds *= 2) {
		p.now_s += (int64_t)seconds;
		clock_set_us(p.now_s * 1000000);
		look_again(&p);
		if (stats_of(&p, "t").sstable_bytes < full - (_i / 3 == 2 ? 1500 : full / 2))
			break;
	}
	ck_assert_uint_lt(seconds, _i / 3 == 2 ? 1 << 11 : 4);
	rows = _i / 3 == 2 ? 399 : 40;
	{
		struct buf answer = BUF_INIT, wanted = BUF_INIT;

		buf_add_format(&wanted, "%d", rows);
		ck_assert_int_eq(answer_to(p.session,
					   "SELECT count(*) FROM k.t", &answer),
				 0);
		ck_assert_msg(strstr(buf_cstr(&answer), buf_cstr(&wanted)),
			      "%s", buf_cstr(&answer));
		buf_release(&answer);
		buf_release(&wanted);
	}
	ck_assert(!look_again(&p));
	end(&p);
}
END_TEST

/* Expired windows are removed by the timer, without any request. */
START_TEST(idle_windows_expire)
{
	struct store_options options;
	struct play p;
	int i;

	memset(&p, 0, sizeof(p));
	store_options_init(&options);
	test_store_open_with(&p.store, &options);
	ck_assert_int_eq(cql_session_new(&p.session, p.store.store), 0);
	run(&p, TEST_KEYSPACE);
	run(&p, "CREATE TABLE k.t (k int PRIMARY KEY, v int) WITH "
		"gc_grace_seconds = 0 AND default_time_to_live = 2");
	run(&p, "INSERT INTO k.t (k, v) VALUES (1, 1)");
	ck_assert_int_eq(store_flush(p.store.store, NULL), 0);
	ck_assert_uint_gt(stats_of(&p, "t").sstable_bytes, 0);
	for (i = 0; stats_of(&p, "t").sstable_bytes && i < 1200; i++)
		usleep(50000);
	ck_assert_uint_eq(stats_of(&p, "t").sstable_bytes, 0);
	cql_session_free(p.session);
	test_store_close(&p.store);
}
END_TEST

/* ------------------------------------------------------------------- damage */
static struct buf told;		/* the messages of the log, a line each */

static int times_told(const char *what)
{
	const char *at = buf_cstr(&told);
	int count = 0;

	while ((at = strstr(at, what))) {
		at += strlen(what);
		count++;
	}
	return count;
}

/* Return the largest number of an sstable; *count: how many there are. */
static uint64_t newest_file(struct play *p, size_t *count)
{
	int dir = openat(p->store.store->marker->engine, ".",
			 O_RDONLY | O_DIRECTORY);
	DIR *files = fdopendir(dir);
	uint64_t newest = 0, number;
	struct dirent *e;

	ck_assert_ptr_nonnull(files);
	*count = 0;
	while ((e = readdir(files)))
		if (!sstable_name_parse(&number, e->d_name)) {
			newest = number > newest ? number : newest;
			++*count;
		}
	closedir(files);
	return newest;
}

/* Flip a bit of its first block. */
static void damage(struct play *p, uint64_t number)
{
	char name[32];
	uint8_t byte;
	int fd;

	sstable_name(name, number);
	fd = openat(p->store.store->marker->engine, name, O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, &byte, 1, 60), 1);
	byte ^= 4;
	ck_assert_int_eq(pwrite(fd, &byte, 1, 60), 1);
	close(fd);
}

static bool is_there(struct play *p, uint64_t number)
{
	char name[32];

	sstable_name(name, number);
	return !faccessat(p->store.store->marker->engine, name, F_OK, 0);
}

struct seen {
	int count;
	char table[64], text[200];
};

static void see_damage(void *context, const char *table, const char *text)
{
	struct seen *seen = context;

	seen->count++;
	snprintf(seen->table, sizeof(seen->table), "%s", table);
	snprintf(seen->text, sizeof(seen->text), "%s", text);
}

static void report(void *context, const char *text)
{
	(void)text;
	++*(int *)context;
}

static void check_damage_told(struct play *p, const struct seen *seen,
			      uint64_t number)
{
	char name[32];
	int reports = 0;

	sstable_name(name, number);
	ck_assert_int_eq(times_told("k.a: "), 1);
	ck_assert_int_eq(seen->count, 1);
	ck_assert_str_eq(seen->table, "k.a");
	ck_assert(strstr(seen->text, name) && strstr(seen->text, "offset 32"));
	ck_assert_int_eq(store_verify(p->store.store, report, &reports),
			 -EUCLEAN);
	ck_assert_int_eq(reports, 1);
}

/* Rows of a damaged file are deleted in a later one: these deletions stay, as
 * the file may be repaired, and everything else goes on. _i: strategy. */
START_TEST(a_damaged_file_is_left_out)
{
	struct seen seen = { .count = 0 };
	struct store_observer observer = { .damaged = see_damage,
					   .context = &seen };
	struct buf rows = BUF_INIT;
	uint64_t number;
	size_t files;
	struct play p;
	int i, j;

	begin(&p, 0);
	log_into(&told);
	for (i = 'a'; i < 'd'; i++)
		RUN(&p, "CREATE TABLE k.%c (k int PRIMARY KEY, v int) WITH "
		    "gc_grace_seconds = 0 %s", i, strategies[_i]);
	for (i = 0; i < 100; i++)
		RUN(&p, "INSERT INTO k.a (k, v) VALUES (%d, 1)", i);
	flush(&p);
	number = newest_file(&p, &files);
	damage(&p, number);
	store_observe(p.store.store, &observer);
	for (i = 0; i < 50; i++)
		RUN(&p, "DELETE FROM k.a WHERE k = %d", i);
	for (i = 0; i < 40; i++) {
		p.now_s += 7;
		clock_set_us(p.now_s * 1000000);
		for (j = 1000; j < 5000; j += 1000) {
			RUN(&p, "INSERT INTO k.a (k, v) VALUES (%d, 2)", i + j);
			RUN(&p, "INSERT INTO k.b (k, v) VALUES (%d, 2)", i + j);
			RUN(&p, "INSERT INTO k.c (k, v) VALUES (%d, 2)", i + j);
		}
		flush(&p);
	}
	ck_assert_int_eq(answer_to(p.session, "SELECT v FROM k.c", &rows), 0);
	ck_assert_uint_le(stats_of(&p, "b").sstable_count, 8);
	ck_assert_uint_le(stats_of(&p, "c").sstable_count, 8);
	ck_assert_uint_le(stats_of(&p, "a").sstable_count, 9);
	check_damage_told(&p, &seen, number);
	/* A compaction of everything merges the other files, and reports it. */
	ck_assert_int_eq(store_compact(p.store.store, NULL), -EUCLEAN);
	ck_assert_uint_eq(stats_of(&p, "a").sstable_count, 2);
	ck_assert_uint_eq(stats_of(&p, "c").sstable_count, 1);
	store_observe(p.store.store, NULL);
	reopen(&p);
	store_observe(p.store.store, &observer);
	look_again(&p);
	ck_assert(is_there(&p, number));
	damage(&p, number);		/* repairs it */
	store_observe(p.store.store, NULL);
	reopen(&p);
	buf_clear(&rows);
	ck_assert_int_eq(answer_to(p.session, "SELECT count(*) FROM k.a",
				   &rows), 0);
	ck_assert_msg(strstr(buf_cstr(&rows), "210"), "%s", buf_cstr(&rows));
	ck_assert_int_eq(store_compact(p.store.store, NULL), 0);
	ck_assert_uint_eq(stats_of(&p, "a").sstable_count, 1);
	buf_release(&rows);
	buf_release(&told);
	log_into(NULL);
	end(&p);
}
END_TEST

SUITE(rest)
{
	TCase *tc = tcase_create("rest");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, an_index_does_not_run_for_ever, 0, 2);
	tcase_add_loop_test(tc, random_data_come_to_rest, 0, test_scale(40));
	tcase_add_loop_test(tc, deleted_rows_give_their_room_back, 0, 9);
	tcase_add_test(tc, idle_windows_expire);
	tcase_add_loop_test(tc, a_damaged_file_is_left_out, 0, 4);
	suite_add_tcase(suite, tc);
}
