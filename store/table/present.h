/* The present schema of an open store, and its name. Any thread. */
#ifndef STORE_TABLE_PRESENT_H
#define STORE_TABLE_PRESENT_H
#include "store/schema/schema.h"

struct store;

/* Return the present schema: a reference; NULL while the store opens. */
struct schema *store_schema(struct store *s);
/* Return the present version of a table, borrowed: REQUIRES publish. NULL:
 * dropped. */
struct table *store_current_table(const struct store *s, uint32_t number);
/* Return the second in which the store is read, for expiry: now, or that of the
 * snapshot that it is. */
int64_t store_now_s(const struct store *s);
/* Return the random 16 bytes that name this store; they seed inode numbers. */
const uint8_t *store_id(const struct store *s);
#endif
