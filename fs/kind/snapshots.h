/* .snapshots: the store as it was. Reached by name, not listed in the root. */
#ifndef FS_KIND_SNAPSHOTS_H
#define FS_KIND_SNAPSHOTS_H
#include "fs/op/op.h"

/* Describe the directory. 0 or -errno. */
int snapshots_child(struct op *op, struct child *out);
#endif
