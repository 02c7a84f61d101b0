/*
 * Functions and operations: which there are, which one a call means, and what
 * it gives. The tables are constant; a resolved call lies in the arena.
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

/* An argument before the function is known: a term, or something with a type
 * (a column). */
struct argument {
	const struct term *term;	/* for its text; NULL: text */
	const struct type *type;	/* NULL: ask the term */
	bool reversed;			/* a clustering column with DESC */
	const struct selectable *selectable;	/* in a SELECT list, or NULL */
	const char *text;		/* of what is a type alone, or NULL */
};

/* What a call is looked up by. */
struct function_query {
	struct bytes keyspace, name;	/* keyspace null: not given */
	const struct argument *args;
	uint32_t arg_count;
	const struct type *receiver;	/* or NULL */
};
/*
 * The function that a call means. *out NULL with 0: none has that name. Refuses
 * in Cassandra's words what suits none of the signatures or several.
 */
int function_resolve(struct execution *x, const struct function **out,
		     const struct function_query *q);
/* args[0] op args[1]; receiver NULL: any. */
int operation_resolve(struct execution *x, const struct function **out, char op,
		      const struct argument *args, const struct type *receiver);
/* -arg */
int negation_resolve(struct execution *x, const struct function **out,
		     const struct argument *arg, const struct type *receiver);
/* CAST(arg AS native): *out NULL when nothing can be cast to it. */
int cast_resolve(struct execution *x, const struct function **out,
		 enum type_kind target, const struct argument *arg);

/* Call it: *value in the arena, null when it gives null. */
int function_value(struct execution *x, struct bytes *value,
		   const struct function *f, const struct bytes *args);
/* "system.abs : (int) -> int"; of constants (bits 1 << i) it says so. */
void function_print_signature(struct buf *out, const struct function *f,
			      uint32_t constants);

/* What an argument has by itself, and whether a type may receive it. */
const struct type *argument_type(struct execution *x, const struct argument *a);
const char *text_of_argument(struct execution *x, const struct argument *a);
enum assignable argument_assignable(struct execution *x,
				    const struct argument *a,
				    const struct type *receiver);
/* The same, where a list of a term that cannot be one is refused: -EINVAL. */
int argument_match(struct execution *x, const struct argument *a,
		   const struct type *receiver);

/* ------------------------------------- the tables, for function*.c only */
/* In the order in which signatures of numbers come: of several that suit exactly
 * the first is meant, which is one by chance in Cassandra. */
#define NUMBER_KINDS 9
extern const enum type_kind number_kinds[NUMBER_KINDS];
#define FUNCTION_CANDIDATES_MAX 32
struct candidates {
	struct function *items;
	uint32_t count;
	bool failed;			/* no memory */
};
/* A new candidate with the native arguments; NULL when there is no room. */
struct function *candidate_add(struct execution *x, struct candidates *c,
			       const char *name, uint32_t arg_count,
			       const struct type *result);
/* Fixed signatures: native kinds only. */
struct native_function {
	const char *name, *alias;	/* alias NULL: none */
	uint8_t arg_count;
	enum type_kind args[4];
	enum type_kind result;
	function_apply *apply;
	bool monotonic;
};
extern const struct native_function function_times[];
extern const size_t function_time_count;
extern const struct native_function function_numbers[];
extern const size_t function_number_count;
function_apply function_as_blob, function_from_blob, function_token,
	function_operate, function_cast, function_mask_null,
	function_mask_default, function_mask_replace, function_mask_part,
	function_mask_hash;

/*
 * What a parameter of any type, or of several, takes. It is looked at before
 * there is a signature: what is found makes one.
 */
enum parameter {
	PARAMETER_NONE, PARAMETER_ANY,
	PARAMETER_ANY_OR_RESULT,	/* else what the result goes to */
	PARAMETER_SAME,			/* as the first */
	PARAMETER_STRING, PARAMETER_INT, PARAMETER_TEXT, PARAMETER_MAP,
	PARAMETER_COLLECTION, PARAMETER_SEQUENCE, PARAMETER_NUMBERS,
	PARAMETER_VECTOR,
	PARAMETER_OPTIONAL = 0x40,	/* and one of these */
};
#define PARAMETERS_MAX 4
/*
 * The types of a call's arguments, as the parameters (until PARAMETER_NONE) ask
 * for: what the signature has. Refuses what none of them is, in Cassandra's
 * words.
 */
int parameter_types(struct execution *x,
		    const struct type *types[PARAMETERS_MAX],
		    const uint8_t parameters[PARAMETERS_MAX],
		    const struct function_query *q, const char *name);
/* Functions of any type: those whose name it is, if any; refuses arguments
 * that none can take. */
int generic_candidates(struct execution *x, struct candidates *c,
		       const struct function_query *q, const char *name);
#endif
