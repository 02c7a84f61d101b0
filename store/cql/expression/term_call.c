/*
 * Find the function of a call, an operation, a minus or a cast in a term. It
 * depends on the receiver of the result, and whether an argument matches a
 * signature depends on the argument's own function: so it is looked up again
 * and again, and every result is kept as long as the statement lives.
 */
#include <errno.h>
#include <string.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/expression/function.h"
#include "store/cql/expression/function_operation.h"
#include "store/cql/expression/overload.h"
#include "store/cql/expression/term.h"
#include "store/cql/expression/term_call.h"

/* The results for a term and a receiver. */
struct resolved_call {
	const struct function *function;	/* NULL: none has the name */
	int err;
};

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
		return function_resolve_negation(x, f, args, receiver);
	return operation_resolve(x, f, t->op, args, receiver);
}

/* Resolve without leaving an error. */
static int resolve_quietly(struct execution *x, const struct function **f,
			   const struct term *t, const struct type *receiver)
{
	const void *key[2] = { t, receiver };
	struct hash_place *place;
	struct resolved_call *call;

	*f = NULL;
	place = hash_place(&x->calls, x->arena, bytes_of(key, sizeof(key)));
	if (!place)
		return -ENOMEM;
	call = place->value;
	if (!call) {
		call = arena_zalloc(x->arena, 1, sizeof(*call));
		if (!call)
			return -ENOMEM;
		x->quiet++;
		call->err = look_up(x, &call->function, t, receiver);
		x->quiet--;
		if (call->err == -ENOMEM)
			return -ENOMEM;
		/* Lookups inside may have moved the place. */
		place = hash_place(&x->calls, x->arena,
				   bytes_of(key, sizeof(key)));
		if (!place)
			return -ENOMEM;
		place->value = call;
	}
	*f = call->function;
	return call->err;
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
 * A fault of the call has a better message when it is made, and so has the
 * result of a function that is made for its arguments.
 */
enum assignable call_assignable(struct execution *x, const struct term *t,
				const struct type *receiver)
{
	const struct function *f = NULL;

	if (resolve_quietly(x, &f, t, receiver) || !f || f->made)
		return WEAKLY_ASSIGNABLE;
	return assignable_type(f->result, receiver);
}
