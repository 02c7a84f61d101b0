/* Translate a table's options for the engine. */
#ifndef STORE_ENGINE_OPTIONS_H
#define STORE_ENGINE_OPTIONS_H
#include "store/lsm/lsm.h"
#include "store/schema/schema.h"

/* Set the engine's options of a table. Values that the schema would refuse (of
 * a damaged catalogue) count as not set. Pure. */
void engine_options_of(struct lsm_table_options *to, const struct table *t);
#endif
