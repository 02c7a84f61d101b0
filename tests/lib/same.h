/* Whether two answers of CQL, as JSON, are the same (tests/vectors/README.md). */
#ifndef TESTS_LIB_SAME_H
#define TESTS_LIB_SAME_H
#include "store/cql/cql.h"

/*
 * Numbers by exact value and kind, objects in any order of members, blanks
 * apart. decimal: a number's digits count, in a result where has_decimal.
 */
bool same_json(struct arena *arena, struct bytes a, struct bytes b,
	       bool decimal);
bool has_decimal(const struct cql_result *result);
/* [{"name": …, "type": …}, …] and [[…], …] of a result, appended. An error of
 * the read ends it: -errno. */
int print_result(struct cql_result *result, struct buf *columns,
		 struct buf *rows);
#endif
