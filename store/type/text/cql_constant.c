#include "store/type/text/cql_constant.h"

#include <errno.h>

#include "store/type/compound_codec.h"
#include "store/type/native.h"
#include "store/type/text/text.h"
#include "store/type/value.h"

static const char *const names[] = {
	[LITERAL_STRING] = "STRING", [LITERAL_INTEGER] = "INTEGER",
	[LITERAL_UUID] = "UUID", [LITERAL_FLOAT] = "FLOAT",
	[LITERAL_BOOLEAN] = "BOOLEAN", [LITERAL_HEX] = "HEX",
	[LITERAL_DURATION] = "DURATION",
};

bool type_takes_literal(const struct type *t, enum literal_kind kind)
{
	const struct native_type *n = native_types[t->kind];

	/* A tuple takes any form: its fields between colons, or hex. */
	return n ? n->constants & 1u << kind : t->kind == TYPE_TUPLE;
}

/* Set the message for a form that the type does not take. Returns -EINVAL. */
static int type_refuse_constant(const struct type *t, enum literal_kind kind,
				struct bytes text, const char *receiver,
				struct type_error *error)
{
	struct buf name = BUF_INIT;

	type_print(&name, t, false);
	type_fail(error, "Invalid %s constant (%.*s) for \"%s\" of type %s",
		  names[kind], type_fail_length(text), text.ptr, receiver,
		  buf_cstr(&name));
	buf_release(&name);
	return -EINVAL;
}

static int read_tuple(struct buf *out, const struct type *t, struct bytes text,
		      unsigned depth, struct type_error *error);

/* Read hex: the bytes are the value, and must be valid for the type. */
static int read_hex(struct buf *out, const struct type *t, struct bytes text,
		    struct type_error *error)
{
	size_t before = out->len;
	int err = native_read_text(out, TYPE_BLOB, text, error);

	if (!err && !out->failed)
		err = type_validate(t, bytes_of(out->ptr + before,
						out->len - before), error);
	return err;
}

/*
 * Read a tuple's bytes as far as that goes: a field that is cut off, or no
 * value of its type, becomes the empty value, or null where the type has none;
 * bytes after the last field are dropped.
 */
static void add_readable(struct buf *out, const struct type *t,
			 struct bytes value)
{
	const struct type *field;
	struct type_error error;
	struct type_parts p;
	struct bytes part;
	int more;

	for (type_parts_begin(&p, t, value); p.index < p.count;) {
		struct buf inner = BUF_INIT;

		field = t->parts[p.index];
		more = type_parts_next(&p, &part);
		if (more < 0)
			part = bytes_of("", 0);
		if (part.ptr && type_validate(field, part, &error)) {
			if (field->kind == TYPE_TUPLE)
				add_readable(&inner, field, part);
			part = buf_bytes(&inner);
			if (type_validate(field, part, &error))
				part = BYTES_NULL;
		}
		buf_add_be32(out, part.ptr ? (uint32_t)part.len : UINT32_MAX);
		buf_add_bytes(out, part);
		out->failed |= inner.failed;
		buf_release(&inner);
		if (more < 0)
			break;
	}
}

static int read_tuple_hex(struct buf *out, const struct type *t,
			  struct bytes text, bool whole,
			  struct type_error *error)
{
	struct buf value = BUF_INIT;
	int err = native_read_text(&value, TYPE_BLOB, text, error);

	if (!err && !value.failed) {
		err = type_validate(t, buf_bytes(&value), error);
		if (!err)
			buf_add_bytes(out, buf_bytes(&value));
		else if (err == -EINVAL && !whole) {
			add_readable(out, t, buf_bytes(&value));
			err = 0;
		}
	}
	out->failed |= value.failed;
	buf_release(&value);
	return err;
}

/* Read one field of a tuple; collections are in hex. \\: and \\@ mean : and @;
 * @ alone is null. */
static int read_field(struct buf *out, const struct type *t, struct bytes text,
		      unsigned depth, struct type_error *error)
{
	struct buf plain = BUF_INIT, value = BUF_INIT;
	bool fields = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	bool hex = !kind_is_native(t->kind) || t->kind == TYPE_BLOB;
	size_t i;
	int err;

	if (text.len == 1 && text.ptr[0] == '@') {
		buf_add_be32(out, UINT32_MAX);
		return 0;
	}
	if (hex && !fields)
		buf_add_str(&plain, "0x");
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\' && i + 1 < text.len &&
		    (text.ptr[i + 1] == ':' || text.ptr[i + 1] == '@'))
			i++;
		buf_add_byte(&plain, text.ptr[i]);
	}
	if (fields)
		err = read_tuple(&value, t, buf_bytes(&plain), depth + 1,
				 error);
	else if (hex)
		err = read_hex(&value, t, buf_bytes(&plain), error);
	else if (!text.len && !type_validate(t, text, error))
		err = 0;	/* the empty value */
	else
		err = type_read_text(&value, t, buf_bytes(&plain), error);
	buf_add_be32(out, (uint32_t)value.len);
	buf_add_bytes(out, buf_bytes(&value));
	out->failed |= plain.failed || value.failed;
	buf_release(&plain);
	buf_release(&value);
	return err;
}

/* True if a colon separates two fields here. */
static bool parts_fields(struct bytes text, size_t i)
{
	return text.ptr[i] == ':' && !(i && text.ptr[i - 1] == '\\');
}

static int check_fields(const struct type *t, struct bytes text,
			struct type_error *error)
{
	struct buf name = BUF_INIT;
	uint32_t fields = 1;

	for (size_t i = 0; i < text.len; i++)
		fields += parts_fields(text, i);
	if (fields <= t->part_count)
		return 0;
	type_print(&name, t, true);
	type_fail(error, "Invalid tuple literal: too many elements. Type %s "
			 "expects %u but got %u", buf_cstr(&name),
		  t->part_count, fields);
	buf_release(&name);
	return -EINVAL;
}

/*
 * A constant for a tuple has the form that Cassandra's tools once wrote: the
 * fields' texts between colons, as many as there are; an empty constant has
 * none.
 */
static int read_tuple(struct buf *out, const struct type *t, struct bytes text,
		      unsigned depth, struct type_error *error)
{
	size_t begin = 0, i;
	uint32_t fields = 0;
	int err = depth > TYPE_DEPTH_MAX ? -EINVAL :
					   check_fields(t, text, error);

	for (i = 0; !err && text.len && i <= text.len; i++) {
		if (i < text.len && !parts_fields(text, i))
			continue;
		err = read_field(out, t->parts[fields++],
				 bytes_of(text.ptr + begin, i - begin), depth,
				 error);
		begin = i + 1;
	}
	return err;
}

int type_read_constant(struct buf *out, const struct type *t,
		       enum literal_kind kind, struct bytes text, bool whole,
		       const char *receiver, struct type_error *error)
{
	const struct native_type *n = native_types[t->kind];

	if (!type_takes_literal(t, kind))
		return type_refuse_constant(t, kind, text, receiver, error);
	if (!n)
		return kind == LITERAL_HEX ?
			       read_tuple_hex(out, t, text, whole, error) :
			       read_tuple(out, t, text, 0, error);
	return (n->read_literal ? n->read_literal : n->read)(out, text, error);
}

static void print_hex(struct buf *out, struct bytes value)
{
	for (size_t i = 0; i < value.len; i++)
		buf_add_format(out, "%02x", value.ptr[i]);
}

static void print_field(struct buf *out, const struct type *t,
			struct bytes value)
{
	struct buf text = BUF_INIT;

	if (bytes_is_null(value)) {
		buf_add_byte(out, '@');
		return;
	}
	type_print_constant(&text, t, value);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == ':' || text.ptr[i] == '@')
			buf_add_byte(out, '\\');
		buf_add_byte(out, text.ptr[i]);
	}
	out->failed |= text.failed;
	buf_release(&text);
}

/* Print the fields that the value has, which may be fewer than the type's. */
static void print_tuple(struct buf *out, const struct type *t,
			struct bytes value)
{
	struct reader r = reader_of(value);

	for (uint32_t i = 0; i < t->part_count && reader_left(&r); i++) {
		uint32_t len = read_be32(&r);
		struct bytes field = len == UINT32_MAX ? BYTES_NULL :
							 read_bytes(&r, len);

		buf_add_str(out, i ? ":" : "");
		print_field(out, t->parts[i], field);
	}
}

void type_print_constant(struct buf *out, const struct type *t,
			 struct bytes value)
{
	if (t->kind == TYPE_TUPLE || t->kind == TYPE_UDT)
		print_tuple(out, t, value);
	else if (!kind_is_native(t->kind) || t->kind == TYPE_BLOB ||
		 t->kind == TYPE_COUNTER)
		print_hex(out, value);
	else
		type_print_text(out, t, value);
}
