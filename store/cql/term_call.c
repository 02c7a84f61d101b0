/*
 * The function that a call, an operation, a minus or a cast in a term means. It
 * depends on what receives the result, and whether an argument suits a signature
 * depends on what that argument means for it: so it is asked for again and
 * again, and every answer is kept for as long as the statement lives.
 */
#include <errno.h>
#include <string.h>

#include "store/cql/function.h"
#include "store/cql/term.h"

/* What is known of a term for a receiver. */
struct resolved_call {
	const struct term *term;		/* NULL: the place is free */
	const struct type *receiver;		/* NULL: none */
	const struct function *function;	/* NULL: none has the name */
	int err;
};
struct resolved_calls {
	struct resolved_call *places;
	uint32_t count, size;		/* size: a power of two */
};

static struct resolved_call *place_of(const struct resolved_calls *calls,
				      const struct term *t,
				      const struct type *receiver)
{
	uint64_t h = ((uintptr_t)t ^ (uintptr_t)receiver << 1) *
		     0x9e3779b97f4a7c15;
	uint32_t i = (uint32_t)(h >> 32);

	for (;; i++) {
		struct resolved_call *c = &calls->places[i & (calls->size - 1)];

		if (!c->term || (c->term == t && c->receiver == receiver))
			return c;
	}
}

/* Room for one more. */
static int make_room(struct execution *x, struct resolved_calls *calls)
{
	struct resolved_calls more = {
		.size = calls->size ? 2 * calls->size : 64,
	};

	if (2 * calls->count < calls->size)
		return 0;
	more.places = arena_zalloc(x->arena, more.size, sizeof(*more.places));
	if (!more.places)
		return -ENOMEM;
	for (uint32_t i = 0; i < calls->size; i++) {
		const struct resolved_call *c = &calls->places[i];

		if (c->term)
			*place_of(&more, c->term, c->receiver) = *c;
	}
	more.count = calls->count;
	*calls = more;
	return 0;
}

const char *term_cast_name(struct execution *x, const struct term *t)
{
	return arena_format(x->arena, "system.cast_as_%s",
			    t->type->varchar ? "varchar" :
					       type_kind_name(t->type->native));
}

static int look_up(struct execution *x, const struct function **f,
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
	for (uint32_t i = 0; i < count; i++)
		args[i].term = items[i];
	if (t->kind == TERM_CAST) {
		q.keyspace = bytes_str("system");
		q.name = bytes_str(term_cast_name(x, t) + strlen("system."));
	}
	if (t->kind == TERM_CALL || t->kind == TERM_CAST)
		return function_resolve(x, f, &q);
	if (t->kind == TERM_NEGATE)
		return negation_resolve(x, f, args, receiver);
	return operation_resolve(x, f, t->op, args, receiver);
}

/* Leaves no error. */
static int resolve_quietly(struct execution *x, const struct function **f,
			   const struct term *t, const struct type *receiver)
{
	struct resolved_call *known;
	int err;

	*f = NULL;
	if (!x->calls)
		x->calls = arena_zalloc(x->arena, 1, sizeof(*x->calls));
	if (!x->calls)
		return -ENOMEM;
	err = make_room(x, x->calls);
	if (err)
		return err;
	known = place_of(x->calls, t, receiver);
	if (!known->term) {
		x->quiet++;
		err = look_up(x, f, t, receiver);
		x->quiet--;
		if (err == -ENOMEM || make_room(x, x->calls))
			return -ENOMEM;
		known = place_of(x->calls, t, receiver);
		*known = (struct resolved_call){ t, receiver, *f, err };
		x->calls->count++;
	}
	*f = known->function;
	return known->err;
}

int term_resolve_call(struct execution *x, const struct function **f,
		      const struct term *t, const struct type *receiver)
{
	int err = resolve_quietly(x, f, t, receiver);

	return err == -EINVAL ? look_up(x, f, t, receiver) : err;
}

const struct type *call_type(struct execution *x, const struct term *t)
{
	const struct function *f = NULL;

	return resolve_quietly(x, &f, t, NULL) || !f ? NULL : f->result;
}

/*
 * What is wrong with the call is told better when it is made, and so is the
 * result of a function that is made for its arguments.
 */
enum assignable call_assignable(struct execution *x, const struct term *t,
				const struct type *receiver)
{
	const struct function *f = NULL;

	if (resolve_quietly(x, &f, t, receiver) || !f || f->made)
		return WEAKLY_ASSIGNABLE;
	return type_assignable(f->result, receiver);
}
