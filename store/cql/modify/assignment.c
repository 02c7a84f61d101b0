/* Make changes of the items of SET, VALUES and DELETE; each check as
 * Cassandra's. */
#include <errno.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/modify/assignment.h"
#include "store/cql/modify/modify.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"

/* Return the operation as messages quote it. */
static const char *assignment_text(struct execution *x,
				   const struct assignment *a)
{
	const char *column = text_of(x, a->column.text);
	const char *value = text_as_written(x, a->value);

	switch (a->kind) {
	case ASSIGN_ELEMENT:
		return arena_format(x->arena, "%s[%s] = %s", column,
				    text_as_written(x, a->key), value);
	case ASSIGN_FIELD:
		return arena_format(x->arena, "%s.%s = %s", column,
				    text_of(x, a->field.text), value);
	case ASSIGN_PREPEND:
		/* with a minus, as Cassandra has it */
		return arena_format(x->arena, "%s = %s - %s", column, value,
				    column);
	default:
		return arena_format(x->arena, "%s = %s %c %s", column, column,
				    a->kind == ASSIGN_ADD ? '+' : '-', value);
	}
}

static int refuse_operation(struct execution *x, const struct assignment *a,
			    const char *what)
{
	return refuse(x, "Invalid operation (%s) for %s column %s",
		      assignment_text(x, a), what, text_of(x, a->column.text));
}

int assignment_change_of_value(struct execution *x, struct change *c,
			       const struct column *column,
			       const struct term *value)
{
	struct receiver r = receiver_column(column);
	bool counter = column->type->kind == TYPE_COUNTER;
	/* Of a counter a sign or brackets are not checked before. */
	int err = counter && (value->kind == TERM_NEGATE ||
			      value->kind == TERM_TUPLE) ? 0 :
			  term_value_or_late(x, &c->value, value, &r, &c->late);

	if (err)
		return err;
	if (counter)
		return refuse(x, "Cannot set the value of counter column %s "
				 "(counters can only be incremented/"
				 "decremented, not set)", column->name);
	while (value->kind == TERM_HINT)
		value = value->left;
	c->kind = CHANGE_SET;
	c->column = column;
	c->tuple = value->kind == TERM_TUPLE;
	return 0;
}

static int scalar_change(struct execution *x, struct change *c,
			 const struct assignment *a, bool conditional)
{
	struct receiver r = receiver_column(c->column);
	const struct type *t = c->column->type;
	bool counter = t->kind == TYPE_COUNTER;

	if (a->kind == ASSIGN_ADD && takes_tuple(t))
		return refuse_operation(x, a, "tuple");
	if (a->kind == ASSIGN_ADD && conditional && !counter) {
		if (!type_kind_is_number(t->kind) && !kind_is_text(t->kind))
			return refuse(x, "Invalid operation (%s) for "
					 "non-numeric and non-text type %s",
				      assignment_text(x, a), c->column->name);
		c->kind = CHANGE_COMPUTE;
		return term_value_or_late(x, &c->value, a->value, &r, &c->late);
	}
	if (!counter)
		return refuse_operation(x, a, "non counter");
	c->kind = CHANGE_COUNT;
	c->minus = a->kind == ASSIGN_SUBTRACT;
	return term_value_or_late(x, &c->value, a->value, &r, &c->late);
}

/* m + {k: v}, m - {k}: a wrong value has a message of its own. */
static int map_change(struct execution *x, struct change *c,
		      const struct assignment *a)
{
	const struct type *t = c->column->type;
	bool add = a->kind == ASSIGN_ADD;
	struct receiver r = receiver_column(c->column);
	struct type *key;
	int err;

	if (!add) {
		key = type_get(t->parts[0]);
		r.type = execution_own_type(x, type_new(TYPE_SET, true,
							&key, 1));
		if (!r.type)
			return -ENOMEM;
	}
	x->quiet++;
	err = term_value_or_late(x, &c->value, a->value, &r, &c->late);
	x->quiet--;
	if (err == -EINVAL)
		return refuse(x, "Value for a map %s has to be a %s, but was: "
				 "'%s'", add ? "addition" : "substraction",
			      add ? "map" : "set", text_of_term(x, a->value));
	return err;
}

static int collection_change(struct execution *x, struct change *c,
			     const struct assignment *a)
{
	struct receiver r = receiver_column(c->column);

	if (!type_is_multicell(c->column->type))
		return refuse_operation(x, a, "frozen collection");
	c->kind = a->kind == ASSIGN_ADD ? CHANGE_ADD : CHANGE_REMOVE;
	if (c->column->type->kind == TYPE_MAP)
		return map_change(x, c, a);
	return term_value_or_late(x, &c->value, a->value, &r, &c->late);
}

static int prepend_change(struct execution *x, struct change *c,
			  const struct assignment *a)
{
	struct receiver r = receiver_column(c->column);
	int err = term_value_or_late(x, &c->value, a->value, &r, &c->late);

	if (err)
		return err;
	if (c->column->type->kind != TYPE_LIST)
		return refuse_operation(x, a, "non list");
	if (!type_is_multicell(c->column->type))
		return refuse_operation(x, a, "frozen list");
	c->kind = CHANGE_PREPEND;
	return 0;
}

/* Return the receiver of the key in c[key]. */
static struct receiver key_receiver(const struct receiver *whole)
{
	const struct type *t = whole->type;

	return t->kind == TYPE_LIST ?
		       receiver_part(whole, RECEIVER_INDEX,
				     type_native(TYPE_INT)) :
		       receiver_part(whole, t->kind == TYPE_MAP ?
						    RECEIVER_KEY :
						    RECEIVER_VALUE,
				     t->parts[0]);
}

static int element_change(struct execution *x, struct change *c,
			  const struct assignment *a)
{
	struct receiver whole = receiver_column(c->column), key, value;
	const struct type *t = c->column->type;
	int err;

	if (!type_is_collection(t))
		return refuse_operation(x, a, "non collection");
	if (!type_is_multicell(t))
		return refuse_operation(x, a, "frozen collection");
	if (t->kind == TYPE_SET)
		return refuse_operation(x, a, "set");
	key = key_receiver(&whole);
	value = receiver_part(&whole, RECEIVER_VALUE,
			      t->parts[t->part_count - 1]);
	c->kind = CHANGE_ELEMENT;
	err = term_value_or_late(x, &c->key, a->key, &key, &c->late);
	if (!err)
		err = term_value_or_late(x, &c->value, a->value, &value, &c->late);
	return err;
}

static int find_field(struct execution *x, struct change *c,
		      const struct identifier *name)
{
	int field = assignable_user_field(c->column->type, name->text);

	c->field = (uint32_t)field;
	if (field >= 0)
		return 0;
	return refuse(x, "UDT column %s does not have a field named %s",
		      c->column->name, text_of(x, name->text));
}

static int field_change(struct execution *x, struct change *c,
			const struct assignment *a)
{
	struct receiver whole = receiver_column(c->column), r;
	const struct type *t = c->column->type;
	int err;

	if (t->kind != TYPE_UDT)
		return refuse_operation(x, a, "non-UDT");
	if (!type_is_multicell(t))
		return refuse_operation(x, a, "frozen UDT");
	err = find_field(x, c, &a->field);
	if (err)
		return err;
	c->kind = CHANGE_FIELD;
	r = receiver_part(&whole, RECEIVER_FIELD, t->parts[c->field]);
	r.name = t->field_names[c->field];
	return term_value_or_late(x, &c->value, a->value, &r, &c->late);
}

int assignment_change(struct execution *x, struct change *c,
		      const struct table *t, const struct assignment *a,
		      bool conditional)
{
	const struct column *column;
	int err = resolve_column(x, &column, t, &a->column);

	if (err)
		return err;
	if (column->kind == COLUMN_PARTITION_KEY ||
	    column->kind == COLUMN_CLUSTERING)
		return refuse(x, "PRIMARY KEY part %s found in SET part",
			      column->name);
	c->column = column;
	switch (a->kind) {
	case ASSIGN_SET:
		return assignment_change_of_value(x, c, column, a->value);
	case ASSIGN_PREPEND:
		return prepend_change(x, c, a);
	case ASSIGN_ELEMENT:
		return element_change(x, c, a);
	case ASSIGN_FIELD:
		return field_change(x, c, a);
	default:
		return type_is_collection(column->type) ?
			       collection_change(x, c, a) :
			       scalar_change(x, c, a, conditional);
	}
}

static int element_deletion(struct execution *x, struct change *c,
			    const struct deleted_item *d)
{
	struct receiver whole = receiver_column(c->column), key;

	if (!type_is_collection(c->column->type))
		return refuse(x, "Invalid deletion operation for non "
				 "collection column %s", c->column->name);
	if (!type_is_multicell(c->column->type))
		return refuse(x, "Invalid deletion operation for frozen "
				 "collection column %s", c->column->name);
	key = key_receiver(&whole);
	c->kind = CHANGE_ELEMENT;
	c->value = BYTES_NULL;
	return term_value_or_late(x, &c->key, d->key, &key, &c->late);
}

int assignment_change_of_deletion(struct execution *x, struct change *c,
				  const struct table *t,
				  const struct deleted_item *d)
{
	const struct column *column;
	int err = resolve_column(x, &column, t, &d->column);

	if (err)
		return err;
	if (column->kind == COLUMN_PARTITION_KEY ||
	    column->kind == COLUMN_CLUSTERING)
		return refuse(x, "Invalid identifier %s for deletion (should "
				 "not be a PRIMARY KEY part)", column->name);
	c->column = column;
	c->kind = CHANGE_DELETE;
	if (d->key)
		return element_deletion(x, c, d);
	if (!identifier_is_given(&d->field))
		return 0;
	if (column->type->kind != TYPE_UDT)
		return refuse(x, "Invalid field deletion operation for non-UDT "
				 "column %s", column->name);
	if (!type_is_multicell(column->type))
		return refuse(x, "Frozen UDT column %s does not support field "
				 "deletions", column->name);
	c->kind = CHANGE_FIELD;
	c->value = BYTES_NULL;
	return find_field(x, c, &d->field);
}
