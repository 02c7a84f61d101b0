/*
 * A disk in memory behind the table of file.h, that remembers what was not
 * synced. At any moment it can be asked what a power cut would leave: all that
 * was synced, and of the rest, file by file, some of the 512-byte sectors and
 * sizes, and of each directory's unsynced changes the first few. (Nothing but
 * a sync of a directory makes a name durable here, and a sync of a file only
 * its bytes: what POSIX promises, not what a kind filesystem does.)
 *
 * Sectors are shared between disks, so that a state costs little. Any thread
 * may call the files; a hook and a crash want the caller alone.
 */
#ifndef TESTS_LIB_SIMFILE_H
#define TESTS_LIB_SIMFILE_H
#include "store/base/file.h"
#include "tests/lib/random.h"

struct sim;

struct sim *sim_new(void);
void sim_free(struct sim *sim);
/* The table; it is valid as long as the disk is. */
const struct file_ops *sim_files(struct sim *sim);
/* A descriptor of its root directory; it need not be closed. */
int sim_root(struct sim *sim);
/* Files can be mapped from now on; else they are refused with -EOPNOTSUPP. */
void sim_allow_maps(struct sim *sim);
/* From now on all files together take no more room than they do, or as much as
 * they like. What a crash leaves has room again. */
void sim_fill(struct sim *sim, bool full);
/*
 * Be called before every call that changes or syncs something (NULL: no more):
 * there a crash can be tried.
 */
void sim_hook(struct sim *sim, void (*before)(void *context), void *context);
/* How many calls changed or synced something. */
long sim_calls(const struct sim *sim);
/* How many descriptors are open, sim_root's not counted. */
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
/* A disk as the crash left it. The old one continues. */
struct sim *sim_crash(struct sim *sim, enum sim_crash kind, struct random *rng);
/* What is on the disk, as a number: two states that differ, differ in it. */
uint64_t sim_digest(struct sim *sim);

/*
 * Another table's files, but the nth call fails with err, or is short; with
 * for_good every later one too. Closing, unmapping and hints never fail.
 */
struct faults {
	struct file_ops ops;	/* give its address to what is tested */
	const struct file_ops *under;
	long fail_at;		/* 0: never; counted from 1 */
	long pairs;		/* and the call that comes so much later */
	int err;		/* negative errno; 0: short transfers */
	bool for_good;
	bool only_changes;	/* do not count calls that only read */
	long calls, failed;
};
void faults_init(struct faults *f, const struct file_ops *under);
#endif
