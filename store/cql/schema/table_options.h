/* The options of a table in WITH. */
#ifndef STORE_CQL_SCHEMA_TABLE_OPTIONS_H
#define STORE_CQL_SCHEMA_TABLE_OPTIONS_H
#include "store/cql/schema/ddl.h"

/*
 * Read WITH of a table. table_options_read refuses values that cannot be read
 * and changes *o; table_options_check refuses unknown names, and values of *o
 * out of bounds.
 */
int table_options_read(struct ddl *d, struct table_options *o,
		       const struct properties *p);
int table_options_check(struct ddl *d, const struct table_options *o,
			const struct properties *p);
/* Read the id, *given false when there is none. */
int table_options_read_id(struct ddl *d, uint8_t id[16], bool *given,
			  const struct properties *p);
#endif
