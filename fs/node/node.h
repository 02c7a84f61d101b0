/*
 * Nodes: the objects that the kernel has numbers for. A node is one name in one
 * directory; it is found by its number or by (parent, name), in sharded tables.
 * Its reference count is the sum of the kernel's lookups, our own references
 * and its children; at 0 it is freed, and its reference to its parent dropped.
 *
 * All members except the atomic ones are constant. A rename makes another node
 * and leaves `forward` in the old one, whose number the kernel goes on using
 * until it asks for the name again. Any thread.
 */
#ifndef FS_NODE_NODE_H
#define FS_NODE_NODE_H
#include <stdatomic.h>

#include "fs/node/node_shard.h"
#include "store/base/bytes.h"
#include "store/base/lock.h"

struct account;
struct node_ops;
struct held;
struct node_rooms;
struct short_names;
struct write_buffer;
struct view_version;

/* The copies that the kernel may have of a node, and must be told to drop. */
enum armed {
	ARMED_NAME = 1, ARMED_ATTRIBUTES = 2, ARMED_PAGES = 4,
	ARMED_OWNER = 8,	/* owner and mode: a write changes only them */
};
enum node_flags {
	NODE_GONE = 1,		/* another node or none has its name now */
	NODE_KEPT = 2,		/* pinned: exists only in memory */
	NODE_HIDDEN = 4,	/* schema.cql: until the next DDL */
	NODE_UNKEYED = 8,	/* made by a shortened name, without its key */
	NODE_NO_KEY_FILE = 16,	/* @key removed or refused, not yet rewritten */
	NODE_ADOPTED = 32,	/* a table: another took its rows: adopt.c */
	NODE_PAST = 64,		/* a file: its name has another node: view.h */
	NODE_SEEN = 128,	/* the kernel has used its number */
	NODE_LEAVING = 256,	/* a file whose name is being taken: leave.h */
	NODE_MOVING = 512,	/* a row that is being renamed: op/place.c */
	NODE_TAKEN = 1024,	/* made anew in another table: kind/waiting.c */
	NODE_UNSETTLED = 2048,	/* not all that waited for its key is stored */
	NODE_COPIED = 4096,	/* a table: it is filled as copiers do */
	NODE_TOLD = 8192,	/* a table: the errors say that files wait */
	NODE_RECORDED = 16384,	/* a table: file/unkeyed_record.h */
};

/* A moment of a partition: op/known.h. */
struct node_moment {
	uint64_t state, schema;		/* of the engine; the version */
	int64_t token;
};
/* The attributes that a node of a table had, if it does not expire as a whole. */
struct node_known {
	int64_t mtime_ns;		/* 0: nothing is known */
	int64_t timestamp_us;		/* of a cell */
	uint64_t size;			/* of a cell */
	uint32_t changes;		/* of a directory: its table's count */
	bool is_set;			/* its time is stored beside the data */
	struct node_moment moment;	/* after which they were read */
};

struct node {
	uint64_t id, ino;
	const struct node_ops *ops;
	struct node *parent;		/* a reference; NULL: the root */
	struct node *table;		/* itself or above, or NULL: borrowed */
	uint32_t number;		/* of a table or column in the engine */
	uint64_t snapshot;		/* that it shows; 0: the live store */
	bool json;			/* it is in .json: kind/json_tree.h */
	uint32_t name_len, value_len;
	_Atomic(struct node *) forward;	/* a reference */
	/* One that is reached by forwards, and lives as long as `forward` */
	_Atomic(struct node *) latest;
	_Atomic(struct bytes *) key;	/* of a node made UNKEYED, once known */
	_Atomic int64_t references;
	_Atomic uint64_t lookups;
	_Atomic uint32_t armed, flags;
	_Atomic uint32_t changes;	/* counts those of a listing */
	_Atomic uint32_t opens;
	_Atomic uint64_t hints;		/* of a table: op/times.c */
	_Atomic pid_t maker_pid;	/* the process that made it by path */
	_Atomic uint32_t resized;	/* a file had writers: file/stat.c */
	_Atomic uint64_t told_size;	/* of a file, with its attributes */
	_Atomic uint32_t told_to;	/* of a directory: op/kernel.c */
	/* Of a directory: its changes when the first of its listings that are
	 * open began. */
	_Atomic uint32_t listed;
	_Atomic int64_t mtime_ns;	/* stored only in memory; 0: none */
	struct node_known known;	/* under its children's lock */
	_Atomic int64_t looked_s;	/* when it was marked: file/retry.h */
	_Atomic int64_t timer_s;	/* second for the timer; 0: never */
	_Atomic int64_t ends_s;		/* second when the kernel drops it */
	struct pin *pin;		/* the latest: under its name's stripe */
	/* Of a file, under the same: its text when its name was removed. */
	_Atomic(struct write_buffer *) orphan;
	/* Its holders, changed under that stripe, and the kernel's copies of
	 * it: file/view.h. */
	_Atomic uint32_t readers, writers;
	struct view_version *version;	/* of its readers */
	uint64_t hash;			/* of the pages, while they are armed */
	_Atomic uint64_t notice;	/* the last that told of a change */
	bool mixed;			/* two sizes were told since */
	bool fresh;			/* readers drop the remaining pages */
	_Atomic(struct account *) keeper;	/* the payer, if kept */
	struct scratch *scratch;	/* of a scratch file: created with it */
	/* Of a table: tree/short_names.h. */
	_Atomic(struct short_names *) short_names;
	struct held *held;		/* it waits for a key: file/unkeyed.h */
	struct node *next[2];	/* by enum node_index, under its shard */
	struct node *first_child, *next_child, **child_link;
	char data[];			/* the name, a 0 byte, the value */
};

/* Return the bytes of a node with a name and a value of these lengths. */
static inline size_t node_size(size_t name_len, size_t value_len)
{
	return sizeof(struct node) + name_len + 2 + value_len;
}

/* True if it was removed or replaced; one that was moved lives on under another
 * name. */
static inline bool node_is_gone(const struct node *n)
{
	return (atomic_load(&n->flags) & NODE_GONE) &&
	       !atomic_load(&n->forward);
}

/* True for the directories of keyspaces: the root, .json, and those of
 * snapshots. */
bool node_is_store(const struct node *n);
/* True if its path leads to it: neither it nor a directory above it is gone. */
static inline bool node_is_current(const struct node *n)
{
	for (; n; n = n->parent)
		if (atomic_load(&n->flags) & NODE_GONE)
			return false;
	return true;
}

/* Return the node that n became by renames; n itself without one. The way to it
 * is walked once, however many renames there were. */
static inline struct node *node_now(struct node *n)
{
	struct node *forward, *first = n, *latest = atomic_load(&n->latest);

	if (latest)
		n = latest;
	while ((forward = atomic_load(&n->forward)))
		n = forward;
	if (n != first && n != latest)
		atomic_store(&first->latest, n);
	return n;
}

/* Note that a request came by its number, so the kernel has it. */
static inline void node_saw(struct node *n)
{
	if (!(atomic_load(&n->flags) & NODE_SEEN))
		atomic_fetch_or(&n->flags, NODE_SEEN);
}

static inline struct bytes node_name(const struct node *n)
{
	return bytes_of(n->data, n->name_len);
}
/* Return the value: of a key its binary form, else as the kind defines it. */
static inline struct bytes node_value(const struct node *n)
{
	struct bytes *key = atomic_load(&n->key);

	return key ? *key : bytes_of(n->data + n->name_len + 1, n->value_len);
}

struct node_table {
	struct node_shard by_id[NODE_SHARDS], by_name[NODE_SHARDS];
	struct mutex children[NODE_SHARDS];	/* by the parent's id */
	_Atomic uint64_t next_id;
	_Atomic uint64_t count;
	/* The bound on nodes, set before the first is made; 0: none. */
	uint64_t max;
	/* For idle.c: next_id when the kernel was last asked to drop some, and
	 * the place where the search goes on. */
	_Atomic uint64_t asked, hand;
	struct node *root;
	/* Frees the objects of a freed node (scratch, buffer). */
	void (*drop)(void *context, struct node *n);
	/* A node was kept and is no longer. Both may be NULL. */
	void (*unkept)(void *context, struct node *n);
	void *context;
};

static inline struct node_shard *node_id_shard(struct node_table *t,
					       uint64_t id)
{
	return &t->by_id[id % NODE_SHARDS];
}

/* Make the table. ino: of the root; all others follow from it and the names. */
int node_table_init(struct node_table *t, const struct node_ops *root_ops,
		    uint64_t ino);
/* Free every node, whatever its count. */
void node_table_release(struct node_table *t);

struct node_key {
	struct node *parent;
	struct bytes name;
	const struct node_ops *ops;
	bool is_table;			/* its own node->table */
	uint32_t number;
	struct bytes value;
	struct scratch *scratch;	/* taken over when the node is made */
	struct node_rooms *rooms;	/* memory for it; or NULL */
};
/*
 * Return the node of that name; make it if there is none or the present one
 * differs (other ops, number or value). A reference; NULL: no memory.
 */
struct node *node_make(struct node_table *t, const struct node_key *key);
/*
 * Let the directory n, whose own directory became dir by a rename, forward to the
 * node of its name there, which is made, in memory of rooms (or NULL). Returns that;
 * or n, where dir has another of that name, or without memory. A reference.
 */
struct node *node_forward(struct node_table *t, struct node *n,
			  struct node *dir, struct node_rooms *rooms);
/* True for a directory of a table that goes with those above it when they are
 * renamed. */
bool node_is_followed(const struct node *n);
/*
 * Return the node (a reference) that the directory n became by renames of its own or
 * of directories above it; in a table those above it are followed now, and n
 * forwards to it from then on. n itself where there is none. Takes over the
 * caller's reference to n.
 */
struct node *node_follow(struct node_table *t, struct node *n);
/* Return a node that forwards to n, of the same name in dir, which was moved or
 * is gone: each time the same one, made in memory of rooms (or NULL). A
 * reference; NULL: no memory. */
struct node *node_alias(struct node_table *t, struct node *dir,
			struct node *n, struct node_rooms *rooms);
/* Find a node by its name, or by its number. Return a reference, or NULL. */
struct node *node_find(struct node_table *t, struct node *parent,
		       struct bytes name);
struct node *node_by_id(struct node_table *t, uint64_t id);
/* True if a node has that number: it may be freed at any time. */
bool node_is_there(struct node_table *t, uint64_t id);
struct node *node_get(struct node *n);
void node_put(struct node_table *t, struct node *n);
/* Count one lookup of the kernel's. */
void node_count(struct node *n);
/* Take back that many lookups of the node, if it exists. */
void node_forget(struct node_table *t, uint64_t id, uint64_t count);
/* Take the name from n, as its object is removed or replaced (NODE_GONE); n
 * lives on for its holders. */
void node_detach(struct node_table *t, struct node *n);
/* Take the name from n, for a new node of the same object (NODE_PAST). */
void node_pass(struct node_table *t, struct node *n);
/* The same, and make the new node at once: a reference. NULL: n had no longer
 * the name, or no memory. */
struct node *node_renew(struct node_table *t, struct node *n);
/*
 * Keep it in memory (an object that exists only there), or no longer. True when
 * that changed something.
 */
bool node_keep(struct node *n);
bool node_unkeep(struct node_table *t, struct node *n);
/* Stop keeping all nodes below n. */
void node_unkeep_below(struct node_table *t, struct node *n);
/* Stop keeping the directories below n that have no kept file and do not wait for
 * their @key. True if nothing below n is kept any longer. */
bool node_unkeep_empty(struct node_table *t, struct node *n);
enum node_children {
	CHILDREN_NAMED,		/* those that have their name */
	CHILDREN_KEPT,		/* of these the kept ones */
	CHILDREN_ALL,
};
/* List those children of n that are in memory: *out is an array of *count
 * references, for node_children_put. 0 or -ENOMEM. */
int node_children(struct node_table *t, struct node *n,
		  enum node_children which, struct node ***out, size_t *count);
void node_children_put(struct node_table *t, struct node **children,
		       size_t count);
/* Step through those children of n without need of memory: return the next one
 * after `last`, a reference that is put, or the first after NULL. A reference;
 * NULL: there are no more. */
struct node *node_next_child(struct node_table *t, struct node *n,
			     enum node_children which, struct node *last);
/* Note the known attributes of a node of a table; return them. */
void node_know(struct node_table *t, struct node *n,
	       const struct node_known *known);
struct node_known node_knows(struct node_table *t, struct node *n);
/* Return the number of a name in a directory: st_ino, the same after a
 * restart. cp takes files in the order of their numbers: that of schema.cql is
 * small, so that it comes before the tables. */
uint64_t node_ino(uint64_t parent_ino, struct bytes name);

/* True if it was made under a shortened name and has no @key so far. */
static inline bool node_is_unkeyed(const struct node *n)
{
	return (atomic_load(&n->flags) & NODE_UNKEYED) &&
	       !atomic_load(&n->key);
}
/* True if the key of n, or of a directory above it, is not known yet. */
static inline bool node_waits_for_key(struct node *n)
{
	if (!n->table)
		return false;
	for (; n != n->table; n = n->parent) {
		n = node_now(n);
		if (node_is_unkeyed(n))
			return true;
	}
	return false;
}
#endif
