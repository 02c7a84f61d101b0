/* The call that moves a file or directory to another name. */
#include "fs/fs.h"

#include <errno.h>
#include <stdio.h>

#include "fs/at.h"
#include "fs/file/handle_commit.h"
#include "fs/file/keep.h"
#include "fs/file/leave.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view.h"
#include "fs/file/write_buffer.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting.h"
#include "fs/node/account.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/node/node_room.h"
#include "fs/node/notice.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "fs/op/place.h"

/* Where it is renamed to. */
struct new_name {
	struct node *dir;
	uint64_t number;	/* by which the kernel has that */
	struct bytes name;
};

/*
 * Drop what the kernel has of a directory that has another node now, and below
 * it: who works there has other nodes than who comes by the new name, and later
 * changes are told by those alone. From now on nothing there is kept:
 * node_is_current.
 */
static void leave_below(struct op *op, struct node *n)
{
	if (!n->ops->directory)
		return;
	op_notify(op, n, ARMED_ATTRIBUTES | ARMED_PAGES);
	op_notify_inside(op, n);
}

/* Memory for the nodes that a rename makes, reserved before anything changes: of
 * the new name, and below it. */
struct moved_rooms {
	struct node_rooms name, below;
};

static bool is_carried(const struct node *child)
{
	return (atomic_load(&child->flags) & NODE_KEPT) ||
	       node_is_followed(child);
}

/* Reserve memory for all that carry_below makes for the nodes below dir. */
static int reserve_below(struct op *op, struct node *dir,
			 struct node_rooms *rooms)
{
	struct node_table *nodes = &op->fs->nodes;
	struct node *child = NULL;
	int err = 0;

	while (!err && (child = node_next_child(nodes, dir, CHILDREN_NAMED,
						child))) {
		if (!is_carried(child))
			continue;
		err = node_rooms_reserve(rooms, child->name_len,
					 node_value(child).len);
		if (!err)
			err = reserve_below(op, child, rooms);
	}
	node_put(nodes, child);
	return err;
}

static int reserve(struct op *op, struct node *n, struct bytes name,
		   struct moved_rooms *rooms)
{
	int err = node_rooms_reserve(&rooms->name, name.len, NODE_VALUE_MAX);

	return err || !n->ops->directory ?
		       err : reserve_below(op, n, &rooms->below);
}

static void carry_below(struct op *op, struct node *from, struct node *to,
			struct node_rooms *rooms);

/* Move a kept node along, into the directory to. A file that waits is stored
 * below the number of its table, which stays. */
static void carry_kept(struct op *op, struct node *child, struct node *to,
		       struct node_rooms *rooms)
{
	struct node *made, *none = NULL;
	struct node_key key = {
		.parent = to,
		.name = node_name(child),
		.ops = child->ops,
		.number = child->number,
		.value = node_value(child),
		.scratch = child->scratch,
		.rooms = rooms,
	};

	made = node_make(&op->fs->nodes, &key);
	if (!made)	/* it was made since the reservation */
		return;
	if (made->scratch)
		atomic_fetch_add(&made->scratch->users, 1);
	if (node_is_unkeyed(child))
		atomic_fetch_or(&made->flags, NODE_UNKEYED);
	atomic_store(&made->mtime_ns, atomic_load(&child->mtime_ns));
	unkeyed_move(op, child, made);
	keep_for(op, made, atomic_exchange(&child->keeper, NULL));
	carry_below(op, child, made, rooms);
	node_detach(&op->fs->nodes, child);
	op_notify(op, child, ARMED_NAME);
	leave_below(op, child);
	if (!atomic_compare_exchange_strong(&child->forward, &none, made))
		node_put(&op->fs->nodes, made);
}

/*
 * Move what is kept in memory below a directory that was renamed along: to, and
 * below it. Other directories forward to those below the present one, before
 * they are renamed themselves.
 */
static void carry_below(struct op *op, struct node *from, struct node *to,
			struct node_rooms *rooms)
{
	struct node_table *nodes = &op->fs->nodes;
	struct node *child = NULL, *now;

	while ((child = node_next_child(nodes, from, CHILDREN_NAMED, child))) {
		if (atomic_load(&child->flags) & NODE_KEPT) {
			carry_kept(op, child, to, rooms);
		} else if (node_is_followed(child)) {
			now = node_forward(nodes, child, to, rooms);
			if (now != child)
				carry_below(op, child, now, rooms);
			node_put(nodes, now);
		}
	}
}

/*
 * Separate a node from its name, which another node has now: its descriptors
 * continue with it as it was, and the name gets another node. A value that
 * waits for its key is kept by the node itself, and the new one with it.
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
 * Separate a node to which an open may have given the name since it was looked
 * up. The kernel treats a directory that it has under the name as dead for
 * good, even if it no longer existed when the rename arrived.
 */
static void lose_again(struct op *op, struct node *dir, struct bytes name)
{
	struct node *n = node_find(&op->fs->nodes, dir, name);

	if (n && (n->ops->directory || view_applies(n)))
		node_detach(&op->fs->nodes, n);
	node_put(&op->fs->nodes, n);
}

/* Drop the attributes of a file that is renamed. The kernel holds it: that waits
 * for nothing. Pages of it need a notice, which drops both. */
static void drop_at_once(struct op *op, struct node *n)
{
	if (!n->ops->directory && op_drops_at_once(op) &&
	    !(atomic_load(&n->armed) & ARMED_PAGES) &&
	    (atomic_fetch_and(&n->armed, ~(uint32_t)ARMED_ATTRIBUTES) &
	     ARMED_ATTRIBUTES))
		op_drop_attributes(op, n);
}

/* Let the kernel forget the name, by the number that it used, too: it may be a
 * former one of the directory. */
static void forget_name(struct op *op, const struct new_name *to, bool directory)
{
	struct notices *notices = &op->fs->notices;

	notice_name(notices, to->dir->id, to->name, directory);
	if (to->number != to->dir->id)
		notice_name(notices, to->number, to->name, directory);
}

/*
 * Finish a rename. The kernel keeps the old node under the new name: the node
 * forwards to the present node of the name, and the name is forgotten after the
 * reply. The rename is done: with the rooms all of it succeeds.
 */
static void finish_rename(struct op *op, struct node *n,
			  const struct new_name *to, const struct child *target,
			  struct moved_rooms *rooms)
{
	struct node *now, *none = NULL;
	bool kept = atomic_load(&n->flags) & NODE_KEPT;
	struct account *keeper = atomic_exchange(&n->keeper, NULL);

	node_detach(&op->fs->nodes, n);
	buffer_leave_name(op->fs, n);
	lose_again(op, to->dir, to->name);
	now = op_node_in_rooms(op, to->dir, to->name, target, &rooms->name);
	if (kept && now->ops->directory)
		keep_for(op, now, keeper);
	if (now->ops->directory && now != n)
		carry_below(op, n, now, &rooms->below);
	if (target->scratch || (now->ops->directory &&
				now->ops->stat == NULL))
		keep_for(op, now, NULL);
	if (now != n && !atomic_compare_exchange_strong(&n->forward, &none,
							node_get(now)))
		node_put(&op->fs->nodes, now);
	/* The name shows its inode until it is forgotten, after the reply. */
	atomic_fetch_or(&n->armed, n->ops->directory ?
				ARMED_ATTRIBUTES | ARMED_PAGES :
				ARMED_ATTRIBUTES);
	drop_at_once(op, n);
	op_notify(op, n, ARMED_ATTRIBUTES | ARMED_PAGES |
				 (op->by_former ? ARMED_NAME : 0));
	leave_below(op, n);
	if (!now->scratch || (!n->ops->directory && atomic_load(&n->opens)))
		forget_name(op, to, now->ops->directory);
	node_put(&op->fs->nodes, now);
}

/* Move while the buffers are held. old: the buffer of the replaced file, or
 * NULL. */
static int move_held(struct op *op, struct node *n, const struct new_name *to,
		     struct node *replaced, struct write_buffer *old)
{
	struct bytes before = BYTES_NULL;
	struct buf text = BUF_INIT;
	struct moved_rooms rooms;
	uint64_t path = locks_path(n);
	struct child target;
	int err;

	STAILQ_INIT(&rooms.name);
	STAILQ_INIT(&rooms.below);
	err = reserve(op, n, to->name, &rooms);
	if (!err && replaced)
		before = leave_text(op, replaced, old, &text);
	if (!err) {
		drop_at_once(op, n);
		err = n->ops->rename ? n->ops->rename(op, n, to->dir, to->name,
						      replaced, &target) :
				       -EXDEV;
	}
	if (err == -ENOENT)	/* the new name is no key's spelling */
		err = -EINVAL;
	if (!err && replaced)
		lose_name(op, replaced, old, before);
	if (!err)
		finish_rename(op, n, to, &target, &rooms);
	if (!err && n->ops->directory)
		locks_move_below(&op->fs->locks);
	else if (!err)
		locks_move(&op->fs->locks, path, n);
	node_rooms_release(&rooms.name);
	node_rooms_release(&rooms.below);
	buf_release(&text);
	return err;
}

/*
 * Change both names with nothing committed under either meanwhile: text of n's
 * descriptors is committed under the new name, that of the replaced file's is
 * dropped. But what was just made has to be stored before it can be moved, and what
 * was written in a temporary file is what a rename stores.
 */
static int move_file(struct op *op, struct node *n, const struct new_name *to,
		     struct node *replaced)
{
	struct fs *fs = op->fs;
	struct write_buffer *mine = buffer_hold(fs, n);
	struct write_buffer *old =
		mine && replaced ? buffer_hold(fs, replaced) : NULL;
	int err = mine && (old || !replaced) ?
			  handle_commit_new(op, n, mine) : -ENOMEM;

	if (!err)
		err = move_held(op, n, to, replaced, old);
	buffer_release(fs, replaced, old);
	buffer_release(fs, n, mine);
	return err;
}

static int rename_to(struct op *op, struct node *n, const struct new_name *to,
		     unsigned flags)
{
	struct node *replaced = NULL;
	struct child c;
	int err = stat_lookup(op, to->dir, to->name, &c, &replaced);

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
	err = n->ops->directory ? move_held(op, n, to, replaced, NULL) :
				  move_file(op, n, to, replaced);
	leave_end(op->fs, replaced);
	if (n->ops->directory)
		place_move_end(op->fs, n);
	node_put(&op->fs->nodes, replaced);
	return err;
}

/* Say why it is refused, where nothing was said so far; RENAME_NOREPLACE asks for
 * EEXIST. */
static int explain_rename(struct op *op, int err)
{
	if (err == -EXDEV)
		op_refuse(op, err, "it cannot be moved there in one atomic "
				   "write: mv copies it, then removes it here");
	else if (err == -ENOTEMPTY)
		op_refuse(op, err, "the directory of the new name is not empty: "
				   "a rename replaces an empty one only");
	return err;
}

/* Give up the number that a directory had by its old name, if the kernel had that
 * in a directory by a former number: it takes the number along to the new name, and
 * would find two paths of one directory when it comes back. */
static void leave_alias(const struct at *at)
{
	struct node_table *nodes = &at->op->fs->nodes;
	struct node *dir, *alias;

	if (at->number == at->dir->id)
		return;
	dir = node_by_id(nodes, at->number);
	alias = dir ? node_find(nodes, dir, at->name) : NULL;
	if (alias)
		node_detach(nodes, alias);
	node_put(nodes, alias);
	node_put(nodes, dir);
}

static int rename_now(struct fs *fs, struct fs_call *call, uint64_t parent,
		      const char *name, uint64_t new_parent,
		      const char *new_name, unsigned flags)
{
	struct new_name to = { NULL, new_parent, bytes_str(new_name) };
	struct node *n = NULL;
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
	to.dir = op_node(fs, new_parent);
	if (to.dir)
		op_by_path(at.op, to.dir, new_parent);
	err = !to.dir ? -ESTALE :
	      to.dir->ops->made_up || to.dir->snapshot ? -EROFS :
	      stat_lookup(at.op, at.dir, at.name, &c, &n);
	if (!err && n->json != to.dir->json)
		err = -EXDEV;
	if (!err)
		err = rename_to(at.op, n, &to, flags);
	if (!err)
		leave_alias(&at);
	err = explain_rename(at.op, err);
	if (err == -ESTALE && to.dir && waiting_restarts(at.op, to.dir))
		err = -ERESTART;
	node_put(&fs->nodes, n);
	node_put(&fs->nodes, to.dir);
	return at_end(&at, at_or_lost(&at, err));
}

int fs_rename(struct fs *fs, struct fs_call *call, uint64_t parent,
	      const char *name, uint64_t new_parent, const char *new_name,
	      unsigned flags)
{
	return WAITING_REPEATED(rename_now(fs, call, parent, name, new_parent,
					   new_name, flags));
}
