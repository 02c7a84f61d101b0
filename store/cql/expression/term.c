/*
 * Compute the values of terms. The checks come in Cassandra's order, so that
 * its messages come out: first whether the form suits the type, then each part,
 * then the text itself.
 */
#include "store/cql/expression/term.h"

#include <errno.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/expression/function.h"
#include "store/cql/expression/overload.h"
#include "store/cql/expression/term_call.h"
#include "store/cql/expression/type_resolve.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"
#include "store/type/compound_codec.h"
#include "store/type/text/cql_constant.h"
#include "store/type/value.h"

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

static const char *receiver_name(struct execution *x, const struct receiver *r)
{
	struct buf buf = BUF_INIT;

	if (r->part == RECEIVER_WHOLE)
		return r->name;
	print_receiver(&buf, r);
	return text_of_buf(x, &buf);
}

/* ---------------------------------------------------------------- values */
static int constant_value(struct execution *x, struct bytes *value,
			  const struct term *t, const struct receiver *r)
{
	const struct receiver *whole = r;
	struct type_error error;
	int err;

	if (!type_takes_literal(r->type, (enum literal_kind)t->constant))
		return refuse(x, "Invalid %s constant (%s) for \"%s\" of type "
				 "%s", ast_constant_kind_name(t->constant),
			      text_of(x, t->text), receiver_name(x, r),
			      text_of_type(x, r->type));
	if (t->constant == CONSTANT_STRING && r->type->kind == TYPE_TEXT) {
		*value = t->text;
		return refuse_type_error(x, type_validate(r->type, t->text,
							  &error), &error);
	}
	while (whole->outer)
		whole = whole->outer;
	err = type_read_constant(&x->scratch, r->type,
				 (enum literal_kind)t->constant, t->text,
				 whole->checked, receiver_name(x, r), &error);
	if (err) {
		buf_clear(&x->scratch);
		return refuse_type_error(x, err, &error);
	}
	return execution_keep_scratch(x, value);
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
	return execution_keep_scratch(x, value);
}

static const char *literal_word(const struct term *t, const struct type *type)
{
	return type->kind == TYPE_VECTOR ? "vector" :
	       t->kind == TERM_LIST	 ? "list" :
	       t->kind == TERM_SET	 ? "set" : "map";
}

/* True if the term has a call in it. */
static bool calls(const struct term *t)
{
	if (t->kind == TERM_CALL || t->kind == TERM_CAST ||
	    t->kind == TERM_BINARY || t->kind == TERM_NEGATE)
		return true;
	for (uint32_t i = 0; i < t->item_count; i++)
		if (calls(t->items[i]))
			return true;
	return t->left && calls(t->left);
}

/* True for a null in a literal with calls, which is refused when the statement
 * runs. */
static bool is_late(struct execution *x, const struct term *literal)
{
	if (!x->late || !calls(literal))
		return false;
	*x->late = true;
	return true;
}

/* Check the parts of a list, set, vector or map literal, and make them. */
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
	unsigned markers = x->markers;
	uint32_t i;
	int err;

	if (!parts)
		return -ENOMEM;
	for (i = 0; i < t->item_count; i++) {
		ir = &inner[map && i % 2];
		err = assignable_refuse_at_test(x, t->items[i], ir->type);
		if (err)
			return err;
		if (t->items[i]->kind != TERM_NULL &&
		    !assignable_term(x, t->items[i], ir->type))
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
		if (x->markers > markers && type->kind != TYPE_VECTOR)
			return refuse(x, "Invalid %s literal for %s: bind "
					 "variables are not supported inside "
					 "collection literals",
				      literal_word(t, type),
				      receiver_name(x, r));
	}
	if (x->markers > markers) {
		*value = BYTES_NULL;
		return 0;
	}
	for (i = 0; i < t->item_count; i++) {
		if (bytes_is_null(parts[i]) && is_late(x, t)) {
			*value = BYTES_NULL;
			return 0;
		}
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
			return assignable_refuse_at_test(x, t, r->type);
		if (kind == TYPE_VECTOR && t->item_count != r->type->dimension)
			return refuse(x, "Invalid vector literal for %s of "
					 "type %s; expected %u elements, but "
					 "given %u", receiver_name(x, r),
				      text_of_type(x, r->type),
				      r->type->dimension, t->item_count);
		break;
	case TERM_SET:
		/* {} is a map too. */
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

/* Return the place of a field in a literal, or -1. */
static int named_item(const struct term *t, const char *name)
{
	for (uint32_t i = 0; i < t->item_count; i++)
		if (bytes_equal(t->names[i].text, bytes_str(name)))
			return (int)i;
	return -1;
}

static int user_check(struct execution *x, const struct term *t,
		      const struct receiver *r)
{
	const struct type *type = r->type;
	uint32_t i;
	int item, err;

	if (type->kind != TYPE_UDT)
		return refuse(x, "Invalid user type literal for %s of type %s",
			      receiver_name(x, r), text_of_type(x, type));
	for (i = 0; i < type->part_count; i++) {
		item = named_item(t, type->field_names[i]);
		if (item < 0)
			continue;
		err = assignable_refuse_at_test(x, t->items[item],
						type->parts[i]);
		if (err)
			return err;
		if (!assignable_term(x, t->items[item], type->parts[i]))
			return refuse(x, "Invalid user type literal for %s: "
					 "field %s is not of type %s",
				      receiver_name(x, r),
				      type->field_names[i],
				      text_of_type(x, type->parts[i]));
	}
	return 0;
}

static int check_fields(struct execution *x, const struct term *t,
			const struct type *type)
{
	for (uint32_t i = 0; i < t->item_count; i++)
		if (assignable_user_field(type, t->names[i].text) < 0)
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
	for (uint32_t i = 0; i < type->part_count; i++) {
		struct receiver inner = receiver_part(r, RECEIVER_FIELD,
						      type->parts[i]);
		int item = named_item(t, type->field_names[i]);

		inner.name = type->field_names[i];
		err = item < 0 ? 0 : term_value(x, &parts[i], t->items[item],
						&inner);
		if (err)
			return err;
	}
	err = check_fields(x, t, type);
	return err ? err :
		     build_value(x, value, type, parts, type->part_count);
}

static int tuple_value(struct execution *x, struct bytes *value,
		       const struct term *t, const struct receiver *r)
{
	const struct type *type = r->type;
	uint32_t i, count;
	struct bytes *parts;
	int err;

	if (!takes_tuple(type) && t->item_count == 1)
		return term_value(x, value, t->items[0], r);
	if (!takes_tuple(type))
		return refuse(x, "Invalid tuple type literal for %s of type %s",
			      receiver_name(x, r), text_of_type(x, type));
	for (i = 0; i < t->item_count; i++) {
		if (i >= type->part_count)
			return refuse(x, "Invalid tuple literal for %s: too "
					 "many elements. Type %s expects %u "
					 "but got %u", receiver_name(x, r),
				      text_of_type(x, type), type->part_count,
				      t->item_count);
		err = assignable_refuse_at_test(x, t->items[i], type->parts[i]);
		if (err)
			return err;
		if (!assignable_term(x, t->items[i], type->parts[i]))
			return refuse(x, "Invalid tuple literal for %s: "
					 "component %u is not of type %s",
				      receiver_name(x, r), i,
				      text_of_type(x, type->parts[i]));
	}
	/* A tuple may be shorter than its type. */
	count = type->kind == TYPE_UDT ? type->part_count : t->item_count;
	parts = arena_zalloc(x->arena, count, sizeof(*parts));
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
	return build_value(x, value, type, parts, count);
}

static int hint_value(struct execution *x, struct bytes *value,
		      const struct term *t, const struct receiver *r)
{
	struct bytes keyspace = execution_keyspace(x);
	const struct type *type;
	int err = type_resolve_owned(x, &type, t->type, keyspace);

	if (!err)
		err = assignable_refuse_at_test(x, t->left, type);
	if (err)
		return err;
	if (!assignable_term(x, t->left, type))
		return refuse(x, "Cannot cast value %s to type %s",
			      text_of_term(x, t->left),
			      type_text_of_name(x, t->type, keyspace));
	if (!assignable_hint(type, r->type))
		return refuse(x, "Cannot assign value (%s)%s to %s of type %s",
			      type_text_of_name(x, t->type, keyspace),
			      text_of_term(x, t->left), receiver_name(x, r),
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
		if (t->kind == TERM_CAST)
			buf_add_str(&name, term_cast_name(x, t));
		buf_add_bytes(&name, t->name.text);
		return refuse(x, "Unknown function %s called",
			      text_of_buf(x, &name));
	}
	if (f->aggregate)
		return refuse(x, "Aggregation function are not supported in "
				 "the where clause");
	if (assignable_result(f->result, r->type))
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
	const char *name;
	int err = term_resolve_call(x, &f, t, r->type);

	if (!err)
		err = call_check(x, f, t, r);
	if (err)
		return err;
	name = f->op ? ast_operation_name(f->op) : f->name;
	args = arena_zalloc(x->arena, f->arg_count, sizeof(*args));
	if (!args)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->arg_count; i++) {
		struct receiver arg = { .type = f->args[i], .name = name,
					.part = RECEIVER_ARGUMENT, .index = i };

		err = term_value(x, &args[i], items[i], &arg);
		if (err)
			return err;
	}
	if (!x->late)
		return function_value(x, value, f, args);
	x->quiet++;
	err = function_value(x, value, f, args);
	x->quiet--;
	if (err != -EINVAL)
		return err;
	*x->late = true;
	*value = BYTES_NULL;
	return 0;
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
		x->markers++;
		*value = BYTES_NULL;
		return 0;
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
	case TERM_CAST:
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

/* Note a late term. Its receiver's outer types have to live as long as the
 * note. */
static int note_late(struct execution *x, const struct term *t,
		     const struct receiver *r, struct late_term **late)
{
	struct receiver *outer;

	*late = arena_zalloc(x->arena, 1, sizeof(**late));
	if (!*late)
		return -ENOMEM;
	(*late)->term = t;
	(*late)->receiver = *r;
	if (r->outer) {
		outer = arena_alloc(x->arena, sizeof(*outer));
		if (!outer)
			return -ENOMEM;
		*outer = *r->outer;	/* a column, part of nothing */
		(*late)->receiver.outer = outer;
	}
	return 0;
}

int term_value_or_late(struct execution *x, struct bytes *value,
		       const struct term *t, const struct receiver *r,
		       struct late_term **late)
{
	bool noted = false;
	int err;

	x->late = &noted;
	err = term_value(x, value, t, r);
	x->late = NULL;
	return !err && noted && !*late ? note_late(x, t, r, late) : err;
}

int late_term_bind(struct execution *x, const struct late_term *late)
{
	struct bytes value;

	return late ? term_value(x, &value, late->term, &late->receiver) : 0;
}

int term_integer(struct execution *x, int64_t *out, const struct term *t,
		 enum type_kind kind, const char *name)
{
	struct receiver r = { .type = type_native(kind), .name = name };
	struct bytes value;
	int err = term_value(x, &value, t, &r);

	if (err)
		return err;
	*out = 1;
	if (t->kind == TERM_MARKER)
		return 0;
	if (bytes_is_null(value) || value.len < 4)
		return refuse(x, "Invalid null value of %s", name);
	*out = kind == TYPE_INT ? (int32_t)get_be32(value.ptr) :
				  (int64_t)get_be64(value.ptr);
	return 0;
}
