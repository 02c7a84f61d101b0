#include "tests/lib/crash.h"

#include <check.h>
#include <malloc.h>
#include <stdlib.h>

void crash_init(struct crash *c, const char *name, uint64_t seed)
{
	/* Thousands of recoveries: memory is kept, not mapped each time. */
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	*c = (struct crash){ .name = name, .seed = seed, .tries = SIM_KINDS };
	c->disk = sim_new();
	c->rng = random_seeded(seed);
}

void crash_release(struct crash *c)
{
	sim_free(c->disk);
	free(c->seen);
}

/* A set of numbers by open addressing. True when it is new. */
static bool add_seen(struct crash *c, uint64_t number)
{
	uint64_t *old = c->seen;
	size_t room = c->seen_room, i, at;

	number += !number;
	if (c->seen_count * 2 >= c->seen_room) {
		c->seen_room = room ? room * 2 : 1024;
		c->seen = calloc(c->seen_room, sizeof(*c->seen));
		ck_assert_ptr_nonnull(c->seen);
		c->seen_count = 0;
		for (i = 0; i < room; i++)
			if (old[i])
				add_seen(c, old[i]);
		free(old);
	}
	for (at = number % c->seen_room; c->seen[at];
	     at = (at + 1) % c->seen_room)
		if (c->seen[at] == number)
			return false;
	c->seen[at] = number;
	c->seen_count++;
	return true;
}

/* The simple kinds in turn, and as many of those with chance in them. */
static enum sim_crash choose_kind(struct crash *c)
{
	if (random_below(&c->rng, 2))
		return SIM_RANDOM + random_below(&c->rng, 2);
	return random_below(&c->rng, SIM_RANDOM);
}

void crash_try(struct crash *c, struct sim *disk, uint32_t tries)
{
	uint64_t expected = c->expectation(c) * 0x9e3779b97f4a7c15ULL;

	while (tries--) {
		enum sim_crash kind = choose_kind(c);
		struct sim *left = sim_crash(disk, kind, &c->rng);
		uint64_t state = sim_digest(left) ^ expected;

		if (add_seen(c, state + (kind == SIM_KILLED))) {
			c->kind = kind;
			c->states++;
			c->check(c, left, kind == SIM_KILLED);
		}
		sim_free(left);
	}
}

static void before(void *context)
{
	struct crash *c = context;

	c->call = sim_calls(c->disk) + 1;
	crash_try(c, c->disk, c->tries);
}

void crash_watch(struct crash *c, bool on)
{
	sim_hook(c->disk, on ? before : NULL, c);
}
