/* The present schema of an open store, and its name. Any thread. */
#ifndef STORE_TABLE_PRESENT_H
#define STORE_TABLE_PRESENT_H
#include "store/schema/schema.h"

struct store;

/* Return the present schema: a reference; NULL while the store opens. */
struct schema *store_schema(struct store *s);
/* The same for who has a reference from before, or NULL: that one is handed
 * back if it is still the present version, else released. */
struct schema *store_schema_again(struct store *s, struct schema *had);
/* Return the present version of a table, borrowed: REQUIRES publish. NULL:
 * dropped. */
struct table *store_current_table(const struct store *s, uint32_t number);
/* Return lsm_partition_state of the partitions with that token of the table of
 * that number. */
uint64_t store_partition_state(const struct store *s, uint32_t table,
			       int64_t token);
/* Return lsm_state. */
uint64_t store_state(const struct store *s);
/* Return how often a table was truncated: what was read of a table after one call
 * was not truncated since, if a later call returns the same. It stays while a
 * write is locked. */
uint32_t store_truncations(const struct store *s);
/* Return the second in which the store is read, for expiry: now, or that of the
 * snapshot that it is. */
int64_t store_now_s(const struct store *s);
/* Return the random 16 bytes that name this store; they seed inode numbers. */
const uint8_t *store_id(const struct store *s);
#endif
