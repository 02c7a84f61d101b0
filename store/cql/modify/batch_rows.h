/* The rows of the statements of a conditional batch, hashed to find the
 * statements about one row. */
#ifndef STORE_CQL_MODIFY_BATCH_ROWS_H
#define STORE_CQL_MODIFY_BATCH_ROWS_H
#include "store/base/hash.h"
#include "store/cql/modify/modify.h"

/*
 * Find the place in rows of the row that a planned statement changes, or of the
 * partition's statics if it changes only these; all statements are of one
 * partition. *out NULL: it changes ranges of rows, or nothing. New places are
 * in the arena. 0 or -ENOMEM.
 */
int batch_rows_find(struct hash_place **out, struct hash *rows,
		    struct arena *arena, const struct modification *m);
#endif
