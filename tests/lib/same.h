/* Compare answers of CQL, as JSON (tests/vectors/README.md). */
#ifndef TESTS_LIB_SAME_H
#define TESTS_LIB_SAME_H
#include "store/cql/cql.h"

/*
 * True if two JSON texts are equal: numbers in value and kind, objects in any
 * order of their members, blanks do not count. decimal: the digits of numbers
 * count, as in results for which has_decimal is true.
 */
bool same_json(struct arena *arena, struct bytes a, struct bytes b,
	       bool decimal);
bool has_decimal(const struct cql_result *result);
/* Append [{"name": …, "type": …}, …] to columns, and the rows as [[…], …]. 0 or
 * the -errno of a row that cannot be read. */
int print_result(struct cql_result *result, struct buf *columns,
		 struct buf *rows);
#endif
