/*
 * Write the log. The newest segment is mapped, and an append is a copy into the
 * kernel's pages; where files cannot be mapped it is one pwrite.
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
#include <fcntl.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/base/watch.h"
#include "store/lsm/commitlog_internal.h"
#include "store/lsm/commitlog_replay.h"
#include "store/lsm/commitlog_segment.h"

void commitlog_file_name(char name[32], uint64_t position)
{
	segment_name(name, log_number(position));
}

static uint64_t take_number(struct commitlog *log) REQUIRES(&log->lock)
{
	return log->next_number++;
}

static uint64_t grown_size(struct commitlog *log) REQUIRES(&log->lock)
{
	uint64_t size = log->next_size;

	if (size < LOG_LARGEST_SEGMENT)
		log->next_size = size * 2;
	return size;
}

/* Take the old file, if it has that much room; else return NULL. */
static struct segment *take_old(struct commitlog *log, uint64_t need)
{
	struct segment *s;

	mutex_lock(&log->lock);
	s = log->old;
	if (s && s->size >= need)
		log->old = NULL;
	else
		s = NULL;
	mutex_unlock(&log->lock);
	return s;
}

static int make_segment(struct commitlog *log, struct segment **out,
			uint64_t number, uint64_t need, enum log_room room)
{
	uint64_t least = (need + 4095) & ~(uint64_t)4095, size;
	int err;

	if (least < LOG_SMALLEST_SEGMENT)
		least = LOG_SMALLEST_SEGMENT;
	mutex_lock(&log->lock);
	size = room == LOG_LEAST ? least : grown_size(log);
	mutex_unlock(&log->lock);
	if (size < least)
		size = least;
	err = segment_new(log, out, number, size);
	while (file_is_full(err) && room == LOG_FITTING && size > least) {
		size = size / 2 > least ? size / 2 : least;
		err = segment_new(log, out, number, size);
		mutex_lock(&log->lock);
		log->next_size = LOG_FIRST_SEGMENT;
		mutex_unlock(&log->lock);
	}
	return err;
}

/* Make a segment of the reserve: nobody else can take its room meanwhile. The
 * caller makes sure that it is whole, or not there. */
static int use_reserve(struct commitlog *log, struct segment **out,
		       uint64_t number, uint64_t need)
{
	struct segment *s;
	char name[32];
	int err;

	if (need > LOG_RESERVE_BYTES)
		return -ENOSPC;
	s = mem_zalloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->number = number;
	s->size = LOG_RESERVE_BYTES;
	s->fd = -1;
	segment_name(name, number);
	err = log->files->rename(log->files->context, log->dir,
				 LOG_RESERVE_NAME, name);
	if (err) {
		segment_free(log, s);
		return err == -ENOENT ? -ENOSPC : err;
	}
	err = segment_open(log, s, 0);
	if (err)
		segment_remove(log, s);
	else
		*out = s;
	return err;
}

/* True if the spare can be the next segment and has that much room. */
static bool spare_fits(const struct commitlog *log, uint64_t need)
	REQUIRES(&log->lock)
{
	const struct segment *s = log->spare;

	return s && s->size >= need &&
	       (!log->newest || s->number > log->newest->number);
}

/* Take the spare, if it can be the next segment. If it cannot, and with
 * instead, it is *useless, and *number is the number of another one. */
static struct segment *take_spare(struct commitlog *log, uint64_t need,
				  bool instead, struct segment **useless,
				  uint64_t *number)
{
	struct segment *s = NULL;

	mutex_lock(&log->lock);
	if (spare_fits(log, need)) {
		s = log->spare;
		log->spare = NULL;
	} else if (instead) {
		*useless = log->spare;
		log->spare = NULL;
		*number = take_number(log);
	}
	mutex_unlock(&log->lock);
	return s;
}

static int make_next(struct commitlog *log, struct segment **out,
		     uint64_t number, uint64_t need, enum log_room room)
{
	int err;

	/* The number is the upper half of a position. */
	if (number > UINT32_MAX)
		return -EFBIG;
	*out = take_old(log, need);
	if (*out)
		err = segment_renumber(log, *out, number);
	else if (room == LOG_RESERVE)
		err = use_reserve(log, out, number, need);
	else
		err = make_segment(log, out, number, need, room);
	return err ? err : segment_write_header(log, *out);
}

/* Begin a new segment with room for need bytes. */
static int roll(struct commitlog *log, uint64_t need, enum log_room room)
{
	struct segment *s, *useless = NULL;
	uint64_t number = 0;
	int err = 0;

	need += LOG_HEADER;
	if (need > UINT32_MAX)
		return -EFBIG;
	s = take_spare(log, need, room != LOG_GROWING, &useless, &number);
	if (!s && room == LOG_GROWING)
		return -EAGAIN;
	if (!s) {
		err = make_next(log, &s, number, need, room);
		if (!err)
			err = segment_make_known(log, s, useless);
	}
	if (!err)
		err = segment_begin(log, s, log->end);
	if (useless && !err && (s->named || !useless->named))
		segment_remove(log, useless);
	else
		segment_free(log, useless);	/* the next open removes it */
	if (err) {
		segment_give_up(log, s);
		return err;
	}
	mutex_lock(&log->lock);
	s->older = log->newest;
	log->newest = s;
	mutex_unlock(&log->lock);
	atomic_store(&log->end, log_position(s->number, s->end));
	return 0;
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
	if (s->map) {
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

/* Returns true for the first error. */
static bool fail(struct commitlog *log, int err)
{
	int none = 0;

	return atomic_compare_exchange_strong(&log->failed, &none, err);
}

/* True for errors that may pass and are no failure of the disk. */
static bool is_passing(int err)
{
	return file_is_full(err) || err == -ENOMEM || err == -EFBIG ||
	       err == -EMFILE || err == -ENFILE || err == -EAGAIN;
}

static bool has_failed(const struct commitlog *log)
{
	return atomic_load_explicit(&log->failed, memory_order_relaxed);
}

/* Return what the appender is told of an error that may end all writing: that
 * of the disk to the first who meets it. */
static int refusal(struct commitlog *log, int err)
{
	if (!err || is_passing(err))
		return err;
	return fail(log, err) ? -EIO : -EROFS;
}

static int check_room(const struct commitlog *log, size_t len)
{
	if (log->read_only || has_failed(log))
		return -EROFS;
	return !len ? -EINVAL : len > LOG_LARGEST_BATCH ? -EFBIG : 0;
}

int commitlog_room(struct commitlog *log, size_t len, enum log_room room)
{
	uint64_t size = log_record_size(len);
	const struct segment *s = log->newest;
	int err = check_room(log, len);

	if (err || (s && s->fd >= 0 && s->size - s->end >= size))
		return err;
	return refusal(log, roll(log, size, room));
}

int commitlog_append(struct commitlog *log, struct bytes batch, uint64_t *end)
{
	uint64_t size = log_record_size(batch.len);
	struct segment *s = log->newest;
	int err = has_failed(log) ? -EROFS : put_record(log, s, batch);

	if (err)
		return refusal(log, err);
	s->end += size;
	segment_put_end(log, s);
	*end = log_position(s->number, s->end);
	/* There is one appender: a load and a store are enough. */
	atomic_store_explicit(&log->appended,
			      atomic_load_explicit(&log->appended,
						   memory_order_relaxed) + size,
			      memory_order_relaxed);
	atomic_store_explicit(&log->end, *end, memory_order_release);
	if (!log->wants_spare && s->size - s->end < s->size / 4 * 3)
		atomic_store(&log->wants_spare, true);
	return 0;
}

/* The work of a sync on one segment; taken under the lock. */
struct commitlog_part {
	struct segment *segment;
	uint64_t from, to;
	bool fresh;
};

static int sync_part(struct commitlog *log, const struct commitlog_part *p)
{
	const struct file_ops *files = log->files;
	struct segment *s = p->segment;
	uint64_t page = p->from & ~(uint64_t)4095;

	if (s->map)
		return files->map_sync(files->context, s->fd, s->map + page,
				       p->to - page);
	return files->datasync(files->context, s->fd);
}

/* Return the offset after its last record. In the newest segment only the
 * appender may look it up. */
static uint64_t end_of(struct commitlog *log, const struct segment *s)
	REQUIRES(&log->lock)
{
	uint64_t position = atomic_load_explicit(&log->end,
						 memory_order_acquire);

	if (s->number > log_number(position))
		return LOG_HEADER;	/* it is still empty */
	return s->number == log_number(position) ? log_offset(position) :
						   s->end;
}

#define MOST_PARTS 16

/* Collect the oldest parts that are not synced. Segments that leave the list
 * while syncing is set are kept (release waits). */
static size_t gather(struct commitlog *log, struct commitlog_part *parts,
		     uint64_t *end)
	REQUIRES(&log->lock)
{
	uint64_t position = atomic_load_explicit(&log->end,
						 memory_order_acquire);
	struct segment *s;
	size_t count = 0;

	*end = position;
	for (s = log->newest; s; s = s->older) {
		uint64_t to = s->number == log_number(position) ?
				      log_offset(position) : s->end;

		if (s->number > log_number(position) || s->synced >= to)
			continue;
		if (count == MOST_PARTS) {	/* the newest: later */
			memmove(parts, parts + 1,
				(--count) * sizeof(*parts));
			*end = log_position(parts[0].segment->number,
					    parts[0].to);
		}
		parts[count++] = (struct commitlog_part){ s, s->synced, to,
							 s->fresh };
	}
	return count;
}

static int sync_parts(struct commitlog *log, struct commitlog_part *parts,
		      size_t count)
{
	bool fresh = false;
	int err = 0;

	while (count-- && !err) {
		err = sync_part(log, &parts[count]);
		fresh |= parts[count].fresh;
	}
	if (!err && fresh)
		err = log->files->sync(log->files->context, log->dir);
	return err;
}

static void lead_sync(struct commitlog *log) REQUIRES(&log->lock)
{
	struct commitlog_part parts[MOST_PARTS];
	uint64_t end, begun;
	size_t count, i;
	int err;

	log->syncing = true;
	count = gather(log, parts, &end);
	mutex_unlock(&log->lock);
	begun = clock_monotonic_ns();
	err = sync_parts(log, parts, count);
	latency_add(&log->sync_time, clock_monotonic_ns() - begun);
	mutex_lock(&log->lock);
	if (err) {
		(void)fail(log, err);
	} else {
		for (i = 0; i < count; i++) {
			parts[i].segment->synced = parts[i].to;
			parts[i].segment->fresh = false;
		}
		atomic_store(&log->synced, end);
		log->syncs++;
	}
	log->syncing = false;
	pthread_cond_broadcast(&log->sync_done);
}

int commitlog_sync(struct commitlog *log, uint64_t position)
{
	int failed;

	if (atomic_load(&log->synced) >= position && !log->failed)
		return 0;
	mutex_lock(&log->lock);
	while (!(failed = log->failed) && log->synced < position) {
		if (log->syncing)
			mutex_wait(&log->lock, &log->sync_done);
		else
			lead_sync(log);
	}
	mutex_unlock(&log->lock);
	return failed ? -EIO : 0;
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

bool commitlog_wants_spare(const struct commitlog *log)
{
	return atomic_load_explicit(&log->wants_spare, memory_order_relaxed);
}

/* Write zeros over the whole file and to the disk, so that later syncs find
 * every block in place. It stops when somebody waits: zeros are not
 * required. */
static int fill_with_zeros(struct commitlog *log, struct segment *s)
{
	size_t piece = 256 * 1024;
	uint8_t *zeros = mem_zalloc(1, piece);
	uint64_t at;
	int err = zeros ? 0 : -ENOMEM;

	for (at = 0; at < s->size && !err && !log->awaited; at += piece)
		err = file_write(log->files, s->fd, zeros,
				 s->size - at < piece ? s->size - at : piece,
				 at);
	if (!err)
		err = log->files->datasync(log->files->context, s->fd);
	mem_free(zeros);
	return err;
}

/* Make a segment of this number ready to be begun, in place of one that will
 * not be used (NULL: none). When somebody waits for it zeros are left out. */
static int make_ready(struct commitlog *log, struct segment **out,
		      uint64_t number, uint64_t need, bool zeros,
		      const struct segment *useless)
{
	struct segment *s;
	uint64_t size;
	int err;

	mutex_lock(&log->lock);
	size = grown_size(log);
	mutex_unlock(&log->lock);
	if (size < need)
		size = need;
	s = take_old(log, zeros ? size : need);
	if (s) {
		err = segment_renumber(log, s, number);
	} else {
		err = segment_new(log, &s, number, size);
		if (err)
			return err;
		err = zeros ? fill_with_zeros(log, s) : 0;
	}
	if (!err)
		err = segment_write_header(log, s);
	if (!err)
		err = segment_make_known(log, s, useless);
	if (err)
		segment_give_up(log, s);
	else
		*out = s;
	return err;
}

/* True if there is room for a record of that size, or a spare that has it. */
static bool is_ready(struct commitlog *log, uint64_t size)
	REQUIRES(&log->lock)
{
	const struct segment *s = log->newest;

	return (s && s->fd >= 0 && size && s->size - end_of(log, s) >= size) ||
	       spare_fits(log, size + LOG_HEADER);
}

/* Make a spare with room for a record of that size, or of any size (0), in
 * place of the spare that may exist. */
static int make_spare(struct commitlog *log, uint64_t size)
	REQUIRES(&log->preparing)
{
	uint64_t need = (size + LOG_HEADER + 4095) & ~(uint64_t)4095, number;
	struct segment *s = NULL, *useless;
	int err;

	mutex_lock(&log->lock);
	number = take_number(log);
	useless = log->spare;
	log->spare = NULL;
	mutex_unlock(&log->lock);
	/* The number is the upper half of a position, the size the lower. */
	err = number > UINT32_MAX || need > UINT32_MAX ? -EFBIG : 0;
	if (!err)
		err = make_ready(log, &s, number, need, !size, useless);
	mutex_lock(&log->lock);
	log->wants_spare = false;
	log->spare = !err ? s : is_passing(err) ? useless : NULL;
	mutex_unlock(&log->lock);
	if (useless && !err && (s->named || !useless->named))
		segment_remove(log, useless);
	else if (!is_passing(err))	/* the next open removes it */
		segment_free(log, useless);
	return err;
}

int commitlog_prepare(struct commitlog *log, size_t len)
{
	uint64_t size = len ? log_record_size(len) : 0;
	int err = len ? check_room(log, len) : 0;
	bool ready;

	if (err)
		return err;
	if (log->read_only || log->failed)
		return 0;
	log->awaited += len != 0;
	err = watch_lock(&log->preparing);
	log->awaited -= len != 0;
	if (err)
		return err;
	mutex_lock(&log->lock);
	ready = is_ready(log, size);
	if (ready && log->spare)
		log->wants_spare = false;
	mutex_unlock(&log->lock);
	if (!ready)
		err = make_spare(log, size);
	mutex_unlock(&log->preparing);
	return len ? refusal(log, err) : err;
}

/* Count the bytes of the segment's records after the log's begin. */
static uint64_t held_of(struct commitlog *log, const struct segment *s)
	REQUIRES(&log->lock)
{
	uint64_t from = LOG_HEADER, end = end_of(log, s);

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
