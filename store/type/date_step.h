/*
 * Dates and timestamps moved by a duration, and rounded down to a multiple of
 * one. Months are the calendar's: the 31st becomes the last day of a shorter
 * month. Results wrap where Java's would.
 */
#ifndef STORE_TYPE_DATE_STEP_H
#define STORE_TYPE_DATE_STEP_H
#include "store/type/duration.h"

/* Add the duration to a time (milliseconds since 1970) or to a date; back:
 * subtract it. */
int64_t date_step_timestamp(int64_t ms, const struct duration *d, bool back);
uint32_t date_step_date(uint32_t date, const struct duration *d, bool back);
/* Return the date of a time; one before 1970 is rounded toward it, as in
 * Cassandra. */
uint32_t date_step_date_of(int64_t ms);
int64_t date_step_ms_of(uint32_t date);
/*
 * Compute the last start + n * d that is not after ms, n >= 0. 0 or -EINVAL
 * (the start is after ms, d is negative). Precision is the caller's to check.
 */
int date_step_floor(int64_t *out, int64_t ms, const struct duration *d,
		    int64_t start, struct type_error *error);
#endif
