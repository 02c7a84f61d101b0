/* Dispatch statements to the functions that run them. */
#include "store/cql/statement/statement.h"

#include <errno.h>

#include "store/cql/cql.h"
#include "store/cql/modify/apply.h"
#include "store/cql/modify/conditional.h"
#include "store/store.h"
#include "store/cql/execute.h"
#include "store/cql/modify/batch.h"
#include "store/cql/modify/plan.h"
#include "store/cql/modify/prepare.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/select/select.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/text.h"

static int run_modification(struct cql_result *r, struct modification *m)
{
	struct execution *x = &r->execution;
	struct write *w = &x->session->write;
	bool conditional = modification_is_conditional(m), applies = true;
	int err = 0;

	if (conditional)
		err = conditional_run(r, m, 1, false, &applies);
	if (err || !applies)
		return err;
	err = modification_apply(x, m, w);
	return err ? err : modification_commit(x, w, conditional);
}

/* INSERT, UPDATE, DELETE. */
static int execute_modification(struct cql_result *r, const struct statement *s)
{
	struct execution *x = &r->execution;
	struct modification *m = arena_alloc(&r->arena, sizeof(*m));
	struct partition_ref *refs;
	int err = m ? modification_prepare(x, m, s) : -ENOMEM;

	if (!err)
		err = refuse_markers(x);
	if (!err)
		err = modification_validate(x, m);
	if (!err)
		err = modification_plan(x, m);
	if (err)
		return err;
	r->arena.limit = 0;
	refs = arena_alloc(&r->arena, (m->key_count + 1) * sizeof(*refs));
	if (!refs)
		return -ENOMEM;
	for (size_t i = 0; i < m->key_count; i++)
		refs[i] = (struct partition_ref){ m->table, m->keys[i] };
	write_lock(&x->session->write, refs, m->key_count);
	/* Under the lock: see write_lock. */
	if (!m->has_timestamp) {
		x->timestamp_us = 0;
		m->timestamp_us = execution_timestamp(x);
	}
	err = run_modification(r, m);
	write_clear(&x->session->write);
	return err;
}

static int execute_use(struct cql_result *r, const struct identifier *name)
{
	struct execution *x = &r->execution;
	const struct keyspace *k = schema_keyspace(x->schema, name->text);
	int err = k ? statement_require_entry(x, k) : 0;

	if (!err)
		err = cql_session_use(x->session, name->text);
	if (err == -ENOENT)
		return refuse_at(x, name->span,
				 refuse(x, "Keyspace '%s' does not exist",
					text_of(x, name->text)));
	return err;
}

static int execute_truncate(struct cql_result *r, const struct drop *d)
{
	struct execution *x = &r->execution;
	const struct table *t;
	int err = resolve_table(x, &t, &d->name, CQL_WRITE);

	if (err)
		return err;
	if (t->flags & TABLE_VIRTUAL)
		return refuse_as(x, CQL_UNAUTHORIZED, "%s keyspace is not "
				 "user-modifiable.", t->keyspace);
	return refuse_store_failure(x,
				    store_truncate(x->store,
						   (struct table *)t,
						   x->session->uid));
}

int execute_statement(struct cql_result *r, const struct statement *s)
{
	switch (s->kind) {
	case STATEMENT_SELECT:
		return select_execute(r, s->select);
	case STATEMENT_INSERT:
	case STATEMENT_UPDATE:
	case STATEMENT_DELETE:
		return execute_modification(r, s);
	case STATEMENT_BATCH:
		return batch_execute(r, s->batch);
	case STATEMENT_TRUNCATE:
		return execute_truncate(r, s->drop);
	case STATEMENT_USE:
		return execute_use(r, s->use);
	default:
		return ddl_execute(r, s);
	}
}
