/*
 * Conditional batches: the rows and conditions of all statements, checked
 * together.
 */
#ifndef STORE_CQL_MODIFY_BATCH_CONDITION_H
#define STORE_CQL_MODIFY_BATCH_CONDITION_H
#include "store/cql/modify/batch.h"

struct batch_state {
	const struct batch_statement *batch;
	struct modification *items;
	uint32_t count;
	bool conditional;
	int64_t timestamp_us;
	struct partition_ref *refs;
	size_t ref_count;
};
/* Plan each statement: all are about one partition, each about one row. */
int batch_plan_conditional(struct execution *x, struct batch_state *b);
#endif
