/*
 * Read a manifest back: every edit in order, up to the first bad record; then
 * find out whether a crash tore it or the disk damaged it.
 *
 * Order against crashes: a process that was killed leaves what it had written
 * to the next one, and none of it need be on the disk: the last edit, and that
 * CURRENT names this file. Both are synced here, before a seal says so and
 * before anything is done because of them: removing sstables that the edit
 * dropped, segments of the log, and the manifest that was current before.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/base/log.h"
#include "store/lsm/manifest_file.h"
#include "store/lsm/manifest_recover.h"

#define LARGEST_FILE ((size_t)1 << 30)
/* The number of bytes that are hashed in search of records after a bad one. */
#define SEARCH_EFFORT ((uint64_t)256 << 20)

/* Read the record at offset: 1 with its body, 0 when it is not a good one. */
static int record_at(struct bytes all, uint64_t number, size_t offset,
		     struct bytes *body, uint64_t *effort)
{
	struct buf sum = BUF_INIT;
	const uint8_t *p = all.ptr + offset;
	XXH64_hash_t hash;
	uint32_t len;

	if (all.len - offset < RECORD_HEADER)
		return 0;
	len = get_le32(p);
	if (!len || get_le32(p + 4) ||
	    len > all.len - offset - RECORD_HEADER)
		return 0;
	*effort += len;
	buf_add(&sum, p, 8);
	buf_add(&sum, p + RECORD_HEADER, len);
	if (sum.failed) {
		buf_release(&sum);
		return -ENOMEM;
	}
	hash = XXH3_64bits_withSeed(sum.ptr, sum.len, manifest_seed(number, offset));
	buf_release(&sum);
	*body = bytes_of(p + RECORD_HEADER, len);
	return hash == get_le64(p + 8);
}

/* Search for a good record after the bad one at offset: if there is one, the
 * bad one is no torn tail. 1, 0 or -ENOMEM. */
static int good_behind(struct bytes all, uint64_t number, size_t offset)
{
	uint64_t effort = 0;
	struct bytes body;
	size_t at;

	for (at = offset + 8; at + SEAL_SIZE <= all.len; at += 8) {
		int found;

		if (get_le64(all.ptr + at) == manifest_seal(number, at))
			return 1;
		found = record_at(all, number, at, &body, &effort);
		if (found || effort > SEARCH_EFFORT)
			return found ? found : 1;
	}
	return 0;
}

/* Return the end of the records known to be on disk, if the header is sound. */
static uint64_t known_end(const struct manifest *m, struct bytes all)
{
	uint64_t word = m->version > 1 ? get_le64(all.ptr + END_WORD) : 0;
	uint64_t end = (word & UINT32_MAX) * 8;

	return word == manifest_end_word(m->number, end) ? end : 0;
}

/* Carry out all edits; m->size becomes the end of the good ones. */
static int replay(struct manifest *m, const char *name, struct bytes all)
{
	size_t begin = m->version > 1 ? FILE_HEADER : FILE_HEADER_1;
	size_t offset = begin;
	uint64_t effort = 0;
	struct bytes body;
	int good, err;

	while ((good = record_at(all, m->number, offset, &body, &effort)) > 0) {
		err = manifest_state_apply(&m->state, body);
		if (err == -ENOMEM)
			return err;
		if (err)
			return log_corrupt(name, offset, "an edit that cannot "
					   "be carried out");
		offset += RECORD_HEADER + manifest_padded(body.len);
		if (offset > all.len)
			offset = all.len;
	}
	if (!good && offset == begin)
		return log_corrupt(name, offset, "there is no first record");
	if (!good)
		good = offset < known_end(m, all) ? 1 :
		       good_behind(all, m->number, offset);
	if (good < 0)
		return good;
	if (good)
		return log_corrupt(name, offset, "an edit fails its checksum");
	m->size = manifest_padded(offset);
	m->zeros = m->version > 1 && all.len >= m->size + 8 &&
		   !get_le64(all.ptr + m->size);
	return 0;
}

static int check_file_header(struct manifest *m, const char *name,
			     struct bytes all)
{
	if (all.len < FILE_HEADER_1 || memcmp(all.ptr, MANIFEST_MAGIC, 8))
		return log_corrupt(name, 0, "no manifest");
	if (XXH3_64bits(all.ptr, 24) != get_le64(all.ptr + 24))
		return log_corrupt(name, 0, "the header fails its checksum");
	if (get_le32(all.ptr + 8) > MANIFEST_VERSION) {
		log_message(LOG_ERROR_LEVEL,
			    "%s: version %" PRIu32 " is newer than this program",
			    name, get_le32(all.ptr + 8));
		return -EPROTONOSUPPORT;
	}
	m->version = get_le32(all.ptr + 8);
	if (!m->version || get_le64(all.ptr + 16) != m->number)
		return log_corrupt(name, 0, "it is another manifest");
	if (m->version > 1 && all.len < FILE_HEADER)
		return log_corrupt(name, all.len, "it ends in its header");
	return 0;
}

/* Make all that was read durable, and also that the torn tail is gone. */
int manifest_open_to_write(struct manifest *m)
{
	char name[32];
	int err = 0;

	manifest_file_name(name, m->number);
	m->fd = file_open(m->files, m->dir, name, O_RDWR);
	if (m->fd < 0)
		return m->fd;
	if (m->read > m->size + (m->version > 1 ? 0 : SEAL_SIZE))
		err = m->files->truncate(m->files->context, m->fd, m->size);
	if (!err)
		err = m->files->datasync(m->files->context, m->fd);
	if (!err)
		err = m->files->sync(m->files->context, m->dir);
	if (!err && m->version > 1)
		manifest_write_end(m);
	return err;
}

/* CURRENT has this name and a newline, nothing else. It needs no checksum: the
 * manifest that it names says its own number, and there is no other one. */
static int read_name(struct manifest *m, char name[32], struct bytes line)
{
	if (line.len >= 32 || !line.len || line.ptr[line.len - 1] != '\n')
		return log_corrupt("CURRENT", 0, "it names no manifest");
	memcpy(name, line.ptr, line.len - 1);
	name[line.len - 1] = 0;
	if (strlen(name) != line.len - 1 ||
	    !manifest_parse_name(&m->number, name))
		return log_corrupt("CURRENT", 0, "it names no manifest");
	return 0;
}

static int find_manifest(void *data, const char *name)
{
	char *found = data;
	uint64_t number;

	if (manifest_parse_name(&number, name))
		snprintf(found, 32, "%s", name);
	return 0;
}

/* Report that the manifest is missing, or that its name is wrong. */
static int tell_missing(struct manifest *m, const char *name)
{
	char other[32] = "";
	int err = m->files->list(m->files->context, m->dir, find_manifest,
				 other);

	if (err)
		return err;
	return *other ?
		log_corrupt("CURRENT", 0,
			    "it names %s, which is missing; " "there is %s",
			    name, other) :
		log_corrupt(name, 0, "CURRENT names it, and it is missing");
}

int manifest_recover(struct manifest *m, struct bytes current)
{
	struct buf all = BUF_INIT;
	char name[32];
	int err = read_name(m, name, current);

	if (err)
		return err;
	err = file_read_all(m->files, m->dir, name, &all, LARGEST_FILE);
	if (err == -ENOENT)
		err = tell_missing(m, name);
	if (err == -EFBIG)
		err = log_corrupt(name, 0, "it is too long");
	if (!err)
		err = check_file_header(m, name, buf_bytes(&all));
	if (!err)
		err = replay(m, name, buf_bytes(&all));
	m->read = all.len;
	buf_release(&all);
	return err;
}

/* Search for a good record from offset on: 1 with *offset and its body, 0,
 * -ENOMEM. */
static int next_good(struct bytes all, uint64_t number, size_t *offset,
		     struct bytes *body)
{
	uint64_t effort = 0;
	size_t at;

	for (at = *offset; at + RECORD_HEADER <= all.len &&
			   effort <= SEARCH_EFFORT; at += 8) {
		int found = record_at(all, number, at, body, &effort);

		if (found) {
			*offset = at;
			return found;
		}
	}
	return 0;
}

/* Carry out all good edits. */
static int replay_good(struct manifest *m, struct bytes all, bool *whole)
{
	size_t offset = m->version > 1 ? FILE_HEADER : FILE_HEADER_1, at;
	bool any = false;
	struct bytes body;
	int good, err;

	for (;;) {
		at = offset;
		good = next_good(all, m->number, &at, &body);
		if (good <= 0)
			break;
		if (at != offset)
			m->state.partial = true;
		any = true;
		err = manifest_state_apply(&m->state, body);
		if (err == -ENOMEM)
			return err;
		if (err)
			m->state.partial = true;
		offset = at + RECORD_HEADER + manifest_padded(body.len);
		if (offset > all.len)
			break;
	}
	if (!any || m->state.partial || offset < known_end(m, all))
		*whole = false;
	return good < 0 ? good : 0;
}

int manifest_salvage(struct manifest_state *state, const struct file_ops *files,
		     int dir, const char *name, bool *whole)
{
	struct manifest m = { .files = files, .dir = dir, .fd = -1 };
	struct buf all = BUF_INIT;
	int err;

	*whole = true;
	m.state.next_number = 1;
	if (!manifest_parse_name(&m.number, name))
		return -EINVAL;
	err = file_read_all(files, dir, name, &all, LARGEST_FILE);
	if (!err)
		err = check_file_header(&m, name, buf_bytes(&all));
	if (err == -EUCLEAN) {
		/* The records say by their checksums which file they are of. */
		*whole = false;
		m.version = MANIFEST_VERSION;
		err = 0;
	}
	if (!err)
		err = replay_good(&m, buf_bytes(&all), whole);
	buf_release(&all);
	if (err)
		manifest_state_release(&m.state);
	else
		*state = m.state;
	return err;
}
