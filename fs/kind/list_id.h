/* The ids of a list's elements (time UUIDs), which are the names of their files. */
#ifndef FS_KIND_LIST_ID_H
#define FS_KIND_LIST_ID_H
#include "store/base/bytes.h"

struct op;

/* Append the name of an id: hex digits that sort as ids do. */
void list_id_print(struct buf *out, struct bytes id);
/* Parse a name: *id, in the op's memory. 0, -ENOENT: it is none, -ENOMEM. */
int list_id_parse(struct op *op, struct bytes name, struct bytes *id);
/* Make an id that sorts before all existing ones. */
void list_id_prepend(uint8_t id[16]);
#endif
