/* widefsctl export: the rows of a table as CSV or lines of JSON. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/csv_null.h"
#include "tools/lib/progress.h"
#include "tools/lib/tool.h"
#include "tools/table_file.h"

static int run(int argc, char **argv);
const struct command command_export = {
	.name = "export",
	.summary = "the rows of a table as CSV or lines of JSON",
	.usage = "usage: widefsctl export [OPTIONS] TABLE [FILE]\n"
		 "Write the rows of a table (PLACE/KEYSPACE/TABLE, of a mount or a "
		 "store) to FILE, or to\nstandard output (-).\n\n"
		 "  -F, --format=FORMAT  csv or ndjson (default: as FILE ends, else "
		 "csv)\n"
		 "  -n, --null=S         write S for null in CSV (default: "
		 "nothing)\n"
		 "  -p, --progress=WHEN  auto (on a terminal, from a second on), "
		 "always, never or json\n"
		 "  -h, --help           this text\n",
	.run = run,
};

struct export_job {
	const char *file, *null;	/* NULL: standard output; none */
	enum row_form form;
	enum progress_mode mode;
};

static int copy(struct table_file *f, FILE *out, const struct export_job *job)
{
	struct buf changed = BUF_INIT;
	struct progress progress;
	struct csv_null nulls;
	struct bytes lines;
	uint64_t done = 0;
	int got;

	csv_null_init(&nulls, job->null ? job->null : "", false);
	progress_begin(&progress, job->mode, "export", "bytes");
	while ((got = table_file_read(f, &lines)) > 0) {
		if (job->null && job->form == ROW_CSV) {
			buf_clear(&changed);
			csv_null_change(&nulls, &changed, lines);
			lines = buf_bytes(&changed);
		}
		if (changed.failed)
			got = -ENOMEM;
		else if (!tool_write(out, lines))
			got = -errno;
		if (got < 0)
			break;
		done += lines.len;
		progress_show(&progress, done, 0);
	}
	progress_end(&progress);
	csv_null_release(&nulls);
	buf_release(&changed);
	return got;
}

static int export_table(const struct tool_place *p,
			const struct export_job *job)
{
	struct table_file f;
	FILE *out = stdout;
	int status = table_file_open(&f, p, job->form, false), err, closed;

	if (status)
		return status;
	if (job->file)
		out = fopen(job->file, "we");
	err = out ? copy(&f, out, job) : -errno;
	if (out && job->file && fclose(out) && !err)
		err = -errno;
	if (err)
		tool_failed(job->file ? job->file : ferror(stdout) ? "standard output" :
			    p->table, err);
	closed = table_file_close(&f);
	return err == -EUCLEAN ? TOOL_DAMAGED : err ? TOOL_FAILED : closed;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), more = strlen(end);

	return len >= more && !strcmp(text + len - more, end);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'F' },
		{ "null", required_argument, NULL, 'n' },
		{ "progress", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *format = NULL;
	struct export_job job = { .form = ROW_CSV };
	struct tool_place place;
	int option, status;

	while ((option = getopt_long(argc, argv, "F:n:p:h", options,
				     NULL)) >= 0) {
		if (option == 'F')
			format = optarg;
		else if (option == 'n')
			job.null = optarg;
		else if (option != 'p')
			return tool_usage(&command_export, option == 'h');
		else if (!progress_mode_read(&job.mode, optarg))
			return TOOL_USAGE;
	}
	if (argc - optind < 1 || argc - optind > 2)
		return tool_misused(&command_export, "export",
				    "one TABLE and at most one FILE are "
				    "expected");
	if (argc - optind == 2 && strcmp(argv[optind + 1], "-"))
		job.file = argv[optind + 1];
	if (format && !table_file_form(&job.form, format))
		return TOOL_USAGE;
	if (!format && job.file &&
	    (ends_with(job.file, ".ndjson") || ends_with(job.file, ".jsonl") ||
	     ends_with(job.file, ".json")))
		job.form = ROW_JSON;
	status = place_find(&place, argv[optind], PLACE_SNAPSHOTS);
	if (status)
		return status;
	status = export_table(&place, &job);
	place_release(&place);
	return status;
}
