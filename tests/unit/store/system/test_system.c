/* The system's keyspaces: tables that are read like any other. */
#include "store/base/murmur3.h"
#include "store/table/table.h"

#include <errno.h>
#include <stdio.h>

#include "store/schema/table_edit.h"
#include "store/type/text/text.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store store;

static struct table *new_table(const char *name)
{
	struct table *t = table_new("ks", name);
	struct type *element = type_native(TYPE_TEXT);
	struct property option = { "mode", "CONTAINS" };
	struct index index = { .name = "i", .kind = INDEX_SASI,
			       .target = INDEX_SIMPLE, .column = 2,
			       .class_name = "SASI", .options = &option,
			       .option_count = 1 };

	table_add_column(t, "k", type_native(TYPE_INT), COLUMN_PARTITION_KEY,
			 false);
	table_add_column(t, "c", type_native(TYPE_INT), COLUMN_CLUSTERING,
			 true);
	table_add_column(t, "Mixed", type_native(TYPE_TEXT), COLUMN_REGULAR,
			 false);
	table_add_column(t, "l", type_new(TYPE_LIST, true, &element, 1),
			 COLUMN_REGULAR, false);
	table_add_column(t, "gone", type_native(TYPE_INT), COLUMN_REGULAR,
			 false);
	ck_assert_int_eq(table_add_index(t, &index), 0);
	ck_assert_int_eq(table_finish(t), 0);
	ck_assert_int_eq(table_drop_column(t, (uint32_t)table_column(t,
					   bytes_str("gone")), 1234567), 0);
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static struct table *new_table_without(void)
{
	struct table *t = table_new("ks", "plain");

	table_add_column(t, "k", type_native(TYPE_INT), COLUMN_PARTITION_KEY,
			 false);
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static void start(void)
{
	test_store_open(&store);
	test_add_keyspace(store.store, "ks");
	table_put(test_add_table(store.store, new_table("t")));
	table_put(test_add_table(store.store, new_table_without()));
}

static void stop(void)
{
	test_store_close(&store);
}

static void add_view(struct buf *out, const struct row_view *row,
		     const struct table *t)
{
	uint32_t i;

	for (i = 0; i < t->partition_key_count; i++)
		type_print_text(out, t->columns[i].type, row->key_values[i]);
	for (i = 0; i < t->clustering_count; i++) {
		buf_add_byte(out, '/');
		type_print_text(out, table_clustering_column(t, i)->type,
				row->clustering[i]);
	}
	for (i = 0; i < row->cell_count; i++) {
		const struct cell_view *c = &row->cells[i];

		buf_add_format(out, " %s=", c->column->name);
		type_print_text(out, bytes_is_null(c->path) ? c->column->type :
				c->column->type->parts[0],
				bytes_is_null(c->path) ? c->value : c->path);
	}
	buf_add_byte(out, '\n');
}

/* The rows of one partition of a system table, as text. */
static const char *rows_of(struct buf *out, const char *keyspace,
			   const char *name, const char *key)
{
	struct table *t = test_table(store.store, keyspace, name);
	struct bytes partition = bytes_str(key ? key : "");
	struct row_view row;
	struct cursor *c;
	struct query q;
	int more;

	query_init(&q, t);
	if (key) {
		q.partitions = &partition;
		q.partition_count = 1;
	}
	ck_assert_int_eq(table_query(&c, store.store, &q), 0);
	while ((more = cursor_next(c, &row)) > 0)
		add_view(out, &row, t);
	ck_assert_int_eq(more, 0);
	cursor_close(c);
	table_put(t);
	return buf_cstr(out);
}

static const struct { const char *keyspace, *table, *key, *rows; } known[] = {
	{ "system_schema", "keyspaces", "ks", "ks durable_writes=true "
	  "replication={\"class\": \"SimpleStrategy\", "
	  "\"replication_factor\": \"1\"}\n" },
	{ "system_schema", "columns", "ks",
	  "ks/plain/k clustering_order=none column_name_bytes=0x6b "
	  "kind=partition_key position=0 type=int\n"
	  "ks/t/Mixed clustering_order=none column_name_bytes=0x4d69786564 "
	  "kind=regular position=-1 type=text\n"
	  "ks/t/c clustering_order=desc column_name_bytes=0x63 "
	  "kind=clustering position=0 type=int\n"
	  "ks/t/k clustering_order=none column_name_bytes=0x6b "
	  "kind=partition_key position=0 type=int\n"
	  "ks/t/l clustering_order=none column_name_bytes=0x6c "
	  "kind=regular position=-1 type=frozen<list<text>>\n" },
	{ "system_schema", "dropped_columns", "ks",
	  "ks/t/gone dropped_time=1970-01-01T00:00:01.234Z kind=regular "
	  "type=int\n" },
	{ "system_schema", "indexes", "ks", "ks/t/i kind=CUSTOM "
	  "options={\"class_name\": \"SASI\", \"mode\": \"CONTAINS\", "
	  "\"target\": \"\\\"Mixed\\\"\"}\n" },
	{ "system_schema", "views", "ks", "" },
	{ "system_schema", "types", "ks", "" },
	{ "system", "IndexInfo", "ks", "ks/i\n" },
	{ "system", "peers", NULL, "" },
};

START_TEST(rows_of_the_schema)
{
	struct buf out = BUF_INIT;

	ck_assert_str_eq(rows_of(&out, known[_i].keyspace, known[_i].table,
				 known[_i].key), known[_i].rows);
	buf_release(&out);
}
END_TEST

START_TEST(options_of_a_table)
{
	struct buf out = BUF_INIT;
	const char *text = rows_of(&out, "system_schema", "tables", "ks");

	ck_assert_ptr_nonnull(strstr(text, "ks/t additional_write_policy=99p "
		"bloom_filter_fp_chance=0.01 caching={\"keys\": \"ALL\", "
		"\"rows_per_partition\": \"NONE\"} comment= compaction="));
	ck_assert_ptr_nonnull(strstr(text, " flags=[\"compound\"] "
				     "gc_grace_seconds=864000 id="));
	/* Not set: null. */
	ck_assert_ptr_null(strstr(text, "cdc="));
	ck_assert_ptr_null(strstr(text, "memtable="));
	buf_release(&out);
}
END_TEST

START_TEST(the_node_itself)
{
	struct table *t = test_table(store.store, "system", "local");
	struct arena arena = ARENA_INIT;
	struct cell_view cell;
	int place = table_column(t, bytes_str("cql_version"));

	ck_assert_int_eq(table_read_cell(store.store, t, bytes_str("local"),
					 NULL, &t->columns[place], BYTES_NULL,
					 0, &arena, &cell), 1);
	ck_assert(bytes_equal(cell.value, bytes_str("3.4.7")));
	place = table_column(t, bytes_str("tokens"));
	ck_assert(type_is_multicell(t->columns[place].type));
	ck_assert_int_eq(table_read_cell(store.store, t, bytes_str("local"),
					 NULL, &t->columns[place],
					 bytes_str("-9223372036854775808"),
					 0, &arena, &cell), 1);
	ck_assert_int_eq(table_read_cell(store.store, t, bytes_str("other"),
					 NULL, &t->columns[place],
					 BYTES_NULL, 0, &arena, &cell), 0);
	arena_release(&arena);
	table_put(t);
}
END_TEST

START_TEST(partitions_come_by_token)
{
	struct table *t = test_table(store.store, "system_schema", "tables");
	struct row_view row;
	struct cursor *c;
	struct query q;
	int64_t last = INT64_MIN;
	int partitions = 0;

	query_init(&q, t);
	q.distinct = 0;
	ck_assert_int_eq(table_query(&c, store.store, &q), 0);
	while (cursor_next(c, &row) > 0) {
		ck_assert_int_eq(row.token, murmur3_token(row.partition_key));
		ck_assert_int_gt(row.token, last);
		last = row.token;
		partitions++;
	}
	ck_assert_int_eq(partitions, 3);
	cursor_close(c);
	table_put(t);
}
END_TEST

START_TEST(nothing_can_be_written)
{
	struct table *t = test_table(store.store, "system", "local");
	struct write w;

	write_init(&w, store.store);
	write_row(&w, t, bytes_str("local"), NULL);
	write_marker(&w, 1, 0);
	ck_assert_int_eq(test_write(&w), -EPERM);
	write_release(&w);
	ck_assert_int_eq(store_truncate(store.store, t, 0), -EPERM);
	table_put(t);
}
END_TEST

SUITE(system)
{
	TCase *tc = tcase_create("system");

	tcase_add_checked_fixture(tc, start, stop);
	tcase_add_loop_test(tc, rows_of_the_schema, 0, ARRAY_SIZE(known));
	tcase_add_test(tc, options_of_a_table);
	tcase_add_test(tc, the_node_itself);
	tcase_add_test(tc, partitions_come_by_token);
	tcase_add_test(tc, nothing_can_be_written);
	suite_add_tcase(suite, tc);
}
