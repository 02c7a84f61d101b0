#include "store/table/present.h"

#include "store/table/inner.h"

struct schema *store_schema(struct store *s)
{
	struct schema *schema;

	pthread_mutex_lock(&s->guard);
	schema = s->schema ? schema_get(s->schema) : NULL;
	pthread_mutex_unlock(&s->guard);
	return schema;
}

struct schema *store_schema_again(struct store *s, struct schema *had)
{
	struct schema *now = had;

	pthread_mutex_lock(&s->guard);
	if (s->schema != had)
		now = s->schema ? schema_get(s->schema) : NULL;
	pthread_mutex_unlock(&s->guard);
	if (now != had)
		schema_put(had);
	return now;
}

struct table *store_current_table(const struct store *s, uint32_t number)
{
	size_t low = 0, high = s->by_number_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->by_number[middle]->number == number)
			return s->by_number[middle];
		if (s->by_number[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

uint64_t store_partition_state(const struct store *s, uint32_t table,
			       int64_t token)
{
	return lsm_partition_state(s->lsm, table, token);
}

uint64_t store_state(const struct store *s)
{
	return lsm_state(s->lsm);
}

uint32_t store_truncations(const struct store *s)
{
	return atomic_load(&s->truncations);
}

const uint8_t *store_id(const struct store *s)
{
	return s->id;
}

int64_t store_now_s(const struct store *s)
{
	return s->now_s ? s->now_s : clock_now_s();
}
