/* The option compression of WITH. */
#ifndef STORE_CQL_SCHEMA_COMPRESSION_OPTIONS_H
#define STORE_CQL_SCHEMA_COMPRESSION_OPTIONS_H
#include "store/cql/schema/ddl.h"

/* Read the map into o, and check it. */
int compression_options_read(struct ddl *d, struct table_options *o,
			     const struct written_property *p);
#endif
