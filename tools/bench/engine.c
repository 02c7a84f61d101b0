/*
 * Workloads of the engine alone: rows of one cell, each a partition of its own,
 * keys of 24 bytes and what delimits them.
 */
#include "tools/bench/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/dead_rows.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"

#define TABLE 100
#define KEY_LEN 28
#define CACHE_BYTES ((size_t)256 << 20)

struct engine {
	struct bench *b;
	struct lsm *lsm;
	int dir;
	int64_t timestamp;
	struct batch batch;
	struct arena arena;
	uint8_t *value;
};

static int open_engine(struct engine *e, struct bench *b, double commit_s)
{
	struct lsm_options options = { .cache_bytes = CACHE_BYTES,
				       .commit_s = commit_s };
	struct lsm_table_options table;
	int err;

	*e = (struct engine){ .b = b, .dir = -1 };
	e->timestamp = clock_now_us();
	e->value = mem_zalloc(1, b->value_len + 8);
	if (!e->value)
		return -ENOMEM;
	e->dir = open(b->path, O_RDONLY | O_DIRECTORY);
	if (e->dir < 0)
		return -errno;
	err = lsm_open(&e->lsm, &file_system, e->dir, &options);
	lsm_table_defaults(&table);
	if (!err)
		err = lsm_table_set(e->lsm, TABLE, &table);
	return err ? err : lsm_start(e->lsm);
}

static int close_engine(struct engine *e, int err)
{
	int closed = lsm_close(e->lsm);

	if (e->dir >= 0)
		close(e->dir);
	batch_release(&e->batch);
	arena_release(&e->arena);
	mem_free(e->value);
	return err ? err : closed;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static struct bytes make_key(uint8_t key[KEY_LEN], uint64_t token, uint64_t id)
{
	int i;

	put_be64(key, token);
	for (i = 15; i >= 0; i--, id /= 10)
		key[8 + i] = (uint8_t)('0' + id % 10);
	memcpy(key + 24, "\0\1\x30\x38", 4);
	return bytes_of(key, KEY_LEN);
}

static void add(struct engine *e, uint64_t token, uint64_t id, bool deleted)
{
	struct cell cell = { .timestamp = ++e->timestamp,
			     .local_time = NO_TIME };
	struct row row = ROW_NONE;
	uint8_t key[KEY_LEN];

	if (deleted) {
		row.deletion = (struct deletion){ e->timestamp,
						  e->timestamp / 1000000 };
	} else {
		bench_value(e->b, e->value);
		cell.value = bytes_of(e->value, e->b->value_len);
		row.cells = &cell;
		row.cell_count = 1;
	}
	batch_add_row(&e->batch, TABLE, make_key(key, token, id), &row);
}

static int apply(struct engine *e)
{
	int err = lsm_apply(e->lsm, &e->batch, NULL);

	batch_clear(&e->batch);
	return err;
}

enum order { SEQUENTIAL, RANDOM, EXISTING };
static int fill(struct engine *e, const char *name, enum order order,
		int batch)
{
	double begin = bench_now_s();
	long n = e->b->records, i;
	int err = 0, j;

	for (i = 0; i < n && !err; i += batch) {
		uint64_t id = order == EXISTING ?
				      bench_random(e->b) % (uint64_t)n :
				      (uint64_t)i;

		for (j = 0; j < batch; j++)
			add(e, order == SEQUENTIAL ? id << 20 : mix(id + 1),
			    id + (uint64_t)j, false);
		err = apply(e);
	}
	if (!err)
		bench_tell_rate(e->b, name, n, begin);
	return err;
}

static int read_some(struct engine *e, const char *name, uint64_t shift,
		     int expected)
{
	double begin = bench_now_s();
	long n = e->b->records, i;
	uint8_t key[KEY_LEN];
	struct row row;

	for (i = 0; i < n; i++) {
		uint64_t id = bench_random(e->b) % (uint64_t)n;
		int got = lsm_get(e->lsm, TABLE,
				  make_key(key, mix(id + shift + 1), id),
				  1, &e->arena, &row);

		if (got != expected)
			return got < 0 ? got : -EUCLEAN;
		arena_clear(&e->arena);
	}
	bench_tell_rate(e->b, name, n, begin);
	return 0;
}

static int count_live(struct engine *e, struct dead_run *run,
		      struct iterator *it, const struct entry *entry,
		      long *count)
{
	struct deletion in_force;
	struct bytes to;
	struct row row;
	int err;

	if (entry->kind != ENTRY_ROW)
		return 0;
	arena_clear(&e->arena);
	err = row_decode(&row, &e->arena, entry->row);
	if (!err && row.cell_count) {
		++*count;
		dead_run_end(run);
	} else if (!err && dead_run_add(run, entry->key, &to)) {
		err = iterator_seek(it, to, &in_force);
	}
	return err;
}

/* Read the first live rows from a key on. Returns how many there were. */
static long scan(struct engine *e, struct bytes from, long most)
{
	struct deletion in_force;
	struct dead_run run;
	struct iterator *it;
	struct entry entry;
	long count = 0;
	int got;

	dead_run_init(&run, e->lsm, TABLE, clock_now_s());
	got = lsm_iterate(&it, e->lsm, TABLE, from, BYTES_EMPTY, false);
	if (got)
		return got;
	got = iterator_seek(it, from, &in_force);
	while (!got && count < most && (got = iterator_next(it, &entry)) > 0)
		got = count_live(e, &run, it, &entry, &count);
	iterator_close(it);
	dead_run_release(&run);
	return got < 0 ? got : count;
}

static int scans(struct engine *e)
{
	double begin = bench_now_s();
	uint8_t key[KEY_LEN];
	long n = 20000, i;
	long got = 0;

	for (i = 0; i < n && got >= 0; i++)
		got = scan(e, make_key(key, bench_random(e->b), 0), 100);
	if (got < 0)
		return (int)got;
	bench_tell_rate(e->b, "seek+next100", n, begin);
	begin = bench_now_s();
	got = scan(e, BYTES_EMPTY, e->b->records + 1);
	if (got != e->b->records)
		return got < 0 ? (int)got : -EUCLEAN;
	bench_tell_rate(e->b, "fullscan", got, begin);
	return 0;
}

/* Right after a flush the log has nothing that counts: live sstables alone. */
static void tell_disk(struct engine *e, const char *name)
{
	struct lsm_table_stats stats;

	lsm_table_stats(e->lsm, TABLE, &stats);
	bench_tell(e->b, name,
		   (double)stats.sstable_bytes / (double)e->b->records,
		   "bytes/record");
}

static int compact(struct engine *e)
{
	double begin = bench_now_s();
	int err = lsm_flush(e->lsm, UINT32_MAX);

	if (!err)
		err = lsm_compact(e->lsm, TABLE);
	if (!err)
		err = lsm_settle(e->lsm);
	if (!err)
		bench_tell(e->b, "compact", bench_now_s() - begin, "s");
	return err;
}

static int run_sequential(struct bench *b)
{
	struct engine e;
	int err = open_engine(&e, b, 1);

	if (!err)
		err = fill(&e, "fillseq", SEQUENTIAL, 1);
	return close_engine(&e, err);
}

static int run_batches(struct bench *b)
{
	struct engine e;
	int err = open_engine(&e, b, 1);

	if (!err)
		err = fill(&e, "fillrandom-batch5", RANDOM, 5);
	return close_engine(&e, err);
}

static int run_random(struct bench *b)
{
	double begin = 0;
	struct engine e;
	int err = open_engine(&e, b, 1);

	if (!err)
		err = fill(&e, "fillrandom", RANDOM, 1);
	if (!err)
		err = fill(&e, "overwrite", EXISTING, 1);
	if (!err)
		err = read_some(&e, "readhit-uncompacted", 0, 1);
	err = close_engine(&e, err);
	if (err)
		return err;
	begin = bench_now_s();
	err = open_engine(&e, b, 1);
	bench_tell(b, "reopen", (bench_now_s() - begin) * 1000, "ms");
	if (!err)
		err = compact(&e);
	if (!err) {
		tell_disk(&e, "disk");
		err = read_some(&e, "readhit", 0, 1);
	}
	if (!err)
		err = read_some(&e, "readmiss", 1u << 30, 0);
	if (!err)
		err = scans(&e);
	return close_engine(&e, err);
}

/* A queue: consumed rows are deleted, and its head is looked up again and
 * again. */
static int run_queue(struct bench *b)
{
	double begin = bench_now_s();
	struct engine e;
	uint8_t key[KEY_LEN];
	int err = open_engine(&e, b, 1), i;
	long got = 1;

	for (i = 0; i < 199000 && !err; i++) {
		bool deleted = i >= 100000;

		add(&e, 1, (uint64_t)(deleted ? i - 100000 : i), deleted);
		err = apply(&e);
	}
	if (!err) {
		bench_tell_rate(b, "queue-write+delete", 199000, begin);
		begin = bench_now_s();
		got = scan(&e, make_key(key, 1, 0), 1);
		bench_tell(b, "queue-head-first",
			   (bench_now_s() - begin) * 1e6, "us");
		begin = bench_now_s();
		for (i = 0; i < 50 && got == 1; i++)
			got = scan(&e, make_key(key, 1, 0), 1);
		bench_tell(b, "queue-head-again",
			   (bench_now_s() - begin) * 1e6 / 50, "us");
		if (got != 1)
			err = got < 0 ? (int)got : -EUCLEAN;
	}
	return close_engine(&e, err);
}

struct writer {
	struct engine e;
	pthread_t thread;
	uint64_t id;
	double until;
	long done;
	int err;
};

static void *write_synced(void *context)
{
	struct writer *w = context;

	while (!w->err && bench_now_s() < w->until) {
		uint64_t id = w->id << 32 | (uint64_t)w->done++;

		add(&w->e, mix(id), id, false);
		w->err = apply(&w->e);
	}
	return NULL;
}

static int run_writers(struct engine *e, const char *name, int count)
{
	static struct writer writers[8];
	double begin = bench_now_s();
	struct bench copies[8];
	long done = 0;
	int err = 0, i, started = 0;

	for (i = 0; i < count && !err; i++) {
		struct writer *w = &writers[i];

		copies[i] = *e->b;
		*w = (struct writer){ .id = (uint64_t)i + 1,
				      .until = begin + 2 };
		w->e = (struct engine){ .b = &copies[i], .lsm = e->lsm,
					.timestamp = e->timestamp };
		w->e.value = mem_zalloc(1, e->b->value_len + 8);
		err = w->e.value ? -pthread_create(&w->thread, NULL,
						   write_synced, w) : -ENOMEM;
		started += !err;
	}
	for (i = 0; i < started; i++) {
		pthread_join(writers[i].thread, NULL);
		done += writers[i].done;
		err = err ? err : writers[i].err;
		batch_release(&writers[i].e.batch);
		mem_free(writers[i].e.value);
	}
	if (!err)
		bench_tell_rate(e->b, name, done, begin);
	return err;
}

static int run_synced(struct bench *b)
{
	struct engine e;
	int err = open_engine(&e, b, 0);

	if (!err)
		err = run_writers(&e, "sync-write-1", 1);
	if (!err)
		err = run_writers(&e, "sync-write-8", 8);
	return close_engine(&e, err);
}

const struct bench_group bench_engine_groups[BENCH_ENGINE_GROUPS] = {
	{ "fillseq ", run_sequential },
	{ "fillrandom-batch5 ", run_batches },
	{ "fillrandom overwrite readhit-uncompacted reopen compact disk readhit "
	  "readmiss seek+next100 fullscan memory ", run_random },
	{ "queue-write+delete queue-head-first queue-head-again ", run_queue },
	{ "sync-write-1 sync-write-8 ", run_synced },
};
