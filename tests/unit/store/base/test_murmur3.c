/* Tokens: the vectors of a real server. */
#include "store/base/murmur3.h"
#include "tests/unit/suite.h"

#define B(s) { (const uint8_t *)s, sizeof(s) - 1 }
static const struct { struct bytes key; int64_t token; } vectors[] = {
	{ B("123"), -7468325962851647638 }, { B("a"), -8839064797231613815 },
	{ B("abcdefgh"), -3708139591217214462 },
	{ B("\xfe\xfe\xfe\xfe\xfe\xfe\xfe\xfe"), -8927430733708461935 },
	{ B("\x10\x10\x10\x10\x10\x10\x10\x10"), 1446172840243228796 },
	{ B("cassandra"), 356242581507269238 },
	{ B("0123456789abcde"), -6472281833689111727 },
	{ B("0123456789abcdef"), 5467490433528156583 },
	{ B("9223372036854775807"), 7162290910810015547 },
	{ B("\0\0\0\0"), -3485513579396041028 },
	{ B("\0\0\0\1"), -4069959284402364209 },
	{ B("\xff\xff\xff\xff"), 7297452126230313552 },
	{ B("\0\0\0\x80"), -9081975895656599623 },
	{ B("\x80\0\0\0"), -420533958509279465 },
	{ B("\0\0\0\0\0\0\0\0"), 2945182322382062539 },
	{ B("\xff\xff\xff\xff\xff\xff\xff\xff"), 7071048584287372947 },
	{ B("\0"), 5048724184180415669 }, { B("\x80"), -5284281814142962636 },
	{ B("\xff"), -4442228696663692417 },
	{ B("\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89"), -7623170703309721106 },
	{ B("\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x00"),
	  4277286421682315655 },
	{ B("\0\5hello\0\0\4\0\0\0\x2a\0"), 7666157718303755816 },
	{ B("this is a longer test key for murmur3 hashing"),
	  -7889617755374116647 },
	{ B("Seattle"), 1515626995522033100 },
	{ B("\0\3USA\0\0\2VA\0\0\x9""Arlington\0"), -8549199751018699477 },
	{ B("\0\0\0\0\1x\0"), -3884662248573342722 },
	{ B(""), INT64_MIN },
};

START_TEST(a_key_has_its_token)
{
	ck_assert_int_eq(murmur3_token(vectors[_i].key), vectors[_i].token);
}
END_TEST

SUITE(murmur3)
{
	TCase *tc = tcase_create("tokens");

	tcase_add_loop_test(tc, a_key_has_its_token, 0,
			    (int)ARRAY_SIZE(vectors));
	suite_add_tcase(suite, tc);
}
