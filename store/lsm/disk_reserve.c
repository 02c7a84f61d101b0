/*
 * A full disk. Work that frees room must continue then: deletions, changes of
 * the schema, TRUNCATE, flushes, compactions. To make that possible two files
 * of zeros, the reserves, hold room back until it is needed.
 *
 * The reserve for sstables is as large as all data that only the log has: so
 * the memtables can always be flushed. A batch for which it cannot grow finds
 * the disk full, as does one for which the log gets no segment. Then all
 * memtables are flushed: the log's data is not needed any more, and its
 * segments are removed or used again. If that is not enough writing ends with
 * -ENOSPC, but work that frees room continues in small segments; and when there
 * is no room for these, the log's reserve becomes one. Until both are whole
 * again nothing else is written.
 *
 * It is also as large as the largest file of a table, but at most an eighth of
 * all: a compaction uses it to rewrite a file of which much was deleted
 * (lsm_reclaim.c). So a deletion gives room back on the same full disk.
 *
 * It grows when a batch needs it, and shrinks when nobody writes (lsm_idle.c).
 *
 * Order against crashes: that of a flush (lsm_flush.c). The reserves hold no
 * data. But a power cut may undo the renaming of the log's reserve after
 * records were written to it, and the next segment may get the same number: so
 * each start makes a new one, of zeros.
 */
#include "store/lsm/disk_reserve.h"

#include <fcntl.h>

#include "store/lsm/lsm_flush.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_reclaim.h"
#include "store/lsm/lsm_snapshot.h"
#include "store/lsm/lsm_write.h"
#include "store/row/row_codec.h"

/* The reserve for sstables and the manifest; the log has its own. */
#define FILES_RESERVE_NAME "reserve-files"

/* ------------------------------------------------------------ the reserves */
/* For compactions: this part of the tables, and at most this much. */
#define FILES_PART 8
#define MOST_FOR_FILES ((uint64_t)64 << 20)
/* The reserve grows and shrinks by such steps. */
#define RESERVE_STEP ((uint64_t)1 << 20)
#define SMALLEST_RESERVE ((uint64_t)64 << 10)

/* Give the reserve this size. If it cannot grow it stays as it was. *size is
 * its size afterwards. */
static int make_reserve(struct lsm *lsm, const char *name, uint64_t *size)
{
	const struct file_ops *files = lsm->files;
	int fd = file_open(files, lsm->dir, name, O_RDWR | O_CREAT);
	struct stat st = { 0 };
	int err;

	if (fd < 0)
		return fd;
	err = files->stat(files->context, fd, &st);
	if (!err && (uint64_t)st.st_size > *size)
		err = files->truncate(files->context, fd, *size);
	else if (!err)
		err = files->allocate(files->context, fd, *size);
	if (err) {
		*size = (uint64_t)st.st_size;
		if (*size)	/* some filesystems keep a part of it */
			(void)files->truncate(files->context, fd, *size);
	}
	file_close(files, fd);
	if (err && !*size)
		files->unlink(files->context, lsm->dir, name);
	return err;
}

void lsm_reserve_begin(struct lsm *lsm)
{
	lsm->files->unlink(lsm->files->context, lsm->dir, LOG_RESERVE_NAME);
}

/* Sum up the bytes of all tables' files; *largest: of the largest one. */
static uint64_t files_bytes(struct lsm *lsm, uint64_t *largest)
{
	uint64_t bytes = 0;
	size_t i, j;

	*largest = 0;
	mutex_lock(&lsm->lock);
	for (i = 0; i < lsm->table_count; i++) {
		const struct version *v = lsm->tables[i]->version;

		for (j = 0; j < v->file_count; j++) {
			uint64_t size = sstable_info(v->files[j].sstable)->size;

			bytes += size;
			if (size > *largest)
				*largest = size;
		}
	}
	mutex_unlock(&lsm->lock);
	return bytes;
}

#define SMALLEST_FILE ((uint64_t)2 << 20)
#define LARGEST_FILE ((uint64_t)256 << 20)

uint64_t lsm_file_size(struct lsm *lsm)
{
	uint64_t largest, size = files_bytes(lsm, &largest) / FILES_PART;

	return size < SMALLEST_FILE ? SMALLEST_FILE :
	       size > LARGEST_FILE  ? LARGEST_FILE : size;
}

/* Return how large the reserve for sstables and the manifest must be. */
static uint64_t wanted_size(struct lsm *lsm, uint64_t flush)
{
	uint64_t largest, size = files_bytes(lsm, &largest) / FILES_PART;

	/* Enough for one file to be rewritten, and a step for what is deleted
	 * meanwhile. */
	if (size > largest + RESERVE_STEP)
		size = largest + RESERVE_STEP;
	if (size > MOST_FOR_FILES)
		size = MOST_FOR_FILES;
	if (size < flush)
		size = flush;
	return LOG_RESERVE_BYTES +
	       (size + RESERVE_STEP - 1) / RESERVE_STEP * RESERVE_STEP;
}

/* Grow the reserve for sstables; *size is its size now. */
static int grow_reserve(struct lsm *lsm, uint64_t *size)
{
	uint64_t less = *size;
	int err = make_reserve(lsm, FILES_RESERVE_NAME, size), again = err;

	/* A part of it is enough for the manifest. */
	while (file_is_full(again) && !*size && less > SMALLEST_RESERVE) {
		less /= 2;
		*size = less;
		again = make_reserve(lsm, FILES_RESERVE_NAME, size);
	}
	return err;
}

/* Set reserve_until: the reserve has that size. */
static void set_until(struct lsm *lsm, const struct commitlog_stats *log,
		      uint64_t size)
{
	lsm->reserve_until = log->appended + size - LOG_RESERVE_BYTES -
			     log->held;
}

int lsm_reserve_keep(struct lsm *lsm, uint64_t more)
{
	uint64_t size, log_size = LOG_RESERVE_BYTES;
	struct commitlog_stats log;
	int err;

	mutex_lock(&lsm->room);
	commitlog_stats(lsm->log, &log);
	size = wanted_size(lsm, log.held + more);
	err = lsm->reserve_lent || lsm->reserve_users ? -ENOSPC :
	      make_reserve(lsm, LOG_RESERVE_NAME, &log_size);
	if (!err)
		err = grow_reserve(lsm, &size);
	if (!err)
		set_until(lsm, &log, size);
	/* Where files cannot be allocated, or may not be that large (a limit of
	 * the process), there is no reserve, and none is missed. */
	if (err == -EOPNOTSUPP || err == -EFBIG) {
		err = 0;
		lsm->reserve_until = UINT64_MAX;
	}
	lsm->reserve_spent = err != 0;
	mutex_unlock(&lsm->room);
	return err;
}

bool lsm_reserve_is_short(struct lsm *lsm, uint64_t more)
{
	return lsm->reserve_spent ||
	       commitlog_appended(lsm->log) + more > lsm->reserve_until;
}

bool lsm_is_full(const struct lsm *lsm)
{
	return lsm->reserve_spent || lsm->no_room || lsm->refused;
}

bool lsm_reserve_spend(struct lsm *lsm)
{
	bool spent;

	mutex_lock(&lsm->room);
	lsm->reserve_spent = true;
	spent = !lsm->files->unlink(lsm->files->context, lsm->dir,
				    FILES_RESERVE_NAME);
	lsm->reserve_users += spent;
	mutex_unlock(&lsm->room);
	return spent;
}

void lsm_reserve_end(struct lsm *lsm)
{
	mutex_lock(&lsm->room);
	lsm->reserve_users--;
	mutex_unlock(&lsm->room);
}

/* Return its present size. */
static uint64_t reserve_size(struct lsm *lsm)
{
	const struct file_ops *files = lsm->files;
	int fd = file_open(files, lsm->dir, FILES_RESERVE_NAME, O_RDONLY);
	struct stat st = { 0 };

	if (fd < 0)
		return 0;
	if (files->stat(files->context, fd, &st))
		st.st_size = 0;
	file_close(files, fd);
	return (uint64_t)st.st_size;
}

void lsm_reserve_shrink(struct lsm *lsm)
{
	struct commitlog_stats log;
	uint64_t size;

	mutex_lock(&lsm->room);
	commitlog_stats(lsm->log, &log);
	size = wanted_size(lsm, log.held);
	if (!lsm->reserve_spent && !lsm->reserve_lent && !lsm->reserve_users &&
	    lsm->reserve_until != UINT64_MAX && size < reserve_size(lsm)) {
		/* Writers know first; it is no larger than they think. */
		set_until(lsm, &log, size);
		(void)make_reserve(lsm, FILES_RESERVE_NAME, &size);
	}
	mutex_unlock(&lsm->room);
}

/* Take need bytes out of the reserve, which has `size`, and leave the part that
 * a flush needs. If a flush found no room, this may give it some. */
static int lend(struct lsm *lsm, uint64_t size, uint64_t need)
{
	struct commitlog_stats log;
	uint64_t least, until;
	int err = 0;

	commitlog_stats(lsm->log, &log);
	least = need + LOG_RESERVE_BYTES + (lsm->no_room ? 0 : log.held);
	if (size < least) {
		size = least;
		err = make_reserve(lsm, FILES_RESERVE_NAME, &size);
	}
	if (err)
		return err;
	size -= need;
	(void)make_reserve(lsm, FILES_RESERVE_NAME, &size);
	until = log.appended + size - LOG_RESERVE_BYTES;
	lsm->reserve_until = until > log.held ? until - log.held : 0;
	lsm->reserve_lent = true;
	lsm->reserve_spent = true;
	return 0;
}

/* A file that meets the full disk only at its end would meanwhile have taken
 * the room that flushes and writers need: so look for room for all of it
 * before. */
int lsm_reserve_lend(struct lsm *lsm, uint64_t need)
{
	uint64_t size, more;
	int err;

	mutex_lock(&lsm->room);
	size = reserve_size(lsm);
	more = size + need;
	err = make_reserve(lsm, FILES_RESERVE_NAME, &more);
	if (!err)	/* there is room beside it */
		err = make_reserve(lsm, FILES_RESERVE_NAME, &size);
	else if (file_is_full(err))
		err = lend(lsm, size, need);
	mutex_unlock(&lsm->room);
	return err == -EOPNOTSUPP || err == -EFBIG ? 0 : err;
}

void lsm_reserve_take_back(struct lsm *lsm)
{
	mutex_lock(&lsm->room);
	lsm->reserve_lent = false;
	mutex_unlock(&lsm->room);
}

/* ------------------------------------------------------------------- room */
/* Room for a deletion's own data: its time in the tree. */
#define SMALL_VALUE 16

/* True if its values, if any, are small. *deletes is set when it deletes
 * something. The spelling of its key is no value. */
static bool is_small(const struct row *row, bool *deletes)
{
	uint32_t i;

	*deletes |= !deletion_is_none(row->deletion);
	for (i = 0; i < row->cell_count; i++) {
		const struct cell *c = &row->cells[i];

		if (c->flags & (CELL_TOMBSTONE | CELL_COLUMN_DELETION))
			*deletes = true;
		else if (c->value.len > SMALL_VALUE &&
			 c->column != CELL_CLUSTERING)
			return false;
	}
	return true;
}

bool lsm_frees_room(const struct batch *batch)
{
	struct reader r = reader_of(buf_bytes(&batch->bytes));
	struct arena arena = ARENA_INIT;
	struct batch_op op;
	bool deletes = batch->schema, small = true;

	while (!batch->schema && small && batch_next(&r, &op) > 0) {
		struct row row;

		if (bytes_is_null(op.row))
			deletes = true;
		else
			small = !row_decode(&row, &arena, op.row) &&
				is_small(&row, &deletes);
		arena_clear(&arena);
	}
	arena_release(&arena);
	return deletes && small;
}

/* Release the log before the first batch that no sstable has. */
static int release_log(struct lsm *lsm)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	uint64_t begin;
	int err = 0;

	mutex_lock(&lsm->install);
	begin = lsm_log_begin(lsm, NULL, 0);
	if (begin > manifest_log(lsm->manifest)) {
		manifest_edit_log(&edit, begin);
		err = commitlog_sync(lsm->log, begin);
		if (!err)
			err = manifest_apply(lsm->manifest, &edit);
		if (!err)
			commitlog_release(lsm->log, begin);
	}
	mutex_unlock(&lsm->install);
	manifest_edit_release(&edit);
	return err;
}

/* While the frozen memtables do not fit, freezing more is of no use. */
static int flush_all(struct lsm *lsm)
{
	int err = lsm->frozen_bytes ? lsm_flush_frozen(lsm, NULL) : 0;

	if (!err)
		err = lsm_freeze_all(lsm);
	if (!err)
		err = lsm_flush_frozen(lsm, NULL);
	if (!err)
		err = release_log(lsm);
	return err;
}

/* True if the reserve has room for all that only the log has: a flush writes no
 * more than that. */
static bool reserve_is_enough(struct lsm *lsm)
{
	struct commitlog_stats log;

	commitlog_stats(lsm->log, &log);
	return log.appended <= lsm->reserve_until + LOG_RESERVE_BYTES ||
	       lsm->reserve_until == UINT64_MAX;
}

/* The segments go if the manifest has room to say so. */
static void shrink_log(struct lsm *lsm)
{
	int err = -ENOSPC, tries;

	for (tries = 0; tries < 2 && file_is_full(err); tries++) {
		if (tries && !lsm_reserve_spend(lsm))
			break;
		mutex_lock(&lsm->write);
		err = commitlog_shrink(lsm->log);
		mutex_unlock(&lsm->write);
		if (tries)
			lsm_reserve_end(lsm);
	}
}

int lsm_flush_all(struct lsm *lsm, bool full)
{
	bool any;
	int err = full ? lsm_snapshot_give_up(lsm, 0, &any) : 0;

	if (err != -EIO)
		err = flush_all(lsm);

	/* Not if it will not fit: others might take the room meanwhile. */
	if (file_is_full(err) && reserve_is_enough(lsm) &&
	    lsm_reserve_spend(lsm)) {
		err = flush_all(lsm);
		lsm_reserve_end(lsm);
	}
	if (full)
		shrink_log(lsm);
	if (err != -EINTR)
		lsm->no_room = file_is_full(err);
	if (lsm->reserve_spent)
		(void)lsm_reserve_keep(lsm, 0);
	if (!err && lsm_is_full(lsm))
		lsm_want_room(lsm);
	return err;
}

int lsm_make_room(struct lsm *lsm)
{
	bool threads = lsm->worker && !lsm->options.no_threads;
	int err;

	/* It did not fit, and is tried again in the background. */
	if (lsm->no_room && threads)
		return -ENOSPC;
	err = lsm_flush_all(lsm, true);
	if (file_is_full(err) && threads)
		lsm_flush_later(lsm);
	return err;
}
