/* Refuse a statement; report refusals of the store; warnings. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/base/file.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/statement.h"

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

int refuse_store_failure(struct execution *x, int err)
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

int refuse_write_failure(struct execution *x, const struct write *w, int err)
{
	if ((err != -EINVAL && err != -EFBIG) || !w->refusal.len)
		return refuse_store_failure(x, err);
	return refuse_as(x, w->refused_late ? CQL_WRITE_FAILURE :
					      CQL_INVALID_REQUEST,
			 "%.*s", (int)w->refusal.len, w->refusal.ptr);
}

void statement_warn(struct execution *x, const char *format, ...)
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
