/* Make selectors: shared by selector.c and selector_part.c. */
#ifndef STORE_CQL_SELECT_SELECTOR_MAKE_H
#define STORE_CQL_SELECT_SELECTOR_MAKE_H
#include "store/cql/expression/selectable.h"
#include "store/cql/expression/selector.h"
#endif
