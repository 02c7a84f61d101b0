/* Shared by the strategies, for the files strategy*.c alone. */
#ifndef STORE_LSM_STRATEGY_PICK_H
#define STORE_LSM_STRATEGY_PICK_H
#include "store/lsm/strategy.h"

/* A list of files, with room for all of them. */
struct strategy_candidates {
	const struct strategy_file *files;	/* the request's */
	size_t *at;				/* indexes into them */
	size_t count;
};
/* List all files that are not left out. 0 or -ENOMEM; release. */
int strategy_candidates_init(struct strategy_candidates *c,
			     const struct strategy_request *r);
void strategy_candidates_release(struct strategy_candidates *c);
void strategy_candidates_sort(struct strategy_candidates *c,
			      int (*compare)(const struct strategy_file *a,
					     const struct strategy_file *b));
int strategy_by_size(const struct strategy_file *a,
		     const struct strategy_file *b);
int strategy_by_first_key(const struct strategy_file *a,
			  const struct strategy_file *b);
bool strategy_overlap(const struct strategy_file *a,
		      const struct strategy_file *b);
/* Make these the pick's files: 1 or -ENOMEM. */
int strategy_pick_these(struct strategy_pick *pick, const size_t *at,
			size_t count);

/* Strategies: each returns as strategy_pick; the pick is empty at the
 * beginning. */
int strategy_unified(struct strategy_pick *pick,
		     const struct strategy_request *r);
int strategy_leveled(struct strategy_pick *pick,
		     const struct strategy_request *r);
/* Pick files of which all is dead and that shadow nothing: to be dropped. */
int strategy_expired(struct strategy_pick *pick,
		     const struct strategy_request *r);
/* Pick files with data to purge, and all files that keep it there. */
int strategy_purge(struct strategy_pick *pick,
		   const struct strategy_request *r);
/* Return the number of the time window of a file. */
int64_t strategy_window(const struct strategy_request *r,
			const struct strategy_file *f);
uint64_t strategy_leveled_size(const struct strategy_request *r);
/* Return the level for a result of this size over all keys. */
uint32_t strategy_leveled_level(const struct strategy_request *r, double size);
/* Return the share of the tokens (0 to 1) that these files cover. */
double strategy_unified_share(const struct strategy_request *r,
			      const size_t *at, size_t count);
/* Set the cutting for a result of this size and share of the tokens (0 to
 * 1). */
void strategy_unified_cut(struct strategy_pick *pick,
			  const struct strategy_request *r, double size,
			  double share);
#endif
