/* widefsctl schema: the CREATE statements of a store, a keyspace or a table. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/connect.h"
#include "tools/describe.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_schema = {
	.name = "schema",
	.summary = "the CREATE statements of keyspaces and tables",
	.usage = "usage: widefsctl schema PLACE [KEYSPACE[.TABLE]]\n"
		 "Print the statements that make the keyspaces, types, tables and "
		 "indexes of a mount or a\nstore, in the order in which they can "
		 "be run. PLACE may name a keyspace or a table, too.\n\n"
		 "  -h, --help     this text\n",
	.run = run,
};

/* True if neither the keyspace nor the table of "ks" or "ks.t" is empty. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && name[strlen(name) - 1] != '.';
}

/* "ks", "ks.t". False: memory. */
static bool take_name(struct tool_place *p, const char *name)
{
	size_t len = strcspn(name, ".");

	free(p->keyspace);
	free(p->table);
	p->keyspace = strndup(name, len);
	p->table = name[len] ? strdup(name + len + 1) : NULL;
	return p->keyspace && (!name[len] || p->table);
}

static int print(const struct tool_place *p)
{
	const struct definition *one;
	struct definitions d;
	struct cql_backend *b;
	int status = connect_place(&b, p, true);

	if (status)
		return status;
	status = describe_read(&d, b, p->keyspace, p->table);
	for (one = d.first; !status && one; one = one->next)
		printf("%s%.*s\n", one == d.first ? "" : "\n",
		       (int)one->statement.len,
		       (const char *)one->statement.ptr);
	describe_release(&d);
	return connect_close(b, status);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct tool_place place;
	int option, status;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0)
		return tool_usage(&command_schema, option == 'h');
	if (argc - optind < 1)
		return tool_misused(&command_schema, "schema",
				    "one PLACE is expected");
	if (argc - optind > 2)
		return tool_misused(&command_schema, argv[optind + 2],
				    "one name is enough");
	status = place_find(&place, argv[optind], PLACE_KEYSPACES);
	if (status)
		return status;
	if (argc - optind == 2 && !is_name(argv[optind + 1]))
		status = tool_misused(&command_schema, argv[optind + 1],
				      "not KEYSPACE or KEYSPACE.TABLE");
	else if (argc - optind == 2 && !take_name(&place, argv[optind + 1]))
		status = TOOL_FAILED;
	else
		status = print(&place);
	place_release(&place);
	return status;
}
