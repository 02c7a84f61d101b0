#include "store/lsm/commitlog_reading.h"

#include <errno.h>
#include <fcntl.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/lsm/commitlog_segment.h"

#define PIECE ((size_t)256 * 1024)

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

int reading_record(struct log_reading *r, uint64_t offset,
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

int reading_open(struct log_reading *r, struct commitlog *log,
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

void reading_close(struct log_reading *r)
{
	if (!r->lent)
		segment_free(r->log, r->s);
}

/* ZEROS: so many may be the beginning of a hole. DENSE: where none was found, so
 * many bytes are read before the next one is sought. */
#define ZEROS 4096
#define DENSE (256 << 10)

/* After zeros, skip the hole that may follow: it can be too large to be
 * read. */
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

/* Skip zeros, which no record begins with, as far as the window goes, and a hole
 * that many of them end in. */
static int skip_zeros(struct log_reading *r, uint64_t *offset)
{
	int err = 0;
	const uint8_t *p = look(r, *offset, LOG_RECORD, &err);
	const uint8_t *end;
	uint64_t data;

	if (!p)
		return err;
	end = r->window->bytes.ptr + r->window->bytes.len - LOG_RECORD;
	if (*offset >= r->dense && end > p + ZEROS)
		end = p + ZEROS;
	for (; p + 8 <= end && !get_le32(p); p += 8)
		*offset += 8;
	if (p + 8 <= end)
		return 0;
	data = skip_hole(r, *offset);
	if (data == *offset)
		r->dense = data + DENSE;
	*offset = data;
	return 0;
}

/* Skip what in the window begins no record that knew at least that to be synced:
 * its length and that position cannot be right. Else a checksum would be made at
 * every place in the old records of a segment that is used again. */
static void skip_others(const struct log_reading *r, uint64_t *offset,
			uint64_t least)
{
	const struct window *w = r->window;
	uint64_t end = w->at + w->bytes.len, number = r->s->number;

	if (w->of != r || *offset < w->at)
		return;
	for (; *offset + LOG_RECORD <= end; *offset += 8) {
		const uint8_t *head = w->bytes.ptr + (*offset - w->at);
		uint64_t synced = get_le64(head + 8);
		uint32_t len = get_le32(head);

		if (len && len < r->s->size - *offset && synced >= least &&
		    synced <= log_position(number, *offset))
			return;
	}
}

int reading_scan(struct log_reading *r, uint64_t offset, uint64_t *most_synced,
		 bool *any)
{
	while (offset + LOG_RECORD < r->s->size) {
		struct bytes batch;
		uint64_t synced;
		int got;

		skip_others(r, &offset, *any ? *most_synced + 1 : 0);
		got = skip_zeros(r, &offset);

		if (!got)
			got = reading_record(r, offset, &batch, &synced);
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
