/*
 * Leveled: sstables of one size, which do not overlap within a level from 1 on;
 * each level holds ten times (the fan-out) as much as the one before. Flushes come to level
 * 0, whose files overlap; four of them go to level 1 together.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/strategy_pick.h"

#define DEFAULT_SIZE ((uint64_t)160 << 20)
#define LEVELS 9
#define LEAST_ZERO 4		/* files of level 0 that are worth a merge */
#define MOST_ZERO 32

uint64_t strategy_leveled_size(const struct strategy_request *r)
{
	return r->options->sstable_size ? r->options->sstable_size :
					  DEFAULT_SIZE;
}

static double fanout_of(const struct strategy_request *r)
{
	return r->options->fanout ? r->options->fanout : 1;
}

uint32_t strategy_leveled_level(const struct strategy_request *r, double size)
{
	double limit = (double)strategy_leveled_size(r) * fanout_of(r);
	uint32_t level = 1;

	for (; limit < size && level < LEVELS - 1; level++)
		limit *= fanout_of(r);
	return level;
}

static uint32_t level_of(const struct strategy_file *f)
{
	return f->level < LEVELS ? f->level : LEVELS - 1;
}

/* Add the files of a level that overlap any of the first `count` of at. The
 * outputs will overlap files that are left out: slower to read, but correct. */
static void add_overlapping(const struct strategy_request *r, size_t *at,
			    size_t *count, uint32_t level)
{
	size_t given = *count, i, j;

	for (i = 0; i < r->count; i++) {
		const struct strategy_file *f = &r->files[i];

		if (level_of(f) != level || f->left_out)
			continue;
		for (j = 0; j < given; j++)
			if (at[j] != i && strategy_overlap(f, &r->files[at[j]]))
				break;
		if (j < given)
			at[(*count)++] = i;
	}
}

/* Pick level 0 to level 1: the oldest files, and those that they overlap. */
static int pick_zero(struct strategy_pick *pick,
		     const struct strategy_request *r, size_t *at)
{
	size_t count = 0, i, j;

	for (i = 0; i < r->count; i++) {
		const struct strategy_file *f = &r->files[i];

		if (level_of(f) || f->left_out)
			continue;
		/* Insert by number: they are few. */
		for (j = count; j && r->files[at[j - 1]].info->number >
					     f->info->number; j--)
			at[j] = at[j - 1];
		at[j] = i;
		count++;
	}
	if (count < LEAST_ZERO)
		return 0;
	if (count > MOST_ZERO)
		count = MOST_ZERO;
	add_overlapping(r, at, &count, 1);
	pick->level = 1;
	return strategy_pick_these(pick, at, count);
}

/* Pick, of a level that is too full, the file that needs the fewest others. */
static int pick_level(struct strategy_pick *pick,
		      const struct strategy_request *r, size_t *at,
		      uint32_t level)
{
	double best = 0;
	size_t best_file = r->count, count, i, j;

	for (i = 0; i < r->count; i++) {
		double next = 0, cost;

		if (level_of(&r->files[i]) != level ||
		    r->files[i].left_out)
			continue;
		at[0] = i;
		count = 1;
		add_overlapping(r, at, &count, level + 1);
		for (j = 1; j < count; j++)
			next += (double)r->files[at[j]].info->size;
		cost = next / (double)(r->files[i].info->size + 1);
		if (best_file == r->count || cost < best) {
			best = cost;
			best_file = i;
		}
	}
	if (best_file == r->count)
		return 0;
	at[0] = best_file;
	count = 1;
	add_overlapping(r, at, &count, level + 1);
	pick->level = level + 1;
	pick->move_only = count == 1 && !r->options->writes_to_rise;
	return strategy_pick_these(pick, at, count);
}

int strategy_leveled(struct strategy_pick *pick,
		     const struct strategy_request *r)
{
	double sizes[LEVELS] = { 0 }, limit = (double)strategy_leveled_size(r);
	size_t *at = mem_zalloc(r->count, sizeof(*at)), i;
	uint32_t level;
	int picked = 0;

	if (!at)
		return -ENOMEM;
	for (i = 0; i < r->count; i++)
		if (!r->files[i].left_out)
			sizes[level_of(&r->files[i])] +=
				(double)r->files[i].info->size;
	pick->output_size = strategy_leveled_size(r);
	/* Level 0 first: its files pile up fastest, and cost readers most. */
	picked = pick_zero(pick, r, at);
	for (level = 1; !picked && level < LEVELS - 1; level++) {
		limit *= fanout_of(r);
		if (sizes[level] > limit)
			picked = pick_level(pick, r, at, level);
	}
	if (picked <= 0)
		pick->output_size = 0;
	mem_free(at);
	return picked;
}
