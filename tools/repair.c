/* widefsctl repair: salvage a damaged store into a new one. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/base/counted.h"
#include "store/base/log.h"
#include "store/salvage.h"
#include "store/sstable/sstable.h"
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
		 "  -t, --table=WHAT=KEYSPACE.TABLE\n"
		 "                       where the manifest is damaged: WHAT (a table's "
		 "number, or an\n"
		 "                       sstable that names no table) is of this "
		 "table\n"
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

/* Read WHAT: the number of a table, or the name of an sstable. */
static bool read_what(struct salvage_given *g, const char *what)
{
	char *end;
	unsigned long number;

	if (!sstable_name_parse(&g->file, what))
		return true;
	errno = 0;
	number = strtoul(what, &end, 10);
	g->number = (uint32_t)number;
	return *what >= '1' && *what <= '9' && !*end && !errno &&
	       number <= UINT32_MAX;
}

/* Read WHAT=KEYSPACE.TABLE, and cut the text into its parts. */
static bool read_given(struct salvage_given *g, char *text)
{
	char *table = strchr(text, '='), *dot = table ? strchr(table, '.') : NULL;
	bool good;

	if (!dot)
		return false;
	*table = 0;
	good = read_what(g, text);
	if (!good) {
		*table = '=';
		return false;
	}
	*dot = 0;
	g->keyspace = table + 1;
	g->table = dot + 1;
	return true;
}

static int refused(const struct salvage_given *g)
{
	char name[32], what[600];

	snprintf(name, sizeof(name), "%" PRIu32, g->number);
	if (!g->number)
		sstable_name(name, g->file);
	snprintf(what, sizeof(what), "%s=%.250s.%.250s", name, g->keyspace,
		 g->table);
	tool_complain(what, "there is no such table, or the store tells the table "
		      "of this data (leave it out)");
	return TOOL_NONE;
}

static int failed(const char *path, const char *new_path, int err,
		  const struct salvage_counts *counts)
{
	const char *object = counts->of_new ? new_path : path;

	if (counts->refused)
		return refused(counts->refused);
	if (counts->of_new && err == -ENOTEMPTY) {
		tool_complain(object, "it is not empty (give the name of a new "
			      "store)");
		return TOOL_FAILED;
	}
	if (counts->of_new && counts->begun) {
		tool_complain(object, "%s (it is not whole: remove it, and run "
			      "repair again)", strerror(-err));
		return TOOL_FAILED;
	}
	if (!counts->of_new && err == -EACCES) {
		tool_complain(object, "%s%s%s (repair reads all of a store: run "
			      "it as its owner)", counts->unreadable,
			      *counts->unreadable ? ": " : "", strerror(-err));
		return TOOL_FAILED;
	}
	return tool_open_failed(object, err, (int)counts->holder);
}

static int repair(const char *path, const char *new_path,
		  const struct salvage_options *options,
		  enum progress_mode mode)
{
	struct progress progress;
	const struct salvage_told told = { plan, lost, show, &progress };
	struct salvage_counts counts;
	int err;

	/* Print no damage here: lost does. */
	log_set_sink(silent, NULL);
	progress_begin(&progress, mode, "repair", "files");
	err = store_salvage(path, new_path, options, &told, &counts);
	progress_end(&progress);
	if (err) {
		fflush(stdout);
		return failed(path, new_path, err, &counts);
	}
	printf("%s %" PRIu64 " %s of %s; lost: %" PRIu64 "\n",
	       options->dry ? "would take" : "took", counts.entries,
	       counts.entries == 1 ? "row or deletion" : "rows and deletions",
	       counted(counts.tables, "table").text, counts.lost);
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

static int take_table(struct salvage_given *g, char *text)
{
	return read_given(g, text) ? -1 :
		tool_misused(&command_repair, text, "not WHAT=KEYSPACE.TABLE "
			     "(WHAT: the number of a table, or the name of an "
			     "sstable)");
}

static int repair_places(const char *path, const char *new_path,
			 const struct salvage_options *how,
			 enum progress_mode mode)
{
	char *mount, *store;
	int status;

	if (is_inside(path, new_path))
		return tool_misused(&command_repair, new_path,
				    "it is in the damaged store");
	mount = tool_mount_of(path, &store);
	if (mount) {
		tool_complain(path, "is mounted (unmount it first: "
			      "widefsctl umount %s)", mount);
		status = TOOL_BUSY;
	} else {
		status = repair(path, new_path, how, mode);
	}
	free(mount);
	free(store);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "table", required_argument, NULL, 't' },
		{ "progress", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	/* No more of them than arguments. */
	struct salvage_given *given = mem_zalloc((size_t)argc,
						 sizeof(*given));
	struct salvage_options how = { .given = given };
	enum progress_mode mode = PROGRESS_AUTO;
	int option, status = -1;

	if (!given) {
		tool_failed("repair", -ENOMEM);
		return TOOL_FAILED;
	}
	while (status < 0 &&
	       (option = getopt_long(argc, argv, "np:t:h", options,
				     NULL)) >= 0) {
		if (option == 'n')
			how.dry = true;
		else if (option == 't')
			status = take_table(&given[how.given_count++], optarg);
		else if (option != 'p')
			status = tool_usage(&command_repair, option == 'h');
		else if (!progress_mode_read(&mode, optarg))
			status = TOOL_USAGE;
	}
	if (status < 0 && argc - optind != 2)
		status = tool_misused(&command_repair, "repair",
				      "STORE and NEW are expected");
	if (status < 0)
		status = repair_places(argv[optind], argv[optind + 1], &how,
				       mode);
	mem_free(given);
	return status;
}
