/*
 * A partition of a schemaless table: a directory whose files are its rows. Any
 * name is a row's; only a row too long for a name is a directory, of its key
 * and its value. Where the partition's own name was shortened, @key is its key,
 * and the row of that name is %40key.
 */
#ifndef FS_KIND_SCHEMALESS_H
#define FS_KIND_SCHEMALESS_H
#include "fs/op/place.h"

extern const struct node_ops kind_schemaless, kind_plain;
/* Append the whole name of a row in the partition of that name. */
void schemaless_print_name(struct buf *out, struct bytes dir_name,
			   struct bytes value);
#endif
