/*
 * The caller and its rights. The kernel checks calls by path against owner and
 * mode; statements, and their results, are checked here by the same rules.
 */
#ifndef FS_OP_OWNER_H
#define FS_OP_OWNER_H
#include <sys/stat.h>
#include <sys/types.h>

#include "store/base/bytes.h"

struct child;
struct node;
struct op;
struct keyspace;
struct table;
struct fs_call;

/* The kernel sends no supplementary groups: they are read from /proc when first
 * needed, or at once if they are kept for later. */
struct credentials {
	uid_t uid;
	gid_t gid;
	pid_t pid;		/* to look up; 0: unknown */
	bool groups_read;
	struct buf groups;	/* gid_t each */
};
/* Set them to those of the call, or of root without one; the groups are not read.
 * c was set to zeros, or used before. */
void credentials_init(struct credentials *c, const struct fs_call *call);
/* Read the groups, once: none if they cannot be read. */
void credentials_read(struct credentials *c);
/* Copy them. 0, -ENOMEM. */
int credentials_copy(struct credentials *to, const struct credentials *from);

/* Set them to what the mount shows in their place (fs_options.shown). */
void owner_show(const struct op *op, uid_t *uid, gid_t *gid, mode_t *mode);
/* Rights, with the bits of a mode. */
enum right { RIGHT_ENTER = 1, RIGHT_WRITE = 2, RIGHT_READ = 4 };
/* True if the caller has all these rights (bits of enum right) on an object
 * with that owner and mode. If another user opened the descriptor (op->opener):
 * if both have them. */
bool caller_may(struct op *op, uid_t uid, gid_t gid, mode_t mode, unsigned rights);
bool caller_may_enter(struct op *op, const struct keyspace *k,
		      const struct table *t);
/* Return the mode of the description of a keyspace or table of that mode: only
 * users who may enter it may read it. */
mode_t owner_mode_of_description(mode_t mode);
mode_t caller_umask(const struct fs_call *call);
/* Return what the caller is making at this moment: a file with O_CREAT | O_EXCL,
 * a directory. UNKNOWN: /proc/PID/syscall is closed to us. */
enum making { MAKES_NOTHING, MAKES_FILE, MAKES_DIRECTORY, MAKES_UNKNOWN };
enum making caller_makes(const struct fs_call *call);
/* Compare what set_owner sets (enum fs_set) with a keyspace's or table's: 1
 * differs, 0; -EPERM: it is not stored. Set it. */
int owner_differs(struct op *op, unsigned set, const struct stat *attr,
		  uid_t uid, gid_t gid, mode_t mode);
void owner_change(unsigned set, const struct stat *attr, uid_t *uid, gid_t *gid,
		  mode_t *mode);
/* Below a table of system_schema: set c's owner and mode to those of the
 * described object, as owner_mode_of_description. */
void owner_guard_description(struct op *op, const struct node *n,
			     struct child *c);
#endif
