/*
 * The shell: the state that its files share. ../cql.c begins and ends it,
 * source.c cuts its input into statements, run.c runs one, output.c prints
 * results, commands.c and those of copy/ are its own commands, editor.c and
 * complete.c the line that a person types.
 */
#ifndef TOOLS_CQL_SHELL_H
#define TOOLS_CQL_SHELL_H
#include <stdio.h>

#include "tools/cql/backend.h"

struct cql_editor;
struct cql_source;
struct shell;

/* COPY, which copy/ has. */
struct shell_copy {
	/* COPY t (a, b) TO 'file' WITH …; the whole statement. */
	void (*run)(struct shell *shell, struct bytes statement);
	/* Return the name of option i: NULL after the last, "" where COPY FROM
	 * (or TO) does not have it. */
	const char *(*option_name)(size_t i, bool from);
};

enum shell_mode { SHELL_TABLE, SHELL_CSV, SHELL_JSON, SHELL_LINE };

struct shell {
	struct cql_backend *backend;
	const struct shell_copy *copy;
	struct cql_editor *editor;	/* a person types; or NULL */
	struct cql_source *source;	/* where the statement came from */
	FILE *out;			/* stdout, or the file of CAPTURE */
	char *capture;			/* its name, or NULL */
	enum shell_mode mode;
	bool paging;
	unsigned page_rows;
	bool tracing;
	const char *consistency, *serial_consistency;
	bool bail, quit;
	int status;			/* enum tool_status: the worst so far */
	unsigned long line;		/* of the statement under way; 0: none */
	unsigned depth;			/* of SOURCE in SOURCE */
};
#endif
