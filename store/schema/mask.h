/* Masks of columns: counted, and shared by the versions of a table. */
#ifndef STORE_SCHEMA_MASK_H
#define STORE_SCHEMA_MASK_H
#include "store/schema/schema.h"

/* Make a mask, which the caller still has to fill in (one reference). The name
 * is copied; mask_set_value copies an argument's value, 0 or -ENOMEM. */
struct column_mask *mask_new(const char *function, uint32_t argument_count);
int mask_set_value(struct mask_argument *a, struct bytes value);
struct column_mask *mask_get(struct column_mask *m);
void mask_put(struct column_mask *m);
/* True if the function and its arguments are the same; NULL is no mask. */
bool mask_equal(const struct column_mask *a, const struct column_mask *b);
#endif
