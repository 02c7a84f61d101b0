/*
 * How the contents of a block are compressed: by LZ4, Zstandard or Deflate,
 * each by its library.
 */
#ifndef STORE_SSTABLE_COMPRESSOR_H
#define STORE_SSTABLE_COMPRESSOR_H
#include "store/base/bytes.h"
#include "store/sstable/format.h"

struct compression {
	enum block_how how;
	/* LZ4: 0 fast, else of the high compressor, 1 to 12. Zstandard: -131072
	 * to 22. Deflate: 1 to 9. Others are taken as the nearest. */
	int level;
};
#define COMPRESSION_LZ4 ((struct compression){ BLOCK_LZ4, 0 })
#define ZSTD_DEFAULT_LEVEL 3
#define DEFLATE_DEFAULT_LEVEL 6

/* The state of one writer; used by one thread at a time. */
struct compressor;
/* Without memory for the state of another it is LZ4's fast compressor. NULL: no
 * memory for that either, or nothing to compress by (BLOCK_RAW). */
struct compressor *compressor_new(struct compression c);
/* Return how it compresses, never BLOCK_RAW. */
enum block_how compressor_how(const struct compressor *c);
/* NULL is accepted. */
void compressor_free(struct compressor *c);
/*
 * Compress from, at most LARGEST_COMPRESSED bytes, to `to`. Return the length;
 * 0: it is more than room, or there is no memory.
 */
size_t compressor_run(struct compressor *c, uint8_t *to, size_t room,
		      struct bytes from);

/* True if from may make n bytes: to be asked before memory for them. */
bool compressor_can_decompress(enum block_how how, uint64_t n,
			       struct bytes from);
/* Make the n bytes that were compressed, n > 0. Any thread. 0; -ENOMEM;
 * -EUCLEAN: from is not what makes exactly so many. */
int compressor_decompress(enum block_how how, uint8_t *to, size_t n,
			  struct bytes from);
/* Return how many of the first bytes of from make n > 0 when decompressed. 0:
 * they do not. */
size_t compressor_stored_length(enum block_how how, struct bytes from,
				uint64_t n);
#endif
