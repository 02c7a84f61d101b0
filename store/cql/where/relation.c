/* Make a restriction of a relation, and one of two restrictions of a column. */
#include <errno.h>
#include <string.h>

#include "store/base/watch.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"
#include "store/cql/where/index_choice.h"
#include "store/cql/where/relation.h"
#include "store/cql/where/where.h"

static struct restriction *restriction_new(struct execution *x,
					   enum restriction_kind kind,
					   uint32_t column_count,
					   struct span span)
{
	struct restriction *r = arena_zalloc(x->arena, 1, sizeof(*r));

	if (!r)
		return NULL;
	r->kind = kind;
	r->column_count = column_count;
	r->columns = arena_zalloc(x->arena, column_count, sizeof(*r->columns));
	r->span = span;
	return r->columns ? r : NULL;
}

static const char *relation_text(struct execution *x, const struct relation *r)
{
	struct buf buf = BUF_INIT;

	ast_print_relation(&buf, r);
	return text_of_buf(x, &buf);
}

static bool is_slice(enum operator_kind op)
{
	return op == OPERATOR_LT || op == OPERATOR_LE || op == OPERATOR_GT ||
	       op == OPERATOR_GE;
}

static void set_bound(struct restriction *r, enum operator_kind op,
		      struct bytes *values, uint32_t count)
{
	bool low = op == OPERATOR_GT || op == OPERATOR_GE;
	struct restriction_bound *bound = low ? &r->low : &r->high;

	bound->values = values;
	bound->count = count;
	bound->inclusive = op == OPERATOR_GE || op == OPERATOR_LE;
}

/* --------------------------------------------------------- single columns */
static int check_duration(struct execution *x, const struct type *t)
{
	if (!type_contains_kind(t, TYPE_DURATION))
		return 0;
	return refuse(x, "Slice restrictions are not supported on %s",
		      type_is_collection(t) ? "collections containing durations" :
		      t->kind == TYPE_TUPLE ? "tuples containing durations" :
		      t->kind == TYPE_UDT   ? "UDTs containing durations" :
					      "duration columns");
}

static int check_element(struct execution *x, const struct column *c,
			 const struct relation *relation)
{
	if (c->type->kind == TYPE_LIST)
		return refuse(x, "Indexes on list entries (%s[index] = value) "
				 "are not currently supported.", c->name);
	if (c->type->kind != TYPE_MAP)
		return refuse(x, "Column %s cannot be used as a map", c->name);
	if (!type_is_multicell(c->type))
		return refuse(x, "Map-entry equality predicates on frozen map "
				 "column %s are not supported", c->name);
	if (relation->op != OPERATOR_EQ)
		return refuse(x, "Only EQ relations are supported on map "
				 "entries");
	return 0;
}

/* Check that a column of this type may have the relation. */
static int check_column(struct execution *x, const struct column *c,
			const struct relation *relation)
{
	const struct type *t = c->type;
	enum operator_kind op = relation->op;
	bool contains = op == OPERATOR_CONTAINS || op == OPERATOR_CONTAINS_KEY;
	bool element = relation->kind == RELATION_ELEMENT;
	int err;

	/* Cassandra does not notice that a column with DESC is a collection. */
	if (op == OPERATOR_CONTAINS_KEY &&
	    (t->kind != TYPE_MAP || c->reversed))
		return refuse(x, "Cannot use CONTAINS KEY on non-map column %s",
			      c->name);
	if (op == OPERATOR_CONTAINS && (!type_is_collection(t) || c->reversed))
		return refuse(x, "Cannot use CONTAINS on non-collection column "
				 "%s", c->name);
	if (element) {
		err = check_element(x, c, relation);
		if (err)
			return err;
	}
	if (!type_is_multicell(t))
		return 0;
	if (t->kind == TYPE_UDT)
		return refuse(x, "Non-frozen UDT column '%s' (%s) cannot be "
				 "restricted by any relation", c->name,
			      text_of_type(x, t));
	if (!contains && !element)
		return refuse(x, "Collection column '%s' (%s) cannot be "
				 "restricted by a '%s' relation", c->name,
			      text_of_type(x, t), ast_operator_name(op));
	return 0;
}

static int contains_restriction(struct execution *x, struct restriction **out,
				const struct column *c,
				const struct relation *relation)
{
	struct receiver whole = receiver_column(c);
	const struct type *t = c->type;
	struct receiver key = receiver_part(&whole, RECEIVER_KEY, t->parts[0]);
	struct receiver value = receiver_part(&whole, RECEIVER_VALUE,
					      t->parts[t->part_count - 1]);
	struct contained *item = arena_zalloc(x->arena, 1, sizeof(*item));
	int err = 0;

	*out = restriction_new(x, RESTRICT_CONTAINS, 1, relation->span);
	if (!*out || !item)
		return -ENOMEM;
	(*out)->columns[0] = c;
	(*out)->contained = item;
	(*out)->contained_end = &item->next;
	if (relation->kind == RELATION_ELEMENT) {
		item->has_key = true;
		err = term_value_or_late(x, &item->key, relation->key, &key,
					 &(*out)->late);
	} else if (relation->op == OPERATOR_CONTAINS_KEY) {
		item->has_key = true;
		return term_value_or_late(x, &item->key, relation->value, &key,
					  &(*out)->late);
	}
	item->has_value = true;
	return err ? err : term_value_or_late(x, &item->value, relation->value,
					      &value, &(*out)->late);
}

/* Set the kind of the pattern ('abc%' and so on), and its text without the
 * percent signs. */
static int like_pattern(struct execution *x, struct restriction *r)
{
	struct bytes pattern = *r->values;
	bool before = pattern.len && pattern.ptr[0] == '%', after;

	if (before) {
		pattern.ptr++;
		pattern.len--;
	}
	after = pattern.len && pattern.ptr[pattern.len - 1] == '%';
	if (after)
		pattern.len--;
	if (!pattern.len)
		return refuse(x, "LIKE value can't be empty.");
	r->like = before && after ? LIKE_CONTAINS :
		  before	  ? LIKE_SUFFIX :
		  after		  ? LIKE_PREFIX : LIKE_MATCH;
	r->pattern = pattern;
	return 0;
}

int restriction_bind(struct execution *x, struct restriction *r)
{
	int err = late_term_bind(x, r->late);

	return !err && r->kind == RESTRICT_LIKE ? like_pattern(x, r) : err;
}

static bool has_like_index(const struct table *t, const struct column *c)
{
	struct restriction probe = { .kind = RESTRICT_LIKE, .columns = &c,
				     .column_count = 1 };

	return index_choice_has(t, &probe);
}

static int in_values(struct execution *x, struct restriction *r,
		     const struct relation *relation,
		     const struct receiver *receiver)
{
	int err;

	x->markers += relation->value != NULL;
	r->values = arena_zalloc(x->arena, relation->value_count,
				 sizeof(*r->values));
	if (!r->values)
		return -ENOMEM;
	r->value_count = relation->value_count;
	/* IN of one value is the same as =. */
	if (r->value_count == 1)
		r->kind = RESTRICT_EQ;
	for (uint32_t i = 0; i < relation->value_count; i++) {
		err = watch_step();
		if (!err)
			err = term_value_or_late(x, &r->values[i],
						 relation->values[i], receiver,
						 &r->late);
		if (err)
			return err;
	}
	return 0;
}

static int column_restriction(struct execution *x, struct restriction **out,
			      const struct table *t, enum statement_kind type,
			      const struct relation *relation)
{
	enum operator_kind op = relation->op;
	const struct column *c;
	struct receiver receiver;
	struct restriction *r;
	struct bytes *value;
	int err = resolve_column(x, &c, t, &relation->columns[0]);

	if (!err && is_slice(op) && relation->kind == RELATION_COLUMN)
		err = check_duration(x, c->type);
	if (!err)
		err = check_column(x, c, relation);
	if (err)
		return err;
	if (op == OPERATOR_CONTAINS || op == OPERATOR_CONTAINS_KEY ||
	    relation->kind == RELATION_ELEMENT)
		return contains_restriction(x, out, c, relation);
	receiver = receiver_column(c);
	receiver.checked = c->kind == COLUMN_PARTITION_KEY &&
			   type != STATEMENT_SELECT;
	r = restriction_new(x, op == OPERATOR_IN   ? RESTRICT_IN :
			       op == OPERATOR_LIKE ? RESTRICT_LIKE :
			       is_slice(op)	   ? RESTRICT_SLICE :
						     RESTRICT_EQ,
			    1, relation->span);
	if (!r)
		return -ENOMEM;
	r->columns[0] = c;
	*out = r;
	if (op == OPERATOR_IN)
		return in_values(x, r, relation, &receiver);
	value = arena_zalloc(x->arena, 1, sizeof(*value));
	if (!value)
		return -ENOMEM;
	err = term_value_or_late(x, value, relation->value, &receiver,
				 &r->late);
	if (err)
		return err;
	if (op == OPERATOR_LIKE && !has_like_index(t, c))
		return refuse(x, LIKE_NEEDS_INDEX ". %s is not valid.",
			      relation_text(x, relation));
	r->values = value;
	r->value_count = 1;
	if (is_slice(op))
		set_bound(r, op, value, 1);
	return 0;
}

/* ----------------------------------------------------------------- tuples */
static int tuple_columns(struct execution *x, struct restriction *r,
			 const struct table *t,
			 const struct relation *relation)
{
	const struct column *c;
	int err;

	for (uint32_t i = 0; i < relation->column_count; i++) {
		err = resolve_column(x, &c, t, &relation->columns[i]);
		if (err)
			return err;
		if (c->kind != COLUMN_CLUSTERING)
			return refuse(x, "Multi-column relations can only be "
					 "applied to clustering columns but "
					 "was applied to: %s", c->name);
		for (uint32_t j = 0; j < i; j++)
			if (r->columns[j] == c)
				return refuse(x, "Column \"%s\" appeared twice "
						 "in a relation: %s", c->name,
					      relation_text(x, relation));
		if (i && c->position != r->columns[i - 1]->position + 1)
			return refuse(x, "Clustering columns must appear in "
					 "the PRIMARY KEY order in "
					 "multi-column relations: %s",
				      relation_text(x, relation));
		r->columns[i] = c;
	}
	return 0;
}

static int tuple_values(struct execution *x, struct restriction *r,
			const struct term *t, struct bytes *values)
{
	struct receiver receiver;
	int err;

	if (t->kind == TERM_MARKER) {
		x->markers++;
		return 0;
	}
	if (t->item_count != r->column_count)
		return refuse(x, "Expected %u elements in value tuple, but got "
				 "%u: %s", r->column_count, t->item_count,
			      text_as_written(x, t));
	for (uint32_t i = 0; i < r->column_count; i++) {
		receiver = receiver_column(r->columns[i]);
		err = term_value_or_late(x, &values[i], t->items[i], &receiver,
					 &r->late);
		if (err)
			return err;
	}
	return 0;
}

static int tuple_restriction(struct execution *x, struct restriction **out,
			     const struct table *t,
			     const struct relation *relation)
{
	uint32_t n = relation->column_count, rows;
	bool in = relation->op == OPERATOR_IN;
	struct restriction *r;
	int err;

	x->markers += in && relation->value;
	r = restriction_new(x, in ? RESTRICT_IN :
			       is_slice(relation->op) ? RESTRICT_SLICE :
							RESTRICT_EQ,
			    n, relation->span);
	if (!r)
		return -ENOMEM;
	*out = r;
	r->multi = true;
	err = tuple_columns(x, r, t, relation);
	if (err)
		return err;
	rows = in ? relation->value_count : 1;
	r->value_count = rows;
	if (in && rows == 1)
		r->kind = RESTRICT_EQ;
	r->values = arena_zalloc(x->arena, (size_t)rows * n,
				 sizeof(*r->values));
	if (!r->values)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows && !err; i++)
		err = tuple_values(x, r, in ? relation->values[i] :
					      relation->value,
				   r->values + (size_t)i * n);
	if (!err && r->kind == RESTRICT_SLICE)
		set_bound(r, relation->op, r->values, n);
	return err;
}

/* ------------------------------------------------------------------ token */
static int token_columns(struct execution *x, const struct restriction *r,
			 const struct table *t)
{
	uint32_t keys = t->partition_key_count, i, j, found = 0;
	bool same = r->column_count == keys, twice = false, other = false;
	struct buf names = BUF_INIT;

	for (i = 0; i < r->column_count; i++) {
		same = same && r->columns[i] == table_partition_column(t, i);
		other = other || r->columns[i]->kind != COLUMN_PARTITION_KEY;
		for (j = 0; j < i && !twice; j++)
			twice = r->columns[j] == r->columns[i];
	}
	if (same)
		return 0;
	for (i = 0; i < keys; i++) {
		for (j = 0; j < r->column_count; j++)
			if (r->columns[j] == table_partition_column(t, i))
				break;
		found += j < r->column_count;
		buf_add_format(&names, "%s%s", i ? ", " : "",
			       table_partition_column(t, i)->name);
	}
	if (found == keys && !twice && !other)
		return refuse(x, "The token function arguments must be in the "
				 "partition key order: %s",
			      text_of_buf(x, &names));
	buf_release(&names);
	if (found < keys)
		return refuse(x, "The token() function must be applied to all "
				 "partition key components or none of them");
	if (twice)
		return refuse(x, "The token() function contains duplicate "
				 "partition key components");
	return refuse(x, "The token() function must contains only partition "
			 "key components");
}

static int token_restriction(struct execution *x, struct restriction **out,
			     const struct table *t,
			     const struct relation *relation)
{
	struct receiver receiver = { .type = type_native(TYPE_BIGINT),
				     .name = "partition key token" };
	struct bytes *value = arena_zalloc(x->arena, 1, sizeof(*value));
	struct restriction *r;
	int err = 0;

	r = restriction_new(x, is_slice(relation->op) ? RESTRICT_SLICE :
							RESTRICT_EQ,
			    relation->column_count, relation->span);
	if (!r || !value)
		return -ENOMEM;
	for (uint32_t i = 0; i < relation->column_count && !err; i++)
		err = resolve_column(x, &r->columns[i], t,
				     &relation->columns[i]);
	if (!err)
		err = token_columns(x, r, t);
	if (!err)
		err = term_value_or_late(x, value, relation->value, &receiver,
					 &r->late);
	if (err)
		return err;
	r->values = value;
	r->value_count = 1;
	if (r->kind == RESTRICT_SLICE)
		set_bound(r, relation->op, value, 1);
	*out = r;
	return 0;
}

int relation_restriction(struct execution *x, struct restriction **out,
			 const struct table *t, enum statement_kind type,
			 const struct relation *relation)
{
	if (relation->op == OPERATOR_IS_NOT)
		return refuse(x, "Unsupported restriction: %s",
			      relation_text(x, relation));
	if (relation->op == OPERATOR_NE)
		return refuse(x, "Unsupported \"!=\" relation: %s",
			      relation_text(x, relation));
	switch (relation->kind) {
	case RELATION_TUPLE:
		return tuple_restriction(x, out, t, relation);
	case RELATION_TOKEN:
		return token_restriction(x, out, t, relation);
	default:
		return column_restriction(x, out, t, type, relation);
	}
}

/* ---------------------------------------------------------------- merging */
/* Return the columns two restrictions share, as Cassandra's set prints them. */
static const char *common_names(struct execution *x,
				const struct restriction *a,
				const struct restriction *b)
{
	struct buf names = BUF_INIT;
	bool token = a->column_count > 1 &&
		     a->columns[0]->kind == COLUMN_PARTITION_KEY;

	for (uint32_t i = 0; token && i < a->column_count; i++)
		buf_add_format(&names, "%s%s", i ? ", " : "",
			       a->columns[i]->name);
	for (uint32_t i = a->column_count; !token && i-- > 0;)
		for (uint32_t j = 0; j < b->column_count; j++)
			if (a->columns[i] == b->columns[j])
				buf_add_format(&names, "%s%s",
					       names.len ? " ," : "",
					       a->columns[i]->name);
	return text_of_buf(x, &names);
}

static int merge_slices(struct execution *x, struct restriction **out,
			struct restriction *old, struct restriction *new,
			const char *names)
{
	const struct column *a = old->columns[0], *b = new->columns[0];
	struct restriction *r;

	if (new->kind != RESTRICT_SLICE)
		return refuse(x, "Column \"%s\" cannot be restricted by both "
				 "an equality and an inequality relation",
			      names);
	if (a != b)
		return refuse(x, "Column \"%s\" cannot be restricted by two "
				 "inequalities not starting with the same "
				 "column",
			      a->position > b->position ? a->name : b->name);
	if (old->low.count && new->low.count)
		return refuse(x, "More than one restriction was found for the "
				 "start bound on %s", names);
	if (old->high.count && new->high.count)
		return refuse(x, "More than one restriction was found for the "
				 "end bound on %s", names);
	r = arena_alloc(x->arena, sizeof(*r));
	if (!r)
		return -ENOMEM;
	*r = old->column_count >= new->column_count ? *old : *new;
	r->late = old->late ? old->late : new->late;
	r->low = old->low.count ? old->low : new->low;
	r->high = old->high.count ? old->high : new->high;
	r->multi = old->multi || new->multi;
	*out = r;
	return 0;
}

int restriction_merge(struct execution *x, struct restriction **out,
		      struct restriction *old, struct restriction *new)
{
	const char *names = common_names(x, old, new);

	switch (old->kind) {
	case RESTRICT_EQ:
		return refuse(x, "%s cannot be restricted by more than one "
				 "relation if it includes an Equal", names);
	case RESTRICT_IN:
		return refuse(x, "%s cannot be restricted by more than one "
				 "relation if it includes a IN", names);
	case RESTRICT_LIKE:
		return refuse(x, "%s cannot be restricted by more than one "
				 "relation if it includes a LIKE", names);
	case RESTRICT_SLICE:
		return merge_slices(x, out, old, new, names);
	default:
		break;
	}
	if (new->kind != RESTRICT_CONTAINS)
		return refuse(x, "Collection column %s can only be restricted "
				 "by CONTAINS, CONTAINS KEY, or map-entry "
				 "equality", names);
	*old->contained_end = new->contained;
	old->contained_end = new->contained_end;
	if (!old->late)
		old->late = new->late;
	*out = old;
	return 0;
}
