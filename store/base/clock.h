/* Time, through one place so that tests can stop and set it. Elsewhere the
 * system's clock is read only for the end of a wait (tests/floors). */
#ifndef STORE_BASE_CLOCK_H
#define STORE_BASE_CLOCK_H
#include <stdbool.h>
#include <stdint.h>

/* Microseconds and seconds since 1970 by the system's clock. */
int64_t clock_now_us(void);
int64_t clock_now_s(void);
/* Monotonic nanoseconds, for measuring. */
uint64_t clock_monotonic_ns(void);
#define CLOCK_TEXT 40		/* bytes of a time, with its 0 */
/* Print microseconds since 1970 as ISO 8601 has them, in UTC, to the second or the
 * millisecond: 2026-11-29T14:09:20.486Z. */
void clock_print(char out[CLOCK_TEXT], int64_t us, bool with_ms);
/* For tests: set a fixed time; INT64_MIN: the real one again. */
void clock_set_us(int64_t us);
#endif
