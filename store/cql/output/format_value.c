/*
 * Values for people, in the manner of cqlsh: short floats, timestamps with
 * blanks, control characters escaped, so that a row is one line.
 */
#include "store/cql/output/format_value.h"

#include <float.h>
#include <math.h>

#include "store/cql/output/format.h"
#include "store/type/compound_codec.h"
#include "store/type/text/text.h"

static void print(struct buf *out, const struct type *t, struct bytes value,
		  bool inside);

/* U+0080 to U+00A0 are control characters and the no-break space. */
static bool is_control(const uint8_t *c, size_t left)
{
	return *c < 0x20 || *c == 0x7f ||
	       (*c == 0xc2 && left > 1 && c[1] <= 0xa0);
}

static void print_text(struct buf *out, struct bytes text, bool quoted)
{
	size_t i;

	if (quoted)
		buf_add_byte(out, '\'');
	for (i = 0; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c == '\t' || c == '\n' || c == '\r')
			buf_add_format(out, "\\%c", c == '\t' ? 't' :
						    c == '\n' ? 'n' : 'r');
		else if (is_control(text.ptr + i, text.len - i))
			buf_add_format(out, "\\x%02x",
				       c < 0x80 ? c : text.ptr[++i]);
		else if (c == '\\')
			buf_add_str(out, "\\\\");
		else if (c == '\'' && quoted)
			buf_add_str(out, "''");
		else
			buf_add_byte(out, c);
	}
	if (quoted)
		buf_add_byte(out, '\'');
}

void cql_format_name(struct buf *out, struct bytes name)
{
	print_text(out, name, false);
}

static void print_real(struct buf *out, double value, int digits)
{
	if (isnan(value))
		buf_add_str(out, "NaN");
	else if (isinf(value))
		buf_add_str(out, value < 0 ? "-Infinity" : "Infinity");
	else
		buf_add_format(out, "%.*g", digits, value);
}

int cql_format_digits(double value, int precision)
{
	double size = fabs(value);
	int exponent = size > DBL_EPSILON ? (int)log10(size) : -99;

	return exponent >= -4 && exponent < precision ?
		precision + exponent + 1 : precision;
}

static void print_number(struct buf *out, const struct type *t,
			 struct bytes value)
{
	uint64_t bits8;
	uint32_t bits4;
	double wide;
	float narrow;

	if (t->kind == TYPE_DOUBLE && value.len == 8) {
		bits8 = get_be64(value.ptr);
		memcpy(&wide, &bits8, 8);
		print_real(out, wide, 12);
	} else if (t->kind == TYPE_FLOAT && value.len == 4) {
		bits4 = get_be32(value.ptr);
		memcpy(&narrow, &bits4, 4);
		print_real(out, (double)narrow,
			   cql_format_digits((double)narrow, 5));
	} else {
		type_print_text(out, t, value);
	}
}

#define YEAR_1_MS (-62135596800000)
#define YEAR_10000_MS 253402300800000

/* Print 2016-10-04 12:34:00.000000+0000; or milliseconds, for times of which
 * cqlsh has no date. */
static void print_timestamp(struct buf *out, const struct type *t,
			    struct bytes value)
{
	struct buf text = BUF_INIT;
	int64_t ms = value.len == 8 ? (int64_t)get_be64(value.ptr) : 0;
	size_t i;

	if (ms < YEAR_1_MS || ms >= YEAR_10000_MS) {
		buf_add_format(out, "%lld", (long long)ms);
		return;
	}
	type_print_text(&text, t, value);
	out->failed = out->failed || text.failed;
	if (text.len && text.ptr[text.len - 1] == 'Z')
		text.len--;
	for (i = 0; i < text.len; i++)
		buf_add_byte(out, text.ptr[i] == 'T' ? ' ' : text.ptr[i]);
	buf_add_str(out, "000+0000");
	buf_release(&text);
}

static const char *opening(const struct type *t)
{
	switch (t->kind) {
	case TYPE_LIST:
	case TYPE_VECTOR:
		return "[";
	case TYPE_TUPLE:
		return "(";
	default:
		return "{";
	}
}

static const char *closing(const struct type *t)
{
	return *opening(t) == '[' ? "]" : *opening(t) == '(' ? ")" : "}";
}

static const struct type *part_type(const struct type *t, uint32_t i)
{
	switch (t->kind) {
	case TYPE_MAP:
		return t->parts[i % 2];
	case TYPE_TUPLE:
	case TYPE_UDT:
		return t->parts[i];
	default:
		return t->parts[0];
	}
}

static void print_parts(struct buf *out, const struct type *t,
			struct bytes value)
{
	struct type_parts parts;
	struct bytes part;
	uint32_t i = 0;
	int err = type_parts_begin(&parts, t, value);

	buf_add_str(out, opening(t));
	for (; !err && type_parts_next(&parts, &part) > 0; i++) {
		if (i)
			buf_add_str(out, t->kind == TYPE_MAP && i % 2 ? ": "
								      : ", ");
		if (t->kind == TYPE_UDT) {
			cql_format_name(out, bytes_str(t->field_names[i]));
			buf_add_str(out, ": ");
		}
		print(out, part_type(t, i), part, true);
	}
	buf_add_str(out, closing(t));
}

static void print(struct buf *out, const struct type *t, struct bytes value,
		  bool inside)
{
	if (bytes_is_null(value)) {
		buf_add_str(out, "null");
		return;
	}
	switch (t->kind) {
	case TYPE_TEXT:
	case TYPE_ASCII:
		print_text(out, value, inside);
		return;
	case TYPE_LIST:
	case TYPE_SET:
	case TYPE_MAP:
	case TYPE_TUPLE:
	case TYPE_UDT:
	case TYPE_VECTOR:
		print_parts(out, t, value);
		return;
	default:
		break;
	}
	if (!value.len && t->kind != TYPE_BLOB && t->kind != TYPE_DURATION)
		return;
	if (t->kind == TYPE_BOOLEAN) {
		buf_add_str(out, *value.ptr ? "True" : "False");
	} else if (t->kind == TYPE_TIMESTAMP) {
		buf_add_str(out, inside ? "'" : "");
		print_timestamp(out, t, value);
		buf_add_str(out, inside ? "'" : "");
	} else {
		bool quoted = inside && t->kind == TYPE_INET;

		buf_add_str(out, quoted ? "'" : "");
		print_number(out, t, value);
		buf_add_str(out, quoted ? "'" : "");
	}
}

void cql_format_value(struct buf *out, const struct type *t,
		      struct bytes value)
{
	print(out, t, value, false);
}
