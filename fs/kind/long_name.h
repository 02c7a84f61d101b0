/*
 * An object that is a file under a name of at most 255 bytes is a directory
 * under a longer one, which is shortened: a row of a schemaless table, and an
 * element of a set or a map. It holds @key, the whole name, and value, if there
 * is one: a set's element is its key alone. The directory of an element has the
 * time and the end of its cell.
 */
#ifndef FS_KIND_LONG_NAME_H
#define FS_KIND_LONG_NAME_H
#include "fs/op/place.h"

extern const struct node_ops kind_plain_long, kind_long_element;
#endif
