/*
 * Open the log: find which segments there are, what is in them, where it ends.
 * Files are read in bounded pieces (or one record, where that is larger), of
 * which one is in memory at a time.
 *
 * They are read more than once. The first pass finds the end, and whether the
 * log may end there: nothing is changed in a damaged log, and in a sound one
 * not before its owner calls commitlog_replay. Then the log is in the state of
 * having been written up to a record, and that record is passed to the caller;
 * after the last one it can be appended to. So the callee may flush what it has
 * got, which syncs the log up to there and releases the segments before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/lsm/commitlog_internal.h"
#include "store/lsm/commitlog_replay.h"
#include "store/lsm/commitlog_segment.h"

#define PIECE ((size_t)256 * 1024)

struct numbers {
	uint64_t *list;
	size_t count, room;
};

static int note_name(void *data, const char *name)
{
	struct numbers *n = data;
	unsigned long long number;
	char back[32];

	if (sscanf(name, "log-%16llx", &number) != 1)
		return 0;
	segment_name(back, number);
	if (strcmp(back, name) || !number || number > UINT32_MAX)
		return 0;
	if (n->count == n->room) {
		size_t room = n->room ? n->room * 2 : 16;
		uint64_t *grown = mem_resize(n->list, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		n->list = grown;
		n->room = room;
	}
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

/* ---------------------------------------------------------------- reading */

/* One piece of one segment is in memory. */
struct window {
	const struct log_reading *of;
	uint64_t at;
	struct buf bytes;
};

/* A segment that is read. */
struct log_reading {
	struct commitlog *log;
	struct window *window;	/* that of all segments */
	struct segment *s;
	uint32_t version;	/* 0: its header is bad */
	bool headed;		/* it was begun: previous_end is good */
	uint64_t written;	/* the end it stores, or 0: a bad one */
	bool lent;		/* s is the log's, which may free it */
	uint64_t begin;		/* its first record that is to be replayed */
	uint64_t previous_end;
};

/* Return len bytes at offset, valid until the next call. NULL: *err is set. */
static const uint8_t *look(struct log_reading *r, uint64_t offset, size_t len,
			   int *err)
{
	size_t want = len > PIECE ? len : PIECE;
	struct window *w = r->window;

	if (w->of == r && offset >= w->at &&
	    offset + len <= w->at + w->bytes.len)
		return w->bytes.ptr + (offset - w->at);
	if (want > r->s->size - offset)
		want = (size_t)(r->s->size - offset);
	buf_clear(&w->bytes);
	if (!buf_reserve(&w->bytes, want)) {
		*err = -ENOMEM;
		return NULL;
	}
	*err = file_read(r->log->files, r->s->fd, w->bytes.ptr, want, offset);
	if (*err)
		return NULL;
	w->bytes.len = want;
	w->of = r;
	w->at = offset;
	return w->bytes.ptr;
}

/* Read the record at offset: 1 with *batch and *synced, 0: none, -errno. */
static int read_record(struct log_reading *r, uint64_t offset,
		       struct bytes *batch, uint64_t *synced)
{
	uint64_t position = log_position(r->s->number, offset), check;
	const uint8_t *head;
	uint32_t len;
	int err = 0;

	if (offset + LOG_RECORD >= r->s->size)
		return 0;
	head = look(r, offset, LOG_RECORD, &err);
	if (!head)
		return err;
	len = get_le32(head);
	*synced = get_le64(head + 8);
	check = get_le64(head + 16);
	if (!len || log_record_size(len) > r->s->size - offset ||
	    *synced > position ||
	    get_le32(head + 4) != log_head_check(len, *synced, position))
		return 0;
	head = look(r, offset, LOG_RECORD + (size_t)len, &err);
	if (!head)
		return err;
	*batch = bytes_of(head + LOG_RECORD, len);
	return log_check(*batch, position) == check;
}

static void read_begun(struct log_reading *r, const uint8_t *header)
{
	uint64_t number = r->s->number, word = get_le64(header + LOG_END);
	uint64_t end = word & UINT32_MAX;

	if (r->version == 1) {
		r->headed = true;
		r->previous_end = get_le64(header + 24);
		return;
	}
	r->previous_end = get_le64(header + LOG_BEGUN);
	r->headed = get_le64(header + LOG_BEGUN + 8) ==
		    log_begun_check(r->previous_end, number);
	if (word == log_end_word(end, number))
		r->written = end;
}

static int read_header(struct log_reading *r)
{
	const uint8_t *header;
	char name[32];
	int err = 0;

	if (r->s->size < LOG_HEADER)
		return 0;
	header = look(r, 0, LOG_HEADER, &err);
	if (!header)
		return err;
	if (memcmp(header, LOG_MAGIC, 8) ||
	    get_le64(header + 32) != XXH3_64bits(header, 32) ||
	    get_le64(header + 16) != r->s->number)
		return 0;
	r->version = get_le32(header + 8);
	if (r->version > LOG_VERSION) {
		segment_name(name, r->s->number);
		log_message(LOG_ERROR_LEVEL,
			    "%s: version %u is newer than this program", name,
			    (unsigned)r->version);
		return -EPROTONOSUPPORT;
	}
	if (r->version)
		read_begun(r, header);
	return 0;
}

static int open_reading(struct log_reading *r, struct commitlog *log,
			struct window *window, uint64_t number)
{
	struct stat st;
	char name[32];
	int err;

	*r = (struct log_reading){ .log = log, .window = window };
	r->s = mem_zalloc(1, sizeof(*r->s));
	if (!r->s)
		return -ENOMEM;
	r->s->number = number;
	r->s->fresh = true;
	segment_name(name, number);
	r->s->fd = file_open(log->files, log->dir, name,
			     log->read_only ? O_RDONLY : O_RDWR);
	if (r->s->fd < 0)
		return r->s->fd;
	err = log->files->stat(log->files->context, r->s->fd, &st);
	if (err)
		return err;
	r->s->size = (uint64_t)st.st_size < UINT32_MAX ? (uint64_t)st.st_size :
							UINT32_MAX;
	return read_header(r);
}

static void close_reading(struct log_reading *r)
{
	if (!r->lent)
		segment_free(r->log, r->s);
}

/* At the end of a window of zeros, skip the hole that may follow: it can be too
 * large to be read. */
static uint64_t skip_hole(struct log_reading *r, uint64_t offset)
{
	const struct file_ops *files = r->log->files;
	int64_t data;

	if (!files->data)
		return offset;
	data = files->data(files->context, r->s->fd, offset);
	if (data == -ENXIO)
		return r->s->size;
	/* Records begin at a multiple of 8, and not with zeros alone. */
	return data > (int64_t)offset ? (uint64_t)data & ~(uint64_t)7 : offset;
}

/* Skip zeros, which no record begins with, as far as the window goes. */
static int skip_zeros(struct log_reading *r, uint64_t *offset)
{
	int err = 0;
	const uint8_t *p = look(r, *offset, LOG_RECORD, &err);
	const uint8_t *end;

	if (!p)
		return err;
	end = r->window->bytes.ptr + r->window->bytes.len - LOG_RECORD;
	for (; p + 8 <= end && !get_le32(p); p += 8)
		*offset += 8;
	if (p + 8 > end)
		*offset = skip_hole(r, *offset);
	return 0;
}

/* Search good records from offset on, wherever they begin, and the position
 * that they knew to be synced. */
static int scan(struct log_reading *r, uint64_t offset, uint64_t *most_synced,
		bool *any)
{
	while (offset + LOG_RECORD < r->s->size) {
		struct bytes batch;
		uint64_t synced;
		int got = skip_zeros(r, &offset);

		if (!got)
			got = read_record(r, offset, &batch, &synced);
		if (got < 0)
			return got;
		if (got) {
			*any = true;
			if (synced > *most_synced)
				*most_synced = synced;
		}
		offset += got ? log_record_size(batch.len) : 8;
	}
	return 0;
}

/* ----------------------------------------------------------------- replay */

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
		struct bytes batch;
		uint64_t synced;
		int got = read_record(r, offset, &batch, &synced);

		if (got <= 0)
			return got;
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

/* Go on segment by segment while each begins where the one before ended. */
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
		bool any = false;

		if (i != p->at && is_kept(p, i))
			continue;
		err = scan(r, i == p->at ? r->s->end : LOG_HEADER,
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

/* Let appends go on in the newest segment. One that is larger than those made
 * here has room on the disk only for what it holds. */
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

/* Sync the log as it was found, and store in each segment its end: its writer
 * may have been killed before. */
static int sync_kept(struct replay *p)
{
	struct commitlog *log = p->log;
	size_t i;
	int err = 0;

	for (i = 0; i < p->count && !err; i++) {
		struct log_reading *r = &p->readings[i];

		if (!is_kept(p, i))
			continue;
		if (r->version > 1 && r->written != r->s->end)
			segment_put_end(log, r->s);
		err = log->files->datasync(log->files->context, r->s->fd);
	}
	return err ? err : log->files->sync(log->files->context, log->dir);
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

/*
 * Give the replayed segments to the log, and remove the others. The readings of
 * the former still point to them.
 */
static int adopt(struct replay *p)
{
	struct commitlog *log = p->log;
	size_t i;
	int err = log->read_only ? 0 : sync_kept(p);

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
		r->s->synced = r->s->end;
		r->s->fresh = false;
		r->lent = true;
		if (i == p->at && !log->read_only)
			resume(log, r->s, p->reusable &&
					  r->version == LOG_VERSION);
	}
	return err;
}

/* Pass the batches of a segment to the caller. With move the log ends after
 * each batch meanwhile; then the segment may be gone after the last call. */
static int call_segment(struct commitlog *log, struct log_reading *r, bool move,
			commitlog_each each, void *context)
{
	uint64_t number = r->s->number, offset = r->begin, stop = r->s->end;
	int err = 0;

	while (!err && offset < stop) {
		struct bytes batch;
		uint64_t synced, position = log_position(number, offset);
		int got = read_record(r, offset, &batch, &synced);

		if (got <= 0) {
			char name[32];

			segment_name(name, number);
			return got ? got :
				log_corrupt(name, offset,
					    "the record "
					    "here was there a moment " "ago");
		}
		offset += log_record_size(batch.len);
		if (move)
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

/* Segments before the log's begin are not read. */
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
			err = open_reading(&p->readings[p->count++], log,
					   &p->window, n->list[i]);
	}
	return err ? err : check_named(p);
}

static int call_all(struct replay *p, bool move, commitlog_each each,
		    void *context)
{
	size_t i;
	int err = 0;

	for (i = 0; i < p->count && !err; i++)
		if (is_kept(p, i))
			err = call_segment(p->log, &p->readings[i], move, each,
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
	err = load(p);
	if (!err)
		err = survey(p);
	if (!err && whole)
		err = check_whole(p);
	if (!err)
		err = check_tail(p);
	if (!err && each)
		err = call_all(p, false, each, context);
	return err;
}

void replay_free(struct replay *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->count; i++)
		close_reading(&p->readings[i]);
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
		atomic_store(&log->synced, log->read_only ||
					   p->most_synced > p->end ?
						   p->most_synced : p->end);
	}
	if (!err)
		err = call_all(p, true, each, context);
	if (!err)
		atomic_store(&log->end, p->end);
	replay_free(p);
	log->replay = NULL;
	return err;
}
