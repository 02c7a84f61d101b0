/*
 * Order against crashes. To take snapshots, the sstables are durable; one edit
 * of the manifest names them. To remove it, one edit forgets it, and the sstables
 * that no entry names any more; then their files are unlinked. The next
 * open removes the rest of them after a crash, as all that no manifest names. To
 * give tables its files, one edit names them once more, for these tables.
 */
#include "store/lsm/lsm_snapshot.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/log.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_compact.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_pace.h"
#include "store/lsm/lsm_version.h"

/* Remove the file of an sstable when nobody reads it any more, if no entry of
 * the manifest names it. */
static void remove_unnamed(struct lsm *lsm, uint64_t number)
	REQUIRES(&lsm->install)
{
	struct sstable *open;
	char name[32];

	if (manifest_has_file(lsm->manifest, number))
		return;
	open = sstable_find(lsm->cache, number);
	if (open) {
		sstable_drop(open);
		sstable_put(open);
		return;
	}
	sstable_name(name, number);
	lsm->files->unlink(lsm->files->context, lsm->dir, name);
}

void lsm_drop_file(struct lsm *lsm, struct sstable *t)
{
	if (!manifest_has_file(lsm->manifest, sstable_info(t)->number))
		sstable_drop(t);
}

/* ---------------------------------------------------------- add and remove */
/* True if a table of the snapshot has something that no sstable has. */
static bool has_memory(struct lsm *lsm, const struct manifest_snapshot *s)
{
	bool found = false;
	size_t i;
	uint32_t j;

	mutex_lock(&lsm->lock);
	for (i = 0; i < lsm->table_count && !found; i++) {
		const struct version *v = lsm->tables[i]->version;
		bool here = !s->table_count;

		for (j = 0; j < s->table_count; j++)
			here |= s->tables[j] == lsm->tables[i]->number;
		found = here && (v->frozen_count ||
				 !memtable_is_empty(v->active));
	}
	mutex_unlock(&lsm->lock);
	return found;
}

static int is_new_name(struct lsm *lsm, const char *name)
{
	struct manifest_snapshot *list;
	size_t count, i;
	int err = manifest_snapshots(lsm->manifest, &list, &count);

	for (i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			err = -EEXIST;
	mem_free(list);
	return err;
}

static int add(struct lsm *lsm, struct manifest_snapshot *list, size_t count)
	REQUIRES(&lsm->install)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	uint64_t number = manifest_next_snapshot(lsm->manifest);
	size_t i;
	int err = 0;

	for (i = 0; i < count && !err; i++) {
		err = is_new_name(lsm, list[i].name);
		if (!err && has_memory(lsm, &list[i]))
			err = -EAGAIN;
		list[i].number = number++;
		manifest_edit_snapshot(&edit, &list[i]);
	}
	if (!err)
		err = manifest_apply(lsm->manifest, &edit);
	manifest_edit_release(&edit);
	return err;
}

int lsm_snapshot_add(struct lsm *lsm, struct manifest_snapshot *list,
		     size_t count)
{
	int err = lsm_check_writable(lsm);

	if (err)
		return err;
	mutex_lock(&lsm->install);
	err = add(lsm, list, count);
	mutex_unlock(&lsm->install);
	if (err == -EIO)
		lsm_fail(lsm, err);
	return err;
}

static int remove_one(struct lsm *lsm, uint64_t number)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	struct manifest_file *past = NULL;
	size_t count = 0, i;
	int err;

	manifest_edit_snapshot_gone(&edit, number);
	mutex_lock(&lsm->viewing);
	mutex_lock(&lsm->install);
	err = manifest_past_files(lsm->manifest, &past, &count);
	if (!err)
		err = manifest_apply(lsm->manifest, &edit);
	for (i = 0; !err && i < count; i++)
		remove_unnamed(lsm, past[i].info.number);
	mutex_unlock(&lsm->install);
	mutex_unlock(&lsm->viewing);
	manifest_edit_release(&edit);
	mem_free(past);
	return err == -ESTALE ? -ENOENT : err;
}

static int remove_with_reserve(struct lsm *lsm, uint64_t number)
{
	int err = lsm_check_writable(lsm);

	if (err)
		return err;
	err = remove_one(lsm, number);
	if (file_is_full(err) && lsm_reserve_spend(lsm)) {
		err = remove_one(lsm, number);
		lsm_reserve_end(lsm);
	}
	if (err == -EIO)
		lsm_fail(lsm, err);
	return err;
}

int lsm_snapshot_remove(struct lsm *lsm, uint64_t number)
{
	int err = remove_with_reserve(lsm, number);

	/* A full disk has room now. */
	if (!err && lsm_is_full(lsm) && lsm_flush_all(lsm, true) == -EIO)
		lsm_fail(lsm, -EIO);
	return err;
}

void lsm_snapshot_hold(struct lsm *lsm, struct lsm_snapshot_hold *h,
		       uint64_t number)
{
	h->number = number;
	mutex_lock(&lsm->lock);
	h->next = lsm->holds;
	lsm->holds = h;
	mutex_unlock(&lsm->lock);
}

void lsm_snapshot_unhold(struct lsm *lsm, struct lsm_snapshot_hold *h)
{
	struct lsm_snapshot_hold **link;

	mutex_lock(&lsm->lock);
	for (link = &lsm->holds; *link != h; link = &(*link)->next)
		;
	*link = h->next;
	mutex_unlock(&lsm->lock);
}

static bool is_held(struct lsm *lsm, uint64_t number)
{
	const struct lsm_snapshot_hold *h;

	mutex_lock(&lsm->lock);
	for (h = lsm->holds; h && h->number != number; h = h->next)
		;
	mutex_unlock(&lsm->lock);
	return h;
}

/* ------------------------------------------------------------------ giving up */
/* The automatic snapshots of one change, which follow each other. */
struct snapshot_change {
	const struct manifest_snapshot *list;
	size_t count;
};

/* True if both were taken by one change. */
static bool is_same_change(const struct manifest_snapshot *a,
			   const struct manifest_snapshot *b)
{
	return a->automatic && b->automatic && a->created_us == b->created_us &&
	       a->owner == b->owner;
}

/* Find the changes in the list, which is by age: their number. There is room for
 * one of each snapshot. */
static size_t find_changes(struct snapshot_change *changes,
			   const struct manifest_snapshot *list, size_t count)
{
	size_t found = 0, i;

	for (i = 0; i < count; i++)
		if (i && is_same_change(&list[i - 1], &list[i]))
			changes[found - 1].count++;
		else if (list[i].automatic)
			changes[found++] =
				(struct snapshot_change){ &list[i], 1 };
	return found;
}

static size_t count_of_owner(const struct snapshot_change *changes,
			     size_t count, uid_t owner)
{
	size_t i, n = 0;

	for (i = 0; i < count; i++)
		n += changes[i].list->owner == owner;
	return n;
}

/* Return the place of the oldest change of the owner who has the most; of those
 * who have as many, of the one whose oldest is older. */
static size_t find_surplus(const struct snapshot_change *changes, size_t count)
{
	size_t best = 0, most = 0, i;

	for (i = 0; i < count; i++) {
		size_t n = count_of_owner(changes, count,
					  changes[i].list->owner);

		if (n > most) {
			most = n;
			best = i;
		}
	}
	return best;
}

static int give_up_change(struct lsm *lsm, const struct snapshot_change *c,
			  bool *any)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < c->count; i++) {
		if (is_held(lsm, c->list[i].number))
			continue;
		err = remove_with_reserve(lsm, c->list[i].number);
		if (err == -ENOENT)
			err = 0;
		*any |= !err;
		if (!err)
			log_message(LOG_INFO_LEVEL, "snapshot %s: given up",
				    c->list[i].name);
	}
	return err;
}

int lsm_snapshot_give_up(struct lsm *lsm, size_t most, bool *any)
{
	struct manifest_snapshot *list;
	struct snapshot_change *changes;
	size_t count, left;
	int err = manifest_snapshots(lsm->manifest, &list, &count);

	*any = false;
	changes = err ? NULL : mem_zalloc(count, sizeof(*changes));
	if (!err && !changes)
		err = -ENOMEM;
	left = err ? 0 : find_changes(changes, list, count);
	while (!err && left > most) {
		size_t at = find_surplus(changes, left);

		err = give_up_change(lsm, &changes[at], any);
		array_remove(changes, left--, sizeof(*changes), at, 1);
	}
	mem_free(changes);
	mem_free(list);
	return err;
}

int lsm_snapshot_list(struct lsm *lsm, struct manifest_snapshot **list,
		      size_t *count)
{
	return manifest_snapshots(lsm->manifest, list, count);
}

int lsm_snapshot_held(struct lsm *lsm, uint64_t number, uint64_t *bytes)
{
	return manifest_snapshot_held(lsm->manifest, number, bytes);
}

/* -------------------------------------------------------------------- view */
static int fill_view(struct lsm *view, struct lsm *lsm,
		     const struct manifest_file *files, size_t count)
{
	size_t i;
	int err = 0;

	mutex_lock(&view->write);
	for (i = 0; i < count && !err; i++)
		err = lsm_add_named(view, lsm->cache, &files[i]);
	mutex_unlock(&view->write);
	return err;
}

int lsm_snapshot_open(struct lsm **out, struct lsm *lsm, uint64_t number)
{
	struct lsm_options options = { .read_only = true, .no_threads = true,
				       .cache_bytes = 1, .memtable_bytes = 1 };
	struct manifest_file *files = NULL;
	struct lsm *view = mem_zalloc(1, sizeof(*view));
	size_t count = 0;
	int err;

	if (!view)
		return -ENOMEM;
	lsm_init(view, lsm->files, lsm->dir, &options);
	/* So that no file is opened twice, or removed before it is open. */
	mutex_lock(&lsm->viewing);
	err = manifest_snapshot_files(lsm->manifest, number, &files, &count);
	if (!err)
		err = fill_view(view, lsm, files, count);
	mutex_unlock(&lsm->viewing);
	mem_free(files);
	if (err)
		lsm_release(view);
	else
		*out = view;
	return err;
}

void lsm_snapshot_close(struct lsm *view)
{
	if (view)
		lsm_release(view);
}

/* ---------------------------------------------------------------- adoption */
struct adopted {
	struct lsm_table *table;
	struct version *version;
};

/* Make the version of a table that has these files, and the steps of the
 * edit. */
static int prepare(struct lsm *lsm, const struct lsm_adoption *a,
		   const struct manifest_file *files, size_t count,
		   struct manifest_edit *edit, struct adopted *made)
	REQUIRES(&lsm->install)
{
	struct version *v;
	size_t i;
	int err = 0;

	mutex_lock(&lsm->write);
	made->table = lsm_make_table(lsm, a->to);
	mutex_unlock(&lsm->write);
	v = made->table ? version_copy(made->table->version, count) : NULL;
	if (!v)
		return -ENOMEM;
	made->version = v;
	for (i = 0; i < count && !err; i++) {
		struct live_file *f = &v->files[v->file_count];

		if (files[i].table != a->from)
			continue;
		err = sstable_share(&f->sstable, lsm->files, lsm->dir,
				    files[i].info.number, lsm->cache);
		if (err)
			break;
		f->level = 0;
		v->file_count++;
		manifest_edit_add(edit, a->to, 0, &files[i].info);
	}
	version_arrange(v);
	return err;
}

static int adopt(struct lsm *lsm, uint64_t number,
		 const struct lsm_adoption *tables, struct adopted *made,
		 size_t count)
	REQUIRES(&lsm->install)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	struct manifest_file *files = NULL;
	size_t file_count = 0, i;
	int err = manifest_snapshot_files(lsm->manifest, number, &files,
					  &file_count);

	for (i = 0; i < count && !err; i++)
		err = prepare(lsm, &tables[i], files, file_count, &edit,
			      &made[i]);
	if (!err && (edit.steps.len || edit.steps.failed))
		err = manifest_apply(lsm->manifest, &edit);
	mutex_lock(&lsm->write);
	for (i = 0; i < count && !err; i++)
		made[i].version = lsm_swap(lsm, made[i].table,
					   made[i].version);
	mutex_unlock(&lsm->write);
	for (i = 0; i < count; i++)
		version_put(made[i].version);
	manifest_edit_release(&edit);
	mem_free(files);
	return err;
}

int lsm_snapshot_adopt(struct lsm *lsm, uint64_t number,
		       const struct lsm_adoption *tables, size_t count)
{
	struct adopted *made = mem_zalloc(count, sizeof(*made));
	size_t i;
	int err = lsm_check_writable(lsm);

	if (!made)
		return -ENOMEM;
	if (!err) {
		mutex_lock(&lsm->viewing);
		mutex_lock(&lsm->install);
		err = adopt(lsm, number, tables, made, count);
		mutex_unlock(&lsm->install);
		mutex_unlock(&lsm->viewing);
	}
	for (i = 0; i < count && !err; i++)
		lsm_count_debt(lsm, made[i].table);
	mem_free(made);
	if (err == -EIO)
		lsm_fail(lsm, err);
	return err;
}
