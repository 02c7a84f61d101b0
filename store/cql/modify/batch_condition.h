/*
 * Conditional batches: the rows and conditions of all statements, checked
 * together.
 */
#ifndef STORE_CQL_MODIFY_BATCH_CONDITION_H
#define STORE_CQL_MODIFY_BATCH_CONDITION_H
#include "store/cql/modify/modify.h"

/* A BATCH that is run; all of it is in the statement's arena. */
struct batch_state {
	const struct batch_statement *batch;
	struct modification *items;	/* its statements, prepared */
	uint32_t count;
	bool conditional;		/* one of them has an IF */
	int64_t timestamp_us;
	struct partition_ref *refs;	/* the partitions to lock */
	size_t ref_count;
};
/* Plan all statements; refuse those that are not of one partition, and
 * conditions that may not be combined. 0, what refuse() returns, or -ENOMEM. */
int batch_plan_conditional(struct execution *x, struct batch_state *b);
#endif
