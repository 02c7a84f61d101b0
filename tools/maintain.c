/*
 * widefsctl flush and compact: written to the daemon's .widefs/ctl, or done
 * here on a store that nobody has mounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store/base/log.h"
#include "store/schema/schema.h"
#include "store/store.h"
#include "store/table/present.h"
#include "tools/lib/place.h"
#include "tools/lib/tool.h"

static int run_flush(int argc, char **argv);
static int run_compact(int argc, char **argv);
const struct command command_flush = {
	.name = "flush",
	.summary = "write what is in memory to files",
	.usage = "usage: widefsctl flush [PLACE]\n"
		 "Write the memtables of a mount, a store or one of its tables "
		 "(PLACE/KEYSPACE/TABLE)\nto sstables. The default is the mount "
		 "that the working directory is in.\n\n"
		 "  -h, --help     this text\n",
	.run = run_flush,
};
const struct command command_compact = {
	.name = "compact",
	.summary = "merge the files of tables",
	.usage = "usage: widefsctl compact [PLACE]\n"
		 "Merge the sstables of each table of a mount, a store or of one "
		 "of its tables\n(PLACE/KEYSPACE/TABLE) into one, without what "
		 "is deleted for good. The default is\nthe mount that the "
		 "working directory is in.\n\n"
		 "  -h, --help     this text\n",
	.run = run_compact,
};

static int status_of(int err)
{
	return err == -EUCLEAN ? TOOL_DAMAGED : TOOL_FAILED;
}

static int tell_daemon(const struct place *p, const char *command)
{
	char *path = NULL, *line = NULL, reason[1024];
	ssize_t n = -1;
	int fd = -1, err = 0;

	if (asprintf(&path, "%s/.widefs/ctl", p->mount) < 0 ||
	    asprintf(&line, "%s%s%s%s%s\n", command, p->table ? " " : "",
		     p->table ? p->keyspace : "", p->table ? "." : "",
		     p->table ? p->table : "") < 0)
		err = -ENOMEM;
	if (!err)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (!err && (fd < 0 || write(fd, line, strlen(line)) < 0))
		err = -errno;
	if (err && fd >= 0)
		n = fgetxattr(fd, "user.error", reason, sizeof(reason) - 1);
	if (n > 0)
		reason[n] = 0;
	if (err && n > 0)
		tool_complain(p->mount, "%s", reason);
	else if (err)
		tool_failed(p->mount, err);
	if (fd >= 0)
		close(fd);
	free(path);
	free(line);
	return !err ? TOOL_DONE :
	       err == -EINVAL && p->table ? TOOL_NONE : status_of(err);
}

static int do_here(const struct place *p, bool compact)
{
	struct store *store;
	struct schema *schema;
	struct table *t = NULL;
	int err, closed, status;

	status = tool_open_store(&store, p->store, false);
	if (status)
		return status;
	schema = store_schema(store);
	if (schema && p->table)
		t = schema_table(schema, bytes_str(p->keyspace),
				 bytes_str(p->table));
	if (p->table && !t) {
		tool_complain(p->store, "there is no table '%s.%s'",
			      p->keyspace, p->table);
		status = TOOL_NONE;
	} else {
		err = compact ? store_compact(store, t) : store_flush(store, t);
		if (err)
			tool_complain(p->store, "%s", err == -EUCLEAN ?
				      corrupt_last() : strerror(-err));
		status = err ? status_of(err) : TOOL_DONE;
	}
	schema_put(schema);
	closed = store_close(store);
	if (closed && !status) {
		tool_complain(p->store, "%s", strerror(-closed));
		status = status_of(closed);
	}
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct place place;
	const char *path;
	int option, status;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0)
		return tool_usage(command, option == 'h');
	if (argc - optind > 1)
		return tool_misused(command, argv[optind + 1],
				    "one PLACE is enough");
	path = optind < argc ? argv[optind] : NULL;
	status = place_find(&place, path, false);
	if (status)
		return status;
	if (place.mount)
		status = tell_daemon(&place, command->name);
	else
		status = do_here(&place, command == &command_compact);
	place_release(&place);
	return status;
}

static int run_flush(int argc, char **argv)
{
	return run(&command_flush, argc, argv);
}

static int run_compact(int argc, char **argv)
{
	return run(&command_compact, argc, argv);
}
