/*
 * The schema as bytes: one versioned encoding per keyspace and per table, kept
 * by the store as rows of an engine table of its own, so that DDL is one atomic
 * batch. The format is in catalog.c. Decoding bounds and checks everything.
 */
#ifndef STORE_SCHEMA_CATALOG_H
#define STORE_SCHEMA_CATALOG_H
#include "store/schema/schema.h"

#define CATALOG_VERSION 3	/* the one that is written */

/* Append the encoding of a keyspace without its tables, or of a table, in
 * CATALOG_VERSION; want of memory sets out->failed. */
void catalog_encode_keyspace(struct buf *out, const struct keyspace *k);
void catalog_encode_table(struct buf *out, const struct table *t);
/* 0, -EUCLEAN, -EPROTONOSUPPORT (a newer program's), -ENOMEM. The keyspace comes
 * without its tables. */
int catalog_decode_keyspace(struct keyspace **out, struct bytes bytes);
int catalog_decode_table(struct table **out, struct bytes bytes);
#endif
