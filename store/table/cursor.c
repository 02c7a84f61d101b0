/*
 * Queries: choose partitions and their order, and stop at limits. A cursor
 * walks partitions (listed, or found by their tokens, or named by an index) and
 * in each of them the rows of scan.c.
 */
#include "store/table/cursor.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/table/by_reference.h"
#include "store/table/cell.h"
#include "store/table/inner.h"
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
	key_add_partition(out, key_token(partition_key), partition_key);
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
	/* Of a list that is only searched: by_reference.c. */
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
		add_partition(upper, q->partitions[0]);
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
	if (c->dead.length)
		dead_run_end(&c->dead);
	c->rests = true;
	c->rests_after = !p->have;
	p->have = false;
	/* A skip reads the key of the last entry. */
	p->entry.key = p->ended ? BYTES_NULL : buf_bytes(&c->rest);
	iterator_close(p->it);
	p->it = NULL;
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

/* Continue after `rest` in the entries of the present moment. */
static int go_on(struct cursor *c)
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

void cursor_close(struct cursor *c)
{
	if (!c)
		return;
	atomic_fetch_add_explicit(&c->store->tombstones_read,
				  c->cost.tombstones, memory_order_relaxed);
	iterator_close(c->partitions.it);
	iterator_close(c->reverse_rows.it);
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

/* --------------------------------------------------------------- partitions */
static int64_t token_of_prefix(struct bytes prefix)
{
	return (int64_t)(get_be64(prefix.ptr) ^ (uint64_t)1 << 63);
}

/* Enter the partition whose token and key c->prefix has. */
int cursor_enter(struct cursor *c)
{
	int err;

	if (c->prefix.failed)
		return -ENOMEM;
	if (c->dead.length)
		dead_run_end(&c->dead);
	c->in_partition = true;
	c->range_index = 0;
	c->range_entered = false;
	c->skip = -1;
	c->given_in_partition = 0;
	c->statics = NULL;
	c->static_count = 0;
	c->statics_read = false;
	c->is_after = !bytes_is_null(c->after_place) &&
		      bytes_equal(buf_bytes(&c->prefix), c->after_prefix);
	arena_clear(&c->partition_memory);
	c->token = token_of_prefix(buf_bytes(&c->prefix));
	buf_clear(&c->partition_key);
	err = key_partition_key(&c->partition_key, buf_bytes(&c->prefix));
	if (!err && c->partition_key.failed)
		err = -ENOMEM;
	if (!err)
		err = table_partition_values(c->key_values, c->table,
					     buf_bytes(&c->partition_key));
	return err ? err : 1;
}

static bool reads_statics(const struct cursor *c)
{
	return c->query.with_statics && table_has_statics(c->table);
}

/* Read the rows of the partition at prefix next, whatever was read before. */
int cursor_seek_partition(struct cursor *c)
{
	scan_peek_forget(&c->partitions);
	scan_peek_forget(&c->reverse_rows);
	/* Reading statics or slices begins with a seek of its own. */
	if (c->query.slice_count || reads_statics(c))
		return 0;
	buf_clear(&c->scratch);
	buf_add_bytes(&c->scratch, buf_bytes(&c->prefix));
	buf_add_byte(&c->scratch, table_row_kind(c->table));
	if (c->scratch.failed)
		return -ENOMEM;
	return scan_peek_seek(c, &c->partitions, buf_bytes(&c->scratch));
}

bool cursor_passes_partition(const struct cursor *c)
{
	int order;

	if (bytes_is_null(c->after_prefix))
		return false;
	order = bytes_compare(buf_bytes(&c->prefix), c->after_prefix);
	return order < 0 || (!order && bytes_is_null(c->after_place));
}

static int next_listed(struct cursor *c)
{
	int err;

	do {
		if (c->partition_index == c->query.partition_count)
			return 0;
		buf_clear(&c->prefix);
		add_partition(&c->prefix,
			      c->query.partitions[c->partition_index++]);
	} while (cursor_passes_partition(c));
	/* The list has its own order: the entry that was looked at does not
	 * help. */
	err = cursor_seek_partition(c);
	return err ? err : cursor_enter(c);
}

/* Go to the first partition of the token range, or past the present one. */
static int seek_next_partition(struct cursor *c)
{
	struct peek *p = &c->partitions;
	struct buf *key = &c->scratch;
	const struct query *q = &c->query;
	struct bytes after = c->after_prefix;

	buf_clear(key);
	if (c->started) {
		if (p->have && !bytes_begin_with(p->entry.key,
						 buf_bytes(&c->prefix)))
			return 0;
		buf_add_bytes(key, buf_bytes(&c->prefix));
		buf_add_byte(key, 0xff);
	} else if (!bytes_is_null(after) &&
		   token_of_prefix(after) >= q->from_token) {
		buf_add_bytes(key, after);
		if (bytes_is_null(c->after_place))
			buf_add_byte(key, 0xff);
	} else if (q->from_token != INT64_MIN) {
		key_add_token(key, q->from_token);
	}
	c->started = true;
	return key->failed ? -ENOMEM : scan_peek_seek(c, p, buf_bytes(key));
}

/* Find the next partition: 1: c->prefix is set; 0: there is none. */
static int find_partition(struct cursor *c)
{
	struct peek *p = &c->partitions;
	int more = seek_next_partition(c);
	struct key_parts parts;

	if (!more)
		more = scan_peek_row(c, p);
	if (more <= 0)
		return more;
	/* A kind after all existing kinds would be found again and again. */
	if (key_split(&parts, p->entry.key))
		return -EUCLEAN;
	buf_clear(&c->prefix);
	buf_add(&c->prefix, p->entry.key.ptr, parts.partition_len);
	return c->prefix.failed ? -ENOMEM : 1;
}

/* True for the empty key, where the table's own attributes are. */
static bool is_of_table(const struct cursor *c)
{
	return c->prefix.len == KEY_EMPTY_LEN;
}

static int next_found(struct cursor *c)
{
	int more;

	do {
		more = find_partition(c);
	} while (more > 0 && is_of_table(c));
	if (more <= 0)
		return more;
	if (token_of_prefix(buf_bytes(&c->prefix)) > c->query.to_token)
		return 0;
	if (c->query.reversed)
		scan_peek_forget(&c->reverse_rows);
	return cursor_enter(c);
}

static ASIDE int next_partition(struct cursor *c)
{
	return c->query.partition_count ? next_listed(c) : next_found(c);
}

/* ------------------------------------------------------------------- giving */
void cursor_give(struct cursor *c, struct row_view *row)
{
	row->partition_key = buf_bytes(&c->partition_key);
	row->token = c->token;
	row->key_values = c->key_values;
	row->first_of_partition = !c->given_in_partition;
	row->statics = c->statics;
	row->static_count = c->static_count;
	c->given_in_partition++;
	c->given++;
}

void cursor_after_row(struct cursor *c)
{
	const struct query *q = &c->query;

	if (q->distinct > 0 &&
	    (uint32_t)q->distinct <= c->table->clustering_count)
		c->skip = q->distinct;
	if (!q->distinct || (q->partition_limit && c->given_in_partition ==
			     q->partition_limit))
		c->in_partition = false;
}

/* Return a view of the statics alone, where the query wants one: 1, 0. */
static ASIDE int give_statics(struct cursor *c, struct row_view *row)
{
	c->in_partition = false;
	if (!c->static_count || c->given_in_partition || c->is_after)
		return 0;
	if (!c->query.static_only_rows && !c->query.statics_only)
		return 0;
	*row = (struct row_view){ .marker = MARKER_NONE };
	row->engine_key = buf_bytes(&c->prefix);
	cursor_give(c, row);
	return 1;
}

static inline int next_in_partition(struct cursor *c, struct row_view *row)
{
	int more = cursor_statics(c);

	if (more < 0)
		return more;
	if (c->query.statics_only)
		return give_statics(c, row);
	more = cursor_row(c, row);
	if (more < 0)
		return more;
	if (!more)
		return give_statics(c, row);
	cursor_give(c, row);
	cursor_after_row(c);
	return 1;
}

int cursor_next_in_partition(struct cursor *c, struct row_view *row)
{
	return next_in_partition(c, row);
}

static int next_row(struct cursor *c, struct row_view *row)
{
	int more;

	for (;;) {
		if (!c->in_partition) {
			more = next_partition(c);
			if (more <= 0)
				return more;
		}
		more = next_in_partition(c, row);
		if (more)
			return more;
	}
}

int cursor_next(struct cursor *c, struct row_view *row)
{
	int more = 0;

	if (c->at_end || (c->query.limit && c->given == c->query.limit))
		return 0;
	if (c->rests)
		more = go_on(c);
	if (more)
		return more;
	more = c->refs ? cursor_next_by_ref(c, row) : next_row(c, row);
	if (!more)
		c->at_end = true;
	return more;
}

int cursor_skip(struct cursor *c, uint32_t n)
{
	if (!n) {
		c->in_partition = false;
		c->partition_done = true;
	} else if (c->in_partition && n <= c->table->clustering_count) {
		c->skip = (int)n;
	}
	return 0;
}

void cursor_names(struct cursor *c, bool on)
{
	c->names = on;
}

void cursor_cost(const struct cursor *c, struct cursor_cost *cost)
{
	*cost = c->cost;
}
