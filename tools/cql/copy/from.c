/* COPY … FROM: the records of CSV files, and which columns their fields are. */
#include "tools/cql/copy/from.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/counted.h"
#include "tools/cql/copy/record.h"
#include "tools/cql/interrupt.h"
#include "tools/cql/run.h"
#include "tools/cql/source.h"

/* Skip the byte order mark that some programs put before UTF-8. */
static void add_line(struct import *im, struct bytes line)
{
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };

	if (im->lines == 1 && line.len >= sizeof(mark) &&
	    !memcmp(line.ptr, mark, sizeof(mark)))
		line = bytes_of(line.ptr + sizeof(mark),
				line.len - sizeof(mark));
	buf_add_bytes(&im->raw, line);
}

/* True if the line says this and nothing else. */
static bool line_is(struct bytes line, const char *text)
{
	while (line.len && (line.ptr[line.len - 1] == '\n' ||
			    line.ptr[line.len - 1] == '\r'))
		line.len--;
	return bytes_equal(line, bytes_str(text));
}

/* Append a line of STDIN to out: 1, 0 at the end, -errno. */
static int read_input(struct copy *c, struct buf *out)
{
	size_t before = out->len;
	int more = c->has_input ? cql_source_line(c->shell->source, out) : 0;

	if (more > 0 && line_is(bytes_of(buf_bytes(out).ptr + before,
					 out->len - before), "\\."))
		more = 0;
	c->has_input = more > 0;
	return more;
}

void copy_skip_input(struct copy *c)
{
	struct buf line = BUF_INIT;

	while (c->has_input) {
		buf_clear(&line);
		read_input(c, &line);
	}
	buf_release(&line);
}

/* Append a line to raw: 1, 0 at the end, -errno. */
static int read_line(struct import *im)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	im->lines++;
	if (!im->file)
		return read_input(im->copy, &im->raw);
	errno = 0;
	n = getline(&line, &room, im->file);
	if (n > 0)
		add_line(im, bytes_of((uint8_t *)line, (size_t)n));
	free(line);
	if (n < 0)
		return ferror(im->file) ? -(errno ? errno : EIO) : 0;
	return im->raw.failed ? -ENOMEM : 1;
}

/* Read the next record. 1, 0, -errno. */
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
				 bytes_of(buf_bytes(&im->raw).ptr + from,
					  im->raw.len - from));
	}
	return im->record.text.failed || im->record.fields.failed ? -ENOMEM : 1;
}

static bool too_many(struct import *im)
{
	const struct copy *c = im->copy;

	return (c->max_parse_errors >= 0 &&
		im->parse_errors > c->max_parse_errors) ||
	       (c->max_insert_errors >= 0 &&
		im->insert_errors > c->max_insert_errors);
}

static size_t column_of(const struct copy *c, struct bytes name)
{
	size_t i;

	for (i = 0; i < c->column_count; i++)
		if (bytes_equal(c->columns[i].bare, name))
			return i;
	return SIZE_MAX;
}

/* Find the columns of rows, where the table has statics. 0 or -errno. */
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
	if (more < 0) {
		shell_error(c->shell, &b->error, buf_bytes(&text));
		shell_note_failure(c->shell, more);
	}
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
 * Find the column of each field: in the order of the command or of the table,
 * or by the names in the header where the command names none.
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
			name = csv_field(&im->record, i);
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

/* MAXROWS and SKIPROWS count records of all files, as in cqlsh. */
static int import_next(struct import *im)
{
	struct copy *c = im->copy;
	int err = 0;

	im->records++;
	if (cql_interrupted())
		return -EINTR;
	if (c->skip_rows > 0 && im->records <= (uint64_t)c->skip_rows) {
		im->skipped++;
	} else if (im->field_count == 1 ||
		   !line_is(buf_bytes(&im->raw), "")) {
		err = copy_import_record(im);
		copy_progress(c, false);
	}
	if (!err && too_many(im)) {
		shell_complain(c->shell, "COPY was given up: too many records "
			       "were refused.");
		im->full = true;
	}
	return err;
}

static int import_records(struct import *im)
{
	struct copy *c = im->copy;
	int more = 1, err = 0;

	while (!err && !im->full) {
		if (c->max_rows >= 0 && im->records >= (uint64_t)c->max_rows) {
			im->full = true;
			break;
		}
		more = read_record(im);
		if (more <= 0)
			break;
		err = import_next(im);
	}
	return err ? err : more < 0 ? more : 0;
}

/* Import all of a file, or of STDIN where there is none. */
static int import_file(struct import *im)
{
	int err;

	im->lines = 0;
	im->files++;
	err = place_fields(im);
	if (!err)
		err = import_records(im);
	if (err && err != -EINVAL)	/* it was printed */
		copy_ended(im->copy, im->name, err);
	return err;
}

static int import_path(struct import *im, const char *path)
{
	int err;

	im->name = path;
	im->file = fopen(path, "re");
	if (!im->file) {
		shell_complain(im->copy->shell, "Could not open %s: %s", path,
			       strerror(errno));
		return -EINVAL;
	}
	err = import_file(im);
	fclose(im->file);
	im->file = NULL;
	return err;
}

/* List the files that the pattern matches; the name of a file that exists is no
 * pattern. */
static int import_pattern(struct import *im, const char *pattern)
{
	glob_t found;
	size_t i;
	int err = 0;

	if (!access(pattern, F_OK) || glob(pattern, 0, NULL, &found))
		return import_path(im, pattern);
	for (i = 0; !err && !im->full && i < found.gl_pathc; i++)
		err = import_path(im, found.gl_pathv[i]);
	globfree(&found);
	return err;
}

/* Import each of 'a.csv, b*.csv' in turn, where there is no file of that
 * name. */
static int import_all(struct import *im)
{
	struct copy *c = im->copy;
	char *list, *piece, *rest;
	int err = 0;

	if (!c->path)
		return import_file(im);
	if (!access(c->path, F_OK) || !strchr(c->path, ','))
		return import_pattern(im, c->path);
	list = (char *)arena_copy(&c->arena, bytes_str(c->path)).ptr;
	if (!list)
		return -ENOMEM;
	for (piece = strtok_r(list, ",", &rest); piece && !err && !im->full;
	     piece = strtok_r(NULL, ",", &rest)) {
		size_t len = strlen(piece += strspn(piece, " "));

		while (len && piece[len - 1] == ' ')
			piece[--len] = 0;
		if (len)
			err = import_pattern(im, piece);
	}
	return err;
}

static bool open_rejects(struct import *im)
{
	struct copy *c = im->copy;

	if (!c->error_file)
		return true;
	im->rejects = fopen(c->error_file, "ae");
	if (!im->rejects)
		shell_complain(c->shell, "Could not open %s: %s",
			       c->error_file, strerror(errno));
	return im->rejects;
}

void copy_from(struct copy *c)
{
	struct import im = { .copy = c, .name = "STDIN",
			     .record = CSV_RECORD_INIT, .raw = BUF_INIT,
			     .statement = BUF_INIT, .value = BUF_INIT,
			     .plain = BUF_INIT, .partition = BUF_INIT };

	if (!c->path && c->shell->source->line_is_typed) {
		fputs("Give the records; a line of \\. alone ends them.\n",
		      stderr);
		c->has_input = true;
	}
	if (open_rejects(&im) && !find_row_columns(c)) {
		import_all(&im);
		copy_progress(c, true);
		if (im.parse_errors + im.insert_errors)
			shell_complain(c->shell, "%s refused%s.",
				       counted((uint64_t)(im.parse_errors +
							  im.insert_errors),
					       "record").text,
				       c->error_file ? "" :
				       " (ERRFILE = 'FILE' keeps them)");
		fprintf(stderr, "%llu rows imported from %lu files in %.3f "
			"seconds (%llu skipped).\n",
			(unsigned long long)c->rows, im.files,
			copy_seconds(c), (unsigned long long)im.skipped);
	}
	if (im.rejects && fclose(im.rejects))
		shell_complain(c->shell, "%s: %s", c->error_file,
			       strerror(errno));
	csv_release(&im.record);
	buf_release(&im.raw);
	buf_release(&im.statement);
	buf_release(&im.value);
	buf_release(&im.plain);
	buf_release(&im.partition);
}
