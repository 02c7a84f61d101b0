/*
 * COLUMN.json: the whole value of a collection or user type that is stored cell
 * by cell. A write replaces all of it; an append adds to it.
 */
#ifndef FS_KIND_COLLECTION_JSON_H
#define FS_KIND_COLLECTION_JSON_H
#include "fs/op/place.h"

extern const struct node_ops kind_collection_json;
#endif
