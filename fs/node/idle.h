/*
 * Nodes that nothing but the kernel's caches hold. The kernel keeps what it
 * looked up until memory is short, and each such inode is a node here: without
 * a bound a walk through a large tree would fill the memory of the daemon. So
 * when there are more nodes than node_table.max, the kernel is asked to drop
 * some of these, the oldest first; it drops what no process uses. Any thread.
 */
#ifndef FS_NODE_IDLE_H
#define FS_NODE_IDLE_H
#include "fs/node/kernel_notice.h"
#include "fs/node/node.h"

/* True if there are more nodes than the bound. */
bool idle_are_many(const struct node_table *t);
/*
 * True if it is time to ask the kernel, when a node was made: there are too
 * many nodes, and half a batch was made since this was true last. So twice as
 * many are asked for as are made; the timer asks for those that remain when no
 * more are made.
 */
bool idle_is_due(struct node_table *t);
/*
 * Write the ids of at most `room` such nodes (up to FS_IDLE_NODES) to ids, as
 * long as there are more nodes than the bound. Returns how many. The search
 * goes round all nodes in the order in which they were made, and goes on where
 * the last one ended. files: leave out directories. Also left out are nodes
 * with a state that is nowhere else; and, unless there are twice as many nodes
 * as the bound, directories whose maker still runs and the nodes in them, as
 * tar and cp -a set the attributes of a directory last.
 */
size_t idle_choose(struct node_table *t, bool files, uint64_t *ids,
		   size_t room);
#endif
