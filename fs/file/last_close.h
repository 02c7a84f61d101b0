/*
 * Find out whether this close is the last one of the file. The kernel tells
 * that only afterwards, and nobody waits for it; it tells of each closed
 * descriptor at once (FLUSH), also of one that a shell made for a redirection,
 * or of a child's. So look whether the closing process, the opener, or a child
 * of them has another one. In doubt one has.
 */
#ifndef FS_FILE_LAST_CLOSE_H
#define FS_FILE_LAST_CLOSE_H
#include "fs/file/handle.h"

/*
 * In a FLUSH: true if nobody has a descriptor of it any more, as far as can be
 * seen. False where it cannot be seen: then RELEASE will tell.
 */
bool last_close_is_now(struct op *op, struct handle *h);
/*
 * In a FLUSH: true if the caller closes its copy of the descriptor, as a shell's
 * child does when it ends, while the owner, who wrote or truncated last, still has
 * its own: what that wrote is a part, and its own close comes and commits it. Where
 * the owner's files cannot be seen it has it still.
 */
bool close_is_of_a_copy(struct op *op, struct handle *h, pid_t owner);
/* At any time: true if neither the opener nor a child of it has a descriptor any more.
 * Returns `unseen` where that cannot be seen. */
bool last_close_has_come(const struct handle *h, bool unseen);
#endif
