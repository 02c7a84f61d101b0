/*
 * The order in which the conditions of one row are checked. It matters where
 * one fails and another cannot be compared at all. Cassandra has them in a
 * HashMultimap of Java, by their column and element: the order is that of its
 * table (store/base/java.h); those of one place, and of one column and element,
 * keep the order in which they were written.
 */
#include "store/cql/modify/condition_order.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/java.h"

struct condition_entry {
	const struct if_condition *condition;
	uint32_t hash, place, key, index;	/* key: the first with the same */
};

static struct bytes element_of(const struct if_condition *c)
{
	return c->has_key ? c->key : BYTES_NULL;
}

/* Hash a Pair, as a HashMap spreads it. */
static uint32_t hash_condition(const struct if_condition *c)
{
	struct bytes element = element_of(c);
	uint32_t hash = 31 * (31 + java_hash_buffer(bytes_str(c->column->name)));

	hash += bytes_is_null(element) ? 0 : java_hash_buffer(element);
	return java_spread(hash);
}

static int compare_keys(const struct condition_entry *a,
			const struct condition_entry *b)
{
	struct bytes x = element_of(a->condition), y = element_of(b->condition);
	const struct column *p = a->condition->column, *q = b->condition->column;

	if (a->hash != b->hash || p != q)
		return (a->hash != b->hash ? a->hash < b->hash : p < q) ? -1 : 1;
	if (bytes_is_null(x) || bytes_is_null(y))
		return bytes_is_null(y) - bytes_is_null(x);
	return bytes_compare(x, y);
}

static int compare_entries(const void *a, const void *b)
{
	const struct condition_entry *x = a, *y = b;
	int order = compare_keys(x, y);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_places(const void *a, const void *b)
{
	const struct condition_entry *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Find the keys. Returns their number. */
static uint32_t find_keys(struct condition_entry *entries, uint32_t count)
{
	uint32_t keys = 0;

	qsort(entries, count, sizeof(*entries), compare_entries);
	for (uint32_t i = 0; i < count; i++) {
		bool known = i && !compare_keys(&entries[i - 1], &entries[i]);

		entries[i].key = known ? entries[i - 1].key : entries[i].index;
		keys += !known;
	}
	return keys;
}

int conditions_sort(struct execution *x, const struct if_condition **items,
		    uint32_t count)
{
	struct condition_entry *entries = arena_zalloc(x->arena, count,
						       sizeof(*entries));
	uint32_t places;

	if (!entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		entries[i] = (struct condition_entry){
			.condition = items[i], .index = i,
			.hash = hash_condition(items[i]) };
	places = java_buckets(0, find_keys(entries, count));
	for (uint32_t i = 0; i < count; i++)
		entries[i].place = entries[i].hash & (places - 1);
	qsort(entries, count, sizeof(*entries), compare_places);
	for (uint32_t i = 0; i < count; i++)
		items[i] = entries[i].condition;
	return 0;
}
