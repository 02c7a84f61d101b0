/* A call on a name in a directory: what lookup, mkdir, unlink, rename and create
 * begin and end with. */
#ifndef FS_AT_H
#define FS_AT_H
#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"

struct child;
struct fs;
struct fs_call;
struct fs_entry;
struct node;
struct node_rooms;
struct op;

/* A call between at_begin, which sets all of it, and at_end. */
struct at {
	struct op *op;
	struct node *dir;	/* a reference */
	uint64_t number;	/* by which the kernel has it */
	struct bytes name;	/* the caller's; ends with a 0 */
	struct node_rooms *rooms;	/* for at_fill_entry; the caller may set
					 * them after at_begin */
};

/*
 * Begin a call on name in the directory parent; changes: it may change the
 * tree. 0, then the caller calls at_end. -errno, then nothing is held.
 */
int at_begin(struct at *at, struct fs *fs, struct fs_call *call,
	     uint64_t parent, const char *name, bool changes);
/* Fill in the entry of n, which was found or made (stat_fill_entry), for the
 * kernel's number of the directory. 0 or, where n is one, -ENOMEM. */
int at_fill_entry(struct at *at, struct node *n, struct child *c,
		  struct fs_entry *entry);
/* End the call, and put its op and directory. Returns err, or another error.
 * The kernel holds the directory's lock. */
int at_end(struct at *at, int err);
/* Return the error of a call in a directory whose table or snapshot may be gone:
 * its caller is told to look again once at most; or -ERESTART (kind/waiting.h).
 * Other errors are unchanged. */
int at_or_lost(struct at *at, int err);
#endif
