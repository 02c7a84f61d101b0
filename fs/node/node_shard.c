#include "fs/node/node_shard.h"

#include <errno.h>

#include "fs/node/node.h"
#include "store/base/alloc.h"

static struct node **bucket_of(struct node_shard *s, const struct node *n,
			       enum node_index index)
{
	return node_bucket(s, index == NODE_BY_NAME ? n->ino : n->id);
}

/* Double the buckets. Without memory the chains just get longer. */
static void grow(struct node_shard *s, enum node_index index)
{
	size_t i, old_count = s->bucket_count;
	struct node **old = s->buckets;
	struct node **buckets = mem_zalloc(old_count * 2, sizeof(*buckets));

	if (!buckets)
		return;
	s->buckets = buckets;
	s->bucket_count = old_count * 2;
	for (i = 0; i < old_count; i++) {
		struct node *n = old[i], *next, **at;

		for (; n; n = next) {
			next = n->next[index];
			at = bucket_of(s, n, index);
			n->next[index] = *at;
			*at = n;
		}
	}
	mem_free(old);
}

void node_shard_insert(struct node_shard *s, struct node *n,
		       enum node_index index)
{
	struct node **at;

	if (s->count >= s->bucket_count)
		grow(s, index);
	at = bucket_of(s, n, index);
	n->next[index] = *at;
	*at = n;
	s->count++;
}

bool node_shard_remove(struct node_shard *s, struct node *n,
		       enum node_index index)
{
	struct node **at = bucket_of(s, n, index);

	while (*at && *at != n)
		at = &(*at)->next[index];
	if (!*at)
		return false;
	*at = n->next[index];
	s->count--;
	return true;
}

int node_shard_init(struct node_shard *s)
{
	mutex_init(&s->lock);
	s->bucket_count = 16;
	s->buckets = mem_zalloc(s->bucket_count, sizeof(*s->buckets));
	return s->buckets ? 0 : -ENOMEM;
}

void node_shard_release(struct node_shard *s)
{
	mem_free(s->buckets);
	mutex_release(&s->lock);
}
