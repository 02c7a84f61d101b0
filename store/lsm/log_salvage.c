/*
 * Read a segment for a repair: unlike a replay it changes nothing, needs no
 * manifest and no other segment, and reads on where the header is damaged. The
 * seeds of the checksums need the segment's number alone, which is in its name.
 */
#include "store/lsm/log_salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "store/lsm/commitlog_format.h"
#include "store/lsm/commitlog_segment.h"

struct segment_file {
	const struct file_ops *files;
	int fd;
	uint64_t number, size;
	struct buf record;
};

uint64_t log_salvage_number(const char *name)
{
	unsigned long long number;
	char back[32];

	if (sscanf(name, "log-%16llx", &number) != 1 || !number ||
	    number > UINT32_MAX)
		return 0;
	segment_name(back, number);
	return strcmp(back, name) ? 0 : number;
}

static int read_header(struct log_salvage *out, struct segment_file *s)
{
	uint8_t header[LOG_HEADER];
	uint64_t word, end;
	int err;

	out->header_bad = true;
	if (s->size < LOG_HEADER)
		return 0;
	err = file_read(s->files, s->fd, header, sizeof(header), 0);
	if (err || memcmp(header, LOG_MAGIC, 8) ||
	    get_le64(header + 32) != XXH3_64bits(header, 32) ||
	    get_le64(header + 16) != s->number)
		return err;
	if (get_le32(header + 8) > LOG_VERSION)
		return -EPROTONOSUPPORT;
	out->header_bad = false;
	if (get_le32(header + 8) == 1) {
		out->begun = true;
		out->previous_end = get_le64(header + 24);
		return 0;
	}
	out->previous_end = get_le64(header + LOG_BEGUN);
	out->begun = get_le64(header + LOG_BEGUN + 8) ==
		     log_begun_check(out->previous_end, s->number);
	word = get_le64(header + LOG_END);
	end = word & UINT32_MAX;
	if (word == log_end_word(end, s->number))
		out->written = end;
	return 0;
}

/* Read the record at offset: 1 with *batch and *synced, 0: none, -errno. */
static int read_one(struct segment_file *s, uint64_t offset,
		    struct bytes *batch, uint64_t *synced)
{
	uint64_t position = log_position(s->number, offset);
	uint8_t head[LOG_RECORD];
	uint32_t len;
	int err;

	if (s->size < LOG_RECORD || offset >= s->size - LOG_RECORD)
		return 0;
	err = file_read(s->files, s->fd, head, sizeof(head), offset);
	if (err)
		return err;
	len = get_le32(head);
	*synced = get_le64(head + 8);
	if (!len || len > s->size - offset - LOG_RECORD ||
	    *synced > position ||
	    get_le32(head + 4) != log_head_check(len, *synced, position))
		return 0;
	buf_clear(&s->record);
	if (!buf_reserve(&s->record, len))
		return -ENOMEM;
	err = file_read(s->files, s->fd, s->record.ptr, len,
			offset + LOG_RECORD);
	if (err)
		return err;
	s->record.len = len;
	*batch = buf_bytes(&s->record);
	return log_check(*batch, position) == get_le64(head + 16);
}

static int read_all(struct log_salvage *out, struct segment_file *s,
		    commitlog_each each, void *context)
{
	struct bytes batch;
	uint64_t synced = 0;
	int good, err = 0;

	out->end = LOG_HEADER;
	while (!err &&
	       (good = read_one(s, out->end, &batch, &synced)) != 0) {
		if (good < 0)
			return good == -EIO || good == -EUCLEAN ? 0 : good;
		if (synced > out->synced)
			out->synced = synced;
		if (each)
			err = each(context, log_position(s->number, out->end),
				   batch);
		out->end += log_record_size(batch.len);
	}
	return err;
}

int log_salvage(struct log_salvage *out, const struct file_ops *files, int dir,
		uint64_t number, commitlog_each each, void *context)
{
	struct segment_file s = { .files = files, .number = number,
				  .record = BUF_INIT };
	char name[32];
	int err;

	*out = (struct log_salvage){ .end = LOG_HEADER };
	segment_name(name, number);
	s.fd = file_open_sized(files, dir, name, &s.size);
	if (s.fd < 0)
		return s.fd;
	if (s.size > UINT32_MAX)
		s.size = UINT32_MAX;
	err = read_header(out, &s);
	if (err == -EIO || err == -EUCLEAN)
		err = 0;	/* the header is bad */
	if (!err)
		err = read_all(out, &s, each, context);
	buf_release(&s.record);
	file_close(files, s.fd);
	return err;
}
