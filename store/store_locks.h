/* The locks of an open store. */
#ifndef STORE_STORE_LOCKS_H
#define STORE_STORE_LOCKS_H
#include "store/table/inner.h"

/* Make the locks. 0 or -errno: then none is to be released. */
int store_init_locks(struct store *s);
void store_release_locks(struct store *s);
#endif
