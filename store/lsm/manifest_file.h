/*
 * The inside of the manifest, for its reader, its writer and the repair
 * (lsm_salvage.c). manifest.c has the format.
 */
#ifndef STORE_LSM_MANIFEST_FILE_H
#define STORE_LSM_MANIFEST_FILE_H
#include <pthread.h>
#include <xxhash.h>

#include "store/lsm/manifest_state.h"

#define MANIFEST_MAGIC "wide-man"
#define MANIFEST_VERSION 4
#define FILE_HEADER 40
#define FILE_HEADER_1 32		/* of version 1 */
#define END_WORD 32			/* where it is */
#define RECORD_HEADER 16
#define SEAL_SIZE 8

struct manifest {
	const struct file_ops *files;
	int dir;
	bool read_only;

	pthread_mutex_t writing;	/* one edit at a time; before `lock` */
	int fd;				/* these under writing */
	uint32_t version;
	bool zeros;			/* the torn tail was not even begun */
	uint64_t number;
	uint64_t size;			/* where the next record goes */
	uint64_t read;			/* how long the file was when read */
	uint64_t rewrite_at;
	bool broken;			/* a write or sync failed: no more */

	pthread_mutex_t lock;		/* short: */
	struct manifest_state state;
};

static inline uint64_t manifest_seed(uint64_t number, uint64_t offset)
{
	return number * 0x9e3779b97f4a7c15u ^ offset;
}

static inline size_t manifest_padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

/* Return the seal of version 1. */
static inline uint64_t manifest_seal(uint64_t number, uint64_t offset)
{
	return XXH3_64bits_withSeed("", 0, ~manifest_seed(number, offset));
}

/* The end word checks itself: end is at a multiple of 8. */
static inline uint64_t manifest_end_word(uint64_t number, uint64_t end)
{
	uint8_t low[4];

	put_le32(low, (uint32_t)(end / 8));
	return XXH3_64bits_withSeed(low, 4, manifest_seed(number, END_WORD))
	       << 32 | end / 8;
}

/* Print the name of a manifest; read its number back. False: it is no
 * manifest's. */
void manifest_file_name(char name[32], uint64_t number);
bool manifest_parse_name(uint64_t *number, const char *name);
/* Store the end. A failure does no harm: only the tail is judged more
 * leniently. */
void manifest_write_end(struct manifest *m);
#endif
