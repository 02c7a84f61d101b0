/*
 * Functions and operations: all that exist, the one that a call selects, and
 * its result. The tables are constant; a resolved call is in the arena.
 */
#ifndef STORE_CQL_EXPRESSION_FUNCTION_H
#define STORE_CQL_EXPRESSION_FUNCTION_H
#include "store/cql/expression/term.h"

struct function;
struct selectable;
/* Append the result to x->scratch, or set *is_null. Arguments are not null
 * (a null one makes null) unless the function says takes_null. */
typedef int function_apply(struct execution *x, const struct function *f,
			   const struct bytes *args, bool *is_null);

enum aggregate_kind {
	AGGREGATE_NONE, AGGREGATE_COUNT_ROWS, AGGREGATE_COUNT, AGGREGATE_MIN,
	AGGREGATE_MAX, AGGREGATE_SUM, AGGREGATE_AVG,
};

/* One signature of a function. */
struct function {
	const char *name;		/* "to_date", "+", "cast_as_int" */
	const struct type **args;
	uint32_t arg_count;
	const struct type *result;
	function_apply *apply;
	enum aggregate_kind aggregate;
	bool monotonic;			/* may end a GROUP BY */
	bool takes_null;
	bool made;			/* for the types of one call */
	char op;			/* + - * / % of an operation, ~ negation */
	const struct table *table;	/* of token() */
};

/* An argument before the function is known: a term, or an object with a type (a
 * column). */
struct argument {
	const struct term *term;	/* for its text; NULL: text */
	const struct type *type;	/* NULL: ask the term */
	bool reversed;			/* a clustering column with DESC */
	const struct selectable *selectable;	/* in a SELECT list, or NULL */
	const char *text;		/* of a type without a term, or NULL */
};

/* The query for a call's function. */
struct function_query {
	struct bytes keyspace, name;	/* keyspace null: not given */
	const struct argument *args;
	uint32_t arg_count;
	const struct type *receiver;	/* or NULL */
};

/* ------------------------------------- the tables, for function*.c only */
struct candidates {
	struct function *items;
	uint32_t count;
	bool failed;			/* no memory */
};
/* Fixed signatures: native kinds only. */
struct native_function {
	const char *name, *alias;	/* alias NULL: none */
	uint8_t arg_count;
	enum type_kind args[4];
	enum type_kind result;
	function_apply *apply;
	bool monotonic;
};
function_apply function_as_blob, function_from_blob, function_token,
	function_operate, function_cast, function_mask_null,
	function_mask_default, function_mask_replace, function_mask_part,
	function_mask_hash;

/*
 * The types that a parameter of any type, or of several, accepts. It is checked
 * before there is a signature: the result makes one.
 */
enum parameter {
	PARAMETER_NONE, PARAMETER_ANY,
	PARAMETER_ANY_OR_RESULT,	/* else that of the receiver */
	PARAMETER_SAME,			/* as the first */
	PARAMETER_STRING, PARAMETER_INT, PARAMETER_TEXT, PARAMETER_MAP,
	PARAMETER_COLLECTION, PARAMETER_SEQUENCE, PARAMETER_NUMBERS,
	PARAMETER_VECTOR,
	PARAMETER_OPTIONAL = 0x40,	/* and one of these */
};
#endif
