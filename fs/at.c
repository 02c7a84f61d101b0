#include "fs/at.h"

#include <errno.h>

#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/stat.h"
#include "fs/file/view_look.h"
#include "fs/fs.h"
#include "fs/kind/waiting.h"
#include "fs/node/call.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"

int at_end(struct at *at, int err)
{
	struct fs *fs = at->op->fs;
	struct fs_call *call = at->op->call;

	err = op_end(at->op, err, at->dir, (const char *)at->name.ptr);
	if (call)
		call->locked = true;
	node_put(&fs->nodes, at->dir);
	return err;
}

/*
 * The kernel may have a directory by two numbers: after a rename, until it has
 * asked for the name, and as long as somebody works in it. A directory in it has
 * a number for each of them. If one had two paths in the kernel it would move
 * it from one to the other, and fail with ESTALE where a rename or a mkdir is
 * under way.
 */
int at_fill_entry(struct at *at, struct node *n, struct child *c,
		  struct fs_entry *entry)
{
	struct node_table *nodes = &at->op->fs->nodes;
	struct node *dir, *alias;

	if (n->parent == at->dir && at->dir->id == at->number) {
		stat_fill_entry(at->op, n, c, entry);
		return 0;
	}
	if (!n->ops->directory) {
		stat_fill_entry(at->op, n, c, entry);
		entry->entry_timeout_s = 0;
		return 0;
	}
	dir = node_by_id(nodes, at->number);
	alias = dir ? node_alias(nodes, dir, n, at->rooms) : NULL;
	node_put(nodes, dir);
	if (!alias)
		return -ENOMEM;
	stat_fill_alias(at->op, n, alias, c, entry);
	node_put(nodes, alias);
	return 0;
}

/* True if a name may be that long. The name of a document beside rows may
 * exceed 255 bytes by its suffix: it begins with the name of its directory. */
static bool may_be_called(const struct node *dir, struct bytes name)
{
	return name.len <= NAME_MAX_LEN ||
	       (dir->ops->part == PART_KEY && !dir->ops->plain_names &&
		name_fits(name)) || (dir == dir->table && name_fits(name));
}

int at_or_lost(struct at *at, int err)
{
	if (err != -ESTALE)
		return err;
	return waiting_restarts(at->op, at->dir) ? -ERESTART :
						   view_lost(at->op, at->dir);
}

int at_begin(struct at *at, struct fs *fs, struct fs_call *call,
	     uint64_t parent, const char *name, bool changes)
{
	int err;

	memset(at, 0, sizeof(*at));
	if (strlen(name) > NAME_MAX_LEN + NAME_SUFFIX_MAX)
		return -ENAMETOOLONG;
	at->name = bytes_str(name);
	at->number = parent;
	at->dir = waiting_node(fs, parent);
	if (!at->dir)
		return -ESTALE;
	err = may_be_called(at->dir, at->name) ? 0 : -ENAMETOOLONG;
	at->op = err ? NULL : op_begin(fs, call);
	if (!at->op) {
		node_put(&fs->nodes, at->dir);
		return err ? err : -ENOMEM;
	}
	err = op_enter(at->op, at->dir);
	if (err == -ESTALE)	/* its snapshot was released */
		err = view_lost(at->op, at->dir);
	if (err) {
		err = op_end(at->op, err, at->dir, name);
		node_put(&fs->nodes, at->dir);
		return err;
	}
	op_watch(at->op, at->dir);
	if (changes && (at->dir->ops->made_up || at->dir->snapshot ||
			fs_is_read_only(fs)))
		return at_end(at, -EROFS);
	if (changes)
		op_by_path(at->op, at->dir, parent);
	handles_commit_empty(at->op, at->dir);
	return 0;
}
