/* Prints results. */
#ifndef TOOLS_CQL_OUTPUT_H
#define TOOLS_CQL_OUTPUT_H
#include "tools/cql/shell.h"

/* "table", "csv", … by enum shell_mode; SHELL_MODES of them. */
#define SHELL_MODES 4
extern const char *const shell_mode_names[SHELL_MODES];

/* Print what the backend has executed: 0, or -errno with its error set. */
int shell_print_result(struct shell *shell, bool describe);
/* Print a message of a shell's command, which CAPTURE does not take. */
void shell_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
unsigned shell_width(void);
#endif
