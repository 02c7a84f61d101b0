/* A notice, by which the kernel is told to drop a copy that it may hold. fs.h
 * says in what order they are sent. */
#ifndef FS_NODE_KERNEL_NOTICE_H
#define FS_NODE_KERNEL_NOTICE_H
#include <stdbool.h>
#include <stdint.h>

enum fs_notice_kind {
	FS_NOTICE_ATTRIBUTES,	/* inval_inode, offset < 0 */
	FS_NOTICE_PAGES,	/* inval_inode 0, 0: attributes and pages, or
				 * a directory's cached listing */
	FS_NOTICE_ENTRY,	/* inval_entry: name in node */
	FS_NOTICE_EPOCH,	/* every cached name is stale (INC_EPOCH) */
	FS_NOTICE_PRUNE,	/* it holds too many: drop fs_idle_nodes */
};
struct fs_notice {
	uint64_t number;	/* 1, 2, ... */
	enum fs_notice_kind kind;
	uint64_t node;		/* of an ENTRY: the directory */
	char *name;		/* ENTRY: the receiver's (mem_free) */
	bool directory;		/* ENTRY: of a directory (expire, not drop) */
};
/* For a PRUNE: nodes that the kernel is asked to drop at a time. */
#define FS_IDLE_NODES 128
enum fs_notice_lock { FS_NOTICES_INODES, FS_NOTICES_NAMES, FS_NOTICE_LOCKS };
#endif
