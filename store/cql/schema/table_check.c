/* Check the columns of CREATE TABLE. */
#include "store/cql/schema/create_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/expression/type_resolve.h"
#include "store/cql/schema/mask.h"
#include "store/cql/schema/property.h"
#include "store/cql/schema/table_check.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"

int check_nested_fields(struct ddl *d, const struct type *t,
			const char *for_column)
{
	if (t->kind != TYPE_UDT || t->frozen)
		return 0;
	for (uint32_t i = 0; i < t->part_count; i++)
		if (type_is_multicell(t->parts[i]))
			return refuse(d->x, "Non-frozen UDTs with nested "
					    "non-frozen collections are not "
					    "supported%s%s",
				      for_column ? " for column " : "",
				      for_column ? for_column : "");
	return 0;
}

static int compare_columns(const void *a, const void *b)
{
	const struct new_column *x = a, *y = b;

	return bytes_compare(x->definition->name.text,
			     y->definition->name.text);
}

struct new_column *new_table_column(struct new_table *n, struct bytes name)
{
	struct column_definition wanted = { .name.text = name };
	struct new_column key = { .definition = &wanted };

	return bsearch(&key, n->columns, n->count, sizeof(key),
		       compare_columns);
}

/* ------------------------------------------------------- what the text says */
/* Return the table's name as written, with or without a keyspace. */
static const char *table_as_written(struct ddl *d, const struct table_name *name)
{
	const char *table = text_of(d->x, name->name.text);

	return identifier_is_given(&name->keyspace) ?
		       arena_format(d->x->arena, "%s.%s",
				    text_of(d->x, name->keyspace.text), table) :
		       table;
}

int new_table_columns(struct new_table *n)
{
	const struct create_table *s = n->s;
	struct execution *x = n->d->x;

	n->columns = arena_zalloc(x->arena, s->column_count,
				  sizeof(*n->columns));
	if (!n->columns)
		return -ENOMEM;
	n->key = s->partition_key;
	n->key_count = s->partition_key_count;
	n->count = s->column_count;
	for (uint32_t i = 0; i < s->column_count; i++) {
		n->columns[i].definition = &s->columns[i];
		if (!s->columns[i].primary_key)
			continue;
		n->key = &s->columns[i].name;
		n->key_count = 1;
	}
	qsort(n->columns, n->count, sizeof(*n->columns), compare_columns);
	return 0;
}

int check_new_table(struct ddl *d)
{
	const struct create_table *s = d->statement->create_table;
	int err = 0;

	if (!s->has_key)
		return refuse(d->x, "No PRIMARY KEY specifed for table '%s' "
				    "(exactly one required)",
			      table_as_written(d, &s->table));
	for (uint32_t i = 0; i < s->column_count && !err; i++) {
		const struct column_definition *c = &s->columns[i];

		err = ddl_check_name(d, c->name.text);
		if (!err && c->mask)
			err = refuse_at(d->x, c->span, mask_refuse(d));
	}
	return err;
}

/* ------------------------------------------------------------------- types */
void new_table_release_types(struct new_table *n)
{
	for (uint32_t i = 0; i < n->count; i++) {
		type_put(n->columns[i].type);
		n->columns[i].type = NULL;
	}
}

static bool is_named(const struct identifier *names, uint32_t count,
		     struct bytes name)
{
	for (uint32_t i = 0; i < count; i++)
		if (bytes_equal(names[i].text, name))
			return true;
	return false;
}

/* True if the type is the one that DROP COMPACT STORAGE shows, and DESCRIBE
 * prints, of the value that a table had not: it has no name in CQL. */
static bool is_empty_type(const struct new_table *n,
			  const struct column_definition *c)
{
	static const char name[] = "empty";
	const struct type_name *t = c->type;

	return t->kind == TYPE_NAME_USER && !t->frozen &&
	       !identifier_is_given(&t->user.keyspace) &&
	       bytes_equal(t->user.name.text, bytes_str(name)) &&
	       !keyspace_type(n->keyspace, bytes_str(name)) &&
	       !is_named(n->key, n->key_count, c->name.text) &&
	       !is_named(n->s->clustering_key, n->s->clustering_key_count,
			 c->name.text);
}

static int look_up_types(struct new_table *n)
{
	const struct column_definition *columns = n->s->columns;
	const uint32_t *order;
	int err;

	if (!n->s->column_count)
		return 0;	/* the key names a missing column */
	order = property_java_order(n->d, &columns->name, n->s->column_count,
				    sizeof(*columns));
	err = order ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n->s->column_count && !err; i++) {
		struct new_column *c =
			new_table_column(n, columns[order[i]].name.text);

		if (is_empty_type(n, c->definition))
			c->type = type_get(type_native(TYPE_EMPTY));
		else
			err = type_resolve(n->d->x, &c->type,
					   c->definition->type, n->keyspace);
	}
	for (uint32_t i = 0; i < n->count && !err; i++)
		err = check_nested_fields(n->d, n->columns[i].type, NULL);
	return err;
}

/* Print a user type that is not frozen as Cassandra does: its whole name as
 * one. */
static const char *text_of_key_type(struct new_table *n, const struct type *t)
{
	struct buf name = BUF_INIT, quoted = BUF_INIT;

	if (t->kind != TYPE_UDT)
		return text_of_type(n->d->x, t);
	buf_add_format(&name, "%s.%s", t->keyspace, t->name);
	schema_print_name(&quoted, buf_bytes(&name));
	buf_release(&name);
	return text_of_buf(n->d->x, &quoted);
}

/* Find a duration. Cassandra looks in all types except vectors. */
static bool has_duration(const struct type *t)
{
	if (t->kind == TYPE_DURATION)
		return true;
	for (uint32_t i = 0; i < t->part_count && t->kind != TYPE_VECTOR; i++)
		if (has_duration(t->parts[i]))
			return true;
	return false;
}

static int check_key_column(struct new_table *n, struct new_column *c,
			    const char *name)
{
	struct execution *x = n->d->x;
	const struct type *t = c->type;

	if (type_is_multicell(t))
		return refuse(x, "Invalid non-frozen %s type %s for PRIMARY "
				 "KEY column '%s'",
			      t->kind == TYPE_UDT ? "user-defined" :
						    "collection",
			      text_of_key_type(n, t), name);
	if (t->kind == TYPE_COUNTER)
		return refuse(x, "counter type is not supported for PRIMARY "
				 "KEY column '%s'", name);
	if (has_duration(t))
		return refuse(x, "duration type is not supported for PRIMARY "
				 "KEY column '%s'", name);
	if (c->definition->is_static)
		return refuse(x, "Static column '%s' cannot be part of the "
				 "PRIMARY KEY", name);
	return 0;
}

static int check_key_columns(struct new_table *n,
			     const struct identifier *names, uint32_t count)
{
	struct execution *x = n->d->x;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		const char *name = text_of(x, names[i].text);
		struct new_column *c = new_table_column(n, names[i].text);

		if (!c)
			err = refuse(x, "Unknown column '%s' referenced in "
					"PRIMARY KEY for table '%s'", name,
				     n->name);
		else if (c->in_key)
			err = refuse(x, "Duplicate column '%s' in PRIMARY KEY "
					"clause for table '%s'", name,
				     n->name);
		else
			err = check_key_column(n, c, name);
		err = refuse_at(x, names[i].span, err);
		if (c)
			c->in_key = true;
	}
	return err;
}

/* ---------------------------------------------------------------- the order */
static bool is_clustering(const struct new_table *n, struct bytes name)
{
	for (uint32_t i = 0; i < n->s->clustering_key_count; i++)
		if (bytes_equal(n->s->clustering_key[i].text, name))
			return true;
	return false;
}

const struct clustering_order *new_table_order(const struct new_table *n,
					       struct bytes name)
{
	for (uint32_t i = 0; i < n->s->order_count; i++)
		if (bytes_equal(n->s->orders[i].column.text, name))
			return &n->s->orders[i];
	return NULL;
}

static int check_clustering_order(struct new_table *n)
{
	const struct create_table *s = n->s;
	struct execution *x = n->d->x;
	struct buf strange = BUF_INIT;

	for (uint32_t i = 0; i < s->order_count; i++) {
		if (is_clustering(n, s->orders[i].column.text))
			continue;
		buf_add_str(&strange, strange.len ? ", " : "");
		buf_add_bytes(&strange, s->orders[i].column.text);
	}
	if (strange.len || strange.failed)
		return refuse_at(x, s->orders[0].column.span,
				 refuse(x, "Only clustering key columns can be "
					"defined in CLUSTERING ORDER "
					"directive: [%s] are not clustering "
					"columns", text_of_buf(x, &strange)));
	for (uint32_t i = 0; i < s->order_count; i++) {
		struct bytes is = s->orders[i].column.text;
		struct bytes should = s->clustering_key[i].text;

		if (bytes_equal(is, should))
			continue;
		if (!new_table_order(n, should))
			return refuse(x, "Missing CLUSTERING ORDER for column "
					 "%s", text_of(x, should));
		return refuse(x, "The order of columns in the CLUSTERING ORDER "
				 "directive must match that of the clustering "
				 "columns (%s must appear before %s)",
			      text_of(x, should), text_of(x, is));
	}
	return 0;
}

/* ------------------------------------------------------- what is beside keys */
static bool has_statics(const struct new_table *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (n->columns[i].definition->is_static)
			return true;
	return false;
}

/* Compare bytes as Java has them: those from 80 on are negative. */
static int compare_signed(const void *a, const void *b)
{
	const struct bytes *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;

	for (size_t i = 0; i < len; i++)
		if (x->ptr[i] != y->ptr[i])
			return (int8_t)x->ptr[i] - (int8_t)y->ptr[i];
	return (x->len > y->len) - (x->len < y->len);
}

static int refuse_values(struct new_table *n, struct bytes *names,
			 uint32_t count)
{
	struct buf list = BUF_INIT;

	qsort(names, count, sizeof(*names), compare_signed);
	for (uint32_t i = 0; i < count; i++) {
		buf_add_str(&list, i ? ", " : "");
		buf_add_bytes(&list, names[i]);
	}
	return refuse(n->d->x, "COMPACT STORAGE with composite PRIMARY KEY "
			       "allows no more than one column not part of the "
			       "PRIMARY KEY (got: %s)",
		      text_of_buf(n->d->x, &list));
}

static int check_compact(struct new_table *n)
{
	struct execution *x = n->d->x;
	struct bytes *names = arena_alloc(x->arena, n->count * sizeof(*names));
	uint32_t values = 0;

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->count; i++) {
		if (n->columns[i].in_key)
			continue;
		if (type_is_multicell(n->columns[i].type))
			return refuse(x, "Non-frozen collections and UDTs are "
					 "not supported with COMPACT STORAGE");
		names[values++] = n->columns[i].definition->name.text;
	}
	if (has_statics(n))
		return refuse(x, "Static columns are not supported in COMPACT "
				 "STORAGE tables");
	if (!n->s->clustering_key_count)
		return values ? 0 : refuse(x, "No definition found that is not "
					      "part of the PRIMARY KEY");
	return values < 2 ? 0 : refuse_values(n, names, values);
}

static int check_counters(struct new_table *n, const struct table_options *o)
{
	uint32_t counters = 0, values = 0;

	for (uint32_t i = 0; i < n->count; i++) {
		if (n->columns[i].in_key)
			continue;
		values++;
		counters += n->columns[i].type->kind == TYPE_COUNTER;
	}
	if (!counters)
		return 0;
	n->table->flags |= TABLE_COUNTER;
	if (counters < values)
		return refuse(n->d->x, "Cannot mix counter and non counter "
				       "columns in the same table");
	if (o->default_time_to_live > 0)
		return refuse(n->d->x, "Cannot set default_time_to_live on a "
				       "table with counters");
	return 0;
}

int new_table_check(struct new_table *n)
{
	const struct create_table *s = n->s;
	int err = look_up_types(n);

	if (!err)
		err = check_key_columns(n, n->key, n->key_count);
	if (!err)
		err = check_key_columns(n, s->clustering_key,
					s->clustering_key_count);
	if (!err)
		err = check_clustering_order(n);
	if (!err && s->compact_storage)
		err = check_compact(n);
	else if (!err && !s->clustering_key_count && has_statics(n))
		err = refuse(n->d->x, "Static columns are only useful (and "
				      "thus allowed) if the table has at least "
				      "one clustering column");
	if (!err)
		err = check_counters(n, &n->table->options);
	return err;
}
