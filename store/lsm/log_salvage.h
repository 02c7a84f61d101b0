/*
 * Take the records that can be read out of one segment of the commit log.
 */
#ifndef STORE_LSM_LOG_SALVAGE_H
#define STORE_LSM_LOG_SALVAGE_H
#include "store/lsm/commitlog.h"

/* The statements of a segment about itself. */
struct log_salvage {
	bool header_bad;
	bool begun;		/* previous_end is good */
	uint64_t previous_end;	/* position; 0: none */
	uint64_t end;		/* offset after its last good record, in order */
	uint64_t written;	/* the end that it stores; 0: it says nothing */
	uint64_t synced;	/* position: the most that its records knew */
};

/* Return the number of the segment that has this name; 0: it is no
 * segment's. */
uint64_t log_salvage_number(const char *name);
/*
 * Call each (NULL: none) with every record of segment number of directory fd
 * dir, up to the first one that is not sound. 0, -ENOENT, -EPROTONOSUPPORT,
 * another -errno, or what each returned.
 */
int log_salvage(struct log_salvage *out, const struct file_ops *files, int dir,
		uint64_t number, commitlog_each each, void *context);
#endif
