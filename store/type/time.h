/*
 * date, time, and the calendar: days are counted from 1970-01-01. Any thread.
 */
#ifndef STORE_TYPE_TIME_H
#define STORE_TYPE_TIME_H
#include "store/type/native.h"

extern const struct native_type native_date, native_time;

#define MS_PER_DAY 86400000LL
#define NS_PER_DAY 86400000000000LL
#define DATE_EPOCH 0x80000000u	/* a date's bytes for 1970-01-01 */
/* Return the days from 1970-01-01 to a date of the proleptic Gregorian
 * calendar; the date of such a day; how many days a month (1 to 12) has. */
int64_t time_days(int64_t year, unsigned month, unsigned day);
void time_civil(int64_t days, int64_t *year, unsigned *month, unsigned *day);
unsigned time_month_length(int64_t year, unsigned month);
/* Rounds down, as division of times must. */
int64_t time_floor_div(int64_t a, int64_t b);
int64_t time_floor_mod(int64_t a, int64_t b);
/* Read 1 to max_len digits at the beginning of r. -1: there are none. */
int64_t time_read_digits(struct reader *r, int max_len);
#endif
