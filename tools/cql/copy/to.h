/* COPY TO. */
#ifndef TOOLS_CQL_COPY_TO_H
#define TOOLS_CQL_COPY_TO_H
#include "tools/cql/copy/copy.h"

/* Run it, and print what came of it. */
void copy_to(struct copy *c);
#endif
