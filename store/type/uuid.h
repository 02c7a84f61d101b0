/*
 * UUIDs: their text, their order, and new ones.
 * Functions that read append the value's bytes: 0, or -EINVAL with the message
 * and nothing appended; no memory: out->failed. Any thread.
 */
#ifndef STORE_TYPE_UUID_H
#define STORE_TYPE_UUID_H
#include "store/type/type.h"

int uuid_read(struct buf *out, enum type_kind kind, struct bytes text,
	      struct type_error *error);
void uuid_print(struct buf *out, const uint8_t uuid[16]);
bool uuid_may_begin(struct bytes text);
/* A uuid's or timeuuid's 16 bytes as memcmp orders them, and back. */
void uuid_order(uint8_t out[16], enum type_kind kind, const uint8_t *uuid);
void uuid_order_back(uint8_t out[16], enum type_kind kind,
		     const uint8_t *ordered);

/* UUIDs, version 1 from the microsecond clock (unique in the process), version
 * 4 random; the milliseconds of a version 1 uuid. */
void uuid_new_time(uint8_t uuid[16]);
void uuid_new_random(uint8_t uuid[16]);
bool uuid_is_time(const uint8_t uuid[16]);
int64_t uuid_time_ms(const uint8_t uuid[16]);
/* The smallest and largest timeuuid of a millisecond (minTimeuuid). */
void uuid_min_at(uint8_t uuid[16], int64_t ms);
void uuid_max_at(uint8_t uuid[16], int64_t ms);
#endif
