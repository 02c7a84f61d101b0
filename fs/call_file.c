/* Calls on open files. */
#include <errno.h>
#include <fcntl.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/leave.h"
#include "fs/file/reader_text.h"
#include "fs/file/unopened.h"
#include "fs/file/view.h"
#include "fs/file/write_buffer.h"
#include "fs/fs.h"
#include "fs/kind/waiting.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"

static int read_buffer(struct op *op, struct handle *h,
		       struct write_buffer *buffer, uint64_t offset,
		       size_t size, struct buf *out)
{
	int err;

	mutex_lock(&buffer->lock);
	err = buffer->how.append ? -EBADF : buffer_load(op, handle_node(h),
							buffer);
	if (!err)
		text_slice(out, buf_bytes(&buffer->text), offset, size);
	mutex_unlock(&buffer->lock);
	return err;
}

/* Load the text that h reads from there on. Without what it has read it has no
 * more: a reader sees no part of another value. */
static int load_for_reader(struct op *op, struct handle *h, uint64_t offset)
	REQUIRES(&h->lock)
{
	int err = h->node->orphan && !view_applies(h->node) ?
			  -ESTALE : content_load(op, handle_node(h), &h->text);

	if (!err && h->text.failed)
		err = -ENOMEM;
	if (!err && offset && !view_goes_on(h, buf_bytes(&h->text)))
		buf_clear(&h->text);
	if (!err)
		err = op_refuse_resource(op, RESOURCE_READ,
					 pin_share(op->fs, h));
	h->pinned = !err;
	if (err)
		reader_text_drop(op->fs, h);
	return err;
}

/* Read for a reader that does not hold its node the text as it was opened; at
 * offset 0, and after the end, load it again. */
static int read_committed(struct op *op, struct handle *h, uint64_t offset,
			  size_t size, struct buf *out)
{
	struct bytes text;
	int err = 0;

	mutex_lock(&h->lock);
	if ((!offset && !h->at_open) || !h->pinned) {
		pin_give(op->fs, h);
		buf_clear(&h->text);
		err = load_for_reader(op, h, offset);
	}
	h->at_open = false;
	text = buf_bytes(h->pin ? &h->pin->text : &h->text);
	if (!err)
		text_slice(out, text, offset, size);
	if (!err && offset >= text.len && (h->pin || view_applies(h->node))) {
		if (text.len)
			view_note_read(h, text);
		pin_give(op->fs, h);
		h->pinned = false;
	}
	mutex_unlock(&h->lock);
	return err;
}

/*
 * During a write or an fsync the kernel holds the file's lock, and a removal or
 * rename waits for that with the lock of the directory, which dropping a name
 * needs: these replies do not wait for names. The next read (of a statement's
 * answer) or the close, which hold no lock, wait in their place.
 */
static void wait_later(struct handle *h, struct fs_call *call)
{
	uint64_t before = atomic_load(&h->wait_for);

	if (!call)
		return;
	while (call->wait_for > before &&
	       !atomic_compare_exchange_weak(&h->wait_for, &before,
					     call->wait_for))
		;
	call->locked = true;
}

/* A read into the kernel's pages holds their locks: only streams wait there. */
static void wait_now(struct handle *h, struct fs_call *call)
{
	uint64_t left = h ? atomic_exchange(&h->wait_for, 0) : 0;

	if (call && left > call->wait_for)
		call->wait_for = left;
}

bool fs_handle_is_heavy(uint64_t handle)
{
	const struct file_kind *file = handle_of(handle)->node->ops->file;

	return file->statements || file->document;
}

/*
 * Read the version of the node's readers. One that let it go, as it had read all,
 * and cannot hold it again, reads the name's value, until its close: readers that
 * hold a past node show an older value.
 */
static bool read_held(struct op *op, struct handle *h, uint64_t offset,
		      size_t size, struct buf *out)
{
	bool held;

	mutex_lock(&h->lock);
	if (h->hold == HOLD_NONE && !offset && h->let_go)
		h->let_go = !view_hold_again(op, h);
	held = h->hold == HOLD_READ;
	if (held)
		view_read(op->fs, h, offset, size, out);
	mutex_unlock(&h->lock);
	return held;
}

/* Read without a hold: the text that the file had when its name was removed,
 * else the stored text, else the pending one. Who began with the first goes on
 * with it, though the name has another file by now. */
static int read_unheld(struct op *op, struct handle *h, uint64_t offset,
		       size_t size, struct buf *out)
{
	struct node *n = h->node;
	bool on = offset && atomic_load(&h->removed);
	int err = on ? -ENOENT : read_committed(op, h, offset, size, out);
	struct write_buffer *buffer = err == -ENOENT || err == -ESTALE ?
				      buffer_take(op->fs, n, false) : NULL;

	if (buffer)
		err = read_buffer(op, h, buffer, offset, size, out);
	atomic_store(&h->removed, buffer && n->orphan);
	buffer_give(op->fs, n, buffer);
	return err;
}

int fs_read(struct fs *fs, struct fs_call *call, uint64_t node, uint64_t handle,
	    uint64_t offset, size_t size, struct buf *out)
{
	struct handle *h = handle_of(handle);
	struct op *op = op_begin(fs, call);
	int err = 0;

	(void)node;
	if (!op)
		return -ENOMEM;
	err = op_enter(op, h->node);
	if (err) {
		/* its snapshot is gone */
	} else if (h->node->ops->file->read) {
		mutex_lock(&h->lock);
		h->torn = 0;
		mutex_unlock(&h->lock);
		err = h->node->ops->file->read(op, h, offset, size, out);
	} else if (h->buffer) {
		err = read_buffer(op, h, h->buffer, offset, size, out);
	} else if (!read_held(op, h, offset, size, out)) {
		err = read_unheld(op, h, offset, size, out);
	}
	if (!err && out->failed)
		err = -ENOMEM;
	/* The text is the message of a statement that ran in this read. */
	if (!err && op->reason[0] && h->node->ops->file->statements)
		op_end(op, -EINVAL, h->node, NULL);
	else
		err = op_end(op, err, h->node, NULL);
	if (h->node->ops->file->streamed)
		wait_now(h, call);
	else if (call)
		call->wait_for = 0;
	return err;
}

/*
 * Note that the kernel itself drops size and times with the reply to a write,
 * and gets none to keep until the write is committed: the commit need not tell
 * it. A write that may yet fail, or out of pages, drops nothing.
 */
static void known_to_kernel(struct node *n)
{
	if (!(atomic_load(&n->armed) & ARMED_ATTRIBUTES))
		return;
	atomic_fetch_or(&n->armed, ARMED_OWNER);
	atomic_fetch_and(&n->armed, ~(uint32_t)ARMED_ATTRIBUTES);
}

/* Keep the reason for which further writes are refused. */
static void keep_reason(struct op *op, struct handle *h)
{
	size_t len = strlen(op->reason) + 1;

	mem_free(h->why);
	h->why = len > 1 ? mem_alloc(len) : NULL;
	if (h->why)
		memcpy(h->why, op->reason, len);
}

static int refuse_again(struct op *op, struct handle *h, int err)
{
	return op_refuse(op, err, "%s", h->why ? h->why :
			 "an earlier write here was refused");
}

#define SPLIT_BYTES ((size_t)124 << 10)	/* the kernel splits no shorter write */

/*
 * Write statements or lines. The kernel may split a write(2): it returns the
 * length of the parts before the refused one, and the writer writes again from
 * there, in the middle of a statement: this is not taken for another one. All
 * that follows is refused, until the message is read.
 */
static int64_t write_stream(struct op *op, struct handle *h, uint64_t offset,
			    struct bytes data)
{
	int64_t count = 0;

	mutex_lock(&h->lock);
	if (h->torn)
		count = refuse_again(op, h, h->torn);
	mutex_unlock(&h->lock);
	if (count)
		return count;
	count = h->node->ops->file->write(op, h, offset, data);
	if (op->call)
		atomic_store(&h->writer_pid, op->call->pid);
	mutex_lock(&h->lock);
	if (count < 0 && h->split) {
		keep_reason(op, h);
		h->torn = (int)count;
	}
	h->split = h->begun && data.len >= SPLIT_BYTES &&
		   count == (int64_t)data.len;
	mutex_unlock(&h->lock);
	return count;
}

static int write_buffer_text(struct op *op, struct handle *h, uint64_t offset,
			     struct bytes data)
{
	struct write_buffer *buffer = h->buffer;
	bool hides, was_made;
	int err = 0;

	mutex_lock(&buffer->lock);
	was_made = h->just_made;
	h->just_made = false;
	if (h->failed) {
		/* cp first asks the kernel to copy, and then writes itself. */
		err = refuse_again(op, h, h->failed);
	} else if (h->flags & O_APPEND) {
		err = buffer_load(op, handle_node(h), buffer);
		offset = buffer->text.len;
	}
	if (!err)
		err = buffer_write(op, handle_node(h), buffer, offset, data);
	if (!err && !(h->flags & O_APPEND))
		buffer->added = false;
	if (err && !h->failed) {
		keep_reason(op, h);
		h->failed = err;
	}
	if (!err)
		handle_changed(op->fs, h, false);
	buffer->refused |= err && buffer->is_new;
	hides = err && buffer->is_new;
	if (!err && op->call)
		atomic_store(&h->writer_pid, op->call->pid);
	mutex_unlock(&buffer->lock);
	if (was_made)	/* others see no size that is pending: drop_size */
		op_drop_attributes(op, h->node);
	if (hides)	/* it never existed, and does not now */
		op_notify(op, h->node, ARMED_NAME | ARMED_ATTRIBUTES);
	if (err)
		return err;
	if (!(op->call && op->call->cached) && !h->moved &&
	    !(h->flags & (O_SYNC | O_DSYNC)))
		known_to_kernel(h->node);
	return 0;
}

/*
 * Commit what was written, where that does not wait for the close. A temporary
 * file that processes map together is stored at once: who else asks for its size
 * would make the kernel truncate all their mappings at the one before.
 */
static int commit_now(struct op *op, struct handle *h)
{
	bool syncs = h->flags & (O_SYNC | O_DSYNC);
	int err;

	if (!syncs && !(h->node->scratch &&
			name_is_memory(node_name(h->node))))
		return 0;
	err = handle_commit(op, h, COMMIT_WRITTEN);
	if (err == -EINVAL) {	/* only incomplete: told at the close */
		op->reason[0] = 0;
		return 0;
	}
	return err || !syncs ? err : store_sync(op->fs->store);
}

int64_t fs_write(struct fs *fs, struct fs_call *call, uint64_t node,
		 uint64_t handle, uint64_t offset, struct bytes data)
{
	struct handle *h = handle_of(handle);
	struct op *op = op_begin(fs, call);
	int64_t count = (int64_t)data.len;
	int err;

	(void)node;
	if (!op) {
		handle_has_no_op(h, true);
		return -ENOMEM;
	}
	op->bound = h->node;
	if (h->node->ops->file->write) {
		op->runs_statements = h->node->ops->file->statements;
		count = write_stream(op, h, offset, data);
		if (count >= 0 && op->reason[0])
			op_end(op, -EINVAL, h->node, NULL);
		else
			op_end(op, count < 0 ? (int)count : 0, h->node, NULL);
		wait_later(h, call);
		return count;
	}
	node_saw(h->node);
	err = h->buffer ? write_buffer_text(op, h, offset, data) : -EBADF;
	if (!err)
		err = commit_now(op, h);
	err = op_end(op, err, h->node, NULL);
	wait_later(h, call);
	return err ? err : count;
}

int fs_flush(struct fs *fs, struct fs_call *call, uint64_t node,
	     uint64_t handle)
{
	struct handle *h = handle_of(handle);
	struct op *op;
	int err;

	(void)node;
	if (!h->writer)
		return 0;
	op = op_begin(fs, call);
	if (!op) {
		handle_has_no_op(h, false);
		return -ENOMEM;
	}
	op->bound = h->node;
	err = op_end(op, handle_flush(op, h), h->node, NULL);
	wait_now(h, call);
	return err;
}

int fs_fsync(struct fs *fs, struct fs_call *call, uint64_t node,
	     uint64_t handle)
{
	struct handle *h = handle_of(handle);
	struct op *op = op_begin(fs, call);
	int err = 0;

	(void)node;
	if (!op)
		return -ENOMEM;
	if (h && h->buffer)
		err = handle_commit(op, h, COMMIT_ALL);
	if (!err && !fs->read_only)
		err = store_sync_to(fs->store, store_position(fs->store));
	err = op_end(op, err, h ? h->node : NULL, NULL);
	if (h)
		wait_later(h, call);
	return err;
}

int fs_release(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle)
{
	struct handle *h = handle_of(handle);
	struct op *op;
	int err = -ENOMEM;

	(void)node;
	/* A RELEASE has no caller: it runs for the opener. */
	if (call && !call->pid) {
		call->pid = h->pid;
		call->uid = h->uid;
		call->gid = h->gid;
	}
	op = op_begin(fs, call);
	if (op) {
		op->bound = h->node;
		handle_commit_empty(op, h);
	}
	handle_unlink(fs, h);
	if (op)
		err = op_end(op, handle_finish(op, h), h->node, NULL);
	handle_free(fs, h);
	return err;
}

/* Note that the kernel drops all pages with the reply to an open for writing,
 * and that no reader can fill them again: the commit need not tell it. */
static void pages_are_dropped(struct node *n, const struct fs_open_reply *reply)
{
	const struct handle *h = handle_of(reply->handle);

	if (h->hold == HOLD_WRITE && !h->moved)
		atomic_fetch_and(&n->armed, ~(uint32_t)ARMED_PAGES);
}

/* Open a file that mknod made, which counts as made by this open if it
 * writes. */
static int open_made(struct op *op, struct node *n, int flags, bool moved,
		     struct fs_open_reply *reply)
{
	bool writer = (flags & O_ACCMODE) != O_RDONLY;
	struct handle *made = writer ? unopened_take(op->fs, n) : NULL;
	int err = handle_open(op, n, flags | (made ? O_EXCL : 0),
			      made ? OPENED_NEW :
			      moved ? OPENED_MOVED : OPENED, reply);

	if (made)
		handle_close(op->fs, made);
	return err;
}

int fs_open_file(struct fs *fs, struct fs_call *call, uint64_t id, int flags,
		 struct fs_open_reply *reply)
{
	struct node *n = waiting_node(fs, id);
	struct op *op = n ? op_begin(fs, call) : NULL;
	int err;

	if (!op) {
		node_put(&fs->nodes, n);
		return n ? -ENOMEM : -ESTALE;
	}
	if ((flags & O_ACCMODE) != O_RDONLY)
		leave_wait(fs, n);
	op_watch(op, n);
	err = op_enter(op, n);
	if (!err)
		err = n->ops->directory ? -EISDIR :
				  open_made(op, n, flags, n->id != id, reply);
	if (!err)
		pages_are_dropped(n, reply);
	err = op_end(op, err, n, NULL);
	node_put(&fs->nodes, n);
	return err;
}

int fs_flush_all(struct fs *fs)
{
	struct op *op = op_begin(fs, NULL);
	int err;

	if (!op)
		return -ENOMEM;
	err = handles_commit(op);
	if (!fs->read_only && !err)
		err = store_sync(fs->store);
	return op_end(op, err, NULL, NULL);
}

uint64_t fs_large_freed(const struct fs *fs)
{
	struct lsm_stats stats;

	store_stats(fs->store, &stats);
	return atomic_load(&fs->large_freed) + stats.cache_dropped;
}
