/*
 * Time zones by name, for timestamps that are written with one. Reads the
 * system's time zone files each time: such timestamps are rare, and no state is
 * kept. Any thread.
 */
#ifndef STORE_TYPE_ZONE_H
#define STORE_TYPE_ZONE_H
#include "store/base/bytes.h"

/*
 * The seconds east of UTC at a local time (seconds since 1970 as if it were
 * UTC) in a zone: Europe/Berlin, or one of the usual abbreviations, which mean
 * their region with its daylight saving. Of a local time that comes twice the
 * first is meant, one that is skipped is moved on by what was skipped. False:
 * no such zone here.
 */
bool zone_offset(int64_t *seconds, struct bytes name, int64_t local_time);
#endif
