/* Shared by memtable.c, which explains the structure, and
 * memtable_iterator.c. */
#ifndef STORE_LSM_MEMTABLE_INTERNAL_H
#define STORE_LSM_MEMTABLE_INTERNAL_H
#include <stdatomic.h>

#include "store/base/arena.h"
#include "store/lsm/memtable.h"
#include "store/lsm/memtable_filter.h"
#include "store/lsm/memtable_tree.h"

struct memtable_version {
	uint64_t sequence;
	struct memtable_version *older;
	union {
		struct deletion deletion;	/* bound: in force from here */
		struct {			/* row: */
			size_t total;		/* bytes of all its parts */
			uint32_t parts;		/* older ones that belong to it */
			uint32_t len;
		};
	};
	uint8_t row[];
};

/* A change that rollback undoes. */
struct memtable_change {
	struct tree_item *item;
	struct memtable_version *before;
};

struct memtable {
	atomic_uint references;
	_Atomic uint64_t committed;
	struct tree rows, bounds;
	struct memtable_filter filter;		/* of rows */
	_Atomic size_t memory;
	_Atomic uint64_t row_count, tombstones;
	_Atomic int64_t min_timestamp, max_timestamp;
	atomic_bool past;

	/* used by the writer: */
	struct arena arena;
	struct arena scratch;
	struct buf merged;
	uint64_t item_count;	/* of rows, also those without a version */
	struct memtable_change *changes;
	size_t change_count, change_room;
};

static inline struct memtable_version *
memtable_newest(const struct tree_item *item)
{
	return atomic_load_explicit(&item->value, memory_order_acquire);
}

/* Return the version that a reader of that moment sees, or NULL. */
static inline const struct memtable_version *
memtable_version_at(const struct tree_item *item, uint64_t sequence)
{
	const struct memtable_version *v = memtable_newest(item);

	while (v && v->sequence > sequence)
		v = v->older;
	return v;
}

/* memtable.c: encode to out the merge of v's parts, and of row if it is not
 * NULL. 0, 1 if row overwrites all of v (it is the merge, and out is as it was),
 * or -errno. */
int memtable_merge_parts(const struct memtable_version *v,
			 const struct row *row, struct arena *arena,
			 struct buf *out);
/* Return the deletion in force just below key, by bounds < key. */
struct deletion memtable_force_below(const struct memtable *m,
				     struct bytes key, uint64_t sequence);
#endif
