/* widefsctl check: read every byte of a store and say what is damaged. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/log.h"
#include "store/store.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_check = {
	.name = "check",
	.summary = "read every file of a store and verify it",
	.usage = "usage: widefsctl check [--quick] STORE\n"
		 "Verify every file, block, order and reference of a store that "
		 "nobody has open.\nNothing is written. Status 4: damage was "
		 "found.\n\n"
		 "  -q, --quick  open it and replay its log, and read no data\n"
		 "  -h, --help   this text\n",
	.run = run,
};

static void report(void *context, const char *text)
{
	unsigned *problems = context;

	++*problems;
	fprintf(stderr, "%s\n", text);
}

static void silent(void *context, enum log_level level, const char *line)
{
	(void)context;
	(void)level;
	(void)line;
}

static int check(const char *path, bool quick)
{
	struct store *store;
	unsigned problems = 0;
	int err = 0, status;

	/* Damage is printed once, by report. */
	log_set_sink(silent, NULL);
	status = tool_open_store(&store, path, true);
	if (status)
		return status;
	if (!quick)
		err = store_verify(store, report, &problems);
	store_close(store);
	if (err && err != -EUCLEAN) {
		tool_complain(path, "%s", strerror(-err));
		return TOOL_FAILED;
	}
	printf("%u problem%s\n", problems, problems == 1 ? "" : "s");
	return problems || err ? TOOL_DAMAGED : TOOL_DONE;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	char *mount, *store;
	bool quick = false;
	int option, status;

	while ((option = getopt_long(argc, argv, "qh", options, NULL)) >= 0) {
		if (option != 'q')
			return tool_usage(&command_check, option == 'h');
		quick = true;
	}
	if (argc - optind != 1)
		return tool_misused(&command_check, "check",
				    "one STORE is expected");
	mount = tool_mount_of(argv[optind], &store);
	if (mount) {
		tool_complain(argv[optind], "is mounted (unmount it first: "
			      "widefsctl umount %s)", mount);
		status = TOOL_BUSY;
	} else {
		status = check(argv[optind], quick);
	}
	free(mount);
	free(store);
	return status;
}
