/* The catalogue in the store: a record is the value of a cell in a row. */
#ifndef STORE_CATALOG_ROWS_H
#define STORE_CATALOG_ROWS_H
#include "store/table/inner.h"

/* Add a record to a batch; a failure shows in the batch. */
void catalog_put_keyspace(struct batch *batch, const struct keyspace *k,
			  uint64_t version);
void catalog_put_table(struct batch *batch, const struct table *t,
		       uint64_t version);
/* Delete the record: the table's, or (NULL) the keyspace's. */
void catalog_put_gone(struct batch *batch, const char *keyspace,
		      const char *table, uint64_t version);
void catalog_put_counters(struct batch *batch, uint64_t version,
			  uint32_t next_number);
/* Add all records to an empty schema; *next_number is not changed if there are
 * none. 0, -EUCLEAN, -EPROTONOSUPPORT, or another -errno. */
int catalog_load(struct lsm *lsm, struct schema *schema, uint32_t *next_number);
/* Check that each stored table and index of the list has a number of its own,
 * which was given out. 0, -EUCLEAN, -ENOMEM. */
int catalog_check_numbers(struct table *const *list, size_t count,
			  uint32_t next_number);
#endif
