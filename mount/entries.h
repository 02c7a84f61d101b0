/* The entries of an open directory in the kernel's form. */
#ifndef MOUNT_ENTRIES_H
#define MOUNT_ENTRIES_H
#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"

struct fs_entry;

/* A batch of entries, built as they come. ptr: size bytes of the caller's. */
struct directory_reply {
	char *ptr;
	size_t len, size;
	bool plus;
	/* Nodes whose count was raised, in case the reply is not accepted. */
	struct buf counted;
};

/* Add an entry to context, a struct directory_reply, for fs_readdir: 0, or 1 if
 * there is no room or memory for it. */
int entries_fill(void *context, const char *name, size_t len,
		 const struct fs_entry *entry, uint64_t cookie);
#endif
