/*
 * Runs of dead rows: a scan remembers the rows that it had to step over, and
 * the next scan seeks past them. So the head of a queue is found at once,
 * however many rows were deleted before it.
 *
 * A span is a promise about rows as they are, never a deletion: a later write
 * between its ends, of anything but a deletion, takes it back. It holds only
 * for readers of a later moment, and a later time (expiry), than those of the
 * scan that found it.
 */
#ifndef STORE_LSM_DEAD_ROWS_H
#define STORE_LSM_DEAD_ROWS_H
#include "store/lsm/lsm.h"

/* The state of one forward scan of one table; embedded, used by one thread. */
struct dead_run {
	struct lsm *lsm;
	uint32_t table;
	uint64_t moment;	/* writes to the table that the scan sees */
	int64_t now_s;
	uint64_t length;	/* dead rows since the last live one */
	uint64_t watch;		/* of a long run: its number, or 0 */
	struct buf from, last;
};

/* Call it before lsm_iterate. now_s: what is expired. */
void dead_run_init(struct dead_run *run, struct lsm *lsm, uint32_t table,
		   int64_t now_s);
/* Keep what is known of a run that has not ended. */
void dead_run_release(struct dead_run *run);
/*
 * Note that the scan came to a row at key of which nothing is alive. 1: no row
 * up to *to (valid until the next call) is alive either: seek there. 0:
 * unknown.
 */
int dead_run_add(struct dead_run *run, struct bytes key, struct bytes *to);
/* End the run: at a live row, or at the end of the scan. */
void dead_run_end(struct dead_run *run);
struct dead_spans;
/* NULL is accepted. */
void dead_spans_free(struct dead_spans *all);
/* Call it before the operation is committed. REQUIRES write. */
void dead_spans_write(struct dead_spans *all, const struct batch_op *op);
#endif
