/* A BATCH that is run: what batch.c and batch_condition.c share. */
#ifndef STORE_CQL_BATCH_H
#define STORE_CQL_BATCH_H
#include "store/cql/modify.h"

struct batch_state {
	const struct batch_statement *batch;
	struct modification *items;
	uint32_t count;
	bool conditional, reads;
	int64_t timestamp_us;
	struct partition_ref *refs;
	size_t ref_count;
	/* Conditional: by statement; whether it is the first to ask about its
	 * row, and what it read there. */
	bool *asks_first;
	struct condition_row *rows;
};

/* Plan each statement: all is about one partition, each about one row. */
int batch_plan_conditional(struct execution *x, struct batch_state *b);
/* Read the rows, and ask all conditions. */
int batch_check_conditions(struct execution *x, struct batch_state *b,
			   bool *applies);
/* [applied] False, and the rows that conditions asked about. */
int batch_refused(struct cql_result *r, struct batch_state *b);
#endif
