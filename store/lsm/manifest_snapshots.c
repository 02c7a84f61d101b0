/* Questions about the manifest's files and snapshots. */
#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/lsm/manifest_file.h"

/* Copy the entries of a snapshot or, where it is NULL, the live ones or the
 * others. REQUIRES m->lock. */
static int copy_files(struct manifest *m, const struct manifest_snapshot *in,
		      bool live, struct manifest_file **out, size_t *count)
{
	const struct manifest_state *s = &m->state;
	struct manifest_file *files = mem_zalloc(s->file_count, sizeof(*files));
	size_t i;

	*count = 0;
	*out = files;
	if (!files)
		return -ENOMEM;
	for (i = 0; i < s->file_count; i++) {
		const struct manifest_file *f = &s->files[i];

		if (in ? manifest_state_in_snapshot(in, f) :
			 (f->died == MANIFEST_LIVE) == live)
			files[(*count)++] = *f;
	}
	return 0;
}

int manifest_files(struct manifest *m, struct manifest_file **files,
		   size_t *count)
{
	int err;

	pthread_mutex_lock(&m->lock);
	err = copy_files(m, NULL, true, files, count);
	pthread_mutex_unlock(&m->lock);
	return err;
}

int manifest_past_files(struct manifest *m, struct manifest_file **files,
			size_t *count)
{
	int err;

	pthread_mutex_lock(&m->lock);
	err = copy_files(m, NULL, false, files, count);
	pthread_mutex_unlock(&m->lock);
	return err;
}

int manifest_snapshot_files(struct manifest *m, uint64_t number,
			    struct manifest_file **files, size_t *count)
{
	const struct manifest_snapshot *s;
	int err;

	pthread_mutex_lock(&m->lock);
	s = manifest_state_snapshot(&m->state, number);
	err = s ? copy_files(m, s, false, files, count) : -ENOENT;
	pthread_mutex_unlock(&m->lock);
	return err;
}

bool manifest_has_file(struct manifest *m, uint64_t number)
{
	bool found = false;
	size_t i;

	pthread_mutex_lock(&m->lock);
	for (i = 0; i < m->state.file_count && !found; i++)
		found = m->state.files[i].info.number == number;
	pthread_mutex_unlock(&m->lock);
	return found;
}

uint32_t manifest_last_table(struct manifest *m)
{
	const struct manifest_state *s = &m->state;
	uint32_t last = 0;

	pthread_mutex_lock(&m->lock);
	if (s->file_count)
		last = s->files[s->file_count - 1].table;
	if (s->table_count && s->tables[s->table_count - 1].table > last)
		last = s->tables[s->table_count - 1].table;
	pthread_mutex_unlock(&m->lock);
	return last;
}

int manifest_snapshots(struct manifest *m, struct manifest_snapshot **snapshots,
		       size_t *count)
{
	size_t n;

	pthread_mutex_lock(&m->lock);
	n = m->state.snapshot_count;
	*snapshots = mem_zalloc(n, sizeof(**snapshots));
	if (*snapshots && n)
		memcpy(*snapshots, m->state.snapshots,
		       n * sizeof(**snapshots));
	pthread_mutex_unlock(&m->lock);
	*count = *snapshots ? n : 0;
	return *snapshots ? 0 : -ENOMEM;
}

uint64_t manifest_next_snapshot(struct manifest *m)
{
	uint64_t number;

	pthread_mutex_lock(&m->lock);
	number = manifest_state_next_snapshot(&m->state);
	pthread_mutex_unlock(&m->lock);
	return number;
}

/* ------------------------------------------------------------------ held */
static int by_number(const void *a, const void *b)
{
	const struct manifest_file *x = a, *y = b;

	return (x->info.number > y->info.number) -
	       (x->info.number < y->info.number);
}

/* True if it is live, or another snapshot has the entry. */
static bool is_elsewhere(const struct manifest_state *s,
			 const struct manifest_file *f, uint64_t number)
{
	size_t i;

	if (f->died == MANIFEST_LIVE)
		return true;
	for (i = 0; i < s->snapshot_count; i++)
		if (s->snapshots[i].number != number &&
		    manifest_state_in_snapshot(&s->snapshots[i], f))
			return true;
	return false;
}

/* An sstable has several entries where tables share it: all must be of this
 * snapshot alone. The entries that are elsewhere get level 1, others 0. */
int manifest_snapshot_held(struct manifest *m, uint64_t number, uint64_t *bytes)
{
	struct manifest_state s;
	size_t i, j;
	int err;

	*bytes = 0;
	pthread_mutex_lock(&m->lock);
	err = manifest_state_copy(&s, &m->state);
	pthread_mutex_unlock(&m->lock);
	if (err)
		return err;
	if (!manifest_state_snapshot(&s, number))
		err = -ENOENT;
	for (i = 0; i < s.file_count; i++)
		s.files[i].level = is_elsewhere(&s, &s.files[i], number);
	if (s.file_count)
		qsort(s.files, s.file_count, sizeof(*s.files), by_number);
	for (i = 0; !err && i < s.file_count; i = j) {
		bool alone = true;

		for (j = i; j < s.file_count &&
			    s.files[j].info.number == s.files[i].info.number;
		     j++)
			alone &= !s.files[j].level;
		*bytes += alone ? s.files[i].info.size : 0;
	}
	manifest_state_release(&s);
	return err;
}
