/* The width of a text on a terminal. */
#ifndef STORE_CQL_OUTPUT_FORMAT_WIDTH_H
#define STORE_CQL_OUTPUT_FORMAT_WIDTH_H
#include "store/cql/output/format.h"

/* Return how many places of a terminal's line the text takes. */
uint32_t cql_format_width(struct bytes text);
#endif
