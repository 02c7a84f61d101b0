#include "mount/locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>

#include "fs/fs.h"
#include "mount/loop.h"
#include "mount/ops.h"

static struct fs *fs_of(fuse_req_t req)
{
	return ((struct mount *)fuse_req_userdata(req))->fs;
}

/* Asked under the lock of the table: nothing else is served here. */
static bool is_interrupted(void *req)
{
	return fuse_req_interrupted(req);
}

void locks_answer(void *req, int err)
{
	fuse_reply_err(req, -err);
}

/* The library calls this at once where the interrupt has come already: then
 * the request does not wait yet, and fs_set_lock asks. */
static void interrupt(fuse_req_t req, void *data)
{
	(void)data;
	fs_interrupt_lock(fs_of(req), req);
}

static struct fs_lock lock_of(const struct fuse_file_info *fi,
			      const struct flock *from)
{
	struct fs_lock lock = { .owner = fi->lock_owner, .pid = from->l_pid,
				.start = (uint64_t)from->l_start,
				.end = INT64_MAX };

	/* The kernel has checked the range, and counts from the begin. */
	if (from->l_len)
		lock.end = lock.start + (uint64_t)from->l_len - 1;
	lock.type = from->l_type == F_RDLCK ? FS_LOCK_READ :
		    from->l_type == F_WRLCK ? FS_LOCK_WRITE : FS_LOCK_NONE;
	return lock;
}

/* The holder of the lock may have closed the file before this call. */
static void settle(fuse_req_t req)
{
	loop_settle(((struct mount *)fuse_req_userdata(req))->loop);
}

static void set(fuse_req_t req, const struct fuse_file_info *fi,
		const struct fs_lock *lock, bool waits)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	struct fs_call call = { .uid = ctx->uid, .gid = ctx->gid,
				.pid = ctx->pid,
				.interrupted = is_interrupted,
				.context = req };
	int err;

	/* Before it waits: then it may be answered at any moment. */
	if (waits)
		fuse_req_interrupt_func(req, interrupt, NULL);
	err = fs_set_lock(fs_of(req), &call, fi->fh, lock, waits ? req : NULL);
	if (err == -EAGAIN) {
		settle(req);
		err = fs_set_lock(fs_of(req), &call, fi->fh, lock, NULL);
	}
	if (err != FS_LOCK_WAITS)
		fuse_reply_err(req, -err);
}

void locks_op_set(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi,
		  struct flock *from, int sleep)
{
	struct fs_lock lock = lock_of(fi, from);

	(void)node;
	set(req, fi, &lock, sleep);
}

void locks_op_get(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi,
		  struct flock *lock)
{
	struct fs_lock found = lock_of(fi, lock);

	(void)node;
	fs_get_lock(fs_of(req), fi->fh, &found);
	if (found.type != FS_LOCK_NONE) {
		settle(req);
		found = lock_of(fi, lock);
		fs_get_lock(fs_of(req), fi->fh, &found);
	}
	lock->l_type = found.type == FS_LOCK_READ ? F_RDLCK :
		       found.type == FS_LOCK_WRITE ? F_WRLCK : F_UNLCK;
	lock->l_start = (off_t)found.start;
	lock->l_len = found.end == INT64_MAX ?
			      0 : (off_t)(found.end - found.start + 1);
	lock->l_pid = found.pid;
	fuse_reply_lock(req, lock);
}

void locks_op_flock(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi,
		    int how)
{
	struct fs_lock lock = { .owner = fi->lock_owner,
				.pid = fuse_req_ctx(req)->pid, .flock = true,
				.end = INT64_MAX };

	(void)node;
	lock.type = how & LOCK_SH ? FS_LOCK_READ :
		    how & LOCK_EX ? FS_LOCK_WRITE : FS_LOCK_NONE;
	set(req, fi, &lock, !(how & (LOCK_NB | LOCK_UN)));
}
