/*
 * Queries: choose partitions and their order, and stop at limits. A cursor
 * walks partitions (listed, or found by their tokens, or named by an index) and
 * in each of them the rows of scan.c.
 */
#include "store/table/cursor.h"

#include <errno.h>

#include "store/base/murmur3.h"
#include "store/table/by_reference.h"
#include "store/table/key.h"

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
	dead_run_end(&c->dead);
	cursor_leave_attributes(c);
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
	struct bytes key;
	int err;

	do {
		if (c->partition_index == c->query.partition_count)
			return 0;
		buf_clear(&c->prefix);
		key = c->query.partitions[c->partition_index++];
		key_add_partition(&c->prefix, murmur3_token(key), key);
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
	return c->query.attribute && !c->names ? cursor_attribute(c, row) : 1;
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
		more = cursor_go_on(c);
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
