/* The calls that make a file and open it. */
#include "fs/fs.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/at.h"
#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/unopened.h"
#include "fs/file/view_look.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting.h"
#include "fs/node/call.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/clock.h"

#define MADE_S 2e-9	/* the kernel takes it for its next tick or two */

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
	err = err == -ENOENT ? -EINVAL : at_or_lost(at, err);
	if (err)
		return err;
	*n = op_node_of_child(op, at->dir, at->name, c);
	if (!*n) {
		scratch_free(op->fs, c->scratch);
		return -ENOMEM;
	}
	if (!c->scratch) {
		view_hold_new(op, n);
		return 0;
	}
	keep_for(op, *n, NULL);
	return at_or_lost(at, waiting_made(op->fs, at->dir, *n));
}

/*
 * Answer that a file was made. The kernel, which checks rights once more before
 * the maker may write, need not ask for what it has just got: the file is empty
 * until the first write, which drops this.
 */
static void fill_made(struct at *at, struct node *n, struct child *c,
		      struct fs_entry *entry, struct handle *h)
{
	if (!c->scratch)
		c->mtime_ns = clock_now_us() * MICROSECOND;
	at_fill_entry(at, n, c, entry);
	if (!h->buffer || c->volatile_attributes ||
	    entry->entry_timeout_s <= 0 || entry->attr.st_size)
		return;
	entry->attr_timeout_s = MADE_S;
	atomic_fetch_or(&n->armed, ARMED_ATTRIBUTES);
	h->just_made = true;
}

static int create_now(struct fs *fs, struct fs_call *call, uint64_t parent,
		      const char *name, int flags, struct fs_entry *entry,
		      struct fs_open_reply *reply)
{
	struct node *n = NULL;
	struct child c;
	struct at at;
	bool created;
	int err = at_begin(&at, fs, call, parent, name, true);

	if (err)
		return err;
	if (flags & O_EXCL)
		waiting_note_copier(at.dir, at.name);
	err = stat_lookup(at.op, at.dir, at.name, &c, &n);
	created = err == -ENOENT;
	err = at_or_lost(&at, err);
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
			fill_made(&at, n, &c, entry, handle_of(reply->handle));
		else
			at_fill_entry(&at, n, &c, entry);
	}
	node_put(&fs->nodes, n);
	return at_end(&at, err);
}

int fs_create(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, mode_t mode, int flags, struct fs_entry *entry,
	      struct fs_open_reply *reply)
{
	(void)mode;
	return WAITING_REPEATED(create_now(fs, call, parent, name, flags, entry,
					   reply));
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
