/* What is known of an open store: its schema and its name. Any thread. */
#ifndef STORE_TABLE_PRESENT_H
#define STORE_TABLE_PRESENT_H
#include "store/schema/schema.h"

struct store;

/* The present schema: a reference; NULL while the store opens. */
struct schema *store_schema(struct store *s);
/* The present version of a table, borrowed: REQUIRES publish. NULL: dropped. */
struct table *store_current_table(const struct store *s, uint32_t number);
/* The random 16 bytes that name this store; seeds inode numbers. */
const uint8_t *store_id(const struct store *s);
#endif
