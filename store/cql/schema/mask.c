/*
 * MASKED WITH: find the function that masks a column, and the values of its
 * arguments. The column is the first of them and is known by its type alone.
 */
#include "store/cql/schema/mask.h"

#include <errno.h>
#include <string.h>

#include "store/cql/expression/function.h"
#include "store/cql/expression/overload.h"
#include "store/cql/expression/type_resolve.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"
#include "store/schema/mask.h"

int mask_refuse(struct ddl *d)
{
	return refuse(d->x, "Cannot mask columns because dynamic data masking "
			    "is not enabled. You can enable it with the "
			    "dynamic_data_masking_enabled property on "
			    "cassandra.yaml");
}

/* Print "f(1, 'a')": without the quotes that a name may need. */
static const char *text_of_mask(struct execution *x, const struct term *call)
{
	struct buf text = BUF_INIT;

	if (identifier_is_given(&call->keyspace)) {
		buf_add_bytes(&text, call->keyspace.text);
		buf_add_byte(&text, '.');
	}
	buf_add_bytes(&text, call->name.text);
	buf_add_byte(&text, '(');
	for (uint32_t i = 0; i < call->item_count; i++) {
		buf_add_str(&text, i ? ", " : "");
		ast_print_term(&text, call->items[i]);
	}
	buf_add_byte(&text, ')');
	return text_of_buf(x, &text);
}

static int find_function(struct execution *x, const struct function **out,
			 const struct term *call, const struct type *type)
{
	struct function_query q = {
		.keyspace = call->keyspace.text, .name = call->name.text,
		.arg_count = call->item_count + 1, .receiver = type,
	};
	struct argument *args = arena_zalloc(x->arena, q.arg_count,
					     sizeof(*args));

	if (!args)
		return -ENOMEM;
	args[0].type = type;
	args[0].text = type_text_of_class(x, type);
	for (uint32_t i = 0; i < call->item_count; i++)
		args[i + 1].term = call->items[i];
	q.args = args;
	return function_resolve(x, out, &q);
}

static int check_function(struct execution *x, const struct function *f,
			  const struct column_definition *c,
			  const struct type *type)
{
	const char *text = text_of_mask(x, c->mask);
	const char *name = text_of(x, c->name.text);

	if (!f)
		return refuse(x, "Unable to find masking function for %s, no "
				 "declared function matches the signature %s",
			      name, text);
	if (f->aggregate)
		return refuse(x, "Aggregate function %s cannot be used for "
				 "masking table columns", text);
	if (strncmp(f->name, "mask_", 5))
		return refuse(x, "Not-masking function %s cannot be used for "
				 "masking table columns", text);
	if (!type_equal(f->result, type))
		return refuse(x, "Masking function %s return type is %s. This "
				 "is different to the type of the masked column "
				 "%s of type %s. Masking functions can only be "
				 "attached to table columns if they return the "
				 "same data type as the masked column.",
			      text, text_of_type(x, f->result), name,
			      text_of_type(x, type));
	return 0;
}

static int set_argument(struct execution *x, struct mask_argument *a,
			const struct term *t, const struct type *type)
{
	struct receiver r = { .type = type, .name = "(dummy)" };
	struct bytes value;
	int err = term_value(x, &value, t, &r);

	if (!err)
		err = refuse_markers(x);
	return err ? err : mask_set_value(a, value);
}

static int set_arguments(struct execution *x, struct column_mask *m,
			 const struct function *f, const struct term *call)
{
	int err = 0;

	for (uint32_t i = 0; i < m->argument_count && !err; i++) {
		const struct type *of = f->args[i + 1];
		struct mask_argument *a = &m->arguments[i];

		a->of_column = !kind_is_native(of->kind);
		a->kind = of->kind;
		err = set_argument(x, a, call->items[i], of);
	}
	return err;
}

int mask_prepare(struct ddl *d, struct column_mask **out, const struct table *t,
		 const struct column_definition *c, const struct type *type)
{
	const struct function *f;
	struct execution *x = d->x;
	int err;

	*out = NULL;
	x->table = t;
	err = find_function(x, &f, c->mask, type);
	if (!err)
		err = check_function(x, f, c, type);
	if (!err)
		*out = mask_new(f->name, c->mask->item_count);
	if (!err)
		err = *out ? set_arguments(x, *out, f, c->mask) : -ENOMEM;
	if (err) {
		mask_put(*out);
		*out = NULL;
	}
	return refuse_at(x, c->mask->span, err);
}
