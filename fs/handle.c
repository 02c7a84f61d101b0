#include "fs/handle.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/inner.h"
#include "store/base/alloc.h"

/* ------------------------------------------------------------ open, close */
static void link_writer(struct fs *fs, struct handle *h)
{
	mutex_lock(&fs->handles_lock);
	h->next = fs->writers;
	if (h->next)
		h->next->link = &h->next;
	h->link = &fs->writers;
	fs->writers = h;
	mutex_unlock(&fs->handles_lock);
}

static void unlink_writer(struct fs *fs, struct handle *h)
{
	if (!h->link)
		return;
	mutex_lock(&fs->handles_lock);
	*h->link = h->next;
	if (h->next)
		h->next->link = h->link;
	mutex_unlock(&fs->handles_lock);
	if (atomic_exchange(&h->counted, false))
		atomic_fetch_sub(&fs->empties, 1);
}

static int open_writer(struct op *op, struct handle *h, bool created)
{
	const struct file_kind *file = h->node->ops->file;
	struct image *image;

	if (op->fs->read_only)
		return -EROFS;
	if (!file->store)
		return op_refuse(op, -EPERM, "this file is read-only");
	image = file->document ? image_new() :
				 image_take(op->fs, h->node, true);
	if (!image)
		return -ENOMEM;
	h->image = image;
	mutex_lock(&image->lock);
	if (file->document && (h->flags & O_APPEND)) {
		image->how.append = true;
		image->loaded = true;
	} else if (created || (h->flags & O_TRUNC)) {
		image_cut(op, h->node, image, 0);
		image->is_new |= created;
		h->cut = true;
	}
	mutex_unlock(&image->lock);
	link_writer(op->fs, h);
	return 0;
}

static int open_reader(struct op *op, struct handle *h,
		       struct fs_open_reply *reply)
{
	struct node *n = h->node;
	uint64_t size;
	struct child c;
	int err;

	if (n->ops->file->streamed || n->ops->file->document) {
		reply->direct_io = true;
		reply->noflush = true;
		return 0;
	}
	/* Before the look: what changes after it is told of. */
	if (!(atomic_fetch_or(&n->armed, ARMED_PAGES) & ARMED_ATTRIBUTES)) {
		err = node_stat(op, n, &c);
		if (err && !n->image)
			return err;
		size = err ? 0 : c.size;
		if (!err && c.expires_s != NO_TIME)
			timer_add(op->fs, n, c.expires_s);
	} else {
		size = atomic_load(&n->told_size);
	}
	reply->direct_io = size > FILE_PAGE;
	reply->keep_cache = !reply->direct_io;
	reply->noflush = true;
	return 0;
}

static void handle_free(struct fs *fs, struct handle *h)
{
	unlink_writer(fs, h);
	atomic_fetch_sub(&h->node->opens, 1);
	image_give(fs, h->node, h->image);
	buf_release(&h->text);
	mutex_release(&h->lock);
	node_put(&fs->nodes, h->node);
	mem_free(h);
}

int handle_open(struct op *op, struct node *n, int flags, bool created,
		struct fs_open_reply *reply)
{
	struct handle *h = mem_zalloc(1, sizeof(*h));
	int err = 0;

	memset(reply, 0, sizeof(*reply));
	if (!h)
		return -ENOMEM;
	mutex_init(&h->lock);
	h->node = node_get(n);
	h->flags = flags;
	h->pid = op->call ? op->call->pid : 0;
	h->writer = (flags & O_ACCMODE) != O_RDONLY;
	atomic_fetch_add(&n->opens, 1);
	if (n->ops->file->open) {
		reply->direct_io = true;
		err = n->ops->file->open(op, h);
	} else if (h->writer) {
		reply->direct_io = true;
		err = open_writer(op, h, created);
	} else {
		err = open_reader(op, h, reply);
	}
	if (err) {
		handle_free(op->fs, h);
		return err;
	}
	reply->handle = (uint64_t)(uintptr_t)h;
	return 0;
}

/* ----------------------------------------------------------------- commit */
static int commit_locked(struct op *op, struct handle *h, struct image *image,
			 bool cut_too)
{
	const struct file_kind *file = h->node->ops->file;
	int err;

	if (image->orphan)
		return 0;
	if (image->state == IMAGE_CLEAN)
		return 0;
	if (image->state == IMAGE_CUT && !cut_too)
		return 0;
	if (image->state == IMAGE_CUT &&
	    !(file->takes_empty && file->takes_empty(op, h->node)))
		return op_refuse(op, -EINVAL,
				 "nothing was written, and this has no empty value");
	err = file->store(op, h->node, buf_bytes(&image->text), &image->how);
	if (err)
		return err;
	image->state = IMAGE_CLEAN;
	image->is_new = false;
	image->how.has_mtime = false;
	image->how.has_expires = false;
	buf_clear(&image->text);
	image->loaded = image->how.append;
	return 0;
}

int handle_commit(struct op *op, struct handle *h, bool cut_too)
{
	int err;

	mutex_lock(&h->image->lock);
	err = commit_locked(op, h, h->image, cut_too);
	mutex_unlock(&h->image->lock);
	if (err)
		return err;
	h->wrote = false;
	h->cut = false;
	if (atomic_exchange(&h->counted, false))
		atomic_fetch_sub(&op->fs->empties, 1);
	op_notify(op, h->node, ARMED_ATTRIBUTES | ARMED_PAGES);
	return 0;
}

static bool has_empty_value(struct op *op, struct node *n)
{
	const struct file_kind *file = n->ops->file;

	return file->takes_empty && file->takes_empty(op, n);
}

static int flush(struct op *op, struct handle *h)
{
	bool is_new, is_cut;

	if (h->node->ops->file->flush)
		return h->node->ops->file->flush(op, h);
	if (!h->image || h->failed)
		return 0;
	h->flushes++;
	mutex_lock(&h->image->lock);
	is_new = h->image->is_new;
	is_cut = h->image->state == IMAGE_CUT;
	mutex_unlock(&h->image->lock);
	if (is_new && h->node->ops->file->exists_by_name)
		return handle_commit(op, h, true);
	if (h->wrote)
		return handle_commit(op, h, false);
	if (!h->cut || !is_cut)
		return 0;
	if (!has_empty_value(op, h->node))
		return -EINVAL;	/* without a reason: a write may follow */
	if (!atomic_exchange(&h->counted, true))
		atomic_fetch_add(&op->fs->empties, 1);
	return 0;
}

/* What is left when the last descriptor of the file is closed. */
static int finish(struct op *op, struct handle *h)
{
	struct node *n = h->node;
	bool is_new;
	int err = 0;

	if (n->ops->file->close)
		n->ops->file->close(op, h);
	if (!h->image)
		return 0;
	if (!h->failed && (h->wrote || h->cut))
		err = handle_commit(op, h, h->cut);
	mutex_lock(&h->image->lock);
	is_new = h->image->is_new;
	mutex_unlock(&h->image->lock);
	/* Made by open, and nothing came of it: the name goes again. */
	if (is_new && n->image && n->image->users == 1) {
		atomic_fetch_or(&n->armed, ARMED_NAME);
		op_notify(op, n, ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES);
		node_detach(&op->fs->nodes, n);
	}
	return err;
}

void commit_empties(struct op *op, struct node *dir)
{
	struct fs *fs = op->fs;
	pid_t pid = op->call ? op->call->pid : 0;
	struct handle *h;

	if (!atomic_load(&fs->empties))
		return;
	/*
	 * Rare and short: handles cannot go while their list is held. Who
	 * flushed once may be a shell that goes on to write; twice, or asking
	 * itself for the directory, it has closed.
	 */
	mutex_lock(&fs->handles_lock);
	for (h = fs->writers; h; h = h->next)
		if (atomic_load(&h->counted) &&
		    (h->node->parent == dir || h->node == dir) &&
		    (h->flushes > 1 || h->pid == pid) && !h->failed)
			handle_commit(op, h, true);
	mutex_unlock(&fs->handles_lock);
}

int fs_flush_all(struct fs *fs)
{
	struct op *op = op_begin(fs, NULL);
	struct handle *h;
	int err = 0, one;

	if (!op)
		return -ENOMEM;
	mutex_lock(&fs->handles_lock);
	for (h = fs->writers; h; h = h->next)
		if (h->image && !h->failed && h->wrote) {
			one = handle_commit(op, h, false);
			err = err ? err : one;
		}
	mutex_unlock(&fs->handles_lock);
	if (!fs->read_only && !err)
		err = store_sync(fs->store);
	return op_end(op, err, NULL, NULL);
}

/* ------------------------------------------------------------------ calls */
static void slice(struct buf *out, struct bytes text, uint64_t offset,
		  size_t size)
{
	if (offset >= text.len)
		return;
	if (size > text.len - offset)
		size = text.len - offset;
	buf_add(out, text.ptr + offset, size);
}

static int read_image(struct op *op, struct handle *h, struct image *image,
		      uint64_t offset, size_t size, struct buf *out)
{
	int err;

	mutex_lock(&image->lock);
	err = image->how.append ? -EBADF : image_load(op, h->node, image);
	if (!err)
		slice(out, buf_bytes(&image->text), offset, size);
	mutex_unlock(&image->lock);
	return err;
}

/* A reader goes on with what it began with; from the begin it looks again. */
static int read_committed(struct op *op, struct handle *h, uint64_t offset,
			  size_t size, struct buf *out)
{
	int err = 0;

	mutex_lock(&h->lock);
	if (!offset || !h->pinned) {
		buf_clear(&h->text);
		err = h->node->ops->file->load(op, h->node, &h->text);
		if (!err && h->text.failed)
			err = -ENOMEM;
		h->pinned = !err;
	}
	if (!err)
		slice(out, buf_bytes(&h->text), offset, size);
	mutex_unlock(&h->lock);
	return err;
}

int fs_read(struct fs *fs, struct fs_call *call, uint64_t node, uint64_t handle,
	    uint64_t offset, size_t size, struct buf *out)
{
	struct handle *h = handle_of(handle);
	struct op *op = op_begin(fs, call);
	struct image *image;
	int err;

	(void)node;
	if (!op)
		return -ENOMEM;
	if (h->node->ops->file->read) {
		err = h->node->ops->file->read(op, h, offset, size, out);
	} else if (h->image) {
		err = read_image(op, h, h->image, offset, size, out);
	} else {
		err = read_committed(op, h, offset, size, out);
		if ((err == -ENOENT || err == -ESTALE) && h->node->image) {
			image = image_take(fs, h->node, false);
			if (image)
				err = read_image(op, h, image, offset, size,
						 out);
			image_give(fs, h->node, image);
		}
	}
	if (!err && out->failed)
		err = -ENOMEM;
	return op_end(op, err, h->node, NULL);
}

static int write_image(struct op *op, struct handle *h, uint64_t offset,
		       struct bytes data)
{
	struct image *image = h->image;
	int err;

	if (h->failed)
		return op_refuse(op, -EINVAL,
				 "an earlier write here was refused");
	mutex_lock(&image->lock);
	if (h->flags & O_APPEND) {
		err = image_load(op, h->node, image);
		offset = image->text.len;
	} else {
		err = 0;
	}
	if (!err)
		err = image_write(op, h->node, image, offset, data);
	mutex_unlock(&image->lock);
	if (err) {
		h->failed = err != -ENOMEM;
		return err;
	}
	h->wrote = true;
	h->cut = false;
	h->flushes = 0;
	if (atomic_exchange(&h->counted, false))
		atomic_fetch_sub(&op->fs->empties, 1);
	return 0;
}

int64_t fs_write(struct fs *fs, struct fs_call *call, uint64_t node,
		 uint64_t handle, uint64_t offset, struct bytes data)
{
	struct handle *h = handle_of(handle);
	struct op *op = op_begin(fs, call);
	int64_t count = (int64_t)data.len;
	int err;

	(void)node;
	if (!op)
		return -ENOMEM;
	if (h->node->ops->file->write) {
		count = h->node->ops->file->write(op, h, offset, data);
		if (count >= 0 && op->reason[0])
			op_end(op, -EINVAL, h->node, NULL);
		else
			op_end(op, count < 0 ? (int)count : 0, h->node, NULL);
		return count;
	}
	err = h->image ? write_image(op, h, offset, data) : -EBADF;
	if (!err && (h->flags & (O_SYNC | O_DSYNC))) {
		err = handle_commit(op, h, false);
		if (err == -EINVAL) {	/* merely incomplete: at the close */
			op->reason[0] = 0;
			err = 0;
		} else if (!err) {
			err = store_sync(fs->store);
		}
	}
	err = op_end(op, err, h->node, NULL);
	return err ? err : count;
}

int fs_flush(struct fs *fs, struct fs_call *call, uint64_t node,
	     uint64_t handle)
{
	struct handle *h = handle_of(handle);
	struct op *op;

	(void)node;
	if (!h->writer)
		return 0;
	op = op_begin(fs, call);
	return op ? op_end(op, flush(op, h), h->node, NULL) : -ENOMEM;
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
	if (h && h->image && !h->failed && (h->wrote || h->cut))
		err = handle_commit(op, h, true);
	if (!err && !fs->read_only)
		err = store_sync_to(fs->store, store_position(fs->store));
	return op_end(op, err, h ? h->node : NULL, NULL);
}

int fs_release(struct fs *fs, struct fs_call *call, uint64_t node,
	       uint64_t handle)
{
	struct handle *h = handle_of(handle);
	struct op *op = op_begin(fs, call);
	int err = -ENOMEM;

	(void)node;
	if (op) {
		unlink_writer(fs, h);
		h->link = NULL;
		err = op_end(op, finish(op, h), h->node, NULL);
	}
	handle_free(fs, h);
	return err;
}

int fs_open_file(struct fs *fs, struct fs_call *call, uint64_t id, int flags,
		 struct fs_open_reply *reply)
{
	struct node *n = fs_node(fs, id);
	struct op *op = n ? op_begin(fs, call) : NULL;
	int err;

	if (!op) {
		node_put(&fs->nodes, n);
		return n ? -ENOMEM : -ESTALE;
	}
	op_watch(op, n);
	err = n->ops->directory ? -EISDIR :
				  handle_open(op, n, flags, false, reply);
	err = op_end(op, err, n, NULL);
	node_put(&fs->nodes, n);
	return err;
}

/* -------------------------------------------------------- truncate by path */
int image_truncate(struct op *op, struct node *n, struct handle *h,
		   uint64_t size)
{
	struct fs_open_reply reply;
	int err;

	if (n->ops->file->open && !n->ops->file->store)
		return 0;	/* .cql and its like: > means nothing */
	if (h && h->image) {
		mutex_lock(&h->image->lock);
		err = image_cut(op, n, h->image, size);
		mutex_unlock(&h->image->lock);
		if (!err && !size) {
			h->failed = false;
			h->cut = true;
			h->wrote = false;
			h->flushes = 0;
		} else if (!err) {
			h->wrote = true;
		}
		return err;
	}
	err = handle_open(op, n, O_WRONLY, false, &reply);
	if (err)
		return err;
	h = handle_of(reply.handle);
	if (!h->image) {
		handle_free(op->fs, h);
		return 0;
	}
	mutex_lock(&h->image->lock);
	err = image_cut(op, n, h->image, size);
	if (!err)
		err = commit_locked(op, h, h->image, true);
	if (err) {
		h->image->state = IMAGE_CLEAN;
		h->image->loaded = false;
	}
	mutex_unlock(&h->image->lock);
	if (!err)
		op_notify(op, n, ARMED_ATTRIBUTES | ARMED_PAGES);
	handle_free(op->fs, h);
	return err;
}
