/* COPY … FROM: a statement per record of a CSV file. */
#include <errno.h>
#include <stdlib.h>

#include "tools/cql_copy.h"

#define COMPLAINTS_MAX 20	/* the others are counted */

struct import {
	struct copy *copy;
	FILE *file;			/* NULL: lines of the shell's source */
	FILE *rejects;			/* ERRFILE, or NULL */
	struct csv_record record;
	struct buf raw;			/* the record's lines as they came */
	struct buf statement, value;
	size_t *place;			/* a field's column; SIZE_MAX: none */
	size_t field_count;
	bool counters;
	unsigned long line;		/* where the record began */
	unsigned long lines;
	long parse_errors, insert_errors;
	uint64_t skipped;
};

/* A line behind raw: 1, 0, -errno. */
static int read_line(struct import *im)
{
	struct cql_source *source = im->copy->shell->source;
	size_t before = im->raw.len;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int err;

	im->lines++;
	if (!im->file) {
		if (!source)
			return 0;
		err = cql_source_line(source, &im->raw);
		if (err > 0 && im->raw.len - before >= 2 &&
		    !memcmp(im->raw.ptr + before, "\\.", 2) &&
		    (im->raw.len - before == 2 ||
		     im->raw.ptr[before + 2] == '\n'))
			err = 0;
		return err;
	}
	errno = 0;
	n = getline(&line, &room, im->file);
	if (n > 0)
		buf_add(&im->raw, line, (size_t)n);
	free(line);
	if (n < 0)
		return ferror(im->file) ? -(errno ? errno : EIO) : 0;
	return im->raw.failed ? -ENOMEM : 1;
}

/* The next record. 1, 0, -errno. */
static int read_record(struct import *im)
{
	bool whole = false;
	size_t from;
	int more;

	csv_clear(&im->record);
	buf_clear(&im->raw);
	im->line = im->lines + 1;
	while (!whole) {
		from = im->raw.len;
		more = read_line(im);
		if (more < 0 || (!more && !from))
			return more;
		if (!more) {
			csv_finish(&im->record);
			break;
		}
		whole = csv_feed(&im->record, &im->copy->style,
				 bytes_of(im->raw.ptr + from,
					  im->raw.len - from));
	}
	return im->record.text.failed || im->record.fields.failed ? -ENOMEM : 1;
}

static void reject(struct import *im, const char *why, bool parsed)
{
	long *errors = parsed ? &im->insert_errors : &im->parse_errors;

	if (im->parse_errors + im->insert_errors < COMPLAINTS_MAX) {
		copy_progress(im->copy, true);
		fprintf(stderr, "%s:%lu: %s\n",
			im->copy->path ? im->copy->path : "STDIN", im->line,
			why);
	}
	++*errors;
	im->skipped++;
	if (im->rejects)
		fwrite(im->raw.ptr, 1, im->raw.len, im->rejects);
}

static bool too_many(struct import *im)
{
	const struct copy *c = im->copy;

	return (c->max_parse_errors >= 0 &&
		im->parse_errors > c->max_parse_errors) ||
	       (c->max_insert_errors >= 0 &&
		im->insert_errors > c->max_insert_errors);
}

/* The literal of a field, in im->value. 0 or -errno after reject. */
static int read_value(struct import *im, const struct copy_column *column,
		      struct bytes text)
{
	const struct copy *c = im->copy;
	struct type_error error = { .text = "" };
	struct buf value = BUF_INIT;
	char why[2000];
	int err;

	buf_clear(&im->value);
	if (bytes_is_null(text)) {
		buf_add_str(&im->value, "null");
		return 0;
	}
	if (column->type->kind == TYPE_BOOLEAN && bytes_equal(text, c->yes))
		text = bytes_str("true");
	if (column->type->kind == TYPE_BOOLEAN && bytes_equal(text, c->no))
		text = bytes_str("false");
	err = copy_read_value(&value, column->type->kind == TYPE_COUNTER ?
			      type_native(TYPE_BIGINT) : column->type,
			      text, c->style.null, &error);
	if (!err && value.failed)
		err = -ENOMEM;
	if (!err) {
		type_print_literal(&im->value, column->type->kind ==
				   TYPE_COUNTER ? type_native(TYPE_BIGINT)
						: column->type,
				   buf_bytes(&value));
	} else {
		snprintf(why, sizeof(why), "%.200s: %s",
			 (const char *)column->bare.ptr,
			 *error.text ? error.text : strerror(-err));
		reject(im, why, false);
	}
	buf_release(&value);
	return err;
}

/* A partition that has no rows is exported with its statics alone. */
static bool is_statics_only(const struct import *im)
{
	const struct copy *c = im->copy;
	bool any = false;
	size_t i;

	for (i = 0; i < im->field_count; i++) {
		if (im->place[i] == SIZE_MAX ||
		    !c->columns[im->place[i]].of_row)
			continue;
		any = true;
		if (!bytes_is_null(csv_field(&im->record, &c->style, i)))
			return false;
	}
	return any;
}

static int make_insert(struct import *im)
{
	const struct copy *c = im->copy;
	struct buf *out = &im->statement;
	const char *between = "";
	bool statics = is_statics_only(im);
	size_t i;
	int err = 0;

	buf_add_format(out, "INSERT INTO %s (", (const char *)c->target.ptr);
	for (i = 0; i < im->field_count; i++) {
		if (im->place[i] == SIZE_MAX ||
		    (statics && c->columns[im->place[i]].of_row))
			continue;
		buf_add_str(out, between);
		buf_add_bytes(out, c->columns[im->place[i]].name);
		between = ", ";
	}
	buf_add_str(out, ") VALUES (");
	between = "";
	for (i = 0; !err && i < im->field_count; i++) {
		if (im->place[i] == SIZE_MAX ||
		    (statics && c->columns[im->place[i]].of_row))
			continue;
		err = read_value(im, &c->columns[im->place[i]],
				 csv_field(&im->record, &c->style, i));
		buf_add_str(out, between);
		buf_add_bytes(out, buf_bytes(&im->value));
		between = ", ";
	}
	buf_add_byte(out, ')');
	if (c->ttl > 0)
		buf_add_format(out, " USING TTL %ld", c->ttl);
	buf_add_byte(out, ';');
	return err;
}

/* Counters: UPDATE t SET n = n + 5 WHERE k = 'a'. */
static int make_update(struct import *im)
{
	const struct copy *c = im->copy;
	struct buf *out = &im->statement, where = BUF_INIT;
	const char *between = " SET ";
	size_t i;
	int err = 0;

	buf_add_format(out, "UPDATE %s", (const char *)c->target.ptr);
	for (i = 0; !err && i < im->field_count; i++) {
		const struct copy_column *column;
		struct bytes field = csv_field(&im->record, &c->style, i);

		if (im->place[i] == SIZE_MAX)
			continue;
		column = &c->columns[im->place[i]];
		if (column->type->kind == TYPE_COUNTER) {
			if (bytes_is_null(field))
				continue;
			err = read_value(im, column, field);
			buf_add_format(out, "%s%s = %s + %s", between,
				       (const char *)column->name.ptr,
				       (const char *)column->name.ptr,
				       buf_cstr(&im->value));
			between = ", ";
		} else {
			err = read_value(im, column, field);
			buf_add_format(&where, "%s%s = %s",
				       where.len ? " AND " : " WHERE ",
				       (const char *)column->name.ptr,
				       buf_cstr(&im->value));
		}
	}
	buf_add_bytes(out, buf_bytes(&where));
	buf_add_byte(out, ';');
	out->failed = out->failed || where.failed;
	buf_release(&where);
	return err;
}

/* 0 also for a record that was rejected. */
static int import_record(struct import *im)
{
	struct cql_backend *b = im->copy->shell->backend;
	size_t count = csv_count(&im->record);
	char why[100];
	int err;

	if (count != im->field_count) {
		snprintf(why, sizeof(why), "expected %zu fields but found %zu",
			 im->field_count, count);
		reject(im, why, false);
		return 0;
	}
	buf_clear(&im->statement);
	err = im->counters ? make_update(im) : make_insert(im);
	if (im->statement.failed || im->value.failed)
		return -ENOMEM;
	if (err)
		return err == -ENOMEM ? err : 0;
	err = b->ops->execute(b, buf_bytes(&im->statement));
	if (err == -EINTR)
		return err;
	if (err)
		reject(im, b->error.message, true);
	else
		im->copy->rows++;
	b->ops->finish(b);
	return err == -ENOSPC || err == -EROFS || err == -EUCLEAN ? err : 0;
}

static size_t column_of(const struct copy *c, struct bytes name)
{
	size_t i;

	for (i = 0; i < c->column_count; i++)
		if (bytes_equal(c->columns[i].bare, name))
			return i;
	return SIZE_MAX;
}

/* Which columns are of rows, where the table has statics. 0 or -errno. */
static int find_row_columns(struct copy *c)
{
	struct cql_backend *b = c->shell->backend;
	struct buf text = BUF_INIT;
	const struct bytes *values;
	bool statics = false;
	size_t i;
	int more;

	more = copy_ask_columns(c, &text);
	while (!more && (more = b->ops->next(b, &values)) > 0) {
		more = 0;
		statics |= bytes_equal(values[1], bytes_str("static"));
		i = column_of(c, values[0]);
		if (i != SIZE_MAX)
			c->columns[i].of_row =
				bytes_equal(values[1],
					    bytes_str("clustering")) ||
				bytes_equal(values[1], bytes_str("regular"));
	}
	if (more < 0)
		shell_error(c->shell, &b->error, buf_bytes(&text));
	b->ops->finish(b);
	buf_release(&text);
	for (i = 0; i < c->column_count && !statics; i++)
		c->columns[i].of_row = false;
	return more;
}

/* SKIPCOLS = 'a, b' */
static bool is_skipped(const struct copy *c, struct bytes name)
{
	const uint8_t *at = c->skip_columns.ptr;
	const uint8_t *end = at + c->skip_columns.len;

	while (at && at < end) {
		const uint8_t *comma = memchr(at, ',', (size_t)(end - at));
		const uint8_t *stop = comma ? comma : end, *last = stop;

		while (at < last && *at == ' ')
			at++;
		while (last > at && last[-1] == ' ')
			last--;
		if (bytes_equal(name, bytes_of(at, (size_t)(last - at))))
			return true;
		at = stop + 1;
	}
	return false;
}

/*
 * Which column each field is: in the order of the command or of the table, or
 * by the names in the header where the command names none.
 */
static int place_fields(struct import *im)
{
	struct copy *c = im->copy;
	bool named = c->header && c->all;
	size_t i;
	int more = c->header ? read_record(im) : 1;

	if (more < 0)
		return more;
	im->field_count = named && more ? csv_count(&im->record)
					: c->column_count;
	im->place = arena_zalloc(&c->arena, im->field_count + 1,
				 sizeof(*im->place));
	if (!im->place)
		return -ENOMEM;
	for (i = 0; i < im->field_count; i++) {
		struct bytes name;

		im->place[i] = i;
		if (named && more) {
			name = csv_field(&im->record, &c->style, i);
			if (bytes_is_null(name))
				name = BYTES_EMPTY;
			im->place[i] = column_of(c, name);
		} else {
			name = c->columns[i].bare;
		}
		if (is_skipped(c, name)) {
			im->place[i] = SIZE_MAX;
		} else if (im->place[i] == SIZE_MAX) {
			shell_complain(c->shell, "The header names \"%.*s\", "
				       "which is no column of %s.",
				       (int)(name.len < 60 ? name.len : 60),
				       (const char *)name.ptr,
				       (const char *)c->target.ptr);
			return -EINVAL;
		}
	}
	for (i = 0; i < c->column_count; i++)
		if (c->columns[i].type->kind == TYPE_COUNTER)
			im->counters = true;
	return 0;
}

static int import_all(struct import *im)
{
	struct copy *c = im->copy;
	long skip = c->skip_rows;
	int more = 1, err = 0;

	while (!err && (c->max_rows < 0 || (long)c->rows < c->max_rows)) {
		more = read_record(im);
		if (more <= 0)
			break;
		if (cql_interrupted()) {
			err = -EINTR;
		} else if (skip > 0) {
			skip--;
			im->skipped++;
		} else if (im->raw.ptr[0] != '\n' ||
			   im->field_count == 1) {	/* a blank line */
			err = import_record(im);
			copy_progress(c, false);
		}
		if (!err && too_many(im)) {
			shell_complain(c->shell, "COPY was given up: too many "
				       "records were refused.");
			break;
		}
	}
	/* What is left of our own input is no CQL. */
	while (!im->file && more > 0) {
		buf_clear(&im->raw);
		more = read_line(im);
	}
	return err ? err : more < 0 ? more : 0;
}

static bool open_files(struct import *im)
{
	struct copy *c = im->copy;

	if (c->path) {
		im->file = fopen(c->path, "re");
		if (!im->file) {
			shell_complain(c->shell, "Could not open %s: %s",
				       c->path, strerror(errno));
			return false;
		}
	}
	if (c->error_file.len) {
		im->rejects = fopen((const char *)c->error_file.ptr, "ae");
		if (!im->rejects) {
			shell_complain(c->shell, "Could not open %s: %s",
				       (const char *)c->error_file.ptr,
				       strerror(errno));
			return false;
		}
	}
	return true;
}

void copy_from(struct copy *c)
{
	struct import im = { .copy = c, .record = CSV_RECORD_INIT,
			     .raw = BUF_INIT, .statement = BUF_INIT,
			     .value = BUF_INIT };
	int err;

	if (!c->path && c->shell->editor)
		fputs("Give the records; a line of \\. alone ends them.\n",
		      stderr);
	if (open_files(&im)) {
		err = find_row_columns(c);
		if (!err)
			err = place_fields(&im);
		if (!err)
			err = import_all(&im);
		copy_progress(c, true);
		if (err && err != -EINVAL)
			shell_complain(c->shell, "%s: %s",
				       c->path ? c->path : "STDIN",
				       strerror(-err));
		if (im.parse_errors + im.insert_errors)
			shell_complain(c->shell, "%ld records were refused.",
				       im.parse_errors + im.insert_errors);
		fprintf(stderr, "%llu rows imported from 1 files in %.3f "
			"seconds (%llu skipped).\n",
			(unsigned long long)c->rows, copy_seconds(c),
			(unsigned long long)im.skipped);
	}
	if (im.file)
		fclose(im.file);
	if (im.rejects && fclose(im.rejects))
		shell_complain(c->shell, "%s: %s",
			       (const char *)c->error_file.ptr,
			       strerror(errno));
	csv_release(&im.record);
	buf_release(&im.raw);
	buf_release(&im.statement);
	buf_release(&im.value);
}
