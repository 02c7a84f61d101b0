/*
 * The files of the log's segments: made, named in the manifest, begun, removed.
 * commitlog.c has the order against crashes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/lsm/commitlog_internal.h"
#include "store/lsm/commitlog_segment.h"

void segment_name(char name[32], uint64_t number)
{
	snprintf(name, 32, LOG_NAME, (unsigned long long)number);
}

void segment_free(struct commitlog *log, struct segment *s)
{
	const struct file_ops *files = log->files;

	if (!s)
		return;
	if (s->map)
		files->unmap(files->context, s->map, s->size);
	if (s->fd >= 0)
		file_close(files, s->fd);
	mem_free(s);
}

int segment_open(struct commitlog *log, struct segment *s, int flags)
{
	const struct file_ops *files = log->files;
	bool has_room = true;
	void *map = NULL;
	char name[32];

	segment_name(name, s->number);
	s->fd = file_open(files, log->dir, name, O_RDWR | flags);
	if (s->fd < 0)
		return s->fd;
	if (flags & O_CREAT) {
		int err = files->allocate(files->context, s->fd, s->size);

		has_room = err != -EOPNOTSUPP;
		if (!has_room)
			err = files->truncate(files->context, s->fd, s->size);
		if (err) {
			files->unlink(files->context, log->dir, name);
			return err;
		}
	}
	if (has_room && !files->map(files->context, s->fd, s->size, &map))
		s->map = map;
	return 0;
}

void segment_remove(struct commitlog *log, struct segment *s)
{
	char name[32];

	segment_name(name, s->number);
	log->files->unlink(log->files->context, log->dir, name);
	segment_free(log, s);
}

/* Hand bytes at an offset of a segment to the kernel. */
static int put_bytes(struct commitlog *log, struct segment *s, uint64_t offset,
		     const void *ptr, size_t len)
{
	if (!s->map)
		return file_write(log->files, s->fd, ptr, len, offset);
	memcpy(s->map + offset, ptr, len);
	return 0;
}

/* Write the part that never changes; the segment is not begun yet. */
int segment_write_header(struct commitlog *log, struct segment *s)
{
	uint8_t header[LOG_HEADER] = LOG_MAGIC;

	put_le32(header + 8, LOG_VERSION);
	put_le64(header + 16, s->number);
	put_le64(header + 32, XXH3_64bits(header, 32));
	s->fresh = true;
	return put_bytes(log, s, 0, header, sizeof(header));
}

/* Store a word at once. */
static void put_mapped(uint8_t *to, uint64_t word)
{
	uint8_t bytes[8];
	uint64_t raw;

	put_le64(bytes, word);
	memcpy(&raw, bytes, 8);
	__atomic_store_n((uint64_t *)(void *)to, raw, __ATOMIC_RELEASE);
}

/* Write words of eight bytes. Each is written at once, and one after the other,
 * whenever the process is killed. */
static int put_words(struct commitlog *log, struct segment *s, uint64_t offset,
		     const uint64_t *words, size_t count)
{
	uint8_t bytes[24];
	size_t i;

	if (s->map) {
		for (i = count; i--;)
			put_mapped(s->map + offset + i * 8, words[i]);
		return 0;
	}
	for (i = 0; i < count; i++)
		put_le64(bytes + i * 8, words[i]);
	return file_write(log->files, s->fd, bytes, count * 8, offset);
}

/* If it cannot be written the old one stays, which claims less: no harm. It
 * lies within one block of the disk, so it is whole. */
void segment_put_end(struct commitlog *log, struct segment *s)
{
	uint64_t word = log_end_word(s->end, s->number);

	/* It is written with each record. */
	if (s->map)
		put_mapped(s->map + LOG_END, word);
	else
		(void)put_words(log, s, LOG_END, &word, 1);
}

int segment_begin(struct commitlog *log, struct segment *s,
			 uint64_t previous_end)
{
	const uint64_t words[] = {
		previous_end, log_begun_check(previous_end, s->number),
		log_end_word(LOG_HEADER, s->number),
	};

	s->end = LOG_HEADER;
	s->synced = 0;
	return put_words(log, s, LOG_BEGUN, words, ARRAY_SIZE(words));
}

/*
 * Make the new segment durable and let the manifest name it, and forget another
 * that will not be used (NULL: none). Without room for the edit the segment can
 * be used, and is named at the next open; the other one stays, too.
 */
int segment_make_known(struct commitlog *log, struct segment *s,
			const struct segment *gone)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	int err;

	if (!log->manifest)
		return 0;
	err = log->files->datasync(log->files->context, s->fd);
	if (!err)
		err = log->files->sync(log->files->context, log->dir);
	if (err)
		return err;
	s->fresh = false;
	if (gone)
		manifest_edit_segment_gone(&edit, gone->number);
	manifest_edit_segment(&edit, s->number, s->size);
	err = manifest_apply(log->manifest, &edit);
	s->named = !err || err == -EIO;		/* -EIO: it may be */
	manifest_edit_release(&edit);
	return file_is_full(err) ? 0 : err;
}

/* Give up a new segment (or NULL) that will not be used. If the manifest may
 * name it, its file stays until the next open. */
void segment_give_up(struct commitlog *log, struct segment *s)
{
	if (s && !s->named)
		segment_remove(log, s);
	else
		segment_free(log, s);
}

/* Let the manifest forget these (NULL: none), which the log does not need. */
int segment_forget(struct commitlog *log, const struct segment *a,
			   const struct segment *b)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	int err = 0;

	if (a && a->named)
		manifest_edit_segment_gone(&edit, a->number);
	if (b && b->named)
		manifest_edit_segment_gone(&edit, b->number);
	if (edit.steps.len || edit.steps.failed)
		err = manifest_apply(log->manifest, &edit);
	manifest_edit_release(&edit);
	return err;
}

int segment_new(struct commitlog *log, struct segment **out,
		       uint64_t number, uint64_t size)
{
	struct segment *s = mem_zalloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->number = number;
	s->size = size;
	s->fd = -1;
	err = segment_open(log, s, O_CREAT | O_EXCL);
	if (err)
		segment_free(log, s);
	else
		*out = s;
	return err;
}

/* Use the old file under a new number, which is larger than all before. */
int segment_renumber(struct commitlog *log, struct segment *s, uint64_t number)
{
	const struct file_ops *files = log->files;
	char old[32], name[32];
	int err;

	segment_name(old, s->number);
	segment_name(name, number);
	err = files->rename(files->context, log->dir, old, name);
	if (!err)
		s->number = number;
	s->named = false;
	return err;
}
