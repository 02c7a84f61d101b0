/* Calls on names. */
#include "fs/call_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/unopened.h"
#include "fs/file/view.h"
#include "fs/file/view_look.h"
#include "fs/file/write_buffer.h"
#include "fs/fs.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "store/base/clock.h"

/* A call on a name in a directory: both are set, or an error is. */
struct at {
	struct op *op;
	struct node *dir;
	struct bytes name;
};

/* End it. The kernel holds the directory's lock. */
static int at_end(struct at *at, int err)
{
	struct fs *fs = at->op->fs;
	struct fs_call *call = at->op->call;

	err = op_end(at->op, err, at->dir, (const char *)at->name.ptr);
	if (call)
		call->locked = true;
	node_put(&fs->nodes, at->dir);
	return err;
}

/* A document beside rows may be longer than 255 bytes by its suffix: as the
 * directory that it is of is called. */
static bool may_be_called(const struct node *dir, struct bytes name)
{
	return name.len <= NAME_MAX_LEN ||
	       (dir->ops->part == PART_KEY && !dir->ops->plain_names &&
		name_fits(name)) || (dir == dir->table && name_fits(name));
}

/* Return the error of a call in a directory whose table or snapshot may be gone:
 * its caller is told to look again once at most. */
static int or_lost(struct at *at, int err)
{
	if (err != -ESTALE)
		return err;
	waiting_wait(at->op->fs, at->dir);	/* it looks once */
	return view_lost(at->op, at->dir);
}

static int at_begin(struct at *at, struct fs *fs, struct fs_call *call,
		    uint64_t parent, const char *name, bool changes)
{
	int err;

	memset(at, 0, sizeof(*at));
	if (strlen(name) > NAME_MAX_LEN + NAME_SUFFIX_MAX)
		return -ENAMETOOLONG;
	if (changes && fs_is_read_only(fs))
		return -EROFS;
	at->name = bytes_str(name);
	at->dir = op_node(fs, parent);
	if (!at->dir)
		return -ESTALE;
	err = !may_be_called(at->dir, at->name) ? -ENAMETOOLONG :
	      changes && at->dir->snapshot ? -EROFS : 0;
	at->op = err ? NULL : op_begin(fs, call);
	if (!at->op) {
		node_put(&fs->nodes, at->dir);
		return err ? err : -ENOMEM;
	}
	err = or_lost(at, op_enter(at->op, at->dir));
	if (err) {
		err = op_end(at->op, err, at->dir, name);
		node_put(&fs->nodes, at->dir);
		return err;
	}
	op_watch(at->op, at->dir);
	if (changes && at->dir->ops->made_up)
		return at_end(at, -EROFS);
	if (changes)
		op_by_path(at->op, at->dir);
	handles_commit_empty(at->op, at->dir);
	return 0;
}

int fs_lookup(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, struct fs_entry *entry)
{
	struct node *n = NULL;
	struct child c;
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, false);

	if (err)
		return err;
	err = view_look(at.op, at.dir, at.name, &c, &n);
	if ((err == -ENOENT || err == -ESTALE) && waiting_wait(fs, at.dir)) {
		op_renew_schema(at.op);
		at.op->reason[0] = 0;
		node_put(&fs->nodes, n);
		err = view_look(at.op, at.dir, at.name, &c, &n);
	}
	/* Before mkdir the kernel looks once only: then mkdir is told. */
	if (err == -ESTALE && stat_is_missing(at.op, at.dir, at.name))
		err = -ENOENT;
	err = or_lost(&at, err);
	if (!err)
		stat_fill_entry(at.op, n, &c, entry);
	node_put(&fs->nodes, n);
	return at_end(&at, err);
}

void fs_forget(struct fs *fs, uint64_t node, uint64_t count)
{
	if (node != FS_ROOT)
		node_forget(&fs->nodes, node, count);
}

/* Check that the name is free: 0 or -EEXIST. */
static int check_free(struct op *op, struct node *dir, struct bytes name)
{
	struct node *n = NULL;
	struct child c;
	int err = stat_lookup(op, dir, name, &c, &n);

	node_put(&op->fs->nodes, n);
	if (!err)
		return -EEXIST;
	op->reason[0] = 0;
	return err == -ENOENT ? 0 : err;
}

/* Keep a directory that exists only in memory: without room there it is not
 * made. */
static int keep_made(struct op *op, struct node *n)
{
	int err = n->table && n->table != n ? keep_up(op, n) :
					      keep_directory(op, n);

	return err ? op_refuse_resource(op, RESOURCE_NAMES, err) : 0;
}

int fs_mkdir(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name, mode_t mode, struct fs_entry *entry)
{
	struct node *n = NULL;
	bool keep = false;
	struct child c;
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, true);

	if (err)
		return err;
	err = check_free(at.op, at.dir, at.name);
	if (!err)
		err = at.dir->ops->mkdir ?
			at.dir->ops->mkdir(at.op, at.dir, at.name, mode, &c,
					   &keep) :
			op_refuse(at.op, -EPERM,
				  "no directory can be made here");
	if (err == -ENOENT)	/* of a key: not its one spelling */
		err = -EINVAL;
	if (!err) {
		n = op_node_of_child(at.op, at.dir, at.name, &c);
		err = n ? 0 : -ENOMEM;
	}
	if (!err && c.unkeyed)
		atomic_fetch_or(&n->flags, NODE_UNKEYED);
	if (!err && call)
		atomic_store(&n->maker_pid, call->pid);
	if (!err && keep)
		err = keep_made(at.op, n);
	if (!err && keep)
		err = waiting_made(fs, at.dir, n);
	if (!err) {
		op_watch(at.op, at.dir);
		stat_fill_entry(at.op, n, &c, entry);
	}
	node_put(&fs->nodes, n);
	return at_end(&at, or_lost(&at, err));
}

int fs_mknod(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name)
{
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, true);

	return err ? err : at_end(&at, op_refuse(at.op, -EPERM,
			"there are no links, devices, pipes and sockets"));
}

static int remove_directory(struct op *op, struct node *n)
{
	int err;

	if (!n->ops->directory)
		return -ENOTDIR;
	if (!n->ops->rmdir)
		return op_refuse(op, -EPERM, "this directory always exists");
	err = keep_has_children(op, n);
	if (err)
		return err < 0 ? err : -ENOTEMPTY;
	if (node_waits_for_key(n))	/* nothing of it is stored */
		return 0;
	return n->ops->rmdir(op, n);
}

/*
 * A file loses its name in two steps: the store is changed, and then the name
 * is taken from the node. The kernel has the name until after both. An open for
 * writing in between, when the file is seen to be removed already, would write
 * into a file without a name: such opens wait for the second step.
 */
static void leave_begin(struct node *n)
{
	if (n)
		atomic_fetch_or(&n->flags, NODE_LEAVING);
}

static void leave_end(struct fs *fs, struct node *n)
{
	if (!n)
		return;
	mutex_lock(&fs->leaving_lock);
	atomic_fetch_and(&n->flags, ~(uint32_t)NODE_LEAVING);
	pthread_cond_broadcast(&fs->left);
	mutex_unlock(&fs->leaving_lock);
}

void fs_wait_left(struct fs *fs, struct node *n)
{
	if (!(atomic_load(&n->flags) & NODE_LEAVING))
		return;
	mutex_lock(&fs->leaving_lock);
	while (atomic_load(&n->flags) & NODE_LEAVING)
		mutex_wait(&fs->leaving_lock, &fs->left);
	mutex_unlock(&fs->leaving_lock);
}

/*
 * Load the text that a file's descriptors go on with when its name is removed;
 * null: none needs it, as readers that hold it have its text. Later opens of a
 * document come by another node, and read what is stored then.
 */
static struct bytes text_for_opens(struct op *op, struct node *n,
				   const struct write_buffer *buffer,
				   struct buf *text)
{
	if (n->ops->directory || !n->ops->file->load || n->ops->file->streamed)
		return BYTES_NULL;
	if (!buffer_is_open(buffer) &&
	    (!atomic_load(&n->opens) || view_is_read(op->fs, n)))
		return BYTES_NULL;
	if (n->ops->file->document && n->table)	/* schema.cql hides by its node */
		node_pass(&op->fs->nodes, n);
	content_load(op, n, text);
	op->reason[0] = 0;
	return text->len ? buf_bytes(text) : BYTES_EMPTY;
}

static int remove_file(struct op *op, struct node *n)
{
	struct bytes before;
	struct buf text = BUF_INIT;
	struct write_buffer *buffer;
	bool is_new;
	int err = 0;

	if (n->ops->directory)
		return -EISDIR;
	if (!n->ops->unlink)
		return op_refuse(op, -EPERM, "this file cannot be removed");
	op->changes_file = true;
	is_new = buffer_is_new(op->fs, n);
	buffer = buffer_hold(op->fs, n);
	if (!buffer)
		return -ENOMEM;
	before = text_for_opens(op, n, buffer, &text);
	if (!buffer->is_new)
		is_new = false;		/* committed meanwhile */
	if (!is_new && !unkeyed_drop(op->fs, n))
		err = n->ops->unlink(op, n);
	if (!err)
		buffer_orphan(op, n, buffer, before, true);
	buffer_let(op->fs, n, buffer);
	buf_release(&text);
	return err;
}

static int remove_name(struct fs *fs, struct fs_call *call, uint64_t parent,
		       const char *name, bool directory)
{
	struct node *n = NULL;
	struct child c;
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, true);

	if (err)
		return err;
	/*
	 * The kernel has a name until the notice of its end arrives: the store
	 * may already have nothing of a directory. Files are checked later.
	 */
	n = directory ? NULL : node_find(&fs->nodes, at.dir, at.name);
	if (!n || (atomic_load(&n->flags) & NODE_HIDDEN)) {
		node_put(&fs->nodes, n);
		err = stat_lookup(at.op, at.dir, at.name, &c, &n);
	}
	leave_begin(n);
	if (!err)
		err = directory ? remove_directory(at.op, n) :
				  remove_file(at.op, n);
	if (!err && !(atomic_load(&n->flags) & NODE_HIDDEN))
		node_detach(&fs->nodes, n);
	leave_end(fs, n);
	/* The kernel drops the name itself. */
	if (!err)
		atomic_fetch_and(&n->armed, ~(uint32_t)ARMED_NAME);
	node_put(&fs->nodes, n);
	return at_end(&at, or_lost(&at, err));
}

int fs_rmdir(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name)
{
	return remove_name(fs, call, parent, name, true);
}

int fs_unlink(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name)
{
	return remove_name(fs, call, parent, name, false);
}

/* ----------------------------------------------------------------- rename */
/* Move kept nodes along: to, and below it. */
static int carry_kept(struct op *op, struct node *from, struct node *to)
{
	struct node **children, *made, *none = NULL;
	size_t i, count;
	int err = node_children(&op->fs->nodes, from, true, &children, &count);

	if (err)
		return err;
	for (i = 0; i < count && !err; i++) {
		struct node *child = children[i];
		struct node_key key = {
			.parent = to,
			.name = node_name(child),
			.ops = child->ops,
			.number = child->number,
			.value = node_value(child),
			.scratch = child->scratch,
		};

		made = node_make(&op->fs->nodes, &key);
		if (!made) {
			err = -ENOMEM;
			break;
		}
		if (made->scratch)
			atomic_fetch_add(&made->scratch->users, 1);
		atomic_store(&made->mtime_ns, atomic_load(&child->mtime_ns));
		keep_for(op, made, atomic_exchange(&child->keeper, NULL));
		err = carry_kept(op, child, made);
		node_detach(&op->fs->nodes, child);
		none = NULL;
		if (!atomic_compare_exchange_strong(&child->forward, &none,
						    made))
			node_put(&op->fs->nodes, made);
	}
	node_children_put(&op->fs->nodes, children, count);
	return err;
}

/*
 * Separate a node from its name, which another node has now: its descriptors go
 * on with it as it was, and the name gets another node. A value that waits for
 * its key is kept by the node itself, and the new one with it.
 */
static void lose_name(struct op *op, struct node *n,
		      struct write_buffer *buffer, struct bytes text)
{
	if (!n->ops->directory && node_waits_for_key(n))
		return;
	/* Readers that released a value read that of the name. */
	if (buffer)
		buffer_orphan(op, n, buffer, text, !view_applies(n));
	node_detach(&op->fs->nodes, n);
}

/*
 * Do it for a node that an open may have given the name since it was looked up.
 * The kernel treats a directory that it has under the name as dead for good,
 * even if it no longer existed when the rename arrived.
 */
static void lose_again(struct op *op, struct node *dir, struct bytes name)
{
	struct node *n = node_find(&op->fs->nodes, dir, name);

	if (n && (n->ops->directory || view_applies(n)))
		node_detach(&op->fs->nodes, n);
	node_put(&op->fs->nodes, n);
}

/*
 * Finish a rename. The kernel goes on with the old node under the new name: it
 * forwards to the node that the name really has, and the name is forgotten
 * after the reply.
 */
static int finish_rename(struct op *op, struct node *n, struct node *dir,
			 struct bytes name, const struct child *target)
{
	struct node *now, *none = NULL;
	bool kept = atomic_load(&n->flags) & NODE_KEPT;
	struct account *keeper = atomic_exchange(&n->keeper, NULL);
	int err = 0;

	node_detach(&op->fs->nodes, n);
	buffer_leave_name(op->fs, n);
	lose_again(op, dir, name);
	now = op_node_of_child(op, dir, name, target);
	if (!now) {
		atomic_store(&n->keeper, keeper);	/* until it is freed */
		return -ENOMEM;
	}
	if (kept && now->ops->directory)
		keep_for(op, now, keeper);
	if (now->ops->directory && now != n)
		err = carry_kept(op, n, now);
	if (target->scratch || (now->ops->directory &&
				now->ops->stat == NULL))
		node_keep(now);
	if (now != n && !atomic_compare_exchange_strong(&n->forward, &none,
							node_get(now)))
		node_put(&op->fs->nodes, now);
	/* The name shows its inode until it is forgotten, after the reply. */
	atomic_fetch_or(&n->armed, ARMED_ATTRIBUTES | ARMED_PAGES);
	op_notify(op, n, ARMED_ATTRIBUTES | ARMED_PAGES);
	if (!now->scratch || (!n->ops->directory && atomic_load(&n->opens)))
		notice_name(&op->fs->notices, dir, name, now->ops->directory);
	node_put(&op->fs->nodes, now);
	return err;
}

/* Move while the buffers are held. old: the buffer of the replaced file, or
 * NULL. */
static int move_held(struct op *op, struct node *n, struct node *dir,
		     struct bytes name, struct node *replaced,
		     struct write_buffer *old)
{
	struct bytes before = BYTES_NULL;
	struct buf text = BUF_INIT;
	struct child target;
	int err;

	if (replaced)
		before = text_for_opens(op, replaced, old, &text);
	err = n->ops->rename ? n->ops->rename(op, n, dir, name, replaced,
					      &target) : -EXDEV;
	if (err == -ENOENT)	/* the new name is no key's spelling */
		err = -EINVAL;
	if (!err && replaced)
		lose_name(op, replaced, old, before);
	if (!err)
		err = finish_rename(op, n, dir, name, &target);
	buf_release(&text);
	return err;
}

/*
 * Change both names with nothing committed under either: text of n's
 * descriptors goes to the new name, that of the replaced file's nowhere.
 */
static int move_file(struct op *op, struct node *n, struct node *dir,
		     struct bytes name, struct node *replaced)
{
	struct fs *fs = op->fs;
	struct write_buffer *mine = buffer_hold(fs, n);
	struct write_buffer *old =
		mine && replaced ? buffer_hold(fs, replaced) : NULL;
	int err = mine && (old || !replaced) ?
			  move_held(op, n, dir, name, replaced, old) : -ENOMEM;

	buffer_let(fs, replaced, old);
	buffer_let(fs, n, mine);
	return err;
}

static int rename_to(struct op *op, struct node *n, struct node *dir,
		     struct bytes name, unsigned flags)
{
	struct node *replaced = NULL;
	struct child c;
	int err = stat_lookup(op, dir, name, &c, &replaced);

	if (err == -ENOENT)
		op->reason[0] = 0;
	if (!err && (flags & RENAME_NOREPLACE))
		err = -EEXIST;
	else if (!err && replaced == n)
		err = 1;	/* onto itself: nothing to do */
	else if (!err && n->ops->directory != replaced->ops->directory)
		err = n->ops->directory ? -ENOTDIR : -EISDIR;
	if (err && err != -ENOENT) {
		node_put(&op->fs->nodes, replaced);
		return err > 0 ? 0 : err;
	}
	op->changes_file = !n->ops->directory;
	leave_begin(replaced);
	err = n->ops->directory ? move_held(op, n, dir, name, replaced, NULL) :
				  move_file(op, n, dir, name, replaced);
	leave_end(op->fs, replaced);
	if (n->ops->directory)
		place_move_end(op->fs, n);
	node_put(&op->fs->nodes, replaced);
	return err;
}

int fs_rename(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, uint64_t new_parent, const char *new_name,
	      unsigned flags)
{
	struct node *dir, *n = NULL;
	struct child c;
	struct at at;
	int err;

	if (flags & ~(unsigned)RENAME_NOREPLACE)
		return -EINVAL;
	if (strlen(new_name) > NAME_MAX_LEN)
		return -ENAMETOOLONG;
	err = at_begin(&at, fs, call, parent, name, true);
	if (err)
		return err;
	dir = op_node(fs, new_parent);
	if (dir)
		op_by_path(at.op, dir);
	err = !dir ? -ESTALE :
	      dir->ops->made_up || dir->snapshot ? -EROFS :
	      stat_lookup(at.op, at.dir, at.name, &c, &n);
	if (!err && n->json != dir->json)
		err = -EXDEV;
	if (!err)
		err = rename_to(at.op, n, dir, bytes_str(new_name), flags);
	node_put(&fs->nodes, n);
	node_put(&fs->nodes, dir);
	return at_end(&at, or_lost(&at, err));
}

/* ----------------------------------------------------------------- create */
/*
 * Fill in a file that was just made: it is empty until its maker writes, and
 * then the kernel drops size and times itself: it may keep these, and does not
 * ask before the write.
 */
static void fill_created(struct op *op, struct node *n, struct child *c,
			 struct fs_entry *entry)
{
	if (!c->scratch)
		c->mtime_ns = clock_now_us() * MICROSECOND;
	stat_fill_entry(op, n, c, entry);
	if (c->volatile_attributes || entry->entry_timeout_s <= 0 ||
	    entry->attr.st_size)
		return;
	entry->attr_timeout_s = entry->entry_timeout_s;
	atomic_store(&n->told_size, 0);
	atomic_fetch_or(&n->armed, ARMED_ATTRIBUTES);
}

/*
 * Store the empty value of a file that was made only to be read (O_CREAT |
 * O_RDONLY, as lock files are): nothing else would store it. -EINVAL where the
 * type has none.
 */
static int store_empty(struct op *op, struct node *n)
{
	struct fs_open_reply reply;
	struct handle *h;
	int err = handle_open(op, n, O_WRONLY | O_CREAT | O_EXCL, OPENED_NEW,
			      &reply);

	if (err)
		return err;
	h = handle_of(reply.handle);
	handle_unlink(op->fs, h);
	err = handle_finish(op, h);
	handle_free(op->fs, h);
	return err;
}

/* Make the file of the name, which is missing: 0, with *c and *n. */
static int make_file(struct at *at, struct child *c, struct node **n)
{
	struct op *op = at->op;
	int err;

	op->reason[0] = 0;
	child_init(c, &kind_scratch);
	err = at->dir->ops->create ?
		      at->dir->ops->create(op, at->dir, at->name, c) :
		      op_refuse(op, -EPERM, "no file can be made here");
	err = err == -ENOENT ? -EINVAL : or_lost(at, err);
	if (err)
		return err;
	*n = op_node_of_child(op, at->dir, at->name, c);
	if (!*n) {
		scratch_free(op->fs, c->scratch);
		return -ENOMEM;
	}
	if (c->scratch)
		node_keep(*n);
	else
		view_hold_new(op, n);
	return 0;
}

int fs_create(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, mode_t mode, int flags, struct fs_entry *entry,
	      struct fs_open_reply *reply)
{
	struct node *n = NULL;
	struct child c;
	struct at at;
	bool created;
	int err = at_begin(&at, fs, call, parent, name, true);

	(void)mode;
	if (err)
		return err;
	err = stat_lookup(at.op, at.dir, at.name, &c, &n);
	created = err == -ENOENT;
	err = or_lost(&at, err);
	if (!err && !(flags & O_EXCL)) {
		err = view_look_to_open(at.op, at.dir, at.name,
					(flags & O_ACCMODE) != O_RDONLY, &c,
					&n);
		created = err == -ENOENT;
	}
	if (!err && (flags & O_EXCL))
		err = -EEXIST;
	else if (!err && n->ops->directory)
		err = -EISDIR;
	if (created) {
		err = make_file(&at, &c, &n);
		if (!err && call)
			atomic_store(&n->maker_pid, call->pid);
	}
	if (created && !err && !c.scratch && (flags & O_ACCMODE) == O_RDONLY) {
		err = store_empty(at.op, n);
		node_put(&fs->nodes, n);
		n = NULL;
		created = false;
		if (!err)
			err = stat_lookup(at.op, at.dir, at.name, &c, &n);
		if (!err)
			err = view_look_to_open(at.op, at.dir, at.name, false,
						&c, &n);
	}
	if (!err) {
		err = handle_open(at.op, n, flags,
				  created ? OPENED_NEW : OPENED, reply);
		if (err && created && c.scratch)
			node_detach(&fs->nodes, n);
	}
	if (!err) {
		op_watch(at.op, at.dir);
		if (created)
			fill_created(at.op, n, &c, entry);
		else
			stat_fill_entry(at.op, n, &c, entry);
	}
	node_put(&fs->nodes, n);
	return at_end(&at, err);
}

int fs_make_file(struct fs *fs, struct fs_call *call, uint64_t parent,
		 const char *name, mode_t mode, struct fs_entry *entry)
{
	struct fs_open_reply reply;
	struct handle *h;
	int err = fs_create(fs, call, parent, name, mode,
			    O_WRONLY | O_CREAT | O_EXCL, entry, &reply);

	if (err)
		return err;
	h = handle_of(reply.handle);
	if (h->buffer && !h->node->ops->file->document)
		h = unopened_remember(fs, h);
	if (h)
		fs_release(fs, NULL, 0, (uint64_t)(uintptr_t)h);
	return 0;
}
