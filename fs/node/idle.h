/*
 * Nodes that nothing but the kernel's caches hold. The kernel keeps what it
 * looked up until memory is short, and each such inode is a node here: without a
 * bound a walk through a large tree would fill the memory of the daemon. So when
 * there are more nodes than node_table.max, the kernel is asked to drop some of
 * these, the oldest first; it drops what no process uses. Any thread.
 */
#ifndef FS_NODE_IDLE_H
#define FS_NODE_IDLE_H
#include "fs/node/kernel_notice.h"
#include "fs/node/node.h"

/* True if there are more nodes than the bound. */
bool idle_are_many(const struct node_table *t);
/*
 * True if it is time to ask, when a node was made: there are too many, and half
 * a batch was made since this was true last. So twice as many are asked for as
 * are made; what remains when no more are made is left to the timer.
 */
bool idle_is_due(struct node_table *t);
/*
 * Choose at most `room` of them (up to FS_IDLE_NODES), while there are more nodes
 * than the bound: returns how many. A hand goes round all nodes, in the order in
 * which they were made. Left out are nodes with a state that is nowhere else; and, unless there
 * are twice as many as the bound, directories whose maker still runs, and what is
 * in them: tar and cp -a set their attributes at last. files: no directories.
 */
size_t idle_choose(struct node_table *t, bool files, uint64_t *ids,
		   size_t room);
#endif
