/* Versions: the sources of a table, for readers to hold on to. */
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_version.h"

/* Allocate one without contents, with room for these counts. */
static struct version *version_alloc(size_t files, size_t frozen)
{
	struct version *v;

	v = mem_zalloc(1, sizeof(*v) + files * sizeof(*v->files) +
		       frozen * sizeof(*v->frozen));
	if (!v)
		return NULL;
	atomic_init(&v->references, 1);
	v->frozen = (struct frozen *)(v + 1);
	v->files = (struct live_file *)(v->frozen + frozen);
	v->file_room = files;
	v->frozen_room = frozen;
	return v;
}

static void fill(struct version *copy, const struct version *v)
{
	size_t i;

	copy->active = memtable_get(v->active);
	copy->frozen_count = v->frozen_count;
	for (i = 0; i < v->frozen_count; i++) {
		copy->frozen[i] = v->frozen[i];
		memtable_get(v->frozen[i].memtable);
	}
	copy->file_count = v->file_count;
	for (i = 0; i < v->file_count; i++) {
		copy->files[i] = v->files[i];
		sstable_get(v->files[i].sstable);
	}
}

struct version *version_copy(const struct version *v, size_t more_files)
{
	struct version *copy = version_alloc(
		(v ? v->file_count : 0) + more_files,
		(v ? v->frozen_count : 0) + 1);

	if (!copy)
		return NULL;
	if (v) {
		fill(copy, v);
	} else if (memtable_new(&copy->active)) {
		mem_free(copy);
		return NULL;
	}
	return copy;
}

/* Room to spare: writers continue meanwhile, and each can freeze a memtable. */
#define SPARE_FROZEN 64

struct version *version_spare(const struct version *v, size_t more_files)
{
	return version_alloc(v->file_room + more_files,
			     v->frozen_count + SPARE_FROZEN);
}

struct version *version_copy_to(struct version **spare,
				const struct version *v, size_t more_files)
{
	struct version *copy = *spare;

	if (!copy || copy->file_room < v->file_count + more_files ||
	    copy->frozen_room <= v->frozen_count)
		return version_copy(v, more_files);
	*spare = NULL;
	fill(copy, v);
	return copy;
}

void version_put(struct version *v)
{
	size_t i;

	if (!v || atomic_fetch_sub_explicit(&v->references, 1,
					    memory_order_acq_rel) != 1)
		return;
	if (v->active)		/* else a spare */
		memtable_put(v->active);
	for (i = 0; i < v->frozen_count; i++)
		memtable_put(v->frozen[i].memtable);
	for (i = 0; i < v->file_count; i++)
		sstable_put(v->files[i].sstable);
	mem_free(v);
}

static int newest_first(const void *a, const void *b)
{
	const struct live_file *x = a, *y = b;
	int64_t s = sstable_info(x->sstable)->max_timestamp;
	int64_t t = sstable_info(y->sstable)->max_timestamp;

	return (s < t) - (s > t);
}

void version_sort_files(struct version *v)
{
	if (v->file_count)
		qsort(v->files, v->file_count, sizeof(*v->files),
		      newest_first);
}

static struct version *pin(struct lsm *lsm, uint32_t number, unsigned reads)
{
	struct version *v = NULL;
	struct lsm_table *t;

	mutex_lock(&lsm->lock);
	t = lsm_find_table(lsm, number);
	if (t) {
		t->reads += reads;
		v = t->version;
		atomic_fetch_add_explicit(&v->references, 1,
					  memory_order_relaxed);
	}
	mutex_unlock(&lsm->lock);
	return v;
}

struct version *lsm_pin(struct lsm *lsm, uint32_t number)
{
	return pin(lsm, number, 0);
}

struct version *lsm_pin_read(struct lsm *lsm, uint32_t number)
{
	return pin(lsm, number, 1);
}

struct version *lsm_swap(struct lsm *lsm, struct lsm_table *t, struct version *v)
{
	struct version *old;

	mutex_lock(&lsm->lock);
	old = t->version;
	t->version = v;
	mutex_unlock(&lsm->lock);
	return old;
}
