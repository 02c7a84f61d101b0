/*
 * Runs of dead rows: a scan remembers the rows that it had to step over, and
 * the next scan seeks past them. So the head of a queue is found at once,
 * however many rows were deleted before it. dead_sweep.h scans before readers
 * come.
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
	uint64_t births;	/* of them, those after which a row may live */
	int64_t now_s;
	uint64_t length;	/* dead rows since the last live one or jump */
	bool jumped;		/* a known span was passed since from */
	uint64_t watch;		/* of a long run: its number, or 0 */
	struct buf from, to;	/* the first dead row; just after the last */
};

/* Call it before lsm_iterate. now_s: what is expired. */
void dead_run_init(struct dead_run *run, struct lsm *lsm, uint32_t table,
		   int64_t now_s);
/* Remember the run from the key on, however short it is: between lsm_iterate and
 * the first row. False: a row came to life since init, or there is no room. */
bool dead_run_watch(struct dead_run *run, struct bytes from);
/* Keep what is known of a run that has not ended. */
void dead_run_release(struct dead_run *run);
/*
 * Note that the scan came to a row at key of which nothing is alive. 1: no row
 * up to *to (valid until the next call) is alive either: seek there. 0:
 * unknown.
 */
int dead_run_add(struct dead_run *run, struct bytes key, struct bytes *to);
/* Remember the run, and forget that it was. */
void dead_run_finish(struct dead_run *run);
/* End the run, if there is one: at a live row, where the scan passes rows without
 * a look, and at its end. */
static inline void dead_run_end(struct dead_run *run)
{
	if (run->length || run->jumped || run->watch)
		dead_run_finish(run);
}
/*
 * Find the span of the table that begins nearest before the key: *from (its
 * bytes replaced). False: none does.
 */
bool dead_span_before(struct buf *from, struct lsm *lsm, uint32_t table,
		      struct bytes key);
struct dead_spans;
/* NULL is accepted. */
void dead_spans_free(struct dead_spans *all);
/* Note that the row at key may live: before that is committed. REQUIRES write. */
void dead_spans_write(struct dead_spans *all, struct bytes key);
#endif
