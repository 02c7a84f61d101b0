/*
 * Find the types that a term may have: by itself (1 is an int), and for a
 * receiver (Cassandra's testAssignment). The same for terms in a SELECT list
 * and in a WHERE.
 */
#include "store/cql/expression/assignability.h"

#include <errno.h>
#include <stdlib.h>

#include "store/cql/expression/function.h"
#include "store/cql/expression/term.h"
#include "store/cql/expression/term_call.h"
#include "store/cql/expression/type_resolve.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/compare.h"
#include "store/type/float.h"
#include "store/type/native.h"
#include "store/type/text/cql_constant.h"

/* ---------------------------------------------------------- assignability */
/* True if the values of v are values of r, and in the same order. */
static bool order_compatible(const struct type *v, const struct type *r)
{
	if (type_equal_but_frozen(v, r))
		return true;
	if (r->kind == TYPE_TEXT || r->kind == TYPE_BLOB)
		return v->kind == TYPE_ASCII ||
		       (r->kind == TYPE_BLOB && v->kind == TYPE_TEXT);
	if ((v->kind != r->kind && !(takes_tuple(v) && takes_tuple(r))) ||
	    (!type_is_collection(r) && !takes_tuple(r)) ||
	    v->part_count > r->part_count)
		return false;
	for (uint32_t i = 0; i < v->part_count; i++)
		if (!order_compatible(v->parts[i], r->parts[i]))
			return false;
	return true;
}

/* True if the receiver takes the bytes of such a value as they are. */
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
	case TYPE_SET:
		return order_compatible(v, r);
	case TYPE_MAP:
		return v->kind == TYPE_MAP &&
		       order_compatible(v->parts[0], r->parts[0]) &&
		       assignable_type(v->parts[1], r->parts[1]);
	case TYPE_LIST:
	case TYPE_TUPLE:
		/* A user type is a tuple, but not the other way round. */
		if ((v->kind != r->kind &&
		     (r->kind != TYPE_TUPLE || v->kind != TYPE_UDT)) ||
		    v->part_count > r->part_count)
			return false;
		for (i = 0; i < v->part_count; i++)
			if (!assignable_type(v->parts[i], r->parts[i]))
				return false;
		return true;
	default:
		return false;
	}
}

enum assignable assignable_type(const struct type *value,
				const struct type *receiver)
{
	if (type_is_multicell(value) && receiver->frozen)
		return NOT_ASSIGNABLE;
	if (value == receiver || type_equal_but_frozen(value, receiver))
		return EXACTLY_ASSIGNABLE;
	return value_compatible(value, receiver) ? WEAKLY_ASSIGNABLE :
						   NOT_ASSIGNABLE;
}

bool assignable_result(const struct type *result, const struct type *receiver)
{
	if (type_is_multicell(receiver) && !type_is_multicell(result))
		return false;
	return type_equal_but_frozen(result, receiver) ||
	       value_compatible(result, receiver);
}

enum assignable assignable_hint(const struct type *hint,
				const struct type *receiver)
{
	bool cells = type_is_collection(receiver) ||
		     receiver->kind == TYPE_UDT;

	if (cells && type_is_multicell(hint) != type_is_multicell(receiver))
		return NOT_ASSIGNABLE;
	return assignable_type(hint, receiver);
}

/* Return the weakest result for every step-th item, WEAKLY when there are
 * none. */
static enum assignable all_assignable(struct execution *x,
				      const struct compound *c, uint32_t first,
				      uint32_t step, const struct type *receiver)
{
	enum assignable all = c->term->item_count > first ?
				      EXACTLY_ASSIGNABLE : WEAKLY_ASSIGNABLE;
	enum assignable one;

	for (uint32_t i = first; i < c->term->item_count && all; i += step) {
		one = c->assignable(x, c->items[i], receiver);
		if (one < all)
			all = one;
	}
	return all;
}

static const struct type *hinted_type(struct execution *x,
				      const struct term *t);

int assignable_user_field(const struct type *udt, struct bytes name)
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
		field = assignable_user_field(receiver, t->names[i].text);
		if (field >= 0 &&
		    !assignable_term(x, t->items[i], receiver->parts[field]))
			return NOT_ASSIGNABLE;
	}
	return WEAKLY_ASSIGNABLE;
}

enum assignable assignable_tuple(struct execution *x, const struct compound *c,
				 const struct type *receiver, bool user)
{
	uint32_t count = c->term->item_count;

	if (!takes_tuple(receiver) || (receiver->kind == TYPE_UDT && !user))
		return count == 1 ? c->assignable(x, c->items[0], receiver) :
				    NOT_ASSIGNABLE;
	if (count > receiver->part_count)
		return NOT_ASSIGNABLE;
	for (uint32_t i = 0; i < count; i++)
		if (!c->assignable(x, c->items[i], receiver->parts[i]))
			return NOT_ASSIGNABLE;
	return WEAKLY_ASSIGNABLE;
}

static enum assignable map_assignable(struct execution *x,
				      const struct compound *c,
				      const struct type *receiver)
{
	enum assignable keys, values;

	if (receiver->kind != TYPE_MAP)
		return NOT_ASSIGNABLE;
	keys = all_assignable(x, c, 0, 2, receiver->parts[0]);
	values = all_assignable(x, c, 1, 2, receiver->parts[1]);
	return keys < values ? keys : values;
}

enum assignable assignable_compound(struct execution *x,
				    const struct compound *c,
				    const struct type *receiver)
{
	uint32_t count = c->term->item_count;

	if (c->term->kind == TERM_MAP)
		return map_assignable(x, c, receiver);
	if (c->term->kind == TERM_SET) {
		if (receiver->kind == TYPE_MAP && !count)
			return WEAKLY_ASSIGNABLE;
		if (receiver->kind != TYPE_SET)
			return NOT_ASSIGNABLE;
	} else if (receiver->kind != TYPE_LIST &&
		   receiver->kind != TYPE_VECTOR) {
		return NOT_ASSIGNABLE;
	}
	return all_assignable(x, c, 0, 1, receiver->parts[0]);
}

static enum assignable item_assignable(struct execution *x, const void *item,
				       const struct type *receiver)
{
	return assignable_term(x, item, receiver);
}

/*
 * Return the first receiver that a list literal in t would have and is not
 * valid for. In the fields of tuples and user types it is just wrong.
 */
static const struct type *misplaced_list(const struct term *t,
					 const struct type *receiver)
{
	const struct type *found = NULL, *part;

	if (t->kind == TERM_LIST && receiver->kind != TYPE_LIST &&
	    receiver->kind != TYPE_VECTOR)
		return receiver;
	if (t->kind == TERM_TUPLE)
		return t->item_count == 1 && !takes_tuple(receiver) ?
			       misplaced_list(t->items[0], receiver) : NULL;
	for (uint32_t i = 0; i < t->item_count && !found; i++) {
		part = NULL;
		if (t->kind == TERM_LIST ||
		    (t->kind == TERM_SET && receiver->kind == TYPE_SET))
			part = receiver->parts[0];
		else if (t->kind == TERM_MAP && receiver->kind == TYPE_MAP)
			part = receiver->parts[i % 2];
		if (part)
			found = misplaced_list(t->items[i], part);
	}
	return found;
}

/* Refuse an unknown type in a hint before a misplaced list is. */
static int refuse_hint(struct execution *x, const struct term *t,
		       const struct type *receiver)
{
	const struct type *type;
	int err = 0;

	if (t->kind == TERM_HINT)
		return type_resolve_owned(x, &type, t->type,
					  execution_keyspace(x));
	if (t->kind == TERM_TUPLE && (t->item_count > 1 || takes_tuple(receiver)))
		return 0;
	for (uint32_t i = 0; i < t->item_count && !err &&
			     t->kind != TERM_CALL && t->kind != TERM_USER; i++)
		err = refuse_hint(x, t->items[i], receiver);
	return err;
}

int assignable_refuse_at_test(struct execution *x, const struct term *t,
			      const struct type *receiver)
{
	const struct type *found;
	int err = refuse_hint(x, t, receiver);

	if (err)
		return err;
	found = misplaced_list(t, receiver);
	return found ? refuse(x, "Unexpected receiver type '%s'; only list and "
				 "vector are expected", text_of_type(x, found)) :
		       0;
}

enum assignable assignable_term(struct execution *x, const struct term *t,
				const struct type *receiver)
{
	const struct compound items = {
		.term = t, .items = (const void *const *)t->items,
		.assignable = item_assignable,
	};
	const struct type *hint;

	switch (t->kind) {
	case TERM_CONSTANT:
		if (!type_takes_literal(receiver,
					(enum literal_kind)t->constant))
			return NOT_ASSIGNABLE;
		return assignable_term_type(x, t) == receiver ?
			EXACTLY_ASSIGNABLE : WEAKLY_ASSIGNABLE;
	case TERM_NULL:
		return receiver->kind == TYPE_COUNTER ? NOT_ASSIGNABLE :
							WEAKLY_ASSIGNABLE;
	case TERM_MARKER:
		return WEAKLY_ASSIGNABLE;
	case TERM_LIST:
		if (receiver->kind == TYPE_VECTOR &&
		    receiver->dimension != t->item_count)
			return NOT_ASSIGNABLE;
		/* fall through */
	case TERM_SET:
	case TERM_MAP:
		return assignable_compound(x, &items, receiver);
	case TERM_USER:
		return user_assignable(x, t, receiver);
	case TERM_TUPLE:
		return assignable_tuple(x, &items, receiver, true);
	case TERM_HINT:
		hint = hinted_type(x, t);
		return hint ? assignable_hint(hint, receiver) : NOT_ASSIGNABLE;
	case TERM_CAST:
	case TERM_CALL:
	case TERM_BINARY:
	case TERM_NEGATE:
		return call_assignable(x, t, receiver);
	default:
		return NOT_ASSIGNABLE;
	}
}

/* ------------------------------------------------------- types of terms */
static const struct type *integer_type(struct bytes text)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll((const char *)text.ptr, &end, 10);
	if (errno == ERANGE)
		return type_native(TYPE_VARINT);
	return type_native(n < INT32_MIN || n > INT32_MAX ? TYPE_BIGINT :
							    TYPE_INT);
}

/* Return double, if its digits are the literal's; else decimal, which keeps
 * them. */
static const struct type *float_type(struct bytes text)
{
	const struct type *decimal = type_native(TYPE_DECIMAL);
	struct buf written = BUF_INIT, kept = BUF_INIT;
	char printed[FLOAT_TEXT_MAX];
	struct type_error error;
	size_t len = float_print(printed, TYPE_DOUBLE,
				 strtod((const char *)text.ptr, NULL));
	bool same = native_read_text(&written, TYPE_DECIMAL, text, &error) ||
		    native_read_text(&kept, TYPE_DECIMAL,
				     bytes_of(printed, len), &error) ||
		    !type_compare(decimal, buf_bytes(&written),
				  buf_bytes(&kept));

	buf_release(&written);
	buf_release(&kept);
	return same ? type_native(TYPE_DOUBLE) : decimal;
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
		return float_type(t->text);
	case CONSTANT_BOOLEAN:
		return type_native(TYPE_BOOLEAN);
	case CONSTANT_HEX:
		return type_native(TYPE_BLOB);
	default:
		return type_native(TYPE_DURATION);
	}
}

const struct type *assignable_build_type(struct execution *x,
					 enum type_kind kind,
					 const struct type *const *parts,
					 uint32_t count)
{
	struct type **copies = arena_zalloc(x->arena, count, sizeof(*copies));

	if (!copies)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		copies[i] = !parts[i] ? NULL :
			    kind == TYPE_TUPLE ?
				    type_frozen((struct type *)parts[i]) :
				    type_get((struct type *)parts[i]);
		if (copies[i])
			continue;
		while (i-- > 0)
			type_put(copies[i]);
		return NULL;
	}
	return execution_own_type(x, type_new(kind, true, copies, count));
}

static const struct type *exact_type(struct execution *x,
				     const struct term *t);

/* Return the first exact type of every step-th item; NULL: none has one. */
static const struct type *first_exact(struct execution *x,
				      struct term *const *items, uint32_t count,
				      uint32_t step)
{
	const struct type *t = NULL;

	for (uint32_t i = 0; i < count && !t; i += step)
		t = exact_type(x, items[i]);
	return t;
}

static const struct type *exact_tuple(struct execution *x, const struct term *t)
{
	const struct type **parts = arena_zalloc(x->arena, t->item_count,
						 sizeof(*parts));

	if (!parts)
		return NULL;
	for (uint32_t i = 0; i < t->item_count; i++)
		parts[i] = exact_type(x, t->items[i]);
	return assignable_build_type(x, TYPE_TUPLE, parts, t->item_count);
}

/* Return a hint's type; a wrong one is told when the hint is made. */
static const struct type *hinted_type(struct execution *x, const struct term *t)
{
	const struct type *type = NULL;
	int err;

	x->quiet++;
	err = type_resolve_owned(x, &type, t->type, execution_keyspace(x));
	x->quiet--;
	return err ? NULL : type;
}

/* Return the one type that a term can have: a constant has several, and a list
 * may be a vector. */
static const struct type *exact_type(struct execution *x, const struct term *t)
{
	const struct type *pair[2];

	switch (t->kind) {
	case TERM_SET:
		pair[0] = first_exact(x, t->items, t->item_count, 1);
		return assignable_build_type(x, TYPE_SET, pair, 1);
	case TERM_MAP:
		pair[0] = first_exact(x, t->items, t->item_count, 2);
		pair[1] = t->item_count ?
			first_exact(x, t->items + 1, t->item_count - 1, 2) :
			NULL;
		return assignable_build_type(x, TYPE_MAP, pair, 2);
	case TERM_TUPLE:
		return exact_tuple(x, t);
	case TERM_HINT:
		return hinted_type(x, t);
	case TERM_CAST:
	case TERM_CALL:
	case TERM_BINARY:
	case TERM_NEGATE:
		return call_type(x, t);
	default:
		return NULL;
	}
}

/* Prefer the type that the others can be assigned to. Types that can be
 * assigned to each other count as one. */
const struct type *assignable_common_type(const struct type *const *types,
					  uint32_t count)
{
	const struct type *common = NULL;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (types[i] && (!common || !assignable_type(types[i], common)))
			common = types[i];
	for (i = 0; i < count && common; i++)
		if (types[i] && !assignable_type(types[i], common))
			common = NULL;
	return common;
}

/* Return the type of every step-th item that all others can be assigned to. */
static const struct type *common_of(struct execution *x,
				    struct term *const *items, uint32_t count,
				    uint32_t step)
{
	const struct type **types = arena_zalloc(x->arena, count,
						 sizeof(*types));

	for (uint32_t i = 0; i < count && types; i += step)
		types[i] = assignable_term_type(x, items[i]);
	return types ? assignable_common_type(types, count) : NULL;
}

const struct type *assignable_term_type(struct execution *x,
					const struct term *t)
{
	const struct type *pair[2];

	switch (t->kind) {
	case TERM_CONSTANT:
		return constant_type(t);
	case TERM_SET:
		pair[0] = common_of(x, t->items, t->item_count, 1);
		return assignable_build_type(x, TYPE_SET, pair, 1);
	case TERM_MAP:
		if (!t->item_count)
			return NULL;
		pair[0] = common_of(x, t->items, t->item_count, 2);
		pair[1] = common_of(x, t->items + 1, t->item_count - 1, 2);
		return assignable_build_type(x, TYPE_MAP, pair, 2);
	default:
		return exact_type(x, t);
	}
}
