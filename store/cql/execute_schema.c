/* Statements that change the schema: each makes its next version. */
#include <errno.h>
#include <string.h>

#include "store/base/clock.h"
#include "store/cql/execute.h"
#include "store/schema/schema_edit.h"

struct edit {
	struct cql_result *result;
	const struct statement *statement;
	struct bytes keyspace;		/* that the statement is about */
	const struct schema *now;
	struct schema *next;
};

static int edit_keyspace(struct execution *x, const struct edit *e,
			 const struct keyspace **k)
{
	*k = schema_keyspace(e->now, e->keyspace);
	if (*k)
		return 0;
	return refuse(x, "Keyspace '%s' doesn't exist",
		      text_of(x, e->keyspace));
}

static int create_keyspace(struct execution *x, struct edit *e)
{
	const struct keyspace_statement *s = e->statement->keyspace;
	const char *name = text_of(x, s->name.text);
	const struct written_property *replication = NULL;
	struct keyspace *k;
	int err = 0;

	if (schema_keyspace(e->now, s->name.text))
		return s->if_not_exists ? 0 :
		       refuse_as(x, CQL_ALREADY_EXISTS,
				 "Cannot add existing keyspace \"%s\"", name);
	for (uint32_t i = 0; i < s->properties.count; i++)
		if (bytes_equal(s->properties.items[i].name.text,
				bytes_str("replication")))
			replication = &s->properties.items[i];
	if (!replication || !replication->is_map)
		return refuse_as(x, CQL_CONFIGURATION,
				 "Missing mandatory option 'replication'");
	k = keyspace_new(name);
	if (!k)
		return -ENOMEM;
	for (uint32_t i = 0; i < replication->entry_count && !err; i++)
		err = options_set(&k->replication, &k->replication_count,
				  text_of(x, replication->entries[i].key),
				  text_of(x, replication->entries[i].value));
	k->durable_writes = true;
	k->uid = x->session->uid;
	k->gid = x->session->gid;
	k->mode = x->session->mode;
	k->created_us = clock_now_us();
	e->next = err ? NULL : schema_copy(e->now);
	if (!e->next) {
		keyspace_put(k);
		return err ? err : -ENOMEM;
	}
	return schema_set_keyspace(e->next, k);
}

static int key_column(const struct identifier *names, uint32_t count,
		      struct bytes name)
{
	for (uint32_t i = 0; i < count; i++)
		if (bytes_equal(names[i].text, name))
			return (int)i;
	return -1;
}

static const struct column_definition *
find_definition(const struct create_table *s, struct bytes name)
{
	for (uint32_t i = 0; i < s->column_count; i++)
		if (bytes_equal(s->columns[i].name.text, name))
			return &s->columns[i];
	return NULL;
}

static int add_column(struct execution *x, struct table *t,
		      const struct column_definition *d, enum column_kind kind,
		      bool reversed)
{
	const struct type *type;
	struct type *own;
	int err = resolve_type(x, &type, d->type, bytes_str(t->keyspace));

	if (err)
		return err;
	if (type->kind == TYPE_COUNTER)
		t->flags |= TABLE_COUNTER;
	own = type_get((struct type *)type);
	err = table_add_column(t, text_of(x, d->name.text), own, kind,
			       reversed);
	return err < 0 ? err : 0;
}

static int add_keys(struct execution *x, struct table *t,
		    const struct create_table *s,
		    const struct identifier *names, uint32_t count,
		    enum column_kind kind)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		const struct column_definition *d =
			find_definition(s, names[i].text);
		bool descending = false;

		if (!d)
			return refuse(x, "Unknown column '%s' referenced in "
					 "PRIMARY KEY for table '%s'",
				      text_of(x, names[i].text), t->name);
		for (uint32_t o = 0; o < s->order_count; o++)
			if (bytes_equal(s->orders[o].column.text,
					names[i].text))
				descending = s->orders[o].descending;
		err = add_column(x, t, d, kind, descending);
	}
	return err;
}

static int fill_table(struct execution *x, struct table *t,
		      const struct create_table *s)
{
	const struct identifier *keys = s->partition_key;
	uint32_t key_count = s->partition_key_count;
	int err = 0;

	for (uint32_t i = 0; i < s->column_count && !key_count; i++) {
		if (!s->columns[i].primary_key)
			continue;
		keys = &s->columns[i].name;
		key_count = 1;
	}
	if (!key_count && !err)
		return refuse(x, "No PRIMARY KEY specifed for table '%s' "
				 "(exactly one required)", t->name);
	if (!err)
		err = add_keys(x, t, s, keys, key_count, COLUMN_PARTITION_KEY);
	if (!err)
		err = add_keys(x, t, s, s->clustering_key,
			       s->clustering_key_count, COLUMN_CLUSTERING);
	for (uint32_t i = 0; i < s->column_count && !err; i++) {
		const struct column_definition *d = &s->columns[i];

		if (key_column(keys, key_count, d->name.text) < 0 &&
		    key_column(s->clustering_key, s->clustering_key_count,
			       d->name.text) < 0)
			err = add_column(x, t, d, d->is_static ?
							  COLUMN_STATIC :
							  COLUMN_REGULAR,
					 false);
	}
	t->uid = x->session->uid;
	t->gid = x->session->gid;
	t->mode = x->session->mode;
	t->created_us = clock_now_us();
	uuid_new_random(t->id);
	return err ? err : table_finish(t);
}

static int create_table(struct execution *x, struct edit *e)
{
	const struct create_table *s = e->statement->create_table;
	const struct keyspace *k;
	struct table *t;
	int err = edit_keyspace(x, e, &k);

	if (err)
		return err;
	if (keyspace_table(k, s->table.name.text))
		return s->if_not_exists ? 0 :
		       refuse_as(x, CQL_ALREADY_EXISTS,
				 "Cannot add already existing table \"%s\" to "
				 "keyspace \"%s\"",
				 text_of(x, s->table.name.text), k->name);
	t = table_new(k->name, text_of(x, s->table.name.text));
	if (!t)
		return -ENOMEM;
	err = fill_table(x, t, s);
	e->next = err ? NULL : schema_copy(e->now);
	if (!e->next) {
		table_put(t);
		return err ? err : -ENOMEM;
	}
	return schema_set_table(e->next, t);
}

static int create_type(struct execution *x, struct edit *e)
{
	const struct create_type *s = e->statement->create_type;
	const struct keyspace *k;
	const struct type *part;
	struct type **parts, *udt;
	char **names;
	int err = edit_keyspace(x, e, &k);

	if (err)
		return err;
	if (keyspace_type(k, s->name.name.text))
		return s->if_not_exists ? 0 :
		       refuse(x, "A user type with name '%s' already exists",
			      text_of(x, s->name.name.text));
	parts = arena_zalloc(x->arena, s->field_count, sizeof(*parts));
	names = arena_zalloc(x->arena, s->field_count, sizeof(*names));
	if (!parts || !names)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->field_count && !err; i++) {
		names[i] = (char *)text_of(x, s->fields[i].name.text);
		err = resolve_type(x, &part, s->fields[i].type, e->keyspace);
		if (!err)
			parts[i] = type_get((struct type *)part);
	}
	udt = err ? NULL : type_new_udt(k->name,
					text_of(x, s->name.name.text), false,
					names, parts, s->field_count);
	if (!udt)
		return err ? err : -ENOMEM;
	e->next = schema_copy(e->now);
	return e->next ? schema_set_type(e->next, e->keyspace, udt) : -ENOMEM;
}

static int drop(struct execution *x, struct edit *e)
{
	const struct drop *s = e->statement->drop;
	struct bytes name = s->name.name.text;
	const struct keyspace *k = schema_keyspace(e->now, e->keyspace);
	bool keyspace = e->statement->kind == STATEMENT_DROP_KEYSPACE;

	if (!k && s->if_exists)
		return 0;
	if (!k)
		return refuse(x, "Keyspace '%s' doesn't exist",
			      text_of(x, e->keyspace));
	if (!keyspace && !keyspace_table(k, name))
		return s->if_exists ? 0 :
		       refuse(x, "Table '%s.%s' doesn't exist", k->name,
			      text_of(x, name));
	e->next = schema_copy(e->now);
	if (!e->next)
		return -ENOMEM;
	return keyspace ? schema_remove_keyspace(e->next, name) :
			  schema_remove_table(e->next, e->keyspace, name);
}

static int make_edit(void *context, const struct schema *now,
		     struct schema **next)
{
	struct edit *e = context;
	struct execution *x = &e->result->execution;
	int err;

	e->now = now;
	e->next = NULL;
	switch (e->statement->kind) {
	case STATEMENT_CREATE_KEYSPACE:
		err = create_keyspace(x, e);
		break;
	case STATEMENT_CREATE_TABLE:
		err = create_table(x, e);
		break;
	case STATEMENT_CREATE_TYPE:
		err = create_type(x, e);
		break;
	default:
		err = drop(x, e);
	}
	if (err) {
		schema_put(e->next);
		e->next = NULL;
	}
	*next = e->next;
	return err;
}

/* DDL needs the keyspace's right; a new keyspace that of the store. */
static int may_define(struct execution *x, const struct statement *s,
		      struct bytes keyspace)
{
	struct cql_session *c = x->session;
	const struct keyspace *k = s->kind == STATEMENT_CREATE_KEYSPACE ?
					   NULL :
					   schema_keyspace(x->schema, keyspace);

	if (!c->may || (!k && s->kind != STATEMENT_CREATE_KEYSPACE) ||
	    c->may(c->may_context, k, NULL, CQL_DDL))
		return 0;
	return refuse_as(x, CQL_UNAUTHORIZED,
			 "User has no CREATE, ALTER or DROP permission on "
			 "<keyspace %s> or any of its parents",
			 text_of(x, keyspace));
}

int execute_schema(struct cql_result *r, const struct statement *s)
{
	struct execution *x = &r->execution;
	struct edit e = { .result = r, .statement = s };
	const struct table_name *name = NULL;
	int err;

	switch (s->kind) {
	case STATEMENT_CREATE_KEYSPACE:
		e.keyspace = s->keyspace->name.text;
		break;
	case STATEMENT_CREATE_TABLE:
		name = &s->create_table->table;
		break;
	case STATEMENT_CREATE_TYPE:
		name = &s->create_type->name;
		break;
	case STATEMENT_DROP_KEYSPACE:
		e.keyspace = s->drop->name.name.text;
		break;
	case STATEMENT_DROP_TABLE:
		name = &s->drop->name;
		break;
	default:
		return refuse(x, "This statement is not supported");
	}
	if (name && identifier_is_given(&name->keyspace))
		e.keyspace = name->keyspace.text;
	else if (name)
		e.keyspace = bytes_str(cql_session_keyspace(x->session));
	if (!e.keyspace.len)
		return refuse(x, "No keyspace has been specified. USE a "
				 "keyspace, or explicitly specify "
				 "keyspace.tablename");
	err = may_define(x, s, e.keyspace);
	return err ? err : store_failure(x, store_edit_schema(x->store,
							      make_edit, &e));
}
