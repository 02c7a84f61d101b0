/* The catalogue's records: there and back, their bytes, and damaged ones. */
#include "store/schema/catalog.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/schema/mask.h"
#include "store/schema/options.h"
#include "store/schema/schema.h"
#include "store/schema/schema_edit.h"
#include "store/schema/table_edit.h"
#include "tests/unit/suite.h"

static void ignore(void *context, enum log_level level, const char *line)
{
	(void)context, (void)level, (void)line;
}

static struct type *address(void)
{
	char *names[] = { "street", "Zip" };
	struct type *types[] = { type_native(TYPE_TEXT),
				 type_native(TYPE_INT) };

	return type_new_udt("ks", "address", false, names, types, 2);
}

static struct keyspace *keyspace_of_all(void)
{
	struct keyspace *k = keyspace_new("ks");
	struct schema empty = { .references = 1 }, *s = schema_copy(&empty);

	keyspace_set_replication(k, "class", "SimpleStrategy");
	keyspace_set_replication(k, "replication_factor", "3");
	k->uid = 1000;
	k->gid = 70000;
	k->mode = 0750;
	k->created_us = -5;
	k->durable_writes = false;
	ck_assert_int_eq(schema_set_keyspace(s, k), 0);
	ck_assert_int_eq(schema_set_type(s, bytes_str("ks"), address()), 0);
	k = keyspace_get(s->keyspaces[0]);
	schema_put(s);
	return k;
}

/* f(7, null), where the null is of the column's type. */
static struct column_mask *mask_of_all(void)
{
	struct column_mask *m = mask_new("f", 2);

	m->arguments[0].kind = TYPE_INT;
	m->arguments[1].of_column = true;
	ck_assert_int_eq(mask_set_value(&m->arguments[0],
					bytes_of("\0\0\0\7", 4)), 0);
	return m;
}

static struct table *table_of_all(void)
{
	struct table *t = table_new("ks", "users");
	struct property mode = { "mode", "CONTAINS" };
	struct index index = { "by_v", INDEX_SASI, INDEX_SIMPLE, 4, 18, "SASI",
			       &mode, 1, true };
	struct type *udt = address(), *element = type_frozen(udt);

	type_put(udt);
	memcpy(t->id, "0123456789abcdef", 16);
	t->number = 17;
	t->flags = TABLE_PROVISIONAL | TABLE_WAS_FLAT;
	t->uid = 1;
	t->gid = 2;
	t->mode = 0777;
	t->created_us = 1234567890123456;
	table_add_column(t, "k", type_native(TYPE_INT), COLUMN_PARTITION_KEY,
			 false);
	table_add_column(t, "c", type_native(TYPE_DECIMAL), COLUMN_CLUSTERING,
			 true);
	table_add_column(t, "s", type_new(TYPE_LIST, false, &element, 1),
			 COLUMN_STATIC, false);
	table_add_column(t, "gone", type_native(TYPE_TEXT), COLUMN_REGULAR,
			 false);
	table_add_column(t, "v", type_native(TYPE_TEXT), COLUMN_REGULAR, false);
	ck_assert_int_eq(table_add_index(t, &index), 0);
	ck_assert_int_eq(table_drop_column(t, 3, 99), 0);
	ck_assert_int_eq(table_finish(t), 0);
	t->columns[3].mask = mask_of_all();
	options_set(&t->options.extensions, &t->options.extension_count, "e",
		    "0xff");
	t->options.bloom_filter_fp_chance = 0.1;
	t->options.cdc = 1;
	return t;
}

static void check_table(const struct table *a, const struct table *b)
{
	uint32_t i;

	ck_assert_mem_eq(a->id, b->id, 16);
	ck_assert_uint_eq(a->number, b->number);
	ck_assert_uint_eq(a->next_number, b->next_number);
	ck_assert_int_eq(a->created_us, b->created_us);
	ck_assert_uint_eq(a->static_count, b->static_count);
	ck_assert_uint_eq(a->column_count, b->column_count);
	for (i = 0; i < a->column_count; i++) {
		ck_assert_str_eq(a->columns[i].name, b->columns[i].name);
		ck_assert(type_equal(a->columns[i].type, b->columns[i].type));
		ck_assert_uint_eq(a->columns[i].number, b->columns[i].number);
		ck_assert(a->columns[i].reversed == b->columns[i].reversed);
	}
	ck_assert(!b->columns[2].mask);
	ck_assert_str_eq(b->columns[3].mask->function, "f");
	ck_assert_uint_eq(b->columns[3].mask->argument_count, 2);
	ck_assert_uint_eq(b->columns[3].mask->arguments[0].kind, TYPE_INT);
	ck_assert_uint_eq(b->columns[3].mask->arguments[0].value_len, 4);
	ck_assert(b->columns[3].mask->arguments[1].of_column);
	ck_assert_ptr_null(b->columns[3].mask->arguments[1].value);
	ck_assert_int_eq(b->dropped[0].dropped_us, 99);
	ck_assert_str_eq(b->dropped[0].name, "gone");
	ck_assert_str_eq(b->indexes[0].options[0].value, "CONTAINS");
	ck_assert_uint_eq(b->indexes[0].column, a->indexes[0].column);
	ck_assert(b->indexes[0].building);
	ck_assert(b->options.bloom_filter_fp_chance == 0.1);
	ck_assert_str_eq(b->options.extensions[0].value, "0xff");
}

START_TEST(definitions_are_decoded_as_they_were)
{
	struct keyspace *k = keyspace_of_all(), *k2;
	struct table *t = table_of_all(), *t2;
	struct buf a = BUF_INIT, b = BUF_INIT;

	catalog_encode_keyspace(&a, k);
	ck_assert_int_eq(catalog_decode_keyspace(&k2, buf_bytes(&a)), 0);
	catalog_encode_keyspace(&b, k2);
	ck_assert(bytes_equal(buf_bytes(&a), buf_bytes(&b)));
	ck_assert(!k2->durable_writes && k2->gid == 70000);
	ck_assert_int_eq(k2->created_us, -5);
	ck_assert(type_equal(k2->types[0].type, k->types[0].type));
	buf_clear(&a);
	buf_clear(&b);
	catalog_encode_table(&a, t);
	ck_assert_int_eq(catalog_decode_table(&t2, buf_bytes(&a)), 0);
	check_table(t, t2);
	catalog_encode_table(&b, t2);
	ck_assert(bytes_equal(buf_bytes(&a), buf_bytes(&b)));
	keyspace_put(k);
	keyspace_put(k2);
	table_put(t);
	table_put(t2);
	buf_release(&a);
	buf_release(&b);
}
END_TEST

/* The format is on disk: if this fails, old stores do not open any more. */
START_TEST(the_bytes_of_a_keyspace)
{
	static const uint8_t golden[] =
		"\3" "\2ks" "\0" "\0" "\xe8\7" "\xf0\xa2\4" "\xe8\3" "\x9"
		"\2" "\5class" "\016SimpleStrategy"
		"\22replication_factor" "\1" "3"
		"\1" "\x19" "\0" "\2" "\2ks" "\7address" "\6street" "\xd"
		"\3Zip" "\xb";
	struct keyspace *k = keyspace_of_all();
	struct buf out = BUF_INIT;

	catalog_encode_keyspace(&out, k);
	ck_assert_uint_eq(out.len, sizeof(golden) - 1);
	ck_assert_mem_eq(out.ptr, golden, out.len);
	buf_release(&out);
	keyspace_put(k);
}
END_TEST

START_TEST(the_bytes_of_a_table)
{
	static const uint8_t golden[] =
		"\3" "\2ks" "\5users" "0123456789abcdef" "\x11" "\50" "\1" "\2"
		"\xff\3" "\x80\xeb\xd5\xc8\xa7\xb5\xb1\4"
		"\x15" "\4"
		"\1k" "\0" "\x10" "\0" "\0" "\xb"
		"\1" "c" "\1" "\x11" "\1" "\0" "\6"
		"\1s" "\2" "\x12" "\0" "\0"
		"\x15" "\0" "\1" "\x19" "\1" "\2" "\2ks" "\7address"
		"\6street" "\xd" "\3Zip" "\xb"
		"\1v" "\3" "\x14" "\0" "\0" "\xd"
		"\1" "\4gone" "\3" "\x13" "\xc6\1" "\xd"
		"\1" "\4by_v" "\1" "\4" "\3" "\x12" "\1" "\4SASI"
		"\1" "\4mode" "\10CONTAINS" "\1"
		"\0" "\00399p" "\00399p" "\0" "\10BLOCKING"
		"\x9a\x99\x99\x99\x99\x99\xb9\x3f" "\0\0\0\0\0\0\xf0\x3f"
		"\0" "\x80\xbc\x69" "\x80\x20" "\x80\2" "\0" "\2" "\1" "\1"
		"\2" "\4keys" "\3ALL" "\022rows_per_partition" "\4NONE"
		"\3" "\5class" "\77org.apache.cassandra.db.compaction."
		"SizeTieredCompactionStrategy"
		"\15max_threshold" "\2" "32" "\15min_threshold" "\1" "4"
		"\2" "\22chunk_length_in_kb" "\2" "16" "\5class"
		"\56org.apache.cassandra.io.compress.LZ4Compressor"
		"\1" "\1" "e" "\4" "0xff"
		"\1" "\3" "\1" "f" "\2" "\xc" "\1" "\4" "\0\0\0\7" "\0" "\0";
	struct table *t = table_of_all();
	struct buf out = BUF_INIT;

	catalog_encode_table(&out, t);
	ck_assert_mem_eq(out.ptr, golden, sizeof(golden) - 1);
	ck_assert_uint_eq(out.len, sizeof(golden) - 1);
	buf_release(&out);
	table_put(t);
}
END_TEST

static int error_of(struct bytes damaged)
{
	return damaged.len && damaged.ptr[0] > 3 ? -EPROTONOSUPPORT : -EUCLEAN;
}

/* Exactly as much memory as there are bytes, so that a read past them shows. */
static void decode_both(struct bytes bytes)
{
	uint8_t *copy = malloc(bytes.len ? bytes.len : 1);
	struct keyspace *k;
	struct table *t;
	struct buf out = BUF_INIT;
	int err;

	memcpy(copy, bytes.ptr, bytes.len);
	err = catalog_decode_keyspace(&k, bytes_of(copy, bytes.len));
	if (!err) {
		catalog_encode_keyspace(&out, k);
		keyspace_put(k);
	} else {
		ck_assert_int_eq(err, error_of(bytes));
	}
	err = catalog_decode_table(&t, bytes_of(copy, bytes.len));
	if (!err) {
		ck_assert_uint_ge(t->partition_key_count, 1);
		catalog_encode_table(&out, t);
		table_put(t);
	} else {
		ck_assert_int_eq(err, error_of(bytes));
	}
	buf_release(&out);
	free(copy);
}

static void encode(struct buf *out, int which)
{
	struct keyspace *k;
	struct table *t;

	if (which) {
		t = table_of_all();
		catalog_encode_table(out, t);
		table_put(t);
	} else {
		k = keyspace_of_all();
		catalog_encode_keyspace(out, k);
		keyspace_put(k);
	}
}

static void encode_without_masks(struct buf *out)
{
	struct table *t = table_of_all();

	mask_put(t->columns[3].mask);
	t->columns[3].mask = NULL;
	catalog_encode_table(out, t);
	table_put(t);
	out->len--;
}

/* A table that has no masks at its end is of version 1 or 2. */
START_TEST(the_version_of_the_schema)	/* _i: of a table with masks, without, or a keyspace */
{
	struct buf b = BUF_INIT;
	struct keyspace *k = NULL;
	struct table *t = NULL;
	int version, err;

	log_set_sink(ignore, NULL);
	if (_i == 2)
		encode_without_masks(&b);
	else
		encode(&b, _i);
	for (version = 0; version < 256; version++) {
		b.ptr[0] = (uint8_t)version;
		err = _i ? catalog_decode_table(&t, buf_bytes(&b)) :
			   catalog_decode_keyspace(&k, buf_bytes(&b));
		ck_assert_int_eq(err, version > 3 ? -EPROTONOSUPPORT :
				 !version || (_i && (_i == 1) != (version == 3)) ?
				 -EUCLEAN : 0);
		if (err)
			continue;
		keyspace_put(k);
		if (t)
			table_put(t);
		k = NULL;
		t = NULL;
	}
	buf_release(&b);
}
END_TEST

/* Definitions that no program wrote, in valid encodings. */
START_TEST(impossible_definitions_are_refused)
{
	struct keyspace *k = keyspace_of_all(), *k2;
	struct table *t = table_of_all(), *t2;
	struct buf b = BUF_INIT;

	log_set_sink(ignore, NULL);
	t->flags |= TABLE_VIRTUAL;
	catalog_encode_table(&b, t);
	ck_assert_int_eq(catalog_decode_table(&t2, buf_bytes(&b)), -EUCLEAN);
	t->flags = 64;
	buf_clear(&b);
	catalog_encode_table(&b, t);
	ck_assert_int_eq(catalog_decode_table(&t2, buf_bytes(&b)), -EUCLEAN);
	t->flags = 0;
	t->created_us = INT64_MAX / 1000 + 1;
	buf_clear(&b);
	catalog_encode_table(&b, t);
	ck_assert_int_eq(catalog_decode_table(&t2, buf_bytes(&b)), -EUCLEAN);
	t->created_us = 0;
	t->columns[3].mask->arguments[0].value_len = 3;	/* no int */
	buf_clear(&b);
	catalog_encode_table(&b, t);
	ck_assert_int_eq(catalog_decode_table(&t2, buf_bytes(&b)), -EUCLEAN);
	t->columns[3].mask->arguments[0].kind = TYPE_LIST;
	buf_clear(&b);
	catalog_encode_table(&b, t);
	ck_assert_int_eq(catalog_decode_table(&t2, buf_bytes(&b)), -EUCLEAN);
	k->created_us = INT64_MIN;
	buf_clear(&b);
	catalog_encode_keyspace(&b, k);
	ck_assert_int_eq(catalog_decode_keyspace(&k2, buf_bytes(&b)), -EUCLEAN);
	buf_release(&b);
	keyspace_put(k);
	table_put(t);
}
END_TEST

START_TEST(a_cut_record_is_refused)
{
	struct buf b = BUF_INIT;
	struct keyspace *k;
	struct table *t;
	size_t len;

	log_set_sink(ignore, NULL);
	encode(&b, _i);
	for (len = 0; len < b.len; len++) {
		decode_both(bytes_of(b.ptr, len));
		ck_assert_int_eq(catalog_decode_table(&t,
				bytes_of(b.ptr, len)), -EUCLEAN);
		ck_assert_int_eq(catalog_decode_keyspace(&k,
				bytes_of(b.ptr, len)), -EUCLEAN);
	}
	buf_add_byte(&b, 0);
	ck_assert_int_eq(catalog_decode_table(&t, buf_bytes(&b)), -EUCLEAN);
	buf_release(&b);
}
END_TEST

START_TEST(a_flipped_bit_does_no_harm)
{
	struct buf b = BUF_INIT;
	size_t i;

	log_set_sink(ignore, NULL);
	encode(&b, _i);
	for (i = 0; i < b.len * 8; i++) {
		b.ptr[i / 8] ^= (uint8_t)(1 << i % 8);
		decode_both(buf_bytes(&b));
		b.ptr[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	for (i = 0; i < b.len; i++) {
		uint8_t was = b.ptr[i];

		b.ptr[i] = 0xff;
		decode_both(buf_bytes(&b));
		b.ptr[i] = was;
	}
	buf_release(&b);
}
END_TEST

START_TEST(without_memory_nothing_leaks)
{
	struct buf b = BUF_INIT;
	struct table *t;
	long n;
	int err = -1;

	log_set_sink(ignore, NULL);
	encode(&b, 1);
	for (n = 1; err; n++) {
		mem_fail_at(n, 0);
		err = catalog_decode_table(&t, buf_bytes(&b));
		mem_fail_at(0, 0);
		ck_assert(!err || err == -ENOMEM || err == -EUCLEAN);
	}
	ck_assert_int_gt(n, 20);
	table_put(t);
	buf_release(&b);
}
END_TEST

SUITE(catalog)
{
	TCase *tc = tcase_create("catalog");

	tcase_add_test(tc, definitions_are_decoded_as_they_were);
	tcase_add_test(tc, the_bytes_of_a_keyspace);
	tcase_add_test(tc, the_bytes_of_a_table);
	tcase_add_loop_test(tc, the_version_of_the_schema, 0, 3);
	tcase_add_test(tc, impossible_definitions_are_refused);
	tcase_add_loop_test(tc, a_cut_record_is_refused, 0, 2);
	tcase_add_loop_test(tc, a_flipped_bit_does_no_harm, 0, 2);
	tcase_add_test(tc, without_memory_nothing_leaks);
	suite_add_tcase(suite, tc);
}
