/*
 * The layout of an sstable, byte by byte. Integers are little-endian; varint is
 * LEB128 and zigzag its signed form (base/bytes.h). The file's name is its
 * number in twelve digits and ".sst".
 *
 *	header | blocks | partition filter | row filter | index | statistics |
 *	footer
 *
 * with nothing between them. A file is written once, front to back, and synced;
 * then its directory is synced; then a manifest edit names it. A file that no
 * manifest names is an unfinished one.
 *
 *   header   0  8  "wide-sst"             footer   0  8  number of the file
 *            8  4  version, 3 or 2                 8  8  file id
 *           12  4  table                          16  8  where the blocks end
 *           16  8  number of the file             24 16  partition filter
 *           24  8  file id, random                40 16  row filter
 *                                                 56 16  index
 *                                                 72 16  statistics
 *                                                 88  8  number of blocks
 *                                                 96  4  table
 *                                                100  4  version, 3 or 2
 *                                                104  8  XXH3 of 0..103, seed 0
 *                                                112  8  "wide-sst"
 *
 * A section's 16 bytes: 8 its length, 8 the XXH3 of its bytes. Every XXH3 of a
 * section or block is seeded with block_seed(seed, offset in the file), where
 * seed is sstable_seed(file id, table), so that bytes of another place, another
 * file or another table do not pass for these. The footer's own checksum is the
 * identity of the file, which the manifest has.
 *
 * The table is the number of the one that the file was written for, so that a
 * repair knows it when no manifest does: header and footer name it, and any
 * sound block proves what is left of either. It stays when the table is
 * renamed. A restore gives the files of a snapshot to a new table as they are
 * (lsm/manifest_step.h): so the manifest decides whose rows they are, and says
 * the number that is in the file or, after a restore, a larger one, as numbers
 * of tables only grow. A smaller one is damage. Compactions write the number of
 * the table that has the files.
 *
 *   block    0  8  XXH3 of bytes 8.. of the stored block
 *            8  8  n << 8 | how: 0 the contents as they are (n: their length),
 *                  1 lz4, 2 zstandard (a frame with its content's size),
 *                  3 deflate, without a header (n: the length decompressed)
 *           16  .  contents
 *
 *   contents    entries | restarts: 4 each, offsets of entries | heads: 8 each |
 *               4 length of the prefix that all keys of the block share |
 *               4 number of restarts | 4 flags: 1 there are bounds
 *
 *   entry       varint shared: so many bytes of the key are those of the entry
 *               before; at a restart, of the first entry of the block |
 *               varint length of the rest of the key |
 *               varint what << 1 | 0: a row, what is its length;
 *               varint what << 1 | 1: a bound, what is 1 (before) | 2 (after) |
 *               rest of the key |
 *               the row (row/row_codec.h), or the deletions of the bound that
 *               there are: zigzag timestamp, zigzag local time each
 *
 * Every RESTART_INTERVAL-th entry is a restart, the first one too. A head is
 * the eight bytes of a restart's key after the prefix, as a big-endian number
 * (zeros where the key is shorter), so that a search compares numbers.
 *
 *   index       for each block: varint shared with the separator before |
 *               varint length of the rest | varint stored length of the block |
 *               varint flags: 1 a deletion is in force where it begins |
 *               rest of the separator | then zigzag timestamp, zigzag local time
 *
 * A block's separator is > all keys of the blocks before it and <= its own
 * first key; that of the first block is its first key.
 *
 *   filter      empty (there is none), or 4 number of lines | 4 probes |
 *               64 each: the lines, see bloom.c
 *   statistics  see stats.c
 *
 * A row filter is left out when no partition has more than one row: then the
 * partition filter knows as much.
 *
 * Versions: 1, the first: the table is 0, not known. 2 names the table. 3 is
 * written where blocks may be compressed by zstandard or deflate.
 */
#ifndef STORE_SSTABLE_FORMAT_H
#define STORE_SSTABLE_FORMAT_H
#include <stdint.h>

#define SSTABLE_MAGIC "wide-sst"
#define SSTABLE_VERSION 3	/* the newest; without these compressors: 2 */
#define SSTABLE_VERSION_LZ4 2
#define HEADER_SIZE 32
#define FOOTER_SIZE 120
#define BLOCK_HEADER_SIZE 16
#define BLOCK_TRAILER_SIZE 12
#define RESTART_INTERVAL 8

enum block_how {
	BLOCK_RAW = 0, BLOCK_LZ4 = 1, BLOCK_ZSTD = 2, BLOCK_DEFLATE = 3
};
#define BLOCK_HOWS 4
#define BLOCK_HAS_BOUNDS 1u

#define DEFAULT_BLOCK_SIZE 8192u
#define LARGEST_BLOCK_SIZE (1u << 20)
/* Larger contents (one large row) are stored uncompressed. */
#define LARGEST_COMPRESSED ((uint64_t)64 << 20)
/* The longest key of a file. Callers limit keys to less (64 KiB and its
 * escapes). */
#define LARGEST_KEY (1u << 20)

/* Return what seeds the checksums of a file. */
static inline uint64_t sstable_seed(uint64_t file_id, uint32_t table)
{
	return file_id ^ table * 0xd1b54a32d192ed03u;
}

/* Return the seed of the checksum of a block or section at offset. */
static inline uint64_t block_seed(uint64_t seed, uint64_t offset)
{
	uint64_t x = seed ^ (offset + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 29;
}
#endif
