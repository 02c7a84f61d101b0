/*
 * Runs of dead rows: what a scan had to step over is remembered, and the next
 * scan seeks past it. So the head of a queue is found again at once, however
 * many rows were deleted before it.
 *
 * What is remembered is a promise about rows as they are, never a deletion: a
 * later write of anything but a deletion between its ends takes it back, and it
 * holds only for who looks at a later moment, and a later time (expiry), than
 * the scan that found it.
 */
#ifndef STORE_LSM_DEAD_ROWS_H
#define STORE_LSM_DEAD_ROWS_H
#include "store/lsm/lsm.h"

/* One scan's, forward, in one table; embedded, belongs to one thread. */
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
/* Keeps what is known of a run that has not ended. */
void dead_run_release(struct dead_run *run);
/*
 * The scan came to a row at key, of which nothing is alive. 1: neither is
 * anything of those up to *to (valid until the next call): seek there. 0.
 */
int dead_run_add(struct dead_run *run, struct bytes key, struct bytes *to);
/* The run is over: a live row, or the end of what was to be scanned. */
void dead_run_end(struct dead_run *run);
#endif
