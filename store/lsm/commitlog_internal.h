/* Shared by the commitlog*.c files. */
#ifndef STORE_LSM_COMMITLOG_INTERNAL_H
#define STORE_LSM_COMMITLOG_INTERNAL_H
#include <stdatomic.h>

#include "store/base/lock.h"
#include "store/lsm/commitlog.h"
#include "store/lsm/commitlog_format.h"
#include "store/lsm/manifest.h"

struct segment {
	struct segment *older;
	uint64_t number, size;
	int fd;			/* -1: not open (not needed for writing) */
	uint8_t *map;		/* NULL: pwrite */
	uint64_t end;		/* offset after the last record */
	uint64_t synced;	/* offset; under lock */
	bool fresh;		/* its name may not be durable yet */
	bool named;		/* in the manifest */
};

struct commitlog {
	const struct file_ops *files;
	int dir;
	struct manifest *manifest;	/* NULL: segments are not named */
	bool read_only;
	uint64_t begin;
	_Atomic uint64_t end, synced, appended, syncs;
	atomic_int failed;	/* the first error of the disk, or 0 */
	_Atomic bool wants_spare;
	atomic_uint awaited;	/* callers that wait for a spare */

	struct mutex preparing;	/* held to make a spare; before lock */
	struct mutex lock;
	pthread_cond_t sync_done;
	bool syncing;		/* under lock, as all below */
	struct segment *newest;	/* the one that is written, and older ones */
	struct segment *spare;	/* ready to become the newest, or NULL */
	struct segment *old;	/* its file can become a segment, or NULL */
	uint64_t next_number, next_size;
	struct buf record;	/* the appender's, for pwrite */
	struct replay *replay;	/* from commitlog_look to commitlog_replay */
};

/* NULL is accepted. */
void replay_free(struct replay *p);
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
