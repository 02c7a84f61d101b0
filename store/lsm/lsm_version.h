/* Versions: the sources of a table, for readers to hold on to. */
#ifndef STORE_LSM_LSM_VERSION_H
#define STORE_LSM_LSM_VERSION_H
#include "store/lsm/lsm_internal.h"

/* Copy v, with its own references and room for one more file and one more
 * frozen memtable. NULL: no memory. v NULL: empty, with a new memtable. */
struct version *version_copy(const struct version *v, size_t more_files);
/*
 * Reserve memory for a version: after an edit of the manifest the version must
 * be made, so the memory is taken before (NULL: there is none), and copy_to
 * uses it, if it is enough. A spare that was not used is given back by
 * version_put.
 */
struct version *version_spare(const struct version *v, size_t more_files);
struct version *version_copy_to(struct version **spare,
				const struct version *v, size_t more_files);
void version_put(struct version *v);
/* Put the files in order, and into runs: after a change of them, before others
 * see the version. */
void version_arrange(struct version *v);
/* Return the place in in_runs of the run's first file that does not end before
 * the key; the run's end when there is none. */
size_t version_find_in_run(const struct version *v, size_t run,
			   struct bytes key);
/* Return a reference to the table's version; NULL when there is no such
 * table. */
struct version *lsm_pin(struct lsm *lsm, uint32_t number);
/* The same, and count a read of the table. */
struct version *lsm_pin_read(struct lsm *lsm, uint32_t number);
/* Make v the table's version, taking over the reference, and return the old one
 * with its reference. */
struct version *lsm_swap(struct lsm *lsm, struct lsm_table *t, struct version *v);
#endif
