/*
 * Choose the operation of left op right: of those with the wanted result that
 * take both sides the one that both are of exactly, else the only one, else
 * that of two values of the type that receives the result.
 */
#include <errno.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/expression/function.h"
#include "store/cql/expression/function_operation.h"
#include "store/cql/expression/overload.h"
#include "store/cql/statement/refuse.h"

struct operands {
	enum type_kind left, right, result;
};

static const struct operands texts[] = {
	{ TYPE_TEXT, TYPE_TEXT, TYPE_TEXT },
	{ TYPE_ASCII, TYPE_ASCII, TYPE_ASCII },
	{ TYPE_TEXT, TYPE_ASCII, TYPE_TEXT },
	{ TYPE_ASCII, TYPE_TEXT, TYPE_TEXT },
};
static const struct operands times[] = {
	{ TYPE_TIMESTAMP, TYPE_DURATION, TYPE_TIMESTAMP },
	{ TYPE_DATE, TYPE_DURATION, TYPE_DATE },
};

/* Rank whole numbers: the widest wins. */
static int integer_rank(enum type_kind k)
{
	switch (k) {
	case TYPE_TINYINT:
		return 1;
	case TYPE_SMALLINT:
		return 2;
	case TYPE_INT:
		return 3;
	case TYPE_BIGINT:
	case TYPE_COUNTER:
		return 4;
	case TYPE_VARINT:
		return 5;
	default:
		return 0;
	}
}

static enum type_kind result_of(enum type_kind a, enum type_kind b)
{
	static const enum type_kind ranked[] = {
		0, TYPE_TINYINT, TYPE_SMALLINT, TYPE_INT, TYPE_BIGINT,
		TYPE_VARINT,
	};
	int ra = integer_rank(a), rb = integer_rank(b);

	if (ra && rb)
		return ranked[ra > rb ? ra : rb];
	if (a == TYPE_DECIMAL || b == TYPE_DECIMAL || ra == 5 || rb == 5)
		return TYPE_DECIMAL;
	if (a == TYPE_DOUBLE || b == TYPE_DOUBLE || ra == 4 || rb == 4)
		return TYPE_DOUBLE;
	return TYPE_FLOAT;
}

/* Return the operands that op may have, one after the other; false: no more. */
static bool operands_at(struct operands *o, size_t i, char op)
{
	if (i < NUMBER_KINDS * NUMBER_KINDS) {
		o->left = function_number_kinds[i / NUMBER_KINDS];
		o->right = function_number_kinds[i % NUMBER_KINDS];
		o->result = result_of(o->left, o->right);
		return true;
	}
	i -= NUMBER_KINDS * NUMBER_KINDS;
	if (op != '+' && op != '-')
		return false;
	if (i < ARRAY_SIZE(times)) {
		*o = times[i];
		return true;
	}
	i -= ARRAY_SIZE(times);
	if (op != '+' || i >= ARRAY_SIZE(texts))
		return false;
	*o = texts[i];
	return true;
}

/* Returns an enum assignable, or the refusal of a list. */
static int match(struct execution *x, const struct operands *o,
		 const struct argument *args, const struct type *receiver)
{
	int left, right;

	if (receiver && !assignable_type(type_native(o->result), receiver))
		return NOT_ASSIGNABLE;
	left = function_argument_match(x, &args[0], type_native(o->left));
	if (left <= 0)
		return left;
	right = function_argument_match(x, &args[1], type_native(o->right));
	return left < right ? left : right;
}

static int make(struct execution *x, const struct function **out, char op,
		const struct operands *o)
{
	static const char *const names[] = {
		['+'] = "+", ['-'] = "-", ['*'] = "*", ['/'] = "/",
		['%'] = "%",
	};
	struct function *f = arena_zalloc(x->arena, 1, sizeof(*f));

	if (f)
		f->args = arena_zalloc(x->arena, 2, sizeof(*f->args));
	if (!f || !f->args)
		return -ENOMEM;
	f->name = names[(int)op];
	f->arg_count = 2;
	f->args[0] = type_native(o->left);
	f->args[1] = type_native(o->right);
	f->result = type_native(o->result);
	f->op = op;
	f->apply = function_operate;
	*out = f;
	return 0;
}

static int refuse_operands(struct execution *x, char op,
			   const struct argument *args, bool several)
{
	const char *left, *right;

	if (x->quiet)
		return -EINVAL;
	left = function_text_of_argument(x, &args[0]);
	right = function_text_of_argument(x, &args[1]);
	if (several)
		return refuse(x, "Ambiguous '%c' operation with args %s and "
				 "%s: use type hint to disambiguate, example "
				 "'(int) ?'", op, left, right);
	return refuse(x, "the '%c' operation is not supported between %s and "
			 "%s", op, left, right);
}

static bool is_marker(const struct argument *a)
{
	return a->term->kind == TERM_MARKER;
}

int operation_resolve(struct execution *x, const struct function **out, char op,
		      const struct argument *args, const struct type *receiver)
{
	bool prefers = receiver && !is_marker(&args[0]) && !is_marker(&args[1]);
	struct operands o, suiting = { 0 }, preferred = { 0 };
	unsigned count = 0;
	bool found = false;
	int one;

	for (size_t i = 0; operands_at(&o, i, op); i++) {
		one = match(x, &o, args, receiver);
		if (one < 0)
			return one;
		switch (one) {
		case EXACTLY_ASSIGNABLE:
			return make(x, out, op, &o);
		case WEAKLY_ASSIGNABLE:
			suiting = o;
			count++;
			if (prefers && type_native(o.left) == receiver &&
			    type_native(o.right) == receiver) {
				preferred = o;
				found = true;
			}
			break;
		default:
			break;
		}
	}
	if (count == 1)
		return make(x, out, op, &suiting);
	if (found)
		return make(x, out, op, &preferred);
	return refuse_operands(x, op, args, count > 1);
}
