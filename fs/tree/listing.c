#include "fs/tree/listing.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/node/timer.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/snapshot.h"

/* Bytes of children that are charged at first, and the most that are held. What
 * is allocated for them is at most twice as much. */
#define CHILDREN_LEAST 4096
#define CHILDREN_MOST (8 << 20)
/* Bytes of rows that a cursor may hold between two calls, charged in steps. */
#define CURSOR_MOST (256 << 10)
#define CURSOR_STEP (16 << 10)

static void close_stream(struct fs *fs, struct listing *l)
{
	size_t i;

	cursor_close(l->cursor);
	l->cursor = NULL;
	if (l->end)
		l->end(l);
	l->end = NULL;
	l->rest = NULL;
	for (i = 0; i < l->given; i++)
		node_put(&fs->nodes, l->kept[i]);
	for (i = l->kept_at; i < l->kept_count; i++)
		node_put(&fs->nodes, l->kept[i]);
	mem_free(l->kept);
	l->kept = NULL;
	mem_free(l->children);
	l->children = NULL;
	l->index = l->count = l->used = l->room = 0;
	arena_release(&l->values);
	charge_end(&fs->accounts, &l->charge);
	l->granted = 0;
	l->more_children = false;
	l->kept_count = 0;
	l->given = 0;
	l->kept_at = 0;
	l->held = false;
	l->ended = false;
	l->err = 0;
	l->step = 0;
	l->data = NULL;
	l->position = 0;
	arena_clear(&l->arena);
	schema_put(l->schema);
	l->schema = NULL;
}

/* Charge the memory of the listing, with that many bytes of children. */
static int charge_held(struct op *op, struct listing *l, size_t children)
{
	struct memory_use m = { 0 };

	if (l->cursor)
		cursor_memory(l->cursor, &m);
	return op_charge(op, &l->charge, RESOURCE_RESULTS,
			 l->kept_count * sizeof(*l->kept) + l->arena.total +
				 children + (m.bytes + CURSOR_STEP - 1) /
						    CURSOR_STEP * CURSOR_STEP);
}

void listing_children_begin(struct listing *l)
{
	l->index = 0;
	l->count = 0;
	l->used = 0;
	arena_clear(&l->values);
}

/* Charge the listing's memory with that many bytes of children, which are granted
 * then. */
static int charge_children(struct op *op, struct listing *l, size_t bytes)
{
	int err = charge_held(op, l, bytes);

	if (!err)
		l->granted = bytes;
	return err;
}

/* Let it hold that many bytes of children: 1; 0: those that there are must do;
 * -errno: there are none yet. */
static int grant(struct op *op, struct listing *l, size_t bytes)
{
	size_t more = l->granted ? l->granted : CHILDREN_LEAST;
	int err;

	while (more < bytes)
		more *= 2;
	if (more <= l->granted)
		return 1;
	if (more > CHILDREN_MOST && l->count)
		return 0;
	err = charge_children(op, l, more);
	if (!err)
		return 1;
	if (!l->count)
		return err;
	op->reason[0] = 0;
	return 0;
}

int listing_children_add(struct op *op, struct listing *l,
			 const struct child *c)
{
	size_t bytes = l->used + sizeof(*c) + c->value.len + sizeof(uint64_t);
	int got = grant(op, l, bytes);
	struct child *grown;

	if (got <= 0)
		return got;
	grown = array_grow(l->children, l->count, sizeof(*grown), &l->room);
	if (!grown)
		return -ENOMEM;
	l->children = grown;
	l->children[l->count] = *c;
	l->children[l->count].value = arena_copy(&l->values, c->value);
	if (l->values.failed)
		return -ENOMEM;
	l->count++;
	l->used = bytes;
	return 1;
}

static int by_name(const void *a, const void *b)
{
	return bytes_compare(node_name(*(struct node *const *)a),
			     node_name(*(struct node *const *)b));
}

static int open_stream(struct op *op, struct listing *l)
{
	int err;

	if (l->schema)
		close_stream(op->fs, l);
	/* Arm before anything is read: later changes are then notified. */
	atomic_fetch_or(&l->node->armed, ARMED_PAGES);
	l->changes = atomic_load(&l->node->changes);
	l->table_changes = op->watched_changes;
	l->schema = schema_get(op->schema);
	err = node_children(&op->fs->nodes, l->node, CHILDREN_KEPT, &l->kept,
			    &l->kept_count);
	if (!err && l->kept_count) {
		qsort(l->kept, l->kept_count, sizeof(*l->kept), by_name);
		err = charge_held(op, l, 0);
	}
	if (err)
		close_stream(op->fs, l);
	return err;
}

int listing_place(struct op *op, struct listing *l)
{
	struct schema *schema = op->schema;
	struct arena arena = op->arena;
	int err;

	/* As place_of, with memory that lives as long as the listing. */
	op->schema = l->schema;
	op->arena = l->arena;
	err = place_of(op, l->node, &l->place);
	l->arena = op->arena;
	op->arena = arena;
	op->schema = schema;
	return err ? err : charge_children(op, l, l->granted ? l->granted :
							 CHILDREN_LEAST);
}

static bool kept_before(const void *element, const void *key)
{
	return bytes_compare(node_name(*(struct node *const *)element),
			     *(const struct bytes *)key) < 0;
}

static bool is_kept(const struct listing *l, struct bytes name)
{
	size_t at = array_find(l->kept, l->given, sizeof(*l->kept), &name,
			       kept_before);

	return at < l->given && bytes_equal(node_name(l->kept[at]), name);
}

/* True for a kept child that exists only in memory. */
static bool is_in_memory(struct op *op, struct listing *l, struct node *n)
{
	return n->scratch || (n->ops->directory ?
				      n->ops->stat(op, n, &l->child) != 0 :
				      unkeyed_holds(op->fs, n));
}

/* Return the next child that exists only in memory: other kept ones come in
 * their place in the stream. */
static ASIDE int next_kept(struct op *op, struct listing *l)
{
	while (l->kept_at < l->kept_count) {
		struct node *n = l->kept[l->kept_at++];
		uint32_t flags = atomic_load(&n->flags);

		if (!(flags & (NODE_GONE | NODE_HIDDEN)) &&
		    is_in_memory(op, l, n) &&
		    !stat_node(op, n, &l->child)) {
			op->reason[0] = 0;
			l->kept[l->given++] = n;
			buf_clear(&l->name);
			buf_add_bytes(&l->name, node_name(n));
			return l->name.failed ? -ENOMEM : 1;
		}
		node_put(&op->fs->nodes, n);
	}
	return 0;
}

/* Return the next child of the kind, except those listed before it: 1, 0 at the
 * end. */
static int next_of_kind(struct op *op, struct listing *l)
{
	struct schema *schema = op->schema;
	int got;

	do {
		buf_clear(&l->name);
		op->schema = l->schema;
		got = l->node->ops->next(op, l, &l->name, &l->child);
		op->schema = schema;
		l->step++;
	} while (got > 0 && l->given && is_kept(l, buf_bytes(&l->name)));
	return got > 0 && l->name.failed ? -ENOMEM : got;
}

static ASIDE int next_dot(struct listing *l)
{
	buf_clear(&l->name);
	buf_add_str(&l->name, l->position ? ".." : ".");
	return l->name.failed ? -ENOMEM : 1;
}

/* Step to the next entry: 1 if it is held, 0 at the end, or -errno. An error is
 * returned again and again: the kernel takes the entries before it, and gets it
 * with the next request. */
static int advance(struct op *op, struct listing *l)
{
	int got = 0;

	if (l->held)
		return 1;
	if (l->ended || l->err)
		return l->err;
	if (l->position < 2)
		got = next_dot(l);
	else if (l->kept_at < l->kept_count)
		got = next_kept(op, l);
	if (!got)
		got = next_of_kind(op, l);
	l->held = got > 0;
	l->bare = l->names;
	l->ended = !got;
	l->err = got < 0 ? got : 0;
	return got;
}

/* Fill in an entry with attributes: 0; 1: without a node; -errno. The held
 * child stays as it is: its value is the stream's, and a node may be freed
 * before the entry finds room. */
static int fill_plus(struct op *op, struct listing *l, struct fs_entry *entry)
{
	struct child c = l->child;
	struct node *n;
	int err = stat_set_times(op, l->node, &c);

	if (err)
		return err;
	if (atomic_load(&op->fs->nodes.count) > 2 * op->fs->nodes.max)
		return 1;	/* the kernel drops them too slowly */
	n = op_node_of_child(op, l->node, buf_bytes(&l->name), &c);
	if (!n)
		return -ENOMEM;
	if (c.is_table)
		err = stat_node(op, n, &c);
	else if (c.moment.state)
		stat_know(op, n, &c);
	if (!err)
		stat_fill_entry(op, n, &c, entry);
	node_put(&op->fs->nodes, n);
	/* A table that was dropped since is still in this listing's moment. */
	return err == -ENOENT || err == -ESTALE ? 1 : err;
}

/* Pass on the held entry: 0; 1: there is no room; -errno. *entry is reused, and
 * has the attributes of the entry before. */
static int give(struct op *op, struct listing *l, struct fs_entry *entry,
		fs_fill *fill, void *context)
{
	struct node *dir = l->node;
	int err;

	entry->node = 0;
	if (l->position < 2) {
		entry->attr.st_ino = l->position && dir->parent ?
					     dir->parent->ino : dir->ino;
		entry->attr.st_mode = S_IFDIR | 0555;
	} else {
		err = l->bare ? 1 : fill_plus(op, l, entry);
		if (err < 0)
			return err;
		if (err) {	/* only a name: number and type */
			entry->node = 0;
			entry->attr.st_ino = node_ino(dir->ino,
						      buf_bytes(&l->name));
			entry->attr.st_mode = node_ops_type(l->child.ops);
		}
		if (l->child.expires_s != NO_TIME && !dir->snapshot)
			timer_add(&op->fs->timers, &op->fs->nodes, dir,
				  l->child.expires_s);
	}
	if (fill(context, (const char *)l->name.ptr, l->name.len, entry,
		 l->position + 1)) {
		if (entry->node)
			node_forget(&op->fs->nodes, entry->node, 1);
		return 1;
	}
	return 0;
}

/* True if the cursor may rest. A value that is held of its last row is copied
 * before. */
static bool prepare_rest(struct listing *l) REQUIRES(&l->lock)
{
	if (!l->cursor)
		return false;
	if (!l->held || !l->child.value.len ||
	    l->child.value.ptr == l->value.ptr)
		return true;
	buf_clear(&l->value);
	buf_add_bytes(&l->value, l->child.value);
	if (l->value.failed)
		return false;
	l->child.value = buf_bytes(&l->value);
	return true;
}

/* At the end of a call, release large rows, and charge what is held. */
static void settle(struct op *op, struct listing *l) REQUIRES(&l->lock)
{
	if (!prepare_rest(l))
		return;
	cursor_trim(l->cursor, CURSOR_MOST);
	if (!charge_held(op, l, l->granted))
		return;
	op->reason[0] = 0;
	cursor_trim(l->cursor, 0);
	charge_held(op, l, l->granted);
}

/*
 * The kernel has all entries that it was given, and with the answer it takes the
 * listing for whole. It may have got them after the notice of a change that they
 * do not show, and keeps those of the first of several listings that are open:
 * so it drops them before the answer if anything changed since that one began.
 */
static void end_stream(struct op *op, struct node *n)
{
	uint64_t number = atomic_load(&n->notice);

	/* Armed before the look: later changes are then notified. */
	atomic_fetch_or(&n->armed, ARMED_PAGES);
	if (atomic_load(&n->listed) != atomic_load(&n->changes))
		number = notice_node(&op->fs->notices, n, ARMED_PAGES);
	if (number > op->wait_for)
		op->wait_for = number;
}

int listing_stream(struct op *op, struct listing *l, uint64_t cookie, bool plus,
		  fs_fill *fill, void *context)
{
	struct fs_entry entry = { .node = 0 };
	bool any = false;
	int got = 0;

	l->names = !plus;
	l->bare |= l->names;
	if (!cookie || cookie < l->position || !l->schema)
		got = open_stream(op, l);
	op->watched_changes = l->table_changes;	/* of this moment */
	if (l->cursor)
		cursor_names(l->cursor, l->names);
	while (!got) {
		got = advance(op, l);
		if (got <= 0)
			break;
		got = l->position < cookie ? 0 :
		      give(op, l, &entry, fill, context);
		if (!got) {
			any |= l->position >= cookie;
			l->held = false;
			l->position++;
		}
	}
	if (!got && !any)
		end_stream(op, l->node);
	settle(op, l);
	return got > 0 ? 0 : got;
}

void listing_begin(struct op *op, struct listing *l)
{
	close_stream(op->fs, l);
	l->schema = schema_get(op->schema);
}

int listing_step(struct op *op, struct listing *l)
{
	int got;

	buf_clear(&l->name);
	got = l->node->ops->next(op, l, &l->name, &l->child);
	l->step++;
	return got > 0 && l->name.failed ? -ENOMEM : got;
}

void listing_end(struct fs *fs, struct listing *l)
{
	close_stream(fs, l);
	arena_release(&l->arena);
	buf_release(&l->name);
	buf_release(&l->value);
}

void listings_rest(struct fs *fs)
{
	struct listing *l;

	mutex_lock(&fs->listings_lock);
	LIST_FOREACH(l, &fs->listings, entry) {
		if (!mutex_try(&l->lock))
			continue;
		if (l->rest)
			l->rest(l);
		if (prepare_rest(l))
			cursor_rest(l->cursor);
		mutex_unlock(&l->lock);
	}
	mutex_unlock(&fs->listings_lock);
}

/* Count another listing of n. With the lock of listings held. */
static void count_open(struct node *n)
{
	if (!atomic_fetch_add(&n->opens, 1))
		atomic_store(&n->listed, atomic_load(&n->changes));
}

int listing_open(struct op *op, struct node *n, struct listing **out)
{
	struct listing *l = mem_zalloc(1, sizeof(*l));
	int err = l ? op_charge(op, &l->open, RESOURCE_STREAMS, 1) : -ENOMEM;

	if (!err && n->snapshot) {
		err = snapshot_acquire(&l->view, op->fs->store, n->snapshot);
		if (err)
			charge_end(&op->fs->accounts, &l->open);
	}
	if (err) {
		mem_free(l);
		return err;
	}
	mutex_init(&l->lock);
	l->arena = ARENA_INIT;
	l->values = ARENA_INIT;
	l->node = node_get(n);
	l->documents = n->json;
	mutex_lock(&op->fs->listings_lock);
	count_open(n);
	LIST_INSERT_HEAD(&op->fs->listings, l, entry);
	mutex_unlock(&op->fs->listings_lock);
	*out = l;
	return 0;
}

void listing_follow(struct fs *fs, struct listing *l)
{
	struct node *before = l->node;
	struct node *now = node_follow(&fs->nodes, node_get(before));

	if (now == before) {
		node_put(&fs->nodes, now);
		return;
	}
	mutex_lock(&l->lock);
	close_stream(fs, l);
	l->node = now;
	mutex_unlock(&l->lock);
	mutex_lock(&fs->listings_lock);
	count_open(l->node);
	mutex_unlock(&fs->listings_lock);
	atomic_fetch_sub(&before->opens, 1);
	node_put(&fs->nodes, before);
}

void listing_close(struct fs *fs, struct listing *l)
{
	struct node *n = l->node;
	uint64_t number;

	mutex_lock(&fs->listings_lock);
	LIST_REMOVE(l, entry);
	mutex_unlock(&fs->listings_lock);
	/* As end_stream, of one that was not read to its end: another may go on
	 * where it stopped. */
	if (l->schema && l->changes != atomic_load(&n->changes)) {
		atomic_fetch_or(&n->armed, ARMED_PAGES);
		number = notice_node(&fs->notices, n, ARMED_PAGES);
		if (number)
			atomic_store(&n->notice, number);
	}
	listing_end(fs, l);
	charge_end(&fs->accounts, &l->open);
	mutex_release(&l->lock);
	if (l->view)
		snapshot_release(fs->store, l->view);
	atomic_fetch_sub(&n->opens, 1);
	node_put(&fs->nodes, n);
	mem_free(l);
}
