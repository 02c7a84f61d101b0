/*
 * Opening: the manifest says which sstables are live; files of the kind that it
 * does not name are of a flush or compaction that a crash cut off, and go. Then
 * the log's batches are applied again, each operation only if its table's mark
 * says that no sstable has it yet.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/lsm/lsm_internal.h"

static int remove_unfinished(void *data, const char *name)
{
	struct lsm *lsm = data;
	uint64_t number;

	if (sstable_name_parse(&number, name) ||
	    manifest_has_file(lsm->manifest, number))
		return 0;
	log_message(LOG_INFO_LEVEL, "%s: not finished, removed", name);
	lsm->files->unlink(lsm->files->context, lsm->dir, name);
	return 0;
}

static int add_file(struct lsm *lsm, const struct manifest_file *file)
{
	struct table *t;
	struct version *v;
	struct sstable *sstable;
	int err;

	t = lsm_make_table(lsm, file->table);
	if (!t)
		return -ENOMEM;
	err = sstable_open(&sstable, lsm->files, lsm->dir, file->info.number,
			   lsm->cache);
	if (err)
		return err;
	if (sstable_info(sstable)->checksum != file->info.checksum) {
		char name[32];

		sstable_name(name, file->info.number);
		sstable_put(sstable);
		return corrupt(name, 0, "it is not the file that the manifest "
					"names");
	}
	v = version_copy(t->version, 1);
	if (!v) {
		sstable_put(sstable);
		return -ENOMEM;
	}
	v->files[v->file_count++] = (struct live_file){ sstable, file->level };
	version_sort_files(v);
	version_put(lsm_swap(lsm, t, v));
	return 0;
}

static int open_files(struct lsm *lsm)
{
	struct manifest_file *files = NULL;
	size_t count = 0, i;
	int err;

	err = manifest_files(lsm->manifest, &files, &count);
	for (i = 0; i < count && !err; i++)
		err = add_file(lsm, &files[i]);
	mem_free(files);
	if (!err && !lsm->options.read_only)
		err = lsm->files->list(lsm->files->context, lsm->dir,
				       remove_unfinished, lsm);
	return err;
}

static int replay_batch(void *context, uint64_t position, struct bytes batch)
{
	struct lsm *lsm = context;
	struct reader r = reader_of(batch);
	struct batch_op op;
	struct table *t = NULL;
	int got;

	while ((got = batch_next(&r, &op)) > 0) {
		int err;

		if (position < manifest_mark(lsm->manifest, op.table))
			continue;
		t = lsm_make_table(lsm, op.table);
		if (!t)
			return -ENOMEM;
		if (t->active_begin == NOT_IN_LOG)
			t->active_begin = position;
		err = memtable_add(t->version->active, &op);
		if (err)
			return err;
		/* Nobody reads yet: seen at once is seen together. */
		memtable_commit(t->version->active);
	}
	return got ? corrupt("log", position, "the batch cannot be read") : 0;
}

int lsm_recover(struct lsm *lsm)
{
	size_t i;
	int err;

	err = open_files(lsm);
	if (!err)
		err = commitlog_open(&lsm->log, lsm->files, lsm->dir,
				     manifest_log(lsm->manifest),
				     lsm->options.read_only);
	if (!err)
		err = commitlog_replay(lsm->log, replay_batch, lsm);
	for (i = 0; i < lsm->table_count && !err; i++)
		lsm->memtable_bytes +=
			memtable_memory(lsm->tables[i]->version->active);
	return err;
}
