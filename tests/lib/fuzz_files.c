/* Fuzz targets: files of the engine, with corrected checksums. */
#include <fcntl.h>
#include <stdlib.h>
#include <xxhash.h>

#include "store/lsm/commitlog.h"
#include "store/lsm/commitlog_format.h"
#include "store/lsm/manifest.h"
#include "store/lsm/manifest_file.h"
#include "store/row/mutation.h"
#include "store/sstable/cache.h"
#include "store/sstable/format.h"
#include "store/sstable/iterate.h"
#include "store/sstable/sstable.h"
#include "store/sstable/verify.h"
#include "tests/lib/fuzz.h"
#include "tests/lib/simfile.h"

static void put_file(struct sim *disk, const char *name, const uint8_t *ptr,
		     size_t len)
{
	const struct file_ops *files = sim_files(disk);
	int fd = file_open(files, sim_root(disk), name, O_RDWR | O_CREAT);

	if (fd < 0 || file_write(files, fd, ptr, len, 0))
		abort();
	file_close(files, fd);
}

/* Return a copy that may be changed, and is freed by the caller. */
static uint8_t *copy_of(struct bytes input)
{
	uint8_t *copy = malloc(input.len + 1);

	if (!copy)
		abort();
	memcpy(copy, input.ptr, input.len);
	return copy;
}

/* --------------------------------------------------------------- sstables */
static void fix_blocks(uint8_t *file, uint64_t seed, uint64_t end,
		       struct bytes index)
{
	struct reader r = reader_of(index);
	uint64_t at = HEADER_SIZE;

	while (reader_left(&r) && !r.failed) {
		uint64_t rest, len, flags;

		read_varint(&r);
		rest = read_varint(&r);
		len = read_varint(&r);
		flags = read_varint(&r);
		read_bytes(&r, (size_t)rest);
		if (flags & 1) {
			read_zigzag(&r);
			read_zigzag(&r);
		}
		if (r.failed || len < BLOCK_HEADER_SIZE || len > end - at)
			return;
		put_le64(file + at, XXH3_64bits_withSeed(file + at + 8,
							 (size_t)len - 8,
							 block_seed(seed, at)));
		at += len;
	}
}

static void fix_sstable(uint8_t *file, size_t len)
{
	uint8_t *footer = file + len - FOOTER_SIZE;
	uint64_t seed = sstable_seed(get_le64(file + 24),
				     get_le32(footer + 96));
	uint64_t at = get_le64(footer + 16);
	uint64_t blocks_end = at;
	int i;

	for (i = 0; i < 4; i++) {
		uint8_t *section = footer + 24 + 16 * i;
		uint64_t size = get_le64(section);

		if (at > len - FOOTER_SIZE || size > len - FOOTER_SIZE - at)
			break;
		put_le64(section + 8, XXH3_64bits_withSeed(file + at,
						(size_t)size,
						block_seed(seed, at)));
		if (i == 2 && blocks_end >= HEADER_SIZE)
			fix_blocks(file, seed, blocks_end,
				   bytes_of(file + at, (size_t)size));
		at += size;
	}
	put_le64(footer + 104, XXH3_64bits(footer, 104));
}

void fuzz_sstable(struct bytes input)
{
	struct sim *disk = sim_new();
	uint8_t *file = copy_of(input);
	struct block_cache *cache;
	struct deletion force;
	struct iterator *it;
	struct sstable *t;
	struct entry entry;

	if (input.len >= HEADER_SIZE + FOOTER_SIZE)
		fix_sstable(file, input.len);
	put_file(disk, "000000000001.sst", file, input.len);
	if (block_cache_new(&cache, 1 << 20))
		abort();
	if (!sstable_open(&t, sim_files(disk), sim_root(disk), 1, cache)) {
		sstable_verify(t);
		if (!sstable_iterate(&it, t, input.len & 1, false)) {
			if (!iterator_seek(it, BYTES_EMPTY, &force))
				while (iterator_next(it, &entry) > 0)
					;
			iterator_close(it);
		}
		sstable_put(t);
	}
	block_cache_free(cache);
	free(file);
	sim_free(disk);
}

/* -------------------------------------------------------------------- log */
static void fix_log(uint8_t *file, size_t size)
{
	uint64_t at = LOG_HEADER;

	put_le64(file + 16, 1);
	put_le64(file + 32, XXH3_64bits(file, 32));
	while (at + LOG_RECORD < size) {
		uint32_t len = get_le32(file + at);
		uint64_t position = log_position(1, at);

		if (!len || log_record_size(len) > size - at)
			break;
		put_le32(file + at + 4,
			 log_head_check(len, get_le64(file + at + 8), position));
		put_le64(file + at + 16,
			 log_check(bytes_of(file + at + LOG_RECORD, len),
				   position));
		at += log_record_size(len);
	}
}

static int read_batch(void *context, uint64_t position, struct bytes batch)
{
	struct reader r = reader_of(batch);
	struct batch_op op;

	(void)context, (void)position;
	while (batch_next(&r, &op) > 0)
		;
	return 0;
}

void fuzz_log(struct bytes input)
{
	struct sim *disk = sim_new();
	uint8_t *file = copy_of(input);
	struct commitlog *log;
	uint64_t end;

	if (input.len >= LOG_HEADER)
		fix_log(file, input.len);
	put_file(disk, "log-0000000000000001", file, input.len);
	if (commitlog_open(&log, sim_files(disk), sim_root(disk), NULL, 0, 0,
			   false))
		abort();
	if (!commitlog_replay(log, read_batch, NULL)) {
		/* The log can go on after any input. */
		if (commitlog_prepare(log, strlen("a batch")) ||
		    commitlog_room(log, strlen("a batch"), LOG_GROWING) ||
		    commitlog_append(log, bytes_str("a batch"), &end) ||
		    commitlog_sync(log, end))
			abort();
	}
	commitlog_close(log);
	free(file);
	sim_free(disk);
}

/* --------------------------------------------------------------- manifest */
static void fix_manifest(uint8_t *file, size_t size)
{
	uint64_t at = FILE_HEADER;

	put_le64(file + 16, 1);
	put_le64(file + 24, XXH3_64bits(file, 24));
	while (at + RECORD_HEADER < size) {
		uint32_t len = get_le32(file + at);
		struct buf sum = BUF_INIT;

		if (!len || len > size - at - RECORD_HEADER)
			break;
		put_le32(file + at + 4, 0);
		buf_add(&sum, file + at, 8);
		buf_add(&sum, file + at + RECORD_HEADER, len);
		put_le64(file + at + 8,
			 XXH3_64bits_withSeed(sum.ptr, sum.len,
					      manifest_seed(1, at)));
		buf_release(&sum);
		at += RECORD_HEADER + manifest_padded(len);
	}
}

void fuzz_manifest(struct bytes input)
{
	static const char current[] = "MANIFEST-000000000001\n";
	struct sim *disk = sim_new();
	uint8_t *file = copy_of(input);
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	struct manifest *m;

	if (input.len >= FILE_HEADER)
		fix_manifest(file, input.len);
	put_file(disk, "CURRENT", (const uint8_t *)current,
		 sizeof(current) - 1);
	put_file(disk, "MANIFEST-000000000001", file, input.len);
	if (!manifest_open(&m, sim_files(disk), sim_root(disk), false)) {
		manifest_edit_property(&edit, "p", bytes_str("v"));
		manifest_apply(m, &edit);
		manifest_close(m);
		if (manifest_open(&m, sim_files(disk), sim_root(disk), true))
			abort();	/* it is of our own writing */
		manifest_close(m);
	}
	manifest_edit_release(&edit);
	free(file);
	sim_free(disk);
}
