/*
 * Terms: what stands for a value in WHERE, VALUES, SET and IF. A term has no
 * columns, so its value is known as soon as the type that receives it is.
 */
#ifndef STORE_CQL_EXPRESSION_TERM_H
#define STORE_CQL_EXPRESSION_TERM_H
#include "store/cql/statement/statement.h"

/*
 * What a value is for. Messages name it: c, value(c), key(c), idx(c), c.f,
 * c[0], arg0(system.f); the name is put together only when one is made.
 */
enum receiver_part {
	RECEIVER_WHOLE, RECEIVER_VALUE, RECEIVER_KEY, RECEIVER_INDEX,
	RECEIVER_FIELD, RECEIVER_COMPONENT, RECEIVER_ARGUMENT,
};
struct receiver {
	const struct type *type;
	const char *name;		/* WHOLE, FIELD: of it; ARGUMENT: of f */
	enum receiver_part part;
	const struct receiver *outer;	/* unless WHOLE, ARGUMENT */
	uint32_t index;			/* COMPONENT, ARGUMENT */
	bool checked;			/* WHOLE: what it is given is all read */
};
static inline struct receiver receiver_column(const struct column *c)
{
	return (struct receiver){ .type = c->type, .name = c->name };
}
/* A part of another receiver, of the type given. */
static inline struct receiver
receiver_part(const struct receiver *outer, enum receiver_part part,
	      const struct type *type)
{
	return (struct receiver){ .type = type, .part = part, .outer = outer };
}
const char *receiver_name(struct execution *x, const struct receiver *r);

enum assignable { NOT_ASSIGNABLE, WEAKLY_ASSIGNABLE, EXACTLY_ASSIGNABLE };
/* Could a value of this type be received? Cassandra's testAssignment. */
enum assignable type_assignable(const struct type *value,
				const struct type *receiver);
enum assignable term_assignable(struct execution *x, const struct term *t,
				const struct type *receiver);
/* May a function's result go there? Of many cells it is only where its receiver
 * is; what it is frozen to does not matter. */
bool result_assignable(const struct type *result, const struct type *receiver);
/* (type) value: a hint that is frozen is for what is frozen. */
enum assignable hint_assignable(const struct type *hint,
				const struct type *receiver);
/* A constructor, and how its items are judged. */
struct compound {
	const struct term *term;
	const void *const *items;
	enum assignable (*assignable)(struct execution *x, const void *item,
				      const struct type *receiver);
};
/* (a, b) is for tuples and user types; (a) is in brackets elsewhere. */
static inline bool takes_tuple(const struct type *receiver)
{
	return receiver->kind == TYPE_TUPLE || receiver->kind == TYPE_UDT;
}
/* A list, set or map; a tuple, user: which may be for a user type. */
enum assignable compound_assignable(struct execution *x,
				    const struct compound *c,
				    const struct type *receiver);
enum assignable tuple_assignable(struct execution *x, const struct compound *c,
				 const struct type *receiver, bool user);
/* What refuses to be judged at all: a list literal where no list can be, a hint
 * of no type. 0 when there is none. */
int refuse_at_test(struct execution *x, const struct term *t,
		   const struct type *receiver);
/* The type that a term has by itself (1: int), NULL when it has none. */
const struct type *term_type(struct execution *x, const struct term *t);
/* Of several, NULL among them, the first that all others can be assigned to;
 * NULL: none. */
const struct type *common_type(const struct type *const *types, uint32_t count);
/* A frozen type of the parts; a tuple's are frozen too. */
const struct type *build_type(struct execution *x, enum type_kind kind,
			      const struct type *const *parts, uint32_t count);

/* The number of a user type's field, or -1. */
int user_field(const struct type *udt, struct bytes name);
struct function;
/* The function that a call, an operator or a minus means, as function.h; the
 * type it has without a receiver, NULL: none. */
int term_resolve_call(struct execution *x, const struct function **f,
		      const struct term *t, const struct type *receiver);
const struct type *call_type(struct execution *x, const struct term *t);
enum assignable call_assignable(struct execution *x, const struct term *t,
				const struct type *receiver);

/* What CAST(… AS text) calls: "system.cast_as_text". */
const char *term_cast_name(struct execution *x, const struct term *t);

/*
 * The value of a term for a receiver, in the statement's arena (or the tree's):
 * *value is null for null. 0, -EINVAL, -ENOMEM.
 */
int term_value(struct execution *x, struct bytes *value, const struct term *t,
	       const struct receiver *r);
/*
 * Cassandra prepares a statement before it runs it: a call that fails, or gives
 * a null that may not be, shows only then. Of such terms the first is noted, and
 * made again when its statement runs.
 */
struct late_term {
	const struct term *term;
	struct receiver receiver;
};
/* term_value, but what is late is noted, if nothing is yet. */
int term_value_or_late(struct execution *x, struct bytes *value,
		       const struct term *t, const struct receiver *r,
		       struct late_term **late);
/* Refuses what it fails with; NULL: nothing is late. */
int late_term_bind(struct execution *x, const struct late_term *late);
/* An integer after LIMIT or USING; name as in messages ("[limit]"). */
int term_integer(struct execution *x, int64_t *out, const struct term *t,
		 enum type_kind kind, const char *name);
#endif
