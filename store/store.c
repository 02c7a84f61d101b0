/*
 * Open and close a store; its clock and its locks. Other calls are passed on to
 * the engine.
 */
#include "store/store.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/marker.h"
#include "store/schema_change.h"
#include "store/snapshot.h"
#include "store/snapshot_automatic.h"
#include "store/store_locks.h"
#include "store/system/virtual.h"
#include "store/table/inner.h"
#include "store/table/observer.h"
#include "store/table/present.h"

/* Timestamps are handed out up to a bound that is already on disk. */
#define LEASE_US ((int64_t)10 * 1000 * 1000)
#define COLLECT_BYTES ((size_t)16 << 20)
#define LARGEST_LEASE_US (INT64_MAX / 1000)	/* in the year 2262 */
/* The name of the bound, a property of the engine's manifest: 8 bytes,
 * little-endian. */
#define LEASE_PROPERTY "timestamp"

/* The object that store_open makes. The folders below know struct store, but
 * not the marker. */
struct opened_store {
	struct store store;	/* first */
	struct marker_file marker;
};

void store_options_init(struct store_options *o)
{
	*o = (struct store_options){ .commit_s = 1, .uid = geteuid(),
				     .gid = getegid() };
}

/* Return the largest timestamp of any data, which may be in the future. */
static int newest_timestamp(struct store *s, int64_t *newest)
{
	struct lsm_table_stats stats;
	uint32_t *tables = NULL;
	size_t i, count = 0;
	int err = lsm_table_list(s->lsm, &tables, &count);

	*newest = 0;
	for (i = 0; !err && i < count; i++) {
		memset(&stats, 0, sizeof(stats));
		lsm_table_stats(s->lsm, tables[i], &stats);
		if (stats.max_timestamp > *newest)
			*newest = stats.max_timestamp;
	}
	mem_free(tables);
	return err;
}

static int load_lease(struct store *s)
{
	struct buf lease = BUF_INIT;
	int err = lsm_property_get(s->lsm, LEASE_PROPERTY, &lease);

	if (!err && lease.len == 8)
		s->lease_us = (int64_t)get_le64(lease.ptr);
	if (!err && (lease.len != 8 || s->lease_us > LARGEST_LEASE_US))
		err = log_corrupt("CURRENT", 0, "the manifest that it names "
				  "says of the clock what cannot be");
	buf_release(&lease);
	return err == -ENOENT ? 0 : err;
}

/*
 * Resume after the newest timestamp on disk, but never beyond the lease: larger
 * ones were chosen by clients, and may lie in the far future.
 */
static int set_clock(struct store *s)
{
	int64_t newest;
	int err = newest_timestamp(s, &newest);

	s->last_us = newest < s->lease_us ? newest : s->lease_us;
	return err;
}

/* REQUIRES clock. When the disk fails the clock continues all the same. */
static void extend_lease(struct store *s, int64_t us)
{
	uint8_t bytes[8];

	put_le64(bytes, (uint64_t)us);
	if (s->read_only ||
	    !lsm_property_set(s->lsm, LEASE_PROPERTY, bytes_of(bytes, 8)))
		s->lease_us = us;
}

int64_t store_timestamp(struct store *s)
{
	int64_t us = clock_now_us();

	pthread_mutex_lock(&s->clock);
	if (us <= s->last_us)
		us = s->last_us + 1;
	s->last_us = us;
	if (us > s->lease_us)
		extend_lease(s, us + LEASE_US);
	pthread_mutex_unlock(&s->clock);
	return us;
}

static void notice(void *context, const char *text)
{
	(void)context;
	log_message(LOG_WARNING_LEVEL, "%s", text);
}

/* Append "keyspace.table", for an index with its name; nothing for internal
 * tables. */
static void name_of(struct store *s, uint32_t number, struct buf *out)
{
	struct schema *schema = store_schema(s);
	uint32_t i, j, k;

	for (i = 0; schema && i < schema->keyspace_count; i++)
		for (j = 0; j < schema->keyspaces[i]->table_count; j++) {
			const struct table *t = schema->keyspaces[i]->tables[j];

			if (t->number == number)
				buf_add_format(out, "%s.%s", t->keyspace,
					       t->name);
			for (k = 0; k < t->index_count; k++)
				if (t->indexes[k].number == number)
					buf_add_format(out, "%s.%s (index %s)",
						       t->keyspace, t->name,
						       t->indexes[k].name);
		}
	schema_put(schema);
	if (!out->len)
		buf_add_str(out, "the store's own table");
}

/* REQUIRES telling. */
static void tell_observer(void *context, uint32_t number, const char *text)
{
	struct store *s = context;
	struct buf name = BUF_INIT;

	if (!s->observed || !s->observer.damaged)
		return;
	name_of(s, number, &name);
	s->observer.damaged(s->observer.context, buf_cstr(&name), text);
	buf_release(&name);
}

static void damaged(void *context, uint32_t number, const char *text)
{
	struct store *s = context;
	struct buf name = BUF_INIT;

	name_of(s, number, &name);
	log_message(LOG_ERROR_LEVEL, "%s: %s", buf_cstr(&name), text);
	buf_release(&name);
	pthread_mutex_lock(&s->telling);
	tell_observer(s, number, text);
	pthread_mutex_unlock(&s->telling);
}

/* Check the catalogue, once the engine's files are found sound. Then take over
 * the store. */
static int is_sound(void *context, struct lsm *lsm)
{
	struct store *s = context;
	int err;

	s->lsm = lsm;
	err = store_load_schema(s);
	if (!err)
		err = load_lease(s);
	if (!err && !s->read_only)
		err = marker_take_over(s->marker, s->files);
	s->lsm = NULL;
	return err;
}

static int open_engine(struct store *s, const struct store_options *o)
{
	struct lsm_options options = {
		.cache_bytes = o->cache_bytes,
		.memtable_bytes = o->memtable_bytes,
		.commit_s = o->commit_s, .read_only = o->read_only,
		.no_threads = o->no_threads, .notice = notice,
		.damaged = damaged,
		.sound = is_sound, .first = CATALOG_NUMBER + 1,
		.exists = s->marker->ready, .context = s,
	};
	int err = lsm_open(&s->lsm, s->files, s->marker->engine, &options);

	if (!err)
		err = set_clock(s);
	if (!err)
		err = lsm_start(s->lsm);
	if (!err)
		err = store_finish_schema(s);
	if (!err && !s->read_only)
		err = marker_ready(s->marker, s->files);
	return err;
}

int store_open(struct store **out, const char *path,
	       const struct store_options *options, pid_t *owner_pid,
	       bool *created)
{
	struct opened_store *o = mem_zalloc(1, sizeof(*o));
	struct store *s;
	bool made = false;
	int err;

	if (!o)
		return -ENOMEM;
	s = &o->store;
	s->marker = &o->marker;
	s->id = o->marker.id;
	s->virtual_rows = &virtual_source;
	s->files = options->files ? options->files : &file_system;
	s->read_only = options->read_only;
	s->uid = options->uid;
	s->gid = options->gid;
	o->marker = MARKER_FILE_INIT;
	s->opened_us = clock_now_us();
	s->collect_bytes = COLLECT_BYTES;
	s->max_value = INT32_MAX;
	err = store_init_locks(s);
	if (err) {
		mem_free(s);
		return err;
	}
	err = marker_open(s->marker, s->files, path, s->read_only,
			  options->create, &made);
	if (!err)
		err = open_engine(s, options);
	if (created)
		*created = made;
	if (owner_pid)
		*owner_pid = s->marker->holder;
	if (err) {
		store_close(s);
		return err;
	}
	*out = s;
	return 0;
}

int store_close(struct store *s)
{
	int err = 0;

	if (!s)
		return 0;
	/* No timestamp after last was handed out: return the rest of the
	 * lease. */
	if (s->lsm && !s->read_only && s->lease_us > s->last_us && s->last_us)
		extend_lease(s, s->last_us);
	if (s->views)
		snapshot_close_views(s);
	if (s->lsm)
		err = lsm_close(s->lsm);
	if (s->schema)
		schema_put(s->schema);
	mem_free(s->by_number);
	marker_close(s->marker, s->files);
	store_release_locks(s);
	mem_free(s);
	return err;
}

bool store_is_read_only(const struct store *s)
{
	return s->read_only;
}

bool store_has_failed(const struct store *s)
{
	return lsm_has_failed(s->lsm);
}

void store_observe(struct store *s, const struct store_observer *observer)
{
	pthread_mutex_lock(&s->telling);
	s->observed = observer != NULL;
	s->observer = observer ? *observer : (struct store_observer){ 0 };
	lsm_each_damaged(s->lsm, tell_observer, s);
	pthread_mutex_unlock(&s->telling);
}

/* -------------------------------------------------------------- durability */
int store_sync(struct store *s)
{
	return s->read_only ? 0 : lsm_sync(s->lsm, lsm_position(s->lsm));
}

void store_set_max_value(struct store *s, uint64_t bytes)
{
	s->max_value = bytes < INT32_MAX ? bytes : INT32_MAX;
}

uint64_t store_position(struct store *s)
{
	return lsm_position(s->lsm);
}

int store_sync_to(struct store *s, uint64_t position)
{
	return s->read_only ? 0 : lsm_sync(s->lsm, position);
}

/* Choose which of two errors to return: damage does not stop the other work. */
static int choose_error(int a, int b)
{
	return !a || a == -EUCLEAN ? (b ? b : a) : a;
}

/* Call the function with the number of the table and of each of its hidden
 * tables. */
static int each_number(struct store *s, struct table *t,
		       int (*call)(struct lsm *lsm, uint32_t number))
{
	uint32_t i;
	int err;

	if (t->flags & TABLE_VIRTUAL)
		return 0;
	err = call(s->lsm, t->number);
	for (i = 0; (!err || err == -EUCLEAN) && i < t->index_count; i++)
		err = choose_error(err, call(s->lsm, t->indexes[i].number));
	return err;
}

int store_flush(struct store *s, struct table *t)
{
	if (s->read_only)
		return -EROFS;
	return t ? each_number(s, t, lsm_flush)
		 : lsm_flush(s->lsm, UINT32_MAX);
}

int store_compact(struct store *s, struct table *t)
{
	uint32_t *tables = NULL;
	size_t i, count = 0;
	int err;

	if (s->read_only)
		return -EROFS;
	if (t)
		return each_number(s, t, lsm_compact);
	err = lsm_table_list(s->lsm, &tables, &count);
	for (i = 0; (!err || err == -EUCLEAN) && i < count; i++)
		err = choose_error(err, lsm_compact(s->lsm, tables[i]));
	mem_free(tables);
	return err;
}

int store_truncate(struct store *s, struct table *t, uid_t owner)
{
	struct snapshot_automatic keep = SNAPSHOT_AUTOMATIC_INIT(s, owner);
	int err;

	if (s->read_only)
		return -EROFS;
	if (t->flags & TABLE_VIRTUAL)
		return -EPERM;
	pthread_mutex_lock(&s->ddl);
	snapshot_automatic_table(&keep, t, "truncated");
	err = snapshot_automatic_prepare(&keep);
	if (!err) {
		pthread_rwlock_wrlock(&s->publish);
		err = snapshot_automatic_take(&keep);
		/* Truncate the base first: an entry of an index without its row
		 * is harmless. */
		if (!err && s->observed && s->observer.truncating)
			s->observer.truncating(s->observer.context, t);
		if (!err)
			err = each_number(s, t, lsm_table_truncate);
		atomic_fetch_add(&s->truncations, 1);
		pthread_rwlock_unlock(&s->publish);
	}
	snapshot_automatic_end(&keep);
	pthread_mutex_unlock(&s->ddl);
	if (!err && s->observed && s->observer.truncated)
		s->observer.truncated(s->observer.context, t);
	return err;
}

int store_verify(struct store *s,
		 void (*report)(void *context, const char *text), void *context)
{
	return lsm_verify(s->lsm, report, context);
}

int store_verify_table(struct store *s, struct table *t,
		       const struct lsm_verify_told *told)
{
	uint32_t *tables = NULL, i;
	size_t count = 0;
	int err = 0;

	if (t && t->flags & TABLE_VIRTUAL)
		return 0;
	if (!t)
		err = lsm_table_list(s->lsm, &tables, &count);
	else if ((tables = mem_zalloc(1 + t->index_count, sizeof(*tables))))
		tables[count++] = t->number;
	else
		err = -ENOMEM;
	for (i = 0; t && !err && i < t->index_count; i++)
		tables[count++] = t->indexes[i].number;
	if (!err)
		err = lsm_verify_tables(s->lsm, tables, count, told);
	mem_free(tables);
	if (!t && (!err || err == -EUCLEAN))
		err = choose_error(err, lsm_verify_snapshots(s->lsm, told));
	return err;
}

void store_stats(struct store *s, struct lsm_stats *stats)
{
	lsm_stats(s->lsm, stats);
	stats->tombstones_read += atomic_load_explicit(&s->tombstones_read,
						       memory_order_relaxed);
}

int store_shape(struct store *s, struct lsm_shape *shape)
{
	return lsm_shape(s->lsm, shape);
}

void store_table_stats(struct store *s, struct table *t,
		       struct lsm_table_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (!(t->flags & TABLE_VIRTUAL))
		lsm_table_stats(s->lsm, t->number, stats);
}
