/* Calls that find a name, or make a directory: lookup, forget, mkdir, mknod. */
#include "fs/fs.h"

#include <errno.h>
#include <string.h>

#include "fs/at.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view_look.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting.h"
#include "fs/node/call.h"
#include "fs/node/node.h"
#include "fs/node/node_room.h"
#include "fs/op/op.h"

/*
 * Look up a name in a directory that is gone. Before mkdir the kernel looks up
 * the name only once: a name that is free now is missing, and mkdir returns
 * -ESTALE; else it is what has that path now. -ESTALE: of other calls.
 */
static int look_for_mkdir(struct at *at, struct child *c, struct node **n)
{
	struct node_table *nodes = &at->op->fs->nodes;
	int err;

	node_put(nodes, *n);
	err = stat_lookup_by_path(at->op, at->dir, at->name, c, n);
	if (err == -ENOENT)
		return err;
	if (!err && at->op->call &&
	    caller_makes(at->op->call) == MAKES_DIRECTORY) {
		c->volatile_name = true;
		return 0;
	}
	node_put(nodes, *n);
	*n = NULL;
	return -ESTALE;
}

/* Say of a name as queries have it that there are none in this directory. (In a
 * partition of plain files it is a file's.) */
static void tell_of_query(struct at *at)
{
	if (at->op->tells_missing || at->dir->ops->plain_names ||
	    at->name.ptr[0] != '@' || !strpbrk((const char *)at->name.ptr, "=~"))
		return;
	at->op->reason[0] = 0;
	op_refuse(at->op, -ENOENT,
		  "queries are in tables, partitions and prefixes");
	at->op->tells_missing = true;
}

static int lookup_now(struct fs *fs, struct fs_call *call, uint64_t parent,
		      const char *name, struct fs_entry *entry)
{
	struct node *n = NULL;
	struct child c;
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, false);

	if (err)
		return err;
	err = view_look(at.op, at.dir, at.name, &c, &n);
	if ((err == -ENOENT || err == -ESTALE) &&
	    waiting_restarts(at.op, at.dir))
		err = -ERESTART;
	if (err == -ESTALE)
		err = look_for_mkdir(&at, &c, &n);
	err = at_or_lost(&at, err);
	if (!err)
		err = at_fill_entry(&at, n, &c, entry);
	else if (err == -ENOENT)
		tell_of_query(&at);
	node_put(&fs->nodes, n);
	return at_end(&at, err);
}

int fs_lookup(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, struct fs_entry *entry)
{
	return WAITING_REPEATED(lookup_now(fs, call, parent, name, entry));
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
	int err = n->table && n->table != n &&
		  !n->ops->temporary ? keep_up(op, n) :
				       keep_directory(op, n);

	return err ? op_refuse_resource(op, RESOURCE_NAMES, err) : 0;
}

/* Reserve memory for the nodes of a directory before it is stored: that of its
 * name, and a second one where the kernel has the one above by another number
 * (at_fill_entry). */
static int reserve(struct at *at)
{
	bool twice = at->dir->id != at->number;
	int err = node_rooms_reserve(at->rooms, at->name.len, NODE_VALUE_MAX);

	return err || !twice ? err :
			       node_rooms_reserve(at->rooms, at->name.len,
						  NODE_VALUE_MAX);
}

static int mkdir_now(struct fs *fs, struct fs_call *call, uint64_t parent,
		     const char *name, mode_t mode, struct fs_entry *entry)
{
	struct node *n = NULL;
	bool keep = false;
	bool waits;	/* for the key of a directory above */
	struct node_rooms rooms = STAILQ_HEAD_INITIALIZER(rooms);
	struct child c;
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, true);

	if (err)
		return err;
	waits = node_waits_for_key(at.dir);
	at.rooms = &rooms;
	err = check_free(at.op, at.dir, at.name);
	if (!err)
		err = reserve(&at);
	if (!err) {
		err = scratch_mkdir(at.op, at.dir, at.name, &c);
		keep = !err;
	}
	if (err == -ENOENT)
		err = at.dir->ops->mkdir ?
			at.dir->ops->mkdir(at.op, at.dir, at.name, mode, &c,
					   &keep) :
			op_refuse(at.op, -EPERM,
				  "no directory can be made here");
	if (err == -ENOENT)	/* of a key: not its one spelling */
		err = -EINVAL;
	if (!err) {
		n = op_node_in_rooms(at.op, at.dir, at.name, &c, &rooms);
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
	if (!err && waits)
		err = unkeyed_catch_up(at.op, n);
	if (!err) {
		op_watch(at.op, at.dir);
		err = at_fill_entry(&at, n, &c, entry);
	}
	node_put(&fs->nodes, n);
	node_rooms_release(&rooms);
	return at_end(&at, at_or_lost(&at, err));
}

int fs_mkdir(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name, mode_t mode, struct fs_entry *entry)
{
	return WAITING_REPEATED(mkdir_now(fs, call, parent, name, mode, entry));
}

int fs_mknod(struct fs *fs, struct fs_call *call, uint64_t parent,
	     const char *name)
{
	struct at at;
	int err = at_begin(&at, fs, call, parent, name, true);

	return err ? err : at_end(&at, op_refuse(at.op, -EPERM,
			"there are no links, devices, pipes and sockets"));
}
