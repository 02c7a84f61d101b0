#include "fs/node/node.h"

#include <errno.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fs/node/kind.h"
#include "fs/node/node_room.h"
#include "store/base/alloc.h"

uint64_t node_ino(uint64_t parent_ino, struct bytes name)
{
	static const char early[] = "schema.cql";
	uint64_t ino = XXH3_64bits_withSeed(name.ptr, name.len, parent_ino);

	if (name.len == sizeof(early) - 1 &&
	    !memcmp(name.ptr, early, sizeof(early) - 1))
		ino >>= 16;
	return ino > 1 ? ino : ino + 2;
}

static struct node_shard *name_shard(struct node_table *t, uint64_t ino)
{
	return &t->by_name[ino % NODE_SHARDS];
}

/* ------------------------------------------------------------- references */
/* Take a reference. False: the node is being freed, and a search must go on
 * past it. */
static bool try_get(struct node *n)
{
	int64_t references = atomic_load(&n->references);

	while (references > 0)
		if (atomic_compare_exchange_weak(&n->references, &references,
						 references + 1))
			return true;
	return false;
}

struct node *node_get(struct node *n)
{
	atomic_fetch_add(&n->references, 1);
	return n;
}

static void link_child(struct node_table *t, struct node *n)
{
	struct mutex *lock = &t->children[n->parent->id % NODE_SHARDS];

	mutex_lock(lock);
	n->next_child = n->parent->first_child;
	if (n->next_child)
		n->next_child->child_link = &n->next_child;
	n->child_link = &n->parent->first_child;
	n->parent->first_child = n;
	mutex_unlock(lock);
}

static void unlink_child(struct node_table *t, struct node *n)
{
	struct mutex *lock = &t->children[n->parent->id % NODE_SHARDS];

	mutex_lock(lock);
	*n->child_link = n->next_child;
	if (n->next_child)
		n->next_child->child_link = n->child_link;
	mutex_unlock(lock);
}

/* Free what n has, but n itself. */
static void drop(struct node_table *t, struct node *n)
{
	if (t->drop)
		t->drop(t->context, n);
	mem_free(atomic_load(&n->key));
	atomic_fetch_sub(&t->count, 1);
}

/* Let nothing find n, which has no references left. */
static void unlink_node(struct node_table *t, struct node *n)
{
	struct node_shard *s = name_shard(t, n->ino);

	mutex_lock(&s->lock);
	node_shard_remove(s, n, NODE_BY_NAME);
	mutex_unlock(&s->lock);
	s = node_id_shard(t, n->id);
	mutex_lock(&s->lock);
	node_shard_remove(s, n, NODE_BY_ID);
	mutex_unlock(&s->lock);
	unlink_child(t, n);
}

/* Take back references: true if they were the last. */
static bool put_is_last(struct node *n, int64_t count)
{
	return atomic_fetch_sub(&n->references, count) == count;
}

/* Free n, which has no references left, and what only it referred to. A chain of
 * forwards is as long as the renames of what is open: those without references
 * are listed, not put by recursion. */
static void free_unused(struct node_table *t, struct node *n)
{
	struct node *left = NULL;	/* whose parents are to be put */

	for (;;) {
		unlink_node(t, n);
		drop(t, n);
		n->next[NODE_BY_NAME] = left;
		left = n;
		n = atomic_load(&n->forward);
		while (!n || !put_is_last(n, 1)) {
			struct node *dead = left;

			if (!dead)
				return;
			left = dead->next[NODE_BY_NAME];
			n = dead->parent;
			mem_free(dead);
		}
	}
}

void node_put(struct node_table *t, struct node *n)
{
	if (n && atomic_fetch_sub(&n->references, 1) == 1)
		free_unused(t, n);
}

/* ------------------------------------------------------------ find, make */
static bool same_name(const struct node *n, const struct node *parent,
		      struct bytes name)
{
	return n->parent == parent && bytes_equal(node_name(n), name);
}

static struct node *find_locked(struct node_shard *s, uint64_t ino,
				const struct node *parent, struct bytes name)
{
	struct node *n;

	for (n = *node_bucket(s, ino); n; n = n->next[NODE_BY_NAME])
		if (n->ino == ino && same_name(n, parent, name) && try_get(n))
			return n;
	return NULL;
}

struct node *node_find(struct node_table *t, struct node *parent,
		       struct bytes name)
{
	uint64_t ino = node_ino(parent->ino, name);
	struct node_shard *s = name_shard(t, ino);
	struct node *n;

	mutex_lock(&s->lock);
	n = find_locked(s, ino, parent, name);
	mutex_unlock(&s->lock);
	return n;
}

struct node *node_by_id(struct node_table *t, uint64_t id)
{
	struct node_shard *s = node_id_shard(t, id);
	struct node *n;

	mutex_lock(&s->lock);
	for (n = *node_bucket(s, id); n; n = n->next[NODE_BY_ID])
		if (n->id == id && try_get(n))
			break;
	mutex_unlock(&s->lock);
	return n;
}

bool node_is_there(struct node_table *t, uint64_t id)
{
	struct node_shard *s = node_id_shard(t, id);
	const struct node *n;

	mutex_lock(&s->lock);
	n = *node_bucket(s, id);
	while (n && n->id != id)
		n = n->next[NODE_BY_ID];
	mutex_unlock(&s->lock);
	return n;
}

static struct node *new_node(struct node_table *t, const struct node_key *key,
			     uint64_t ino)
{
	struct node *n = node_rooms_take(
		key->rooms, node_size(key->name.len, key->value.len));

	if (!n)
		return NULL;
	n->id = atomic_fetch_add(&t->next_id, 1);
	n->ino = ino;
	n->ops = key->ops;
	n->parent = node_get(key->parent);
	n->table = key->is_table ? n : key->parent->table;
	n->number = key->number;
	n->json = key->parent->json || key->ops->json;
	n->snapshot = key->parent->snapshot;
	if (key->ops->snapshot && key->value.len == 8)
		n->snapshot = get_le64(key->value.ptr);
	n->name_len = (uint32_t)key->name.len;
	n->value_len = (uint32_t)key->value.len;
	n->scratch = key->scratch;
	memcpy(n->data, key->name.ptr, key->name.len);
	if (key->value.len)
		memcpy(n->data + key->name.len + 1, key->value.ptr,
		       key->value.len);
	atomic_store(&n->references, 1);
	atomic_fetch_add(&t->count, 1);
	return n;
}

/* Let n be found by number. Done before it is found by name: a thread that
 * finds it may at once ask for it by number. */
static void publish_id(struct node_table *t, struct node *n)
{
	struct node_shard *s = node_id_shard(t, n->id);

	link_child(t, n);
	mutex_lock(&s->lock);
	node_shard_insert(s, n, NODE_BY_ID);
	mutex_unlock(&s->lock);
}

bool node_is_store(const struct node *n)
{
	return !n->parent || n->ops->snapshot || n->ops->json;
}

static bool is_same(const struct node *n, const struct node_key *key)
{
	if (n->ops != key->ops || n->number != key->number || key->scratch)
		return false;
	return node_is_unkeyed(n) ||
	       bytes_compare(node_value(n), key->value) == 0;
}

struct node *node_make(struct node_table *t, const struct node_key *key)
{
	uint64_t ino = node_ino(key->parent->ino, key->name);
	struct node_shard *s = name_shard(t, ino);
	struct node *n, *other = NULL;

	mutex_lock(&s->lock);
	n = find_locked(s, ino, key->parent, key->name);
	if (n && !is_same(n, key)) {
		other = n;
		node_shard_remove(s, n, NODE_BY_NAME);
		atomic_fetch_or(&n->flags, NODE_GONE);
		n = NULL;
	}
	if (!n) {
		n = new_node(t, key, ino);
		if (n) {
			publish_id(t, n);
			node_shard_insert(s, n, NODE_BY_NAME);
		}
		mutex_unlock(&s->lock);
	} else {
		mutex_unlock(&s->lock);
	}
	if (other) {
		node_unkeep(t, other);
		node_put(t, other);
	}
	return n;
}

/* Return the key of a node in dir that has the name of n and shows the same
 * object. */
static struct node_key key_in(struct node *dir, const struct node *n)
{
	return (struct node_key){
		.parent = dir,
		.name = node_name(n),
		.ops = n->ops,
		.is_table = n->table == n,
		.number = n->number,
		.value = node_value(n),
	};
}

struct node *node_alias(struct node_table *t, struct node *dir,
			struct node *n, struct node_rooms *rooms)
{
	struct node_key key = key_in(dir, n);
	struct node *alias, *none = NULL;

	key.rooms = rooms;
	while ((alias = node_make(t, &key))) {
		if (atomic_compare_exchange_strong(&alias->forward, &none,
						   node_get(n)))
			return alias;
		node_put(t, n);
		if (node_now(alias) == n)
			return alias;
		node_detach(t, alias);
		node_put(t, alias);
		none = NULL;
	}
	return NULL;
}

struct node *node_forward(struct node_table *t, struct node *n,
			  struct node *dir, struct node_rooms *rooms)
{
	struct node_key key = key_in(dir, n);
	struct node *now = node_find(t, dir, key.name), *none = NULL;

	if (now && !is_same(now, &key)) {
		node_put(t, now);
		return node_get(n);
	}
	key.rooms = rooms;
	if (!now)
		now = node_make(t, &key);
	if (!now)
		return node_get(n);
	if (!atomic_compare_exchange_strong(&n->forward, &none, node_get(now))) {
		node_put(t, now);	/* it was renamed itself meanwhile */
		node_put(t, now);
		return node_get(node_now(n));
	}
	return now;
}

bool node_is_followed(const struct node *n)
{
	return n->ops->directory && n->table && !n->scratch &&
	       !(atomic_load(&n->flags) & NODE_GONE) && !node_is_unkeyed(n);
}

struct node *node_follow(struct node_table *t, struct node *n)
{
	struct node *above, *now = node_now(n), *found;

	if (now != n) {
		node_get(now);
		node_put(t, n);
	}
	if (!node_is_followed(now) || now->table == now || node_is_current(now))
		return now;
	above = node_follow(t, node_get(now->parent));
	found = above != now->parent && node_is_current(above) ?
			node_forward(t, now, above, NULL) : node_get(now);
	node_put(t, above);
	node_put(t, now);
	return found;
}

void node_count(struct node *n)
{
	atomic_fetch_add(&n->references, 1);
	atomic_fetch_add(&n->lookups, 1);
}

void node_forget(struct node_table *t, uint64_t id, uint64_t count)
{
	struct node *n = node_by_id(t, id);
	uint64_t lookups;

	if (!n)
		return;
	lookups = atomic_load(&n->lookups);
	do {
		if (count > lookups)
			count = lookups;
	} while (!atomic_compare_exchange_weak(&n->lookups, &lookups,
					       lookups - count));
	atomic_fetch_and(&n->flags, ~(uint32_t)NODE_SEEN);
	if (put_is_last(n, (int64_t)count + 1))
		free_unused(t, n);
}

void node_detach(struct node_table *t, struct node *n)
{
	struct node_shard *s = name_shard(t, n->ino);

	mutex_lock(&s->lock);
	node_shard_remove(s, n, NODE_BY_NAME);
	mutex_unlock(&s->lock);
	atomic_fetch_or(&n->flags, NODE_GONE);
	node_unkeep(t, n);
}

void node_pass(struct node_table *t, struct node *n)
{
	struct node_shard *s = name_shard(t, n->ino);

	mutex_lock(&s->lock);
	node_shard_remove(s, n, NODE_BY_NAME);
	atomic_fetch_or(&n->flags, NODE_PAST);
	mutex_unlock(&s->lock);
}

struct node *node_renew(struct node_table *t, struct node *n)
{
	struct node_key key = key_in(n->parent, n);
	struct node_shard *s = name_shard(t, n->ino);
	struct node *next;

	mutex_lock(&s->lock);
	next = node_shard_remove(s, n, NODE_BY_NAME) ?
		       new_node(t, &key, n->ino) : NULL;
	if (next) {
		atomic_store(&next->maker_pid, atomic_load(&n->maker_pid));
		atomic_store(&next->mtime_ns, atomic_load(&n->mtime_ns));
		publish_id(t, next);
		node_shard_insert(s, next, NODE_BY_NAME);
	}
	atomic_fetch_or(&n->flags, NODE_PAST);
	mutex_unlock(&s->lock);
	return next;
}

bool node_keep(struct node *n)
{
	if (atomic_fetch_or(&n->flags, NODE_KEPT) & NODE_KEPT)
		return false;
	node_get(n);
	return true;
}

bool node_unkeep(struct node_table *t, struct node *n)
{
	if (!(atomic_fetch_and(&n->flags, ~(uint32_t)NODE_KEPT) & NODE_KEPT))
		return false;
	if (t->unkept)
		t->unkept(t->context, n);
	node_put(t, n);
	return true;
}

static bool is_one(const struct node *child, enum node_children which)
{
	uint32_t flags = atomic_load(&child->flags);

	return which == CHILDREN_ALL ||
	       (!(flags & NODE_GONE) &&
		(which == CHILDREN_NAMED || (flags & NODE_KEPT)));
}

int node_children(struct node_table *t, struct node *n,
		  enum node_children which, struct node ***out, size_t *count)
{
	struct mutex *lock = &t->children[n->id % NODE_SHARDS];
	struct node **list = NULL, **more, *child;
	size_t used = 0, cap = 0;
	int err = 0;

	*out = NULL;
	*count = 0;
	mutex_lock(lock);
	for (child = n->first_child; child; child = child->next_child) {
		if (!is_one(child, which))
			continue;
		if (used == cap) {
			cap = cap ? cap * 2 : 16;
			more = mem_resize(list, cap, sizeof(*list));
			if (!more) {
				err = -ENOMEM;
				break;
			}
			list = more;
		}
		if (try_get(child))
			list[used++] = child;
	}
	mutex_unlock(lock);
	if (err) {
		node_children_put(t, list, used);
		return err;
	}
	*out = list;
	*count = used;
	return 0;
}

struct node *node_next_child(struct node_table *t, struct node *n,
			     enum node_children which, struct node *last)
{
	struct mutex *lock = &t->children[n->id % NODE_SHARDS];
	struct node *child;

	mutex_lock(lock);
	child = last ? last->next_child : n->first_child;
	while (child && !(is_one(child, which) && try_get(child)))
		child = child->next_child;
	mutex_unlock(lock);
	node_put(t, last);
	return child;
}

void node_know(struct node_table *t, struct node *n,
	       const struct node_known *known)
{
	struct mutex *lock = &t->children[n->id % NODE_SHARDS];

	mutex_lock(lock);
	n->known = *known;
	mutex_unlock(lock);
}

struct node_known node_knows(struct node_table *t, struct node *n)
{
	struct mutex *lock = &t->children[n->id % NODE_SHARDS];
	struct node_known known;

	mutex_lock(lock);
	known = n->known;
	mutex_unlock(lock);
	return known;
}

void node_children_put(struct node_table *t, struct node **children,
		       size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		node_put(t, children[i]);
	mem_free(children);
}

void node_unkeep_below(struct node_table *t, struct node *n)
{
	struct node **children;
	size_t i, count;

	/* Without memory they stay in the table until its end. */
	if (node_children(t, n, CHILDREN_ALL, &children, &count))
		return;
	for (i = 0; i < count; i++) {
		node_unkeep_below(t, children[i]);
		node_unkeep(t, children[i]);
	}
	node_children_put(t, children, count);
}

bool node_unkeep_empty(struct node_table *t, struct node *n)
{
	struct node **children;
	bool empty = true;
	size_t i, count;

	if (node_children(t, n, CHILDREN_KEPT, &children, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (children[i]->ops->directory &&
		    !node_is_unkeyed(children[i]) &&
		    node_unkeep_empty(t, children[i]))
			node_unkeep(t, children[i]);
		else
			empty = false;
	}
	node_children_put(t, children, count);
	return empty;
}

/* ---------------------------------------------------------------- the table */
int node_table_init(struct node_table *t, const struct node_ops *root_ops,
		    uint64_t ino)
{
	int i, err = 0;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < NODE_SHARDS; i++) {
		mutex_init(&t->children[i]);
		if (node_shard_init(&t->by_id[i]) ||
		    node_shard_init(&t->by_name[i]))
			err = -ENOMEM;
	}
	t->root = err ? NULL : mem_zalloc(1, sizeof(*t->root) + 2);
	if (!t->root) {
		node_table_release(t);
		return -ENOMEM;
	}
	t->root->id = 1;
	t->root->ino = ino > 1 ? ino : ino + 2;
	t->root->ops = root_ops;
	atomic_store(&t->root->references, 1);
	atomic_store(&t->next_id, 2);
	node_shard_insert(node_id_shard(t, 1), t->root, NODE_BY_ID);
	return 0;
}

void node_table_release(struct node_table *t)
{
	size_t i, b;

	for (i = 0; i < NODE_SHARDS; i++) {
		struct node_shard *s = &t->by_id[i];

		for (b = 0; s->buckets && b < s->bucket_count; b++) {
			struct node *n = s->buckets[b], *next;

			for (; n; n = next) {
				next = n->next[NODE_BY_ID];
				drop(t, n);
				mem_free(n);
			}
		}
		node_shard_release(s);
		node_shard_release(&t->by_name[i]);
		mutex_release(&t->children[i]);
	}
	memset(t, 0, sizeof(*t));
}
