#include "store/type/value.h"

#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/native.h"
#include "store/type/type.h"

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

/* Say which of a tuple's or user type's fields was cut off, and where. */
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

static int validate_parts(const struct type *t, struct bytes value,
			  struct type_error *error)
{
	bool fields = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	bool vector = t->kind == TYPE_VECTOR;
	const struct native_type *element;
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
		element = native_types[t->parts[0]->kind];
		if (vector && !part.len && !(element && element->has_empty))
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

int type_validate(const struct type *t, struct bytes value,
		  struct type_error *error)
{
	return kind_is_native(t->kind) ?
		       native_validate(t->kind, value, error) :
		       validate_parts(t, value, error);
}

static void print_part(struct buf *out, const struct type *t, struct bytes part)
{
	if (part.ptr)
		type_print_literal(out, t, part);
	else
		buf_add_str(out, "null");
}

static void print_parts(struct buf *out, const struct type *t,
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

void type_print_literal(struct buf *out, const struct type *t,
			struct bytes value)
{
	if (kind_is_native(t->kind))
		native_print_literal(out, t->kind, value);
	else
		print_parts(out, t, value);
}
