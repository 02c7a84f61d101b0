/*
 * Durations: months, days and nanoseconds.
 * Functions that read append the value's bytes: 0, or -EINVAL with the message
 * and nothing appended; no memory: out->failed. Any thread.
 */
#ifndef STORE_TYPE_DURATION_H
#define STORE_TYPE_DURATION_H
#include "store/type/type.h"

struct duration {
	int32_t months, days;
	int64_t ns;
};
int duration_read(struct buf *out, struct bytes text, struct type_error *error);
int duration_parse(struct duration *d, struct bytes text,
		   struct type_error *error);
int duration_validate(struct bytes value, struct type_error *error);
/* From a value's bytes: 0 or -EINVAL. */
int duration_get(struct duration *d, struct bytes value);
void duration_add(struct buf *out, const struct duration *d);
void duration_print(struct buf *out, const struct duration *d);
bool duration_may_begin(struct bytes text);
#endif
