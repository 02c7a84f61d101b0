/*
 * Salvage: from a store with one flipped bit, or one truncated or removed file,
 * a new store is made. It is sound, and has no row that never existed; if the
 * salvage reports no loss, all answers are the same. Offsets follow from the
 * seed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/log.h"
#include "store/salvage.h"
#include "tests/lib/answers.h"
#include "tests/lib/random.h"
#include "tests/lib/scratch.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static const char *const statements[] = {
	TEST_KEYSPACE,
	"CREATE TABLE k.t (p int, c int, v text, s text static, "
	"m map<text, int>, PRIMARY KEY (p, c))",
	"rows",
	"flush",
	"DELETE FROM k.t WHERE p = 1 AND c > 20 AND c < 80",
	"DELETE FROM k.t WHERE p = 2",
	"INSERT INTO k.t (p, c, s, m) VALUES (2, 3, 'static', {'a': 1})",
	"flush",
	"rows again",
	"UPDATE k.t USING TTL 100000 SET v = 'late' WHERE p = 0 AND c = 1",
	NULL
};
static const char *const queries[] = {
	"SELECT p, c, v, s, m FROM k.t", NULL
};

static void insert_rows(struct cql_session *session, struct random *rng,
			int from, int to)
{
	char text[160];
	int i;

	for (i = from; i < to; i++) {
		snprintf(text, sizeof(text), "INSERT INTO k.t (p, c, v) VALUES "
			 "(%d, %d, '%016llx%016llx')", i % 3, i,
			 (unsigned long long)random_next(rng),
			 (unsigned long long)random_next(rng));
		ck_assert_int_eq(answer_to(session, text, NULL), 0);
	}
}

static void fill(struct test_store *t, uint64_t seed)
{
	struct random rng = random_seeded(seed);
	struct cql_session *session;
	size_t i;

	test_store_open(t);
	ck_assert_int_eq(cql_session_new(&session, t->store), 0);
	for (i = 0; statements[i]; i++) {
		if (!strcmp(statements[i], "flush"))
			ck_assert_int_eq(store_flush(t->store, NULL), 0);
		else if (!strncmp(statements[i], "rows", 4))
			insert_rows(session, &rng, statements[i][4] ? 600 : 0,
				    statements[i][4] ? 700 : 600);
		else
			ck_assert_int_eq(answer_to(session, statements[i],
						   NULL), 0);
	}
	cql_session_free(session);
	ck_assert_int_eq(store_close(t->store), 0);
	t->store = NULL;
}

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static void pass_by(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	ck_assert_uint_le(done, total);
}

/* Salvage the store at path; answers: those of the new one. Returns the number
 * of losses. */
static uint64_t salvage(const char *path, struct buf *answers)
{
	const struct salvage_told told = { ignore, ignore, pass_by, NULL };
	const struct salvage_options look = { .dry = true }, all = { 0 };
	struct salvage_counts counts, dry;
	struct store_options options;
	struct store *store;
	struct stat st;
	char new[128];

	test_path(new);
	ck_assert_int_eq(store_salvage(path, new, &look, &told, &dry), 0);
	ck_assert_int_ne(stat(new, &st), 0);
	ck_assert_int_eq(store_salvage(path, new, &all, &told, &counts), 0);
	ck_assert_uint_eq(counts.lost, dry.lost);
	ck_assert_uint_eq(counts.entries, dry.entries);
	store_options_init(&options);
	options.no_threads = true;
	ck_assert_int_eq(store_open(&store, new, &options, NULL, NULL), 0);
	ck_assert_int_eq(store_verify(store, ignore, NULL), 0);
	ck_assert_int_eq(answers_to_all(store, queries, answers), 0);
	ck_assert_int_eq(store_close(store), 0);
	remove_tree(new);
	return counts.lost;
}

/* True if each line of `some` that is a row is a line of `ever`. */
static bool are_rows_of(struct buf *some, struct buf *ever)
{
	char *line, *rest = NULL, *copy = strdup(buf_cstr(some));
	bool all = true;

	for (line = strtok_r(copy, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		if (strstr(line, "\"c\": ") && !strstr(buf_cstr(ever), line)) {
			printf("never was: %s\n", line);
			all = false;
		}
	free(copy);
	return all;
}

enum damage { FLIP, CUT, REMOVE, DAMAGES };

static void make_damage(const char *path, struct random *rng, enum damage how)
{
	char dir[160], name[512] = "";
	struct dirent *e;
	struct stat st;
	uint8_t byte;
	uint64_t n = 0;
	DIR *d;
	int fd;

	snprintf(dir, sizeof(dir), "%s/engine", path);
	d = opendir(dir);
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)))	/* each with the same chance */
		if (e->d_name[0] != '.' && !random_below(rng, ++n))
			snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
	closedir(d);
	if (how == REMOVE) {
		ck_assert_int_eq(unlink(name), 0);
		return;
	}
	ck_assert_int_eq(stat(name, &st), 0);
	if (!st.st_size)
		return;
	n = random_below(rng, (uint64_t)st.st_size);
	if (how == CUT) {
		ck_assert_int_eq(truncate(name, (off_t)n), 0);
		return;
	}
	fd = open(name, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(pread(fd, &byte, 1, (off_t)n), 1);
	byte ^= (uint8_t)(1 << random_below(rng, 8));
	ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)n), 1);
	close(fd);
}

/* Remove the engine's files whose names begin so. */
static void remove_files(const char *path, const char *begin)
{
	char dir[160], name[512];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/engine", path);
	d = opendir(dir);
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
		if (!strncmp(e->d_name, begin, strlen(begin)))
			ck_assert_int_eq(unlink(name), 0);
	}
	closedir(d);
}

/* Each sstable names its table. */
START_TEST(a_store_without_a_manifest_comes_back_whole)
{
	struct buf was = BUF_INIT, is = BUF_INIT;
	struct test_store t;

	fill(&t, test_seed());
	ck_assert_uint_eq(salvage(t.path, &was), 0);
	remove_files(t.path, "MANIFEST");
	ck_assert_uint_eq(salvage(t.path, &is), 1);
	ck_assert_str_eq(buf_cstr(&was), buf_cstr(&is));
	buf_clear(&is);
	remove_files(t.path, "CURRENT");
	ck_assert_uint_ge(salvage(t.path, &is), 1);
	ck_assert_str_eq(buf_cstr(&was), buf_cstr(&is));
	buf_release(&was);
	buf_release(&is);
	test_store_close(&t);
}
END_TEST

/* Salvage a copy of the store with these kinds of damage; as salvage(). */
static uint64_t salvage_damaged(const struct test_store *t, struct random *rng,
				const enum damage *how, int count,
				struct buf *is)
{
	struct test_store bad;
	uint64_t lost;
	int i;

	test_store_copy(&bad, t->path);
	for (i = 0; i < count; i++)
		make_damage(bad.path, rng, how[i]);
	buf_clear(is);
	lost = salvage(bad.path, is);
	bad.store = NULL;
	test_store_close(&bad);
	return lost;
}

/* Beside the manifest something else is damaged: no row that never was, and the
 * loss is told. */
START_TEST(damage_without_a_manifest_is_told)
{
	struct random rng = random_seeded(test_seed() + 2);
	struct buf whole = BUF_INIT, is = BUF_INIT;
	struct test_store t;
	int i, rounds = test_scale(60);

	fill(&t, test_seed());
	ck_assert_uint_eq(salvage(t.path, &whole), 0);
	remove_files(t.path, "MANIFEST");
	remove_files(t.path, "CURRENT");
	quiet(true);
	for (i = 0; i < rounds; i++) {
		enum damage how = (enum damage)(i % REMOVE);

		if (salvage_damaged(&t, &rng, &how, 1, &is) <= 2)
			ck_assert_msg(!strcmp(buf_cstr(&is), buf_cstr(&whole)),
				      "round %d: a loss that was not told", i);
	}
	quiet(false);
	buf_release(&whole);
	buf_release(&is);
	test_store_close(&t);
}
END_TEST

START_TEST(a_sound_store_comes_back_whole)
{
	struct buf was = BUF_INIT, is = BUF_INIT;
	struct test_store t;

	fill(&t, test_seed());
	ck_assert_int_eq(store_open(&t.store, t.path, &t.options, NULL, NULL),
			 0);
	ck_assert_int_eq(answers_to_all(t.store, queries, &was), 0);
	ck_assert_int_eq(store_close(t.store), 0);
	t.store = NULL;
	ck_assert_uint_eq(salvage(t.path, &is), 0);
	ck_assert_str_eq(buf_cstr(&was), buf_cstr(&is));
	buf_release(&was);
	buf_release(&is);
	test_store_close(&t);
}
END_TEST

/* Collect all rows that the store ever had: those that it has, and those from
 * before each part was removed or overwritten. */
START_TEST(damage_adds_no_row_and_no_loss_is_silent)
{
	struct random rng = random_seeded(test_seed());
	struct buf whole = BUF_INIT, is = BUF_INIT;
	struct test_store t;
	int i, rounds = test_scale(90);

	fill(&t, test_seed());
	ck_assert_uint_eq(salvage(t.path, &whole), 0);
	quiet(true);
	for (i = 0; i < rounds; i++) {
		enum damage how = (enum damage)(i % DAMAGES);

		if (!salvage_damaged(&t, &rng, &how, 1, &is))
			ck_assert_msg(!strcmp(buf_cstr(&is), buf_cstr(&whole)),
				      "round %d: a loss that was not told", i);
	}
	quiet(false);
	buf_release(&whole);
	buf_release(&is);
	test_store_close(&t);
}
END_TEST

/* Without the deletions old rows may come back: each must be one that
 * existed. */
START_TEST(blocks_that_are_sound_give_their_rows)
{
	static const enum damage two[] = { FLIP, FLIP };
	struct random rng = random_seeded(test_seed() + 1);
	struct buf whole = BUF_INIT, is = BUF_INIT;
	struct test_store t;
	struct cql_session *session;
	int i, rounds = test_scale(40);

	test_store_open(&t);
	ck_assert_int_eq(cql_session_new(&session, t.store), 0);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(answer_to(session, statements[i], NULL), 0);
	insert_rows(session, &rng, 0, 900);
	cql_session_free(session);
	ck_assert_int_eq(store_flush(t.store, NULL), 0);
	ck_assert_int_eq(store_close(t.store), 0);
	t.store = NULL;
	ck_assert_uint_eq(salvage(t.path, &whole), 0);
	quiet(true);
	for (i = 0; i < rounds; i++) {
		salvage_damaged(&t, &rng, two, 2, &is);
		ck_assert_msg(are_rows_of(&is, &whole), "round %d", i);
	}
	quiet(false);
	buf_release(&whole);
	buf_release(&is);
	test_store_close(&t);
}
END_TEST

SUITE(salvage)
{
	TCase *tc = tcase_create("salvage");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, a_sound_store_comes_back_whole);
	tcase_add_test(tc, a_store_without_a_manifest_comes_back_whole);
	tcase_add_test(tc, damage_without_a_manifest_is_told);
	tcase_add_test(tc, damage_adds_no_row_and_no_loss_is_silent);
	tcase_add_test(tc, blocks_that_are_sound_give_their_rows);
	suite_add_tcase(suite, tc);
}
