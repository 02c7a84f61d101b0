/*
 * Tell the kernel what changed. One thread sends the tree's notices of inodes,
 * for which the kernel takes no lock that a caller may hold, another one those
 * of names, which wait for the directory. A reply that must not be seen before
 * its notices is sent by the thread that sent the last of them; handlers never
 * wait (fs/README.md, "Caching"). A third thread is the clock of expiring data.
 *
 * Names below the directories that the kernel has locked for a call (fs.h) are
 * sent by a thread of the call's own: it waits for locks of those directories
 * alone, from above to below, as the kernel itself takes them. So are the names
 * that statements changed, for which a reply waits a moment only.
 */
#ifndef MOUNT_INVALIDATE_H
#define MOUNT_INVALIDATE_H
#include "mount/ops.h"

struct loop;
struct fs_call;

/* Start the threads for m, before the session's threads. */
int invalidate_start(struct mount *m, struct loop *l);
/* End them, before unmounting; waiting calls are answered. */
void invalidate_stop(struct mount *m);
/* Free it after the session's threads have ended. */
void invalidate_free(struct mount *m);
/* Send the answer of a call that waits for a notice, or has names, when the kernel
 * has dropped its copies of what it changed; data and the call's names are taken
 * over. Any thread. */
void invalidate_answer(struct mount *m, struct fs_call *call, struct answer *a);
/* Make the kernel drop the attributes of a node now; it takes no lock for it,
 * so handlers may call this. */
void invalidate_attributes(struct mount *m, uint64_t node);
#endif
