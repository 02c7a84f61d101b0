/* The locks of an open store; table/inner.h has their order. */
#include "store/store_locks.h"

int store_init_locks(struct store *s)
{
	pthread_rwlockattr_t attributes;
	size_t i;
	int err = pthread_rwlockattr_init(&attributes);

	if (err)
		return -err;
	/* Else writes would starve a change of the schema. */
	pthread_rwlockattr_setkind_np(&attributes,
			PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	err = pthread_rwlock_init(&s->publish, &attributes);
	pthread_rwlockattr_destroy(&attributes);
	pthread_mutex_init(&s->ddl, NULL);
	pthread_mutex_init(&s->guard, NULL);
	pthread_mutex_init(&s->clock, NULL);
	pthread_mutex_init(&s->telling, NULL);
	pthread_mutex_init(&s->views_lock, NULL);
	for (i = 0; i < ARRAY_SIZE(s->stripes); i++)
		pthread_mutex_init(&s->stripes[i], NULL);
	return -err;
}

void store_release_locks(struct store *s)
{
	size_t i;

	pthread_rwlock_destroy(&s->publish);
	pthread_mutex_destroy(&s->ddl);
	pthread_mutex_destroy(&s->guard);
	pthread_mutex_destroy(&s->clock);
	pthread_mutex_destroy(&s->telling);
	pthread_mutex_destroy(&s->views_lock);
	for (i = 0; i < ARRAY_SIZE(s->stripes); i++)
		pthread_mutex_destroy(&s->stripes[i]);
}
