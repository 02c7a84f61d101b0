#include "fs/node/past.h"

#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/array.h"

static struct past_result *last_result(const struct past *p)
{
	return p->result_count ? &p->results[p->result_count - 1] : NULL;
}

void past_add(struct past *p, const struct past_result *of, const void *source,
	      uint64_t bytes)
{
	struct past_result *r = last_result(p), *results;
	struct past_source *sources;

	sources = array_grow(p->sources, p->source_count, sizeof(*sources),
			     &p->source_room);
	if (!sources)
		return;
	p->sources = sources;
	if (!r || r->of != of->of) {
		results = array_grow(p->results, p->result_count,
				     sizeof(*results), &p->result_room);
		if (!results)
			return;
		p->results = results;
		p->results[p->result_count++] = *of;
		r = last_result(p);
		r->first = p->source_count;
		r->count = 0;
		r->bytes = 0;
		r->over = false;
	}
	p->sources[p->source_count++] = (struct past_source){ source, bytes, 0 };
	r->count++;
	r->bytes += bytes;
}

static int by_user(const void *x, const void *y)
{
	const struct past_result *a = x, *b = y;

	return (a->uid > b->uid) - (a->uid < b->uid);
}

/* The order in which they are charged. */
static int by_size(const void *x, const void *y)
{
	const struct past_result *a = x, *b = y;

	if (a->total != b->total)
		return a->total < b->total ? -1 : 1;
	if (a->uid != b->uid)
		return by_user(x, y);
	return (a->begun < b->begun) - (a->begun > b->begun);
}

static void sum_users(struct past *p)
{
	size_t i, j, next;
	uint64_t total;

	qsort(p->results, p->result_count, sizeof(*p->results), by_user);
	for (i = 0; i < p->result_count; i = next) {
		total = 0;
		for (next = i; next < p->result_count &&
			       p->results[next].uid == p->results[i].uid;
		     next++)
			total += p->results[next].bytes;
		for (j = i; j < next; j++)
			p->results[j].total = total;
	}
}

static int by_source(const void *x, const void *y)
{
	const struct past_source *a = *(struct past_source *const *)x;
	const struct past_source *b = *(struct past_source *const *)y;

	return (a->source > b->source) - (a->source < b->source);
}

/* Number the sources from 0 on; equal ones get the same number. *count: how
 * many numbers there are. */
static bool number_sources(struct past *p, size_t *count)
{
	struct past_source **sorted = mem_alloc(p->source_count *
						sizeof(struct past_source *));
	size_t i, number = 0;

	if (!sorted)
		return false;
	for (i = 0; i < p->source_count; i++)
		sorted[i] = &p->sources[i];
	qsort(sorted, p->source_count, sizeof(*sorted), by_source);
	for (i = 0; i < p->source_count; i++) {
		if (i && sorted[i]->source != sorted[i - 1]->source)
			number++;
		sorted[i]->number = number;
	}
	*count = number + 1;
	mem_free(sorted);
	return true;
}

/* Charge a result for those of its sources that its user has not paid for yet:
 * marks has for each source the number of the user who paid for it last. */
static void charge_one(struct past *p, struct accounts *a,
		       struct past_result *r, size_t *marks, size_t user)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = r->first; i < r->first + r->count; i++)
		if (marks[p->sources[i].number] != user)
			bytes += p->sources[i].bytes;
	r->over = charge_set(a, r->charge, RESOURCE_PAST, r->uid, bytes);
	for (i = r->first; !r->over && i < r->first + r->count; i++)
		marks[p->sources[i].number] = user;
}

void past_charge(struct past *p, struct accounts *a)
{
	size_t i, count = 0, user = 1, *marks;

	if (!p->result_count || !number_sources(p, &count))
		return;
	marks = mem_zalloc(count, sizeof(*marks));
	if (!marks)
		return;
	sum_users(p);
	qsort(p->results, p->result_count, sizeof(*p->results), by_size);
	for (i = 0; i < p->result_count; i++)
		charge_end(a, p->results[i].charge);
	for (i = 0; i < p->result_count; i++) {
		if (i && p->results[i].uid != p->results[i - 1].uid)
			user++;
		charge_one(p, a, &p->results[i], marks, user);
	}
	mem_free(marks);
}

void past_release(struct past *p)
{
	mem_free(p->results);
	mem_free(p->sources);
	*p = PAST_INIT;
}
