#include "store/row/shadow.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/row/iterator.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"

#define MOST_STEPS 16	/* and then it is sought */

struct shadow_side {
	struct iterator *it;
	struct entry head;
	struct deletion force;	/* in force before the head */
	bool more;		/* there is a head */
	bool used;		/* it is to be advanced */
};

struct shadow {
	struct iterator base;
	struct shadow_side it, by;
	struct deletion force;	/* what was given is in force */
	struct arena arena;
	struct buf row;
	int err;
};

static int step(struct shadow_side *s)
{
	int got = iterator_next(s->it, &s->head);

	s->used = false;
	s->more = got > 0;
	return got < 0 ? got : 0;
}

static int seek_side(struct shadow_side *s, struct bytes key)
{
	int err = iterator_seek(s->it, key, &s->force);

	return err ? err : step(s);
}

static void pass_bound(struct shadow_side *s)
{
	if (s->head.kind == ENTRY_BOUND)
		s->force = s->head.after;
}

/* Only of use where nothing of the first is in force: no bound is due. */
static int skip(struct shadow *s)
{
	struct bytes key = s->it.head.key;
	int steps = 0, err = 0;

	while (!err && s->by.more &&
	       bytes_compare(s->by.head.key, key) < 0) {
		pass_bound(&s->by);
		err = ++steps > MOST_STEPS ? seek_side(&s->by, key) :
					     step(&s->by);
	}
	return err;
}

static int compare(const struct entry *a, const struct entry *b)
{
	int order = bytes_compare(a->key, b->key);

	return order ? order :
		       (a->kind == ENTRY_ROW) - (b->kind == ENTRY_ROW);
}

static void give_nothing(struct entry *entry)
{
	entry->kind = ENTRY_ROW;
	entry->row = BYTES_NULL;
}

static bool is_same(struct deletion a, struct deletion b)
{
	return a.timestamp == b.timestamp && a.local_time == b.local_time;
}

/* Return the first's deletion, where the other's is weaker. */
static struct deletion left_in_force(const struct shadow *s)
{
	struct deletion strongest = reconcile_deletion_max(s->by.force,
							   s->it.force);

	return is_same(strongest, s->by.force) ? DELETION_NONE : strongest;
}

/* Take one side's bound, or one of each at the same key. */
static void take_bounds(struct shadow *s, struct entry *entry)
{
	struct deletion old = s->force;

	if (s->it.used)
		pass_bound(&s->it);
	if (s->by.used)
		pass_bound(&s->by);
	s->force = left_in_force(s);
	if (is_same(old, s->force)) {
		give_nothing(entry);
		return;
	}
	entry->kind = ENTRY_BOUND;
	entry->before = old;
	entry->after = s->force;
}

static int take_row(struct shadow *s, struct entry *entry)
{
	struct row row, by = ROW_NONE;
	int err;

	if (!s->by.used && deletion_is_none(s->by.force))
		return 0;
	arena_clear(&s->arena);
	err = row_decode(&row, &s->arena, entry->row);
	if (!err && s->by.used)
		err = row_decode(&by, &s->arena, s->by.head.row);
	if (err || !row_subtract(&row, &by, s->by.force))
		return err;
	if (row_is_nothing(&row)) {
		give_nothing(entry);
		return 0;
	}
	buf_clear(&s->row);
	row_encode(&s->row, &row);
	entry->row = buf_bytes(&s->row);
	return s->row.failed ? -ENOMEM : 0;
}

/* The entry returned last is valid until here. */
static int advance(struct shadow *s)
{
	int err = s->it.used ? step(&s->it) : 0;

	if (!err && s->by.used)
		err = step(&s->by);
	if (!err && s->it.more && deletion_is_none(s->it.force))
		err = skip(s);
	return err;
}

static int next(struct iterator *base, struct entry *entry)
{
	struct shadow *s = (struct shadow *)base;
	int which;

	if (!s->err)
		s->err = advance(s);
	if (s->err || !s->it.more)
		return s->err;
	which = s->by.more ? compare(&s->it.head, &s->by.head) : -1;
	s->it.used = which <= 0;
	s->by.used = which >= 0;
	*entry = s->it.used ? s->it.head : s->by.head;
	if (entry->kind == ENTRY_BOUND)
		take_bounds(s, entry);
	else if (s->it.used)
		s->err = take_row(s, entry);
	else
		give_nothing(entry);
	return s->err ? s->err : 1;
}

static int seek(struct iterator *base, struct bytes key,
		struct deletion *in_force)
{
	struct shadow *s = (struct shadow *)base;

	s->err = seek_side(&s->it, key);
	if (!s->err)
		s->err = seek_side(&s->by, key);
	*in_force = s->force = left_in_force(s);
	return s->err;
}

static void close_shadow(struct iterator *base)
{
	struct shadow *s = (struct shadow *)base;

	iterator_close(s->it.it);
	iterator_close(s->by.it);
	arena_release(&s->arena);
	buf_release(&s->row);
	mem_free(s);
}

static void shadow_memory(const struct iterator *base,
			  struct memory_use *out)
{
	const struct shadow *s = (const struct shadow *)base;

	out->bytes += s->arena.total + s->row.cap;
	iterator_memory(s->it.it, out);
	iterator_memory(s->by.it, out);
}

static const struct iterator_ops shadow_ops = {
	.seek = seek, .next = next, .close = close_shadow,
	.memory = shadow_memory,
};

int shadow_open(struct iterator **out, struct iterator *it,
		struct iterator *by)
{
	struct shadow *s = mem_zalloc(1, sizeof(*s));

	if (!s) {
		iterator_close(it);
		iterator_close(by);
		return -ENOMEM;
	}
	s->base.ops = &shadow_ops;
	s->it.it = it;
	s->by.it = by;
	*out = &s->base;
	return 0;
}
