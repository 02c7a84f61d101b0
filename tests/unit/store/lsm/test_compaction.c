/* Compaction: the same data in fewer files, without data that may be purged. */
#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/lsm/compaction.h"
#include "store/row/key.h"
#include "store/row/merge.h"
#include "store/row/row_codec.h"
#include "store/sstable/iterate.h"
#include "store/sstable/verify.h"
#include "store/sstable/writer.h"
#include "tests/lib/entries.h"
#include "tests/lib/rows.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define TABLE 5
#define MOST_INPUTS 6

static struct scratch s;
static struct faulty faulty;
static struct manifest *manifest;
static struct sstable *inputs[MOST_INPUTS];
static size_t input_count;
static int64_t other_timestamp;
static bool cancel;

static void begin(void)
{
	scratch_open(&s);
	faulty_init(&faulty);
	ck_assert_int_eq(manifest_open(&manifest, &faulty.ops, s.dir, false),
			 0);
	input_count = 0;
	other_timestamp = INT64_MAX;
	cancel = false;
}

static void close_inputs(void)
{
	while (input_count)
		sstable_put(inputs[--input_count]);
}

static void end(void)
{
	close_inputs();
	manifest_close(manifest);
	quiet(false);
	scratch_close(&s);
}

/* ---------------------------------------------------------------- set-up */
static void add_input(const struct entries *e)
{
	struct sstable_options options = { .block_size = 512 };
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	uint64_t number = manifest_next_number(manifest);
	struct sstable_writer *w;
	struct sstable_info info;
	size_t i;

	ck_assert_int_eq(sstable_writer_create(&w, &file_system, s.dir, number,
					       &options), 0);
	for (i = 0; i < e->count; i++)
		ck_assert_int_eq(sstable_writer_add(w, &e->entries[i]), 0);
	ck_assert_int_eq(sstable_writer_finish(w, &info), 0);
	sstable_writer_close(w);
	manifest_edit_add(&edit, TABLE, 0, &info);
	ck_assert_int_eq(manifest_apply(manifest, &edit), 0);
	manifest_edit_release(&edit);
	ck_assert_int_eq(sstable_open(&inputs[input_count++], &faulty.ops,
				      s.dir, number, NULL), 0);
}

static int64_t min_other(void *context, struct bytes partition)
{
	(void)context;
	ck_assert_uint_eq(key_partition_len(partition), 0 + partition.len);
	return other_timestamp;
}

static uint64_t next_number(void *context)
{
	(void)context;
	return manifest_next_number(manifest);
}

static bool cancelled(void *context)
{
	(void)context;
	return cancel;
}

static struct compaction_setup setup(void)
{
	struct compaction_setup c = {
		.files = &faulty.ops, .dir = s.dir, .table = TABLE,
		.inputs = inputs, .input_count = input_count,
		.output = { .block_size = 512, .compression = COMPRESSION_LZ4 }, .level = 1,
		.now = 1000, .gc_before = 0,
		.min_other_timestamp = min_other, .next_number = next_number,
		.cancelled = cancelled,
	};

	return c;
}

static void add_random_inputs(uint64_t seed, size_t count)
{
	struct entries_shape shape = { 12, 20, 30, true, true };
	struct random rng = random_seeded(seed * 1000003);
	size_t i;

	for (i = 0; i < count; i++) {
		struct entries e;

		entries_make(&e, &rng, &shape);
		add_input(&e);
		entries_free(&e);
	}
}

/* Walks over several sstables one after the other. */
struct chain {
	struct compaction *c;
	size_t next;
	struct iterator *it;
};

static int chain_next(struct chain *chain, struct entry *entry)
{
	struct deletion in_force;
	int more;

	for (;;) {
		if (chain->it && (more = iterator_next(chain->it, entry)))
			return more;
		iterator_close(chain->it);
		chain->it = NULL;
		if (chain->next == compaction_output_count(chain->c))
			return 0;
		ck_assert_int_eq(sstable_iterate(&chain->it,
				compaction_output(chain->c, chain->next++),
				false, true), 0);
		ck_assert_int_eq(iterator_seek(chain->it, BYTES_EMPTY,
					       &in_force), 0);
	}
}

static struct iterator *merged_inputs(void)
{
	struct iterator *sources[MOST_INPUTS], *merged;
	struct deletion in_force;
	size_t i;

	for (i = 0; i < input_count; i++)
		ck_assert_int_eq(sstable_iterate(&sources[i], inputs[i], false,
						 true), 0);
	ck_assert_int_eq(merge_open(&merged, sources, input_count, false), 0);
	ck_assert_int_eq(iterator_seek(merged, BYTES_EMPTY, &in_force), 0);
	return merged;
}

/* The outputs, read one after the other, are the merge of the inputs. */
static void check_same(struct compaction *c)
{
	struct iterator *merged = merged_inputs();
	struct chain chain = { c, 0, NULL };
	struct entry a, b;
	int more;

	while ((more = iterator_next(merged, &a)) > 0) {
		ck_assert_int_eq(chain_next(&chain, &b), 1);
		entries_assert_equal(&a, &b);
	}
	ck_assert_int_eq(more, 0);
	ck_assert_int_eq(chain_next(&chain, &b), 0);
	iterator_close(merged);
}

static void check_live(const struct compaction *c)
{
	struct manifest_file *files;
	size_t count, i;

	ck_assert_int_eq(manifest_files(manifest, &files, &count), 0);
	ck_assert_uint_eq(count, compaction_output_count(c));
	for (i = 0; i < count; i++) {
		ck_assert_uint_eq(files[i].info.number,
			sstable_info(compaction_output(c, i))->number);
		ck_assert_uint_eq(files[i].level, 1);
	}
	mem_free(files);
}

/* ----------------------------------------------------------------- tests */
static uint64_t shard_of(struct bytes key, uint32_t shards)
{
	return (uint64_t)((long double)get_be64(key.ptr) /
			  18446744073709551616.0L * shards);
}

START_TEST(outputs_are_the_merge_of_the_inputs)	/* _i: seed */
{
	struct compaction_setup a = setup();
	struct compaction *c;
	size_t i, outputs;

	add_random_inputs((uint64_t)_i, 2 + (size_t)_i % 4);
	a = setup();
	a.min_other_timestamp = NULL;	/* nothing is purged */
	a.now = -1;			/* nothing has expired */
	a.output_size = _i % 3 ? (uint64_t)_i * 500 : 0;
	a.shards = _i % 2 ? (uint32_t)_i % 17 : 0;
	a.least_size = _i % 4 == 1 ? 1500 : 0;	/* parts are joined */
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), 0);
	outputs = compaction_output_count(c);
	ck_assert_uint_ge(outputs, 1);
	for (i = 0; i < outputs; i++) {
		struct sstable *t = compaction_output(c, i);

		ck_assert_int_eq(sstable_verify(t), 0);
		if (i)
			ck_assert_int_lt(bytes_compare(sstable_last_key(
				compaction_output(c, i - 1)),
				sstable_first_key(t)), 0);
		if (a.least_size && !a.output_size && i + 1 < outputs)
			ck_assert_uint_ge(sstable_info(t)->size, a.least_size);
		else if (a.shards && !a.least_size)
			ck_assert_uint_eq(shard_of(sstable_first_key(t),
						   a.shards),
					  shard_of(sstable_last_key(t),
						   a.shards));
	}
	check_same(c);
	ck_assert_int_eq(compaction_install(c, manifest), 0);
	check_live(c);
	compaction_drop_inputs(c, manifest);
	compaction_free(c);
	close_inputs();
	ck_assert_uint_eq(scratch_count(&s), 2 + outputs);
}
END_TEST

START_TEST(small_outputs_are_cut)
{
	struct compaction_setup a;
	struct compaction *c;

	add_random_inputs(1, 3);
	a = setup();
	a.min_other_timestamp = NULL;
	a.now = -1;
	a.output_size = 1000;
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), 0);
	ck_assert_uint_gt(compaction_output_count(c), 3);
	ck_assert_uint_gt(compaction_bytes_written(c), 3000);
	compaction_free(c);		/* not installed: all outputs go */
	ck_assert_uint_eq(scratch_count(&s), 2 + 3);
}
END_TEST

/* The next row of which something lives, with only that: 1, or 0. */
static int next_live(struct iterator *it, struct arena *arena, struct buf *key,
		     struct row *row, int64_t now)
{
	struct entry entry;
	uint32_t i, kept;
	int more;

	while ((more = iterator_next(it, &entry)) > 0) {
		if (entry.kind != ENTRY_ROW)
			continue;
		arena_clear(arena);
		entry.row = arena_copy(arena, entry.row);
		ck_assert_int_eq(row_decode(row, arena, entry.row), 0);
		for (i = kept = 0; i < row->cell_count; i++)
			if (cell_is_live(&row->cells[i], now))
				row->cells[kept++] = row->cells[i];
		row->cell_count = kept;
		row->deletion = DELETION_NONE;
		if (!marker_is_live(&row->marker, now))
			row->marker = MARKER_NONE;
		if (!kept && row->marker.timestamp == NO_TIMESTAMP)
			continue;
		buf_clear(key);
		buf_add_bytes(key, entry.key);
		return 1;
	}
	ck_assert_int_eq(more, 0);
	return 0;
}

/* Merge all of these, and one more. */
static struct iterator *merged_with(struct sstable **tables, size_t count,
				    struct sstable *more)
{
	struct iterator **sources = malloc((count + 1) * sizeof(*sources));
	struct deletion in_force;
	struct iterator *merged;
	size_t i;

	for (i = 0; i <= count; i++)
		ck_assert_int_eq(sstable_iterate(&sources[i],
						 i < count ? tables[i] : more,
						 false, true), 0);
	ck_assert_int_eq(merge_open(&merged, sources, count + 1, false), 0);
	ck_assert_int_eq(iterator_seek(merged, BYTES_EMPTY, &in_force), 0);
	free(sources);
	return merged;
}

static void check_same_live(struct iterator *before, struct iterator *after,
			    int64_t now)
{
	struct arena x = ARENA_INIT, y = ARENA_INIT;
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct row r, q;

	while (next_live(before, &x, &a, &r, now)) {
		ck_assert_int_eq(next_live(after, &y, &b, &q, now), 1);
		ck_assert(bytes_equal(buf_bytes(&a), buf_bytes(&b)));
		ck_assert(rows_equal(&r, &q));
	}
	ck_assert_int_eq(next_live(after, &y, &b, &q, now), 0);
	iterator_close(before);
	iterator_close(after);
	buf_release(&a);
	buf_release(&b);
	arena_release(&x);
	arena_release(&y);
}

/* For who reads these, of which nothing changed, and one more. */
static void check_same_shadowed(struct compaction *c, struct sstable **others,
				size_t other_count, struct sstable *more,
				int64_t now)
{
	size_t count = compaction_output_count(c), i;
	struct sstable *was[200], *is[200];

	ck_assert_uint_lt(count + input_count + other_count, ARRAY_SIZE(is));
	for (i = 0; i < other_count; i++)
		was[i] = is[i] = others[i];
	for (i = 0; i < input_count; i++)
		was[other_count + i] = inputs[i];
	for (i = 0; i < count; i++)
		is[other_count + i] = compaction_output(c, i);
	check_same_live(merged_with(was, other_count + input_count, more),
			merged_with(is, other_count + count, more), now);
}

static void check_same_view(struct compaction *c, struct sstable *other,
			    int64_t now)
{
	check_same_shadowed(c, NULL, 0, other, now);
}

/*
 * A reader who sees another source too, in which there may be older data, sees
 * the same after a purge as before.
 */
START_TEST(a_purge_is_not_seen)	/* _i: seed */
{
	struct random rng = random_seeded((uint64_t)_i * 17);
	struct compaction_setup a;
	struct sstable *other;
	struct compaction *c;

	add_random_inputs((uint64_t)_i + 100, 4);
	other = inputs[--input_count];
	other_timestamp = sstable_info(other)->min_timestamp;
	a = setup();
	a.now = random_below(&rng, 1200);
	a.gc_before = a.now - random_below(&rng, 3) * 100;
	a.output_size = random_below(&rng, 5000);
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), 0);
	check_same_view(c, other, a.now);
	check_same_view(c, other, a.now + 200);
	compaction_free(c);
	sstable_put(other);
}
END_TEST

static void check_measure(const struct compaction_setup *like, uint64_t size)
{
	struct compaction_setup a = *like;
	struct compaction *c;
	int files = scratch_count(&s);

	a.output.measure_only = true;
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), 0);
	ck_assert_uint_eq(compaction_bytes_written(c), size);
	compaction_free(c);
	ck_assert_int_eq(scratch_count(&s), files);
}

/*
 * One file without what others shadow: who reads it with these, and another in
 * which there may be older data, sees the same as before. How large it would be
 * is known before.
 */
START_TEST(a_file_without_what_others_shadow)	/* _i: seed */
{
	struct random rng = random_seeded((uint64_t)_i * 19);
	struct sstable *others[MOST_INPUTS], *older;
	size_t count = 1 + (size_t)_i % 4, i;
	struct compaction_setup a;
	struct compaction *c;
	uint64_t before;

	add_random_inputs((uint64_t)_i + 300, count + 2);
	older = inputs[--input_count];
	other_timestamp = sstable_info(older)->min_timestamp;
	for (i = 0; i < count; i++) {
		others[i] = inputs[--input_count];
		if (sstable_info(others[i])->min_timestamp < other_timestamp)
			other_timestamp =
				sstable_info(others[i])->min_timestamp;
	}
	a = setup();
	a.shadows = others;
	a.shadow_count = count;
	a.now = random_below(&rng, 1200);
	a.gc_before = a.now - random_below(&rng, 3) * 100;
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), 0);
	before = sstable_info(inputs[0])->raw_size;
	ck_assert_uint_lt(compaction_output_count(c) ?
			  sstable_info(compaction_output(c, 0))->raw_size : 0,
			  before);
	check_measure(&a, compaction_bytes_written(c));
	check_same_shadowed(c, others, count, older, a.now);
	check_same_shadowed(c, others, count, older, a.now + 200);
	ck_assert_int_eq(compaction_install(c, manifest), 0);
	compaction_free(c);
	for (i = 0; i < count; i++)
		sstable_put(others[i]);
	sstable_put(older);
}
END_TEST

/* Data that may be purged, each in one row or bound. */
static const struct {
	const char *why;
	uint8_t flags;
	int32_t ttl;
	int64_t local_time;
	int64_t gc_before, other;
	int left;		/* cells; a live one is the same */
	uint8_t left_flags;
} cases[] = {
	{ "live", 0, 0, NO_TIME, 900, INT64_MAX, 1, 0 },
	{ "old tombstone", CELL_TOMBSTONE, 0, 800, 900, INT64_MAX, 0, 0 },
	{ "young tombstone", CELL_TOMBSTONE, 0, 900, 900, INT64_MAX, 1,
	  CELL_TOMBSTONE },
	{ "shadows others", CELL_TOMBSTONE, 0, 800, 900, 50, 1,
	  CELL_TOMBSTONE },
	{ "just above", CELL_TOMBSTONE, 0, 800, 900, 51, 0, 0 },
	{ "not expired", 0, 10, 1001, 900, INT64_MAX, 1, 0 },
	{ "expired", 0, 10, 1000, 900, INT64_MAX, 1, CELL_TOMBSTONE },
	{ "expired long ago", 0, 10, 500, 900, INT64_MAX, 0, 0 },
	{ "expired, shadows others", 0, 10, 500, 900, 50, 1, CELL_TOMBSTONE },
};

static void one_cell(struct entries *e, struct random *rng, int i)
{
	struct cell cell = { .column = 2, .flags = cases[i].flags,
			     .ttl = cases[i].ttl, .timestamp = 50,
			     .local_time = cases[i].local_time };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	struct entries_shape shape = { 1, 0, 0, false, true };
	struct buf bytes = BUF_INIT;

	if (!(cell.flags & CELL_TOMBSTONE))
		cell.value = bytes_str("v");
	entries_make(e, rng, &shape);
	row_encode(&bytes, &row);
	e->entries[0].row = arena_copy(&e->arena, buf_bytes(&bytes));
	buf_release(&bytes);
}

START_TEST(the_purge_rule)	/* _i: case */
{
	struct random rng = random_seeded(1);
	struct arena arena = ARENA_INIT;
	struct chain chain = { NULL, 0, NULL };
	struct compaction_setup a;
	struct entries e;
	struct entry entry;
	struct row row;

	one_cell(&e, &rng, _i);
	add_input(&e);
	a = setup();
	a.gc_before = cases[_i].gc_before;
	other_timestamp = cases[_i].other;
	ck_assert_int_eq(compaction_prepare(&chain.c, &a), 0);
	ck_assert_int_eq(compaction_run(chain.c), 0);
	ck_assert_uint_eq(compaction_output_count(chain.c),
			  (size_t)cases[_i].left);
	if (cases[_i].left) {
		ck_assert_int_eq(chain_next(&chain, &entry), 1);
		ck_assert_int_eq(row_decode(&row, &arena, entry.row), 0);
		ck_assert_uint_eq(row.cell_count, 1);
		ck_assert_uint_eq(row.cells[0].flags, cases[_i].left_flags);
		ck_assert(bytes_is_null(row.cells[0].value) ==
			  !!cases[_i].left_flags);
		ck_assert_int_eq(chain_next(&chain, &entry), 0);
	}
	ck_assert_int_eq(compaction_install(chain.c, manifest), 0);
	check_live(chain.c);
	compaction_free(chain.c);
	arena_release(&arena);
	entries_free(&e);
}
END_TEST

/* A deletion of a partition, of timestamp 1200, over everything in it. */
static void add_partition_deletion(int64_t local_time)
{
	struct deletion d = { 1200, local_time };
	struct buf key = BUF_INIT;
	struct entries_shape shape = { 12, 0, 0, false, true };
	struct random rng = random_seeded(1);
	struct entries e;
	struct entry bounds[2];

	entries_make(&e, &rng, &shape);
	buf_add(&key, e.entries[0].key.ptr, e.entries[0].key.len - 1);
	buf_add_byte(&key, KEY_BEGIN);
	bounds[0] = (struct entry){ arena_copy(&e.arena, buf_bytes(&key)),
				    ENTRY_BOUND, BYTES_NULL, DELETION_NONE, d };
	key.ptr[key.len - 1] = KEY_END;
	bounds[1] = (struct entry){ arena_copy(&e.arena, buf_bytes(&key)),
				    ENTRY_BOUND, BYTES_NULL, d, DELETION_NONE };
	e.entries[0] = bounds[0];
	e.entries[1] = bounds[1];
	e.count = 2;
	add_input(&e);
	entries_free(&e);
	buf_release(&key);
}

START_TEST(a_deletion_goes_after_what_it_covers)	/* _i: may it? */
{
	struct chain chain = { NULL, 0, NULL };
	struct compaction_setup a;
	struct buf first = BUF_INIT;
	struct entry entry;
	int in_first = 0, more;

	add_random_inputs(3, 2);
	add_partition_deletion(800);
	buf_add(&first, sstable_first_key(inputs[2]).ptr,
		key_partition_len(sstable_first_key(inputs[2])));
	a = setup();
	a.gc_before = 900;
	other_timestamp = _i ? INT64_MAX : 1200;
	ck_assert_int_eq(compaction_prepare(&chain.c, &a), 0);
	ck_assert_int_eq(compaction_run(chain.c), 0);
	while ((more = chain_next(&chain, &entry)) > 0)
		in_first += bytes_begin_with(entry.key, buf_bytes(&first));
	ck_assert_int_eq(more, 0);
	ck_assert_int_eq(in_first, _i ? 0 : 2);
	compaction_free(chain.c);
	buf_release(&first);
}
END_TEST

/* Run a compaction that is only installed. */
static void compact_as(const struct compaction_setup *a)
{
	struct compaction *c;

	ck_assert_int_eq(compaction_prepare(&c, a), 0);
	ck_assert_int_eq(compaction_run(c), 0);
	ck_assert_int_eq(compaction_install(c, manifest), 0);
	compaction_drop_inputs(c, manifest);
	compaction_free(c);
	close_inputs();
}

START_TEST(a_move_changes_the_level_only)
{
	struct compaction_setup a;
	struct manifest_file *files;
	size_t count;

	add_random_inputs(1, 1);
	a = setup();
	a.move_only = true;
	compact_as(&a);
	ck_assert_int_eq(manifest_files(manifest, &files, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(files[0].level, 1);
	mem_free(files);
	ck_assert_uint_eq(scratch_count(&s), 3);
}
END_TEST

START_TEST(dead_files_are_dropped_unread)
{
	struct compaction_setup a;

	add_random_inputs(1, 3);
	a = setup();
	a.drop_only = true;
	compact_as(&a);
	ck_assert_uint_eq(scratch_count(&s), 2);
}
END_TEST

START_TEST(a_truncate_between_wins)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	struct compaction_setup a;
	struct compaction *c;

	add_random_inputs(1, 2);
	a = setup();
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), 0);
	manifest_edit_drop_files(&edit, TABLE);
	ck_assert_int_eq(manifest_apply(manifest, &edit), 0);
	ck_assert_int_eq(compaction_install(c, manifest), -ESTALE);
	compaction_free(c);
	ck_assert_uint_eq(scratch_count(&s), 2 + 2);
	manifest_edit_release(&edit);
}
END_TEST

START_TEST(a_cancelled_compaction_leaves_nothing)
{
	struct compaction_setup a;
	struct compaction *c;

	add_random_inputs(1, 3);
	a = setup();
	cancel = true;
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), -ECANCELED);
	compaction_free(c);
	ck_assert_uint_eq(scratch_count(&s), 2 + 3);
}
END_TEST

static int count_file(void *data, const char *name)
{
	uint64_t number;

	if (!sstable_name_parse(&number, name))
		++*(size_t *)data;
	return 0;
}

/* Check that every sstable of the manifest is there and valid. */
static void check_store(void)
{
	struct manifest_file *files;
	struct sstable *t;
	size_t count, here = 0, i;

	manifest_close(manifest);
	ck_assert_int_eq(manifest_open(&manifest, &file_system, s.dir, false),
			 0);
	ck_assert_int_eq(manifest_files(manifest, &files, &count), 0);
	for (i = 0; i < count; i++) {
		ck_assert_int_eq(sstable_open(&t, &file_system, s.dir,
					      files[i].info.number, NULL), 0);
		ck_assert_int_eq(sstable_verify(t), 0);
		ck_assert_uint_eq(sstable_info(t)->checksum,
				  files[i].info.checksum);
		sstable_put(t);
	}
	mem_free(files);
	ck_assert_int_eq(file_system.list(NULL, s.dir, count_file, &here), 0);
	ck_assert_uint_ge(here, count);
}

START_TEST(a_failed_call_leaves_the_store_whole)	/* _i: error */
{
	int err = -EIO;
	long nth;

	for (nth = 1; err; nth++) {
		struct compaction_setup a;
		struct compaction *c;

		add_random_inputs(2, 3);
		a = setup();
		a.output_size = 4000;
		ck_assert_int_eq(compaction_prepare(&c, &a), 0);
		faulty.fail_at = nth;
		faulty.calls = 0;
		faulty.err = _i ? -EIO : -ENOSPC;
		err = compaction_run(c);
		if (!err)
			err = compaction_install(c, manifest);
		if (!err)
			compaction_drop_inputs(c, manifest);
		compaction_free(c);
		faulty.fail_at = 0;
		close_inputs();
		check_store();
		end();
		begin();
	}
	ck_assert_int_gt(nth, 12);
}
END_TEST

START_TEST(without_memory_nothing_breaks)
{
	int err = -ENOMEM;
	long nth;

	add_random_inputs(2, 3);
	for (nth = 1; err; nth++) {
		struct compaction_setup a = setup();
		struct compaction *c = NULL;

		mem_fail_at(nth, false);
		err = compaction_prepare(&c, &a);
		if (!err)
			err = compaction_run(c);
		mem_fail_at(0, false);
		ck_assert(!err || err == -ENOMEM);
		compaction_free(c);
		ck_assert_uint_eq(scratch_count(&s), 2 + 3);
	}
	ck_assert_int_gt(nth, 20);
}
END_TEST

START_TEST(a_damaged_input_stops_it)
{
	struct buf file = BUF_INIT;
	struct compaction_setup a;
	struct compaction *c;
	char name[32];

	add_random_inputs(1, 3);
	sstable_name(name, sstable_info(inputs[1])->number);
	scratch_read(&s, name, &file);
	file.ptr[100] ^= 1;
	scratch_write(&s, name, buf_bytes(&file));
	quiet(true);
	a = setup();
	ck_assert_int_eq(compaction_prepare(&c, &a), 0);
	ck_assert_int_eq(compaction_run(c), -EUCLEAN);
	compaction_free(c);
	ck_assert_uint_eq(scratch_count(&s), 2 + 3);
	buf_release(&file);
}
END_TEST

SUITE(compaction)
{
	TCase *tc = tcase_create("compaction");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, outputs_are_the_merge_of_the_inputs, 0, 20);
	tcase_add_test(tc, small_outputs_are_cut);
	tcase_add_loop_test(tc, a_purge_is_not_seen, 0, 20);
	tcase_add_loop_test(tc, a_file_without_what_others_shadow, 0, 40);
	tcase_add_loop_test(tc, the_purge_rule, 0, ARRAY_SIZE(cases));
	tcase_add_loop_test(tc, a_deletion_goes_after_what_it_covers, 0, 2);
	tcase_add_test(tc, a_move_changes_the_level_only);
	tcase_add_test(tc, dead_files_are_dropped_unread);
	tcase_add_test(tc, a_truncate_between_wins);
	tcase_add_test(tc, a_cancelled_compaction_leaves_nothing);
	tcase_add_loop_test(tc, a_failed_call_leaves_the_store_whole, 0, 2);
	tcase_add_test(tc, without_memory_nothing_breaks);
	tcase_add_test(tc, a_damaged_input_stops_it);
	suite_add_tcase(suite, tc);
}
