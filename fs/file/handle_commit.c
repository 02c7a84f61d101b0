#include "fs/file/handle_commit.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/file/content.h"
#include "fs/file/last_close.h"
#include "fs/file/write_buffer.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "store/base/process.h"

bool handle_takes_empty(struct op *op, struct node *n)
{
	const struct file_kind *file = n->ops->file;

	return file->takes_empty && file->takes_empty(op, n);
}

void handle_changed(struct fs *fs, struct handle *h, bool truncated)
{
	h->buffer->refused = false;
	h->wrote = !truncated;
	h->truncated = truncated;
	h->flushes = 0;
	h->told = false;
	handle_count_empty(fs, h, false);
}

static int commit_buffer(struct op *op, struct node *n,
			 struct write_buffer *buffer,
			 bool truncated_too) REQUIRES(&buffer->lock)
{
	struct node *outer;
	int err;

	if (buffer->orphan)
		return 0;
	if (buffer->state == BUFFER_CLEAN)
		return 0;
	if (buffer->state == BUFFER_TRUNCATED && !truncated_too)
		return 0;
	if (buffer->state == BUFFER_TRUNCATED && !handle_takes_empty(op, n))
		return op_refuse(op, -EINVAL,
				 "nothing was written, and this has no empty value");
	buffer->how.adds = buffer->added && !n->ops->file->document;
	buffer->how.base = buffer->base;
	outer = op->bound;
	op->bound = n;
	charge_end(&op->fs->accounts, &buffer->room);
	err = content_store(op, n, buf_bytes(&buffer->text), &buffer->how);
	op->bound = outer;
	if (err)
		return err;
	buffer->state = BUFFER_CLEAN;
	buffer->is_new = false;
	buffer->how.has_mtime = false;
	buffer->how.has_expires = false;
	buffer_forget(op->fs, buffer);
	buffer->loaded = buffer->how.append;
	return 0;
}

int handle_commit_new(struct op *op, struct node *n,
		      struct write_buffer *buffer)
{
	int err;

	if ((!buffer->is_new && !n->scratch) || buffer->refused)
		return 0;
	err = commit_buffer(op, n, buffer, true);
	if (!err)
		op_notify(op, n, ARMED_ATTRIBUTES | ARMED_PAGES);
	return err;
}

/* Commit; nothing may come between that and clearing what is left to commit. */
static int commit_locked(struct op *op, struct handle *h, bool truncated_too)
	REQUIRES(&h->buffer->lock)
{
	int err = commit_buffer(op, handle_node(h), h->buffer, truncated_too);

	if (err)
		return err;
	h->wrote = false;
	h->truncated = false;
	handle_count_empty(op->fs, h, false);
	return 0;
}

static void tell_committed(struct op *op, struct handle *h)
{
	op_notify(op, h->node, ARMED_ATTRIBUTES | ARMED_PAGES);
}

static bool is_left(const struct handle *h, enum commit what)
	REQUIRES(&h->buffer->lock)
{
	if (h->failed)
		return false;
	return what == COMMIT_WRITTEN ? h->wrote :
	       what == COMMIT_ALL ? h->wrote || h->truncated :
				    atomic_load(&h->counted);
}

int handle_commit(struct op *op, struct handle *h, enum commit what)
{
	bool left;
	int err = 0;

	mutex_lock(&h->buffer->lock);
	left = is_left(h, what);
	if (left)
		err = commit_locked(op, h, what != COMMIT_WRITTEN && h->truncated);
	mutex_unlock(&h->buffer->lock);
	if (left && !err)
		tell_committed(op, h);
	return err;
}

/* True if the opener has no other descriptor of it, as far as can be seen: a shell
 * that redirects closes two of them. */
static bool closes_again(const struct handle *h) REQUIRES(&h->buffer->lock)
{
	return h->flushes > 1 && process_has_file(h->pid, h->node->ino) != 1;
}

/* Flush. *done: it was committed; *waits: an empty value is pending, for
 * later. */
static int flush_locked(struct op *op, struct handle *h, bool *done,
			bool *waits) REQUIRES(&h->buffer->lock)
{
	bool by_name = h->buffer->is_new && h->node->ops->file->exists_by_name;
	bool is_openers = !op->call || op->call->pid == h->pid;

	if (h->failed)
		return 0;
	if ((h->wrote || h->truncated) &&
	    close_is_of_a_copy(op, h, h->wrote ? atomic_load(&h->writer_pid) :
						 h->pid))
		return 0;
	h->flushes++;
	*done = h->wrote || by_name;
	if (*done)
		return commit_locked(op, h, by_name);
	if (!h->truncated || h->buffer->state != BUFFER_TRUNCATED)
		return 0;
	/* Give no reason, as a write may follow; and no error to the children
	 * of a shell, which close copies of descriptors that they never wrote
	 * to. */
	if (!handle_takes_empty(op, handle_node(h)))
		return is_openers ? -EINVAL : 0;
	*done = last_close_is_now(op, h) ||
		(is_openers && closes_again(h));
	if (*done)
		return commit_locked(op, h, true);
	handle_count_empty(op->fs, h, true);
	*waits = true;
	return 0;
}

void handle_has_no_op(struct handle *h, bool writes)
{
	if (!h->buffer)
		return;
	mutex_lock(&h->buffer->lock);
	if (writes && !h->failed)
		h->failed = -ENOMEM;
	h->told = true;
	mutex_unlock(&h->buffer->lock);
}

/* Flush statements or lines. Who was killed while it wrote had more to write: its
 * close ends no text. */
static int flush_stream(struct op *op, struct handle *h)
{
	pid_t pid = op->call ? op->call->pid : 0;
	bool left;

	mutex_lock(&h->lock);
	left = h->begun || h->kept;
	mutex_unlock(&h->lock);
	if (left && process_is_one(atomic_load(&h->writer_pid), pid) == 1 &&
	    process_was_killed(pid))
		atomic_store(&h->cut, true);
	if (left && atomic_load(&h->cut))
		return op_refuse(op, -EINTR, "its writer was killed: what waits "
				 "for the end of the text is not done");
	return h->node->ops->file->flush(op, h);
}

int handle_flush(struct op *op, struct handle *h)
{
	bool done = false, waits = false, failed, hides;
	int err;

	if (h->node->ops->file->flush)
		return flush_stream(op, h);
	if (!h->buffer)
		return 0;
	mutex_lock(&h->buffer->lock);
	err = flush_locked(op, h, &done, &waits);
	failed = err && err != -EINTR;
	h->told = done && failed;
	hides = h->told && h->buffer->is_new;
	h->buffer->refused |= hides || (failed && !h->buffer->is_new);
	mutex_unlock(&h->buffer->lock);
	if (done && !err)
		tell_committed(op, h);
	if (hides)	/* its closer, who is told, does not find it */
		op_notify(op, h->node, ARMED_NAME | ARMED_ATTRIBUTES);
	/* A reader of the directory finds it: handles_commit_empty(). */
	if (waits)
		op_alters(op, h->node->parent);
	return err;
}

int handle_finish(struct op *op, struct handle *h)
{
	struct node *n = h->node;
	bool is_new, is_last;
	int err = 0;

	if (n->ops->file->close)
		err = n->ops->file->close(op, h);
	if (!h->buffer)
		return err;
	/* A close that failed stores nothing later. */
	if (!h->told) {
		int stored = handle_commit(op, h, COMMIT_ALL);

		err = err ? err : stored;
	}
	mutex_lock(&h->buffer->lock);
	is_new = h->buffer->is_new && !n->ops->file->document;
	mutex_unlock(&h->buffer->lock);
	is_last = buffer_give_handle(op->fs, h);
	/* Remove the name of a file that an open made and nobody wrote. */
	if (is_new && is_last) {
		atomic_fetch_or(&n->armed, ARMED_NAME);
		op_notify(op, n, ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES);
		node_detach(&op->fs->nodes, n);
	}
	return err;
}

bool handles_how(struct op *op, struct node *n, const struct store_how *set,
		 struct store_how *now)
{
	struct handles *open = handles_of(op->fs, n->parent);
	bool found = false;
	struct handle *h;

	if (buffer_how(op, n, set, now))
		return true;
	if (!n->ops->file || !n->ops->file->document || !atomic_load(&n->opens))
		return false;
	mutex_lock(&open->lock);
	LIST_FOREACH(h, &open->writers, entry) {
		if (h->node != n || !h->buffer)
			continue;
		mutex_lock(&h->buffer->lock);
		if (is_left(h, COMMIT_ALL)) {
			buffer_take_times(&h->buffer->how, set);
			if (now)
				*now = h->buffer->how;
			found = true;
		}
		mutex_unlock(&h->buffer->lock);
	}
	mutex_unlock(&open->lock);
	return found;
}

/*
 * True if the writer has closed h. Where that cannot be seen: after one flush a
 * shell may go on to write; after two, or when it makes the present call, it has
 * closed.
 */
static bool has_closed(const struct op *op, struct handle *h)
{
	unsigned flushes;

	mutex_lock(&h->buffer->lock);
	flushes = h->flushes;
	mutex_unlock(&h->buffer->lock);
	return last_close_has_come(h, flushes > 1 ||
				   h->pid == (op->call ? op->call->pid : 0));
}

void handles_commit_empty(struct op *op, struct node *n)
{
	struct handles *open = handles_of(op->fs, n->ops->directory ?
							  n : n->parent);
	struct handle *h;

	if (!atomic_load(&open->empties))
		return;
	/* The lock of the list keeps the handles; it is rarely held, and not for
	 * long. */
	mutex_lock(&open->lock);
	LIST_FOREACH(h, &open->writers, entry)
		if (atomic_load(&h->counted) &&
		    (h->node->parent == n || h->node == n) &&
		    has_closed(op, h))
			handle_commit(op, h, COMMIT_EMPTY);
	mutex_unlock(&open->lock);
}

void handle_commit_empty(struct op *op, struct handle *h)
{
	struct handles *open = handles_of(op->fs, h->node->parent);

	if (!atomic_load(&h->counted))
		return;
	mutex_lock(&open->lock);
	handle_commit(op, h, COMMIT_EMPTY);
	mutex_unlock(&open->lock);
}

bool handles_have_new(struct op *op, struct node *dir)
{
	struct handles *open = handles_of(op->fs, dir);
	struct handle *h;
	bool found = false;

	mutex_lock(&open->lock);
	LIST_FOREACH(h, &open->writers, entry) {
		if (h->node->parent != dir || !h->buffer)
			continue;
		mutex_lock(&h->buffer->lock);
		found = !h->failed && h->buffer->is_new && !h->buffer->orphan;
		mutex_unlock(&h->buffer->lock);
		if (found)
			break;
	}
	mutex_unlock(&open->lock);
	return found;
}

static int commit_written(struct op *op, struct handles *open)
{
	struct handle *h;
	int err = 0, one;

	mutex_lock(&open->lock);
	LIST_FOREACH(h, &open->writers, entry)
		if (h->buffer) {
			one = handle_commit(op, h, COMMIT_WRITTEN);
			err = err ? err : one;
		}
	mutex_unlock(&open->lock);
	return err;
}

int handles_commit(struct op *op)
{
	int i, err = 0, one;

	for (i = 0; i < FS_HANDLES; i++) {
		one = commit_written(op, &op->fs->handles[i]);
		err = err ? err : one;
	}
	return err;
}

/* -------------------------------------------------------- truncate by path */
int handle_truncate(struct op *op, struct node *n, bool moved, struct handle *h,
		    uint64_t size)
{
	struct fs_open_reply reply;
	int err;

	if (n->ops->file->truncate)
		return n->ops->file->truncate(op, n, h, size);
	if (n->ops->file->open && !n->ops->file->store)
		return 0;	/* .cql and the like ignore > */
	/* Cut statements are others. Who writes in place sets the length when
	 * all of the new text is written. */
	if (size && n->ops->file->statements)
		return h ? 0 : op_refuse(op, -EPERM, "it has no size to set");
	if (h && h->buffer) {
		mutex_lock(&h->buffer->lock);
		err = buffer_truncate(op, n, h->buffer, size);
		if (!err && !size)
			h->failed = 0;
		if (!err)
			handle_changed(op->fs, h, !size);
		mutex_unlock(&h->buffer->lock);
		if (!err && !size && n->ops->file->begin)
			n->ops->file->begin(op, h);
		return err;
	}
	err = handle_open(op, n, O_WRONLY, moved ? OPENED_MOVED : OPENED,
			  &reply);
	if (err)
		return err;
	h = handle_of(reply.handle);
	if (!h->buffer) {
		handle_close(op->fs, h);
		return 0;
	}
	mutex_lock(&h->buffer->lock);
	err = buffer_truncate(op, n, h->buffer, size);
	if (!err)
		err = commit_buffer(op, n, h->buffer, true);
	if (err) {
		h->buffer->state = BUFFER_CLEAN;
		h->buffer->loaded = false;
	}
	mutex_unlock(&h->buffer->lock);
	if (!err)
		op_notify(op, n, ARMED_ATTRIBUTES | ARMED_PAGES);
	handle_close(op->fs, h);
	return err;
}
