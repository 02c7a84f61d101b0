/*
 * Recovery within bounds: a log of any length needs no more memory than
 * memtables may have, since what was replayed is flushed. And the tables of the
 * sstables that are found.
 */
#include <errno.h>
#include <fcntl.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/base/murmur3.h"
#include "store/lsm/lsm.h"
#include "store/lsm/manifest.h"
#include "store/row/key.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define BATCHES 80
#define VALUE ((size_t)100 << 10)
#define BUDGET ((size_t)4 << 20)
#define TABLES 2

static void make_key(struct buf *out, uint32_t i)
{
	uint8_t name[4];

	put_le32(name, i);
	buf_clear(out);
	key_add_partition(out, murmur3_token(bytes_of(name, 4)), bytes_of(name, 4));
	buf_add_byte(out, KEY_ROW);
	buf_add_byte(out, KEY_ROW_END);
}

static int open_lsm(struct lsm **out, const struct file_ops *files,
		    size_t budget, bool read_only)
{
	struct lsm_options options = { .no_threads = true, .commit_s = 1000,
				       .memtable_bytes = budget,
				       .read_only = read_only };
	int err = lsm_open(out, files, scratch.dir, &options);

	return err ? err : lsm_start(*out);
}

/* Write batches with one row of each table, without a flush: 16 MB of log. */
static void fill_by(const struct file_ops *files)
{
	struct batch batch = BATCH_INIT;
	struct buf key = BUF_INIT, value = BUF_INIT;
	struct lsm *lsm;
	uint32_t i, table;

	while (value.len < VALUE)
		buf_add_le64(&value, value.len * 0x9e3779b97f4a7c15u);
	ck_assert_int_eq(open_lsm(&lsm, files, 0, false), 0);
	for (i = 0; i < BATCHES; i++) {
		struct cell cell = { .timestamp = i, .local_time = NO_TIME,
				     .value = buf_bytes(&value) };
		struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };

		make_key(&key, i);
		batch_clear(&batch);
		for (table = 1; table <= TABLES; table++)
			batch_add_row(&batch, table, buf_bytes(&key), &row);
		ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), 0);
	}
	ck_assert_int_eq(lsm_close(lsm), 0);
	batch_release(&batch);
	buf_release(&value);
	buf_release(&key);
}

static void fill(void)
{
	fill_by(&file_system);
}

static void check_rows(struct lsm *lsm)
{
	struct arena arena = ARENA_INIT;
	struct buf key = BUF_INIT;
	uint32_t i, table;
	struct row row;

	for (i = 0; i < BATCHES; i++) {
		make_key(&key, i);
		for (table = 1; table <= TABLES; table++) {
			ck_assert_int_eq(lsm_get(lsm, table, buf_bytes(&key),
						 UINT64_MAX, &arena, &row), 1);
			ck_assert_int_eq(row.cells[0].timestamp, i);
			ck_assert_uint_eq(row.cells[0].value.len, VALUE);
		}
		arena_clear(&arena);
	}
	arena_release(&arena);
	buf_release(&key);
}

static struct lsm_stats stats_of(struct lsm *lsm)
{
	struct lsm_stats stats;

	memset(&stats, 0, sizeof(stats));
	lsm_stats(lsm, &stats);
	return stats;
}

/* Open the manifest; *files is to be freed. */
static struct manifest *open_manifest(bool read_only,
				      struct manifest_file **files,
				      size_t *count)
{
	struct manifest *m;

	ck_assert_int_eq(manifest_open(&m, &file_system, scratch.dir,
				       read_only), 0);
	ck_assert_int_eq(manifest_files(m, files, count), 0);
	return m;
}

/* Give the files of the first table to another, as a restore does. */
static void give_files(uint32_t to)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	struct manifest_file *files;
	size_t count, i;
	struct manifest *m = open_manifest(false, &files, &count);

	for (i = 0; i < count; i++)
		if (files[i].table == 2)
			manifest_edit_add(&edit, to, 0, &files[i].info);
	ck_assert_uint_gt(edit.steps.len, 0);
	ck_assert_int_eq(manifest_apply(m, &edit), 0);
	manifest_edit_release(&edit);
	manifest_close(m);
	mem_free(files);
}

/* Each sstable must be of the table that the manifest says, or of `given`. */
static void check_files(size_t least, uint32_t given)
{
	struct manifest_file *files;
	struct sstable *t;
	size_t count, i;
	struct manifest *m = open_manifest(true, &files, &count);

	ck_assert_uint_ge(count, least);
	for (i = 0; i < count; i++) {
		ck_assert_int_eq(sstable_open(&t, &file_system, scratch.dir,
					      files[i].info.number, NULL), 0);
		ck_assert_uint_eq(sstable_table(t), files[i].table == given ?
						    2 : files[i].table);
		sstable_put(t);
	}
	mem_free(files);
	manifest_close(m);
}

/* The files of table 2 may be those of a later table, and of no earlier one. */
START_TEST(a_file_is_of_the_table_that_it_names)
{
	struct lsm *lsm;
	int i;

	for (i = 0; i < 2; i++) {
		fill();
		ck_assert_int_eq(open_lsm(&lsm, &file_system, 0, false), 0);
		ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
		ck_assert_int_eq(lsm_close(lsm), 0);
		check_files((size_t)(i + 1) * TABLES, 0);
	}
	ck_assert_int_eq(open_lsm(&lsm, &file_system, 0, false), 0);
	ck_assert_int_eq(lsm_compact(lsm, UINT32_MAX), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
	check_files(TABLES, 0);
	give_files(TABLES + 7);
	ck_assert_int_eq(open_lsm(&lsm, &file_system, 0, false), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
	check_files(TABLES + 1, TABLES + 7);
	give_files(1);
	quiet(true);
	ck_assert_int_eq(open_lsm(&lsm, &file_system, 0, false), -EUCLEAN);
	quiet(false);
	ck_assert_ptr_nonnull(strstr(log_corrupt_last(), "it is of table "
				     "number 2, and the manifest says 1"));
}
END_TEST

START_TEST(replay_flushes_what_passes_the_budget)
{
	struct lsm *lsm;
	uint64_t flushes;

	fill();
	ck_assert_int_eq(open_lsm(&lsm, &file_system, BUDGET, false), 0);
	flushes = stats_of(lsm).flushes;
	/* Both tables were flushed with what the budget has; the last rows are
	 * in memory. */
	ck_assert_uint_ge(flushes, TABLES * (TABLES * BATCHES * VALUE / BUDGET - 1));
	ck_assert_uint_le(stats_of(lsm).memtable_bytes, BUDGET + BUDGET / 4);
	check_rows(lsm);
	ck_assert_int_eq(lsm_close(lsm), 0);
	/* That is not replayed any more. */
	ck_assert_int_eq(open_lsm(&lsm, &file_system, BUDGET, false), 0);
	ck_assert_uint_eq(stats_of(lsm).flushes, 0);
	check_rows(lsm);
	ck_assert_int_eq(lsm_verify(lsm, NULL, NULL), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* More than half of the budget, where writers freeze, is flushed only after the
 * start. */
START_TEST(data_within_the_budget_is_flushed_later)
{
	const size_t budget = TABLES * BATCHES * VALUE / 5 * 8;
	struct lsm_options options = { .no_threads = true, .commit_s = 1000,
				       .memtable_bytes = budget };
	struct lsm *lsm;

	fill();
	ck_assert_int_eq(lsm_open(&lsm, &file_system, scratch.dir, &options), 0);
	ck_assert_uint_eq(stats_of(lsm).flushes, 0);
	check_rows(lsm);
	ck_assert_int_eq(lsm_start(lsm), 0);
	ck_assert_int_eq(lsm_settle(lsm), 0);
	ck_assert_uint_eq(stats_of(lsm).flushes, TABLES);
	ck_assert_uint_lt(stats_of(lsm).memtable_bytes, budget / 2);
	check_rows(lsm);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

static bool is_log[1024];	/* by descriptor */
static unsigned log_syncs;

static int open_noted(void *context, int dir, const char *name, int flags,
		      unsigned mode)
{
	int fd = file_system.open(context, dir, name, flags, mode);

	if (fd >= 0 && fd < 1024)
		is_log[fd] = !strncmp(name, "log-", 4);
	return fd;
}

static int datasync_noted(void *context, int fd)
{
	log_syncs += fd >= 0 && fd < 1024 && is_log[fd];
	return file_system.datasync(context, fd);
}

static int map_sync_noted(void *context, int fd, void *address, size_t len)
{
	log_syncs++;
	return file_system.map_sync(context, fd, address, len);
}

/* Remove where the log ended: as after a kill. */
static void forget_log_end(void)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	struct manifest *m;

	ck_assert_int_eq(manifest_open(&m, &file_system, scratch.dir, false), 0);
	manifest_edit_property(&edit, "log", BYTES_NULL);
	ck_assert_int_eq(manifest_apply(m, &edit), 0);
	manifest_edit_release(&edit);
	manifest_close(m);
}

/* The log is as it was written, and on the disk when a sync says so. */
START_TEST(opening_waits_for_no_sync_of_the_log)
{
	struct file_ops ops = file_system;
	struct lsm *lsm;

	fill();
	forget_log_end();
	ops.open = open_noted;
	ops.datasync = datasync_noted;
	ops.map_sync = map_sync_noted;
	log_syncs = 0;
	ck_assert_int_eq(open_lsm(&lsm, &ops, 0, false), 0);
	check_rows(lsm);
	ck_assert_uint_eq(log_syncs, 0);
	ck_assert_int_eq(lsm_sync(lsm, lsm_position(lsm)), 0);
	ck_assert_uint_ge(log_syncs, 1);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

#define MANY 140000

/* Rows of one batch, more than wait to be applied at once, in no order; each is
 * written twice. */
START_TEST(many_small_operations_are_replayed)
{
	struct cell cell = { .local_time = NO_TIME, .value = bytes_str("v") };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };
	struct batch batch = BATCH_INIT;
	struct arena arena = ARENA_INIT;
	struct buf key = BUF_INIT;
	struct lsm *lsm;
	uint32_t i;

	ck_assert_int_eq(open_lsm(&lsm, &file_system, 0, false), 0);
	for (i = 0; i < MANY; i++) {
		cell.timestamp = i;
		make_key(&key, i / 2);
		batch_add_row(&batch, 1 + i / 2 % TABLES, buf_bytes(&key), &row);
	}
	ck_assert_int_eq(lsm_apply(lsm, &batch, NULL), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
	batch_release(&batch);
	ck_assert_int_eq(open_lsm(&lsm, &file_system, 0, false), 0);
	for (i = 0; i < MANY / 2; i++) {
		make_key(&key, i);
		ck_assert_int_eq(lsm_get(lsm, 1 + i % TABLES, buf_bytes(&key),
					 UINT64_MAX, &arena, &row), 1);
		ck_assert_int_eq(row.cells[0].timestamp, 2 * i + 1);
		arena_clear(&arena);
	}
	ck_assert_int_eq(lsm_close(lsm), 0);
	arena_release(&arena);
	buf_release(&key);
}
END_TEST

START_TEST(a_reader_flushes_nothing)
{
	size_t files;
	struct lsm *lsm;

	fill();
	files = scratch_count(&scratch);
	ck_assert_int_eq(open_lsm(&lsm, &file_system, BUDGET, true), 0);
	check_rows(lsm);
	ck_assert_int_eq(lsm_close(lsm), 0);
	ck_assert_uint_eq(scratch_count(&scratch), files);
}
END_TEST

static bool is_full;

static int64_t full_pwrite(void *context, int fd, const void *from, size_t len,
			   uint64_t offset)
{
	return is_full ? -ENOSPC :
			 file_system.pwrite(context, fd, from, len, offset);
}

static int full_allocate(void *context, int fd, uint64_t size)
{
	return is_full ? -ENOSPC : file_system.allocate(context, fd, size);
}

/* On a full disk the store opens, with all in memory, and flushes later. */
START_TEST(without_room_all_is_in_memory)
{
	struct file_ops ops = file_system;
	struct lsm *lsm;

	fill();
	ops.pwrite = full_pwrite;
	ops.allocate = full_allocate;
	is_full = true;
	ck_assert_int_eq(open_lsm(&lsm, &ops, BUDGET, false), 0);
	ck_assert_uint_eq(stats_of(lsm).flushes, 0);
	check_rows(lsm);
	is_full = false;
	ck_assert_int_eq(lsm_flush(lsm, UINT32_MAX), 0);
	ck_assert_uint_gt(stats_of(lsm).flushes, 0);
	check_rows(lsm);
	ck_assert_int_eq(lsm_close(lsm), 0);
	ck_assert_int_eq(open_lsm(&lsm, &file_system, BUDGET, false), 0);
	check_rows(lsm);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

/* Whichever call is the first to fail: whether it opens or not, and whatever
 * becomes of the flush, nothing is lost. */
START_TEST(an_error_in_recovery_loses_nothing)	/* _i: calls that work */
{
	struct faulty faulty;
	struct lsm *lsm;

	fill();
	faulty_init(&faulty);
	faulty.fail_at = _i + 1;
	faulty.err = -ENOSPC;
	faulty.for_good = true;
	if (!open_lsm(&lsm, &faulty.ops, BUDGET, false)) {
		check_rows(lsm);
		faulty.fail_at = 0;
		faulty.for_good = false;
		lsm_flush(lsm, UINT32_MAX);
		check_rows(lsm);
		lsm_close(lsm);
	}
	ck_assert_int_eq(open_lsm(&lsm, &file_system, BUDGET, false), 0);
	check_rows(lsm);
	ck_assert_int_eq(lsm_verify(lsm, NULL, NULL), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

static bool is_manifest[1024];	/* by descriptor */

static int open_manifest_noted(void *context, int dir, const char *name,
			       int flags, unsigned mode)
{
	int fd = file_system.open(context, dir, name, flags, mode);

	if (fd >= 0 && fd < 1024)
		is_manifest[fd] = !strncmp(name, "MANIFEST-", 9);
	return fd;
}

static int64_t manifest_full_pwrite(void *context, int fd, const void *from,
				    size_t len, uint64_t offset)
{
	return is_full && fd >= 0 && fd < 1024 && is_manifest[fd] ?
		       -ENOSPC :
		       file_system.pwrite(context, fd, from, len, offset);
}

/* Segments of the log that the manifest had no room to name are on disk before
 * it does, at the next open: whichever call is the first to fail. */
START_TEST(an_error_before_the_log_is_named_loses_nothing)	/* _i: as above */
{
	struct file_ops ops = file_system;
	struct faulty faulty;
	struct lsm *lsm;

	ops.open = open_manifest_noted;
	ops.pwrite = manifest_full_pwrite;
	ck_assert_int_eq(open_lsm(&lsm, &ops, 0, false), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
	is_full = true;
	fill_by(&ops);
	is_full = false;
	faulty_init(&faulty);
	faulty.fail_at = _i + 1;
	faulty.err = -EIO;
	if (!open_lsm(&lsm, &faulty.ops, BUDGET, false)) {
		check_rows(lsm);
		lsm_close(lsm);
	}
	ck_assert_int_eq(open_lsm(&lsm, &file_system, BUDGET, false), 0);
	check_rows(lsm);
	ck_assert_int_eq(lsm_verify(lsm, NULL, NULL), 0);
	ck_assert_int_eq(lsm_close(lsm), 0);
}
END_TEST

SUITE(recovery)
{
	TCase *tc = tcase_create("recovery");

	scratch_fixture(tc);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, a_file_is_of_the_table_that_it_names);
	tcase_add_test(tc, replay_flushes_what_passes_the_budget);
	tcase_add_test(tc, data_within_the_budget_is_flushed_later);
	tcase_add_test(tc, opening_waits_for_no_sync_of_the_log);
	tcase_add_test(tc, many_small_operations_are_replayed);
	tcase_add_test(tc, a_reader_flushes_nothing);
	tcase_add_test(tc, without_room_all_is_in_memory);
	tcase_add_loop_test(tc, an_error_in_recovery_loses_nothing, 0, 20);
	tcase_add_loop_test(tc, an_error_before_the_log_is_named_loses_nothing,
			    0, 20);
	suite_add_tcase(suite, tc);
}
