/*
 * Read the records of one segment. Files are read in bounded pieces (or one
 * record, where that is larger), of which one is in memory at a time.
 */
#ifndef STORE_LSM_COMMITLOG_READING_H
#define STORE_LSM_COMMITLOG_READING_H
#include "store/lsm/commitlog_internal.h"

struct log_reading;

/* The piece that is in memory, of one of the readings that share it. */
struct window {
	const struct log_reading *of;
	uint64_t at;
	struct buf bytes;
};

/* A segment that is read. */
struct log_reading {
	struct commitlog *log;
	struct window *window;	/* that of all segments */
	struct segment *s;
	uint32_t version;	/* 0: its header is bad */
	bool headed;		/* it was begun: previous_end is good */
	uint64_t written;	/* the end it stores, or 0: a bad one */
	bool lent;		/* s is the log's, which may free it */
	uint64_t begin;		/* its first record that is to be replayed */
	uint64_t dense;		/* no hole is sought before: zeros were data */
	uint64_t previous_end;
};

/* Open the segment of that number in window, and read its header. -errno:
 * reading_close is to be called all the same. */
int reading_open(struct log_reading *r, struct commitlog *log,
		 struct window *window, uint64_t number);
void reading_close(struct log_reading *r);
/* Read the record at offset: 1 with *batch (until the next call in the window)
 * and *synced, 0: none, -errno. */
int reading_record(struct log_reading *r, uint64_t offset,
		   struct bytes *batch, uint64_t *synced);
/* Search good records from offset on, wherever they begin. If there are some
 * *any becomes true, and *most_synced at least what each knew to be synced.
 * Once *any is true, those that know no more are not looked at. */
int reading_scan(struct log_reading *r, uint64_t offset, uint64_t *most_synced,
		 bool *any);
#endif
