/*
 * A cursor over rows, or whole partitions, that an index names, in the order of
 * the base table. Each row is read again from the table's moment, so that stale
 * entries are not shown.
 */
#include "store/table/by_reference.h"

#include <errno.h>

#include "store/base/array.h"
#include "store/table/cursor.h"
#include "store/table/key.h"

static bool bytes_before(const void *element, const void *key)
{
	return bytes_compare(*(const struct bytes *)element,
			     *(const struct bytes *)key) < 0;
}

/* True if the key is in the list, which is sorted. */
static bool is_listed(const struct query *q, struct bytes key)
{
	size_t at = array_find(q->partitions, q->partition_count,
			       sizeof(*q->partitions), &key, bytes_before);

	return at < q->partition_count && bytes_equal(q->partitions[at], key);
}

static bool is_asked_for(const struct cursor *c)
{
	const struct query *q = &c->query;

	if (cursor_passes_partition(c))
		return false;
	if (q->partition_count)
		return is_listed(q, buf_bytes(&c->partition_key));
	return c->token >= q->from_token && c->token <= q->to_token;
}

/* True if the key is of the partition that the cursor is in, or was in last. */
static bool is_same_partition(const struct cursor *c, struct bytes key,
			      size_t len)
{
	return c->started && c->prefix.len == len &&
	       !memcmp(c->prefix.ptr, key.ptr, len);
}

/* Go to the next key that the source names: 1, 0, -errno. */
static int next_ref(struct cursor *c)
{
	struct bytes key;
	size_t len;
	int more, err;

	for (;;) {
		more = c->refs->next(c->refs, &key);
		if (more <= 0)
			return more;
		len = key_partition_len(key);
		if (!len || len >= key.len)
			return -EUCLEAN;
		buf_clear(&c->ref);
		buf_add_bytes(&c->ref, key);
		c->ref_is_row = key.ptr[len] == table_row_kind(c->table);
		if (c->ref.failed)
			return -ENOMEM;
		if (is_same_partition(c, key, len)) {
			if (!c->partition_done)
				return 1;
			continue;
		}
		c->started = true;
		buf_clear(&c->prefix);
		buf_add(&c->prefix, key.ptr, len);
		err = c->ref_is_row ? 0 : cursor_seek_partition(c);
		if (!err)
			err = cursor_enter(c);
		if (err < 0)
			return err;
		c->partition_done = !is_asked_for(c);
		if (!c->partition_done)
			return 1;
	}
}

static int row_by_ref(struct cursor *c, struct row_view *row)
{
	int more = cursor_statics(c);

	if (more < 0)
		return more;
	more = cursor_row_at(c, buf_bytes(&c->ref), row);
	if (more <= 0)
		return more;
	cursor_give(c, row);
	more = c->refs->matches(c->refs, row);
	if (more <= 0) {
		c->given--;
		c->given_in_partition--;
		return more;
	}
	cursor_after_row(c);
	c->skip = -1;		/* the source decides what comes next */
	return 1;
}

static int row_of_partition(struct cursor *c, struct row_view *row)
{
	int more, match;

	while ((more = cursor_next_in_partition(c, row)) > 0) {
		match = c->refs->matches(c->refs, row);
		if (match)
			return match;
		c->given--;
		c->given_in_partition--;
		if (!row->row_exists)
			break;
	}
	return more < 0 ? more : 0;
}

int cursor_next_by_ref(struct cursor *c, struct row_view *row)
{
	int more;

	for (;;) {
		if (!c->in_partition || c->ref_is_row) {
			more = next_ref(c);
			if (more <= 0)
				return more;
			c->in_partition = true;
		}
		more = c->ref_is_row ? row_by_ref(c, row)
				     : row_of_partition(c, row);
		if (!c->in_partition)
			c->partition_done = true;
		if (more)
			return more;
		if (!c->ref_is_row) {
			c->in_partition = false;
			c->partition_done = true;
		}
	}
}
