/*
 * Nothing comes between the read and the write of one that goes by what it
 * read, and the writes of a partition are applied in the order of their
 * timestamps, whichever way they take.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/base/file.h"
#include "store/cql/cql.h"
#include "store/table/table.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

#define PATIENCE_MS 10000	/* for what must come */
#define LOOK_MS 50		/* for what must not */

static const char schema[] =
	TEST_KEYSPACE ";"
	"CREATE TABLE k.t (p text, c text, v text, n int, s text static, "
	"l list<int>, m map<int, int>, w text, PRIMARY KEY (p, c));"
	"CREATE TABLE k.n (p text PRIMARY KEY, v text);";

/* Results are not looked at in threads: Check may not be called there. */
static int run(struct cql_session *session, const char *text)
{
	struct cql_result *result;
	int err = cql_execute(session, bytes_str(text), &result);

	if (!err)
		cql_result_free(result);
	return err;
}

static bool comes(_Atomic bool *flag, int ms)
{
	for (; !*flag && ms; ms--)
		usleep(1000);
	return *flag;
}

/* ------------------------------------------------------- one way at a time */
enum means { CQL, ECHO, APPEND, UNLINK, RMDIR, MKDIR, RENAME, SETXATTR };

/* The rows ('p', 'c') and ('p', 'e') as CSV: c, s, l, m, n, v. */
#define C(l, m, n, v) "c,," l "," m "," n "," v "\n"
#define L "\"[1, 2]\""
#define M "\"{\"\"1\"\": 1}\""
#define E "e,,,,,\n"

/*
 * While somebody reads v of ('p', row) and then writes 'read' into it, another
 * comes; both are done in the end, one after the other.
 */
static const struct way {
	enum means means;
	const char *what, *text;	/* statement; or path and text */
	const char *row;
	int err;
	const char *shown;		/* the table, then */
	const char *kept;		/* a file that has what was read */
} ways[] = {
	{ CQL, "UPDATE k.t SET v = 'new' WHERE p = 'p' AND c = 'c'", "", "c", 0,
	  C(L, M, "1", "new") E, NULL },
	{ CQL, "UPDATE k.t SET v = 'new' WHERE p = 'p' AND c = 'c' IF v = "
	  "'read'", "", "c", 0, C(L, M, "1", "new") E, NULL },
	{ CQL, "UPDATE k.t SET v = 'new' WHERE p = 'p' AND c = 'c' IF v = "
	  "'old'", "", "c", 0, C(L, M, "1", "read") E, NULL },
	{ CQL, "INSERT INTO k.t (p, c, v) VALUES ('p', 'c', 'new')", "", "c", 0,
	  C(L, M, "1", "new") E, NULL },
	{ CQL, "INSERT INTO k.t JSON '{\"p\": \"p\", \"c\": \"c\", \"v\": "
	  "\"new\"}' DEFAULT UNSET", "", "c", 0, C(L, M, "1", "new") E, NULL },
	{ CQL, "UPDATE k.t USING TIMESTAMP 1 SET v = 'new' WHERE p = 'p' AND "
	  "c = 'c'", "", "c", 0, C(L, M, "1", "read") E, NULL },
	{ CQL, "UPDATE k.t USING TIMESTAMP 9000000000000000 SET v = 'new' "
	  "WHERE p = 'p' AND c = 'c'", "", "c", 0, C(L, M, "1", "new") E, NULL },
	{ CQL, "DELETE v FROM k.t WHERE p = 'p' AND c = 'c'", "", "c", 0,
	  C(L, M, "1", "") E, NULL },
	{ CQL, "DELETE FROM k.t WHERE p = 'p' AND c = 'c'", "", "c", 0, E, NULL },
	{ CQL, "DELETE FROM k.t WHERE p = 'p' AND c < 'd'", "", "c", 0, E, NULL },
	{ CQL, "DELETE FROM k.t WHERE p = 'p'", "", "c", 0, "", NULL },
	{ CQL, "DELETE FROM k.t WHERE p IN ('o', 'p', 'q')", "", "c", 0, "",
	  NULL },
	{ CQL, "BEGIN BATCH DELETE FROM k.t WHERE p = 'q'; DELETE FROM k.t "
	  "WHERE p = 'p'; APPLY BATCH", "", "c", 0, "", NULL },
	{ CQL, "BEGIN UNLOGGED BATCH DELETE FROM k.n WHERE p = 'p'; DELETE "
	  "FROM k.t WHERE p = 'p'; APPLY BATCH", "", "c", 0, "", NULL },
	{ CQL, "TRUNCATE k.t", "", "c", 0, "", NULL },
	{ CQL, "UPDATE k.t SET s = 'new' WHERE p = 'p'", "", "c", 0,
	  "c,new," L "," M ",1,read\ne,new,,,,\n", NULL },
	{ CQL, "UPDATE k.t SET l[0] = 7 WHERE p = 'p' AND c = 'c'", "", "c",
	  0, C("\"[7, 2]\"", M, "1", "read") E, NULL },
	{ ECHO, "k/t/p/c/v", "new\n", "c", 0, C(L, M, "1", "new") E, NULL },
	{ UNLINK, "k/t/p/c/v", "", "c", 0, C(L, M, "1", "") E, NULL },
	{ ECHO, "k/t/p/c/m/1", "7\n", "c", 0,
	  C(L, "\"{\"\"1\"\": 7}\"", "1", "read") E, NULL },
	{ UNLINK, "k/t/p/c/m/1", "", "c", 0, C(L, "", "1", "read") E, NULL },
	{ ECHO, "k/t/p/c/l/@append", "3\n", "c", 0,
	  C("\"[1, 2, 3]\"", M, "1", "read") E, NULL },
	{ ECHO, "k/t/p/c/l/@1", "7\n", "c", 0,
	  C("\"[1, 7]\"", M, "1", "read") E, NULL },
	{ ECHO, "k/t/p/c/l.json", "[7]\n", "c", 0,
	  C("[7]", M, "1", "read") E, NULL },
	{ ECHO, "k/t/p/c.json", "{\"n\": 7}\n", "c", 0, C("", "", "7", "") E,
	  NULL },
	{ APPEND, "k/t/p/c.json", "{\"n\": 7}\n", "c", 0,
	  C(L, M, "7", "read") E, NULL },
	{ UNLINK, "k/t/p/c.json", "", "c", 0, E, NULL },
	{ RENAME, "k/t/p/c", "k/t/p/d", "c", 0, "d,," L "," M ",1,read\n" E,
	  NULL },
	{ RENAME, "k/t/p/c/v", "k/t/p/c/w", "c", 0, "c,," L "," M ",1,\n" E,
	  "k/t/p/c/w" },
	{ RENAME, "k/t/p/c/v", "k/t/p/c/.v.swp", "c", 0,
	  C(L, M, "1", "") E, "k/t/p/c/.v.swp" },
	{ MKDIR, "k/t/p/f", "", "c", 0, C(L, M, "1", "read") E "f,,,,,\n", NULL },
	{ RMDIR, "k/t/p/e", "", "e", -ENOTEMPTY,
	  C(L, M, "1", "old") "e,,,,,read\n", NULL },
	{ SETXATTR, "k/t/p/c/v", "3600", "c", 0, C(L, M, "1", "read") E, NULL },
};

static struct tree tree;

struct comer {
	const struct way *way;
	_Atomic bool done;
	int err;
};

static void *come(void *context)
{
	struct comer *me = context;
	const struct way *way = me->way;

	switch (way->means) {
	case CQL:
		tree_cql(&tree, ".cql", way->what, &me->err);
		break;
	case ECHO:
		me->err = tree_echo(&tree, way->what,
				    O_WRONLY | O_CREAT | O_TRUNC, way->text);
		break;
	case APPEND:
		me->err = tree_echo(&tree, way->what, O_WRONLY | O_APPEND,
				    way->text);
		break;
	case UNLINK:
		me->err = tree_unlink(&tree, way->what);
		break;
	case RMDIR:
		me->err = tree_rmdir(&tree, way->what);
		break;
	case MKDIR:
		me->err = tree_mkdir(&tree, way->what);
		break;
	case RENAME:
		me->err = tree_rename(&tree, way->what, way->text, 0);
		break;
	case SETXATTR:
		me->err = tree_setxattr(&tree, way->what, "user.ttl",
					way->text);
		break;
	}
	me->done = true;
	return NULL;
}

static void open_shop(void)
{
	int err;

	tree_open(&tree);
	tree_cql(&tree, ".cql", schema, &err);
	ck_assert_int_eq(err, 0);
	tree_cql(&tree, ".cql",
		 "INSERT INTO k.t (p, c, v, n, l, m) VALUES ('p', 'c', 'old', "
		 "1, [1, 2], {1: 1}); INSERT INTO k.t (p, c) VALUES "
		 "('p', 'e');", &err);
	ck_assert_int_eq(err, 0);
}

START_TEST(no_write_comes_between_read_and_write)
{
	struct comer comer = { .way = &ways[_i] };
	struct arena arena = ARENA_INIT;
	struct bytes key = bytes_str("p"), row = bytes_str(ways[_i].row);
	const struct column *v;
	struct cell_view cell;
	struct partition_ref ref;
	struct table *t;
	pthread_t thread;
	struct write w;
	int err;

	open_shop();
	t = test_table(tree.store.store, "k", "t");
	v = &t->columns[table_column(t, bytes_str("v"))];
	ref = (struct partition_ref){ t, key };
	write_init(&w, tree.store.store);
	write_lock(&w, &ref, 1);
	err = table_read_cell(tree.store.store, t, key, &row, v, BYTES_NULL, 0,
			      &arena, &cell);
	ck_assert_int_eq(err, !strcmp(ways[_i].row, "c"));
	ck_assert_int_eq(pthread_create(&thread, NULL, come, &comer), 0);
	ck_assert_msg(!comes(&comer.done, LOOK_MS), "%s came between",
		      ways[_i].what);
	write_row(&w, t, key, &row);
	write_cell(&w, v, BYTES_NULL, bytes_str("read"),
		   store_timestamp(tree.store.store), 0);
	ck_assert_int_eq(commit_write(&w), 0);
	pthread_join(thread, NULL);
	ck_assert_msg(comer.err == ways[_i].err, "%s: %d", ways[_i].what,
		      comer.err);
	tree_cql(&tree, ".cql.csv", "SELECT c, s, l, m, n, v FROM k.t", &err);
	ck_assert_int_eq(err, 0);
	ck_assert_str_eq(strchr(buf_cstr(&tree.text), '\n') + 1,
			 ways[_i].shown);
	if (ways[_i].kept)
		tree_cat_is(&tree, ways[_i].kept, "read\n");
	write_release(&w);
	arena_release(&arena);
	table_put(t);
	tree_close(&tree);
}
END_TEST

/* Writes of other partitions, and readers, do not wait. */
START_TEST(writes_of_other_partitions_do_not_wait)
{
	struct way way = { CQL, "SELECT * FROM k.t WHERE p = 'p'; INSERT INTO "
			   "k.t (p, c) VALUES ('other', 'c')", "", "c", 0, "",
			   NULL };
	struct comer comer = { .way = &way };
	struct partition_ref ref;
	struct table *t;
	pthread_t thread;
	struct write w;

	open_shop();
	t = test_table(tree.store.store, "k", "t");
	ref = (struct partition_ref){ t, bytes_str("p") };
	write_init(&w, tree.store.store);
	write_lock(&w, &ref, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, come, &comer), 0);
	ck_assert(comes(&comer.done, PATIENCE_MS));
	pthread_join(thread, NULL);
	ck_assert_int_eq(comer.err, 0);
	write_release(&w);
	table_put(t);
	tree_close(&tree);
}
END_TEST

/* ------------------------------------------------------------ lost names */
struct opener {
	uint64_t node;
	struct fs_open_reply reply;
	_Atomic bool done;
	int err;
};

static void *open_to_write(void *context)
{
	struct opener *me = context;
	struct fs_call call = { .umask = 022 };

	me->err = fs_open_file(tree.fs, &call, me->node, O_WRONLY | O_TRUNC,
			       &me->reply);
	me->done = true;
	return NULL;
}

/*
 * The kernel has the name of a file until the call that takes it from the file
 * has returned. A call that opens it then, by that name, would write into
 * nothing: it is told to look again. Removed (_i 0), or renamed over.
 */
START_TEST(an_open_waits_until_the_name_is_gone)
{
	static const struct way leaves[] = {
		{ UNLINK, "k/t/p/c/v", "", "c", 0, "", NULL },
		{ RENAME, "k/t/p/c/.v.swp", "k/t/p/c/v", "c", 0, "", NULL },
	};
	struct comer comer = { .way = &leaves[_i] };
	struct opener opener = { .err = 0 };
	struct fs_entry entry;
	struct partition_ref ref;
	pthread_t threads[2];
	struct table *t;
	struct write w;

	open_shop();
	ck_assert_int_eq(tree_echo(&tree, "k/t/p/c/.v.swp",
				   O_WRONLY | O_CREAT | O_TRUNC, "swp\n"), 0);
	ck_assert_int_eq(tree_walk(&tree, "k/t/p/c/v", &entry), 0);
	opener.node = entry.node;
	t = test_table(tree.store.store, "k", "t");
	ref = (struct partition_ref){ t, bytes_str("p") };
	write_init(&w, tree.store.store);
	write_lock(&w, &ref, 1);
	ck_assert_int_eq(pthread_create(&threads[0], NULL, come, &comer), 0);
	ck_assert(!comes(&comer.done, LOOK_MS));
	ck_assert_int_eq(pthread_create(&threads[1], NULL, open_to_write,
					&opener), 0);
	ck_assert_msg(!comes(&opener.done, LOOK_MS), "it was opened");
	write_unlock(&w);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ck_assert_int_eq(comer.err, 0);
	ck_assert_int_eq(opener.err, -ESTALE);
	ck_assert_int_eq(tree_echo(&tree, "k/t/p/c/v",
				   O_WRONLY | O_CREAT | O_TRUNC, "new\n"), 0);
	tree_cat_is(&tree, "k/t/p/c/v", "new\n");
	write_release(&w);
	fs_forget(tree.fs, entry.node, 1);
	table_put(t);
	tree_close(&tree);
}
END_TEST

/* ------------------------------------------------------------- many at once */
struct closer {
	struct open_file *file;
	_Atomic bool done;
	int err;
};

static void *close_it(void *context)
{
	struct closer *me = context;
	struct fs_call call = { .umask = 022 };

	me->err = fs_flush(tree.fs, &call, me->file->node, me->file->handle);
	me->done = true;
	return NULL;
}

/*
 * A pending value is committed while its file is moved, removed or replaced: it
 * is at the new name alone, or nowhere.
 */
START_TEST(a_commit_goes_where_its_file_went)
{
	static const struct {
		struct way way;
		const char *v, *w;	/* shown then; NULL: not there */
	} moves[] = {
		{ { RENAME, "k/t/p/c/v", "k/t/p/c/w", "c", 0, "", NULL },
		  NULL, "new\n" },
		{ { RENAME, "k/t/p/c/v", "k/t/p/c/.v.swp", "c", 0, "", NULL },
		  NULL, NULL },
		{ { UNLINK, "k/t/p/c/v", "", "c", 0, "", NULL }, NULL, NULL },
		{ { RENAME, "k/t/p/c/.w.swp", "k/t/p/c/v", "c", 0, "", NULL },
		  "swp\n", NULL },
	};
	struct comer comer = { .way = &moves[_i].way };
	struct closer closer = { .err = 0 };
	struct partition_ref ref;
	struct open_file file;
	pthread_t threads[2];
	struct table *t;
	struct write w;

	open_shop();
	ck_assert_int_eq(tree_echo(&tree, "k/t/p/c/.w.swp",
				   O_WRONLY | O_CREAT | O_TRUNC, "swp\n"), 0);
	ck_assert_int_eq(tree_open_file(&tree, "k/t/p/c/v", O_WRONLY | O_TRUNC,
					&file), 0);
	ck_assert_int_eq(fs_write(tree.fs, &tree.call, file.node, file.handle,
				  0, bytes_str("new\n")), 4);
	closer.file = &file;
	t = test_table(tree.store.store, "k", "t");
	ref = (struct partition_ref){ t, bytes_str("p") };
	write_init(&w, tree.store.store);
	write_lock(&w, &ref, 1);
	ck_assert_int_eq(pthread_create(&threads[0], NULL, come, &comer), 0);
	ck_assert(!comes(&comer.done, LOOK_MS));
	ck_assert_int_eq(pthread_create(&threads[1], NULL, close_it, &closer),
			 0);
	ck_assert(!comes(&closer.done, LOOK_MS));
	write_unlock(&w);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ck_assert_int_eq(comer.err, 0);
	ck_assert_int_eq(closer.err, 0);
	ck_assert_int_eq(tree_release(&tree, &file), 0);
	if (moves[_i].v)
		tree_cat_is(&tree, "k/t/p/c/v", moves[_i].v);
	else
		tree_is_gone(&tree, "k/t/p/c/v");
	if (moves[_i].w)
		tree_cat_is(&tree, "k/t/p/c/w", moves[_i].w);
	else
		tree_is_gone(&tree, "k/t/p/c/w");
	if (_i == 1)
		tree_cat_is(&tree, "k/t/p/c/.v.swp", "new\n");
	write_release(&w);
	table_put(t);
	tree_close(&tree);
}
END_TEST

#define CHANGES 2000

struct crowd {
	struct store *store;
	_Atomic bool stop;
	_Atomic int failed, begun;
};

static struct cql_session *session_of(struct crowd *crowd)
{
	struct cql_session *session = NULL;

	if (cql_session_new(&session, crowd->store))
		crowd->failed = -ENOMEM;
	return session;
}

/* The first both cells, with much else that takes a while to be built; the
 * others one of them. */
static void *write_cells(void *context)
{
	struct crowd *crowd = context;
	struct cql_session *session = session_of(crowd);
	int me = crowd->begun++;
	struct buf text = BUF_INIT;

	for (int i = 0; !crowd->stop && !crowd->failed; i++) {
		buf_clear(&text);
		if (me)
			buf_add_format(&text, "UPDATE k.t SET v = '%d' WHERE "
				       "p = 'p' AND c = 'c'", i);
		else
			buf_add_format(&text, "BEGIN BATCH UPDATE k.t SET v = "
				       "'%d', n = %d WHERE p = 'p' AND c = 'c'",
				       -i, i);
		for (int n = 0; !me && n < 300; n++)
			buf_add_format(&text, "; UPDATE k.t SET v = '%d' WHERE "
				       "p = 'p' AND c = 'd%d'", i, n);
		buf_add_str(&text, me ? "" : "; APPLY BATCH");
		if (run(session, buf_cstr(&text)))
			crowd->failed = -EINVAL;
	}
	buf_release(&text);
	cql_session_free(session);
	return NULL;
}

/* A cell that changed since the last look is later than all that it showed. */
START_TEST(writes_are_seen_in_the_order_of_their_times)
{
	struct test_store store;
	struct crowd crowd = { .stop = false };
	struct bytes key = bytes_str("p"), row = bytes_str("c");
	struct arena arena = ARENA_INIT;
	int64_t seen[2] = { 0, 0 }, newest = 0;
	struct cql_session *session;
	struct row_view view;
	pthread_t threads[2];
	struct table *t;
	int changes = 0;
	size_t i;

	test_store_open(&store);
	crowd.store = store.store;
	session = session_of(&crowd);
	ck_assert_int_eq(run(session, TEST_KEYSPACE), 0);
	ck_assert_int_eq(run(session, "CREATE TABLE k.t (p text, c text, n "
			     "int, v text, PRIMARY KEY (p, c))"), 0);
	t = test_table(store.store, "k", "t");
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, write_cells,
						&crowd), 0);
	while (changes < test_scale(CHANGES) && !crowd.failed) {
		int64_t before = newest;
		int got = table_read(store.store, t, key, &row, UINT64_MAX, 0,
				     &arena, &view);

		ck_assert_int_ge(got, 0);
		for (i = 0; got && i < view.cell_count; i++) {
			int64_t at = view.cells[i].timestamp_us;
			int64_t *last = &seen[view.cells[i].column->name[0] ==
					      'v'];

			ck_assert_msg(at == *last || at > before,
				      "after %d changes %s is of %lld, and "
				      "%lld was seen", changes,
				      view.cells[i].column->name,
				      (long long)at, (long long)before);
			changes += at != *last;
			*last = at;
			newest = at > newest ? at : newest;
		}
		arena_clear(&arena);
	}
	crowd.stop = true;
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(crowd.failed, 0);
	cql_session_free(session);
	arena_release(&arena);
	table_put(t);
	test_store_close(&store);
}
END_TEST

#define PARTITIONS 40
#define ROUNDS 300

/* Counts in several partitions at once, in any order of them. */
static void *count_up(void *context)
{
	struct crowd *crowd = context;
	struct cql_session *session = session_of(crowd);
	unsigned random = (unsigned)++crowd->begun;
	struct buf text = BUF_INIT;

	for (int i = 0; i < test_scale(ROUNDS) && !crowd->failed; i++) {
		buf_clear(&text);
		buf_add_str(&text, "BEGIN COUNTER BATCH ");
		for (int n = 0; n < 6; n++)
			buf_add_format(&text, "UPDATE k.n SET x = x + 1 WHERE "
				       "p = '%d'; ",
				       rand_r(&random) % PARTITIONS);
		buf_add_str(&text, "APPLY BATCH");
		if (run(session, buf_cstr(&text)))
			crowd->failed = -EINVAL;
	}
	buf_release(&text);
	cql_session_free(session);
	return NULL;
}

static void *truncate_other(void *context)
{
	struct crowd *crowd = context;
	struct cql_session *session = session_of(crowd);

	while (!crowd->stop && !crowd->failed) {
		if (run(session, "TRUNCATE k.t") ||
		    run(session, "INSERT INTO k.t (p, c) VALUES ('p', 'c')"))
			crowd->failed = -EINVAL;
	}
	cql_session_free(session);
	return NULL;
}

/* Nobody waits for ever, and every increment counts. */
START_TEST(batches_of_many_partitions)
{
	struct crowd crowd = { .stop = false };
	struct arena arena = ARENA_INIT;
	struct row_view view;
	pthread_t threads[3], other;
	struct bytes none = BYTES_EMPTY;
	struct table *t;
	int64_t sum = 0;
	char key[12];
	int err;

	tree_open(&tree);
	tree_cql(&tree, ".cql",
		 TEST_KEYSPACE ";"
		 "CREATE TABLE k.t (p text, c text, PRIMARY KEY (p, c));"
		 "CREATE TABLE k.n (p text PRIMARY KEY, x counter);", &err);
	ck_assert_int_eq(err, 0);
	crowd.store = tree.store.store;
	t = test_table(crowd.store, "k", "n");
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, count_up,
						&crowd), 0);
	ck_assert_int_eq(pthread_create(&other, NULL, truncate_other, &crowd),
			 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	crowd.stop = true;
	pthread_join(other, NULL);
	ck_assert_int_eq(crowd.failed, 0);
	for (int i = 0; i < PARTITIONS; i++) {
		snprintf(key, sizeof(key), "%d", i);
		if (table_read(crowd.store, t, bytes_str(key), &none,
			       UINT64_MAX, 0, &arena, &view) > 0)
			sum += (int64_t)get_be64(view.cells[0].value.ptr);
	}
	ck_assert_int_eq(sum, (int64_t)ARRAY_SIZE(threads) * 6 *
				      test_scale(ROUNDS));
	arena_release(&arena);
	table_put(t);
	tree_close(&tree);
}
END_TEST

/* -------------------------------------------------------------- slow disks */
static _Atomic bool slow, syncs, go_on;

static int wait_to_sync(void)
{
	if (slow) {
		syncs = true;
		comes(&go_on, PATIENCE_MS);
	}
	return 0;
}

static int slow_datasync(void *context, int fd)
{
	wait_to_sync();
	return file_system.datasync(context, fd);
}

static int slow_map_sync(void *context, int fd, void *address, size_t len)
{
	wait_to_sync();
	return file_system.map_sync(context, fd, address, len);
}

struct statement {
	struct store *store;
	const char *text;
	_Atomic bool done;
	int err;
};

static void *execute(void *context)
{
	struct statement *s = context;
	struct cql_session *session;

	s->err = cql_session_new(&session, s->store);
	if (!s->err) {
		s->err = run(session, s->text);
		cql_session_free(session);
	}
	s->done = true;
	return NULL;
}

/* _i 0: a conditional statement is synced; 1: every one is. */
START_TEST(nothing_is_locked_during_a_sync)
{
	struct file_ops files = file_system;
	struct store_options options;
	struct test_store store;
	struct bytes key = bytes_str("p"), row = bytes_str("c");
	struct statement first = {
		.text = _i ? "UPDATE k.t SET v = '1' WHERE p = 'p' AND c = 'c'" :
			     "INSERT INTO k.t (p, c, v) VALUES ('p', 'c', '1') "
			     "IF NOT EXISTS",
	};
	struct statement second = {
		.text = "UPDATE k.t SET v = '2' WHERE p = 'p' AND c = 'c'",
	};
	struct arena arena = ARENA_INIT;
	struct cell_view cell;
	pthread_t threads[2];
	struct cql_session *session;
	struct table *t;
	bool seen = false;
	int ms;

	files.datasync = slow_datasync;
	files.map_sync = slow_map_sync;
	store_options_init(&options);
	options.files = &files;
	options.no_threads = true;
	options.commit_s = _i ? 0 : 1000;
	slow = syncs = go_on = false;
	test_store_open_with(&store, &options);
	first.store = second.store = store.store;
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ck_assert_int_eq(run(session, TEST_KEYSPACE), 0);
	ck_assert_int_eq(run(session, "CREATE TABLE k.t (p text, c text, v "
			     "text, PRIMARY KEY (p, c))"), 0);
	ck_assert_int_eq(run(session, "INSERT INTO k.t (p, c, v) VALUES ('p', "
			     "'d', '0')"), 0);	/* the clock's lease too */
	cql_session_free(session);
	t = test_table(store.store, "k", "t");
	slow = true;
	pthread_create(&threads[0], NULL, execute, &first);
	ck_assert(comes(&syncs, PATIENCE_MS));
	pthread_create(&threads[1], NULL, execute, &second);
	for (ms = 0; !seen && ms < PATIENCE_MS; ms++) {
		ck_assert_int_eq(table_read_cell(store.store, t, key, &row,
						 &t->columns[2], BYTES_NULL, 0,
						 &arena, &cell), 1);
		seen = bytes_equal(cell.value, bytes_str("2"));
		ck_assert(!first.done);
		arena_clear(&arena);
		usleep(1000);
	}
	ck_assert(seen);
	go_on = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ck_assert_int_eq(first.err, 0);
	ck_assert_int_eq(second.err, 0);
	slow = false;
	arena_release(&arena);
	table_put(t);
	test_store_close(&store);
}
END_TEST

SUITE_THREADS(write_lock)
{
	TCase *tc = tcase_create("write_lock");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, no_write_comes_between_read_and_write, 0,
			    (int)ARRAY_SIZE(ways));
	tcase_add_test(tc, writes_of_other_partitions_do_not_wait);
	tcase_add_loop_test(tc, an_open_waits_until_the_name_is_gone, 0, 2);
	tcase_add_loop_test(tc, a_commit_goes_where_its_file_went, 0, 4);
	tcase_add_test(tc, writes_are_seen_in_the_order_of_their_times);
	tcase_add_test(tc, batches_of_many_partitions);
	tcase_add_loop_test(tc, nothing_is_locked_during_a_sync, 0, 2);
	suite_add_tcase(suite, tc);
}
