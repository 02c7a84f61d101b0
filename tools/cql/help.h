/* HELP. */
#ifndef TOOLS_CQL_HELP_H
#define TOOLS_CQL_HELP_H
#include "tools/cql/shell.h"

/* Print what is said of a topic; "": all topics. */
void shell_help(struct shell *shell, const char *topic);
#endif
