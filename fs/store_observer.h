/* Changes of the store become notices. */
#ifndef FS_STORE_OBSERVER_H
#define FS_STORE_OBSERVER_H
#include "fs/op/op.h"

/* Begin to make notices of the store's changes. */
void store_observer_start(struct fs *fs);
void store_observer_stop(struct fs *fs);
#endif
