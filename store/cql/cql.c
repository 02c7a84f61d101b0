#include "store/cql/cql.h"

#include <errno.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/cql/statement/statement.h"
#include "store/cql/syntax/parse.h"
#include "store/cql/where/where.h"
#include "store/table/present.h"
#include "store/cql/execute.h"

/*
 * Memory of a statement until it runs, beside a multiple of its text: short
 * values take some three hundred times theirs, and no user may take all of the
 * machine's memory for one write. The data that it reads then is not limited.
 */
#define STATEMENT_SPACE ((size_t)1 << 30)
#define TEXT_SHARE 8
/* A text up to LOOK_MAX is looked at with each piece, a longer one with pieces
 * of at least that share of it. */
#define LOOK_MAX 8192
#define LOOK_SHARE 16
/* Most memory of a buffer that is kept for the next statement. */
#define SPARE_MAX ((size_t)1 << 20)

int cql_session_new(struct cql_session **out, struct store *s)
{
	struct cql_session *c = mem_zalloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->store = s;
	c->mode = 0777;
	c->space = STATEMENT_SPACE;
	c->error = CQL_ERROR_INIT;
	c->error_arena = ARENA_INIT;
	write_init(&c->write, s);
	if (c->write.failed) {
		cql_session_free(c);
		return -ENOMEM;
	}
	*out = c;
	return 0;
}

static void result_release(struct cql_result *r)
{
	buf_release(&r->execution.scratch);
	arena_release(&r->arena);
	mem_free(r);
}

void cql_session_free(struct cql_session *c)
{
	if (!c)
		return;
	if (c->spare)
		result_release(c->spare);
	write_release(&c->write);
	arena_release(&c->error_arena);
	mem_free(c->keyspace);
	mem_free(c);
}

void cql_session_rights(struct cql_session *c, cql_may *may, void *context)
{
	c->may = may;
	c->may_context = context;
}

void cql_session_adopt(struct cql_session *c, cql_adopt *adopt, void *context)
{
	c->adopt = adopt;
	c->adopt_context = context;
}

void cql_session_define(struct cql_session *c, const char *keyspace,
			enum cql_difference difference)
{
	c->defined = keyspace;
	c->difference = difference;
	c->drops = c->drops && !keyspace;
}

void cql_session_base(struct cql_session *c, const struct schema *base)
{
	c->base = base;
}

bool cql_session_drops(const struct cql_session *c)
{
	return c->drops;
}

void cql_session_stop(struct cql_session *c, bool (*stop)(void *context),
		      void *context)
{
	c->watch.stop = stop;
	c->watch.context = context;
}

void cql_session_owner(struct cql_session *c, uid_t uid, gid_t gid, mode_t mode)
{
	c->uid = uid;
	c->gid = gid;
	c->mode = mode;
}

const char *cql_session_keyspace(const struct cql_session *c)
{
	return c->keyspace ? c->keyspace : "";
}

int cql_session_use(struct cql_session *c, struct bytes keyspace)
{
	struct schema *schema = store_schema(c->store);
	bool there = schema && schema_keyspace(schema, keyspace);
	char *copy = there ? mem_copy(keyspace.ptr, keyspace.len) : NULL;

	schema_put(schema);
	if (!there)
		return -ENOENT;
	if (!copy)
		return -ENOMEM;
	mem_free(c->keyspace);
	c->keyspace = copy;
	return 0;
}

/* A result's memory is used again: a point statement allocates nothing. */
static struct cql_result *result_new(struct cql_session *c)
{
	struct cql_result *r = c->spare;
	struct execution *x;

	c->spare = NULL;
	if (!r) {
		r = mem_zalloc(1, sizeof(*r));
		if (!r)
			return NULL;
		r->arena = ARENA_INIT;
		r->execution.scratch = BUF_INIT;
	}
	x = &r->execution;
	x->session = c;
	x->store = c->store;
	x->arena = &r->arena;
	x->schema = store_schema(c->store);
	x->now_s = store_now_s(c->store);
	x->begun_ns = clock_monotonic_ns();
	if (!x->schema) {
		result_release(r);
		return NULL;
	}
	return r;
}

void cql_result_free(struct cql_result *r)
{
	struct execution *x;
	struct arena arena;
	struct buf scratch;

	if (!r)
		return;
	x = &r->execution;
	if (r->close)
		r->close(r);
	for (struct owned_type *t = x->types; t; t = t->next)
		type_put(t->type);
	schema_put(x->schema);
	if (x->session->spare) {
		result_release(r);
		return;
	}
	arena_clear(&r->arena);
	buf_clear(&x->scratch);
	if (x->scratch.cap > SPARE_MAX)
		buf_release(&x->scratch);
	arena = r->arena;
	scratch = x->scratch;
	x->session->spare = r;
	memset(r, 0, sizeof(*r));
	r->arena = arena;
	r->execution.scratch = scratch;
}

static void end_trace(struct cql_result *r)
{
	struct execution *x = &r->execution;

	x->session->trace.microseconds =
		(int64_t)(clock_monotonic_ns() - x->begun_ns) / 1000;
}

/* Refuse for memory: -ENOMEM, with a reason if there is none yet. */
static int refuse_space(struct cql_session *c, size_t limit)
{
	if (cql_error_is_set(&c->error))
		return -ENOMEM;
	if (limit)
		cql_error_set(&c->error, &c->error_arena, CQL_SERVER_ERROR,
			      "out of memory (until it runs a statement has "
			      "%zu MiB)", limit >> 20);
	else
		cql_error_set(&c->error, &c->error_arena, CQL_SERVER_ERROR,
			      "out of memory");
	return -ENOMEM;
}

/* Make it the session's error, with a copy of its message, which must outlive
 * the statement's arena. */
static void keep_error(struct cql_session *c, struct cql_error error)
{
	arena_clear(&c->error_arena);
	c->error = error;
	c->error.message = arena_strdup(&c->error_arena, error.message);
	if (!c->error.message)
		c->error.message = "";
}

static int execute(struct cql_session *c, struct bytes statement,
		   struct bytes after_key, const struct bytes *after_clustering,
		   struct cql_result **result)
{
	struct cql_result *r;
	struct statement *s;
	int err;

	*result = NULL;
	if (cql_error_is_set(&c->error)) {
		c->error = CQL_ERROR_INIT;
		arena_clear(&c->error_arena);
	}
	memset(&c->trace, 0, sizeof(c->trace));
	watch_clear(&c->watch);
	r = result_new(c);
	if (!r)
		return -ENOMEM;
	r->execution.text = statement;
	r->execution.after_key = after_key;
	r->execution.after_clustering = after_clustering;
	r->arena.limit = c->space + TEXT_SHARE * statement.len;
	err = cql_parse(&r->arena, &s, statement, NULL, &c->error);
	if (err)
		keep_error(c, c->error);
	else
		err = execute_statement(r, s);
	r->execution.text = BYTES_NULL;
	r->execution.after_key = BYTES_NULL;
	r->execution.after_clustering = NULL;
	if (!err && (r->arena.failed || r->execution.scratch.failed))
		err = -ENOMEM;
	if (err) {
		if (err == -ENOMEM)
			err = refuse_space(c, r->arena.limit);
		cql_result_free(r);
		return err;
	}
	r->arena.limit = 0;
	*result = r;
	return 0;
}

/* Choose the error: a refusal of the statement is -EINVAL, a failure while it
 * ran is -EIO. */
static int error_number(const struct cql_session *c, int err)
{
	if (err != -EINVAL)
		return err;
	switch (c->error.code) {
	case CQL_SERVER_ERROR:
	case CQL_TRUNCATE_ERROR:
	case CQL_READ_FAILURE:
	case CQL_FUNCTION_FAILURE:
	case CQL_WRITE_FAILURE:
		return -EIO;
	default:
		return err;
	}
}

int cql_execute_after(struct cql_session *c, struct bytes statement,
		      struct bytes partition_key,
		      const struct bytes *clustering,
		      struct cql_result **result)
{
	struct watch *before = watch_set(&c->watch);
	int err = execute(c, statement, partition_key, clustering, result);

	watch_set(before);
	return error_number(c, err);
}

int cql_may_begin(struct cql_session *c, struct bytes text, size_t added)
{
	struct cql_error error;
	struct arena arena = ARENA_INIT;
	int err;

	if (text.len > LOOK_MAX && text.len / LOOK_SHARE > added)
		return 0;
	arena.limit = c->space + TEXT_SHARE * text.len;
	err = cql_parse_begin(&arena, text, &error);
	if (err == -EINVAL)
		keep_error(c, error);
	arena_release(&arena);
	return err == -EINVAL ? err : 0;
}

int cql_execute(struct cql_session *c, struct bytes statement,
		struct cql_result **result)
{
	return cql_execute_after(c, statement, BYTES_NULL, NULL, result);
}

bool cql_error_needs_index(const struct cql_error *error)
{
	return error->code == CQL_INVALID_REQUEST &&
	       (!strcmp(error->message, NEEDS_FILTERING) ||
		!strncmp(error->message, LIKE_NEEDS_INDEX,
			 sizeof(LIKE_NEEDS_INDEX) - 1));
}

const struct cql_error *cql_session_error(const struct cql_session *c)
{
	return &c->error;
}

void cql_session_trace(const struct cql_session *c, struct cql_trace *trace)
{
	*trace = c->trace;
	trace->tombstones += c->watch.tombstones;
	trace->sstables = c->watch.file_count;
	trace->file_count = c->watch.file_count < WATCH_FILES ?
				    c->watch.file_count : WATCH_FILES;
	trace->files = c->watch.files;
}

uint32_t cql_result_column_count(const struct cql_result *r)
{
	return r->column_count;
}

const struct cql_column *cql_result_columns(const struct cql_result *r)
{
	return r->columns;
}

int cql_result_next(struct cql_result *r, const struct bytes **values)
{
	struct cql_session *c = r->execution.session;
	struct watch *before = watch_set(&c->watch);
	int more = r->next ? r->next(r, values) : 0;

	watch_set(before);
	if (more > 0)
		c->trace.rows_given++;
	else
		end_trace(r);
	return error_number(c, more);
}

void cql_result_rest(struct cql_result *r)
{
	if (r->rest)
		r->rest(r);
}

void cql_result_memory(const struct cql_result *r, struct memory_use *m)
{
	m->bytes += sizeof(*r) + r->arena.total + r->execution.scratch.cap;
	if (r->memory)
		r->memory(r, m);
}

const char *cql_result_warning(const struct cql_result *r, uint32_t i)
{
	const struct warning *w = r->execution.warnings;
	uint32_t count = 0;

	for (const struct warning *n = w; n; n = n->next)
		count++;
	if (i >= count)
		return NULL;
	while (count - 1 > i) {
		w = w->next;
		count--;
	}
	return w->text;
}

uint32_t cql_result_table(const struct cql_result *r)
{
	return r->table_number;
}

bool cql_result_is_json(const struct cql_result *r)
{
	return r->json;
}
