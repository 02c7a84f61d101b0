/*
 * Crash tests: before every call that changes the disk in memory, some of the
 * states that a crash at this point may leave are made and given to a check. A
 * state that was seen with the same expectations is not checked again.
 * Everything follows from the seed.
 *
 * A check opens such a disk and works on it, and before every call of that
 * another crash is tried. After a kill every test does so, as nothing that the
 * kill left is durable (killed, opened, then cut; also killed twice); after a
 * power cut those tests that ask for it.
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
	uint32_t calls;		/* WIDEFS_TEST_CALLS (1): at one of that many */
	uint32_t tries;		/* states to try at each such call */
	uint32_t tries_cut;	/* the same after a power cut, */
	uint32_t cut_calls;	/* at one of that many calls */
	uint32_t kills;		/* try a kill at that many of KILLS_ALL calls */
	/*
	 * Recover this disk, compare, and work on it. Unless `cut` is true, all
	 * that was acknowledged must be there. The disk is freed afterwards.
	 */
	void (*check)(struct crash *c, struct sim *disk);
	/* Return the expectations of the check, as a number. */
	uint64_t (*expectation)(const struct crash *c);

	bool cut;		/* one of the crashes so far was a power cut */
	long states;		/* that were checked, all different */
	long killed_and_cut;	/* of these: by a power cut after a kill */
	long call;		/* the number of the call, for messages */
	uint32_t crashes;	/* so far, each on the disk that one left */
	enum sim_crash kinds[MOST_CRASHES];
	uint64_t *seen;
	size_t seen_count, seen_room;
};
/* Make a new disk for c. The caller then fills in the members above
 * `states`. */
void crash_init(struct crash *c, const char *name, uint64_t seed);
void crash_release(struct crash *c);
/* Try states before every call from now on, or no more. */
void crash_watch(struct crash *c, bool on);
/* Try states that power cuts may leave of the disk as it is now. */
void crash_try(struct crash *c, struct sim *disk, uint32_t tries);

/* The kinds of the crashes so far, as numbers, for messages. */
const char *crash_kinds(const struct crash *c);

/* An assertion without the note that Check writes at each of its own: that is
 * too slow for so many. */
#define crash_assert(c, condition)                                            \
	do {                                                                  \
		if (!(condition))                                             \
			ck_abort_msg("%s, seed %llu, before call %ld, "       \
				     "%s: " #condition, (c)->name,            \
				     (unsigned long long)(c)->seed,           \
				     (c)->call, crash_kinds(c));              \
	} while (0)
#endif
