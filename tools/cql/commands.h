/* The shell's own commands. */
#ifndef TOOLS_CQL_COMMANDS_H
#define TOOLS_CQL_COMMANDS_H
#include "tools/cql/shell.h"

/* True if this is the name of a command of the shell. *line: its line ends
 * it. */
bool shell_is_command(struct bytes word, bool *line);
/* Run it if it is one: true. */
bool shell_command(struct shell *shell, struct bytes statement);
/* Return the path with "~/" replaced, as a shell does: to be freed with
 * mem_free. NULL without memory. */
char *shell_path(struct bytes text);
/* Words that HELP and completion know, ended by NULL. */
extern const char *const shell_command_names[];
#endif
