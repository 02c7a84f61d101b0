/* A call on a name in a directory: what lookup, mkdir, unlink, rename and create
 * begin and end with. */
#ifndef FS_AT_H
#define FS_AT_H
#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"

struct fs;
struct fs_call;
struct node;
struct op;

/* After at_begin all are set. */
struct at {
	struct op *op;
	struct node *dir;	/* a reference */
	struct bytes name;	/* the caller's; ends with a 0 */
};

/*
 * Begin a call on name in the directory parent; changes: it may change the
 * tree. 0, then the caller calls at_end. -errno, then nothing is held.
 */
int at_begin(struct at *at, struct fs *fs, struct fs_call *call,
	     uint64_t parent, const char *name, bool changes);
/* End the call, and put its op and directory. Returns err, or another error.
 * The kernel holds the directory's lock. */
int at_end(struct at *at, int err);
/* Return the error of a call in a directory whose table or snapshot may be gone:
 * its caller is told to look again once at most; or -ERESTART (kind/waiting.h).
 * Other errors are unchanged. */
int at_or_lost(struct at *at, int err);
#endif
