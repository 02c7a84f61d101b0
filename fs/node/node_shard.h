/*
 * A shard of a table of nodes: a hash table with a lock, which every call but
 * init and release REQUIRES. It holds no references.
 */
#ifndef FS_NODE_NODE_SHARD_H
#define FS_NODE_NODE_SHARD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/lock.h"

struct node;

#define NODE_SHARDS 64		/* of a table: by the number, or inode number */

/* The two tables that a node is found in. */
enum node_index { NODE_BY_NAME, NODE_BY_ID };

struct node_shard {
	struct mutex lock;
	struct node **buckets;
	size_t bucket_count, count;
};

/* Make an empty shard; release it after its nodes. 0 or -ENOMEM. */
int node_shard_init(struct node_shard *s);
void node_shard_release(struct node_shard *s);
/* Add n. Without memory for more buckets the chains just get longer. */
void node_shard_insert(struct node_shard *s, struct node *n,
		       enum node_index index);
/* Remove n. False: it is not there. */
bool node_shard_remove(struct node_shard *s, struct node *n,
		       enum node_index index);
/* Return the chain of the nodes that may have that number: by name, that inode
 * number. The shard's number is in its lowest bits. */
static inline struct node **node_bucket(struct node_shard *s, uint64_t number)
{
	return &s->buckets[number / NODE_SHARDS & (s->bucket_count - 1)];
}
#endif
