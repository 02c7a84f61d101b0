/*
 * Who asks, and what he may. The kernel holds calls by path to owner and mode;
 * statements, and what they show, are held to the same here.
 */
#ifndef FS_OP_OWNER_H
#define FS_OP_OWNER_H
#include <sys/types.h>

#include "store/base/bytes.h"

struct op;
struct keyspace;
struct table;
struct fs_call;

/* The kernel sends no supplementary groups: they are read in /proc, when they
 * first matter, or all at once where they are kept for later. */
struct credentials {
	uid_t uid;
	gid_t gid;
	pid_t pid;		/* to look up; 0: unknown */
	bool groups_read;
	struct buf groups;	/* gid_t each */
};
void credentials_init(struct credentials *c, const struct fs_call *call);
void credentials_read(struct credentials *c);
/* 0, -ENOMEM. */
int credentials_copy(struct credentials *to, const struct credentials *from);

/* As the bits of a mode. */
enum right { RIGHT_ENTER = 1, RIGHT_WRITE = 2, RIGHT_READ = 4 };
/* May the caller do all this (bits of enum right) to what has that owner and
 * mode? Where a descriptor was opened by another (op->opener): may both? */
bool caller_may(struct op *op, uid_t uid, gid_t gid, mode_t mode, unsigned rights);
bool caller_may_enter(struct op *op, const struct keyspace *k,
		      const struct table *t);
/* Of what describes a keyspace or table of that mode: only who may enter it may
 * read it. */
mode_t mode_of_description(mode_t mode);
mode_t caller_umask(const struct fs_call *call);
#endif
