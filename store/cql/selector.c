/*
 * Selectors from terms. What is written decides the type: columns, functions
 * and hints have one; a bare literal has none, and is taken only where an
 * argument or a constructor expects a type.
 */
#include "store/cql/selector.h"

#include <errno.h>
#include <string.h>

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

static int prepare(struct execution *x, struct selectors *s,
		   struct expression **out, const struct term *t,
		   const struct type *expected);

static struct expression *expression_new(struct execution *x,
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

struct expression *selector_column(struct execution *x, struct selectors *s,
				   const struct column *c)
{
	struct expression *e = expression_new(x, EXPRESSION_COLUMN, c->type, 0);

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

/* Without columns, calls and operations: a value once its type is known. */
static bool is_literal(const struct term *t)
{
	switch (t->kind) {
	case TERM_CONSTANT:
	case TERM_NULL:
	case TERM_MARKER:
		return true;
	case TERM_HINT:
		return is_literal(t->left);
	case TERM_LIST:
	case TERM_SET:
	case TERM_MAP:
	case TERM_TUPLE:
	case TERM_USER:
		for (uint32_t i = 0; i < t->item_count; i++)
			if (!is_literal(t->items[i]))
				return false;
		return true;
	default:
		return false;
	}
}

static int refuse_untyped(struct execution *x, const struct term *t)
{
	return refuse_at(x, t->span,
			 refuse(x, "Cannot infer type for term %s in selection "
				   "clause (try using a cast to force a type)",
				text_of_term(x, t)));
}

static int literal(struct execution *x, struct expression **out,
		   const struct term *t, const struct type *type)
{
	struct receiver r = { .type = type, .name = "[selection]" };
	struct expression *e = expression_new(x, EXPRESSION_VALUE, type, 0);

	if (!e)
		return -ENOMEM;
	e->name = text_of_term(x, t);
	*out = e;
	return term_value(x, &e->value, t, &r);
}

/* ---------------------------------------------------- calls and operations */
/* The name of a part in its whole: parentheses stay. */
static const char *part_name(struct execution *x, const struct expression *e,
			     const struct term *t)
{
	if (t->kind == TERM_TUPLE && t->item_count == 1)
		return arena_format(x->arena, "(%s)",
				    part_name(x, e, t->items[0]));
	return e->name;
}

/*
 * The arguments of a call, before it is known which function is meant: what has
 * a type by itself is prepared, literals wait for the signature.
 */
static int prepare_arguments(struct execution *x, struct selectors *s,
			     struct term *const *terms, uint32_t count,
			     struct argument *args, struct expression **made)
{
	const struct term *inner;
	int err;

	for (uint32_t i = 0; i < count; i++) {
		args[i].term = terms[i];
		args[i].selected = true;
		for (inner = terms[i]; inner->kind == TERM_TUPLE &&
				       inner->item_count == 1;)
			inner = inner->items[0];
		if (inner->kind == TERM_HINT && is_literal(inner)) {
			err = prepare(x, s, &made[i], inner, NULL);
		} else if (is_literal(inner) || inner->kind == TERM_MAP ||
			   inner->kind == TERM_USER) {
			continue;
		} else {
			err = prepare(x, s, &made[i], inner, NULL);
		}
		if (err)
			return err;
		args[i].type = made[i]->type;
		/* A cast that changes nothing is one in messages all the same. */
		args[i].text = terms[i]->kind == TERM_CAST ?
				       NULL : part_name(x, made[i], terms[i]);
		args[i].reversed = made[i]->reversed;
	}
	return 0;
}

static const char *call_name(struct execution *x, const struct expression *e,
			     const struct argument *args)
{
	const struct function *f = e->function;
	struct buf name = BUF_INIT;

	if (f->apply == function_cast)
		buf_add_format(&name, "cast(%s as %s)", e->args[0]->name,
			       type_kind_name(f->result->kind));
	else if (f->op == '~')
		buf_add_format(&name, "-%s", part_name(x, e->args[0],
						       args[0].term));
	else if (f->op)
		buf_add_format(&name, "%s %c %s",
			       part_name(x, e->args[0], args[0].term), f->op,
			       part_name(x, e->args[1], args[1].term));
	else {
		buf_add_format(&name, "system.%s(", f->name);
		for (uint32_t i = 0; i < e->arg_count; i++)
			buf_add_format(&name, "%s%s", i ? ", " : "",
				       part_name(x, e->args[i], args[i].term));
		buf_add_byte(&name, ')');
	}
	return text_of_buf(x, &name);
}

static int add_aggregate(struct execution *x, struct selectors *s,
			 struct expression *e)
{
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

/* f(args): the literals get the types of the signature. */
static int finish_call(struct execution *x, struct selectors *s,
		       struct expression **out, const struct function *f,
		       const struct argument *args, struct expression **made)
{
	struct expression *e = expression_new(x, EXPRESSION_CALL, f->result,
					      f->arg_count);
	int err;

	if (!e)
		return -ENOMEM;
	e->function = f;
	for (uint32_t i = 0; i < f->arg_count; i++) {
		if (!made[i]) {
			const struct term *inner = args[i].term;

			while (inner->kind == TERM_TUPLE &&
			       inner->item_count == 1 &&
			       f->args[i]->kind != TYPE_TUPLE)
				inner = inner->items[0];
			err = prepare(x, s, &made[i], inner, f->args[i]);
			if (err)
				return err;
		}
		e->args[i] = made[i];
		e->aggregates |= made[i]->aggregates;
	}
	e->name = call_name(x, e, args);
	*out = e;
	if (!f->aggregate)
		return 0;
	if (e->aggregates)
		return refuse(x, "aggregate functions cannot be used as "
				 "arguments of aggregate functions");
	return add_aggregate(x, s, e);
}

static int count_rows(struct execution *x, struct selectors *s,
		      struct expression **out)
{
	static const struct function count = {
		.name = "count", .aggregate = AGGREGATE_COUNT_ROWS,
	};
	struct expression *e = expression_new(x, EXPRESSION_AGGREGATE,
					      type_native(TYPE_BIGINT), 0);

	if (!e)
		return -ENOMEM;
	e->function = &count;
	e->name = "count";
	*out = e;
	return add_aggregate(x, s, e);
}

static int call(struct execution *x, struct selectors *s,
		struct expression **out, const struct term *t)
{
	struct argument *args = arena_zalloc(x->arena, t->item_count,
					     sizeof(*args));
	struct expression **made = arena_zalloc(x->arena, t->item_count,
						sizeof(*made));
	struct function_query q = {
		.keyspace = t->keyspace.text, .name = t->name.text,
		.args = args, .arg_count = t->item_count,
	};
	const struct function *f;
	int err;

	if (!args || !made)
		return -ENOMEM;
	if (bytes_equal(q.name, bytes_str("count")) && t->item_count == 1 &&
	    is_literal(t->items[0]) && t->items[0]->kind == TERM_CONSTANT)
		return count_rows(x, s, out);
	err = prepare_arguments(x, s, t->items, t->item_count, args, made);
	if (!err)
		err = function_resolve(x, &f, &q);
	if (err)
		return err;
	if (!f)
		return refuse(x, "Unknown function '%s%s%s'",
			      q.keyspace.ptr ? text_of(x, q.keyspace) : "",
			      q.keyspace.ptr ? "." : "", text_of(x, q.name));
	return finish_call(x, s, out, f, args, made);
}

static int operation(struct execution *x, struct selectors *s,
		     struct expression **out, const struct term *t)
{
	struct term *terms[2] = { t->left, t->right };
	uint32_t count = t->kind == TERM_BINARY ? 2 : 1;
	struct argument args[2] = { 0 };
	struct expression *made[2] = { NULL, NULL };
	const struct function *f;
	int err = prepare_arguments(x, s, terms, count, args, made);

	if (!err)
		err = operation_resolve(x, &f, count == 2 ? t->op : '~', args,
					count, NULL);
	return err ? err : finish_call(x, s, out, f, args, made);
}

static int cast(struct execution *x, struct selectors *s,
		struct expression **out, const struct term *t)
{
	struct argument arg = { .term = t->left };
	struct expression *of, *e;
	const struct function *f = NULL;
	enum type_kind target = t->type->native;
	int err = prepare(x, s, &of, t->left, NULL);

	if (err)
		return err;
	*out = of;
	/* A column with DESC is not of its own type there: its cast is one. */
	if (of->type->kind == target && !of->reversed)
		return 0;
	arg.type = of->type;
	if (!t->type->varchar)
		err = cast_resolve(x, &f, target, &arg);
	if (err)
		return err;
	if (!f)
		return refuse(x, "%s cannot be cast to %s",
			      text_of_term(x, t->left),
			      t->type->varchar ? "varchar" :
						       type_kind_name(target));
	e = expression_new(x, EXPRESSION_CALL, f->result, 1);
	if (!e)
		return -ENOMEM;
	e->function = f;
	e->args[0] = of;
	e->aggregates = of->aggregates;
	e->name = arena_format(x->arena, "cast(%s as %s)", of->name,
			       type_kind_name(target));
	*out = e;
	return e->name ? 0 : -ENOMEM;
}

static int hint(struct execution *x, struct selectors *s,
		struct expression **out, const struct term *t)
{
	const struct type *type;
	struct expression *e;
	struct buf name = BUF_INIT;
	int err = resolve_type(x, &type, t->type,
			       bytes_str(s->table->keyspace));

	if (err)
		return err;
	if (is_literal(t->left) && !term_assignable(x, t->left, type))
		return refuse(x, "Cannot assign value %s to %s of type %s",
			      text_of_term(x, t), text_of_term(x, t),
			      text_of_type(x, type));
	err = prepare(x, s, &e, t->left, type);
	if (err)
		return err;
	/* What a hint names is frozen: no column that is not is of that type. */
	if (!type_assignable(e->type, type) ||
	    (e->kind == EXPRESSION_COLUMN && type_is_multicell(e->type)))
		return refuse(x, "Cannot assign value %s to %s of type %s%s%s",
			      text_of_term(x, t), text_of_term(x, t),
			      type_is_multicell(type) ? "frozen<" : "",
			      text_of_type(x, type),
			      type_is_multicell(type) ? ">" : "");
	buf_add_byte(&name, '(');
	if (type->kind == TYPE_UDT)
		buf_add_format(&name, type->frozen ? "frozen<%s.%s>" : "%s.%s",
			       type->keyspace, type->name);
	else
		type_name_print(&name, t->type);
	/* A tuple of one item has its parentheses in its name. */
	buf_add_format(&name, ")%s", type->kind == TYPE_TUPLE ?
				     e->name : part_name(x, e, t->left));
	*out = arena_alloc(x->arena, sizeof(*e));
	if (!*out) {
		buf_release(&name);
		return -ENOMEM;
	}
	**out = *e;
	(*out)->type = type;
	(*out)->reversed = false;
	(*out)->name = text_of_buf(x, &name);
	return 0;
}

/* ------------------------------------------------------------ constructors */
static const struct type *first_type(struct execution *x, struct selectors *s,
				     const struct term *t, uint32_t i,
				     int *err)
{
	struct expression *e;

	if (is_literal(t->items[i]) && t->items[i]->kind != TERM_HINT)
		return NULL;
	*err = prepare(x, s, &e, t->items[i], NULL);
	return *err ? NULL : e->type;
}

/* The type that a constructor has by itself: from its first typed item; of a
 * tuple all items need one. NULL: none. */
static const struct type *constructed_type(struct execution *x,
					   struct selectors *s,
					   const struct term *t, int *err)
{
	struct type **parts = arena_zalloc(x->arena, t->item_count,
					   sizeof(*parts));
	const struct type *found = NULL;
	bool tuple = t->kind == TERM_TUPLE;
	uint32_t i, count = 0;

	*err = parts ? 0 : -ENOMEM;
	if (tuple && t->item_count < 2)
		return NULL;
	for (i = 0; i < t->item_count && !*err && (tuple || !found); i++) {
		found = first_type(x, s, t, i, err);
		if (found)
			parts[count++] = type_frozen((struct type *)found);
		else if (tuple)
			break;
	}
	if (*err || (tuple ? count != t->item_count || count < 2 : !found)) {
		while (count)
			type_put(parts[--count]);
		return NULL;
	}
	return own_type(x, type_new(tuple		  ? TYPE_TUPLE :
				    t->kind == TERM_LIST ? TYPE_LIST :
							   TYPE_SET,
				    false, parts, count));
}

static bool constructs(const struct term *t, const struct type *type)
{
	switch (t->kind) {
	case TERM_LIST:
		return type->kind == TYPE_LIST ||
		       (type->kind == TYPE_VECTOR &&
			type->dimension == t->item_count);
	case TERM_SET:
		return type->kind == TYPE_SET;
	case TERM_TUPLE:
		return type->kind == TYPE_TUPLE &&
		       t->item_count <= type->part_count;
	default:
		return type->kind == TYPE_MAP || type->kind == TYPE_UDT;
	}
}

/* {f: v} of a user type; the parser gives a map whose keys are columns where
 * it cannot know. */
static int construct_user(struct execution *x, struct selectors *s,
			  struct expression **out, const struct term *t,
			  const struct type *type)
{
	struct expression *e = expression_new(x, EXPRESSION_BUILD, type,
					      type->part_count);
	uint32_t step = t->kind == TERM_MAP ? 2 : 1;
	struct bytes name;
	int field, err;

	if (!e)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->item_count; i += step) {
		name = step == 1 ? t->names[i].text : t->items[i]->name.text;
		if (step == 2 && t->items[i]->kind != TERM_COLUMN)
			return refuse_untyped(x, t);
		field = user_field(type, name);
		if (field < 0)
			return refuse(x, "Unknown field '%s' in value of user "
					 "defined type %s", text_of(x, name),
				      type->name);
		err = prepare(x, s, &e->args[field], t->items[i + step - 1],
			      type->parts[field]);
		if (err)
			return err;
		e->aggregates |= e->args[field]->aggregates;
	}
	e->name = text_of_term(x, t);
	*out = e;
	return 0;
}

static int construct(struct execution *x, struct selectors *s,
		     struct expression **out, const struct term *t,
		     const struct type *expected)
{
	const struct type *type = expected, *part;
	struct expression *e;
	int err = 0;

	if (!type && (t->kind == TERM_LIST || t->kind == TERM_SET ||
		      t->kind == TERM_TUPLE))
		type = constructed_type(x, s, t, &err);
	if (err)
		return err;
	if (!type || !constructs(t, type))
		return refuse_untyped(x, t);
	if (type->kind == TYPE_UDT)
		return construct_user(x, s, out, t, type);
	e = expression_new(x, EXPRESSION_BUILD, type, t->item_count);
	if (!e)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->item_count; i++) {
		part = type->parts[type->kind == TYPE_TUPLE ? i :
				   type->kind == TYPE_MAP   ? i % 2 : 0];
		err = prepare(x, s, &e->args[i], t->items[i], part);
		if (err)
			return err;
		if (!type_assignable(e->args[i]->type, part))
			return refuse_untyped(x, t);
		e->aggregates |= e->args[i]->aggregates;
	}
	e->name = text_of_term(x, t);
	*out = e;
	return 0;
}

/* ----------------------------------------------------------- parts of values */
static int field(struct execution *x, struct selectors *s,
		 struct expression **out, const struct term *t)
{
	struct expression *of, *e;
	int number, err = prepare(x, s, &of, t->left, NULL);

	if (err)
		return err;
	if (of->type->kind != TYPE_UDT)
		return refuse(x, "Invalid field selection: %s of type %s is "
				 "not a user type", text_of_term(x, t->left),
			      text_of_type(x, of->type));
	number = user_field(of->type, t->name.text);
	if (number < 0)
		return refuse(x, "%s of type %s has no field %s",
			      text_of_term(x, t->left),
			      text_of_type(x, of->type),
			      text_of(x, t->name.text));
	e = expression_new(x, EXPRESSION_FIELD, of->type->parts[number], 1);
	if (!e)
		return -ENOMEM;
	e->args[0] = of;
	e->aggregates = of->aggregates;
	e->index = (uint32_t)number;
	e->name = arena_format(x->arena, "%s.%s", of->name,
			       of->type->field_names[number]);
	*out = e;
	return e->name ? 0 : -ENOMEM;
}

/* The key in c[key]: of the key type of a map, of a set's elements. */
static int part_key(struct execution *x, struct bytes *key,
		    const struct term *t, const struct expression *of)
{
	struct receiver whole = { .type = of->type, .name = of->name };
	struct receiver r = receiver_part(&whole,
					  of->type->kind == TYPE_MAP ?
						  RECEIVER_KEY :
						  RECEIVER_VALUE,
					  of->type->parts[0]);

	return t ? term_value(x, key, t, &r) : 0;
}

static int element(struct execution *x, struct selectors *s,
		   struct expression **out, const struct term *t)
{
	bool slice = t->kind == TERM_SLICE;
	const char *word = slice ? "Slice" : "Element";
	struct expression *of, *e;
	int err = prepare(x, s, &of, t->left, NULL);

	if (err)
		return err;
	if (!type_is_collection(of->type))
		return refuse(x, "Invalid %s selection: %s is of type %s is "
				 "not a collection",
			      slice ? "slice" : "element",
			      text_of_term(x, t->left),
			      text_of_type(x, of->type));
	if (of->type->kind == TYPE_LIST)
		return refuse(x, "%s selection is only allowed on sets and "
				 "maps, but %s is a list", word,
			      text_of_term(x, t->left));
	e = expression_new(x, slice ? EXPRESSION_SLICE : EXPRESSION_ELEMENT,
			   slice ? of->type :
				   of->type->parts[of->type->part_count - 1],
			   1);
	if (!e)
		return -ENOMEM;
	e->args[0] = of;
	e->aggregates = of->aggregates;
	e->name = text_of_term(x, t);
	*out = e;
	err = part_key(x, &e->from, t->right, of);
	return err || !slice ? err : part_key(x, &e->to, t->to, of);
}

static int meta(struct execution *x, struct selectors *s,
		struct expression **out, const struct term *t)
{
	static const char *const words[] = {
		[TERM_WRITETIME] = "writetime",
		[TERM_MAXWRITETIME] = "maxwritetime", [TERM_TTL] = "ttl",
	};
	struct expression *of, *column, *e;
	struct type *part;
	bool many;
	int err = prepare(x, s, &of, t->left, NULL);

	if (err)
		return err;
	for (column = of; column->kind != EXPRESSION_COLUMN && column->args[0];)
		column = column->args[0];
	if (column->kind != EXPRESSION_COLUMN)
		return refuse(x, "%s needs a column", words[t->kind]);
	if (column->column->kind == COLUMN_PARTITION_KEY ||
	    column->column->kind == COLUMN_CLUSTERING)
		return refuse(x, "Cannot use selection function %s on PRIMARY "
				 "KEY part %s", words[t->kind], column->name);
	many = type_is_multicell(column->type);
	part = type_native(t->kind == TERM_TTL ? TYPE_INT : TYPE_BIGINT);
	e = expression_new(x, EXPRESSION_META, part,
			   many || of == column ? 0 : 1);
	if (!e)
		return -ENOMEM;
	if (e->arg_count)
		e->args[0] = of;
	e->column = column->column;
	e->meta = t->kind;
	e->meta_part = many ? t->left->kind : TERM_COLUMN;
	e->from = of->from;
	e->to = of->to;
	e->index = of->index;
	if (many && t->kind != TERM_MAXWRITETIME &&
	    (t->left->kind == TERM_COLUMN || t->left->kind == TERM_SLICE))
		e->type = own_type(x, type_new(TYPE_LIST, false, &part, 1));
	e->name = arena_format(x->arena, "%s(%s)", words[t->kind], of->name);
	*out = e;
	return e->name && e->type ? 0 : -ENOMEM;
}

static int prepare(struct execution *x, struct selectors *s,
		   struct expression **out, const struct term *t,
		   const struct type *expected)
{
	const struct column *c;
	int err;

	if (is_literal(t) && t->kind != TERM_HINT && expected)
		return literal(x, out, t, expected);
	switch (t->kind) {
	case TERM_COLUMN:
		err = resolve_column(x, &c, s->table, &t->name);
		if (err)
			return err;
		*out = selector_column(x, s, c);
		return *out ? 0 : -ENOMEM;
	case TERM_CALL:
		return call(x, s, out, t);
	case TERM_COUNT_ROWS:
		return count_rows(x, s, out);
	case TERM_BINARY:
	case TERM_NEGATE:
		return operation(x, s, out, t);
	case TERM_CAST:
		return cast(x, s, out, t);
	case TERM_HINT:
		return hint(x, s, out, t);
	case TERM_FIELD:
		return field(x, s, out, t);
	case TERM_ELEMENT:
	case TERM_SLICE:
		return element(x, s, out, t);
	case TERM_WRITETIME:
	case TERM_MAXWRITETIME:
	case TERM_TTL:
		return meta(x, s, out, t);
	case TERM_CONSTANT:
	case TERM_NULL:
	case TERM_MARKER:
		return refuse_untyped(x, t);
	case TERM_TUPLE:
		if (t->item_count == 1 && expected &&
		    expected->kind != TYPE_TUPLE)
			return prepare(x, s, out, t->items[0], expected);
		/* fall through */
	default:
		return construct(x, s, out, t, expected);
	}
}

int selector_prepare(struct execution *x, struct selectors *s,
		     struct expression **out, const struct term *t)
{
	return refuse_at(x, t->span, prepare(x, s, out, t, NULL));
}
