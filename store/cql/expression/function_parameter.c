/*
 * Parameters of functions that take any type, any collection or any text: the
 * arguments decide the type, as in Cassandra's FunctionFactory.
 */
#include <string.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/expression/function.h"
#include "store/cql/expression/function_parameter.h"
#include "store/cql/expression/overload.h"
#include "store/cql/expression/type_resolve.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"

static const struct {
	const char *word;	/* in a signature */
	const char *required;	/* of an argument; NULL: nothing */
} words[] = {
	[PARAMETER_ANY] = { "any", NULL },
	[PARAMETER_ANY_OR_RESULT] = { "any", NULL },
	[PARAMETER_SAME] = { "any", NULL },
	[PARAMETER_STRING] = { "[text|varchar|ascii]",
			       "an argument of type [text|varchar|ascii]" },
	[PARAMETER_INT] = { "int", "an argument of type int" },
	[PARAMETER_TEXT] = { "text", "an argument of type text" },
	[PARAMETER_MAP] = { "map", "a map argument" },
	[PARAMETER_COLLECTION] = { "collection", "a collection argument" },
	[PARAMETER_SEQUENCE] = { "numeric_set_or_list",
				 "a set or list argument" },
	[PARAMETER_NUMBERS] = { "numeric_set_or_list",
				"a numeric set/list argument" },
	[PARAMETER_VECTOR] = { "vector<float, n>", "a float vector argument" },
};

static enum parameter kind_of(uint8_t parameter)
{
	return parameter & ~PARAMETER_OPTIONAL;
}

/* Print "system.mask_hash(any, [text])" */
static const char *signature(struct execution *x, const char *name,
			     const uint8_t parameters[PARAMETERS_MAX])
{
	struct buf text = BUF_INIT;

	buf_add_format(&text, "system.%s(", name);
	for (uint32_t i = 0; i < PARAMETERS_MAX && parameters[i]; i++)
		buf_add_format(&text, parameters[i] & PARAMETER_OPTIONAL ?
					      "%s[%s]" : "%s%s",
			       i ? ", " : "",
			       words[kind_of(parameters[i])].word);
	buf_add_byte(&text, ')');
	return text_of_buf(x, &text);
}

static bool takes_type(const struct type *t, enum parameter parameter)
{
	bool sequence = t->kind == TYPE_LIST || t->kind == TYPE_SET;

	switch (parameter) {
	case PARAMETER_STRING:
		return assignable_type(t, type_native(TYPE_TEXT)) ||
		       assignable_type(t, type_native(TYPE_ASCII));
	case PARAMETER_INT:
		return assignable_type(t, type_native(TYPE_INT));
	case PARAMETER_TEXT:
		return assignable_type(t, type_native(TYPE_TEXT));
	case PARAMETER_MAP:
		return t->kind == TYPE_MAP;
	case PARAMETER_COLLECTION:
		return sequence || t->kind == TYPE_MAP;
	case PARAMETER_SEQUENCE:
		return sequence;
	case PARAMETER_NUMBERS:
		return sequence && type_kind_is_number(t->parts[0]->kind);
	case PARAMETER_VECTOR:
		return t->kind == TYPE_VECTOR &&
		       t->parts[0]->kind == TYPE_FLOAT;
	default:
		return true;
	}
}

/* Return the type that an argument has, or gets from the parameter. */
static const struct type *infer(struct execution *x, const struct argument *a,
				enum parameter parameter,
				const struct function_query *q)
{
	const struct type *t;

	/* A literal list is a vector where one is wanted in a SELECT list. */
	if (parameter == PARAMETER_VECTOR && a->selectable && !a->type &&
	    a->term->kind == TERM_LIST && a->term->item_count)
		return execution_own_type(
			x, type_new_vector(type_native(TYPE_FLOAT),
					   a->term->item_count));
	t = function_argument_type(x, a);
	if (t)
		return t;
	switch (parameter) {
	case PARAMETER_ANY_OR_RESULT:
	case PARAMETER_VECTOR:
		return q->receiver;
	case PARAMETER_STRING:
	case PARAMETER_TEXT:
		return type_native(TYPE_TEXT);
	case PARAMETER_INT:
		return type_native(TYPE_INT);
	default:
		return NULL;
	}
}

/* Set the type of one from the other, when it has none. */
static void infer_from_other(const struct type *types[PARAMETERS_MAX],
			     const uint8_t parameters[PARAMETERS_MAX])
{
	if (kind_of(parameters[1]) == PARAMETER_SAME && types[0])
		types[1] = types[0];
	if (kind_of(parameters[1]) != PARAMETER_VECTOR)
		return;
	if (!types[0])
		types[0] = types[1];
	if (!types[1])
		types[1] = types[0];
}

static bool is_term(const struct argument *a)
{
	return !a->selectable && !a->type;
}

/* Refuse an unknown type in a hint that gives the term's type. */
static int refuse_hint(struct execution *x, const struct term *t)
{
	const struct type *type;
	int err = 0;

	if (t->kind == TERM_HINT)
		return type_resolve_owned(x, &type, t->type,
					  execution_keyspace(x));
	if (t->kind != TERM_SET && t->kind != TERM_MAP && t->kind != TERM_TUPLE)
		return 0;
	for (uint32_t i = 0; i < t->item_count && !err; i++) {
		err = refuse_hint(x, t->items[i]);
		if (t->kind == TERM_TUPLE && t->items[i]->kind == TERM_CONSTANT)
			break;	/* the tuple has no type */
	}
	return err;
}

static int take_types(struct execution *x,
		      const struct type *types[PARAMETERS_MAX],
		      const uint8_t parameters[PARAMETERS_MAX],
		      const struct function_query *q, const char *name)
{
	const char *required;
	uint32_t most = 0, least = 0, i;

	for (; most < PARAMETERS_MAX && parameters[most]; most++)
		least += !(parameters[most] & PARAMETER_OPTIONAL);
	if (q->arg_count < least || q->arg_count > most)
		return refuse(x, "Invalid number of arguments for function %s",
			      signature(x, name, parameters));
	for (i = 0; i < q->arg_count; i++) {
		int err = is_term(&q->args[i]) ?
				  refuse_hint(x, q->args[i].term) : 0;

		if (err)
			return err;
		types[i] = infer(x, &q->args[i], kind_of(parameters[i]), q);
	}
	infer_from_other(types, parameters);
	for (i = 0; i < q->arg_count; i++) {
		const struct argument *a = &q->args[i];

		if (!types[i])
			return refuse(x, "Cannot infer type of argument %s in "
					 "call to function %s: use type casts "
					 "to disambiguate",
				      function_text_of_argument(x, a),
				      signature(x, name, parameters));
		/* Cassandra does not recognise the type of a column with DESC,
		 * unless it is text. */
		required = words[kind_of(parameters[i])].required;
		if (!takes_type(types[i], kind_of(parameters[i])) ||
		    (required && a->reversed &&
		     kind_of(parameters[i]) != PARAMETER_STRING))
			return refuse(x, "Function system.%s requires %s, but "
					 "found argument %s of type %s", name,
				      required, function_text_of_argument(x, a),
				      text_of_type(x, types[i]));
		if (kind_of(parameters[i]) == PARAMETER_INT)
			types[i] = type_native(TYPE_INT);
		if (kind_of(parameters[i]) == PARAMETER_TEXT)
			types[i] = type_native(TYPE_TEXT);
	}
	return 0;
}

int parameter_types(struct execution *x,
		    const struct type *types[PARAMETERS_MAX],
		    const uint8_t parameters[PARAMETERS_MAX],
		    const struct function_query *q, const char *name)
{
	const char *outer = x->hint_keyspace;
	int err;

	/* Cassandra looks up the types of hints in the function's keyspace. */
	if (q->arg_count && is_term(&q->args[0]))
		x->hint_keyspace = "system";
	err = take_types(x, types, parameters, q, name);
	x->hint_keyspace = outer;
	return err;
}
