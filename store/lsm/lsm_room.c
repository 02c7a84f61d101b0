/*
 * A full disk. What frees room must go on then: deletions, changes of the
 * schema, TRUNCATE, flushes. So that they can, two files of zeros, the reserves,
 * hold some room back, as long as there is no need of it.
 *
 * When the log needs a segment for which there is no room, all memtables are
 * flushed: then what the log holds is not needed, and its segments go or are
 * used again. If even that does not fit, writing ends with -ENOSPC, but what
 * frees room goes on in small segments; and when there is no room for these,
 * the log's reserve becomes one. The other one is removed when a flush or the
 * manifest finds no room. Until both are whole again nothing else is written.
 *
 * Order against crashes: that of a flush (lsm_flush.c). The reserves hold
 * nothing. But a power cut may undo the new name of the log's after records
 * were written to it, and the next segment may get the same number: so each
 * start makes a new one, of zeros.
 */
#include <fcntl.h>

#include "store/lsm/lsm_internal.h"

/* For sstables and the manifest; the log has its own. */
#define FILES_RESERVE_NAME "reserve-files"

/* ------------------------------------------------------------ the reserves */
static int make_reserve(struct lsm *lsm, const char *name)
{
	const struct file_ops *files = lsm->files;
	int fd = file_open(files, lsm->dir, name, O_RDWR | O_CREAT);
	int err;

	if (fd < 0)
		return fd;
	err = files->allocate(files->context, fd, LOG_RESERVE_BYTES);
	file_close(files, fd);
	if (err)
		files->unlink(files->context, lsm->dir, name);
	/* Where files cannot be allocated there is none, and none is missed. */
	return err == -EOPNOTSUPP ? 0 : err;
}

void lsm_reserve_begin(struct lsm *lsm)
{
	lsm->files->unlink(lsm->files->context, lsm->dir, LOG_RESERVE_NAME);
}

int lsm_reserve_keep(struct lsm *lsm)
{
	int err;

	mutex_lock(&lsm->room);
	err = make_reserve(lsm, LOG_RESERVE_NAME);
	if (!err)
		err = make_reserve(lsm, FILES_RESERVE_NAME);
	lsm->reserve_spent = err != 0;
	mutex_unlock(&lsm->room);
	return err;
}

bool lsm_reserve_spend(struct lsm *lsm)
{
	bool spent;

	mutex_lock(&lsm->room);
	lsm->reserve_spent = true;
	spent = !lsm->files->unlink(lsm->files->context, lsm->dir,
				    FILES_RESERVE_NAME);
	mutex_unlock(&lsm->room);
	return spent;
}

/* ------------------------------------------------------------------- room */
/* What may be written beside a deletion: the time of it in the tree. */
#define SMALL_VALUE 16

/* Are its values small, if there are any? *deletes is set when something is
 * deleted by it. How its key is written is no value. */
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

/* The log from before the first batch that no sstable has. */
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

/* As long as what is frozen does not fit there is no use in more of it. */
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

int lsm_flush_all(struct lsm *lsm, bool full)
{
	int err = flush_all(lsm);

	/* Not for what will not fit: others might take it meanwhile. */
	if (file_is_full(err) && lsm->frozen_bytes < LOG_RESERVE_BYTES &&
	    lsm_reserve_spend(lsm))
		err = flush_all(lsm);
	if (full) {
		mutex_lock(&lsm->write);
		commitlog_shrink(lsm->log);
		mutex_unlock(&lsm->write);
	}
	if (err != -EINTR)
		lsm->no_room = file_is_full(err);
	if (!err && lsm->reserve_spent)
		(void)lsm_reserve_keep(lsm);
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
