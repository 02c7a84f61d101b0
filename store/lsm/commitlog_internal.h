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
	struct latency sync_time;
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
#endif
