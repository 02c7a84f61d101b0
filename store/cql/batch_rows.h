/*
 * The rows that the statements of a conditional batch are about, so that two
 * statements about one row find each other without comparing all with all.
 */
#ifndef STORE_CQL_BATCH_ROWS_H
#define STORE_CQL_BATCH_ROWS_H
#include "store/cql/modify.h"

#define NO_STATEMENT UINT32_MAX

struct batch_row {
	struct bytes key;
	uint32_t first_asking;	/* its number; NO_STATEMENT: to be set */
};
struct batch_rows {
	struct batch_row *slots;	/* free: a null key */
	uint32_t mask;			/* of their number, a power of two */
	uint64_t probes;		/* slots that were looked at */
};

/* For so many statements; memory from the arena. 0 or -ENOMEM. */
int batch_rows_init(struct batch_rows *r, struct arena *arena, uint32_t count);
/*
 * The row of a planned statement, all of which have one partition: a row, or
 * the partition's statics. NULL where it is about neither (ranges, nothing).
 * 0 or -ENOMEM.
 */
int batch_rows_find(struct batch_row **out, struct batch_rows *r,
		    struct arena *arena, const struct modification *m);
#endif
