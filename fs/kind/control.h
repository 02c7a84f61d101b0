/* .widefs: the program's own directory. Reached by name, not listed in the
 * root. */
#ifndef FS_KIND_CONTROL_H
#define FS_KIND_CONTROL_H
#include "fs/op/place.h"

/* Describe the directory. 0. */
int control_child(struct op *op, struct child *out);
#endif
