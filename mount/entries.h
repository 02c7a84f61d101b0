/* The entries of an open directory in the kernel's form. */
#ifndef MOUNT_ENTRIES_H
#define MOUNT_ENTRIES_H
#include <fuse_lowlevel.h>
#include <stdbool.h>

struct fs_call;
struct mount;

/* Read entries of an open directory from offset on, and reply to req with those
 * that fit into size bytes; plus: with their attributes. The reply that says that
 * there are no more waits for the notices that the call asks for. */
void entries_reply(fuse_req_t req, struct mount *m, struct fs_call *call,
		   uint64_t node, uint64_t handle, uint64_t offset, size_t size,
		   bool plus);
#endif
