/* Durations: months, days and nanoseconds. Any thread. */
#ifndef STORE_TYPE_DURATION_H
#define STORE_TYPE_DURATION_H
#include "store/type/native.h"

extern const struct native_type native_duration;

struct duration {
	int32_t months, days;
	int64_t ns;
};
/* Read a duration from a value's bytes: 0 or -EINVAL. */
int duration_get(struct duration *d, struct bytes value);
/* Exported for tests: append the bytes of the value. */
void duration_add(struct buf *out, const struct duration *d);
void duration_print(struct buf *out, const struct duration *d);
#endif
