/*
 * Terms to values. The checks come in Cassandra's order, so that its messages
 * come out: first whether the form suits the type, then each part, then what
 * the text itself says.
 */
#include "store/cql/term.h"

#include <errno.h>
#include <stdlib.h>

#include "store/cql/function.h"

#define BIT(kind) (1u << (kind))
/* Which native types take which constants (semantics.md 2.1). */
static const uint32_t accepted[] = {
	[CONSTANT_STRING] = BIT(TYPE_ASCII) | BIT(TYPE_TEXT) | BIT(TYPE_INET) |
			    BIT(TYPE_DATE) | BIT(TYPE_TIME) |
			    BIT(TYPE_TIMESTAMP),
	[CONSTANT_INTEGER] = BIT(TYPE_TINYINT) | BIT(TYPE_SMALLINT) |
			     BIT(TYPE_INT) | BIT(TYPE_BIGINT) |
			     BIT(TYPE_VARINT) | BIT(TYPE_COUNTER) |
			     BIT(TYPE_FLOAT) | BIT(TYPE_DOUBLE) |
			     BIT(TYPE_DECIMAL) | BIT(TYPE_DATE) |
			     BIT(TYPE_TIME) | BIT(TYPE_TIMESTAMP) |
			     BIT(TYPE_DURATION),
	[CONSTANT_UUID] = BIT(TYPE_UUID) | BIT(TYPE_TIMEUUID),
	[CONSTANT_FLOAT] = BIT(TYPE_FLOAT) | BIT(TYPE_DOUBLE) |
			   BIT(TYPE_DECIMAL),
	[CONSTANT_BOOLEAN] = BIT(TYPE_BOOLEAN),
	[CONSTANT_HEX] = BIT(TYPE_BLOB),
	[CONSTANT_DURATION] = BIT(TYPE_DURATION),
};

static bool constant_suits(enum constant_kind constant, const struct type *t)
{
	return t->kind < TYPE_NATIVE_COUNT &&
	       (accepted[constant] & BIT(t->kind));
}

/* -------------------------------------------------------------- receivers */
static void print_receiver(struct buf *out, const struct receiver *r)
{
	static const char *const begins[] = {
		[RECEIVER_VALUE] = "value(", [RECEIVER_KEY] = "key(",
		[RECEIVER_INDEX] = "idx(",
	};

	switch (r->part) {
	case RECEIVER_WHOLE:
		buf_add_str(out, r->name);
		break;
	case RECEIVER_FIELD:
		print_receiver(out, r->outer);
		buf_add_format(out, ".%s", r->name);
		break;
	case RECEIVER_COMPONENT:
		print_receiver(out, r->outer);
		buf_add_format(out, "[%u]", r->index);
		break;
	case RECEIVER_ARGUMENT:
		buf_add_format(out, "arg%u(system.%s)", r->index, r->name);
		break;
	default:
		buf_add_str(out, begins[r->part]);
		print_receiver(out, r->outer);
		buf_add_byte(out, ')');
	}
}

const char *receiver_name(struct execution *x, const struct receiver *r)
{
	struct buf buf = BUF_INIT;

	print_receiver(&buf, r);
	return text_of_buf(x, &buf);
}

/* ---------------------------------------------------------- assignability */
/* Does the receiver take the bytes of such a value as they are? */
static bool value_compatible(const struct type *v, const struct type *r)
{
	uint32_t i;

	switch (r->kind) {
	case TYPE_BLOB:
		return true;
	case TYPE_VARINT:
		return v->kind == TYPE_INT || v->kind == TYPE_BIGINT ||
		       v->kind == TYPE_TIMESTAMP;
	case TYPE_BIGINT:
		return v->kind == TYPE_TIMESTAMP;
	case TYPE_TIMESTAMP:
	case TYPE_TIME:
		return v->kind == TYPE_BIGINT;
	case TYPE_DATE:
		return v->kind == TYPE_INT;
	case TYPE_TEXT:
		return v->kind == TYPE_ASCII;
	case TYPE_UUID:
		return v->kind == TYPE_TIMEUUID;
	case TYPE_LIST:
	case TYPE_MAP:
	case TYPE_TUPLE:
		if (v->kind != r->kind || v->part_count > r->part_count)
			return false;
		for (i = 0; i < v->part_count; i++)
			if (!type_assignable(v->parts[i], r->parts[i]))
				return false;
		return true;
	default:
		return false;
	}
}

enum assignable type_assignable(const struct type *value,
				const struct type *receiver)
{
	if (value == receiver || type_equal_but_frozen(value, receiver))
		return EXACTLY_ASSIGNABLE;
	return value_compatible(value, receiver) ? WEAKLY_ASSIGNABLE :
						   NOT_ASSIGNABLE;
}

/* The weakest of all, WEAKLY when there are none. */
static enum assignable all_assignable(struct execution *x,
				      struct term *const *terms, uint32_t count,
				      uint32_t step, const struct type *receiver)
{
	enum assignable all = count ? EXACTLY_ASSIGNABLE : WEAKLY_ASSIGNABLE;
	enum assignable one;

	for (uint32_t i = 0; i < count && all; i += step) {
		one = term_assignable(x, terms[i], receiver);
		if (one < all)
			all = one;
	}
	return all;
}

static enum assignable call_assignable(struct execution *x,
				       const struct term *t,
				       const struct type *receiver);

static int user_field(const struct type *udt, struct bytes name)
{
	for (uint32_t i = 0; i < udt->part_count; i++)
		if (bytes_equal(bytes_str(udt->field_names[i]), name))
			return (int)i;
	return -1;
}

static enum assignable user_assignable(struct execution *x,
				       const struct term *t,
				       const struct type *receiver)
{
	int field;

	if (receiver->kind != TYPE_UDT)
		return NOT_ASSIGNABLE;
	for (uint32_t i = 0; i < t->item_count; i++) {
		field = user_field(receiver, t->names[i].text);
		if (field >= 0 &&
		    !term_assignable(x, t->items[i], receiver->parts[field]))
			return NOT_ASSIGNABLE;
	}
	return WEAKLY_ASSIGNABLE;
}

static enum assignable tuple_assignable(struct execution *x,
					const struct term *t,
					const struct type *receiver)
{
	if (receiver->kind != TYPE_TUPLE)
		return t->item_count == 1 ?
			       term_assignable(x, t->items[0], receiver) :
			       NOT_ASSIGNABLE;
	if (t->item_count > receiver->part_count)
		return NOT_ASSIGNABLE;
	for (uint32_t i = 0; i < t->item_count; i++)
		if (!term_assignable(x, t->items[i], receiver->parts[i]))
			return NOT_ASSIGNABLE;
	return WEAKLY_ASSIGNABLE;
}

static enum assignable list_assignable(struct execution *x,
				       const struct term *t,
				       const struct type *receiver)
{
	if (receiver->kind != TYPE_LIST &&
	    (receiver->kind != TYPE_VECTOR ||
	     t->item_count != receiver->dimension))
		return NOT_ASSIGNABLE;
	return all_assignable(x, t->items, t->item_count, 1,
			      receiver->parts[0]);
}

static enum assignable map_assignable(struct execution *x,
				      const struct term *t,
				      const struct type *receiver)
{
	enum assignable keys, values;

	if (receiver->kind != TYPE_MAP)
		return NOT_ASSIGNABLE;
	keys = all_assignable(x, t->items, t->item_count, 2,
			      receiver->parts[0]);
	values = all_assignable(x, t->items + 1,
				t->item_count ? t->item_count - 1 : 0, 2,
				receiver->parts[1]);
	return keys < values ? keys : values;
}

enum assignable term_assignable(struct execution *x, const struct term *t,
				const struct type *receiver)
{
	const struct type *hint;

	switch (t->kind) {
	case TERM_CONSTANT:
		if (!constant_suits(t->constant, receiver))
			return NOT_ASSIGNABLE;
		return term_type(x, t) == receiver ? EXACTLY_ASSIGNABLE :
						     WEAKLY_ASSIGNABLE;
	case TERM_NULL:
		return receiver->kind == TYPE_COUNTER ? NOT_ASSIGNABLE :
							WEAKLY_ASSIGNABLE;
	case TERM_MARKER:
		return WEAKLY_ASSIGNABLE;
	case TERM_LIST:
		return list_assignable(x, t, receiver);
	case TERM_SET:
		if (receiver->kind == TYPE_MAP && !t->item_count)
			return WEAKLY_ASSIGNABLE;
		if (receiver->kind != TYPE_SET)
			return NOT_ASSIGNABLE;
		return all_assignable(x, t->items, t->item_count, 1,
				      receiver->parts[0]);
	case TERM_MAP:
		return map_assignable(x, t, receiver);
	case TERM_USER:
		return user_assignable(x, t, receiver);
	case TERM_TUPLE:
		return tuple_assignable(x, t, receiver);
	case TERM_HINT:
		hint = term_type(x, t);
		return hint ? type_assignable(hint, receiver) : NOT_ASSIGNABLE;
	default:
		return call_assignable(x, t, receiver);
	}
}

/* ------------------------------------------------------- types of terms */
static const struct type *integer_type(struct bytes text)
{
	char *end;
	long long n;

	if (text.len > 20)
		return type_native(TYPE_VARINT);
	errno = 0;
	n = strtoll((const char *)text.ptr, &end, 10);
	if (errno == ERANGE)
		return type_native(TYPE_VARINT);
	return type_native(n < INT32_MIN || n > INT32_MAX ? TYPE_BIGINT :
							    TYPE_INT);
}

static const struct type *constant_type(const struct term *t)
{
	switch (t->constant) {
	case CONSTANT_STRING:
		for (size_t i = 0; i < t->text.len; i++)
			if (t->text.ptr[i] >= 0x80)
				return type_native(TYPE_TEXT);
		return type_native(TYPE_ASCII);
	case CONSTANT_INTEGER:
		return integer_type(t->text);
	case CONSTANT_UUID:
		return type_native(t->text.len > 14 && t->text.ptr[14] == '1' ?
					   TYPE_TIMEUUID : TYPE_UUID);
	case CONSTANT_FLOAT:
		return type_native(TYPE_DOUBLE);
	case CONSTANT_BOOLEAN:
		return type_native(TYPE_BOOLEAN);
	case CONSTANT_HEX:
		return type_native(TYPE_BLOB);
	default:
		return type_native(TYPE_DURATION);
	}
}

/* The type of one item that suits all; NULL when there is none. */
static const struct type *common_type(struct execution *x,
				      struct term *const *items, uint32_t count,
				      uint32_t step)
{
	const struct type *t;

	for (uint32_t i = 0; i < count; i += step) {
		t = term_type(x, items[i]);
		if (t && all_assignable(x, items, count, step, t))
			return t;
	}
	return NULL;
}

static const struct type *build_type(struct execution *x, enum type_kind kind,
				     const struct type *const *parts,
				     uint32_t count)
{
	struct type **copies = arena_zalloc(x->arena, count, sizeof(*copies));

	if (!copies)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		copies[i] = parts[i] ? type_frozen((struct type *)parts[i]) :
				       NULL;
		if (copies[i])
			continue;
		while (i-- > 0)
			type_put(copies[i]);
		return NULL;
	}
	return own_type(x, type_new(kind, false, copies, count));
}

static const struct type *compound_type(struct execution *x,
					const struct term *t)
{
	const struct type *pair[2], **parts;

	switch (t->kind) {
	case TERM_LIST:
	case TERM_SET:
		pair[0] = common_type(x, t->items, t->item_count, 1);
		return build_type(x, t->kind == TERM_LIST ? TYPE_LIST :
							    TYPE_SET,
				  pair, 1);
	case TERM_MAP:
		if (!t->item_count)
			return NULL;
		pair[0] = common_type(x, t->items, t->item_count, 2);
		pair[1] = common_type(x, t->items + 1, t->item_count - 1, 2);
		return build_type(x, TYPE_MAP, pair, 2);
	case TERM_TUPLE:
		if (t->item_count == 1)
			return term_type(x, t->items[0]);
		parts = arena_zalloc(x->arena, t->item_count, sizeof(*parts));
		if (!parts)
			return NULL;
		for (uint32_t i = 0; i < t->item_count; i++)
			parts[i] = term_type(x, t->items[i]);
		return build_type(x, TYPE_TUPLE, parts, t->item_count);
	default:
		return NULL;
	}
}

/* The function that a call or an operation means; quiet ones leave no error. */
static int resolve_call(struct execution *x, const struct function **f,
			const struct term *t, const struct type *receiver)
{
	struct term *pair[2] = { t->left, t->right };
	struct term *const *items = t->kind == TERM_CALL ? t->items : pair;
	uint32_t count = t->kind == TERM_CALL ? t->item_count :
			 t->kind == TERM_BINARY ? 2 : 1;
	struct argument *args = arena_zalloc(x->arena, count, sizeof(*args));
	struct function_query q = {
		.keyspace = t->keyspace.text, .name = t->name.text,
		.args = args, .arg_count = count, .receiver = receiver,
	};

	if (!args)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct term *item = items[i];

		args[i].term = item;
		while (item->kind == TERM_TUPLE && item->item_count == 1)
			item = item->items[0];
		/* Looked up once, not for each signature it is tried on. */
		if (item->kind == TERM_CALL || item->kind == TERM_BINARY ||
		    item->kind == TERM_NEGATE) {
			args[i].type = term_type(x, item);
			args[i].unclear = !args[i].type;
		}
	}
	if (t->kind == TERM_CALL)
		return function_resolve(x, f, &q);
	return operation_resolve(x, f, t->kind == TERM_BINARY ? t->op : '~',
				 args, count, receiver);
}

const struct type *term_type(struct execution *x, const struct term *t)
{
	const struct type *type = NULL;
	const struct function *f = NULL;
	int err;

	switch (t->kind) {
	case TERM_CONSTANT:
		return constant_type(t);
	case TERM_HINT:
		x->quiet++;
		err = resolve_type(x, &type, t->type,
				   bytes_str(cql_session_keyspace(x->session)));
		x->quiet--;
		return err ? NULL : type;
	case TERM_CALL:
	case TERM_BINARY:
	case TERM_NEGATE:
		x->quiet++;
		err = resolve_call(x, &f, t, NULL);
		x->quiet--;
		return err || !f ? NULL : f->result;
	default:
		return compound_type(x, t);
	}
}

static enum assignable call_assignable(struct execution *x,
				       const struct term *t,
				       const struct type *receiver)
{
	const struct function *f = NULL;
	int err;

	if (t->kind != TERM_CALL && t->kind != TERM_BINARY &&
	    t->kind != TERM_NEGATE)
		return NOT_ASSIGNABLE;
	/* What is wrong with the call is told better when it is made. */
	x->quiet++;
	err = resolve_call(x, &f, t, receiver);
	x->quiet--;
	if (err || !f)
		return WEAKLY_ASSIGNABLE;
	return type_assignable(f->result, receiver);
}

/* ---------------------------------------------------------------- values */
static int constant_value(struct execution *x, struct bytes *value,
			  const struct term *t, const struct receiver *r)
{
	struct type_error error;
	int err;

	if (!constant_suits(t->constant, r->type))
		return refuse(x, "Invalid %s constant (%s) for \"%s\" of type "
				 "%s", constant_kind_name(t->constant),
			      text_of(x, t->text), receiver_name(x, r),
			      text_of_type(x, r->type));
	if (t->constant == CONSTANT_STRING && r->type->kind == TYPE_TEXT) {
		*value = t->text;
		return refuse_type_error(x, type_validate(r->type, t->text,
							  &error), &error);
	}
	err = type_read_text(&x->scratch, r->type, t->text, &error);
	if (err) {
		buf_clear(&x->scratch);
		return refuse_type_error(x, err, &error);
	}
	return keep_scratch(x, value);
}

/* Build the value of a collection, tuple or user type from its parts. */
static int build_value(struct execution *x, struct bytes *value,
		       const struct type *t, struct bytes *parts, size_t count)
{
	int err = 0;

	if (t->kind == TYPE_SET || t->kind == TYPE_MAP)
		err = type_build_sorted(&x->scratch, t, parts, count);
	else
		type_build(&x->scratch, t, parts, count);
	if (err) {
		buf_clear(&x->scratch);
		return err;
	}
	return keep_scratch(x, value);
}

static const char *literal_word(const struct term *t, const struct type *type)
{
	return type->kind == TYPE_VECTOR ? "vector" :
	       t->kind == TERM_LIST	 ? "list" :
	       t->kind == TERM_SET	 ? "set" : "map";
}

/* The parts of a list, set, vector or map literal, checked and then made. */
static int items_value(struct execution *x, struct bytes *value,
		       const struct term *t, const struct receiver *r)
{
	const struct type *type = r->type;
	bool map = type->kind == TYPE_MAP;
	struct receiver inner[2] = {
		receiver_part(r, map ? RECEIVER_KEY : RECEIVER_VALUE,
			      type->parts[0]),
		receiver_part(r, RECEIVER_VALUE,
			      type->parts[map ? 1 : 0]),
	};
	struct bytes *parts = arena_zalloc(x->arena, t->item_count,
					   sizeof(*parts));
	const struct receiver *ir;
	uint32_t i;
	int err;

	if (!parts)
		return -ENOMEM;
	for (i = 0; i < t->item_count; i++) {
		ir = &inner[map && i % 2];
		if (t->items[i]->kind != TERM_NULL &&
		    !term_assignable(x, t->items[i], ir->type))
			return refuse(x, "Invalid %s literal for %s: %s %s is "
					 "not of type %s",
				      literal_word(t, type),
				      receiver_name(x, r),
				      map && i % 2 == 0 ? "key" : "value",
				      text_of_term(x, t->items[i]),
				      text_of_type(x, ir->type));
	}
	for (i = 0; i < t->item_count; i++) {
		err = term_value(x, &parts[i], t->items[i],
				 &inner[map && i % 2]);
		if (err)
			return err;
		if (bytes_is_null(parts[i]))
			return refuse(x, "null is not supported inside %s",
				      type->kind == TYPE_VECTOR ? "vectors" :
								  "collections");
	}
	return build_value(x, value, type, parts, t->item_count);
}

static int collection_value(struct execution *x, struct bytes *value,
			    const struct term *t, const struct receiver *r)
{
	enum type_kind kind = r->type->kind;

	switch (t->kind) {
	case TERM_LIST:
		if (kind != TYPE_LIST && kind != TYPE_VECTOR)
			return refuse(x, "Unexpected receiver type '%s'; only "
					 "list and vector are expected",
				      text_of_type(x, r->type));
		if (kind == TYPE_VECTOR && t->item_count != r->type->dimension)
			return refuse(x, "Invalid vector literal for %s of "
					 "type %s; expected %u elements, but "
					 "given %u", receiver_name(x, r),
				      text_of_type(x, r->type),
				      r->type->dimension, t->item_count);
		break;
	case TERM_SET:
		if (kind != TYPE_SET && (kind != TYPE_MAP || t->item_count))
			return refuse(x, "Invalid set literal for %s of type "
					 "%s", receiver_name(x, r),
				      text_of_type(x, r->type));
		break;
	default:
		if (kind != TYPE_MAP)
			return refuse(x, "Invalid map literal for %s of type "
					 "%s", receiver_name(x, r),
				      text_of_type(x, r->type));
	}
	return items_value(x, value, t, r);
}

static int user_check(struct execution *x, const struct term *t,
		      const struct receiver *r)
{
	const struct type *type = r->type;
	uint32_t i;
	int field;

	if (type->kind != TYPE_UDT)
		return refuse(x, "Invalid user type literal for %s of type %s",
			      receiver_name(x, r), text_of_type(x, type));
	for (i = 0; i < t->item_count; i++) {
		field = user_field(type, t->names[i].text);
		if (field >= 0 &&
		    !term_assignable(x, t->items[i], type->parts[field]))
			return refuse(x, "Invalid user type literal for %s: "
					 "field %s is not of type %s",
				      receiver_name(x, r),
				      type->field_names[field],
				      text_of_type(x, type->parts[field]));
	}
	for (i = 0; i < t->item_count; i++)
		if (user_field(type, t->names[i].text) < 0)
			return refuse(x, "Unknown field '%s' in value of user "
					 "defined type %s",
				      text_of(x, t->names[i].text), type->name);
	return 0;
}

static int user_value(struct execution *x, struct bytes *value,
		      const struct term *t, const struct receiver *r)
{
	const struct type *type = r->type;
	struct bytes *parts;
	int err = user_check(x, t, r);

	if (err)
		return err;
	parts = arena_zalloc(x->arena, type->part_count, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->item_count; i++) {
		int field = user_field(type, t->names[i].text);
		struct receiver inner = receiver_part(r, RECEIVER_FIELD,
						      type->parts[field]);

		inner.name = type->field_names[field];
		err = term_value(x, &parts[field], t->items[i], &inner);
		if (err)
			return err;
	}
	return build_value(x, value, type, parts, type->part_count);
}

static int tuple_value(struct execution *x, struct bytes *value,
		       const struct term *t, const struct receiver *r)
{
	const struct type *type = r->type;
	struct bytes *parts;
	uint32_t i;
	int err;

	if (type->kind != TYPE_TUPLE && t->item_count == 1)
		return term_value(x, value, t->items[0], r);
	if (type->kind != TYPE_TUPLE)
		return refuse(x, "Invalid tuple type literal for %s of type %s",
			      receiver_name(x, r), text_of_type(x, type));
	for (i = 0; i < t->item_count; i++) {
		if (i >= type->part_count)
			return refuse(x, "Invalid tuple literal for %s: too "
					 "many elements. Type %s expects %u "
					 "but got %u", receiver_name(x, r),
				      text_of_type(x, type), type->part_count,
				      t->item_count);
		if (!term_assignable(x, t->items[i], type->parts[i]))
			return refuse(x, "Invalid tuple literal for %s: "
					 "component %u is not of type %s",
				      receiver_name(x, r), i,
				      text_of_type(x, type->parts[i]));
	}
	parts = arena_zalloc(x->arena, t->item_count, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	for (i = 0; i < t->item_count; i++) {
		struct receiver inner = receiver_part(r, RECEIVER_COMPONENT,
						      type->parts[i]);

		inner.index = i;
		err = term_value(x, &parts[i], t->items[i], &inner);
		if (err)
			return err;
	}
	return build_value(x, value, type, parts, t->item_count);
}

static int hint_value(struct execution *x, struct bytes *value,
		      const struct term *t, const struct receiver *r)
{
	const struct type *type;
	int err = resolve_type(x, &type, t->type,
			       bytes_str(cql_session_keyspace(x->session)));

	if (err)
		return err;
	if (!term_assignable(x, t->left, type))
		return refuse(x, "Cannot cast value %s to type %s",
			      text_of_term(x, t->left), text_of_type(x, type));
	if (!type_assignable(type, r->type))
		return refuse(x, "Cannot assign value %s to %s of type %s",
			      text_of_term(x, t), receiver_name(x, r),
			      text_of_type(x, r->type));
	return term_value(x, value, t->left, r);
}

static int call_check(struct execution *x, const struct function *f,
		      const struct term *t, const struct receiver *r)
{
	struct buf name = BUF_INIT;

	if (!f) {
		if (identifier_is_given(&t->keyspace))
			buf_add_format(&name, "%s.",
				       text_of(x, t->keyspace.text));
		buf_add_bytes(&name, t->name.text);
		return refuse(x, "Unknown function %s called",
			      text_of_buf(x, &name));
	}
	if (f->aggregate)
		return refuse(x, "Aggregation function are not supported in "
				 "the where clause");
	if (type_assignable(f->result, r->type))
		return 0;
	return refuse(x, "Type error: cannot assign result of %s %s%s (type "
			 "%s) to %s (type %s)",
		      f->op ? "operation" : "function", f->op ? "" : "system.",
		      f->name, text_of_type(x, f->result), receiver_name(x, r),
		      text_of_type(x, r->type));
}

static int call_value(struct execution *x, struct bytes *value,
		      const struct term *t, const struct receiver *r)
{
	struct term *pair[2] = { t->left, t->right };
	struct term *const *items = t->kind == TERM_CALL ? t->items : pair;
	const struct function *f = NULL;
	struct bytes *args;
	int err = resolve_call(x, &f, t, r->type);

	if (!err)
		err = call_check(x, f, t, r);
	if (err)
		return err;
	args = arena_zalloc(x->arena, f->arg_count, sizeof(*args));
	if (!args)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->arg_count; i++) {
		struct receiver arg = { .type = f->args[i], .name = f->name,
					.part = RECEIVER_ARGUMENT, .index = i };

		err = term_value(x, &args[i], items[i], &arg);
		if (err)
			return err;
	}
	return function_value(x, value, f, args);
}

static int term_value_inner(struct execution *x, struct bytes *value,
			    const struct term *t, const struct receiver *r)
{
	switch (t->kind) {
	case TERM_CONSTANT:
		return constant_value(x, value, t, r);
	case TERM_NULL:
		*value = BYTES_NULL;
		if (r->type->kind == TYPE_COUNTER)
			return refuse(x, "Invalid null value for counter "
					 "increment/decrement");
		return 0;
	case TERM_MARKER:
		return refuse(x, "Invalid amount of bind variables");
	case TERM_LIST:
	case TERM_SET:
	case TERM_MAP:
		return collection_value(x, value, t, r);
	case TERM_USER:
		return user_value(x, value, t, r);
	case TERM_TUPLE:
		return tuple_value(x, value, t, r);
	case TERM_HINT:
		return hint_value(x, value, t, r);
	case TERM_CALL:
	case TERM_BINARY:
	case TERM_NEGATE:
		return call_value(x, value, t, r);
	default:
		return refuse(x, "%s is not a value", text_of_term(x, t));
	}
}

int term_value(struct execution *x, struct bytes *value, const struct term *t,
	       const struct receiver *r)
{
	int err = term_value_inner(x, value, t, r);

	return err ? refuse_at(x, t->span, err) : 0;
}

int term_integer(struct execution *x, int64_t *out, const struct term *t,
		 enum type_kind kind, const char *name)
{
	struct receiver r = { .type = type_native(kind), .name = name };
	struct bytes value;
	int err = term_value(x, &value, t, &r);

	if (err)
		return err;
	if (bytes_is_null(value) || value.len < 4)
		return refuse(x, "Invalid null value of %s", name);
	*out = kind == TYPE_INT ? (int32_t)get_be32(value.ptr) :
				  (int64_t)get_be64(value.ptr);
	return 0;
}
