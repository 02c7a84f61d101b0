/* COPY … TO: a SELECT as CSV that COPY … FROM, here and in cqlsh, reads. */
#include "tools/cql/copy/to.h"

#include <errno.h>

#include "tools/cql/copy/text.h"
#include "tools/cql/interrupt.h"
#include "tools/cql/run.h"

/* Put the name at its position among those of a key. */
static void put_name(struct buf *names, uint32_t position, struct bytes name)
{
	const struct bytes none = BYTES_NULL;
	size_t at = position * sizeof(name);

	while (names->len <= at && !names->failed)
		buf_add(names, &none, sizeof(none));
	if (!names->failed)
		memcpy(names->ptr + at, &name, sizeof(name));
}

/* token() of the partition key's columns. 0 or -errno. */
static int add_token(struct copy *c, struct buf *out)
{
	struct cql_backend *b = c->shell->backend;
	struct buf text = BUF_INIT, names = BUF_INIT;
	const struct bytes *values;
	struct bytes name;
	int more = copy_ask_columns(c, &text);

	while (!more && (more = b->ops->next(b, &values)) > 0) {
		more = 0;
		if (bytes_equal(values[1], bytes_str("partition_key")) &&
		    values[2].len == 4)
			put_name(&names, get_be32(values[2].ptr),
				 arena_copy(&c->arena, values[0]));
	}
	if (more < 0)
		shell_error(c->shell, &b->error, buf_bytes(&text));
	b->ops->finish(b);
	buf_release(&text);
	for (size_t at = 0; at < names.len; at += sizeof(name)) {
		memcpy(&name, names.ptr + at, sizeof(name));
		buf_add_str(out, at ? ", " : "token(");
		schema_print_name(out, name);
	}
	buf_add_byte(out, ')');
	out->failed = out->failed || names.failed || c->arena.failed;
	buf_release(&names);
	return more < 0 ? more : 0;
}

static int make_query(struct copy *c, struct buf *query)
{
	bool begin = c->begin_token.len, end = c->end_token.len;
	struct buf token = BUF_INIT;
	size_t i;
	int err = 0;

	buf_add_str(query, "SELECT ");
	for (i = 0; i < c->column_count; i++) {
		buf_add_str(query, i ? ", " : "");
		buf_add_bytes(query, c->columns[i].name);
	}
	buf_add_str(query, " FROM ");
	buf_add_bytes(query, c->target);
	if (begin || end)
		err = add_token(c, &token);
	if (begin)
		buf_add_format(query, " WHERE %s > %s", buf_cstr(&token),
			       (const char *)c->begin_token.ptr);
	if (end)
		buf_add_format(query, "%s%s <= %s", begin ? " AND " : " WHERE ",
			       buf_cstr(&token),
			       (const char *)c->end_token.ptr);
	query->failed = query->failed || token.failed;
	buf_release(&token);
	if (c->max_rows > 0)
		buf_add_format(query, " LIMIT %ld", c->max_rows);
	buf_add_byte(query, ';');
	return query->failed ? -ENOMEM : err;
}

/* The output of rows: STDOUT, or one file after the other (MAXOUTPUTSIZE). */
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

/* Open the file to be written. 0 or -errno, after the message. */
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
	if (!err)
		fprintf(stderr, "%llu rows exported to %llu files in %.3f "
			"seconds.\n", (unsigned long long)c->rows,
			(unsigned long long)ex.files, copy_seconds(c));
	buf_release(&query);
	buf_release(&ex.out);
	buf_release(&ex.text);
}
