/* Native types by kind, and what goes for all of them. */
#include "store/type/native.h"

#include "store/type/blob.h"
#include "store/type/decimal.h"
#include "store/type/duration.h"
#include "store/type/float.h"
#include "store/type/inet.h"
#include "store/type/number.h"
#include "store/type/string.h"
#include "store/type/time.h"
#include "store/type/timestamp.h"
#include "store/type/uuid.h"

const struct native_type *const native_types[TYPE_KIND_COUNT] = {
	[TYPE_ASCII] = &native_ascii,
	[TYPE_BIGINT] = &native_bigint,
	[TYPE_BLOB] = &native_blob,
	[TYPE_BOOLEAN] = &native_boolean,
	[TYPE_COUNTER] = &native_counter,
	[TYPE_DATE] = &native_date,
	[TYPE_DECIMAL] = &native_decimal,
	[TYPE_DOUBLE] = &native_double,
	[TYPE_DURATION] = &native_duration,
	[TYPE_EMPTY] = &native_empty,
	[TYPE_FLOAT] = &native_float,
	[TYPE_INET] = &native_inet,
	[TYPE_INT] = &native_int,
	[TYPE_SMALLINT] = &native_smallint,
	[TYPE_TEXT] = &native_text,
	[TYPE_TIME] = &native_time,
	[TYPE_TIMESTAMP] = &native_timestamp,
	[TYPE_TIMEUUID] = &native_timeuuid,
	[TYPE_TINYINT] = &native_tinyint,
	[TYPE_UUID] = &native_uuid,
	[TYPE_VARINT] = &native_varint,
};

int native_validate(enum type_kind kind, struct bytes value,
		    struct type_error *error)
{
	const struct native_type *n = native_types[kind];

	if (n->length && value.len != n->length &&
	    (value.len || n->is_never_empty))
		return type_fail(error, "%s (%zu)", n->wrong_length, value.len);
	return n->validate ? n->validate(value, error) : 0;
}

int native_read_text(struct buf *out, enum type_kind kind, struct bytes text,
		     struct type_error *error)
{
	return native_types[kind]->read(out, text, error);
}

bool native_text_may_begin(enum type_kind kind, struct bytes text)
{
	return native_types[kind]->may_begin(text);
}

/*
 * Empty and broken values are not. Of a fixed length no more is asked: the least
 * timeuuid of a time long ago has another version.
 */
static bool is_printable(const struct native_type *n, struct bytes value)
{
	if (!value.len)
		return n->has_empty;
	if (n->length)
		return value.len == n->length;
	return !n->validate || !n->validate(value, NULL);
}

void native_print_text(struct buf *out, enum type_kind kind,
		       struct bytes value)
{
	const struct native_type *n = native_types[kind];

	if (is_printable(n, value))
		n->print(out, value);
}

size_t native_text_length(enum type_kind kind, struct bytes value)
{
	const struct native_type *n = native_types[kind];
	struct buf text = BUF_INIT;
	size_t len;

	if (!is_printable(n, value))
		return 0;
	if (n->text_length)
		return n->text_length(value);
	n->print(&text, value);		/* a short one */
	len = text.len;
	buf_release(&text);
	return len;
}

bool native_is_quoted(enum type_kind kind)
{
	return native_types[kind]->is_quoted;
}

static bool has_literal(const struct native_type *n, struct bytes value)
{
	if (n->has_literal)
		return n->has_literal(value);
	return value.len || n->has_empty;
}

void native_print_literal(struct buf *out, enum type_kind kind,
			  struct bytes value)
{
	const struct native_type *n = native_types[kind];

	if (bytes_is_null(value)) {
		buf_add_str(out, "null");
	} else if (!has_literal(n, value)) {
		/* No literal of the type has these bytes, so a function is
		 * written. */
		buf_add_format(out, "blob_as_%s(", n->name);
		native_blob.print(out, value);
		buf_add_byte(out, ')');
	} else if (n->print_literal) {
		n->print_literal(out, value);
	} else {
		if (n->is_quoted)
			buf_add_byte(out, '\'');
		native_print_text(out, kind, value);
		if (n->is_quoted)
			buf_add_byte(out, '\'');
	}
}
