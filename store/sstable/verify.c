#include "store/sstable/verify.h"

#include <errno.h>

#include "store/base/log.h"
#include "store/base/watch.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"
#include "store/sstable/reader.h"

struct check {
	struct sstable *t;
	struct arena arena;
	struct block_cursor cursor;
	struct buf last;		/* the key before */
	struct deletion in_force;
	struct stats seen;
	size_t partition_len;
	uint32_t partition_rows;
};

static bool deletion_equal(struct deletion a, struct deletion b)
{
	return a.timestamp == b.timestamp && a.local_time == b.local_time;
}

static const char *check_partition(struct check *c, struct bytes key)
{
	struct bytes last = buf_bytes(&c->last);
	struct bytes partition;

	if (last.len &&
	    bytes_begin_with(key, bytes_of(last.ptr, c->partition_len)))
		return NULL;
	if (!deletion_is_none(c->in_force))
		return "a deletion that does not end with its partition";
	c->partition_len = key_partition_len(key);
	c->partition_rows = 0;
	c->seen.info.partition_count++;
	partition = bytes_of(key.ptr, c->partition_len);
	if (!sstable_may_contain_partition(c->t, sstable_key_hash(partition)))
		return "a partition that the filter does not know";
	return NULL;
}

static const char *check_row(struct check *c, const struct entry *e)
{
	struct row row;

	arena_clear(&c->arena);
	if (row_decode(&row, &c->arena, e->row))
		return c->arena.failed ? NULL : "a row that cannot be read";
	stats_add_row(&c->seen, &row);
	if (++c->partition_rows > c->seen.info.largest_partition_rows)
		c->seen.info.largest_partition_rows = c->partition_rows;
	if (!sstable_may_contain_row(c->t, sstable_key_hash(e->key)))
		return "a row that the filter does not know";
	return NULL;
}

static const char *check_entry(struct check *c, const struct entry *e)
{
	struct bytes last = buf_bytes(&c->last);
	struct key_parts parts;
	const char *why;

	if (key_split(&parts, e->key))
		return "a key that is not one";
	if (last.len && bytes_compare(last, e->key) >= 0)
		return "keys out of order";
	why = check_partition(c, e->key);
	if (!why && e->kind == ENTRY_ROW)
		why = check_row(c, e);
	if (!why && e->kind == ENTRY_BOUND) {
		if (!deletion_equal(e->before, c->in_force))
			why = "bounds that do not fit each other";
		c->in_force = e->after;
		if (!deletion_is_none(e->after))
			stats_add_deletion(&c->seen, e->after);
	}
	c->last.len = 0;
	buf_add_bytes(&c->last, e->key);
	return why;
}

/* Check that the heads, by which searches go, are those of the keys. */
static const char *check_heads(struct check *c, const struct block *b)
{
	uint32_t i;

	for (i = 0; i < b->restart_count; i++) {
		uint8_t head[8] = { 0 };
		struct entry entry;
		struct bytes key;
		size_t len;

		block_cursor_start(&c->cursor, b, i);
		if (block_cursor_next(&c->cursor, &entry) <= 0)
			return "a restart without an entry";
		key = entry.key;
		if (key.len < b->prefix_len ||
		    memcmp(key.ptr, b->first_key.ptr, b->prefix_len))
			return "a key without the prefix of its block";
		len = key.len - b->prefix_len;
		if (len)
			memcpy(head, key.ptr + b->prefix_len, len < 8 ? len : 8);
		if (get_be64(head) != get_le64(b->heads + 8 * (size_t)i))
			return "a head that is not its key's";
	}
	return NULL;
}

/* 0 or -ENOMEM; damage in *why. */
static int check_entries(struct check *c, const struct block *b, uint32_t i,
			 const char **why)
{
	struct bytes separator = block_index_key(&c->t->index, i);
	struct entry entry;
	int more;

	if (bytes_compare(separator, b->first_key) > 0 ||
	    (i && bytes_compare(buf_bytes(&c->last), separator) >= 0))
		*why = "a separator at the wrong place";
	else if (!deletion_equal(c->in_force,
				 block_index_open(&c->t->index, i)))
		*why = "the index has another deletion in force";
	block_cursor_start(&c->cursor, b, 0);
	while (!*why && (more = block_cursor_next(&c->cursor, &entry)) != 0) {
		if (more == -ENOMEM)
			return more;
		*why = more < 0 ? "a wrong entry" : check_entry(c, &entry);
		if (c->last.failed || c->arena.failed)
			return -ENOMEM;
	}
	return 0;
}

static int check_block(struct check *c, uint32_t i)
{
	const char *why = NULL;
	struct block *b;
	int err = sstable_read_block(&b, c->t, i);

	if (err)
		return err;
	err = check_entries(c, b, i, &why);
	if (!err && !why)
		why = check_heads(c, b);
	if (!err && why)
		err = sstable_block_corrupt(c->t, i, why);
	block_put(b);
	return err;
}

static int check_stats(const struct check *c)
{
	const struct sstable_info *said = sstable_info(c->t);
	const struct sstable_info *seen = &c->seen.info;

	if (said->row_count != seen->row_count ||
	    said->cell_count != seen->cell_count ||
	    said->tombstone_count != seen->tombstone_count ||
	    said->partition_count != seen->partition_count ||
	    said->min_timestamp != seen->min_timestamp ||
	    said->max_timestamp != seen->max_timestamp ||
	    said->min_local_time != seen->min_local_time ||
	    said->max_local_time != seen->max_local_time ||
	    said->has_permanent != seen->has_permanent ||
	    said->has_bounds != seen->has_bounds ||
	    said->largest_partition_rows != seen->largest_partition_rows ||
	    !bytes_equal(sstable_last_key(c->t), buf_bytes(&c->last)) ||
	    !deletion_is_none(c->in_force))
		return log_corrupt(c->t->file.name, c->t->blocks_end,
				   "statistics that are not of these rows");
	return 0;
}

int sstable_verify(struct sstable *t)
{
	struct check c = { .t = t, .cursor = CURSOR_INIT,
			   .in_force = DELETION_NONE };
	uint32_t i;
	int err = 0;

	stats_init(&c.seen);
	for (i = 0; i < t->index.count && !err; i++) {
		err = check_block(&c, i);
		if (!err)
			err = watch_bytes((size_t)(t->index.offsets[i + 1] -
						   t->index.offsets[i]));
	}
	if (!err)
		err = check_stats(&c);
	if (err == -EUCLEAN)
		sstable_set_damaged(t, t->blocks_end);
	block_cursor_release(&c.cursor);
	buf_release(&c.last);
	stats_release(&c.seen);
	arena_release(&c.arena);
	return err;
}
