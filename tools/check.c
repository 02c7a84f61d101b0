/* widefsctl check: read every byte of a store and say what is damaged. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/log.h"
#include "store/base/counted.h"
#include "store/store.h"
#include "store/type/json/print.h"
#include "tools/lib/progress.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_check = {
	.name = "check",
	.summary = "read every file of a store and verify it",
	.usage = "usage: widefsctl check [OPTIONS] STORE\n"
		 "Verify every file, block, order and reference of a store that "
		 "no process has open.\nNothing is written. Status 4: damage was "
		 "found.\n\n"
		 "  -q, --quick          open it and replay its log, and read no "
		 "data\n"
		 "  -j, --json           one JSON object\n"
		 "  -p, --progress=WHEN  auto (on a terminal, from a second on), "
		 "always, never or json\n"
		 "  -h, --help           this text\n",
	.run = run,
};

struct tool_check {
	const char *path;
	bool quick, json;
	unsigned problems;
	struct buf texts;		/* for JSON: strings, with commas */
	struct progress progress;
};

static void report(void *context, const char *text)
{
	struct tool_check *c = context;

	c->problems++;
	if (!c->json) {
		tool_print_line("%s", text);
		return;
	}
	buf_add_str(&c->texts, c->texts.len ? ", " : "");
	json_print_string(&c->texts, bytes_str(text));
}

static void show(void *context, uint64_t done, uint64_t total)
{
	struct tool_check *c = context;

	progress_show(&c->progress, done, total);
}

static void silent(void *context, enum log_level level, const char *line)
{
	(void)context;
	(void)level;
	(void)line;
}

static void print(struct tool_check *c, bool finished)
{
	struct buf path = BUF_INIT;

	if (!c->json) {
		if (finished)
			printf("%s\n", counted(c->problems, "problem").text);
		return;
	}
	json_print_string(&path, bytes_str(c->path));
	printf("{\"store\": %s, \"quick\": %s, \"finished\": %s, "
	       "\"problems\": [%s]}\n", buf_cstr(&path),
	       c->quick ? "true" : "false", finished ? "true" : "false",
	       buf_cstr(&c->texts));
	buf_release(&path);
}

static int check(struct tool_check *c)
{
	const struct lsm_verify_told told = { report, show, c };
	struct store *store;
	int err = 0, status;

	/* Print no damage here: report does. */
	log_set_sink(silent, NULL);
	status = tool_open_store(&store, c->path, true);
	if (status == TOOL_DAMAGED && c->json)
		report(c, log_corrupt_last());
	if (status) {
		print(c, false);
		return status;
	}
	if (!c->quick)
		err = store_verify_table(store, NULL, &told);
	progress_end(&c->progress);
	store_close(store);
	if (err && err != -EUCLEAN) {
		tool_complain(c->path, "%s", strerror(-err));
		print(c, false);
		return TOOL_FAILED;
	}
	print(c, true);
	return c->problems || err ? TOOL_DAMAGED : TOOL_DONE;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "json", no_argument, NULL, 'j' },
		{ "progress", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	enum progress_mode mode = PROGRESS_AUTO;
	struct tool_check c = { .texts = BUF_INIT };
	char *mount, *store;
	int option, status;

	while ((option = getopt_long(argc, argv, "qjp:h", options, NULL)) >= 0) {
		if (option == 'q')
			c.quick = true;
		else if (option == 'j')
			c.json = true;
		else if (option != 'p')
			return tool_usage(&command_check, option == 'h');
		else if (!progress_mode_read(&mode, optarg))
			return TOOL_USAGE;
	}
	if (argc - optind != 1)
		return tool_misused(&command_check, "check",
				    "one STORE is expected");
	c.path = argv[optind];
	mount = tool_mount_of(c.path, &store);
	if (mount) {
		tool_complain(c.path, "is mounted (unmount it first: widefsctl "
			      "umount %s; or: widefsctl scrub --wait)", mount);
		status = TOOL_BUSY;
	} else {
		progress_begin(&c.progress, mode, "check", "bytes");
		status = check(&c);
	}
	buf_release(&c.texts);
	free(mount);
	free(store);
	return status;
}
