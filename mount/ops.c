#include "mount/ops.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>

#include "fs/fs.h"
#include "mount/entries.h"
#include "mount/invalidate.h"
#include "mount/locks.h"
#include "mount/loop.h"
#include "mount/watchdog.h"
#include "store/base/alloc.h"

static struct mount *mount_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static struct fs *fs_of(fuse_req_t req)
{
	const struct mount *m = fuse_req_userdata(req);

	return m->fs;
}

static bool is_interrupted(void *context)
{
	struct mount *m = mount_of(context);

	loop_look(m->loop);
	watchdog_pat(m->watchdog);
	return fuse_req_interrupted(context);
}

static void drop_attributes(void *context, uint64_t node)
{
	invalidate_attributes(mount_of(context), node);
}

static struct fs_call caller(fuse_req_t req)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);

	return (struct fs_call){ .uid = ctx->uid, .gid = ctx->gid,
				 .pid = ctx->pid, .umask = ctx->umask,
				 .interrupted = is_interrupted,
				 .drop_attributes = drop_attributes,
				 .sends_names = true,
				 .context = req };
}

/* ---------------------------------------------------------------- answers */
/*
 * End a call that changes something: the answer is sent when the kernel has
 * dropped its copies.
 */
static void reply_with(fuse_req_t req, struct fs_call *call,
		       int64_t result, struct answer *a)
{
	a->req = req;
	a->result = result;
	if (call->wait_for || call->name_count)
		invalidate_answer(mount_of(req), call, a);
	else
		answer_send(a);
}

static void reply(fuse_req_t req, struct fs_call *call, int64_t result)
{
	struct answer a = { .kind = ANSWER_DONE };

	reply_with(req, call, result, &a);
}

static void reply_attr(fuse_req_t req, struct fs_call *call, int err,
		       const struct stat *attr, double timeout_s)
{
	struct answer a = { .kind = ANSWER_ATTR, .timeout_s = timeout_s };

	if (!err)
		a.attr = *attr;
	reply_with(req, call, err, &a);
}

static struct fuse_entry_param entry_param(const struct fs_entry *entry)
{
	return (struct fuse_entry_param){
		.ino = entry->node,
		.generation = entry->generation,
		.attr = entry->attr,
		.attr_timeout = entry->attr_timeout_s,
		.entry_timeout = entry->entry_timeout_s,
	};
}

static void reply_entry(fuse_req_t req, struct fs_call *call, int err,
			const struct fs_entry *entry)
{
	struct answer a = { .kind = ANSWER_ENTRY };

	if (!err)
		a.entry = entry_param(entry);
	reply_with(req, call, err, &a);
}

/* Send an entry; take its count back if the kernel does not accept it. */
static void send_entry(struct answer *a)
{
	struct fs *fs = fs_of(a->req);	/* the reply frees req */
	struct fs_call nobody = { .pid = 0 };
	int err;

	if (a->kind == ANSWER_CREATED)
		err = fuse_reply_create(a->req, &a->entry, &a->opened);
	else
		err = fuse_reply_entry(a->req, &a->entry);
	if (err < 0 && a->kind == ANSWER_CREATED)
		fs_release(fs, &nobody, a->entry.ino, a->opened.fh);
	if (err < 0 && a->entry.ino)
		fs_forget(fs, a->entry.ino, 1);
}

void answer_send(struct answer *a)
{
	if (a->result < 0)
		fuse_reply_err(a->req, (int)-a->result);
	else if (a->kind == ANSWER_COUNT)
		fuse_reply_write(a->req, (size_t)a->result);
	else if (a->kind == ANSWER_DATA)
		fuse_reply_buf(a->req, (const char *)a->data.ptr, a->data.len);
	else if (a->kind == ANSWER_ATTR)
		fuse_reply_attr(a->req, &a->attr, a->timeout_s);
	else if (a->kind == ANSWER_DONE)
		fuse_reply_err(a->req, 0);
	else
		send_entry(a);
	if (a->kind == ANSWER_DATA)
		buf_release(&a->data);
}

static void set_open(struct fuse_file_info *fi, const struct fs_open_reply *r)
{
	fi->fh = r->handle;
	fi->direct_io = r->direct_io;
	fi->keep_cache = r->keep_cache;
	fi->noflush = r->noflush;
	fi->nonseekable = r->nonseekable;
	fi->cache_readdir = r->cache_readdir;
}

/* ---------------------------------------------------------------- session */
static void want(struct fuse_conn_info *conn, unsigned flags)
{
	conn->want |= conn->capable & flags;
}

static void op_init(void *data, struct fuse_conn_info *conn)
{
	const struct mount *m = data;

	/*
	 * Nothing is spliced. Pages are dropped by our notices, and by any
	 * other size: while a value is pending, its writer gets another one
	 * than the readers, and the kernel, which has one for all, would cut
	 * their pages at the shorter and fill them with zeros at the longer.
	 */
	conn->want &= ~(unsigned)(FUSE_CAP_AUTO_INVAL_DATA |
				  FUSE_CAP_EXPLICIT_INVAL_DATA |
				  FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
				  FUSE_CAP_SPLICE_MOVE |
				  FUSE_CAP_WRITEBACK_CACHE |
				  FUSE_CAP_NO_OPENDIR_SUPPORT);
	want(conn, FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO |
	     FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_READDIRPLUS |
	     FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_PARALLEL_DIROPS |
	     FUSE_CAP_EXPIRE_ONLY | FUSE_CAP_POSIX_LOCKS |
	     FUSE_CAP_FLOCK_LOCKS);
	conn->max_read = m->max_read;	/* the kernel's too, or the session ends */
	conn->max_background = 64;
	conn->congestion_threshold = 48;
}

static void op_statfs(fuse_req_t req, fuse_ino_t node)
{
	struct statvfs st;
	int err = fs_statfs(fs_of(req), &st);

	(void)node;
	if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_statfs(req, &st);
}

/* ------------------------------------------------------------------ names */

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs_call call = caller(req);
	struct fs_entry entry;
	int err = fs_lookup(fs_of(req), &call, parent, name, &entry);

	reply_entry(req, &call, err, &entry);
}

static void op_forget(fuse_req_t req, fuse_ino_t node, uint64_t count)
{
	fs_forget(fs_of(req), node, count);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count,
			    struct fuse_forget_data *forgets)
{
	size_t i;

	for (i = 0; i < count; i++)
		fs_forget(fs_of(req), forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

static void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name,
		     mode_t mode)
{
	struct fs_call call = caller(req);
	struct fs_entry entry;
	int err = fs_mkdir(fs_of(req), &call, parent, name, mode, &entry);

	reply_entry(req, &call, err, &entry);
}

static void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs_call call = caller(req);

	reply(req, &call, fs_rmdir(fs_of(req), &call, parent, name));
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs_call call = caller(req);

	reply(req, &call, fs_unlink(fs_of(req), &call, parent, name));
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
		      fuse_ino_t new_parent, const char *new_name,
		      unsigned flags)
{
	struct fs_call call = caller(req);

	reply(req, &call, fs_rename(fs_of(req), &call, parent, name,
				    new_parent, new_name, flags));
}

/* Links, devices, pipes and sockets: fs refuses them with a reason. */
static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name,
		     mode_t mode, dev_t device)
{
	struct fs_call call = caller(req);
	struct fs_entry entry;

	(void)device;
	if (S_ISREG(mode))
		reply_entry(req, &call,
			    fs_make_file(fs_of(req), &call, parent, name, mode,
					 &entry), &entry);
	else
		reply(req, &call, fs_mknod(fs_of(req), &call, parent, name));
}

static void op_symlink(fuse_req_t req, const char *link, fuse_ino_t parent,
		       const char *name)
{
	(void)link;
	op_mknod(req, parent, name, 0, 0);
}

static void op_link(fuse_req_t req, fuse_ino_t node, fuse_ino_t parent,
		    const char *name)
{
	(void)node;
	op_mknod(req, parent, name, 0, 0);
}

static void op_readlink(fuse_req_t req, fuse_ino_t node)
{
	struct fs_call call = caller(req);
	struct answer a = { .kind = ANSWER_DATA, .data = BUF_INIT };
	int err = fs_readlink(fs_of(req), &call, node, &a.data);

	reply_with(req, &call, err, &a);
}

/* ------------------------------------------------------------- attributes */

static void op_getattr(fuse_req_t req, fuse_ino_t node,
		       struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	struct stat attr;
	double timeout_s = 0;
	int err = fs_getattr(fs_of(req), &call, node, fi ? fi->fh : 0, &attr,
			     &timeout_s);

	reply_attr(req, &call, err, &attr, timeout_s);
}

static unsigned set_flags(int to_set)
{
	static const struct {
		int theirs;
		unsigned ours;
	} flags[] = {
		{ FUSE_SET_ATTR_MODE, FS_SET_MODE },
		{ FUSE_SET_ATTR_UID, FS_SET_UID },
		{ FUSE_SET_ATTR_GID, FS_SET_GID },
		{ FUSE_SET_ATTR_SIZE, FS_SET_SIZE },
		{ FUSE_SET_ATTR_ATIME, FS_SET_ATIME },
		{ FUSE_SET_ATTR_MTIME, FS_SET_MTIME },
		{ FUSE_SET_ATTR_MTIME_NOW, FS_SET_MTIME_NOW },
	};
	unsigned set = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (to_set & flags[i].theirs)
			set |= flags[i].ours;
	if (set & FS_SET_MTIME_NOW)
		set &= ~(unsigned)FS_SET_MTIME;
	return set;
}

static void op_setattr(fuse_req_t req, fuse_ino_t node, struct stat *attr,
		       int to_set, struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	double timeout_s = 0;
	int err = fs_setattr(fs_of(req), &call, node, fi ? fi->fh : 0,
			     set_flags(to_set), attr, &timeout_s);

	reply_attr(req, &call, err, attr, timeout_s);
}

/*
 * Answer without a look at the data: ACLs and security labels are not stored,
 * and EOPNOTSUPP makes ls and the kernel stop asking. 0: look.
 */
static int xattr_refusal(fuse_req_t req, const char *name)
{
	if (mount_of(req)->no_xattr)
		return ENOSYS;
	if (!strncmp(name, "user.", 5))
		return 0;
	return EOPNOTSUPP;
}

static void reply_xattr(fuse_req_t req, int64_t n, const void *value,
			size_t size)
{
	if (n < 0)
		fuse_reply_err(req, (int)-n);
	else if (!size)
		fuse_reply_xattr(req, (size_t)n);
	else
		fuse_reply_buf(req, value, (size_t)n);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t node, const char *name,
			size_t size)
{
	struct fs_call call = caller(req);
	int refusal = xattr_refusal(req, name);
	char small[256];
	char *value = small;
	int64_t n;

	if (refusal) {
		fuse_reply_err(req, refusal);
		return;
	}
	if (size > sizeof(small))
		value = mem_alloc(size);
	n = value ? fs_getxattr(fs_of(req), &call, node, name, value, size)
		  : -ENOMEM;
	reply_xattr(req, n, value, size);
	if (value != small)
		mem_free(value);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t node, size_t size)
{
	struct fs_call call = caller(req);
	char small[256];
	char *list = small;
	int64_t n;

	if (mount_of(req)->no_xattr) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	if (size > sizeof(small))
		list = mem_alloc(size);
	n = list ? fs_listxattr(fs_of(req), &call, node, list, size) : -ENOMEM;
	reply_xattr(req, n, list, size);
	if (list != small)
		mem_free(list);
}

static void op_setxattr(fuse_req_t req, fuse_ino_t node, const char *name,
			const char *value, size_t size, int flags)
{
	struct fs_call call = caller(req);
	int refusal = xattr_refusal(req, name);

	if (refusal)
		fuse_reply_err(req, refusal);
	else
		reply(req, &call, fs_setxattr(fs_of(req), &call, node, name,
					      bytes_of(value, size), flags));
}

static void op_removexattr(fuse_req_t req, fuse_ino_t node, const char *name)
{
	struct fs_call call = caller(req);
	int refusal = xattr_refusal(req, name);

	if (refusal)
		fuse_reply_err(req, refusal);
	else
		reply(req, &call,
		      fs_removexattr(fs_of(req), &call, node, name));
}

/* ------------------------------------------------------------------ files */

static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name,
		      mode_t mode, struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	struct fs_entry entry;
	struct fs_open_reply opened = { .handle = 0 };
	struct answer a = { .kind = ANSWER_CREATED };
	int err = fs_create(fs_of(req), &call, parent, name, mode, fi->flags,
			    &entry, &opened);

	if (!err) {
		set_open(fi, &opened);
		a.opened = *fi;
		a.entry = entry_param(&entry);
	}
	reply_with(req, &call, err, &a);
}

/* Reply to an open, which is closed again if the kernel does not take it. */
static void reply_open(fuse_req_t req, struct fs_call *call, fuse_ino_t node,
		       struct fuse_file_info *fi, int err,
		       const struct fs_open_reply *opened,
		       int (*close)(struct fs *fs, struct fs_call *call,
				    uint64_t node, uint64_t handle))
{
	struct fs *fs = fs_of(req);	/* req is freed by the reply */

	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	set_open(fi, opened);
	if (fuse_reply_open(req, fi) < 0)
		close(fs, call, node, opened->handle);
}

static void op_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	struct fs_open_reply opened = { .handle = 0 };
	int err = fs_open_file(fs_of(req), &call, node, fi->flags, &opened);

	reply_open(req, &call, node, fi, err, &opened, fs_release);
}

static void op_read(fuse_req_t req, fuse_ino_t node, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	struct answer a = { .kind = ANSWER_DATA, .data = BUF_INIT };
	int err = fs_read(fs_of(req), &call, node, fi->fh, (uint64_t)offset,
			  size, &a.data);

	reply_with(req, &call, !err && a.data.failed ? -ENOMEM : err, &a);
}

static void op_write(fuse_req_t req, fuse_ino_t node, const char *data,
		     size_t size, off_t offset, struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	struct answer a = { .kind = ANSWER_COUNT };

	call.cached = fi->writepage;
	reply_with(req, &call,
		   fs_write(fs_of(req), &call, node, fi->fh, (uint64_t)offset,
			    bytes_of(data, size)), &a);
}

/* The value is stored before another gets the lock. */
/* Decline: the kernel copies pages itself. Those of a document may be of several
 * texts: cp reads it then. */
static void op_copy(fuse_req_t req, fuse_ino_t from, off_t offset,
		    struct fuse_file_info *fi, fuse_ino_t to, off_t to_offset,
		    struct fuse_file_info *to_fi, size_t size, int flags)
{
	(void)from, (void)offset, (void)to, (void)to_offset, (void)to_fi;
	(void)size, (void)flags;
	fuse_reply_err(req, fs_handle_is_heavy(fi->fh) ? EINVAL : EXDEV);
}

static void op_flush(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	int err = fs_flush(fs_of(req), &call, node, fi->fh);

	fs_drop_locks(fs_of(req), fi->fh, fi->lock_owner);
	reply(req, &call, err);
}

static void op_fsync(fuse_req_t req, fuse_ino_t node, int data_only,
		     struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);

	(void)data_only;
	reply(req, &call, fs_fsync(fs_of(req), &call, node, fi->fh));
}

static void op_release(fuse_req_t req, fuse_ino_t node,
		       struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);

	reply(req, &call, fs_release(fs_of(req), &call, node, fi->fh));
}

/* ------------------------------------------------------------ directories */
static void op_opendir(fuse_req_t req, fuse_ino_t node,
		       struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);
	struct fs_open_reply opened = { .handle = 0 };
	int err = fs_opendir(fs_of(req), &call, node, &opened);

	reply_open(req, &call, node, fi, err, &opened, fs_releasedir);
}

static void op_readdir(fuse_req_t req, fuse_ino_t node, size_t size,
		       off_t offset, struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);

	entries_reply(req, mount_of(req), &call, node, fi->fh,
		      (uint64_t)offset, size, false);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t node, size_t size,
			   off_t offset, struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);

	entries_reply(req, mount_of(req), &call, node, fi->fh,
		      (uint64_t)offset, size, true);
}

static void op_releasedir(fuse_req_t req, fuse_ino_t node,
			  struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);

	reply(req, &call, fs_releasedir(fs_of(req), &call, node, fi->fh));
}

static void op_fsyncdir(fuse_req_t req, fuse_ino_t node, int data_only,
			struct fuse_file_info *fi)
{
	struct fs_call call = caller(req);

	(void)data_only, (void)fi;
	reply(req, &call, fs_fsyncdir(fs_of(req), &call, node));
}

const struct fuse_lowlevel_ops mount_ops = {
	.init = op_init, .statfs = op_statfs, .lookup = op_lookup,
	.forget = op_forget, .forget_multi = op_forget_multi,
	.mkdir = op_mkdir, .rmdir = op_rmdir, .unlink = op_unlink,
	.rename = op_rename, .mknod = op_mknod, .symlink = op_symlink,
	.readlink = op_readlink,
	.link = op_link, .getattr = op_getattr, .setattr = op_setattr,
	.getxattr = op_getxattr, .listxattr = op_listxattr,
	.setxattr = op_setxattr, .removexattr = op_removexattr,
	.create = op_create, .open = op_open, .read = op_read,
	.write = op_write, .flush = op_flush, .fsync = op_fsync,
	.release = op_release,
	.getlk = locks_op_get, .setlk = locks_op_set, .flock = locks_op_flock,
	.opendir = op_opendir, .readdir = op_readdir,
	.readdirplus = op_readdirplus, .releasedir = op_releasedir,
	.fsyncdir = op_fsyncdir, .copy_file_range = op_copy,
};
