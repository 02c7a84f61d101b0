#include "store/row/merge.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/watch.h"
#include "store/row/iterator.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"

struct source {
	struct iterator *it;
	struct entry head;
	struct deletion force;	/* in force where this source is */
};

struct merge {
	struct iterator base;
	bool reverse;
	int err;		/* once failed, failed until the next seek */
	struct deletion force;	/* the strongest of all sources */
	size_t source_count;
	struct source *sources;
	struct source **live;	/* those with a head, in order */
	size_t live_count;
	size_t used;		/* of live, at its front: to be advanced */
	struct arena arena;	/* for the rows being merged */
	struct buf row;
	const struct row **rows;	/* room for source_count */
};

/* Order of the next entries in the direction of the iterator. */
static int compare(const struct merge *m, const struct source *a,
		   const struct source *b)
{
	int order = bytes_compare(a->head.key, b->head.key);

	if (!order)
		order = (a->head.kind == ENTRY_ROW) -
			(b->head.kind == ENTRY_ROW);
	return m->reverse ? -order : order;
}

/* Insert s into live[from..], which is in order without it. */
static void place(struct merge *m, size_t from, struct source *s)
{
	size_t low = from, high = m->live_count;

	if (low < high && compare(m, s, m->live[low]) <= 0)
		high = low;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare(m, s, m->live[middle]) <= 0)
			high = middle;
		else
			low = middle + 1;
	}
	/* live[from - 1] is free: s has left it. */
	memmove(m->live + from - 1, m->live + from,
		(low - from) * sizeof(struct source *));
	m->live[low - 1] = s;
}

/* Advance the sources of the entry that the last call yielded: the last source
 * first, so that the place before those after it is always the free one. */
static int advance(struct merge *m)
{
	while (m->used) {
		struct source *s = m->live[m->used - 1];
		int got = iterator_next(s->it, &s->head);

		if (got < 0)
			return got;
		if (got) {
			place(m, m->used, s);
		} else {
			memmove(m->live + m->used - 1, m->live + m->used,
				(m->live_count - m->used) *
					sizeof(struct source *));
			m->live_count--;
		}
		m->used--;
	}
	return 0;
}

static struct deletion strongest(const struct merge *m)
{
	struct deletion force = DELETION_NONE;
	size_t i;

	for (i = 0; i < m->source_count; i++)
		force = reconcile_deletion_max(force, m->sources[i].force);
	return force;
}

/* Count the sources at the front that have the first's key and kind. */
static size_t count_equal(const struct merge *m)
{
	size_t count = 1;

	while (count < m->live_count &&
	       !compare(m, m->live[0], m->live[count]))
		count++;
	return count;
}

/* Merge the bounds at one key: 1 when they change the deletion in force. */
static int take_bounds(struct merge *m, size_t count, struct entry *entry)
{
	struct deletion old = m->force;
	size_t i;

	for (i = 0; i < count; i++) {
		struct source *s = m->live[i];

		s->force = m->reverse ? s->head.before : s->head.after;
	}
	m->force = strongest(m);
	if (old.timestamp == m->force.timestamp &&
	    old.local_time == m->force.local_time)
		return 0;
	entry->key = m->live[0]->head.key;
	entry->kind = ENTRY_BOUND;
	entry->before = m->reverse ? m->force : old;
	entry->after = m->reverse ? old : m->force;
	return 1;
}

/* Merge the versions of one row: 1 when something is left of it. */
static int take_rows(struct merge *m, size_t count, struct entry *entry)
{
	struct row *rows, merged;
	size_t i;
	int err = 0;

	if (count == 1 && deletion_is_none(m->force)) {
		*entry = m->live[0]->head;
		return entry->row.len > 1;	/* one byte: an empty row */
	}
	arena_clear(&m->arena);
	m->arena.failed = false;
	rows = arena_alloc(&m->arena, count * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++) {
		err = row_decode(&rows[i], &m->arena, m->live[i]->head.row);
		m->rows[i] = &rows[i];
	}
	if (!err)
		err = row_merge(&merged, &m->arena, m->rows, count, m->force);
	if (err || row_is_nothing(&merged))
		return err;
	buf_clear(&m->row);
	row_encode(&m->row, &merged);
	if (m->row.failed)
		return -ENOMEM;
	entry->key = m->live[0]->head.key;
	entry->kind = ENTRY_ROW;
	entry->row = buf_bytes(&m->row);
	return 1;
}

static int next(struct iterator *base, struct entry *entry)
{
	struct merge *m = (struct merge *)base;
	int got = 0;

	while (!m->err && !got) {
		m->err = advance(m);
		if (m->err || !m->live_count)
			break;
		m->used = count_equal(m);
		if (m->live[0]->head.kind == ENTRY_BOUND)
			got = take_bounds(m, m->used, entry);
		else
			got = take_rows(m, m->used, entry);
		if (!got)	/* all of it is deleted, as may be many more */
			got = watch_step();
		if (got < 0)
			m->err = got;
	}
	return m->err ? m->err : got;
}

static int seek(struct iterator *base, struct bytes key,
		struct deletion *in_force)
{
	struct merge *m = (struct merge *)base;
	size_t i;

	m->live_count = m->used = 0;
	m->err = 0;
	for (i = 0; i < m->source_count && !m->err; i++) {
		struct source *s = &m->sources[i];
		int got;

		s->force = DELETION_NONE;
		m->err = iterator_seek(s->it, key, &s->force);
		got = m->err ? m->err : iterator_next(s->it, &s->head);
		if (got < 0)
			m->err = got;
		if (got <= 0)
			continue;
		/* Move it to its place as if it had been at the front. */
		memmove(m->live + 1, m->live,
			m->live_count++ * sizeof(*m->live));
		place(m, 1, s);
	}
	*in_force = m->force = strongest(m);
	return m->err;
}

static void close_merge(struct iterator *base)
{
	struct merge *m = (struct merge *)base;
	size_t i;

	for (i = 0; i < m->source_count; i++)
		iterator_close(m->sources[i].it);
	arena_release(&m->arena);
	buf_release(&m->row);
	mem_free(m);
}

static void merge_memory(const struct iterator *base, struct memory_use *out)
{
	const struct merge *m = (const struct merge *)base;
	size_t i;

	out->bytes += m->arena.total + m->row.cap;
	for (i = 0; i < m->source_count; i++)
		iterator_memory(m->sources[i].it, out);
}

static const struct iterator_ops merge_ops = {
	.seek = seek, .next = next, .close = close_merge,
	.memory = merge_memory,
};

int merge_open(struct iterator **out, struct iterator **sources, size_t count,
	       bool reverse)
{
	struct merge *m;
	size_t i;

	m = mem_zalloc(1, sizeof(*m) + count * (sizeof(*m->sources) +
						 sizeof(*m->live) +
						 sizeof(*m->rows)));
	if (!m) {
		for (i = 0; i < count; i++)
			iterator_close(sources[i]);
		return -ENOMEM;
	}
	m->base.ops = &merge_ops;
	m->reverse = reverse;
	m->source_count = count;
	m->sources = (struct source *)(m + 1);
	m->live = (struct source **)(m->sources + count);
	m->rows = (const struct row **)(m->live + count);
	for (i = 0; i < count; i++)
		m->sources[i].it = sources[i];
	*out = &m->base;
	return 0;
}
