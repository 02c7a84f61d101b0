/* Numbers and booleans: constants as Cassandra answered, digits, bounds. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/type/float.h"
#include "store/type/native.h"
#include "tests/lib/native.h"
#include "tests/unit/suite.h"

static const struct native_case cases[] = {
	{ TYPE_TINYINT, LITERAL_INTEGER, "0", "00", "0" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "-0", "00", "0" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "1", "01", "1" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "-1", "ff", "-1" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "007", "07", "7" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "-007", "f9", "-7" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "00", "00", "0" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "127", "7f", "127" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "-128", "80", "-128" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "128", NULL, "Unable to make byte from '128'" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "-129", NULL, "Unable to make byte from '-129'" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "255", NULL, "Unable to make byte from '255'" },
	{ TYPE_TINYINT, LITERAL_INTEGER, "256", NULL, "Unable to make byte from '256'" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "0", "0000", "0" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "-0", "0000", "0" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "1", "0001", "1" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "-1", "ffff", "-1" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "007", "0007", "7" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "-007", "fff9", "-7" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "00", "0000", "0" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "32767", "7fff", "32767" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "-32768", "8000", "-32768" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "32768", NULL, "Unable to make short from '32768'" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "-32769",
	  NULL, "Unable to make short from '-32769'" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "127", "007f", "127" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "128", "0080", "128" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "-128", "ff80", "-128" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "-129", "ff7f", "-129" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "255", "00ff", "255" },
	{ TYPE_SMALLINT, LITERAL_INTEGER, "256", "0100", "256" },
	{ TYPE_INT, LITERAL_INTEGER, "0", "00000000", "0" },
	{ TYPE_INT, LITERAL_INTEGER, "-0", "00000000", "0" },
	{ TYPE_INT, LITERAL_INTEGER, "1", "00000001", "1" },
	{ TYPE_INT, LITERAL_INTEGER, "-1", "ffffffff", "-1" },
	{ TYPE_INT, LITERAL_INTEGER, "007", "00000007", "7" },
	{ TYPE_INT, LITERAL_INTEGER, "-007", "fffffff9", "-7" },
	{ TYPE_INT, LITERAL_INTEGER, "00", "00000000", "0" },
	{ TYPE_INT, LITERAL_INTEGER, "2147483647", "7fffffff", "2147483647" },
	{ TYPE_INT, LITERAL_INTEGER, "-2147483648", "80000000", "-2147483648" },
	{ TYPE_INT, LITERAL_INTEGER, "2147483648",
	  NULL, "Unable to make int from '2147483648'" },
	{ TYPE_INT, LITERAL_INTEGER, "-2147483649",
	  NULL, "Unable to make int from '-2147483649'" },
	{ TYPE_INT, LITERAL_INTEGER, "127", "0000007f", "127" },
	{ TYPE_INT, LITERAL_INTEGER, "128", "00000080", "128" },
	{ TYPE_INT, LITERAL_INTEGER, "-128", "ffffff80", "-128" },
	{ TYPE_INT, LITERAL_INTEGER, "-129", "ffffff7f", "-129" },
	{ TYPE_INT, LITERAL_INTEGER, "255", "000000ff", "255" },
	{ TYPE_INT, LITERAL_INTEGER, "256", "00000100", "256" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "0", "0000000000000000", "0" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "-0", "0000000000000000", "0" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "1", "0000000000000001", "1" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "-1", "ffffffffffffffff", "-1" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "007", "0000000000000007", "7" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "-007", "fffffffffffffff9", "-7" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "00", "0000000000000000", "0" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "9223372036854775807",
	  "7fffffffffffffff", "9223372036854775807" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "-9223372036854775808",
	  "8000000000000000", "-9223372036854775808" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "9223372036854775808",
	  NULL, "Unable to make long from '9223372036854775808'" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "-9223372036854775809",
	  NULL, "Unable to make long from '-9223372036854775809'" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "127", "000000000000007f", "127" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "128", "0000000000000080", "128" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "-128", "ffffffffffffff80", "-128" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "-129", "ffffffffffffff7f", "-129" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "255", "00000000000000ff", "255" },
	{ TYPE_BIGINT, LITERAL_INTEGER, "256", "0000000000000100", "256" },
	{ TYPE_VARINT, LITERAL_INTEGER, "0", "00", "0" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-0", "00", "0" },
	{ TYPE_VARINT, LITERAL_INTEGER, "1", "01", "1" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-1", "ff", "-1" },
	{ TYPE_VARINT, LITERAL_INTEGER, "007", "07", "7" },
	{ TYPE_VARINT, LITERAL_INTEGER, "127", "7f", "127" },
	{ TYPE_VARINT, LITERAL_INTEGER, "128", "0080", "128" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-128", "80", "-128" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-129", "ff7f", "-129" },
	{ TYPE_VARINT, LITERAL_INTEGER, "255", "00ff", "255" },
	{ TYPE_VARINT, LITERAL_INTEGER, "256", "0100", "256" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-255", "ff01", "-255" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-256", "ff00", "-256" },
	{ TYPE_VARINT, LITERAL_INTEGER, "32767", "7fff", "32767" },
	{ TYPE_VARINT, LITERAL_INTEGER, "32768", "008000", "32768" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-32768", "8000", "-32768" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-32769", "ff7fff", "-32769" },
	{ TYPE_VARINT, LITERAL_INTEGER, "2147483648", "0080000000", "2147483648" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-2147483649", "ff7fffffff", "-2147483649" },
	{ TYPE_VARINT, LITERAL_INTEGER, "9223372036854775807",
	  "7fffffffffffffff", "9223372036854775807" },
	{ TYPE_VARINT, LITERAL_INTEGER, "9223372036854775808",
	  "008000000000000000", "9223372036854775808" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-9223372036854775808",
	  "8000000000000000", "-9223372036854775808" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-9223372036854775809",
	  "ff7fffffffffffffff", "-9223372036854775809" },
	{ TYPE_VARINT, LITERAL_INTEGER, "18446744073709551615",
	  "00ffffffffffffffff", "18446744073709551615" },
	{ TYPE_VARINT, LITERAL_INTEGER, "18446744073709551616",
	  "010000000000000000", "18446744073709551616" },
	{ TYPE_VARINT, LITERAL_INTEGER, "123456789012345678901234567890123456789012345678901234567890",
	  "13aaf504e4bc1e62173f87a4378c37b49c8ccff196ce3f0ad2", "123456789012345678901234567890123456789012345678901234567890" },
	{ TYPE_VARINT, LITERAL_INTEGER, "-123456789012345678901234567890123456789012345678901234567890",
	  "ec550afb1b43e19de8c0785bc873c84b6373300e6931c0f52e", "-123456789012345678901234567890123456789012345678901234567890" },
	{ TYPE_VARINT, LITERAL_INTEGER, "100000000000000000000000000000000000000000000000000000000000000000000000000000000",
	  "035f9dea3e1f6bdfef70cdd17b25efa418ca63a22764cec100000000000000000000", "100000000000000000000000000000000000000000000000000000000000000000000000000000000" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "0", "00000000", "0.0" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "-0", "80000000", "-0.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.0", "00000000", "0.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "-0.0", "80000000", "-0.0" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "1", "3f800000", "1.0" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "-1", "bf800000", "-1.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.5", "3fc00000", "1.5" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "-1.5", "bfc00000", "-1.5" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.", "3f800000", "1.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.e3", "447a0000", "1000.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e3", "447a0000", "1000.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1E3", "447a0000", "1000.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e+3", "447a0000", "1000.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1E-3", "3a83126f", "0.001" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e-4", "38d1b717", "1.0E-4" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.001", "3a83126f", "0.001" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.0001", "38d1b717", "1.0E-4" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.00099999", "3a831219", "9.9999E-4" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "123456", "47f12000", "123456.0" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "1234567", "4996b438", "1234567.0" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "9999999", "4b18967f", "9999999.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "9999999.5", "4b189680", "1.0E7" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "10000000", "4b189680", "1.0E7" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "12345678.9", "4b3c614f", "1.2345679E7" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e7", "4b189680", "1.0E7" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e10", "501502f9", "1.0E10" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e20", "60ad78ec", "1.0E20" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e21", "6258d727", "1.0E21" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e22", "64078678", "1.0E22" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e23", "65a96816", "1.0E23" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "3.4028235e38", "7f7fffff", "3.4028235E38" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "3.4028236e38", "7f800000", "Infinity" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "-3.4028235e38", "ff7fffff", "-3.4028235E38" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e39", "7f800000", "Infinity" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.4e-45", "00000001", "1.4E-45" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e-45", "00000001", "1.4E-45" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.7e-45", "00000000", "0.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.17549435e-38", "00800000", "1.1754944E-38" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.7976931348623157e308", "7f800000", "Infinity" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "4.9e-324", "00000000", "0.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "2.2250738585072014e-308", "00000000", "0.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e-400", "00000000", "0.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.1", "3dcccccd", "0.1" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.2", "3e4ccccd", "0.2" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "0.30000000000000004", "3e99999a", "0.3" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1e-7", "33d6bf95", "1.0E-7" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.1", "3f8ccccd", "1.1" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "16777217", "4b800000", "1.6777216E7" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "33554433", "4c000000", "3.3554432E7" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "9007199254740993", "5a000000", "9.007199E15" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "2e-3", "3b03126f", "0.002" },
	{ TYPE_FLOAT, LITERAL_INTEGER, "100", "42c80000", "100.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1000000.0", "49742400", "1000000.0" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "NaN", "7fc00000", "NaN" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "Infinity", "7f800000", "Infinity" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "-Infinity", "ff800000", "-Infinity" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "2.0E-3", "3b03126f", "0.002" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "1.0E10", "501502f9", "1.0E10" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "8.41E21", "63e3f419", "8.41E21" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "2.0E7", "4b989680", "2.0E7" },
	{ TYPE_FLOAT, LITERAL_FLOAT, "5.0E-5", "3851b717", "5.0E-5" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "0", "0000000000000000", "0.0" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "-0", "8000000000000000", "-0.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.0", "0000000000000000", "0.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "-0.0", "8000000000000000", "-0.0" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "1", "3ff0000000000000", "1.0" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "-1", "bff0000000000000", "-1.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.5", "3ff8000000000000", "1.5" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "-1.5", "bff8000000000000", "-1.5" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.", "3ff0000000000000", "1.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.e3", "408f400000000000", "1000.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e3", "408f400000000000", "1000.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1E3", "408f400000000000", "1000.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e+3", "408f400000000000", "1000.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1E-3", "3f50624dd2f1a9fc", "0.001" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e-4", "3f1a36e2eb1c432d", "1.0E-4" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.001", "3f50624dd2f1a9fc", "0.001" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.0001", "3f1a36e2eb1c432d", "1.0E-4" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.00099999", "3f506243162a38e4", "9.9999E-4" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "123456", "40fe240000000000", "123456.0" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "1234567", "4132d68700000000", "1234567.0" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "9999999", "416312cfe0000000", "9999999.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "9999999.5", "416312cff0000000", "9999999.5" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "10000000", "416312d000000000", "1.0E7" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "12345678.9", "41678c29dccccccd", "1.23456789E7" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e7", "416312d000000000", "1.0E7" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e10", "4202a05f20000000", "1.0E10" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e20", "4415af1d78b58c40", "1.0E20" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e21", "444b1ae4d6e2ef50", "1.0E21" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e22", "4480f0cf064dd592", "1.0E22" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e23", "44b52d02c7e14af6", "1.0E23" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "3.4028235e38", "47efffffe54daff8", "3.4028235E38" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "3.4028236e38", "47effffff514a7bc", "3.4028236E38" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "-3.4028235e38", "c7efffffe54daff8", "-3.4028235E38" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e39", "48078287f49c4a1d", "1.0E39" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.4e-45", "369ff868bf4d956a", "1.4E-45" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e-45", "3696d601ad376ab9", "1.0E-45" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.7e-45", "368ff868bf4d956a", "7.0E-46" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.17549435e-38", "380fffffff9fdba8", "1.17549435E-38" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.7976931348623157e308",
	  "7fefffffffffffff", "1.7976931348623157E308" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "4.9e-324", "0000000000000001", "4.9E-324" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "2.2250738585072014e-308",
	  "0010000000000000", "2.2250738585072014E-308" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e-400", "0000000000000000", "0.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.1", "3fb999999999999a", "0.1" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.2", "3fc999999999999a", "0.2" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "0.30000000000000004",
	  "3fd3333333333334", "0.30000000000000004" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1e-7", "3e7ad7f29abcaf48", "1.0E-7" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.1", "3ff199999999999a", "1.1" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "16777217", "4170000010000000", "1.6777217E7" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "33554433", "4180000008000000", "3.3554433E7" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "9007199254740993",
	  "4340000000000000", "9.007199254740992E15" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "2e-3", "3f60624dd2f1a9fc", "0.002" },
	{ TYPE_DOUBLE, LITERAL_INTEGER, "100", "4059000000000000", "100.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1000000.0", "412e848000000000", "1000000.0" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "NaN", "7ff8000000000000", "NaN" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "Infinity", "7ff0000000000000", "Infinity" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "-Infinity", "fff0000000000000", "-Infinity" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "2.0E-3", "3f60624dd2f1a9fc", "0.002" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "1.0E10", "4202a05f20000000", "1.0E10" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "8.41E21", "447c7e83209e90b2", "8.41E21" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "2.0E7", "417312d000000000", "2.0E7" },
	{ TYPE_DOUBLE, LITERAL_FLOAT, "5.0E-5", "3f0a36e2eb1c432d", "5.0E-5" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "0", "0000000000", "0" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "-0", "0000000000", "0" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0.0", "0000000100", "0.0" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "-0.0", "0000000100", "0.0" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0.00", "0000000200", "0.00" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "1", "0000000001", "1" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "-1", "00000000ff", "-1" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1.0", "000000010a", "1.0" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1.00", "0000000264", "1.00" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "-1.50", "00000002ff6a", "-1.50" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "100", "0000000064", "100" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e2", "fffffffe01", "1E+2" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1E2", "fffffffe01", "1E+2" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1E+2", "fffffffe01", "1E+2" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e-2", "0000000201", "0.01" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1.5e3", "fffffffe0f", "1.5E+3" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1.50E1", "000000010096", "15.0" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0.1", "0000000101", "0.1" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0.01", "0000000201", "0.01" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0.000001", "0000000601", "0.000001" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0.0000001", "0000000701", "1E-7" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0.00000010", "000000080a", "1.0E-7" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e-6", "0000000601", "0.000001" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e-7", "0000000701", "1E-7" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e-10", "0000000a01", "1E-10" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "123.456e5", "fffffffe01e240", "1.23456E+7" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "123.456e-10", "0000000d01e240", "1.23456E-8" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1.", "0000000001", "1" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1.e2", "fffffffe01", "1E+2" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "-0.001", "00000003ff", "-0.001" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "00012.3400", "0000000401e208", "12.3400" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "127", "000000007f", "127" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "128", "000000000080", "128" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "255", "0000000000ff", "255" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "256", "000000000100", "256" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "-128", "0000000080", "-128" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "-129", "00000000ff7f", "-129" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "12345678901234567890.123456789012345678901234567890",
	  "0000001e08727f6369aaf83ca15026747af8c7f196ce3f0ad2", "12345678901234567890.123456789012345678901234567890" },
	{ TYPE_DECIMAL, LITERAL_INTEGER, "-99999999999999999999999999999999999999",
	  "00000000b4c4b357a5793b85f675ddc000000001", "-99999999999999999999999999999999999999" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e100", "ffffff9c01", "1E+100" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e-100", "0000006401", "1E-100" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e-1000", "000003e801", "1E-1000" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e-2147483647", "7fffffff01", "1E-2147483647" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0e5", "fffffffb00", "0E+5" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0e-5", "0000000500", "0.00000" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "0E+5", "fffffffb00", "0E+5" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "10e-1", "000000010a", "1.0" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1e1", "ffffffff01", "1E+1" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "1.0e1", "000000000a", "10" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "NaN", NULL, "unable to make BigDecimal from 'NaN'" },
	{ TYPE_DECIMAL, LITERAL_FLOAT, "Infinity",
	  NULL, "unable to make BigDecimal from 'Infinity'" },
	{ TYPE_BOOLEAN, LITERAL_BOOLEAN, "true", "01", "true" },
	{ TYPE_BOOLEAN, LITERAL_BOOLEAN, "false", "00", "false" },
	{ TYPE_BOOLEAN, LITERAL_BOOLEAN, "TRUE", "01", "true" },
	{ TYPE_BOOLEAN, LITERAL_BOOLEAN, "False", "00", "false" },
	{ TYPE_BOOLEAN, LITERAL_BOOLEAN, "tRuE", "01", "true" },
	{ TYPE_INT, LITERAL_FLOAT, "1.0", NULL,
	  "Invalid FLOAT constant (1.0) for \"v\" of type int" },
	{ TYPE_BIGINT, LITERAL_STRING, "", NULL,
	  "Invalid STRING constant () for \"v\" of type bigint" },
	{ TYPE_VARINT, LITERAL_HEX, "0x05", NULL,
	  "Invalid HEX constant (0x05) for \"v\" of type varint" },
	{ TYPE_BOOLEAN, LITERAL_INTEGER, "1", NULL,
	  "Invalid INTEGER constant (1) for \"v\" of type boolean" },
	{ TYPE_FLOAT, LITERAL_BOOLEAN, "true", NULL,
	  "Invalid BOOLEAN constant (true) for \"v\" of type float" },
	{ TYPE_COUNTER, LITERAL_INTEGER, "-9223372036854775809", NULL,
	  "Unable to make long from '-9223372036854775809'" },
	{ TYPE_COUNTER, LITERAL_INTEGER, "5", "0000000000000005", "5" },
};

START_TEST(a_constant_is_read)
{
	native_check(&cases[_i]);
}
END_TEST

/* Numbers that Java reads and CQL's constants do not allow, for JSON and
 * files. */
static const struct native_text texts[] = {
	{ TYPE_INT, "+1", "00000001" }, { TYPE_INT, "", NULL },
	{ TYPE_INT, " 1", NULL }, { TYPE_INT, "1 ", NULL },
	{ TYPE_INT, "-", NULL }, { TYPE_INT, "1-", NULL },
	{ TYPE_VARINT, "+256", "0100" }, { TYPE_VARINT, "1.0", NULL },
	{ TYPE_VARINT, "", NULL }, { TYPE_VARINT, "1e3", NULL },
	{ TYPE_DECIMAL, ".5", "0000000105" }, { TYPE_DECIMAL, ".", NULL },
	{ TYPE_DECIMAL, "1e", NULL }, { TYPE_DECIMAL, "1e+", NULL },
	{ TYPE_DECIMAL, "+1.", "0000000001" }, { TYPE_DECIMAL, "", NULL },
	{ TYPE_DECIMAL, "1e2147483648", NULL },
	{ TYPE_DECIMAL, "1e-2147483648", NULL },
	{ TYPE_DECIMAL, "1e99999999999999999999", NULL },
	{ TYPE_DOUBLE, "0x1p3", "4020000000000000" },
	{ TYPE_DOUBLE, "1.5f", "3ff8000000000000" },
	{ TYPE_DOUBLE, ".5", "3fe0000000000000" },
	{ TYPE_DOUBLE, "0x1.8", NULL }, { TYPE_DOUBLE, "inf", NULL },
	{ TYPE_DOUBLE, "nano", NULL }, { TYPE_DOUBLE, "1e", NULL },
	{ TYPE_DOUBLE, "", NULL }, { TYPE_DOUBLE, " 1", NULL },
	{ TYPE_DOUBLE, "1e400", "7ff0000000000000" },
	{ TYPE_BOOLEAN, "truth", NULL }, { TYPE_BOOLEAN, "", NULL },
};

START_TEST(a_text_is_read)
{
	native_check_text(&texts[_i]);
}
END_TEST

/* Texts that can never become a value are refused at once. */
static const struct {
	enum type_kind kind;
	const char *text;
} hopeless[] = {
	{ TYPE_INT, "abc" }, { TYPE_INT, "2147483648" }, { TYPE_INT, "--" },
	{ TYPE_TINYINT, "-129" }, { TYPE_INT, "1\n" }, { TYPE_VARINT, "1." },
	{ TYPE_DECIMAL, "x" }, { TYPE_DECIMAL, "1e5e" },
	{ TYPE_DECIMAL, "e" }, { TYPE_DECIMAL, "1.." },
	{ TYPE_DOUBLE, "nax" }, { TYPE_DOUBLE, "1.5.5" },
	{ TYPE_DOUBLE, "1fx" }, { TYPE_BOOLEAN, "y" }, { TYPE_BLOB, "1" },
	{ TYPE_DATE, "abc" }, { TYPE_TIME, "x" }, { TYPE_TIMESTAMP, "abc" },
	{ TYPE_TIMESTAMP, "nox" }, { TYPE_DURATION, "h" },
	{ TYPE_DURATION, "1x" }, { TYPE_UUID, "123456789" },
	{ TYPE_INET, "localhost" }, { TYPE_ASCII, "\xc3" },
	{ TYPE_TEXT, "\xff" },
};

START_TEST(texts_that_begin_no_value_are_refused)
{
	ck_assert(!native_text_may_begin(hopeless[_i].kind,
					 bytes_str(hopeless[_i].text)));
}
END_TEST

static double parse(enum type_kind kind, const char *text)
{
	return kind == TYPE_FLOAT ? (double)strtof(text, NULL) :
				    strtod(text, NULL);
}

/*
 * Any bits, powers of two (below them the gap is half), any bits of the size
 * that numbers mostly have, short decimals.
 */
static double random_float(struct random *rng, enum type_kind kind)
{
	uint64_t bits = random_next(rng);
	char text[32];
	double x;

	switch (random_below(rng, 4)) {
	case 0:
		x = ldexp((double)(bits >> 11), (int)(bits % 130) - 120);
		return kind == TYPE_FLOAT ? (double)(float)x : x;
	case 1:
		bits &= 0x7ff0000000000000;
		/* fall through */
	case 2:
		memcpy(&x, &bits, 8);
		return kind == TYPE_FLOAT ? (double)(float)x : x;
	default:
		snprintf(text, sizeof(text), "%u.%0*u",
			 (uint32_t)bits >> random_below(rng, 32),
			 1 + (int)random_below(rng, 9),
			 random_below(rng, 1000000) >> random_below(rng, 20));
		return parse(kind, text);
	}
}

/* Digits without the zeros before and after them. */
static int count_digits(const char *text)
{
	int digits = 0, zeros = 0;

	for (; *text && *text != 'E'; text++) {
		if (*text < '0' || *text > '9')
			continue;
		digits += digits || *text != '0';
		zeros = digits && *text == '0' ? zeros + 1 : 0;
	}
	return digits - zeros;
}

/* Return the first digits of a text, after its leading zeros, as one number. */
static int64_t all_digits(const char *text, int count)
{
	int64_t n = 0;

	for (; *text && *text != 'E' && *text != 'e' && count; text++) {
		if (*text < '0' || *text > '9' || (!n && *text == '0'))
			continue;
		n = n * 10 + (*text - '0');
		count--;
	}
	for (; count; count--)
		n *= 10;
	return n;
}

/* No shorter digits give the number back, and these do and are the nearest. */
START_TEST(digits_are_the_shortest)	/* _i is the seed */
{
	enum type_kind kind = _i % 2 ? TYPE_FLOAT : TYPE_DOUBLE;
	struct random rng = random_seeded((uint64_t)_i);
	char text[FLOAT_TEXT_MAX], shorter[64];
	int from, round;
	double x;

	for (round = 0; round < 20; round++) {
		x = random_float(&rng, kind);
		if (!isfinite(x))
			continue;
		text[float_print(text, kind, x)] = 0;
		ck_assert(parse(kind, text) == x);
		for (from = 3; from < count_digits(text); from++) {
			snprintf(shorter, sizeof(shorter), "%.*e", from - 1, x);
			ck_assert_msg(parse(kind, shorter) != x, "%s and %s",
				      text, shorter);
		}
		from = count_digits(text);
		snprintf(shorter, sizeof(shorter), "%.*e", from - 1, x);
		if (from > 2 && parse(kind, shorter) == x)
			ck_assert_msg(all_digits(text, from) == all_digits(shorter, from),
				      "%s and %s", text, shorter);
	}
}
END_TEST

START_TEST(digits_next_to_a_power_of_two)
{
	static const struct {
		enum type_kind kind;
		double x;
		const char *text;
	} powers[] = {
		{ TYPE_DOUBLE, 0x1p-44, "5.684341886080802E-14" },
		{ TYPE_DOUBLE, 0x1p-1074, "4.9E-324" },
		{ TYPE_DOUBLE, 0x1p89, "6.189700196426902E26" },
		{ TYPE_FLOAT, 0x1p-149, "1.4E-45" },
		{ TYPE_FLOAT, 0x1p-148, "2.8E-45" },
		{ TYPE_FLOAT, 0x1p24, "1.6777216E7" },
	};
	char text[FLOAT_TEXT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(powers); i++) {
		text[float_print(text, powers[i].kind, powers[i].x)] = 0;
		ck_assert_str_eq(text, powers[i].text);
	}
}
END_TEST

/* Lengths next to powers of ten, where a logarithm is not enough. */
START_TEST(lengths_near_powers_of_ten)
{
	struct buf digits = BUF_INIT, value = BUF_INIT;
	struct type_error error;
	int i;

	for (i = 0; i < _i * 7 + 1; i++)
		buf_add_byte(&digits, '9');
	ck_assert_int_eq(native_read_text(&value, TYPE_VARINT,
					  buf_bytes(&digits), &error), 0);
	native_check_round_trip(TYPE_VARINT, buf_bytes(&value));
	buf_clear(&value);
	digits.ptr[0] = '1';
	memset(digits.ptr + 1, '0', digits.len - 1);
	ck_assert_int_eq(native_read_text(&value, TYPE_VARINT,
					  buf_bytes(&digits), &error), 0);
	native_check_round_trip(TYPE_VARINT, buf_bytes(&value));
	buf_release(&digits);
	buf_release(&value);
}
END_TEST

START_TEST(a_large_number_survives)
{
	struct buf digits = BUF_INIT, value = BUF_INIT, text = BUF_INIT;
	struct type_error error;
	int i;

	for (i = 0; i < 300000; i++)
		buf_add_byte(&digits, (uint8_t)('1' + i % 9));
	ck_assert_int_eq(native_read_text(&value, TYPE_VARINT,
					  buf_bytes(&digits), &error), 0);
	native_print_text(&text, TYPE_VARINT, buf_bytes(&value));
	ck_assert(bytes_equal(buf_bytes(&text), buf_bytes(&digits)));
	ck_assert_uint_eq(native_text_length(TYPE_VARINT, buf_bytes(&value)),
			  300000);
	buf_release(&digits);
	buf_release(&value);
	buf_release(&text);
}
END_TEST

/* Each allocation in turn fails: told, or not needed; never the end. */
START_TEST(lack_of_memory_is_survived)		/* _i: which one */
{
	static const struct {
		enum type_kind kind;
		const char *text;
	} numbers[] = {
		{ TYPE_DECIMAL, "123456789012345678901234567890."
		  "123456789012345678901234567890123456789012345678901" },
		{ TYPE_VARINT, "-12345678901234567890123456789012345678901234"
		  "56789012345678901234567890" },
		{ TYPE_DOUBLE, "1.000000000000000000000000000000000000000000"
		  "0000000000000000000000000000000000000000" },
		{ TYPE_BIGINT, "-1" }, { TYPE_DURATION, "1mo" },
	};
	struct type_error error;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct buf value = BUF_INIT, text = BUF_INIT;

		mem_fail_at(_i, 0);
		ck_assert_int_eq(native_read_text(&value, numbers[i].kind,
				bytes_str(numbers[i].text), &error), 0);
		mem_fail_at(0, 0);
		if (_i == 1)
			ck_assert(value.failed);
		if (!value.failed) {
			mem_fail_at(_i, 0);
			native_print_text(&text, numbers[i].kind,
					  buf_bytes(&value));
			mem_fail_at(0, 0);
			ck_assert(text.failed || text.len);
		}
		buf_release(&value);
		buf_release(&text);
	}
}
END_TEST

SUITE(number)
{
	TCase *tc = tcase_create("number");

	tcase_add_loop_test(tc, a_constant_is_read, 0, (int)ARRAY_SIZE(cases));
	tcase_add_loop_test(tc, a_text_is_read, 0, (int)ARRAY_SIZE(texts));
	tcase_add_loop_test(tc, texts_that_begin_no_value_are_refused, 0,
			    (int)ARRAY_SIZE(hopeless));
	tcase_add_loop_test(tc, digits_are_the_shortest, 0, 100);
	tcase_add_test(tc, digits_next_to_a_power_of_two);
	tcase_add_loop_test(tc, lengths_near_powers_of_ten, 0, 30);
	tcase_add_test(tc, a_large_number_survives);
	tcase_add_loop_test(tc, lack_of_memory_is_survived, 1, 8);
	suite_add_tcase(suite, tc);
}
