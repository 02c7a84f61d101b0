/*
 * Whole stores after a crash at any moment (P3, P4, P6): statements of CQL
 * run on a disk in memory, and before every call that changes it some states
 * are recovered. Each must open, and answer the schema and all queries as at
 * one moment between two statements. Acknowledged changes of the schema, and
 * acknowledged writes that were synced, are never lost; a batch is there whole
 * or not at all; an index agrees with its table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/lsm_snapshot.h"
#include "store/schema/schema_edit.h"
#include "store/schema/schema_move.h"
#include "store/schema/table_edit.h"
#include "store/snapshot.h"
#include "store/table/inner.h"
#include "tests/lib/answers.h"
#include "tests/lib/crash.h"
#include "tests/lib/scratch.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define MOST_MOMENTS 64
#define OWNERS 2	/* of snapshots */
#define TABLE "CREATE TABLE k.t (p int, c int, v int, w text, s int STATIC, " \
	      "PRIMARY KEY (p, c))"
#define OTHER "CREATE TABLE k.u (p int PRIMARY KEY, l list<int>, n text)"

static const char *const queries[] = {
	"SELECT * FROM k.t",
	"SELECT p, c, v FROM k.t WHERE v = 1",
	"SELECT p, c, v FROM k.t WHERE v = 2",
	"SELECT p, c, v FROM k.t WHERE v = 1 ALLOW FILTERING",
	"SELECT p, c, v FROM k.t WHERE v = 2 ALLOW FILTERING",
	"SELECT * FROM k.u",
	"SELECT * FROM k.u WHERE v = 1",
	"SELECT * FROM k.n",
	NULL
};

/*
 * Statements, and: "sync", "flush", "compact", "reopen", "kill" (the process
 * dies and the next one continues), "later" (the clock continues by 100 s,
 * after a sync), "provisional" (k.u may be replaced), "snapshot NAME",
 * "unsnapshot NAME", "restore NAME", "undo" (the tables that the last change
 * has kept are brought back), "move k.NAME k.NAME" (a table), "rename NAME
 * NAME" (a keyspace), "as UID" (whose the statements are from now on), "bound
 * N" (automatic snapshots of more than N changes are given up), "edit CREATE
 * TABLE …" (as schema.cql is edited).
 */
static const struct workload {
	const char *name;
	uint32_t tries;
	int least;	/* at least that many states are checked, */
	int least_killed;	/* that many of them a power cut after a kill */
	const char *steps[40];
} workloads[] = {
	{ "schema", 5, 1200, 400, {
		TEST_KEYSPACE, TABLE, OTHER,
		"INSERT INTO k.u (p, n) VALUES (1, 'one')",
		"ALTER TABLE k.t ADD x text",
		"CREATE TYPE k.y (a int, b text)",
		"ALTER TABLE k.u ADD y frozen<y>",
		"INSERT INTO k.u (p, y) VALUES (2, {a: 1, b: 'b'})",
		"DROP TABLE k.t", TABLE,
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)",
		"ALTER TABLE k.u DROP n",
		"DROP KEYSPACE k", TEST_KEYSPACE, TABLE,
	} },
	{ "a definition is edited", 9, 1200, 400, {
		TEST_KEYSPACE, TABLE, "CREATE INDEX i ON k.t (v)",
		"INSERT INTO k.t (p, c, v, w) VALUES (1, 1, 1, 'a')",
		"edit CREATE TABLE k.t (p int, d int, v int, w text, x text, "
		"s int STATIC, PRIMARY KEY (p, d)) WITH comment = 'one'",
		"INSERT INTO k.t (p, d, v, x) VALUES (1, 2, 2, 'b')",
		"kill",
		"edit CREATE TABLE k.t (q int, e int, v int, x text, "
		"PRIMARY KEY (q, e)) WITH comment = 'two'",
		"UPDATE k.t SET v = 2 WHERE q = 1 AND e = 1", "kill",
		"edit CREATE TABLE k.t (p int, c int, v int, x text, "
		"PRIMARY KEY (p, c)) WITH comment = 'three'",
		"undo", "reopen",
	} },
	{ "compact", 5, 2500, 800, {
		TEST_KEYSPACE,
		"CREATE TABLE k.u (p int PRIMARY KEY, v int, w text) "
		"WITH COMPACT STORAGE",
		"INSERT INTO k.u (p, v, w) VALUES (1, 1, 'one')",
		"INSERT INTO k.u (p, v, w) VALUES (2, 1, 'two')",
		"CREATE INDEX ON k.u (v)", "flush",
		"DELETE FROM k.u WHERE p = 2",
		"INSERT INTO k.u (p, w) VALUES (3, 'three')", "sync",
		"ALTER TABLE k.u DROP COMPACT STORAGE",
		"INSERT INTO k.u (p, column1, value) VALUES (1, 'a', 0x01)",
		"UPDATE k.u SET v = 1 WHERE p = 3",
		"flush", "compact",
		"UPDATE k.u SET v = 2 WHERE p = 1",
		"DELETE FROM k.u WHERE p = 1 AND column1 < 'b'",
		"reopen",
	} },
	{ "rows", 9, 2500, 700, {
		TEST_KEYSPACE, TABLE, OTHER,
		"INSERT INTO k.t (p, c, v, w, s) VALUES (1, 1, 1, 'a', 7)",
		"UPDATE k.t SET w = 'b' WHERE p = 1 AND c = 2",
		"sync",
		"UPDATE k.u SET l = [1, 2] WHERE p = 1",
		"UPDATE k.u SET l = l + [3] WHERE p = 1",
		"INSERT INTO k.u (p, n) VALUES (3, 'x') IF NOT EXISTS",
		"flush",
		"DELETE FROM k.t WHERE p = 1 AND c = 1",
		"UPDATE k.t SET v = 5 WHERE p = 1 AND c = 2 IF w = 'b'",
		"UPDATE k.u SET l[1] = 9 WHERE p = 1",
		"flush", "compact",
		"DELETE FROM k.t WHERE p = 1",
		"reopen",
		"INSERT INTO k.t (p, c, w) VALUES (2, 1, 'z')",
	} },
	{ "batches over tables", 9, 1600, 450, {
		TEST_KEYSPACE, TABLE, OTHER,
		"BEGIN BATCH INSERT INTO k.t (p, c, v) VALUES (1, 1, 1); "
		"INSERT INTO k.t (p, c, v) VALUES (2, 1, 2); "
		"INSERT INTO k.u (p, n) VALUES (1, 'n'); APPLY BATCH",
		"sync",
		"BEGIN BATCH DELETE FROM k.t WHERE p = 1; "
		"UPDATE k.u SET n = 'm' WHERE p = 1; "
		"UPDATE k.u SET n = 'o' WHERE p = 2; APPLY BATCH",
		"BEGIN BATCH INSERT INTO k.t (p, c, v, s) VALUES (3, 1, 1, 1); "
		"INSERT INTO k.t (p, c, v, s) VALUES (4, 1, 2, 2); "
		"DELETE FROM k.u WHERE p = 1; APPLY BATCH",
		"flush",
		"BEGIN BATCH UPDATE k.t SET v = 2 WHERE p = 3 AND c = 1; "
		"UPDATE k.t SET v = 1 WHERE p = 4 AND c = 1; APPLY BATCH",
		"reopen",
		"BEGIN BATCH INSERT INTO k.t (p, c, v) VALUES (5, 1, 1); "
		"INSERT INTO k.u (p, n) VALUES (5, 'five'); APPLY BATCH",
	} },
	{ "an index is built", 7, 1500, 500, {
		TEST_KEYSPACE, TABLE,
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)",
		"INSERT INTO k.t (p, c, v) VALUES (1, 2, 2)",
		"INSERT INTO k.t (p, c, v) VALUES (2, 1, 1)",
		"CREATE INDEX i ON k.t (v)",
		"UPDATE k.t SET v = 2 WHERE p = 1 AND c = 1",
		"flush",
		"DELETE FROM k.t WHERE p = 2 AND c = 1",
		"DROP INDEX k.i",
		"INSERT INTO k.t (p, c, v) VALUES (3, 1, 1)",
		"CREATE INDEX j ON k.t (v)",
	} },
	{ "an index under writes", 7, 2300, 700, {
		TEST_KEYSPACE, TABLE, "CREATE INDEX i ON k.t (v)",
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)",
		"INSERT INTO k.t (p, c, v) VALUES (1, 2, 2)",
		"UPDATE k.t SET v = 2 WHERE p = 1 AND c = 1",
		"sync",
		"UPDATE k.t SET v = 1 WHERE p = 1 AND c = 2",
		"flush",
		"DELETE v FROM k.t WHERE p = 1 AND c = 1",
		"INSERT INTO k.t (p, c, v) VALUES (2, 2, 2)",
		"compact",
		"TRUNCATE k.t",
		"INSERT INTO k.t (p, c, v) VALUES (2, 3, 1)",
		"reopen",
		"DELETE FROM k.t WHERE p = 2",
	} },
	{ "killed and on", 7, 5000, 1500, {
		"kill", TEST_KEYSPACE, "kill", TABLE, "kill",
		"CREATE INDEX i ON k.t (v)",
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)", "kill",
		"INSERT INTO k.t (p, c, v) VALUES (1, 2, 2)", "flush", "kill",
		"UPDATE k.t SET v = 2 WHERE p = 1 AND c = 1", "sync", "kill",
		"ALTER TABLE k.t ADD x text", "kill",
		"DELETE FROM k.t WHERE p = 1 AND c = 2", "flush", "kill",
		"compact", "kill",
		"UPDATE k.t SET v = 1 WHERE p = 1 AND c = 1", "kill",
		"TRUNCATE k.t", "kill",
		"INSERT INTO k.t (p, c, v) VALUES (3, 1, 2)", "kill",
		"reopen",
	} },
	{ "time to live", 9, 1800, 500, {
		TEST_KEYSPACE, TABLE,
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1) USING TTL 50",
		"INSERT INTO k.t (p, c, v) VALUES (1, 2, 2) USING TTL 150",
		"UPDATE k.t USING TTL 250 SET w = 'w' WHERE p = 1 AND c = 1",
		"flush", "later",
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 2)",
		"compact", "later", "compact", "later", "reopen",
	} },
	{ "a table takes over another's rows", 7, 1700, 500, {
		TEST_KEYSPACE,
		"CREATE TABLE k.u (p int PRIMARY KEY, w text)",
		"INSERT INTO k.u (p, w) VALUES (1, 'one')",
		"INSERT INTO k.u (p, w) VALUES (2, 'two')",
		"flush",
		"INSERT INTO k.u (p, w) VALUES (3, 'three')",
		"provisional",
		"CREATE TABLE k.u (p int PRIMARY KEY, v int)",
		"INSERT INTO k.u (p, v) VALUES (4, 1)",
		"flush", "compact",
		"UPDATE k.u SET v = 2 WHERE p = 1",
		"reopen",
	} },
	{ "snapshots", 7, 2000, 600, {
		TEST_KEYSPACE, TABLE, "CREATE INDEX i ON k.t (v)",
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)",
		"snapshot a",
		"UPDATE k.t SET v = 2 WHERE p = 1 AND c = 1",
		"INSERT INTO k.t (p, c, v) VALUES (1, 2, 1)",
		"snapshot b",
		"DELETE FROM k.t WHERE p = 1 AND c = 1",
		"compact",
		"unsnapshot a",
		"ALTER TABLE k.t ADD x text",
		"restore b",
		"INSERT INTO k.t (p, c, v) VALUES (2, 1, 1)",
		"TRUNCATE k.t",
		"INSERT INTO k.t (p, c, v) VALUES (3, 1, 2)",
		"DROP TABLE k.t",
		"restore b", "reopen",
		"INSERT INTO k.t (p, c, v) VALUES (4, 1, 1)",
		"compact",
		"unsnapshot b",
	} },
	{ "snapshots, killed and on", 7, 3000, 1000, {
		TEST_KEYSPACE, TABLE,
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)", "kill",
		"snapshot a", "kill",
		"UPDATE k.t SET v = 2 WHERE p = 1 AND c = 1", "kill",
		"DROP TABLE k.t", "kill",
		"restore a", "kill",
		"INSERT INTO k.t (p, c, v) VALUES (2, 1, 1)", "flush", "kill",
		"TRUNCATE k.t", "kill",
		"restore a", "kill",
		"unsnapshot a", "kill",
		"INSERT INTO k.t (p, c, v) VALUES (2, 2, 1)", "compact", "kill",
	} },
	{ "snapshots of two owners", 7, 1000, 300, {
		TEST_KEYSPACE, TABLE, OTHER,
		"INSERT INTO k.u (p, n) VALUES (1, 'one')",
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)",
		"as 1", "TRUNCATE k.u", "kill",
		"INSERT INTO k.t (p, c, v) VALUES (1, 2, 1)",
		"as 0", "ALTER TABLE k.t DROP w", "TRUNCATE k.t",
		"INSERT INTO k.t (p, c, v) VALUES (1, 3, 1)",
		"DROP TABLE k.t", "kill", "bound 2", "kill",
		"as 1",
		"INSERT INTO k.u (p, n) VALUES (2, 'two')",
		"ALTER TABLE k.u ADD x text", "TRUNCATE k.u",
		"bound 2", "compact", "reopen", "bound 0",
	} },
	{ "a keyspace comes back", 7, 1200, 400, {
		TEST_KEYSPACE, TABLE, OTHER, "CREATE INDEX i ON k.t (v)",
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)",
		"INSERT INTO k.u (p, n) VALUES (1, 'one')",
		"DROP KEYSPACE k", "undo",
		"INSERT INTO k.t (p, c, v) VALUES (1, 2, 2)", "kill",
		"DROP KEYSPACE k", "kill",
		"undo", "kill",
		"TRUNCATE k.u", "undo", "compact",
		"INSERT INTO k.u (p, n) VALUES (2, 'two')", "reopen",
	} },
	{ "other names", 7, 1000, 300, {
		TEST_KEYSPACE, TABLE,
		"CREATE INDEX by_v ON k.t (v)",
		"INSERT INTO k.t (p, c, v) VALUES (1, 1, 1)",
		"move t u",
		"INSERT INTO k.u (p, c, v) VALUES (1, 2, 1)", "flush",
		"rename k l", "rename l k", "kill",
		"UPDATE k.u SET v = 2 WHERE p = 1 AND c = 1",
		"move u t", "kill",
		"DELETE FROM k.t WHERE p = 1 AND c = 2", "compact",
		"move t u", "reopen",
		"DROP TABLE k.u",
	} },
	{ "counters", 9, 1500, 400, {
		TEST_KEYSPACE,
		"CREATE TABLE k.n (p int PRIMARY KEY, n counter)",
		"UPDATE k.n SET n = n + 1 WHERE p = 1",
		"UPDATE k.n SET n = n + 5 WHERE p = 1",
		"sync",
		"UPDATE k.n SET n = n - 2 WHERE p = 1",
		"flush",
		"UPDATE k.n SET n = n + 1 WHERE p = 2",
		"reopen",
		"UPDATE k.n SET n = n + 1 WHERE p = 1",
		"compact",
		"UPDATE k.n SET n = n + 7 WHERE p = 1",
	} },
};

/* The moments that a check may find. */
struct expected {
	uint32_t begun, acknowledged, synced;
	uint32_t created;	/* opening it has succeeded once */
};

struct world {
	struct crash crash;	/* first */
	struct store *store;
	struct cql_session *session;
	uint64_t sums[MOST_MOMENTS];
	/* Automatic snapshots: the fewest and the most of a moment. */
	size_t least[MOST_MOMENTS + 1][OWNERS], most[MOST_MOMENTS + 1][OWNERS];
	uid_t uid;		/* whose the statements are */
	struct expected now;
	int64_t clock_us;
};

static void set_up(void)
{
	quiet(true);
}

static void tear_down(void)
{
	quiet(false);
	clock_set_us(INT64_MIN);
}

/* Add the snapshots that were asked for, each with its answers. Those that
 * DROP, TRUNCATE and a restore make are there before these happen: count
 * them, and see that they can be read. */
static void answers_of_snapshots(struct store *s, size_t automatic[OWNERS],
				 struct buf *out)
{
	struct manifest_snapshot *list;
	struct buf unused = BUF_INIT;
	size_t count, i;

	memset(automatic, 0, OWNERS * sizeof(*automatic));
	ck_assert_int_eq(snapshot_list(s, &list, &count), 0);
	for (i = 0; i < count; i++) {
		struct store *view;
		uint64_t held;

		ck_assert_uint_lt(list[i].owner, OWNERS);
		if (list[i].automatic)
			automatic[list[i].owner]++;
		else
			buf_add_format(out, "snapshot %s\n", list[i].name);
		if (snapshot_acquire(&view, s, list[i].number) ||
		    answers_to_all(view, queries, list[i].automatic ? &unused :
								      out) ||
		    snapshot_held(s, list[i].number, &held))
			ck_abort_msg("snapshot %s: no answer", list[i].name);
		snapshot_release(s, view);
	}
	mem_free(list);
	buf_release(&unused);
}

static uint64_t sum_of(struct store *s, size_t automatic[OWNERS])
{
	struct buf out = BUF_INIT;
	uint64_t sum;

	if (answers_to_all(s, queries, &out))
		ck_abort_msg("no answer: %s", buf_cstr(&out));
	answers_of_snapshots(s, automatic, &out);
	sum = XXH3_64bits(out.ptr, out.len);
	buf_release(&out);
	return sum;
}

/* ------------------------------------------------------------------ steps */
static void tick(struct world *w, int64_t us)
{
	w->clock_us += us;
	clock_set_us(w->clock_us);
}

/* Take rows over: each has its key in v. */
static int adopt(void *context, struct table *from, struct table *to)
{
	struct world *world = context;
	struct cursor *cursor;
	struct row_view row;
	struct write w;
	struct query q;
	int got;

	query_init(&q, from);
	write_init(&w, world->store);
	got = table_query(&cursor, world->store, &q);
	while (!got && (got = cursor_next(cursor, &row)) > 0) {
		write_row(&w, to, row.partition_key, &BYTES_NULL);
		write_marker(&w, store_timestamp(world->store), 0);
		write_cell(&w, &to->columns[1], BYTES_NULL, row.partition_key,
			   store_timestamp(world->store), 0);
		got = commit_fill(&w);
	}
	cursor_close(cursor);
	write_release(&w);
	return got;
}

static int make_provisional(void *context, const struct schema *now,
			    struct schema **next)
{
	struct table *t = table_copy(schema_table(now, bytes_str("k"),
						  bytes_str("u")));

	(void)context;
	t->flags |= TABLE_PROVISIONAL;
	*next = schema_copy(now);
	return schema_set_table(*next, t);
}

static void open_world(struct world *w)
{
	ck_assert_int_eq(test_store_open_on(&w->store,
					    sim_files(w->crash.disk),
					    !w->now.created), 0);
	ck_assert_int_eq(cql_session_new(&w->session, w->store), 0);
	cql_session_adopt(w->session, adopt, w);
	cql_session_owner(w->session, w->uid, 0, 0755);
	w->now.created = true;
}

static void close_world(struct world *w)
{
	cql_session_free(w->session);
	ck_assert_int_eq(store_close(w->store), 0);
	w->now.synced = w->now.acknowledged;
}

static void die(struct world *w, bool watched)
{
	struct sim *left = sim_crash(w->crash.disk, SIM_KILLED, &w->crash.rng);

	crash_watch(&w->crash, false);
	cql_session_free(w->session);
	store_close(w->store);
	sim_free(w->crash.disk);
	w->crash.disk = left;
	crash_watch(&w->crash, watched);
	open_world(w);
}

static bool is_schema_change(const char *s)
{
	return !strncmp(s, "CREATE", 6) || !strncmp(s, "ALTER", 5) ||
	       !strncmp(s, "edit ", 5) ||
	       !strncmp(s, "DROP", 4) || !strncmp(s, "TRUNCATE", 8);
}

/* Find the name of the last change: those that it has kept have it in
 * common. */
static void find_change(const struct world *w, char *name, size_t size)
{
	struct manifest_snapshot *list;
	size_t count;
	const char *end;

	ck_assert_int_eq(snapshot_list(w->store, &list, &count), 0);
	ck_assert_uint_gt(count, 0);
	end = strrchr(list[count - 1].name, '-');
	ck_assert_ptr_nonnull(end);
	snprintf(name, size, "%.*s", (int)(end - list[count - 1].name),
		 list[count - 1].name);
	mem_free(list);
}

/* True if it was a step on snapshots. These are durable at once. */
static bool snapshot_step(struct world *w, const char *s)
{
	struct snapshot_part part = { .name = strchr(s, ' ') };
	struct buf why = BUF_INIT;
	char change[64];
	int err;

	if (strncmp(s, "snapshot ", 9) && strncmp(s, "unsnapshot ", 11) &&
	    strncmp(s, "restore ", 8) && strcmp(s, "undo"))
		return false;
	if (part.name) {
		part.name++;
	} else {
		find_change(w, change, sizeof(change));
		part.name = change;
	}
	/* Dropping a snapshot makes nothing else durable. */
	ck_assert_int_eq(store_sync(w->store), 0);
	w->now.begun++;
	err = s[0] == 's' ? snapshot_create(w->store, part.name, w->uid) :
	      s[0] == 'u' && s[2] == 's' ? snapshot_drop(w->store, part.name) :
			    snapshot_restore(w->store, &part, w->uid, &why);
	if (err)
		ck_abort_msg("%s: %d %s", s, err, buf_cstr(&why));
	buf_release(&why);
	w->now.acknowledged = w->now.synced = w->now.begun;
	return true;
}

/* True if it was a step on owners. */
static bool owner_step(struct world *w, const char *s)
{
	unsigned n;
	bool any;

	if (sscanf(s, "as %u", &n) == 1) {
		w->uid = n;
		cql_session_owner(w->session, w->uid, 0, 0755);
		return true;
	}
	if (sscanf(s, "bound %u", &n) != 1)
		return false;
	ck_assert_int_eq(store_sync(w->store), 0);
	w->now.synced = w->now.acknowledged;
	ck_assert_int_eq(lsm_snapshot_give_up(w->store->lsm, n, &any), 0);
	ck_assert(any);
	return true;
}

static int edit_name(void *context, const struct schema *now,
		     struct schema **next)
{
	char from[8], to[8];
	struct buf why = BUF_INIT;
	const char *s = context;
	int err;

	*next = schema_copy(now);
	if (sscanf(s, "move %7s %7s", from, to) == 2)
		err = schema_move_table(*next, schema_table(now, bytes_str("k"),
							    bytes_str(from)),
					bytes_str("k"), bytes_str(to), &why);
	else if (sscanf(s, "rename %7s %7s", from, to) == 2)
		err = schema_move_keyspace(*next, bytes_str(from),
					   bytes_str(to));
	else
		err = -EINVAL;
	buf_release(&why);
	return err;
}

/* True if it was a new name for something: a change of the schema. */
static bool name_step(struct world *w, const char *s)
{
	if (strncmp(s, "move ", 5) && strncmp(s, "rename ", 7))
		return false;
	w->now.begun++;
	ck_assert_int_eq(store_edit_schema(w->store, edit_name, (void *)s, 0), 0);
	w->now.acknowledged = w->now.synced = w->now.begun;
	return true;
}

static void statement(struct world *w, const char *s)
{
	bool edits = !strncmp(s, "edit ", 5);
	struct buf out = BUF_INIT;

	if (snapshot_step(w, s) || name_step(w, s) || owner_step(w, s))
		return;
	w->now.begun++;
	cql_session_define(w->session, edits ? "k" : NULL,
			   edits ? CQL_CHANGES : CQL_REFUSES);
	if (answer_to(w->session, s + (edits ? 5 : 0), &out))
		ck_abort_msg("%s: %s", s, buf_cstr(&out));
	cql_session_define(w->session, NULL, CQL_REFUSES);
	buf_release(&out);
	w->now.acknowledged = w->now.begun;
	if (is_schema_change(s))
		w->now.synced = w->now.begun;
}

static void step(struct world *w, const char *s, bool watched)
{
	tick(w, 1000);
	if (!strcmp(s, "sync") || !strcmp(s, "later")) {
		ck_assert_int_eq(store_sync(w->store), 0);
		w->now.synced = w->now.acknowledged;
	} else if (!strcmp(s, "flush")) {
		ck_assert_int_eq(store_flush(w->store, NULL), 0);
	} else if (!strcmp(s, "compact")) {
		ck_assert_int_eq(store_compact(w->store, NULL), 0);
	} else if (!strcmp(s, "provisional")) {
		ck_assert_int_eq(store_edit_schema(w->store, make_provisional,
						   NULL, 0), 0);
		w->now.synced = w->now.acknowledged;
	} else if (!strcmp(s, "reopen")) {
		close_world(w);
		open_world(w);
	} else if (!strcmp(s, "kill")) {
		die(w, watched);
	} else {
		statement(w, s);
	}
	if (!strcmp(s, "later")) {
		/* After cells have expired it is another moment. */
		tick(w, 100 * 1000000);
		w->now.acknowledged = w->now.synced = ++w->now.begun;
	}
}

/* Take the digest of the moment and, of its snapshots, how many there are; is_new:
 * it was not taken yet. */
static void note_moment(struct world *w, bool is_new)
{
	uint32_t moment = w->now.begun;
	size_t now[OWNERS], i;

	w->sums[moment] = sum_of(w->store, now);
	for (i = 0; i < OWNERS; i++) {
		if (is_new || now[i] < w->least[moment][i])
			w->least[moment][i] = now[i];
		if (is_new || now[i] > w->most[moment][i])
			w->most[moment][i] = now[i];
	}
}

/* Run a workload. If not watched, the digests of the moments are taken, and no
 * crash is tried. */
static void run(struct world *w, const struct workload *load, bool watched)
{
	uint32_t moment = 0;
	size_t i;

	w->clock_us = (int64_t)1000000 * 1000000;
	clock_set_us(w->clock_us);
	w->uid = 0;
	crash_watch(&w->crash, watched);
	open_world(w);
	note_moment(w, true);
	for (i = 0; i < ARRAY_SIZE(load->steps) && load->steps[i]; i++) {
		step(w, load->steps[i], watched);
		if (watched)
			continue;
		note_moment(w, w->now.begun > moment);
		/* Otherwise a lost statement would not be seen. */
		if (w->now.begun > moment)
			ck_assert_uint_ne(w->sums[w->now.begun], w->sums[moment]);
		moment = w->now.begun;
	}
	close_world(w);
	crash_watch(&w->crash, false);
}

/* ------------------------------------------------------------------ check */
static uint64_t expectation(const struct crash *c)
{
	return XXH3_64bits(&((const struct world *)c)->now,
			   sizeof(struct expected));
}

/* Each owner has those of the moment. Some of the interrupted statement may be
 * there already, and some that a "bound" gives up are there still. */
static void check_automatic(struct world *w, uint32_t moment,
			    const size_t automatic[OWNERS])
{
	size_t i;

	for (i = 0; i < OWNERS; i++) {
		crash_assert(&w->crash, automatic[i] >= w->least[moment][i]);
		crash_assert(&w->crash, automatic[i] <= w->most[moment][i] ||
				automatic[i] <= w->most[moment + 1][i]);
	}
}

/* Find the latest moment at which the store can be; from now on it is
 * durable. */
static void check_moment(struct world *w, struct store *s)
{
	uint32_t first = w->crash.cut ? w->now.synced : w->now.acknowledged;
	uint32_t moment = w->now.begun;
	size_t automatic[OWNERS];
	uint64_t sum = sum_of(s, automatic);

	while (moment > first && w->sums[moment] != sum)
		moment--;
	crash_assert(&w->crash, w->sums[moment] == sum);
	check_automatic(w, moment, automatic);
	w->now.begun = w->now.acknowledged = moment;
	w->now.created = true;
	/* After a power cut everything that is there is durable. */
	if (w->crash.cut)
		w->now.synced = moment;
}

/* Write to the recovered store, without a change of the compared answers. */
static void go_on(struct world *w, struct store *s)
{
	crash_assert(&w->crash, !store_flush(s, NULL));
	crash_assert(&w->crash, !store_compact(s, NULL));
	crash_assert(&w->crash, !store_sync(s));
	w->now.synced = w->now.acknowledged;
}

static void check(struct crash *c, struct sim *disk)
{
	struct world *w = (struct world *)c;
	struct expected before = w->now;
	struct store *s;

	crash_assert(c, !test_store_open_on(&s, sim_files(disk),
					    !w->now.created));
	check_moment(w, s);
	if (random_below(&c->rng, 8) == 0)
		crash_assert(c, !store_verify(s, NULL, NULL));
	if (random_below(&c->rng, 4) == 0)
		go_on(w, s);
	crash_assert(c, !store_close(s));
	crash_assert(c, !sim_open_count(disk));
	/* After a clean close nothing is lost any more. */
	w->now.synced = w->now.acknowledged;
	if (random_below(&c->rng, 8) == 0 && c->crashes < MOST_CRASHES)
		crash_try(c, disk, 1);
	w->now = before;
}

START_TEST(statements_survive_every_crash)	/* _i: the workload */
{
	const struct workload *load = &workloads[_i];
	int rounds = test_rounds(), round, calls;
	struct world *w = calloc(1, sizeof(*w));
	long states = 0, killed_and_cut = 0;

	ck_assert_ptr_nonnull(w);
	crash_init(&w->crash, load->name, 0);
	run(w, load, false);
	crash_release(&w->crash);
	for (round = 0; round < rounds; round++) {
		w->now = (struct expected){ 0 };
		crash_init(&w->crash, load->name, test_seed() + (uint64_t)round);
		w->crash.tries = (uint32_t)test_scale((int)load->tries);
		w->crash.kills = (uint32_t)test_scale(16) + 3;
		w->crash.check = check;
		w->crash.expectation = expectation;
		run(w, load, true);
		states += w->crash.states;
		killed_and_cut += w->crash.killed_and_cut;
		crash_release(&w->crash);
	}
	calls = (int)w->crash.calls;
	free(w);
	ck_assert_int_ge(states, calls > 1 ? 1 : test_scale(load->least));
	/* With few kills the numbers depend on chance. */
	if (test_scale(100) == 100 && calls == 1)
		ck_assert_int_ge(killed_and_cut, load->least_killed);
}
END_TEST

SUITE(crash_store)
{
	TCase *tc = tcase_create("crash");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, statements_survive_every_crash, 0,
			    ARRAY_SIZE(workloads));
	suite_add_tcase(suite, tc);
}
