/*
 * The manifest's files. CURRENT holds the name of the manifest and a newline;
 * the manifest is a log of edits:
 *
 *   header   0  8  "wide-man"           record   0  4  n, length of the body
 *            8  4  version, 4                    4  4  0
 *           12  4  0                             8  8  XXH3 of 0..7 and body
 *           16  8  number of the manifest       16  n  steps (manifest_step.h)
 *           24  8  XXH3 of 0..23                    .  zeros to a multiple of 8
 *           32  4  an end, in units of 8
 *           36  4  lower half of XXH3 of 32..35
 *           40     records
 *
 * The XXH3 of a record, and of the end, is seeded with the manifest's number
 * and the place in the file. The first record is the whole state at the time;
 * then each edit appends one, and syncs the file before it takes effect:
 * sstables and their directory entries were synced before that by their makers.
 *
 * After the sync the end is written, which says: everything before it is on
 * disk. It is not synced, but goes with the next record. So the bytes after the
 * last good record tell a crash from damage: no end may lie after it, and
 * nothing valid may follow, because a record is written only when those before
 * it are on disk. A bad record before a good one or before the end was once
 * good: that is damage, and nothing is opened.
 *
 * At 4 MB the state is written as a new manifest: the file, its sync, the
 * directory's sync, CURRENT.new, its sync, the rename to CURRENT, the
 * directory's sync; then the old manifest is removed. A crash leaves the old or
 * the new one current, and the other as a file to be removed at the next open.
 *
 * Versions, of which a newer one is refused with -EPROTONOSUPPORT:
 *
 *   1  has records from 32 on, no end, and a seal after the last record:
 *      8 bytes, the XXH3 of nothing; it does not know the log's segments. The
 *      first edit replaces it by a manifest of this version.
 *   2  knows no snapshots; replaced in the same way
 *   3  knows no owners of snapshots; replaced in the same way
 *   4  as above
 */
#include "store/lsm/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/lsm/manifest_file.h"
#include "store/lsm/manifest_recover.h"

#define REWRITE_SIZE ((uint64_t)4 << 20)
#define LARGEST_EDIT ((size_t)256 << 20)

void manifest_file_name(char name[32], uint64_t number)
{
	snprintf(name, 32, "MANIFEST-%012" PRIu64, number);
}

bool manifest_parse_name(uint64_t *number, const char *name)
{
	char again[32];
	uint64_t value;

	if (sscanf(name, "MANIFEST-%" SCNu64, &value) != 1)
		return false;
	manifest_file_name(again, value);
	*number = value;
	return !strcmp(again, name);
}

/* --------------------------------------------------------------- writing */
static void add_file_header(struct buf *out, uint64_t number)
{
	size_t at = out->len;

	buf_add(out, MANIFEST_MAGIC, 8);
	buf_add_le32(out, MANIFEST_VERSION);
	buf_add_le32(out, 0);
	buf_add_le64(out, number);
	if (!out->failed)
		buf_add_le64(out, XXH3_64bits(out->ptr + at, 24));
	buf_add_le64(out, 0);
}

/* Add the record that will lie at offset of the file. */
static int add_record(struct buf *out, uint64_t number, uint64_t offset,
		      struct bytes body)
{
	static const uint8_t zeros[RECORD_HEADER];
	size_t at = out->len;
	struct buf sum = BUF_INIT;

	if (body.len > LARGEST_EDIT)
		return -EFBIG;
	/* Checksum length, zeros, body, as they lie here. */
	buf_add_le32(&sum, (uint32_t)body.len);
	buf_add_le32(&sum, 0);
	buf_add_bytes(&sum, body);
	buf_add(out, sum.ptr, sum.failed ? 0 : 8);
	if (!sum.failed)
		buf_add_le64(out, XXH3_64bits_withSeed(sum.ptr, sum.len,
						manifest_seed(number, offset)));
	buf_add_bytes(out, body);
	buf_add(out, zeros, manifest_padded(body.len) - body.len);
	if (sum.failed || out->failed) {
		buf_release(&sum);
		out->len = at;
		return -ENOMEM;
	}
	buf_release(&sum);
	return 0;
}

void manifest_write_end(struct manifest *m)
{
	uint8_t word[8];

	put_le64(word, manifest_end_word(m->number, m->size));
	(void)file_write(m->files, m->fd, word, sizeof(word), END_WORD);
}

/* Make a whole manifest of this number and state. */
static int whole(struct buf *out, uint64_t number,
		    const struct manifest_state *state)
{
	struct buf steps = BUF_INIT;
	int err;

	add_file_header(out, number);
	manifest_state_write(&steps, state);
	err = steps.failed || out->failed ? -ENOMEM :
		add_record(out, number, FILE_HEADER, buf_bytes(&steps));
	buf_release(&steps);
	return err;
}

/* Create the file of this number, synced, its directory entry too. */
static int create_file(struct manifest *m, uint64_t number, struct bytes all)
{
	char name[32];
	int fd, err;

	manifest_file_name(name, number);
	err = m->files->unlink(m->files->context, m->dir, name);
	if (err && err != -ENOENT)
		return err;
	fd = file_open(m->files, m->dir, name, O_RDWR | O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	err = file_write(m->files, fd, all.ptr, all.len, 0);
	if (!err)
		err = m->files->datasync(m->files->context, fd);
	if (!err)
		err = m->files->sync(m->files->context, m->dir);
	if (err) {
		file_close(m->files, fd);
		m->files->unlink(m->files->context, m->dir, name);
		return err;
	}
	return fd;
}

/* True if CURRENT has this line. */
static bool current_is(struct manifest *m, const char *line)
{
	struct buf now = BUF_INIT;
	bool same = !file_read_all(m->files, m->dir, "CURRENT", &now, 100) &&
		    bytes_equal(buf_bytes(&now), bytes_str(line));

	buf_release(&now);
	return same;
}

/*
 * Continue after the replacement of CURRENT failed. A full disk does no harm as
 * long as the old manifest is current; else we are broken, because edits must
 * not go to a manifest that the next open may not read.
 */
static void stay_with_old(struct manifest *m, uint64_t number, int fd, int err)
{
	char name[32], line[40];

	file_close(m->files, fd);
	manifest_file_name(name, m->number);
	snprintf(line, sizeof(line), "%s\n", name);
	if (!file_is_full(err) || !current_is(m, line)) {
		m->broken = true;
		return;
	}
	manifest_file_name(name, number);
	m->files->unlink(m->files->context, m->dir, name);
}

/* Make a new manifest of the state, and make it the current one. */
static int rewrite(struct manifest *m, uint64_t number,
		   const struct manifest_state *state)
{
	struct buf all = BUF_INIT;
	char name[32], old[32], line[40];
	int fd, err;

	err = whole(&all, number, state);
	fd = err ? err : create_file(m, number, buf_bytes(&all));
	if (fd < 0) {
		buf_release(&all);
		return fd;
	}
	manifest_file_name(name, number);
	snprintf(line, sizeof(line), "%s\n", name);
	err = file_replace(m->files, m->dir, "CURRENT", bytes_str(line));
	if (err) {
		stay_with_old(m, number, fd, err);
	} else {
		if (m->fd >= 0) {
			file_close(m->files, m->fd);
			manifest_file_name(old, m->number);
			m->files->unlink(m->files->context, m->dir, old);
		}
		m->fd = fd;
		m->number = number;
		m->version = MANIFEST_VERSION;
		m->size = all.len;
		m->rewrite_at = all.len > REWRITE_SIZE / 2 ? 2 * all.len :
							     REWRITE_SIZE;
		manifest_write_end(m);
	}
	buf_release(&all);
	return err;
}

/* Take back a record that is not whole: nothing may follow what is good. */
static int take_back(struct manifest *m, int err)
{
	int undo = m->files->truncate(m->files->context, m->fd, m->size);

	if (undo || !file_is_full(err)) {
		m->broken = true;
		return -EIO;
	}
	return -ENOSPC;
}

static int append(struct manifest *m, struct bytes record)
{
	int err = file_write(m->files, m->fd, record.ptr, record.len, m->size);

	if (err)
		return take_back(m, err);
	err = m->files->datasync(m->files->context, m->fd);
	if (err) {
		m->broken = true;
		return -EIO;
	}
	m->size += record.len;
	manifest_write_end(m);
	return 0;
}

/* Apply an edit to a manifest of an old version: all is rewritten. */
static int replace_old(struct manifest *m, const struct manifest_state *next)
{
	int err = rewrite(m, m->number + 1, next);

	return m->broken ? -EIO : err;
}

/* Apply the edit to a copy of the state; then on disk; then for all to see. */
static int apply(struct manifest *m, const struct manifest_edit *e)
{
	struct manifest_edit full = MANIFEST_EDIT_INIT;
	struct buf record = BUF_INIT;
	struct manifest_state next, old;
	int err;

	pthread_mutex_lock(&m->lock);
	err = manifest_state_copy(&next, &m->state);
	pthread_mutex_unlock(&m->lock);
	if (err)
		return err;
	manifest_state_add_number(&full.steps, next.next_number);
	buf_add_bytes(&full.steps, buf_bytes(&e->steps));
	err = full.steps.failed ? -ENOMEM :
		manifest_state_apply(&next, buf_bytes(&full.steps));
	if (err == -EUCLEAN)
		err = -EINVAL;		/* a mistake of the caller's */
	if (!err && m->version < MANIFEST_VERSION) {
		err = replace_old(m, &next);
	} else if (!err) {
		err = add_record(&record, m->number, m->size,
				 buf_bytes(&full.steps));
		if (!err)
			err = append(m, buf_bytes(&record));
	}
	if (!err) {
		pthread_mutex_lock(&m->lock);
		/* Numbers were given out meanwhile. */
		next.next_number = m->state.next_number;
		old = m->state;
		m->state = next;
		pthread_mutex_unlock(&m->lock);
		next = old;
	}
	manifest_state_release(&next);
	buf_release(&record);
	manifest_edit_release(&full);
	return err;
}

static int remove_old(void *data, const char *name)
{
	struct manifest *m = data;
	uint64_t number;

	if (!strcmp(name, "CURRENT.new") ||
	    (manifest_parse_name(&number, name) && number != m->number))
		m->files->unlink(m->files->context, m->dir, name);
	return 0;
}

/* Under writing. */
static int make_durable(struct manifest *m)
{
	int err;

	if (m->fd >= 0)
		return 0;
	err = manifest_open_to_write(m);
	if (!err)
		err = m->files->list(m->files->context, m->dir, remove_old, m);
	if (err && m->fd >= 0) {
		file_close(m->files, m->fd);
		m->fd = -1;
	}
	return err;
}

int manifest_make_durable(struct manifest *m)
{
	int err;

	pthread_mutex_lock(&m->writing);
	err = make_durable(m);
	pthread_mutex_unlock(&m->writing);
	return err;
}

static int rewrite_same(struct manifest *m)
{
	struct manifest_state copy;
	int err;

	pthread_mutex_lock(&m->lock);
	err = manifest_state_copy(&copy, &m->state);
	pthread_mutex_unlock(&m->lock);
	if (err)
		return err;
	err = rewrite(m, m->number + 1, &copy);
	manifest_state_release(&copy);
	return err;
}

int manifest_apply(struct manifest *m, const struct manifest_edit *e)
{
	int err;

	if (m->read_only)
		return -EROFS;
	if (e->steps.failed)
		return -ENOMEM;
	pthread_mutex_lock(&m->writing);
	err = m->broken ? -EIO : make_durable(m);
	if (!err)
		err = apply(m, e);
	/* The edit is durable, whether this succeeds or not. */
	if (!err && m->size >= m->rewrite_at && rewrite_same(m))
		m->rewrite_at += REWRITE_SIZE;
	pthread_mutex_unlock(&m->writing);
	return err;
}

/* --------------------------------------------------------------- opening */
/* A crash before the new manifest was named: it holds nothing. */
static int refuse_engine(void *data, const char *name)
{
	uint64_t number;
	unsigned long long segment;

	(void)data;
	return sstable_name_parse(&number, name) &&
		sscanf(name, "log-%16llx", &segment) != 1 ? 0 :
		log_corrupt("CURRENT", 0, "it is missing, and there is " "%s",
			    name);
}

/* Begin a store that has nothing yet; never one whose CURRENT is missing. */
static int begin(struct manifest *m)
{
	int err = m->files->list(m->files->context, m->dir, refuse_engine,
				 NULL);

	if (err)
		return err;
	return m->read_only ? -ENOENT : rewrite(m, 1, &m->state);
}

int manifest_open(struct manifest **out, const struct file_ops *files, int dir,
		  bool read_only)
{
	struct manifest *m = mem_zalloc(1, sizeof(*m));
	struct buf current = BUF_INIT;
	int err;

	if (!m)
		return -ENOMEM;
	m->files = files;
	m->dir = dir;
	m->fd = -1;
	m->read_only = read_only;
	m->rewrite_at = REWRITE_SIZE;
	m->state.next_number = 1;
	pthread_mutex_init(&m->writing, NULL);
	pthread_mutex_init(&m->lock, NULL);
	err = file_read_all(files, dir, "CURRENT", &current, 100);
	if (err == -EFBIG)
		err = log_corrupt("CURRENT", 0, "it is too long");
	if (err == -ENOENT)
		err = begin(m);
	else if (!err)
		err = manifest_recover(m, buf_bytes(&current));
	buf_release(&current);
	if (err) {
		manifest_close(m);
		return err;
	}
	*out = m;
	return 0;
}

void manifest_close(struct manifest *m)
{
	if (!m)
		return;
	file_close(m->files, m->fd);
	manifest_state_release(&m->state);
	pthread_mutex_destroy(&m->writing);
	pthread_mutex_destroy(&m->lock);
	mem_free(m);
}

/* ----------------------------------------------------------------- state */
uint64_t manifest_next_number(struct manifest *m)
{
	uint64_t number;

	pthread_mutex_lock(&m->lock);
	number = m->state.next_number++;
	pthread_mutex_unlock(&m->lock);
	return number;
}

/* Copy an array of the state; under lock. */
static int copy_out(void **out, size_t *count, const void *from, size_t n,
		    size_t size)
{
	*out = mem_zalloc(n, size);
	if (!*out)
		return -ENOMEM;
	if (n)
		memcpy(*out, from, n * size);
	*count = n;
	return 0;
}

int manifest_tables(struct manifest *m, struct manifest_table **tables,
		    size_t *count)
{
	int err;

	pthread_mutex_lock(&m->lock);
	err = copy_out((void **)tables, count, m->state.tables,
		       m->state.table_count, sizeof(**tables));
	pthread_mutex_unlock(&m->lock);
	return err;
}

int manifest_segments(struct manifest *m, struct manifest_segment **segments,
		      size_t *count)
{
	int err;

	pthread_mutex_lock(&m->lock);
	err = copy_out((void **)segments, count, m->state.segments,
		       m->state.segment_count, sizeof(**segments));
	pthread_mutex_unlock(&m->lock);
	return err;
}

uint64_t manifest_mark(struct manifest *m, uint32_t table)
{
	const struct manifest_table *t;
	uint64_t mark;

	pthread_mutex_lock(&m->lock);
	t = manifest_state_table(&m->state, table);
	mark = !t ? 0 : t->dropped ? UINT64_MAX : t->mark;
	pthread_mutex_unlock(&m->lock);
	return mark;
}

uint64_t manifest_log(struct manifest *m)
{
	uint64_t log;

	pthread_mutex_lock(&m->lock);
	log = m->state.log;
	pthread_mutex_unlock(&m->lock);
	return log;
}

int manifest_property(struct manifest *m, const char *name, struct buf *value)
{
	const struct manifest_property *p;
	int err = 0;

	pthread_mutex_lock(&m->lock);
	p = manifest_state_property(&m->state, name);
	if (p)
		buf_add_bytes(value, buf_bytes(&p->value));
	pthread_mutex_unlock(&m->lock);
	if (!p)
		err = -ENOENT;
	else if (value->failed)
		err = -ENOMEM;
	return err;
}

void manifest_name(struct manifest *m, char name[32])
{
	pthread_mutex_lock(&m->writing);
	manifest_file_name(name, m->number);
	pthread_mutex_unlock(&m->writing);
}

int manifest_bytes(struct manifest *m, struct buf *out)
{
	int err;

	pthread_mutex_lock(&m->lock);
	err = whole(out, 1, &m->state);
	pthread_mutex_unlock(&m->lock);
	return err;
}

int manifest_check_tail(struct manifest *m)
{
	char name[32];

	manifest_name(m, name);
	return m->zeros ? log_corrupt(name, m->size, "what was written here is "
				      "zeros") : 0;
}
