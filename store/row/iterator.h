/*
 * An iterator yields the entries of one source in key order (or, made reverse,
 * in descending order): a memtable, an sstable, or the merge of several. It
 * belongs to one thread, and pins its source until it is closed.
 *
 * Deletions of ranges are bounds: at the key of an ENTRY_BOUND the deletion in
 * force changes from `before` (in force below the key) to `after` (from the key
 * on), whichever the direction. A source never has two bounds of one key.
 * A partition's deletion is a range from its KEY_BEGIN to its KEY_END. No
 * deletion is in force across the end of a partition.
 *
 * Entries of kind ENTRY_ROW are encoded rows (row.h) and are NOT yet covered by
 * what is in force, except where a merge says so.
 */
#ifndef STORE_ROW_ITERATOR_H
#define STORE_ROW_ITERATOR_H
#include "store/base/bytes.h"
#include "store/base/memory.h"
#include "store/row/row.h"

enum entry_kind { ENTRY_ROW, ENTRY_BOUND };

struct entry {
	struct bytes key;
	enum entry_kind kind;
	struct bytes row;		/* ENTRY_ROW */
	struct deletion before, after;	/* ENTRY_BOUND */
};

struct iterator;
struct iterator_ops {
	int (*seek)(struct iterator *it, struct bytes key,
		    struct deletion *in_force);
	int (*next)(struct iterator *it, struct entry *entry);
	void (*close)(struct iterator *it);
	/* Add what it holds; NULL: nothing to speak of. */
	void (*memory)(const struct iterator *it, struct memory_use *m);
};
struct iterator {	/* embed it first */
	const struct iterator_ops *ops;
};

/*
 * Go to the first entry with a key >= key (reverse: the last with a key < key;
 * then `key` is an exclusive upper end); next returns it. *in_force is the
 * deletion in force just there, from bounds before it in the direction of the
 * iterator: forward, from bounds < key; reverse, from bounds >= key. An empty
 * key means the beginning (reverse: the end). A new iterator must be sought
 * first. 0 or -errno.
 */
static inline int iterator_seek(struct iterator *it, struct bytes key,
				struct deletion *in_force)
{
	return it->ops->seek(it, key, in_force);
}
/*
 * Step to the next entry. Returns 1 and fills *entry, 0 at the end, or -errno.
 * What *entry points to is valid until the next call on the same iterator.
 */
static inline int iterator_next(struct iterator *it, struct entry *entry)
{
	return it->ops->next(it, entry);
}
static inline void iterator_close(struct iterator *it)
{
	if (it)
		it->ops->close(it);
}
/* Add what it holds. From its own thread, between two calls. */
static inline void iterator_memory(const struct iterator *it,
				   struct memory_use *m)
{
	if (it && it->ops->memory)
		it->ops->memory(it, m);
}

#endif
