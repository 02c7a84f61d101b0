/*
 * A disk in memory, used through the table of file.h, that remembers which
 * changes were not synced. At any moment it can make the disk that a power cut
 * would leave: with all that was synced, and of the rest, file by file, some of
 * the 512-byte sectors and sizes, and of each directory the first few of its
 * unsynced changes. (Only a sync of a directory makes a name durable here, and
 * a sync of a file only its bytes. This is what POSIX promises; many
 * filesystems do more.)
 *
 * Sectors are shared between disks, so that a state costs little. Any thread
 * may call the files; while a hook or a crash runs no other thread may.
 */
#ifndef TESTS_LIB_SIMFILE_H
#define TESTS_LIB_SIMFILE_H
#include "store/base/file.h"
#include "tests/lib/random.h"

struct sim;

struct sim *sim_new(void);
void sim_free(struct sim *sim);
/* Return the table, which is valid as long as the disk is. */
const struct file_ops *sim_files(struct sim *sim);
/* Return a descriptor of its root directory, which need not be closed. */
int sim_root(struct sim *sim);
/* Allow maps of files from now on; until then they are refused: -EOPNOTSUPP. */
void sim_allow_maps(struct sim *sim);
/* Let the files together take no more room than they do now, or as much as they
 * like. The disk after a crash has room again. */
void sim_fill(struct sim *sim, bool full);
/*
 * Call `before` before every call that changes or syncs something (NULL: no
 * more): a crash can be tried there.
 */
void sim_hook(struct sim *sim, void (*before)(void *context), void *context);
/* Return how many calls changed or synced something. */
long sim_calls(const struct sim *sim);
/* Return how many descriptors are open, without those of sim_root. */
size_t sim_open_count(const struct sim *sim);

enum sim_crash {
	SIM_KILLED,	/* no power cut: the process ended, all is as it was
			   for the next one, and nothing more is durable */
	SIM_NONE,	/* nothing but what was synced */
	SIM_ALL,	/* everything reached the disk */
	SIM_PREFIX,	/* of everything, in the order of the calls */
	SIM_NAMES,	/* the directories' changes, no file's */
	SIM_DATA,	/* the files' changes, no directory's */
	SIM_ZERO,	/* names and sizes, no bytes */
	SIM_RANDOM,	/* any sectors, any sizes, any first names */
	SIM_TORN,	/* the same, and one sector is half old, half new */
	SIM_KINDS
};
/* Return the disk as a crash leaves it; the old disk stays as it is. */
struct sim *sim_crash(struct sim *sim, enum sim_crash kind, struct random *rng);
/* Return a digest of the disk: different states have different ones. */
uint64_t sim_digest(struct sim *sim);

/*
 * The files of another table; but the nth call fails with err, or its transfer
 * is short, and if for_good every later one too. Closing, unmapping and hints
 * never fail.
 */
struct faults {
	struct file_ops ops;	/* give its address to what is tested */
	const struct file_ops *under;
	long fail_at;		/* 0: never; counted from 1 */
	long pairs;		/* also the call that comes so much later */
	int err;		/* negative errno; 0: short transfers */
	bool for_good;
	bool only_changes;	/* do not count calls that only read */
	long calls, failed;
};
void faults_init(struct faults *f, const struct file_ops *under);
#endif
