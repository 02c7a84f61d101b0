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

/* A native value as its text, compound ones as literals of CQL. */
static void print_value(struct copy *c, struct buf *out, const struct type *t,
			struct bytes value)
{
	if (t->kind == TYPE_BOOLEAN && value.len == 1)
		buf_add_bytes(out, *value.ptr ? c->yes : c->no);
	else if (t->part_count)
		type_print_literal(out, t, value);
	else
		type_print_text(out, t, value);
}

static int write_rows(struct copy *c, FILE *file)
{
	struct cql_backend *b = c->shell->backend;
	struct buf out = BUF_INIT, text = BUF_INIT;
	const struct bytes *values;
	uint32_t i;
	int more = 1;

	for (i = 0; c->header && i < c->column_count; i++) {
		if (i)
			buf_add_byte(&out, c->style.delimiter);
		csv_add(&out, &c->style, c->columns[i].bare);
	}
	if (c->header)
		buf_add_byte(&out, '\n');
	while (more > 0 && (more = b->ops->next(b, &values)) > 0) {
		for (i = 0; i < b->column_count; i++) {
			buf_clear(&text);
			if (i)
				buf_add_byte(&out, c->style.delimiter);
			if (!bytes_is_null(values[i]))
				print_value(c, &text, b->columns[i].type,
					    values[i]);
			csv_add(&out, &c->style, bytes_is_null(values[i]) ?
				BYTES_NULL : buf_bytes(&text));
			out.failed = out.failed || text.failed;
		}
		buf_add_byte(&out, '\n');
		c->rows++;
		copy_progress(c, false);
		if (out.failed)
			more = -ENOMEM;
		else if (cql_interrupted())
			more = -EINTR;
		else if (out.len >= 65536) {
			if (fwrite(out.ptr, 1, out.len, file) != out.len)
				more = -EIO;
			buf_clear(&out);
		}
	}
	if (fwrite(buf_bytes(&out).ptr, 1, out.len, file) != out.len && !more)
		more = -EIO;
	buf_release(&out);
	buf_release(&text);
	return more;
}

void copy_to(struct copy *c)
{
	struct cql_backend *b = c->shell->backend;
	struct buf query = BUF_INIT;
	FILE *file = c->path ? NULL : c->shell->out;
	int err = make_query(c, &query);

	if (!err && c->path) {
		file = fopen(c->path, "we");
		if (!file) {
			shell_complain(c->shell, "Could not open %s: %s",
				       c->path, strerror(errno));
			buf_release(&query);
			return;
		}
	}
	if (!err)
		err = b->ops->execute(b, buf_bytes(&query));
	if (!err)
		err = write_rows(c, file);
	copy_progress(c, true);
	if (file && (c->path ? fclose(file) : fflush(file)) && !err)
		err = -errno;
	if (err && cql_error_is_set(&b->error) && err != -EINTR)
		shell_error(c->shell, &b->error, buf_bytes(&query));
	b->ops->finish(b);
	buf_release(&query);
	if (err)
		shell_complain(c->shell, "%s: %s", c->path ? c->path : "STDOUT",
			       strerror(-err));
	fprintf(stderr, "%llu rows exported to 1 files in %.3f seconds.\n",
		(unsigned long long)c->rows, copy_seconds(c));
}
