#include "fs/file/handle.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/file/content.h"
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

/* ------------------------------------------------------------ open, close */
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
	struct handle **list = h->buffer ? &open->writers : &open->readers;

	mutex_lock(&open->lock);
	h->next = *list;
	if (h->next)
		h->next->link = &h->next;
	h->link = list;
	*list = h;
	mutex_unlock(&open->lock);
}

static void count_empty(struct fs *fs, struct handle *h, bool waits)
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
	if (h->link) {
		*h->link = h->next;
		if (h->next)
			h->next->link = h->link;
		h->link = NULL;
	}
	mutex_unlock(&open->lock);
	count_empty(fs, h, false);
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
	atomic_fetch_or(&n->flags, NODE_RESIZED);
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
	if (!err)
		drop_size(op, h->node);
	return err;
}

static int open_reader(struct op *op, struct handle *h,
		       struct fs_open_reply *reply)
{
	struct node *n = h->node;
	struct child c;
	int err;

	h->cached = h->hold == HOLD_READ && !n->json &&
		    n->version->text.len <= FILE_CACHED;
	reply->keep_cache = h->cached && !n->fresh;
	reply->direct_io = !h->cached;
	reply->noflush = !locks_are_known(&op->fs->locks, h->locks);
	if (h->hold == HOLD_READ || view_applies(n) ||
	    n->ops->file->streamed || n->ops->file->document)
		return 0;
	err = stat_node(op, n, &c);
	return err && !n->orphan && !buffer_is_new(op->fs, n) ? err : 0;
}

void handle_free(struct fs *fs, struct handle *h)
{
	handle_unlink(fs, h);
	atomic_fetch_sub(&h->node->opens, 1);
	buffer_give_handle(fs, h);
	view_close(fs, h);
	locks_close(&fs->locks, h->locks, h);
	pin_give(fs, h);
	text_free(fs, &h->text);
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

static void release_all(struct fs *fs, struct handle **list)
{
	struct handle *h;

	while ((h = *list)) {
		const struct file_kind *file = h->node->ops->file;
		struct op *op = file->close ? op_begin(fs, NULL) : NULL;

		h->cut = true;
		if (op) {
			op->bound = h->node;
			file->close(op, h);
			op_end(op, 0, NULL, NULL);
		}
		handle_free(fs, h);
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
	if (!err && !(h->locks = locks_open(&op->fs->locks, h->node)))
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
				  open_reader(op, h, reply);
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

/* ----------------------------------------------------------------- commit */
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
	count_empty(fs, h, false);
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

/* Commit; nothing may come between that and clearing what is left to commit. */
static int commit_locked(struct op *op, struct handle *h, bool truncated_too)
	REQUIRES(&h->buffer->lock)
{
	int err = commit_buffer(op, handle_node(h), h->buffer, truncated_too);

	if (err)
		return err;
	h->wrote = false;
	h->truncated = false;
	count_empty(op->fs, h, false);
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

/* Flush. *done: it was committed; *waits: an empty value is pending, for
 * later. */
static int flush_locked(struct op *op, struct handle *h, bool *done,
			bool *waits) REQUIRES(&h->buffer->lock)
{
	bool by_name = h->buffer->is_new && h->node->ops->file->exists_by_name;

	if (h->failed)
		return 0;
	h->flushes++;
	*done = h->wrote || by_name;
	if (*done)
		return commit_locked(op, h, by_name);
	if (!h->truncated || h->buffer->state != BUFFER_TRUNCATED)
		return 0;
	/* An error without a reason, as a write may follow; and none for the
	 * children of a shell, which close copies of descriptors that they
	 * never wrote to. */
	if (!handle_takes_empty(op, handle_node(h)))
		return op->call && op->call->pid != h->pid ? 0 : -EINVAL;
	count_empty(op->fs, h, true);
	*waits = true;
	return 0;
}

int handle_flush(struct op *op, struct handle *h)
{
	bool done = false, waits = false;
	int err;

	if (h->node->ops->file->flush)
		return h->node->ops->file->flush(op, h);
	if (!h->buffer)
		return 0;
	mutex_lock(&h->buffer->lock);
	err = flush_locked(op, h, &done, &waits);
	mutex_unlock(&h->buffer->lock);
	if (done && !err)
		tell_committed(op, h);
	/* A reader of the directory finds it: handles_commit_empty(). */
	if (waits)
		op_alters(op, h->node->parent);
	return err;
}

int handle_finish(struct op *op, struct handle *h)
{
	struct node *n = h->node;
	bool is_new, is_last;
	int err;

	if (n->ops->file->close)
		n->ops->file->close(op, h);
	if (!h->buffer)
		return 0;
	err = handle_commit(op, h, COMMIT_ALL);
	mutex_lock(&h->buffer->lock);
	is_new = h->buffer->is_new && !n->ops->file->document;
	mutex_unlock(&h->buffer->lock);
	is_last = buffer_give_handle(op->fs, h);
	/* Made by open, and never written: remove the name again. */
	if (is_new && is_last) {
		atomic_fetch_or(&n->armed, ARMED_NAME);
		op_notify(op, n, ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES);
		node_detach(&op->fs->nodes, n);
	}
	return err;
}

bool handles_set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct handles *open = handles_of(op->fs, n->parent);
	bool found = false;
	struct handle *h;

	if (!n->ops->file->document || !atomic_load(&n->opens))
		return false;
	mutex_lock(&open->lock);
	for (h = open->writers; h; h = h->next) {
		if (h->node != n || !h->buffer)
			continue;
		mutex_lock(&h->buffer->lock);
		if (is_left(h, COMMIT_ALL)) {
			h->buffer->how.has_mtime = true;
			h->buffer->how.mtime_ns = mtime_ns;
			found = true;
		}
		mutex_unlock(&h->buffer->lock);
	}
	mutex_unlock(&open->lock);
	return found;
}

/*
 * True if the writer has closed h, as far as can be seen: after one flush a
 * shell may go on to write; after two, or when it makes the present call, it
 * has closed.
 */
static bool has_closed(const struct op *op, struct handle *h)
{
	unsigned flushes;

	mutex_lock(&h->buffer->lock);
	flushes = h->flushes;
	mutex_unlock(&h->buffer->lock);
	return flushes > 1 || h->pid == (op->call ? op->call->pid : 0);
}

void handles_commit_empty(struct op *op, struct node *n)
{
	struct handles *open = handles_of(op->fs, n->ops->directory ?
							  n : n->parent);
	struct handle *h;

	if (!atomic_load(&open->empties))
		return;
	/* Rare and short: handles cannot be freed while their list is
	 * locked. */
	mutex_lock(&open->lock);
	for (h = open->writers; h; h = h->next)
		if (atomic_load(&h->counted) &&
		    (h->node->parent == n || h->node == n) &&
		    has_closed(op, h))
			handle_commit(op, h, COMMIT_EMPTY);
	mutex_unlock(&open->lock);
}

void handle_commit_empty(struct op *op, struct handle *h)
{
	struct handles *open = lists_of(op->fs, h);

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
	for (h = open->writers; h && !found; h = h->next) {
		if (h->node->parent != dir || !h->buffer)
			continue;
		mutex_lock(&h->buffer->lock);
		found = !h->failed && h->buffer->is_new && !h->buffer->orphan;
		mutex_unlock(&h->buffer->lock);
	}
	mutex_unlock(&open->lock);
	return found;
}

static int commit_written(struct op *op, struct handles *open)
{
	struct handle *h;
	int err = 0, one;

	mutex_lock(&open->lock);
	for (h = open->writers; h; h = h->next)
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
		return n->ops->file->truncate(op, n, size);
	if (n->ops->file->open && !n->ops->file->store)
		return 0;	/* .cql and the like ignore > */
	if (h && h->buffer) {
		mutex_lock(&h->buffer->lock);
		err = buffer_truncate(op, n, h->buffer, size);
		if (!err && !size)
			h->failed = 0;
		if (!err)
			handle_changed(op->fs, h, !size);
		mutex_unlock(&h->buffer->lock);
		if (!err)
			buffer_tell_others(op, h);
		return err;
	}
	err = handle_open(op, n, O_WRONLY, moved ? OPENED_MOVED : OPENED,
			  &reply);
	if (err)
		return err;
	h = handle_of(reply.handle);
	if (!h->buffer) {
		handle_free(op->fs, h);
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
	handle_free(op->fs, h);
	return err;
}
