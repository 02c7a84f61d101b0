/*
 * The commit log: a batch is here before any reader sees it, and after a crash
 * what was here is applied again. A position is a place in the log; positions
 * only grow. commitlog_format.h has the format.
 *
 * Threads: room and append by one at a time (the lsm's write lock, held from one
 * to the other); all else from any.
 */
#ifndef STORE_LSM_COMMITLOG_H
#define STORE_LSM_COMMITLOG_H
#include "store/base/file.h"

struct commitlog;
struct manifest;

/*
 * Open the log in dir. What lies before begin (as the manifest has it) is not
 * needed any more; up to synced, at begin or behind it, the log is known to have
 * been on disk. The manifest knows which segments there are; NULL in tests. dir,
 * files and manifest stay the caller's. 0 or -errno.
 */
int commitlog_open(struct commitlog **out, const struct file_ops *files,
		   int dir, struct manifest *manifest, uint64_t begin,
		   uint64_t synced, bool read_only);
typedef int (*commitlog_each)(void *context, uint64_t position,
			      struct bytes batch);
/*
 * Read the whole log, and change nothing: 0 when it is sound; then each (NULL:
 * nobody) was called with every batch from begin on, in order, and its position.
 * -EUCLEAN (told) when something is missing that was synced, or with whole (no
 * power cut came since) that was written; and what each returns if not 0.
 */
int commitlog_look(struct commitlog *log, bool whole, commitlog_each each,
		   void *context);
/*
 * Make the log one that can be appended to, and call each batch from begin on
 * again; once, before the first append. A torn tail ends it; if nobody looked
 * before, errors are as there, and none is called then. -ENOSPC: may be tried
 * again. While each runs the log ends behind its batch, and may be synced and
 * released.
 */
int commitlog_replay(struct commitlog *log, commitlog_each each,
		     void *context);
/* The name of the file that a position is in. */
void commitlog_file_name(char name[32], uint64_t position);
/* Syncs no record. NULL is accepted. */
void commitlog_close(struct commitlog *log);

/* How large may a new segment be, when one is needed? */
enum log_room {
	LOG_GROWING,		/* the spare: twice the last, up to 16 MiB */
	LOG_FITTING,		/* of that size, or what fits of its halves */
	LOG_LEAST,		/* no larger than it must be */
	LOG_RESERVE,		/* the file LOG_RESERVE_NAME becomes it */
};
/* Zeros that hold room back: its owner makes it whole beforehand. */
#define LOG_RESERVE_NAME "reserve"
#define LOG_RESERVE_BYTES ((uint64_t)1 << 20)
#define LOG_LARGEST_BATCH ((size_t)UINT32_MAX - 4096)
/*
 * See to it that the next batch, of len bytes, has a segment to go to. -EIO when
 * the disk fails, -EROFS after that or read only, -ENOSPC (for no segment of that
 * size is room), -ENOMEM, -EFBIG (LOG_LARGEST_BATCH), -EINVAL (of no bytes). With
 * LOG_GROWING no segment is made here, since all writers would wait for the disk:
 * -EAGAIN says that commitlog_prepare is to be called first.
 */
int commitlog_room(struct commitlog *log, size_t len, enum log_room room);
/*
 * Append the batch for which there is room: handed to the kernel when it
 * returns, with *end the position behind it. -EROFS, and -ENOSPC and -ENOMEM
 * where segments cannot be mapped; then nothing was appended.
 */
int commitlog_append(struct commitlog *log, struct bytes batch, uint64_t *end);
/* Wait until all before position is on disk; callers share syncs. The first
 * failure (-EIO and the like) makes the log read only for ever: -EIO. */
int commitlog_sync(struct commitlog *log, uint64_t position);
/* Behind the last record. */
uint64_t commitlog_end(const struct commitlog *log);
uint64_t commitlog_synced(const struct commitlog *log);
/* Bytes of all records that were ever appended here. */
uint64_t commitlog_appended(const struct commitlog *log);
/* Segments before that of begin may be used again, or go. The manifest
 * says so durably before this is called. */
void commitlog_release(struct commitlog *log, uint64_t begin);
/* On a full disk: the spare goes, and the newest segment too if it holds nothing
 * that is needed. No append meanwhile. 0, or why not. */
int commitlog_shrink(struct commitlog *log);
/* Will append need a new segment soon? Then prepare one beforehand: written
 * with zeros and synced, so that later syncs touch no metadata. */
bool commitlog_wants_spare(const struct commitlog *log);
/*
 * With len 0: make that one. Else make one for a batch of so many bytes, if it
 * has no room yet; errors are those of commitlog_room, and -EINTR (watch.h) while
 * another makes one. Others may need it first:
 * then there is no room again.
 */
int commitlog_prepare(struct commitlog *log, size_t len);

struct commitlog_stats {
	uint64_t bytes, segments, syncs, appended;
	uint64_t held;		/* bytes of the records behind its begin */
	bool failed;
};
void commitlog_stats(struct commitlog *log, struct commitlog_stats *stats);
#endif
