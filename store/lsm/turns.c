#include "store/lsm/turns.h"

static size_t slot_of(uint32_t table, uint64_t token)
{
	return (token + (uint64_t)table * 2654435761U) % TURN_SLOTS;
}

/* There is one writer: cheaper than an atomic addition. What readers see next is
 * stored with release, too. */
static void turn(struct turns *t, size_t slot, uint64_t now)
{
	atomic_store_explicit(&t->numbers[slot], now + 1, memory_order_release);
}

static void begin(struct turns *t, size_t slot)
{
	uint64_t now = atomic_load_explicit(&t->numbers[slot],
					    memory_order_relaxed);

	if (now % 2)
		return;
	turn(t, slot, now);
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
	while (t->open_count) {
		size_t slot = t->open[--t->open_count];

		turn(t, slot, atomic_load_explicit(&t->numbers[slot],
						   memory_order_relaxed));
	}
}

uint64_t turns_state(const struct turns *t, uint32_t table, uint64_t token)
{
	uint64_t now = atomic_load_explicit(
		&t->numbers[slot_of(table, token)], memory_order_acquire);

	return now % 2 ? 0 : now + 2;
}
