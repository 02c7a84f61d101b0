/* The figures of a mount: those of its store, and what it serves and holds. */
#ifndef FS_KIND_CONTROL_FIGURES_H
#define FS_KIND_CONTROL_FIGURES_H
#include "fs/op/op.h"

/* Append them for people, and for Prometheus. Tables that the caller may not
 * enter are not shown. 0, -ENOMEM. */
int control_figures_print(struct op *op, struct buf *out);
int control_figures_metrics(struct op *op, struct buf *out);
#endif
