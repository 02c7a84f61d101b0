/*
 * Operations of some megabytes of the log are collected and sorted by the
 * beginning of their keys, so that one finds its place in the memtable beside
 * the one before: places in random order cost several times as much. Sorting is
 * stable and need not be exact; operations on one key stay in order.
 *
 * Nobody reads meanwhile, so batches need not become visible as a whole. Nothing
 * is frozen while operations wait that lie before the log's end: a memtable's
 * mark says that all before it was applied.
 */
#include "store/lsm/lsm_replay.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/lsm/dead_sweep.h"
#include "store/lsm/lsm_flush.h"
#include "store/lsm/lsm_write.h"

#define MOST_BYTES ((size_t)4 << 20)	/* and an eighth of the budget */
#define MOST_OPS 65536
#define DIGIT 11			/* bits */
#define DIGITS 3

struct sorted_op {
	uint64_t order;
	uint32_t at, len;	/* in bytes */
};

struct lsm_replay {
	struct lsm *lsm;
	size_t room, used, count;
	uint8_t *bytes;
	struct sorted_op *ops, *other;	/* the other: for sorting */
	/* The table of the last operation. */
	struct lsm_table *table;
	uint64_t mark;
};

int lsm_replay_new(struct lsm_replay **out, struct lsm *lsm)
{
	struct lsm_replay *p = mem_zalloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->lsm = lsm;
	*out = p;
	return 0;
}

void lsm_replay_free(struct lsm_replay *p)
{
	if (!p)
		return;
	mem_free(p->bytes);
	mem_free(p->ops);
	mem_free(p->other);
	mem_free(p);
}

/* Reserve memory when there is something to replay. */
static int reserve(struct lsm_replay *p)
{
	size_t room = p->lsm->options.memtable_bytes / 8;

	p->room = room < MOST_BYTES ? room : MOST_BYTES;
	p->bytes = mem_alloc_huge(p->room);
	p->ops = mem_alloc(MOST_OPS * sizeof(*p->ops));
	p->other = mem_alloc(MOST_OPS * sizeof(*p->other));
	return p->bytes && p->ops && p->other ? 0 : -ENOMEM;
}

/* ------------------------------------------------------------------- apply */

static int apply(struct lsm *lsm, struct lsm_table *t, const struct batch_op *op)
{
	struct memtable *active = t->version->active;
	size_t before = memtable_memory(active);
	int err = memtable_add(active, op);

	dead_hints_add(lsm, t, op);
	if (memtable_memory(active) != before)
		lsm->memtable_bytes += memtable_memory(active) - before;
	if (!err)
		memtable_commit(active);
	return err;
}

/* Note that the active memtable gets a batch from there. */
static void begin_memtable(struct lsm_table *t, uint64_t position)
{
	if (t->active_begin == NOT_IN_LOG)
		t->active_begin = position;
}

static int unreadable(uint64_t position)
{
	char name[32];

	commitlog_file_name(name, position);
	return log_corrupt(name, position & UINT32_MAX,
			   "the batch cannot be read");
}

int lsm_replay_first(struct lsm *lsm, uint64_t position, struct bytes batch)
{
	struct reader r = reader_of(batch);
	struct batch_op op;
	int got;

	while ((got = batch_next(&r, &op)) > 0) {
		struct lsm_table *t;
		int err;

		if (op.table >= lsm->options.first ||
		    position < manifest_mark(lsm->manifest, op.table))
			continue;
		t = lsm_make_table(lsm, op.table);
		if (!t)
			return -ENOMEM;
		begin_memtable(t, position);
		err = apply(lsm, t, &op);
		if (err)
			return err;
	}
	return got ? unreadable(position) : 0;
}

/* Make the table of the operation that of p. */
static int find_table(struct lsm_replay *p, uint32_t number)
{
	if (p->table && p->table->number == number)
		return 0;
	p->mark = manifest_mark(p->lsm->manifest, number);
	p->table = lsm_make_table(p->lsm, number);
	return p->table ? 0 : -ENOMEM;
}

/* -------------------------------------------------------------------- sort */

/* By table, then by the first bits of the token. */
static uint64_t order_of(const struct batch_op *op)
{
	uint64_t token = op->key.len >= 8 ? get_be64(op->key.ptr) : 0;

	return (uint64_t)op->table << 2 * DIGIT | token >> (64 - 2 * DIGIT);
}

/* Sort the operations by one digit, to the other array. */
static void sort_by(struct lsm_replay *p, int shift)
{
	uint32_t places[1 << DIGIT] = { 0 }, sum = 0;
	const uint64_t mask = (1 << DIGIT) - 1;
	struct sorted_op *sorted = p->other;
	size_t i;

	for (i = 0; i < p->count; i++)
		places[p->ops[i].order >> shift & mask]++;
	for (i = 0; i <= mask; i++) {
		uint32_t count = places[i];

		places[i] = sum;
		sum += count;
	}
	for (i = 0; i < p->count; i++)
		sorted[places[p->ops[i].order >> shift & mask]++] = p->ops[i];
	p->other = p->ops;
	p->ops = sorted;
}

/* Fetch the operation that is applied some steps later. */
static void prefetch_ahead(const struct lsm_replay *p, size_t i)
{
	const uint8_t *next = p->bytes + p->ops[i + 16 < p->count ? i + 16 : i].at;
	int line;

	for (line = 0; line < 3; line++)
		__builtin_prefetch(next + 64 * line);
}

int lsm_replay_all(struct lsm_replay *p)
{
	size_t i;
	int err = 0, digit;

	for (digit = 0; p->count && digit < DIGITS; digit++)
		sort_by(p, digit * DIGIT);
	for (i = 0; i < p->count && !err; i++) {
		const struct sorted_op *w = &p->ops[i];
		struct reader r = reader_of(bytes_of(p->bytes + w->at, w->len));
		struct batch_op op;

		prefetch_ahead(p, i);
		err = batch_next(&r, &op) > 0 ? find_table(p, op.table) :
						-EUCLEAN;
		if (!err)
			err = apply(p->lsm, p->table, &op);
	}
	p->count = p->used = 0;
	return err;
}

/* ----------------------------------------------------------------- collect */

/* Let the operation, which has these bytes, wait. One too large is applied
 * after all that wait. */
static int add(struct lsm_replay *p, const struct batch_op *op,
	       struct bytes bytes)
{
	struct lsm_table *t = p->table;
	int err = 0;

	if (bytes.len > p->room - p->used || p->count == MOST_OPS)
		err = lsm_replay_all(p);
	if (err || bytes.len > p->room)
		return err ? err : apply(p->lsm, t, op);
	p->ops[p->count++] = (struct sorted_op){ order_of(op), (uint32_t)p->used,
					       (uint32_t)bytes.len };
	memcpy(p->bytes + p->used, bytes.ptr, bytes.len);
	p->used += bytes.len;
	return 0;
}

/*
 * Freeze what fills half of the budget, as writers do; it is flushed after the
 * start. A log of any length takes no more memory than writing it did: so what
 * passes the budget is flushed now. That is done as any flush is: the log is
 * synced up to the mark before the manifest has it. A crash leaves a store that
 * replays from there. Where there is no room for files, the replayed data stays
 * in memory.
 */
static int keep_budget(struct lsm_replay *p)
{
	struct lsm *lsm = p->lsm;
	uint64_t budget = lsm->options.memtable_bytes;
	int err;

	if (lsm->options.read_only || lsm->memtable_bytes <= budget / 2)
		return 0;
	err = lsm_replay_all(p);
	if (err)
		return err;
	err = lsm_freeze_all(lsm);
	if (!err && lsm->frozen_bytes > budget / 4 * 3)
		err = lsm_flush_frozen(lsm, NULL);
	return lsm_is_passing(err) ? 0 : err;
}

int lsm_replay_add(struct lsm_replay *p, uint64_t position, struct bytes batch)
{
	struct reader r = reader_of(batch);
	const uint8_t *begin = r.ptr;
	struct batch_op op;
	int got, err = p->bytes ? 0 : reserve(p);

	while (!err && (got = batch_next(&r, &op)) > 0) {
		struct bytes bytes = bytes_of(begin, (size_t)(r.ptr - begin));

		begin = r.ptr;
		if (op.table < p->lsm->options.first)
			continue;
		err = find_table(p, op.table);
		if (err || position < p->mark)
			continue;
		begin_memtable(p->table, position);
		err = add(p, &op, bytes);
	}
	if (err)
		return err;
	return got ? unreadable(position) : keep_budget(p);
}
