#include "store/sstable/iterate.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/watch.h"
#include "store/sstable/reader.h"

struct run {			/* the entries from one restart to the next */
	struct buf keys;
	struct entry entries[RESTART_INTERVAL];
	size_t key_at[RESTART_INTERVAL];
	uint32_t left;		/* not returned yet: entries[0 .. left) */
	uint32_t restart;	/* it began at this one */
};

struct sstable_iterator {
	struct iterator iterator;
	bool reverse, keep;
	int err;		/* damage is not stepped over */
	struct sstable *t;	/* files[file]; NULL before the first seek */
	size_t file, count;
	uint32_t at;		/* the block */
	struct block *block;	/* of t; NULL: none yet */
	struct block_cursor cursor;
	struct run run;
	struct sstable *files[];	/* references */
};

static int damaged(struct sstable_iterator *it, int err)
{
	if (err == -EUCLEAN)
		sstable_block_corrupt(it->t, it->at, "a wrong entry");
	it->err = err;
	return err;
}

static void enter_file(struct sstable_iterator *it, size_t file)
{
	if (it->t == it->files[file])
		return;
	block_put(it->block);
	it->block = NULL;
	it->t = it->files[file];
	it->file = file;
	watch_file(sstable_info(it->t)->number);
}

/* Return the first file that does not end before the key; reverse: the last
 * that begins before it. The last, or the first, when there is none. */
static size_t find_file(const struct sstable_iterator *it, struct bytes key)
{
	size_t low = 0, high = it->count - 1;

	if (!key.len)
		return it->reverse ? high : 0;
	while (low < high) {
		size_t middle = (low + high + it->reverse) / 2;
		struct sstable *t = it->files[middle];

		if (!it->reverse) {
			if (bytes_compare(sstable_last_key(t), key) < 0)
				low = middle + 1;
			else
				high = middle;
		} else if (bytes_compare(sstable_first_key(t), key) < 0) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	return low;
}

static int enter_block(struct sstable_iterator *it, uint32_t i)
{
	struct block *b;
	int err;

	if (it->block && it->at == i)
		return 0;
	err = sstable_block(&b, it->t, i, it->keep);
	if (err)
		return it->err = err;
	block_put(it->block);
	it->block = b;
	it->at = i;
	return 0;
}

/* Fill the run from restart on, with keys < upper only (empty: all). */
static int fill_run(struct sstable_iterator *it, uint32_t restart,
		    struct bytes upper)
{
	struct block_cursor *c = &it->cursor;
	struct run *run = &it->run;
	struct entry entry;
	int more;

	run->left = 0;
	run->restart = restart;
	buf_clear(&run->keys);
	block_cursor_start(c, it->block, restart);
	while ((more = block_cursor_next(c, &entry)) > 0) {
		if (upper.len && bytes_compare(entry.key, upper) >= 0)
			return 0;
		if (run->left == RESTART_INTERVAL)
			return damaged(it, -EUCLEAN);
		run->entries[run->left] = entry;
		run->key_at[run->left++] = run->keys.len;
		buf_add_bytes(&run->keys, entry.key);
		if (run->keys.failed)
			return damaged(it, -ENOMEM);
		if (c->next == c->restart_at)
			return 0;
	}
	return more < 0 ? damaged(it, more) : 0;
}

static int seek_reverse(struct sstable_iterator *it, struct bytes key)
{
	if (!key.len)
		return fill_run(it, it->block->restart_count - 1, key);
	return fill_run(it, block_find_restart(it->block, key), key);
}

static int sstable_seek(struct iterator *base, struct bytes key,
			struct deletion *in_force)
{
	struct sstable_iterator *it = (struct sstable_iterator *)base;
	uint32_t i = 0;
	int err;

	*in_force = DELETION_NONE;
	it->err = 0;
	enter_file(it, find_file(it, key));
	if (key.len)
		i = block_index_find(&it->t->index, key);
	else if (it->reverse)
		i = it->t->index.count - 1;
	err = enter_block(it, i);
	if (err)
		return err;
	if (!key.len && !it->reverse) {
		block_cursor_start(&it->cursor, it->block, 0);
		return 0;
	}
	/* The deletion in force just below the key is the same in both
	 * directions. */
	if (key.len) {
		*in_force = block_index_open(&it->t->index, i);
		if (!it->reverse || it->block->has_bounds)
			err = block_cursor_seek(&it->cursor, it->block, key,
						in_force);
	}
	if (err)
		return damaged(it, err);
	return it->reverse ? seek_reverse(it, key) : 0;
}

static int next_forward(struct iterator *base, struct entry *entry)
{
	struct sstable_iterator *it = (struct sstable_iterator *)base;
	int more;

	if (it->err || !it->block)
		return it->err;
	while ((more = block_cursor_next(&it->cursor, entry)) == 0) {
		uint32_t at = it->at + 1;

		if (at >= it->t->index.count) {
			if (it->file + 1 >= it->count)
				return 0;
			enter_file(it, it->file + 1);
			at = 0;
		}
		if (enter_block(it, at))
			return it->err;
		block_cursor_start(&it->cursor, it->block, 0);
	}
	return more < 0 ? damaged(it, more) : 1;
}

static int next_reverse(struct iterator *base, struct entry *entry)
{
	struct sstable_iterator *it = (struct sstable_iterator *)base;
	struct run *run = &it->run;

	if (it->err || !it->block)
		return it->err;
	while (!run->left) {
		uint32_t restart = run->restart, at = it->at;

		if (!restart) {
			if (!at) {
				if (!it->file)
					return 0;
				enter_file(it, it->file - 1);
				at = it->t->index.count;
			}
			if (enter_block(it, at - 1))
				return it->err;
			restart = it->block->restart_count;
		}
		if (fill_run(it, restart - 1, BYTES_EMPTY))
			return it->err;
	}
	run->left--;
	*entry = run->entries[run->left];
	entry->key.ptr = run->keys.ptr + run->key_at[run->left];
	return 1;
}

static void sstable_iterator_close(struct iterator *base)
{
	struct sstable_iterator *it = (struct sstable_iterator *)base;
	size_t i;

	block_put(it->block);
	block_cursor_release(&it->cursor);
	buf_release(&it->run.keys);
	for (i = 0; i < it->count; i++)
		sstable_put(it->files[i]);
	mem_free(it);
}

static void sstable_iterator_memory(const struct iterator *base,
				    struct memory_use *m)
{
	const struct sstable_iterator *it =
		(const struct sstable_iterator *)base;

	m->bytes += sizeof(*it) + it->count * sizeof(*it->files) +
		    it->cursor.key.cap + it->run.keys.cap +
		    (it->block ? it->block->memory : 0);
}

static const struct iterator_ops forward_ops = {
	.seek = sstable_seek,
	.next = next_forward,
	.close = sstable_iterator_close,
	.memory = sstable_iterator_memory,
};
static const struct iterator_ops reverse_ops = {
	.seek = sstable_seek,
	.next = next_reverse,
	.close = sstable_iterator_close,
	.memory = sstable_iterator_memory,
};

int sstable_iterate_run(struct iterator **out, struct sstable *const *files,
			size_t count, bool reverse, bool no_cache)
{
	struct sstable_iterator *it;
	size_t i;

	it = mem_zalloc(1, sizeof(*it) + count * sizeof(*it->files));
	if (!it)
		return -ENOMEM;
	it->iterator.ops = reverse ? &reverse_ops : &forward_ops;
	it->reverse = reverse;
	it->keep = !no_cache;
	it->count = count;
	for (i = 0; i < count; i++)
		it->files[i] = sstable_get(files[i]);
	*out = &it->iterator;
	return 0;
}

int sstable_iterate(struct iterator **out, struct sstable *t, bool reverse,
		    bool no_cache)
{
	return sstable_iterate_run(out, &t, 1, reverse, no_cache);
}
