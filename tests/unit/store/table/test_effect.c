/* Effects: which columns, and elements of them, come and go with a change. */
#include "store/table/effect.h"

#include <stdio.h>

#include "store/schema/table_edit.h"
#include "store/store.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store store;
static struct table *table;
static char said[200];

/*
 * Add to said: the row exists (1) or not (0), then each column by its name with +
 * for one that comes, - for one that goes, = for one that stays; and a, r where
 * elements of a map are added, removed.
 */
static void print_effect(const struct row_effect *e)
{
	uint32_t i;
	size_t len = 1;

	snprintf(said, sizeof(said), "%d", e->is);
	for (i = 0; i < e->count; i++) {
		const struct column_effect *c = &e->columns[i];

		ck_assert(c->was || c->is);
		len += (size_t)snprintf(said + len, sizeof(said) - len,
			" %s%s", c->column->name,
			!c->was ? "+" : !c->is ? "-" : "=");
		if (c->column->name[0] == 'm')
			len += (size_t)snprintf(said + len, sizeof(said) - len,
						"%s%s", c->adds ? "a" : "",
						c->removes ? "r" : "");
	}
}

static int look(void *context, struct write *w,
		const struct table_change *changes, size_t count)
{
	struct arena arena = ARENA_INIT;
	struct row_effect effect;
	struct row_view row;
	int got;

	(void)context, (void)w;
	ck_assert_uint_eq(count, 1);
	got = table_read(store.store, table, changes->partition_key,
			 changes->clustering, UINT64_MAX, 0, &arena, &row);
	ck_assert_int_ge(got, 0);
	ck_assert_int_eq(row_effect_find(&effect, changes, got ? &row : NULL,
					 &arena), 0);
	print_effect(&effect);
	arena_release(&arena);
	return 0;
}

static void start(void)
{
	struct store_observer observer = { .changing = look };
	struct type *text = type_native(TYPE_TEXT);
	struct type *parts[] = { text, text };

	test_store_open(&store);
	test_add_keyspace(store.store, "ks");
	table = table_new("ks", "t");
	table_add_column(table, "k", text, COLUMN_PARTITION_KEY, false);
	table_add_column(table, "m", type_new(TYPE_MAP, false, parts, 2),
			 COLUMN_REGULAR, false);
	table_add_column(table, "v", text, COLUMN_REGULAR, false);
	table_add_column(table, "w", text, COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(table), 0);
	table = test_add_table(store.store, table);
	store_observe(store.store, &observer);
}

static void stop(void)
{
	store_observe(store.store, NULL);
	table_put(table);
	test_store_close(&store);
}

/*
 * Write one row: "v" gives the column a value, "-v" deletes it; "mA" and "-mA" do
 * so with the element A of the map, "-m" deletes all of it; "!" gives the marker,
 * "-!" deletes the row.
 */
static void write_words(const char *words, int64_t at)
{
	struct write w;

	write_init(&w, store.store);
	write_row(&w, table, bytes_str("a"), NULL);
	for (; *words; words += strcspn(words, " ")) {
		bool deletes;
		const struct column *c;
		struct bytes path = BYTES_NULL;

		words += *words == ' ';
		deletes = *words == '-';
		words += deletes;
		if (*words == '!' && deletes)
			write_row_deletion(&w, at - 1);
		else if (*words == '!')
			write_marker(&w, at, 0);
		if (*words == '!')
			continue;
		c = &table->columns[table_column(table, bytes_of(words, 1))];
		if (*words == 'm' && words[1] > ' ')
			path = bytes_of(words + 1, 1);
		if (*words == 'm' && bytes_is_null(path))
			write_column_deletion(&w, c, at - 1);
		else
			write_cell(&w, c, path, deletes ? BYTES_NULL :
				   bytes_str("x"), at, 0);
	}
	ck_assert_int_eq(test_write(&w), 0);
	write_release(&w);
}

START_TEST(columns_and_elements_come_and_go)
{
	static const struct {
		const char *words, *effect;
	} steps[] = {
		{ "! v", "1 v+" },
		{ "v", "1 v=" },
		{ "w", "1 v= w+" },
		{ "-w v", "1 v= w-" },
		{ "-w", "1 v=" },
		{ "mA mC", "1 v= m+a" },
		{ "mB", "1 m=a v=" },
		{ "mB mC", "1 m= v=" },
		{ "-mB -mX", "1 m=r v=" },
		{ "-m mA mC", "1 m= v=" },
		{ "-m mB mC", "1 m=ar v=" },
		{ "-mB -mC", "1 m-r v=" },
		{ "-m", "1 v=" },
		{ "-v", "1 v-" },
		{ "-!", "0" },
		{ "-!", "0" },
		{ "mA", "1 m+a" },
		{ "-m", "0 m-r" },
		{ "v w", "1 v+ w+" },
		{ "-! mA v", "1 v= w- m+a" },
		{ "-v", "1 m= v-" },
		{ "-!", "0 m-r" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		write_words(steps[i].words, (int64_t)i * 10 + 10);
		ck_assert_msg(!strcmp(said, steps[i].effect), "%s: %s, not %s",
			      steps[i].words, said, steps[i].effect);
	}
}
END_TEST

START_TEST(an_older_deletion_removes_nothing)
{
	static const char *const deletions[] = { "-v", "-mA", "-m", "-!" };
	size_t i;

	write_words("! v mA", 100);
	for (i = 0; i < ARRAY_SIZE(deletions); i++) {
		write_words(deletions[i], 50);
		ck_assert_str_eq(said, "1 m= v=");
	}
}
END_TEST

SUITE(effect)
{
	TCase *tc = tcase_create("effect");

	tcase_add_checked_fixture(tc, start, stop);
	tcase_add_test(tc, columns_and_elements_come_and_go);
	tcase_add_test(tc, an_older_deletion_removes_nothing);
	suite_add_tcase(suite, tc);
}
