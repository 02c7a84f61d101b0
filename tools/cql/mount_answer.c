#include "tools/cql/mount_answer.h"

#include <errno.h>
#include <stdio.h>
#include <sys/xattr.h>

#include "store/type/json/json.h"
#include "tools/cql/types.h"

int mount_fail(struct mount_backend *m, enum cql_code code, int err,
		const char *message)
{
	m->base.error = CQL_ERROR_INIT;
	cql_error_set(&m->base.error, &m->message, code, "%s", message);
	return err;
}

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

/* Read a whole number that is not negative, or -1. */
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

int mount_fail_as_file(struct mount_backend *m, enum cql_code code, int err)
{
	char reason[1024];
	ssize_t n = m->fd < 0 ? -1 : fgetxattr(m->fd, "user.error", reason,
					       sizeof(reason) - 1);

	if (err == -EPROTO)
		return mount_fail(m, code, err, "the mount's answer makes no sense");
	if (n > 0 && err != -ENOTCONN)
		reason[n] = 0;
	else
		snprintf(reason, sizeof(reason), "%s", strerror(-err));
	return mount_fail(m, code, err, reason);
}

int mount_take_error(struct mount_backend *m, int err)
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
		return mount_fail_as_file(m, CQL_SERVER_ERROR, -EPROTO);
	text = member(members, count, "code");
	if (!bytes_is_null(text))
		json_read_string(&code, text, &ignored);
	text = member(members, count, "message");
	if (!bytes_is_null(text))
		json_read_string(&message, text, &ignored);
	mount_fail(m, code_of(buf_bytes(&code)), err, buf_cstr(&message));
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

/* {"name":…,"type":…} */
static int read_column(struct mount_backend *m, cql_find_type *find_type,
		       struct cql_column *column, struct type **type,
		       struct bytes object)
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

int mount_read_columns(struct mount_backend *m, cql_find_type *find_type)
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
		/*
		 * The array's text is valid until the next read of the fd. The
		 * side, which may read meanwhile, has a descriptor of its own.
		 */
		err = read_column(m, find_type, &columns[i], &m->types[i],
				  objects[i]);
	}
	m->base.json = count == 1 &&
		       bytes_equal(columns[0].name, bytes_str("[json]"));
	return err ? err : cql_answer_take(&m->in, m->fd, ",\"rows\":[");
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

int mount_take_about(struct mount_backend *m)
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

int mount_read_row(struct mount_backend *m, struct bytes **values)
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
