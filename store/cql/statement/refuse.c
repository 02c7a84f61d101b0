/*
 * What all parts of the executor use: refusing, texts for messages, names to
 * what they mean, and results that are a few rows.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/cql/expression/term.h"
#include "store/cql/statement/statement.h"
#include "store/cql/syntax/parse.h"
#include "store/store.h"

/* ------------------------------------------------------------ refusing */
static int refuse_list(struct execution *x, enum cql_code code,
		       const char *format, va_list list)
{
	struct cql_session *c = x->session;
	char small[256];
	char *text = small;
	va_list again;
	int len, err;

	if (x->quiet)
		return -EINVAL;
	va_copy(again, list);
	len = vsnprintf(small, sizeof(small), format, list);
	if (len >= (int)sizeof(small)) {
		text = arena_alloc(x->arena, (size_t)len + 1);
		if (text)
			vsnprintf(text, (size_t)len + 1, format, again);
	}
	va_end(again);
	if (!text || len < 0)
		return -ENOMEM;
	err = cql_error_set(&c->error, &c->error_arena, code, "%s", text);
	if (code == CQL_ALREADY_EXISTS && err == -EINVAL)
		return -EEXIST;
	return code == CQL_UNAUTHORIZED && err == -EINVAL ? -EACCES : err;
}

int refuse(struct execution *x, const char *format, ...)
{
	va_list list;
	int err;

	va_start(list, format);
	err = refuse_list(x, CQL_INVALID_REQUEST, format, list);
	va_end(list);
	return err;
}

int refuse_as(struct execution *x, enum cql_code code, const char *format, ...)
{
	va_list list;
	int err;

	va_start(list, format);
	err = refuse_list(x, code, format, list);
	va_end(list);
	return err;
}

int refuse_at(struct execution *x, struct span span, int err)
{
	struct cql_error *error = &x->session->error;

	if (err < 0 && !x->quiet && cql_error_is_set(error) &&
	    error->line < 0 && x->text.ptr)
		cql_error_at(error, x->text, span.offset, span.length);
	return err;
}

int refuse_markers(struct execution *x)
{
	return x->markers ? refuse(x, "Invalid amount of bind variables") : 0;
}

int refuse_type_error(struct execution *x, int err,
		      const struct type_error *error)
{
	return err == -EINVAL ? refuse(x, "%s", error->text) : err;
}

int store_failure(struct execution *x, int err)
{
	struct cql_session *c = x->session;

	if (err >= 0 || cql_error_is_set(&c->error))
		return err;
	if (err == -ENOMEM)
		return err;
	cql_error_set(&c->error, &c->error_arena,
		      err == -EROFS || err == -EACCES ? CQL_UNAUTHORIZED :
							CQL_SERVER_ERROR,
		      "%s",
		      err == -EUCLEAN ? "damaged data" :
		      err == -EROFS   ? "the store is read-only" :
		      file_is_full(err) ? FILE_FULL :
					strerror(-err));
	return err;
}

int write_failure(struct execution *x, const struct write *w, int err)
{
	if (err != -EINVAL || !w->refusal.len)
		return store_failure(x, err);
	return refuse_as(x, w->refused_late ? CQL_WRITE_FAILURE :
					      CQL_INVALID_REQUEST,
			 "%.*s", (int)w->refusal.len, w->refusal.ptr);
}

void warn(struct execution *x, const char *format, ...)
{
	struct warning *w = arena_alloc(x->arena, sizeof(*w));
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (!w)
		return;
	w->text = arena_strdup(x->arena, text);
	w->next = x->warnings;
	if (w->text)
		x->warnings = w;
}

/* --------------------------------------------------------------- texts */
const char *text_of(struct execution *x, struct bytes bytes)
{
	struct bytes copy = arena_copy(x->arena, bytes);

	return copy.ptr ? (const char *)copy.ptr : "";
}

const char *text_of_buf(struct execution *x, struct buf *buf)
{
	const char *text = text_of(x, buf_bytes(buf));

	if (buf->failed)	/* cut short: the statement ends with -ENOMEM */
		x->arena->failed = true;
	buf_release(buf);
	return text;
}

const char *text_of_type(struct execution *x, const struct type *t)
{
	struct buf buf = BUF_INIT;

	type_print(&buf, t, true);
	return text_of_buf(x, &buf);
}

const char *text_of_term(struct execution *x, const struct term *t)
{
	struct buf buf = BUF_INIT;

	term_print_known(&buf, t, term_keyspace(x));
	return text_of_buf(x, &buf);
}

const char *text_as_written(struct execution *x, const struct term *t)
{
	struct buf buf = BUF_INIT;

	term_print(&buf, t);
	return text_of_buf(x, &buf);
}

const char *text_of_table(struct execution *x, const struct table *t)
{
	struct buf buf = BUF_INIT;

	cql_print_name(&buf, bytes_str(t->keyspace));
	buf_add_byte(&buf, '.');
	cql_print_name(&buf, bytes_str(t->name));
	return text_of_buf(x, &buf);
}

/* -------------------------------------------------------------- values */
int keep_scratch(struct execution *x, struct bytes *value)
{
	if (x->scratch.failed) {
		buf_clear(&x->scratch);
		return -ENOMEM;
	}
	*value = arena_copy(x->arena, buf_bytes(&x->scratch));
	buf_clear(&x->scratch);
	return value->ptr ? 0 : -ENOMEM;
}

const struct type *own_type(struct execution *x, struct type *t)
{
	struct owned_type *owned;

	if (!t)
		return NULL;
	owned = arena_alloc(x->arena, sizeof(*owned));
	if (!owned) {
		type_put(t);
		return NULL;
	}
	owned->type = t;
	owned->next = x->types;
	x->types = owned;
	return t;
}

int64_t statement_timestamp(struct execution *x)
{
	if (!x->timestamp_us)
		x->timestamp_us = store_timestamp(x->store);
	return x->timestamp_us;
}

/* --------------------------------------------------------------- names */
int refuse_without_keyspace(struct execution *x)
{
	return refuse(x, "No keyspace has been specified. USE a keyspace, or "
			 "explicitly specify keyspace.tablename");
}

int resolve_keyspace(struct execution *x, const struct keyspace **out,
		     const struct identifier *name)
{
	struct bytes wanted = name->text;

	if (!identifier_is_given(name)) {
		if (!x->session->keyspace)
			return refuse_without_keyspace(x);
		wanted = bytes_str(x->session->keyspace);
	}
	*out = schema_keyspace(x->schema, wanted);
	if (!*out)
		return refuse_at(x, name->span,
				 refuse(x, "keyspace %s does not exist",
					text_of(x, wanted)));
	return 0;
}

bool may_enter(const struct execution *x, const struct keyspace *k,
	       const struct table *t)
{
	const struct cql_session *c = x->session;

	return !c->may || c->may(c->may_context, k, t, CQL_ENTER);
}

int require_entry(struct execution *x, const struct keyspace *k)
{
	if (may_enter(x, k, NULL))
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

int require_right(struct execution *x, const struct table *t,
		  enum cql_right right)
{
	struct cql_session *c = x->session;
	const struct keyspace *k;

	if (!c->may)
		return 0;
	k = schema_keyspace(x->schema, bytes_str(t->keyspace));
	if (k && c->may(c->may_context, k, t, right))
		return 0;
	return refuse_right(x, t->keyspace, t->name, right);
}

int resolve_table(struct execution *x, const struct table **out,
		  const struct table_name *name, enum cql_right right)
{
	const struct keyspace *k;
	int err = resolve_keyspace(x, &k, &name->keyspace);

	if (err)
		return err;
	/* Whether it is there is not said either. */
	if (!may_enter(x, k, NULL))
		return refuse_right(x, k->name, text_of(x, name->name.text),
				    right);
	*out = keyspace_table(k, name->name.text);
	if (!*out)
		return refuse_at(x, name->name.span,
				 refuse(x, "table %s does not exist",
					text_of(x, name->name.text)));
	return require_right(x, *out, right);
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

/* ------------------------------------------------------------- results */
struct cql_column *result_columns(struct cql_result *r, uint32_t count)
{
	r->columns = arena_zalloc(&r->arena, count, sizeof(*r->columns));
	r->column_count = count;
	return r->columns;
}

struct ready_rows {
	struct bytes **rows;
	size_t count, next;
};

static int ready_next(struct cql_result *r, const struct bytes **values)
{
	struct ready_rows *rows = r->state;

	if (rows->next == rows->count)
		return 0;
	*values = rows->rows[rows->next++];
	return 1;
}

int result_rows(struct cql_result *r, struct bytes **rows, size_t count)
{
	struct ready_rows *ready = arena_zalloc(&r->arena, 1, sizeof(*ready));

	if (!ready)
		return -ENOMEM;
	ready->rows = rows;
	ready->count = count;
	r->state = ready;
	r->next = ready_next;
	return 0;
}
