/* A BATCH that is run: what batch.c and batch_condition.c share. */
#ifndef STORE_CQL_MODIFY_BATCH_H
#define STORE_CQL_MODIFY_BATCH_H
#include "store/cql/modify/modify.h"

struct batch_state {
	const struct batch_statement *batch;
	struct modification *items;
	uint32_t count;
	bool conditional;
	int64_t timestamp_us;
	struct partition_ref *refs;
	size_t ref_count;
};

/* Plan each statement: all is about one partition, each about one row. */
int batch_plan_conditional(struct execution *x, struct batch_state *b);
#endif
