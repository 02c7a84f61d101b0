/*
 * A directory for a test: made empty, and removed with the files in it, one
 * level deep. A failure of the system ends the test.
 */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H
#include <check.h>

#include "store/base/file.h"

struct scratch {
	char path[64];
	int dir;		/* open */
};
void scratch_open(struct scratch *s);
void scratch_close(struct scratch *s);
/* The directory of each test of a case, which is quiet on stderr. */
extern struct scratch scratch;
void scratch_fixture(TCase *tc);
/* Return how many files there are. */
size_t scratch_count(struct scratch *s);
/* Read a file whole; write it whole (created or replaced). */
void scratch_read(struct scratch *s, const char *name, struct buf *out);
void scratch_write(struct scratch *s, const char *name, struct bytes contents);

/*
 * The system's files; but the nth call that writes, syncs, creates, renames or
 * unlinks fails with err, and if for_good every later one too. `calls` counts
 * them.
 */
struct faulty {
	struct file_ops ops;	/* give its address to what is tested */
	long fail_at;		/* 0: never; counted from 1 */
	int err;		/* negative errno */
	bool for_good;
	long calls;
};
void faulty_init(struct faulty *f);
/* Write nothing to stderr from now on (for tests of damage), or write again. */
void quiet(bool on);
/* Append what is logged to text, a line each, instead; NULL: to stderr again. */
void log_into(struct buf *text);
#endif
