/* The shell's backend in this process: a store that is not mounted. */
#include "tools/cql/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/store.h"
#include "tools/cql/interrupt.h"
#include "tools/lib/tool.h"

struct store_backend {
	struct cql_backend base;
	struct store *store;
	struct cql_session *session;
	struct cql_result *result;
	char *path;
};

static struct store_backend *of(struct cql_backend *b)
{
	return (struct store_backend *)b;
}

static int failed(struct store_backend *s, int err)
{
	s->base.error = *cql_session_error(s->session);
	if (!cql_error_is_set(&s->base.error)) {
		s->base.error.code = CQL_SERVER_ERROR;
		s->base.error.message = strerror(-err);
	}
	return err;
}

static void note_keyspace(struct store_backend *s)
{
	snprintf(s->base.keyspace, sizeof(s->base.keyspace), "%s",
		 cql_session_keyspace(s->session));
}

static void finish(struct cql_backend *b)
{
	struct store_backend *s = of(b);

	cql_result_free(s->result);
	s->result = NULL;
	b->columns = NULL;
	b->column_count = 0;
}

static int execute(struct cql_backend *b, struct bytes statement)
{
	struct store_backend *s = of(b);
	int err;

	finish(b);
	b->error = CQL_ERROR_INIT;
	err = mem_has_failed() ? -ENOMEM :	/* it may be cut short */
		cql_execute(s->session, statement, &s->result);
	if (err) {
		s->result = NULL;
		return failed(s, err);
	}
	note_keyspace(s);
	b->column_count = cql_result_column_count(s->result);
	b->columns = cql_result_columns(s->result);
	b->json = cql_result_is_json(s->result);
	return 0;
}

static int next(struct cql_backend *b, const struct bytes **values)
{
	struct store_backend *s = of(b);
	int more = s->result ? cql_result_next(s->result, values) : 0;

	return more < 0 ? failed(s, more) : more;
}

static const char *warning(struct cql_backend *b, uint32_t i)
{
	return of(b)->result ? cql_result_warning(of(b)->result, i) : NULL;
}

static bool trace(struct cql_backend *b, struct cql_trace *out)
{
	cql_session_trace(of(b)->session, out);
	return true;
}

static int close_store(struct cql_backend *b)
{
	struct store_backend *s = of(b);
	int err = 0;

	finish(b);
	cql_session_free(s->session);
	if (s->store)
		err = store_close(s->store);
	if (err)
		tool_complain(s->path, "the store was not closed cleanly: %s",
			      strerror(-err));
	mem_free(s->path);
	mem_free(s);
	return err;
}

static const struct cql_backend_ops ops = {
	.execute = execute, .next = next, .finish = finish,
	.warning = warning, .trace = trace, .close = close_store,
};

static bool is_interrupted(void *context)
{
	(void)context;
	return cql_interrupted();
}

int cql_store_open(struct cql_backend **out, const char *path, bool read_only)
{
	struct store_backend *s = mem_zalloc(1, sizeof(*s));
	mode_t mask = umask(0);
	int status;

	umask(mask);
	*out = NULL;
	if (!s) {
		tool_complain(path, "%s", strerror(ENOMEM));
		return TOOL_FAILED;
	}
	s->base.ops = &ops;
	s->base.error = CQL_ERROR_INIT;
	status = tool_open_store(&s->store, path, read_only);
	if (status) {
		mem_free(s);
		return status;
	}
	s->path = mem_copy(path, strlen(path));
	if (!s->path || cql_session_new(&s->session, s->store)) {
		tool_complain(path, "%s", strerror(ENOMEM));
		s->session = NULL;
		close_store(&s->base);
		return TOOL_FAILED;
	}
	cql_session_stop(s->session, is_interrupted, NULL);
	cql_session_owner(s->session, getuid(), getgid(), 0777 & ~mask);
	s->base.place = s->path;
	*out = &s->base;
	return TOOL_DONE;
}
