/* The schema when the store opens. store.h says how it changes. */
#ifndef STORE_SCHEMA_CHANGE_H
#define STORE_SCHEMA_CHANGE_H
#include "store/table/inner.h"

/* Load the schema. 0 or -errno. */
int store_load_schema(struct store *s);
/* Finish what a crash interrupted, once the engine runs. */
int store_finish_schema(struct store *s);
#endif
