/*
 * The text of values with parts. It is JSON (with NaN and the infinities as
 * strings, so that every value can be read back). JSON and CQL literals are
 * both read: a text that is valid JSON for the type is read as JSON, any other
 * as a literal.
 */
#include "store/type/text/compound.h"

#include <errno.h>

#include "store/type/json/begin.h"
#include "store/type/json/json.h"
#include "store/type/json/print.h"
#include "store/type/json/value.h"
#include "store/type/text/literal.h"

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
		       bool strict, struct type_error *error)
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
	err = literal_read(out, t, text, strict, &literal_error);
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
