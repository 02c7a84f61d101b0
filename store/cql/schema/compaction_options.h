/* The option compaction of WITH. */
#ifndef STORE_CQL_SCHEMA_COMPACTION_OPTIONS_H
#define STORE_CQL_SCHEMA_COMPACTION_OPTIONS_H
#include "store/cql/schema/ddl.h"

/* Read the map into o; check it against the table once all options are read. */
int compaction_options_read(struct ddl *d, struct table_options *o,
			    const struct written_property *p);
int compaction_options_check(struct ddl *d, const struct table_options *o);
#endif
