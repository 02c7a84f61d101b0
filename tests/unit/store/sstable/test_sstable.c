/* Sstables against a sorted array of the same entries, and against damage. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"
#include "store/sstable/cache.h"
#include "store/sstable/iterate.h"
#include "store/sstable/salvage.h"
#include "store/sstable/sstable.h"
#include "store/sstable/verify.h"
#include "store/sstable/writer.h"
#include "tests/lib/entries.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

static struct scratch s;
static struct block_cache *cache;

static void begin(void)
{
	scratch_open(&s);
	ck_assert_int_eq(block_cache_new(&cache, 1 << 20), 0);
}

static void end(void)
{
	block_cache_free(cache);
	scratch_close(&s);
	quiet(false);
}

static int write_entries(const struct file_ops *files, uint64_t number,
			 const struct entries *e,
			 const struct sstable_options *options,
			 struct sstable_info *info)
{
	struct sstable_writer *w;
	size_t i;
	int err = sstable_writer_create(&w, files, s.dir, number, options);

	if (err)
		return err;
	for (i = 0; i < e->count && !err; i++)
		err = sstable_writer_add(w, &e->entries[i]);
	if (!err)
		err = sstable_writer_finish(w, info);
	sstable_writer_close(w);
	return err;
}

static struct sstable *opened(uint64_t number)
{
	struct sstable *t;

	ck_assert_int_eq(sstable_open(&t, &file_system, s.dir, number, cache),
			 0);
	return t;
}

static void check_forward(struct sstable *t, const struct entries *e)
{
	struct iterator *it;
	struct deletion in_force;
	struct entry entry;
	size_t i;

	ck_assert_int_eq(sstable_iterate(&it, t, false, true), 0);
	ck_assert_int_eq(iterator_seek(it, BYTES_EMPTY, &in_force), 0);
	ck_assert(deletion_is_none(in_force));
	for (i = 0; i < e->count; i++) {
		ck_assert_int_eq(iterator_next(it, &entry), 1);
		entries_assert_equal(&entry, &e->entries[i]);
	}
	ck_assert_int_eq(iterator_next(it, &entry), 0);
	ck_assert_int_eq(iterator_next(it, &entry), 0);
	iterator_close(it);
}

static void check_reverse(struct sstable *t, const struct entries *e)
{
	struct iterator *it;
	struct deletion in_force;
	struct entry entry;
	size_t i;

	ck_assert_int_eq(sstable_iterate(&it, t, true, false), 0);
	ck_assert_int_eq(iterator_seek(it, BYTES_EMPTY, &in_force), 0);
	ck_assert(deletion_is_none(in_force));
	for (i = e->count; i--;) {
		ck_assert_int_eq(iterator_next(it, &entry), 1);
		entries_assert_equal(&entry, &e->entries[i]);
	}
	ck_assert_int_eq(iterator_next(it, &entry), 0);
	iterator_close(it);
}

/* Seek, and make a few steps from there. */
static void check_seek(struct iterator *it, bool reverse, struct bytes key,
		       const struct entries *e)
{
	size_t at = key.len ? entries_find(e, key) : reverse ? e->count : 0;
	struct deletion in_force, expected = entries_in_force(e, at);
	struct entry entry;
	int steps;

	ck_assert_int_eq(iterator_seek(it, key, &in_force), 0);
	ck_assert_int_eq(in_force.timestamp, expected.timestamp);
	ck_assert_int_eq(in_force.local_time, expected.local_time);
	for (steps = 0; steps < 12; steps++) {
		if (reverse ? at == 0 : at == e->count) {
			ck_assert_int_eq(iterator_next(it, &entry), 0);
			return;
		}
		ck_assert_int_eq(iterator_next(it, &entry), 1);
		entries_assert_equal(&entry, &e->entries[reverse ? --at :
								   at++]);
	}
}

/* A key that is there, or a bit of a neighbour of one. */
static void near_key(struct buf *key, struct random *rng,
		     const struct entries *e)
{
	buf_clear(key);
	buf_add_bytes(key, e->entries[random_below(rng,
						   (uint32_t)e->count)].key);
	switch (random_below(rng, 5)) {
	case 0:
		key->len = 1 + random_below(rng, (uint32_t)key->len);
		break;
	case 1:
		key->ptr[random_below(rng, (uint32_t)key->len)] ^=
			(uint8_t)(1 << random_below(rng, 8));
		break;
	case 2:
		buf_add_byte(key, (uint8_t)random_next(rng));
		break;
	}
}

static void check_lookup(struct sstable *t, struct bytes key,
			 const struct entries *e)
{
	size_t at = entries_find(e, key);
	bool here = at < e->count && bytes_equal(e->entries[at].key, key);
	struct deletion in_force, expected;
	struct arena arena = ARENA_INIT;
	struct bytes row;

	expected = entries_in_force(e, at + (here && e->entries[at].kind ==
							     ENTRY_BOUND));
	ck_assert_int_eq(sstable_lookup(t, key, &arena, &row, &in_force),
			 here && e->entries[at].kind == ENTRY_ROW);
	ck_assert_int_eq(in_force.timestamp, expected.timestamp);
	if (here && e->entries[at].kind == ENTRY_ROW) {
		size_t len = key_partition_len(key);

		ck_assert(bytes_equal(row, e->entries[at].row));
		ck_assert(sstable_may_contain_row(t, sstable_key_hash(key)));
		ck_assert(sstable_may_contain_partition(t,
				sstable_key_hash(bytes_of(key.ptr, len))));
	}
	arena_release(&arena);
}

static const struct {
	struct entries_shape shape;
	struct sstable_options options;
} plans[] = {
	{ { 1, 1, 10, false, false }, { .block_size = 64 } },
	{ { 1, 400, 20, true, false }, { .block_size = 256,
					 .compression = COMPRESSION_LZ4 } },
	{ { 30, 10, 40, true, false }, { .block_size = 64 } },
	{ { 300, 1, 30, false, false }, { .compression = COMPRESSION_LZ4,
					  .filter_bits = 4,
					  .expected_rows = 4000,
					  .expected_partitions = 100000 } },
	{ { 3, 300, 9, true, false }, { .block_size = 4096, .expected_rows = 1 } },
	{ { 20, 20, 9000, true, false }, { .compression = COMPRESSION_LZ4 } },
	{ { 200, 12, 0, true, false }, { .block_size = 1 } },
	{ { 30, 40, 40, true, false }, { .compression = { BLOCK_ZSTD, 3 } } },
	{ { 30, 40, 40, true, false }, { .compression = { BLOCK_DEFLATE, 6 } } },
};

START_TEST(random_entries_come_back)	/* _i: plan and seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct buf key = BUF_INIT;
	struct iterator *forward, *reverse;
	struct sstable_info info;
	struct sstable *t;
	struct entries e;
	size_t plan = (size_t)_i % ARRAY_SIZE(plans);
	int i;

	entries_make(&e, &rng, &plans[plan].shape);
	ck_assert_int_eq(write_entries(&file_system, 7, &e,
				       &plans[plan].options, &info), 0);
	t = opened(7);
	ck_assert_uint_eq(info.size, sstable_info(t)->size);
	ck_assert_uint_eq(info.checksum, sstable_info(t)->checksum);
	ck_assert_uint_eq(info.row_count, sstable_info(t)->row_count);
	ck_assert_int_eq(info.last_token, sstable_info(t)->last_token);
	ck_assert(bytes_equal(sstable_first_key(t), e.entries[0].key));
	ck_assert(bytes_equal(sstable_last_key(t),
			      e.entries[e.count - 1].key));
	ck_assert_int_eq(sstable_verify(t), 0);
	check_forward(t, &e);
	check_reverse(t, &e);
	ck_assert_int_eq(sstable_iterate(&forward, t, false, false), 0);
	ck_assert_int_eq(sstable_iterate(&reverse, t, true, false), 0);
	for (i = 0; i < 300; i++) {
		near_key(&key, &rng, &e);
		check_seek(forward, false, buf_bytes(&key), &e);
		check_seek(reverse, true, buf_bytes(&key), &e);
		check_lookup(t, buf_bytes(&key), &e);
	}
	check_seek(forward, false, BYTES_EMPTY, &e);
	check_seek(reverse, true, BYTES_EMPTY, &e);
	buf_release(&key);
	sstable_put(t);			/* the iterators hold it open */
	check_seek(forward, false, e.entries[0].key, &e);
	iterator_close(forward);
	iterator_close(reverse);
	entries_free(&e);
}
END_TEST

START_TEST(info_counts_what_is_there)
{
	struct random rng = random_seeded(5);
	struct entries_shape shape = { 40, 12, 20, true, false };
	struct sstable_options options = { .compression = COMPRESSION_LZ4 };
	struct sstable_info info;
	uint64_t rows = 0, bounds = 0;
	struct sstable *t;
	struct entries e;
	size_t i;

	entries_make(&e, &rng, &shape);
	for (i = 0; i < e.count; i++) {
		rows += e.entries[i].kind == ENTRY_ROW;
		bounds += e.entries[i].kind == ENTRY_BOUND &&
			  !deletion_is_none(e.entries[i].after);
	}
	ck_assert_int_eq(write_entries(&file_system, 1, &e, &options, &info),
			 0);
	ck_assert_uint_eq(info.row_count, rows);
	ck_assert_uint_ge(info.tombstone_count, bounds);
	ck_assert_uint_le(info.partition_count, 40);
	ck_assert(info.has_bounds && info.has_permanent);
	ck_assert_int_ge(info.min_timestamp, 900);
	ck_assert_int_lt(info.max_timestamp, 1100);
	ck_assert_int_lt(info.max_local_time, 1100);
	ck_assert_int_eq(info.first_token,
			 (int64_t)(get_be64(e.entries[0].key.ptr) ^
				   (uint64_t)1 << 63));
	t = opened(1);
	ck_assert(sstable_droppable(t, 0) < 0.001);
	ck_assert(sstable_droppable(t, 500) > 0.01);
	ck_assert(sstable_droppable(t, 500) < sstable_droppable(t, 2000));
	ck_assert(sstable_droppable(t, INT64_MAX) <= 1);
	sstable_put(t);
	entries_free(&e);
}
END_TEST

/* Write file 1 with random entries of this shape and return its bytes. */
static struct buf some_file(uint64_t seed, const struct entries_shape *shape,
			    const struct sstable_options *options,
			    struct sstable_info *info)
{
	struct random rng = random_seeded(seed);
	struct buf file = BUF_INIT;
	struct entries e;

	entries_make(&e, &rng, shape);
	ck_assert_int_eq(write_entries(&file_system, 1, &e, options, info), 0);
	scratch_read(&s, "000000000001.sst", &file);
	ck_assert_uint_eq(file.len, info->size);
	entries_free(&e);
	return file;
}

static const struct entries_shape small = { 3, 5, 30, true, false };

/* A flipped bit must make some read fail; no read may return other data. */
static void check_damaged(uint64_t number)
{
	struct sstable *t;
	int err = sstable_open(&t, &file_system, s.dir, number, NULL);

	if (!err) {
		err = sstable_verify(t);
		sstable_put(t);
	}
	ck_assert_int_lt(err, 0);
}

START_TEST(no_flipped_bit_goes_unnoticed)	/* _i: how compressed */
{
	struct entries_shape shape = { 6, 6, 30, true, false };
	struct sstable_options options = { .block_size = 200,
					   .compression = { (enum block_how)_i,
							    0 } };
	struct sstable_info info;
	struct buf file = some_file(3, &shape, &options, &info);
	size_t i;

	quiet(true);
	for (i = 0; i < file.len; i++) {
		uint8_t mask = (uint8_t)(1 << i % 8);

		file.ptr[i] ^= mask;
		scratch_write(&s, "000000000001.sst", buf_bytes(&file));
		check_damaged(1);
		file.ptr[i] ^= mask;
	}
	scratch_write(&s, "000000000001.sst", buf_bytes(&file));
	sstable_put(opened(1));
	buf_release(&file);
}
END_TEST

START_TEST(a_cut_file_is_refused)
{
	struct sstable_options options = { .block_size = 200 };
	struct sstable_info info;
	struct buf file = some_file(4, &small, &options, &info);
	struct sstable *t;
	size_t len;

	quiet(true);
	for (len = 0; len < file.len; len++) {
		scratch_write(&s, "000000000001.sst",
			      bytes_of(file.ptr, len));
		ck_assert_int_eq(sstable_open(&t, &file_system, s.dir, 1,
					      NULL), -EUCLEAN);
	}
	buf_release(&file);
}
END_TEST

static int count_row(void *context, struct bytes key, const struct row *row)
{
	(void)key;
	(void)row;
	++*(size_t *)context;
	return 0;
}

static int pass_range(void *context, struct bytes from, struct bytes to,
		      struct deletion deletion)
{
	(void)context;
	(void)from;
	(void)to;
	(void)deletion;
	return 0;
}

static int pass_lost(void *context, uint64_t begin, uint64_t end,
		     struct bytes before, struct bytes behind, const char *why)
{
	(void)context;
	(void)begin;
	(void)end;
	(void)before;
	(void)behind;
	(void)why;
	return 0;
}

/* Write the file anew; the table that it names and the rows that a salvage
 * finds must be these. */
static void check_table(const struct buf *file, uint32_t table, size_t rows)
{
	size_t found = 0;
	const struct sstable_salvage calls = { count_row, pass_range,
					       pass_lost, &found };
	uint32_t says;

	scratch_write(&s, "000000000001.sst", buf_bytes(file));
	ck_assert_int_eq(sstable_salvage_table(&file_system, s.dir, 1, &says),
			 0);
	ck_assert_uint_eq(says, table);
	ck_assert_int_eq(sstable_salvage(&file_system, s.dir, 1, NULL, &calls),
			 0);
	ck_assert_uint_eq(found, rows);
}

/* Header and footer name the table, and blocks are of no other. */
START_TEST(a_damaged_file_knows_its_table)	/* _i: how compressed */
{
	struct entries_shape shape = { 6, 6, 30, false, false };
	struct sstable_options options = {
		.table = 77, .block_size = 200,
		.compression = { (enum block_how)_i, 0 },
	};
	struct sstable_info info;
	struct buf file = some_file(5, &shape, &options, &info);
	struct sstable *t = opened(1);
	uint32_t says;

	ck_assert_uint_eq(sstable_table(t), 77);
	sstable_put(t);
	quiet(true);
	check_table(&file, 77, info.row_count);
	file.ptr[12] ^= 1;		/* the footer knows better */
	check_table(&file, 77, info.row_count);
	file.ptr[12] ^= 1;
	file.len -= 10;			/* the footer is gone */
	check_table(&file, 77, info.row_count);
	file.ptr[12] ^= 1;
	check_table(&file, 76, 0);
	file.ptr[0] ^= 1;
	scratch_write(&s, "000000000001.sst", buf_bytes(&file));
	ck_assert_int_eq(sstable_salvage_table(&file_system, s.dir, 1, &says),
			 -EUCLEAN);
	ck_assert_uint_eq(says, 0);
	buf_release(&file);
}
END_TEST

START_TEST(another_file_or_version_is_refused)
{
	struct sstable_options options = { .block_size = 200 };
	struct sstable_info info;
	struct buf file = some_file(4, &small, &options, &info);
	struct sstable *t;

	quiet(true);
	scratch_write(&s, "000000000002.sst", buf_bytes(&file));
	ck_assert_int_eq(sstable_open(&t, &file_system, s.dir, 2, NULL),
			 -EUCLEAN);
	put_le32(file.ptr + file.len - 20, 200);
	scratch_write(&s, "000000000001.sst", buf_bytes(&file));
	ck_assert_int_eq(sstable_open(&t, &file_system, s.dir, 1, NULL),
			 -EUCLEAN);
	put_le64(file.ptr + file.len - 16,
		 XXH3_64bits(file.ptr + file.len - 120, 104));
	scratch_write(&s, "000000000001.sst", buf_bytes(&file));
	ck_assert_int_eq(sstable_open(&t, &file_system, s.dir, 1, NULL),
			 -EPROTONOSUPPORT);
	buf_release(&file);
}
END_TEST

START_TEST(a_block_of_another_file_is_noticed)
{
	struct random rng = random_seeded(4);
	struct sstable_options options = { .block_size = 1 << 20 };
	struct buf one = BUF_INIT, two = BUF_INIT;
	struct sstable_info info;
	struct entries e;
	uint64_t end_of_blocks;

	/* The same entries twice: only the identities differ. */
	entries_make(&e, &rng, &small);
	ck_assert_int_eq(write_entries(&file_system, 1, &e, &options, &info),
			 0);
	ck_assert_int_eq(write_entries(&file_system, 2, &e, &options, &info),
			 0);
	scratch_read(&s, "000000000001.sst", &one);
	scratch_read(&s, "000000000002.sst", &two);
	ck_assert_uint_eq(one.len, two.len);
	end_of_blocks = get_le64(one.ptr + one.len - 120 + 16);
	memcpy(one.ptr + 32, two.ptr + 32, end_of_blocks - 32);
	scratch_write(&s, "000000000001.sst", buf_bytes(&one));
	quiet(true);
	check_damaged(1);
	buf_release(&one);
	buf_release(&two);
	entries_free(&e);
}
END_TEST

/* A program of version 2 opens all that it can read. */
START_TEST(versions_are_those_that_are_needed)	/* _i: how compressed */
{
	struct sstable_options options = {
		.compression = { (enum block_how)_i, 0 },
	};
	struct sstable_info info;
	struct buf file = some_file(4, &small, &options, &info);
	uint32_t version = _i > BLOCK_LZ4 ? 3 : 2;

	ck_assert_uint_eq(get_le32(file.ptr + 8), version);
	ck_assert_uint_eq(get_le32(file.ptr + file.len - 20), version);
	buf_release(&file);
}
END_TEST

START_TEST(wrong_orders_are_refused)
{
	struct random rng = random_seeded(9);
	struct entries_shape shape = { 3, 5, 30, false, false };
	struct sstable_options options = { .block_size = 200 };
	struct deletion d = { 5, 5 };
	struct sstable_writer *w;
	struct sstable_info info;
	struct entries e;

	entries_make(&e, &rng, &shape);
	ck_assert_int_eq(sstable_writer_create(&w, &file_system, s.dir, 1,
					       &options), 0);
	ck_assert_int_eq(sstable_writer_finish(w, &info), -EINVAL);
	sstable_writer_close(w);
	ck_assert_int_eq(sstable_writer_create(&w, &file_system, s.dir, 1,
					       &options), 0);
	ck_assert_int_eq(sstable_writer_add(w, &e.entries[1]), 0);
	ck_assert_int_eq(sstable_writer_add(w, &e.entries[1]), -EINVAL);
	ck_assert_int_eq(sstable_writer_add(w, &e.entries[2]), -EINVAL);
	sstable_writer_close(w);
	ck_assert_int_eq(sstable_writer_create(&w, &file_system, s.dir, 1,
					       &options), 0);
	e.entries[0].kind = ENTRY_BOUND;
	e.entries[0].after = d;
	ck_assert_int_eq(sstable_writer_add(w, &e.entries[0]), 0);
	/* A deletion may not reach into the next partition, nor the end. */
	ck_assert_int_eq(sstable_writer_add(w, &e.entries[e.count - 1]),
			 -EINVAL);
	ck_assert_int_eq(sstable_writer_finish(w, &info), -EINVAL);
	sstable_writer_close(w);
	ck_assert_uint_eq(scratch_count(&s), 0);
	entries_free(&e);
}
END_TEST

START_TEST(a_failing_disk_leaves_no_file)
{
	struct random rng = random_seeded(11);
	struct entries_shape shape = { 5, 50, 9000, true, false };
	struct sstable_options options = { .compression = COMPRESSION_LZ4 };
	struct sstable_info info;
	struct faulty f;
	struct entries e;
	int err;

	entries_make(&e, &rng, &shape);
	faulty_init(&f);
	f.err = -ENOSPC;
	for (f.fail_at = 1;; f.fail_at++) {
		f.calls = 0;
		err = write_entries(&f.ops, 1, &e, &options, &info);
		if (!err)
			break;
		ck_assert_int_eq(err, -ENOSPC);
		ck_assert_uint_eq(scratch_count(&s), 0);
	}
	ck_assert_int_gt(f.fail_at, 6);
	entries_free(&e);
}
END_TEST

START_TEST(without_memory_nothing_breaks)
{
	struct random rng = random_seeded(12);
	struct entries_shape shape = { 6, 20, 200, true, false };
	struct sstable_options options = { .block_size = 512,
					   .compression = COMPRESSION_LZ4 };
	struct sstable_info info;
	struct sstable *t;
	struct entries e;
	long nth;
	int err = -ENOMEM;

	entries_make(&e, &rng, &shape);
	for (nth = 1; err; nth++) {
		mem_fail_at(nth, false);
		err = write_entries(&file_system, 1, &e, &options, &info);
		mem_fail_at(0, false);
		ck_assert(!err || err == -ENOMEM);
	}
	/* Without memory to compress, a block is stored as it is: no
	 * failure. */
	ck_assert_int_gt(nth, 10);
	for (nth = 1, err = -ENOMEM; err; nth++) {
		mem_fail_at(nth, false);
		err = sstable_open(&t, &file_system, s.dir, 1, cache);
		if (!err) {
			err = sstable_verify(t);
			sstable_put(t);
		}
		mem_fail_at(0, false);
		ck_assert(!err || err == -ENOMEM);
	}
	ck_assert_int_gt(nth, 20);
	entries_free(&e);
}
END_TEST

START_TEST(a_large_row_has_a_block_of_its_own)	/* _i: compressible? */
{
	struct arena arena = ARENA_INIT;
	struct sstable_options options = { .compression = COMPRESSION_LZ4 };
	struct buf key = BUF_INIT, row = BUF_INIT;
	struct bytes back;
	struct random rng = random_seeded(6);
	size_t size = (size_t)3 << 20, at;
	uint8_t *value = mem_alloc(size);
	struct cell cell = { .column = 1, .timestamp = 5,
			     .local_time = NO_TIME };
	struct row r = { MARKER_NONE, DELETION_NONE, 1, &cell };
	struct entry entry = { .kind = ENTRY_ROW };
	struct deletion in_force;
	struct sstable_writer *w;
	struct sstable_info info;
	struct sstable *t;
	uint8_t i;

	for (at = 0; at < size; at++)
		value[at] = _i ? 7 : (uint8_t)random_next(&rng);
	ck_assert_int_eq(sstable_writer_create(&w, &file_system, s.dir, 1,
					       &options), 0);
	for (i = 0; i < 3; i++) {
		buf_clear(&key);
		buf_clear(&row);
		key_add_partition(&key, i, bytes_str("x"));
		buf_add_byte(&key, KEY_STATIC);
		cell.value = bytes_of(value, i == 1 ? size : 10);
		row_encode(&row, &r);
		entry.key = buf_bytes(&key);
		entry.row = buf_bytes(&row);
		ck_assert_int_eq(sstable_writer_add(w, &entry), 0);
	}
	ck_assert_int_eq(sstable_writer_finish(w, &info), 0);
	sstable_writer_close(w);
	ck_assert((info.size > size) == !_i);
	t = opened(1);
	ck_assert_int_eq(sstable_lookup(t, entry.key, &arena, &back, &in_force),
			 1);
	ck_assert(bytes_equal(back, entry.row));
	key.ptr[7] = 1;		/* the token of the one before */
	ck_assert_int_eq(sstable_lookup(t, buf_bytes(&key), &arena, &back,
					&in_force), 1);
	ck_assert_uint_gt(back.len, size);
	ck_assert_int_eq(row_decode(&r, &arena, back), 0);
	ck_assert(r.cells[0].value.len == size &&
		  !memcmp(r.cells[0].value.ptr, value, size));
	sstable_put(t);
	mem_free(value);
	buf_release(&key);
	buf_release(&row);
	arena_release(&arena);
}
END_TEST

START_TEST(a_dropped_file_goes_with_its_last_reader)
{
	struct random rng = random_seeded(1);
	struct entries_shape shape = { 5, 5, 10, false, false };
	struct sstable_options options = { .compression = { BLOCK_RAW, 0 } };
	struct sstable_info info;
	struct iterator *it;
	struct sstable *t;
	struct entries e;

	entries_make(&e, &rng, &shape);
	ck_assert_int_eq(write_entries(&file_system, 3, &e, &options, &info),
			 0);
	t = opened(3);
	ck_assert_int_eq(sstable_iterate(&it, t, false, false), 0);
	sstable_drop(t);
	sstable_put(t);
	ck_assert_uint_eq(scratch_count(&s), 1);
	check_seek(it, false, e.entries[2].key, &e);
	iterator_close(it);
	ck_assert_uint_eq(scratch_count(&s), 0);
	entries_free(&e);
}
END_TEST

START_TEST(names_and_numbers)
{
	uint64_t number = 0;
	char name[32];

	sstable_name(name, 42);
	ck_assert_str_eq(name, "000000000042.sst");
	ck_assert_int_eq(sstable_name_parse(&number, name), 0);
	ck_assert_uint_eq(number, 42);
	sstable_name(name, UINT64_MAX);
	ck_assert_int_eq(sstable_name_parse(&number, name), 0);
	ck_assert_uint_eq(number, UINT64_MAX);
	ck_assert_int_eq(sstable_name_parse(&number, "42.sst"), -EINVAL);
	ck_assert_int_eq(sstable_name_parse(&number, "0000000000042.sst"),
			 -EINVAL);
	ck_assert_int_eq(sstable_name_parse(&number, "000000000042.sst~"),
			 -EINVAL);
	ck_assert_int_eq(sstable_name_parse(&number, "00000000004x.sst"),
			 -EINVAL);
	ck_assert_int_eq(sstable_name_parse(&number,
			 "99999999999999999999999.sst"), -EINVAL);
}
END_TEST

SUITE(sstable)
{
	TCase *tc = tcase_create("sstable");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, random_entries_come_back, 0, 27);
	tcase_add_test(tc, info_counts_what_is_there);
	tcase_add_loop_test(tc, no_flipped_bit_goes_unnoticed, 0, 4);
	tcase_add_test(tc, a_cut_file_is_refused);
	tcase_add_loop_test(tc, a_damaged_file_knows_its_table, 0, 4);
	tcase_add_test(tc, another_file_or_version_is_refused);
	tcase_add_test(tc, a_block_of_another_file_is_noticed);
	tcase_add_loop_test(tc, versions_are_those_that_are_needed, 0, 4);
	tcase_add_test(tc, wrong_orders_are_refused);
	tcase_add_test(tc, a_failing_disk_leaves_no_file);
	tcase_add_test(tc, without_memory_nothing_breaks);
	tcase_add_loop_test(tc, a_large_row_has_a_block_of_its_own, 0, 2);
	tcase_add_test(tc, a_dropped_file_goes_with_its_last_reader);
	tcase_add_test(tc, names_and_numbers);
	suite_add_tcase(suite, tc);
}
