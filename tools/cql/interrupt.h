/* Ctrl-C. */
#ifndef TOOLS_CQL_INTERRUPT_H
#define TOOLS_CQL_INTERRUPT_H
#include <stdbool.h>

/* True if Ctrl-C was pressed since the last cql_interrupt_clear. */
bool cql_interrupted(void);
void cql_interrupt_clear(void);
/* Let Ctrl-C set that flag from now on, and not end the process. */
void cql_interrupt_catch(void);
/* Wait until fd can be read: 0, or -EINTR when Ctrl-C was or is pressed. */
int cql_interrupt_wait(int fd);
#endif
