/* Versions: the sources of a table, for readers to hold on to. */
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_version.h"

/* Allocate one without contents, with room for these counts. */
static struct version *version_alloc(size_t files, size_t frozen)
{
	struct version *v;

	v = mem_zalloc(1, sizeof(*v) + frozen * sizeof(*v->frozen) +
		       files * (sizeof(*v->files) + sizeof(*v->in_runs) +
				sizeof(*v->run_ends) + sizeof(*v->last_heads)));
	if (!v)
		return NULL;
	atomic_init(&v->references, 1);
	v->frozen = (struct frozen *)(v + 1);
	v->files = (struct live_file *)(v->frozen + frozen);
	v->in_runs = (struct live_file **)(v->files + files);
	v->run_ends = (size_t *)(v->in_runs + files);
	v->last_heads = (uint64_t *)(v->run_ends + files);
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
		copy->in_runs[i] = copy->files + (v->in_runs[i] - v->files);
		copy->last_heads[i] = v->last_heads[i];
	}
	copy->run_count = v->run_count;
	for (i = 0; i < v->run_count; i++)
		copy->run_ends[i] = v->run_ends[i];
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

static int by_first_key(const void *a, const void *b)
{
	const struct live_file *const *x = a, *const *y = b;

	return bytes_compare((*x)->first, (*y)->first);
}

static int by_run(const void *a, const void *b)
{
	const struct live_file *const *x = a, *const *y = b;

	if ((*x)->run != (*y)->run)
		return (*x)->run < (*y)->run ? -1 : 1;
	return by_first_key(a, b);
}

/* Put each file, in key order, into the first run that ends before it. So there
 * are as few runs as possible: as many as files overlap somewhere. */
static void choose_runs(struct version *v)
{
	size_t i, r;

	for (i = 0; i < v->file_count; i++) {
		struct live_file *f = v->in_runs[i];

		/* run_ends: for now the number of the run's last file. */
		for (r = 0; r < v->run_count; r++)
			if (bytes_compare(v->files[v->run_ends[r]].last,
					  f->first) < 0)
				break;
		if (r == v->run_count)
			v->run_count++;
		v->run_ends[r] = (size_t)(f - v->files);
		f->run = (uint32_t)r;
	}
}

/* Return the first 8 bytes of a key as a number: of two that differ, the keys are
 * in their order. */
static uint64_t head_of(struct bytes key)
{
	uint8_t head[8] = { 0 };

	if (key.len >= sizeof(head))
		return get_be64(key.ptr);
	if (key.len)
		memcpy(head, key.ptr, key.len);
	return get_be64(head);
}

void version_arrange(struct version *v)
{
	size_t i;

	v->run_count = 0;
	if (!v->file_count)
		return;
	qsort(v->files, v->file_count, sizeof(*v->files), newest_first);
	for (i = 0; i < v->file_count; i++) {
		struct live_file *f = &v->files[i];

		f->first = sstable_first_key(f->sstable);
		f->last = sstable_last_key(f->sstable);
		v->in_runs[i] = f;
	}
	qsort(v->in_runs, v->file_count, sizeof(*v->in_runs), by_first_key);
	choose_runs(v);
	qsort(v->in_runs, v->file_count, sizeof(*v->in_runs), by_run);
	for (i = 0; i < v->file_count; i++) {
		v->run_ends[v->in_runs[i]->run] = i + 1;
		v->last_heads[i] = head_of(v->in_runs[i]->last);
	}
}

size_t version_find_in_run(const struct version *v, size_t run,
			   struct bytes key)
{
	size_t low = run ? v->run_ends[run - 1] : 0;
	size_t high = v->run_ends[run];
	uint64_t head = head_of(key);

	while (low < high) {
		size_t middle = (low + high) / 2;
		uint64_t last = v->last_heads[middle];

		if (last < head ||
		    (last == head &&
		     bytes_compare(v->in_runs[middle]->last, key) < 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
