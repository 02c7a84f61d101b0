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
/* (a, b) is for tuples and user types; (a) is in brackets elsewhere. */
static inline bool takes_tuple(const struct type *receiver)
{
	return receiver->kind == TYPE_TUPLE || receiver->kind == TYPE_UDT;
}

struct function;

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
