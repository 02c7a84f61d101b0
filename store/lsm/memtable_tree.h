/*
 * An ordered map from keys to pointers, for a memtable: a B+tree in an arena,
 * with one writer and any number of readers that take no lock.
 *
 * Nothing is removed; keys never move. A reader sees every item whose insertion
 * happened before its call, and may or may not see later ones: a reader that
 * needs one moment of the data checks the items' values.
 */
#ifndef STORE_LSM_MEMTABLE_TREE_H
#define STORE_LSM_MEMTABLE_TREE_H
#include "store/base/arena.h"
#include "store/base/bytes.h"

struct tree_item {
	void *_Atomic value;	/* the user's; NULL in a new item */
	uint32_t len;
	uint8_t key[];
};
static inline struct bytes tree_item_key(const struct tree_item *item)
{
	return bytes_of(item->key, item->len);
}

struct tree_node;
struct tree {
	struct tree_node *_Atomic root;	/* NULL: empty */
	struct arena *arena;
};

/* Make an empty tree, whose nodes are in the arena. */
void tree_init(struct tree *t, struct arena *arena);
/* Return the item of that key, or NULL. */
struct tree_item *tree_find(const struct tree *t, struct bytes key);
/* Find or make the item, for the writer. 1 made, 0 found, -ENOMEM. */
int tree_insert(struct tree *t, struct bytes key, struct tree_item **item);
static inline bool tree_is_empty(const struct tree *t)
{
	return !__atomic_load_n((void *const *)&t->root, __ATOMIC_ACQUIRE);
}

/* A place between items. Valid as long as the tree; needs no release. */
struct tree_cursor {
	const struct tree *tree;
	const struct tree_node *leaf;
	uint64_t order;		/* the leaf's, as it was at the arrival */
	int at;			/* next item */
	const struct tree_node *up;	/* above the leaf; NULL: none */
	uint64_t up_order;
	int up_at;		/* which child of it the leaf is */
	bool reverse;
};
/* Go to the first item >= key or, reverse, the last < key. With no key: to the
 * first or, reverse, the last. */
void tree_cursor_seek(struct tree_cursor *c, const struct tree *t,
		      struct bytes key, bool reverse);
/* Return the item there, and step over it; NULL at the end. */
struct tree_item *tree_cursor_next(struct tree_cursor *c);
/* Check order, fences and counts of the whole tree: for tests. */
bool tree_verify(const struct tree *t, size_t *count);
#endif
