/*
 * A table remembers a few spans. A long run is watched from its 64th row on:
 * under the write lock the scan checks that no row came to life since it began,
 * and from then on writers lower the span's limit to the key that they write.
 * When the run ends it becomes a span up to its last row, or to that limit.
 */
#include "store/lsm/dead_rows.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/lsm_internal.h"
#include "store/row/row.h"

#define SPANS 8
#define LOOK_AT 8	/* dead rows before known spans are looked up, */
#define LOOK_EACH 64	/* and again after each so many */
#define WATCH_AT 64	/* and before the run is remembered */

struct dead_span {			/* all under dead_spans.lock */
	uint64_t number;	/* 0: free */
	bool done;		/* not only watched */
	bool limited;
	uint64_t moment;
	int64_t now_s;
	struct buf from, to, limit;
};

struct dead_spans {
	struct mutex lock;
	uint64_t last_number;
	struct dead_span spans[SPANS];
};

static void free_span(struct dead_span *s)
{
	buf_release(&s->from);
	buf_release(&s->to);
	buf_release(&s->limit);
	*s = (struct dead_span){ .number = 0 };
}

void dead_spans_free(struct dead_spans *all)
{
	size_t i;

	for (i = 0; all && i < SPANS; i++)
		free_span(&all->spans[i]);
	if (all)
		mutex_release(&all->lock);
	mem_free(all);
}

static void set_key(struct buf *b, struct bytes key)
{
	buf_clear(b);
	buf_add_bytes(b, key);
}

/* ------------------------------------------------------------------ writers */

static void lower(struct dead_span *s, struct bytes key)
{
	if (!s->number || bytes_compare(key, buf_bytes(&s->from)) < 0)
		return;
	if (s->done) {
		if (bytes_compare(key, buf_bytes(&s->to)) < 0)
			set_key(&s->to, key);
		if (s->to.failed)
			free_span(s);
		return;
	}
	if (s->limited && bytes_compare(key, buf_bytes(&s->limit)) >= 0)
		return;
	s->limited = true;
	set_key(&s->limit, key);
	if (s->limit.failed)
		free_span(s);
}

void dead_spans_write(struct dead_spans *all, struct bytes key)
{
	size_t i;

	mutex_lock(&all->lock);
	for (i = 0; i < SPANS; i++)
		lower(&all->spans[i], key);
	mutex_unlock(&all->lock);
}

/* -------------------------------------------------------------------- scans */

static struct lsm_table *find_table(const struct dead_run *run)
{
	struct lsm_table *t;

	mutex_lock(&run->lsm->lock);
	t = lsm_find_table(run->lsm, run->table);
	mutex_unlock(&run->lsm->lock);
	return t;
}

void dead_run_init(struct dead_run *run, struct lsm *lsm, uint32_t table,
		   int64_t now_s)
{
	struct lsm_table *t;

	*run = (struct dead_run){ .lsm = lsm, .table = table, .now_s = now_s };
	t = find_table(run);
	if (!t)
		return;
	run->births = atomic_load_explicit(&t->births, memory_order_acquire);
	run->moment = atomic_load_explicit(&t->writes, memory_order_acquire);
}

/* Take a free span, or else one that was done long ago. */
static struct dead_span *take_span(struct dead_spans *all)
{
	struct dead_span *best = NULL;
	size_t i;

	for (i = 0; i < SPANS; i++) {
		struct dead_span *s = &all->spans[i];

		if (!s->number)
			return s;
		if (s->done && (!best || s->number < best->number))
			best = s;
	}
	if (best)
		free_span(best);
	return best;
}

static struct dead_span *find_span(struct dead_spans *all, uint64_t number)
{
	size_t i;

	for (i = 0; i < SPANS; i++)
		if (all->spans[i].number == number)
			return &all->spans[i];
	return NULL;
}

static uint64_t add_span(struct dead_spans *all, const struct dead_run *run,
			 uint64_t moment)
{
	struct dead_span *s;
	uint64_t number = 0;

	mutex_lock(&all->lock);
	s = take_span(all);
	if (s) {
		set_key(&s->from, buf_bytes(&run->from));
		if (!s->from.failed)
			number = s->number = ++all->last_number;
		s->moment = moment;
		s->now_s = run->now_s;
	}
	mutex_unlock(&all->lock);
	return number;
}

/* Watch the span: from here on writers lower its limit. Returns its number; 0:
 * not possible, or a row came to life before. The scan sees no write later than
 * the table's last one. */
static uint64_t watch(const struct dead_run *run)
{
	struct lsm *lsm = run->lsm;
	struct dead_spans *all;
	uint64_t number = 0;
	struct lsm_table *t;

	mutex_lock(&lsm->write);
	t = lsm_find_table(lsm, run->table);
	if (t && t->births == run->births) {
		all = t->dead;
		if (!all && (all = mem_zalloc(1, sizeof(*all)))) {
			mutex_init(&all->lock);
			atomic_store(&t->dead, all);
		}
		if (all)
			number = add_span(all, run, t->writes);
	}
	mutex_unlock(&lsm->write);
	return number;
}

/* Extend another span that this one continues. */
static bool join(struct dead_spans *all, struct dead_span *s)
{
	size_t i;

	for (i = 0; i < SPANS; i++) {
		struct dead_span *other = &all->spans[i];

		if (other == s || !other->number || !other->done ||
		    bytes_compare(buf_bytes(&s->from),
				  buf_bytes(&other->from)) < 0 ||
		    bytes_compare(buf_bytes(&s->from),
				  buf_bytes(&other->to)) > 0)
			continue;
		if (bytes_compare(buf_bytes(&s->to), buf_bytes(&other->to)) > 0)
			set_key(&other->to, buf_bytes(&s->to));
		if (other->moment < s->moment)
			other->moment = s->moment;
		if (other->now_s < s->now_s)
			other->now_s = s->now_s;
		if (other->to.failed)
			free_span(other);
		return true;
	}
	return false;
}

static void finish_span(struct dead_spans *all, struct dead_span *s,
			struct bytes to)
{
	set_key(&s->to, to);
	if (s->limited && bytes_compare(buf_bytes(&s->limit),
					buf_bytes(&s->to)) < 0)
		set_key(&s->to, buf_bytes(&s->limit));
	s->done = true;
	if (s->to.failed || !s->to.len || join(all, s))
		free_span(s);
}

void dead_run_finish(struct dead_run *run)
{
	struct lsm_table *t = run->watch ? find_table(run) : NULL;
	struct dead_spans *all = t ? atomic_load(&t->dead) : NULL;
	struct dead_span *s;

	run->length = 0;
	run->jumped = false;
	if (!all)
		return;
	mutex_lock(&all->lock);
	s = find_span(all, run->watch);
	if (s && run->to.failed)
		free_span(s);
	else if (s)
		finish_span(all, s, buf_bytes(&run->to));
	mutex_unlock(&all->lock);
	run->watch = 0;
}

bool dead_run_watch(struct dead_run *run, struct bytes from)
{
	set_key(&run->from, from);
	if (!run->from.failed)
		run->watch = watch(run);
	return run->watch != 0;
}

void dead_run_release(struct dead_run *run)
{
	dead_run_end(run);
	buf_release(&run->from);
	buf_release(&run->to);
}

/* Set run->to to the end of the span that has key. */
static bool look(struct dead_run *run, struct bytes key)
{
	struct lsm_table *t = find_table(run);
	struct dead_spans *all = t ? atomic_load(&t->dead) : NULL;
	bool found = false;
	size_t i;

	if (!all)
		return false;
	mutex_lock(&all->lock);
	for (i = 0; i < SPANS && !found; i++) {
		const struct dead_span *s = &all->spans[i];

		found = s->number && s->done && s->moment <= run->moment &&
			s->now_s <= run->now_s &&
			bytes_compare(buf_bytes(&s->from), key) <= 0 &&
			bytes_compare(key, buf_bytes(&s->to)) < 0;
		if (found)
			set_key(&run->to, buf_bytes(&s->to));
	}
	mutex_unlock(&all->lock);
	return found && !run->to.failed;
}

int dead_run_add(struct dead_run *run, struct bytes key, struct bytes *to)
{
	run->length++;
	if (run->length == 1 && !run->jumped && !run->watch)
		set_key(&run->from, key);
	if (run->length % LOOK_EACH == LOOK_AT && look(run, key)) {
		run->length = 0;
		run->jumped = true;
		*to = buf_bytes(&run->to);
		return 1;
	}
	if (run->length == WATCH_AT && !run->watch && !run->from.failed)
		run->watch = watch(run);
	if (run->watch) {
		set_key(&run->to, key);
		buf_add_byte(&run->to, 0);	/* just after it */
	}
	return 0;
}

bool dead_span_before(struct buf *from, struct lsm *lsm, uint32_t table,
		      struct bytes key)
{
	const struct dead_run at = { .lsm = lsm, .table = table };
	struct lsm_table *t = find_table(&at);
	struct dead_spans *all = t ? atomic_load(&t->dead) : NULL;
	const struct dead_span *best = NULL;
	size_t i;

	if (!all)
		return false;
	mutex_lock(&all->lock);
	for (i = 0; i < SPANS; i++) {
		const struct dead_span *s = &all->spans[i];

		if (s->number && s->done &&
		    bytes_compare(buf_bytes(&s->from), key) <= 0 &&
		    (!best || bytes_compare(buf_bytes(&best->from),
					    buf_bytes(&s->from)) < 0))
			best = s;
	}
	if (best)
		set_key(from, buf_bytes(&best->from));
	mutex_unlock(&all->lock);
	return best && !from->failed;
}
