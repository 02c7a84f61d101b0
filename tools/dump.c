/* widefsctl dump: a store as CQL that makes it again. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/connect.h"
#include "tools/describe.h"
#include "tools/dump_table.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_dump = {
	.name = "dump",
	.summary = "a store as CQL that makes it again",
	.usage = "usage: widefsctl dump [OPTIONS] PLACE > FILE\n"
		 "Print all keyspaces of a mount or a store, with their rows, as "
		 "statements of CQL: for\nwidefsctl load, or cqlsh. The order is "
		 "fixed: the same data makes the same bytes.\n\n"
		 "  -s, --schema-only  no rows\n"
		 "  -k, --keyspace=K   this keyspace alone\n"
		 "  -h, --help         this text\n",
	.run = run,
};

static bool is_index(const struct definition *d)
{
	return bytes_equal(d->kind, bytes_str("index"));
}

static void print(const struct definition *d)
{
	printf("\n%.*s\n", (int)d->statement.len,
	       (const char *)d->statement.ptr);
}

/*
 * Print a keyspace: what it has, its rows, and then its indexes, which are built
 * once in this way. *first: its own definition; the next keyspace's afterwards.
 */
static int dump_keyspace(struct cql_backend *b, const struct definition **first,
			 bool rows)
{
	const struct definition *d, *end = *first;
	int status = TOOL_DONE;

	do
		end = end->next;
	while (end && bytes_equal(end->keyspace, (*first)->keyspace));
	for (d = *first; d != end; d = d->next)
		if (!is_index(d))
			print(d);
	for (d = *first; rows && !status && d != end; d = d->next) {
		if (!bytes_equal(d->kind, bytes_str("table")))
			continue;
		putchar('\n');
		status = dump_table(stdout, b, d->keyspace, d->name);
	}
	for (d = *first; !status && d != end; d = d->next)
		if (is_index(d))
			print(d);
	*first = end;
	return status;
}

static int dump(const struct tool_place *p, const char *keyspace, bool rows)
{
	const struct definition *d;
	struct definitions all;
	struct cql_backend *b;
	int status = connect_place(&b, p, true);

	if (status)
		return status;
	status = describe_read(&all, b, keyspace, NULL);
	if (!status)
		puts("-- widefs dump: for widefsctl load, or cqlsh");
	d = all.first;
	while (d && !status)
		status = dump_keyspace(b, &d, rows);
	describe_release(&all);
	return connect_close(b, status);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "schema-only", no_argument, NULL, 's' },
		{ "keyspace", required_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *keyspace = NULL;
	struct tool_place place;
	bool rows = true;
	int option, status;

	while ((option = getopt_long(argc, argv, "sk:h", options, NULL)) >= 0) {
		if (option == 's')
			rows = false;
		else if (option == 'k')
			keyspace = optarg;
		else
			return tool_usage(&command_dump, option == 'h');
	}
	if (keyspace && !*keyspace)
		return tool_misused(&command_dump, "--keyspace",
				    "the name of a keyspace is expected");
	if (argc - optind != 1)
		return tool_misused(&command_dump, "dump",
				    "one PLACE is expected");
	status = place_find(&place, argv[optind], PLACE_KEYSPACES);
	if (status)
		return status;
	status = dump(&place, keyspace ? keyspace : place.keyspace, rows);
	place_release(&place);
	return status;
}
