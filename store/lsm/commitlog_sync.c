/*
 * Syncs of the log. One caller leads: it syncs all segments up to the end, and
 * the others wait for it. The segments are synced in order, oldest first.
 */
#include <errno.h>

#include "store/base/clock.h"
#include "store/lsm/commitlog_internal.h"

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
		(void)commitlog_fail(log, err);
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
