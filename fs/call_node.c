/* Calls on one node: attributes, extended attributes, the whole disk. */
#include <errno.h>
#include <sys/xattr.h>

#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/leave.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view.h"
#include "fs/file/view_look.h"
#include "fs/file/write_buffer.h"
#include "fs/file/xattr.h"
#include "fs/fs.h"
#include "fs/kind/keyspace.h"
#include "fs/kind/waiting.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/errors.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/twin.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

struct on {
	struct op *op;
	struct node *n;
};

/* True if it was removed, or made by open and not committed yet: its
 * descriptors live on. */
static bool is_open_file(struct node *n)
{
	return !n->ops->directory && atomic_load(&n->opens);
}

/* Return the error of a call by path or descriptor on n, whose table or snapshot
 * may be gone: by path, its caller is told to look again once at most; or
 * -ERESTART (kind/waiting.h). */
static int node_or_lost(struct on *on, int err)
{
	if (err != -ESTALE)
		return err;
	if (waiting_restarts(on->op, on->n))
		return -ERESTART;
	return is_open_file(on->n) ? err : view_lost(on->op, on->n);
}

static int on_begin(struct on *on, struct fs *fs, struct fs_call *call,
		    uint64_t node, bool changes)
{
	int err;

	on->n = waiting_node(fs, node);
	if (!on->n)
		return -ESTALE;
	on->op = op_begin(fs, call);
	if (!on->op) {
		node_put(&fs->nodes, on->n);
		return -ENOMEM;
	}
	err = op_enter(on->op, on->n);
	if (err == -ESTALE && !is_open_file(on->n))	/* its snapshot is gone */
		err = view_lost(on->op, on->n);
	if (!err && changes && (fs_is_read_only(fs) || on->n->snapshot))
		err = -EROFS;
	if (err) {
		err = op_end(on->op, err, on->n, NULL);
		node_put(&fs->nodes, on->n);
		return err;
	}
	if (changes && !on->n->ops->directory)
		leave_wait(fs, on->n);
	op_watch(on->op, on->n);
	on->op->bound = on->n;
	return 0;
}

/* End the call. The kernel holds the inode's lock. */
static int on_end(struct on *on, int err)
{
	struct fs *fs = on->op->fs;
	struct fs_call *call = on->op->call;

	err = op_end(on->op, err, on->n, NULL);
	if (call)
		call->locked = true;
	node_put(&fs->nodes, on->n);
	return err;
}

/* True if the node no longer exists, by that error of its attributes: its
 * caller looks again. Some directories have no attributes. */
static bool is_missing(struct node *n, int err)
{
	if (err == -ENOENT && n->ops->directory)
		return atomic_load(&n->flags) & NODE_GONE;
	return err == -ENOENT || (err == -ESTALE && !is_open_file(n));
}

/* Get attributes. id: the number by which the kernel asked. No notice reaches
 * attributes kept under the number from before a rename: it may keep none. */
static int get_attr(struct op *op, struct node *n, uint64_t id,
		    struct handle *h, struct stat *attr, double *timeout_s)
{
	bool first = view_asks(op, n), missed;
	struct child c;
	int err = stat_node(op, n, &c);
	bool is_read = err && view_shows(op->fs, n, &c);
	bool open_only = is_read || (err == -ENOENT && is_open_file(n));
	struct node *named = NULL;
	uint64_t size;

	/* An open of the file returns -ESTALE, and its caller looks again. */
	if (err == -ENOENT && !n->ops->directory && !n->orphan &&
	    !is_read && (atomic_load(&n->flags) & NODE_GONE)) {
		err = stat_lookup(op, n->parent, node_name(n), &c, &named);
		node_put(&op->fs->nodes, named);
		open_only &= err != 0;
	}
	missed = !open_only && is_missing(n, err);
	if (missed && n->ops->directory && waiting_restarts(op, n))
		return -ERESTART;
	if (missed)
		err = view_missed(op, n, first, &c);
	if (open_only) {
		op->reason[0] = 0;
		if (!is_read) {
			stat_of_kept(op, n, &c);
			c.mtime_ns = clock_now_us() * MICROSECOND;
		}
	} else if (err) {
		return err;
	}
	if (!err && !n->ops->directory)
		view_follow(op, n, &c);
	stat_fill_attr(op, n, &c, attr, timeout_s);
	if (open_only || missed || named || n->id != id || !op_is_fresh(op))
		*timeout_s = 0;
	if (h && h->buffer && !n->ops->file->document) {
		size = (uint64_t)attr->st_size;
		buffer_handle_size(h, &size);
		attr->st_size = (off_t)size;
		*timeout_s = 0;
	}
	if (!missed && !named && !n->ops->directory &&
	    (atomic_load(&n->flags) & NODE_GONE))
		attr->st_nlink = 0;
	return 0;
}

/* Keep a file that was moved to the readers that have it open; to all that have,
 * if its new name was removed. */
static void keep_to_readers(struct on *on, uint64_t id)
{
	struct node_table *t = &on->op->fs->nodes;
	struct node *before = node_by_id(t, id);

	if (before && (view_is_read(before) || (is_open_file(before) &&
						node_is_gone(on->n)))) {
		node_put(t, on->n);
		on->n = before;
		before = NULL;
	}
	node_put(t, before);
}

int fs_waits(struct fs *fs, uid_t uid, size_t bytes, struct charge **out)
{
	struct charge *charge = mem_zalloc(1, sizeof(*charge));
	int err = charge ? charge_set(&fs->accounts, charge, RESOURCE_REQUESTS,
				      uid, bytes) : -ENOMEM;

	if (err) {
		mem_free(charge);
		charge = NULL;
	}
	*out = charge;
	return err;
}

void fs_waits_no_more(struct fs *fs, struct charge *charge)
{
	if (charge)
		charge_end(&fs->accounts, charge);
	mem_free(charge);
}

void fs_refuse_waiting(struct fs *fs, struct fs_call *call)
{
	struct op *op = op_begin(fs, call);

	if (op)
		op_end(op, op_refuse_resource(op, RESOURCE_REQUESTS, -ENOSPC),
		       NULL, NULL);
}

static int getattr_now(struct fs *fs, struct fs_call *call, uint64_t node,
		       uint64_t handle, struct stat *attr, double *timeout_s)
{
	struct on on;
	int err = on_begin(&on, fs, call, node, false);

	if (err)
		return err;
	if (on.n->id != node)
		keep_to_readers(&on, node);
	if (on.n->ops->directory)
		handles_commit_empty(on.op, on.n);
	return on_end(&on, get_attr(on.op, on.n, node, handle_of(handle), attr,
				    timeout_s));
}

int fs_getattr(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle, struct stat *attr, double *timeout_s)
{
	return WAITING_REPEATED(getattr_now(fs, call, node, handle, attr,
					    timeout_s));
}

/*
 * True if the caller made the node. tar and rsync set the mode of a file that
 * they made when they have filled it, and at last the table's own: as in mkdir,
 * its maker may set any mode. Nodes of directories that waited for a schema.cql
 * are new: their maker is that of the file.
 */
static bool is_maker(struct op *op, struct node *n)
{
	pid_t pid = op->call ? op->call->pid : 0;

	return pid && (atomic_load(&n->maker_pid) == pid ||
		       keyspace_is_copied(op, n));
}

/* True for a query's directory and the links in it. */
static bool is_of_query(const struct node *n)
{
	return n->ops->made_up || (n->parent && n->parent->ops->made_up);
}

/* Refuse other owners and modes: below tables they are the table's. */
static int keep_owner(struct op *op, struct node *n, unsigned set,
		      const struct stat *attr)
{
	struct stat now;
	struct child c;
	int err;

	/* install closes a file that it makes, and opens it again: a file that
	 * does not exist yet has no mode that could differ. */
	if (set == FS_SET_MODE && !n->ops->directory &&
	    buffer_is_new(op->fs, n))
		return 0;
	if (set == FS_SET_MODE && is_maker(op, n))
		return 0;
	err = stat_node(op, n, &c);
	if (err == -ENOENT && is_open_file(n)) {
		stat_of_kept(op, n, &c);
		err = 0;
	}
	if (err)
		return err;
	owner_show(op, &c.uid, &c.gid, &c.mode);
	times_child_stat(&c, n->ino, &now);
	if (((set & FS_SET_MODE) &&
	     ((attr->st_mode ^ now.st_mode) & 0666)) ||
	    ((set & FS_SET_MODE) && (attr->st_mode & 07000)) ||
	    ((set & FS_SET_UID) && attr->st_uid != now.st_uid) ||
	    ((set & FS_SET_GID) && attr->st_gid != now.st_gid))
		return is_of_query(n) ?
			op_refuse(op, -EROFS, "a query is not stored") :
			op_refuse(op, -EPERM,
				  "owner and mode are those of the table");
	return 0;
}

static bool is_of_system(struct op *op, struct node *n)
{
	const struct keyspace *k = op_keyspace(op, n);

	return k && k->system;
}

/* Set the time of a file whose time is not stored. cp -p and rsync write into
 * the document of a table, and set its time then: there it is no error. */
static int set_passing_time(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct child c;

	if (!stat_node(op, n, &c) && c.read_only)
		return op_refuse(op, -EPERM, "this file is read-only");
	atomic_store(&n->mtime_ns, mtime_ns);
	return 0;
}

static int set_time(struct op *op, struct node *n, unsigned set,
		    const struct stat *attr)
{
	struct store_how how = { .has_mtime = true };
	int64_t mtime_ns;
	int held;

	if (!(set & (FS_SET_MTIME | FS_SET_MTIME_NOW)))
		return 0;
	if (is_of_system(op, n))
		return -EROFS;
	if (set & FS_SET_MTIME_NOW)
		mtime_ns = clock_now_us() * MICROSECOND;
	else
		mtime_ns = time_ns(attr->st_mtim.tv_sec, SECOND,
				   attr->st_mtim.tv_nsec);
	how.mtime_ns = mtime_ns;
	/* Commit empty files of a directory too: a later commit would change
	 * its time. */
	handles_commit_empty(op, n);
	if (!n->ops->directory) {
		if (handles_how(op, n, &how, NULL))
			return 0;
		held = unkeyed_set_mtime(op, n, mtime_ns);
		if (held)
			return held < 0 ? held : 0;
	}
	if (n->ops->set_mtime)
		return n->ops->set_mtime(op, n, mtime_ns);
	return set_passing_time(op, n, mtime_ns);
}

static int setattr_now(struct fs *fs, struct fs_call *call, uint64_t node,
		       uint64_t handle, unsigned set, struct stat *attr,
		       double *timeout_s)
{
	struct handle *h = handle_of(handle);
	unsigned owner = set & (FS_SET_MODE | FS_SET_UID | FS_SET_GID);
	struct on on;
	bool writes;
	int err = on_begin(&on, fs, call, node, true);

	if (err)
		return err;
	writes = (set & FS_SET_SIZE) && buffer_is_there(fs, on.n);
	if (owner && on.n->ops->set_owner)
		err = on.n->ops->set_owner(on.op, on.n, owner, attr);
	else if (owner)
		err = keep_owner(on.op, on.n, owner, attr);
	if (!err && (set & FS_SET_SIZE))
		err = on.n->ops->directory ? -EISDIR :
			      handle_truncate(on.op, on.n, on.n->id != node,
					      h && h->writer ? h : NULL,
					      (uint64_t)attr->st_size);
	if (!err)
		err = set_time(on.op, on.n, set, attr);
	err = node_or_lost(&on, err);
	twin_changed(on.op, on.n);
	if (!err)
		op_drop_named(on.op, on.n);
	/* The kernel has set them by the number of before a rename. */
	if (!err && on.n->id != node)
		op_notify(on.op, on.n, ARMED_ATTRIBUTES);
	op_watch(on.op, on.n);
	if (!err)
		err = get_attr(on.op, on.n, node, h, attr, timeout_s);
	err = on_end(&on, err);
	/* The kernel writes no mapped page of it until the reply, and dropping
	 * pages may have to. */
	if (writes && call)
		call->wait_for = 0;
	return err;
}

int fs_setattr(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle, unsigned set, struct stat *attr,
	       double *timeout_s)
{
	return WAITING_REPEATED(setattr_now(fs, call, node, handle, set, attr,
					    timeout_s));
}

/* ---------------------------------------------------- extended attributes */
static int get_value(struct op *op, struct node *n, const char *name,
		     struct buf *out)
{
	bool all = !op->call || !op->call->uid || op->call->uid == op->fs->uid;
	int err;

	if (!strcmp(name, "error"))
		return errors_last(&op->fs->errors, out, n->ino,
				   op->call ? op->call->uid : 0, all) ?
			       0 : -ENODATA;
	err = n->ops->get_attribute ? n->ops->get_attribute(op, n, name, out) :
				      xattr_get(op, n, name, out);
	return err ? err : out->failed ? -ENOMEM : 0;
}

static int64_t give(const struct buf *b, int err, void *to, size_t size)
{
	if (err)
		return err;
	if (!size)
		return (int64_t)b->len;
	if (size < b->len)
		return -ERANGE;
	memcpy(to, buf_bytes(b).ptr, b->len);
	return (int64_t)b->len;
}

static bool is_user(const char *name)
{
	return !strncmp(name, "user.", 5);
}

static int64_t getxattr_now(struct fs *fs, struct fs_call *call, uint64_t node,
			    const char *name, void *value, size_t size)
{
	struct buf out = BUF_INIT;
	struct on on;
	int64_t result;
	int err;

	/* ACL and capability probes: answer at once, so that ls stops
	 * asking. */
	if (!is_user(name))
		return -EOPNOTSUPP;
	err = on_begin(&on, fs, call, node, false);
	if (err)
		return err;
	err = get_value(on.op, on.n, name + 5, &out);
	err = err == -ENOENT ? -ENODATA : node_or_lost(&on, err);
	err = on_end(&on, err);
	result = give(&out, err, value, size);
	buf_release(&out);
	return result;
}

int64_t fs_getxattr(struct fs *fs, struct fs_call *call, uint64_t node,
		    const char *name, void *value, size_t size)
{
	return WAITING_REPEATED(getxattr_now(fs, call, node, name, value,
					     size));
}

/* The list is empty where nothing ends. A failure to read that is no empty list: a
 * copier would lose the end. */
static int64_t listxattr_now(struct fs *fs, struct fs_call *call, uint64_t node,
			     void *list, size_t size)
{
	static const char name[] = "user.expires";
	struct buf out = BUF_INIT;
	struct on on;
	int64_t result;
	int err = on_begin(&on, fs, call, node, false);

	if (err)
		return err;
	/* A row's document in .json has no TTLs: copiers would set that of the
	 * marker on all cells. */
	err = on.n->json && !on.n->ops->directory && on.n->ops->file->document ?
		      -ENODATA : get_value(on.op, on.n, name + 5, &out);
	buf_clear(&out);
	if (!err)
		buf_add(&out, name, sizeof(name));
	if (err == -ENODATA || err == -EOPNOTSUPP || err == -ENOENT) {
		on.op->reason[0] = 0;
		err = 0;
	}
	err = on_end(&on, node_or_lost(&on, err));
	result = give(&out, err, list, size);
	buf_release(&out);
	return result;
}

int64_t fs_listxattr(struct fs *fs, struct fs_call *call, uint64_t node,
		     void *list, size_t size)
{
	return WAITING_REPEATED(listxattr_now(fs, call, node, list, size));
}

static int set_value_now(struct fs *fs, struct fs_call *call, uint64_t node,
			 const char *name, struct bytes value, int flags)
{
	struct buf now = BUF_INIT;
	struct on on;
	int err;

	if (!is_user(name))
		return -EOPNOTSUPP;
	name += 5;
	err = on_begin(&on, fs, call, node, true);
	if (err)
		return err;
	if (flags) {
		err = get_value(on.op, on.n, name, &now);
		if (!err && (flags & XATTR_CREATE))
			err = -EEXIST;
		else if (err == -ENODATA && (flags & XATTR_CREATE))
			err = 0;
	}
	if (!err)
		err = on.n->ops->set_attribute ?
			      on.n->ops->set_attribute(on.op, on.n, name,
						       value) :
			      xattr_set(on.op, on.n, name, value);
	if (!err)
		op_notify_below(on.op, on.n);
	twin_changed(on.op, on.n);
	buf_release(&now);
	return on_end(&on, node_or_lost(&on, err));
}

static int set_value(struct fs *fs, struct fs_call *call, uint64_t node,
		     const char *name, struct bytes value, int flags)
{
	return WAITING_REPEATED(set_value_now(fs, call, node, name, value,
					      flags));
}

int fs_setxattr(struct fs *fs, struct fs_call *call, uint64_t node,
		const char *name, struct bytes value, int flags)
{
	return set_value(fs, call, node, name,
			 value.ptr ? value : BYTES_EMPTY, flags);
}

int fs_removexattr(struct fs *fs, struct fs_call *call, uint64_t node,
		   const char *name)
{
	return set_value(fs, call, node, name, BYTES_NULL, 0);
}

int fs_readlink(struct fs *fs, struct fs_call *call, uint64_t node,
		struct buf *out)
{
	struct on on;
	int err = on_begin(&on, fs, call, node, false);

	if (err)
		return err;
	err = on.n->ops->read_link ?
		      on.n->ops->read_link(on.op, on.n, out) : -EINVAL;
	return on_end(&on, err ? err : out->failed ? -ENOMEM : 0);
}

int fs_statfs(struct fs *fs, struct statvfs *out)
{
	memset(out, 0, sizeof(*out));
	if (fs->store_path && statvfs(fs->store_path, out))
		return -errno;
	out->f_namemax = NAME_MAX_LEN;
	return 0;
}

int fs_fsyncdir(struct fs *fs, struct fs_call *call, uint64_t node)
{
	struct on on;
	int err = on_begin(&on, fs, call, node, false);

	if (err)
		return err;
	handles_commit_empty(on.op, on.n);
	if (!fs->read_only && !on.n->snapshot)
		err = unkeyed_save_directories(on.op, on.n);
	if (!err && !fs->read_only)
		err = store_sync(fs->store);
	return on_end(&on, err);
}
