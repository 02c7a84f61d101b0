/* Operators: Cassandra's result types, digits and messages. */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/arithmetic.h"
#include "store/type/decimal.h"
#include "store/type/native.h"
#include "tests/lib/native.h"
#include "tests/unit/suite.h"

/* A value of each kind of number, for all that they do to each other. */
#define TINYINT { TYPE_TINYINT, "7" }
#define SMALLINT { TYPE_SMALLINT, "300" }
#define INT { TYPE_INT, "70000" }
#define BIGINT { TYPE_BIGINT, "5000000000" }
#define VARINT { TYPE_VARINT, "123456789012345678901234567890" }
#define FLOAT { TYPE_FLOAT, "1.5" }
#define DOUBLE { TYPE_DOUBLE, "2.25" }
#define DECIMAL { TYPE_DECIMAL, "10.50" }

struct operand {
	enum type_kind kind;
	const char *text;
};

/* Cassandra's answers, for + - * / % in this order. */
static const struct {
	struct operand left, right;
	enum type_kind result;
	const char *answers[5];
} all[] = {
	{ TINYINT, TINYINT, TYPE_TINYINT,
	  { "14", "0", "49",
	    "1", "0" } },
	{ TINYINT, SMALLINT, TYPE_SMALLINT,
	  { "307", "-293", "2100",
	    "0", "7" } },
	{ TINYINT, INT, TYPE_INT,
	  { "70007", "-69993", "490000",
	    "0", "7" } },
	{ TINYINT, BIGINT, TYPE_BIGINT,
	  { "5000000007", "-4999999993", "35000000000",
	    "0", "7" } },
	{ TINYINT, VARINT, TYPE_VARINT,
	  { "123456789012345678901234567897", "-123456789012345678901234567883", "864197523086419752308641975230",
	    "0", "7" } },
	{ TINYINT, FLOAT, TYPE_FLOAT,
	  { "8.5", "5.5", "10.5",
	    "4.6666665", "1.0" } },
	{ TINYINT, DOUBLE, TYPE_DOUBLE,
	  { "9.25", "4.75", "15.75",
	    "3.111111111111111", "0.25" } },
	{ TINYINT, DECIMAL, TYPE_DECIMAL,
	  { "17.50", "-3.50", "73.500",
	    "0.666666666666666666666666666666667", "7.0" } },
	{ SMALLINT, TINYINT, TYPE_SMALLINT,
	  { "307", "293", "2100",
	    "42", "6" } },
	{ SMALLINT, SMALLINT, TYPE_SMALLINT,
	  { "600", "0", "24464",
	    "1", "0" } },
	{ SMALLINT, INT, TYPE_INT,
	  { "70300", "-69700", "21000000",
	    "0", "300" } },
	{ SMALLINT, BIGINT, TYPE_BIGINT,
	  { "5000000300", "-4999999700", "1500000000000",
	    "0", "300" } },
	{ SMALLINT, VARINT, TYPE_VARINT,
	  { "123456789012345678901234568190", "-123456789012345678901234567590", "37037036703703703670370370367000",
	    "0", "300" } },
	{ SMALLINT, FLOAT, TYPE_FLOAT,
	  { "301.5", "298.5", "450.0",
	    "200.0", "0.0" } },
	{ SMALLINT, DOUBLE, TYPE_DOUBLE,
	  { "302.25", "297.75", "675.0",
	    "133.33333333333334", "0.75" } },
	{ SMALLINT, DECIMAL, TYPE_DECIMAL,
	  { "310.50", "289.50", "3150.000",
	    "28.57142857142857142857142857142857", "6.00" } },
	{ INT, TINYINT, TYPE_INT,
	  { "70007", "69993", "490000",
	    "10000", "0" } },
	{ INT, SMALLINT, TYPE_INT,
	  { "70300", "69700", "21000000",
	    "233", "100" } },
	{ INT, INT, TYPE_INT,
	  { "140000", "0", "605032704",
	    "1", "0" } },
	{ INT, BIGINT, TYPE_BIGINT,
	  { "5000070000", "-4999930000", "350000000000000",
	    "0", "70000" } },
	{ INT, VARINT, TYPE_VARINT,
	  { "123456789012345678901234637890", "-123456789012345678901234497890", "8641975230864197523086419752300000",
	    "0", "70000" } },
	{ INT, FLOAT, TYPE_FLOAT,
	  { "70001.5", "69998.5", "105000.0",
	    "46666.668", "1.0" } },
	{ INT, DOUBLE, TYPE_DOUBLE,
	  { "70002.25", "69997.75", "157500.0",
	    "31111.11111111111", "0.25" } },
	{ INT, DECIMAL, TYPE_DECIMAL,
	  { "70010.50", "69989.50", "735000.000",
	    "6666.66666666666666666666666666666667", "7.00" } },
	{ BIGINT, TINYINT, TYPE_BIGINT,
	  { "5000000007", "4999999993", "35000000000",
	    "714285714", "2" } },
	{ BIGINT, SMALLINT, TYPE_BIGINT,
	  { "5000000300", "4999999700", "1500000000000",
	    "16666666", "200" } },
	{ BIGINT, INT, TYPE_BIGINT,
	  { "5000070000", "4999930000", "350000000000000",
	    "71428", "40000" } },
	{ BIGINT, BIGINT, TYPE_BIGINT,
	  { "10000000000", "0", "6553255926290448384",
	    "1", "0" } },
	{ BIGINT, VARINT, TYPE_VARINT,
	  { "123456789012345678906234567890", "-123456789012345678896234567890", "617283945061728394506172839450000000000",
	    "0", "5000000000" } },
	{ BIGINT, FLOAT, TYPE_DOUBLE,
	  { "5.0000000015E9", "4.9999999985E9", "7.5E9",
	    "3.3333333333333335E9", "0.5" } },
	{ BIGINT, DOUBLE, TYPE_DOUBLE,
	  { "5.00000000225E9", "4.99999999775E9", "1.125E10",
	    "2.2222222222222223E9", "0.5" } },
	{ BIGINT, DECIMAL, TYPE_DECIMAL,
	  { "5000000010.50", "4999999989.50", "5.2500E+10",
	    "476190476.19047619047619047619047619047619", "2.00" } },
	{ VARINT, TINYINT, TYPE_VARINT,
	  { "123456789012345678901234567897", "123456789012345678901234567883", "864197523086419752308641975230",
	    "17636684144620811271604938270", "0" } },
	{ VARINT, SMALLINT, TYPE_VARINT,
	  { "123456789012345678901234568190", "123456789012345678901234567590", "37037036703703703670370370367000",
	    "411522630041152263004115226", "90" } },
	{ VARINT, INT, TYPE_VARINT,
	  { "123456789012345678901234637890", "123456789012345678901234497890", "8641975230864197523086419752300000",
	    "1763668414462081127160493", "57890" } },
	{ VARINT, BIGINT, TYPE_VARINT,
	  { "123456789012345678906234567890", "123456789012345678896234567890", "617283945061728394506172839450000000000",
	    "24691357802469135780", "1234567890" } },
	{ VARINT, VARINT, TYPE_VARINT,
	  { "246913578024691357802469135780", "0", "15241578753238836750495351562536198787501905199875019052100",
	    "1", "0" } },
	{ VARINT, FLOAT, TYPE_DECIMAL,
	  { "123456789012345678901234567891.5", "123456789012345678901234567888.5", "185185183518518518351851851835.0",
	    "8.230452600823045260082304526E+28", "0" } },
	{ VARINT, DOUBLE, TYPE_DECIMAL,
	  { "123456789012345678901234567892.25", "123456789012345678901234567887.75", "277777775277777777527777777752.50",
	    "5.486968400548696840054869684E+28", "0.0" } },
	{ VARINT, DECIMAL, TYPE_DECIMAL,
	  { "123456789012345678901234567900.50", "123456789012345678901234567879.50", "1296296284629629628462962962845.00",
	    "1.175778942974720751440329218E+28", "0.0" } },
	{ FLOAT, TINYINT, TYPE_FLOAT,
	  { "8.5", "-5.5", "10.5",
	    "0.21428572", "1.5" } },
	{ FLOAT, SMALLINT, TYPE_FLOAT,
	  { "301.5", "-298.5", "450.0",
	    "0.005", "1.5" } },
	{ FLOAT, INT, TYPE_FLOAT,
	  { "70001.5", "-69998.5", "105000.0",
	    "2.1428572E-5", "1.5" } },
	{ FLOAT, BIGINT, TYPE_DOUBLE,
	  { "5.0000000015E9", "-4.9999999985E9", "7.5E9",
	    "3.0E-10", "1.5" } },
	{ FLOAT, VARINT, TYPE_DECIMAL,
	  { "123456789012345678901234567891.5", "-123456789012345678901234567888.5", "185185183518518518351851851835.0",
	    "1.21500001093500009950850090552857E-29", "1.5" } },
	{ FLOAT, FLOAT, TYPE_FLOAT,
	  { "3.0", "0.0", "2.25",
	    "1.0", "0.0" } },
	{ FLOAT, DOUBLE, TYPE_DOUBLE,
	  { "3.75", "-0.75", "3.375",
	    "0.6666666666666666", "1.5" } },
	{ FLOAT, DECIMAL, TYPE_DECIMAL,
	  { "12.00", "-9.00", "15.750",
	    "0.142857142857142857142857142857143", "1.5" } },
	{ DOUBLE, TINYINT, TYPE_DOUBLE,
	  { "9.25", "-4.75", "15.75",
	    "0.32142857142857145", "2.25" } },
	{ DOUBLE, SMALLINT, TYPE_DOUBLE,
	  { "302.25", "-297.75", "675.0",
	    "0.0075", "2.25" } },
	{ DOUBLE, INT, TYPE_DOUBLE,
	  { "70002.25", "-69997.75", "157500.0",
	    "3.2142857142857144E-5", "2.25" } },
	{ DOUBLE, BIGINT, TYPE_DOUBLE,
	  { "5.00000000225E9", "-4.99999999775E9", "1.125E10",
	    "4.5E-10", "2.25" } },
	{ DOUBLE, VARINT, TYPE_DECIMAL,
	  { "123456789012345678901234567892.25", "-123456789012345678901234567887.75", "277777775277777777527777777752.50",
	    "1.82250001640250014926275135829286E-29", "2.25" } },
	{ DOUBLE, FLOAT, TYPE_DOUBLE,
	  { "3.75", "0.75", "3.375",
	    "1.5", "0.75" } },
	{ DOUBLE, DOUBLE, TYPE_DOUBLE,
	  { "4.5", "0.0", "5.0625",
	    "1.0", "0.0" } },
	{ DOUBLE, DECIMAL, TYPE_DECIMAL,
	  { "12.75", "-8.25", "23.6250",
	    "0.214285714285714285714285714285714", "2.25" } },
	{ DECIMAL, TINYINT, TYPE_DECIMAL,
	  { "17.50", "3.50", "73.500",
	    "1.5", "3.50" } },
	{ DECIMAL, SMALLINT, TYPE_DECIMAL,
	  { "310.50", "-289.50", "3150.000",
	    "0.035", "10.50" } },
	{ DECIMAL, INT, TYPE_DECIMAL,
	  { "70010.50", "-69989.50", "735000.000",
	    "0.00015", "10.50" } },
	{ DECIMAL, BIGINT, TYPE_DECIMAL,
	  { "5000000010.50", "-4999999989.50", "5.2500E+10",
	    "2.1E-9", "10.50" } },
	{ DECIMAL, VARINT, TYPE_DECIMAL,
	  { "123456789012345678901234567900.50", "-123456789012345678901234567879.50", "1296296284629629628462962962845.00",
	    "8.5050000765450006965595063387E-29", "10.50" } },
	{ DECIMAL, FLOAT, TYPE_DECIMAL,
	  { "12.00", "9.00", "15.750",
	    "7", "0.00" } },
	{ DECIMAL, DOUBLE, TYPE_DECIMAL,
	  { "12.75", "8.25", "23.6250",
	    "4.66666666666666666666666666666667", "1.50" } },
	{ DECIMAL, DECIMAL, TYPE_DECIMAL,
	  { "21.00", "0.00", "110.2500",
	    "1", "0.00" } },
};

/* The answer's text, "null", or the message. */
static void apply(struct buf *text, const struct operand *left, char op,
		  const struct operand *right)
{
	struct buf a = BUF_INIT, b = BUF_INIT, out = BUF_INIT;
	struct type_error error = { .text = "" };
	int result = arithmetic_result(left->kind, op, right->kind);
	bool is_null;

	ck_assert_int_ge(result, 0);
	ck_assert_int_eq(native_read_text(&a, left->kind, bytes_str(left->text),
					  &error), 0);
	ck_assert_int_eq(native_read_text(&b, right->kind,
					  bytes_str(right->text), &error), 0);
	if (arithmetic_apply(&out, &is_null, left->kind, buf_bytes(&a), op,
			     right->kind, buf_bytes(&b), &error)) {
		ck_assert_uint_eq(out.len, 0);
		buf_add_str(text, error.text);
	} else if (is_null) {
		buf_add_str(text, "null");
	} else {
		ck_assert_int_eq(native_validate((enum type_kind)result,
						 buf_bytes(&out), NULL), 0);
		native_print_text(text, (enum type_kind)result,
				  buf_bytes(&out));
	}
	buf_release(&a);
	buf_release(&b);
	buf_release(&out);
}

START_TEST(operations_on_two_kinds_of_numbers)
{
	static const char ops[] = "+-*/%";
	struct buf text = BUF_INIT;
	int i;

	for (i = 0; i < 5; i++) {
		ck_assert_int_eq(arithmetic_result(all[_i].left.kind, ops[i],
						   all[_i].right.kind),
				 all[_i].result);
		buf_clear(&text);
		apply(&text, &all[_i].left, ops[i], &all[_i].right);
		ck_assert_str_eq(buf_cstr(&text), all[_i].answers[i]);
	}
	buf_release(&text);
}
END_TEST

static const struct {
	struct operand left;
	char op;
	struct operand right;
	const char *answer;
} some[] = {
	{ { TYPE_INT, "1" }, '/', { TYPE_INT, "0" },
	  "the operation 'int / int' failed: / by zero" },
	{ { TYPE_INT, "1" }, '%', { TYPE_INT, "0" },
	  "the operation 'int % int' failed: / by zero" },
	{ { TYPE_TINYINT, "1" }, '/', { TYPE_INT, "0" },
	  "the operation 'tinyint / int' failed: / by zero" },
	{ { TYPE_VARINT, "1" }, '/', { TYPE_INT, "0" },
	  "the operation 'varint / int' failed: BigInteger divide by zero" },
	{ { TYPE_VARINT, "1" }, '%', { TYPE_INT, "0" },
	  "the operation 'varint % int' failed: BigInteger divide by zero" },
	{ { TYPE_DECIMAL, "1" }, '/', { TYPE_INT, "0" },
	  "the operation 'decimal / int' failed: BigInteger divide by zero" },
	{ { TYPE_DECIMAL, "1" }, '%', { TYPE_INT, "0" },
	  "the operation 'decimal % int' failed: Division by zero" },
	{ { TYPE_DECIMAL, "1" }, '+', { TYPE_DOUBLE, "NaN" },
	  "the operation 'decimal + double' failed: A NaN cannot be converted "
	  "into a decimal" },
	{ { TYPE_DECIMAL, "1E+2147483647" }, '*', { TYPE_DECIMAL, "1E+2" },
	  "the operation 'decimal * decimal' failed: Overflow" },
	{ { TYPE_DECIMAL, "1E-2147483647" }, '*', { TYPE_DECIMAL, "1E-1" },
	  "the operation 'decimal * decimal' failed: Underflow" },
	{ { TYPE_DECIMAL, "0E+5" }, '+', { TYPE_DECIMAL, "0.00" }, "0.00" },
	{ { TYPE_DECIMAL, "0" }, '-', { TYPE_DECIMAL, "1.5" }, "-1.5" },
	{ { TYPE_DECIMAL, "0.000" }, '-', { TYPE_DECIMAL, "1.5" }, "-1.500" },
	{ { TYPE_DECIMAL, "1.5" }, '-', { TYPE_DECIMAL, "0.000" }, "1.500" },
	{ { TYPE_DECIMAL, "0.000" }, '+', { TYPE_DECIMAL, "1E+2" },
	  "100.000" },
	{ { TYPE_FLOAT, "1" }, '/', { TYPE_INT, "0" }, "Infinity" },
	{ { TYPE_DOUBLE, "1" }, '%', { TYPE_INT, "0" }, "NaN" },
	{ { TYPE_DOUBLE, "1e308" }, '*', { TYPE_INT, "10" }, "Infinity" },
	{ { TYPE_INT, "2147483647" }, '+', { TYPE_INT, "1" }, "-2147483648" },
	{ { TYPE_INT, "-2147483648" }, '/', { TYPE_INT, "-1" },
	  "-2147483648" },
	{ { TYPE_TINYINT, "-128" }, '/', { TYPE_TINYINT, "-1" }, "-128" },
	{ { TYPE_TINYINT, "127" }, '+', { TYPE_TINYINT, "127" }, "-2" },
	{ { TYPE_BIGINT, "-9223372036854775808" }, '/', { TYPE_INT, "-1" },
	  "-9223372036854775808" },
	{ { TYPE_BIGINT, "-9223372036854775808" }, '%', { TYPE_INT, "-1" },
	  "0" },
	{ { TYPE_BIGINT, "9223372036854775807" }, '*', { TYPE_INT, "2" },
	  "-2" },
	{ { TYPE_COUNTER, "2" }, '+', { TYPE_INT, "1" }, "3" },
	{ { TYPE_INT, "-7" }, '%', { TYPE_INT, "3" }, "-1" },
	{ { TYPE_INT, "-7" }, '/', { TYPE_INT, "2" }, "-3" },
	{ { TYPE_VARINT, "-7" }, '/', { TYPE_INT, "2" }, "-3" },
	{ { TYPE_DECIMAL, "1" }, '+', { TYPE_INT, "1" }, "2.0" },
	{ { TYPE_TEXT, "text" }, '+', { TYPE_ASCII, "ascii" }, "textascii" },
	{ { TYPE_TEXT, "" }, '+', { TYPE_TEXT, "" }, "" },
	{ { TYPE_DATE, "2016-10-04" }, '+', { TYPE_DURATION, "1y2mo3d" },
	  "2017-12-07" },
	{ { TYPE_DATE, "2016-10-04" }, '-', { TYPE_DURATION, "2w" },
	  "2016-09-20" },
	{ { TYPE_DATE, "2016-01-31" }, '+', { TYPE_DURATION, "1mo" },
	  "2016-02-29" },
	{ { TYPE_DATE, "2016-02-29" }, '+', { TYPE_DURATION, "1y" },
	  "2017-02-28" },
	{ { TYPE_DATE, "2016-03-31" }, '+', { TYPE_DURATION, "-1mo" },
	  "2016-02-29" },
	{ { TYPE_DATE, "2016-01-31" }, '+', { TYPE_DURATION, "1mo1d" },
	  "2016-03-01" },
	{ { TYPE_DATE, "1969-12-31" }, '-', { TYPE_DURATION, "1d" },
	  "1969-12-30" },
	{ { TYPE_DATE, "2016-10-04" }, '+', { TYPE_DURATION, "24h" },
	  "the operation 'date + duration' failed: The duration must have a "
	  "day precision. Was: 24h" },
	{ { TYPE_TIMESTAMP, "2016-10-04T12:34:56.789Z" }, '+',
	  { TYPE_DURATION, "1y2mo3d4h5m6s" }, "2017-12-07T16:40:02.789Z" },
	{ { TYPE_TIMESTAMP, "2016-10-04T12:34:56.789Z" }, '+',
	  { TYPE_DURATION, "1000us" }, "2016-10-04T12:34:56.790Z" },
	{ { TYPE_TIMESTAMP, "2016-10-04T12:34:56.789Z" }, '-',
	  { TYPE_DURATION, "1h" }, "2016-10-04T11:34:56.789Z" },
	{ { TYPE_TIMESTAMP, "2016-02-29" }, '+', { TYPE_DURATION, "-1y" },
	  "2015-02-28T00:00:00.000Z" },
	{ { TYPE_TIMESTAMP, "2016-01-31" }, '+', { TYPE_DURATION, "1mo600h" },
	  "2016-03-25T00:00:00.000Z" },
	{ { TYPE_TIMESTAMP, "2016-10-04" }, '+', { TYPE_DURATION, "1us" },
	  "the operation 'timestamp + duration' failed: The duration must have "
	  "a millisecond precision. Was: 1us" },
	{ { TYPE_TIMESTAMP, "" }, '+', { TYPE_DURATION, "1d" }, "null" },
};

START_TEST(an_operation_gives_its_answer)
{
	struct buf text = BUF_INIT;

	apply(&text, &some[_i].left, some[_i].op, &some[_i].right);
	ck_assert_str_eq(buf_cstr(&text), some[_i].answer);
	buf_release(&text);
}
END_TEST

/* Quotients and remainders of decimals as Java gives them; !: its words. */
static const struct {
	const char *a, *b, *quotient, *remainder;
} decimals[] = {
	{ "0", "0", "!BigInteger divide by zero",
	  "!Division undefined" },
	{ "0.0", "0", "!BigInteger divide by zero",
	  "!Division undefined" },
	{ "1", "0", "!BigInteger divide by zero",
	  "!Division by zero" },
	{ "10.5", "0", "!BigInteger divide by zero",
	  "!Division by zero" },
	{ "100", "1", "1E+2",
	  "0" },
	{ "1", "3", "0.33333333333333333333333333333333",
	  "1" },
	{ "0", "5", "0",
	  "0" },
	{ "-7", "3", "-2.33333333333333333333333333333333",
	  "-1" },
	{ "1E+40", "7", "1428571428571428571428571428571428571428.57142857142857142857142857142857",
	  "4" },
	{ "1", "1E+40", "1E-40",
	  "1" },
	{ "2", "3E-40", "6666666666666666666666666666666666666666.6666666666666666666666666666666666666667",
	  "2E-40" },
	{ "1E-1200", "3", "0",
	  "1E-1200" },
	{ "123456789012345678901234567890", "0", "!BigInteger divide by zero",
	  "!Division by zero" },
	{ "5", "-2", "-2.5",
	  "1" },
	{ "1E+10", "7", "1428571428.57142857142857142857142857142857",
	  "4" },
	{ "100", "0.5", "2E+2",
	  "0" },
	{ "1E+3", "7E+1", "14.28571428571428571428571428571429",
	  "2E+1" },
	{ "123E+5", "1E-3", "1.23E+10",
	  "0E+5" },
	{ "0E+3", "7", "0",
	  "0E+3" },
	{ "7", "1E+5", "0.00007",
	  "7" },
	{ "1200", "1E+1", "1.2E+2",
	  "0" },
	{ "123000", "0.01", "1.23E+7",
	  "0" },
	{ "100", "30E-1", "33.33333333333333333333333333333333",
	  "1.0" },
	{ "1E+3", "3E-2", "33333.33333333333333333333333333333333",
	  "0.01" },
	{ "36", "1.50", "24",
	  "0.00" },
	{ "3000", "1.50", "2E+3",
	  "0" },
	{ "-1E+3", "3E-2", "-33333.33333333333333333333333333333333",
	  "-0.01" },
};

START_TEST(decimals_divide_as_in_java)
{
	struct operand a = { TYPE_DECIMAL, decimals[_i].a };
	struct operand b = { TYPE_DECIMAL, decimals[_i].b };
	struct buf text = BUF_INIT;
	int i;

	for (i = 0; i < 2; i++) {
		const char *want = i ? decimals[_i].remainder :
				       decimals[_i].quotient;
		const char *got;

		buf_clear(&text);
		apply(&text, &a, i ? '%' : '/', &b);
		got = buf_cstr(&text);
		if (*want == '!')
			ck_assert_str_eq(strstr(got, ": ") + 2, want + 1);
		else
			ck_assert_str_eq(got, want);
	}
	buf_release(&text);
}
END_TEST

/* Sums and products keep 10000 digits, so that no exponent is too large. */
START_TEST(a_sum_has_its_limit)
{
	struct operand large = { TYPE_DECIMAL, "1E+2147483647" };
	struct operand one = { TYPE_DECIMAL, "1" };
	struct operand nines = { TYPE_DECIMAL, NULL };
	struct buf text = BUF_INIT, digits = BUF_INIT;
	size_t i;

	apply(&text, &large, '-', &one);
	/* 9.99…9E+2147483646: the 1 is far below the last digit that is kept,
	 * and rounds it up again */
	ck_assert_uint_eq(text.len, 10001 + strlen("E+2147483647"));
	ck_assert(!memcmp(text.ptr, "1.000", 5));
	for (i = 0; i < 6000; i++)
		buf_add_byte(&digits, '9');
	nines.text = buf_cstr(&digits);
	buf_clear(&text);
	apply(&text, &nines, '*', &nines);	/* 99…9800…01, 12000 digits */
	ck_assert_uint_eq(text.len, 10001 + strlen("E+11999"));
	for (i = 2; i < 6000; i++)
		ck_assert_uint_eq(text.ptr[i], '9');
	ck_assert_uint_eq(text.ptr[6000], '8');
	for (i = 6001; i < 10001; i++)
		ck_assert_uint_eq(text.ptr[i], '0');
	buf_release(&text);
	buf_release(&digits);
}
END_TEST

START_TEST(operations_that_are_not_defined)
{
	ck_assert_int_eq(arithmetic_result(TYPE_TEXT, '-', TYPE_TEXT), -1);
	ck_assert_int_eq(arithmetic_result(TYPE_INT, '+', TYPE_TEXT), -1);
	ck_assert_int_eq(arithmetic_result(TYPE_DURATION, '+', TYPE_DATE), -1);
	ck_assert_int_eq(arithmetic_result(TYPE_DATE, '*', TYPE_DURATION), -1);
	ck_assert_int_eq(arithmetic_result(TYPE_TIME, '+', TYPE_DURATION), -1);
	ck_assert_int_eq(arithmetic_result(TYPE_TIMESTAMP, '-',
					   TYPE_TIMESTAMP), -1);
	ck_assert_int_eq(arithmetic_result(TYPE_BOOLEAN, '+', TYPE_BOOLEAN),
			 -1);
	ck_assert_int_eq(arithmetic_result(TYPE_ASCII, '+', TYPE_ASCII),
			 TYPE_ASCII);
	ck_assert(!arithmetic_can_negate(TYPE_DURATION));
	ck_assert(arithmetic_can_negate(TYPE_COUNTER));
}
END_TEST

static const struct {
	enum type_kind kind;
	const char *text, *negative;
} signs[] = {
	{ TYPE_TINYINT, "-128", "-128" }, { TYPE_INT, "5", "-5" },
	{ TYPE_BIGINT, "-9223372036854775808", "-9223372036854775808" },
	{ TYPE_VARINT, "128", "-128" }, { TYPE_DECIMAL, "1.50", "-1.50" },
	{ TYPE_DOUBLE, "0", "-0.0" }, { TYPE_FLOAT, "NaN", "NaN" },
	{ TYPE_FLOAT, "-Infinity", "Infinity" },
};

START_TEST(a_number_is_negated)
{
	struct buf value = BUF_INIT, out = BUF_INIT, text = BUF_INIT;
	bool is_null;

	native_read_text(&value, signs[_i].kind, bytes_str(signs[_i].text),
			 NULL);
	arithmetic_negate(&out, &is_null, signs[_i].kind, buf_bytes(&value));
	ck_assert(!is_null);
	native_print_text(&text, signs[_i].kind, buf_bytes(&out));
	ck_assert_str_eq(buf_cstr(&text), signs[_i].negative);
	buf_release(&value);
	buf_release(&out);
	buf_release(&text);
}
END_TEST

/* Quotient and remainder make the dividend again. */
START_TEST(random_decimals_add_up)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct buf parts[6] = { BUF_INIT, BUF_INIT, BUF_INIT, BUF_INIT,
				BUF_INIT, BUF_INIT };
	enum type_kind kind = _i % 2 ? TYPE_VARINT : TYPE_DECIMAL;
	bool is_null;
	int i;

	for (i = 0; i < 2; i++) {
		if (kind == TYPE_DECIMAL)
			buf_add_be32(&parts[i], random_below(&rng, 30));
		native_random(&parts[i], &rng, TYPE_VARINT);
	}
	/* (a * b) / b is a, for integers; (a + b) - b for decimals. */
	arithmetic_apply(&parts[2], &is_null, kind, buf_bytes(&parts[0]),
			 kind == TYPE_VARINT ? '*' : '+', kind,
			 buf_bytes(&parts[1]), NULL);
	if (arithmetic_apply(&parts[3], &is_null, kind, buf_bytes(&parts[2]),
			     kind == TYPE_VARINT ? '/' : '-', kind,
			     buf_bytes(&parts[1]), NULL)) {
		ck_assert_uint_eq(parts[1].ptr[0], 0);	/* by zero */
	} else if (kind == TYPE_VARINT) {
		ck_assert(bytes_equal(buf_bytes(&parts[3]),
				      buf_bytes(&parts[0])));
	} else {
		/* The same number, perhaps with more digits. */
		arithmetic_apply(&parts[4], &is_null, kind,
				 buf_bytes(&parts[3]), '-', kind,
				 buf_bytes(&parts[0]), NULL);
		ck_assert_uint_eq(parts[4].len, 5);
		ck_assert_uint_eq(parts[4].ptr[4], 0);
	}
	for (i = 0; i < 6; i++)
		buf_release(&parts[i]);
}
END_TEST

START_TEST(an_average_is_rounded_to_even)
{
	static const struct {
		const char *a, *b;
		int32_t scale;
		const char *answer;
	} quotients[] = {
		{ "0.05", "2", 2, "0.02" }, { "0.15", "2", 2, "0.08" },
		{ "1", "3", 0, "0" }, { "-0.05", "2", 2, "-0.02" },
		{ "-0.15", "2", 2, "-0.08" }, { "5", "2", 0, "2" },
		{ "500", "3", -1, "1.7E+2" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(quotients); i++) {
		struct buf a = BUF_INIT, b = BUF_INIT, out = BUF_INIT;
		struct buf text = BUF_INIT;

		decimal_read(&a, bytes_str(quotients[i].a), NULL);
		decimal_read(&b, bytes_str(quotients[i].b), NULL);
		ck_assert_int_eq(arithmetic_divide_half_even(&out,
				buf_bytes(&a), buf_bytes(&b),
				quotients[i].scale), 0);
		native_decimal.print(&text, buf_bytes(&out));
		ck_assert_str_eq(buf_cstr(&text), quotients[i].answer);
		buf_release(&a);
		buf_release(&b);
		buf_release(&out);
		buf_release(&text);
	}
}
END_TEST

/* Each allocation in turn fails: the result says so, or is right. */
START_TEST(lack_of_memory_is_survived)		/* _i: which one */
{
	static const char ops[] = "+-*/%";
	struct buf value = BUF_INIT;
	bool is_null;
	int i;

	decimal_read(&value, bytes_str("10.50"), NULL);
	for (i = 0; i < 5; i++) {
		struct buf out = BUF_INIT;

		mem_fail_at(_i, 0);
		ck_assert_int_eq(arithmetic_apply(&out, &is_null, TYPE_DECIMAL,
				buf_bytes(&value), ops[i], TYPE_DECIMAL,
				buf_bytes(&value), NULL), 0);
		mem_fail_at(0, 0);
		ck_assert(out.failed || !native_validate(TYPE_DECIMAL,
						buf_bytes(&out), NULL));
		if (_i == 1)
			ck_assert(out.failed);
		buf_release(&out);
	}
	buf_release(&value);
}
END_TEST

SUITE(arithmetic)
{
	TCase *tc = tcase_create("arithmetic");

	tcase_add_loop_test(tc, operations_on_two_kinds_of_numbers, 0,
			    (int)ARRAY_SIZE(all));
	tcase_add_loop_test(tc, an_operation_gives_its_answer, 0,
			    (int)ARRAY_SIZE(some));
	tcase_add_loop_test(tc, decimals_divide_as_in_java, 0,
			    (int)ARRAY_SIZE(decimals));
	tcase_add_test(tc, a_sum_has_its_limit);
	tcase_add_test(tc, operations_that_are_not_defined);
	tcase_add_loop_test(tc, a_number_is_negated, 0,
			    (int)ARRAY_SIZE(signs));
	tcase_add_loop_test(tc, random_decimals_add_up, 0, 100);
	tcase_add_test(tc, an_average_is_rounded_to_even);
	tcase_add_loop_test(tc, lack_of_memory_is_survived, 1, 8);
	suite_add_tcase(suite, tc);
}
