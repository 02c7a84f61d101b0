/*
 * Room for the next batch: new segments, and the spare that is made before it is
 * needed. commitlog.c has the order against crashes.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/watch.h"
#include "store/lsm/commitlog_internal.h"
#include "store/lsm/commitlog_segment.h"

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

static int check_room(const struct commitlog *log, size_t len)
{
	if (log->read_only || commitlog_has_failed(log))
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
	return commitlog_refusal(log, roll(log, size, room));
}

bool commitlog_needs_spare(const struct commitlog *log)
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

	return (s && s->fd >= 0 && size && s->size - commitlog_end_of(log, s) >= size) ||
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
	log->spare = !err ? s : commitlog_is_passing(err) ? useless : NULL;
	mutex_unlock(&log->lock);
	if (useless && !err && (s->named || !useless->named))
		segment_remove(log, useless);
	else if (!commitlog_is_passing(err))	/* the next open removes it */
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
	return len ? commitlog_refusal(log, err) : err;
}
