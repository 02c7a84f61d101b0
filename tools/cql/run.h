/* Runs a statement, and says what failed. */
#ifndef TOOLS_CQL_RUN_H
#define TOOLS_CQL_RUN_H
#include "tools/cql/shell.h"

/* Run all statements of a source. */
void shell_run_source(struct shell *shell, struct cql_source *source);
/* Run a statement of our own, without output: 0 or -errno after the message. */
int shell_ask(struct shell *shell, const char *statement);
/* Print the error of the backend on stderr, in cqlsh's form. */
void shell_error(struct shell *shell, const struct cql_error *error,
		 struct bytes statement);
/* Print the shell's own complaint: a line on stderr. */
void shell_complain(struct shell *shell, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Note for the exit status that something failed with -errno; a message
 * came. */
void shell_note_failure(struct shell *shell, int err);
#endif
