/*
 * Nodes have 15 slots that are filled once each, and an order word: the low 4
 * bits count them, each further 4 bits name a slot, by ascending key. The
 * writer fills a free slot and then publishes it by one release store of the
 * word; a reader loads the word once and has a consistent node, whatever the
 * writer does meanwhile.
 *
 * Most comparisons are settled by heads: the 8 bytes of a key after the prefix
 * that all keys of the node share. heads[] is by slot, so a search counts the
 * smaller ones without looking at the order, and only equal heads cost a look
 * at keys.
 *
 * A node that is full, or gets a key without the shared prefix, is replaced:
 * new nodes are built in private and then published by one store, of a child
 * pointer or an order word. A reader inside the old one finds it unchanged,
 * with all items that existed when the reader came. The arena keeps it.
 *
 * A reader that loads an order word and then a child may find there the left
 * half of a node that was split in between. Every node knows its range of keys,
 * so the reader sees that and begins again at the root.
 */
#include "store/lsm/memtable_tree.h"

#include <errno.h>
#include <stdatomic.h>

#define SLOTS 15
#define DEEPEST 20	/* 8^20 items */

struct tree_node {
	_Atomic uint64_t order;
	bool inner;
	/* All keys from begin (inclusive) to end are below; NULL: open. */
	const struct tree_item *begin, *end;
	uint32_t skip;		/* shared bytes before the heads */
	const uint8_t *shared;
	uint64_t heads[SLOTS];
	struct tree_item *items[SLOTS];	/* inner: separators */
	/* Inner nodes only: [0] has the keys below all separators, [s + 1]
	 * those from the separator of slot s on. */
	struct tree_node *_Atomic children[];
};

/* Sorted contents of a new node. */
struct contents {
	struct tree_item *items[SLOTS + 1];
	struct tree_node *children[SLOTS + 2];
	int count;
};

struct path {
	struct tree_node *nodes[DEEPEST];
	int at[DEEPEST];	/* which child, in order */
	int depth;
};

static int count_of(uint64_t order)
{
	return (int)(order & 15);
}

static int slot_of(uint64_t order, int position)
{
	return (int)(order >> (4 + 4 * position) & 15);
}

static uint64_t order_insert(uint64_t order, int position, int slot)
{
	int bits = 4 + 4 * position;
	uint64_t below = order & (((uint64_t)1 << bits) - 1);
	uint64_t above = position == SLOTS - 1 ? 0 :
			 order >> bits << (bits + 4);

	return (below | (uint64_t)slot << bits | above) + 1;
}

/* Return the 8 bytes from skip on as a number that orders like them. */
static uint64_t head_of(struct bytes key, uint32_t skip)
{
	uint64_t head = 0;
	size_t len = key.len > skip ? key.len - skip : 0, i;

	if (len >= 8)
		return get_be64(key.ptr + skip);
	for (i = 0; i < 8; i++)
		head = head << 8 | (i < len ? key.ptr[skip + i] : 0);
	return head;
}

static int compare_to_item(struct bytes key, const struct tree_item *item,
			   uint32_t skip)
{
	return bytes_compare(bytes_of(key.ptr + skip, key.len - skip),
			     bytes_of(item->key + skip, item->len - skip));
}

/* Compare key with the shared prefix of all keys in the node: <0, 0, >0. */
static int compare_shared(const struct tree_node *n, struct bytes key)
{
	size_t len = key.len < n->skip ? key.len : n->skip;
	int order = len ? memcmp(key.ptr, n->shared, len) : 0;

	return order ? order : -(key.len < n->skip);
}

/* Count the keys that are < key; *equal: the next one is key. */
static int rank(const struct tree_node *n, uint64_t order, struct bytes key,
		bool *equal)
{
	int count = count_of(order), less = 0, same = 0, end, i, found;
	uint64_t head;

	*equal = false;
	if (n->skip && (found = compare_shared(n, key)))
		return found < 0 ? 0 : count;
	head = head_of(key, n->skip);
	for (i = 0; i < count; i++) {
		less += n->heads[i] < head;
		same += n->heads[i] == head;
	}
	for (end = less + same; less < end;) {
		i = (less + end) / 2;
		found = compare_to_item(key, n->items[slot_of(order, i)],
					n->skip);
		if (!found) {
			*equal = true;
			return i;
		}
		if (found < 0)
			end = i;
		else
			less = i + 1;
	}
	return less;
}

/* Fetch all its cache lines at once: else the search would wait for one after
 * the other. */
static void prefetch_node(const struct tree_node *n)
{
	int i;

	for (i = 0; i < 5; i++)
		__builtin_prefetch((const uint8_t *)n + 64 * i);
}

static struct tree_node *_Atomic *child_at(const struct tree_node *n,
					   uint64_t order, int at)
{
	struct tree_node *node = (struct tree_node *)(uintptr_t)n;

	return &node->children[at ? slot_of(order, at - 1) + 1 : 0];
}

void tree_init(struct tree *t, struct arena *arena)
{
	atomic_init(&t->root, NULL);
	t->arena = arena;
}

/* A step down: to n, which was found where keys end before upper. */
struct tree_step {
	const struct tree_node *n;
	const struct tree_item *upper;
};

/* True if n is only the left half of a node that was split. Mostly a comparison
 * of pointers rules that out. */
static bool is_half(const struct tree_step *s, struct bytes key, bool below)
{
	const struct tree_item *end = s->n->end;
	int order;

	if (end == s->upper || !end)
		return false;
	if (bytes_is_null(key))
		return below;
	order = bytes_compare(key, tree_item_key(end));
	return below ? order > 0 : order >= 0;
}

static struct tree_step first_step(const struct tree *t)
{
	return (struct tree_step){ atomic_load_explicit(&t->root,
							memory_order_acquire),
			      NULL };
}

static struct tree_step next_step(const struct tree_step *s, uint64_t order,
				  int at)
{
	const struct tree_node *n = s->n;
	const struct tree_node *child =
		atomic_load_explicit(child_at(n, order, at),
				     memory_order_acquire);

	prefetch_node(child);
	return (struct tree_step){
		child,
		at < count_of(order) ? n->items[slot_of(order, at)] : n->end,
	};
}

struct tree_item *tree_find(const struct tree *t, struct bytes key)
{
	struct tree_step step = first_step(t);
	bool equal;

	while (step.n) {
		uint64_t order = atomic_load_explicit(&step.n->order,
						      memory_order_acquire);
		int at;

		if (is_half(&step, key, false)) {
			step = first_step(t);
			continue;
		}
		at = rank(step.n, order, key, &equal);
		if (!step.n->inner)
			return equal ? step.n->items[slot_of(order, at)] : NULL;
		step = next_step(&step, order, at + equal);
	}
	return NULL;
}

/* ---------------------------------------------------------------- writing */

static uint32_t shared_length(const struct contents *c)
{
	const struct tree_item *a = c->items[0], *b = c->items[c->count - 1];
	uint32_t len = a->len < b->len ? a->len : b->len, i = 0;

	if (c->count < 2)
		return 0;
	while (i < len && a->key[i] == b->key[i])
		i++;
	/* Tokens are good heads without a prefix. Else share some bytes less,
	 * so that a neighbouring key rarely needs a new node. */
	return i < 8 ? 0 : i - 4;
}

static struct tree_node *build(struct tree *t, const struct contents *c,
			       int from, int count, bool inner)
{
	struct contents part = { .count = count };
	struct tree_node *n;
	uint64_t order = 0;
	int i;

	n = arena_alloc(t->arena, sizeof(*n) +
			(inner ? (SLOTS + 1) * sizeof(n->children[0]) : 0));
	if (!n)
		return NULL;
	memcpy(part.items, c->items + from, (size_t)count * sizeof(void *));
	n->inner = inner;
	n->begin = n->end = NULL;
	n->skip = count ? shared_length(&part) : 0;
	n->shared = n->skip ? part.items[0]->key : NULL;
	for (i = 0; i < count; i++) {
		n->items[i] = part.items[i];
		n->heads[i] = head_of(tree_item_key(part.items[i]), n->skip);
		order = order_insert(order, i, i);
	}
	for (i = 0; inner && i <= SLOTS; i++)
		atomic_init(&n->children[i],
			    i <= count ? c->children[from + i] : NULL);
	atomic_init(&n->order, order);
	return n;
}

static void read_contents(struct contents *c, const struct tree_node *n)
{
	uint64_t order = atomic_load_explicit(&n->order, memory_order_relaxed);
	int i;

	c->count = count_of(order);
	for (i = 0; i < c->count; i++)
		c->items[i] = n->items[slot_of(order, i)];
	for (i = 0; n->inner && i <= c->count; i++)
		c->children[i] = atomic_load_explicit(child_at(n, order, i),
						      memory_order_relaxed);
}

/* Replace the path's node at that depth by n. */
static void replace(struct tree *t, const struct path *p, int depth,
		    struct tree_node *n)
{
	struct tree_node *_Atomic *at = &t->root;

	if (depth) {
		struct tree_node *up = p->nodes[depth - 1];
		uint64_t order = atomic_load_explicit(&up->order,
						      memory_order_relaxed);

		at = child_at(up, order, p->at[depth - 1]);
	}
	atomic_store_explicit(at, n, memory_order_release);
}

/* Store item in a free slot of n (and right, the child from it on). */
static void fill_slot(struct tree_node *n, int position, struct tree_item *item,
		      struct tree_node *right)
{
	uint64_t order = atomic_load_explicit(&n->order, memory_order_relaxed);
	int slot = count_of(order);

	n->items[slot] = item;
	n->heads[slot] = head_of(tree_item_key(item), n->skip);
	if (right)
		atomic_store_explicit(&n->children[slot + 1], right,
				      memory_order_relaxed);
	atomic_store_explicit(&n->order, order_insert(order, position, slot),
			      memory_order_release);
}

/* Insert one more item at position; for inner: its child becomes left and
 * right. */
static void insert_contents(struct contents *c, int position,
			    struct tree_item *item, struct tree_node *left,
			    struct tree_node *right)
{
	size_t behind = (size_t)(c->count - position);

	memmove(c->items + position + 1, c->items + position,
		behind * sizeof(c->items[0]));
	c->items[position] = item;
	if (right) {
		memmove(c->children + position + 2, c->children + position + 1,
			behind * sizeof(c->children[0]));
		c->children[position] = left;
		c->children[position + 1] = right;
	}
	c->count++;
}

/*
 * Add item at the end of the path; where a node must be replaced by two,
 * continue with its parent. The tree changes by the one store at the end: an
 * allocation that fails leaves it as it was.
 */
static int add_item(struct tree *t, struct path *p, struct tree_item *item)
{
	struct tree_node *left = NULL, *right = NULL;
	int depth = p->depth - 1;

	for (; depth >= 0; depth--) {
		struct tree_node *n = p->nodes[depth];
		bool full = count_of(n->order) == SLOTS;
		bool fits = !n->skip ||
			    !compare_shared(n, tree_item_key(item));
		int position = p->at[depth], cut;
		struct contents c;

		if (!full && fits) {
			/* Right first: keys of the old child are all found
			 * until left takes its place. */
			fill_slot(n, position, item, right);
			if (right)
				replace(t, p, depth + 1, left);
			return 0;
		}
		read_contents(&c, n);
		insert_contents(&c, position, item, left, right);
		if (!full) {
			right = build(t, &c, 0, c.count, n->inner);
			if (!right)
				return -ENOMEM;
			right->begin = n->begin;
			right->end = n->end;
			replace(t, p, depth, right);
			return 0;
		}
		/* A cut in the middle would leave all nodes of ascending keys
		 * half empty. */
		cut = position == SLOTS ? SLOTS - 2 : (SLOTS + 1) / 2;
		left = build(t, &c, 0, cut, n->inner);
		item = c.items[cut];
		cut += n->inner;	/* the separator goes up */
		right = build(t, &c, cut, c.count - cut, n->inner);
		if (!left || !right)
			return -ENOMEM;
		left->begin = n->begin;
		left->end = right->begin = item;
		right->end = n->end;
	}
	{
		struct contents top = { { item }, { left, right }, 1 };
		struct tree_node *root = build(t, &top, 0, 1, true);

		if (!root)
			return -ENOMEM;
		atomic_store_explicit(&t->root, root, memory_order_release);
	}
	return 0;
}

/* Find the way to the leaf of key, and the item if it is there. */
static struct tree_item *walk(const struct tree *t, struct path *p,
			      struct bytes key)
{
	struct tree_node *n = atomic_load_explicit(&t->root,
						   memory_order_relaxed);
	bool equal;

	p->depth = 0;
	while (n) {
		uint64_t order = atomic_load_explicit(&n->order,
						      memory_order_relaxed);
		int at = rank(n, order, key, &equal);

		if (equal && !n->inner)
			return n->items[slot_of(order, at)];
		p->nodes[p->depth] = n;
		p->at[p->depth++] = at + equal;
		n = n->inner ? atomic_load_explicit(child_at(n, order,
							     at + equal),
						    memory_order_relaxed)
			     : NULL;
		if (n)
			prefetch_node(n);
	}
	return NULL;
}

int tree_insert(struct tree *t, struct bytes key, struct tree_item **item)
{
	struct path path;
	struct tree_item *made;
	int err = 0;

	*item = walk(t, &path, key);
	if (*item)
		return 0;
	if (key.len > UINT32_MAX || path.depth >= DEEPEST)
		return -ENOMEM;
	made = arena_alloc(t->arena, sizeof(*made) + key.len);
	if (!made)
		return -ENOMEM;
	atomic_init(&made->value, NULL);
	made->len = (uint32_t)key.len;
	if (key.len)
		memcpy(made->key, key.ptr, key.len);
	if (path.depth) {
		err = add_item(t, &path, made);
	} else {
		struct contents first = { { made }, { NULL }, 1 };
		struct tree_node *leaf = build(t, &first, 0, 1, false);

		if (!leaf)
			return -ENOMEM;
		atomic_store_explicit(&t->root, leaf, memory_order_release);
	}
	*item = made;
	return err ? err : 1;
}

/* ---------------------------------------------------------------- reading */

/* Go to the leaf that has keys just >= key or, with below, just < key. No key:
 * the first leaf or, with below, the last. */
static void descend(struct tree_cursor *c, struct bytes key, bool below)
{
	struct tree_step step = first_step(c->tree);

	c->up = NULL;
	while (step.n) {
		uint64_t order = atomic_load_explicit(&step.n->order,
						      memory_order_acquire);
		bool equal = false;
		int at;

		if (is_half(&step, key, below)) {
			step = first_step(c->tree);
			continue;
		}
		if (bytes_is_null(key))
			at = below ? count_of(order) : 0;
		else
			at = rank(step.n, order, key, &equal);
		if (!step.n->inner) {
			c->order = order;
			c->at = below ? at - 1 : at;
			break;
		}
		c->up = step.n;
		c->up_order = order;
		c->up_at = at + (equal && !below);
		step = next_step(&step, order, c->up_at);
	}
	c->leaf = step.n;
}

static const struct tree_node *neighbour(const struct tree_cursor *c)
{
	int at = c->up_at + (c->reverse ? -1 : 1);

	if (!c->up || at < 0 || at > count_of(c->up_order))
		return NULL;
	return atomic_load_explicit(child_at(c->up, c->up_order, at),
				    memory_order_acquire);
}

/*
 * Go to the next leaf, mostly the next child of the node above. That node may
 * have been replaced; it still has all items that existed when we came. A leaf
 * that does not begin where the last one ended was split: then go from the
 * root.
 */
static void next_leaf(struct tree_cursor *c, const struct tree_item *fence)
{
	const struct tree_node *n = neighbour(c);

	if (!n || (c->reverse ? n->end : n->begin) != fence) {
		descend(c, tree_item_key(fence), c->reverse);
	} else {
		c->leaf = n;
		c->order = atomic_load_explicit(&n->order,
						memory_order_acquire);
		c->at = c->reverse ? count_of(c->order) - 1 : 0;
		c->up_at += c->reverse ? -1 : 1;
	}
	n = neighbour(c);
	if (n)
		prefetch_node(n);
}

void tree_cursor_seek(struct tree_cursor *c, const struct tree *t,
		      struct bytes key, bool reverse)
{
	c->tree = t;
	c->reverse = reverse;
	if (!key.len)
		key = BYTES_NULL;
	descend(c, key, reverse);
}

/* Fetch items and their values ahead: they lie wherever there was room. */
static void prefetch_ahead(const struct tree_cursor *c)
{
	int step = c->reverse ? -1 : 1, count = count_of(c->order);
	int item = c->at + 4 * step, value = c->at + 2 * step;

	if (item >= 0 && item < count)
		__builtin_prefetch(c->leaf->items[slot_of(c->order, item)]);
	if (value >= 0 && value < count) {
		const uint8_t *p = atomic_load_explicit(
			&c->leaf->items[slot_of(c->order, value)]->value,
			memory_order_relaxed);

		__builtin_prefetch(p);
		__builtin_prefetch(p + 64);
	}
}

struct tree_item *tree_cursor_next(struct tree_cursor *c)
{
	while (c->leaf) {
		const struct tree_item *fence;

		if (c->at >= 0 && c->at < count_of(c->order)) {
			int slot = slot_of(c->order, c->at);

			prefetch_ahead(c);
			c->at += c->reverse ? -1 : 1;
			return c->leaf->items[slot];
		}
		fence = c->reverse ? c->leaf->begin : c->leaf->end;
		if (fence)
			next_leaf(c, fence);
		else
			c->leaf = NULL;
	}
	return NULL;
}

bool tree_verify(const struct tree *t, size_t *count)
{
	const struct tree_item *item, *before = NULL;
	struct tree_cursor c;

	*count = 0;
	tree_cursor_seek(&c, t, BYTES_NULL, false);
	while ((item = tree_cursor_next(&c))) {
		if (before && bytes_compare(tree_item_key(before),
					    tree_item_key(item)) >= 0)
			return false;
		if (tree_find(t, tree_item_key(item)) != item)
			return false;
		before = item;
		++*count;
	}
	return true;
}
