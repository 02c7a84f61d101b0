/*
 * IF: read the rows of a partition that a conditional statement, or all those
 * of a batch, are about, check the conditions, and make the answer
 * (store/cql/README.md, "Changes").
 */
#ifndef STORE_CQL_MODIFY_CONDITIONAL_H
#define STORE_CQL_MODIFY_CONDITIONAL_H
#include "store/cql/modify/modify.h"

/*
 * Run it under the lock of the partition that all statements are about.
 * *applies: all conditions hold, and the result says so. Else it has the rows
 * that were read; in a batch their keys too.
 */
int conditional_run(struct cql_result *r, const struct modification *items,
		    uint32_t count, bool batch, bool *applies);
#endif
