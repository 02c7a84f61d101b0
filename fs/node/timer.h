/*
 * The seconds in which nodes expire. Any thread; no lock of the caller's is
 * needed.
 */
#ifndef FS_NODE_TIMER_H
#define FS_NODE_TIMER_H
#include "fs/node/node.h"

struct timers {
	struct mutex lock;
	struct timer_entry *heap;	/* under lock, as count and cap */
	size_t count, cap;
};
/* Make an empty heap; its release drops all entries. Nobody else uses it then.
 * */
void timers_init(struct timers *t);
void timers_release(struct timers *t);
/* Let timer_due return n (of `nodes`) in that second, or earlier. */
void timer_add(struct timers *t, struct node_table *nodes, struct node *n,
	       int64_t at_s);
/* Return the next node that is due (a reference), or NULL; *next_s: when one
 * will be. */
struct node *timer_due(struct timers *t, struct node_table *nodes,
		       int64_t now_s, int64_t *next_s);
#endif
