/* Arguments and replies of the calls of fs.h. */
#ifndef FS_NODE_CALL_H
#define FS_NODE_CALL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct fs_notice;

#define FS_FOREVER 86400.0	/* of a timeout, in seconds */

struct fs_call {
	uid_t uid;
	gid_t gid;
	pid_t pid;		/* 0: unknown (another namespace) */
	mode_t umask;		/* of create and mkdir only */
	bool cached;		/* of a write: from the kernel's pages */
	/* out: reply when the notices up to this number are sent: fs.h. 0: at
	 * once. */
	uint64_t wait_for;
	bool locked;		/* out: do not wait for notices of names */
	bool sends_names;	/* the caller can send names: fs.h */
	/* out, if it can: names to be sent before the reply; the array and the
	 * names in it are the caller's (mem_free). */
	struct fs_notice *names;
	size_t name_count;
	bool names_below;	/* out: they are below the locked directories */
	/* True if the caller has been interrupted meanwhile. NULL: unknown. */
	bool (*interrupted)(void *context);
	/*
	 * Make the kernel drop the attributes of this node at once, before the
	 * reply. The kernel takes no lock for that. NULL: a notice does it.
	 */
	void (*drop_attributes)(void *context, uint64_t node);
	void *context;
};

struct fs_entry {
	uint64_t node;		/* 0: a name without a node (readdirplus) */
	uint64_t generation;
	struct stat attr;
	double entry_timeout_s, attr_timeout_s;
};

/* The reply to an open; handle goes with every later call. */
struct fs_open_reply {
	uint64_t handle;
	bool direct_io, keep_cache, noflush, nonseekable, cache_readdir;
};

enum fs_set {
	FS_SET_MODE = 1, FS_SET_UID = 2, FS_SET_GID = 4, FS_SET_SIZE = 8,
	FS_SET_ATIME = 16, FS_SET_MTIME = 32,
	FS_SET_MTIME_NOW = 64,	/* now: attr's time is not read */
};

/* What everything has in place of its own owner, group and mode: what set (of enum
 * fs_set) names. */
struct fs_shown {
	unsigned set;
	uid_t uid;
	gid_t gid;
	mode_t mode;
};

enum fs_lock_type { FS_LOCK_NONE, FS_LOCK_READ, FS_LOCK_WRITE };
/* A lock of a file, or one that is wanted: node/locks.h. */
struct fs_lock {
	uint64_t owner;		/* a number of the kernel's */
	pid_t pid;
	bool flock;		/* else of fcntl */
	enum fs_lock_type type;	/* NONE: no lock, to drop one */
	uint64_t start, end;	/* bytes, the last one included; at most
				 * INT64_MAX. Of flock: all */
};

/*
 * Take one entry: 0, or 1 if there is no room for it (it comes again in the
 * next call). Always set: name, entry->attr.st_ino and the type in st_mode;
 * with plus everything. cookie: where the next call continues after it.
 */
typedef int fs_fill(void *context, const char *name, size_t len,
		    const struct fs_entry *entry, uint64_t cookie);
#endif
