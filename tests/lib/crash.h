/*
 * Crash tests: before every call that changes the disk in memory, some of the
 * states that a crash there may leave are made and given to a check. A state
 * that was seen with the same expectations is not checked again. All follows
 * from the seed.
 */
#ifndef TESTS_LIB_CRASH_H
#define TESTS_LIB_CRASH_H
#include "tests/lib/simfile.h"

struct crash {
	const char *name;	/* of the workload, for messages */
	uint64_t seed;
	struct sim *disk;
	struct random rng;
	uint32_t tries;		/* states to try at each call */
	/*
	 * Recover this disk and compare; killed: nothing acknowledged may be
	 * missing. The disk is freed afterwards.
	 */
	void (*check)(struct crash *c, struct sim *disk, bool killed);
	/* What the check expects, as a number. */
	uint64_t (*expectation)(const struct crash *c);

	long states;		/* that were checked, all different */
	long call;		/* for messages: where we are */
	enum sim_crash kind;
	uint64_t *seen;
	size_t seen_count, seen_room;
};
/* With a new disk. The fields above states are to be filled in afterwards. */
void crash_init(struct crash *c, const char *name, uint64_t seed);
void crash_release(struct crash *c);
/* Try states before every call from now on, or no more. */
void crash_watch(struct crash *c, bool on);
/* Try states of a disk now. */
void crash_try(struct crash *c, struct sim *disk, uint32_t tries);

/* Check writes a note at each of its own asserts: too slow for so many. */
#define crash_assert(c, condition)                                            \
	do {                                                                  \
		if (!(condition))                                             \
			ck_abort_msg("%s, seed %llu, before call %ld, "       \
				     "kind %d: " #condition, (c)->name,       \
				     (unsigned long long)(c)->seed,           \
				     (c)->call, (c)->kind);                   \
	} while (0)
#endif
