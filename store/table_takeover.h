/* A table that takes the name of another takes over its rows. */
#ifndef STORE_TABLE_TAKEOVER_H
#define STORE_TABLE_TAKEOVER_H
#include "store/store.h"
#include "store/table/inner.h"

/* Does a table of the next version have another's name? */
bool store_replaces(const struct schema *was, const struct schema *next);
/* Bring the rows over. -EEXIST: there are some, and no edit->move. REQUIRES
 * publish (exclusively). */
int store_move_rows(struct store *s, const struct schema *was,
		    const struct schema *next, const struct schema_edit *edit);
/* After a failure: what was brought over goes. */
void store_forget_rows(struct store *s, const struct schema *was,
		       const struct schema *next);
#endif
