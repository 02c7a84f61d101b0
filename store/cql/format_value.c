/*
 * Values for people, in the manner of cqlsh: short floats, timestamps with
 * blanks, control characters escaped, so that a row is one line.
 */
#include "store/cql/format.h"

#include <math.h>

static void print(struct buf *out, const struct type *t, struct bytes value,
		  bool inside);

static void print_text(struct buf *out, struct bytes text, bool quoted)
{
	static const char named[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
	size_t i;

	if (quoted)
		buf_add_byte(out, '\'');
	for (i = 0; i < text.len; i++) {
		uint8_t c = text.ptr[i];
		const char *name = c ? strchr(named, c) : NULL;

		if (name)
			buf_add_format(out, "\\%c", letters[name - named]);
		else if (c < 0x20 || c == 0x7f)
			buf_add_format(out, "\\x%02x", c);
		else if (c == '\'' && quoted)
			buf_add_str(out, "''");
		else
			buf_add_byte(out, c);
	}
	if (quoted)
		buf_add_byte(out, '\'');
}

/* cqlsh: so many digits behind the point, but never in other notation. */
static void print_real(struct buf *out, double value, int digits)
{
	double size = fabs(value);
	int exponent = size > 2.220446049250313e-16 ? (int)log10(size) : -99;

	if (isnan(value)) {
		buf_add_str(out, "NaN");
	} else if (isinf(value)) {
		buf_add_str(out, value < 0 ? "-Infinity" : "Infinity");
	} else {
		if (exponent >= -4 && exponent < digits)
			digits += exponent;
		buf_add_format(out, "%.*g", digits, value);
	}
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
		print_real(out, narrow, 5);
	} else {
		type_print_text(out, t, value);
	}
}

/* 2016-10-04T12:34:00.000Z to 2016-10-04 12:34:00.000000+0000 */
static void print_timestamp(struct buf *out, const struct type *t,
			    struct bytes value)
{
	struct buf text = BUF_INIT;
	size_t i;

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
		if (t->kind == TYPE_UDT)
			buf_add_format(out, "%s: ", t->field_names[i]);
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
