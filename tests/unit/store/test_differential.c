/*
 * Random writes and reads by CQL against a model of the rules alone
 * (tests/lib/cql_model.h), with flushes, compactions and reopenings between,
 * under each strategy. Seeds are fixed; WIDEFS_TEST_SEED and WIDEFS_TEST_ROUNDS
 * are for more.
 *
 * Half of the runs write with timestamps in any order. In them, versions with
 * one timestamp are written only within one second, as an expired one may later
 * count as the tombstone that a compaction made of it; and no deletion is
 * purged, as it would no longer hide older cells that are written later. The
 * other half write in the order of timestamps, and deleted data are purged at
 * once, or when the clock is moved on.
 */
#include <stdlib.h>

#include "store/base/clock.h"
#include "store/cql/cql.h"
#include "store/lsm/lsm.h"
#include "store/table/inner.h"
#include "tests/lib/answers.h"
#include "tests/lib/cql_model.h"
#include "tests/lib/random.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define BEGIN_S 2524608000LL
#define STEPS 600

static const char *const strategies[] = {
	"{'class': 'UnifiedCompactionStrategy'}",
	"{'class': 'SizeTieredCompactionStrategy', 'min_threshold': 2}",
	"{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': 1}",
	("{'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': "
	 "'MINUTES', 'compaction_window_size': 1}"),
};

static const char *const compressions[] = {
	"{'class': 'LZ4Compressor'}", "{'class': 'ZstdCompressor'}",
	"{'class': 'DeflateCompressor'}", "{'enabled': false}",
};

struct play {
	struct random rng;
	struct test_store store;
	struct cql_session *session;
	struct cm model;
	struct buf statement;
	bool descending, in_order;
	int64_t last;		/* timestamp, if they are in order */
	uint64_t seed, compactions;
	int step, epoch;
};

static int below(struct play *p, uint32_t limit)
{
	return (int)random_below(&p->rng, limit);
}

static void open_session(struct play *p)
{
	ck_assert_int_eq(cql_session_new(&p->session, p->store.store), 0);
}

static void run(struct play *p)
{
	int err = answer_to(p->session, buf_cstr(&p->statement), NULL);

	ck_assert_msg(!err, "seed %llu, step %d: %s: %s",
		      (unsigned long long)p->seed, p->step,
		      buf_cstr(&p->statement),
		      cql_session_error(p->session)->message);
}

/* There are no crashes here: syncs need not be waited for. */
static int no_sync(void *context, int fd)
{
	(void)context;
	(void)fd;
	return 0;
}

static void open_store(struct play *p)
{
	static struct file_ops files;
	struct store_options options;

	files = file_system;
	files.datasync = files.sync = no_sync;
	store_options_init(&options);
	options.no_threads = true;
	options.commit_s = 1000;
	options.files = &files;
	if (below(p, 2))
		options.cache_bytes = 1 << 16;
	test_store_open_with(&p->store, &options);
}

static void begin(struct play *p, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->seed = seed;
	p->rng = random_seeded(seed);
	p->descending = seed & 1;
	p->in_order = seed & 2;
	clock_set_us(BEGIN_S * 1000000);
	cm_init(&p->model, BEGIN_S);
	open_store(p);
	open_session(p);
	buf_add_str(&p->statement, TEST_KEYSPACE);
	run(p);
	buf_clear(&p->statement);
	buf_add_format(&p->statement, "CREATE TABLE k.t (p int, c int, s text "
		       "static, a int, b text, z set<int>, m map<int, int>, "
		       "PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c %s) "
		       "AND gc_grace_seconds = %d AND compaction = %s AND "
		       "compression = %s",
		       p->descending ? "DESC" : "ASC",
		       p->in_order ? below(p, 2) * 100 : 864000,
		       strategies[seed / 4 % 4], compressions[below(p, 4)]);
	run(p);
	if (below(p, 2)) {
		buf_clear(&p->statement);
		buf_add_str(&p->statement, "CREATE INDEX ON k.t (a)");
		run(p);
	}
}

static void end(struct play *p)
{
	cql_session_free(p->session);
	test_store_close(&p->store);
	buf_release(&p->statement);
	clock_set_us(INT64_MIN);
}

/* ------------------------------------------------------------------- writes */
static struct cm_write random_write(struct play *p)
{
	return (struct cm_write){
		.timestamp = p->in_order ? (p->last += 2) :
			     1000 + 64 * below(p, 12) + p->epoch % 64,
		.ttl = below(p, 4) ? 0 : 1 + below(p, 6),
	};
}

/* Make one assignment: to the model, and as text after SET. */
static void assign(struct play *p, struct cm_row *row, struct cm_row *fixed,
		   const struct cm_write *w)
{
	int path = below(p, CM_PATHS), value = below(p, 5) - 1;

	switch (below(p, 10)) {
	case 0:
		cm_put(&p->model, row, CM_A, 0, value, w);
		buf_add_format(&p->statement, "a = %d", value);
		break;
	case 1:
		cm_put(&p->model, row, CM_B, 0, value + 1, w);
		buf_add_format(&p->statement, "b = '%c'", 'a' + value + 1);
		break;
	case 2:
		cm_put(&p->model, fixed, CM_S, 0, value + 1, w);
		buf_add_format(&p->statement, "s = '%c'", 'a' + value + 1);
		break;
	case 3:
		cm_kill(row, CM_A, 0, w->timestamp);
		buf_add_str(&p->statement, "a = null");
		break;
	case 4:
		cm_put(&p->model, row, CM_Z, path, 0, w);
		buf_add_format(&p->statement, "z = z + {%d}", path);
		break;
	case 5:
		cm_kill(row, CM_Z, path, w->timestamp);
		buf_add_format(&p->statement, "z = z - {%d}", path);
		break;
	case 6:
		cm_delete_column(row, CM_Z, w->timestamp - 1);
		cm_put(&p->model, row, CM_Z, path, 0, w);
		buf_add_format(&p->statement, "z = {%d}", path);
		break;
	case 7:
		cm_put(&p->model, row, CM_M, path, value, w);
		buf_add_format(&p->statement, "m[%d] = %d", path, value);
		break;
	case 8:
		cm_kill(row, CM_M, path, w->timestamp);
		buf_add_format(&p->statement, "m[%d] = null", path);
		break;
	default:
		cm_delete_column(row, CM_M, w->timestamp - 1);
		cm_put(&p->model, row, CM_M, path, value, w);
		buf_add_format(&p->statement, "m = {%d: %d}", path, value);
	}
}

static void update(struct play *p, int k, int c)
{
	struct cm_write w = random_write(p);

	buf_add_format(&p->statement, "UPDATE k.t USING TIMESTAMP %lld ",
		       (long long)w.timestamp);
	if (w.ttl)
		buf_add_format(&p->statement, "AND TTL %d ", w.ttl);
	buf_add_str(&p->statement, "SET ");
	assign(p, cm_row(&p->model, k, c), cm_row(&p->model, k, -1), &w);
	buf_add_format(&p->statement, " WHERE p = %d", k);
	/* With static columns alone there are no clustering columns. */
	if (!strstr(buf_cstr(&p->statement), "SET s"))
		buf_add_format(&p->statement, " AND c = %d", c);
}

static void insert(struct play *p, int k, int c)
{
	struct cm_write w = random_write(p);
	struct cm_row *row = cm_row(&p->model, k, c);
	int value = below(p, 5);

	cm_mark(&p->model, row, &w);
	cm_put(&p->model, row, CM_A, 0, value - 1, &w);
	cm_put(&p->model, row, CM_B, 0, value, &w);
	buf_add_format(&p->statement, "INSERT INTO k.t (p, c, a, b%s) VALUES "
		       "(%d, %d, %d, '%c'", value & 1 ? ", s" : "", k, c,
		       value - 1, 'a' + value);
	if (value & 1) {
		cm_put(&p->model, cm_row(&p->model, k, -1), CM_S, 0, value, &w);
		buf_add_format(&p->statement, ", '%c'", 'a' + value);
	}
	buf_add_format(&p->statement, ") USING TIMESTAMP %lld",
		       (long long)w.timestamp);
	if (w.ttl)
		buf_add_format(&p->statement, " AND TTL %d", w.ttl);
}

static void delete_part(struct play *p, int k, int c)
{
	static const char *const names[] = { "s", "a", "b", "z", "m" };
	int64_t t = random_write(p).timestamp;
	int what = below(p, 9), to = c + 1 + below(p, 4);
	struct cm_row *row = cm_row(&p->model, k, what ? c : -1);

	buf_add_format(&p->statement, "DELETE %s FROM k.t USING TIMESTAMP %lld "
		       "WHERE p = %d", what < CM_COLUMNS ? names[what] : "",
		       (long long)t, k);
	if (what >= CM_Z && what < CM_COLUMNS)
		cm_delete_column(row, (enum cm_column)what, t);
	else if (what < CM_COLUMNS)
		cm_kill(row, (enum cm_column)what, 0, t);
	if (what && what < CM_COLUMNS + 2)
		buf_add_format(&p->statement, " AND c = %d", c);
	if (what == 5 || what == 6) {
		cm_delete_range(&p->model, k, c, c + 1, t);
	} else if (what == 7) {
		cm_delete_range(&p->model, k, c, to, t);
		buf_add_format(&p->statement, " AND c >= %d AND c < %d", c, to);
	} else if (what == 8) {
		cm_delete_partition(&p->model, k, t);
	}
}

static void write_something(struct play *p)
{
	int k = below(p, CM_PARTITIONS), c = below(p, CM_ROWS);
	int what = below(p, 10);

	buf_clear(&p->statement);
	if (what < 5)
		update(p, k, c);
	else if (what < 8)
		insert(p, k, c);
	else
		delete_part(p, k, c);
	run(p);
}

/* -------------------------------------------------------------------- reads */
static void restrict_rows(struct play *p, struct cm_query *q, const char *and)
{
	int from = below(p, CM_ROWS), to = below(p, CM_ROWS + 2);
	int kind = below(p, 5);

	q->restricted = kind > 0;
	for (int c = 0; c < CM_ROWS; c++)
		q->wanted[c] = kind == 1 ? c >= from && c < to :
			       kind == 2 ? c > from :
			       kind == 3 ? c <= to :
					   c == from || c == to;
	if (kind == 1)
		buf_add_format(&p->statement, "%sc >= %d AND c < %d", and, from,
			       to);
	else if (kind == 2)
		buf_add_format(&p->statement, "%sc > %d", and, from);
	else if (kind == 3)
		buf_add_format(&p->statement, "%sc <= %d", and, to);
	else if (kind)
		buf_add_format(&p->statement, "%sc IN (%d, %d)", and, to, from);
}

static void choose_partitions(struct play *p, struct cm_query *q)
{
	static const int by_token[] = { 1, 0, 2, 3 };
	int one = below(p, CM_PARTITIONS), two = below(p, CM_PARTITIONS);
	int kind = below(p, 4);

	if (!kind) {
		memcpy(q->partitions, by_token, sizeof(by_token));
		q->partition_count = CM_PARTITIONS;
	} else if (kind == 1 && one != two) {
		q->partitions[0] = one < two ? one : two;
		q->partitions[1] = one < two ? two : one;
		q->partition_count = 2;
		buf_add_format(&p->statement, " WHERE p IN (%d, %d)", two, one);
		restrict_rows(p, q, " AND ");
	} else {
		q->partitions[0] = one;
		q->partition_count = 1;
		buf_add_format(&p->statement, " WHERE p = %d", one);
		restrict_rows(p, q, " AND ");
		if (below(p, 2)) {
			q->descending = below(p, 2);
			buf_add_format(&p->statement, " ORDER BY c %s",
				       q->descending ? "DESC" : "ASC");
		}
	}
}

static void read_something(struct play *p)
{
	struct cm_query q = { .descending = p->descending };
	struct buf expected = BUF_INIT, got = BUF_INIT;

	buf_clear(&p->statement);
	buf_add_str(&p->statement, "SELECT p, c, s, a, b, z, m, writetime(a), "
		    "ttl(b) FROM k.t");
	choose_partitions(p, &q);
	if (!below(p, 3)) {
		q.each = 1 + below(p, 4);
		buf_add_format(&p->statement, " PER PARTITION LIMIT %d",
			       q.each);
	}
	if (!below(p, 3)) {
		q.limit = 1 + below(p, 8);
		buf_add_format(&p->statement, " LIMIT %d", q.limit);
	}
	cm_select(&p->model, &q, &expected);
	answer_to(p->session, buf_cstr(&p->statement), &got);
	ck_assert_msg(bytes_equal(buf_bytes(&expected), buf_bytes(&got)),
		      "seed %llu, step %d: %s\nexpected\n%s\ngot\n%s",
		      (unsigned long long)p->seed, p->step,
		      buf_cstr(&p->statement), buf_cstr(&expected),
		      buf_cstr(&got));
	buf_release(&expected);
	buf_release(&got);
}

/* --------------------------------------------------------------------- play */
static void settle(struct play *p)
{
	ck_assert_int_eq(lsm_settle(p->store.store->lsm), 0);
}

static void reopen(struct play *p)
{
	struct lsm_stats stats;

	store_stats(p->store.store, &stats);
	p->compactions += stats.compactions;
	cql_session_free(p->session);
	test_store_reopen(&p->store);
	open_session(p);
}

static void disturb(struct play *p)
{
	switch (below(p, 40)) {
	case 0:
		ck_assert_int_eq(store_flush(p->store.store, NULL), 0);
		break;
	case 1:
		ck_assert_int_eq(store_flush(p->store.store, NULL), 0);
		ck_assert_int_eq(store_compact(p->store.store, NULL), 0);
		break;
	case 2:
		reopen(p);
		break;
	case 5:
	case 6:
	case 7:
		ck_assert_int_eq(store_flush(p->store.store, NULL), 0);
		settle(p);
		break;
	case 3:
	case 4:
		p->epoch++;
		p->model.now += 1 + below(p, p->in_order ? 200 : 4);
		clock_set_us(p->model.now * 1000000);
		break;
	}
}

START_TEST(answers_are_those_of_the_rules)
{
	struct play *p = malloc(sizeof(*p));

	for (int round = 0; round < test_rounds(); round++) {
		begin(p, test_seed() * 1000 + (uint64_t)(round * 16 + _i));
		for (p->step = 0; p->step < STEPS; p->step++) {
			write_something(p);
			disturb(p);
			read_something(p);
		}
		reopen(p);
		settle(p);
		read_something(p);
		ck_assert_uint_gt(p->compactions, 0);
		end(p);
	}
	free(p);
}
END_TEST

SUITE(differential)
{
	TCase *tc = tcase_create("rules");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, answers_are_those_of_the_rules, 0, 16);
	suite_add_tcase(suite, tc);
}
