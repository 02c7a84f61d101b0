/* The line that a person types. */
#ifndef TOOLS_CQL_EDITOR_H
#define TOOLS_CQL_EDITOR_H
#include "store/cql/syntax/statement_end.h"
#include "tools/cql/shell.h"

/* NULL without memory. History is read here and written as lines come. */
struct cql_editor *cql_editor_new(struct shell *shell);
void cql_editor_free(struct cql_editor *e);
int cql_editor_line(struct cql_editor *e, struct buf *out,
		    enum cql_split_inside inside);
/* Print the last lines of it, oldest first, on stdout. */
void cql_editor_history(struct cql_editor *e, unsigned count);
/* Add what was run to the history, as one line. */
void cql_editor_remember(struct cql_editor *e, struct bytes statement);
#endif
