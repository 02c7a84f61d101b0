/* Segments of the log: their files, records and names. */
#ifndef STORE_LSM_COMMITLOG_SEGMENT_H
#define STORE_LSM_COMMITLOG_SEGMENT_H
#include "store/lsm/commitlog_internal.h"

/* Print the name of a segment's file. */
void segment_name(char name[32], uint64_t number);
/* NULL is accepted. */
void segment_free(struct commitlog *log, struct segment *s);
/*
 * Open the file of a segment for writing: an old one (it has room on the disk),
 * or with O_CREAT make it. It is mapped where the system supports it and has
 * allocated it: else a store into the map may meet a full disk, which ends the
 * process.
 */
int segment_open(struct commitlog *log, struct segment *s, int flags);
/* commitlog_segment.c says what each does. */
void segment_remove(struct commitlog *log, struct segment *s);
int segment_new(struct commitlog *log, struct segment **out,
		       uint64_t number, uint64_t size);
int segment_renumber(struct commitlog *log, struct segment *s, uint64_t number);
int segment_write_header(struct commitlog *log, struct segment *s);
int segment_make_known(struct commitlog *log, struct segment *s,
			const struct segment *gone);
void segment_give_up(struct commitlog *log, struct segment *s);
int segment_forget(struct commitlog *log, const struct segment *a,
			   const struct segment *b);
int segment_begin(struct commitlog *log, struct segment *s,
			 uint64_t previous_end);
/* Write down where its records end: see commitlog_format.h. A failure does no
 * harm: only a damaged end is judged more leniently. */
void segment_put_end(struct commitlog *log, struct segment *s);
#endif
