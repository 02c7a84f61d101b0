/* The tree of types: how it is printed, compared, changed, kept on disk. */
#include "store/type/type.h"

#include "store/base/alloc.h"
#include "store/type/native.h"
#include "tests/unit/suite.h"

static struct type *native(enum type_kind kind)
{
	return type_native(kind);
}

static struct type *list_of(struct type *element, bool frozen)
{
	return type_new(TYPE_LIST, frozen, &element, 1);
}

static struct type *map_of(struct type *key, struct type *value, bool frozen)
{
	struct type *parts[] = { key, value };

	return type_new(TYPE_MAP, frozen, parts, 2);
}

static struct type *address(bool frozen)
{
	char *names[] = { "street", "Zip", "set" };
	struct type *types[] = { native(TYPE_TEXT), native(TYPE_INT),
				 list_of(native(TYPE_UUID), true) };

	return type_new_udt("ks", "Address", frozen, names, types, 3);
}

/* map<text, frozen<tuple<vector<float, 3>, frozen<"Address">>>> */
static struct type *deep(void)
{
	struct type *parts[2];

	parts[0] = type_new_vector(native(TYPE_FLOAT), 3);
	parts[1] = address(true);
	return map_of(native(TYPE_TEXT), type_new(TYPE_TUPLE, true, parts, 2),
		      false);
}

static void assert_printed(struct type *t, bool say_frozen, const char *text)
{
	struct buf out = BUF_INIT;

	ck_assert_ptr_nonnull(t);
	type_print(&out, t, say_frozen);
	ck_assert_str_eq(buf_cstr(&out), text);
	buf_release(&out);
}

START_TEST(a_type_is_printed)
{
	struct type *t = deep(), *l = list_of(map_of(native(TYPE_INT),
				native(TYPE_TEXT), true), true);

	assert_printed(t, true, "map<text, frozen<tuple<vector<float, 3>, "
		       "frozen<\"Address\">>>>");
	assert_printed(t, false,
		       "map<text, tuple<vector<float, 3>, \"Address\">>");
	assert_printed(l, true, "frozen<list<frozen<map<int, text>>>>");
	assert_printed(l, false, "list<map<int, text>>");
	type_put(t);
	type_put(l);
}
END_TEST

static const struct { const char *name, *printed; } identifiers[] = {
	{ "a_1", "a_1" }, { "A", "\"A\"" }, { "a\"b", "\"a\"\"b\"" },
	{ "1a", "\"1a\"" }, { "_a", "\"_a\"" }, { "select", "\"select\"" },
	{ "true", "\"true\"" }, { "key", "key" }, { "\xc3\xa9", "\"\xc3\xa9\"" },
	{ "a b", "\"a b\"" }, { "", "\"\"" },
};

START_TEST(an_identifier_is_quoted_where_it_must)
{
	struct buf out = BUF_INIT;

	type_print_identifier(&out, identifiers[_i].name);
	ck_assert_str_eq(buf_cstr(&out), identifiers[_i].printed);
	buf_release(&out);
}
END_TEST

START_TEST(every_native_type_has_its_name)
{
	int kind;

	for (kind = 0; kind < TYPE_KIND_COUNT; kind++) {
		struct bytes name = bytes_str(type_kind_name(kind));

		ck_assert(!!native_types[kind] == kind_is_native(kind));
		if (!native_types[kind])
			continue;
		ck_assert_int_eq(type_native(kind)->kind, kind);
		ck_assert_int_eq(type_kind_by_name(name),
				 kind == TYPE_EMPTY ? -1 : kind);
		ck_assert_ptr_eq(type_get(type_native(kind)),
				 type_native(kind));
		type_put(type_native(kind));
	}
	ck_assert_int_eq(type_kind_by_name(bytes_str("varchar")), TYPE_TEXT);
	ck_assert_int_eq(type_kind_by_name(bytes_str("list")), -1);
	ck_assert_int_eq(type_kind_by_name(bytes_str("Int")), -1);
}
END_TEST

START_TEST(equal_types)
{
	struct type *a = deep(), *b = deep(), *f = type_frozen(a);
	struct type *u = type_unfrozen(f), *v, *w;

	ck_assert(type_equal(a, b) && type_equal(u, a));
	ck_assert(!type_equal(a, f) && type_equal_but_frozen(a, f));
	ck_assert(type_is_multicell(a) && !type_is_multicell(f));
	ck_assert_ptr_eq(type_frozen(f), f);
	ck_assert_ptr_eq(type_unfrozen(a), a);
	v = type_new_vector(native(TYPE_INT), 2);
	w = type_new_vector(native(TYPE_INT), 3);
	ck_assert(!type_equal(v, w) && !type_equal(v, native(TYPE_INT)));
	ck_assert(type_uses_udt(a, "ks", "Address"));
	ck_assert(!type_uses_udt(a, "other", "Address"));
	ck_assert(!type_uses_udt(a, "ks", "address"));
	ck_assert(type_contains_kind(a, TYPE_UUID));
	ck_assert(!type_contains_kind(a, TYPE_BLOB));
	ck_assert_uint_eq(a->depth, 5);
	type_put(a);
	type_put(a);	/* what type_unfrozen gave */
	type_put(b);
	type_put(f);
	type_put(f);
	type_put(u);
	type_put(v);
	type_put(w);
}
END_TEST

START_TEST(freezing_goes_deep_unfreezing_does_not)
{
	struct type *l = list_of(list_of(native(TYPE_INT), false), false);
	struct type *f = type_frozen(l), *u = type_unfrozen(f);

	assert_printed(f, true, "frozen<list<frozen<list<int>>>>");
	assert_printed(u, true, "list<frozen<list<int>>>");
	assert_printed(l, true, "list<list<int>>");
	type_put(l);
	type_put(f);
	type_put(u);
}
END_TEST

START_TEST(fixed_lengths)
{
	struct type *v = type_new_vector(native(TYPE_FLOAT), 3);
	struct type *s = type_new_vector(native(TYPE_SMALLINT), 3);
	struct type *vv = type_new_vector(type_get(v), 5);

	ck_assert_uint_eq(type_fixed_length(native(TYPE_TIMEUUID)), 16);
	ck_assert_uint_eq(type_fixed_length(native(TYPE_SMALLINT)), 2);
	ck_assert_uint_eq(type_fixed_length(native(TYPE_TEXT)), 0);
	ck_assert_uint_eq(type_fixed_length(v), 12);
	ck_assert_uint_eq(type_fixed_length(vv), 60);
	ck_assert_uint_eq(type_fixed_length(s), 0);
	type_put(v);
	type_put(s);
	type_put(vv);
}
END_TEST

START_TEST(a_type_survives_the_catalogue)
{
	struct type *t = deep(), *back;
	struct buf out = BUF_INIT;
	struct reader r;
	size_t len;

	type_encode(&out, t);
	r = reader_of(buf_bytes(&out));
	back = type_decode(&r);
	ck_assert(back && !reader_left(&r) && type_equal(t, back));
	ck_assert_uint_eq(back->depth, t->depth);
	type_put(back);
	for (len = 0; len < out.len; len++) {	/* cut anywhere it is damage */
		char *cut = mem_copy(out.ptr, len);

		r = reader_of(bytes_of(cut, len));
		ck_assert_ptr_null(type_decode(&r));
		mem_free(cut);
	}
	type_put(t);
	buf_release(&out);
}
END_TEST

START_TEST(damage_to_a_type_is_harmless)	/* _i is the seed */
{
	struct type *t = deep(), *back;
	struct buf out = BUF_INIT;
	struct reader r;
	unsigned seed = (unsigned)_i;
	int n;

	type_encode(&out, t);
	for (n = 0; n < 3; n++) {
		seed = seed * 1103515245 + 12345;
		out.ptr[(seed >> 8) % out.len] = (uint8_t)(seed >> 20);
	}
	r = reader_of(buf_bytes(&out));
	back = type_decode(&r);
	type_put(back);
	type_put(t);
	buf_release(&out);
}
END_TEST

START_TEST(too_deep_a_type_is_refused)
{
	struct type *t = native(TYPE_INT), *back;
	struct buf out = BUF_INIT;
	struct reader r;
	int i;

	for (i = 1; i < TYPE_DEPTH_MAX; i++)
		t = list_of(t, true);
	type_encode(&out, t);
	r = reader_of(buf_bytes(&out));
	back = type_decode(&r);
	ck_assert(back && back->depth == TYPE_DEPTH_MAX);
	type_put(back);
	t = list_of(t, true);
	buf_clear(&out);
	type_encode(&out, t);
	r = reader_of(buf_bytes(&out));
	ck_assert_ptr_null(type_decode(&r));
	type_put(t);
	buf_release(&out);
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
	struct type *t = deep(), *copy = NULL;
	struct buf out = BUF_INIT;
	long n;

	type_encode(&out, t);
	for (n = 1; !copy; n++) {
		struct reader r = reader_of(buf_bytes(&out));

		mem_fail_at(n, 0);
		copy = type_decode(&r);
		mem_fail_at(0, 0);
	}
	ck_assert_int_gt(n, 10);
	type_put(copy);
	for (n = 1, copy = NULL; !copy; n++) {
		mem_fail_at(n, 0);
		copy = type_frozen(t);
		mem_fail_at(0, 0);
	}
	ck_assert_int_gt(n, 2);
	type_put(copy);
	type_put(t);
	buf_release(&out);
}
END_TEST

SUITE(type)
{
	TCase *tc = tcase_create("type");

	tcase_add_test(tc, a_type_is_printed);
	tcase_add_loop_test(tc, an_identifier_is_quoted_where_it_must, 0,
			    (int)ARRAY_SIZE(identifiers));
	tcase_add_test(tc, every_native_type_has_its_name);
	tcase_add_test(tc, equal_types);
	tcase_add_test(tc, freezing_goes_deep_unfreezing_does_not);
	tcase_add_test(tc, fixed_lengths);
	tcase_add_test(tc, a_type_survives_the_catalogue);
	tcase_add_loop_test(tc, damage_to_a_type_is_harmless, 0, 300);
	tcase_add_test(tc, too_deep_a_type_is_refused);
	tcase_add_test(tc, every_failed_allocation_is_survived);
	suite_add_tcase(suite, tc);
}
