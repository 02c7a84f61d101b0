#include "store/lsm/run_iterator.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/watch.h"
#include "store/sstable/iterate.h"

struct run_iterator {
	struct iterator base;
	bool reverse;
	int err;		/* of opening a file: until the next seek */
	struct iterator *now;	/* over files[at]; NULL before the first seek */
	size_t at, count;
	struct sstable *files[];
};

static int enter(struct run_iterator *it, size_t at)
{
	struct iterator *now;
	int err;

	if (it->now && it->at == at)
		return 0;
	err = sstable_iterate(&now, it->files[at], it->reverse, false);
	if (err)
		return it->err = err;
	watch_file(sstable_info(it->files[at])->number);
	iterator_close(it->now);
	it->now = now;
	it->at = at;
	return 0;
}

/* Return the first file that does not end before the key; reverse: the last
 * that begins before it. The last, or the first, when there is none. */
static size_t find(const struct run_iterator *it, struct bytes key)
{
	size_t low = 0, high = it->count - 1;

	if (!key.len)
		return it->reverse ? high : 0;
	while (low < high) {
		size_t middle = (low + high + it->reverse) / 2;

		if (it->reverse) {
			if (bytes_compare(sstable_first_key(it->files[middle]),
					  key) < 0)
				low = middle;
			else
				high = middle - 1;
		} else if (bytes_compare(sstable_last_key(it->files[middle]),
					 key) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static int seek(struct iterator *base, struct bytes key,
		struct deletion *in_force)
{
	struct run_iterator *it = (struct run_iterator *)base;
	int err;

	it->err = 0;
	err = enter(it, find(it, key));
	return err ? err : iterator_seek(it->now, key, in_force);
}

static int next(struct iterator *base, struct entry *entry)
{
	struct run_iterator *it = (struct run_iterator *)base;
	struct deletion none;
	int got;

	if (it->err || !it->now)
		return it->err;
	while (!(got = iterator_next(it->now, entry))) {
		if (it->at == (it->reverse ? 0 : it->count - 1))
			return 0;
		if (enter(it, it->reverse ? it->at - 1 : it->at + 1))
			return it->err;
		it->err = iterator_seek(it->now, BYTES_EMPTY, &none);
		if (it->err)
			return it->err;
	}
	return got;
}

static void close_run(struct iterator *base)
{
	struct run_iterator *it = (struct run_iterator *)base;
	size_t i;

	iterator_close(it->now);
	for (i = 0; i < it->count; i++)
		sstable_put(it->files[i]);
	mem_free(it);
}

static void run_memory(const struct iterator *base, struct memory_use *m)
{
	const struct run_iterator *it = (const struct run_iterator *)base;

	m->bytes += sizeof(*it) + it->count * sizeof(*it->files);
	iterator_memory(it->now, m);
}

static const struct iterator_ops run_ops = {
	.seek = seek, .next = next, .close = close_run, .memory = run_memory,
};

int run_iterate(struct iterator **out, struct sstable *const *files,
		size_t count, bool reverse)
{
	struct run_iterator *it;
	size_t i;

	if (count == 1) {
		watch_file(sstable_info(files[0])->number);
		return sstable_iterate(out, files[0], reverse, false);
	}
	it = mem_zalloc(1, sizeof(*it) + count * sizeof(*it->files));
	if (!it)
		return -ENOMEM;
	it->base.ops = &run_ops;
	it->reverse = reverse;
	it->count = count;
	for (i = 0; i < count; i++)
		it->files[i] = sstable_get(files[i]);
	*out = &it->base;
	return 0;
}
