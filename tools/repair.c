/* widefsctl repair: salvage a damaged store into a new one. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/log.h"
#include "store/salvage.h"
#include "tools/lib/progress.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_repair = {
	.name = "repair",
	.summary = "salvage a damaged store into a new one",
	.usage = "usage: widefsctl repair [OPTIONS] STORE NEW\n"
		 "Copy all that is sound in STORE, which no process has open, into "
		 "a new store\nNEW, and list what is lost. STORE is never written. "
		 "Snapshots are not carried over.\nStatus 4: something is lost.\n\n"
		 "  -n, --dry-run        make nothing: say what would be done "
		 "and lost\n"
		 "  -p, --progress=WHEN  auto (on a terminal, from a second on), "
		 "always, never or json\n"
		 "  -h, --help           this text\n",
	.run = run,
};

static void plan(void *context, const char *text)
{
	(void)context;
	puts(text);
	fflush(stdout);
}

static void lost(void *context, const char *text)
{
	(void)context;
	printf("lost: ");
	/* Names and keys come from the damaged store. */
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
	putchar('\n');
}

static void show(void *context, uint64_t done, uint64_t total)
{
	progress_show(context, done, total);
}

static void silent(void *context, enum log_level level, const char *line)
{
	(void)context;
	(void)level;
	(void)line;
}

static int failed(const char *path, const char *new_path, int err,
		  const struct salvage_counts *counts)
{
	const char *object = counts->of_new ? new_path : path;

	if (counts->of_new && err == -ENOTEMPTY) {
		tool_complain(object, "it is not empty (give the name of a new "
			      "store)");
		return TOOL_FAILED;
	}
	if (counts->of_new) {
		tool_failed(object, err);
		return TOOL_FAILED;
	}
	switch (err) {
	case -EBUSY:
		if (counts->holder)
			tool_complain(object, "store is open in process %d "
				      "(unmount it)", (int)counts->holder);
		else
			tool_complain(object, "store is open in another process "
				      "(unmount it)");
		return TOOL_BUSY;
	case -ENOENT:
	case -ENOTEMPTY:
	case -ENOTDIR:
		tool_complain(object, "there is no store");
		return TOOL_NONE;
	case -EPROTONOSUPPORT:
		tool_complain(object, "the store's format is newer than this "
			      "widefsctl (use a newer one)");
		return TOOL_TOO_NEW;
	case -EUCLEAN:
		tool_complain(object, "%s", log_corrupt_last());
		return TOOL_DAMAGED;
	default:
		tool_failed(object, err);
		return TOOL_FAILED;
	}
}

static int repair(const char *path, const char *new_path, bool dry,
		  enum progress_mode mode)
{
	struct progress progress;
	const struct salvage_told told = { plan, lost, show, &progress };
	struct salvage_counts counts;
	int err;

	/* Damage is printed once, by lost. */
	log_set_sink(silent, NULL);
	progress_begin(&progress, mode, "repair", "files");
	err = store_salvage(path, new_path, dry, &told, &counts);
	progress_end(&progress);
	if (err) {
		fflush(stdout);
		return failed(path, new_path, err, &counts);
	}
	printf("%s %" PRIu64 " rows and deletions of %" PRIu64 " tables; lost: "
	       "%" PRIu64 "\n", dry ? "would take" : "took", counts.entries,
	       counts.tables, counts.lost);
	return counts.lost ? TOOL_DAMAGED : TOOL_DONE;
}

/* True if new_path is, or would be made, in the damaged store. */
static bool is_inside(const char *path, const char *new_path)
{
	char *copy = strdup(new_path), *store = realpath(path, NULL);
	char *parent = copy ? realpath(dirname(copy), NULL) : NULL;
	size_t len = store ? strlen(store) : 0;
	bool inside = len && parent && !strncmp(parent, store, len) &&
		      (!parent[len] || parent[len] == '/');

	free(copy);
	free(store);
	free(parent);
	return inside;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "progress", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	enum progress_mode mode = PROGRESS_AUTO;
	char *mount, *store;
	bool dry = false;
	int option, status;

	while ((option = getopt_long(argc, argv, "np:h", options, NULL)) >= 0) {
		if (option == 'n')
			dry = true;
		else if (option != 'p')
			return tool_usage(&command_repair, option == 'h');
		else if (!progress_mode_read(&mode, optarg))
			return TOOL_USAGE;
	}
	if (argc - optind != 2)
		return tool_misused(&command_repair, "repair",
				    "STORE and NEW are expected");
	if (is_inside(argv[optind], argv[optind + 1]))
		return tool_misused(&command_repair, argv[optind + 1],
				    "it is in the damaged store");
	mount = tool_mount_of(argv[optind], &store);
	if (mount) {
		tool_complain(argv[optind], "is mounted (unmount it first: "
			      "widefsctl umount %s)", mount);
		status = TOOL_BUSY;
	} else {
		status = repair(argv[optind], argv[optind + 1], dry, mode);
	}
	free(mount);
	free(store);
	return status;
}
