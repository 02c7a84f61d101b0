#include "store/cql/expression/selectable.h"

#include <errno.h>
#include <string.h>

#include "store/cql/expression/type_resolve.h"
#include "store/cql/expression/assignability.h"
#include "store/cql/expression/function_operation.h"
#include "store/cql/expression/overload.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"

static struct selectable *selectable_new(struct execution *x,
					 const struct term *t, uint32_t parts)
{
	struct selectable *s = arena_zalloc(x->arena, 1, sizeof(*s));

	if (!s)
		return NULL;
	s->term = t;
	s->part_count = parts;
	s->parts = arena_zalloc(x->arena, parts ? parts : 1, sizeof(*s->parts));
	return s->parts ? s : NULL;
}

/* True if item i of a map is a column's name that may be one of a user type's
 * field. selectable_prepare leaves it alone, selectable_prepare_keys does
 * not. */
static bool may_be_field(const struct term *t, uint32_t i)
{
	return t->kind == TERM_MAP && i % 2 == 0 &&
	       t->items[i]->kind == TERM_COLUMN;
}

static bool constructs(const struct term *t)
{
	return t->kind == TERM_LIST || t->kind == TERM_SET ||
	       t->kind == TERM_MAP || t->kind == TERM_TUPLE;
}

/* ------------------------------------------------------ calls, operations */
static const struct column *column_of(const struct selectable *s)
{
	return s->term->kind == TERM_COLUMN ? s->column : NULL;
}

static struct argument *arguments(struct execution *x,
				  struct selectable *const *parts,
				  uint32_t count)
{
	struct argument *args = arena_zalloc(x->arena, count, sizeof(*args));

	for (uint32_t i = 0; i < count && args; i++) {
		args[i].term = parts[i]->term;
		/* The common type of the items counts, not only that of the
		 * first. */
		args[i].type = constructs(parts[i]->term) ? NULL :
							    parts[i]->exact;
		args[i].selectable = parts[i];
		args[i].reversed = column_of(parts[i]) &&
				   column_of(parts[i])->reversed;
	}
	return args;
}

/* True if count(1) counts rows: of a constant only null would matter. */
static bool counts_rows(const struct term *t)
{
	return t->kind == TERM_COUNT_ROWS ||
	       (bytes_equal(t->name.text, bytes_str("count")) &&
		t->item_count == 1 && t->items[0]->kind == TERM_CONSTANT);
}

static int call(struct execution *x, struct selectable *s)
{
	static const struct function count = {
		.name = "count", .aggregate = AGGREGATE_COUNT_ROWS,
	};
	const struct term *t = s->term;
	struct function_query q = {
		.keyspace = t->keyspace.text, .name = t->name.text,
		.arg_count = s->part_count,
	};
	int err;

	if (counts_rows(t)) {
		s->function = &count;
		s->exact = type_native(TYPE_BIGINT);
		s->part_count = 0;
		return 0;
	}
	q.args = arguments(x, s->parts, s->part_count);
	if (!q.args)
		return -ENOMEM;
	err = function_resolve(x, &s->function, &q);
	if (err)
		return err;
	if (!s->function)
		return refuse(x, "Unknown function '%s%s%s'",
			      q.keyspace.ptr ? text_of(x, q.keyspace) : "",
			      q.keyspace.ptr ? "." : "", text_of(x, q.name));
	s->exact = s->function->result;
	return 0;
}

static int operation(struct execution *x, struct selectable *s)
{
	const struct argument *args = arguments(x, s->parts, s->part_count);
	int err = !args ? -ENOMEM : s->part_count == 2 ?
		operation_resolve(x, &s->function, s->term->op, args, NULL) :
		function_resolve_negation(x, &s->function, args, NULL);

	if (!err)
		s->exact = s->function->result;
	return err;
}

/* -------------------------------------------------------------- other kinds */
static int hint(struct execution *x, struct selectable *s,
		const struct table *table)
{
	const struct type *type;
	int err = type_resolve_owned(x, &type, s->term->type,
			       bytes_str(table->keyspace));

	if (err)
		return err;
	s->exact = execution_own_type(x, type_frozen((struct type *)type));
	return s->exact ? 0 : -ENOMEM;
}

static void field(struct selectable *s)
{
	const struct type *of = s->parts[0]->exact;
	int number = of && of->kind == TYPE_UDT ?
			     assignable_user_field(of, s->term->name.text) : -1;

	s->exact = number < 0 ? NULL : of->parts[number];
}

static void element(struct selectable *s)
{
	const struct type *of = s->parts[0]->exact;

	if (of && type_is_collection(of))
		s->exact = s->term->kind == TERM_SLICE ?
				   of : of->parts[of->part_count - 1];
}

static int time_of(struct execution *x, struct selectable *s)
{
	struct type *one = type_native(s->term->kind == TERM_TTL ? TYPE_INT :
								   TYPE_BIGINT);
	const struct selectable *of;

	s->exact = one;
	if (!s->part_count)	/* of the row */
		return 0;
	of = s->parts[0];
	while (!column_of(of))
		of = of->parts[0];
	s->column = of->column;
	if (type_is_multicell(s->column->type) &&
	    s->term->kind != TERM_MAXWRITETIME &&
	    (s->parts[0] == of || s->parts[0]->term->kind == TERM_SLICE))
		s->exact = execution_own_type(x, type_new(TYPE_LIST, true,
							  &one, 1));
	return s->exact ? 0 : -ENOMEM;
}

/* Find the type that a constructor has by itself: from its first typed item; of
 * a tuple all items need one. With one item it may be brackets only. */
static int constructor(struct execution *x, struct selectable *s)
{
	bool tuple = s->term->kind == TERM_TUPLE;
	struct type **types = arena_zalloc(x->arena, s->part_count,
					   sizeof(*types));
	uint32_t count = 0;

	if (!types)
		return -ENOMEM;
	if (s->term->kind == TERM_MAP || (tuple && s->part_count == 1))
		return 0;
	for (uint32_t i = 0; i < s->part_count && (tuple || !count); i++) {
		struct type *exact = (struct type *)s->parts[i]->exact;

		if (exact)
			types[count++] = tuple ? type_frozen(exact) :
						 type_get(exact);
		else if (tuple)
			break;
	}
	if (!count || (tuple && count < s->part_count)) {
		while (count)
			type_put(types[--count]);
		return 0;
	}
	s->exact = execution_own_type(x, type_new(tuple ? TYPE_TUPLE :
						  s->term->kind == TERM_LIST ?
						  TYPE_LIST : TYPE_SET,
						  true, types, count));
	return s->exact ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- preparing */
static uint32_t parts_of(const struct term *t)
{
	return t->item_count ? t->item_count :
	       t->kind == TERM_BINARY ? 2 : t->left ? 1 : 0;
}

static int prepare_parts(struct execution *x, struct selectable *s,
			 const struct table *table)
{
	const struct term *t = s->term, *part;
	int err = 0;

	for (uint32_t i = 0; i < s->part_count && !err; i++) {
		part = t->item_count ? t->items[i] : i ? t->right : t->left;
		if (!may_be_field(t, i))
			err = selectable_prepare(x, &s->parts[i], table, part);
	}
	return err;
}

int selectable_prepare(struct execution *x, struct selectable **out,
		       const struct table *table, const struct term *t)
{
	struct selectable *s = selectable_new(x, t, parts_of(t));
	int err = s ? prepare_parts(x, s, table) : -ENOMEM;

	if (err)
		return err;
	*out = s;
	switch (t->kind) {
	case TERM_COLUMN:
		err = resolve_column(x, &s->column, table, &t->name);
		if (!err)
			s->exact = s->column->type;
		return err;
	case TERM_CALL:
	case TERM_COUNT_ROWS:
		return call(x, s);
	case TERM_BINARY:
	case TERM_NEGATE:
		return operation(x, s);
	case TERM_CAST:
		s->exact = type_native(t->type->native);
		return 0;
	case TERM_HINT:
		return hint(x, s, table);
	case TERM_FIELD:
		field(s);
		return 0;
	case TERM_ELEMENT:
	case TERM_SLICE:
		element(s);
		return 0;
	case TERM_WRITETIME:
	case TERM_MAXWRITETIME:
	case TERM_TTL:
		return time_of(x, s);
	default:
		return constructs(t) ? constructor(x, s) : 0;
	}
}

int selectable_prepare_keys(struct execution *x, const struct selectable *s,
			    const struct table *table)
{
	int err = 0;

	for (uint32_t i = 0; i < s->part_count && !err; i++)
		if (!s->parts[i])
			err = selectable_prepare(x, &s->parts[i], table,
						 s->term->items[i]);
	return err;
}

bool selectable_has(const struct selectable *s, unsigned kinds)
{
	bool of_row = !s->part_count && (s->term->kind == TERM_WRITETIME ||
					 s->term->kind == TERM_TTL);
	bool has = s->column ? kinds & 1u << s->column->kind :
			       of_row && (kinds & 1u << COLUMN_REGULAR);

	for (uint32_t i = 0; i < s->part_count && !has; i++)
		has = !may_be_field(s->term, i) &&
		      selectable_has(s->parts[i], kinds);
	return has;
}

/* -------------------------------------------------------------------- types */
const struct type *selectable_type(struct execution *x,
				   const struct selectable *s)
{
	const struct type **types, *common;
	enum term_kind kind = s->term->kind;

	if (kind == TERM_CONSTANT)
		return assignable_term_type(x, s->term);
	if (kind != TERM_LIST && kind != TERM_SET && kind != TERM_TUPLE)
		return s->exact;
	types = arena_zalloc(x->arena, s->part_count, sizeof(*types));
	if (!types || (kind == TERM_TUPLE && s->part_count == 1))
		return NULL;
	for (uint32_t i = 0; i < s->part_count; i++)
		types[i] = selectable_type(x, s->parts[i]);
	if (kind == TERM_TUPLE)
		return assignable_build_type(x, TYPE_TUPLE, types,
					     s->part_count);
	common = assignable_common_type(types, s->part_count);
	return assignable_build_type(x, kind == TERM_LIST ? TYPE_LIST :
				     TYPE_SET, &common, 1);
}

static enum assignable item_assignable(struct execution *x, const void *item,
				       const struct type *receiver)
{
	return selectable_assignable(x, item, receiver);
}

int selectable_field(struct execution *x, const struct selectable *s,
		     uint32_t i, const struct type *udt)
{
	struct bytes name;
	int number;

	if (!may_be_field(s->term, i))
		return refuse(x, "%s is not a valid field identifier of type "
				 "%s ", selectable_text(x, s->parts[i]),
			      udt->name);
	name = s->term->items[i]->name.text;
	number = assignable_user_field(udt, name);
	return number >= 0 ? number :
		refuse(x, "Unknown field '%s' in value of user defined type %s",
		       text_of(x, name), udt->name);
}

/* {f: v} for a user type: an unknown field is refused before others are
 * checked. */
static enum assignable fields_assignable(struct execution *x,
					 const struct selectable *s,
					 const struct type *receiver)
{
	int *numbers = arena_zalloc(x->arena, s->part_count, sizeof(*numbers));

	if (!numbers)
		return NOT_ASSIGNABLE;
	for (uint32_t i = 0; i < s->part_count; i += 2) {
		numbers[i] = selectable_field(x, s, i, receiver);
		if (numbers[i] < 0)
			return NOT_ASSIGNABLE;
	}
	for (uint32_t i = 0; i < s->part_count; i += 2)
		if (!selectable_assignable(x, s->parts[i + 1],
					   receiver->parts[numbers[i]]))
			return NOT_ASSIGNABLE;
	return WEAKLY_ASSIGNABLE;
}

enum assignable selectable_assignable(struct execution *x,
				      const struct selectable *s,
				      const struct type *receiver)
{
	const struct compound items = {
		.term = s->term, .items = (const void *const *)s->parts,
		.assignable = item_assignable,
	};

	switch (s->term->kind) {
	case TERM_CONSTANT:
	case TERM_NULL:
	case TERM_MARKER:
		return assignable_term(x, s->term, receiver);
	case TERM_MAP:
		if (receiver->kind == TYPE_UDT)
			return fields_assignable(x, s, receiver);
		if (selectable_prepare_keys(x, s, x->table))
			return NOT_ASSIGNABLE;
		/* fall through */
	case TERM_LIST:
	case TERM_SET:
		return assignable_compound(x, &items, receiver);
	case TERM_TUPLE:
		return assignable_tuple(x, &items, receiver,
					receiver->kind == TYPE_UDT &&
						s->part_count > 1);
	case TERM_HINT:
		return assignable_hint(s->exact, receiver);
	default:
		return s->exact ? assignable_type(s->exact, receiver) :
				  NOT_ASSIGNABLE;
	}
}

/* -------------------------------------------------------------------- texts */
const char *selectable_text_of_call(struct execution *x,
				    const struct function *f,
				    const char *const *args)
{
	struct buf text = BUF_INIT;

	if (f->aggregate == AGGREGATE_COUNT_ROWS)
		return f->name;
	if (f->apply == function_cast)
		return arena_format(x->arena, "cast(%s as %s)", args[0],
				    type_kind_name(f->result->kind));
	if (f->op == '~')
		return arena_format(x->arena, "-%s", args[0]);
	if (f->op)
		return arena_format(x->arena, "%s %c %s", args[0], f->op,
				    args[1]);
	buf_add_format(&text, "system.%s(", f->name);
	for (uint32_t i = 0; i < f->arg_count; i++)
		buf_add_format(&text, "%s%s", i ? ", " : "", args[i]);
	buf_add_byte(&text, ')');
	return text_of_buf(x, &text);
}

const char *selectable_text_of_items(struct execution *x, const struct term *t,
				     const char *const *items)
{
	static const char around[][2] = {
		[TERM_LIST] = { '[', ']' }, [TERM_SET] = { '{', '}' },
		[TERM_MAP] = { '{', '}' }, [TERM_TUPLE] = { '(', ')' },
	};
	struct buf text = BUF_INIT;

	buf_add_byte(&text, (uint8_t)around[t->kind][0]);
	for (uint32_t i = 0; i < t->item_count; i++) {
		if (i)
			buf_add_str(&text, t->kind == TERM_MAP && i % 2 ?
						   ": " : ", ");
		if (items[i])
			buf_add_str(&text, items[i]);
		else
			buf_add_bytes(&text, t->items[i]->name.text);
	}
	buf_add_byte(&text, (uint8_t)around[t->kind][1]);
	return text_of_buf(x, &text);
}

const char *selectable_text_of_hint(struct execution *x, const struct term *t,
				    const struct table *table, const char *of)
{
	return arena_format(x->arena, "(%s)%s",
			    type_text_of_name(x, t->type,
					      bytes_str(table->keyspace)), of);
}

/* Print the part after a selector: .f, [k], [a..b]. */
static const char *text_of_part(struct execution *x, const struct term *t,
				const char *of)
{
	struct term bare = *t;
	struct buf text = BUF_INIT;

	bare.left = NULL;
	buf_add_str(&text, of);
	ast_print_term(&text, &bare);
	return text_of_buf(x, &text);
}

const char *selectable_text(struct execution *x, const struct selectable *s)
{
	static const char *const times[] = {
		[TERM_WRITETIME] = "writetime",
		[TERM_MAXWRITETIME] = "maxwritetime", [TERM_TTL] = "ttl",
	};
	const char **parts = arena_zalloc(x->arena, s->part_count,
					  sizeof(*parts));

	if (!parts)
		return "";
	for (uint32_t i = 0; i < s->part_count; i++)
		parts[i] = s->parts[i] ? selectable_text(x, s->parts[i]) : NULL;
	if (s->function)
		return selectable_text_of_call(x, s->function, parts);
	switch (s->term->kind) {
	case TERM_CAST:
		return arena_format(x->arena, "cast(%s as %s)", parts[0],
				    s->term->type->varchar ? "varchar" :
				    type_kind_name(s->term->type->native));
	case TERM_HINT:
		return selectable_text_of_hint(x, s->term, x->table, parts[0]);
	case TERM_FIELD:
	case TERM_ELEMENT:
	case TERM_SLICE:
		return text_of_part(x, s->term, parts[0]);
	case TERM_WRITETIME:
	case TERM_MAXWRITETIME:
	case TERM_TTL:
		return arena_format(x->arena, "%s(%s)", times[s->term->kind],
				    s->part_count ? parts[0] : "*");
	case TERM_LIST:
	case TERM_SET:
	case TERM_MAP:
	case TERM_TUPLE:
		return selectable_text_of_items(x, s->term, parts);
	default:
		return text_of_term(x, s->term);
	}
}
