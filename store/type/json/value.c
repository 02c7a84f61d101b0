#include "store/type/json/value.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/type/compare.h"
#include "store/type/compound_build.h"
#include "store/type/float.h"
#include "store/type/json/json.h"
#include "store/type/json/map.h"
#include "store/type/native.h"
#include "store/type/number.h"

static bool is_null(struct bytes json)
{
	return bytes_equal(json, bytes_str("null"));
}

static bool is_number(struct bytes json)
{
	return json.ptr[0] == '-' || (json.ptr[0] >= '0' && json.ptr[0] <= '9');
}

/* Classify a number as Java does: digits alone, or with a point or an
 * exponent. */
static bool is_double(struct bytes json)
{
	size_t i;

	for (i = 0; i < json.len; i++)
		if (json.ptr[i] == '.' || (json.ptr[i] | 0x20) == 'e')
			return true;
	return false;
}

static const char *java_class(struct bytes json)
{
	int64_t n;

	switch (json.ptr[0]) {
	case '"':
		return "String";
	case '[':
		return "ArrayList";
	case '{':
		return "LinkedHashMap";
	case 't':
	case 'f':
		return "Boolean";
	case 'n':
		return "null";
	default:
		if (is_double(json))
			return "Double";
		if (!number_read_int64(&n, json))
			return "BigInteger";
		return n == (int32_t)n ? "Integer" : "Long";
	}
}

static double double_of(struct bytes json)
{
	char *text = mem_copy(json.ptr, json.len);
	double d = text ? strtod(text, NULL) : 0;

	mem_free(text);
	return d;
}

static void print_java(struct buf *out, struct bytes json);

static void print_java_parts(struct buf *out, struct bytes json)
{
	struct arena arena = ARENA_INIT;
	bool object = json.ptr[0] == '{';
	struct json_member *members = NULL;
	struct bytes *elements = NULL;
	size_t count = 0, i;

	if (object)
		json_read_map(&arena, &members, &count, json, NULL);
	else
		json_read_array(&arena, &elements, &count, json, NULL);
	buf_add_byte(out, object ? '{' : '[');
	for (i = 0; i < count; i++) {
		if (i)
			buf_add_str(out, ", ");
		if (object) {
			buf_add_bytes(out, members[i].name);
			buf_add_byte(out, '=');
		}
		print_java(out, object ? members[i].value : elements[i]);
	}
	buf_add_byte(out, object ? '}' : ']');
	arena_release(&arena);
}

/* As String.valueOf() of what Cassandra's library makes of it. */
static void print_java(struct buf *out, struct bytes json)
{
	char text[FLOAT_TEXT_MAX];

	if (json.ptr[0] == '"')
		json_read_string(out, json, NULL);
	else if (json.ptr[0] == '[' || json.ptr[0] == '{')
		print_java_parts(out, json);
	else if (is_number(json) && is_double(json))
		buf_add(out, text, float_print(text, TYPE_DOUBLE,
					       double_of(json)));
	else if (bytes_equal(json, bytes_str("-0")))
		buf_add_byte(out, '0');
	else
		buf_add_bytes(out, json);
}

/* format has a %s for the value as Java prints it. */
static int refuse_value(struct type_error *error, const char *before,
			struct bytes json, const char *after)
{
	struct buf text = BUF_INIT;

	print_java(&text, json);
	type_fail(error, "%s%.*s%s", before, type_fail_length(buf_bytes(&text)),
		  buf_cstr(&text), after);
	buf_release(&text);
	return -EINVAL;
}

/* "Expected an int value, but got a Double: 1.5" */
static int refuse_class(struct type_error *error, const char *expected,
			struct bytes json)
{
	char before[160];
	struct buf text = BUF_INIT;

	buf_add_format(&text, "Expected %s, but got a %s%s", expected,
		       java_class(json), is_null(json) ? "" : ": ");
	memset(before, 0, sizeof(before));
	memcpy(before, buf_cstr(&text), text.len < 159 ? text.len : 159);
	buf_release(&text);
	return refuse_value(error, before, is_null(json) ? bytes_str("\"\"") :
			    json, "");
}

/* Name what a value has to be, for the message; the first word is "a" or
 * "an". */
static const char *expected_of(enum type_kind kind)
{
	static const char *const compound[TYPE_KIND_COUNT] = {
		[TYPE_LIST] = "a list",
		[TYPE_MAP] = "a map",
		[TYPE_SET] = "a list (representing a set)",
		[TYPE_TUPLE] = "a list representation of a tuple",
		[TYPE_UDT] = "a map",
		[TYPE_VECTOR] = "a list",
	};
	const struct native_type *n = native_types[kind];

	if (!n)
		return compound[kind];
	return n->json_expected ? n->json_expected : "a value";
}

/* Append the value of ""; false: a text as any other. Exact: Cassandra's JSON
 * cannot express the empty value of two types, a file can. */
static bool read_empty(struct buf *out, enum type_kind kind, bool exact)
{
	switch (native_types[kind]->json_empty) {
	case JSON_EMPTY_VALUE:
		return true;
	case JSON_EMPTY_FALSE:
		if (!exact)
			buf_add_byte(out, 0);
		return true;
	case JSON_EMPTY_IN_FILE:
		return exact;
	default:
		return false;
	}
}

static int read_blob(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	struct type_error why;

	if (text.len < 2 || memcmp(text.ptr, "0x", 2))
		return type_fail(error, "Value '%.*s' is not a valid blob "
				 "representation: String representation of "
				 "blob is missing 0x prefix: %.*s",
				 type_fail_length(text), text.ptr,
				 type_fail_length(text), text.ptr);
	if (!native_read_text(out, TYPE_BLOB, text, &why))
		return 0;
	return type_fail(error, "Value '%.*s' is not a valid blob "
			 "representation: %s", type_fail_length(text),
			 text.ptr, why.text);
}

static int refuse_blob(struct bytes json, struct type_error *error)
{
	static const char format[] = "' is not a valid blob representation: "
		"class java.%s.%s cannot be cast to class java.lang.String "
		"(java.%s.%s and java.lang.String are in module java.base of "
		"loader 'bootstrap')";
	const char *class = java_class(json), *package = "lang";
	char after[400];
	struct buf text = BUF_INIT;

	if (json.ptr[0] == '[' || json.ptr[0] == '{')
		package = "util";
	else if (!strcmp(class, "BigInteger"))
		package = "math";
	memset(after, 0, sizeof(after));
	buf_add_format(&text, format, package, class, package, class);
	memcpy(after, buf_cstr(&text), text.len < 399 ? text.len : 399);
	buf_release(&text);
	return refuse_value(error, "Value '", json, after);
}

/* As Java reads one: blanks around it do not count, case does. */
static int read_float_text(struct buf *out, enum type_kind kind,
			   struct bytes text, struct type_error *error)
{
	struct bytes body = text, word;

	while (body.len && body.ptr[0] <= ' ')
		body = bytes_of(body.ptr + 1, body.len - 1);
	while (body.len && body.ptr[body.len - 1] <= ' ')
		body.len--;
	word = body;
	if (word.len && (word.ptr[0] == '-' || word.ptr[0] == '+'))
		word = bytes_of(word.ptr + 1, word.len - 1);
	if (body.len && (!strchr("iInN", word.len ? word.ptr[0] : 0) ||
			 bytes_equal(word, bytes_str("NaN")) ||
			 bytes_equal(word, bytes_str("Infinity"))) &&
	    !native_read_text(out, kind, body, error))
		return 0;
	return type_fail(error, "Unable to make %s from '%.*s'",
			 type_kind_name(kind), type_fail_length(text),
			 text.ptr);
}

/* Read a native value from the contents of a JSON string. */
static int read_native_text(struct buf *out, enum type_kind kind,
			    struct bytes text, bool exact,
			    struct type_error *error)
{
	int err;

	if (kind == TYPE_BLOB)
		return read_blob(out, text, error);
	if (!text.len && read_empty(out, kind, exact))
		return 0;
	if (kind == TYPE_FLOAT || kind == TYPE_DOUBLE)
		return read_float_text(out, kind, text, error);
	err = native_read_text(out, kind, text, error);
	if (err && error)
		error->bare = kind == TYPE_DURATION;
	if (err && (kind == TYPE_VARINT || kind == TYPE_DECIMAL))
		type_fail(error, "Value '%.*s' is not a valid representation "
			  "of a %s value", type_fail_length(text), text.ptr,
			  type_kind_name(kind));
	return err;
}

static int read_float(struct buf *out, enum type_kind kind, struct bytes json)
{
	char *text = mem_copy(json.ptr, json.len);

	if (!text)
		return -ENOMEM;
	/* An integer becomes a float at once, all else by way of a double. */
	if (kind == TYPE_FLOAT && !is_double(json))
		float_add(out, kind, (double)strtof(text, NULL));
	else
		float_add(out, kind, strtod(text, NULL));
	if (bytes_equal(json, bytes_str("-0")) && !out->failed)
		out->ptr[out->len - type_fixed_length(type_native(kind))] = 0;
	mem_free(text);
	return 0;
}

/* Any value as the text that Java makes of it. */
static int read_java_text(struct buf *out, enum type_kind kind,
			  struct bytes json, bool exact,
			  struct type_error *error)
{
	struct buf text = BUF_INIT;
	int err;

	print_java(&text, json);
	err = text.failed ? -ENOMEM :
		read_native_text(out, kind, buf_bytes(&text), exact, error);
	buf_release(&text);
	return err;
}

static int read_number(struct buf *out, enum type_kind kind, struct bytes json,
		       struct type_error *error)
{
	const char *class = java_class(json);
	bool is_int = !strcmp(class, "Integer");

	switch (native_types[kind]->json_number) {
	case JSON_JAVA_TEXT:
		return read_java_text(out, kind, json, false, error);
	case JSON_DIGITS:
		return read_native_text(out, kind, json, false, error);
	case JSON_FLOAT:
		return read_float(out, kind, json);
	case JSON_INT:
		if (is_int)
			return native_read_text(out, kind, json, error);
		break;
	case JSON_LONG:
		if (is_int || !strcmp(class, "Long"))
			return native_read_text(out, kind, json, error);
		break;
	default:
		break;
	}
	return refuse_class(error, expected_of(kind), json);
}

static int read_native(struct buf *out, enum type_kind kind, struct bytes json,
		       bool exact, struct type_error *error)
{
	if (kind == TYPE_VARINT || (kind == TYPE_DECIMAL && !is_number(json)))
		return read_java_text(out, kind, json, exact, error);
	if (kind == TYPE_BLOB && json.ptr[0] != '"')
		return refuse_blob(json, error);
	if (kind == TYPE_BOOLEAN && (json.ptr[0] == 't' || json.ptr[0] == 'f')) {
		buf_add_byte(out, json.ptr[0] == 't');
		return 0;
	}
	if (json.ptr[0] == '"')
		return read_java_text(out, kind, json, exact, error);
	if (is_number(json))
		return read_number(out, kind, json, error);
	return refuse_class(error, expected_of(kind), json);
}

static int check_count(const struct type *t, size_t count, struct bytes json,
		       struct type_error *error)
{
	char before[120];
	struct buf text = BUF_INIT;

	if (t->kind == TYPE_TUPLE && count != t->part_count)
		buf_add_format(&text, "Tuple %s items (expected %u): ",
			       count < t->part_count ? "is missing" :
			       "contains extra", t->part_count);
	else if (t->kind == TYPE_VECTOR && count != t->dimension)
		buf_add_format(&text, "List had incorrect size: expected %u "
			       "but given %zu; ", t->dimension, count);
	else
		return 0;
	memset(before, 0, sizeof(before));
	memcpy(before, buf_cstr(&text), text.len < 119 ? text.len : 119);
	buf_release(&text);
	return refuse_value(error, before, json, "");
}

static int read_elements(struct collect *c, const struct type *t,
			 struct bytes json, bool exact, struct arena *arena,
			 struct type_error *error)
{
	struct bytes *elements;
	size_t count, i;
	int err;

	if (json.ptr[0] != '[')
		return refuse_class(error, expected_of(t->kind), json);
	err = json_read_array(arena, &elements, &count, json, error);
	if (!err)
		err = check_count(t, count, json, error);
	for (i = 0; !err && i < count; i++) {
		bool null = is_null(elements[i]);

		if (null && t->kind != TYPE_TUPLE)
			return type_fail(error, "Invalid null element in %s",
					 t->kind == TYPE_SET ? "set" : "list");
		collect_begin(c);
		if (!null)
			err = json_read_part(&c->bytes, type_part(t, (uint32_t)i),
					     elements[i], exact, error);
		collect_end(c, null);
	}
	return err;
}

/* Read a key, or a value that is a string of its text. */
int json_read_key(struct buf *out, const struct type *t, struct bytes text,
		  bool exact, struct type_error *error)
{
	struct type_error why;
	struct bytes json;
	const char *message;

	if (kind_is_native(t->kind))
		return read_native_text(out, t->kind, text, exact, error);
	if (json_read_value(&json, text, &why)) {
		message = strstr(why.text, ": ");	/* after Java's class */
		return type_fail(error, "Error decoding JSON string: %s",
				 message ? message + 2 : why.text);
	}
	if (json.ptr[0] == '"')
		return refuse_class(error, expected_of(t->kind), json);
	return json_read_part(out, t, json, exact, error);
}

static int read_map(struct collect *c, const struct type *t,
		    struct json_member *members, size_t count, bool exact,
		    struct type_error *error)
{
	size_t i;
	int err;

	for (i = 0; i < count; i++) {
		if (is_null(members[i].value))
			return type_fail(error, "Invalid null value in map");
		collect_begin(c);
		err = json_read_key(&c->bytes, t->parts[0], members[i].name,
				    exact, error);
		collect_end(c, false);
		if (err)
			return err;
		collect_begin(c);
		err = json_read_part(&c->bytes, t->parts[1], members[i].value,
				     exact, error);
		collect_end(c, false);
		if (err)
			return err;
	}
	return 0;
}

static bool has_field(const struct type *t, struct bytes name)
{
	uint32_t i;

	for (i = 0; i < t->part_count; i++)
		if (bytes_equal(name, bytes_str(t->field_names[i])))
			return true;
	return false;
}

static int read_fields(struct collect *c, const struct type *t,
		       struct json_member *members, size_t count, bool exact,
		       struct type_error *error)
{
	uint32_t field;
	size_t i;
	int err;

	collect_nulls(c, t->part_count);
	for (field = 0; field < t->part_count; field++) {
		struct bytes name = bytes_str(t->field_names[field]);
		size_t start = c->bytes.len;

		for (i = 0; i < count; i++)
			if (bytes_equal(members[i].name, name))
				break;
		if (i == count || is_null(members[i].value))
			continue;
		err = json_read_part(&c->bytes, t->parts[field],
				     members[i].value, exact, error);
		if (err)
			return err;
		collect_set(c, field, start, false);
	}
	for (i = 0; i < count; i++)
		if (!has_field(t, members[i].name))
			return type_fail(error, "Unknown field '%.*s' in value "
					 "of user defined type %s",
					 type_fail_length(members[i].name),
					 members[i].name.ptr, t->name);
	return 0;
}

static int read_object(struct collect *c, const struct type *t,
		       struct bytes json, bool exact, struct arena *arena,
		       struct type_error *error)
{
	struct json_member *members;
	size_t count;
	int err;

	if (json.ptr[0] != '{')
		return refuse_class(error, expected_of(t->kind), json);
	err = json_read_map(arena, &members, &count, json, error);
	if (!err && t->kind == TYPE_MAP)
		return read_map(c, t, members, count, exact, error);
	if (!err)
		err = json_call_members(arena, &members, &count);
	return err ? err : read_fields(c, t, members, count, exact, error);
}

static int read_string_of_compound(struct buf *out, const struct type *t,
				   struct bytes json, bool exact,
				   struct type_error *error)
{
	struct buf text = BUF_INIT;
	int err = json_read_string(&text, json, error);

	if (!err && text.failed)
		err = -ENOMEM;
	if (!err)
		err = json_read_key(out, t, buf_bytes(&text), exact, error);
	buf_release(&text);
	return err;
}

/* json is one valid value, not null at the top. Recursion ends with the type. */
int json_read_part(struct buf *out, const struct type *t, struct bytes json,
		   bool exact, struct type_error *error)
{
	struct collect c = COLLECT_INIT;
	struct arena arena = ARENA_INIT;
	int err;

	if (kind_is_native(t->kind))
		return read_native(out, t->kind, json, exact, error);
	if (json.ptr[0] == '"')
		return read_string_of_compound(out, t, json, exact, error);
	if (t->kind == TYPE_MAP || t->kind == TYPE_UDT)
		err = read_object(&c, t, json, exact, &arena, error);
	else
		err = read_elements(&c, t, json, exact, &arena, error);
	if (err)
		collect_release(&c);
	else
		err = collect_build(out, &c, t);
	arena_release(&arena);
	return err;
}

static int read_value(struct buf *out, bool *null, const struct type *t,
		      struct bytes json, bool exact, struct type_error *error)
{
	struct bytes value;
	int err = json_read_value(&value, json, error);

	if (err)
		return err;
	*null = is_null(value);
	/* A whole column's "" is what Cassandra stores as the empty value,
	 * though no duration has less than three bytes. */
	if (t->kind == TYPE_DURATION && bytes_equal(value, bytes_str("\"\"")))
		return 0;
	return *null ? 0 : json_read_part(out, t, value, exact, error);
}

int type_read_json(struct buf *out, bool *null, const struct type *t,
		   struct bytes json, struct type_error *error)
{
	return read_value(out, null, t, json, false, error);
}

int type_read_json_exact(struct buf *out, bool *null, const struct type *t,
			 struct bytes json, struct type_error *error)
{
	return read_value(out, null, t, json, true, error);
}
