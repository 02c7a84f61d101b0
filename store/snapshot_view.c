/*
 * The stores of the past: for each snapshot that is read there is one view, a
 * store over an engine that never changes (lsm/lsm_snapshot.h). The first
 * caller that needs a view opens it, others wait for that. Views without users
 * are kept for a while, IDLE_VIEWS at most, so that a walk through a snapshot
 * opens it once.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/lsm_snapshot.h"
#include "store/schema_change.h"
#include "store/snapshot.h"
#include "store/store_locks.h"
#include "store/table/inner.h"

#define IDLE_VIEWS 2

struct snapshot_view {
	struct store store;		/* first */
	uint64_t number;
	bool automatic;			/* under opening */
	pthread_mutex_t opening;
	bool opened;			/* under it */
	/* under the views' lock: */
	unsigned users;
	bool rested;			/* not used since the last rest */
	struct snapshot_view *next;
};

static int open_view(struct store *s, struct snapshot_view *v)
{
	struct manifest_snapshot found;
	struct store *view = &v->store;
	int err = snapshot_find(s, NULL, v->number, &found);

	if (err)
		return err;
	v->automatic = found.automatic;
	view->now_s = found.created_us / 1000000;
	view->only = found.table_count ? found.tables[found.table_count - 1] :
					 0;
	err = lsm_snapshot_open(&view->lsm, s->lsm, v->number);
	if (!err)
		err = store_load_schema(view);
	if (!err) {
		v->opened = true;
		return 0;
	}
	if (view->schema)
		schema_put(view->schema);
	view->schema = NULL;
	lsm_snapshot_close(view->lsm);
	view->lsm = NULL;
	return err;
}

static void free_view(struct snapshot_view *v)
{
	if (v->store.schema)
		schema_put(v->store.schema);
	mem_free(v->store.by_number);
	lsm_snapshot_close(v->store.lsm);
	pthread_mutex_destroy(&v->opening);
	store_release_locks(&v->store);
	mem_free(v);
}

static struct snapshot_view *new_view(struct store *s, uint64_t number)
{
	struct snapshot_view *v = mem_zalloc(1, sizeof(*v));

	if (!v)
		return NULL;
	if (store_init_locks(&v->store)) {
		mem_free(v);
		return NULL;
	}
	pthread_mutex_init(&v->opening, NULL);
	v->number = number;
	v->store.files = s->files;
	v->store.id = s->id;
	v->store.virtual_rows = s->virtual_rows;
	v->store.read_only = true;
	v->store.uid = s->uid;
	v->store.gid = s->gid;
	v->store.opened_us = s->opened_us;
	v->store.collect_bytes = s->collect_bytes;
	return v;
}

/*
 * Take views without users out of the list, and return them: all but `most`,
 * and all of automatic snapshots, which may be removed for room at any time; or
 * (rested) those that were not used since the last call. REQUIRES views_lock.
 */
static struct snapshot_view *take_idle(struct store *s, size_t most, bool rested)
{
	struct snapshot_view **link = &s->views, *v, *taken = NULL;
	size_t idle = 0;

	while ((v = *link)) {
		bool goes = !v->users &&
			    (v->automatic ||
			     (rested ? v->rested : idle++ >= most));

		v->rested |= rested;
		if (!goes) {
			link = &v->next;
			continue;
		}
		*link = v->next;
		v->next = taken;
		taken = v;
	}
	return taken;
}

static void free_views(struct snapshot_view *v)
{
	struct snapshot_view *next;

	for (; v; v = next) {
		next = v->next;
		free_view(v);
	}
}

int snapshot_acquire(struct store **out, struct store *s, uint64_t number)
{
	struct snapshot_view *v;
	int err = 0;

	pthread_mutex_lock(&s->views_lock);
	for (v = s->views; v && v->number != number; v = v->next)
		;
	if (!v) {
		v = new_view(s, number);
		if (v) {
			v->next = s->views;
			s->views = v;
		}
	}
	if (v) {
		v->users++;
		v->rested = false;
	}
	pthread_mutex_unlock(&s->views_lock);
	if (!v)
		return -ENOMEM;
	pthread_mutex_lock(&v->opening);
	if (!v->opened)
		err = open_view(s, v);
	pthread_mutex_unlock(&v->opening);
	*out = &v->store;
	if (err)
		snapshot_release(s, &v->store);
	return err;
}

void snapshot_release(struct store *s, struct store *view)
{
	struct snapshot_view *v = (struct snapshot_view *)view, *idle;

	pthread_mutex_lock(&s->views_lock);
	v->users--;
	v->rested = false;
	idle = v->users ? NULL : take_idle(s, IDLE_VIEWS, false);
	pthread_mutex_unlock(&s->views_lock);
	free_views(idle);
}

void snapshot_rest(struct store *s)
{
	struct snapshot_view *idle;

	pthread_mutex_lock(&s->views_lock);
	idle = take_idle(s, 0, true);
	pthread_mutex_unlock(&s->views_lock);
	free_views(idle);
}

void snapshot_close_view(struct store *s, uint64_t number)
{
	struct snapshot_view **link, *v;

	pthread_mutex_lock(&s->views_lock);
	link = &s->views;
	while ((v = *link) && v->number != number)
		link = &v->next;
	if (v && !v->users) {
		*link = v->next;
		v->next = NULL;
	} else {
		v = NULL;
	}
	pthread_mutex_unlock(&s->views_lock);
	free_views(v);
}

void snapshot_close_views(struct store *s)
{
	struct snapshot_view *idle;

	pthread_mutex_lock(&s->views_lock);
	idle = take_idle(s, 0, false);
	pthread_mutex_unlock(&s->views_lock);
	free_views(idle);
}
