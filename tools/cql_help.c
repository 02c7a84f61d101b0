/* HELP: what there is, and how each command of the shell's is written. */
#include "tools/cql_shell.h"

static const struct {
	const char *name, *text;
} topics[] = {
	{ "CAPTURE", "CAPTURE ['FILE' | OFF]\n"
	  "  Append the output of statements to FILE, and show none of it." },
	{ "CLEAR", "CLEAR (or CLS)\n  Clear the screen." },
	{ "CONSISTENCY", "CONSISTENCY [LEVEL]\n"
	  "  Show or set the level of the session: ANY, ONE, TWO, THREE, "
	  "QUORUM, ALL,\n  LOCAL_ONE, LOCAL_QUORUM, EACH_QUORUM, SERIAL, "
	  "LOCAL_SERIAL, NODE_LOCAL. One\n  replica satisfies all of them; "
	  "what a cluster refuses at a level is refused." },
	{ "COPY", "COPY TABLE [(COLUMNS)] TO 'FILE' | STDOUT [WITH OPTION = "
	  "VALUE [AND ...]];\n"
	  "COPY TABLE [(COLUMNS)] FROM 'FILE' | STDIN [WITH OPTION = VALUE "
	  "[AND ...]];\n"
	  "  CSV out and in. STDIN ends with a line of \\. alone. Options:\n"
	  "  HEADER (false), DELIMITER (,), QUOTE (\"), ESCAPE (\\), NULL "
	  "(empty),\n"
	  "  BOOLSTYLE (True,False), MAXROWS, BEGINTOKEN, ENDTOKEN; and for "
	  "FROM: SKIPROWS,\n"
	  "  SKIPCOLS (a, b), MAXPARSEERRORS, MAXINSERTERRORS, ERRFILE, TTL.\n"
	  "  Those of cqlsh that tune its speed are accepted." },
	{ "DESCRIBE", "DESCRIBE KEYSPACES | KEYSPACE [K] | TABLES | TABLE T | "
	  "TYPES | TYPE T |\n         INDEX I | CLUSTER | [FULL] SCHEMA | NAME "
	  "[WITH INTERNALS]\n  The schema, as statements that make it." },
	{ "EXIT", "EXIT (or QUIT, or Ctrl-D)\n  Leave the shell." },
	{ "EXPAND", "EXPAND [ON | OFF]\n"
	  "  A row as a table of its own, a line per column (MODE line)." },
	{ "HELP", "HELP [COMMAND]" },
	{ "MODE", "MODE [table | csv | json | line]\n"
	  "  How results are printed; json is an object a line." },
	{ "PAGING", "PAGING [ON | OFF | ROWS]\n"
	  "  On a terminal, wait after each page of rows (100)." },
	{ "SERIAL", "SERIAL CONSISTENCY [SERIAL | LOCAL_SERIAL]\n"
	  "  Show or set the level of conditional updates." },
	{ "SHOW", "SHOW VERSION | HOST" },
	{ "SOURCE", "SOURCE 'FILE'\n  Run the statements of FILE." },
	{ "TRACING", "TRACING [ON | OFF]\n"
	  "  After each statement say what it read." },
};

static void list(void)
{
	size_t i;

	shell_tell("\nCommands of the shell (HELP NAME tells more):\n  ");
	for (i = 0; shell_command_names[i]; i++)
		shell_tell("%s%s", shell_command_names[i],
			  i % 8 == 7 ? "\n  " : "  ");
	shell_tell("\n\nCQL:\n"
		  "  SELECT  INSERT  UPDATE  DELETE  BEGIN BATCH  TRUNCATE  "
		  "USE\n"
		  "  CREATE, ALTER, DROP: KEYSPACE  TABLE  TYPE;  CREATE, DROP: "
		  "INDEX\n\n"
		  "A statement of CQL ends with a semicolon. Tab completes, "
		  "Ctrl-C ends output,\nCtrl-D leaves.\n\n");
}

void shell_help(struct shell *shell, struct bytes topic)
{
	size_t i;

	if (bytes_is_null(topic)) {
		list();
		return;
	}
	for (i = 0; i < ARRAY_SIZE(topics); i++) {
		if (topic.len == strlen(topics[i].name) &&
		    !strncasecmp((const char *)topic.ptr, topics[i].name,
				 topic.len)) {
			shell_tell("\n%s\n\n", topics[i].text);
			return;
		}
	}
	shell_complain(shell, "No help for %.*s (HELP alone lists what there "
		       "is).", (int)(topic.len < 60 ? topic.len : 60),
		       (const char *)topic.ptr);
}
