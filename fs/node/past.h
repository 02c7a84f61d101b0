/*
 * Bound the memory that results in progress keep of past moments: memtables
 * that were flushed or dropped since and that nothing else needs, called
 * sources here. A source that several results keep is charged once to each of
 * their users.
 */
#ifndef FS_NODE_PAST_H
#define FS_NODE_PAST_H
#include "fs/node/account.h"

/* A result that keeps something. */
struct past_result {
	void *of;
	uid_t uid;
	uint64_t begun;		/* the larger, the later */
	struct charge *charge;	/* its own, of RESOURCE_PAST */
	size_t first, count;	/* of sources */
	uint64_t bytes, total;	/* of its sources; of all its user's results */
	bool over;		/* there is no room for it */
};
struct past_source {
	const void *source;
	uint64_t bytes;
	size_t number;		/* of past.c */
};
struct past {
	struct past_result *results;
	struct past_source *sources;
	size_t result_count, source_count;
	size_t result_room, source_room;
};
#define PAST_INIT ((struct past){ NULL, NULL, 0, 0, 0, 0 })

/* Add a source to the result `of`; the sources of one result are added one
 * after the other. Without memory it is left out. */
void past_add(struct past *p, const struct past_result *of, const void *source,
	      uint64_t bytes);
/*
 * Charge all results anew, and set `over` of those for which there is no room.
 * Users who keep least are charged first, and of one user the results that
 * began last. One thread at a time.
 */
void past_charge(struct past *p, struct accounts *a);
void past_release(struct past *p);
#endif
