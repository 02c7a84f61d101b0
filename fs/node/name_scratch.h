/*
 * Temporary names: those that editors and copiers give to the files which they
 * make beside the one that they change (fs/README.md, "Temporary files"). Pure
 * functions, which allocate nothing.
 */
#ifndef FS_NODE_NAME_SCRATCH_H
#define FS_NODE_NAME_SCRATCH_H
#include "store/base/bytes.h"

/*
 * True for a temporary name that an editor or copier derives from another. Then
 * *base is the other name (empty for sedXXXXXX, tmpXXXXXXXX and 4913).
 */
bool name_is_scratch(struct bytes name, struct bytes *base);
/* True for .NAME.XXXXXX: rsync's, while it receives NAME. */
bool name_is_of_rsync(struct bytes name);
/* True for the directories in which rsync gathers files (--delay-updates, and
 * --partial-dir as its page has it). */
bool name_is_scratch_directory(struct bytes name);
/* True for a file through which processes share memory: SQLite's NAME-shm. */
bool name_is_memory(struct bytes name);
#endif
