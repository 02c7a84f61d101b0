/* Results for people and for programs, a page at a time on a terminal. */
#include "tools/cql/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/cql/output/format.h"
#include "store/cql/output/format_value.h"
#include "store/cql/output/format_width.h"
#include "tools/cql/interrupt.h"

#define OUT_SIZE (64 * 1024)

const char *const shell_mode_names[SHELL_MODES] = {
	[SHELL_TABLE] = "table", [SHELL_CSV] = "csv", [SHELL_JSON] = "json",
	[SHELL_LINE] = "line",
};

unsigned shell_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

/* Write out and empty b: 0 or -errno. */
static int shell_put(struct shell *shell, struct buf *b)
{
	int err = b->failed ? -ENOMEM : 0;

	if (!err && b->len && fwrite(b->ptr, 1, b->len, shell->out) != b->len)
		err = -errno;
	buf_clear(b);
	return err;
}

void shell_tell(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

/* Ask after a page whether the person wants more. */
static bool ask_more(struct shell *shell)
{
	char key = 0, c = 0;

	fflush(shell->out);
	fputs("---MORE---", stderr);
	while (c != '\n') {
		if (cql_interrupt_wait(STDIN_FILENO) ||
		    read(STDIN_FILENO, &c, 1) <= 0) {
			fputc('\n', stderr);
			return false;
		}
		if (!key)
			key = c;
	}
	return key != 'q' && key != 'Q';
}

static void add_times(struct buf *out, char c, unsigned times)
{
	while (times--)
		buf_add_byte(out, (uint8_t)c);
}

static bool is_paged(const struct shell *shell)
{
	return shell->paging && shell->editor && shell->out == stdout &&
	       isatty(STDOUT_FILENO);
}

/* Rows until the end. */
static int print_rows(struct shell *shell, struct cql_format *fmt,
		      struct buf *out)
{
	struct cql_backend *b = shell->backend;
	const struct bytes *values;
	uint64_t rows = 0;
	int more, err = 0;

	while (!err && (more = b->ops->next(b, &values))) {
		if (more < 0)
			return more;
		if (cql_interrupted())
			return -EINTR;
		if (rows && is_paged(shell) && rows % shell->page_rows == 0) {
			cql_format_page(fmt, out);
			err = shell_put(shell, out);
			if (!err && !ask_more(shell))
				return -EINTR;
		}
		rows++;
		cql_format_row(fmt, out, values);
		if (!err && (out->len >= OUT_SIZE || out->failed))
			err = shell_put(shell, out);
	}
	cql_format_end(fmt, out);
	return err;
}

static int print_plain(struct shell *shell)
{
	static const enum cql_format_kind kinds[SHELL_MODES] = {
		[SHELL_TABLE] = CQL_FORMAT_TABLE, [SHELL_CSV] = CQL_FORMAT_CSV,
		[SHELL_JSON] = CQL_FORMAT_NDJSON,
		[SHELL_LINE] = CQL_FORMAT_EXPANDED,
	};
	struct cql_backend *b = shell->backend;
	struct cql_format *fmt;
	struct buf out = BUF_INIT;
	int failed;
	int err = cql_format_new(&fmt, kinds[shell->mode], b->columns,
				 b->column_count, b->json);

	if (err)
		return err;
	if (shell->editor)
		cql_format_person(fmt);
	cql_format_begin(fmt, &out);
	err = print_rows(shell, fmt, &out);
	if (err && err != -EINTR)
		cql_format_flush(fmt, &out);	/* the rows before the error */
	failed = shell_put(shell, &out);
	cql_format_free(fmt);
	buf_release(&out);
	return err ? err : failed;
}

/* ---------------------------------------------------------------- DESCRIBE */
static int column_named(const struct cql_backend *b, const char *name)
{
	uint32_t i;

	for (i = 0; i < b->column_count; i++)
		if (bytes_equal(b->columns[i].name, bytes_str(name)))
			return (int)i;
	return -1;
}

static int print_statements(struct shell *shell, int column)
{
	struct cql_backend *b = shell->backend;
	struct buf out = BUF_INIT;
	const struct bytes *values;
	int more = 0, err = 0;

	while (!err && (more = b->ops->next(b, &values)) > 0) {
		buf_add_byte(&out, '\n');
		buf_add_bytes(&out, values[column]);
		buf_add_byte(&out, '\n');
		err = cql_interrupted() ? -EINTR : shell_put(shell, &out);
	}
	buf_release(&out);
	return err ? err : more;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Return the width of a column of so many of the names. */
static unsigned widest_of(const char *const *names, size_t count)
{
	unsigned widest = 0, width;

	while (count--) {
		width = cql_format_width(bytes_str(names[count]));
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* True if they fit into the width in so many lines, down and then across. */
static bool fit(const char *const *names, size_t count, size_t lines)
{
	size_t i, width = 0;

	for (i = 0; i < count; i += lines)
		width += 2 + widest_of(names + i, i + lines < count ?
						  lines : count - i);
	return width - 2 <= shell_width();
}

static void draw_names(struct buf *out, const char *const *names, size_t count,
		       size_t lines)
{
	size_t line, i;

	for (line = 0; line < lines; line++) {
		for (i = line; i < count; i += lines) {
			size_t top = i - line;
			unsigned width = widest_of(names + top,
						   top + lines < count ?
							   lines : count - top);

			buf_add_str(out, names[i]);
			if (i + lines < count)
				add_times(out, ' ', width + 2 - cql_format_width(
							bytes_str(names[i])));
		}
		buf_add_byte(out, '\n');
	}
}

/* Names, 0-terminated, sorted, in as few lines as they fit in. */
static void add_names(struct buf *out, const struct buf *names)
{
	const char *name = (const char *)names->ptr, **list;
	const char *end = name + names->len;
	size_t count = 0, lines = 1, i;

	for (i = 0; i < names->len; i++)
		count += !names->ptr[i];
	list = mem_zalloc(count + 1, sizeof(*list));
	if (!list) {
		out->failed = true;
		return;
	}
	for (i = 0; name < end; name += strlen(name) + 1)
		list[i++] = name;
	qsort(list, count, sizeof(*list), compare_names);
	while (lines < count && !fit(list, count, lines))
		lines++;
	draw_names(out, list, count, lines);
	mem_free(list);
}

static void end_group(struct buf *out, struct buf *names, const struct buf *of,
		      bool titled)
{
	if (!names->len)
		return;
	buf_add_byte(out, '\n');
	if (titled) {
		buf_add_str(out, "Keyspace ");
		buf_add_bytes(out, buf_bytes(of));
		buf_add_byte(out, '\n');
		add_times(out, '-', 9 + cql_format_width(buf_bytes(of)));
		buf_add_byte(out, '\n');
	}
	add_names(out, names);
	buf_clear(names);
}

/* keyspace_name, type, name: names by keyspace. */
static int print_names(struct shell *shell, int keyspace, int name)
{
	struct cql_backend *b = shell->backend;
	struct buf out = BUF_INIT, names = BUF_INIT, of = BUF_INIT;
	const struct bytes *values;
	bool keyspaces = false, titled = !*b->keyspace;
	int more, type = column_named(b, "type");

	while ((more = b->ops->next(b, &values)) > 0) {
		if (!bytes_equal(values[keyspace], buf_bytes(&of))) {
			if (!keyspaces)
				end_group(&out, &names, &of, titled);
			buf_clear(&of);
			buf_add_bytes(&of, values[keyspace]);
		}
		keyspaces = type >= 0 && bytes_equal(values[type],
						     bytes_str("keyspace"));
		buf_add_bytes(&names, values[name]);
		buf_add_byte(&names, 0);
	}
	end_group(&out, &names, &of, titled && !keyspaces);
	if (of.len)	/* where there are none nothing is said */
		buf_add_byte(&out, '\n');
	out.failed = out.failed || names.failed || of.failed;
	if (more >= 0)
		more = shell_put(shell, &out);
	buf_release(&out);
	buf_release(&names);
	buf_release(&of);
	return more;
}

/* DESCRIBE CLUSTER: Cluster: x */
static int print_properties(struct shell *shell)
{
	struct cql_backend *b = shell->backend;
	struct buf out = BUF_INIT;
	const struct bytes *values;
	uint32_t i;
	int more;

	while ((more = b->ops->next(b, &values)) > 0) {
		buf_add_byte(&out, '\n');
		for (i = 0; i < b->column_count; i++) {
			struct bytes name = b->columns[i].name;

			if (name.len)
				buf_add_byte(&out, name.ptr[0] & ~0x20);
			buf_add(&out, name.ptr + 1, name.len ? name.len - 1 : 0);
			buf_add_str(&out, ": ");
			cql_format_value(&out, b->columns[i].type, values[i]);
			buf_add_byte(&out, '\n');
		}
	}
	buf_add_byte(&out, '\n');
	if (more >= 0)
		more = shell_put(shell, &out);
	buf_release(&out);
	return more;
}

static int print_description(struct shell *shell)
{
	const struct cql_backend *b = shell->backend;
	int statement = column_named(b, "create_statement");
	int keyspace = column_named(b, "keyspace_name");
	int name = column_named(b, "name");

	if (statement >= 0)
		return print_statements(shell, statement);
	if (keyspace >= 0 && name >= 0)
		return print_names(shell, keyspace, name);
	return print_properties(shell);
}

int shell_print_result(struct shell *shell, bool describe)
{
	if (!shell->backend->column_count)
		return 0;
	if (describe && (shell->mode == SHELL_TABLE ||
			 shell->mode == SHELL_LINE))
		return print_description(shell);
	return print_plain(shell);
}
