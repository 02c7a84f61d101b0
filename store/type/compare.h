/*
 * The order of values, as Cassandra's comparators have it. ordered.c says the
 * same in bytes; tests hold the two together.
 */
#ifndef STORE_TYPE_COMPARE_H
#define STORE_TYPE_COMPARE_H
#include "store/type/type.h"

/* Compare as Cassandra's comparator of the type: <0, 0, >0. Null sorts
 * first. */
int type_compare(const struct type *t, struct bytes a, struct bytes b);
/* Return the type of the part of that index (maps: of keys and values in
 * turn). */
const struct type *type_part(const struct type *t, uint32_t index);
#endif
