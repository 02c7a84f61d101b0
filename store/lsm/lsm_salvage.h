/*
 * The files of a damaged engine, for a repair: which there are, which table
 * each is of as far as that is known, and what can be read of them. Nothing is
 * written. One thread.
 */
#ifndef STORE_LSM_LSM_SALVAGE_H
#define STORE_LSM_LSM_SALVAGE_H
#include "store/lsm/lsm.h"
#include "store/sstable/salvage.h"

struct lsm_salvage;

/* One sstable of one table. */
struct lsm_salvage_file {
	uint64_t number;
	uint32_t table;			/* 0: not known */
	bool here;			/* there is a file of that name */
	bool named;			/* the manifest names it, with: */
	struct sstable_info info;
};

struct lsm_salvage_told {
	/* Something is lost, or may be: a line without a newline. */
	void (*lost)(void *context, const char *text);
	void *context;
};

/*
 * Look at the engine's directory fd dir, which stays the caller's; so does
 * told. Damage of the manifest is told. 0, -EPROTONOSUPPORT, -ENOMEM, -errno of
 * the disk.
 */
int lsm_salvage_open(struct lsm_salvage **out, const struct file_ops *files,
		     int dir, const struct lsm_salvage_told *told);
void lsm_salvage_close(struct lsm_salvage *s);
/* True for the name of a file that a store has in its directory. */
bool lsm_salvage_is_file(const char *name);
/* True if the manifest was sound: it says what is live and what was removed. */
bool lsm_salvage_is_whole(const struct lsm_salvage *s);
/* Return the sstables, by number; the caller may set the table where it is
 * 0. */
struct lsm_salvage_file *lsm_salvage_files(struct lsm_salvage *s,
					   size_t *count);
/* Print the name of the file. */
void lsm_salvage_name(char name[32], const struct lsm_salvage_file *f);
size_t lsm_salvage_segments(const struct lsm_salvage *s);
/* Return the number of snapshots that the manifest has. */
size_t lsm_salvage_snapshots(const struct lsm_salvage *s);
/* Return the largest number of a table that the manifest has; 0: none. */
uint32_t lsm_salvage_last_table(const struct lsm_salvage *s);
/* True if the table is known to be dropped. */
bool lsm_salvage_is_dropped(const struct lsm_salvage *s, uint32_t table);
/* Return a property of the manifest, or BYTES_NULL. */
struct bytes lsm_salvage_property(const struct lsm_salvage *s,
				  const char *name);

/* Read one sstable: sstable_salvage. */
int lsm_salvage_read(struct lsm_salvage *s, const struct lsm_salvage_file *f,
		     const struct sstable_salvage *calls);
/*
 * Call each for every operation in the log that may be needed. tell: also tell
 * what of the log is lost. 0, -EPROTONOSUPPORT, -ENOMEM, what each returned.
 */
int lsm_salvage_log(struct lsm_salvage *s, bool tell,
		    int (*each)(void *context, const struct batch_op *op),
		    void *context);
#endif
