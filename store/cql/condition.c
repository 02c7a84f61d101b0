/*
 * IF: what it asks, whether it holds for the row at hand, and the one row that
 * is answered (semantics.md 3.7).
 */
#include <errno.h>
#include <string.h>

#include "store/cql/modify.h"

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
				 "durations", operator_name(op));
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

	for (i->field = 0; t->kind == TYPE_UDT && i->field < t->part_count;
	     i->field++)
		if (bytes_equal(bytes_str(t->field_names[i->field]),
				c->field.text))
			break;
	if (t->kind != TYPE_UDT || i->field == t->part_count)
		return refuse(x, "Unknown field %s for column %s",
			      text_of(x, c->field.text), i->column->name);
	i->has_field = true;
	*value = receiver_part(whole, RECEIVER_FIELD, t->parts[i->field]);
	value->name = t->field_names[i->field];
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

/* An empty collection of many cells is none. */
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

int conditions_bind(struct execution *x, const struct modification *m)
{
	for (uint32_t n = 0; n < m->condition_count; n++) {
		const struct if_condition *i = &m->conditions[n];
		bool list = i->column->type->kind == TYPE_LIST;
		int err = late_term_bind(x, i->late);

		if (err)
			return err;
		if (i->has_key && bytes_is_null(i->key))
			return refuse(x, "Invalid null value for %s element "
					 "access", list ? "list" : "map");
	}
	return 0;
}

/* ---------------------------------------------------------------- reading */
/*
 * The first row of the partition. Where only statics are changed no column of a
 * row is read: one that no INSERT made is not seen.
 */
static int read_first(struct execution *x, const struct modification *m,
		      struct condition_row *row)
{
	const struct table *t = m->table;
	struct cursor *cursor;
	struct row_view view;
	struct query q;
	int more;

	query_init(&q, t);
	q.partitions = m->keys;
	q.partition_count = 1;
	q.columns = 0;
	q.now_s = x->now_s;
	more = table_query(&cursor, x->store, &q);
	if (more)
		return store_failure(x, more);
	do
		more = cursor_next(cursor, &view);
	while (more > 0 && m->only_statics && !m->among_rows &&
	       view.marker.timestamp == NO_TIMESTAMP);
	if (more > 0 && view.row_exists) {
		row->partition_has_rows = true;
		row->first_clustering = arena_zalloc(x->arena,
						     t->clustering_count,
						     sizeof(struct bytes));
		for (uint32_t i = 0; row->first_clustering &&
				     i < t->clustering_count; i++)
			row->first_clustering[i] =
				arena_copy(x->arena, view.clustering[i]);
	}
	cursor_close(cursor);
	return more < 0 ? store_failure(x, more) : 0;
}

/* The row that the statement names, with the statics of its partition. */
static int read_row(struct execution *x, const struct modification *m,
		    struct condition_row *row)
{
	static const struct bytes none;
	const struct table *t = m->table;
	struct row_view *views = arena_zalloc(x->arena, 2, sizeof(*views));
	struct row_view *of = &views[0], *statics = &views[1];
	struct bytes *keys;
	int found = 0, err = views ? row_values_init(x, &row->values, t) :
				     -ENOMEM;

	if (err)
		return err;
	keys = arena_zalloc(x->arena, t->partition_key_count, sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	if (table_has_statics(t)) {
		found = table_read(x->store, t, m->keys[0], NULL, UINT64_MAX,
				   x->now_s, x->arena, statics);
		if (found < 0)
			return store_failure(x, found);
		row->static_exists = found && statics->static_count;
	}
	if (!m->only_statics && (m->row_count || !t->clustering_count))
		found = table_read(x->store, t, m->keys[0],
				   t->clustering_count ? m->rows[0] : &none,
				   UINT64_MAX, x->now_s, x->arena, of);
	else
		found = 0;
	if (found < 0)
		return store_failure(x, found);
	row->row_exists = found;
	if (!found)
		memset(of, 0, sizeof(*of));
	err = table_partition_values(keys, t, m->keys[0]);
	of->row_exists = row->row_exists;
	if (!err && !condition_asks_row(m))
		err = read_first(x, m, row);
	/* Beside changes of rows all of the first one is read. */
	if (!err && m->only_statics && m->among_rows && row->first_clustering)
		found = table_read(x->store, t, m->keys[0],
				   row->first_clustering, UINT64_MAX, x->now_s,
				   x->arena, of);
	if (found < 0)
		return store_failure(x, found);
	of->key_values = keys;
	of->statics = row->static_exists ? statics->statics : NULL;
	of->static_count = row->static_exists ? statics->static_count : 0;
	row_values_set(&row->values, of);
	return err;
}

/* -------------------------------------------------------------- evaluation */
/* The value that a condition is about; null where there is none. */
static int subject(struct execution *x, const struct if_condition *i,
		   struct row_values *row, struct bytes *value)
{
	const struct type *t = i->column->type;
	struct type_parts parts;
	struct bytes whole, key = BYTES_NULL;
	uint32_t at = i->has_field ? i->field : 0;
	int more, err = row_value(x, row, i->column, &whole);

	*value = whole;
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

static int contains(const struct if_condition *i, struct bytes value)
{
	const struct type *t = i->column->type;
	bool map = t->kind == TYPE_MAP, keys = i->op == OPERATOR_CONTAINS_KEY;
	struct type_parts parts;
	struct bytes part;
	int more;

	if (bytes_is_null(value))
		return 0;
	more = type_parts_begin(&parts, t, value);
	if (more)
		return more;
	for (uint32_t n = 0; (more = type_parts_next(&parts, &part)) > 0; n++)
		if ((!map || n % 2 == !keys) &&
		    !type_compare(i->type, part, i->values[0]))
			return 1;
	return more;
}

static bool is_equal(const struct if_condition *i, struct bytes a,
		     struct bytes b)
{
	if (is_nothing(i, a) || is_nothing(i, b))
		return is_nothing(i, a) && is_nothing(i, b);
	return !type_compare(i->type, a, b);
}

/* Order knows no null, and nothing is in it; a list has no places below 0. */
static int check_comparison(struct execution *x, const struct if_condition *i)
{
	bool contains = i->op == OPERATOR_CONTAINS ||
			i->op == OPERATOR_CONTAINS_KEY;

	if (i->has_key && i->column->type->kind == TYPE_LIST &&
	    (int32_t)get_be32(i->key.ptr) < 0)
		return refuse(x, "Invalid negative list index %d",
			      (int32_t)get_be32(i->key.ptr));
	if (i->op == OPERATOR_EQ || i->op == OPERATOR_NE ||
	    i->op == OPERATOR_IN)
		return 0;
	if (bytes_is_null(i->values[0]))
		return refuse(x, "Invalid comparison with null for operator "
				 "\"%s\"", operator_name(i->op));
	if (!contains && is_nothing(i, i->values[0]))
		return refuse(x, "Invalid comparison with an empty %s for "
				 "operator \"%s\"",
			      type_kind_name(i->type->kind),
			      operator_name(i->op));
	return 0;
}

static int holds(struct execution *x, const struct if_condition *i,
		 struct row_values *row)
{
	struct bytes value;
	int order, err = check_comparison(x, i);

	if (!err)
		err = subject(x, i, row, &value);
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

/* What asks for statics comes first, and the first that fails decides. */
static int check_all(struct execution *x, const struct modification *m,
		     struct condition_row *row)
{
	int hold;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < m->condition_count && row->applies;
		     i++) {
			const struct if_condition *c = &m->conditions[i];

			if ((c->column->kind == COLUMN_STATIC) == pass)
				continue;
			hold = holds(x, c, &row->values);
			if (hold < 0)
				return hold;
			row->applies = hold;
		}
	return 0;
}

int condition_check(struct execution *x, struct modification *m,
		    struct condition_row *row, bool decided)
{
	int err;

	memset(row, 0, sizeof(*row));
	err = read_row(x, m, row);
	if (err)
		return err;
	row->applies = true;
	if (m->exists || m->not_exists) {
		bool there = m->only_statics ? row->static_exists :
					       row->row_exists;

		row->applies = there == m->exists;
		return 0;
	}
	return decided ? 0 : check_all(x, m, row);
}

/* ----------------------------------------------------------------- results */
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
	return false;
}

bool condition_shows(const struct modification *m,
		     const struct condition_row *row, bool *all)
{
	bool statics = condition_asks_statics(m), regulars = false;

	*all = m->exists || m->not_exists;
	if (m->not_exists)
		return true;
	if (m->exists)
		return m->only_statics ? row->partition_has_rows :
					 m->sets_static && row->static_exists;
	for (uint32_t i = 0; i < m->condition_count; i++) {
		if (m->conditions[i].column->kind != COLUMN_STATIC)
			regulars = true;
	}
	if ((statics || m->sets_static) && row->static_exists)
		return true;
	return regulars ? row->row_exists : row->partition_has_rows;
}

int condition_values(struct execution *x, const struct modification *m,
		     struct condition_row *row, const struct column *c,
		     bool all, struct bytes *value)
{
	*value = BYTES_NULL;
	if (c->hidden)
		return 0;
	if (c->kind == COLUMN_CLUSTERING && !condition_asks_row(m)) {
		if (row->first_clustering)
			*value = row->first_clustering[c->position];
		return 0;
	}
	if (all && c->kind == COLUMN_STATIC && !m->sets_static)
		return 0;
	return row_value(x, &row->values, c, value);
}

static int set_column(struct cql_result *r, struct bytes *values, uint32_t i,
		      const char *name, const struct type *type,
		      struct bytes value)
{
	r->columns[i].name = bytes_str(name);
	r->columns[i].type = type;
	values[i] = value;
	return 0;
}

int result_applied(struct cql_result *r)
{
	struct bytes **rows = arena_alloc(&r->arena, sizeof(*rows));
	struct bytes *values = arena_zalloc(&r->arena, 1, sizeof(*values));

	if (!rows || !values || !result_columns(r, 1))
		return -ENOMEM;
	rows[0] = values;
	set_column(r, values, 0, "[applied]", type_native(TYPE_BOOLEAN),
		   bytes_of("\1", 1));
	return result_rows(r, rows, 1);
}

/* Columns of conditions: regular ones as written, then static ones, once. */
static uint32_t condition_columns(const struct modification *m,
				  const struct column **columns)
{
	uint32_t count = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < m->condition_count; i++) {
			const struct column *c = m->conditions[i].column;
			uint32_t seen = 0;

			if ((c->kind == COLUMN_STATIC) != pass)
				continue;
			while (seen < count && columns[seen] != c)
				seen++;
			if (seen == count)
				columns[count++] = c;
		}
	}
	return count;
}

int condition_result(struct cql_result *r, struct modification *m,
		     struct condition_row *row)
{
	struct execution *x = &r->execution;
	const struct table *t = m->table;
	uint32_t visible = t->partition_key_count + t->clustering_count +
			   t->static_count + t->regular_count;
	const struct column **columns;
	struct bytes **rows, *values, value;
	uint32_t count = 0;
	bool all;
	int err;

	if (row->applies)
		return result_applied(r);
	columns = arena_zalloc(&r->arena, visible + m->condition_count,
			       sizeof(*columns));
	rows = arena_alloc(&r->arena, sizeof(*rows));
	values = arena_zalloc(&r->arena, visible + m->condition_count + 1,
			      sizeof(*values));
	if (!columns || !rows || !values)
		return -ENOMEM;
	if (condition_shows(m, row, &all)) {
		for (; all && count < visible; count++)
			columns[count] = &t->columns[count];
		if (!all)
			count = condition_columns(m, columns);
	}
	if (!result_columns(r, count + 1))
		return -ENOMEM;
	set_column(r, values, 0, "[applied]", type_native(TYPE_BOOLEAN),
		   bytes_of("\0", 1));
	for (uint32_t i = 0; i < count; i++) {
		err = condition_values(x, m, row, columns[i], all, &value);
		if (err)
			return err;
		set_column(r, values, i + 1, columns[i]->name,
			   columns[i]->type, value);
	}
	rows[0] = values;
	return result_rows(r, rows, 1);
}
