/*
 * Crash tests: before every call that changes the disk in memory, some of the
 * states that a crash there may leave are made and given to a check. A state
 * that was seen with the same expectations is not checked again. All follows
 * from the seed.
 *
 * A check opens such a disk and works on it, and there the next crash comes,
 * before every call again: after a kill, because nothing of what it left is
 * durable, in every test (killed, opened, then cut; also killed twice); after a
 * power cut in those that ask for it.
 */
#ifndef TESTS_LIB_CRASH_H
#define TESTS_LIB_CRASH_H
#include "tests/lib/simfile.h"

#define MOST_CRASHES 4
#define KILLS_ALL 64

struct crash {
	const char *name;	/* of the workload, for messages */
	uint64_t seed;
	struct sim *disk;
	struct random rng;
	uint32_t tries;		/* states to try at each call */
	uint32_t tries_cut;	/* and after a power cut, */
	uint32_t cut_calls;	/* at one of so many calls: 1 */
	uint32_t kills;		/* try a kill at so many of KILLS_ALL calls */
	/*
	 * Recover this disk, compare, and work on it. Unless cut nothing that
	 * was acknowledged may be missing. The disk is freed afterwards.
	 */
	void (*check)(struct crash *c, struct sim *disk);
	/* What the check expects, as a number. */
	uint64_t (*expectation)(const struct crash *c);

	bool cut;		/* one of the crashes so far was a power cut */
	long states;		/* that were checked, all different */
	long killed_and_cut;	/* of these: a power cut after a kill */
	long call;		/* for messages: where we are */
	uint32_t crashes;	/* those so far, one in what another left */
	enum sim_crash kinds[MOST_CRASHES];
	uint64_t *seen;
	size_t seen_count, seen_room;
};
/* With a new disk. The fields above states are to be filled in afterwards. */
void crash_init(struct crash *c, const char *name, uint64_t seed);
void crash_release(struct crash *c);
/* Try states before every call from now on, or no more. */
void crash_watch(struct crash *c, bool on);
/* Try what power cuts may leave of a disk now. */
void crash_try(struct crash *c, struct sim *disk, uint32_t tries);

/* The kinds of the crashes so far, as numbers, for messages. */
const char *crash_kinds(const struct crash *c);

/* Check writes a note at each of its own asserts: too slow for so many. */
#define crash_assert(c, condition)                                            \
	do {                                                                  \
		if (!(condition))                                             \
			ck_abort_msg("%s, seed %llu, before call %ld, "       \
				     "%s: " #condition, (c)->name,            \
				     (unsigned long long)(c)->seed,           \
				     (c)->call, crash_kinds(c));              \
	} while (0)
#endif
