/* HELP: what there is, and how each command and statement is written. */
#include "tools/cql/help.h"

#include "tools/cql/commands.h"
#include "tools/cql/output.h"
#include "tools/cql/run.h"

static const struct topic {
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
	  "  BOOLSTYLE (True,False), DATETIMEFORMAT (as strftime), DECIMALSEP "
	  "(.),\n"
	  "  THOUSANDSSEP, MAXROWS, CONFIGFILE, RATEFILE, REPORTFREQUENCY; "
	  "for TO: BEGINTOKEN,\n"
	  "  ENDTOKEN, FLOATPRECISION, DOUBLEPRECISION, MAXOUTPUTSIZE (rows "
	  "of a file);\n"
	  "  for FROM: SKIPROWS, SKIPCOLS (a, b), MAXPARSEERRORS, "
	  "MAXINSERTERRORS, ERRFILE,\n"
	  "  TTL; its FILE may be several ('a.csv, b*.csv').\n"
	  "  Those of cqlsh that tune its speed are accepted." },
	{ "DESCRIBE", "DESCRIBE KEYSPACES | KEYSPACE [K] | TABLES | TABLE T | "
	  "TYPES | TYPE T |\n         INDEX I | CLUSTER | [FULL] SCHEMA | NAME "
	  "[WITH INTERNALS]\n  The schema, as statements that make it." },
	{ "EXIT", "EXIT (or QUIT, or Ctrl-D)\n  Leave the shell." },
	{ "EXPAND", "EXPAND [ON | OFF]\n"
	  "  A row as a table of its own, a line per column (MODE line)." },
	{ "HELP", "HELP [COMMAND]" },
	{ "HISTORY", "HISTORY [COUNT]\n"
	  "  The last 50, or COUNT, statements and commands." },
	{ "LOGIN", "LOGIN\n"
	  "  Is not there: your rights are those of your user." },
	{ "MODE", "MODE [table | csv | json | line]\n"
	  "  How results are printed; json is an object a line." },
	{ "PAGING", "PAGING [ON | OFF | ROWS]\n"
	  "  On a terminal, wait after each page of rows (100)." },
	{ "SERIAL", "SERIAL CONSISTENCY [SERIAL | LOCAL_SERIAL]\n"
	  "  Show or set the level of conditional updates." },
	{ "SHOW", "SHOW VERSION | HOST" },
	{ "SOURCE", "SOURCE 'FILE'\n  Run the statements of FILE." },
	{ "TRACING", "TRACING [ON | OFF]\n"
	  "  After each statement say what it read: rows, tombstones, files." },
}, statements[] = {
	{ "ALTER KEYSPACE", "ALTER KEYSPACE K WITH replication = {...} [AND "
	  "durable_writes = ...];" },
	{ "ALTER TABLE", "ALTER TABLE T ADD C TYPE [STATIC], ...;\n"
	  "ALTER TABLE T DROP C, ... [USING TIMESTAMP N];\n"
	  "ALTER TABLE T RENAME C TO D [AND ...];\n"
	  "ALTER TABLE T WITH OPTION = VALUE [AND ...];" },
	{ "ALTER TYPE", "ALTER TYPE U ADD FIELD TYPE, ...;\n"
	  "ALTER TYPE U RENAME FIELD TO NAME [AND ...];" },
	{ "BATCH", "BEGIN [UNLOGGED | COUNTER] BATCH [USING TIMESTAMP N]\n"
	  "  INSERT, UPDATE and DELETE statements;\n"
	  "APPLY BATCH;\n  All of them or, after a crash, none." },
	{ "CREATE INDEX", "CREATE INDEX [IF NOT EXISTS] [I] ON T (C | "
	  "KEYS(C) | VALUES(C) | ENTRIES(C) |\n  FULL(C));\n"
	  "CREATE CUSTOM INDEX [I] ON T (C) USING 'CLASS' [WITH OPTIONS = "
	  "{...}];" },
	{ "CREATE KEYSPACE", "CREATE KEYSPACE [IF NOT EXISTS] K WITH "
	  "replication =\n  {'class': 'SimpleStrategy', "
	  "'replication_factor': 1};" },
	{ "CREATE TABLE", "CREATE TABLE [IF NOT EXISTS] T (C TYPE [STATIC], "
	  "...,\n  PRIMARY KEY ((PARTITION KEY), CLUSTERING COLUMNS))\n"
	  "  [WITH CLUSTERING ORDER BY (C DESC) AND OPTION = VALUE ...];" },
	{ "CREATE TYPE", "CREATE TYPE [IF NOT EXISTS] U (FIELD TYPE, ...);" },
	{ "DELETE", "DELETE [C, C[KEY], C.FIELD] FROM T [USING TIMESTAMP N]\n"
	  "  WHERE ... [IF EXISTS | IF CONDITION AND ...];" },
	{ "DROP", "DROP KEYSPACE | TABLE | TYPE | INDEX [IF EXISTS] NAME;" },
	{ "INSERT", "INSERT INTO T (C, ...) VALUES (V, ...) [IF NOT EXISTS]\n"
	  "  [USING TTL N AND TIMESTAMP N];\n"
	  "INSERT INTO T JSON '{...}' [DEFAULT NULL | UNSET] ...;" },
	{ "SELECT", "SELECT [JSON] [DISTINCT] * | C, FUNCTION(C) AS NAME, ... "
	  "FROM T\n  [WHERE C = V AND C > V AND C IN (...) AND C CONTAINS V "
	  "...]\n  [GROUP BY C, ...] [ORDER BY C DESC] [PER PARTITION LIMIT N]"
	  " [LIMIT N]\n  [ALLOW FILTERING];" },
	{ "TRUNCATE", "TRUNCATE [TABLE] T;\n  Remove all rows." },
	{ "TYPES", "ascii, text (varchar)     'it''s', $$it's$$\n"
	  "tinyint, smallint, int,\n"
	  "bigint, varint, counter   42\n"
	  "decimal, double, float    1.5, 1E3, NaN, Infinity\n"
	  "boolean, blob             true, 0xcafe\n"
	  "uuid, timeuuid            123e4567-e89b-12d3-a456-426614174000, "
	  "uuid(), now()\n"
	  "timestamp                 '2020-01-31 12:00:00.000+0000', or "
	  "milliseconds\n"
	  "date, time                '2020-01-31', '12:00:00.000000000'\n"
	  "duration                  1y2mo3d4h5m6s7ms8us9ns\n"
	  "inet                      '127.0.0.1', '::1'\n"
	  "list<T>, set<T>           [1, 2, 2], {1, 2}\n"
	  "map<K, V>                 {'a': 1, 'b': 2}\n"
	  "tuple<T, U>               (1, 'a')\n"
	  "vector<float, 2>          [0.5, 1]\n"
	  "user types                {street: 'S', zip: 7}\n"
	  "frozen<T>                 as T: one value, written as a whole" },
	{ "UPDATE", "UPDATE T [USING TTL N AND TIMESTAMP N]\n"
	  "  SET C = V, C = C + V, C[KEY] = V, C.FIELD = V\n"
	  "  WHERE KEY = V AND ... [IF EXISTS | IF CONDITION AND ...];" },
	{ "USE", "USE K;\n  Names without a keyspace are those of K." },
};

static void list(void)
{
	size_t i;

	shell_tell("\nCommands of the shell (HELP NAME tells more):");
	for (i = 0; shell_command_names[i]; i++)
		shell_tell("%s%s", i % 8 ? "  " : "\n  ",
			   shell_command_names[i]);
	shell_tell("\n\nCQL (HELP STATEMENT shows how it is written):");
	for (i = 0; i < ARRAY_SIZE(statements); i++)
		shell_tell("%s%s", i % 5 ? "  " : "\n  ", statements[i].name);
	shell_tell("\n\nA statement of CQL ends with a semicolon. Tab "
		   "completes, Ctrl-C ends a query,\nCtrl-D leaves.\n\n");
}

/* "create_table" is "CREATE TABLE", too. */
static bool is_topic(const char *name, const char *topic)
{
	for (; *name && *topic; name++, topic++)
		if (*name != (*topic == '_' ? ' ' : *topic & ~0x20) &&
		    *name != *topic)
			return false;
	return !*name && !*topic;
}

static const char *find(const struct topic *list, size_t count,
			const char *topic)
{
	while (count--)
		if (is_topic(list[count].name, topic))
			return list[count].text;
	return NULL;
}

void shell_help(struct shell *shell, const char *topic)
{
	const char *text;

	if (!*topic) {
		list();
		return;
	}
	text = find(topics, ARRAY_SIZE(topics), topic);
	if (!text)
		text = find(statements, ARRAY_SIZE(statements), topic);
	if (text)
		shell_tell("\n%s\n\n", text);
	else
		shell_complain(shell, "No help for %.60s (HELP alone lists "
			       "what there is).", topic);
}
