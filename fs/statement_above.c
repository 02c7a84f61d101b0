/*
 * A directory is there as long as it holds a row. So where a row comes or goes the
 * directory that lists it has other names, and so has the one above if the first
 * is there only before the batch, or only after it; and so on up to the table.
 * Both are known of the rows that the batch changes; the others stay but for
 * those in ranges that it deletes, which are taken to be older than the deletion.
 */
#include "fs/statement_above.h"

#include <errno.h>

#include "fs/node/node.h"
#include "fs/op/place.h"
#include "fs/op/times.h"

/* A level is the number of clustering columns of a directory; ABOVE: the table. */
#define ABOVE (-1)

struct batch_above {
	struct op *op;
	struct write *w;
	struct node *table;
	const struct statement_entry *entries;
	size_t count;
	/* By level + 1: the directory on the way to `last` is done, with all
	 * that are above it. */
	bool *done;
	struct place last;
};

static struct place place_at(const struct place *p, int level)
{
	struct place at = *p;

	at.partition_key = level == ABOVE ? BYTES_NULL : p->partition_key;
	at.clustering_count = level == ABOVE ? 0 : (uint32_t)level;
	return at;
}

static bool is_in(const struct batch_above *b, size_t i, const struct place *dir)
{
	return statement_entry_is_in(&b->entries[i], dir->partition_key,
				     dir->clustering, dir->clustering_count);
}

/* The entries that are in one directory. */
struct entries_in {
	size_t first, end;
	bool was, is;		/* a row of them is there before, after */
	bool statics;		/* one is the static row */
};

/* Find those around that entry. */
static struct entries_in entries_in(const struct batch_above *b, size_t at,
				    const struct place *dir)
{
	struct entries_in in = { .first = at, .end = at };
	size_t i;

	while (in.first && is_in(b, in.first - 1, dir))
		in.first--;
	while (in.end < b->count && is_in(b, in.end, dir))
		in.end++;
	for (i = in.first; i < in.end; i++) {
		in.was |= b->entries[i].was;
		in.is |= b->entries[i].is;
		in.statics |= b->entries[i].change->is_static;
	}
	return in;
}

static bool is_all_of_partition(const struct table_change *range)
{
	return !range->range.start.count && !range->range.end.count;
}

/* Begin a query of the directory's partition. */
static void partition_query(struct query *q, const struct batch_above *b,
			    const struct place *dir)
{
	query_init(q, dir->table);
	q->partitions = &dir->partition_key;
	q->partition_count = 1;
	q->now_s = b->op->now_s;
}

/* Look for rows, as they are before, in the slice: 1, 0, -errno. */
static int finds_in(struct batch_above *b, const struct place *dir,
		    const struct slice *slice)
{
	struct query q;

	partition_query(&q, b, dir);
	q.limit = 1;
	q.slices = slice;
	q.slice_count = 1;
	return table_query_finds(b->op->store, &q);
}

static struct slice slice_of(const struct place *dir)
{
	struct bound all = { dir->clustering, dir->clustering_count, true };

	return (struct slice){ all, all };
}

/* Look for the partition's static row, as it is before: 1, 0, -errno. */
static int finds_statics(struct batch_above *b, const struct place *dir)
{
	struct query q;

	if (dir->clustering_count || !table_has_statics(dir->table))
		return 0;
	partition_query(&q, b, dir);
	q.with_statics = q.statics_only = true;
	return table_query_finds(b->op->store, &q);
}

/* Look whether the directory is there before: 1, 0, -errno. */
static int finds(struct batch_above *b, const struct place *dir)
{
	struct slice slice = slice_of(dir);
	int got = finds_statics(b, dir);

	return got ? got : finds_in(b, dir, &slice);
}

/* The search for a row that is in no entry. */
struct survivors {
	struct batch_above *b;
	struct slice slice;
	size_t next;			/* entry */
	const struct table_change *over;
};

/* Pass the entries up to that row. True if one of them is the row. */
static bool pass_entries(struct survivors *s, struct bytes key)
{
	int order = -1;

	for (; s->next < s->b->count; s->next++) {
		const struct statement_entry *e = &s->b->entries[s->next];
		int now = bytes_compare(e->change->key, key);

		if (now > 0)
			break;
		order = now;
		s->over = e->over;
	}
	return !order;
}

/* Search up to the first row that a range deletes: then *deleted. 1: a row before
 * it stays, 0, -errno. */
static int search(struct survivors *s, const struct place *dir, bool *deleted)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct query q;
	int got;

	partition_query(&q, s->b, dir);
	q.slices = &s->slice;
	q.slice_count = 1;
	*deleted = false;
	got = table_query(&cursor, s->b->op->store, &q);
	if (got)
		return got;
	cursor_names(cursor, true);
	while ((got = cursor_next(cursor, &row)) > 0) {
		if (pass_entries(s, row.engine_key))
			continue;
		*deleted = statement_entry_covers(s->over, row.engine_key);
		break;
	}
	cursor_close(cursor);
	return *deleted ? 0 : got;
}

/* Look whether the static row of the directory stays. */
static int statics_survive(struct batch_above *b, const struct place *dir,
			   const struct entries_in *in)
{
	const struct table_change *first = in->first < in->end ?
				b->entries[in->first].change : NULL;

	if (in->statics || (first && first->whole && is_all_of_partition(first)))
		return 0;
	return finds_statics(b, dir);
}

/* Look whether a row of the directory stays that is in no entry: 1, 0, -errno. */
static int survives(struct batch_above *b, const struct place *dir,
		    const struct entries_in *in)
{
	struct survivors s = { .b = b, .slice = slice_of(dir),
			       .next = in->first };
	bool deleted = true;
	int got = statics_survive(b, dir, in);

	if (in->first && bytes_equal(dir->partition_key,
			b->entries[in->first - 1].change->partition_key))
		s.over = b->entries[in->first - 1].over;
	while (!got && deleted) {
		got = search(&s, dir, &deleted);
		if (got || !deleted)
			break;
		s.slice.start = s.over->range.end;
		s.slice.start.inclusive = !s.slice.start.inclusive;
		if (s.slice.start.count <= dir->clustering_count)
			break;	/* the range has all the rest */
	}
	return got;
}

/* Note the way to p, and forget of the last one what it does not share. */
static void set_way(struct batch_above *b, const struct place *p, int level)
{
	uint32_t shared = 0, most = p->table->clustering_count;

	if (!bytes_is_null(b->last.partition_key) &&
	    bytes_equal(b->last.partition_key, p->partition_key)) {
		while (shared < b->last.clustering_count &&
		       (int)shared < level &&
		       bytes_equal(b->last.clustering[shared],
				   p->clustering[shared]))
			shared++;
		shared++;
	}
	memset(b->done + shared + 1, 0, (most - shared + 1) * sizeof(*b->done));
	b->last = place_at(p, level);
	b->last.partition_key = p->partition_key;
}

/* Move the times from the directory of that level on the way to p, which has other
 * names, up to the first that is there before and after. at: one of its entries,
 * or the place among them. */
static int move_up(struct batch_above *b, const struct place *p, int level,
		   size_t at)
{
	set_way(b, p, level);
	for (; !b->done[level + 1]; level--) {
		struct place dir = place_at(p, level);
		struct entries_in in;
		int was, is, err;

		b->done[level + 1] = true;
		if (level == ABOVE)
			return times_move_directory(b->op, b->w, b->table,
						    &dir, false);
		in = entries_in(b, at, &dir);
		was = in.was ? 1 : finds(b, &dir);
		is = in.is ? 1 : survives(b, &dir, &in);
		if (was < 0 || is < 0)
			return was < 0 ? was : is;
		err = times_move_directory(b->op, b->w, b->table, &dir,
					   was != is);
		if (err || was == is)
			return err;
	}
	return 0;
}

/* Return the level of the directory that holds all of the range. */
static int range_level(const struct slice *s)
{
	uint32_t i = 0;

	while (i < s->start.count && i < s->end.count &&
	       bytes_equal(s->start.values[i], s->end.values[i]))
		i++;
	return i && i == s->start.count && i == s->end.count ? (int)i - 1 :
							       (int)i;
}

/* Return the bound as it is for the names in a directory of that level on its
 * way: those below one of them are no part of it. */
static struct bound bound_at(const struct bound *bound, int level)
{
	struct bound at = *bound;

	if (at.count > (uint32_t)level + 1) {
		at.count = (uint32_t)level + 1;
		at.inclusive = false;
	}
	return at;
}

/* Move the times from the directory with the first `level` of these values, if it
 * holds a row between the bounds. */
static int move_names(struct batch_above *b, const struct table_change *c,
		      const struct bytes *values, int level,
		      const struct slice *slice, size_t at)
{
	struct place p = {
		.table = c->table,
		.partition_key = c->partition_key,
		.clustering = (struct bytes *)values,
		.clustering_count = (uint32_t)level,
	};
	int got = finds_in(b, &p, slice);

	return got > 0 ? move_up(b, &p, level, at) : got;
}

static int move_range(struct batch_above *b, size_t at)
{
	const struct table_change *c = b->entries[at].change;
	const struct bound *start = &c->range.start, *end = &c->range.end;
	size_t to = statement_entries_before(b->entries, b->count, c->to);
	int low = range_level(&c->range), level, err;
	struct slice slice = { bound_at(start, low), bound_at(end, low) };

	err = move_names(b, c, start->values, low, &slice, at);
	for (level = low + 1; !err && level < (int)start->count; level++) {
		slice.start = bound_at(start, level);
		slice.end = (struct bound){ start->values, (uint32_t)level,
					    true };
		err = move_names(b, c, start->values, level, &slice, at);
	}
	for (level = low + 1; !err && level < (int)end->count; level++) {
		slice.start = (struct bound){ end->values, (uint32_t)level,
					      true };
		slice.end = bound_at(end, level);
		err = move_names(b, c, end->values, level, &slice, to);
	}
	return err;
}

static int move_partition(struct batch_above *b, size_t at)
{
	const struct table_change *c = b->entries[at].change;
	struct place p = { .table = c->table,
			   .partition_key = c->partition_key };
	struct entries_in in = entries_in(b, at, &p);
	int got = in.was ? 1 : finds(b, &p);

	/* A time that is stored with the partition goes with it. */
	return got > 0 ? move_up(b, &p, in.is ? 0 : ABOVE, at) : got;
}

static int move_row(struct batch_above *b, size_t at)
{
	const struct table_change *c = b->entries[at].change;
	struct place p = {
		.table = c->table,
		.partition_key = c->partition_key,
		.clustering = (struct bytes *)c->clustering,
		.clustering_count = c->clustering_count,
	};
	int level = c->is_static ? 0 : table_is_flat(c->table) ? ABOVE :
					(int)c->clustering_count - 1;

	return move_up(b, &p, level, at);
}

/* True if the entry before it deletes the same range. */
static bool is_repeated(const struct statement_entry *entries, size_t i)
{
	const struct table_change *c = entries[i].change, *last;

	if (!i || !c->whole)
		return false;
	last = entries[i - 1].change;
	return last->whole && bytes_equal(last->key, c->key) &&
	       bytes_equal(last->to, c->to);
}

int statement_above(struct op *op, struct write *w, struct node *table,
		    const struct statement_entry *entries, size_t count)
{
	struct batch_above b = { .op = op, .w = w, .table = table,
				 .entries = entries, .count = count };
	size_t i;
	int err = 0;

	b.done = arena_zalloc(&op->arena,
			      entries->change->table->clustering_count + 2,
			      sizeof(*b.done));
	if (!b.done)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++) {
		const struct table_change *c = entries[i].change;

		if (!c->whole)
			err = entries[i].was != entries[i].is ?
				      move_row(&b, i) : 0;
		else if (!is_repeated(entries, i))
			err = is_all_of_partition(c) ? move_partition(&b, i) :
						       move_range(&b, i);
	}
	return err;
}
