/* IF: prepare conditions, and check whether they hold for a row. */
#include "store/cql/modify/condition.h"

#include <errno.h>
#include <string.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/expression/row_evaluate.h"
#include "store/cql/modify/modify.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"

/* ----------------------------------------------------------- preparation */
static int check_durations(struct execution *x, const struct type *t,
			   enum operator_kind op)
{
	if (op != OPERATOR_LT && op != OPERATOR_LE && op != OPERATOR_GT &&
	    op != OPERATOR_GE)
		return 0;
	if (!type_contains_kind(t, TYPE_DURATION))
		return 0;
	if (t->kind == TYPE_DURATION)
		return refuse(x, "Slice conditions ( %s ) are not supported on "
				 "durations", ast_operator_name(op));
	return refuse(x, "Slice conditions are not supported on %s containing "
			 "durations", type_is_collection(t) ? "collections" :
				      t->kind == TYPE_TUPLE ? "tuples" : "UDTs");
}

static int element_condition(struct execution *x, struct if_condition *i,
			     const struct condition *c,
			     const struct receiver *whole,
			     struct receiver *value)
{
	const struct type *t = i->column->type;
	struct receiver key;

	if (!type_is_collection(t))
		return refuse(x, "Invalid element access syntax for "
				 "non-collection column %s", i->column->name);
	if (t->kind == TYPE_SET)
		return refuse(x, "Invalid element access syntax for set column "
				 "%s", i->column->name);
	key = t->kind == TYPE_LIST ?
		      receiver_part(whole, RECEIVER_INDEX,
				    type_native(TYPE_INT)) :
		      receiver_part(whole, RECEIVER_KEY, t->parts[0]);
	*value = receiver_part(whole, RECEIVER_VALUE,
			       t->parts[t->part_count - 1]);
	i->has_key = true;
	return term_value_or_late(x, &i->key, c->key, &key, &i->late);
}

static int field_condition(struct execution *x, struct if_condition *i,
			   const struct condition *c,
			   const struct receiver *whole,
			   struct receiver *value)
{
	const struct type *t = i->column->type;
	int field = t->kind != TYPE_UDT ? -1 :
			    assignable_user_field(t, c->field.text);

	if (field < 0)
		return refuse(x, "Unknown field %s for column %s",
			      text_of(x, c->field.text), i->column->name);
	i->has_field = true;
	i->field = (uint32_t)field;
	*value = receiver_part(whole, RECEIVER_FIELD, t->parts[field]);
	value->name = t->field_names[field];
	return 0;
}

static int contains_condition(struct execution *x, struct if_condition *i,
			      const struct receiver *whole,
			      struct receiver *value)
{
	const struct type *t = i->column->type;

	if (i->op == OPERATOR_CONTAINS_KEY && t->kind != TYPE_MAP)
		return refuse(x, "Cannot use CONTAINS KEY on non-map column %s",
			      i->column->name);
	if (!type_is_collection(t))
		return refuse(x, "Cannot use CONTAINS on non-collection column "
				 "%s", i->column->name);
	*value = i->op == OPERATOR_CONTAINS_KEY ?
			 receiver_part(whole, RECEIVER_KEY, t->parts[0]) :
			 receiver_part(whole, RECEIVER_VALUE,
				       t->parts[t->part_count - 1]);
	return 0;
}

/* True for null and for an empty collection of many cells. */
static bool is_nothing(const struct if_condition *i, struct bytes value)
{
	struct type_parts parts;

	if (bytes_is_null(value))
		return true;
	if (i->has_key || i->has_field || !type_is_collection(i->type) ||
	    !type_is_multicell(i->type))
		return false;
	return !type_parts_begin(&parts, i->type, value) && !parts.count;
}

static int condition_terms(struct execution *x, struct if_condition *i,
			   const struct condition *c,
			   const struct receiver *value)
{
	uint32_t count = c->value ? 1 : c->value_count;
	int err;

	if (c->op == OPERATOR_IN && c->value) {
		x->markers++;
		return 0;
	}
	i->values = arena_zalloc(x->arena, count, sizeof(*i->values));
	if (!i->values)
		return -ENOMEM;
	i->value_count = count;
	for (uint32_t n = 0; n < count; n++) {
		err = term_value_or_late(x, &i->values[n],
					 c->value ? c->value : c->values[n],
					 value, &i->late);
		if (err)
			return err;
	}
	return 0;
}

static int prepare(struct execution *x, struct modification *m,
		   struct if_condition *i, const struct condition *c)
{
	struct receiver whole, value;
	int err = resolve_column(x, &i->column, m->table, &c->column);

	if (err)
		return err;
	whole = value = receiver_column(i->column);
	i->op = c->op;
	if (i->column->type->kind == TYPE_COUNTER)
		return refuse(x, "Conditions on counters are not supported");
	if (c->key)
		err = element_condition(x, i, c, &whole, &value);
	else if (identifier_is_given(&c->field))
		err = field_condition(x, i, c, &whole, &value);
	else if (c->op == OPERATOR_CONTAINS || c->op == OPERATOR_CONTAINS_KEY)
		err = contains_condition(x, i, &whole, &value);
	i->type = value.type;
	if (!err)
		err = check_durations(x, value.type, c->op);
	if (!err)
		err = condition_terms(x, i, c, &value);
	if (!err && (i->column->kind == COLUMN_PARTITION_KEY ||
		     i->column->kind == COLUMN_CLUSTERING))
		return refuse(x, "PRIMARY KEY column '%s' cannot have IF "
				 "conditions", i->column->name);
	return err;
}

int conditions_prepare(struct execution *x, struct modification *m,
		       const struct if_clause *c)
{
	int err = 0;

	m->exists = c->exists;
	m->not_exists = c->not_exists;
	if (!c->condition_count)
		return 0;
	if (m->has_timestamp)
		return refuse(x, "Cannot provide custom timestamp for "
				 "conditional updates");
	m->conditions = arena_zalloc(x->arena, c->condition_count,
				     sizeof(*m->conditions));
	if (!m->conditions)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->condition_count && !err; i++) {
		err = prepare(x, m, &m->conditions[i], &c->conditions[i]);
		m->condition_count++;
		refuse_at(x, c->conditions[i].span, err);
	}
	return err;
}

int conditions_bind(struct execution *x, const struct modification *m,
		    bool statics)
{
	int err = 0;

	for (uint32_t n = 0; n < m->condition_count && !err; n++) {
		const struct if_condition *i = &m->conditions[n];

		if ((i->column->kind == COLUMN_STATIC) == statics)
			err = late_term_bind(x, i->late);
	}
	return err;
}

/* -------------------------------------------------------------- evaluation */
static int check_key(struct execution *x, const struct if_condition *i)
{
	bool list = i->column->type->kind == TYPE_LIST;

	return i->has_key && bytes_is_null(i->key) ?
		       refuse(x, "Invalid null value for %s element access",
			      list ? "list" : "map") :
		       0;
}

/* A frozen list that does not exist is not indexed. The empty value is no valid
 * index either. */
static int check_index(struct execution *x, const struct if_condition *i,
		       struct bytes whole)
{
	const struct type *t = i->column->type;

	if (!i->has_key || t->kind != TYPE_LIST ||
	    (!type_is_multicell(t) && bytes_is_null(whole)))
		return 0;
	if (!i->key.len)
		return refuse(x, "Invalid null value for list element access");
	if ((int32_t)get_be32(i->key.ptr) < 0)
		return refuse(x, "Invalid negative list index %d",
			      (int32_t)get_be32(i->key.ptr));
	return 0;
}

/* Return the value that a condition is about; null where there is none. */
static int subject(struct execution *x, const struct if_condition *i,
		   struct row_values *row, struct bytes *value)
{
	const struct type *t = i->column->type;
	struct type_parts parts;
	struct bytes whole, key = BYTES_NULL;
	uint32_t at = i->has_field ? i->field : 0;
	int more, err = row_value(x, row, i->column, &whole);

	*value = whole;
	if (!err)
		err = check_index(x, i, whole);
	if (err || bytes_is_null(whole) || (!i->has_key && !i->has_field))
		return err;
	*value = BYTES_NULL;
	if (i->has_key && t->kind == TYPE_LIST)
		at = get_be32(i->key.ptr);
	err = type_parts_begin(&parts, t, whole);
	if (err)
		return err;
	if (t->kind == TYPE_MAP) {
		while ((more = type_parts_next(&parts, &key)) > 0) {
			more = type_parts_next(&parts, &whole);
			if (more <= 0)
				break;
			if (type_compare(t->parts[0], key, i->key))
				continue;
			*value = whole;
			return 0;
		}
		return more;
	}
	for (uint32_t n = 0; (more = type_parts_next(&parts, &whole)) > 0; n++)
		if (n == at) {
			*value = whole;
			return 0;
		}
	return more;
}

/* Compare keys and values of a frozen collection by their bytes, as Cassandra;
 * those stored as cells are compared by their type. */
static int contains(const struct if_condition *i, struct bytes value)
{
	const struct type *t = i->column->type;
	bool map = t->kind == TYPE_MAP, keys = i->op == OPERATOR_CONTAINS_KEY;
	bool exact = !type_is_multicell(t), same;
	struct type_parts parts;
	struct bytes part;
	int more;

	if (bytes_is_null(value))
		return 0;
	more = type_parts_begin(&parts, t, value);
	if (more)
		return more;
	for (uint32_t n = 0; (more = type_parts_next(&parts, &part)) > 0; n++) {
		if (map && n % 2 != !keys)
			continue;
		same = exact ? bytes_equal(part, i->values[0]) :
			       !type_compare(i->type, part, i->values[0]);
		if (same)
			return 1;
	}
	return more;
}

static bool is_equal(const struct if_condition *i, struct bytes a,
		     struct bytes b)
{
	if (is_nothing(i, a) || is_nothing(i, b))
		return is_nothing(i, a) && is_nothing(i, b);
	return !type_compare(i->type, a, b);
}

/* Null cannot be ordered, and contains nothing. */
static int check_comparison(struct execution *x, const struct if_condition *i)
{
	bool contains = i->op == OPERATOR_CONTAINS ||
			i->op == OPERATOR_CONTAINS_KEY;

	if (i->op == OPERATOR_EQ || i->op == OPERATOR_NE ||
	    i->op == OPERATOR_IN)
		return 0;
	if (bytes_is_null(i->values[0]))
		return refuse(x, "Invalid comparison with null for operator "
				 "\"%s\"", ast_operator_name(i->op));
	if (!contains && is_nothing(i, i->values[0]))
		return refuse(x, "Invalid comparison with an empty %s for "
				 "operator \"%s\"",
			      type_kind_name(i->type->kind),
			      ast_operator_name(i->op));
	return 0;
}

int condition_holds(struct execution *x, const struct if_condition *i,
		    struct row_values *row)
{
	struct bytes value;
	int order, err = check_key(x, i);

	if (!err)
		err = subject(x, i, row, &value);
	if (!err)
		err = check_comparison(x, i);
	if (err)
		return err;
	switch (i->op) {
	case OPERATOR_EQ:
		return is_equal(i, value, i->values[0]);
	case OPERATOR_NE:
		return !is_equal(i, value, i->values[0]);
	case OPERATOR_IN:
		for (uint32_t n = 0; n < i->value_count; n++)
			if (is_equal(i, value, i->values[n]))
				return 1;
		return 0;
	case OPERATOR_CONTAINS:
	case OPERATOR_CONTAINS_KEY:
		return contains(i, value);
	default:
		break;
	}
	if (is_nothing(i, value))
		return 0;
	order = type_compare(i->type, value, i->values[0]);
	switch (i->op) {
	case OPERATOR_LT:
		return order < 0;
	case OPERATOR_LE:
		return order <= 0;
	case OPERATOR_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

bool condition_asks_row(const struct modification *m)
{
	if (m->only_statics)
		return false;
	for (uint32_t i = 0; i < m->condition_count; i++)
		if (m->conditions[i].column->kind != COLUMN_STATIC)
			return true;
	return m->exists || m->not_exists;
}

bool condition_asks_statics(const struct modification *m)
{
	for (uint32_t i = 0; i < m->condition_count; i++)
		if (m->conditions[i].column->kind == COLUMN_STATIC)
			return true;
	return m->only_statics && (m->exists || m->not_exists);
}
