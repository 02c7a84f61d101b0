/*
 * Replay the log: find its segments, what is in them, and where it ends.
 *
 * Segments are read twice. The first pass finds the end, and whether the log may
 * end there: nothing is changed in a damaged log, and in a sound one not before
 * its owner calls commitlog_replay. Then the log is in the state of
 * having been written up to a record, and that record is passed to the caller;
 * after the last one it can be appended to. So the callee may flush what it has
 * got, which syncs the log up to there and releases the segments before.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/log.h"
#include "store/lsm/commitlog_internal.h"
#include "store/lsm/commitlog_reading.h"
#include "store/lsm/commitlog_replay.h"
#include "store/lsm/commitlog_segment.h"

struct numbers {
	uint64_t *list;
	size_t count, room;
};

static int note_name(void *data, const char *name)
{
	struct numbers *n = data;
	unsigned long long number;
	uint64_t *grown;
	char back[32];

	if (sscanf(name, "log-%16llx", &number) != 1)
		return 0;
	segment_name(back, number);
	if (strcmp(back, name) || !number || number > UINT32_MAX)
		return 0;
	grown = array_grow(n->list, n->count, sizeof(*grown), &n->room);
	if (!grown)
		return -ENOMEM;
	n->list = grown;
	n->list[n->count++] = number;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int list_segments(struct commitlog *log, struct numbers *n)
{
	int err = log->files->list(log->files->context, log->dir, note_name, n);

	if (!err && n->count)
		qsort(n->list, n->count, sizeof(*n->list), by_number);
	return err;
}

struct replay {
	struct commitlog *log;
	struct manifest_segment *named;
	size_t named_count;
	struct numbers numbers;	/* of all segments that are there */
	struct log_reading *readings;	/* of those that may be needed */
	size_t count;
	struct window window;
	uint64_t end;		/* all before it was read */
	size_t at;		/* the segment that end is in */
	uint64_t most_synced;
	bool reusable;		/* nothing was written after the end */
	commitlog_each each;	/* of the first pass, or NULL */
	void *context;
};

/* True if it is part of the log, up to the end. */
static bool is_kept(const struct replay *p, size_t i)
{
	return p->at < p->count && i <= p->at && p->readings[i].headed;
}

/* Read one segment from offset to stop, or to its last record; end is after
 * it. */
static int survey_segment(struct replay *p, struct log_reading *r,
			  uint64_t offset, uint64_t stop)
{
	while (offset < stop) {
		uint64_t synced, position = log_position(r->s->number, offset);
		struct bytes batch;
		int got = reading_record(r, offset, &batch, &synced), err = 0;

		if (got <= 0)
			return got;
		if (p->each)
			err = p->each(p->context, position, batch);
		if (err)
			return err;
		if (synced > p->most_synced)
			p->most_synced = synced;
		offset += log_record_size(batch.len);
		r->s->end = offset;
		p->end = log_position(r->s->number, offset);
	}
	return 0;
}

/* Return the next segment with a good header from i on, or count. */
static size_t next_headed(const struct replay *p, size_t i)
{
	while (i < p->count && !p->readings[i].headed)
		i++;
	return i;
}

/* Continue segment by segment while each begins where the one before ended. */
static int survey(struct replay *p)
{
	uint64_t begin = p->log->begin;
	size_t i = next_headed(p, 0), next;
	int err = 0;

	p->end = begin;
	p->at = p->count;
	for (; i < p->count && !err; i = next) {
		struct log_reading *r = &p->readings[i];
		uint64_t offset = LOG_HEADER, stop = UINT64_MAX;

		next = next_headed(p, i + 1);
		if (r->s->number == log_number(begin) &&
		    log_offset(begin) > offset)
			offset = log_offset(begin);
		else if (p->at < p->count ? r->previous_end != p->end :
			 r->previous_end > p->end)
			break;	/* a segment between is missing */
		if (next < p->count && log_number(p->readings[next].previous_end)
					       == r->s->number)
			stop = log_offset(p->readings[next].previous_end);
		p->at = i;
		p->end = log_position(r->s->number, offset);
		r->begin = offset;
		r->s->end = offset;
		err = survey_segment(p, r, offset, stop);
		if (stop != UINT64_MAX && r->s->end != stop)
			break;	/* a hole */
	}
	return err;
}

/* Check that nothing after the end was synced. */
static int check_tail(struct replay *p)
{
	size_t i;
	int err = 0;

	p->reusable = true;
	for (i = 0; i < p->count && !err; i++) {
		struct log_reading *r = &p->readings[i];
		bool any = i != p->at;	/* there only what was synced matters */

		if (i != p->at && is_kept(p, i))
			continue;
		err = reading_scan(r, i == p->at ? r->s->end : LOG_HEADER,
			   &p->most_synced, &any);
		if (i == p->at && any)
			p->reusable = false;
	}
	if (!err && p->end < p->most_synced) {
		char name[32];

		segment_name(name, log_number(p->end));
		err = log_corrupt(name, log_offset(p->end),
				  "the record here was "
				  "on disk and is not there any more");
	}
	return err;
}

/* Check that nothing that was written is missing, synced or not. */
static int check_whole(struct replay *p)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		struct log_reading *r = &p->readings[i];
		char name[32];

		segment_name(name, r->s->number);
		if (r->version < 2)
			continue;
		if (is_kept(p, i) && !r->written)
			return log_corrupt(name, LOG_END,
					   "where its records end "
					   "is damaged");
		if (is_kept(p, i) && r->s->end < r->written)
			return log_corrupt(name, r->s->end,
					   "the record here was "
					   "written and is not there any more");
		if (!is_kept(p, i) && r->s->named &&
		    (r->headed || r->written > LOG_HEADER))
			return log_corrupt(name, LOG_BEGUN,
					   "its records do not "
					   "follow those before");
	}
	return 0;
}

/* Let appends continue in the newest segment. One that is larger than those
 * made here has room on the disk only for what it holds. */
static void resume(struct commitlog *log, struct segment *s, bool reusable)
{
	void *map = NULL;

	if (reusable && s->size > s->end && s->size <= LOG_LARGEST_SEGMENT &&
	    !log->files->allocate(log->files->context, s->fd, s->size)) {
		if (!log->files->map(log->files->context, s->fd, s->size, &map))
			s->map = map;
		return;
	}
	s->size = s->end;	/* full: the next append begins a new one */
}

static int remove_number(struct commitlog *log, uint64_t number)
{
	char name[32];

	segment_name(name, number);
	return log->files->unlink(log->files->context, log->dir, name);
}

/* Sync the log as it was found. */
static int sync_kept(struct replay *p)
{
	struct commitlog *log = p->log;
	size_t i;
	int err = 0;

	for (i = 0; i < p->count && !err; i++)
		if (is_kept(p, i))
			err = log->files->datasync(log->files->context,
						   p->readings[i].s->fd);
	return err ? err : log->files->sync(log->files->context, log->dir);
}

/*
 * Store in each segment its end: its writer may have been killed before. Nothing
 * is synced here, as the log is in the state of having been written: the next
 * sync does it. But a segment is durable before the manifest names it.
 */
static int store_ends(struct replay *p)
{
	bool named = true;
	size_t i;
	int err = 0;

	for (i = 0; i < p->count; i++) {
		struct log_reading *r = &p->readings[i];

		if (!is_kept(p, i))
			continue;
		if (r->version > 1 && r->written != r->s->end)
			segment_put_end(p->log, r->s);
		named &= r->s->named;
	}
	if (!named)
		err = sync_kept(p);
	if (!named && !err)
		p->most_synced = p->end;
	return err;
}

/* Let the manifest name the segments that are kept, and no others. */
static int name_kept(struct replay *p)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	size_t i;
	int err = 0;

	if (!p->log->manifest)
		return 0;
	for (i = 0; i < p->count; i++) {
		const struct segment *s = p->readings[i].s;

		if (is_kept(p, i) && !s->named)
			manifest_edit_segment(&edit, s->number, s->size);
		else if (!is_kept(p, i) && s->named)
			manifest_edit_segment_gone(&edit, s->number);
	}
	if (edit.steps.len || edit.steps.failed)
		err = manifest_apply(p->log->manifest, &edit);
	manifest_edit_release(&edit);
	for (i = 0; i < p->count && !err; i++)
		p->readings[i].s->named = is_kept(p, i);
	return err;
}

/* Remove durably, before a new segment may say that it follows another. */
static int remove_others(struct replay *p)
{
	struct commitlog *log = p->log;
	size_t i, gone = p->numbers.count - p->count;
	int err = 0;

	for (i = 0; i < gone && !err; i++)
		err = remove_number(log, p->numbers.list[i]);
	for (i = 0; i < p->count && !err; i++)
		if (!is_kept(p, i)) {
			gone++;
			err = remove_number(log, p->readings[i].s->number);
		}
	return err || !gone ? err :
	       log->files->sync(log->files->context, log->dir);
}

/* Return up to which offset the segment is on disk, if the log is up to there. */
static uint64_t synced_in(const struct segment *s, uint64_t synced)
{
	if (s->number != log_number(synced))
		return s->number < log_number(synced) ? s->end : 0;
	return log_offset(synced) < s->end ? log_offset(synced) : s->end;
}

/*
 * Give the replayed segments to the log, and remove the others. The readings of
 * the former still point to them.
 */
static int adopt(struct replay *p)
{
	struct commitlog *log = p->log;
	size_t i;
	int err = log->read_only ? 0 : store_ends(p);

	if (!err && !log->read_only)
		err = name_kept(p);
	if (!err && !log->read_only)
		err = remove_others(p);
	for (i = 0; i < p->count && !err; i++) {
		struct log_reading *r = &p->readings[i];

		if (!is_kept(p, i))
			continue;
		r->s->older = log->newest;
		log->newest = r->s;
		r->s->synced = synced_in(r->s, p->most_synced);
		r->s->fresh = !r->s->named;
		r->lent = true;
		if (i == p->at && !log->read_only)
			resume(log, r->s, p->reusable &&
					  r->version == LOG_VERSION);
	}
	return err;
}

/* Pass the batches of a segment to the caller. The log ends after each batch
 * meanwhile; so the segment may be gone after the last call. */
static int call_segment(struct commitlog *log, struct log_reading *r,
			commitlog_each each, void *context)
{
	uint64_t number = r->s->number, offset = r->begin, stop = r->s->end;
	int err = 0;

	while (!err && offset < stop) {
		struct bytes batch;
		uint64_t synced, position = log_position(number, offset);
		int got = reading_record(r, offset, &batch, &synced);

		if (got <= 0) {
			char name[32];

			segment_name(name, number);
			return got ? got :
				log_corrupt(name, offset,
					    "the record "
					    "here was there a moment " "ago");
		}
		offset += log_record_size(batch.len);
		atomic_store(&log->end, log_position(number, offset));
		err = each(context, position, batch);
	}
	return err;
}

/* Check that the segments that the manifest names are there, as they were
 * made. */
static int check_named(struct replay *p)
{
	size_t i, at = 0;
	char name[32];

	for (i = 0; i < p->named_count; i++) {
		const struct manifest_segment *m = &p->named[i];
		struct log_reading *r;

		while (at < p->count && p->readings[at].s->number < m->number)
			at++;
		r = &p->readings[at];
		segment_name(name, m->number);
		if (at == p->count || r->s->number != m->number)
			return log_corrupt(name, 0,
					   "the manifest names it, and it "
					   "is missing");
		if (r->s->size < m->size)
			return log_corrupt(name, r->s->size,
					   "the file ends too " "early");
		if (!r->version)
			return log_corrupt(name, 0, "its header is damaged");
		r->s->named = true;
	}
	return 0;
}

/* Segments before the log's beginning are not read. */
static int load(struct replay *p)
{
	struct commitlog *log = p->log;
	struct numbers *n = &p->numbers;
	size_t i;
	int err = list_segments(log, n);

	if (!err && log->manifest)
		err = manifest_segments(log->manifest, &p->named,
					&p->named_count);
	if (err)
		return err;
	p->readings = mem_zalloc(n->count, sizeof(*p->readings));
	if (!p->readings)
		return -ENOMEM;
	for (i = 0; i < n->count && !err; i++) {
		if (n->list[i] >= log->next_number)
			log->next_number = n->list[i] + 1;
		if (n->list[i] >= log_number(log->begin))
			err = reading_open(&p->readings[p->count++], log,
					   &p->window, n->list[i]);
	}
	return err ? err : check_named(p);
}

static int call_all(struct replay *p, commitlog_each each, void *context)
{
	size_t i;
	int err = 0;

	for (i = 0; i < p->count && !err; i++)
		if (is_kept(p, i))
			err = call_segment(p->log, &p->readings[i], each,
					   context);
	return err;
}

int commitlog_look(struct commitlog *log, bool whole, commitlog_each each,
		   void *context)
{
	struct replay *p = mem_zalloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	log->replay = p;
	p->log = log;
	p->most_synced = log->synced;
	p->each = each;
	p->context = context;
	err = load(p);
	if (!err)
		err = survey(p);
	if (!err && whole)
		err = check_whole(p);
	if (!err)
		err = check_tail(p);
	return err;
}

void replay_free(struct replay *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->count; i++)
		reading_close(&p->readings[i]);
	buf_release(&p->window.bytes);
	mem_free(p->readings);
	mem_free(p->named);
	mem_free(p->numbers.list);
	mem_free(p);
}

int commitlog_replay(struct commitlog *log, commitlog_each each, void *context)
{
	struct replay *p;
	int err = log->replay ? 0 : commitlog_look(log, false, NULL, NULL);

	p = log->replay;
	if (!err) {
		err = adopt(p);
		if (file_is_full(err))
			return err;
		atomic_store(&log->synced, p->most_synced);
	}
	if (!err)
		err = call_all(p, each, context);
	if (!err)
		atomic_store(&log->end, p->end);
	replay_free(p);
	log->replay = NULL;
	return err;
}
