/*
 * Rows that no statement writes, in files with right checksums (P17): invalid
 * values of their types, paths and keys that are truncated or made up, the
 * smallest and largest times. For all of them a reader gets an answer or an
 * error.
 */
#include "store/base/murmur3.h"
#include "store/table/inner.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/base/clock.h"
#include "store/row/row_codec.h"
#include "tests/lib/answers.h"
#include "tests/lib/random.h"
#include "tests/lib/scratch.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

static const char *const tables[] = {
	"cells", "keys", "counters", "dense", "flat", "was",
};

static int64_t odd_number(struct random *rng)
{
	static const int64_t odd[] = {
		INT64_MIN, INT64_MIN + 1, -1, 0, 1, 1700000000,
		1700000000000000, INT64_MAX / 1000 + 1, INT64_MAX - 1,
		INT64_MAX,
	};

	return odd[random_below(rng, ARRAY_SIZE(odd))];
}

/* Return other bytes, some of them the same. */
static struct bytes spoil_bytes(struct random *rng, struct arena *arena,
				struct bytes was)
{
	struct buf out = BUF_INIT;
	struct bytes is;
	size_t at = was.len ? random_below(rng, (uint32_t)was.len) : 0;

	switch (random_below(rng, 5)) {
	case 0:
		buf_add(&out, was.ptr, at);
		break;
	case 1:
		buf_add_bytes(&out, was);
		if (was.len)
			out.ptr[at] = (uint8_t)random_next(rng);
		break;
	case 2:
		buf_add_bytes(&out, was);
		random_bytes(rng, &out, 9);
		break;
	case 3:
		buf_add(&out, was.ptr, at);
		random_bytes(rng, &out, 9);
		break;
	default:
		random_bytes(rng, &out, 40);
	}
	is = arena_copy(arena, buf_bytes(&out));
	buf_release(&out);
	return is;
}

static void spoil_cell(struct random *rng, struct arena *arena, struct cell *c)
{
	switch (random_below(rng, 8)) {
	case 0:
		c->path = random_below(rng, 3) ?
			  spoil_bytes(rng, arena, c->path) : BYTES_NULL;
		break;
	case 1:
		c->timestamp = odd_number(rng);
		break;
	case 2:
		c->ttl = random_below(rng, 2) ? 1 : INT32_MAX;
		c->local_time = odd_number(rng);
		break;
	case 3:
		c->flags = (uint8_t)random_below(rng, 8);
		break;
	case 4:
		c->column = 16 + random_below(rng, 16);
		break;
	default:
		c->value = spoil_bytes(rng, arena, c->value);
	}
}

/* Return another key of the same partition, or of the same row in another
 * one. */
static struct bytes spoil_key(struct random *rng, struct arena *arena,
			      struct bytes key)
{
	size_t len = key_partition_len(key);
	struct bytes rest = bytes_of(key.ptr + len, key.len - len), name;
	struct buf out = BUF_INIT;

	if (random_below(rng, 3)) {
		buf_add(&out, key.ptr, len);
		buf_add_bytes(&out, spoil_bytes(rng, arena, rest));
	} else {
		name = spoil_bytes(rng, arena, bytes_of(key.ptr + 8, len - 8));
		key_add_partition(&out, murmur3_token(name), name);
		buf_add_bytes(&out, rest);
	}
	key = arena_copy(arena, buf_bytes(&out));
	buf_release(&out);
	return key;
}

static void add_spoiled(struct random *rng, struct arena *arena,
			struct batch *batch, uint32_t number,
			const struct entry *e)
{
	struct bytes key = e->key;
	struct row row;
	uint32_t i;

	ck_assert_int_eq(row_decode(&row, arena, e->row), 0);
	/* Give it a later timestamp than the row had. */
	for (i = 0; i < row.cell_count; i++)
		row.cells[i].timestamp++;
	for (i = 0; i < row.cell_count; i++)
		if (!random_below(rng, 3))
			spoil_cell(rng, arena, &row.cells[i]);
	if (!random_below(rng, 6))
		row.marker.timestamp = odd_number(rng);
	if (!random_below(rng, 4))
		key = spoil_key(rng, arena, key);
	batch_add_row(batch, number, key, &row);
}

static void spoil_table(struct random *rng, struct store *s, uint32_t number)
{
	struct arena arena = ARENA_INIT;
	struct batch batch = BATCH_INIT;
	struct deletion in_force;
	struct iterator *it;
	struct entry e;

	ck_assert_int_eq(lsm_iterate(&it, s->lsm, number, BYTES_EMPTY,
				     BYTES_EMPTY, false), 0);
	ck_assert_int_eq(iterator_seek(it, BYTES_EMPTY, &in_force), 0);
	while (iterator_next(it, &e) > 0)
		if (e.kind == ENTRY_ROW && random_below(rng, 3))
			add_spoiled(rng, &arena, &batch, number, &e);
	iterator_close(it);
	/* The engine may refuse it. */
	lsm_apply(s->lsm, &batch, NULL);
	batch_release(&batch);
	arena_release(&arena);
}

/* Spoil rows of tables, of their indexes, and the times that were set. */
static void spoil(struct random *rng, struct store *s)
{
	size_t i;
	uint32_t j;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		struct table *t = test_table(s, "k", tables[i]);

		spoil_table(rng, s, t->number);
		for (j = 0; j < t->index_count; j++)
			spoil_table(rng, s, t->indexes[j].number);
		table_put(t);
	}
	spoil_table(rng, s, STORE_ATTRIBUTES_NUMBER);
}

/* ----------------------------------------------------------------- readers */
static void query(struct store *s)
{
	static const char *const forms[] = {
		"SELECT * FROM k.%s", "SELECT JSON * FROM k.%s",
		"SELECT count(*) FROM k.%s",
		"SELECT p, max(p) FROM k.%s GROUP BY p",
	};
	static const char *const others[] = {
		"SELECT token(p, q), i, max(d) FROM k.keys",
		"SELECT writetime(l), ttl(m), l[0], m['x'], e, a.street FROM "
		"k.cells",
		"SELECT * FROM k.cells WHERE v = 5",
		"SELECT * FROM k.cells WHERE m CONTAINS KEY 'y'",
		"SELECT * FROM k.cells WHERE w LIKE '%word%'",
		"SELECT * FROM k.cells WHERE p = 1 ORDER BY c DESC",
		"SELECT * FROM k.cells WHERE e CONTAINS 2.5 ALLOW FILTERING",
		"SELECT sum(x), avg(v), min(f), max(n) FROM k.keys",
		"UPDATE k.cells SET l = l + ['c'], l[0] = 'x' WHERE p = 1 AND "
		"c = 1",
		"UPDATE k.cells SET v = 1 WHERE p = 1 AND c = 1 IF l = ['a']",
		"UPDATE k.counters SET n = n + 1 WHERE p = 1",
	};
	struct cql_session *session;
	struct buf out = BUF_INIT, text = BUF_INIT;
	size_t i, j;

	ck_assert_int_eq(cql_session_new(&session, s), 0);
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (j = 0; j < ARRAY_SIZE(forms); j++) {
			const char *at = strstr(forms[j], "%s");

			buf_clear(&text);
			buf_add(&text, forms[j], (size_t)(at - forms[j]));
			buf_add_str(&text, tables[i]);
			buf_add_str(&text, at + 2);
			answer_to(session, buf_cstr(&text), &out);
		}
	for (i = 0; i < ARRAY_SIZE(others); i++)
		answer_to(session, others[i], &out);
	cql_session_free(session);
	buf_release(&text);
	buf_release(&out);
}

static void look_at(struct tree *t, const char *path)
{
	static const char *const attributes[] = {
		"user.writetime", "user.ttl", "user.expires", "user.token",
	};
	struct stat st;
	size_t i;
	int err;

	tree_stat(t, path, &st);
	tree_cat(t, path, &err);
	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		tree_getxattr(t, path, attributes[i], &err);
}

/* Read everything below a path. */
static void walk(struct tree *t, const char *path, unsigned depth)
{
	static const char *const suffixes[] = { ".json", ".ndjson", ".csv" };
	const char *names = tree_ls(t, path);
	char *list = names ? strdup(names) : NULL, *next = list, *name;
	char below[1000];
	struct stat st;
	size_t i;

	tree_stat(t, path, &st);
	for (i = 0; *path && i < ARRAY_SIZE(suffixes); i++) {
		snprintf(below, sizeof(below), "%s%s", path, suffixes[i]);
		look_at(t, below);
	}
	while ((name = strsep(&next, " "))) {
		size_t len = strlen(name);
		bool directory = len && name[len - 1] == '/';

		if (!len)
			continue;
		name[len - directory] = 0;
		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "",
			 name);
		if (!directory)
			look_at(t, below);
		else if (depth)
			walk(t, below, depth - 1);
	}
	free(list);
}

START_TEST(spoiled_rows_do_no_harm)	/* _i: the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct tree t;

	tree_open_copy(&t, "tests/golden/store/2");
	spoil(&rng, t.store.store);
	query(t.store.store);
	tree_reopen(&t);
	walk(&t, "", 6);
	store_flush(t.store.store, NULL);
	store_compact(t.store.store, NULL);
	query(t.store.store);
	tree_close(&t);
}
END_TEST

static void set_up(void)
{
	quiet(true);
	clock_set_us((int64_t)1700000000 * 1000000);
}

static void tear_down(void)
{
	quiet(false);
	clock_set_us(INT64_MIN);
}

SUITE(hostile_rows)
{
	TCase *tc = tcase_create("hostile_rows");
	int first = (int)test_seed(), count = test_scale(60) * test_rounds();

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, spoiled_rows_do_no_harm, first, first + count);
	/* A row has a cell of a static column. */
	tcase_add_loop_test(tc, spoiled_rows_do_no_harm, 80601, 80602);
	suite_add_tcase(suite, tc);
}
