/*
 * Make selectors of selected items. The written form decides the type: columns,
 * functions and hints have one; a bare literal has none, and is accepted only
 * where an argument or a constructor expects a type.
 */
#include "store/cql/expression/selector.h"

#include <errno.h>
#include <string.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/expression/overload.h"
#include "store/cql/select/evaluate.h"
#include "store/cql/select/selector.h"
#include "store/cql/select/selector_part.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"

#define AGGREGATES_MAX 1024		/* in one statement */

int selectors_init(struct execution *x, struct selectors *s,
		   const struct table *t)
{
	memset(s, 0, sizeof(*s));
	s->table = t;
	x->table = t;
	s->selected = arena_zalloc(x->arena, t->column_count,
				   sizeof(*s->selected));
	s->found = arena_zalloc(x->arena, t->column_count, sizeof(*s->found));
	return s->selected && s->found ? 0 : -ENOMEM;
}

struct expression *selector_expression_new(struct execution *x,
					   enum expression_kind kind,
					   const struct type *type,
					   uint32_t arg_count)
{
	struct expression *e = arena_zalloc(x->arena, 1, sizeof(*e));

	if (!e)
		return NULL;
	e->kind = kind;
	e->type = type;
	e->arg_count = arg_count;
	e->args = arena_zalloc(x->arena, arg_count ? arg_count : 1,
			       sizeof(*e->args));
	return e->args ? e : NULL;
}

/* Set the type of part i of the value that e builds. Cassandra takes the bytes
 * of any other type; so do we, where they are a value. */
static void expect_part(struct expression *e, uint32_t i, const struct type *t)
{
	const struct type *is = e->args[i]->type;

	if (!type_equal_but_frozen(is, t) && !assignable_type(is, t))
		e->foreign = true;
}

struct expression *selector_column(struct execution *x, struct selectors *s,
				   const struct column *c)
{
	struct expression *e = selector_expression_new(x, EXPRESSION_COLUMN,
						       c->type, 0);

	if (!e)
		return NULL;
	e->column = c;
	e->name = c->name;
	e->reversed = c->reversed;
	if (!s->selected[c - s->table->columns])
		s->found[s->found_count++] = c;
	s->selected[c - s->table->columns] = true;
	if (c->kind == COLUMN_STATIC || c->kind == COLUMN_REGULAR)
		s->columns |= 1ull << (c->number & 63);
	return e;
}

/* Make all parts; types[i] is the type of part i, types NULL: none expected. */
static int make_parts(struct execution *x, struct selectors *s,
		      struct expression *e, const struct selectable *of,
		      const struct type *const *types)
{
	int err = 0;

	for (uint32_t i = 0; i < of->part_count && !err; i++) {
		err = selector_make_typed(x, s, &e->args[i], of->parts[i],
					  types ? types[i] : NULL);
		if (!err)
			e->aggregates |= e->args[i]->aggregates;
	}
	return err;
}

static const char **names_of(struct execution *x, const struct expression *e)
{
	const char **names = arena_zalloc(x->arena, e->arg_count,
					  sizeof(*names));

	for (uint32_t i = 0; i < e->arg_count && names; i++)
		names[i] = e->args[i] ? e->args[i]->name : NULL;
	return names;
}

static int refuse_untyped(struct execution *x, const struct selectable *of)
{
	return refuse_at(x, of->term->span,
			 refuse(x, "Cannot infer type for term %s in selection "
				   "clause (try using a cast to force a type)",
				selectable_text(x, of)));
}

static int literal(struct execution *x, struct expression **out,
		   const struct selectable *of, const struct type *type)
{
	struct receiver r = { .type = type, .name = "[selection]" };
	struct expression *e;

	if (!type)
		return refuse_untyped(x, of);
	e = selector_expression_new(x, EXPRESSION_VALUE, type, 0);
	if (!e)
		return -ENOMEM;
	e->name = text_of_term(x, of->term);
	*out = e;
	return term_value(x, &e->value, of->term, &r);
}

/* Make the same value under another name, or of a type with the same bytes. */
static int rename(struct execution *x, struct expression **out,
		  const struct expression *e, const struct type *type,
		  const char *name)
{
	*out = arena_alloc(x->arena, sizeof(**out));
	if (!*out || !name)
		return -ENOMEM;
	**out = *e;
	(*out)->type = type;
	(*out)->name = name;
	return 0;
}

/* ---------------------------------------------------- calls and operations */
static int add_aggregate(struct execution *x, struct selectors *s,
			 struct expression *e)
{
	if (e->aggregates)
		return refuse(x, "aggregate functions cannot be used as "
				 "arguments of aggregate functions");
	if (!s->aggregates)
		s->aggregates = arena_zalloc(x->arena, AGGREGATES_MAX,
					     sizeof(*s->aggregates));
	if (!s->aggregates)
		return -ENOMEM;
	if (s->aggregate_count == AGGREGATES_MAX)
		return refuse(x, "too many aggregates");
	e->kind = EXPRESSION_AGGREGATE;
	e->index = s->aggregate_count;
	e->aggregates = true;
	s->aggregates[s->aggregate_count++] = e;
	return 0;
}

/* Make f(args): the literals get the types of the signature. */
static int call(struct execution *x, struct selectors *s,
		struct expression **out, const struct selectable *of)
{
	const struct function *f = of->function;
	struct expression *e = selector_expression_new(x, EXPRESSION_CALL,
						       of->exact,
						       of->part_count);
	const char **names;
	int err = e ? make_parts(x, s, e, of, f->args) : -ENOMEM;

	if (err)
		return err;
	e->function = f;
	names = names_of(x, e);
	if (!names)
		return -ENOMEM;
	e->name = selectable_text_of_call(x, f, names);
	*out = e;
	return f->aggregate ? add_aggregate(x, s, e) : 0;
}

/* Refuse a cast. Cassandra names the first column that the statement
 * selects. */
static int refuse_cast(struct execution *x, const struct selectors *s,
		       const struct selectable *of)
{
	const struct type_name *type = of->term->type;

	return refuse(x, "%s cannot be cast to %s",
		      s->found_count ? s->found[0]->name :
				       selectable_text(x, of->parts[0]),
		      type->varchar ? "varchar" : type_kind_name(type->native));
}

static int cast(struct execution *x, struct selectors *s,
		struct expression **out, const struct selectable *of)
{
	struct argument arg = { .term = of->term->left,
				.selectable = of->parts[0] };
	enum type_kind target = of->term->type->native;
	const struct function *f = NULL;
	struct expression *e = selector_expression_new(x, EXPRESSION_CALL,
						       of->exact, 1);
	int err = e ? make_parts(x, s, e, of, NULL) : -ENOMEM;

	if (err)
		return err;
	*out = e->args[0];
	/* In Cassandra a column with DESC has another type: its cast is not
	 * left out. */
	if (e->args[0]->type->kind == target && !e->args[0]->reversed)
		return 0;
	arg.type = e->args[0]->type;
	if (!of->term->type->varchar)
		err = function_resolve_cast(x, &f, target, &arg);
	if (err)
		return err;
	if (!f)
		return refuse_cast(x, s, of);
	e->function = f;
	e->name = selectable_text_of_call(x, f, &e->args[0]->name);
	*out = e;
	return 0;
}

static int hint(struct execution *x, struct selectors *s,
		struct expression **out, const struct selectable *of)
{
	const char *text;
	struct expression *e;
	int err;

	if (!selectable_assignable(x, of->parts[0], of->exact)) {
		text = selectable_text(x, of);
		return refuse(x, "Cannot assign value %s to %s of type %s%s%s",
			      text, text, type_is_multicell(of->exact) ?
						  "frozen<" : "",
			      text_of_type(x, of->exact),
			      type_is_multicell(of->exact) ? ">" : "");
	}
	err = selector_make_typed(x, s, &e, of->parts[0], of->exact);
	if (!err)
		err = rename(x, out, e, of->exact,
			     selectable_text_of_hint(x, of->term, s->table,
						     e->name));
	if (!err)
		(*out)->reversed = false;
	return err;
}

/* ------------------------------------------------------------ constructors */
/* Make {f: v} of a user type. */
static int construct_user(struct execution *x, struct selectors *s,
			  struct expression **out, const struct selectable *of,
			  const struct type *type)
{
	struct expression *e = selector_expression_new(x, EXPRESSION_BUILD,
						       type, type->part_count);
	const char **names = arena_zalloc(x->arena, of->part_count,
					  sizeof(*names));
	int field, err;

	if (!e || !names)
		return -ENOMEM;
	for (uint32_t i = 0; i < of->part_count; i += 2) {
		field = selectable_field(x, of, i, type);
		if (field < 0)
			return field;
		err = selector_make_typed(x, s, &e->args[field],
					  of->parts[i + 1],
					  type->parts[field]);
		if (err)
			return err;
		expect_part(e, (uint32_t)field, type->parts[field]);
		e->aggregates |= e->args[field]->aggregates;
		names[i + 1] = e->args[field]->name;
	}
	e->name = selectable_text_of_items(x, of->term, names);
	*out = e;
	return 0;
}

/* Return the expected types of the items; NULL: the type has no such items. */
static const struct type **item_types(struct execution *x,
				      const struct selectable *of,
				      const struct type *type)
{
	const struct type **types = arena_zalloc(x->arena, of->part_count,
						 sizeof(*types));
	bool fields = type->kind == TYPE_TUPLE || type->kind == TYPE_UDT;
	bool suits = fields;

	switch (of->term->kind) {
	case TERM_LIST:
		suits = type->kind == TYPE_LIST ||
			(type->kind == TYPE_VECTOR &&
			 type->dimension == of->part_count);
		break;
	case TERM_SET:
		suits = type->kind == TYPE_SET ||
			(type->kind == TYPE_MAP && !of->part_count);
		break;
	case TERM_MAP:
		suits = type->kind == TYPE_MAP;
		break;
	default:
		break;
	}
	if (!suits || (fields && of->part_count > type->part_count))
		return NULL;
	for (uint32_t i = 0; i < of->part_count && types; i++)
		types[i] = type->parts[fields ? i :
				       type->kind == TYPE_MAP ? i % 2 : 0];
	return types;
}

/* Check the constructor against the type, whatever its items. */
static int check_constructed(struct execution *x, const struct selectable *of,
			     const struct type *type,
			     const struct type *expected)
{
	bool set = type->kind == TYPE_SET;
	bool list = of->term->kind == TERM_LIST && expected;

	/* Only the items of [] are not checked against the type here. */
	if (list && expected->kind != TYPE_LIST &&
	    expected->kind != TYPE_VECTOR)
		return refuse_untyped(x, of);
	if (list && expected->kind == TYPE_VECTOR &&
	    expected->dimension != of->part_count)
		return refuse(x, "Unable to create a vector selector of type "
				 "%s from %u elements",
			      text_of_type(x, expected), of->part_count);
	if ((set || type->kind == TYPE_MAP) &&
	    type->parts[0]->kind == TYPE_DURATION)
		return refuse(x, "Durations are not allowed %s: %s",
			      set ? "inside sets" : "as map keys",
			      text_of_type(x, type));
	return 0;
}

static int construct(struct execution *x, struct selectors *s,
		     struct expression **out, struct selectable *of,
		     const struct type *expected)
{
	const struct type *type = of->exact ? of->exact : expected;
	const struct type **types, **wanted;
	struct expression *e;
	const char **names;
	int err;

	if (!type)
		return refuse_untyped(x, of);
	if (of->term->kind == TERM_MAP && type->kind == TYPE_UDT)
		return construct_user(x, s, out, of, type);
	err = check_constructed(x, of, type, expected);
	if (!err)
		err = selectable_prepare_keys(x, of, s->table);
	if (err)
		return err;
	types = item_types(x, of, type);
	/* The surrounding constructor may expect another type. */
	wanted = expected ? item_types(x, of, expected) : NULL;
	if (wanted)
		type = expected;
	else
		wanted = types;
	if (!types)
		types = wanted;
	if (!types)
		return refuse_untyped(x, of);
	e = selector_expression_new(x, EXPRESSION_BUILD, type, of->part_count);
	err = e ? make_parts(x, s, e, of, types) : -ENOMEM;
	if (err)
		return err;
	for (uint32_t i = 0; i < of->part_count; i++)
		expect_part(e, i, wanted[i]);
	names = names_of(x, e);
	if (!names)
		return -ENOMEM;
	e->name = selectable_text_of_items(x, of->term, names);
	*out = e;
	return 0;
}

/* Make (x): brackets, unless a tuple is wanted. */
static int tuple(struct execution *x, struct selectors *s,
		 struct expression **out, struct selectable *of,
		 const struct type *expected)
{
	struct expression *e;
	int err;

	if (of->part_count > 1 || !expected || expected->kind == TYPE_TUPLE)
		return construct(x, s, out, of, expected);
	err = selector_make_typed(x, s, &e, of->parts[0], expected);
	return err ? err : rename(x, out, e, e->type,
				  arena_format(x->arena, "(%s)", e->name));
}

int selector_make_typed(struct execution *x, struct selectors *s,
			struct expression **out, struct selectable *of,
			const struct type *expected)
{
	if (of->function)
		return call(x, s, out, of);
	switch (of->term->kind) {
	case TERM_COLUMN:
		*out = selector_column(x, s, of->column);
		return *out ? 0 : -ENOMEM;
	case TERM_CAST:
		return cast(x, s, out, of);
	case TERM_HINT:
		return hint(x, s, out, of);
	case TERM_FIELD:
		return selector_field(x, s, out, of);
	case TERM_ELEMENT:
	case TERM_SLICE:
		return selector_element(x, s, out, of);
	case TERM_WRITETIME:
	case TERM_MAXWRITETIME:
	case TERM_TTL:
		return selector_time(x, s, out, of);
	case TERM_TUPLE:
		return tuple(x, s, out, of, expected);
	case TERM_LIST:
	case TERM_SET:
	case TERM_MAP:
		return construct(x, s, out, of, expected);
	default:
		return literal(x, out, of, expected);
	}
}

int selector_prepare(struct execution *x, struct selectors *s,
		     struct expression **out, const struct term *t)
{
	struct selectable *of;
	int err = selectable_prepare(x, &of, s->table, t);

	if (!err)
		err = selector_make(x, s, out, of);
	return refuse_at(x, t->span, err);
}

int selector_make(struct execution *x, struct selectors *s,
		  struct expression **out, struct selectable *of)
{
	return selector_make_typed(x, s, out, of, NULL);
}

/* True if it is made of constants only, without a call. */
static bool is_constant(const struct expression *e)
{
	bool constant = e->kind == EXPRESSION_VALUE ||
			e->kind == EXPRESSION_BUILD ||
			e->kind == EXPRESSION_FIELD ||
			e->kind == EXPRESSION_ELEMENT ||
			e->kind == EXPRESSION_SLICE;

	for (uint32_t i = 0; i < e->arg_count && constant; i++)
		constant = !e->args[i] || is_constant(e->args[i]);
	return constant;
}

static int make_constant(struct execution *x, struct expression *e)
{
	struct bytes value = BYTES_NULL;
	int err = evaluate_expression(x, e, NULL, NULL, &value);

	e->value = value;
	e->kind = EXPRESSION_VALUE;
	e->arg_count = 0;
	return err;
}

/* Compute a call of constants as a constant, so that it fails without rows. */
int selector_fold(struct execution *x, struct expression *e)
{
	bool constant = e->kind == EXPRESSION_CALL && e->arg_count;
	int err = selector_bind_part(x, e);

	for (uint32_t i = 0; i < e->arg_count && !err; i++) {
		if (!e->args[i])
			continue;
		err = selector_fold(x, e->args[i]);
		/* The arguments of a call are evaluated before there are
		 * rows. */
		if (!err && e->kind == EXPRESSION_CALL &&
		    is_constant(e->args[i]))
			err = make_constant(x, e->args[i]);
		constant = constant && e->args[i]->kind == EXPRESSION_VALUE;
	}
	return err || !constant ? err : make_constant(x, e);
}
