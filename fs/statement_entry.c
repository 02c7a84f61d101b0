#include "fs/statement_entry.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
	const struct table_change *one =
		((const struct statement_entry *)a)->change;
	const struct table_change *other =
		((const struct statement_entry *)b)->change;

	if (one->table != other->table)
		return one->table->number < other->table->number ? -1 : 1;
	return bytes_compare(one->key, other->key);
}

void statement_entries(struct statement_entry *entries,
		       const struct table_change *changes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		entries[i] = (struct statement_entry){ .change = &changes[i] };
	if (count > 1)
		qsort(entries, count, sizeof(*entries), by_place);
}

void statement_entries_cover(struct statement_entry *entries, size_t count)
{
	const struct table_change *over = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct table_change *c = entries[i].change;

		if (over && !bytes_equal(over->partition_key, c->partition_key))
			over = NULL;
		if (c->whole && (!over || bytes_compare(over->to, c->to) < 0))
			over = c;
		entries[i].over = over;
	}
}

bool statement_entry_covers(const struct table_change *range, struct bytes key)
{
	return range && bytes_compare(range->key, key) <= 0 &&
	       bytes_compare(key, range->to) < 0;
}

size_t statement_entries_before(const struct statement_entry *entries,
				size_t count, struct bytes key)
{
	size_t from = 0;

	while (from < count) {
		size_t middle = from + (count - from) / 2;

		if (bytes_compare(entries[middle].change->key, key) < 0)
			from = middle + 1;
		else
			count = middle;
	}
	return from;
}

bool statement_entry_is_in(const struct statement_entry *e,
			   struct bytes partition_key,
			   const struct bytes *clustering, uint32_t count)
{
	const struct table_change *c = e->change;
	const struct bytes *values = c->whole ? c->range.start.values :
						c->clustering;
	uint32_t i, have = c->whole ? c->range.start.count :
				      c->clustering_count;

	if (!bytes_equal(c->partition_key, partition_key) || have < count)
		return false;
	for (i = 0; i < count; i++)
		if (!bytes_equal(values[i], clustering[i]))
			return false;
	return true;
}
