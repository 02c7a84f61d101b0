/*
 * Memory for nodes that are made after a change which can no longer be taken
 * back: it is reserved before that. One thread.
 */
#ifndef FS_NODE_NODE_ROOM_H
#define FS_NODE_NODE_ROOM_H
#include <stddef.h>
#include <sys/queue.h>

/* No key is longer, so no value of a node made by a name. */
#define NODE_VALUE_MAX 65535

/* Rooms, each for one node. STAILQ_INIT makes it empty. */
STAILQ_HEAD(node_rooms, node_room);
/* Add one for a node with a name and a value of these lengths in bytes. 0 or
 * -ENOMEM. */
int node_rooms_reserve(struct node_rooms *rooms, size_t name_len,
		       size_t value_len);
/* Take the first that has size bytes, or new memory where none has (or rooms is
 * NULL): zeros, which the caller frees with mem_free. NULL: no memory. */
void *node_rooms_take(struct node_rooms *rooms, size_t size);
/* Free those that were not taken. */
void node_rooms_release(struct node_rooms *rooms);
#endif
