/* Shared by the commitlog*.c files. */
#ifndef STORE_LSM_COMMITLOG_INTERNAL_H
#define STORE_LSM_COMMITLOG_INTERNAL_H
#include <errno.h>
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
	bool expects_syncs;
	uint64_t begin;
	_Atomic uint64_t end, synced, appended, syncs;
	struct latency sync_time;
	atomic_int failed;	/* the first error of the disk, or 0 */
	_Atomic bool wants_spare;
	atomic_uint awaited;	/* callers that wait for a spare */

	struct mutex preparing;	/* held to make a spare; before lock */
	struct mutex lock;
	pthread_cond_t sync_done;
	bool syncing;		/* under lock, as all below */
	struct segment *newest;	/* the one that is written, and older ones */
	/* Ready to become the newest, or NULL. Changes under lock. */
	struct segment *_Atomic spare;
	struct segment *old;	/* its file can become a segment, or NULL */
	uint64_t next_number, next_size;
	struct buf record;	/* the appender's, for pwrite */
	struct replay *replay;	/* from commitlog_look to commitlog_replay */
};

/* True for errors that may pass and are no failure of the disk. */
static inline bool commitlog_is_passing(int err)
{
	return file_is_full(err) || err == -ENOMEM || err == -EFBIG ||
	       err == -EMFILE || err == -ENFILE || err == -EAGAIN;
}
static inline bool commitlog_has_failed(const struct commitlog *log)
{
	return atomic_load_explicit(&log->failed, memory_order_relaxed);
}

/* commitlog.c: end all writing for an error. Returns true for the first one. */
bool commitlog_fail(struct commitlog *log, int err);
/* Return what the appender is told of an error that may end all writing: that
 * of the disk to the first who meets it. */
int commitlog_refusal(struct commitlog *log, int err);
/* Return the offset after the segment's last record. In the newest segment only
 * the appender may look it up. */
uint64_t commitlog_end_of(struct commitlog *log, const struct segment *s)
	REQUIRES(&log->lock);
#endif
