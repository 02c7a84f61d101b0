/*
 * Functions that take any type or any collection: count, min, max, sum, avg,
 * to_json, from_json, map_keys and the like, similarity of vectors, masks.
 * Their signature is made from the arguments of the call
 * (function_parameter.c).
 */
#include "store/cql/expression/function_generic.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "store/cql/expression/aggregate.h"
#include "store/cql/expression/function.h"
#include "store/cql/expression/function_parameter.h"
#include "store/cql/expression/overload.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/json/print.h"
#include "store/type/json/value.h"

static function_apply apply_to_json, apply_from_json, apply_map_parts,
	apply_count, apply_extreme, apply_sum, apply_cosine, apply_euclidean,
	apply_dot;

/* The result's type: that of the first argument, or one made of it. */
enum result { ARGUMENT, ELEMENT, KEYS, VALUES, NATIVE };

static const struct generic {
	const char *name, *alias;
	uint8_t parameters[PARAMETERS_MAX];
	enum result result;
	enum type_kind native;
	enum aggregate_kind aggregate;
	function_apply *apply;
	bool takes_null;
} generics[] = {
	{ "min", NULL, { PARAMETER_ANY_OR_RESULT }, ARGUMENT, 0, AGGREGATE_MIN, NULL,
	  false },
	{ "max", NULL, { PARAMETER_ANY_OR_RESULT }, ARGUMENT, 0, AGGREGATE_MAX, NULL,
	  false },
	{ "to_json", "tojson", { PARAMETER_ANY }, NATIVE, TYPE_TEXT,
	  AGGREGATE_NONE, apply_to_json, true },
	{ "map_keys", NULL, { PARAMETER_MAP }, KEYS, 0, AGGREGATE_NONE,
	  apply_map_parts, false },
	{ "map_values", NULL, { PARAMETER_MAP }, VALUES, 0, AGGREGATE_NONE,
	  apply_map_parts, false },
	{ "collection_count", NULL, { PARAMETER_COLLECTION }, NATIVE, TYPE_INT,
	  AGGREGATE_NONE, apply_count, false },
	{ "collection_min", NULL, { PARAMETER_SEQUENCE }, ELEMENT, 0,
	  AGGREGATE_NONE, apply_extreme, false },
	{ "collection_max", NULL, { PARAMETER_SEQUENCE }, ELEMENT, 0,
	  AGGREGATE_NONE, apply_extreme, false },
	{ "collection_sum", NULL, { PARAMETER_NUMBERS }, ELEMENT, 0,
	  AGGREGATE_NONE, apply_sum, false },
	{ "collection_avg", NULL, { PARAMETER_NUMBERS }, ELEMENT, 0,
	  AGGREGATE_NONE, apply_sum, false },
	{ "similarity_cosine", NULL, { PARAMETER_VECTOR, PARAMETER_VECTOR },
	  NATIVE, TYPE_FLOAT, AGGREGATE_NONE, apply_cosine, false },
	{ "similarity_euclidean", NULL, { PARAMETER_VECTOR, PARAMETER_VECTOR },
	  NATIVE, TYPE_FLOAT, AGGREGATE_NONE, apply_euclidean, false },
	{ "similarity_dot_product", NULL,
	  { PARAMETER_VECTOR, PARAMETER_VECTOR }, NATIVE, TYPE_FLOAT,
	  AGGREGATE_NONE, apply_dot, false },
	{ "mask_null", NULL, { PARAMETER_ANY }, ARGUMENT, 0, AGGREGATE_NONE,
	  function_mask_null, true },
	{ "mask_default", NULL, { PARAMETER_ANY }, ARGUMENT, 0, AGGREGATE_NONE,
	  function_mask_default, true },
	{ "mask_replace", NULL, { PARAMETER_ANY_OR_RESULT, PARAMETER_SAME },
	  ARGUMENT, 0, AGGREGATE_NONE, function_mask_replace, true },
	{ "mask_inner", NULL,
	  { PARAMETER_STRING, PARAMETER_INT, PARAMETER_INT,
	    PARAMETER_OPTIONAL | PARAMETER_TEXT },
	  ARGUMENT, 0, AGGREGATE_NONE, function_mask_part, true },
	{ "mask_outer", NULL,
	  { PARAMETER_STRING, PARAMETER_INT, PARAMETER_INT,
	    PARAMETER_OPTIONAL | PARAMETER_TEXT },
	  ARGUMENT, 0, AGGREGATE_NONE, function_mask_part, true },
	{ "mask_hash", NULL,
	  { PARAMETER_ANY, PARAMETER_OPTIONAL | PARAMETER_TEXT },
	  NATIVE, TYPE_BLOB, AGGREGATE_NONE, function_mask_hash, true },
};

static const enum type_kind summed[] = {
	TYPE_TINYINT, TYPE_SMALLINT, TYPE_INT, TYPE_BIGINT, TYPE_FLOAT,
	TYPE_DOUBLE, TYPE_DECIMAL, TYPE_VARINT, TYPE_COUNTER,
};

static const struct type *result_type(struct execution *x,
				      const struct generic *g,
				      const struct type *arg)
{
	struct type *part;

	switch (g->result) {
	case ELEMENT:
		return arg->parts[0];
	case KEYS:
		part = type_get(arg->parts[0]);
		return execution_own_type(x, type_new(TYPE_SET, true,
						      &part, 1));
	case VALUES:
		part = type_get(arg->parts[1]);
		return execution_own_type(x, type_new(TYPE_LIST, true,
						      &part, 1));
	case NATIVE:
		return type_native(g->native);
	default:
		return arg;
	}
}

static int add_generic(struct execution *x, struct candidates *c,
		       const struct function_query *q,
		       const struct generic *g)
{
	const struct type *types[PARAMETERS_MAX];
	struct function *f;
	int err = parameter_types(x, types, g->parameters, q, g->name);

	if (err)
		return err;
	if (g->parameters[0] == PARAMETER_VECTOR &&
	    types[0]->dimension != types[1]->dimension)
		return refuse(x, "All arguments must have the same vector "
				 "dimensions");
	f = function_candidate_add(x, c, g->name, q->arg_count,
				   result_type(x, g, types[0]));
	if (!f || !f->result)
		return -ENOMEM;
	for (uint32_t i = 0; i < q->arg_count; i++)
		f->args[i] = types[i];
	f->apply = g->apply;
	f->aggregate = g->aggregate;
	f->takes_null = g->takes_null;
	f->made = true;
	return 0;
}

/* count takes arguments without a type of their own as bytes. */
static int add_count(struct execution *x, struct candidates *c,
		     const struct function_query *q)
{
	struct function *f;

	if (q->arg_count != 1)
		return refuse(x, "Invalid number of arguments in call to "
				 "function system.count: 1 required but %u "
				 "provided", q->arg_count);
	f = function_candidate_add(x, c, "count", 1, type_native(TYPE_BIGINT));
	if (!f)
		return -ENOMEM;
	f->args[0] = q->args[0].type ? q->args[0].type :
				       type_native(TYPE_BLOB);
	f->aggregate = AGGREGATE_COUNT;
	return 0;
}

static void add_sums(struct execution *x, struct candidates *c,
		     const char *name, enum aggregate_kind kind)
{
	struct function *f;

	for (size_t i = 0; i < ARRAY_SIZE(summed); i++) {
		f = function_candidate_add(x, c, name, 1,
					   type_native(summed[i]));
		if (!f)
			return;
		f->args[0] = f->result;
		f->aggregate = kind;
	}
}

static int add_from_json(struct execution *x, struct candidates *c,
			 const struct function_query *q, const char *name)
{
	static const uint8_t text[PARAMETERS_MAX] = { PARAMETER_TEXT };
	const struct type *types[PARAMETERS_MAX];
	struct function *f;
	int err = parameter_types(x, types, text, q, "from_json");

	if (err)
		return err;
	if (!q->receiver)
		return refuse(x, "%s() cannot be used in the selection clause "
				 "of a SELECT statement", name);
	f = function_candidate_add(x, c, "from_json", 1, q->receiver);
	if (!f)
		return -ENOMEM;
	f->args[0] = type_native(TYPE_TEXT);
	f->apply = apply_from_json;
	return 0;
}

int generic_candidates(struct execution *x, struct candidates *c,
		       const struct function_query *q, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		if (!strcmp(name, generics[i].name) ||
		    (generics[i].alias && !strcmp(name, generics[i].alias)))
			return add_generic(x, c, q, &generics[i]);
	if (!strcmp(name, "count"))
		return add_count(x, c, q);
	if (!strcmp(name, "sum"))
		add_sums(x, c, name, AGGREGATE_SUM);
	else if (!strcmp(name, "avg"))
		add_sums(x, c, name, AGGREGATE_AVG);
	else if (!strcmp(name, "from_json") || !strcmp(name, "fromjson"))
		return add_from_json(x, c, q, name);
	return 0;
}

/* ------------------------------------------------------------------ JSON */
static int apply_to_json(struct execution *x, const struct function *f,
			 const struct bytes *args, bool *is_null)
{
	enum type_kind kind = f->args[0]->kind;

	*is_null = false;
	/* An empty value that is no value of its type is skipped. */
	if (!args[0].len && kind_is_native(kind) && kind != TYPE_TEXT &&
	    kind != TYPE_ASCII && kind != TYPE_BLOB && kind != TYPE_DURATION)
		type_print_json(&x->scratch, f->args[0], BYTES_NULL);
	else
		type_print_json(&x->scratch, f->args[0], args[0]);
	return 0;
}

static int apply_from_json(struct execution *x, const struct function *f,
			   const struct bytes *args, bool *is_null)
{
	struct type_error error;
	int err = type_read_json(&x->scratch, is_null, f->result, args[0],
				 &error);

	if (err != -EINVAL)
		return err;
	if (!strncmp(error.text, "com.fasterxml.", 14))
		return refuse_as(x, CQL_FUNCTION_FAILURE,
				 "execution of 'system.%s[text]' failed: Could "
				 "not decode JSON string '%s': %s", f->name,
				 text_of(x, args[0]), error.text);
	if (error.bare)
		return refuse(x, "%s", error.text);
	return refuse_as(x, CQL_FUNCTION_FAILURE,
			 "org.apache.cassandra.serializers.MarshalException: "
			 "%s", error.text);
}

/* ----------------------------------------------------------- collections */
static int apply_map_parts(struct execution *x, const struct function *f,
			   const struct bytes *args, bool *is_null)
{
	uint32_t want = f->name[4] == 'k' ? 0 : 1, count = 0;
	struct type_parts parts;
	struct bytes part, *kept;
	int more, err = type_parts_begin(&parts, f->args[0], args[0]);

	if (err)
		return err;
	*is_null = false;
	kept = arena_zalloc(x->arena, parts.count, sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	for (uint32_t i = 0; (more = type_parts_next(&parts, &part)) > 0; i++)
		if (i % 2 == want)
			kept[count++] = part;
	if (!more)
		type_build(&x->scratch, f->result, kept, count);
	return more;
}

static int apply_count(struct execution *x, const struct function *f,
		       const struct bytes *args, bool *is_null)
{
	struct type_parts parts;
	int err = type_parts_begin(&parts, f->args[0], args[0]);

	*is_null = false;
	if (!err)
		buf_add_be32(&x->scratch, f->args[0]->kind == TYPE_MAP ?
						  parts.count / 2 :
						  parts.count);
	return err;
}

/* Aggregate the elements, as the aggregate of that name does. */
static int gather(struct execution *x, const struct function *f,
		  struct bytes value, enum aggregate_kind kind, bool *is_null)
{
	struct accumulator a;
	struct type_parts parts;
	struct bytes part;
	int err = type_parts_begin(&parts, f->args[0], value);

	if (err)
		return err;
	accumulator_init(&a, kind, f->result);
	while ((err = type_parts_next(&parts, &part)) > 0) {
		err = accumulator_add(x, &a, part);
		if (err)
			break;
	}
	if (!err)
		err = accumulator_result(x, &a, &part);
	accumulator_release(&a);
	if (err)
		return err;
	*is_null = bytes_is_null(part);
	buf_clear(&x->scratch);
	buf_add_bytes(&x->scratch, part);
	return 0;
}

/* Compare by the type's order, empty values included. */
static int apply_extreme(struct execution *x, const struct function *f,
			 const struct bytes *args, bool *is_null)
{
	int sign = strcmp(f->name, "collection_min") ? 1 : -1;
	struct bytes part, found = BYTES_NULL;
	struct type_parts parts;
	int more, err = type_parts_begin(&parts, f->args[0], args[0]);

	if (err)
		return err;
	while ((more = type_parts_next(&parts, &part)) > 0)
		if (bytes_is_null(found) ||
		    type_compare(f->result, part, found) * sign > 0)
			found = part;
	*is_null = bytes_is_null(found);
	buf_add_bytes(&x->scratch, found);
	return more;
}

static int apply_sum(struct execution *x, const struct function *f,
		     const struct bytes *args, bool *is_null)
{
	return gather(x, f, args[0], strcmp(f->name, "collection_sum") ?
					     AGGREGATE_AVG : AGGREGATE_SUM,
		      is_null);
}

/* --------------------------------------------------------------- vectors */
static float float_at(struct bytes value, uint32_t i)
{
	uint32_t bits = get_be32(value.ptr + 4 * i);
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static void put_float(struct buf *out, float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	buf_add_be32(out, bits);
}

/* Floats are summed in the order of Cassandra's library, so that the last bit
 * is the same: in eights, the others first or last. */
#define EIGHT 8

static float dot_part(const struct bytes *args, uint32_t i, uint32_t count)
{
	float sum = 0;

	for (uint32_t end = i + count; i < end; i++)
		sum += float_at(args[0], i) * float_at(args[1], i);
	return sum;
}

static float dot_product(const struct bytes *args, uint32_t dimension)
{
	float sum = dot_part(args, 0, dimension % EIGHT);

	for (uint32_t i = dimension % EIGHT; i < dimension; i += EIGHT)
		sum += dot_part(args, i, EIGHT);
	return sum;
}

static float square_part(const struct bytes *args, uint32_t i, uint32_t count)
{
	float sum = 0, difference;

	for (uint32_t end = i + count; i < end; i++) {
		difference = float_at(args[0], i) - float_at(args[1], i);
		sum += difference * difference;
	}
	return sum;
}

static float square_distance(const struct bytes *args, uint32_t dimension)
{
	float sum = 0;
	uint32_t i = 0;

	for (; i + EIGHT <= dimension; i += EIGHT)
		sum += square_part(args, i, EIGHT);
	for (; i < dimension; i++)
		sum += square_part(args, i, 1);
	return sum;
}

static bool is_all_zero(struct bytes vector, uint32_t dimension)
{
	for (uint32_t i = 0; i < dimension; i++)
		if (float_at(vector, i) != 0)
			return false;
	return true;
}

static int apply_cosine(struct execution *x, const struct function *f,
			const struct bytes *args, bool *is_null)
{
	uint32_t dimension = f->args[0]->dimension;
	float sum = 0, a = 0, b = 0;

	*is_null = false;
	if (is_all_zero(args[0], dimension) || is_all_zero(args[1], dimension))
		return refuse(x, "Function system.%s doesn't support all-zero "
				 "vectors.", f->name);
	for (uint32_t i = 0; i < dimension; i++) {
		float p = float_at(args[0], i), q = float_at(args[1], i);

		sum += p * q;
		a += p * p;
		b += q * q;
	}
	put_float(&x->scratch,
		  (1 + (float)((double)sum / sqrt((double)a * (double)b))) /
			  2);
	return 0;
}

static int apply_euclidean(struct execution *x, const struct function *f,
			   const struct bytes *args, bool *is_null)
{
	*is_null = false;
	put_float(&x->scratch,
		  1 / (1 + square_distance(args, f->args[0]->dimension)));
	return 0;
}

static int apply_dot(struct execution *x, const struct function *f,
		     const struct bytes *args, bool *is_null)
{
	*is_null = false;
	put_float(&x->scratch,
		  (1 + dot_product(args, f->args[0]->dimension)) / 2);
	return 0;
}
