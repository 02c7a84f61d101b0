#include "fs/file/write_buffer.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/file/complete_text.h"
#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/handle_commit.h"
#include "fs/file/reader_text.h"
#include "fs/file/view.h"
#include "fs/node/account.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/base/process.h"

struct write_buffer *buffer_new(void)
{
	struct write_buffer *buffer = mem_zalloc(1, sizeof(*buffer));

	if (buffer) {
		mutex_init(&buffer->lock);
		buffer->users = 1;
	}
	return buffer;
}

void buffer_forget(struct fs *fs, struct write_buffer *buffer)
{
	buf_clear(&buffer->text);
	text_fit(fs, &buffer->text);
	charge_end(&fs->accounts, &buffer->charge);
	charge_end(&fs->accounts, &buffer->room);
}

static void buffer_free(struct fs *fs, struct write_buffer *buffer)
{
	if (!buffer)
		return;
	text_free(fs, &buffer->text);
	charge_end(&fs->accounts, &buffer->charge);
	charge_end(&fs->accounts, &buffer->room);
	mutex_release(&buffer->lock);
	mem_free(buffer);
}

/* True if both are nodes of one file: each of them finds its buffer. */
static bool is_same_file(const struct node *a, const struct node *b)
{
	if (a == b)
		return true;
	return a->ino == b->ino && a->parent == b->parent && a->ops == b->ops &&
	       a->number == b->number && !a->scratch && !b->scratch &&
	       bytes_equal(node_name(a), node_name(b)) &&
	       bytes_compare(node_value(a), node_value(b)) == 0;
}

static struct write_buffer *find_locked(struct stripe *s, const struct node *n)
	REQUIRES(&s->lock)
{
	struct write_buffer *buffer;

	if (n->orphan)
		return n->orphan;
	for (buffer = s->buffers; buffer; buffer = buffer->next)
		if (is_same_file(buffer->node, n))
			break;
	return buffer;
}

/* Remove it from its name's list. Returns its node, to be put. */
static struct node *unlist_locked(struct stripe *s, struct write_buffer *buffer)
	REQUIRES(&s->lock)
{
	struct write_buffer **at = &s->buffers;
	struct node *n = buffer->node;

	if (!n)
		return NULL;
	while (*at != buffer)
		at = &(*at)->next;
	*at = buffer->next;
	buffer->node = NULL;
	atomic_fetch_sub(&s->buffer_count, 1);
	return n;
}

struct write_buffer *buffer_take(struct fs *fs, struct node *n, bool make)
{
	struct stripe *s = op_stripe(fs, n);
	struct write_buffer *buffer;

	mutex_lock(&s->lock);
	buffer = find_locked(s, n);
	if (buffer) {
		buffer->users++;
	} else if (make && (buffer = buffer_new())) {
		buffer->node = node_get(n);
		buffer->next = s->buffers;
		s->buffers = buffer;
		atomic_fetch_add(&s->buffer_count, 1);
	}
	mutex_unlock(&s->lock);
	return buffer;
}

/* Return the buffer of n with one more user, or NULL; mostly it is seen without
 * a lock that there is none. One that is made now need not be found. */
static struct write_buffer *take_any(struct fs *fs, struct node *n)
{
	if (!atomic_load(&op_stripe(fs, n)->buffer_count) &&
	    !(atomic_load(&n->flags) & NODE_GONE))
		return NULL;
	return buffer_take(fs, n, false);
}

bool buffer_give(struct fs *fs, struct node *n, struct write_buffer *buffer)
{
	struct stripe *s = op_stripe(fs, n);
	struct node *named = NULL;
	bool last;

	if (!buffer)
		return false;
	mutex_lock(&s->lock);
	last = !--buffer->users;
	if (last)
		named = unlist_locked(s, buffer);
	mutex_unlock(&s->lock);
	if (last)
		buffer_free(fs, buffer);
	node_put(&fs->nodes, named);
	return last;
}

void buffer_leave_name(struct fs *fs, struct node *n)
{
	struct stripe *s = op_stripe(fs, n);
	struct node *named = NULL;
	struct write_buffer *buffer;

	mutex_lock(&s->lock);
	buffer = find_locked(s, n);
	if (buffer)
		named = unlist_locked(s, buffer);
	mutex_unlock(&s->lock);
	node_put(&fs->nodes, named);
}

/* ---------------------------------------------------------------- pending */
/* True if the caller's process opened n, whose buffer this is, to write, or
 * wrote. */
static bool is_writer(struct op *op, const struct node *n,
		      const struct write_buffer *buffer)
{
	pid_t pids[64], pid = op->call ? op->call->pid : 0;
	size_t count = 0, i;
	struct handles *open = handles_of(op->fs, n->parent);
	struct handle *h;

	if (pid <= 0)
		return false;
	mutex_lock(&open->lock);
	LIST_FOREACH(h, &open->writers, entry) {
		if (h->buffer != buffer || count + 2 > ARRAY_SIZE(pids))
			continue;
		pids[count++] = h->pid;
		pids[count++] = atomic_load(&h->writer_pid);
	}
	mutex_unlock(&open->lock);
	for (i = 0; i < count; i++)
		if (process_is_one(pids[i], pid) > 0)
			return true;
	return false;
}

bool buffer_size(struct op *op, struct node *n, uint64_t *size)
{
	struct write_buffer *buffer = take_any(op->fs, n);
	bool pending, orphan;
	uint64_t len;

	if (!buffer)
		return false;
	mutex_lock(&buffer->lock);
	orphan = buffer->orphan;
	pending = (buffer->state != BUFFER_CLEAN && !buffer->refused) || orphan;
	len = buffer->text.len;
	mutex_unlock(&buffer->lock);
	/* Show it by its writers' node alone: the name has the committed
	 * size. */
	if (orphan || (pending && (n->scratch || view_is_written(n)) &&
		       is_writer(op, n, buffer)))
		*size = len;
	buffer_give(op->fs, n, buffer);
	return pending;
}

void buffer_handle_size(struct handle *h, uint64_t *size)
{
	mutex_lock(&h->buffer->lock);
	if (h->buffer->state != BUFFER_CLEAN || h->buffer->orphan)
		*size = h->buffer->text.len;
	mutex_unlock(&h->buffer->lock);
}

static bool is_new(struct op *op, struct node *n, struct fs *fs, bool callers)
{
	struct write_buffer *buffer = take_any(fs, n);
	bool found;

	if (!buffer)
		return false;
	mutex_lock(&buffer->lock);
	found = buffer->is_new && !buffer->refused && !buffer->orphan;
	mutex_unlock(&buffer->lock);
	if (found && callers)
		found = is_writer(op, n, buffer);
	buffer_give(fs, n, buffer);
	return found;
}

bool buffer_is_new(struct fs *fs, struct node *n)
{
	return is_new(NULL, n, fs, false);
}

bool buffer_is_callers(struct op *op, struct node *n)
{
	return is_new(op, n, op->fs, true);
}

bool buffer_is_there(struct fs *fs, struct node *n)
{
	struct write_buffer *buffer = take_any(fs, n);

	buffer_give(fs, n, buffer);
	return buffer;
}

/* Put the text into the buffer, for descriptors that would load it. */
static void put_text(struct op *op, struct write_buffer *buffer,
		       struct bytes text)
	REQUIRES(&buffer->lock)
{
	buf_clear(&buffer->text);
	if (charge_set(&op->fs->accounts, &buffer->charge, RESOURCE_PENDING,
		       op->who.uid, text.len))
		return;
	if (!bytes_is_null(text))
		buf_add_bytes(&buffer->text, text);
	buffer->loaded = !buffer->text.failed;
}

struct write_buffer *buffer_hold(struct fs *fs, struct node *n)
{
	struct write_buffer *buffer = buffer_take(fs, n, true);

	if (buffer)
		mutex_lock(&buffer->lock);
	return buffer;
}

void buffer_release(struct fs *fs, struct node *n, struct write_buffer *buffer)
{
	if (!buffer)
		return;
	mutex_unlock(&buffer->lock);
	buffer_give(fs, n, buffer);
}

bool buffer_is_open(const struct write_buffer *buffer)
{
	return buffer && buffer->descriptors;
}

bool buffer_give_handle(struct fs *fs, struct handle *h)
{
	struct write_buffer *buffer = h->buffer;

	h->buffer = NULL;
	if (buffer)
		buffer->descriptors--;
	return buffer_give(fs, h->node, buffer);
}

void buffer_orphan(struct op *op, struct node *n, struct write_buffer *buffer,
		   struct bytes text, bool make)
{
	struct stripe *s = op_stripe(op->fs, n);
	struct node *named;

	if (!buffer_is_open(buffer) && (!make || bytes_is_null(text)))
		return;
	if (!buffer->loaded)
		put_text(op, buffer, text);
	buffer->orphan = true;
	buffer->is_new = false;
	/* The node is its user, for all descriptors: it is freed with the node. */
	mutex_lock(&s->lock);
	named = unlist_locked(s, buffer);
	if (n->orphan != buffer)
		buffer->users++;
	n->orphan = buffer;
	mutex_unlock(&s->lock);
	node_put(&op->fs->nodes, named);
}

void buffer_take_times(struct store_how *how, const struct store_how *set)
{
	if (set && set->has_mtime) {
		how->has_mtime = true;
		how->mtime_ns = set->mtime_ns;
	}
	if (set && set->has_expires) {
		how->has_expires = true;
		how->expires_s = set->expires_s;
	}
}

bool buffer_how(struct op *op, struct node *n, const struct store_how *set,
		struct store_how *now)
{
	struct write_buffer *buffer = take_any(op->fs, n);
	bool pending;

	if (!buffer)
		return false;
	mutex_lock(&buffer->lock);
	pending = buffer->state != BUFFER_CLEAN || buffer->is_new;
	if (pending)
		buffer_take_times(&buffer->how, set);
	if (now)
		*now = buffer->how;
	mutex_unlock(&buffer->lock);
	buffer_give(op->fs, n, buffer);
	return pending;
}

/* Reserve the room that storing a text of that length needs in memory: an error
 * of the commit may be lost in a close. */
static int reserve(struct op *op, struct node *n, struct write_buffer *buffer,
		   uint64_t len)
{
	uint64_t more = buffer->orphan ? 0 : content_room(op, n, len);

	return more > buffer->room.amount ?
		       op_charge(op, &buffer->room, RESOURCE_SCRATCH, more) :
		       0;
}

/* Charge the caller for a text of that length. */
static int charge(struct op *op, struct node *n, struct write_buffer *buffer,
		  uint64_t len)
{
	int err = len > buffer->charge.amount ?
			  op_charge(op, &buffer->charge, RESOURCE_PENDING, len) :
			  0;

	return err ? err : reserve(op, n, buffer, len);
}

int buffer_load(struct op *op, struct node *n, struct write_buffer *buffer)
{
	int err;

	if (buffer->loaded)
		return 0;
	if (buffer->orphan)
		return op_refuse(op, -ESTALE, "it was removed, and there was "
					      "no room to hold what it was");
	buf_clear(&buffer->text);
	err = content_load(op, n, &buffer->text);
	if (err == -ENOENT)
		err = 0;
	if (!err && buffer->text.failed)
		err = -ENOMEM;
	if (!err)
		err = charge(op, n, buffer, buffer->text.len);
	if (err)
		buffer_forget(op->fs, buffer);
	buffer->loaded = !err;
	buffer->added = true;
	buffer->base = buffer->text.len;
	return err;
}

static bool is_value(struct op *op, struct node *n)
{
	const struct file_kind *file = n->ops->file;

	return file->is_value && file->is_value(op, n);
}

/*
 * Return how long a text of that length may be, but for a last newline. One that
 * is not the value as it stands is bounded here for the memory that it takes;
 * the values in it are, when it is stored.
 */
static uint64_t longest(struct op *op, struct node *n, uint64_t size)
{
	return size <= op->fs->max_value || is_value(op, n) ?
		       op->fs->max_value : op->fs->max_document;
}

static int refuse_size(struct op *op, struct node *n)
{
	return op_refuse(op, -EFBIG, is_value(op, n) ?
				 "a value may have %llu bytes" :
				 "a text may have %llu bytes (values can be "
				 "written one by one)",
			 (unsigned long long)longest(op, n, UINT64_MAX));
}

/* True if a text is too long: a last newline that is not part of a value does
 * not count. */
static bool is_too_long(struct op *op, struct node *n, struct bytes text)
{
	const struct file_kind *file = n->ops->file;
	uint64_t most = longest(op, n, text.len);

	return text.len > most &&
	       (text.len > most + 1 || text.ptr[text.len - 1] != '\n' ||
		(file->keeps_newline && file->keeps_newline(op, n)));
}

/* Check the first change since a commit: the commit would be refused later. */
static int check_begin(struct op *op, struct node *n,
		       const struct write_buffer *buffer)
{
	return buffer->state != BUFFER_CLEAN || buffer->orphan ?
		       0 : content_check_time(op, n);
}

int buffer_truncate(struct op *op, struct node *n, struct write_buffer *buffer,
		    uint64_t size)
{
	int err;

	/* Zeros count: only a last newline may be longer than the bound. */
	if (size > longest(op, n, size) && size != buffer->text.len)
		return refuse_size(op, n);
	err = check_begin(op, n, buffer);
	if (err)
		return err;
	if (!size) {
		buffer_forget(op->fs, buffer);
		buffer->loaded = true;
		buffer->added = false;
		buffer->state = BUFFER_TRUNCATED;
		return 0;
	}
	err = buffer_load(op, n, buffer);
	if (err)
		return err;
	if (size > buffer->text.len) {
		size_t more = size - buffer->text.len;

		err = charge(op, n, buffer, size);
		if (err)
			return err;
		if (!buf_reserve(&buffer->text, more))
			return -ENOMEM;
		memset(buffer->text.ptr + buffer->text.len, 0, more);
	}
	buffer->text.len = size;
	buffer->added = false;
	buffer->state = BUFFER_DIRTY;
	return 0;
}

/* Check a write: 0, or the reason to refuse it. */
static int check_text(struct op *op, struct node *n,
		      const struct write_buffer *buffer, size_t from)
{
	const struct file_kind *file = n->ops->file;
	struct bytes text = buf_bytes(&buffer->text);

	if (is_too_long(op, n, text))
		return refuse_size(op, n);
	if (file->may_begin && !file->may_begin(op, n, text, from))
		return op_refuse(op, -EINVAL, "no value begins so");
	if (!file->check || !text.len || text.ptr[text.len - 1] != '\n')
		return 0;
	/* Values that can be empty, text and blob, may continue after any
	 * newline. */
	if (handle_takes_empty(op, n) || !text_is_complete(text))
		return 0;
	return file->check(op, n, text, &buffer->how);
}

/* The text is checked as far as it goes; if it is refused, it is as before. */
int buffer_write(struct op *op, struct node *n, struct write_buffer *buffer,
		 uint64_t offset, struct bytes data)
{
	struct buf *text = &buffer->text;
	size_t old_len;
	int err = check_begin(op, n, buffer);
	uint64_t end;
	struct buf saved = BUF_INIT;

	if (!err)
		err = buffer_load(op, n, buffer);
	if (err)
		return err;
	end = offset + data.len;
	if (end < offset || end > longest(op, n, end) + 1)
		return refuse_size(op, n);
	old_len = text->len;
	err = charge(op, n, buffer, end);
	if (err)
		return err;
	if (end > old_len && !buf_reserve(text, end - old_len)) {
		text->failed = false;
		return -ENOMEM;
	}
	if (offset < old_len)	/* to restore it if refused */
		buf_add(&saved, text->ptr + offset,
			(end < old_len ? end : old_len) - offset);
	if (saved.failed)
		return -ENOMEM;
	if (offset > old_len)
		memset(text->ptr + old_len, 0, offset - old_len);
	memcpy(text->ptr + offset, data.ptr, data.len);
	if (end > old_len)
		text->len = end;
	err = check_text(op, n, buffer, offset < old_len ? offset : old_len);
	if (err) {
		text->len = old_len;
		memcpy(text->ptr + offset, buf_bytes(&saved).ptr, saved.len);
	} else {
		buffer->state = BUFFER_DIRTY;
	}
	buf_release(&saved);
	return err;
}
