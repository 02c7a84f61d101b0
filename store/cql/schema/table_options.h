/* The options of a table in WITH. */
#ifndef STORE_CQL_SCHEMA_TABLE_OPTIONS_H
#define STORE_CQL_SCHEMA_TABLE_OPTIONS_H
#include "store/cql/schema/ddl.h"

/*
 * WITH of a table. read_table_options refuses what cannot be read and changes
 * *o; check_table_options refuses names that are no option, and values of *o
 * that are out of their bounds.
 */
int read_table_options(struct ddl *d, struct table_options *o,
		       const struct properties *p);
int check_table_options(struct ddl *d, const struct table_options *o,
			const struct properties *p);
/* The id given, *given false when there is none. */
int read_table_id(struct ddl *d, uint8_t id[16], bool *given,
		  const struct properties *p);
#endif
