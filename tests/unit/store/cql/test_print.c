/*
 * The schema as CQL: each statement that Cassandra's DESCRIBE gave is parsed,
 * made an object of the schema, and printed; the same bytes must come.
 */
#include "store/cql/schema/print.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/cql/syntax/parse.h"
#include "store/schema/mask.h"
#include "store/schema/options.h"
#include "store/schema/schema.h"
#include "store/schema/schema_edit.h"
#include "store/schema/table_edit.h"
#include "tests/lib/vectors.h"
#include "tests/unit/suite.h"

static struct type *make_type(const struct type_name *t, const char *keyspace)
{
	static const enum type_kind kinds[] = {
		[TYPE_NAME_LIST] = TYPE_LIST, [TYPE_NAME_SET] = TYPE_SET,
		[TYPE_NAME_MAP] = TYPE_MAP, [TYPE_NAME_TUPLE] = TYPE_TUPLE,
	};
	struct type *parts[8];
	uint32_t i;

	if (t->kind == TYPE_NAME_NATIVE)
		return type_native(t->native);
	if (t->kind == TYPE_NAME_USER)
		return type_new_udt(keyspace,
				    (const char *)t->user.name.text.ptr,
				    t->frozen, NULL, NULL, 0);
	ck_assert_uint_le(t->part_count, ARRAY_SIZE(parts));
	for (i = 0; i < t->part_count; i++)
		parts[i] = make_type(t->parts[i], keyspace);
	if (t->kind == TYPE_NAME_VECTOR)
		return type_new_vector(parts[0], (uint32_t)t->dimension);
	return type_new(kinds[t->kind], t->frozen && t->kind != TYPE_NAME_TUPLE,
			parts, t->part_count);
}

static enum column_kind kind_of(const struct create_table *c,
				const struct column_definition *column)
{
	uint32_t i;

	if (column->primary_key)
		return COLUMN_PARTITION_KEY;
	for (i = 0; i < c->partition_key_count; i++)
		if (bytes_equal(c->partition_key[i].text, column->name.text))
			return COLUMN_PARTITION_KEY;
	for (i = 0; i < c->clustering_key_count; i++)
		if (bytes_equal(c->clustering_key[i].text, column->name.text))
			return COLUMN_CLUSTERING;
	return column->is_static ? COLUMN_STATIC : COLUMN_REGULAR;
}

static void set_list(struct property **options, uint32_t *count,
		     const struct written_property *p)
{
	uint32_t i;

	options_release(*options, *count);
	*options = NULL;
	*count = 0;
	for (i = 0; i < p->entry_count; i++)
		ck_assert_int_eq(options_set(options, count,
					     (const char *)p->entries[i].key.ptr,
					     (const char *)p->entries[i].value.ptr),
				 0);
}

static void set_text(char **field, const char *value)
{
	mem_free(*field);
	*field = mem_copy(value, strlen(value));
}

static void set_option(struct table_options *o, const struct written_property *p)
{
	const char *name = (const char *)p->name.text.ptr;
	const char *value = (const char *)p->value.ptr;
	const struct { const char *name; char **text; int32_t *number;
		       int8_t *flag; double *real; struct property **list;
		       uint32_t *count; } options[] = {
		{ .name = "additional_write_policy",
		  .text = &o->additional_write_policy },
		{ .name = "comment", .text = &o->comment },
		{ .name = "memtable", .text = &o->memtable },
		{ .name = "read_repair", .text = &o->read_repair },
		{ .name = "speculative_retry", .text = &o->speculative_retry },
		{ .name = "bloom_filter_fp_chance",
		  .real = &o->bloom_filter_fp_chance },
		{ .name = "crc_check_chance", .real = &o->crc_check_chance },
		{ .name = "default_time_to_live",
		  .number = &o->default_time_to_live },
		{ .name = "gc_grace_seconds", .number = &o->gc_grace_seconds },
		{ .name = "max_index_interval",
		  .number = &o->max_index_interval },
		{ .name = "min_index_interval",
		  .number = &o->min_index_interval },
		{ .name = "memtable_flush_period_in_ms",
		  .number = &o->memtable_flush_period_in_ms },
		{ .name = "cdc", .flag = &o->cdc },
		{ .name = "allow_auto_snapshot",
		  .flag = &o->allow_auto_snapshot },
		{ .name = "incremental_backups",
		  .flag = &o->incremental_backups },
		{ .name = "caching", .list = &o->caching,
		  .count = &o->caching_count },
		{ .name = "compaction", .list = &o->compaction,
		  .count = &o->compaction_count },
		{ .name = "compression", .list = &o->compression,
		  .count = &o->compression_count },
		{ .name = "extensions", .list = &o->extensions,
		  .count = &o->extension_count },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			break;
	ck_assert_msg(i < ARRAY_SIZE(options), "%s", name);
	if (options[i].text)
		set_text(options[i].text, value);
	else if (options[i].number)
		*options[i].number = atoi(value);
	else if (options[i].flag)
		*options[i].flag = !strcmp(value, "true");
	else if (options[i].real)
		*options[i].real = strtod(value, NULL);
	else
		set_list(options[i].list, options[i].count, p);
}

static struct table *make_table(const struct create_table *c)
{
	const char *keyspace = (const char *)c->table.keyspace.text.ptr;
	struct table *t = table_new(keyspace,
				    (const char *)c->table.name.text.ptr);
	uint32_t i, j;
	int at;

	for (i = 0; i < c->column_count; i++) {
		bool reversed = false;

		for (j = 0; j < c->order_count; j++)
			if (bytes_equal(c->orders[j].column.text,
					c->columns[i].name.text))
				reversed = c->orders[j].descending;
		at = table_add_column(t, (const char *)c->columns[i].name.text.ptr,
				      make_type(c->columns[i].type, keyspace),
				      kind_of(c, &c->columns[i]), reversed);
		ck_assert_int_ge(at, 0);
	}
	if (c->compact_storage)
		t->flags |= TABLE_COMPACT;
	if (c->order_count && !c->clustering_key_count) {
		at = table_add_column(t, "column1", type_native(TYPE_TEXT),
				      COLUMN_CLUSTERING, false);
		ck_assert_int_ge(at, 0);
		t->columns[at].hidden = true;
	}
	for (i = 0; i < c->properties.count; i++)
		set_option(&t->options, &c->properties.items[i]);
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static void print_made_type(struct buf *out, const struct create_type *c)
{
	char *names[16];
	struct type *types[16], *udt;
	const char *keyspace = (const char *)c->name.keyspace.text.ptr;
	uint32_t i;

	for (i = 0; i < c->field_count; i++) {
		names[i] = (char *)(uintptr_t)c->fields[i].name.text.ptr;
		types[i] = make_type(c->fields[i].type, keyspace);
	}
	udt = type_new_udt(keyspace, (const char *)c->name.name.text.ptr, false,
			   names, types, c->field_count);
	cql_print_type(out, udt);
	type_put(udt);
}

static void print_made_keyspace(struct buf *out,
				const struct keyspace_statement *c)
{
	struct keyspace *k = keyspace_new((const char *)c->name.text.ptr);
	const struct written_property *p = &c->properties.items[0];
	char value[200];
	uint32_t i;

	for (i = 0; i < p->entry_count; i++) {
		bool class = bytes_equal(p->entries[i].key, bytes_str("class"));

		snprintf(value, sizeof(value), "%s%s",
			 class ? "org.apache.cassandra.locator." : "",
			 (const char *)p->entries[i].value.ptr);
		ck_assert_int_eq(keyspace_set_replication(k,
				(const char *)p->entries[i].key.ptr, value), 0);
	}
	k->durable_writes = bytes_equal(c->properties.items[1].value,
					bytes_str("true"));
	cql_print_keyspace(out, k);
	keyspace_put(k);
}

static void print_made_index(struct buf *out, const struct create_index *c)
{
	static const enum index_target targets[] = {
		[INDEX_TARGET_SIMPLE] = INDEX_SIMPLE,
		[INDEX_TARGET_VALUES] = INDEX_VALUES,
		[INDEX_TARGET_KEYS] = INDEX_KEYS,
		[INDEX_TARGET_ENTRIES] = INDEX_ENTRIES,
		[INDEX_TARGET_FULL] = INDEX_FULL,
	};
	struct table *t = table_new((const char *)c->table.keyspace.text.ptr,
				    (const char *)c->table.name.text.ptr);
	struct index index = {
		.name = (char *)(uintptr_t)c->name.text.ptr,
		.kind = c->custom ? INDEX_SASI : INDEX_COMPOSITES,
		.target = targets[c->targets[0].kind],
		.class_name = (char *)(uintptr_t)c->using_class.ptr,
	};

	ck_assert_int_eq(table_add_column(t,
			(const char *)c->targets[0].column.text.ptr,
			type_native(TYPE_INT), COLUMN_REGULAR, false), 0);
	if (c->properties.count)
		set_list(&index.options, &index.option_count,
			 c->properties.items);
	cql_print_index(out, t, &index);
	options_release(index.options, index.option_count);
	table_put(t);
}

/* Print the object that a statement describes. False: we have no such
 * object. */
static bool print_made(struct buf *out, const struct statement *s)
{
	struct table *t;

	switch (s->kind) {
	case STATEMENT_CREATE_KEYSPACE:
		print_made_keyspace(out, s->keyspace);
		return true;
	case STATEMENT_CREATE_TYPE:
		print_made_type(out, s->create_type);
		return true;
	case STATEMENT_CREATE_TABLE:
		t = make_table(s->create_table);
		cql_print_table(out, t, CQL_PRINT_DESCRIBED);
		table_put(t);
		return true;
	case STATEMENT_CREATE_INDEX:
		print_made_index(out, s->create_index);
		return true;
	default:
		return false;
	}
}

static void check_statement(struct bytes text)
{
	static const char begin[] = "schema)\n\n";
	struct arena arena = ARENA_INIT;
	struct bytes cql = text;
	struct buf out = BUF_INIT;
	struct cql_error error;
	struct statement *s;

	if (bytes_begin_with(text, bytes_str("/*"))) {
		const char *at = strstr((const char *)text.ptr, begin);

		ck_assert_ptr_nonnull(at);
		cql = bytes_str(at + sizeof(begin) - 1);
		cql.len -= 3;
	}
	ck_assert_msg(!cql_parse(&arena, &s, cql, NULL, &error), "%s",
		      error.message);
	ck_assert(print_made(&out, s));
	ck_assert_str_eq(buf_cstr(&out), (const char *)text.ptr);
	buf_release(&out);
	arena_release(&arena);
}

/* Each string of the answer that is a statement; how many there were. */
static int check_answer(struct bytes answer)
{
	const uint8_t *at = answer.ptr, *end = at + answer.len, *start;
	struct arena arena = ARENA_INIT;
	struct bytes text;
	int n = 0;

	for (; at < end; at++) {
		if (*at != '"')
			continue;
		for (start = at++; at < end && *at != '"'; at++)
			at += *at == '\\';
		text = vector_string(&arena,
				     bytes_of(start, (size_t)(at - start) + 1));
		if (!bytes_begin_with(text, bytes_str("CREATE ")) &&
		    !bytes_begin_with(text, bytes_str("/*\nWarning")))
			continue;
		check_statement(text);
		n++;
	}
	arena_release(&arena);
	return n;
}

static const struct {
	const char *name;
	int statements;
} files[] = { { "ddl", 57 }, { "indexes", 9 } };

START_TEST(answers_of_describe_print_the_same)
{
	struct vectors vectors;
	struct vector v;
	int n = 0;

	vectors_open(&vectors, files[_i].name);
	while (vectors_next(&vectors, &v))
		if (bytes_begin_with(v.cql, bytes_str("DESC")) && !v.code.ptr)
			n += check_answer(v.answer);
	vectors_close(&vectors);
	ck_assert_int_eq(n, files[_i].statements);
}
END_TEST

static struct table *small_table(void)
{
	struct table *t = table_new("ks", "t");

	table_add_column(t, "k", type_native(TYPE_INT), COLUMN_PARTITION_KEY,
			 false);
	table_add_column(t, "v", type_native(TYPE_TEXT), COLUMN_REGULAR, false);
	table_add_column(t, "w", type_native(TYPE_TEXT), COLUMN_REGULAR, false);
	memset(t->id, 0x11, 16);
	return t;
}

static bool begins(struct buf *out, const char *text)
{
	return !strncmp(buf_cstr(out), text, strlen(text));
}

START_TEST(tables_with_internals)
{
	struct table *t = small_table();
	struct buf out = BUF_INIT;
	const char *drops;

	ck_assert_int_eq(table_finish(t), 0);
	ck_assert_int_eq(table_drop_column(t, 1, 5), 0);
	ck_assert_int_eq(table_drop_column(t, 1, 6), 0);
	ck_assert_int_ge(table_add_column(t, "w", type_native(TYPE_TEXT),
					  COLUMN_REGULAR, false), 0);
	ck_assert_int_eq(table_finish(t), 0);
	cql_print_table(&out, t, CQL_PRINT_DESCRIBED | CQL_PRINT_INTERNALS);
	ck_assert(begins(&out, "CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n"
			 "    v text,\n    w text\n) WITH ID = 11111111-1111-"
			 "1111-1111-111111111111\n    AND additional_write"));
	drops = strchr(buf_cstr(&out), ';') + 1;
	ck_assert_str_eq(drops, "\nALTER TABLE ks.t DROP v USING TIMESTAMP 5;"
			 "\nALTER TABLE ks.t DROP w USING TIMESTAMP 6;"
			 "\nALTER TABLE ks.t ADD w text;");
	buf_clear(&out);
	cql_print_table(&out, t, 0);
	ck_assert(begins(&out, "CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n"
			 "    w text\n) WITH additional_write_policy = '99p'"));
	buf_release(&out);
	table_put(t);
}
END_TEST

START_TEST(a_compact_table_that_can_be_run)
{
	struct table *t = small_table();
	struct buf out = BUF_INIT;
	int at;

	t->flags = TABLE_COMPACT;
	at = table_add_column(t, "column1", type_native(TYPE_TEXT),
			      COLUMN_CLUSTERING, false);
	t->columns[at].hidden = true;
	ck_assert_int_eq(table_finish(t), 0);
	cql_print_table(&out, t, 0);
	ck_assert(begins(&out, "CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n"
			 "    v text,\n    w text\n) WITH COMPACT STORAGE\n"
			 "    AND additional_write_policy = '99p'"));
	buf_release(&out);
	table_put(t);
}
END_TEST

static struct column_mask *mask_of(const char *function, const char *text)
{
	struct column_mask *m = mask_new(function, text ? 2 : 0);

	if (!text)
		return m;
	m->arguments[0].of_column = true;
	m->arguments[1].kind = TYPE_TEXT;
	ck_assert_int_eq(mask_set_value(&m->arguments[1], bytes_str(text)), 0);
	return m;
}

/* Masks in CREATE TABLE are what is described, but nothing that can be run. */
START_TEST(masks)
{
	struct table *t = small_table();
	struct buf out = BUF_INIT;

	ck_assert_int_eq(table_finish(t), 0);
	t->columns[1].mask = mask_of("f", "it's");
	cql_print_table(&out, t, CQL_PRINT_DESCRIBED);
	ck_assert(begins(&out, "CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n"
			 "    v text MASKED WITH system.f(null, 'it''s'),\n"
			 "    w text\n) WITH"));
	buf_clear(&out);
	cql_print_table(&out, t, 0);
	ck_assert(begins(&out, "CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n"
			 "    w text\n) WITH"));
	ck_assert_str_eq(strchr(buf_cstr(&out), ';') + 1,
			 "\nALTER TABLE ks.t ADD v text MASKED WITH "
			 "system.f(null, 'it''s');");
	buf_release(&out);
	table_put(t);
}
END_TEST

/* A table has counters from the beginning, or never. */
START_TEST(masks_of_counters)
{
	struct table *t = small_table();
	struct buf out = BUF_INIT;

	t->flags = TABLE_COUNTER;
	ck_assert_int_eq(table_finish(t), 0);
	t->columns[2].mask = mask_of("g", NULL);
	cql_print_table(&out, t, 0);
	ck_assert(begins(&out, "CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n"
			 "    v text\n) WITH"));
	t->columns[1].mask = mask_of("f", NULL);
	buf_clear(&out);
	cql_print_table(&out, t, 0);
	ck_assert(begins(&out, "CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n"
			 "    v text\n) WITH"));
	ck_assert_str_eq(strchr(buf_cstr(&out), ';') + 1,
			 "\nALTER TABLE ks.t ADD w text MASKED WITH "
			 "system.g();");
	buf_release(&out);
	table_put(t);
}
END_TEST

SUITE(print)
{
	TCase *tc = tcase_create("print");

	tcase_add_loop_test(tc, answers_of_describe_print_the_same, 0,
			    ARRAY_SIZE(files));
	tcase_add_test(tc, tables_with_internals);
	tcase_add_test(tc, a_compact_table_that_can_be_run);
	tcase_add_test(tc, masks);
	tcase_add_test(tc, masks_of_counters);
	suite_add_tcase(suite, tc);
}
