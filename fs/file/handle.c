#include "fs/file/handle.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/file/reader_text.h"
#include "fs/file/stat.h"
#include "fs/file/view.h"
#include "fs/file/view_look.h"
#include "fs/file/write_buffer.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "store/base/alloc.h"
#include "store/snapshot.h"

struct handles *handles_of(struct fs *fs, const struct node *dir)
{
	return &fs->handles[dir->ino % FS_HANDLES];
}

static struct handles *lists_of(struct fs *fs, const struct handle *h)
{
	return handles_of(fs, h->node->parent);
}

static void link_handle(struct fs *fs, struct handle *h)
{
	struct handles *open = lists_of(fs, h);

	mutex_lock(&open->lock);
	if (h->buffer)
		LIST_INSERT_HEAD(&open->writers, h, entry);
	else
		LIST_INSERT_HEAD(&open->readers, h, entry);
	mutex_unlock(&open->lock);
}

void handle_count_empty(struct fs *fs, struct handle *h, bool waits)
{
	if (atomic_exchange(&h->counted, waits) == waits)
		return;
	if (waits)
		atomic_fetch_add(&lists_of(fs, h)->empties, 1);
	else
		atomic_fetch_sub(&lists_of(fs, h)->empties, 1);
}

void handle_unlink(struct fs *fs, struct handle *h)
{
	struct handles *open = lists_of(fs, h);

	mutex_lock(&open->lock);
	LIST_REMOVE(h, entry);
	mutex_unlock(&open->lock);
	handle_count_empty(fs, h, false);
}

/* Note that the file was made or truncated by this open. */
static void begin_empty(struct handle *h, struct write_buffer *buffer,
			bool created) REQUIRES(&buffer->lock)
{
	/* cp and tar open so, no shell does. */
	buffer->how.copied = created && (h->flags & O_EXCL);
	buffer->is_new |= created;
	buffer->refused = false;
	h->truncated = true;
	/* Other opens may make the file too, until it is committed. */
	buffer->added = (h->flags & (O_APPEND | O_TRUNC)) == O_APPEND;
	buffer->base = 0;
}

/*
 * The kernel sets a file's size when the request of a writer is answered, and
 * only then takes its attributes for stale: a process that asks in between
 * would see a size that is pending. So drop them before the answer.
 */
static void drop_size(struct op *op, struct node *n)
{
	stat_note_resized(n);
	if (atomic_fetch_and(&n->armed, ~ARMED_ATTRIBUTES) & ARMED_ATTRIBUTES)
		op_drop_attributes(op, n);
}

static int open_writer(struct op *op, struct handle *h, bool created)
{
	const struct file_kind *file = h->node->ops->file;
	struct write_buffer *buffer;
	int err = 0;

	if (fs_is_read_only(op->fs))
		return -EROFS;
	if (!file->store)
		return op_refuse(op, -EPERM, "this file is read-only");
	buffer = file->document ? buffer_new() :
				 buffer_take(op->fs, h->node, true);
	if (!buffer)
		return -ENOMEM;
	h->buffer = buffer;
	mutex_lock(&buffer->lock);
	buffer->descriptors++;
	if (file->document && (h->flags & O_APPEND)) {
		buffer->how.append = true;
		buffer->loaded = true;
	} else if (created || (h->flags & O_TRUNC)) {
		err = buffer_truncate(op, h->node, buffer, 0);
		if (!err)
			begin_empty(h, buffer, created);
	}
	mutex_unlock(&buffer->lock);
	if (!err && file->begin)
		file->begin(op, h);
	if (!err)
		drop_size(op, h->node);
	return err;
}

static int open_reader(struct op *op, struct handle *h, bool may_have_locks,
		       struct fs_open_reply *reply)
{
	struct node *n = h->node;
	struct child c;
	int err;

	h->cached = h->hold == HOLD_READ && !n->json &&
		    view_length(op->fs, n) <= FILE_CACHED;
	reply->keep_cache = h->cached && !n->fresh;
	reply->direct_io = !h->cached;
	reply->noflush = !may_have_locks;
	if (h->hold == HOLD_READ || view_applies(n) ||
	    n->ops->file->streamed || n->ops->file->document)
		return 0;
	err = stat_node(op, n, &c);
	return err && !n->orphan && !buffer_is_new(op->fs, n) ? err : 0;
}

void handle_free(struct fs *fs, struct handle *h)
{
	atomic_fetch_sub(&h->node->opens, 1);
	buffer_give_handle(fs, h);
	view_close(fs, h);
	locks_close(&fs->locks, h->locks, h);
	pin_give(fs, h);
	text_free(fs, &h->text);
	schema_put(h->base);
	charge_end(&fs->accounts, &h->charge);
	charge_end(&fs->accounts, &h->open);
	mem_free(h->why);
	if (h->opener)
		buf_release(&h->opener->groups);
	mem_free(h->opener);
	mutex_release(&h->lock);
	if (h->view)
		snapshot_release(fs->store, h->view);
	node_put(&fs->nodes, h->node);
	mem_free(h);
}

void handle_close(struct fs *fs, struct handle *h)
{
	handle_unlink(fs, h);
	handle_free(fs, h);
}

static void release_all(struct fs *fs, struct handle_list *list)
{
	struct handle *h;

	while ((h = LIST_FIRST(list))) {
		const struct file_kind *file = h->node->ops->file;
		struct op *op = file->close ? op_begin(fs, NULL) : NULL;

		h->cut = true;
		if (op) {
			op->bound = h->node;
			file->close(op, h);
			op_end(op, 0, NULL, NULL);
		}
		handle_close(fs, h);
	}
}

void handles_release(struct fs *fs)
{
	struct handles *open;

	for (open = fs->handles; open < fs->handles + FS_HANDLES; open++) {
		release_all(fs, &open->writers);
		release_all(fs, &open->readers);
	}
}

/* Keep the opener's groups: when they are needed it may have ended. */
static int keep_opener(struct op *op, struct handle *h)
{
	if (!op->call || !h->uid)
		return 0;
	h->opener = mem_zalloc(1, sizeof(*h->opener));
	if (!h->opener)
		return -ENOMEM;
	credentials_read(&op->who);
	return credentials_copy(h->opener, &op->who);
}

int handle_begin_statement(struct op *op, struct handle *h, bool begun)
{
	op->opener = h->opener;
	op->in_statement = true;
	if (begun && (h->text_uid != op->who.uid ||
		      h->text_gid != op->who.gid))
		return op_refuse(op, -EACCES, "another user wrote the "
					      "beginning of this statement");
	h->text_uid = op->who.uid;
	h->text_gid = op->who.gid;
	return 0;
}

void handle_note_begun(struct handle *h, struct bytes text)
{
	size_t i = 0;

	while (i < text.len && text.ptr[i] <= ' ')
		i++;
	h->begun = i < text.len;
}

int handle_open(struct op *op, struct node *n, int flags, enum opened how,
		struct fs_open_reply *reply)
{
	struct handle *h = mem_zalloc(1, sizeof(*h));
	bool may_have_locks = false;
	int err;

	memset(reply, 0, sizeof(*reply));
	if (!h)
		return -ENOMEM;
	mutex_init(&h->lock);
	h->node = node_get(n);
	h->flags = flags;
	h->pid = op->call ? op->call->pid : 0;
	h->uid = op->who.uid;
	h->gid = op->who.gid;
	h->writer = (flags & O_ACCMODE) != O_RDONLY;
	atomic_fetch_add(&n->opens, 1);
	err = op_charge(op, &h->open, RESOURCE_FILES, 1);
	if (!err && n->snapshot)
		err = h->writer ? -EROFS :
		      snapshot_acquire(&h->view, op->fs->store, n->snapshot);
	if (!err && h->writer && n->ops->file->statements)
		err = keep_opener(op, h);
	if (!err)
		err = view_open(op, h, how == OPENED_MOVED);
	if (!err && !(h->locks = locks_open(&op->fs->locks, n, &may_have_locks)))
		err = -ENOMEM;
	if (err) {
		/* nothing is open yet */
	} else if (n->ops->file->open) {
		reply->direct_io = true;
		err = n->ops->file->open(op, h);
	} else {
		if (h->writer)
			reply->direct_io = true;
		err = h->writer ? open_writer(op, h, how == OPENED_NEW) :
				  open_reader(op, h, may_have_locks, reply);
	}
	if (!err)
		link_handle(op->fs, h);
	if (err) {
		handle_free(op->fs, h);
		return err;
	}
	reply->handle = (uint64_t)(uintptr_t)h;
	return 0;
}
