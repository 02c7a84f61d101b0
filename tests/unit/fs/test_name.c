/* Names: a value makes a legal file name, and comes back from it unchanged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "tests/unit/suite.h"

static const struct {
	const char *text, *name;
} pairs[] = {
	{ "plain", "plain" },
	{ "..", "%2E." },
	{ ".", "%2E" },
	{ "a/b", "a%2Fb" },
	{ "", "%" },
	{ "%", "%25" },
	{ "a%2Fb", "a%252Fb" },
	{ "a.json", "a%2Ejson" },
	{ "a.b.cql", "a.b%2Ecql" },
	{ ".json", "%2Ejson" },
	{ "a.csv.ndjson", "a.csv%2Endjson" },
	{ "@x", "%40x" },
	{ "x@y", "x@y" },
	{ "a\nb\x7f", "a%0Ab%7F" },
	{ "a,b", "a,b" },
	{ "\xc3\xbc", "\xc3\xbc" },
};

START_TEST(a_text_and_its_name)
{
	struct buf name = BUF_INIT, back = BUF_INIT;

	name_escape(&name, bytes_str(pairs[_i].text));
	ck_assert_str_eq(buf_cstr(&name), pairs[_i].name);
	/* The same where the text is, after something else. */
	buf_add_str(&back, "a.json");
	buf_add_str(&back, pairs[_i].text);
	name_escape_from(&back, 6);
	ck_assert_int_eq(memcmp(buf_cstr(&back), "a.json", 6), 0);
	ck_assert_str_eq(buf_cstr(&back) + 6, pairs[_i].name);
	buf_clear(&back);
	ck_assert(name_is_of(buf_bytes(&name), bytes_str(pairs[_i].text)));
	ck_assert_int_eq(name_unescape(&back, buf_bytes(&name)), 0);
	ck_assert_str_eq(buf_cstr(&back), pairs[_i].text);
	buf_release(&name);
	buf_release(&back);
}
END_TEST

static const struct {
	const char *text, *name;
} plain_pairs[] = {
	{ "todo", "todo" }, { "a.json", "a.json" }, { "@x", "@x" },
	{ ".todo.swp", ".todo.swp" }, { "a/b", "a%2Fb" }, { ".", "%2E" },
	{ "..", "%2E." }, { "...", "..." }, { "", "%" }, { "%", "%25" },
	{ "100%", "100%" }, { "%4", "%4" }, { "%41", "%2541" },
	{ "%zz", "%zz" }, { "a\nb", "a\nb" },
	{ "eight by", "eight by" }, { "eight/by eight/", "eight%2Fby eight%2F" },
	{ "seven %41", "seven %2541" }, { "1234567%20", "1234567%2520" },
	{ "%4%4%41%", "%4%4%2541%" }, { ".eight/bytes", ".eight%2Fbytes" },
	{ "0/1/2/3/4/5/6/7/8", "0%2F1%2F2%2F3%2F4%2F5%2F6%2F7%2F8" },
};

START_TEST(a_plain_text_and_its_name)
{
	struct buf name = BUF_INIT, back = BUF_INIT;

	name_escape_plain(&name, bytes_str(plain_pairs[_i].text));
	ck_assert_str_eq(buf_cstr(&name), plain_pairs[_i].name);
	ck_assert_int_eq(name_unescape_plain(&back, buf_bytes(&name)), 0);
	ck_assert_str_eq(buf_cstr(&back), plain_pairs[_i].text);
	buf_release(&name);
	buf_release(&back);
}
END_TEST

/* Any byte, at any place, between bytes that might change the result. */
START_TEST(a_byte_is_escaped_at_any_place)	/* _i: the place */
{
	static const char special[] = { 0, '/', '%' };
	static const char around[] = { 1, '.', '0', '$', '&', '\x80', '\xff',
				       '\xaf', '\xa5' };
	struct buf name = BUF_INIT;
	char text[24];
	size_t i, j;

	for (i = 0; i < sizeof(special); i++) {
		for (j = 0; j < sizeof(around); j++) {
			memset(text, around[j], sizeof(text));
			text[0] = 'x';
			text[_i] = special[i];
			/* An escape, if it is a percent. */
			text[_i + 1] = text[_i + 2] = 'a';
			buf_clear(&name);
			name_escape_plain(&name, bytes_of(text, sizeof(text)));
			ck_assert_uint_eq(name.len, sizeof(text) + 2);
			ck_assert_mem_eq(name.ptr, text, (size_t)_i);
			ck_assert_int_eq(name.ptr[_i], '%');
			ck_assert_mem_eq(name.ptr + _i + 3, text + _i + 1,
					 sizeof(text) - (size_t)_i - 1);
			text[_i] = 'a';
			buf_clear(&name);
			name_escape_plain(&name, bytes_of(text, sizeof(text)));
			ck_assert_uint_eq(name.len, sizeof(text));
			ck_assert_mem_eq(name.ptr, text, sizeof(text));
		}
	}
	buf_release(&name);
}
END_TEST


START_TEST(a_random_text_survives)	/* _i is the seed */
{
	static const char letters[] = "%/.,@~2Fjsonc\x01\x7f\xc3";
	struct buf name = BUF_INIT, back = BUF_INIT, again = BUF_INIT;
	unsigned seed = (unsigned)_i;
	uint8_t text[40];
	size_t i, len = (size_t)rand_r(&seed) % sizeof(text);

	for (i = 0; i < len; i++)
		text[i] = (uint8_t)letters[(size_t)rand_r(&seed) %
					   (sizeof(letters) - 1)];
	name_escape(&name, bytes_of(text, len));
	ck_assert(name_is_of(buf_bytes(&name), bytes_of(text, len)));
	ck_assert_int_eq(name_is_of(bytes_of(text, len), bytes_of(text, len)),
			 bytes_equal(buf_bytes(&name), bytes_of(text, len)));
	ck_assert_int_eq(name_unescape(&back, buf_bytes(&name)), 0);
	ck_assert(bytes_equal(buf_bytes(&back), bytes_of(text, len)));
	ck_assert(!memchr(name.ptr, '/', name.len));
	ck_assert(name.ptr[0] != '.' && name.ptr[0] != '@');
	name_escape(&again, buf_bytes(&back));
	ck_assert(bytes_equal(buf_bytes(&again), buf_bytes(&name)));
	buf_clear(&name);
	buf_clear(&back);
	name_escape_plain(&name, bytes_of(text, len));
	ck_assert_int_eq(name_unescape_plain(&back, buf_bytes(&name)), 0);
	ck_assert(bytes_equal(buf_bytes(&back), bytes_of(text, len)));
	buf_release(&name);
	buf_release(&back);
	buf_release(&again);
}
END_TEST

START_TEST(a_composite_key_is_one_name)
{
	struct bytes parts[3] = { bytes_str("a,b"), bytes_str(""),
				  bytes_str("@c.json") };
	struct bytes got[3];
	struct buf name = BUF_INIT;
	size_t i;

	for (i = 0; i < 3; i++)
		name_escape_part(&name, i, parts[i]);
	name_escape_end(&name, 0);
	ck_assert_str_eq(buf_cstr(&name), "a%2Cb,,@c%2Ejson");
	ck_assert_int_eq(name_split(got, 3, buf_bytes(&name)), 0);
	ck_assert(bytes_equal(got[1], BYTES_EMPTY));
	ck_assert_int_eq(name_split(got, 2, buf_bytes(&name)), -EINVAL);
	ck_assert_int_eq(name_split(got, 3, bytes_str("a,b")), -EINVAL);
	buf_release(&name);
}
END_TEST

START_TEST(a_long_name_is_cut_between_characters)
{
	struct buf name = BUF_INIT;
	int i;

	for (i = 0; i < 255; i++)
		buf_add_byte(&name, 'a');
	name_shorten(&name);
	ck_assert_uint_eq(name.len, 255);
	ck_assert(!name_is_shortened(buf_bytes(&name)));
	buf_clear(&name);
	buf_add_str(&name, "ab");
	for (i = 0; i < 100; i++)
		buf_add_str(&name, "%2F");
	name_shorten(&name);
	/* 2 + 78 * 3 = 236: one more escape would not fit in 237. */
	ck_assert_uint_eq(name.len, 236 + 18);
	ck_assert(name_is_shortened(buf_bytes(&name)));
	buf_clear(&name);
	for (i = 0; i < 300; i++)
		buf_add_str(&name, "\xc3\xbc");
	name_shorten(&name);
	ck_assert_uint_eq(name.len, 236 + 18);
	ck_assert(name_is_shortened(buf_bytes(&name)));
	buf_release(&name);
}
END_TEST

/* With the suffix of a document and without; one of 252 bytes leaves no room for
 * it. */
START_TEST(a_long_text_has_one_name)
{
	struct buf text = BUF_INIT, name = BUF_INIT;
	size_t i, room;

	for (i = 0; i < 300; i++) {
		buf_add_byte(&text, i % 50 ? 'a' : '/');
		name_of_text(&name, buf_bytes(&text));
		ck_assert_uint_le(name.len, NAME_MAX_LEN);
		ck_assert(name_is_of(buf_bytes(&name), buf_bytes(&text)));
		ck_assert(!name_is_of(buf_bytes(&name),
				      bytes_of(text.ptr, text.len - 1)));
		name_shorten_for(&name, 5);
		ck_assert_uint_le(name.len, NAME_MAX_LEN - 5);
		ck_assert(name_is_of_for(buf_bytes(&name), buf_bytes(&text),
					 5));
		room = name_is_shortened(buf_bytes(&name)) ? 5 : 0;
		ck_assert_int_eq(name_is_of(buf_bytes(&name), buf_bytes(&text)),
				 !room);
	}
	ck_assert_uint_eq(room, 5);
	buf_release(&text);
	buf_release(&name);
}
END_TEST

static const struct {
	const char *name, *base;	/* base NULL: not one */
} scratch[] = {
	{ ".country.aB3xYz", "country" }, { ".country.swp", "country" },
	{ ".country.5kv5r_hs", "country" },
	{ ".country.swx", "country" }, { "country~", "country" },
	{ "#country#", "country" }, { "country.tmp", "country" },
	{ "country.tmp.1234", "country" }, { "country.bak", "country" },
	{ "sedAbC123", "" }, { "4913", "" }, { ".#country", "country" },
	{ ".schema.cql.a1B2c3", "schema.cql" }, { "country.~1~", "country" },
	{ "country.oaB3xYz", "country" }, { "country.r123456", "country" },
	{ "country.orig", "country" }, { "country.rej", "country" },
	{ "country-journal", "country" }, { "country-wal", "country" },
	{ "country-shm", "country" }, { "tmpa1_bc2de", "" },
	{ "country.save", "country" }, { "country.save.12", "country" },
	{ ".save", NULL }, { "save.1", NULL },
	{ ".~lock.country#", "country" }, { ".~lock.#", NULL },
	{ ".country.kate-swp", "country" }, { ".kate-swp", NULL },
	{ "-journal", NULL }, { "tmpa1_bc2d", NULL }, { "tmpA1_bc2de", NULL },
	{ "tmp_columns_of", NULL }, { "country-journals", NULL },
	{ ".orig", NULL }, { "country.original", NULL },
	{ "country.o12345", NULL },
	{ "agee", NULL }, { ".country", NULL }, { "sed12", NULL },
	{ ".a.b c", NULL }, { "~", NULL }, { "##", NULL },
};

START_TEST(names_of_temporary_files_are_recognised)
{
	struct bytes base;
	bool is = name_is_scratch(bytes_str(scratch[_i].name), &base);

	ck_assert_int_eq(is, scratch[_i].base != NULL);
	if (is)
		ck_assert(bytes_equal(base, bytes_str(scratch[_i].base)));
}
END_TEST

START_TEST(a_name_of_rsync_is_its_own)
{
	static const char *const others[] = {
		".a.swp", ".a.AbCdEfGh", "a.oAbCdEf", ".AbCdEf", "..AbCdEf",
		".a.AbC_Ef", "xa.AbCdEf", "",
	};
	size_t i;

	ck_assert(name_is_of_rsync(bytes_str(".a.AbCdEf")));
	ck_assert(name_is_of_rsync(bytes_str(".a.json.1b2C3d")));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_msg(!name_is_of_rsync(bytes_str(others[i])), "%s",
			      others[i]);
}
END_TEST

SUITE(name)
{
	TCase *tc = tcase_create("name");

	tcase_add_loop_test(tc, a_text_and_its_name, 0, ARRAY_SIZE(pairs));
	tcase_add_loop_test(tc, a_plain_text_and_its_name, 0,
			    ARRAY_SIZE(plain_pairs));
	tcase_add_loop_test(tc, a_byte_is_escaped_at_any_place, 1, 21);
	tcase_add_loop_test(tc, a_random_text_survives, 0, test_scale(500));
	tcase_add_test(tc, a_name_of_rsync_is_its_own);
	tcase_add_test(tc, a_composite_key_is_one_name);
	tcase_add_test(tc, a_long_name_is_cut_between_characters);
	tcase_add_test(tc, a_long_text_has_one_name);
	tcase_add_loop_test(tc, names_of_temporary_files_are_recognised, 0,
			    ARRAY_SIZE(scratch));
	suite_add_tcase(suite, tc);
}
