/* Options of tables: their defaults, which are Cassandra's, and lists of options. */
#ifndef STORE_SCHEMA_OPTIONS_H
#define STORE_SCHEMA_OPTIONS_H
#include "store/schema/schema.h"

/* Set the defaults. 0, -ENOMEM. */
int table_options_init(struct table_options *o);
void table_options_release(struct table_options *o);
int table_options_copy(struct table_options *to, const struct table_options *o);
/* Set an option in a list sorted by name, as DESCRIBE shows it; the value is
 * copied. */
int options_set(struct property **options, uint32_t *count, const char *name,
		const char *value);
/* Return its value; NULL: it is not set. */
const char *options_find(const struct property *options, uint32_t count,
			 const char *name);
/* Read 1GiB, 100 MiB, 512B: bytes, or -1. */
double options_read_size(const char *text);
int options_copy(struct property **to, uint32_t *to_count,
		 const struct property *options, uint32_t count);
void options_release(struct property *options, uint32_t count);
#endif
