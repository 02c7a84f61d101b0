#include "tools/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/store.h"
#include "store/table/present.h"
#include "tools/describe.h"
#include "tools/lib/tool.h"

#define BATCH_ROWS 1024
#define CHUNK ((size_t)1 << 20)
#define REQUEST ((size_t)128 << 10)	/* the kernel splits no shorter write */

bool table_file_form(enum row_form *form, const char *name)
{
	if (!strcmp(name, "csv") || !strcmp(name, "ndjson")) {
		*form = *name == 'c' ? ROW_CSV : ROW_JSON;
		return true;
	}
	tool_complain(name, "no such format (csv or ndjson)");
	return false;
}

/* ------------------------------------------------------------------- opening */
static int open_document(struct table_file *f, bool import)
{
	const struct tool_place *p = f->place;
	char *path = NULL;
	int err = 0;

	if (asprintf(&path, "%s%s%s/%s/%s.%s", p->mount,
		     p->snapshot ? "/.snapshots/" : "",
		     p->snapshot ? p->snapshot : "", p->keyspace, p->table,
		     f->form == ROW_CSV ? "csv" : "ndjson") < 0)
		return TOOL_FAILED;
	f->fd = open(path, import ? O_WRONLY | O_APPEND | O_CLOEXEC :
				    O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		err = errno;
	if (err == ENOENT) {
		free(path);
		return describe_no_table(p);
	}
	if (err)
		tool_failed(path, -err);
	free(path);
	return err ? TOOL_FAILED : TOOL_DONE;
}

static int begin_store(struct table_file *f, bool import)
{
	const struct line_place whole = { .partition_key = BYTES_NULL };
	struct query q;
	int err;

	if (import) {
		err = line_reader_init(&f->reader, f->table, f->form, &whole,
				       &f->arena);
		f->reads = !err;
		return err;
	}
	err = row_text_init(&f->text, f->table, f->form);
	if (err)
		return err;
	f->writes = true;
	row_text_head(&f->text, &f->out);
	query_init(&q, f->table);
	q.with_statics = q.static_only_rows = f->table->static_count > 0;
	q.now_s = clock_now_s();
	return table_query(&f->cursor, f->store, &q);
}

static int open_store(struct table_file *f, bool import)
{
	const struct tool_place *p = f->place;
	int status = tool_open_store(&f->store, p->store, !import), err;

	if (status)
		return status;
	f->schema = store_schema(f->store);
	f->table = f->schema ? schema_table(f->schema, bytes_str(p->keyspace),
					    bytes_str(p->table)) : NULL;
	if (f->table && f->table->flags & TABLE_VIRTUAL)
		f->table = NULL;
	if (!f->table) {
		table_file_close(f);
		return describe_no_table(p);
	}
	err = begin_store(f, import);
	if (!err)
		return TOOL_DONE;
	tool_failed(p->store, err);
	table_file_close(f);
	return TOOL_FAILED;
}

int table_file_open(struct table_file *f, const struct tool_place *p,
		    enum row_form form, bool import)
{
	*f = (struct table_file){ .place = p, .form = form, .fd = -1,
				  .arena = ARENA_INIT, .out = BUF_INIT };
	/* If the store does not exist, opening it reports that. */
	if (!p->table && (p->mount || !access(p->store, F_OK))) {
		tool_complain(p->mount ? p->mount : p->store,
			      "name a table in it (PLACE/KEYSPACE/TABLE)");
		return TOOL_USAGE;
	}
	return p->mount ? open_document(f, import) : open_store(f, import);
}

int table_file_close(struct table_file *f)
{
	const char *object = f->place->mount ? f->place->mount :
					       f->place->store;
	int err = 0;

	if (f->fd >= 0 && close(f->fd))
		err = -errno;
	cursor_close(f->cursor);
	if (f->writes)
		row_text_release(&f->text);
	if (f->reads)
		line_reader_release(&f->reader);
	arena_release(&f->arena);
	buf_release(&f->out);
	schema_put(f->schema);
	if (f->store && !err)
		err = store_close(f->store);
	if (err)
		tool_failed(object, err);
	return err ? TOOL_FAILED : TOOL_DONE;
}

/* ------------------------------------------------------------------- writing */
static void ask_reason(struct table_file *f, int err)
{
	ssize_t n = fgetxattr(f->fd, "user.error", f->reason,
			      sizeof(f->reason) - 1);
	char *reason;

	f->reason[n > 0 ? n : 0] = 0;
	/* Drop the line number of the mount, which counts what this descriptor
	 * took: ours differ. */
	reason = strncmp(f->reason, "line ", 5) ? NULL :
		 strstr(f->reason, ": ");
	if (reason)
		memmove(f->reason, reason + 2, strlen(reason + 2) + 1);
	if (!f->reason[0])
		snprintf(f->reason, sizeof(f->reason), "%s", strerror(-err));
}

/* Return the length of the first lines that go into one request of the kernel,
 * or of the first one. 0: it has quotes that are not closed. */
static size_t request_length(const struct table_file *f, struct bytes lines)
{
	size_t at = 0, len;

	do {
		bool quoted = false;

		len = line_length(f->form, bytes_of(lines.ptr + at,
						    lines.len - at), &quoted);
		if (!len || (at && at + len > REQUEST))
			break;
		at += len;
	} while (at < lines.len);
	return at;
}

/* Write lines to the file. The daemon takes whole lines up to a bad one; a line
 * that is longer than a request comes in parts, and is refused as a whole. */
static int64_t write_document(struct table_file *f, struct bytes lines)
{
	size_t len = request_length(f, lines), done = 0;

	if (!len) {	/* the daemon would wait for more, until the close */
		snprintf(f->reason, sizeof(f->reason),
			 "the quotes of a field are not closed");
		return -EINVAL;
	}
	do {
		ssize_t n = write(f->fd, lines.ptr + done, len - done);
		int err = n < 0 ? -errno : 0;

		if (err == -EINTR)
			continue;
		if (err) {
			ask_reason(f, err);
			f->torn = done;
			return err;
		}
		done += (size_t)n;
	} while (len > REQUEST && done < len);
	return (int64_t)done;
}

int table_file_go_on(struct table_file *f, struct bytes head)
{
	int status;

	if (!f->torn)
		return TOOL_DONE;
	close(f->fd);	/* its error was told */
	f->fd = -1;
	f->torn = false;
	status = open_document(f, true);
	if (status || !head.len)
		return status;
	return table_file_write(f, head) == (int64_t)head.len ? TOOL_DONE : TOOL_FAILED;
}

/* Apply rows: so many were, at least one; -errno with the reason. */
static int64_t apply(struct table_file *f, const struct line_row *rows,
		     size_t count)
{
	struct write w;
	size_t taken = 0;
	int err;

	write_init(&w, f->store);
	err = line_rows_collect(&w, f->table, rows, count, &taken);
	if (!err)
		err = commit_write(&w);
	if (err && w.refusal.len)
		snprintf(f->reason, sizeof(f->reason), "%s",
			 buf_cstr(&w.refusal));
	else if (err)
		snprintf(f->reason, sizeof(f->reason), "%s", strerror(-err));
	write_release(&w);
	return err ? err : (int64_t)taken;
}

/* Apply the rows of these lines; where one fails, those before it. Returns the
 * bytes of what is done, or -errno: not even the first is. */
static int64_t apply_all(struct table_file *f, const struct line_row *rows,
			 const size_t *ends, size_t count, size_t end)
{
	size_t done = 0, most = count;
	int64_t got;

	while (done < count) {
		got = apply(f, rows + done, most < count - done ? most :
							    count - done);
		if (got < 0 && most > 1) {
			most = 1;	/* find the row that it is */
			continue;
		}
		if (got < 0)
			return done ? (int64_t)ends[done - 1] : got;
		done += (size_t)got;
	}
	return (int64_t)end;
}

static int64_t write_store(struct table_file *f, struct bytes lines)
{
	struct line_row rows[BATCH_ROWS];
	size_t ends[BATCH_ROWS], count = 0, at = 0;
	int got = 0;

	arena_clear(&f->arena);
	while (count < BATCH_ROWS && at < lines.len) {
		struct bytes left = bytes_of(lines.ptr + at, lines.len - at);
		bool quoted = false;
		size_t len = line_length(f->form, left, &quoted);

		got = line_read(&f->reader, bytes_of(left.ptr, len ? len :
						     left.len), &rows[count]);
		if (got < 0)
			break;
		at += len ? len : left.len;
		if (got)
			ends[count++] = at;
	}
	if (got < 0 && !at) {
		snprintf(f->reason, sizeof(f->reason), "%.1000s",
			 got == -EINVAL ? f->reader.error.text :
					  strerror(-got));
		return got;
	}
	return count ? apply_all(f, rows, ends, count, at) : (int64_t)at;
}

int64_t table_file_write(struct table_file *f, struct bytes lines)
{
	if (mem_has_failed()) {	/* they may be cut short */
		snprintf(f->reason, sizeof(f->reason), "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	return f->fd >= 0 ? write_document(f, lines) : write_store(f, lines);
}

/* ------------------------------------------------------------------- reading */
static int read_document(struct table_file *f, struct bytes *lines)
{
	ssize_t n;

	if (!buf_reserve(&f->out, CHUNK))
		return -ENOMEM;
	n = read(f->fd, f->out.ptr, CHUNK);
	*lines = bytes_of(f->out.ptr, n > 0 ? (size_t)n : 0);
	return n < 0 ? -errno : n > 0;
}

static int read_store(struct table_file *f, struct bytes *lines)
{
	struct row_view row;
	int got = 1;

	if (f->begun)		/* the head was given */
		buf_clear(&f->out);
	f->begun = true;
	while (f->out.len < CHUNK && (got = cursor_next(f->cursor, &row)) > 0) {
		int err = row_text_add(&f->text, &f->out, &row, row.statics,
				       row.static_count);

		buf_add_byte(&f->out, '\n');
		if (err || f->out.failed)
			return err ? err : -ENOMEM;
	}
	*lines = buf_bytes(&f->out);
	return got < 0 ? got : lines->len > 0;
}

int table_file_read(struct table_file *f, struct bytes *lines)
{
	return f->fd >= 0 ? read_document(f, lines) : read_store(f, lines);
}
