/*
 * IF: what a conditional statement, or all those of a batch, read of their
 * partition and ask, and the answer (store/cql/README.md, "Changes").
 */
#ifndef STORE_CQL_MODIFY_CONDITIONAL_H
#define STORE_CQL_MODIFY_CONDITIONAL_H
#include "store/cql/modify/modify.h"

/*
 * Under the lock of the partition that all statements are about. *applies: all
 * conditions hold, the result says so. Else it has the rows that were read; in
 * a batch their keys too.
 */
int cas_run(struct cql_result *r, const struct modification *items,
	    uint32_t count, bool batch, bool *applies);
#endif
