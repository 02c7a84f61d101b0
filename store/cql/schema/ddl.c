/*
 * Statements that change the schema: find their objects, check the rights,
 * refuse those that are not supported; then the edit itself, one function for
 * each (ddl.h).
 */
#include "store/cql/schema/ddl.h"

#include <errno.h>

#include "store/store.h"
#include "store/cql/schema/alter_table.h"
#include "store/cql/schema/create_table.h"
#include "store/cql/schema/describe.h"
#include "store/cql/schema/index.h"
#include "store/cql/schema/keyspace.h"
#include "store/cql/schema/mask.h"
#include "store/cql/schema/table_check.h"
#include "store/cql/schema/user_type.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"

#define NAME_MAX_LENGTH 65535

bool ddl_is_plain_name(struct bytes name, size_t longest)
{
	if (!name.len || name.len > longest)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return true;
}

int ddl_check_name(struct ddl *d, struct bytes name)
{
	if (name.len <= NAME_MAX_LENGTH)
		return 0;
	return refuse(d->x, "A name must not be longer than %d bytes (got %zu)",
		      NAME_MAX_LENGTH, name.len);
}

int ddl_begin(struct ddl *d)
{
	d->next = schema_copy(d->now);
	return d->next ? 0 : -ENOMEM;
}

int ddl_keyspace(struct ddl *d, const struct keyspace **k)
{
	*k = schema_keyspace(d->now, d->keyspace);
	if (*k)
		return 0;
	return refuse(d->x, "Keyspace '%s' doesn't exist",
		      text_of(d->x, d->keyspace));
}

int ddl_missing(struct ddl *d, bool if_exists, const struct identifier *name,
		const char *before, const char *after)
{
	if (if_exists)
		return 0;
	return refuse_at(d->x, name->span,
			 refuse(d->x, "%s%s.%s%s", before,
				text_of(d->x, d->keyspace),
				text_of(d->x, name->text), after));
}

bool ddl_is_definition(const struct ddl *d)
{
	return d->x->session->defined;
}

bool ddl_is_own_definition(const struct ddl *d)
{
	const char *defined = d->x->session->defined;

	return defined && bytes_equal(d->keyspace, bytes_str(defined));
}

int ddl_refuse_different(struct ddl *d, const char *what,
			 const struct identifier *name)
{
	return refuse_at(d->x, name->span,
			 refuse_as(d->x, CQL_ALREADY_EXISTS,
				   "%s \"%s.%s\" exists, and is not this one",
				   what, text_of(d->x, d->keyspace),
				   text_of(d->x, name->text)));
}

int ddl_set_table(struct ddl *d, struct table *t)
{
	int err = ddl_begin(d);

	if (err) {
		table_put(t);
		return err;
	}
	return schema_set_table(d->next, t);
}

int ddl_table(struct ddl *d, const struct keyspace *k, struct bytes name,
	      const struct table **t)
{
	*t = k ? keyspace_table(k, name) : NULL;
	return *t ? statement_require_right(d->x, *t, CQL_DDL) : 0;
}

/* Drop a keyspace with its tables: the user must be able to enter all of
 * them. */
static int drop_keyspace(struct ddl *d)
{
	const struct keyspace *k = schema_keyspace(d->now, d->keyspace);
	int err = 0;

	if (!k && d->statement->drop->if_exists)
		return 0;
	for (uint32_t i = 0; k && !err && i < k->table_count; i++)
		err = statement_require_right(d->x, k->tables[i], CQL_DDL);
	if (err)
		return err;
	err = k ? ddl_begin(d) : ddl_keyspace(d, &k);
	return err ? err : schema_remove_keyspace(d->next, d->keyspace);
}

static int drop_table(struct ddl *d)
{
	const struct drop *s = d->statement->drop;
	const struct table *t;
	int err = ddl_table(d, schema_keyspace(d->now, d->keyspace),
			    s->name.name.text, &t);

	if (err)
		return err;
	if (!t)
		return ddl_missing(d, s->if_exists, &s->name.name,
				   "Table '", "' doesn't exist");
	err = ddl_begin(d);
	return err ? err : schema_remove_table(d->next, d->keyspace,
					       s->name.name.text);
}

static int apply(struct ddl *d)
{
	switch (d->statement->kind) {
	case STATEMENT_CREATE_KEYSPACE:
		return keyspace_create(d);
	case STATEMENT_ALTER_KEYSPACE:
		return keyspace_alter(d);
	case STATEMENT_DROP_KEYSPACE:
		return drop_keyspace(d);
	case STATEMENT_CREATE_TABLE:
		return create_table(d);
	case STATEMENT_ALTER_TABLE:
		return alter_table(d);
	case STATEMENT_DROP_TABLE:
		return drop_table(d);
	case STATEMENT_CREATE_TYPE:
		return user_type_create(d);
	case STATEMENT_ALTER_TYPE:
		return user_type_alter(d);
	case STATEMENT_DROP_TYPE:
		return user_type_drop(d);
	case STATEMENT_CREATE_INDEX:
		return index_create(d);
	default:
		return index_drop(d);
	}
}

static int edit(void *context, const struct schema *now, struct schema **next)
{
	struct ddl *d = context;
	int err;

	d->now = now;
	err = apply(d);
	if (d->x->arena->failed)	/* names may be missing */
		err = -ENOMEM;
	if (err) {
		schema_put(d->next);
		d->next = NULL;
	}
	*next = d->next;
	return err;
}

/* ----------------------------------------------------- whom it concerns */
static const struct table_name *named_by(const struct statement *s)
{
	switch (s->kind) {
	case STATEMENT_CREATE_TABLE:
		return &s->create_table->table;
	case STATEMENT_ALTER_TABLE:
		return &s->alter_table->table;
	case STATEMENT_CREATE_TYPE:
		return &s->create_type->name;
	case STATEMENT_ALTER_TYPE:
		return &s->alter_type->name;
	case STATEMENT_CREATE_INDEX:
		return &s->create_index->table;
	case STATEMENT_DROP_TABLE:
	case STATEMENT_DROP_TYPE:
	case STATEMENT_DROP_INDEX:
		return &s->drop->name;
	default:
		return NULL;
	}
}

static int find_keyspace(struct ddl *d)
{
	const struct statement *s = d->statement;
	const struct table_name *name = named_by(s);

	if (s->kind == STATEMENT_DROP_KEYSPACE)
		d->keyspace = s->drop->name.name.text;
	else if (!name)
		d->keyspace = s->keyspace->name.text;
	else if (identifier_is_given(&name->keyspace))
		d->keyspace = name->keyspace.text;
	else if (d->x->session->keyspace)
		d->keyspace = bytes_str(d->x->session->keyspace);
	else
		return statement_refuse_without_keyspace(d->x);
	return 0;
}

static int check_rights(struct ddl *d)
{
	struct cql_session *c = d->x->session;
	const struct keyspace *k = schema_keyspace(d->x->schema, d->keyspace);
	bool create = d->statement->kind == STATEMENT_CREATE_KEYSPACE &&
		      !(k && ddl_is_definition(d));
	const char *name = text_of(d->x, d->keyspace);

	if (k && k->system)
		return create ? refuse(d->x, "System keyspace '%s' is not "
					     "user-modifiable", name) :
				refuse_as(d->x, CQL_UNAUTHORIZED,
					  "%s keyspace is not user-modifiable.",
					  name);
	if (!c->may || (!k && !create))
		return 0;
	if (create && !c->may(c->may_context, NULL, NULL, CQL_DDL))
		return refuse_as(d->x, CQL_UNAUTHORIZED,
				 "User has no CREATE permission on "
				 "<all keyspaces> or any of its parents");
	if (!create && !c->may(c->may_context, k, NULL, CQL_DDL))
		return refuse_as(d->x, CQL_UNAUTHORIZED,
				 "User has no ALTER permission on "
				 "<keyspace %s> or any of its parents", name);
	return 0;
}

/* ------------------------------------------------------- what is not ours */
static int refuse_kind(struct execution *x, enum statement_kind kind)
{
	switch (kind) {
	case STATEMENT_CREATE_VIEW:
	case STATEMENT_ALTER_VIEW:
	case STATEMENT_DROP_VIEW:
		return refuse(x, "Materialized views are disabled. Enable in "
				 "cassandra.yaml to use.");
	case STATEMENT_CREATE_FUNCTION:
	case STATEMENT_DROP_FUNCTION:
	case STATEMENT_CREATE_AGGREGATE:
	case STATEMENT_DROP_AGGREGATE:
		return refuse(x, "User-defined functions are disabled in "
				 "cassandra.yaml - set "
				 "user_defined_functions_enabled=true to "
				 "enable");
	case STATEMENT_CREATE_TRIGGER:
	case STATEMENT_DROP_TRIGGER:
		return refuse(x, "Triggers are not supported");
	default:
		return refuse_as(x, CQL_UNAUTHORIZED,
				 "You have to be logged in and not anonymous "
				 "to perform this request");
	}
}

static int move(void *context, struct table *from, struct table *to)
{
	struct ddl *d = context;
	struct cql_session *session = d->x->session;

	return session->adopt(session->adopt_context, from, to);
}

static int change_schema(struct ddl *d)
{
	struct schema_edit changes = {
		.edit = edit,
		.move = d->x->session->adopt ? move : NULL,
		.context = d,
		.owner = d->x->session->uid,
	};
	bool create = d->statement->kind == STATEMENT_CREATE_TABLE;
	int err = find_keyspace(d);

	if (!err && create)
		err = check_new_table(d);
	if (!err && d->statement->kind == STATEMENT_ALTER_TABLE &&
	    d->statement->alter_table->kind == ALTER_TABLE_MASK)
		err = mask_refuse(d);
	if (!err)
		err = check_rights(d);
	if (!err && !ddl_is_plain_name(d->keyspace, 48))
		err = refuse(d->x, "Keyspace name must not be empty, more than "
				  "48 characters long, or contain "
				  "non-alphanumeric-underscore characters "
				  "(got '%s')", text_of(d->x, d->keyspace));
	if (err)
		return err;
	err = store_edit_tables(d->x->store, &changes);
	if (err == -EEXIST && d->next)	/* the rows of a table are in the way */
		err = create_table_refuse_existing(d);
	return refuse_store_failure(d->x, err);
}

int ddl_execute(struct cql_result *r, const struct statement *s)
{
	struct execution *x = &r->execution;
	struct ddl d = { .x = x, .statement = s };
	int err;

	if (s->kind == STATEMENT_DESCRIBE)
		err = describe_execute(r, s->describe);
	else if (s->kind >= STATEMENT_CREATE_VIEW)
		err = refuse_kind(x, s->kind);
	else
		err = change_schema(&d);
	if (!err || !x->arena->failed)
		return err;
	/* A name for which there was no memory is not refused. */
	x->session->error = CQL_ERROR_INIT;
	return -ENOMEM;
}
