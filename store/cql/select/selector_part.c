/* Selectors of a part of a value, and of the time when a column or part was
 * written. */
#include "store/cql/expression/assignability.h"
#include "store/cql/select/selector.h"
#include "store/cql/select/selector_part.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"

#include <errno.h>

int selector_field(struct execution *x, struct selectors *s,
		 struct expression **out, const struct selectable *of)
{
	struct selectable *whole = of->parts[0];
	const struct type *expected = whole->term->kind == TERM_TUPLE ?
					      whole->parts[0]->exact : NULL;
	const char *text = selectable_text(x, whole);
	struct expression *of_whole, *e;
	int number, err = selector_make_typed(x, s, &of_whole, whole, expected);

	if (err)
		return err;
	if (of_whole->type->kind != TYPE_UDT)
		return refuse(x, "Invalid field selection: %s of type %s is "
				 "not a user type", text,
			      text_of_type(x, of_whole->type));
	number = assignable_user_field(of_whole->type, of->term->name.text);
	if (number < 0)
		return refuse(x, "%s of type %s has no field %s", text,
			      text_of_type(x, of_whole->type),
			      text_of(x, of->term->name.text));
	e = selector_expression_new(x, EXPRESSION_FIELD,
				    of_whole->type->parts[number], 1);
	if (!e)
		return -ENOMEM;
	e->args[0] = of_whole;
	e->aggregates = of_whole->aggregates;
	e->index = (uint32_t)number;
	e->name = arena_format(x->arena, "%s.%s", of_whole->name,
			       of_whole->type->field_names[number]);
	*out = e;
	return e->name ? 0 : -ENOMEM;
}

/* Make the key in c[key]: of the key type of a map, of a set's elements. */
static int part_key(struct execution *x, struct expression *e,
		    struct bytes *key, const struct term *t)
{
	const struct expression *of = e->args[0];
	struct receiver whole = { .type = of->type, .name = of->name };
	struct receiver r = receiver_part(&whole,
					  of->type->kind == TYPE_MAP ?
						  RECEIVER_KEY :
						  RECEIVER_VALUE,
					  of->type->parts[0]);

	return t ? term_value_or_late(x, key, t, &r, &e->late) : 0;
}

int selector_element(struct execution *x, struct selectors *s,
		   struct expression **out, const struct selectable *of)
{
	const struct term *t = of->term;
	bool slice = t->kind == TERM_SLICE;
	const char *text = selectable_text(x, of->parts[0]);
	struct expression *whole, *e;
	int err = selector_make_typed(x, s, &whole, of->parts[0], NULL);

	if (err)
		return err;
	if (!type_is_collection(whole->type))
		return refuse(x, "Invalid %s selection: %s %sof type %s is not "
				 "a collection", slice ? "slice" : "element",
			      text, slice ? "" : "is ",
			      text_of_type(x, whole->type));
	if (whole->type->kind == TYPE_LIST)
		return refuse(x, "%s selection is only allowed on sets and "
				 "maps, but %s is a list",
			      slice ? "Slice" : "Element", text);
	e = selector_expression_new(
		x, slice ? EXPRESSION_SLICE : EXPRESSION_ELEMENT,
		slice ? whole->type :
		whole->type->parts[whole->type->part_count - 1], 1);
	if (!e)
		return -ENOMEM;
	e->args[0] = whole;
	e->aggregates = whole->aggregates;
	e->name = selectable_text(x, of);
	*out = e;
	e->has_from = t->right;
	e->has_to = t->to;
	err = part_key(x, e, &e->from, t->right);
	return err ? err : part_key(x, e, &e->to, t->to);
}

/* Make writetime(*) and ttl(*), of the row's marker: it comes with all columns. */
static int row_time(struct execution *x, struct selectors *s,
		    struct expression **out, const struct selectable *of)
{
	struct expression *e = selector_expression_new(x, EXPRESSION_META,
						       of->exact, 0);

	if (!e)
		return -ENOMEM;
	e->meta = of->term->kind;
	e->meta_part = TERM_COLUMN;
	e->name = selectable_text(x, of);
	s->columns = UINT64_MAX;
	s->row_times = true;
	*out = e;
	return 0;
}

/* Make writetime, maxwritetime and ttl of a column or a part of one. */
int selector_time(struct execution *x, struct selectors *s,
		   struct expression **out, const struct selectable *selectable)
{
	const struct column *c = selectable->column;
	enum term_kind kind = selectable->term->kind;
	bool many = c && type_is_multicell(c->type);
	const char *word = kind == TERM_TTL	  ? "ttl" :
			   kind == TERM_WRITETIME ? "writetime" :
						    "maxwritetime";
	struct expression *of, *e;
	int err;

	if (!c)
		return row_time(x, s, out, selectable);
	if (c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING)
		return refuse(x, "Cannot use selection function %s on PRIMARY "
				 "KEY part %s", word, c->name);
	err = selector_make_typed(x, s, &of, selectable->parts[0], NULL);
	if (err)
		return err;
	e = selector_expression_new(x, EXPRESSION_META, selectable->exact,
				    many || of->kind == EXPRESSION_COLUMN ? 0 :
				    1);
	if (!e)
		return -ENOMEM;
	if (e->arg_count)
		e->args[0] = of;
	e->column = c;
	e->meta = kind;
	e->meta_part = many ? selectable->parts[0]->term->kind : TERM_COLUMN;
	e->from = of->from;
	e->to = of->to;
	e->has_from = of->has_from;
	e->has_to = of->has_to;
	e->late = of->late;
	e->index = of->index;
	e->name = arena_format(x->arena, "%s(%s)", word, of->name);
	*out = e;
	return e->name ? 0 : -ENOMEM;
}

/* Bind the keys of c[key] and c[from..to]. */
int selector_bind_part(struct execution *x, const struct expression *e)
{
	bool slice = e->kind == EXPRESSION_SLICE || e->meta_part == TERM_SLICE;
	int err = late_term_bind(x, e->late);

	if (!err && ((e->has_from && bytes_is_null(e->from)) ||
		     (e->has_to && bytes_is_null(e->to))))
		return refuse(x, "Invalid null value for %s selection on %s",
			      slice ? "slice" : "element",
			      e->column ? e->column->name : e->args[0]->name);
	return err;
}
