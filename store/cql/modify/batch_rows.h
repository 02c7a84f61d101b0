/* The rows of the statements of a conditional batch, hashed to find the
 * statements about one row. */
#ifndef STORE_CQL_MODIFY_BATCH_ROWS_H
#define STORE_CQL_MODIFY_BATCH_ROWS_H
#include "store/base/hash.h"
#include "store/cql/modify/modify.h"

/*
 * Find the place of a planned statement's row, all of which have one partition:
 * of a row, or of the partition's statics. NULL where it is about neither
 * (ranges, nothing). 0 or -ENOMEM.
 */
int batch_rows_find(struct hash_place **out, struct hash *rows,
		    struct arena *arena, const struct modification *m);
#endif
