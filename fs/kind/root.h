/* The root: a directory of keyspaces, and of objects reached only by name. */
#ifndef FS_KIND_ROOT_H
#define FS_KIND_ROOT_H
#include "fs/op/place.h"

extern const struct node_ops kind_root;
#endif
