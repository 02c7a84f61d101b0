/* Text, blobs, UUIDs, addresses; the text of every native type at random. */
#include <errno.h>

#include "store/type/native.h"
#include "store/type/text/cql_constant.h"
#include "store/type/text/text.h"
#include "store/type/value.h"
#include "tests/lib/native.h"
#include "tests/unit/suite.h"

static const struct native_case cases[] = {
	{ TYPE_TEXT, LITERAL_STRING, "", "", "" },
	{ TYPE_TEXT, LITERAL_STRING, "a", "61", "a" },
	{ TYPE_TEXT, LITERAL_STRING, "A", "41", "A" },
	{ TYPE_TEXT, LITERAL_STRING, "it's", "69742773", "it's" },
	{ TYPE_TEXT, LITERAL_STRING, "'", "27", "'" },
	{ TYPE_TEXT, LITERAL_STRING, "''", "2727", "''" },
	{ TYPE_TEXT, LITERAL_STRING, "\"", "22", "\"" },
	{ TYPE_TEXT, LITERAL_STRING, "\"\"", "2222", "\"\"" },
	{ TYPE_TEXT, LITERAL_STRING, "\\", "5c", "\\" },
	{ TYPE_TEXT, LITERAL_STRING, "\\n", "5c6e", "\\n" },
	{ TYPE_TEXT, LITERAL_STRING, "a\nb", "610a62", "a\nb" },
	{ TYPE_TEXT, LITERAL_STRING, "tab\there", "7461620968657265", "tab\there" },
	{ TYPE_TEXT, LITERAL_STRING, "\303\251", "c3a9", "\303\251" },
	{ TYPE_TEXT, LITERAL_STRING, "\346\227\245\346\234\254\350\252\236",
	  "e697a5e69cace8aa9e", "\346\227\245\346\234\254\350\252\236" },
	{ TYPE_TEXT, LITERAL_STRING, "\360\237\230\200", "f09f9880", "\360\237\230\200" },
	{ TYPE_TEXT, LITERAL_STRING, "\314\201e", "cc8165", "\314\201e" },
	{ TYPE_TEXT, LITERAL_STRING, "\303\237", "c39f", "\303\237" },
	{ TYPE_TEXT, LITERAL_STRING, "\302\240", "c2a0", "\302\240" },
	{ TYPE_TEXT, LITERAL_STRING, "\342\200\250", "e280a8", "\342\200\250" },
	{ TYPE_TEXT, LITERAL_STRING, "\357\273\277", "efbbbf", "\357\273\277" },
	{ TYPE_TEXT, LITERAL_STRING, "\177", "7f", "\177" },
	{ TYPE_TEXT, LITERAL_STRING, "\001", "01", "\001" },
	{ TYPE_TEXT, LITERAL_STRING, "/", "2f", "/" },
	{ TYPE_TEXT, LITERAL_STRING, "%", "25", "%" },
	{ TYPE_TEXT, LITERAL_STRING, "$$", "2424", "$$" },
	{ TYPE_TEXT, LITERAL_STRING, "-- no comment",
	  "2d2d206e6f20636f6d6d656e74", "-- no comment" },
	{ TYPE_TEXT, LITERAL_STRING, "/* no */", "2f2a206e6f202a2f", "/* no */" },
	{ TYPE_TEXT, LITERAL_STRING, "; x", "3b2078", "; x" },
	{ TYPE_TEXT, LITERAL_STRING, "a''b", "61272762", "a''b" },
	{ TYPE_TEXT, LITERAL_STRING, "a\"b", "612262", "a\"b" },
	{ TYPE_TEXT, LITERAL_STRING, "a$b", "612462", "a$b" },
	{ TYPE_TEXT, LITERAL_STRING, ";", "3b", ";" },
	{ TYPE_TEXT, LITERAL_STRING, "null", "6e756c6c", "null" },
	{ TYPE_TEXT, LITERAL_STRING, " ", "20", " " },
	{ TYPE_TEXT, LITERAL_STRING, " a ", "206120", " a " },
	{ TYPE_ASCII, LITERAL_STRING, "", "", "" },
	{ TYPE_ASCII, LITERAL_STRING, "a", "61", "a" },
	{ TYPE_ASCII, LITERAL_STRING, "A", "41", "A" },
	{ TYPE_ASCII, LITERAL_STRING, "it's", "69742773", "it's" },
	{ TYPE_ASCII, LITERAL_STRING, "'", "27", "'" },
	{ TYPE_ASCII, LITERAL_STRING, "''", "2727", "''" },
	{ TYPE_ASCII, LITERAL_STRING, "\"", "22", "\"" },
	{ TYPE_ASCII, LITERAL_STRING, "\"\"", "2222", "\"\"" },
	{ TYPE_ASCII, LITERAL_STRING, "\\", "5c", "\\" },
	{ TYPE_ASCII, LITERAL_STRING, "\\n", "5c6e", "\\n" },
	{ TYPE_ASCII, LITERAL_STRING, "a\nb", "610a62", "a\nb" },
	{ TYPE_ASCII, LITERAL_STRING, "tab\there", "7461620968657265", "tab\there" },
	{ TYPE_ASCII, LITERAL_STRING, "\303\251",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 1" },
	{ TYPE_ASCII, LITERAL_STRING, "\346\227\245\346\234\254\350\252\236",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 1" },
	{ TYPE_ASCII, LITERAL_STRING, "\360\237\230\200",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 2" },
	{ TYPE_ASCII, LITERAL_STRING, "\314\201e",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 1" },
	{ TYPE_ASCII, LITERAL_STRING, "\303\237",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 1" },
	{ TYPE_ASCII, LITERAL_STRING, "\302\240",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 1" },
	{ TYPE_ASCII, LITERAL_STRING, "\342\200\250",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 1" },
	{ TYPE_ASCII, LITERAL_STRING, "\357\273\277",
	  NULL, "Invalid ASCII character in string literal: java.nio.charset.UnmappableCharacterException: Input length = 1" },
	{ TYPE_ASCII, LITERAL_STRING, "\177", "7f", "\177" },
	{ TYPE_ASCII, LITERAL_STRING, "\001", "01", "\001" },
	{ TYPE_ASCII, LITERAL_STRING, "/", "2f", "/" },
	{ TYPE_ASCII, LITERAL_STRING, "%", "25", "%" },
	{ TYPE_ASCII, LITERAL_STRING, "$$", "2424", "$$" },
	{ TYPE_ASCII, LITERAL_STRING, "-- no comment",
	  "2d2d206e6f20636f6d6d656e74", "-- no comment" },
	{ TYPE_ASCII, LITERAL_STRING, "/* no */", "2f2a206e6f202a2f", "/* no */" },
	{ TYPE_ASCII, LITERAL_STRING, "; x", "3b2078", "; x" },
	{ TYPE_ASCII, LITERAL_STRING, "a''b", "61272762", "a''b" },
	{ TYPE_ASCII, LITERAL_STRING, "a\"b", "612262", "a\"b" },
	{ TYPE_ASCII, LITERAL_STRING, "a$b", "612462", "a$b" },
	{ TYPE_ASCII, LITERAL_STRING, ";", "3b", ";" },
	{ TYPE_ASCII, LITERAL_STRING, "null", "6e756c6c", "null" },
	{ TYPE_ASCII, LITERAL_STRING, " ", "20", " " },
	{ TYPE_ASCII, LITERAL_STRING, " a ", "206120", " a " },
	{ TYPE_BLOB, LITERAL_HEX, "0x", "", "0x" },
	{ TYPE_BLOB, LITERAL_HEX, "0X", "", "0x" },
	{ TYPE_BLOB, LITERAL_HEX, "0x00", "00", "0x00" },
	{ TYPE_BLOB, LITERAL_HEX, "0xff", "ff", "0xff" },
	{ TYPE_BLOB, LITERAL_HEX, "0xFF", "ff", "0xff" },
	{ TYPE_BLOB, LITERAL_HEX, "0xFf", "ff", "0xff" },
	{ TYPE_BLOB, LITERAL_HEX, "0XfF", "ff", "0xff" },
	{ TYPE_BLOB, LITERAL_HEX, "0x0", NULL, "cannot parse '0' as hex bytes" },
	{ TYPE_BLOB, LITERAL_HEX, "0x123", NULL, "cannot parse '123' as hex bytes" },
	{ TYPE_BLOB, LITERAL_HEX, "0x0001", "0001", "0x0001" },
	{ TYPE_BLOB, LITERAL_HEX, "0xabababababababababababababababababababababababababababababababababababababababab",
	  "abababababababababababababababababababababababababababababababababababababababab", "0xabababababababababababababababababababababababababababababababababababababababab" },
	{ TYPE_UUID, LITERAL_UUID, "00000000-0000-0000-0000-000000000000",
	  "00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000" },
	{ TYPE_UUID, LITERAL_UUID, "ffffffff-ffff-ffff-ffff-ffffffffffff",
	  "ffffffffffffffffffffffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff" },
	{ TYPE_UUID, LITERAL_UUID, "550e8400-e29b-41d4-a716-446655440000",
	  "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-446655440000" },
	{ TYPE_UUID, LITERAL_UUID, "550E8400-E29B-41D4-A716-446655440000",
	  "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-446655440000" },
	{ TYPE_UUID, LITERAL_UUID, "12345678-1234-1234-1234-123456789012",
	  "12345678123412341234123456789012", "12345678-1234-1234-1234-123456789012" },
	{ TYPE_UUID, LITERAL_UUID, "12345678-1234-2234-1234-123456789012",
	  "12345678123422341234123456789012", "12345678-1234-2234-1234-123456789012" },
	{ TYPE_UUID, LITERAL_UUID, "12345678-1234-3234-9234-123456789012",
	  "12345678123432349234123456789012", "12345678-1234-3234-9234-123456789012" },
	{ TYPE_UUID, LITERAL_UUID, "12345678-1234-5234-9234-123456789012",
	  "12345678123452349234123456789012", "12345678-1234-5234-9234-123456789012" },
	{ TYPE_UUID, LITERAL_UUID, "12345678-1234-6234-9234-123456789012",
	  "12345678123462349234123456789012", "12345678-1234-6234-9234-123456789012" },
	{ TYPE_UUID, LITERAL_UUID, "12345678-1234-7234-9234-123456789012",
	  "12345678123472349234123456789012", "12345678-1234-7234-9234-123456789012" },
	{ TYPE_UUID, LITERAL_UUID, "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
	  "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8" },
	{ TYPE_UUID, LITERAL_UUID, "00000000-0000-1000-0000-000000000000",
	  "00000000000010000000000000000000", "00000000-0000-1000-0000-000000000000" },
	{ TYPE_UUID, LITERAL_UUID, "00000000-0000-1000-8080-808080808080",
	  "00000000000010008080808080808080", "00000000-0000-1000-8080-808080808080" },
	{ TYPE_UUID, LITERAL_UUID, "ffffffff-ffff-1fff-7f7f-7f7f7f7f7f7f",
	  "ffffffffffff1fff7f7f7f7f7f7f7f7f", "ffffffff-ffff-1fff-7f7f-7f7f7f7f7f7f" },
	{ TYPE_UUID, LITERAL_UUID, "e50e8400-e29b-41d4-a716-446655440000",
	  "e50e8400e29b41d4a716446655440000", "e50e8400-e29b-41d4-a716-446655440000" },
	{ TYPE_UUID, LITERAL_UUID, "1e508400-e29b-41d4-a716-446655440000",
	  "1e508400e29b41d4a716446655440000", "1e508400-e29b-41d4-a716-446655440000" },
	{ TYPE_UUID, LITERAL_UUID, "12e08400-e29b-41d4-a716-446655440000",
	  "12e08400e29b41d4a716446655440000", "12e08400-e29b-41d4-a716-446655440000" },
	{ TYPE_UUID, LITERAL_UUID, "12345678-1234-1234-1234-1234567890ab",
	  "123456781234123412341234567890ab", "12345678-1234-1234-1234-1234567890ab" },
	{ TYPE_UUID, LITERAL_UUID, "abcdefab-cdef-1bcd-efab-cdefabcdefab",
	  "abcdefabcdef1bcdefabcdefabcdefab", "abcdefab-cdef-1bcd-efab-cdefabcdefab" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "00000000-0000-0000-0000-000000000000",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "ffffffff-ffff-ffff-ffff-ffffffffffff",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "550e8400-e29b-41d4-a716-446655440000",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "550E8400-E29B-41D4-A716-446655440000",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12345678-1234-1234-1234-123456789012",
	  "12345678123412341234123456789012", "12345678-1234-1234-1234-123456789012" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12345678-1234-2234-1234-123456789012",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12345678-1234-3234-9234-123456789012",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12345678-1234-5234-9234-123456789012",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12345678-1234-6234-9234-123456789012",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12345678-1234-7234-9234-123456789012",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
	  "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "00000000-0000-1000-0000-000000000000",
	  "00000000000010000000000000000000", "00000000-0000-1000-0000-000000000000" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "00000000-0000-1000-8080-808080808080",
	  "00000000000010008080808080808080", "00000000-0000-1000-8080-808080808080" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "ffffffff-ffff-1fff-7f7f-7f7f7f7f7f7f",
	  "ffffffffffff1fff7f7f7f7f7f7f7f7f", "ffffffff-ffff-1fff-7f7f-7f7f7f7f7f7f" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "e50e8400-e29b-41d4-a716-446655440000",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "1e508400-e29b-41d4-a716-446655440000",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12e08400-e29b-41d4-a716-446655440000",
	  NULL, "TimeUUID supports only version 1 UUIDs" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "12345678-1234-1234-1234-1234567890ab",
	  "123456781234123412341234567890ab", "12345678-1234-1234-1234-1234567890ab" },
	{ TYPE_TIMEUUID, LITERAL_UUID, "abcdefab-cdef-1bcd-efab-cdefabcdefab",
	  "abcdefabcdef1bcdefabcdefabcdefab", "abcdefab-cdef-1bcd-efab-cdefabcdefab" },
	{ TYPE_INET, LITERAL_STRING, "127.0.0.1", "7f000001", "127.0.0.1" },
	{ TYPE_INET, LITERAL_STRING, "0.0.0.0", "00000000", "0.0.0.0" },
	{ TYPE_INET, LITERAL_STRING, "255.255.255.255", "ffffffff", "255.255.255.255" },
	{ TYPE_INET, LITERAL_STRING, "1.2.3", "01020003", "1.2.0.3" },
	{ TYPE_INET, LITERAL_STRING, "1.2", "01000002", "1.0.0.2" },
	{ TYPE_INET, LITERAL_STRING, "1", "00000001", "0.0.0.1" },
	{ TYPE_INET, LITERAL_STRING, "256.0.0.1",
	  NULL, "Unable to make inet address from '256.0.0.1'" },
	{ TYPE_INET, LITERAL_STRING, "01.02.03.04", "01020304", "1.2.3.4" },
	{ TYPE_INET, LITERAL_STRING, "1.2.3.4.5",
	  NULL, "Unable to make inet address from '1.2.3.4.5'" },
	{ TYPE_INET, LITERAL_STRING, " 1.2.3.4",
	  NULL, "Unable to make inet address from ' 1.2.3.4'" },
	{ TYPE_INET, LITERAL_STRING, "1.2.3.4 ",
	  NULL, "Unable to make inet address from '1.2.3.4 '" },
	{ TYPE_INET, LITERAL_STRING, "", "", "" },
	{ TYPE_INET, LITERAL_STRING, "::", "00000000000000000000000000000000", "::" },
	{ TYPE_INET, LITERAL_STRING, "::1", "00000000000000000000000000000001", "::1" },
	{ TYPE_INET, LITERAL_STRING, "1::", "00010000000000000000000000000000", "1::" },
	{ TYPE_INET, LITERAL_STRING, "2001:db8::1",
	  "20010db8000000000000000000000001", "2001:db8::1" },
	{ TYPE_INET, LITERAL_STRING, "2001:DB8::A",
	  "20010db800000000000000000000000a", "2001:db8::a" },
	{ TYPE_INET, LITERAL_STRING, "2001:0db8:0000:0000:0000:0000:0000:0001",
	  "20010db8000000000000000000000001", "2001:db8::1" },
	{ TYPE_INET, LITERAL_STRING, "2001:db8:0:0:1:0:0:1",
	  "20010db8000000000001000000000001", "2001:db8::1:0:0:1" },
	{ TYPE_INET, LITERAL_STRING, "2001:db8::1:0:0:1",
	  "20010db8000000000001000000000001", "2001:db8::1:0:0:1" },
	{ TYPE_INET, LITERAL_STRING, "fe80::1", "fe800000000000000000000000000001", "fe80::1" },
	{ TYPE_INET, LITERAL_STRING, "::ffff:1.2.3.4", "01020304", "1.2.3.4" },
	{ TYPE_INET, LITERAL_STRING, "::ffff:102:304", "01020304", "1.2.3.4" },
	{ TYPE_INET, LITERAL_STRING, "::1.2.3.4",
	  "00000000000000000000000001020304", "::102:304" },
	{ TYPE_INET, LITERAL_STRING, "64:ff9b::1.2.3.4",
	  "0064ff9b000000000000000001020304", "64:ff9b::102:304" },
	{ TYPE_INET, LITERAL_STRING, "1:2:3:4:5:6:7:8",
	  "00010002000300040005000600070008", "1:2:3:4:5:6:7:8" },
	{ TYPE_INET, LITERAL_STRING, "1:2:3:4:5:6:7",
	  NULL, "Unable to make inet address from '1:2:3:4:5:6:7'" },
	{ TYPE_INET, LITERAL_STRING, "1:2:3:4:5:6:7:8:9",
	  NULL, "Unable to make inet address from '1:2:3:4:5:6:7:8:9'" },
	{ TYPE_INET, LITERAL_STRING, "1::2::3",
	  NULL, "Unable to make inet address from '1::2::3'" },
	{ TYPE_INET, LITERAL_STRING, ":::", NULL, "Unable to make inet address from ':::'" },
	{ TYPE_INET, LITERAL_STRING, "[::1]", "00000000000000000000000000000001", "::1" },
	{ TYPE_INET, LITERAL_STRING, "fffff::",
	  NULL, "Unable to make inet address from 'fffff::'" },
	{ TYPE_INET, LITERAL_STRING, "g::1", NULL, "Unable to make inet address from 'g::1'" },
	{ TYPE_INET, LITERAL_STRING, "1.2.3.4/24",
	  NULL, "Unable to make inet address from '1.2.3.4/24'" },
	{ TYPE_INET, LITERAL_STRING, "-1", NULL, "Unable to make inet address from '-1'" },
	{ TYPE_UUID, LITERAL_STRING, "550e8400-e29b-41d4-a716-446655440000",
	  NULL, "Invalid STRING constant (550e8400-e29b-41d4-a716-"
	  "446655440000) for \"v\" of type uuid" },
	{ TYPE_TEXT, LITERAL_INTEGER, "1", NULL,
	  "Invalid INTEGER constant (1) for \"v\" of type text" },
	{ TYPE_INET, LITERAL_STRING, "localhost", NULL,
	  "Unable to make inet address from 'localhost'" },
	{ TYPE_INET, LITERAL_STRING, "fe80::1%1",
	  "fe800000000000000000000000000001", "fe80::1" },
	{ TYPE_INET, LITERAL_STRING, "1:0:0:2:0:0:0:3",
	  "00010000000000020000000000000003", "1:0:0:2::3" },
	{ TYPE_INET, LITERAL_STRING, "1:0:2:3:4:5:6:7",
	  "00010000000200030004000500060007", "1:0:2:3:4:5:6:7" },
	{ TYPE_INET, LITERAL_STRING, "1::2:3:4:5:6:7:8", NULL,
	  "Unable to make inet address from '1::2:3:4:5:6:7:8'" },
	{ TYPE_INET, LITERAL_STRING, "1:", NULL,
	  "Unable to make inet address from '1:'" },
	{ TYPE_INET, LITERAL_STRING, "[1.2.3.4]", NULL,
	  "Unable to make inet address from '[1.2.3.4]'" },
};

START_TEST(a_constant_is_read)
{
	native_check(&cases[_i]);
}
END_TEST

/* Bytes of bound values: hex, and Cassandra's words where they are wrong. */
static const struct {
	enum type_kind kind;
	const char *hex, *why;
} values[] = {
	{ TYPE_ASCII, "41ff", "Invalid byte for ascii: -1" },
	{ TYPE_ASCII, "4180", "Invalid byte for ascii: -128" },
	{ TYPE_TEXT, "c3", "String didn't validate." },
	{ TYPE_TEXT, "c080", "String didn't validate." },
	{ TYPE_TEXT, "eda080", "String didn't validate." },
	{ TYPE_TEXT, "f4908080", "String didn't validate." },
	{ TYPE_TEXT, "e08080", "String didn't validate." },
	{ TYPE_TEXT, "f08080", "String didn't validate." },
	{ TYPE_TEXT, "616161616161616161616161ff", "String didn't validate." },
	{ TYPE_TEXT, "61616161616161616161616161c3a9", "" },
	{ TYPE_TEXT, "efbfbf", "" }, { TYPE_TEXT, "f09f9880", "" },
	{ TYPE_TINYINT, "", "Expected 1 byte for a tinyint (0)" },
	{ TYPE_SMALLINT, "", "Expected 2 bytes for a smallint (0)" },
	{ TYPE_INT, "00", "Expected 4 or 0 byte int (1)" },
	{ TYPE_INT, "", "" },
	{ TYPE_BIGINT, "00", "Expected 8 or 0 byte long (1)" },
	{ TYPE_FLOAT, "00", "Expected 4 or 0 byte value for a float (1)" },
	{ TYPE_DOUBLE, "00", "Expected 8 or 0 byte value for a double (1)" },
	{ TYPE_DECIMAL, "000000", "Expected 0 or at least 4 bytes (3)" },
	{ TYPE_UUID, "00", "UUID should be 16 or 0 bytes (1)" },
	{ TYPE_TIMEUUID, "00000000000000000000000000000000",
	  "Invalid version for TimeUUID type: 0x0" },
	{ TYPE_INET, "7f00000100",
	  "Expected 4 or 16 byte inetaddress; got 7f00000100" },
	{ TYPE_DATE, "", "Expected 4 byte long for date (0)" },
	{ TYPE_TIME, "00", "Expected 8 byte long for time (1)" },
	{ TYPE_DURATION, "", "Expected at least 3 bytes for a duration (0)" },
	{ TYPE_DURATION, "020305", "The duration months, days and nanoseconds "
	  "must be all of the same sign (1, -2, -3)" },
	{ TYPE_DURATION, "02040600", "" },
	{ TYPE_DURATION, "f1ffffffff0000",
	  "The duration months must be a 32 bits integer but was: "
	  "-4294967296" },
	{ TYPE_VARINT, "", "" }, { TYPE_BOOLEAN, "02", "" },
};

START_TEST(a_value_is_checked)
{
	struct buf value = BUF_INIT;
	struct type_error error = { .text = "" };
	int err;

	native_unhex(&value, values[_i].hex);
	err = native_validate(values[_i].kind, buf_bytes(&value), &error);
	ck_assert_str_eq(error.text, values[_i].why);
	ck_assert_int_eq(err, *values[_i].why ? -EINVAL : 0);
	buf_release(&value);
}
END_TEST

START_TEST(a_random_value_survives)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct buf value = BUF_INIT;
	int kind, round;

	for (kind = 0; kind < TYPE_KIND_COUNT; kind++)
		for (round = 0; kind_is_native(kind) && round < 20; round++) {
			buf_clear(&value);
			native_random(&value, &rng, (enum type_kind)kind);
			native_check_round_trip((enum type_kind)kind,
						buf_bytes(&value));
		}
	buf_release(&value);
}
END_TEST

/* Damaged bytes do no harm, and their length is still told. */
START_TEST(random_bytes_do_no_harm)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct buf value = BUF_INIT, text = BUF_INIT;
	struct type_error error;
	enum type_kind kind;
	int round;

	for (kind = 0; kind < TYPE_KIND_COUNT; kind++)
		for (round = 0; kind_is_native(kind) && round < 20; round++) {
			buf_clear(&value);
			buf_clear(&text);
			random_bytes(&rng, &value, 20);
			native_print_text(&text, kind, buf_bytes(&value));
			ck_assert_uint_eq(text.len, native_text_length(kind,
							buf_bytes(&value)));
			native_print_literal(&text, kind, buf_bytes(&value));
			if (!native_read_text(&text, kind, buf_bytes(&value),
					      &error))
				ck_assert(native_text_may_begin(kind,
							buf_bytes(&value)));
		}
	buf_release(&value);
	buf_release(&text);
}
END_TEST

/* Random texts, valid or not: if one is read, its value is printed as a text
 * that is read too. */
START_TEST(random_texts_mean_one_value)	/* _i is the seed */
{
	static const char *const pieces[] = {
		"0", "1", "2", "9", "12", "30", "59", "2016", "+", "-", ".",
		":", "e", "E", "T", "Z", " ", "0x", "f", "P", "Y", "M", "D",
		"H", "S", "W", "y", "mo", "d", "h", "m", "s", "ms", "us",
		"\302\265s", "ns", "::", "[", "]", "%", "NaN", "Infinity",
		"-10", "-04", "true", "UTC", "+01:00", "12:34", "999999999",
		"24-1-1T1:2", "2016-02-30", "z",
	};
	struct random rng = random_seeded((uint64_t)_i);
	struct buf text = BUF_INIT, value = BUF_INIT;
	enum type_kind kind;
	uint32_t count;
	int round;

	for (round = 0; round < 200; round++) {
		buf_clear(&text);
		for (count = 1 + random_below(&rng, 7); count; count--)
			buf_add_str(&text, pieces[random_below(&rng,
						ARRAY_SIZE(pieces))]);
		for (kind = 0; kind < TYPE_KIND_COUNT; kind++) {
			struct bytes all = buf_bytes(&text);

			if (!kind_is_native(kind))
				continue;
			buf_clear(&value);
			if (type_read_text(&value, type_native(kind), all,
					   NULL))
				continue;
			native_check_round_trip(kind, buf_bytes(&value));
			for (; all.len; all.len--)
				ck_assert_msg(native_text_may_begin(kind, all),
					      "%s: %s", type_kind_name(kind),
					      buf_cstr(&text));
		}
	}
	buf_release(&text);
	buf_release(&value);
}
END_TEST

static const struct {
	enum type_kind kind;
	const char *hex, *literal;
} literals[] = {
	{ TYPE_TEXT, "", "''" }, { TYPE_TEXT, "69742773", "'it''s'" },
	{ TYPE_ASCII, "27", "''''" }, { TYPE_BLOB, "", "0x" },
	{ TYPE_BLOB, "cafe", "0xcafe" }, { TYPE_INT, "ffffffff", "-1" },
	{ TYPE_INT, "", "blob_as_int(0x)" },
	{ TYPE_INET, "7f000001", "'127.0.0.1'" },
	{ TYPE_INET, "", "''" },
	{ TYPE_INET, "00000000000000000000ffff01020304",
	  "blob_as_inet(0x00000000000000000000ffff01020304)" },
	{ TYPE_DATE, "800042b6", "'2016-10-04'" },
	{ TYPE_TIME, "00001ae5c31890c0", "'08:12:54.123000000'" },
	{ TYPE_TIME, "ffffffffffffffff", "blob_as_time(0xffffffffffffffff)" },
	{ TYPE_TIMESTAMP, "000001578fafb6c0", "'2016-10-04T12:34:00.000Z'" },
	{ TYPE_TIMESTAMP, "8000000000000000", "-9223372036854775808" },
	{ TYPE_TIMESTAMP, "", "''" },
	{ TYPE_DURATION, "000000", "0s" }, { TYPE_DURATION, "020000", "1mo" },
	{ TYPE_DECIMAL, "fffffffb01", "1E+5" },
	{ TYPE_DECIMAL, "8000000001", "blob_as_decimal(0x8000000001)" },
	{ TYPE_DOUBLE, "7ff8000000000000", "NaN" },
	{ TYPE_BOOLEAN, "00", "false" },
};

START_TEST(a_literal_is_written)
{
	struct buf value = BUF_INIT, text = BUF_INIT;

	native_unhex(&value, literals[_i].hex);
	native_print_literal(&text, literals[_i].kind, buf_bytes(&value));
	ck_assert_str_eq(buf_cstr(&text), literals[_i].literal);
	buf_clear(&text);
	native_print_literal(&text, literals[_i].kind, BYTES_NULL);
	ck_assert_str_eq(buf_cstr(&text), "null");
	buf_release(&value);
	buf_release(&text);
}
END_TEST

/* The public face gives natives to what is tested above. */
START_TEST(a_type_is_asked)
{
	const struct type *t = type_native(TYPE_TIME);
	struct buf value = BUF_INIT, text = BUF_INIT;
	struct type_error error = { .text = "" };

	/* CQL forgives the blank, a file does not. */
	ck_assert_int_eq(type_read_text(&value, t, bytes_str(" 1:2:3"),
					&error), -EINVAL);
	ck_assert_str_eq(error.text, "(TimeType) Unable to coerce ' 1:2:3' to "
			 "a formatted time (long)");
	ck_assert_int_eq(type_read_constant(&value, t, LITERAL_STRING,
					    bytes_str(" 1:2:3"), false, "v",
					    &error), 0);
	ck_assert_int_eq(type_validate(t, buf_bytes(&value), &error), 0);
	type_print_text(&text, t, buf_bytes(&value));
	ck_assert_str_eq(buf_cstr(&text), "01:02:03.000000000");
	ck_assert_uint_eq(type_text_length(t, buf_bytes(&value)), 18);
	buf_clear(&text);
	type_print_literal(&text, t, buf_bytes(&value));
	ck_assert_str_eq(buf_cstr(&text), "'01:02:03.000000000'");
	ck_assert(type_text_may_begin(t, bytes_str("01:0")));
	ck_assert(!type_text_may_begin(t, bytes_str("noon")));
	buf_clear(&value);
	ck_assert_int_eq(type_read_text(&value, t, bytes_str("01:02:03"),
					&error), 0);
	ck_assert_uint_eq(value.len, 8);
	buf_release(&value);
	buf_release(&text);
}
END_TEST

/* Constants of types with parts are refused by the type's name. */
START_TEST(a_list_takes_no_constant)
{
	struct type *part = type_get(type_native(TYPE_INT));
	struct type *list = type_new(TYPE_LIST, true, &part, 1);
	struct buf value = BUF_INIT;
	struct type_error error = { .text = "" };

	ck_assert(!type_takes_literal(list, LITERAL_INTEGER));
	ck_assert_int_eq(type_read_constant(&value, list, LITERAL_INTEGER,
					    bytes_str("5"), false, "l",
					    &error), -EINVAL);
	ck_assert_str_eq(error.text, "Invalid INTEGER constant (5) for \"l\" "
			 "of type list<int>");
	type_put(list);
}
END_TEST

SUITE(text)
{
	TCase *tc = tcase_create("text");

	tcase_add_loop_test(tc, a_constant_is_read, 0, (int)ARRAY_SIZE(cases));
	tcase_add_loop_test(tc, a_value_is_checked, 0,
			    (int)ARRAY_SIZE(values));
	tcase_add_loop_test(tc, a_random_value_survives, 0, 25);
	tcase_add_loop_test(tc, random_bytes_do_no_harm, 0, 25);
	tcase_add_loop_test(tc, random_texts_mean_one_value, 0, 25);
	tcase_add_loop_test(tc, a_literal_is_written, 0,
			    (int)ARRAY_SIZE(literals));
	tcase_add_test(tc, a_type_is_asked);
	tcase_add_test(tc, a_list_takes_no_constant);
	suite_add_tcase(suite, tc);
}
