/*
 * The shell's backend on a mount: each statement is written to .cql.raw, and
 * the answer read from the same descriptor, a row at a time. A result that was
 * not read to its end goes with the descriptor, which is opened again.
 */
#include "tools/cql/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/cql/syntax/parse.h"
#include "store/cql/syntax/statement_end.h"
#include "store/type/compound_codec.h"
#include "store/type/value.h"
#include "tools/cql/interrupt.h"
#include "tools/cql/mount_answer.h"
#include "tools/lib/tool.h"

static struct mount_backend *of(struct cql_backend *b)
{
	return (struct mount_backend *)b;
}

static void hang_up(struct mount_backend *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	m->reading = false;
	cql_answer_clear(&m->in);
}

static int execute(struct cql_backend *b, struct bytes statement);
static int next(struct cql_backend *b, const struct bytes **values);
static void finish(struct cql_backend *b);
static int close_mount(struct cql_backend *b);
static int open_side(struct mount_backend **out, const char *mount);

static int copy_texts(struct arena *arena, struct bytes **out, uint32_t *count,
		      const struct type *t, struct bytes list)
{
	struct type_parts parts;
	struct bytes part;
	uint32_t i = 0;

	if (bytes_is_null(list) || t->kind != TYPE_LIST ||
	    type_parts_begin(&parts, t, list))
		return -EPROTO;
	*out = arena_zalloc(arena, parts.count + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	while (type_parts_next(&parts, &part) > 0)
		(*out)[i++] = arena_copy(arena, part);
	*count = i;
	return arena->failed ? -ENOMEM : 0;
}

/* Find a type (cql_find_type): read its row of system_schema.types through the
 * side. */
static int find_type(void *context, struct arena *arena, struct bytes name,
		     struct cql_fields *fields)
{
	struct mount_backend *m = context;
	struct cql_backend *side;
	struct buf query = BUF_INIT;
	const struct bytes *values;
	uint32_t types = 0;
	int err = m->side ? 0 : open_side(&m->side, m->mount);

	if (err)
		return err;
	side = &m->side->base;
	buf_add_str(&query, "SELECT field_names, field_types FROM "
		    "system_schema.types WHERE keyspace_name = ");
	type_print_literal(&query, type_native(TYPE_TEXT),
			   bytes_str(m->type_keyspace));
	buf_add_str(&query, " AND type_name = ");
	type_print_literal(&query, type_native(TYPE_TEXT), name);
	buf_add_byte(&query, ';');
	err = query.failed ? -ENOMEM : execute(side, buf_bytes(&query));
	if (!err) {
		err = next(side, &values);
		err = err > 0 ? 0 : err ? err : -ENOENT;
	}
	if (!err && side->column_count != 2)
		err = -EPROTO;
	if (!err)
		err = copy_texts(arena, &fields->names, &fields->count,
				 side->columns[0].type, values[0]);
	if (!err)
		err = copy_texts(arena, &fields->types, &types,
				 side->columns[1].type, values[1]);
	if (!err && types != fields->count)
		err = -EPROTO;
	finish(side);
	buf_release(&query);
	return err;
}

/* True if its end is in it; else the mount waits for more. */
static bool has_end(struct bytes statement)
{
	struct cql_split split;
	struct bytes found;
	size_t used;

	cql_split_init(&split);
	return cql_split_next(&split, statement, false, &found, &used);
}

/*
 * Find what is wrong with a statement that has no end: a string is not closed,
 * say, and a semicolon after it would only make that longer. 0: it can have
 * one.
 */
static int refuse_open(struct mount_backend *m, struct bytes statement)
{
	struct statement *ignored;
	int err = cql_parse(&m->message, &ignored, statement, NULL,
			    &m->base.error);

	if (err && !cql_error_is_set(&m->base.error))
		mount_fail(m, CQL_SERVER_ERROR, err, strerror(-err));
	return err;
}

/* Write it all. 0, or -errno of the write that failed: it has an answer, too. */
static int send_statement(struct mount_backend *m, struct bytes statement,
			  bool ended)
{
	struct buf text = BUF_INIT;
	size_t sent = 0;
	int err = 0;

	buf_add_bytes(&text, statement);
	if (!ended)
		buf_add_str(&text, "\n;");	/* it may end in a comment */
	if (text.failed)
		err = -ENOMEM;
	while (!err && sent < text.len) {
		ssize_t n = write(m->fd, text.ptr + sent, text.len - sent);

		if (n > 0)
			sent += (size_t)n;
		else if (n < 0 && (errno != EINTR || cql_interrupted()))
			err = -errno;
	}
	buf_release(&text);
	return err;
}

static int connect_again(struct mount_backend *m)
{
	struct buf use = BUF_INIT;
	int err;

	m->fd = open(m->path, O_RDWR | O_CLOEXEC);
	if (m->fd < 0)
		return mount_fail(m, CQL_SERVER_ERROR, -errno, strerror(errno));
	if (!m->base.keyspace[0])
		return 0;
	buf_add_str(&use, "USE ");
	schema_print_name(&use, bytes_str(m->base.keyspace));
	buf_add_byte(&use, ';');
	err = use.failed ? -ENOMEM : execute(&m->base, buf_bytes(&use));
	buf_release(&use);
	return err;
}

/* Take what the statement itself says: USE, and where its types are. */
static void note_statement(struct mount_backend *m, struct bytes text,
			   char *use)
{
	struct cql_error ignored = CQL_ERROR_INIT;
	struct statement *s;
	const struct identifier *from = NULL;
	const char *keyspace = m->base.keyspace;

	*use = 0;
	arena_clear(&m->row);
	if (cql_parse(&m->row, &s, text, NULL, &ignored))
		return;
	if (s->kind == STATEMENT_USE && s->use->text.len < 64)
		snprintf(use, 64, "%s", (const char *)s->use->text.ptr);
	if (s->kind == STATEMENT_SELECT)
		from = &s->select->table.keyspace;
	else if (s->kind == STATEMENT_UPDATE)
		from = &s->update->table.keyspace;
	else if (s->kind == STATEMENT_INSERT)
		from = &s->insert->table.keyspace;
	else if (s->kind == STATEMENT_DELETE)
		from = &s->delete->table.keyspace;
	if (from && identifier_is_given(from))
		keyspace = (const char *)from->text.ptr;
	snprintf(m->type_keyspace, sizeof(m->type_keyspace), "%s", keyspace);
}

static void put_columns(struct mount_backend *m)
{
	uint32_t i;

	for (i = 0; m->types && i < m->base.column_count; i++)
		type_put(m->types[i]);
	m->types = NULL;
	m->base.columns = NULL;
	m->base.column_count = 0;
	arena_clear(&m->columns);
}

static void finish(struct cql_backend *b)
{
	struct mount_backend *m = of(b);

	if (m->reading)
		hang_up(m);
	put_columns(m);
}

static int answer(struct mount_backend *m, int err)
{
	int failed = cql_answer_take(&m->in, m->fd, "{\"");

	if (failed)	/* nothing to read: the call's own reason */
		return mount_fail_as_file(m, CQL_SERVER_ERROR, err ? err : failed);
	failed = cql_answer_take(&m->in, m->fd, "error\":");
	if (!failed) {
		err = mount_take_error(m, err ? err : -EINVAL);
		if (cql_answer_take(&m->in, m->fd, "}\n"))
			hang_up(m);
		return err;
	}
	failed = cql_answer_take(&m->in, m->fd, "columns\":");
	if (!failed)
		failed = mount_read_columns(m, find_type);
	if (failed) {
		mount_fail_as_file(m, CQL_SERVER_ERROR, failed);
		return failed;
	}
	m->reading = true;
	if (m->base.column_count)
		return 0;
	m->reading = false;
	failed = mount_take_about(m);
	return failed ? mount_fail_as_file(m, CQL_SERVER_ERROR, failed) : 0;
}

static int execute(struct cql_backend *b, struct bytes statement)
{
	struct mount_backend *m = of(b);
	char use[64];
	bool ended;
	int err;

	finish(b);
	b->error = CQL_ERROR_INIT;
	arena_clear(&m->message);
	m->message.failed = false;
	arena_clear(&m->about);
	m->about.failed = false;
	m->warnings = NULL;
	m->traced = false;
	if (mem_has_failed())	/* it may be cut short */
		return mount_fail(m, CQL_SERVER_ERROR, -ENOMEM, strerror(ENOMEM));
	ended = has_end(statement);
	err = ended ? 0 : refuse_open(m, statement);
	if (!err && m->fd < 0)
		err = connect_again(m);
	if (err)
		return err;
	note_statement(m, statement, use);
	err = send_statement(m, statement, ended);
	if (err == -EINTR || err == -ENOMEM) {
		hang_up(m);
		return mount_fail(m, CQL_SERVER_ERROR, err, strerror(-err));
	}
	err = answer(m, err);
	if (err && b->error.code == CQL_SERVER_ERROR) {
		put_columns(m);
		hang_up(m);
	}
	if (!err && *use)
		snprintf(b->keyspace, sizeof(b->keyspace), "%s", use);
	return err;
}

static int next(struct cql_backend *b, const struct bytes **values)
{
	struct mount_backend *m = of(b);
	struct bytes *row;
	uint8_t first;
	int err;

	if (!m->reading)
		return 0;
	if (cql_interrupted())
		return mount_fail(m, CQL_SERVER_ERROR, -EINTR, strerror(EINTR));
	err = cql_answer_peek(&m->in, m->fd, &first);
	if (!err && first == ']') {
		m->reading = false;
		err = mount_take_about(m);
		if (!err)
			return 0;
	}
	if (!err && first == ',')
		err = cql_answer_take(&m->in, m->fd, ",");
	if (!err)
		err = mount_read_row(m, &row);
	if (!err) {
		*values = row;
		return 1;
	}
	mount_fail_as_file(m, err == -EPROTO ? CQL_SERVER_ERROR : CQL_READ_FAILURE,
		     err);
	hang_up(m);
	return err;
}

static const char *warning(struct cql_backend *b, uint32_t i)
{
	return of(b)->warnings ? of(b)->warnings[i] : NULL;
}

static bool trace(struct cql_backend *b, struct cql_trace *out)
{
	*out = of(b)->trace;
	return of(b)->traced;
}

static int close_mount(struct cql_backend *b)
{
	struct mount_backend *m = of(b);

	finish(b);
	hang_up(m);
	if (m->side)
		close_mount(&m->side->base);
	cql_answer_release(&m->in);
	buf_release(&m->values);
	arena_release(&m->columns);
	arena_release(&m->row);
	arena_release(&m->message);
	arena_release(&m->about);
	mem_free(m->mount);
	mem_free(m->path);
	mem_free(m);
	return 0;
}

static const struct cql_backend_ops ops = {
	.execute = execute, .next = next, .finish = finish,
	.warning = warning, .trace = trace, .close = close_mount,
};

static int open_side(struct mount_backend **out, const char *mount)
{
	struct mount_backend *m = mem_zalloc(1, sizeof(*m));
	struct buf path = BUF_INIT;
	int err = 0;

	*out = NULL;
	if (!m)
		return -ENOMEM;
	m->base.ops = &ops;
	m->base.error = CQL_ERROR_INIT;
	buf_add_format(&path, "%s/.cql.raw", mount);
	m->path = buf_steal(&path, NULL);
	m->mount = mem_copy(mount, strlen(mount));
	m->base.place = m->mount;
	m->fd = m->path ? open(m->path, O_RDWR | O_CLOEXEC) : -1;
	if (!m->path || !m->mount)
		err = -ENOMEM;
	else if (m->fd < 0)
		err = -errno;
	if (err)
		close_mount(&m->base);
	else
		*out = m;
	return err;
}

int cql_mount_open(struct cql_backend **out, const char *mount)
{
	struct mount_backend *m;
	int err = open_side(&m, mount);

	*out = NULL;
	if (err) {
		tool_failed(mount, err);
		return TOOL_FAILED;
	}
	*out = &m->base;
	return TOOL_DONE;
}
