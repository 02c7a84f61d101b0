/* widefsctl import: rows of CSV or lines of JSON into a table. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/csv_null.h"
#include "store/base/counted.h"
#include "tools/lib/progress.h"
#include "tools/lib/tool.h"
#include "tools/table_file.h"

static int run(int argc, char **argv);
const struct command command_import = {
	.name = "import",
	.summary = "rows of CSV or lines of JSON into a table",
	.usage = "usage: widefsctl import [OPTIONS] TABLE FILE\n"
		 "Write the rows of FILE (-: standard input) into a table "
		 "(PLACE/KEYSPACE/TABLE, of a\nmount or a store). Columns that a "
		 "row does not give are left as they are. It ends at the\nfirst "
		 "line that is refused; the lines before it have been written."
		 "\n\n"
		 "  -F, --format=FORMAT  csv or ndjson (default: by the first "
		 "byte)\n"
		 "  -n, --null=S         S means null in CSV (default: an empty "
		 "field)\n"
		 "  -e, --errors=FILE    put lines that are refused there, and go "
		 "on\n"
		 "  -p, --progress=WHEN  auto (on a terminal, from a second on), "
		 "always, never or json\n"
		 "  -h, --help           this text\n",
	.run = run,
};

#define CHUNK ((size_t)1 << 20)
#define LONGEST ((size_t)2 << 30)	/* a line: the largest value, and more */
#define TOLD 10				/* so many refusals are told one by one */

struct import_work {
	struct table_file file;
	const char *name, *null, *errors_name;
	enum row_form form;
	bool form_is_given, at_end, lost;	/* lost: of what was refused */
	int fd;
	FILE *errors;			/* NULL: end at the first */
	struct buf in, changed, head;	/* head: of CSV */
	size_t searched;		/* of in: no line ends there, and */
	bool quoted;			/* whether that ends within quotes */
	struct csv_null nulls, back;	/* back: as the file has them */
	struct progress progress;
	uint64_t total, done, line, rows, refused;	/* bytes; lines before */
};

/* ------------------------------------------------------------------- input */
/* Read more: 0, -errno. */
static int fill(struct import_work *i)
{
	ssize_t n;

	if (!buf_reserve(&i->in, CHUNK))
		return -ENOMEM;
	do
		n = read(i->fd, i->in.ptr + i->in.len, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	i->in.len += (size_t)n;
	if (!n && i->in.len && i->in.ptr[i->in.len - 1] != '\n')
		buf_add_byte(&i->in, '\n');
	i->at_end = !n;
	return i->in.failed ? -ENOMEM : 0;
}

static void choose_form(struct import_work *i)
{
	size_t at = 0;

	if (i->form_is_given)
		return;
	while (at < i->in.len && strchr(" \t\r\n", i->in.ptr[at]))
		at++;
	i->form = at < i->in.len && i->in.ptr[at] == '{' ? ROW_JSON : ROW_CSV;
}

/* Return the length of the whole lines. At the end all there is: quotes that do
 * not end are refused as a line. */
static size_t whole_lines(struct import_work *i)
{
	size_t at = 0, len = 1;

	if (i->at_end)
		return i->in.len;
	while (len && at < i->in.len) {
		size_t from = at + i->searched;

		len = line_length(i->form, bytes_of(i->in.ptr + from,
						    i->in.len - from),
				  &i->quoted);
		i->searched = len ? 0 : i->in.len - at;
		at = len ? from + len : at;
	}
	return at;
}

/* ------------------------------------------------------------------- lines */
static size_t first_length(const struct import_work *i, struct bytes lines)
{
	bool quoted = false;
	size_t len = line_length(i->form, lines, &quoted);

	return len ? len : lines.len;
}

/* Count the lines that were taken, and the rows in them. */
static void count_taken(struct import_work *i, struct bytes taken)
{
	while (taken.len) {
		size_t len = first_length(i, taken), j;
		bool blank = len == 1 || (len == 2 && taken.ptr[0] == '\r');

		if (blank)
			;
		else if (i->form == ROW_CSV && !i->head.len)
			buf_add(&i->head, taken.ptr, len);
		else
			i->rows++;
		for (j = 0; j < len; j++)
			i->line += taken.ptr[j] == '\n';
		taken = bytes_of(taken.ptr + len, taken.len - len);
	}
}

/* Put a line among the refused, with nulls as the file had them. */
static void keep_refused(struct import_work *i, struct bytes line)
{
	struct buf changed = BUF_INIT;

	if (i->null && i->form == ROW_CSV) {
		csv_null_change(&i->back, &changed, line);
		csv_null_end(&i->back, &changed);
		line = buf_bytes(&changed);
	}
	if (changed.failed)
		i->lost = true;
	else
		tool_write(i->errors, line);
	buf_release(&changed);
}

/* True if another line might be taken: this one is wrong, too long, or of a row
 * that nothing can be later than. */
static bool is_of_line(int64_t err)
{
	return err == -EINVAL || err == -EFBIG || err == -EPERM;
}

/* Note that the first line is refused. Returns its length, or 0: the import
 * ends. */
static size_t refuse_first(struct import_work *i, struct bytes lines)
{
	size_t len = first_length(i, lines), j;
	bool head = i->form == ROW_CSV && !i->head.len;

	i->refused++;
	if (!i->errors || head || i->refused <= TOLD)
		tool_complain(i->name, "line %llu: %s",
			      (unsigned long long)i->line + 1,
			      i->file.reason);
	if (!i->errors || head)
		return 0;
	if (i->refused == 1)
		tool_write(i->errors, buf_bytes(&i->head));
	keep_refused(i, bytes_of(lines.ptr, len));
	for (j = 0; j < len; j++)
		i->line += lines.ptr[j] == '\n';
	return len;
}

/* Write whole lines: 0, -errno; 1: a line was refused, and it ends here. */
static int write_lines(struct import_work *i, struct bytes lines)
{
	while (lines.len) {
		int64_t n = table_file_write(&i->file, lines);

		if (is_of_line(n)) {
			n = (int64_t)refuse_first(i, lines);
			if (!n || table_file_go_on(&i->file,
						   buf_bytes(&i->head)))
				return 1;
		} else if (n <= 0) {
			tool_complain(i->name, "line %llu: %s",
				      (unsigned long long)i->line + 1,
				      i->file.reason);
			return 1;
		} else {
			count_taken(i, bytes_of(lines.ptr, (size_t)n));
		}
		lines = bytes_of(lines.ptr + n, lines.len - (size_t)n);
	}
	return i->head.failed ? -ENOMEM : 0;
}

static int take_lines(struct import_work *i, size_t len)
{
	struct bytes lines = bytes_of(i->in.ptr, len);
	int err;

	if (i->null && i->form == ROW_CSV) {
		buf_clear(&i->changed);
		csv_null_change(&i->nulls, &i->changed, lines);
		if (i->at_end)
			csv_null_end(&i->nulls, &i->changed);
		if (i->changed.failed)
			return -ENOMEM;
		lines = buf_bytes(&i->changed);
	}
	err = write_lines(i, lines);
	i->done += len;
	progress_show(&i->progress, i->done, i->total);
	memmove(i->in.ptr, i->in.ptr + len, i->in.len - len);
	i->in.len -= len;
	return err;
}

/* Write what is left: 0, 1 after a message, -errno. */
static int take_all(struct import_work *i)
{
	int err = 0;

	while (!err && !i->at_end) {
		size_t len = whole_lines(i);

		if (len)
			err = take_lines(i, len);
		if (!err && i->in.len > LONGEST)
			err = -EFBIG;
		if (!err)
			err = fill(i);
	}
	return !err && i->in.len ? take_lines(i, i->in.len) : err;
}

/* ------------------------------------------------------------------ command */
static int open_files(struct import_work *i)
{
	struct stat st, errors;

	i->fd = STDIN_FILENO;
	if (strcmp(i->name, "-"))
		i->fd = open(i->name, O_RDONLY | O_CLOEXEC);
	if (i->fd < 0) {
		tool_failed(i->name, -errno);
		return TOOL_FAILED;
	}
	if (!fstat(i->fd, &st) && S_ISREG(st.st_mode))
		i->total = (uint64_t)st.st_size;
	if (i->errors_name && !fstat(i->fd, &st) && S_ISREG(st.st_mode) &&
	    !stat(i->errors_name, &errors) && errors.st_dev == st.st_dev &&
	    errors.st_ino == st.st_ino) {
		tool_complain(i->errors_name, "it is the file that is imported");
		return TOOL_USAGE;
	}
	if (i->errors_name && !(i->errors = fopen(i->errors_name, "we"))) {
		tool_failed(i->errors_name, -errno);
		return TOOL_FAILED;
	}
	return TOOL_DONE;
}

static int finish(struct import_work *i, int err)
{
	bool lost = i->lost || (i->errors && ferror(i->errors));

	if (i->errors && (fclose(i->errors) || lost)) {
		tool_complain(i->errors_name, "it could not be written");
		err = err ? err : 1;
	}
	if (err < 0)
		tool_failed(i->name, err);
	if (i->errors && i->refused)
		tool_complain(i->name, "%s written, %s refused (in %s)",
			      counted(i->rows, "row").text,
			      counted(i->refused, "line").text,
			      i->errors_name);
	return err || i->refused ? TOOL_FAILED : TOOL_DONE;
}

static int import(struct import_work *i, const struct tool_place *p,
		  enum progress_mode mode)
{
	int status = open_files(i), err = 0, closed;

	if (!status) {
		err = fill(i);
		choose_form(i);
		status = table_file_open(&i->file, p, i->form, true);
	}
	if (!status) {
		csv_null_init(&i->nulls, i->null ? i->null : "", true);
		csv_null_init(&i->back, i->null ? i->null : "", false);
		i->back.behind_header = true;
		progress_begin(&i->progress, mode, "import", "bytes");
		if (!err)
			err = i->at_end && i->in.len ?
				      take_lines(i, i->in.len) : take_all(i);
		progress_end(&i->progress);
		status = finish(i, err);
		closed = table_file_close(&i->file);
		status = status ? status : closed;
		csv_null_release(&i->nulls);
		csv_null_release(&i->back);
	}
	if (i->fd > STDIN_FILENO)
		close(i->fd);
	buf_release(&i->in);
	buf_release(&i->changed);
	buf_release(&i->head);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'F' },
		{ "null", required_argument, NULL, 'n' },
		{ "errors", required_argument, NULL, 'e' },
		{ "progress", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct import_work i = { .in = BUF_INIT, .changed = BUF_INIT,
			    .head = BUF_INIT };
	enum progress_mode mode = PROGRESS_AUTO;
	struct tool_place place;
	int option, status;

	while ((option = getopt_long(argc, argv, "F:n:e:p:h", options,
				     NULL)) >= 0) {
		if (option == 'F') {
			if (!table_file_form(&i.form, optarg))
				return TOOL_USAGE;
			i.form_is_given = true;
		} else if (option == 'n') {
			i.null = optarg;
		} else if (option == 'e') {
			i.errors_name = optarg;
		} else if (option != 'p') {
			return tool_usage(&command_import, option == 'h');
		} else if (!progress_mode_read(&mode, optarg)) {
			return TOOL_USAGE;
		}
	}
	if (argc - optind != 2)
		return tool_misused(&command_import, "import",
				    "one TABLE and one FILE are expected");
	i.name = argv[optind + 1];
	status = place_find(&place, argv[optind], PLACE_TABLES);
	if (status)
		return status;
	status = import(&i, &place, mode);
	place_release(&place);
	return status;
}
