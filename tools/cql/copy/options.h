/* COPY's options after WITH, and those of its CONFIGFILE. */
#ifndef TOOLS_CQL_COPY_OPTIONS_H
#define TOOLS_CQL_COPY_OPTIONS_H
#include "tools/cql/copy/copy.h"

/* Return the option of that name, or -1. */
int copy_option_named(struct bytes name);
/* As shell_copy.option_name. */
const char *copy_option_name(size_t i, bool from);
/* Why the command cannot have the option (-1: there is none): NULL, it can. */
const char *copy_option_refused(const struct copy *c, int option);
/* Set it. Returns NULL, or what is wrong with the value, which ends with a
 * 0. */
const char *copy_option_set(struct copy *c, int option, struct bytes value);
/* Set the options of CONFIGFILE that the command does not set. 0 or -errno;
 * faults of the file are printed. */
int copy_read_config(struct copy *c);
/* Return what is wrong with the options together, or NULL. */
const char *copy_options_check(const struct copy *c);
#endif
