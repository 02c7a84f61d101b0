/* widefsctl load: run the statements of a dump. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/connect.h"
#include "tools/cql/run.h"
#include "tools/cql/source.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_load = {
	.name = "load",
	.summary = "run the statements of a dump",
	.usage = "usage: widefsctl load PLACE < FILE\n"
		 "Run the statements of standard input, as widefsctl dump printed "
		 "them, on a mount or a\nstore; one that does not exist is made. "
		 "It ends at the first error, which names the\nline; the statements "
		 "before it have been done.\n\n"
		 "  -h, --help     this text\n",
	.run = run,
};

/* Run a statement of CQL; the shell's own commands are none. 0, -errno. */
static int run_statement(struct shell *shell, struct bytes statement)
{
	struct cql_backend *b = shell->backend;
	const struct bytes *row;
	int err;

	while (statement.len && (statement.ptr[0] <= ' ' ||
				 statement.ptr[0] == ';'))
		statement = bytes_of(statement.ptr + 1, statement.len - 1);
	if (!statement.len)
		return 0;
	err = b->ops->execute(b, statement);
	while (!err && (err = b->ops->next(b, &row)) > 0)
		err = 0;	/* a SELECT: nobody wants its rows */
	if (err)
		shell_error(shell, &b->error, statement);
	b->ops->finish(b);
	return err;
}

static void run_all(struct shell *shell, struct cql_source *source)
{
	struct bytes statement;
	int more = 1, err = 0;

	shell->source = source;
	while (!err && (more = cql_source_next(source, &statement,
					       &shell->line)) > 0)
		err = run_statement(shell, statement);
	if (more < 0)
		tool_failed("<stdin>", more);
	if (more < 0 || err)
		shell->status = TOOL_FAILED;
}

static int load(const struct tool_place *p)
{
	struct shell shell = {
		.out = stdout, .mode = SHELL_TABLE, .page_rows = 100,
		.consistency = "ONE", .serial_consistency = "SERIAL",
		.bail = true,
	};
	struct cql_source source;
	int status = connect_place(&shell.backend, p, false);

	if (status)
		return status;
	cql_source_of_file(&source, stdin, "<stdin>");
	run_all(&shell, &source);
	cql_source_release(&source);
	return connect_close(shell.backend, shell.status);
}

/* Make the store that is named; MOUNT/K and STORE/K mean none. */
static int make_store(const char *path)
{
	if (!place_is_inside(path))
		return tool_make_store(path);
	tool_complain(path, "no such keyspace (the statements make it: name the "
		      "mount or the store alone)");
	return TOOL_NONE;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct tool_place place;
	int option, status = TOOL_DONE;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0)
		return tool_usage(&command_load, option == 'h');
	if (argc - optind != 1)
		return tool_misused(&command_load, "load",
				    "one PLACE is expected");
	if (access(argv[optind], F_OK) && errno == ENOENT)
		status = make_store(argv[optind]);
	if (!status)
		status = place_find(&place, argv[optind], PLACE_KEYSPACES);
	if (status)
		return status;
	status = load(&place);
	place_release(&place);
	return status;
}
