/* COPY FROM. */
#ifndef TOOLS_CQL_COPY_FROM_H
#define TOOLS_CQL_COPY_FROM_H
#include "tools/cql/copy/copy.h"

/* Run it, and print what came of it. */
void copy_from(struct copy *c);
/* Read what is left of STDIN: it is no CQL. */
void copy_skip_input(struct copy *c);
#endif
