/*
 * Open the engine. First everything is read and nothing is changed: the
 * manifest, the sstables that it names, the log. Of the log's batches those of
 * the first tables are applied, so that the owner can read these (the
 * catalogue) and check them, too. If the owner refuses the store it is left as
 * it was.
 *
 * Then files of the kind that the manifest does not name are removed: they are
 * from a flush or compaction that a crash interrupted. The log's batches are
 * applied, each operation only if its table's mark says that no sstable has it
 * yet.
 *
 * How far the log must reach: its begin and the marks were synced before the
 * manifest had them. So was its end when the store was last closed: the
 * property "log" (8 bytes, little-endian). A log that ends before is damaged.
 * The property never becomes wrong, since positions only grow; after a crash it
 * is merely older than what the log's own records know.
 *
 * The property "boot" identifies the time for which the system's cache of the
 * store's files lives (file.h). It is written when the log was found sound and
 * is as it was found, before anything is appended. As long as it is the same
 * nothing that any process wrote since can be missing, synced or not.
 */
#include <errno.h>
#include <inttypes.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_flush.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_recover.h"
#include "store/lsm/lsm_version.h"
#include "store/lsm/lsm_write.h"

#define END_PROPERTY "log"
#define BOOT_PROPERTY "boot"

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

int lsm_open_named(struct lsm *lsm, struct block_cache *cache,
		   const struct manifest_file *file, struct sstable **out)
{
	uint32_t table;
	char name[32];
	int err = sstable_share(out, lsm->files, lsm->dir, file->info.number,
				cache);

	sstable_name(name, file->info.number);
	if (err == -ENOENT)
		return log_corrupt(name, 0, "the manifest names it, and it is "
				   "missing");
	if (err || (sstable_info(*out)->checksum == file->info.checksum &&
		    sstable_info(*out)->size == file->info.size &&
		    sstable_table(*out) <= file->table))
		return err;
	table = sstable_table(*out);
	sstable_put(*out);
	if (table > file->table)
		return log_corrupt(name, 0, "it is of table number %" PRIu32
				   ", and the manifest says %" PRIu32, table,
				   file->table);
	return log_corrupt(name, 0,
			   "it is not the file that the manifest names");
}

int lsm_add_named(struct lsm *lsm, struct block_cache *cache,
		  const struct manifest_file *file)
{
	struct lsm_table *t;
	struct version *v;
	struct sstable *sstable;
	int err;

	t = lsm_make_table(lsm, file->table);
	if (!t)
		return -ENOMEM;
	err = lsm_open_named(lsm, cache, file, &sstable);
	if (err)
		return err;
	v = version_copy(t->version, 1);
	if (!v) {
		sstable_put(sstable);
		return -ENOMEM;
	}
	v->files[v->file_count++] = (struct live_file){
		.sstable = sstable, .level = file->level };
	version_arrange(v);
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
		err = lsm_add_named(lsm, lsm->cache, &files[i]);
	mem_free(files);
	return err;
}

static int replay_op(struct lsm *lsm, uint64_t position,
		     const struct batch_op *op)
{
	struct lsm_table *t = lsm_make_table(lsm, op->table);
	struct memtable *active;
	size_t before;
	int err;

	if (!t)
		return -ENOMEM;
	if (t->active_begin == NOT_IN_LOG)
		t->active_begin = position;
	active = t->version->active;
	before = memtable_memory(active);
	err = memtable_add(active, op);
	lsm->memtable_bytes += memtable_memory(active) - before;
	/* Nobody reads yet, so batches need not become visible together. */
	if (!err)
		memtable_commit(active);
	return err;
}

/*
 * Flush between two batches, so that a log of any length takes no more memory
 * than writing it did. It is done as any flush is: the log is synced up to the
 * mark before the manifest has it. A crash leaves a store that replays from
 * there. Where there is no room for files, the replayed data stays in memory.
 */
static int flush_replayed(struct lsm *lsm)
{
	int err = lsm_freeze_all(lsm);

	if (!err)
		err = lsm_flush_frozen(lsm, NULL);
	return lsm_is_passing(err) ? 0 : err;
}

/* Apply the operations of a batch on the first tables, or on the others. */
static int apply_batch(struct lsm *lsm, uint64_t position, struct bytes batch,
		       bool first)
{
	struct reader r = reader_of(batch);
	struct batch_op op;
	char name[32];
	int got;

	while ((got = batch_next(&r, &op)) > 0) {
		int err;

		if ((op.table < lsm->options.first) != first ||
		    position < manifest_mark(lsm->manifest, op.table))
			continue;
		err = replay_op(lsm, position, &op);
		if (err)
			return err;
	}
	if (!got)
		return 0;
	commitlog_file_name(name, position);
	return log_corrupt(name, position & UINT32_MAX,
			   "the batch cannot be read");
}

static int replay_first(void *context, uint64_t position, struct bytes batch)
{
	return apply_batch(context, position, batch, true);
}

static int replay_others(void *context, uint64_t position, struct bytes batch)
{
	struct lsm *lsm = context;
	int err = apply_batch(lsm, position, batch, false);

	return err || lsm->options.read_only ||
	       lsm->memtable_bytes <= lsm->options.memtable_bytes / 2 ?
		       err : flush_replayed(lsm);
}

/* Return up to where the manifest says that the log was on disk. */
static int known_synced(struct lsm *lsm, uint64_t *synced)
{
	struct manifest_table *tables;
	struct buf end = BUF_INIT;
	char name[32];
	size_t count, i;
	int err = manifest_tables(lsm->manifest, &tables, &count);

	if (err)
		return err;
	*synced = manifest_log(lsm->manifest);
	for (i = 0; i < count; i++)
		if (tables[i].mark > *synced)
			*synced = tables[i].mark;
	mem_free(tables);
	err = manifest_property(lsm->manifest, END_PROPERTY, &end);
	if (!err && end.len != 8) {
		manifest_name(lsm->manifest, name);
		err = log_corrupt(name, 0,
				  "it says of the log's end what cannot " "be");
	}
	if (!err && get_le64(end.ptr) > *synced)
		*synced = get_le64(end.ptr);
	buf_release(&end);
	return err == -ENOENT ? 0 : err;
}

void lsm_note_log_end(struct lsm *lsm)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	uint64_t end = commitlog_end(lsm->log), known;
	uint8_t bytes[8];

	if (known_synced(lsm, &known) || known >= end)
		return;
	put_le64(bytes, end);
	manifest_edit_property(&edit, END_PROPERTY, bytes_of(bytes, 8));
	(void)manifest_apply(lsm->manifest, &edit);
	manifest_edit_release(&edit);
}

/* Compare the manifest's "boot" with what the system says now, which is set in
 * now; empty if it says nothing. */
static int compare_boots(struct lsm *lsm, struct buf *now, bool *same)
{
	const struct file_ops *files = lsm->files;
	struct buf was = BUF_INIT;
	uint8_t id[FILE_BOOT_BYTES];
	int err = manifest_property(lsm->manifest, BOOT_PROPERTY, &was);

	if (files->boot && !files->boot(files->context, lsm->dir, id))
		buf_add(now, id, sizeof(id));
	*same = !err && was.len == now->len && was.len &&
		!memcmp(was.ptr, now->ptr, was.len);
	buf_release(&was);
	if (now->failed)
		return -ENOMEM;
	return err == -ENOENT ? 0 : err;
}

/* A failure does no harm: a damaged tail is judged more leniently then. */
static int note_boot(struct lsm *lsm)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	struct buf now = BUF_INIT;
	bool same;
	int err = compare_boots(lsm, &now, &same);

	if (!err && !same && now.len) {
		manifest_edit_property(&edit, BOOT_PROPERTY, buf_bytes(&now));
		err = manifest_apply(lsm->manifest, &edit);
	}
	manifest_edit_release(&edit);
	buf_release(&now);
	return file_is_full(err) ? 0 : err;
}

/* Read everything. */
static int find_sound(struct lsm *lsm)
{
	struct buf now = BUF_INIT;
	uint64_t synced = 0;
	bool same = false;
	int err = compare_boots(lsm, &now, &same);

	buf_release(&now);
	if (!err && same)
		err = manifest_check_tail(lsm->manifest);
	if (!err)
		err = open_files(lsm);
	if (!err)
		err = known_synced(lsm, &synced);
	if (!err)
		err = commitlog_open(&lsm->log, lsm->files, lsm->dir,
				     lsm->manifest, manifest_log(lsm->manifest),
				     synced, lsm->options.read_only);
	if (!err)
		err = commitlog_look(lsm->log, same, replay_first, lsm);
	if (!err && lsm->options.sound)
		err = lsm->options.sound(lsm->options.context, lsm);
	return err;
}

int lsm_recover(struct lsm *lsm)
{
	int err = find_sound(lsm);

	if (!err && !lsm->options.read_only)
		err = manifest_make_durable(lsm->manifest);
	if (!err && !lsm->options.read_only)
		err = lsm->files->list(lsm->files->context, lsm->dir,
				       remove_unfinished, lsm);
	if (err)
		return err;
	err = commitlog_replay(lsm->log, replay_others, lsm);
	if (file_is_full(err) && lsm_reserve_spend(lsm)) {
		err = commitlog_replay(lsm->log, replay_others, lsm);
		lsm_reserve_end(lsm);
	}
	return err || lsm->options.read_only ? err : note_boot(lsm);
}
