/*
 * The bytes of the commit log, shared by writing and replay.
 *
 * The log is a sequence of files log-NUMBER (16 hex digits). A position is
 * number << 32 | offset. Integers are little-endian.
 *
 *   segment  0  8  "wide-log"
 *            8  4  format version, 2
 *           12  4  0
 *           16  8  number
 *           24  8  0
 *           32  8  XXH3 of bytes 0..31
 *           40  8  the position where the segment before ended; 0: none
 *           48  8  XXH3 of 40..47, seeded; until this is right it is empty
 *           56  4  an end: the offset after a record
 *           60  4  lower half of XXH3 of 56..59, seeded
 *           64     records, each at a multiple of 8:
 *
 *   record   0  4  n, length of the batch, 1 at least
 *            4  4  lower half of XXH3 of bytes 0..3 and 8..15, seeded
 *            8  8  a position up to which the log was known to be synced
 *           16  8  XXH3 of the batch, seeded
 *           24  n  one batch (row/mutation.c)
 *
 * The seeds are made of segment number and offset: an old record in a file that
 * is used again is no record. A segment ends where the next says it ended; the
 * last one at its first bad record. n is written last, and then the end.
 *
 * A segment is made with 40..63 zero, synced, its name too, and named in the
 * manifest, with its size; only then is anything written to it. So a segment
 * that is missing, or shorter, or has another header, is damage. (Where a full
 * disk has no room for the edit it is used all the same, and named later.)
 *
 * A bad record is a torn tail or damage. After a power cut later pages may be
 * there and earlier ones not, so good records after it prove nothing. But each
 * record stores what was known to be synced when it was written, and the
 * manifest stores what was known when it was written (lsm_recover.c). A hole,
 * or an end, below the highest such position seen anywhere is damage; one above
 * it was never acknowledged as synced, and everything after it is dropped.
 *
 * When the process was killed and no power cut came (lsm_recover.c) all that it
 * wrote is there, and the ends tell how far that was: at most the last record,
 * which nobody knows to be written, may lie after them. Then a record that is
 * bad before the end of its segment is damage.
 *
 * Version 1 has the position where the segment before ended at 24, zeros from
 * 40 on, and is not named. It is read but no longer written.
 */
#ifndef STORE_LSM_COMMITLOG_FORMAT_H
#define STORE_LSM_COMMITLOG_FORMAT_H
#include <xxhash.h>

#include "store/base/bytes.h"

#define LOG_MAGIC "wide-log"
#define LOG_VERSION 2
#define LOG_HEADER 64
#define LOG_BEGUN 40
#define LOG_END 56
#define LOG_RECORD 24
#define LOG_NAME "log-%016llx"
#define LOG_SMALLEST_SEGMENT ((uint64_t)64 << 10)
#define LOG_FIRST_SEGMENT ((uint64_t)1 << 20)
#define LOG_LARGEST_SEGMENT ((uint64_t)16 << 20)

static inline uint64_t log_position(uint64_t number, uint64_t offset)
{
	return number << 32 | offset;
}
static inline uint64_t log_number(uint64_t position)
{
	return position >> 32;
}
static inline uint64_t log_offset(uint64_t position)
{
	return position & UINT32_MAX;
}
static inline uint64_t log_record_size(uint64_t len)
{
	return (LOG_RECORD + len + 7) & ~(uint64_t)7;
}
static inline uint64_t log_seed(uint64_t position)
{
	return position * 0x9e3779b97f4a7c15ULL;
}
static inline uint32_t log_head_check(uint32_t len, uint64_t synced,
				      uint64_t position)
{
	uint8_t head[12];

	put_le32(head, len);
	put_le64(head + 4, synced);
	return (uint32_t)XXH3_64bits_withSeed(head, 12, log_seed(position));
}
static inline uint64_t log_begun_check(uint64_t previous_end, uint64_t number)
{
	uint8_t bytes[8];

	put_le64(bytes, previous_end);
	return XXH3_64bits_withSeed(bytes, 8,
				    log_seed(log_position(number, LOG_BEGUN)));
}
static inline uint64_t log_end_word(uint64_t end, uint64_t number)
{
	uint8_t bytes[4];

	put_le32(bytes, (uint32_t)end);
	return XXH3_64bits_withSeed(bytes, 4,
				    log_seed(log_position(number, LOG_END)))
	       << 32 | end;
}
static inline uint64_t log_check(struct bytes batch, uint64_t position)
{
	return XXH3_64bits_withSeed(batch.ptr, batch.len, log_seed(position));
}
#endif
