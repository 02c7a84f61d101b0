/* uuid and timeuuid, and new ones. Any thread. */
#ifndef STORE_TYPE_UUID_H
#define STORE_TYPE_UUID_H
#include "store/type/native.h"

extern const struct native_type native_uuid, native_timeuuid;

/* Make an id of version 1 from the microsecond clock (unique in the process),
 * or a random one of version 4; return the milliseconds of one of version 1.
 * is_time is exported for tests. */
void uuid_new_time(uint8_t uuid[16]);
void uuid_new_random(uint8_t uuid[16]);
bool uuid_is_time(const uint8_t uuid[16]);
int64_t uuid_time_ms(const uint8_t uuid[16]);
/* Make the smallest or largest timeuuid of a millisecond (minTimeuuid). */
void uuid_min_at(uint8_t uuid[16], int64_t ms);
void uuid_max_at(uint8_t uuid[16], int64_t ms);
#endif
