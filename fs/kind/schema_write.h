/*
 * Statements written into a schema.cql: each is applied in the write that
 * brings its semicolon, because a shell checks that call; one that drops columns
 * when the whole text is there, at the close. An object that exists
 * already exactly as written is no error.
 */
#ifndef FS_KIND_SCHEMA_WRITE_H
#define FS_KIND_SCHEMA_WRITE_H
#include "fs/op/place.h"

/* Run the statements written into a schema.cql, n. */
int schema_write_apply(struct op *op, struct node *n, struct bytes text);
/* Begin a text: what the descriptor wrote before, and waits for its end, is gone. */
void schema_write_begin(struct op *op, struct handle *h);
int64_t schema_write_text(struct op *op, struct handle *h, uint64_t offset,
			  struct bytes data);
int schema_write_flush(struct op *op, struct handle *h);
int schema_write_close(struct op *op, struct handle *h);
#endif
