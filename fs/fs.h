/*
 * The tree: a store as files and directories (fs/README.md is the contract).
 * mount/ translates the kernel's requests into these calls and back; nothing
 * here knows libfuse.
 *
 * Every call returns 0 or -errno, may come from any thread, and takes first a
 * struct fs_call: the caller, and afterwards the notices that the reply has to
 * wait for. Names are bytes ended by 0, as the kernel sends them.
 *
 * Node numbers are 64-bit, never used again; the root is FS_ROOT. lookup,
 * mkdir, create and each entry of readdirplus that the filler took add one to
 * the node's count; fs_forget takes counts back (also when a reply could not be
 * sent). A node is kept while its count is above 0 or a handle is open.
 *
 * Notices: copies that the kernel may still hold and must drop are queued by
 * the call that changed them, and by the timer. Notices of inodes (attributes,
 * pages, nodes to drop, and the epoch) take no lock of an inode or directory;
 * those of names take the lock of the directory. Each kind has its queue, which one thread of
 * the mount's takes with fs_notices_take and sends in order. When a call leaves
 * call->wait_for above 0, its reply must be sent when the notices up to that
 * number have been ("visible before the call returns"): all of them, or with
 * call->locked only those of inodes. The kernel holds a lock of the file or the
 * directory then, and to drop a name it may need the same. A stale name whose
 * inode was dropped is checked when it is used, and found to be gone. Where the
 * inode cannot be dropped, as readers hold it, call->names has the names, to be
 * dropped before the reply by a thread of their own. With call->names_below
 * they are in directories below those that the kernel has locked for the call.
 * Else a rename onto the file that is written, out of such a directory, would
 * wait for the call and hold up the names: the reply waits for them a moment
 * only.
 */
#ifndef FS_FS_H
#define FS_FS_H
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "fs/node/call.h"
#include "fs/node/kernel_notice.h"
#include "fs/node/requests.h"
#include "store/base/bytes.h"

struct charge;
struct store;
struct fs;

#define FS_ROOT 1

struct fs_options {
	uid_t uid;		/* mounter: owns the root and the files of */
	gid_t gid;		/* control */
	struct fs_shown shown;
	uint64_t max_value;	/* bytes of one value; 0: 256 MiB */
	uint64_t scratch_max;	/* bytes of all scratch files; 0: 64 MiB */
	uint64_t memtable_bytes;	/* the store's; 0: its default */
	uint64_t max_nodes;	/* that only the kernel holds; 0: default */
	const char *keyspace;	/* the root lists only this one; or NULL */
	bool read_only;
	const char *store_path;	/* for statfs and .widefs/options */
	const char *version;	/* of the program; NULL: "unknown" */
	const char *options_text;	/* lines for .widefs/options; or NULL */
	/* Answers a waiter for a lock (fs_set_lock): it has the lock (0), or
	 * why not. Any thread. NULL: nobody waits. */
	void (*lock_done)(void *waiter, int err);
};
/* Set the defaults. */
void fs_options_init(struct fs_options *o);
/* Open a tree. The store stays the caller's and must outlive it; strings are
 * copied. */
int fs_open(struct fs **out, struct store *s, const struct fs_options *o);
/*
 * Close it; no call may be under way. Pending values of open handles are
 * committed (as their close would), scratch files are removed. NULL is
 * accepted.
 */
int fs_close(struct fs *fs);
/* Commit pending values and sync the log: before unmounting. */
int fs_flush_all(struct fs *fs);

/* ---------------------------------------------------------------- names */
int fs_lookup(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, struct fs_entry *entry);
void fs_forget(struct fs *fs, uint64_t node, uint64_t count);
int fs_mkdir(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name, mode_t mode, struct fs_entry *entry);
int fs_rmdir(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name);
int fs_unlink(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name);
/* Refuse links, devices, pipes and sockets, which the tree does not have:
 * -EPERM, with the reason in the errors. */
int fs_mknod(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name);
/* Append where a symbolic link leads to. */
int fs_readlink(struct fs *fs, struct fs_call *call, uint64_t node,
		struct buf *out);
/* flags: RENAME_NOREPLACE is honoured, the others are EINVAL. */
int fs_rename(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, uint64_t new_parent, const char *new_name,
	      unsigned flags);

/* ----------------------------------------------------------- attributes */
/* handle: of an open file, if the kernel sends one; else 0. */
int fs_getattr(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle, struct stat *attr, double *timeout_s);
/* set: the members of attr to set; attr then has all of the new attributes. */
int fs_setattr(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle, unsigned set, struct stat *attr,
	       double *timeout_s);
/* Value and list: the length, or -errno; size 0 asks only for the length. */
int64_t fs_getxattr(struct fs *fs, struct fs_call *call, uint64_t node,
		    const char *name, void *value, size_t size);
int64_t fs_listxattr(struct fs *fs, struct fs_call *call, uint64_t node,
		     void *list, size_t size);
/* flags: XATTR_CREATE, XATTR_REPLACE. */
int fs_setxattr(struct fs *fs, struct fs_call *call, uint64_t node,
		const char *name, struct bytes value, int flags);
int fs_removexattr(struct fs *fs, struct fs_call *call, uint64_t node,
		   const char *name);
int fs_statfs(struct fs *fs, struct statvfs *out);

/* ---------------------------------------------------------------- files */
/* flags: those of open(2); O_TRUNC arrives here (ATOMIC_O_TRUNC). */
int fs_create(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, mode_t mode, int flags,
	      struct fs_entry *entry, struct fs_open_reply *reply);
/* mknod of a regular file: it stays without an open only if its type has an
 * empty value. */
int fs_make_file(struct fs *fs, struct fs_call *call, uint64_t parent,
		 const char *name, mode_t mode, struct fs_entry *entry);
int fs_open_file(struct fs *fs, struct fs_call *call, uint64_t node, int flags,
		 struct fs_open_reply *reply);
/* Appends at most size bytes to out; fewer only at the end of the file. */
int fs_read(struct fs *fs, struct fs_call *call, uint64_t node, uint64_t handle,
	    uint64_t offset, size_t size, struct buf *out);
/* Returns the count taken or -errno. */
int64_t fs_write(struct fs *fs, struct fs_call *call, uint64_t node,
		 uint64_t handle, uint64_t offset, struct bytes data);
int fs_flush(struct fs *fs, struct fs_call *call, uint64_t node,
	     uint64_t handle);
int fs_fsync(struct fs *fs, struct fs_call *call, uint64_t node,
	     uint64_t handle);
int fs_release(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle);

/* True if a read, a write or a flush of the file may take long, because it runs
 * statements or makes a document. */
bool fs_handle_is_heavy(uint64_t handle);

/* Charge a request of that many bytes, which waits for others, to its user
 * until fs_waits_no_more (NULL is accepted). -ENOSPC: he has too many; -ENOMEM:
 * and then *out is NULL. */
int fs_waits(struct fs *fs, uid_t uid, size_t bytes, struct charge **out);
void fs_waits_no_more(struct fs *fs, struct charge *charge);
/* Note that a request of this call's ends with -ENOSPC: too many of its user's
 * wait. */
void fs_refuse_waiting(struct fs *fs, struct fs_call *call);

/* Count a request that was served and began at that time (of the monotonic
 * clock): for .widefs/metrics. */
void fs_served(struct fs *fs, enum request_kind kind, uid_t uid, pid_t pid,
	       uint64_t begun_ns);

/* ---------------------------------------------------------------- locks */
/* Set *lock to one that excludes it, or its type to none: 0. */
int fs_get_lock(struct fs *fs, uint64_t handle, struct fs_lock *lock);
/*
 * Set a lock, or drop it. 0, -EAGAIN, -ENOLCK, and with a waiter -EDEADLK,
 * -EINTR (call->interrupted says so of him, and must not call the tree), or
 * FS_LOCK_WAITS: lock_done is called for him, or has been already.
 */
#define FS_LOCK_WAITS 1
int fs_set_lock(struct fs *fs, struct fs_call *call, uint64_t handle,
		const struct fs_lock *lock, void *waiter);
/* His call was interrupted: if he waits, he is answered -EINTR. */
void fs_interrupt_lock(struct fs *fs, void *waiter);
/* A descriptor is closed: the locks of fcntl that this owner has on the file
 * go. */
void fs_drop_locks(struct fs *fs, uint64_t handle, uint64_t owner);
/* True if a lock was set by this open file. */
bool fs_handle_has_locks(uint64_t handle);
/* Answer all waiters -ENOLCK; nobody waits from now on. */
void fs_locks_stop(struct fs *fs);

/* ---------------------------------------------------------- directories */
int fs_opendir(struct fs *fs, struct fs_call *call, uint64_t node,
	       struct fs_open_reply *reply);
/*
 * Fill in entries after cookie (0: from the beginning) until fill has no room
 * or the end is reached (then 0 and nothing is filled). "." and ".." come too,
 * without a count.
 */
int fs_readdir(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle, uint64_t cookie, bool plus, fs_fill *fill,
	       void *context);
/* True if reading the open directory may take long, because it runs a query. */
bool fs_directory_is_heavy(uint64_t handle);
int fs_releasedir(struct fs *fs, struct fs_call *call, uint64_t node,
		  uint64_t handle);
int fs_fsyncdir(struct fs *fs, struct fs_call *call, uint64_t node);

/* -------------------------------------------------------------- notices */
/*
 * Wait at most timeout_ms (-1: without end) for notices of one queue. Returns
 * the number of those taken (up to max), 0 on timeout or after fs_notices_stop.
 */
size_t fs_notices_take(struct fs *fs, enum fs_notice_lock lock,
		       struct fs_notice *out, size_t max, int timeout_ms);
/* Add the same notice once more (its name is copied), if it was not sent. */
void fs_notices_add(struct fs *fs, const struct fs_notice *notice);
/* Note that the notices taken last have been sent. */
void fs_notices_sent(struct fs *fs, enum fs_notice_lock lock);
/* Return for each queue the number of the first that was not sent, or
 * UINT64_MAX. */
void fs_notices_pending(struct fs *fs, uint64_t first[FS_NOTICE_LOCKS]);
/*
 * Choose nodes, at most max, that only the kernel's caches hold and that it
 * should drop: returns how many. The kernel knows which of them it uses, and
 * keeps these. files: no directories.
 */
size_t fs_idle_nodes(struct fs *fs, bool files, uint64_t *nodes, size_t max);
/*
 * Add notices of the names of these files, for a kernel that cannot drop nodes by
 * number. (A directory without its name would have no path for the processes that
 * work in it.)
 */
void fs_drop_idle_names(struct fs *fs, const uint64_t *nodes, size_t count);
/* Wake the takers for good; from now on nothing is queued and nothing waits. */
void fs_notices_stop(struct fs *fs);

/*
 * Drop expired cells from the kernel's caches. Called each second by the
 * mount's timer with the present time (seconds); returns when to call it next.
 */
int64_t fs_timer(struct fs *fs, int64_t now_s);
/* Return the bytes that were freed since the tree was opened of large texts (pending
 * values, texts of readers, statements) and of blocks that left the cache. */
uint64_t fs_large_freed(const struct fs *fs);
#endif
