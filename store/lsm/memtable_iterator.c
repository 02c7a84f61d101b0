/* Iterate over a memtable: its rows and bounds, merged, at one moment. */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/memtable_internal.h"

struct memtable_iterator {
	struct iterator base;
	struct memtable *m;
	uint64_t sequence;
	bool reverse;
	struct tree_cursor rows, bounds;
	struct tree_item *row, *bound;		/* the next of each, or NULL */
	const struct memtable_version *row_version, *bound_version;
	struct deletion force;	/* in force at the present place */
	/* Reverse: the bound below `bound`, whose deletion ends there. */
	struct tree_item *below;
	const struct memtable_version *below_version;
	struct arena arena;	/* for a row in parts, and its bytes */
	struct buf merged;
};

static struct tree_item *next_visible(struct memtable_iterator *it,
				      struct tree_cursor *c,
				      const struct memtable_version **version)
{
	struct tree_item *item;

	while ((item = tree_cursor_next(c))) {
		*version = memtable_version_at(item, it->sequence);
		if (*version)
			return item;
	}
	*version = NULL;
	return NULL;
}

static bool same_deletion(struct deletion a, struct deletion b)
{
	return a.timestamp == b.timestamp &&
	       (a.local_time == b.local_time || deletion_is_none(a));
}

/* Return the deletion that a bound changes to in the iterator's direction. */
static struct deletion beyond_bound(const struct memtable_iterator *it)
{
	if (!it->reverse)
		return it->bound_version->deletion;
	return it->below ? it->below_version->deletion : DELETION_NONE;
}

/* Step to the next bound that changes something. */
static void load_bound(struct memtable_iterator *it)
{
	do {
		if (!it->reverse) {
			it->bound = next_visible(it, &it->bounds,
						 &it->bound_version);
			continue;
		}
		it->bound = it->below;
		it->bound_version = it->below_version;
		if (it->bound)
			it->below = next_visible(it, &it->bounds,
						 &it->below_version);
	} while (it->bound && same_deletion(it->force, beyond_bound(it)));
}

static int seek(struct iterator *base, struct bytes key,
		struct deletion *in_force)
{
	struct memtable_iterator *it = (struct memtable_iterator *)base;

	tree_cursor_seek(&it->rows, &it->m->rows, key, it->reverse);
	it->row = next_visible(it, &it->rows, &it->row_version);
	it->bound = it->below = NULL;
	it->force = DELETION_NONE;
	*in_force = DELETION_NONE;
	if (tree_is_empty(&it->m->bounds))
		return 0;
	if (key.len)
		it->force = memtable_force_below(it->m, key, it->sequence);
	*in_force = it->force;
	tree_cursor_seek(&it->bounds, &it->m->bounds, key, it->reverse);
	if (it->reverse)
		it->below = next_visible(it, &it->bounds, &it->below_version);
	load_bound(it);
	return 0;
}

static int give_row(struct memtable_iterator *it, struct entry *entry)
{
	const struct memtable_version *v = it->row_version;
	int err;

	entry->key = tree_item_key(it->row);
	entry->kind = ENTRY_ROW;
	entry->row = bytes_of(v->row, v->len);
	if (v->parts) {
		arena_clear(&it->arena);
		it->arena.failed = false;
		err = memtable_merge_parts(v, NULL, &it->arena, &it->merged);
		if (err)
			return err;
		entry->row = buf_bytes(&it->merged);
	}
	it->row = next_visible(it, &it->rows, &it->row_version);
	return 1;
}

static int next(struct iterator *base, struct entry *entry)
{
	struct memtable_iterator *it = (struct memtable_iterator *)base;
	bool bound_first = it->bound;

	if (it->bound && it->row) {
		int order = bytes_compare(tree_item_key(it->bound),
					  tree_item_key(it->row));

		/* A bound comes before a row of the same key. */
		bound_first = it->reverse ? order > 0 : order <= 0;
	}
	if (bound_first) {
		struct deletion beyond = beyond_bound(it);

		*entry = (struct entry){
			.key = tree_item_key(it->bound), .kind = ENTRY_BOUND,
			.before = it->reverse ? beyond : it->force,
			.after = it->reverse ? it->force : beyond,
		};
		it->force = beyond;
		load_bound(it);
		return 1;
	}
	return it->row ? give_row(it, entry) : 0;
}

static void close_iterator(struct iterator *base)
{
	struct memtable_iterator *it = (struct memtable_iterator *)base;

	memtable_put(it->m);
	arena_release(&it->arena);
	buf_release(&it->merged);
	mem_free(it);
}

static void iterator_holds(const struct iterator *base,
			   struct memory_use *out)
{
	const struct memtable_iterator *it =
		(const struct memtable_iterator *)base;

	out->bytes += it->arena.total + it->merged.cap;
	if (out->past && atomic_load(&it->m->past))
		out->past(out->context, it->m, memtable_memory(it->m));
}

static const struct iterator_ops memtable_iterator_ops = {
	.seek = seek, .next = next, .close = close_iterator,
	.memory = iterator_holds,
};

int memtable_iterate(struct iterator **out, struct memtable *m, bool reverse)
{
	struct memtable_iterator *it = mem_zalloc(1, sizeof(*it));

	if (!it)
		return -ENOMEM;
	it->base.ops = &memtable_iterator_ops;
	it->m = memtable_get(m);
	it->reverse = reverse;
	it->sequence = atomic_load_explicit(&m->committed,
					    memory_order_acquire);
	*out = &it->base;
	return 0;
}
