/*
 * Files of old versions open for ever: tests/golden/N holds what version N of
 * the formats wrote, a manifest and an sstable; 3 is there once for each
 * compressor. Run from the top of the tree. To make a new one, once, when a
 * format changes: add a row, and run WIDEFS_GOLDEN=DIRECTORY build/check-unit
 * golden, which writes to DIRECTORY/N what is to be kept.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/manifest.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"
#include "store/sstable/iterate.h"
#include "store/sstable/verify.h"
#include "store/sstable/writer.h"
#include "tests/lib/entries.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

static struct scratch s;

/* The table as it was written: spelled out here, of no random seed. */
static void make_entries(struct entries *e)
{
	static const struct deletion d = { 77, 1600000000 };
	static struct entry entries[60];
	struct buf key = BUF_INIT, value = BUF_INIT, bytes = BUF_INIT;
	uint32_t i;

	*e = (struct entries){ entries, 0, ARENA_INIT };
	key_add_partition(&key, -5, bytes_of("a\0b", 3));
	for (i = 0; i < 52; i++) {
		struct entry *entry = &entries[e->count++];
		struct cell cells[2] = {
			{ .column = 2, .timestamp = 100 + i,
			  .local_time = NO_TIME },
			{ .column = 9, .timestamp = 90, .local_time =
			  1600000000 + i, .flags = CELL_TOMBSTONE },
		};
		struct row row = { { 100, 0, NO_TIME }, DELETION_NONE,
				   1 + i % 2, cells };
		size_t len = key.len;

		buf_clear(&value);
		buf_add_format(&value, "value %u of the golden file", i);
		cells[0].value = buf_bytes(&value);
		buf_add_byte(&key, KEY_ROW);
		buf_add_byte(&key, 0x40);
		buf_add_be32(&key, i);
		buf_add_byte(&key, i == 20 || i == 30 ? KEY_BEFORE_PREFIX :
							KEY_ROW_END);
		buf_clear(&bytes);
		row_encode(&bytes, &row);
		*entry = (struct entry){
			.key = arena_copy(&e->arena, buf_bytes(&key)),
			.kind = ENTRY_ROW,
			.row = arena_copy(&e->arena, buf_bytes(&bytes)),
		};
		if (i == 20 || i == 30) {
			entry->kind = ENTRY_BOUND;
			entry->before = i == 20 ? DELETION_NONE : d;
			entry->after = i == 20 ? d : DELETION_NONE;
		}
		key.len = len;
	}
	buf_release(&key);
	buf_release(&value);
	buf_release(&bytes);
}

static void write_golden(const char *directory, enum block_how how)
{
	struct sstable_options options = { .table = 3, .block_size = 512,
					   .compression = { how, 0 } };
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	int dir = file_open(&file_system, AT_FDCWD, directory,
			    O_RDONLY | O_DIRECTORY);
	struct sstable_writer *w;
	struct sstable_info info;
	struct manifest *m;
	struct entries e;
	size_t i;

	clock_set_us(1700000000000000);
	make_entries(&e);
	ck_assert_int_eq(manifest_open(&m, &file_system, dir, false), 0);
	ck_assert_int_eq(sstable_writer_create(&w, &file_system, dir,
					       manifest_next_number(m),
					       &options), 0);
	for (i = 0; i < e.count; i++)
		ck_assert_int_eq(sstable_writer_add(w, &e.entries[i]), 0);
	ck_assert_int_eq(sstable_writer_finish(w, &info), 0);
	sstable_writer_close(w);
	manifest_edit_add(&edit, 3, 1, &info);
	manifest_edit_mark(&edit, 3, 4096);
	manifest_edit_drop_table(&edit, 4, 5000);
	manifest_edit_log(&edit, 4096);
	manifest_edit_property(&edit, "name", bytes_str("golden"));
	ck_assert_int_eq(manifest_apply(m, &edit), 0);
	manifest_edit_release(&edit);
	manifest_close(m);
	arena_release(&e.arena);
	file_close(&file_system, dir);
	clock_set_us(INT64_MIN);
}

/* Copy it as a new file, as a check-out may have changed its mode. */
static void fetch(const char *version, const char *name)
{
	uint8_t bytes[20000];
	char path[100];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/%s/%s", version, name);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	len = fread(bytes, 1, sizeof(bytes), file);
	ck_assert_uint_lt(len, sizeof(bytes));
	fclose(file);
	scratch_write(&s, name, bytes_of(bytes, len));
}

static void check_manifest(struct manifest *m)
{
	struct manifest_file *files;
	struct buf value = BUF_INIT;
	size_t count;

	ck_assert_int_eq(manifest_files(m, &files, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(files[0].table, 3);
	ck_assert_uint_eq(files[0].level, 1);
	ck_assert_uint_eq(files[0].info.number, 1);
	ck_assert_int_eq(files[0].info.created, 1700000000);
	ck_assert_uint_eq(manifest_mark(m, 3), 4096);
	ck_assert_uint_eq(manifest_mark(m, 4), UINT64_MAX);
	ck_assert_uint_eq(manifest_log(m), 4096);
	ck_assert_int_eq(manifest_property(m, "name", &value), 0);
	ck_assert_str_eq(buf_cstr(&value), "golden");
	mem_free(files);
	buf_release(&value);
}

static void check_sstable(struct sstable *t)
{
	struct deletion in_force;
	struct iterator *it;
	struct entry entry;
	struct entries e;
	size_t i;

	make_entries(&e);
	ck_assert_int_eq(sstable_verify(t), 0);
	ck_assert_uint_eq(sstable_info(t)->row_count, 50);
	ck_assert_uint_eq(sstable_info(t)->partition_count, 1);
	ck_assert_int_eq(sstable_iterate(&it, t, false, false), 0);
	ck_assert_int_eq(iterator_seek(it, BYTES_EMPTY, &in_force), 0);
	for (i = 0; i < e.count; i++) {
		ck_assert_int_eq(iterator_next(it, &entry), 1);
		entries_assert_equal(&entry, &e.entries[i]);
	}
	ck_assert_int_eq(iterator_next(it, &entry), 0);
	iterator_close(it);
	arena_release(&e.arena);
}

static void check_version(const char *version, uint32_t table)
{
	struct sstable *t;
	struct manifest *m;

	scratch_open(&s);
	fetch(version, "CURRENT");
	fetch(version, "MANIFEST-000000000001");
	fetch(version, "000000000001.sst");
	ck_assert_int_eq(manifest_open(&m, &file_system, s.dir, true), 0);
	check_manifest(m);
	ck_assert_int_eq(sstable_open(&t, &file_system, s.dir, 1, NULL), 0);
	ck_assert_uint_eq(sstable_table(t), table);
	check_sstable(t);
	sstable_put(t);
	manifest_close(m);
	scratch_close(&s);
}

static const struct {
	const char *version;
	uint32_t table;
	enum block_how how;
} versions[] = {
	{ "1", 0, BLOCK_LZ4 }, { "2", 3, BLOCK_LZ4 },
	{ "3-zstd", 3, BLOCK_ZSTD }, { "3-deflate", 3, BLOCK_DEFLATE },
};

START_TEST(every_version_opens)	/* _i: which */
{
	const char *to = getenv("WIDEFS_GOLDEN");
	char path[200];

	if (to) {
		snprintf(path, sizeof(path), "%s/%s", to, versions[_i].version);
		mkdir(path, 0777);
		write_golden(path, versions[_i].how);
	}
	check_version(versions[_i].version, versions[_i].table);
}
END_TEST

SUITE(golden)
{
	TCase *tc = tcase_create("golden");

	tcase_add_loop_test(tc, every_version_opens, 0,
			    (int)ARRAY_SIZE(versions));
	suite_add_tcase(suite, tc);
}
