/* Make the rows of a virtual table. */
#ifndef STORE_SYSTEM_VIRTUAL_H
#define STORE_SYSTEM_VIRTUAL_H
#include "store/table/inner.h"

/* For store_open. */
extern const struct row_source virtual_source;

struct virtual_rows;
/* True if rows about this table (NULL: about the keyspace) are wanted. */
bool virtual_shows(const struct virtual_rows *v, const struct keyspace *k,
		   const struct table *t);
/* Begin a row: values of the partition key's and clustering columns. */
void virtual_add(struct virtual_rows *v, const struct bytes *key_values);
/* Add a cell to that row, by its column's name; null: none. All values are
 * copied; a lack of memory is remembered. */
void virtual_set(struct virtual_rows *v, const char *column,
		 struct bytes value);
void virtual_set_text(struct virtual_rows *v, const char *column,
		      const char *text);
void virtual_set_int(struct virtual_rows *v, const char *column, int32_t n);
void virtual_set_long(struct virtual_rows *v, const char *column, int64_t n);
void virtual_set_boolean(struct virtual_rows *v, const char *column, bool b);
void virtual_set_double(struct virtual_rows *v, const char *column, double x);
#endif
