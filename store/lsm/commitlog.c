/*
 * Write the log. The newest segment is mapped, and an append is a copy into the
 * kernel's pages; where files cannot be mapped, or where each writer syncs, it is
 * one pwrite.
 *
 * Order against crashes: a segment's file is made, with a header, and synced,
 * then its name, then the manifest names it; then it is begun (it says which
 * segment it follows), and then records are written. Mostly all but the last is
 * done beforehand. A sync covers the segments in order, oldest first. A segment
 * is used again, under a new name, or removed only after the manifest has said
 * durably that the log begins after it (the caller's duty), or that it is gone.
 * An old record is never taken for a new one: the seeds of the checksums
 * include the segment's number.
 */
#include "store/lsm/commitlog.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/commitlog_internal.h"
#include "store/lsm/commitlog_replay.h"
#include "store/lsm/commitlog_segment.h"

int commitlog_open(struct commitlog **out, const struct file_ops *files,
		   int dir, struct manifest *manifest, uint64_t begin,
		   uint64_t synced, bool read_only)
{
	struct commitlog *log = mem_zalloc(1, sizeof(*log));

	if (!log)
		return -ENOMEM;
	log->files = files;
	log->dir = dir;
	log->manifest = manifest;
	log->read_only = read_only;
	log->begin = begin;
	log->next_number = log_number(begin) + 1;
	log->next_size = LOG_FIRST_SEGMENT;
	atomic_init(&log->end, begin);
	atomic_init(&log->synced, synced);
	mutex_init(&log->preparing);
	mutex_init(&log->lock);
	pthread_cond_init(&log->sync_done, NULL);
	*out = log;
	return 0;
}

void commitlog_expect_syncs(struct commitlog *log)
{
	log->expects_syncs = true;
}

void commitlog_file_name(char name[32], uint64_t position)
{
	segment_name(name, log_number(position));
}

static void put_record_head(uint8_t head[LOG_RECORD], struct bytes batch,
			    uint64_t position, uint64_t synced)
{
	uint32_t len = (uint32_t)batch.len;

	put_le32(head, len);
	put_le32(head + 4, log_head_check(len, synced, position));
	put_le64(head + 8, synced);
	put_le64(head + 16, log_check(batch, position));
}

static int put_record(struct commitlog *log, struct segment *s,
		      struct bytes batch)
{
	uint64_t position = log_position(s->number, s->end);
	uint8_t head[LOG_RECORD];

	put_record_head(head, batch, position, log->synced);
	if (s->map && !log->expects_syncs) {
		uint8_t *to = s->map + s->end;

		memcpy(to + LOG_RECORD, batch.ptr, batch.len);
		memcpy(to + 4, head + 4, LOG_RECORD - 4);
		__atomic_store_n((uint32_t *)(void *)to, (uint32_t)batch.len,
				 __ATOMIC_RELEASE);
		return 0;
	}
	buf_clear(&log->record);
	buf_add(&log->record, head, LOG_RECORD);
	buf_add_bytes(&log->record, batch);
	if (log->record.failed)
		return -ENOMEM;
	return file_write(log->files, s->fd, log->record.ptr, log->record.len,
			  s->end);
}

bool commitlog_fail(struct commitlog *log, int err)
{
	int none = 0;

	return atomic_compare_exchange_strong(&log->failed, &none, err);
}

int commitlog_refusal(struct commitlog *log, int err)
{
	if (!err || commitlog_is_passing(err))
		return err;
	return commitlog_fail(log, err) ? -EIO : -EROFS;
}

int commitlog_append(struct commitlog *log, struct bytes batch, uint64_t *end)
{
	uint64_t size = log_record_size(batch.len);
	struct segment *s = log->newest;
	int err = commitlog_has_failed(log) ? -EROFS : put_record(log, s, batch);

	if (err)
		return commitlog_refusal(log, err);
	s->end += size;
	segment_put_end(log, s);
	*end = log_position(s->number, s->end);
	/* There is one appender: a load and a store are enough. */
	atomic_store_explicit(&log->appended,
			      atomic_load_explicit(&log->appended,
						   memory_order_relaxed) + size,
			      memory_order_relaxed);
	atomic_store_explicit(&log->end, *end, memory_order_release);
	if (s->size - s->end < s->size / 4 * 3 && !log->wants_spare &&
	    !atomic_load_explicit(&log->spare, memory_order_relaxed))
		atomic_store(&log->wants_spare, true);
	return 0;
}

uint64_t commitlog_end_of(struct commitlog *log, const struct segment *s)
{
	uint64_t position = atomic_load_explicit(&log->end,
						 memory_order_acquire);

	if (s->number > log_number(position))
		return LOG_HEADER;	/* it is still empty */
	return s->number == log_number(position) ? log_offset(position) :
						   s->end;
}

uint64_t commitlog_end(const struct commitlog *log)
{
	return atomic_load_explicit(&log->end, memory_order_acquire);
}

uint64_t commitlog_synced(const struct commitlog *log)
{
	return atomic_load(&log->synced);
}

uint64_t commitlog_appended(const struct commitlog *log)
{
	return atomic_load_explicit(&log->appended, memory_order_relaxed);
}

/* Keep a segment that is no longer needed for use, or remove it. */
static void retire(struct commitlog *log, struct segment *s)
{
	mutex_lock(&log->lock);
	if (!log->old && s->fd >= 0 && s->size >= log->next_size &&
	    s->size <= LOG_LARGEST_SEGMENT) {
		log->old = s;
		s = NULL;
	}
	mutex_unlock(&log->lock);
	/* A file that is left is found and removed at the next open. */
	if (s)
		segment_remove(log, s);
}

void commitlog_release(struct commitlog *log, uint64_t begin)
{
	struct segment **at, *s, *gone = NULL;

	if (log->read_only || log->failed)
		return;
	mutex_lock(&log->lock);
	while (log->syncing)
		mutex_wait(&log->lock, &log->sync_done);
	for (at = &log->newest; (s = *at);) {
		if (s == log->newest || s->number >= log_number(begin)) {
			at = &s->older;
			continue;
		}
		*at = s->older;
		s->older = gone;
		gone = s;
	}
	if (begin > log->begin)
		log->begin = begin;
	mutex_unlock(&log->lock);
	while ((s = gone)) {
		gone = s->older;
		retire(log, s);
	}
}

int commitlog_shrink(struct commitlog *log)
{
	struct segment *newest, *spare, *old;
	int err;

	if (log->read_only || log->failed)
		return 0;
	mutex_lock(&log->lock);
	while (log->syncing)
		mutex_wait(&log->lock, &log->sync_done);
	newest = log->newest;
	if (!newest || newest->older ||
	    log_position(newest->number, newest->end) > log->begin)
		newest = NULL;
	spare = log->spare;
	log->spare = NULL;
	old = log->old;
	log->old = NULL;
	log->next_size = LOG_FIRST_SEGMENT;
	mutex_unlock(&log->lock);
	if (old)
		segment_remove(log, old);
	err = segment_forget(log, newest, spare);
	mutex_lock(&log->lock);
	if (err) {
		log->spare = spare;
		newest = spare = NULL;
	} else if (newest) {
		log->newest = NULL;
	}
	mutex_unlock(&log->lock);
	if (newest)
		segment_remove(log, newest);
	if (spare)
		segment_remove(log, spare);
	return err;
}

/* Count the bytes of the segment's records after the log's beginning. */
static uint64_t held_of(struct commitlog *log, const struct segment *s)
	REQUIRES(&log->lock)
{
	uint64_t from = LOG_HEADER, end = commitlog_end_of(log, s);

	if (s->number < log_number(log->begin))
		return 0;
	if (s->number == log_number(log->begin) &&
	    log_offset(log->begin) > from)
		from = log_offset(log->begin);
	return end > from ? end - from : 0;
}

void commitlog_stats(struct commitlog *log, struct commitlog_stats *stats)
{
	struct segment *s;

	*stats = (struct commitlog_stats){ 0 };
	mutex_lock(&log->lock);
	for (s = log->newest; s; s = s->older) {
		stats->segments++;
		stats->bytes += s->size;
		stats->held += held_of(log, s);
	}
	if (log->spare)
		stats->bytes += log->spare->size;
	if (log->old)
		stats->bytes += log->old->size;
	mutex_unlock(&log->lock);
	stats->syncs = log->syncs;
	latency_sum(&stats->sync_time, &log->sync_time);
	stats->appended = log->appended;
	stats->failed = log->failed != 0;
}

/* Remove what is no longer needed; else the next open removes it. */
static void leave_nothing(struct commitlog *log)
{
	if (log->read_only || log->failed)
		return;
	if (log->spare && !segment_forget(log, log->spare, NULL)) {
		segment_remove(log, log->spare);
		log->spare = NULL;
	}
	if (log->old)
		segment_remove(log, log->old);
	log->old = NULL;
}

void commitlog_close(struct commitlog *log)
{
	struct segment *s;

	if (!log)
		return;
	replay_free(log->replay);
	leave_nothing(log);
	while ((s = log->newest)) {
		log->newest = s->older;
		segment_free(log, s);
	}
	segment_free(log, log->spare);
	segment_free(log, log->old);
	mutex_release(&log->lock);
	mutex_release(&log->preparing);
	pthread_cond_destroy(&log->sync_done);
	buf_release(&log->record);
	mem_free(log);
}
