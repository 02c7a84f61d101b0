/*
 * The keys of records of what waits in memory: of files that wait for schema.cql
 * (kind/waiting_store.h) and of what waits for a @key (file/unkeyed_record.h).
 * Records are attributes of objects above tables (keyspace_times.h), with these
 * keys:
 *
 *   00 | 4 number of the table, little-endian | the names below it, with '/'
 *   between them; in the tree of documents .json is the first
 *
 * Any thread.
 */
#ifndef FS_OP_WAITING_RECORD_H
#define FS_OP_WAITING_RECORD_H
#include "fs/op/op.h"

struct write;

#define WAITING_HEAD_LEN 5	/* of a key: up to the names */
#define WAITING_JSON ".json"
void waiting_record_head(struct buf *out, uint32_t table);
/* Append the key of that name in dir. False: its table is no longer there. */
bool waiting_record_key(struct buf *out, struct op *op, struct node *dir,
			struct bytes name);
/* Return the number of the table; 0: the key is of another kind of object. */
uint32_t waiting_record_table(struct bytes key);
/* Add the record to w, which copies it; value null removes it. */
void waiting_record_put(struct write *w, struct bytes key, uint8_t name,
			struct bytes value);
/* Read it: 1 with *value in the op's arena, 0, -errno. */
int waiting_record_get(struct op *op, struct bytes key, uint8_t name,
		       struct bytes *value);
#endif
