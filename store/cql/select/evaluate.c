#include "store/cql/select/evaluate.h"

#include <errno.h>

#include "store/cql/expression/overload.h"
#include "store/cql/expression/row_evaluate.h"
#include "store/cql/expression/selector.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/value.h"

/* True if a cell of the column is in the selected part. */
static bool cell_selected(const struct expression *e, const struct cell_view *c)
{
	const struct type *key = e->column->type->part_count ?
					 e->column->type->parts[0] : NULL;

	switch (e->meta_part) {
	case TERM_FIELD:
		return c->path.len == 2 && get_be16(c->path.ptr) == e->index;
	case TERM_ELEMENT:
		return !type_compare(key, c->path, e->from);
	case TERM_SLICE:
		return (bytes_is_null(e->from) ||
			type_compare(key, c->path, e->from) >= 0) &&
		       (bytes_is_null(e->to) ||
			type_compare(key, c->path, e->to) <= 0);
	default:
		return true;
	}
}

/* Return a time of a cell or a row's marker as a value; null where a TTL is not
 * set. */
static struct bytes time_value(struct execution *x, const struct expression *e,
			       int64_t timestamp_us,
			       int32_t ttl_s, int64_t expires_s)
{
	uint8_t *bytes = arena_alloc(x->arena, 8);
	int64_t left;

	if (!bytes)
		return BYTES_NULL;
	if (e->meta == TERM_TTL) {
		if (!ttl_s)
			return BYTES_NULL;
		left = expires_s - x->now_s;
		put_be32(bytes, left > 0 ? (uint32_t)left : 0);
		return bytes_of(bytes, 4);
	}
	put_be64(bytes, (uint64_t)timestamp_us);
	return bytes_of(bytes, 8);
}

static struct bytes cell_time(struct execution *x, const struct expression *e,
			      const struct cell_view *c)
{
	return time_value(x, e, c->timestamp_us, c->ttl_s, c->expires_s);
}

static struct bytes row_time(struct execution *x, const struct expression *e,
			     const struct marker *m)
{
	return m->timestamp == NO_TIMESTAMP ? BYTES_NULL :
		       time_value(x, e, m->timestamp, m->ttl, m->expires);
}

/* Find out whether the wanted part of a frozen column exists, which the
 * column's one cell does not show. */
static int has_part(struct execution *x, const struct expression *e,
		    struct row_values *row)
{
	struct bytes value;
	int err;

	if (!e->arg_count)
		return 1;
	err = evaluate_expression(x, e->args[0], row, NULL, &value);
	if (err || bytes_is_null(value))
		return err;
	/* an empty slice is only its count */
	return e->args[0]->kind != EXPRESSION_SLICE || value.len > 4;
}

static int meta_value(struct execution *x, const struct expression *e,
		      struct row_values *row, struct bytes *value)
{
	const struct column_cells *cells =
		&row->cells[e->column - row->table->columns];
	const struct cell_view *c, *latest = NULL;
	bool fields = e->column->type->kind == TYPE_UDT;
	uint32_t count = 0;
	struct bytes *parts;
	int there = has_part(x, e, row);

	*value = BYTES_NULL;
	if (there <= 0)
		return there;
	parts = arena_zalloc(x->arena, cells->count +
				       e->column->type->part_count,
			     sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < cells->count; i++) {
		c = &cells->cells[i];
		if (!cell_selected(e, c))
			continue;
		if (!latest || c->timestamp_us > latest->timestamp_us)
			latest = c;
		if (fields && c->path.len == 2 &&
		    get_be16(c->path.ptr) < e->column->type->part_count)
			parts[get_be16(c->path.ptr)] = cell_time(x, e, c);
		else
			parts[count] = cell_time(x, e, c);
		count++;
	}
	if (!latest)
		return 0;
	if (e->type->kind != TYPE_LIST) {
		*value = cell_time(x, e, latest);
		return 0;
	}
	buf_clear(&x->scratch);
	type_build(&x->scratch, e->type, parts,
		   fields ? e->column->type->part_count : count);
	return execution_keep_scratch(x, value);
}

static int field_value(const struct expression *e, struct bytes of,
		       struct bytes *value)
{
	struct type_parts parts;
	struct bytes part;
	int err = type_parts_begin(&parts, e->args[0]->type, of);

	for (uint32_t i = 0; i <= e->index && !err; i++) {
		err = type_parts_next(&parts, &part);
		if (err <= 0)
			return err;
		err = 0;
		*value = part;
	}
	return err;
}

static int element_value(const struct expression *e, struct bytes of,
			 struct bytes *value)
{
	const struct type *t = e->args[0]->type;
	bool map = t->kind == TYPE_MAP;
	struct type_parts parts;
	struct bytes key, part;
	int more, err = type_parts_begin(&parts, t, of);

	*value = BYTES_NULL;
	if (err || bytes_is_null(e->from))
		return err;
	while ((more = type_parts_next(&parts, &key)) > 0) {
		part = key;
		if (map) {
			more = type_parts_next(&parts, &part);
			if (more <= 0)
				break;
		}
		if (type_compare(t->parts[0], key, e->from))
			continue;
		*value = part;
		return 0;
	}
	return more;
}

static int slice_value(struct execution *x, const struct expression *e,
		       struct bytes of, struct bytes *value)
{
	const struct type *t = e->args[0]->type;
	uint32_t step = t->kind == TYPE_MAP ? 2 : 1, count = 0;
	struct type_parts parts;
	struct bytes part, *kept;
	bool inside = false;
	int more, err = type_parts_begin(&parts, t, of);

	if (err)
		return err;
	kept = arena_zalloc(x->arena, parts.count, sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	for (uint32_t i = 0; (more = type_parts_next(&parts, &part)) > 0; i++) {
		if (i % step == 0)
			inside = (bytes_is_null(e->from) ||
				  type_compare(t->parts[0], part,
					       e->from) >= 0) &&
				 (bytes_is_null(e->to) ||
				  type_compare(t->parts[0], part, e->to) <= 0);
		if (inside)
			kept[count++] = part;
	}
	*value = BYTES_NULL;
	if (more || (!count && !t->frozen))
		return more;
	buf_clear(&x->scratch);
	type_build(&x->scratch, t, kept, count);
	return execution_keep_scratch(x, value);
}

/* Check that the bytes of each part are a value of its type. */
static int check_parts(struct execution *x, const struct expression *e,
		       const struct bytes *args)
{
	struct type_error error;
	const struct type *t;
	int err = 0;

	for (uint32_t i = 0; i < e->arg_count && !err; i++) {
		t = type_part(e->type, i);
		if (bytes_is_null(args[i]))
			continue;
		err = type_validate(t, args[i], &error);
		if (err == -EINVAL)
			err = refuse(x, "In %s, the value of %s is not a valid "
					"binary representation for type %s: %s",
				     e->name, e->args[i]->name,
				     text_of_type(x, t), error.text);
	}
	return err;
}

static int build_value(struct execution *x, const struct expression *e,
		       struct bytes *args, struct bytes *value)
{
	bool set = e->type->kind == TYPE_SET, map = e->type->kind == TYPE_MAP;
	bool vector = e->type->kind == TYPE_VECTOR;
	int err = e->foreign ? check_parts(x, e, args) : 0;

	if (err)
		return err;

	/* An item of a list and a value of a map may be null. */
	for (uint32_t i = 0; i < e->arg_count; i++)
		if (bytes_is_null(args[i]) &&
		    (set || vector || (map && i % 2 == 0)))
			return refuse(x, "null is not supported inside %s",
				      vector ? "vectors" : "collections");
	buf_clear(&x->scratch);
	if (set || map)
		err = type_build_sorted(&x->scratch, e->type, args,
					e->arg_count);
	else
		type_build(&x->scratch, e->type, args, e->arg_count);
	return err ? err : execution_keep_scratch(x, value);
}

/* Build a value of the values of other expressions. */
static int compound_value(struct execution *x, const struct expression *e,
			  struct row_values *row,
			  struct accumulator *accumulators,
			  struct bytes *value)
{
	struct bytes small[4], *args = small;
	int err;

	if (e->arg_count > ARRAY_SIZE(small)) {
		args = arena_zalloc(x->arena, e->arg_count, sizeof(*args));
		if (!args)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < e->arg_count; i++) {
		args[i] = BYTES_NULL;
		if (!e->args[i])
			continue;
		err = evaluate_expression(x, e->args[i], row, accumulators,
					  &args[i]);
		if (err)
			return err;
	}
	*value = BYTES_NULL;
	switch (e->kind) {
	case EXPRESSION_CALL:
		return function_value(x, value, e->function, args);
	case EXPRESSION_BUILD:
		return build_value(x, e, args, value);
	default:
		break;
	}
	if (bytes_is_null(args[0]))
		return 0;
	switch (e->kind) {
	case EXPRESSION_FIELD:
		return field_value(e, args[0], value);
	case EXPRESSION_ELEMENT:
		return element_value(e, args[0], value);
	default:
		return slice_value(x, e, args[0], value);
	}
}

int evaluate_expression(struct execution *x, const struct expression *e,
			struct row_values *row,
			struct accumulator *accumulators, struct bytes *value)
{
	switch (e->kind) {
	case EXPRESSION_COLUMN:
		return row_value(x, row, e->column, value);
	case EXPRESSION_VALUE:
		*value = e->value;
		return 0;
	case EXPRESSION_META:
		if (e->column)
			return meta_value(x, e, row, value);
		*value = row_time(x, e, &row->marker);
		return 0;
	case EXPRESSION_AGGREGATE:
		return accumulator_result(x, &accumulators[e->index], value);
	default:
		return compound_value(x, e, row, accumulators, value);
	}
}
