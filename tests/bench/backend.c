/*
 * Our engine as one backend of a driver that runs the same workloads on several
 * storage engines (README.md). Keys of 24 bytes are a token of 8 and a partition
 * key of 16; a value is the one cell of a row.
 *
 * "nosync" is a commit that has reached the kernel, synced every second; "sync"
 * is one that waits for the disk.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/lsm/dead_rows.h"
#include "store/row/row_codec.h"

#define TABLE 100
#define KEY_LEN 24
#define VALUE_LEN 100
#define KEY_ROOM 32

/* The driver's, which has no header. */
struct kv {
	char k[KEY_LEN], v[VALUE_LEN];
	int del;
};
struct backend {
	const char *name;
	void *(*open)(const char *dir, int sync, size_t cache);
	void (*close)(void *db);
	void *(*session)(void *db);
	void (*session_end)(void *s);
	int (*write)(void *s, const struct kv *kv, int n);
	int (*get)(void *s, const char *k, char *v);
	void *(*seek)(void *s, const char *k);
	int (*next)(void *it, char *k, char *v);
	void (*seek_end)(void *it);
	void (*compact)(void *db);
};
extern const struct backend be_widefs;

struct db {
	struct lsm *lsm;
	int dir;
	_Atomic int64_t timestamp;
};

struct session {
	struct db *db;
	struct batch batch;
	struct arena arena;
};

struct scan {
	struct iterator *it;
	struct arena arena;
	struct dead_run run;
};

static void *db_open(const char *path, int sync, size_t cache)
{
	struct db *db = calloc(1, sizeof(*db));
	struct lsm_options options = { .cache_bytes = cache,
				       .commit_s = sync ? 0 : 1 };
	struct lsm_table_options table;

	if (!db)
		abort();
	db->dir = open(path, O_RDONLY | O_DIRECTORY);
	db->timestamp = clock_now_us();
	lsm_table_defaults(&table);
	if (db->dir < 0 ||
	    lsm_open(&db->lsm, &file_system, db->dir, &options) ||
	    lsm_table_set(db->lsm, TABLE, &table) || lsm_start(db->lsm))
		abort();
	return db;
}

static void db_close(void *p)
{
	struct db *db = p;

	if (lsm_close(db->lsm))
		abort();
	close(db->dir);
	free(db);
}

static void *session_new(void *db)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->db = db;
	return s;
}

static void session_free(void *p)
{
	struct session *s = p;

	batch_release(&s->batch);
	arena_release(&s->arena);
	free(s);
}

static struct bytes key_of(uint8_t to[KEY_ROOM], const char *k)
{
	memcpy(to, k, KEY_LEN);
	memcpy(to + KEY_LEN, "\0\1\x30\x38", 4);
	return bytes_of(to, KEY_LEN + 4);
}

static int session_write(void *p, const struct kv *kv, int n)
{
	struct session *s = p;
	int64_t now = atomic_fetch_add_explicit(&s->db->timestamp, 1,
						memory_order_relaxed);
	uint8_t key[KEY_ROOM];
	int i;

	batch_clear(&s->batch);
	for (i = 0; i < n; i++) {
		struct cell cell = { .timestamp = now, .local_time = NO_TIME };
		struct row row = ROW_NONE;

		if (kv[i].del) {
			row.deletion = (struct deletion){ now, now / 1000000 };
		} else {
			cell.value = bytes_of(kv[i].v, VALUE_LEN);
			row.cells = &cell;
			row.cell_count = 1;
		}
		batch_add_row(&s->batch, TABLE, key_of(key, kv[i].k), &row);
	}
	return lsm_apply(s->db->lsm, &s->batch, NULL);
}

static int session_get(void *p, const char *k, char *v)
{
	struct session *s = p;
	uint8_t key[KEY_ROOM];
	struct row row;
	int got;

	arena_clear(&s->arena);
	got = lsm_get(s->db->lsm, TABLE, key_of(key, k), 1, &s->arena,
		      &row);
	if (got < 0)
		abort();
	if (!got || !row.cell_count)
		return 0;
	memcpy(v, row.cells[0].value.ptr, VALUE_LEN);
	return 1;
}

static void *scan_begin(void *p, const char *k)
{
	struct session *s = p;
	struct scan *scan = calloc(1, sizeof(*scan));
	struct bytes from = bytes_of(k, KEY_LEN);
	struct deletion in_force;

	if (!scan)
		abort();
	dead_run_init(&scan->run, s->db->lsm, TABLE, clock_now_s());
	if (lsm_iterate(&scan->it, s->db->lsm, TABLE, from, BYTES_EMPTY,
			false) ||
	    iterator_seek(scan->it, from, &in_force))
		abort();
	return scan;
}

static int scan_next(void *p, char *k, char *v)
{
	struct scan *scan = p;
	struct deletion in_force;
	struct entry entry;
	struct bytes to;
	struct row row;
	int got;

	while ((got = iterator_next(scan->it, &entry)) > 0) {
		if (entry.kind != ENTRY_ROW)
			continue;
		arena_clear(&scan->arena);
		if (row_decode(&row, &scan->arena, entry.row))
			abort();
		if (!row.cell_count) {
			if (dead_run_add(&scan->run, entry.key, &to) &&
			    iterator_seek(scan->it, to, &in_force))
				abort();
			continue;
		}
		dead_run_end(&scan->run);
		memcpy(k, entry.key.ptr, KEY_LEN);
		memcpy(v, row.cells[0].value.ptr, VALUE_LEN);
		return 1;
	}
	if (got < 0)
		abort();
	return 0;
}

static void scan_end(void *p)
{
	struct scan *scan = p;

	iterator_close(scan->it);
	dead_run_release(&scan->run);
	arena_release(&scan->arena);
	free(scan);
}

static void db_compact(void *p)
{
	struct db *db = p;

	if (lsm_flush(db->lsm, UINT32_MAX) || lsm_compact(db->lsm, TABLE))
		abort();
}

const struct backend be_widefs = {
	"widefs", db_open, db_close, session_new, session_free, session_write,
	session_get, scan_begin, scan_next, scan_end, db_compact,
};
