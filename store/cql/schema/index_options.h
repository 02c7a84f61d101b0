/* The options of CUSTOM indexes, by class. */
#ifndef STORE_CQL_SCHEMA_INDEX_OPTIONS_H
#define STORE_CQL_SCHEMA_INDEX_OPTIONS_H
#include "store/cql/schema/ddl.h"

/* Check the options of a CUSTOM index of the class; t has the index among its
 * own. */
int index_options_check(struct ddl *d, const struct table *t,
			const struct index *index);
#endif
