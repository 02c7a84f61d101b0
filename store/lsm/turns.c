#include "store/lsm/turns.h"

static size_t slot_of(uint32_t table, uint64_t token)
{
	return (token + (uint64_t)table * 2654435761U) % TURN_SLOTS;
}

/* There is one writer: cheaper than an atomic addition. The data that readers
 * see next is stored with release, too. */
static void turn(_Atomic uint64_t *number)
{
	uint64_t now = atomic_load_explicit(number, memory_order_relaxed);

	atomic_store_explicit(number, now + 1, memory_order_release);
}

static uint64_t state_of(const _Atomic uint64_t *number)
{
	uint64_t now = atomic_load_explicit(number, memory_order_acquire);

	return now % 2 ? 0 : now + 2;
}

static void begin(struct turns *t, size_t slot)
{
	if (!state_of(&t->numbers[slot]))
		return;
	if (!t->open_count)
		turn(&t->all);
	turn(&t->numbers[slot]);
	t->open[t->open_count++] = (uint16_t)slot;
}

void turns_begin(struct turns *t, uint32_t table, uint64_t token)
{
	begin(t, slot_of(table, token));
}

void turns_begin_all(struct turns *t)
{
	size_t i;

	for (i = 0; i < TURN_SLOTS; i++)
		begin(t, i);
}

void turns_end(struct turns *t)
{
	if (!t->open_count)
		return;
	while (t->open_count)
		turn(&t->numbers[t->open[--t->open_count]]);
	turn(&t->all);
}

uint64_t turns_state(const struct turns *t, uint32_t table, uint64_t token)
{
	return state_of(&t->numbers[slot_of(table, token)]);
}

uint64_t turns_state_of_all(const struct turns *t)
{
	return state_of(&t->all);
}
