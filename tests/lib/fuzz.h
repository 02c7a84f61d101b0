/*
 * The fuzz targets: one function for each kind of input that comes from a disk
 * or a user. tests/fuzz/run feeds them with libFuzzer; test_fuzz.c replays the
 * kept corpus, tests/fuzz/corpus/NAME. If a checksum guards the input, it is
 * corrected first: otherwise every mutation would end there.
 */
#ifndef TESTS_LIB_FUZZ_H
#define TESTS_LIB_FUZZ_H
#include "store/base/bytes.h"

struct fuzz_target {
	const char *name;
	void (*run)(struct bytes input);	/* aborts if it finds a fault */
};
extern const struct fuzz_target fuzz_targets[];
extern const size_t fuzz_target_count;
/* Return the target of that name, or NULL. */
const struct fuzz_target *fuzz_target_named(const char *name);

/* fuzz_lines.c */
void fuzz_lines(struct bytes input);
/* fuzz_files.c */
void fuzz_sstable(struct bytes input);
void fuzz_log(struct bytes input);
void fuzz_manifest(struct bytes input);
#endif
