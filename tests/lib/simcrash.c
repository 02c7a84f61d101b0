/*
 * The disk in memory after a crash. After a power cut each file is made again
 * from its durable image and a choice of its changes: every sector has its own
 * point in time up to which its writes are there, and so has the size. A file
 * that was truncated has lost the bytes after its new size, once that is there.
 *
 * A kill leaves everything as it is: the next process sees all that was
 * written, and unsynced writes are still not durable.
 */
#include <check.h>
#include <stdlib.h>
#include <xxhash.h>

#include "tests/lib/simfile_inner.h"

struct choice {
	enum sim_crash kind;
	struct random *rng;
	uint64_t time;		/* SIM_PREFIX: all before it */
};

/* Choose how many of count changes, of a sector or a size, are there. */
static size_t random_cut(struct random *rng, size_t count)
{
	switch (random_below(rng, 3)) {
	case 0:
		return 0;
	case 1:
		return count;
	default:
		return random_below(rng, (uint32_t)count + 1);
	}
}

static size_t before(const struct node *n, uint64_t time)
{
	size_t i = 0;

	while (i < n->change_count && n->changes[i].time < time)
		i++;
	return i;
}

static size_t choose_cut(const struct choice *c, const struct node *n)
{
	switch (c->kind) {
	case SIM_NONE:
		return 0;
	case SIM_NAMES:
	case SIM_ZERO:
		return n->is_directory ? n->change_count : 0;
	case SIM_DATA:
		return n->is_directory ? 0 : n->change_count;
	case SIM_PREFIX:
		return before(n, c->time);
	case SIM_RANDOM:
	case SIM_TORN:
		return random_cut(c->rng, n->change_count);
	default:
		return n->change_count;
	}
}

/* Return how many changes of this sector are there: the same number for each of
 * them. */
static size_t cut_of_sector(const struct choice *c, const struct node *n,
			    size_t at, uint64_t salt, size_t cut)
{
	struct random rng;

	if (c->kind != SIM_RANDOM && c->kind != SIM_TORN)
		return cut;
	rng = random_seeded(salt + at);
	return random_cut(&rng, n->change_count);
}

/* Apply half of the sector's change; the half is chosen at random. */
static void tear(struct node *to, const struct change *c, struct random *rng)
{
	struct sector *old = c->at < to->now.room ? to->now.sectors[c->at] :
						    NULL;
	struct sector *s = sector_new(old);
	size_t cut = random_below(rng, SECTOR);

	if (random_below(rng, 2))
		memcpy(s->bytes, c->sector->bytes, cut);
	else
		memcpy(s->bytes + cut, c->sector->bytes + cut, SECTOR - cut);
	image_set(&to->now, c->at, s);
	sector_put(s);
}

static void crash_file(struct node *to, const struct node *n,
		       const struct choice *choice)
{
	size_t cut = choose_cut(choice, n), i, torn = SIZE_MAX;
	size_t size_cut = choice->kind == SIM_ZERO ? n->change_count : cut;
	uint64_t salt = 0, size = n->durable.size;

	image_copy(&to->now, &n->durable);
	if (choice->kind == SIM_RANDOM || choice->kind == SIM_TORN)
		salt = random_next(choice->rng);
	if (choice->kind == SIM_TORN && n->change_count)
		torn = random_below(choice->rng, (uint32_t)n->change_count);
	for (i = 0; i < n->change_count; i++) {
		const struct change *c = &n->changes[i];

		if (c->kind == CHANGE_SECTOR) {
			if (i == torn)
				tear(to, c, choice->rng);
			else if (i < cut_of_sector(choice, n, c->at, salt, cut))
				image_set(&to->now, c->at, c->sector);
		} else if (i < size_cut) {
			size = c->size;
			/* Sectors that are there may lie after an old size. */
			if (size > to->now.size)
				to->now.size = size;
			image_resize(&to->now, size);
		}
	}
	/* Sectors may be there of writes whose new size is not. */
	to->now.size = (uint64_t)to->now.room * SECTOR + size;
	image_resize(&to->now, size);
	image_copy(&to->durable, &to->now);
}

/* Return the node of the new disk for n; it is made when a name leads to it. */
static struct node *crash_node(struct sim *sim, struct node *n,
			       const struct choice *choice);

static void crash_directory(struct sim *sim, struct node *to, struct node *n,
			    const struct choice *choice)
{
	size_t cut = choose_cut(choice, n), i;

	names_copy(&to->names, &n->durable_names);
	for (i = 0; i < cut; i++)
		names_change(&to->names, &n->changes[i]);
	for (i = 0; i < to->names.count; i++)
		to->names.list[i].node =
			crash_node(sim, to->names.list[i].node, choice);
	names_copy(&to->durable_names, &to->names);
}

static struct node *crash_node(struct sim *sim, struct node *n,
			       const struct choice *choice)
{
	struct node *to = n->copy;

	if (to)
		return to;
	to = n->copy = node_new(sim, n->is_directory);
	if (n->is_directory)
		crash_directory(sim, to, n, choice);
	else
		crash_file(to, n, choice);
	return to;
}

static uint64_t oldest_change(const struct sim *sim)
{
	const struct node *n;
	uint64_t oldest = sim->time + 1;

	for (n = sim->nodes; n; n = n->next)
		if (n->change_count && n->changes[0].time < oldest)
			oldest = n->changes[0].time;
	return oldest;
}

static void cut_power(struct sim *to, struct sim *sim, enum sim_crash kind,
		      struct random *rng)
{
	struct choice choice = { .kind = kind, .rng = rng };
	uint64_t oldest = oldest_change(sim);

	choice.time = oldest + random_below(rng, (uint32_t)(sim->time + 2 -
							    oldest));
	crash_directory(to, to->root, sim->root, &choice);
}

static void copy_names(struct names *to, const struct names *from)
{
	size_t i;

	names_copy(to, from);
	for (i = 0; i < to->count; i++)
		to->list[i].node = to->list[i].node->copy;
}

/* Copy a node, with its changes that are not synced. */
static void copy_node(const struct node *n)
{
	struct node *to = n->copy;
	size_t i;

	image_copy(&to->now, &n->now);
	image_copy(&to->durable, &n->durable);
	copy_names(&to->names, &n->names);
	copy_names(&to->durable_names, &n->durable_names);
	to->changes = calloc(n->change_count + 1, sizeof(*to->changes));
	insist(to->changes);
	to->change_count = to->change_room = n->change_count;
	for (i = 0; i < n->change_count; i++) {
		struct change *c = &to->changes[i];

		*c = n->changes[i];
		sector_get(c->sector);
		if (c->node)
			c->node = c->node->copy;
	}
}

static void kill_process(struct sim *to, struct sim *sim)
{
	struct node *n;

	for (n = sim->nodes; n; n = n->next)
		if (n != sim->root)
			n->copy = node_new(to, n->is_directory);
	for (n = sim->nodes; n; n = n->next)
		copy_node(n);
	to->time = sim->time;
}

struct sim *sim_crash(struct sim *sim, enum sim_crash kind, struct random *rng)
{
	struct sim *to = sim_new();
	struct node *n;

	if (sim->maps)
		sim_collect_maps(sim);
	sim->root->copy = to->root;
	if (kind == SIM_KILLED)
		kill_process(to, sim);
	else
		cut_power(to, sim, kind, rng);
	for (n = sim->nodes; n; n = n->next)
		n->copy = NULL;
	to->mappable = sim->mappable;
	if (kind == SIM_KILLED)
		to->boot = sim->boot;
	return to;
}

/* Digest an image by the numbers of its sectors, not by their bytes. */
static uint64_t digest_image(const struct image *m)
{
	XXH3_state_t *state = XXH3_createState();
	uint64_t sum;
	size_t i;

	insist(state);
	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, &m->size, sizeof(m->size));
	for (i = 0; i < m->room; i++) {
		if (!m->sectors[i])
			continue;
		XXH3_64bits_update(state, &i, sizeof(i));
		XXH3_64bits_update(state, &m->sectors[i]->id, sizeof(uint64_t));
	}
	sum = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return sum;
}

static uint64_t digest_names(const struct names *names, unsigned depth);

/* Digest a node as it is now, and as it is durable. */
static uint64_t digest_node(const struct node *n, unsigned depth)
{
	uint64_t now = n->is_directory ? digest_names(&n->names, depth) :
					 digest_image(&n->now), durable = now;

	if (n->change_count)
		durable = n->is_directory ?
				  digest_names(&n->durable_names, depth) :
				  digest_image(&n->durable);
	return now * 0x9e3779b97f4a7c15u + durable;
}

/* Digest names; their order does not count. */
static uint64_t digest_names(const struct names *names, unsigned depth)
{
	uint64_t sum = names->count;
	size_t i;

	for (i = 0; depth && i < names->count; i++)
		sum += XXH3_64bits_withSeed(names->list[i].name,
				strlen(names->list[i].name),
				digest_node(names->list[i].node, depth - 1));
	return sum;
}

uint64_t sim_digest(struct sim *sim)
{
	if (sim->maps)
		sim_collect_maps(sim);
	return digest_node(sim->root, 4);
}
