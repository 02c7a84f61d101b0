/*
 * Tell which partitions change: a number for all that share a slot, by
 * table and token. It is odd from before readers can see a change until after
 * they do, and then another one than before. Readers take no lock.
 */
#ifndef STORE_LSM_TURNS_H
#define STORE_LSM_TURNS_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TURN_SLOTS 4096

struct turns {
	_Atomic uint64_t all;		/* the same of all partitions together */
	_Atomic uint64_t numbers[TURN_SLOTS];
	uint16_t open[TURN_SLOTS];	/* slots that are odd: the writer's */
	size_t open_count;
};

/* The first change of a partition (its token in any of its forms: the low bits
 * count) begins; all changes that began end. One writer at a time. */
void turns_begin(struct turns *t, uint32_t table, uint64_t token);
void turns_begin_all(struct turns *t);
void turns_end(struct turns *t);
/* Return the state of such partitions: not 0; 0: they change just now. Any
 * thread. */
uint64_t turns_state(const struct turns *t, uint32_t table, uint64_t token);
/* The same of all partitions of all tables. */
uint64_t turns_state_of_all(const struct turns *t);
#endif
