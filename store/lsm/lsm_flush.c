/*
 * Flush: write the frozen memtables of a table to one sstable. The order makes
 * a crash harmless: the file is durable before the manifest names it, and the
 * manifest says that the log is not needed before the log's segments are
 * released. A file that no manifest names is removed at open.
 *
 * Before the manifest, the log is synced up to the end of the file's data in
 * it. Else a power cut could keep this table's part of a batch and lose
 * another's, or end the log below the mark: then new records would lie below it
 * too, and be taken for flushed ones.
 */
#include "store/lsm/lsm_flush.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/base/watch.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_compact.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_version.h"
#include "store/lsm/lsm_write.h"
#include "store/row/merge.h"
#include "store/sstable/writer.h"

struct flush {
	struct lsm *lsm;
	struct lsm_table *table;
	struct version *from;	/* its frozen memtables are written */
	uint64_t mark;
	bool written;		/* there was something to write */
	bool installed;
	struct sstable_info info;
	struct sstable *sstable;
	struct version *spare;
};

static int open_frozen(struct iterator **out, const struct version *v)
{
	struct iterator **list = mem_zalloc(v->frozen_count, sizeof(*list));
	size_t count = 0;
	int err = list ? 0 : -ENOMEM;

	while (!err && count < v->frozen_count) {
		err = memtable_iterate(&list[count],
				       v->frozen[count].memtable, false);
		count += !err;
	}
	if (!err)
		err = merge_open(out, list, count, false);
	else
		while (count)
			iterator_close(list[--count]);
	mem_free(list);
	return err;
}

static void writer_options(struct flush *f, struct sstable_options *options)
{
	size_t i;

	mutex_lock(&f->lsm->lock);
	*options = lsm_writer_options(f->table->number, &f->table->options);
	mutex_unlock(&f->lsm->lock);
	for (i = 0; i < f->from->frozen_count; i++)
		options->expected_rows +=
			memtable_row_count(f->from->frozen[i].memtable);
}

static int write_entries(struct flush *f, struct iterator *entries,
			 struct sstable_writer *writer)
{
	struct deletion in_force;
	struct entry entry;
	int got = iterator_seek(entries, BYTES_EMPTY, &in_force);

	while (!got && (got = iterator_next(entries, &entry)) > 0) {
		f->written = true;
		got = sstable_writer_add(writer, &entry);
		if (!got)
			got = watch_bytes(entry.key.len + entry.row.len);
	}
	if (!got && f->written)
		got = sstable_writer_finish(writer, &f->info);
	return got;
}

/* Do all that needs no lock: write the file, durable and open. */
static int write_file(struct flush *f)
{
	struct lsm *lsm = f->lsm;
	struct sstable_writer *writer = NULL;
	struct iterator *entries = NULL;
	struct sstable_options options;
	uint64_t number = manifest_next_number(lsm->manifest);
	int err;

	writer_options(f, &options);
	err = open_frozen(&entries, f->from);
	if (!err)
		err = sstable_writer_create(&writer, lsm->files, lsm->dir,
					    number, &options);
	if (!err)
		err = write_entries(f, entries, writer);
	sstable_writer_close(writer);	/* removes the file unless finished */
	iterator_close(entries);
	if (err || !f->written)
		return err;
	err = lsm->files->sync(lsm->files->context, lsm->dir);
	if (!err)
		err = sstable_open(&f->sstable, lsm->files, lsm->dir, number,
				   lsm->cache);
	return err;
}

/* Make the next version: without the memtables that were written, with the
 * file. NULL and 0 when the table was truncated or dropped meanwhile. */
static int next_version(struct flush *f, struct version **out)
{
	size_t gone = f->from->frozen_count, i;
	struct version *now, *v;

	*out = NULL;
	mutex_lock(&f->lsm->lock);
	now = f->table->version;
	if (now->frozen_count < gone ||
	    now->frozen[0].memtable != f->from->frozen[0].memtable) {
		mutex_unlock(&f->lsm->lock);
		return 0;
	}
	v = version_copy_to(&f->spare, now, 1);
	mutex_unlock(&f->lsm->lock);
	if (!v)
		return -ENOMEM;
	for (i = 0; i < gone; i++)
		memtable_put(v->frozen[i].memtable);
	v->frozen_count -= gone;
	memmove(v->frozen, v->frozen + gone,
		v->frozen_count * sizeof(*v->frozen));
	if (f->sstable)
		v->files[v->file_count++] = (struct live_file){
			.sstable = sstable_get(f->sstable) };
	version_arrange(v);
	*out = v;
	return 0;
}

static int apply_edit(struct flush *f, uint64_t begin)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	int err = 0;

	if (f->sstable)
		manifest_edit_add(&edit, f->table->number, 0, &f->info);
	if (f->mark)
		manifest_edit_mark(&edit, f->table->number, f->mark);
	if (begin)
		manifest_edit_log(&edit, begin);
	/* An empty edit: the log never had anything. */
	if (edit.steps.len || edit.steps.failed)
		err = manifest_apply(f->lsm->manifest, &edit);
	manifest_edit_release(&edit);
	return err;
}

/*
 * Install the file. Under install no truncate or drop comes between; under
 * write nobody freezes between copying the version and swapping it in. The edit
 * itself is made without write: writers continue.
 */
static int install(struct flush *f)
{
	struct lsm *lsm = f->lsm;
	struct version *v = NULL;
	uint64_t begin = lsm_log_begin(lsm, f->table, f->mark);
	size_t i;
	int err;

	mutex_lock(&lsm->write);
	err = next_version(f, &v);
	mutex_unlock(&lsm->write);
	if (err || !v) {
		if (f->sstable)
			sstable_drop(f->sstable);
		return err;
	}
	/* This reserves memory; the version is made again below. */
	f->spare = version_spare(v, 2);
	version_put(v);
	err = f->spare ? 0 : -ENOMEM;
	if (!err)
		err = commitlog_sync(lsm->log,
				     f->mark > begin ? f->mark : begin);
	if (!err)
		err = apply_edit(f, begin);
	if (err) {
		/* After -EIO the edit may be on the disk: then it needs the
		 * file. If not, the next open removes it. */
		if (f->sstable && err != -EIO)
			sstable_drop(f->sstable);
		return err;
	}
	mutex_lock(&lsm->write);
	while (next_version(f, &v))
		;	/* the manifest has it: no way back */
	v = lsm_swap(lsm, f->table, v);
	mutex_unlock(&lsm->write);
	version_put(v);
	for (i = 0; i < f->from->frozen_count; i++)
		memtable_mark_replaced(f->from->frozen[i].memtable);
	f->installed = true;
	commitlog_release(lsm->log, begin);
	return 0;
}

static void count_flush(struct flush *f)
{
	size_t i;

	for (i = 0; i < f->from->frozen_count; i++)
		f->lsm->frozen_bytes -=
			memtable_memory(f->from->frozen[i].memtable);
	f->lsm->counters.flushes++;
	f->lsm->counters.bytes_flushed += f->info.size;
}

static int flush_table(struct lsm *lsm, struct lsm_table *t)
{
	struct flush f = { .lsm = lsm, .table = t };
	int err = 0;

	f.from = lsm_pin(lsm, t->number);
	if (f.from->frozen_count) {
		f.mark = f.from->frozen[f.from->frozen_count - 1].mark;
		err = write_file(&f);
		mutex_lock(&lsm->install);
		if (!err)
			err = install(&f);
		mutex_unlock(&lsm->install);
		if (f.installed) {
			count_flush(&f);
			lsm_count_debt(lsm, t);
		}
		sstable_put(f.sstable);
		version_put(f.spare);
	}
	version_put(f.from);
	return err;
}

struct lsm_table *lsm_table_at(struct lsm *lsm, size_t i)
{
	struct lsm_table *t;

	mutex_lock(&lsm->lock);
	t = i < lsm->table_count ? lsm->tables[i] : NULL;
	mutex_unlock(&lsm->lock);
	return t;
}

int lsm_flush_frozen(struct lsm *lsm, struct lsm_table *only)
{
	uint64_t before = lsm->counters.flushes;
	struct lsm_table *t;
	size_t i;
	int err = lsm_check_writable(lsm);

	if (err)
		return err;
	err = watch_lock(&lsm->flushing);
	if (err)
		return err;
	for (i = 0; !err && (t = lsm_table_at(lsm, i)); i++)
		if (!only || t == only)
			err = flush_table(lsm, t);
	mutex_unlock(&lsm->flushing);
	if (!err && lsm->worker && lsm->counters.flushes != before)
		worker_add(lsm->worker, WORKER_COMPACTION,
			   &lsm->compaction_work);
	return err;
}

bool lsm_is_passing(int err)
{
	return file_is_full(err) || err == -ENOMEM || err == -EMFILE ||
	       err == -ENFILE;
}

#define LONGEST_RETRY_MS 2000	/* a full disk's service returns in ten seconds */
/* The delay by which many deletions are flushed together. */
#define AFTER_DELETION_MS 200

void lsm_flush_later(struct lsm *lsm)
{
	if (lsm->worker)
		worker_add_after(lsm->worker, WORKER_FLUSH, &lsm->flush_work,
				 AFTER_DELETION_MS);
}

void lsm_flush_again(struct lsm *lsm)
{
	if (lsm->worker && lsm->no_room) {
		lsm->retry_ms = 0;
		worker_add(lsm->worker, WORKER_FLUSH, &lsm->flush_work);
	}
}

/* Passing errors are tried again, less and less often; others end writing. */
void lsm_flush_run(struct work *work)
{
	struct lsm *lsm = (struct lsm *)((char *)work -
					 offsetof(struct lsm, flush_work));
	bool full = lsm_is_full(lsm);
	int err = full ? 0 : lsm_flush_frozen(lsm, NULL);

	if (full || file_is_full(err))
		err = lsm_flush_all(lsm, true);
	lsm->no_room = file_is_full(err);
	lsm->flush_error = lsm_is_passing(err) ? err : 0;
	if (lsm_is_passing(err)) {
		log_message(LOG_WARNING_LEVEL, "flush: %s; will be tried again",
			    lsm->no_room ? FILE_FULL : strerror(-err));
		lsm->retry_ms = !lsm->retry_ms ? 1000 :
				lsm->retry_ms * 2 < LONGEST_RETRY_MS ?
						 lsm->retry_ms * 2 :
						 LONGEST_RETRY_MS;
		worker_add_after(lsm->worker, WORKER_FLUSH, work,
				 lsm->retry_ms);
		return;
	}
	lsm->retry_ms = 0;
	if (err && err != -EROFS) {
		lsm_fail(lsm, err);
	}
}

/* True if it has memtables to be flushed. REQUIRES write. */
static bool has_frozen(struct lsm *lsm, const struct lsm_table *t)
{
	size_t count;

	mutex_lock(&lsm->lock);
	count = t->version->frozen_count;
	mutex_unlock(&lsm->lock);
	return count;
}

int lsm_flush(struct lsm *lsm, uint32_t table)
{
	struct lsm_table *only;
	bool waits;
	int err = lsm_check_writable(lsm);

	if (err)
		return err;
	if (table == UINT32_MAX) {
		err = lsm_flush_all(lsm, false);
	} else {
		mutex_lock(&lsm->write);
		only = lsm_find_table(lsm, table);
		if (only)
			err = lsm_freeze(lsm, only);
		waits = only && has_frozen(lsm, only);
		mutex_unlock(&lsm->write);
		/* Else do not wait for the flush of another table. */
		if (!err && waits)
			err = lsm_flush_frozen(lsm, only);
	}
	if (err == -EIO)
		lsm_fail(lsm, err);
	if (err == -EINTR && lsm->worker)	/* what was begun is done */
		worker_add(lsm->worker, WORKER_FLUSH, &lsm->flush_work);
	return err;
}
