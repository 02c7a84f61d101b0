/* The option compression of WITH. */
#ifndef STORE_CQL_SCHEMA_COMPRESSION_OPTIONS_H
#define STORE_CQL_SCHEMA_COMPRESSION_OPTIONS_H
#include "store/cql/schema/ddl.h"

/* Read the map into o, and check it. */
int compression_options_read(struct ddl *d, struct table_options *o,
			     const struct written_property *p);
/* Warn of options that have no effect here: a dump of a schema must load, so
 * the nearest one is used. compression_options_read must have set o. */
void compression_options_warn(struct ddl *d, const struct table_options *o);
#endif
