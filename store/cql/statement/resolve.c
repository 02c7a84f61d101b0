/* Resolve names to objects, and check the user's rights on them. */
#include <errno.h>

#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/statement.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/parse.h"

int statement_refuse_without_keyspace(struct execution *x)
{
	return refuse(x, "No keyspace has been specified. USE a keyspace, or "
			 "explicitly specify keyspace.tablename");
}

static int resolve_keyspace(struct execution *x, const struct keyspace **out,
			    const struct identifier *name)
{
	struct bytes wanted = name->text;

	if (!identifier_is_given(name)) {
		if (!x->session->keyspace)
			return statement_refuse_without_keyspace(x);
		wanted = bytes_str(x->session->keyspace);
	}
	*out = schema_keyspace(x->schema, wanted);
	if (!*out)
		return refuse_at(x, name->span,
				 refuse(x, "keyspace %s does not exist",
					text_of(x, wanted)));
	return 0;
}

bool statement_may_enter(const struct execution *x, const struct keyspace *k,
			 const struct table *t)
{
	const struct cql_session *c = x->session;

	return !c->may || c->may(c->may_context, k, t, CQL_ENTER);
}

int statement_require_entry(struct execution *x, const struct keyspace *k)
{
	if (statement_may_enter(x, k, NULL))
		return 0;
	return refuse_as(x, CQL_UNAUTHORIZED,
			 "User has no DESCRIBE permission on <keyspace %s> or "
			 "any of its parents", k->name);
}

static int refuse_right(struct execution *x, const char *keyspace,
			const char *table, enum cql_right right)
{
	static const char *const names[] = {
		[CQL_ENTER] = "DESCRIBE", [CQL_READ] = "SELECT",
		[CQL_WRITE] = "MODIFY", [CQL_DDL] = "ALTER",
	};

	return refuse_as(x, CQL_UNAUTHORIZED,
			 "User has no %s permission on <table %s.%s> or any "
			 "of its parents", names[right], keyspace, table);
}

/* k: its keyspace, or NULL. */
static int require_right(struct execution *x, const struct keyspace *k,
			 const struct table *t, enum cql_right right)
{
	struct cql_session *c = x->session;

	if (!c->may || (k && c->may(c->may_context, k, t, right)))
		return 0;
	return refuse_right(x, t->keyspace, t->name, right);
}

int statement_require_right(struct execution *x, const struct table *t,
			    enum cql_right right)
{
	return require_right(x, schema_keyspace(x->schema,
						bytes_str(t->keyspace)),
			     t, right);
}

int resolve_table(struct execution *x, const struct table **out,
		  const struct table_name *name, enum cql_right right)
{
	const struct keyspace *k;
	int err = resolve_keyspace(x, &k, &name->keyspace);

	if (err)
		return err;
	/* Do not reveal either whether it exists. */
	if (!statement_may_enter(x, k, NULL))
		return refuse_right(x, k->name, text_of(x, name->name.text),
				    right);
	*out = keyspace_table(k, name->name.text);
	if (!*out)
		return refuse_at(x, name->name.span,
				 refuse(x, "table %s does not exist",
					text_of(x, name->name.text)));
	return require_right(x, k, *out, right);
}

int resolve_column(struct execution *x, const struct column **out,
		   const struct table *t, const struct identifier *name)
{
	int place = table_column(t, name->text);
	struct buf buf = BUF_INIT;

	if (place >= 0) {
		*out = &t->columns[place];
		return 0;
	}
	cql_print_name(&buf, name->text);
	return refuse_at(x, name->span,
			 refuse(x, "Undefined column name %s in table %s",
				text_of_buf(x, &buf), text_of_table(x, t)));
}
