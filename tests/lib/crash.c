#include "tests/lib/crash.h"

#include <check.h>
#include <malloc.h>
#include <stdlib.h>

void crash_init(struct crash *c, const char *name, uint64_t seed)
{
	const char *calls = getenv("WIDEFS_TEST_CALLS");

	/* Thousands of recoveries: memory is kept, not mapped each time. */
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	*c = (struct crash){ .name = name, .seed = seed, .tries = SIM_KINDS,
			     .kills = KILLS_ALL, .cut_calls = 1,
			     .calls = calls && atoi(calls) > 1 ?
				      (uint32_t)atoi(calls) : 1 };
	c->disk = sim_new();
	c->rng = random_seeded(seed);
}

void crash_release(struct crash *c)
{
	sim_free(c->disk);
	free(c->seen);
}

/* Add a number to the set of seen ones (open addressing). True: it is new. */
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

const char *crash_kinds(const struct crash *c)
{
	static char text[MOST_CRASHES * 8];
	int len = snprintf(text, sizeof(text), "kind");
	uint32_t i;

	for (i = 0; i < c->crashes; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, " %d",
				c->kinds[i]);
	return text;
}

/* Choose the simple power cuts in turn, and as often one of the random ones. */
static enum sim_crash choose_cut(struct crash *c)
{
	if (random_below(&c->rng, 2))
		return SIM_RANDOM + random_below(&c->rng, 2);
	return SIM_NONE + random_below(&c->rng, SIM_RANDOM - SIM_NONE);
}

static void try_kind(struct crash *c, struct sim *disk, enum sim_crash kind);

void crash_try(struct crash *c, struct sim *disk, uint32_t tries)
{
	while (tries--)
		try_kind(c, disk, choose_cut(c));
}

/* A further crash, while the check of the last one is running. */
struct next_crash {
	struct crash *crash;
	struct sim *disk;
};

/* Try a crash before a call of the check: before every one after a first kill,
 * before few after more of them. */
static void before_next(void *context)
{
	struct next_crash *next = context;
	struct crash *c = next->crash;

	if (c->cut) {
		if (random_below(&c->rng, c->cut_calls) == 0)
			crash_try(c, next->disk, c->tries_cut);
	} else if (random_below(&c->rng, c->crashes * c->crashes) == 0) {
		try_kind(c, next->disk, random_below(&c->rng, 8) ?
					choose_cut(c) : SIM_KILLED);
	}
}

static void check_left(struct crash *c, struct sim *left)
{
	struct next_crash next = { c, left };

	c->states++;
	c->killed_and_cut += c->cut && c->kinds[0] == SIM_KILLED;
	if (c->crashes < (c->cut ? 2 : MOST_CRASHES))
		sim_hook(left, before_next, &next);
	c->check(c, left);
	sim_hook(left, NULL, NULL);
}

static void try_kind(struct crash *c, struct sim *disk, enum sim_crash kind)
{
	struct sim *left = sim_crash(disk, kind, &c->rng);
	bool cut = c->cut;

	c->kinds[c->crashes++] = kind;
	c->cut = cut || kind != SIM_KILLED;
	if (add_seen(c, sim_digest(left) + c->cut +
			c->expectation(c) * 0x9e3779b97f4a7c15u))
		check_left(c, left);
	c->cut = cut;
	c->crashes--;
	sim_free(left);
}

static void before(void *context)
{
	struct crash *c = context;

	c->call = sim_calls(c->disk) + 1;
	if (c->calls > 1 && random_below(&c->rng, c->calls))
		return;
	if (random_below(&c->rng, KILLS_ALL) < c->kills)
		try_kind(c, c->disk, SIM_KILLED);
	crash_try(c, c->disk, c->tries);
}

void crash_watch(struct crash *c, bool on)
{
	sim_hook(c->disk, on ? before : NULL, c);
}
