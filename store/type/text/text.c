#include "store/type/text/text.h"

#include "store/type/native.h"
#include "store/type/text/compound.h"
#include "store/type/text/number_form.h"
#include "store/type/type.h"

static bool is_native(const struct type *t)
{
	return kind_is_native(t->kind);
}

/*
 * True if the text begins or ends with a blank. CQL accepts blanks around a
 * time of day; a file does not, as for every other type.
 */
static bool has_outer_blank(struct bytes text)
{
	return text.len &&
	       (text.ptr[0] <= ' ' || text.ptr[text.len - 1] <= ' ');
}

static int read_text(struct buf *out, const struct type *t, struct bytes text,
		     bool strict, struct type_error *error)
{
	if (t->kind == TYPE_TIME && has_outer_blank(text))
		return type_fail(error, "(TimeType) Unable to coerce '%.*s' to "
				 "a formatted time (long)",
				 type_fail_length(text), text.ptr);
	return is_native(t) ? native_read_text(out, t->kind, text, error) :
			      compound_read_text(out, t, text, strict, error);
}

int type_read_text(struct buf *out, const struct type *t, struct bytes text,
		   struct type_error *error)
{
	return read_text(out, t, text, false, error);
}

int type_read_literal(struct buf *out, const struct type *t, struct bytes text,
		      struct type_error *error)
{
	const char *fault = number_form_fault(t->kind, text);

	return fault ? type_fail(error, "%s", fault) :
		       read_text(out, t, text, true, error);
}

void type_print_text(struct buf *out, const struct type *t, struct bytes value)
{
	if (is_native(t))
		native_print_text(out, t->kind, value);
	else
		compound_print_text(out, t, value);
}

size_t type_text_length(const struct type *t, struct bytes value)
{
	return is_native(t) ? native_text_length(t->kind, value) :
			      compound_text_length(t, value);
}

bool type_text_may_begin(const struct type *t, struct bytes text)
{
	return is_native(t) ? !number_form_fault(t->kind, text) &&
				      native_text_may_begin(t->kind, text) :
			      compound_text_may_begin(t, text);
}
