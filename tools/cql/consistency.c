/*
 * Consistency levels: with one replica every level is satisfied, but what a
 * cluster refuses is refused here too, so that a program learns of it early.
 */
#include "tools/cql/consistency.h"

#include "store/cql/syntax/parse.h"
#include "store/type/value.h"

const char *const shell_consistency_levels[] = {
	"ANY", "ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM",
	"EACH_QUORUM", "SERIAL", "LOCAL_SERIAL", "LOCAL_ONE", "NODE_LOCAL", NULL
};

const char *shell_consistency_level(struct bytes name)
{
	const char *const *level = shell_consistency_levels;

	while (*level && (name.len != strlen(*level) ||
			  strncasecmp((const char *)name.ptr, *level, name.len)))
		level++;
	return *level;
}

/* True if the table has a counter. False where that is not known. */
static bool is_counter(struct shell *shell, const struct table_name *name)
{
	struct cql_backend *b = shell->backend;
	struct bytes keyspace = identifier_is_given(&name->keyspace) ?
		name->keyspace.text : bytes_str(b->keyspace);
	struct buf query = BUF_INIT;
	const struct bytes *values;
	bool found = false;

	buf_add_str(&query, "SELECT type FROM system_schema.columns WHERE "
		    "keyspace_name = ");
	type_print_literal(&query, type_native(TYPE_TEXT), keyspace);
	buf_add_str(&query, " AND table_name = ");
	type_print_literal(&query, type_native(TYPE_TEXT), name->name.text);
	if (!query.failed && !b->ops->execute(b, buf_bytes(&query)))
		while (b->ops->next(b, &values) > 0)
			if (bytes_equal(values[0], bytes_str("counter")))
				found = true;
	b->ops->finish(b);
	buf_release(&query);
	return found;
}

static bool has_condition(const struct if_clause *c)
{
	return c->exists || c->not_exists || c->condition_count;
}

static bool is_conditional(const struct statement *s)
{
	uint32_t i;

	switch (s->kind) {
	case STATEMENT_INSERT:
		return s->insert->if_not_exists;
	case STATEMENT_UPDATE:
		return has_condition(&s->update->condition);
	case STATEMENT_DELETE:
		return has_condition(&s->delete->condition);
	case STATEMENT_BATCH:
		for (i = 0; i < s->batch->statement_count; i++)
			if (is_conditional(s->batch->statements[i]))
				return true;
		return false;
	default:
		return false;
	}
}

/* Return the table that a statement writes; of a batch that of the first
 * one. */
static const struct table_name *table_of(const struct statement *s)
{
	switch (s->kind) {
	case STATEMENT_INSERT:
		return &s->insert->table;
	case STATEMENT_UPDATE:
		return &s->update->table;
	case STATEMENT_DELETE:
		return &s->delete->table;
	case STATEMENT_BATCH:
		return s->batch->statement_count
			       ? table_of(s->batch->statements[0])
			       : NULL;
	default:
		return NULL;
	}
}

static void check_write(struct shell *shell, const struct statement *s,
			bool any, struct arena *arena, struct cql_error *error)
{
	const struct table_name *table = table_of(s);

	if (is_conditional(s)) {
		if (!any)
			cql_error_set(error, arena, CQL_INVALID_REQUEST,
				      "%s is not supported as conditional "
				      "update commit consistency. Use ANY if "
				      "you mean \"make sure it is accepted but "
				      "I don't care how many replicas commit "
				      "it for non-SERIAL reads\"",
				      shell->consistency);
	} else if (table && is_counter(shell, table)) {
		if (any)
			cql_error_set(error, arena, CQL_INVALID_REQUEST,
				      "Consistency level ANY is not yet "
				      "supported for counter table %s",
				      (const char *)table->name.text.ptr);
		else
			cql_error_set(error, arena, CQL_INVALID_REQUEST,
				      "Counter operations are inherently "
				      "non-serializable");
	} else if (!any) {
		cql_error_set(error, arena, CQL_INVALID_REQUEST,
			      "You must use conditional updates for "
			      "serializable writes");
	}
}

bool shell_consistency_allows(struct shell *shell, struct bytes statement,
			      struct arena *arena, struct cql_error *error)
{
	bool any = !strcmp(shell->consistency, "ANY");
	struct cql_error ignored = CQL_ERROR_INIT;
	struct statement *s;

	if (!any && !strstr(shell->consistency, "SERIAL"))
		return true;
	if (cql_parse(arena, &s, statement, NULL, &ignored))
		return true;	/* refused where all others are */
	if (s->kind == STATEMENT_SELECT && any)
		cql_error_set(error, arena, CQL_INVALID_REQUEST,
			      "ANY ConsistencyLevel is only supported for "
			      "writes");
	else if (table_of(s))
		check_write(shell, s, any, arena, error);
	return !cql_error_is_set(error);
}
