/* Statements by the row they are about. */
#include "store/cql/modify/batch_rows.h"

#include "store/cql/where/plan.h"
#include "store/schema/table_edit.h"
#include "tests/lib/random.h"
#include "tests/unit/suite.h"

static struct table *table_of(bool clustered)
{
	struct table *t = table_new("k", "t");

	table_add_column(t, "p", type_native(TYPE_INT), COLUMN_PARTITION_KEY,
			 false);
	if (clustered) {
		table_add_column(t, "c", type_native(TYPE_DECIMAL),
				 COLUMN_CLUSTERING, true);
		table_add_column(t, "d", type_native(TYPE_TEXT),
				 COLUMN_CLUSTERING, false);
	}
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static void random_statement(struct modification *m, const struct table *t,
			     struct arena *arena, struct random *rng,
			     uint32_t most)
{
	uint32_t n = random_below(rng, most);
	bool longer = random_below(rng, 2);
	uint8_t decimal[8] = { 0, 0, 0, longer ? 1 : 0 };
	uint8_t text[4];

	/* n as it is, or with one more digit after the point. */
	put_be32(decimal + 4, longer ? n * 10 : n);
	put_le32(text, n % 7);
	*m = (struct modification){ .table = t,
				    .only_statics = !random_below(rng, 9),
				    .row_count = random_below(rng, 9) > 0 };
	m->rows = arena_zalloc(arena, 1, sizeof(*m->rows));
	m->rows[0] = arena_zalloc(arena, 2, sizeof(**m->rows));
	m->rows[0][0] = arena_copy(arena, bytes_of(decimal, 8));
	m->rows[0][1] = arena_copy(arena, bytes_of(text, 4));
}

/* The rule, statement by statement. */
static bool same_row(const struct modification *a, const struct modification *b)
{
	const struct table *t = a->table;

	if (a->only_statics || b->only_statics || !t->clustering_count)
		return a->only_statics == b->only_statics;
	return a->row_count && b->row_count &&
	       !plan_compare_clusterings(t, a->rows[0], b->rows[0]);
}

START_TEST(statements_of_one_row_find_each_other)	/* _i: the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct table *t = table_of(_i % 4);
	struct modification items[60], *first[60];
	struct arena arena = ARENA_INIT;
	struct hash all = { .count = 0 };
	struct hash_place *row;
	uint32_t i, j;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		random_statement(&items[i], t, &arena, &rng, 20);
		ck_assert_int_eq(batch_rows_find(&row, &all, &arena, &items[i]),
				 0);
		if (row && !row->value)
			row->value = &items[i];
		first[i] = row ? row->value : NULL;
		for (j = 0; j < i; j++)
			ck_assert((first[i] && first[i] == first[j]) ==
				  same_row(&items[i], &items[j]));
	}
	arena_release(&arena);
	table_put(t);
}
END_TEST

SUITE(batch_rows)
{
	TCase *tc = tcase_create("batch_rows");

	tcase_add_loop_test(tc, statements_of_one_row_find_each_other, 0, 40);
	suite_add_tcase(suite, tc);
}
