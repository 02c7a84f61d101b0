/* The manifest: edits last, all or nothing, and damage is no torn tail. */
#include <errno.h>
#include <stdio.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/lsm/manifest_file.h"
#include "store/sstable/stats.h"
#include "tests/lib/random.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define FIRST "MANIFEST-000000000001"

static struct scratch s;

static void begin(void)
{
	scratch_open(&s);
}

static void end(void)
{
	quiet(false);
	scratch_close(&s);
}

static struct manifest *opened(void)
{
	struct manifest *m;

	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false), 0);
	return m;
}

static struct sstable_info info_of(uint64_t number)
{
	struct sstable_info info = {
		.number = number, .size = number * 100, .checksum = ~number,
		.row_count = 5, .cell_count = 6, .tombstone_count = 1,
		.partition_count = 2, .min_timestamp = -7, .max_timestamp = 9,
		.min_local_time = INT64_MAX, .max_local_time = INT64_MIN,
		.has_permanent = true, .first_token = INT64_MIN,
		.last_token = 77, .raw_size = 1000,
		.largest_partition_rows = 3, .created = 1700000000,
	};

	return info;
}

/* Add one sstable to the table, as a flush does. */
static int add_one(struct manifest *m, uint32_t table, uint32_t level,
		   uint64_t *number)
{
	struct manifest_edit e = MANIFEST_EDIT_INIT;
	struct sstable_info info;
	int err;

	*number = manifest_next_number(m);
	info = info_of(*number);
	manifest_edit_add(&e, table, level, &info);
	manifest_edit_mark(&e, table, *number * 10);
	err = manifest_apply(m, &e);
	manifest_edit_release(&e);
	return err;
}

static bool info_equal(const struct sstable_info *a,
		       const struct sstable_info *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;
	bool same;

	sstable_info_write(&x, a);
	sstable_info_write(&y, b);
	same = bytes_equal(buf_bytes(&x), buf_bytes(&y)) &&
	       a->size == b->size && a->checksum == b->checksum;
	buf_release(&x);
	buf_release(&y);
	return same;
}

static void check_file(struct manifest *m, size_t i, uint32_t table,
		       uint32_t level, uint64_t number)
{
	struct sstable_info info = info_of(number);
	struct manifest_file *files;
	size_t count;

	ck_assert_int_eq(manifest_files(m, &files, &count), 0);
	ck_assert_uint_lt(i, count);
	ck_assert_uint_eq(files[i].table, table);
	ck_assert_uint_eq(files[i].level, level);
	ck_assert(info_equal(&files[i].info, &info));
	mem_free(files);
}

static size_t file_count(struct manifest *m)
{
	struct manifest_file *files;
	size_t count;

	ck_assert_int_eq(manifest_files(m, &files, &count), 0);
	mem_free(files);
	return count;
}

START_TEST(edits_are_there_after_opening_again)
{
	struct manifest *m = opened();
	struct manifest_edit e = MANIFEST_EDIT_INIT;
	struct buf value = BUF_INIT;
	uint64_t a, b, c;
	int round;

	ck_assert_int_eq(add_one(m, 9, 0, &a), 0);
	ck_assert_int_eq(add_one(m, 4, 2, &b), 0);
	ck_assert_int_eq(add_one(m, 9, 1, &c), 0);
	manifest_edit_drop(&e, 9, a);
	manifest_edit_log(&e, 55);
	manifest_edit_property(&e, "counter", bytes_str("12"));
	manifest_edit_property(&e, "empty", BYTES_EMPTY);
	manifest_edit_property(&e, "gone", bytes_str("x"));
	manifest_edit_property(&e, "gone", BYTES_NULL);
	ck_assert_int_eq(manifest_apply(m, &e), 0);
	manifest_edit_release(&e);
	for (round = 0; round < 3; round++) {
		ck_assert_uint_eq(file_count(m), 2);
		check_file(m, 0, 4, 2, b);
		check_file(m, 1, 9, 1, c);
		ck_assert(!manifest_has_file(m, a) && manifest_has_file(m, c));
		ck_assert_uint_eq(manifest_mark(m, 9), c * 10);
		ck_assert_uint_eq(manifest_mark(m, 4), b * 10);
		ck_assert_uint_eq(manifest_mark(m, 5), 0);
		ck_assert_uint_eq(manifest_log(m), 55);
		buf_clear(&value);
		ck_assert_int_eq(manifest_property(m, "counter", &value), 0);
		ck_assert_int_eq(manifest_property(m, "empty", &value), 0);
		ck_assert_str_eq(buf_cstr(&value), "12");
		ck_assert_int_eq(manifest_property(m, "gone", &value), -ENOENT);
		manifest_close(m);
		m = opened();
	}
	ck_assert_uint_gt(manifest_next_number(m), c);
	manifest_close(m);
	buf_release(&value);
}
END_TEST

START_TEST(a_dropped_table_stays_dead)
{
	struct manifest *m = opened();
	struct manifest_edit e = MANIFEST_EDIT_INIT;
	struct manifest_table *tables;
	uint64_t a, b, c, d;
	size_t count;

	ck_assert_int_eq(add_one(m, 1, 0, &a), 0);
	ck_assert_int_eq(add_one(m, 2, 0, &b), 0);
	ck_assert_int_eq(add_one(m, 3, 0, &c), 0);
	manifest_edit_drop_table(&e, 2, 1000);
	manifest_edit_drop_files(&e, 3);	/* truncate */
	manifest_edit_mark(&e, 3, 1000);
	ck_assert_int_eq(manifest_apply(m, &e), 0);
	manifest_close(m);
	m = opened();
	ck_assert_uint_eq(file_count(m), 1);
	ck_assert_uint_eq(manifest_mark(m, 2), UINT64_MAX);
	ck_assert_uint_eq(manifest_mark(m, 3), 1000);
	/* A flush that was on its way comes too late for 2, not for 3. */
	ck_assert_int_eq(add_one(m, 2, 0, &d), -ESTALE);
	ck_assert_int_eq(add_one(m, 3, 0, &d), 0);
	ck_assert_uint_eq(manifest_mark(m, 3), 1000);
	/* Also a compaction of truncated files. */
	buf_clear(&e.steps);
	manifest_edit_drop(&e, 3, c);
	ck_assert_int_eq(manifest_apply(m, &e), -ESTALE);
	ck_assert_uint_eq(file_count(m), 2);
	/* It is not needed any more when the log begins after it. */
	buf_clear(&e.steps);
	manifest_edit_log(&e, 1000);
	ck_assert_int_eq(manifest_apply(m, &e), 0);
	ck_assert_int_eq(manifest_tables(m, &tables, &count), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(tables[0].table, 1);
	ck_assert_uint_eq(tables[1].table, 3);
	mem_free(tables);
	manifest_edit_release(&e);
	manifest_close(m);
}
END_TEST

START_TEST(a_refused_edit_changes_nothing)
{
	struct manifest *m = opened();
	struct manifest_edit e = MANIFEST_EDIT_INIT;
	struct sstable_info info;
	uint64_t a;

	ck_assert_int_eq(add_one(m, 1, 0, &a), 0);
	info = info_of(a);
	manifest_edit_drop(&e, 1, a);
	manifest_edit_property(&e, "p", bytes_str("x"));
	manifest_edit_drop(&e, 1, a);
	ck_assert_int_eq(manifest_apply(m, &e), -ESTALE);
	ck_assert_uint_eq(file_count(m), 1);
	buf_clear(&e.steps);
	manifest_edit_add(&e, 1, 0, &info);	/* twice */
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	buf_clear(&e.steps);
	info.size++;				/* another file */
	manifest_edit_add(&e, 2, 0, &info);
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	buf_clear(&e.steps);
	info.number = 1000;			/* never given out */
	manifest_edit_add(&e, 2, 0, &info);
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	manifest_close(m);
	m = opened();
	ck_assert_uint_eq(file_count(m), 1);
	check_file(m, 0, 1, 0, a);
	manifest_close(m);
	manifest_edit_release(&e);
}
END_TEST

/* Three edits; where each record ends. */
static void three_edits(uint64_t ends[3])
{
	struct manifest *m = opened();
	struct buf all = BUF_INIT;
	uint64_t number;
	int i;

	for (i = 0; i < 3; i++) {
		buf_clear(&all);
		ck_assert_int_eq(add_one(m, (uint32_t)i, 0, &number), 0);
		scratch_read(&s, FIRST, &all);
		ends[i] = all.len;
	}
	buf_release(&all);
	manifest_close(m);
}

START_TEST(a_torn_tail_is_dropped)
{
	struct buf all = BUF_INIT;
	struct manifest *m;
	uint64_t ends[3], len, number;

	three_edits(ends);
	scratch_read(&s, FIRST, &all);
	/* Nobody came to say that the last was on disk. */
	put_le64(all.ptr + 32, manifest_end_word(1, ends[1]));
	for (len = ends[1]; len <= all.len; len++) {
		size_t expected = len < ends[2] - 7 ? 2 : 3;

		scratch_write(&s, FIRST, bytes_of(all.ptr, len));
		m = opened();
		if (len < ends[2] - 7 || len >= ends[2])
			ck_assert_uint_eq(file_count(m), expected);
		expected = file_count(m) + 1;
		ck_assert_int_eq(add_one(m, 9, 0, &number), 0);
		manifest_close(m);
		m = opened();
		ck_assert_uint_eq(file_count(m), expected);
		manifest_close(m);
	}
	/* Zeros, as a filesystem leaves them after a power cut. */
	memset(all.ptr + ends[1], 0, all.len - ends[1]);
	scratch_write(&s, FIRST, buf_bytes(&all));
	m = opened();
	ck_assert_uint_eq(file_count(m), 2);
	manifest_close(m);
	buf_release(&all);
}
END_TEST

START_TEST(damage_is_no_torn_tail)
{
	struct buf all = BUF_INIT;
	struct manifest *m;
	uint64_t ends[3], i;
	int err;

	three_edits(ends);
	scratch_read(&s, FIRST, &all);
	quiet(true);
	for (i = 0; i < all.len; i++) {
		all.ptr[i] ^= 0x10;
		scratch_write(&s, FIRST, buf_bytes(&all));
		err = manifest_open(&m, &file_system, s.dir, true);
		if (!err) {	/* padding, or the end itself */
			ck_assert_uint_eq(file_count(m), 3);
			manifest_close(m);
		} else {
			ck_assert_int_eq(err, -EUCLEAN);
		}
		all.ptr[i] ^= 0x10;
	}
	/* The file may not be shorter either: its end says what was durable. */
	for (i = 0; i < ends[2]; i++) {
		scratch_write(&s, FIRST, bytes_of(all.ptr, i));
		err = manifest_open(&m, &file_system, s.dir, true);
		if (!err) {	/* less padding */
			ck_assert_uint_gt(i, ends[2] - 8);
			ck_assert_uint_eq(file_count(m), 3);
			manifest_close(m);
		} else {
			ck_assert_int_eq(err, -EUCLEAN);
		}
	}
	buf_release(&all);
}
END_TEST

START_TEST(a_newer_version_is_told_apart)
{
	struct buf all = BUF_INIT;
	struct manifest *m = opened();

	manifest_close(m);
	scratch_read(&s, FIRST, &all);
	put_le32(all.ptr + 8, 200);
	scratch_write(&s, FIRST, buf_bytes(&all));
	quiet(true);
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false),
			 -EUCLEAN);
	put_le64(all.ptr + 24, XXH3_64bits(all.ptr, 24));
	scratch_write(&s, FIRST, buf_bytes(&all));
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false),
			 -EPROTONOSUPPORT);
	buf_release(&all);
}
END_TEST

START_TEST(a_missing_current_is_no_new_store)
{
	struct manifest *m;
	uint64_t number;

	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, true), -ENOENT);
	ck_assert_uint_eq(scratch_count(&s), 0);
	m = opened();
	ck_assert_int_eq(add_one(m, 1, 0, &number), 0);
	manifest_close(m);
	quiet(true);
	scratch_write(&s, "000000000001.sst", BYTES_EMPTY);
	ck_assert_int_eq(unlinkat(s.dir, "CURRENT", 0), 0);
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false),
			 -EUCLEAN);
	scratch_write(&s, "CURRENT", bytes_str("MANIFEST-000000000002\n"));
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false),
			 -EUCLEAN);
	scratch_write(&s, "CURRENT", bytes_str("../MANIFEST-000000000001\n"));
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false),
			 -EUCLEAN);
	scratch_write(&s, "CURRENT", bytes_str(FIRST));
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false),
			 -EUCLEAN);
	scratch_write(&s, "CURRENT", bytes_str(FIRST "\n"));
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false), 0);
	manifest_close(m);
}
END_TEST

/* It is reported by its name, and nothing is changed. */
static void refused_current(struct bytes contents)
{
	struct buf now = BUF_INIT;
	size_t count = scratch_count(&s);
	struct manifest *m;

	scratch_write(&s, "CURRENT", contents);
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, false),
			 -EUCLEAN);
	ck_assert_ptr_nonnull(strstr(log_corrupt_last(), "CURRENT"));
	ck_assert_uint_eq(scratch_count(&s), count);
	scratch_read(&s, "CURRENT", &now);
	ck_assert(bytes_equal(buf_bytes(&now), contents));
	buf_release(&now);
}

START_TEST(a_damaged_current_is_told)
{
	static const char right[] = FIRST "\n";
	const size_t len = sizeof(right) - 1;
	char wrong[200];
	struct manifest *m = opened();
	uint64_t number;
	int states = 0;
	size_t i;

	ck_assert_int_eq(add_one(m, 1, 0, &number), 0);
	manifest_close(m);
	quiet(true);
	for (i = 0; i < len; i++, states++)
		refused_current(bytes_of(right, i));
	for (i = 0; i < len * 255; i++, states++) {
		memcpy(wrong, right, len);
		wrong[i / 255] = (char)(wrong[i / 255] ^ (char)(i % 255 + 1));
		refused_current(bytes_of(wrong, len));
	}
	memset(wrong, 0, sizeof(wrong));
	memcpy(wrong, right, len);
	for (i = len + 1; i < sizeof(wrong); i++, states++)
		refused_current(bytes_of(wrong, i));	/* zeros follow */
	ck_assert_int_gt(states, 5000);
	scratch_write(&s, "CURRENT", bytes_of(right, len));
	m = opened();
	manifest_close(m);
}
END_TEST

/* Edits of 100 KB until the log of edits was rewritten. */
START_TEST(a_long_log_is_rewritten)
{
	struct manifest *m = opened();
	struct manifest_edit e = MANIFEST_EDIT_INIT;
	struct buf value = BUF_INIT;
	uint64_t number;
	char name[32];
	int i;

	ck_assert_int_eq(add_one(m, 1, 3, &number), 0);
	for (i = 0; i < 100000; i++)
		buf_add_byte(&value, (uint8_t)i);
	manifest_edit_property(&e, "large", buf_bytes(&value));
	for (i = 0; i < 45; i++)
		ck_assert_int_eq(manifest_apply(m, &e), 0);
	manifest_name(m, name);
	ck_assert_str_eq(name, "MANIFEST-000000000002");
	ck_assert_uint_eq(scratch_count(&s), 2);
	manifest_close(m);
	m = opened();
	check_file(m, 0, 1, 3, number);
	buf_clear(&value);
	ck_assert_int_eq(manifest_property(m, "large", &value), 0);
	ck_assert_uint_eq(value.len, 100000);
	manifest_close(m);
	buf_release(&value);
	manifest_edit_release(&e);
}
END_TEST

/* After any failed call the acknowledged edits are there. */
static void check_failing(int fail_with, bool for_good)
{
	struct buf value = BUF_INIT;
	struct manifest_edit large = MANIFEST_EDIT_INIT;
	struct faulty f;
	long nth;

	while (value.len < 2100000)
		buf_add_str(&value, "some text of no meaning at all, ");
	manifest_edit_property(&large, "large", buf_bytes(&value));
	for (nth = 1; nth < 60; nth++) {
		uint64_t good = 0, number;
		struct manifest *m;
		int err, i;

		faulty_init(&f);
		f.fail_at = nth;
		f.err = fail_with;
		f.for_good = for_good;
		err = manifest_open(&m, &f.ops, s.dir, false);
		for (i = 0; !err && i < 3; i++) {
			err = add_one(m, 1, 0, &number);
			good += !err;
			manifest_apply(m, &large);
			if (err == -ENOSPC)
				err = 0;
		}
		if (!err || i)
			manifest_close(m);
		m = opened();
		ck_assert_uint_ge(file_count(m), good);
		ck_assert_int_eq(manifest_make_durable(m), 0);
		manifest_close(m);
		ck_assert_uint_eq(scratch_count(&s), 2);
		scratch_close(&s);
		scratch_open(&s);
	}
	buf_release(&value);
	manifest_edit_release(&large);
}

START_TEST(acknowledged_edits_survive)
{
	check_failing(_i & 1 ? -EIO : -ENOSPC, _i & 2);
}
END_TEST

START_TEST(after_a_failed_sync_nothing_is_written)
{
	struct faulty f;
	struct manifest *m;
	uint64_t number;
	long calls;

	faulty_init(&f);
	ck_assert_int_eq(manifest_open(&m, &f.ops, s.dir, false), 0);
	f.fail_at = f.calls + 2;	/* write, then sync */
	ck_assert_int_eq(add_one(m, 1, 0, &number), -EIO);
	calls = f.calls;
	ck_assert_int_eq(add_one(m, 1, 0, &number), -EIO);
	ck_assert_int_eq(f.calls, calls);
	ck_assert_uint_eq(file_count(m), 0);
	manifest_close(m);
}
END_TEST

START_TEST(without_memory_nothing_breaks)
{
	struct manifest *m = opened();
	uint64_t number;
	long nth;
	int err = -ENOMEM;

	for (nth = 1; err; nth++) {
		mem_fail_at(nth, false);
		err = add_one(m, 1, 0, &number);
		mem_fail_at(0, false);
		ck_assert(!err || err == -ENOMEM);
		ck_assert_uint_eq(file_count(m), !err);
	}
	manifest_close(m);
	for (nth = 1, err = -ENOMEM; err; nth++) {
		mem_fail_at(nth, false);
		err = manifest_open(&m, &file_system, s.dir, false);
		mem_fail_at(0, false);
		ck_assert(!err || err == -ENOMEM);
	}
	ck_assert_uint_eq(file_count(m), 1);
	manifest_close(m);
}
END_TEST

START_TEST(the_whole_state_is_a_manifest)
{
	struct manifest *m = opened();
	struct buf all = BUF_INIT;
	uint64_t number;

	ck_assert_int_eq(add_one(m, 1, 3, &number), 0);
	ck_assert_int_eq(add_one(m, 1, 3, &number), 0);
	ck_assert_int_eq(manifest_bytes(m, &all), 0);
	manifest_close(m);
	scratch_write(&s, FIRST, buf_bytes(&all));
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, true), 0);
	ck_assert_uint_eq(file_count(m), 2);
	ck_assert_int_eq(add_one(m, 1, 3, &number), -EROFS);
	manifest_close(m);
	buf_release(&all);
}
END_TEST

/* ---------------------------------------------------------------- snapshots */
#define MOST_FILES 200
#define TABLES 3

/* For each file the tables that have it, live and in each snapshot, as bits. */
struct past {
	struct random rng;
	uint64_t number[MOST_FILES];
	uint8_t live[MOST_FILES];
	size_t file_count;
	struct taken {
		uint64_t number;
		uid_t owner;
		uint8_t tables, had[MOST_FILES];
		bool gone;
	} taken[64];
	size_t taken_count;
};

static void check_taken(struct manifest *m, const struct past *p)
{
	struct manifest_file *files;
	size_t i, j, count, wanted;

	for (i = 0; i < p->taken_count; i++) {
		const struct taken *t = &p->taken[i];
		int err = manifest_snapshot_files(m, t->number, &files, &count);

		ck_assert_int_eq(err, t->gone ? -ENOENT : 0);
		for (j = wanted = 0; j < p->file_count && !t->gone; j++)
			wanted += (size_t)__builtin_popcount(t->had[j]);
		if (t->gone)
			continue;
		ck_assert_uint_eq(count, wanted);
		for (j = 0; j < count; j++) {
			size_t at = 0;

			while (p->number[at] != files[j].info.number)
				at++;
			ck_assert(t->had[at] & 1 << files[j].table);
		}
		mem_free(files);
	}
}

/* Each has the owner that it was given. */
static void check_owners(struct manifest *m, const struct past *p)
{
	struct manifest_snapshot *list;
	size_t count, i;

	ck_assert_int_eq(manifest_snapshots(m, &list, &count), 0);
	for (i = 0; i < count; i++)	/* the number is one more than the place */
		ck_assert_uint_eq(list[i].owner,
				  p->taken[list[i].number - 1].owner);
	mem_free(list);
}

/* An sstable is named as long as anything has it, and held by what alone has
 * it. */
static void check_named(struct manifest *m, const struct past *p)
{
	size_t i, j;

	for (i = 0; i < p->file_count; i++) {
		bool named = p->live[i];

		for (j = 0; j < p->taken_count; j++)
			named |= !p->taken[j].gone && p->taken[j].had[i];
		ck_assert_int_eq(manifest_has_file(m, p->number[i]), named);
	}
	for (j = 0; j < p->taken_count; j++) {
		uint64_t held, wanted = 0;

		if (p->taken[j].gone)
			continue;
		for (i = 0; i < p->file_count; i++) {
			bool alone = p->taken[j].had[i] && !p->live[i];
			size_t k;

			for (k = 0; k < p->taken_count; k++)
				alone &= k == j || p->taken[k].gone ||
					 !p->taken[k].had[i];
			wanted += alone ? info_of(p->number[i]).size : 0;
		}
		ck_assert_int_eq(manifest_snapshot_held(m, p->taken[j].number,
							&held), 0);
		ck_assert_uint_eq(held, wanted);
	}
}

static void take_snapshot(struct manifest_edit *e, struct manifest *m,
			  struct past *p)
{
	struct manifest_snapshot made = {
		.number = manifest_next_snapshot(m), .created_us = -1,
		.owner = random_below(&p->rng, 3) * 200 - 1,	/* or none */
	};
	struct taken *t = &p->taken[p->taken_count++];
	size_t i;

	*t = (struct taken){ made.number, made.owner, .tables = 0xff };
	if (random_below(&p->rng, 2)) {
		made.automatic = true;
		made.table_count = 2;
		made.tables[1] = random_below(&p->rng, TABLES);
		t->tables = (uint8_t)(1 | 1 << made.tables[1]);
	}
	snprintf(made.name, sizeof(made.name), "%d", (int)p->taken_count);
	for (i = 0; i < p->file_count; i++)
		t->had[i] = p->live[i] & t->tables;
	manifest_edit_snapshot(e, &made);
}

/* Add a file, or give one that is named to another table; drop it from one, or
 * move it to another level. */
static void change_file(struct manifest_edit *e, struct manifest *m,
			struct past *p)
{
	uint32_t table = random_below(&p->rng, TABLES);
	size_t at = random_below(&p->rng, (uint32_t)p->file_count + 3);
	struct sstable_info info;

	if (at >= p->file_count) {
		at = p->file_count++;
		p->number[at] = manifest_next_number(m);
		p->live[at] = 0;
	} else if (!manifest_has_file(m, p->number[at])) {
		return;
	}
	info = info_of(p->number[at]);
	if (p->live[at] & 1 << table) {
		manifest_edit_drop(e, table, info.number);
		p->live[at] ^= (uint8_t)(1 << table);
		if (random_below(&p->rng, 2))
			return;
	}
	manifest_edit_add(e, table, random_below(&p->rng, 3), &info);
	p->live[at] |= (uint8_t)(1 << table);
}

START_TEST(snapshots_keep_what_dies)	/* _i: the seed */
{
	struct past *p = mem_zalloc(1, sizeof(*p));
	struct manifest *m = opened();
	struct buf all = BUF_INIT;
	int step;

	p->rng = random_seeded((uint64_t)_i);
	for (step = 0; step < 150; step++) {
		struct manifest_edit e = MANIFEST_EDIT_INIT;
		size_t at = random_below(&p->rng, 64);

		if (at < 5)
			take_snapshot(&e, m, p);
		else if (at < p->taken_count && !p->taken[at].gone) {
			manifest_edit_snapshot_gone(&e, p->taken[at].number);
			p->taken[at].gone = true;
		} else {
			change_file(&e, m, p);
		}
		if (e.steps.len)
			ck_assert_int_eq(manifest_apply(m, &e), 0);
		manifest_edit_release(&e);
		if (step % 10 == 9) {
			manifest_close(m);
			m = opened();
		} else if (step % 25 == 24) {
			buf_clear(&all);
			ck_assert_int_eq(manifest_bytes(m, &all), 0);
			manifest_close(m);
			scratch_write(&s, FIRST, buf_bytes(&all));
			m = opened();
		}
		check_taken(m, p);
		check_owners(m, p);
		check_named(m, p);
	}
	manifest_close(m);
	buf_release(&all);
	mem_free(p);
}
END_TEST

START_TEST(a_snapshot_that_cannot_be_is_damage)
{
	struct manifest_snapshot made = { .number = 1, .name = "a" };
	struct manifest *m = opened();
	struct manifest_edit e = MANIFEST_EDIT_INIT;

	manifest_edit_snapshot(&e, &made);
	manifest_edit_snapshot(&e, &made);	/* the number again */
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	buf_clear(&e.steps);
	memcpy(made.name, "a/b", 4);
	manifest_edit_snapshot(&e, &made);
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	buf_clear(&e.steps);
	made.name[0] = 0;
	manifest_edit_snapshot(&e, &made);
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	buf_clear(&e.steps);
	made.name[0] = 'a';
	manifest_edit_snapshot(&e, &made);
	e.steps.len--;				/* without its owner */
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	buf_add_varint(&e.steps, (uint64_t)UINT32_MAX + 1);
	ck_assert_int_eq(manifest_apply(m, &e), -EINVAL);
	buf_clear(&e.steps);
	manifest_edit_snapshot_gone(&e, 7);
	ck_assert_int_eq(manifest_apply(m, &e), -ESTALE);
	manifest_edit_release(&e);
	manifest_close(m);
}
END_TEST

SUITE(manifest)
{
	TCase *tc = tcase_create("manifest");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, edits_are_there_after_opening_again);
	tcase_add_test(tc, a_dropped_table_stays_dead);
	tcase_add_test(tc, a_refused_edit_changes_nothing);
	tcase_add_test(tc, a_torn_tail_is_dropped);
	tcase_add_test(tc, damage_is_no_torn_tail);
	tcase_add_test(tc, a_newer_version_is_told_apart);
	tcase_add_test(tc, a_missing_current_is_no_new_store);
	tcase_add_test(tc, a_damaged_current_is_told);
	tcase_add_test(tc, a_long_log_is_rewritten);
	tcase_add_loop_test(tc, acknowledged_edits_survive, 0, 4);
	tcase_add_test(tc, after_a_failed_sync_nothing_is_written);
	tcase_add_test(tc, without_memory_nothing_breaks);
	tcase_add_test(tc, the_whole_state_is_a_manifest);
	tcase_add_loop_test(tc, snapshots_keep_what_dies, 0, 8);
	tcase_add_test(tc, a_snapshot_that_cannot_be_is_damage);
	suite_add_tcase(suite, tc);
}
