/* COPY … TO: a SELECT as CSV that COPY … FROM, here and in cqlsh, reads. */
#include <errno.h>

#include "tools/cql_copy.h"

/* The partition key's columns in their order, for token(). */
static int add_partition_key(struct copy *c, struct buf *query)
{
	struct cql_backend *b = c->shell->backend;
	struct bytes names[64];
	const struct bytes *values;
	struct buf text = BUF_INIT;
	uint32_t position, count = 0, i;
	int more;

	memset(names, 0, sizeof(names));
	more = copy_ask_columns(c, &text);
	while (!more && (more = b->ops->next(b, &values)) > 0) {
		more = 0;
		if (!bytes_equal(values[1], bytes_str("partition_key")) ||
		    values[2].len != 4)
			continue;
		position = get_be32(values[2].ptr);
		if (position >= ARRAY_SIZE(names))
			continue;
		names[position] = arena_copy(&c->arena, values[0]);
		count = position >= count ? position + 1 : count;
	}
	if (more < 0)
		shell_error(c->shell, &b->error, buf_bytes(&text));
	b->ops->finish(b);
	buf_release(&text);
	for (i = 0; i < count; i++) {
		buf_add_str(query, i ? ", " : "token(");
		name_print(query, names[i]);
	}
	buf_add_byte(query, ')');
	return more < 0 ? more : 0;
}

static int add_bound(struct copy *c, struct buf *query, const char *before,
		     const char *op, struct bytes token)
{
	int err;

	buf_add_str(query, before);
	err = add_partition_key(c, query);
	buf_add_str(query, op);
	buf_add_bytes(query, token);
	return err;
}

static int make_query(struct copy *c, struct buf *query)
{
	bool begin = c->begin_token.len, end = c->end_token.len;
	size_t i;
	int err = 0;

	buf_add_str(query, "SELECT ");
	for (i = 0; i < c->column_count; i++) {
		buf_add_str(query, i ? ", " : "");
		buf_add_bytes(query, c->columns[i].name);
	}
	buf_add_str(query, " FROM ");
	buf_add_bytes(query, c->target);
	if (begin)
		err = add_bound(c, query, " WHERE ", " > ", c->begin_token);
	if (!err && end)
		err = add_bound(c, query, begin ? " AND " : " WHERE ", " <= ",
				c->end_token);
	if (c->max_rows > 0)
		buf_add_format(query, " LIMIT %ld", c->max_rows);
	buf_add_byte(query, ';');
	return query->failed ? -ENOMEM : err;
}

/* Where the rows go: STDOUT, or a file after the other (MAXOUTPUTSIZE). */
struct export {
	struct copy *copy;
	struct buf out, text;		/* not written yet; a value */
	FILE *file;
	uint64_t files, rows;		/* rows: in this file */
	bool told;			/* what went wrong */
};

static void add_header(struct export *ex)
{
	struct copy *c = ex->copy;
	uint32_t i;

	for (i = 0; i < c->column_count; i++) {
		if (i)
			buf_add_byte(&ex->out, c->style.delimiter);
		csv_add(&ex->out, &c->style, c->columns[i].bare);
	}
	buf_add_byte(&ex->out, '\n');
}

/* 0 or -errno, after the message. */
static int open_file(struct export *ex)
{
	struct copy *c = ex->copy;
	struct buf name = BUF_INIT;
	int err = 0;

	ex->rows = 0;
	if (c->path) {
		buf_add_str(&name, c->path);
		if (ex->files)
			buf_add_format(&name, ".%llu",
				       (unsigned long long)ex->files);
		ex->file = fopen(buf_cstr(&name), "we");
	} else {
		ex->file = c->shell->out;
	}
	if (!ex->file) {
		err = -errno;
		ex->told = true;
		shell_complain(c->shell, "Could not open %s: %s",
			       buf_cstr(&name), strerror(-err));
	}
	buf_release(&name);
	ex->files += !err;
	if (!err && c->header)
		add_header(ex);
	return err;
}

static int write_out(struct export *ex)
{
	struct bytes out = buf_bytes(&ex->out);
	int err = ex->out.failed ? -ENOMEM : 0;

	errno = 0;
	if (!err && out.len && fwrite(out.ptr, 1, out.len, ex->file) != out.len)
		err = errno ? -errno : -EIO;
	buf_clear(&ex->out);
	return err;
}

static int close_file(struct export *ex)
{
	int err = ex->file ? write_out(ex) : 0;

	if (ex->file && (ex->copy->path ? fclose(ex->file) : fflush(ex->file)) &&
	    !err)
		err = -errno;
	ex->file = NULL;
	return err;
}

static int write_row(struct export *ex, const struct bytes *values)
{
	struct copy *c = ex->copy;
	struct cql_backend *b = c->shell->backend;
	uint32_t i;
	int err;

	if (c->max_output > 0 && ex->rows == (uint64_t)c->max_output) {
		err = close_file(ex);
		if (!err)
			err = open_file(ex);
		if (err)
			return err;
	}
	for (i = 0; i < b->column_count; i++) {
		bool null = bytes_is_null(values[i]);

		buf_clear(&ex->text);
		if (i)
			buf_add_byte(&ex->out, c->style.delimiter);
		if (!null)
			copy_print_text(&ex->text, c, b->columns[i].type,
					values[i]);
		csv_add(&ex->out, &c->style, null ? BYTES_NULL
						  : buf_bytes(&ex->text));
		ex->out.failed = ex->out.failed || ex->text.failed;
	}
	buf_add_byte(&ex->out, '\n');
	ex->rows++;
	c->rows++;
	copy_progress(c, false);
	return ex->out.len >= 65536 || ex->out.failed ? write_out(ex) : 0;
}

static int write_rows(struct export *ex)
{
	struct copy *c = ex->copy;
	struct cql_backend *b = c->shell->backend;
	const struct bytes *values;
	int more = 0;

	while (c->max_rows < 0 || c->rows < (uint64_t)c->max_rows) {
		more = b->ops->next(b, &values);
		if (more > 0 && cql_interrupted())
			more = -EINTR;
		if (more > 0)
			more = write_row(ex, values);
		else
			break;
		if (more)
			break;
	}
	return more;
}

void copy_to(struct copy *c)
{
	struct cql_backend *b = c->shell->backend;
	struct export ex = { .copy = c, .out = BUF_INIT, .text = BUF_INIT };
	struct buf query = BUF_INIT;
	int err = make_query(c, &query), closed;

	if (!err)
		err = b->ops->execute(b, buf_bytes(&query));
	if (!err)	/* a statement that is refused leaves the file alone */
		err = open_file(&ex);
	if (!err)
		err = write_rows(&ex);
	copy_progress(c, true);
	closed = close_file(&ex);
	err = err ? err : closed;
	if (err && !ex.told)
		copy_failed(c, c->path ? c->path : "STDOUT", err,
			    buf_bytes(&query));
	b->ops->finish(b);
	fprintf(stderr, "%llu rows exported to %llu files in %.3f seconds.\n",
		(unsigned long long)c->rows, (unsigned long long)ex.files,
		copy_seconds(c));
	buf_release(&query);
	buf_release(&ex.out);
	buf_release(&ex.text);
}
