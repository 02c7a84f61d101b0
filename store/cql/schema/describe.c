/*
 * DESCRIBE: rows of names, or of names with the statements that make them, in
 * the order in which those can be run.
 */
#include "store/cql/schema/describe.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/schema/ddl.h"
#include "store/cql/schema/print.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/rows.h"
#include "store/cql/statement/text.h"
#include "store/type/compound_codec.h"

struct described {
	struct cql_result *result;
	struct execution *x;
	const struct describe *s;
	bool list;			/* without statements */
	struct bytes **rows;
	size_t count, room;
	int err;
};

/* ------------------------------------------------------------------- rows */
static struct bytes *new_row(struct described *r, uint32_t columns)
{
	struct bytes *row = arena_zalloc(r->x->arena, columns, sizeof(*row));
	struct bytes **more;

	if (r->count == r->room) {
		more = arena_zalloc(r->x->arena, r->room * 2 + 8,
				    sizeof(*more));
		if (more && r->count)
			memcpy(more, r->rows, r->count * sizeof(*more));
		r->rows = more;
		r->room = r->room * 2 + 8;
	}
	if (!row || !r->rows) {
		r->err = -ENOMEM;
		return NULL;
	}
	r->rows[r->count++] = row;
	return row;
}

static struct bytes quoted(struct described *r, const char *name)
{
	struct buf buf = BUF_INIT;

	schema_print_name(&buf, bytes_str(name));
	return bytes_str(text_of_buf(r->x, &buf));
}

/* Add a row. statement: taken over; NULL in a list. */
static void add_row(struct described *r, const char *keyspace, const char *type,
		    const char *name, struct buf *statement)
{
	struct bytes *row = r->err ? NULL : new_row(r, 4);

	if (row) {
		row[0] = quoted(r, keyspace);
		row[1] = bytes_str(type);
		row[2] = quoted(r, name);
	}
	if (row && statement) {
		if (statement->failed)
			r->err = -ENOMEM;
		row[3] = arena_copy(r->x->arena, buf_bytes(statement));
	}
	if (statement)
		buf_release(statement);
}

static void add_keyspace_row(struct described *r, const struct keyspace *k)
{
	struct buf text = BUF_INIT;

	if (!r->list)
		cql_print_keyspace(&text, k);
	add_row(r, k->name, "keyspace", k->name, &text);
}

static void add_type_row(struct described *r, const struct keyspace *k,
			 const struct user_type *t)
{
	struct buf text = BUF_INIT;

	if (!r->list)
		cql_print_type(&text, t->type);
	add_row(r, k->name, "type", t->name, &text);
}

static void add_table_row(struct described *r, const struct table *t)
{
	unsigned flags = CQL_PRINT_DESCRIBED;
	struct buf text = BUF_INIT;

	if (r->s->internals)
		flags |= CQL_PRINT_INTERNALS;
	if (!r->list)
		cql_print_table(&text, t, flags);
	add_row(r, t->keyspace, "table", t->name, &text);
}

static void add_index_row(struct described *r, const struct table *t,
			  const struct index *index)
{
	struct buf text = BUF_INIT;

	cql_print_index(&text, t, index);
	add_row(r, t->keyspace, "index", index->name, &text);
}

/* ------------------------------------------------------------------- order */
/* Compare ignoring case; of two that differ in case only, the lower one
 * first. */
static int compare_text(const char *a, const char *b)
{
	int order = strcasecmp(a, b);

	return order ? order : strcmp(b, a);
}

struct named {
	const char *name;
	const void *object;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return compare_text(x->name, y->name);
}

static struct named *new_list(struct described *r, uint32_t count)
{
	struct named *list = arena_zalloc(r->x->arena, (size_t)count + 1,
					  sizeof(*list));

	if (!list)
		r->err = -ENOMEM;
	return list;
}

static void add_table(struct described *r, const struct table *t)
{
	struct named *list = new_list(r, t->index_count);

	add_table_row(r, t);
	for (uint32_t i = 0; list && i < t->index_count; i++)
		list[i] = (struct named){ t->indexes[i].name, &t->indexes[i] };
	if (list)
		qsort(list, t->index_count, sizeof(*list), compare_named);
	for (uint32_t i = 0; list && i < t->index_count; i++)
		add_index_row(r, t, list[i].object);
}

static void add_tables(struct described *r, const struct keyspace *k)
{
	struct named *list = new_list(r, k->table_count);

	if (!list)
		return;
	for (uint32_t i = 0; i < k->table_count; i++)
		list[i] = (struct named){ k->tables[i]->name, k->tables[i] };
	qsort(list, k->table_count, sizeof(*list), compare_named);
	for (uint32_t i = 0; i < k->table_count; i++) {
		if (!statement_may_enter(r->x, k, list[i].object))
			continue;
		if (r->list)
			add_table_row(r, list[i].object);
		else
			add_table(r, list[i].object);
	}
}

static void list_types(struct described *r, const struct keyspace *k)
{
	struct named *list = new_list(r, k->type_count);

	if (!list)
		return;
	for (uint32_t i = 0; i < k->type_count; i++)
		list[i] = (struct named){ k->types[i].name, &k->types[i] };
	qsort(list, k->type_count, sizeof(*list), compare_named);
	for (uint32_t i = 0; i < k->type_count; i++)
		add_type_row(r, k, list[i].object);
}

/* Add a type after those it uses. There is no circle, and depth is bounded with
 * a type's. */
static void add_type(struct described *r, const struct keyspace *k, uint32_t i,
		     bool *added)
{
	if (added[i])
		return;
	added[i] = true;
	for (uint32_t n = 0; n < k->type_count; n++)
		if (n != i && type_uses_udt(k->types[i].type, k->name,
					    k->types[n].name))
			add_type(r, k, n, added);
	add_type_row(r, k, &k->types[i]);
}

static void add_keyspace(struct described *r, const struct keyspace *k)
{
	bool *added = arena_zalloc(r->x->arena, k->type_count + 1,
				   sizeof(*added));

	add_keyspace_row(r, k);
	if (r->s->only)
		return;
	if (!added) {
		r->err = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < k->type_count; i++)
		add_type(r, k, i, added);
	add_tables(r, k);
}

/* ----------------------------------------------------------------- lookups */
/* Find an index. Objects that the user may not enter are not described to him;
 * for an index there is no other message. */
static const struct table *find_index(struct described *r,
				      const struct keyspace *k,
				      struct bytes name, struct index **index)
{
	const struct table *t = keyspace_index(k, name, index);

	return t && statement_may_enter(r->x, k, t) ? t : NULL;
}

static int describe_table(struct described *r, const struct table *t)
{
	int err = statement_require_right(r->x, t, CQL_ENTER);

	if (!err)
		add_table(r, t);
	return err;
}

static int find_keyspace(struct described *r, const struct keyspace **k,
			 const struct identifier *name)
{
	struct bytes wanted = name->text;

	if (!identifier_is_given(name)) {
		if (!r->x->session->keyspace)
			return refuse(r->x, "No keyspace specified and no "
					    "current keyspace");
		wanted = bytes_str(r->x->session->keyspace);
	}
	*k = schema_keyspace(r->x->schema, wanted);
	if (*k)
		return statement_require_entry(r->x, *k);
	return refuse_at(r->x, name->span,
			 refuse(r->x, "'%s' not found in keyspaces",
				text_of(r->x, wanted)));
}

static int not_found(struct described *r, const char *format,
		     const struct keyspace *k)
{
	return refuse_at(r->x, r->s->name.name.span,
			 refuse(r->x, format,
				text_of(r->x, r->s->name.name.text), k->name));
}

static int describe_in(struct described *r, const struct keyspace *k)
{
	struct bytes name = r->s->name.name.text;
	const struct table *t;
	struct index *index;

	switch (r->s->kind) {
	case DESCRIBE_TABLE:
		t = keyspace_table(k, name);
		if (!t)
			return not_found(r, "Table '%s' not found in keyspace "
					    "'%s'", k);
		return describe_table(r, t);
	case DESCRIBE_INDEX:
		t = find_index(r, k, name, &index);
		if (!t)
			return not_found(r, "Table for existing index '%s' not "
					    "found in '%s'", k);
		add_index_row(r, t, index);
		return 0;
	case DESCRIBE_TYPE:
		for (uint32_t i = 0; i < k->type_count; i++) {
			if (!bytes_equal(bytes_str(k->types[i].name), name))
				continue;
			add_type_row(r, k, &k->types[i]);
			return 0;
		}
		return not_found(r, "User defined type '%s' not found in '%s'",
				 k);
	case DESCRIBE_VIEW:
		return not_found(r, "Materialized view '%s' not found in '%s'",
				 k);
	case DESCRIBE_FUNCTION:
		return not_found(r, "User defined function '%s' not found in "
				    "'%s'", k);
	default:
		return not_found(r, "User defined aggregate '%s' not found in "
				    "'%s'", k);
	}
}

/* Describe a bare name: of a keyspace, a table or an index, in this order. */
static int describe_any(struct described *r)
{
	const struct table_name *name = &r->s->name;
	struct bytes wanted = name->name.text;
	struct bytes in = name->keyspace.text;
	const struct keyspace *k;
	const struct table *t;
	struct index *index;
	int err;

	if (!identifier_is_given(&name->keyspace)) {
		k = schema_keyspace(r->x->schema, wanted);
		err = k ? statement_require_entry(r->x, k) : 0;
		if (k && !err)
			add_keyspace(r, k);
		if (k)
			return err;
		in = r->x->session->keyspace ?
			     bytes_str(r->x->session->keyspace) : wanted;
	}
	k = schema_keyspace(r->x->schema, in);
	if (!k)
		return refuse(r->x, "'%s' not found in keyspaces",
			      text_of(r->x, in));
	err = statement_require_entry(r->x, k);
	if (err)
		return err;
	t = keyspace_table(k, wanted);
	if (t)
		return describe_table(r, t);
	t = find_index(r, k, wanted, &index);
	if (!t)
		return not_found(r, "'%s' not found in keyspace '%s'", k);
	add_index_row(r, t, index);
	return 0;
}

/* ----------------------------------------------------------- whole schemas */
static void for_keyspaces(struct described *r, bool system,
			  void (*add)(struct described *r,
				      const struct keyspace *k))
{
	const struct schema *s = r->x->schema;
	struct named *list = new_list(r, s->keyspace_count);

	if (!list)
		return;
	for (uint32_t i = 0; i < s->keyspace_count; i++)
		list[i] = (struct named){ s->keyspaces[i]->name,
					  s->keyspaces[i] };
	qsort(list, s->keyspace_count, sizeof(*list), compare_named);
	for (uint32_t i = 0; i < s->keyspace_count; i++) {
		const struct keyspace *k = list[i].object;

		if ((system || !k->system) &&
		    statement_may_enter(r->x, k, NULL))
			add(r, k);
	}
}

static void add_nothing(struct described *r, const struct keyspace *k)
{
	(void)r;
	(void)k;
}

/* Describe the objects of the present keyspace, or of all. */
static int describe_list(struct described *r)
{
	static const struct identifier none;
	void (*add)(struct described *r, const struct keyspace *k) =
		r->s->kind == DESCRIBE_TABLES ? add_tables :
		r->s->kind == DESCRIBE_TYPES  ? list_types :
						add_nothing;
	const struct keyspace *k;
	int err;

	r->list = true;
	if (r->s->kind == DESCRIBE_KEYSPACES) {
		for_keyspaces(r, true, add_keyspace_row);
		return 0;
	}
	if (!r->x->session->keyspace) {
		for_keyspaces(r, true, add);
		return 0;
	}
	err = find_keyspace(r, &k, &none);
	if (!err)
		add(r, k);
	return err;
}

/* ----------------------------------------------------------------- CLUSTER */
static struct bytes ring(struct described *r, const struct type *map)
{
	struct buf address = BUF_INIT, list = BUF_INIT, value = BUF_INIT;
	struct bytes parts[2] = { bytes_str("127.0.0.1:7000") }, made;

	type_build(&list, map->parts[1], parts, 1);
	parts[0] = bytes_str("-9223372036854775808");
	parts[1] = buf_bytes(&list);
	type_build(&value, map, parts, 2);
	made = list.failed || value.failed ? BYTES_NULL :
	       arena_copy(r->x->arena, buf_bytes(&value));
	buf_release(&address);
	buf_release(&list);
	buf_release(&value);
	return made;
}

static const struct type *ring_type(struct described *r)
{
	struct type *text = type_native(TYPE_TEXT), *parts[2];

	parts[0] = text;
	parts[1] = type_new(TYPE_LIST, true, &text, 1);
	if (!parts[1])
		return NULL;
	return execution_own_type(r->x, type_new(TYPE_MAP, true, parts, 2));
}

static int describe_cluster(struct described *r)
{
	static const char *const names[] = { "cluster", "partitioner", "snitch",
					     "range_ownership" };
	static const char *const values[] = { "widefs", "Murmur3Partitioner",
					      "SimpleSnitch" };
	const char *use = r->x->session->keyspace;
	const struct keyspace *k = use ? schema_keyspace(r->x->schema,
							 bytes_str(use)) : NULL;
	uint32_t count = k && !k->system ? 4 : 3;
	struct cql_column *columns = statement_result_columns(r->result, count);
	const struct type *map = ring_type(r);
	struct bytes *row = new_row(r, count);

	if (!columns || !map || !row)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		columns[i].name = bytes_str(names[i]);
		columns[i].type = i < 3 ? type_native(TYPE_TEXT) : map;
		row[i] = i < 3 ? bytes_str(values[i]) : ring(r, map);
	}
	return statement_result_rows(r->result, r->rows, r->count);
}

/* -------------------------------------------------------------------- all */
static int describe(struct described *r)
{
	const struct keyspace *k;
	int err;

	switch (r->s->kind) {
	case DESCRIBE_SCHEMA:
		for_keyspaces(r, r->s->full, add_keyspace);
		return 0;
	case DESCRIBE_KEYSPACES:
	case DESCRIBE_TABLES:
	case DESCRIBE_TYPES:
	case DESCRIBE_FUNCTIONS:
	case DESCRIBE_AGGREGATES:
		return describe_list(r);
	case DESCRIBE_KEYSPACE:
		err = find_keyspace(r, &k, &r->s->name.name);
		if (!err)
			add_keyspace(r, k);
		return err;
	case DESCRIBE_ANY:
		return describe_any(r);
	default:
		err = find_keyspace(r, &k, &r->s->name.keyspace);
		return err ? err : describe_in(r, k);
	}
}

int describe_execute(struct cql_result *result, const struct describe *s)
{
	static const char *const names[] = { "keyspace_name", "type", "name",
					     "create_statement" };
	struct described r = {
		.result = result, .x = &result->execution, .s = s,
	};
	struct cql_column *columns;
	uint32_t count;
	int err;

	if (s->kind == DESCRIBE_CLUSTER)
		return describe_cluster(&r);
	err = describe(&r);
	if (!err)
		err = r.err;
	if (err)
		return err;
	count = r.list ? 3 : 4;
	columns = statement_result_columns(result, count);
	if (!columns)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		columns[i].name = bytes_str(names[i]);
		columns[i].type = type_native(TYPE_TEXT);
	}
	return statement_result_rows(result, r.rows, r.count);
}
