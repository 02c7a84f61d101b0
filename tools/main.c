#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/process.h"
#include "tools/commands.h"
#include "tools/lib/nearest.h"

static const struct command *const commands[] = {
	&command_bench, &command_check, &command_compact, &command_cql,
	&command_dump, &command_errors, &command_export, &command_flush,
	&command_import, &command_load, &command_repair, &command_schema, &command_scrub,
	&command_snapshot, &command_sstable, &command_stats, &command_status,
	&command_top, &command_umount,
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static int usage(FILE *to)
{
	size_t i;

	fputs("usage: widefsctl COMMAND [ARGUMENTS]\n\n", to);
	for (i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-10s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\nwidefsctl COMMAND --help tells more of each.\n", to);
	return to == stdout ? TOOL_DONE : TOOL_USAGE;
}

static int no_command(const char *word)
{
	char hint[NEAREST_HINT];
	struct nearest near;
	size_t i;

	nearest_begin(&near, bytes_str(word));
	for (i = 0; i < COMMAND_COUNT; i++)
		nearest_offer(&near, bytes_str(commands[i]->name));
	nearest_hint(&near, hint);
	tool_complain(word, "no such command%s",
		      *hint ? hint : " (see widefsctl --help)");
	return TOOL_USAGE;
}

/* Run the command that argv[0] names. */
static int run(int argc, char **argv)
{
	char program[64];
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i]->name, argv[0]))
			continue;
		/* getopt's messages begin with this. */
		snprintf(program, sizeof(program), "widefsctl %s", argv[0]);
		argv[0] = program;
		tool_set_arguments(argv);
		return commands[i]->run(argc, argv);
	}
	return no_command(argv[0]);
}

static int run_arguments(int argc, char **argv)
{
	char help[] = "--help", *asked[] = { NULL, help, NULL };

	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "help") && argc > 2) {
		asked[0] = argv[2];
		return run(2, asked);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return usage(stdout);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("widefsctl " TOOL_VERSION);
		return TOOL_DONE;
	}
	return run(argc - 1, argv + 1);
}

/* Fail if the output could not be printed. */
static int finish(int status)
{
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || status)
		return status;
	tool_complain("standard output", "%s", errno ? strerror(errno) :
		      "it could not be written");
	return TOOL_FAILED;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "help";	/* run changes it */

	process_prepare();
	setlocale(LC_ALL, "");
	if (MB_CUR_MAX == 1)	/* CQL is UTF-8: the editor would drop it */
		setlocale(LC_CTYPE, "C.UTF-8");
	setlocale(LC_NUMERIC, "C");	/* values are read and printed by it */
	return finish(tool_end(command, run_arguments(argc, argv)));
}
