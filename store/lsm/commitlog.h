/*
 * The commit log: a batch is here before any reader sees it, and after a crash
 * the batches in it are applied again. A position is a place in the log;
 * positions only grow. commitlog_format.h has the format.
 *
 * Threads: room and append by one at a time (the lsm's write lock, held from
 * one to the other); all else from any.
 */
#ifndef STORE_LSM_COMMITLOG_H
#define STORE_LSM_COMMITLOG_H
#include "store/base/file.h"
#include "store/base/latency.h"

struct commitlog;
struct manifest;

/*
 * Open the log in dir. Records before begin (from the manifest) are not needed
 * any more; up to synced, at begin or after it, the log is known to have been
 * on disk. The manifest knows which segments there are; NULL in tests. dir,
 * files and manifest stay the caller's. 0 or -errno.
 */
int commitlog_open(struct commitlog **out, const struct file_ops *files,
		   int dir, struct manifest *manifest, uint64_t begin,
		   uint64_t synced, bool read_only);
/* Say that each batch is synced before the next one of its writer: then records are
 * handed over by pwrite, as the first store into a page after a sync costs more.
 * Before the first append. */
void commitlog_expect_syncs(struct commitlog *log);
typedef int (*commitlog_each)(void *context, uint64_t position,
			      struct bytes batch);
/*
 * Read the whole log, and change nothing. Meanwhile each (NULL: none) is called
 * with every batch from begin on, in order, and its position. Returns 0 when the
 * log is sound; -EUCLEAN (reported) when a record is missing that was synced or,
 * with whole (no power cut came since), that was written. Any result of each
 * that is not 0 is returned.
 */
int commitlog_look(struct commitlog *log, bool whole, commitlog_each each,
		   void *context);
/*
 * Make the log ready for appends, and call each for every batch from begin on
 * again; once, before the first append. A torn tail ends it. If commitlog_look
 * was not called before, errors are those of it, and each is not called then.
 * -ENOSPC: may be tried again. While each runs the log ends after its batch,
 * and may be synced and released.
 */
int commitlog_replay(struct commitlog *log, commitlog_each each,
		     void *context);
/* Print the name of the file that a position is in. */
void commitlog_file_name(char name[32], uint64_t position);
/* Close it without a sync. NULL is accepted. */
void commitlog_close(struct commitlog *log);

/* The size of a new segment, when one is needed. */
enum log_room {
	LOG_GROWING,		/* the spare: twice the last, up to 16 MiB */
	LOG_FITTING,		/* of that size, or of the half that fits */
	LOG_LEAST,		/* no larger than it must be */
	LOG_RESERVE,		/* the file LOG_RESERVE_NAME becomes it */
};
/* A file of zeros that holds room back: its owner makes it whole beforehand. */
#define LOG_RESERVE_NAME "reserve"
#define LOG_RESERVE_BYTES ((uint64_t)1 << 20)
#define LOG_LARGEST_BATCH ((size_t)UINT32_MAX - 4096)
/*
 * Make sure that the next batch, of len bytes, has a segment to go to. -EIO
 * when the disk fails, -EROFS after that or read only, -ENOSPC (no room for a
 * segment of that size), -ENOMEM, -EFBIG (LOG_LARGEST_BATCH), -EINVAL (len is
 * 0). With LOG_GROWING no segment is made here, since all writers would wait
 * for the disk: -EAGAIN says that commitlog_prepare is to be called first.
 */
int commitlog_room(struct commitlog *log, size_t len, enum log_room room);
/*
 * Append the batch for which there is room. When it returns the kernel has the
 * batch, and *end is the position after it. -EROFS, and -ENOSPC and -ENOMEM
 * where segments cannot be mapped; then nothing was appended.
 */
int commitlog_append(struct commitlog *log, struct bytes batch, uint64_t *end);
/* Wait until everything before position is on disk; callers share syncs. The
 * first failure (-EIO and the like) makes the log read only for ever: -EIO. */
int commitlog_sync(struct commitlog *log, uint64_t position);
/* Return the position after the last record. */
uint64_t commitlog_end(const struct commitlog *log);
uint64_t commitlog_synced(const struct commitlog *log);
/* Return the bytes of all records that were ever appended here. */
uint64_t commitlog_appended(const struct commitlog *log);
/* Allow the segments before that of begin to be used again or removed. The
 * manifest says so durably before this is called. */
void commitlog_release(struct commitlog *log, uint64_t begin);
/* Remove the spare, and the newest segment too if it holds nothing that is
 * needed; the next one is small again. No append meanwhile. 0 or the error that
 * prevents it. */
int commitlog_shrink(struct commitlog *log);
/* True if an append will soon need a new segment. Then prepare one beforehand:
 * written with zeros and synced, so that later syncs touch no metadata. */
bool commitlog_needs_spare(const struct commitlog *log);
/*
 * With len 0: make that spare. Else make one for a batch of len bytes, if there
 * is no room for it yet; errors are those of commitlog_room, and -EINTR
 * (watch.h) while another thread makes one. Another writer may use it first:
 * then there is no room again.
 */
int commitlog_prepare(struct commitlog *log, size_t len);

struct commitlog_stats {
	uint64_t bytes, segments, syncs, appended;
	uint64_t held;		/* bytes of the records after its beginning */
	bool failed;
	struct latency_sum sync_time;
};
/* Fill in the figures. Any thread. */
void commitlog_stats(struct commitlog *log, struct commitlog_stats *stats);
#endif
