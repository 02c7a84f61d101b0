/*
 * A counter: reading returns the total; each line written is an increment,
 * applied once and inside the write, whatever the descriptor's flags.
 */
#ifndef FS_KIND_COUNTER_H
#define FS_KIND_COUNTER_H
#include "fs/op/place.h"

extern const struct node_ops kind_counter;
#endif
