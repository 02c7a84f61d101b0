/* Schemas: lookups, the order of columns, and edits that leave others alone. */
#include "store/schema/schema_edit.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/schema/options.h"
#include "store/schema/schema.h"
#include "store/schema/table_edit.h"
#include "tests/unit/suite.h"

static struct type *native(enum type_kind kind)
{
	return type_native(kind);
}

static struct type *person(const char *second_field)
{
	char *names[] = { "name", (char *)second_field };
	struct type *types[] = { native(TYPE_TEXT), native(TYPE_INT) };

	return type_new_udt("ks", "person", false, names, types, 2);
}

static struct table *table_of(const char *name, struct type *value)
{
	struct table *t = table_new("ks", name);

	ck_assert_int_ge(table_add_column(t, "v", value, COLUMN_REGULAR, false),
			 0);
	ck_assert_int_ge(table_add_column(t, "k", native(TYPE_INT),
					  COLUMN_PARTITION_KEY, false), 0);
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static struct schema *schema_of_two(void)
{
	struct schema empty = { .references = 1 }, *s = schema_copy(&empty);

	ck_assert_int_eq(schema_set_keyspace(s, keyspace_new("other")), 0);
	ck_assert_int_eq(schema_set_keyspace(s, keyspace_new("ks")), 0);
	ck_assert_int_eq(schema_set_table(s, table_of("b",
						native(TYPE_BLOB))), 0);
	ck_assert_int_eq(schema_set_table(s, table_of("a",
						native(TYPE_TEXT))), 0);
	return s;
}

static const char *const sorted[] = {
	"p2", "p1", "c1", "s1", "s2", "\xc3\xa9", "A", "B", "a", "aaaaaaaaa",
	"aaaaaaaab", "b", "value",
};

START_TEST(columns_are_in_the_order_of_select)
{
	static const struct { const char *name; enum column_kind kind; } in[] = {
		{ "b", COLUMN_REGULAR }, { "value", COLUMN_REGULAR },
		{ "aaaaaaaab", COLUMN_REGULAR },
		{ "p2", COLUMN_PARTITION_KEY }, { "a", COLUMN_REGULAR },
		{ "s2", COLUMN_STATIC }, { "c1", COLUMN_CLUSTERING },
		{ "\xc3\xa9", COLUMN_REGULAR }, { "B", COLUMN_REGULAR },
		{ "p1", COLUMN_PARTITION_KEY }, { "A", COLUMN_REGULAR },
		{ "s1", COLUMN_STATIC }, { "aaaaaaaaa", COLUMN_REGULAR },
	};
	struct table *t = table_new("ks", "t");
	struct index index = { .name = "i", .column = 4 };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(in); i++)
		ck_assert_int_eq(table_add_column(t, in[i].name,
						  native(TYPE_TEXT),
						  in[i].kind, false), (int)i);
	t->columns[1].hidden = true;
	ck_assert_int_eq(table_add_index(t, &index), 0);
	ck_assert_int_eq(table_finish(t), 0);
	for (i = 0; i < ARRAY_SIZE(sorted); i++)
		ck_assert_str_eq(t->columns[i].name, sorted[i]);
	ck_assert_uint_eq(t->partition_key_count, 2);
	ck_assert_uint_eq(t->clustering_count, 1);
	ck_assert_uint_eq(t->static_count, 2);
	ck_assert_uint_eq(t->regular_count, 7);
	ck_assert_uint_eq(t->columns[8].position, 3);
	ck_assert_str_eq(t->columns[t->indexes[0].column].name, "a");
	ck_assert_int_eq(table_column(t, bytes_str("b")), 11);
	ck_assert_int_eq(table_column(t, bytes_str("value")), -1);
	ck_assert_uint_eq(t->next_number, COLUMN_NUMBER_FIRST + 13);
	table_put(t);
}
END_TEST

START_TEST(names_are_found)
{
	struct schema *s = schema_of_two();
	struct keyspace *k = schema_keyspace(s, bytes_str("ks"));

	ck_assert_ptr_nonnull(k);
	ck_assert_str_eq(s->keyspaces[0]->name, "ks");
	ck_assert_ptr_null(schema_keyspace(s, bytes_str("k")));
	ck_assert_ptr_null(schema_keyspace(s, bytes_str("z")));
	ck_assert_str_eq(k->tables[0]->name, "a");
	ck_assert_ptr_eq(keyspace_table(k, bytes_str("b")), k->tables[1]);
	ck_assert_ptr_eq(schema_table(s, bytes_str("ks"), bytes_str("a")),
			 k->tables[0]);
	ck_assert_ptr_null(schema_table(s, bytes_str("ks"), bytes_str("c")));
	ck_assert_ptr_null(schema_table_by_number(s, 0));
	k->tables[1]->number = 17;
	ck_assert_ptr_eq(schema_table_by_number(s, 17), k->tables[1]);
	ck_assert_ptr_null(keyspace_index(k, bytes_str("i"), NULL));
	schema_put(s);
}
END_TEST

START_TEST(an_edit_leaves_the_old_version_as_it_was)
{
	struct schema *old = schema_of_two(), *s = schema_copy(old);
	struct keyspace *k, *was = schema_keyspace(old, bytes_str("ks"));

	ck_assert_uint_eq(s->version, old->version + 1);
	ck_assert_int_eq(schema_remove_table(s, bytes_str("ks"),
					     bytes_str("a")), 0);
	ck_assert_int_eq(schema_remove_table(s, bytes_str("ks"),
					     bytes_str("a")), -ENOENT);
	ck_assert_int_eq(schema_set_table(s, table_of("b",
						native(TYPE_INT))), 0);
	ck_assert_int_eq(schema_remove_keyspace(s, bytes_str("other")), 0);
	k = schema_keyspace(s, bytes_str("ks"));
	ck_assert_uint_eq(k->table_count, 1);
	ck_assert_int_eq(k->tables[0]->columns[1].type->kind, TYPE_INT);
	ck_assert_uint_eq(was->table_count, 2);
	ck_assert_int_eq(was->tables[1]->columns[1].type->kind, TYPE_BLOB);
	ck_assert_uint_eq(old->keyspace_count, 2);
	schema_put(old);
	schema_put(s);
}
END_TEST

START_TEST(a_changed_type_changes_what_uses_it)
{
	struct schema *old = schema_of_two(), *s = schema_copy(old);
	struct type *frozen, *list, *udt;
	struct keyspace *k;

	ck_assert_int_eq(schema_set_type(s, bytes_str("ks"), person("age")), 0);
	k = schema_keyspace(s, bytes_str("ks"));
	udt = keyspace_type(k, bytes_str("person"));
	ck_assert_ptr_nonnull(udt);
	frozen = type_frozen(udt);
	list = type_new(TYPE_LIST, false, &frozen, 1);
	ck_assert_int_eq(schema_set_table(s, table_of("a", list)), 0);
	schema_put(old);
	old = s;
	s = schema_copy(old);
	ck_assert_int_eq(schema_set_type(s, bytes_str("ks"), person("years")),
			 0);
	k = schema_keyspace(s, bytes_str("ks"));
	list = k->tables[0]->columns[1].type;
	ck_assert_int_eq(list->kind, TYPE_LIST);
	ck_assert(list->parts[0]->frozen);
	ck_assert_str_eq(list->parts[0]->field_names[1], "years");
	k = schema_keyspace(old, bytes_str("ks"));
	list = k->tables[0]->columns[1].type;
	ck_assert_str_eq(list->parts[0]->field_names[1], "age");
	ck_assert_int_eq(schema_remove_type(s, bytes_str("ks"),
					    bytes_str("person")), 0);
	ck_assert_int_eq(schema_remove_type(s, bytes_str("ks"),
					    bytes_str("person")), -ENOENT);
	schema_put(old);
	schema_put(s);
}
END_TEST

START_TEST(a_column_that_comes_back_has_its_number)
{
	struct table *t = table_of("t", person("age")), *copy;
	uint32_t number = t->columns[1].number;
	struct type *udt = person("x"), *frozen = type_frozen(udt);

	ck_assert_int_eq(table_drop_column(t, 1, 100), 0);
	ck_assert_int_eq(table_finish(t), 0);
	ck_assert_uint_eq(t->column_count, 1);
	ck_assert_uint_eq(t->dropped_count, 1);
	ck_assert_int_eq(t->dropped[0].type->kind, TYPE_TUPLE);
	type_put(udt);
	ck_assert_int_eq(table_add_column(t, "v", frozen,
					  COLUMN_REGULAR, false), 1);
	ck_assert_uint_eq(t->columns[1].number, number);
	ck_assert_int_eq(table_add_column(t, "w", native(TYPE_INT),
					  COLUMN_REGULAR, false), 2);
	ck_assert_uint_eq(t->columns[2].number, number + 2);
	ck_assert_int_eq(table_drop_column(t, 1, 50), 0);
	ck_assert_uint_eq(t->dropped_count, 1);
	ck_assert_int_eq(t->dropped[0].dropped_us, 100);
	copy = table_copy(t);
	ck_assert_uint_eq(copy->dropped_count, 1);
	ck_assert_str_eq(copy->columns[1].name, "w");
	table_put(t);
	table_put(copy);
}
END_TEST

START_TEST(options_are_sorted_but_a_replications_class)
{
	struct keyspace *k = keyspace_new("ks");
	static const char *const names[] = { "class", "dc1", "a", "dc2" };
	static const char *const want[] = { "class", "a", "dc1", "dc2" };
	uint32_t i, round;

	for (round = 0; round < 2; round++)
		for (i = 0; i < 4; i++)
			ck_assert_int_eq(keyspace_set_replication(k, names[i],
					round ? "2" : "1"), 0);
	ck_assert_uint_eq(k->replication_count, 4);
	for (i = 0; i < 4; i++) {
		ck_assert_str_eq(k->replication[i].name, want[i]);
		ck_assert_str_eq(k->replication[i].value, "2");
	}
	ck_assert_ptr_null(options_find(k->replication, 4, "b"));
	ck_assert_str_eq(options_find(k->replication, 4, "a"), "2");
	keyspace_put(k);
}
END_TEST

START_TEST(a_schemaless_table_is_known_by_its_shape)
{
	struct table *t = table_new("ks", "notes");

	table_add_column(t, "key", native(TYPE_TEXT), COLUMN_PARTITION_KEY,
			 false);
	table_add_column(t, "column1", native(TYPE_TEXT), COLUMN_CLUSTERING,
			 false);
	table_add_column(t, "value", native(TYPE_BLOB), COLUMN_REGULAR, false);
	table_finish(t);
	ck_assert(!table_is_schemaless(t));
	t->flags = TABLE_COMPACT | TABLE_DENSE;
	ck_assert(table_is_schemaless(t));
	t->columns[1].type = native(TYPE_INT);
	ck_assert(!table_is_schemaless(t));
	table_put(t);
}
END_TEST

static const struct { const char *name, *printed; } names[] = {
	{ "a_1", "a_1" }, { "A", "\"A\"" }, { "a\"b", "\"a\"\"b\"" },
	{ "select", "\"select\"" }, { "key", "key" }, { "1a", "\"1a\"" },
};

START_TEST(a_name_is_quoted_where_it_must)
{
	struct buf out = BUF_INIT;

	schema_print_name(&out, bytes_str(names[_i].name));
	ck_assert_str_eq(buf_cstr(&out), names[_i].printed);
	buf_release(&out);
}
END_TEST

START_TEST(without_memory_edits_fail)	/* _i: the allocation that fails */
{
	struct schema *s = schema_of_two(), *copy;
	struct table *t;

	mem_fail_at(_i, 0);
	copy = schema_copy(s);
	t = copy ? table_copy(s->keyspaces[0]->tables[0]) : NULL;
	if (t)
		ck_assert_int_ge(0, schema_set_table(copy, t));
	mem_fail_at(0, 0);
	if (copy)
		schema_put(copy);
	schema_put(s);
}
END_TEST

SUITE(schema)
{
	TCase *tc = tcase_create("schema");

	tcase_add_test(tc, columns_are_in_the_order_of_select);
	tcase_add_test(tc, names_are_found);
	tcase_add_test(tc, an_edit_leaves_the_old_version_as_it_was);
	tcase_add_test(tc, a_changed_type_changes_what_uses_it);
	tcase_add_test(tc, a_column_that_comes_back_has_its_number);
	tcase_add_test(tc, options_are_sorted_but_a_replications_class);
	tcase_add_test(tc, a_schemaless_table_is_known_by_its_shape);
	tcase_add_loop_test(tc, a_name_is_quoted_where_it_must, 0,
			    ARRAY_SIZE(names));
	tcase_add_loop_test(tc, without_memory_edits_fail, 1, 50);
	suite_add_tcase(suite, tc);
}
