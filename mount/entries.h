/* The entries of an open directory in the kernel's form. */
#ifndef MOUNT_ENTRIES_H
#define MOUNT_ENTRIES_H
#include <fuse_lowlevel.h>
#include <stdbool.h>

struct fs;
struct fs_call;

/* Read entries of an open directory from offset on, and reply to req with those
 * that fit into size bytes; plus: with their attributes. */
void entries_reply(fuse_req_t req, struct fs *fs, struct fs_call *call,
		   uint64_t node, uint64_t handle, uint64_t offset, size_t size,
		   bool plus);
#endif
