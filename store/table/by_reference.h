/* Read the next row that the source of a cursor names. */
#ifndef STORE_TABLE_BY_REFERENCE_H
#define STORE_TABLE_BY_REFERENCE_H
#include "store/table/cursor.h"

/* As cursor_next, for a cursor that was opened with references to rows. */
int cursor_next_by_ref(struct cursor *c, struct row_view *row);
#endif
