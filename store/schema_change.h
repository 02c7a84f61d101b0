/* The schema as the store opens. store.h has how it changes. */
#ifndef STORE_SCHEMA_CHANGE_H
#define STORE_SCHEMA_CHANGE_H
#include "store/table/inner.h"

/* 0 or -errno. */
int store_load_schema(struct store *s);
/* What a crash left undone, once the engine runs. */
int store_finish_schema(struct store *s);
/* The engine's options of a table. */
void store_table_options(struct lsm_table_options *to, const struct table *t);
#endif
