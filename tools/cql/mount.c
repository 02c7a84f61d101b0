/*
 * The shell's backend on a mount: each statement is written to .cql.raw, and
 * the answer read from the same descriptor, a row at a time (CQL_FORMAT_RAW in
 * store/cql/output/format.h). Types are made from their names, with what the
 * mount says about user types. A result that was not read to its end goes with
 * the descriptor, which is opened again.
 */
#include "tools/cql/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/cql/syntax/parse.h"
#include "store/cql/syntax/statement_end.h"
#include "store/type/compound_codec.h"
#include "store/type/json/json.h"
#include "store/type/value.h"
#include "tools/cql/answer.h"
#include "tools/cql/interrupt.h"
#include "tools/cql/types.h"
#include "tools/lib/tool.h"

struct mount_backend {
	struct cql_backend base;
	char *mount, *path;	/* its root; of .cql.raw there */
	int fd;			/* -1: to be opened */
	struct cql_answer in;	/* what is read from fd */
	bool reading;		/* the answer has not come to its end */
	struct arena columns;	/* what base.columns points to */
	struct type **types;	/* of them; in columns */
	struct arena row;
	struct buf values;
	struct arena message;
	struct arena about;	/* the warnings and the files of the trace */
	const char **warnings;	/* until NULL; or NULL */
	struct cql_trace trace;
	bool traced;
	struct mount_backend *side;	/* asks for user types */
	char type_keyspace[64];	/* where user types are looked for */
};

static struct mount_backend *of(struct cql_backend *b)
{
	return (struct mount_backend *)b;
}

static int fail(struct mount_backend *m, enum cql_code code, int err,
		const char *message)
{
	m->base.error = CQL_ERROR_INIT;
	cql_error_set(&m->base.error, &m->message, code, "%s", message);
	return err;
}

static void hang_up(struct mount_backend *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	m->reading = false;
	cql_answer_clear(&m->in);
}

/* ----------------------------------------------------------------- errors */
static enum cql_code code_of(struct bytes name)
{
	static const enum cql_code codes[] = {
		CQL_TRUNCATE_ERROR, CQL_READ_FAILURE, CQL_FUNCTION_FAILURE,
		CQL_WRITE_FAILURE, CQL_SYNTAX, CQL_UNAUTHORIZED,
		CQL_INVALID_REQUEST, CQL_CONFIGURATION, CQL_ALREADY_EXISTS,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		if (bytes_equal(name, bytes_str(cql_code_name(codes[i]))))
			return codes[i];
	return CQL_SERVER_ERROR;
}

static struct bytes member(const struct json_member *members, size_t count,
			   const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (bytes_equal(members[i].name, bytes_str(name)))
			return members[i].value;
	return BYTES_NULL;
}

/* A whole number that is not negative, or -1. */
static int64_t number_of(struct bytes text)
{
	int64_t number = 0;
	size_t i;

	if (bytes_is_null(text) || !text.len || text.len > 18)
		return -1;
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return -1;
		number = number * 10 + (text.ptr[i] - '0');
	}
	return number;
}

static int64_t number_member(const struct json_member *members, size_t count,
			     const char *name)
{
	return number_of(member(members, count, name));
}

/* Report a failure of the file itself: its attribute may have the reason. */
static int fail_as_file(struct mount_backend *m, enum cql_code code, int err)
{
	char reason[1024];
	ssize_t n = m->fd < 0 ? -1 : fgetxattr(m->fd, "user.error", reason,
					       sizeof(reason) - 1);

	if (err == -EPROTO)
		return fail(m, code, err, "the mount's answer makes no sense");
	if (n > 0 && err != -ENOTCONN)
		reason[n] = 0;
	else
		snprintf(reason, sizeof(reason), "%s", strerror(-err));
	return fail(m, code, err, reason);
}

/* Read the object after {"error": in the mount's answer. */
static int take_error(struct mount_backend *m, int err)
{
	struct json_member *members;
	struct type_error ignored;
	struct bytes object, text;
	struct buf code = BUF_INIT, message = BUF_INIT;
	size_t count = 0;
	int failed = cql_answer_value(&m->in, m->fd, &object);

	arena_clear(&m->row);
	if (!failed)
		failed = json_read_object(&m->row, &members, &count, object,
					  &ignored);
	if (failed)
		return fail_as_file(m, CQL_SERVER_ERROR, -EPROTO);
	text = member(members, count, "code");
	if (!bytes_is_null(text))
		json_read_string(&code, text, &ignored);
	text = member(members, count, "message");
	if (!bytes_is_null(text))
		json_read_string(&message, text, &ignored);
	fail(m, code_of(buf_bytes(&code)), err, buf_cstr(&message));
	m->base.error.line = (int)number_member(members, count, "line");
	m->base.error.column = (int)number_member(members, count, "column");
	m->base.error.offset = (uint32_t)number_member(members, count,
						       "offset");
	m->base.error.length = (uint32_t)number_member(members, count,
						       "length");
	buf_release(&code);
	buf_release(&message);
	return err;
}

/* ---------------------------------------------------------------- columns */
static int execute(struct cql_backend *b, struct bytes statement);
static int next(struct cql_backend *b, const struct bytes **values);
static void finish(struct cql_backend *b);
static void close_mount(struct cql_backend *b);
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

/* cql_find_type: a row of system_schema.types, read through the side. */
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

/* {"name":…,"type":…} */
static int read_column(struct mount_backend *m, struct cql_column *column,
		       struct type **type, struct bytes object)
{
	struct json_member *members;
	struct type_error ignored;
	struct buf text = BUF_INIT;
	size_t count;
	struct bytes name, type_name;
	int err = json_read_object(&m->columns, &members, &count, object,
				   &ignored);

	if (err)
		return err;
	name = member(members, count, "name");
	type_name = member(members, count, "type");
	if (bytes_is_null(name) || bytes_is_null(type_name))
		return -EPROTO;
	err = json_read_string(&text, name, &ignored);
	if (!err)
		column->name = arena_copy(&m->columns, buf_bytes(&text));
	buf_clear(&text);
	if (!err)
		err = json_read_string(&text, type_name, &ignored);
	if (!err) {
		err = cql_type_of_name(type, buf_bytes(&text),
				       m->type_keyspace, find_type, m);
		/* A type that went meanwhile: its values as JSON. */
		if (err == -ENOENT || err == -EINVAL) {
			*type = type_get(type_native(TYPE_TEXT));
			err = 0;
		}
	}
	column->type = *type;
	buf_release(&text);
	return err;
}

static int read_columns(struct mount_backend *m)
{
	struct cql_column *columns;
	struct type_error ignored;
	struct bytes array, *objects;
	size_t count, i;
	int err = cql_answer_value(&m->in, m->fd, &array);

	if (!err)
		err = json_read_array(&m->columns, &objects, &count, array,
				      &ignored);
	if (err)
		return err;
	columns = arena_zalloc(&m->columns, count + 1, sizeof(*columns));
	m->types = arena_zalloc(&m->columns, count + 1, sizeof(*m->types));
	if (!columns || !m->types)
		return -ENOMEM;
	m->base.columns = columns;
	m->base.column_count = (uint32_t)count;
	for (i = 0; !err && i < count; i++) {
		/* The array's text goes with the next read of the fd, which
		 * only the side does meanwhile, on its own. */
		err = read_column(m, &columns[i], &m->types[i], objects[i]);
	}
	m->base.json = count == 1 &&
		       bytes_equal(columns[0].name, bytes_str("[json]"));
	return err ? err : cql_answer_take(&m->in, m->fd, ",\"rows\":[");
}

/* ------------------------------------------------------------------- calls */
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
		fail(m, CQL_SERVER_ERROR, err, strerror(-err));
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
		return fail(m, CQL_SERVER_ERROR, -errno, strerror(errno));
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

static int read_warnings(struct mount_backend *m, struct bytes json)
{
	struct type_error ignored;
	struct bytes *texts;
	size_t count, i;
	int err = json_read_array(&m->about, &texts, &count, json, &ignored);

	if (err)
		return err;
	m->warnings = arena_zalloc(&m->about, count + 1,
				   sizeof(*m->warnings));
	for (i = 0; m->warnings && !err && i < count; i++) {
		struct buf text = BUF_INIT;

		err = json_read_string(&text, texts[i], &ignored);
		m->warnings[i] = arena_strdup(&m->about, buf_cstr(&text));
		buf_release(&text);
	}
	return m->about.failed ? -ENOMEM : err;
}

static int read_trace(struct mount_backend *m, struct bytes json)
{
	struct json_member *members;
	struct type_error ignored;
	struct bytes *numbers;
	struct cql_trace *t = &m->trace;
	size_t count, files, i;
	uint64_t *list;
	int err = json_read_object(&m->about, &members, &count, json, &ignored);

	if (!err)
		err = json_read_array(&m->about, &numbers, &files,
				      member(members, count, "files"),
				      &ignored);
	if (err)
		return err;
	list = arena_zalloc(&m->about, files + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (i = 0; i < files; i++)
		list[i] = (uint64_t)number_of(numbers[i]);
	*t = (struct cql_trace){
		.rows_given = (uint64_t)number_member(members, count,
						      "rows_given"),
		.rows_read = (uint64_t)number_member(members, count,
						     "rows_read"),
		.tombstones = (uint64_t)number_member(members, count,
						      "tombstones"),
		.microseconds = number_member(members, count, "microseconds"),
		.sstables = (uint32_t)number_member(members, count, "sstables"),
		.file_count = (uint32_t)files, .files = list,
	};
	m->traced = true;
	return 0;
}

/* Take the object that follows the rows. */
static int take_about(struct mount_backend *m)
{
	struct bytes json;
	int err = cql_answer_take(&m->in, m->fd, "],\"warnings\":");

	if (!err)
		err = cql_answer_value(&m->in, m->fd, &json);
	if (!err)
		err = read_warnings(m, json);
	if (!err)
		err = cql_answer_take(&m->in, m->fd, ",\"trace\":");
	if (!err)
		err = cql_answer_value(&m->in, m->fd, &json);
	if (!err)
		err = read_trace(m, json);
	return err ? err : cql_answer_take(&m->in, m->fd, "}\n");
}

static int answer(struct mount_backend *m, int err)
{
	int failed = cql_answer_take(&m->in, m->fd, "{\"");

	if (failed)	/* nothing to read: the call's own reason */
		return fail_as_file(m, CQL_SERVER_ERROR, err ? err : failed);
	failed = cql_answer_take(&m->in, m->fd, "error\":");
	if (!failed) {
		err = take_error(m, err ? err : -EINVAL);
		if (cql_answer_take(&m->in, m->fd, "}\n"))
			hang_up(m);
		return err;
	}
	failed = cql_answer_take(&m->in, m->fd, "columns\":");
	if (!failed)
		failed = read_columns(m);
	if (failed) {
		fail_as_file(m, CQL_SERVER_ERROR, failed);
		return failed;
	}
	m->reading = true;
	if (m->base.column_count)
		return 0;
	m->reading = false;
	failed = take_about(m);
	return failed ? fail_as_file(m, CQL_SERVER_ERROR, failed) : 0;
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
		return fail(m, CQL_SERVER_ERROR, err, strerror(-err));
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

static int digit_of(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Append "00ff" or null to m->values; *value becomes its place. */
static int read_value(struct mount_backend *m, struct bytes *value,
		      struct bytes json)
{
	size_t begin = m->values.len, i;

	*value = BYTES_NULL;
	if (bytes_equal(json, bytes_str("null")))
		return 0;
	if (json.len < 2 || json.len % 2 || json.ptr[0] != '"')
		return -EPROTO;
	if (!buf_reserve(&m->values, json.len / 2))
		return -ENOMEM;
	for (i = 1; i + 1 < json.len; i += 2) {
		int high = digit_of(json.ptr[i]), low = digit_of(json.ptr[i + 1]);

		if (high < 0 || low < 0)
			return -EPROTO;
		buf_add_byte(&m->values, (uint8_t)(high << 4 | low));
	}
	/* The buffer may move: the place in it for now. */
	*value = bytes_of((const uint8_t *)begin + 1, m->values.len - begin);
	return 0;
}

static int read_row(struct mount_backend *m, struct bytes **values)
{
	struct type_error ignored;
	struct bytes array, *elements;
	size_t count, i;
	int err = cql_answer_value(&m->in, m->fd, &array);

	arena_clear(&m->row);
	buf_clear(&m->values);
	if (!err)
		err = json_read_array(&m->row, &elements, &count, array,
				      &ignored);
	if (!err && count != m->base.column_count)
		err = -EPROTO;
	if (err)
		return err;
	*values = arena_zalloc(&m->row, count + 1, sizeof(**values));
	if (!*values)
		return -ENOMEM;
	buf_reserve(&m->values, 1);
	for (i = 0; !err && i < count; i++)
		err = read_value(m, &(*values)[i], elements[i]);
	for (i = 0; !err && i < count; i++)
		if ((*values)[i].ptr)
			(*values)[i].ptr = m->values.ptr +
					   ((size_t)(*values)[i].ptr - 1);
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
		return fail(m, CQL_SERVER_ERROR, -EINTR, strerror(EINTR));
	err = cql_answer_peek(&m->in, m->fd, &first);
	if (!err && first == ']') {
		m->reading = false;
		err = take_about(m);
		if (!err)
			return 0;
	}
	if (!err && first == ',')
		err = cql_answer_take(&m->in, m->fd, ",");
	if (!err)
		err = read_row(m, &row);
	if (!err) {
		*values = row;
		return 1;
	}
	fail_as_file(m, err == -EPROTO ? CQL_SERVER_ERROR : CQL_READ_FAILURE,
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

static void close_mount(struct cql_backend *b)
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
