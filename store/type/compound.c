/*
 * Values with parts: checking them, and their text. The text of a value is JSON
 * (with NaN and the infinities as strings, so that every value comes back); JSON
 * and CQL literals are both read, as each tells itself from the other: what is
 * valid JSON for the type is taken as that, all else as a literal.
 */
#include "store/type/compound.h"

#include <errno.h>

#include "store/type/json/json.h"
#include "store/type/literal.h"
#include "store/type/native.h"

static int not_enough(const struct type *t, struct type_error *error)
{
	return type_fail(error, "Not enough bytes to read a %s",
			 type_kind_name(t->kind));
}

static int extraneous(const struct type *t, struct type_error *error)
{
	switch (t->kind) {
	case TYPE_TUPLE:
		return type_fail(error, "Invalid remaining data after end of "
				 "tuple value");
	case TYPE_UDT:
		return type_fail(error, "Invalid remaining data after end of "
				 "UDT value");
	default:
		return type_fail(error, "Unexpected extraneous bytes after %s "
				 "value", type_kind_name(t->kind));
	}
}

/* Which of a tuple's or user type's fields was cut, and where. */
static int cut_field(const struct type_parts *p, size_t left,
		     struct type_error *error)
{
	const char *size = left < 4 ? "size of " : "";
	uint32_t i = p->index - 1;

	if (p->type->kind == TYPE_UDT)
		return type_fail(error, "Not enough bytes to read %s%uth field "
				 "%s", size, i, p->type->field_names[i]);
	return type_fail(error, "Not enough bytes to read %s%uth component",
			 size, i);
}

int compound_validate(const struct type *t, struct bytes value,
		      struct type_error *error)
{
	bool fields = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	struct type_parts p;
	struct bytes part;
	size_t left;
	uint32_t i;
	int more, err;

	if (type_parts_begin(&p, t, value))
		return not_enough(t, error);
	for (i = 0;; i++) {
		left = reader_left(&p.reader);
		more = type_parts_next(&p, &part);
		if (more <= 0)
			break;
		if (!part.ptr && t->kind == TYPE_LIST)
			return not_enough(t, error);
		if (!part.ptr)
			continue;
		err = type_validate(type_part(t, i), part, error);
		if (err)
			return err;
		if (t->kind == TYPE_VECTOR && !part.len &&
		    t->parts[0]->kind != TYPE_TEXT &&
		    t->parts[0]->kind != TYPE_ASCII &&
		    t->parts[0]->kind != TYPE_BLOB)
			return not_enough(t, error);
	}
	if (!more)
		return 0;
	if (!p.reader.failed && p.index == p.count && reader_left(&p.reader))
		return extraneous(t, error);
	if (fields)
		return cut_field(&p, left, error);
	return not_enough(t, error);
}

static bool may_open(enum type_kind kind, uint8_t c)
{
	switch (kind) {
	case TYPE_SET:
		return c == '{' || c == '[';
	case TYPE_TUPLE:
		return c == '(' || c == '[';
	case TYPE_MAP:
	case TYPE_UDT:
		return c == '{';
	default:
		return c == '[';
	}
}

static bool is_json(struct bytes text, struct bytes *value,
		    struct type_error *error)
{
	if (json_read_value(value, text, error))
		return false;
	if (value->ptr == text.ptr && value->len == text.len)
		return true;
	type_fail(error, "Only one value is expected, without blanks around "
		  "it");
	return false;
}

int compound_read_text(struct buf *out, const struct type *t, struct bytes text,
		       struct type_error *error)
{
	struct type_error json_error, literal_error;
	size_t start = out->len;
	bool null = false, json;
	struct bytes value;
	int err = -EINVAL;

	if (!text.len || !may_open(t->kind, *text.ptr))
		return type_fail(error, "Expected a %s, but got '%.*s'",
				 t->kind == TYPE_UDT ? "user type" :
				 type_kind_name(t->kind),
				 type_fail_length(text), text.ptr);
	json = (*text.ptr == '[' || *text.ptr == '{') &&
	       is_json(text, &value, &json_error);
	if (json)
		err = type_read_json_exact(out, &null, t, value, &json_error);
	if (!err || err == -ENOMEM)
		goto out;
	if (!out->failed)
		out->len = start;
	err = literal_read(out, t, text, &literal_error);
	if (err == -EINVAL && error)
		*error = json ? json_error : literal_error;
out:
	if (err == -ENOMEM) {
		out->failed = true;
		err = 0;
	}
	return err;
}

void compound_print_text(struct buf *out, const struct type *t,
			 struct bytes value)
{
	json_print_value(out, t, value, true);
}

size_t compound_text_length(const struct type *t, struct bytes value)
{
	return json_value_length(t, value, true);
}

bool compound_text_may_begin(const struct type *t, struct bytes text)
{
	if (!text.len)
		return true;
	return may_open(t->kind, *text.ptr) &&
	       ((*text.ptr != '(' && json_may_begin(t, text)) ||
		literal_may_begin(t, text));
}

static void print_part(struct buf *out, const struct type *t, struct bytes part)
{
	if (part.ptr)
		type_print_literal(out, t, part);
	else
		buf_add_str(out, "null");
}

void compound_print_literal(struct buf *out, const struct type *t,
			    struct bytes value)
{
	bool list = t->kind == TYPE_LIST || t->kind == TYPE_VECTOR;
	bool tuple = t->kind == TYPE_TUPLE;
	struct type_parts p;
	struct bytes part;
	uint32_t i;

	if (type_parts_begin(&p, t, value))
		p.count = p.index = 0;
	buf_add_byte(out, list ? '[' : tuple ? '(' : '{');
	for (i = 0; type_parts_next(&p, &part) > 0; i++) {
		if (i)
			buf_add_str(out, t->kind == TYPE_MAP && i % 2 ?
				    ": " : ", ");
		if (t->kind == TYPE_UDT) {
			type_print_identifier(out, t->field_names[i]);
			buf_add_str(out, ": ");
		}
		print_part(out, type_part(t, i), part);
	}
	buf_add_byte(out, list ? ']' : tuple ? ')' : '}');
}
