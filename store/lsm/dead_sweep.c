/*
 * A table counts deletions of rows in the partitions, told apart by their
 * tokens, that had some last. A few hundred are a hint to sweep from the first
 * of them on; the count begins again. A sweep takes a hint, begins at the span
 * that is known before it, if there is one, and steps over dead rows to the
 * first live one: what it has found is joined to that span.
 *
 * Rows whose cells have been deleted or have expired one by one are taken for
 * live: a reader knows better. Yet a sweep has the time of the clock, as it steps
 * over what readers have found, too.
 */
#include "store/lsm/dead_sweep.h"

#include <errno.h>
#include <stddef.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/dead_rows.h"
#include "store/lsm/lsm.h"
#include "store/row/row.h"

#define PARTITIONS 4
#define SWEEP_AFTER 512		/* deletions */
#define TRIES 8			/* while rows come to life */
#define LOOK_UP 1024		/* rows between looks whether the worker ends */

struct dead_hint {
	uint64_t token;
	uint64_t used;		/* the number of its last deletion; 0: free */
	uint64_t count;		/* since the last sweep was asked for */
	bool wanted;
	struct buf from;	/* the smallest key since the last sweep */
};

struct dead_hints {
	uint64_t deletions;
	struct dead_hint hints[PARTITIONS];
};

void dead_hints_free(struct dead_hints *hints)
{
	size_t i;

	for (i = 0; hints && i < PARTITIONS; i++)
		buf_release(&hints->hints[i].from);
	mem_free(hints);
}

/* Find the hint of the token, or give it the one that was not used longest. */
static struct dead_hint *hint_of(struct dead_hints *all, uint64_t token)
{
	struct dead_hint *oldest = all->hints;
	size_t i;

	for (i = 0; i < PARTITIONS; i++) {
		struct dead_hint *h = &all->hints[i];

		if (h->used && h->token == token)
			return h;
		if (h->used < oldest->used)
			oldest = h;
	}
	oldest->token = token;
	oldest->count = 0;
	oldest->wanted = false;
	buf_clear(&oldest->from);
	return oldest;
}

/* Count so many deletions from the key on. */
static void add(struct lsm *lsm, struct lsm_table *t, struct bytes key,
		uint64_t count)
{
	struct dead_hint *h;

	if (!t->hints)
		t->hints = mem_zalloc(1, sizeof(*t->hints));
	if (!t->hints)
		return;
	h = hint_of(t->hints, get_be64(key.ptr));
	h->used = ++t->hints->deletions;
	if (!h->from.len || bytes_compare(key, buf_bytes(&h->from)) < 0) {
		buf_clear(&h->from);
		buf_add_bytes(&h->from, key);
	}
	h->count += count;
	if (h->count < SWEEP_AFTER)
		return;
	h->count = 0;
	h->wanted = true;
	if (lsm->worker)
		worker_add(lsm->worker, WORKER_SWEEP, &lsm->sweep_work);
}

void dead_hints_add(struct lsm *lsm, struct lsm_table *t,
		    const struct batch_op *op)
{
	/* The log's keys are whole as their checksum says, and not checked. */
	if (!bytes_is_null(op->row) && !row_may_live(op->row) &&
	    op->key.len >= sizeof(uint64_t))
		add(lsm, t, op->key, 1);
}

void dead_hints_begin(struct lsm *lsm)
{
	size_t i, k;

	for (i = 0; i < lsm->table_count; i++) {
		const struct version *v = lsm->tables[i]->version;

		for (k = 0; k < v->file_count; k++) {
			const struct sstable *s = v->files[k].sstable;
			uint64_t count = sstable_info(s)->tombstone_count;

			if (count >= SWEEP_AFTER)
				add(lsm, lsm->tables[i], sstable_first_key(s),
				    count);
		}
	}
}

/* ------------------------------------------------------------------- sweeps */

/* Take a hint of any table: its number, and *from. 0: there is none. */
static uint32_t take_hint(struct lsm *lsm, struct buf *from)
{
	uint32_t table = 0;
	size_t i, k;

	buf_clear(from);
	mutex_lock(&lsm->write);
	for (i = 0; i < lsm->table_count && !table; i++) {
		struct lsm_table *t = lsm->tables[i];

		for (k = 0; t->hints && k < PARTITIONS && !table; k++) {
			struct dead_hint *h = &t->hints->hints[k];

			if (!h->wanted)
				continue;
			table = t->number;
			buf_add_bytes(from, buf_bytes(&h->from));
			buf_clear(&h->from);
			h->wanted = false;
		}
	}
	mutex_unlock(&lsm->write);
	return from->failed ? 0 : table;
}

/* Step over dead rows. *end: the key of the first live one (empty: none). */
static int step_over(struct lsm *lsm, struct dead_run *run, struct iterator *it,
		     struct buf *end)
{
	struct deletion in_force;
	struct entry entry;
	struct bytes to;
	uint64_t rows = 0;
	int got;

	while ((got = iterator_next(it, &entry)) > 0) {
		if (entry.kind != ENTRY_ROW)
			continue;
		if (row_may_live(entry.row)) {
			buf_add_bytes(end, entry.key);
			break;
		}
		if (++rows % LOOK_UP == 0 && worker_ending(lsm->worker))
			return -EINTR;
		if (dead_run_add(run, entry.key, &to)) {
			got = iterator_seek(it, to, &in_force);
			if (got)
				return got;
		}
	}
	return got < 0 ? got : end->failed ? -ENOMEM : 0;
}

/* Sweep from the key on. *end as above. 0, -EAGAIN: rows came to life. */
static int sweep(struct lsm *lsm, uint32_t table, struct bytes from,
		 struct buf *end)
{
	struct deletion in_force;
	struct iterator *it = NULL;
	struct dead_run run;
	int err;

	buf_clear(end);
	dead_run_init(&run, lsm, table, clock_now_s());
	err = lsm_iterate(&it, lsm, table, from, BYTES_EMPTY, false);
	if (!err && !dead_run_watch(&run, from))
		err = -EAGAIN;
	if (!err)
		err = iterator_seek(it, from, &in_force);
	if (!err)
		err = step_over(lsm, &run, it, end);
	iterator_close(it);
	dead_run_release(&run);
	return err;
}

static int sweep_again(struct lsm *lsm, uint32_t table, struct bytes from,
		       struct buf *end)
{
	int i, err = -EAGAIN;

	for (i = 0; i < TRIES && err == -EAGAIN; i++)
		err = sweep(lsm, table, from, end);
	return err;
}

/* A sweep that fails is only work that a reader has to do. */
void dead_sweep_run(struct work *work)
{
	struct lsm *lsm = (struct lsm *)((char *)work -
					 offsetof(struct lsm, sweep_work));
	struct buf from = BUF_INIT, before = BUF_INIT, end = BUF_INIT;
	uint32_t table;

	while (!worker_ending(lsm->worker) &&
	       (table = take_hint(lsm, &from)) != 0) {
		bool known = dead_span_before(&before, lsm, table,
					      buf_bytes(&from));

		/* It may end before the hint. */
		if (known && !sweep_again(lsm, table, buf_bytes(&before),
					  &end) &&
		    (!end.len || bytes_compare(buf_bytes(&from),
					       buf_bytes(&end)) < 0))
			continue;
		(void)sweep_again(lsm, table, buf_bytes(&from), &end);
	}
	buf_release(&from);
	buf_release(&before);
	buf_release(&end);
}
