/* A table that takes the name of another takes over its rows. */
#ifndef STORE_TABLE_TAKEOVER_H
#define STORE_TABLE_TAKEOVER_H
#include "store/store.h"
#include "store/table/inner.h"

/* True if a table of the next version has the name of another. */
bool store_replaces(const struct schema *was, const struct schema *next);
/* Copy the rows. -EEXIST: there are rows, and no edit->move. REQUIRES publish
 * (exclusively). */
int store_move_rows(struct store *s, const struct schema *was,
		    const struct schema *next, const struct schema_edit *edit);
/* Remove the copied rows after a failure. */
void store_forget_rows(struct store *s, const struct schema *was,
		       const struct schema *next);
/* 1 if the table has any live row, 0, -errno. */
int store_has_rows(struct store *s, const struct table *t);
#endif
