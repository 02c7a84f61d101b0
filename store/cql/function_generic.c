/*
 * Functions that take any type or any collection: count, min, max, sum, avg,
 * to_json, from_json, map_keys and its kin, similarity of vectors. Their
 * signature is made from the arguments of the call.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "store/cql/aggregate.h"
#include "store/cql/function.h"

static function_apply apply_to_json, apply_from_json, apply_map_parts,
	apply_count, apply_extreme, apply_sum, apply_cosine, apply_euclidean,
	apply_dot;

enum wants { ANY, MAP, COLLECTION, SEQUENCE, NUMBERS };
static const char *const wants_words[] = {
	[MAP] = "map", [COLLECTION] = "collection",
	[SEQUENCE] = "set or list", [NUMBERS] = "numeric set/list",
};

static const struct {
	const char *name, *alias;
	enum wants wants;
	enum aggregate_kind aggregate;
	function_apply *apply;
} generics[] = {
	{ "count", NULL, ANY, AGGREGATE_COUNT, NULL },
	{ "min", NULL, ANY, AGGREGATE_MIN, NULL },
	{ "max", NULL, ANY, AGGREGATE_MAX, NULL },
	{ "to_json", "tojson", ANY, AGGREGATE_NONE, apply_to_json },
	{ "map_keys", NULL, MAP, AGGREGATE_NONE, apply_map_parts },
	{ "map_values", NULL, MAP, AGGREGATE_NONE, apply_map_parts },
	{ "collection_count", NULL, COLLECTION, AGGREGATE_NONE, apply_count },
	{ "collection_min", NULL, SEQUENCE, AGGREGATE_NONE, apply_extreme },
	{ "collection_max", NULL, SEQUENCE, AGGREGATE_NONE, apply_extreme },
	{ "collection_sum", NULL, NUMBERS, AGGREGATE_NONE, apply_sum },
	{ "collection_avg", NULL, NUMBERS, AGGREGATE_NONE, apply_sum },
};

static const struct {
	const char *name;
	function_apply *apply;
} similarities[] = {
	{ "similarity_cosine", apply_cosine },
	{ "similarity_euclidean", apply_euclidean },
	{ "similarity_dot_product", apply_dot },
};

static const enum type_kind summed[] = {
	TYPE_TINYINT, TYPE_SMALLINT, TYPE_INT, TYPE_BIGINT, TYPE_FLOAT,
	TYPE_DOUBLE, TYPE_DECIMAL, TYPE_VARINT, TYPE_COUNTER,
};

static bool is_number(const struct type *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		if (summed[i] == t->kind)
			return true;
	return false;
}

static bool suits(const struct type *t, enum wants wants)
{
	bool sequence = t->kind == TYPE_LIST || t->kind == TYPE_SET;

	switch (wants) {
	case MAP:
		return t->kind == TYPE_MAP;
	case COLLECTION:
		return sequence || t->kind == TYPE_MAP;
	case SEQUENCE:
		return sequence;
	case NUMBERS:
		return sequence && is_number(t->parts[0]);
	default:
		return true;
	}
}

static const struct type *result_type(struct execution *x, const char *name,
				      const struct type *arg)
{
	struct type *part;

	if (!strcmp(name, "map_keys") || !strcmp(name, "map_values")) {
		part = type_get(arg->parts[name[4] == 'k' ? 0 : 1]);
		return own_type(x, type_new(name[4] == 'k' ? TYPE_SET :
							     TYPE_LIST,
					    false, &part, 1));
	}
	if (!strcmp(name, "collection_count"))
		return type_native(TYPE_INT);
	if (!strncmp(name, "collection_", 11))
		return arg->parts[0];
	if (!strcmp(name, "count"))
		return type_native(TYPE_BIGINT);
	return name[0] == 't' ? type_native(TYPE_TEXT) : arg;
}

static int add_generic(struct execution *x, struct candidates *c,
		       const struct function_query *q, const char *name,
		       size_t i)
{
	const struct argument *a = q->args;
	bool count = generics[i].aggregate == AGGREGATE_COUNT;
	const struct type *t;
	struct function *f;

	if (q->arg_count != 1)
		return refuse(x, "Invalid number of arguments in call to "
				 "function system.%s: 1 required but %u "
				 "provided", name, q->arg_count);
	/* count takes what has no type of its own as bytes */
	t = count ? a->type : argument_type(x, a);
	if (!t && count)
		t = type_native(TYPE_BLOB);
	if (!t)
		return refuse(x, "Cannot infer type of argument %s in call to "
				 "function system.%s(any): use type casts to "
				 "disambiguate", text_of_term(x, a->term),
			      name);
	/* Cassandra does not see that a column with DESC is a collection. */
	if (!suits(t, generics[i].wants) ||
	    (a->reversed && generics[i].wants != ANY))
		return refuse(x, "Function system.%s requires a %s argument, "
				 "but found argument %s of type %s", name,
			      wants_words[generics[i].wants],
			      text_of_term(x, a->term), text_of_type(x, t));
	f = candidate_add(x, c, name, 1, result_type(x, name, t));
	if (!f || !f->result)
		return -ENOMEM;
	f->args[0] = t;
	f->apply = generics[i].apply;
	f->aggregate = generics[i].aggregate;
	f->takes_null = !strncmp(name, "to", 2);
	return 0;
}

static void add_sums(struct execution *x, struct candidates *c,
		     const char *name, enum aggregate_kind kind)
{
	struct function *f;

	for (size_t i = 0; i < ARRAY_SIZE(summed); i++) {
		f = candidate_add(x, c, name, 1, type_native(summed[i]));
		if (!f)
			return;
		f->args[0] = f->result;
		f->aggregate = kind;
	}
}

static int add_from_json(struct execution *x, struct candidates *c,
			 const struct function_query *q, const char *name)
{
	struct function *f;

	if (!q->receiver)
		return refuse(x, "%s() cannot be used in the selection clause "
				 "of a SELECT statement", name);
	f = candidate_add(x, c, name, 1, q->receiver);
	if (!f)
		return -ENOMEM;
	f->args[0] = type_native(TYPE_TEXT);
	f->apply = apply_from_json;
	return 0;
}

/* Both arguments are vectors of floats; a literal's length is its dimension. */
static int add_similarity(struct execution *x, struct candidates *c,
			  const struct function_query *q, const char *name,
			  function_apply *apply)
{
	uint32_t dimensions[2] = { 0, 0 };
	const struct type *t;
	struct function *f;

	if (q->arg_count != 2)
		return refuse(x, "Invalid number of arguments in call to "
				 "function system.%s: 2 required but %u "
				 "provided", name, q->arg_count);
	for (uint32_t i = 0; i < 2; i++) {
		t = q->args[i].type ? q->args[i].type : NULL;
		if (!t && q->args[i].term->kind == TERM_HINT)
			t = argument_type(x, &q->args[i]);
		if (t && t->kind == TYPE_VECTOR &&
		    t->parts[0]->kind == TYPE_FLOAT)
			dimensions[i] = t->dimension;
		else if (!t && q->args[i].term->kind == TERM_LIST)
			dimensions[i] = q->args[i].term->item_count;
		else
			return refuse(x, "Function system.%s requires a float "
					 "vector argument, but found argument "
					 "%s", name,
				      text_of_term(x, q->args[i].term));
	}
	if (dimensions[0] != dimensions[1] || !dimensions[0])
		return refuse(x, "All arguments must have the same vector "
				 "dimensions");
	t = own_type(x, type_new_vector(type_native(TYPE_FLOAT),
					dimensions[0]));
	f = t ? candidate_add(x, c, name, 2, type_native(TYPE_FLOAT)) : NULL;
	if (!f)
		return -ENOMEM;
	f->args[0] = t;
	f->args[1] = t;
	f->apply = apply;
	return 0;
}

int generic_candidates(struct execution *x, struct candidates *c,
		       const struct function_query *q, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(generics); i++)
		if (!strcmp(name, generics[i].name) ||
		    (generics[i].alias && !strcmp(name, generics[i].alias)))
			return add_generic(x, c, q, name, i);
	if (!strcmp(name, "sum"))
		add_sums(x, c, name, AGGREGATE_SUM);
	else if (!strcmp(name, "avg"))
		add_sums(x, c, name, AGGREGATE_AVG);
	else if (!strcmp(name, "from_json") || !strcmp(name, "fromjson"))
		return add_from_json(x, c, q, name);
	for (i = 0; i < ARRAY_SIZE(similarities); i++)
		if (!strcmp(name, similarities[i].name))
			return add_similarity(x, c, q, name,
					      similarities[i].apply);
	return 0;
}

/* ------------------------------------------------------------------ JSON */
static int apply_to_json(struct execution *x, const struct function *f,
			 const struct bytes *args, bool *is_null)
{
	enum type_kind kind = f->args[0]->kind;

	*is_null = false;
	/* An empty value that is no value of its type is none. */
	if (!args[0].len && kind < TYPE_NATIVE_COUNT && kind != TYPE_TEXT &&
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

/* The elements, gathered as by the aggregate of that name. */
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

static int apply_extreme(struct execution *x, const struct function *f,
			 const struct bytes *args, bool *is_null)
{
	return gather(x, f, args[0], strcmp(f->name, "collection_min") ?
					     AGGREGATE_MAX : AGGREGATE_MIN,
		      is_null);
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

static void put_float(struct buf *out, double d)
{
	float f = (float)d;
	uint32_t bits;

	memcpy(&bits, &f, 4);
	buf_add_be32(out, bits);
}

struct products {
	double dot, a, b, distance;
};

static struct products products(const struct function *f,
				const struct bytes *args)
{
	struct products p = { 0 };

	for (uint32_t i = 0; i < f->args[0]->dimension; i++) {
		double a = float_at(args[0], i), b = float_at(args[1], i);

		p.dot += a * b;
		p.a += a * a;
		p.b += b * b;
		p.distance += (a - b) * (a - b);
	}
	return p;
}

static int apply_cosine(struct execution *x, const struct function *f,
			const struct bytes *args, bool *is_null)
{
	struct products p = products(f, args);

	*is_null = false;
	if (p.a == 0 || p.b == 0)
		return refuse(x, "Function system.%s doesn't support all-zero "
				 "vectors.", f->name);
	put_float(&x->scratch, (1 + p.dot / sqrt(p.a * p.b)) / 2);
	return 0;
}

static int apply_euclidean(struct execution *x, const struct function *f,
			   const struct bytes *args, bool *is_null)
{
	*is_null = false;
	put_float(&x->scratch, 1 / (1 + products(f, args).distance));
	return 0;
}

static int apply_dot(struct execution *x, const struct function *f,
		     const struct bytes *args, bool *is_null)
{
	*is_null = false;
	put_float(&x->scratch, (1 + products(f, args).dot) / 2);
	return 0;
}
