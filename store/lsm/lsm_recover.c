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
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_recover.h"
#include "store/lsm/lsm_replay.h"
#include "store/lsm/lsm_version.h"

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

static int look_at(void *context, uint64_t position, struct bytes batch)
{
	return lsm_replay_first(context, position, batch);
}

static int replay(void *context, uint64_t position, struct bytes batch)
{
	return lsm_replay_add(context, position, batch);
}

static int replay_log(struct lsm *lsm)
{
	struct lsm_replay *p = NULL;
	int err = lsm_replay_new(&p, lsm);

	if (!err)
		err = commitlog_replay(lsm->log, replay, p);
	if (file_is_full(err) && lsm_reserve_spend(lsm)) {
		err = commitlog_replay(lsm->log, replay, p);
		lsm_reserve_end(lsm);
	}
	if (!err)
		err = lsm_replay_all(p);
	lsm_replay_free(p);
	return err;
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
	if (!err && !lsm->options.commit_s)
		commitlog_expect_syncs(lsm->log);
	if (!err)
		err = commitlog_look(lsm->log, same,
				     lsm->options.first ? look_at : NULL, lsm);
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
	err = replay_log(lsm);
	return err || lsm->options.read_only ? err : note_boot(lsm);
}
