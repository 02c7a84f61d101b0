/*
 * Terms: the values in WHERE, VALUES, SET and IF. A term has no columns, so its
 * value is known as soon as the type that receives it is.
 */
#ifndef STORE_CQL_EXPRESSION_TERM_H
#define STORE_CQL_EXPRESSION_TERM_H
#include "store/cql/statement/statement.h"

/*
 * The receiver of a value. Messages name it: c, value(c), key(c), idx(c), c.f,
 * c[0], arg0(system.f); the name is built only for a message.
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
	bool checked;			/* WHOLE: all of its value is read */
};
static inline struct receiver receiver_column(const struct column *c)
{
	return (struct receiver){ .type = c->type, .name = c->name };
}
/* Make a part of another receiver, of the type given. */
static inline struct receiver
receiver_part(const struct receiver *outer, enum receiver_part part,
	      const struct type *type)
{
	return (struct receiver){ .type = type, .part = part, .outer = outer };
}

enum assignable { NOT_ASSIGNABLE, WEAKLY_ASSIGNABLE, EXACTLY_ASSIGNABLE };
/* True if (a, b) is valid: for tuples and user types; (a) is in brackets
 * elsewhere. */
static inline bool takes_tuple(const struct type *receiver)
{
	return receiver->kind == TYPE_TUPLE || receiver->kind == TYPE_UDT;
}

struct function;

/*
 * Compute the value of a term for a receiver, in the statement's arena (or the
 * tree's): *value is null for null. 0, -EINVAL, -ENOMEM.
 */
int term_value(struct execution *x, struct bytes *value, const struct term *t,
	       const struct receiver *r);
/*
 * Cassandra prepares a statement before it runs it: only then a call that
 * fails, or returns a null that is not allowed, is refused. The first of such
 * terms is noted, and computed again when its statement runs.
 */
struct late_term {
	const struct term *term;
	struct receiver receiver;
};
/* As term_value, but a late fault is noted, if none is yet. */
int term_value_or_late(struct execution *x, struct bytes *value,
		       const struct term *t, const struct receiver *r,
		       struct late_term **late);
/* Refuse the late fault; NULL: nothing is late. */
int late_term_bind(struct execution *x, const struct late_term *late);
/* Read an integer after LIMIT or USING; name as in messages ("[limit]"). */
int term_integer(struct execution *x, int64_t *out, const struct term *t,
		 enum type_kind kind, const char *name);
#endif
