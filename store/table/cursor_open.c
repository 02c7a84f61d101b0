/*
 * Open and close a cursor. Between two rows it can rest: it gives its iterators
 * back, and continues with others after the last row.
 */
#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/murmur3.h"
#include "store/table/cursor.h"
#include "store/table/key.h"
#include "store/table/present.h"
#include "store/table/source.h"

void query_init(struct query *q, const struct table *t)
{
	*q = (struct query){ .table = t, .from_token = INT64_MIN,
			     .to_token = INT64_MAX, .columns = UINT64_MAX,
			     .distinct = -1 };
}

/* ------------------------------------------------------------------ opening */
static void add_partition(struct buf *out, struct bytes partition_key)
{
	key_add_partition(out, murmur3_token(partition_key), partition_key);
}

static int by_bytes(const void *a, const void *b)
{
	return bytes_compare(*(const struct bytes *)a,
			     *(const struct bytes *)b);
}

static int copy_partitions(struct cursor *c, const struct query *q)
{
	struct bytes *copy;
	size_t i;

	if (!q->partition_count)
		return 0;
	if (q->partition_count > SIZE_MAX / sizeof(*copy))
		return -ENOMEM;
	copy = arena_alloc(&c->memory, q->partition_count * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (i = 0; i < q->partition_count; i++)
		copy[i] = arena_copy(&c->memory, q->partitions[i]);
	c->query.partitions = copy;
	if (c->memory.failed)
		return -ENOMEM;
	/* by_reference.c searches the list, so it is sorted. */
	if (c->refs)
		qsort(copy, q->partition_count, sizeof(*copy), by_bytes);
	return 0;
}

static int encode_slices(struct cursor *c, const struct query *q)
{
	static const struct slice all;
	struct buf key = BUF_INIT;
	size_t i;

	/* In a reversed query everything is a slice too: rows end where they
	 * begin. And where they begin in the middle of a partition. */
	if (!q->slice_count && (c->query.reversed || q->after_clustering)) {
		c->query.slices = &all;
		c->query.slice_count = 1;
	}
	c->ranges = arena_alloc(&c->memory, (c->query.slice_count + 1) *
				sizeof(*c->ranges));
	if (!c->ranges)
		return -ENOMEM;
	for (i = 0; i < c->query.slice_count; i++) {
		const struct slice *slice = &c->query.slices[i];

		buf_clear(&key);
		key_add_start(&key, c->table, &slice->start);
		c->ranges[i].start = arena_copy(&c->memory, buf_bytes(&key));
		if (key.failed)
			break;
		buf_clear(&key);
		key_add_end(&key, c->table, &slice->end);
		c->ranges[i].end = arena_copy(&c->memory, buf_bytes(&key));
		if (key.failed)
			break;
	}
	c->query.slices = NULL;
	if (key.failed)
		c->memory.failed = true;
	buf_release(&key);
	return c->memory.failed ? -ENOMEM : 0;
}

/* Keep the place after which the query begins, as the key's two parts. */
static int encode_after(struct cursor *c, const struct query *q)
{
	struct bound after = { q->after_clustering, c->table->clustering_count,
			       false };
	struct buf key = BUF_INIT;

	c->after_prefix = c->after_place = BYTES_NULL;
	c->query.after_key = BYTES_NULL;
	c->query.after_clustering = NULL;
	if (bytes_is_null(q->after_key))
		return 0;
	add_partition(&key, q->after_key);
	c->after_prefix = arena_copy(&c->memory, buf_bytes(&key));
	buf_clear(&key);
	if (q->after_clustering && c->query.reversed)
		key_add_end(&key, c->table, &after);
	else if (q->after_clustering)
		key_add_start(&key, c->table, &after);
	if (q->after_clustering)
		c->after_place = arena_copy(&c->memory, buf_bytes(&key));
	if (key.failed)
		c->memory.failed = true;
	buf_release(&key);
	return c->memory.failed ? -ENOMEM : 0;
}

static int copy_query(struct cursor *c, const struct query *q)
{
	const struct table *t = c->table;
	uint64_t columns = q->columns;
	int err;

	c->query = *q;
	c->query.table = t;
	if (c->refs) {
		columns |= c->refs->columns;
		c->query.with_statics |= c->refs->statics;
		c->query.reversed = false;	/* the list is in key order */
	}
	c->clustering = arena_zalloc(&c->memory, t->clustering_count + 1,
				     sizeof(*c->clustering));
	c->ends = arena_zalloc(&c->memory, t->clustering_count + 1,
			       sizeof(*c->ends));
	c->key_values = arena_zalloc(&c->memory, t->partition_key_count,
				     sizeof(*c->key_values));
	if (c->memory.failed)
		return -ENOMEM;
	err = copy_partitions(c, q);
	if (!err)
		err = encode_slices(c, q);
	if (!err)
		err = encode_after(c, q);
	if (!err)
		err = row_reader_init(&c->reader, t, columns,
				      q->now_s ? q->now_s :
						     store_now_s(c->store),
				      &c->memory);
	c->reader.raw = q->raw;
	return err;
}

/* Compute the keys that rows of the query can have: all of one partition, or of
 * the tokens. */
static int query_bounds(const struct cursor *c, struct buf *lower,
			struct buf *upper)
{
	const struct query *q = &c->query;

	if (q->partition_count == 1 && !c->refs) {
		add_partition(lower, q->partitions[0]);
		buf_add_bytes(upper, buf_bytes(lower));
		buf_add_byte(lower, KEY_BEGIN);
		buf_add_byte(upper, 0xff);
	} else if (!q->partition_count) {
		if (q->from_token != INT64_MIN)
			key_add_token(lower, q->from_token);
		if (q->to_token != INT64_MAX)
			key_add_token(upper, q->to_token + 1);
	}
	return lower->failed || upper->failed ? -ENOMEM : 0;
}

static int open_iterator(struct cursor *c, struct peek *p)
{
	struct buf lower = BUF_INIT, upper = BUF_INIT;
	struct bytes from, to;
	int err = query_bounds(c, &lower, &upper);

	from = lower.len ? buf_bytes(&lower) : BYTES_EMPTY;
	to = upper.len ? buf_bytes(&upper) : BYTES_EMPTY;
	if (!err)
		err = table_source_iterate(&p->it, c->store, &c->query, from, to,
				     p->reversed);
	buf_release(&lower);
	buf_release(&upper);
	return err;
}

static bool is_virtual(const struct cursor *c)
{
	return c->table->flags & TABLE_VIRTUAL;
}

static int open_iterators(struct cursor *c)
{
	const struct query *q = &c->query;
	bool listed = q->partition_count && !c->refs;
	int err = 0;

	if (!is_virtual(c)) {
		c->moment = lsm_moment(c->store->lsm);
		dead_run_init(&c->dead, c->store->lsm, c->table->number,
			      c->reader.now_s);
	}
	c->reverse_rows.reversed = true;
	c->rows = q->reversed ? &c->reverse_rows : &c->partitions;
	/* Listed partitions need not be found; statics are read forward. */
	if (!q->reversed || !listed || q->with_statics)
		err = open_iterator(c, &c->partitions);
	if (!err && q->reversed)
		err = open_iterator(c, &c->reverse_rows);
	return err;
}

/* ------------------------------------------------------------------ resting */
static void rest(struct cursor *c)
{
	struct peek *p = &c->partitions;

	if (c->rests || c->refs || c->query.reversed || is_virtual(c) ||
	    (bytes_is_null(p->entry.key) && !p->ended))
		return;
	buf_clear(&c->rest);
	buf_add_bytes(&c->rest, p->entry.key);
	if (c->rest.failed)
		return;	/* it continues as it is */
	dead_run_end(&c->dead);
	c->rests = true;
	c->rests_after = !p->have;
	p->have = false;
	/* A skip reads the key of the last entry. */
	p->entry.key = p->ended ? BYTES_NULL : buf_bytes(&c->rest);
	iterator_close(p->it);
	p->it = NULL;
	cursor_leave_attributes(c);
	arena_release(&c->row_memory);
	if (!c->in_partition)
		arena_release(&c->partition_memory);
}

void cursor_rest(struct cursor *c)
{
	if (!is_virtual(c) && c->moment != lsm_moment(c->store->lsm))
		rest(c);
}

void cursor_memory(const struct cursor *c, struct memory_use *m)
{
	m->bytes += sizeof(*c) + c->memory.total + c->partition_memory.total +
		    c->row_memory.total;
	iterator_memory(c->partitions.it, m);
	iterator_memory(c->reverse_rows.it, m);
	iterator_memory(c->attributes.it, m);
	if (c->refs)
		c->refs->memory(c->refs, m);
}

void cursor_trim(struct cursor *c, uint64_t most)
{
	struct memory_use m = { 0 };

	cursor_memory(c, &m);
	if (m.bytes > most)
		rest(c);
}

int cursor_go_on(struct cursor *c)
{
	struct peek *p = &c->partitions;
	struct deletion in_force;
	int more, err = 0;

	c->moment = lsm_moment(c->store->lsm);
	if (!p->it)
		err = open_iterator(c, p);
	if (!err && !p->ended)
		err = iterator_seek(p->it, buf_bytes(&c->rest), &in_force);
	if (err)
		return err;
	c->rests = false;
	if (!c->rests_after || p->ended)
		return 0;
	more = scan_peek_row(c, p);
	if (more > 0 && bytes_equal(p->entry.key, buf_bytes(&c->rest)))
		p->have = false;
	return more < 0 ? more : 0;
}

int cursor_open_refs(struct cursor **out, struct store *s,
		     const struct query *q, struct ref_source *refs)
{
	struct cursor *c = mem_zalloc(1, sizeof(*c));
	int err;

	if (!c) {
		if (refs)
			refs->close(refs);
		return -ENOMEM;
	}
	c->store = s;
	c->refs = refs;
	c->table = table_get((struct table *)q->table);
	c->skip = -1;
	err = copy_query(c, q);
	if (!err)
		err = open_iterators(c);
	if (err) {
		cursor_close(c);
		return err;
	}
	*out = c;
	return 0;
}

int table_query(struct cursor **out, struct store *s, const struct query *q)
{
	return cursor_open_refs(out, s, q, NULL);
}

int table_query_finds(struct store *s, const struct query *q)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	int got = table_query(&cursor, s, q);

	if (!got)
		got = cursor_next(cursor, &row);
	cursor_close(cursor);
	return got;
}

void cursor_close(struct cursor *c)
{
	if (!c)
		return;
	atomic_fetch_add_explicit(&c->store->tombstones_read,
				  c->cost.tombstones, memory_order_relaxed);
	iterator_close(c->partitions.it);
	iterator_close(c->reverse_rows.it);
	cursor_leave_attributes(c);
	dead_run_release(&c->dead);
	if (c->refs)
		c->refs->close(c->refs);
	table_put(c->table);
	arena_release(&c->memory);
	arena_release(&c->partition_memory);
	arena_release(&c->row_memory);
	buf_release(&c->prefix);
	buf_release(&c->ref);
	buf_release(&c->rest);
	buf_release(&c->partition_key);
	buf_release(&c->clustering_memory);
	buf_release(&c->row_key);
	buf_release(&c->scratch);
	mem_free(c);
}
