/* Images: see handle.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "fs/file/complete_text.h"
#include "fs/file/handle.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view.h"
#include "fs/node/account.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"

#define PIN_LEAST (64 << 10)	/* less is not worth freeing or sharing */

void text_free(struct fs *fs, struct buf *text)
{
	if (text->cap > PIN_LEAST)
		atomic_fetch_add(&fs->large_freed, text->cap);
	buf_release(text);
}

void text_fit(struct fs *fs, struct buf *text)
{
	size_t before = text->cap;
	void *less;

	if (before <= TEXT_SPARE || text->len > before / 4)
		return;
	if (!text->len) {
		text_free(fs, text);
		return;
	}
	less = mem_resize(text->ptr, text->len, 1);
	if (!less)
		return;
	text->ptr = less;
	text->cap = text->len;
	if (before > PIN_LEAST)
		atomic_fetch_add(&fs->large_freed, before - text->cap);
}

static struct stripe *stripe_of(struct fs *fs, const struct node *n)
{
	return &fs->stripes[n->ino % NODE_SHARDS];
}

void text_slice(struct buf *out, struct bytes text, uint64_t offset,
		size_t size)
{
	if (offset >= text.len)
		return;
	if (size > text.len - offset)
		size = text.len - offset;
	buf_add(out, text.ptr + offset, size);
}

struct image *image_new(void)
{
	struct image *image = mem_zalloc(1, sizeof(*image));

	if (image) {
		mutex_init(&image->lock);
		image->users = 1;
	}
	return image;
}

void image_forget(struct fs *fs, struct image *image)
{
	buf_clear(&image->text);
	text_fit(fs, &image->text);
	charge_end(&fs->accounts, &image->charge);
}

static void image_free(struct fs *fs, struct image *image)
{
	if (!image)
		return;
	text_free(fs, &image->text);
	charge_end(&fs->accounts, &image->charge);
	mutex_release(&image->lock);
	mem_free(image);
}

/* True if both are nodes of one file: each of them finds its image. */
static bool is_same_file(const struct node *a, const struct node *b)
{
	if (a == b)
		return true;
	return a->ino == b->ino && a->parent == b->parent && a->ops == b->ops &&
	       a->number == b->number && !a->scratch && !b->scratch &&
	       bytes_equal(node_name(a), node_name(b)) &&
	       bytes_compare(node_value(a), node_value(b)) == 0;
}

static struct image *find_locked(struct stripe *s, const struct node *n)
	REQUIRES(&s->lock)
{
	struct image *image;

	if (n->orphan)
		return n->orphan;
	for (image = s->images; image; image = image->next)
		if (is_same_file(image->node, n))
			break;
	return image;
}

/* Remove it from its name's list. Returns its node, to be put. */
static struct node *unlist_locked(struct stripe *s, struct image *image)
	REQUIRES(&s->lock)
{
	struct image **at = &s->images;
	struct node *n = image->node;

	if (!n)
		return NULL;
	while (*at != image)
		at = &(*at)->next;
	*at = image->next;
	image->node = NULL;
	atomic_fetch_sub(&s->image_count, 1);
	return n;
}

struct image *image_take(struct fs *fs, struct node *n, bool make)
{
	struct stripe *s = stripe_of(fs, n);
	struct image *image;

	mutex_lock(&s->lock);
	image = find_locked(s, n);
	if (image) {
		image->users++;
	} else if (make && (image = image_new())) {
		image->node = node_get(n);
		image->next = s->images;
		s->images = image;
		atomic_fetch_add(&s->image_count, 1);
	}
	mutex_unlock(&s->lock);
	return image;
}

/* Return the image under its name; mostly a missing one is seen without a lock.
 * One that appears now is no older than this call. */
static struct image *take_any(struct fs *fs, struct node *n)
{
	if (!atomic_load(&stripe_of(fs, n)->image_count) &&
	    !(atomic_load(&n->flags) & NODE_GONE))
		return NULL;
	return image_take(fs, n, false);
}

bool image_give(struct fs *fs, struct node *n, struct image *image)
{
	struct stripe *s = stripe_of(fs, n);
	struct node *named = NULL;
	bool last;

	if (!image)
		return false;
	mutex_lock(&s->lock);
	last = !--image->users;
	if (last)
		named = unlist_locked(s, image);
	mutex_unlock(&s->lock);
	if (last)
		image_free(fs, image);
	node_put(&fs->nodes, named);
	return last;
}

void image_leave_name(struct fs *fs, struct node *n)
{
	struct stripe *s = stripe_of(fs, n);
	struct node *named = NULL;
	struct image *image;

	mutex_lock(&s->lock);
	image = find_locked(s, n);
	if (image)
		named = unlist_locked(s, image);
	mutex_unlock(&s->lock);
	node_put(&fs->nodes, named);
}

/* -------------------------------------------------------------------- pins */
static void give_pin(struct fs *fs, struct node *n, struct pin *pin)
{
	struct mutex *stripe = &stripe_of(fs, n)->lock;
	bool last;

	mutex_lock(stripe);
	last = !--pin->users;
	if (last && n->pin == pin)
		n->pin = NULL;
	mutex_unlock(stripe);
	if (last) {
		text_free(fs, &pin->text);
		mem_free(pin);
	}
}

void pin_give(struct fs *fs, struct handle *h)
{
	if (!h->pin)
		return;
	share_end(&fs->accounts, &h->pin->shares, h->uid);
	give_pin(fs, h->node, h->pin);
	h->pin = NULL;
}

/* Let the handle's text be its pin's, and pay for the pin. */
static int pay_for_pin(struct fs *fs, struct handle *h)
{
	int err = share_add(&fs->accounts, &h->pin->shares, h->uid);

	if (!err)
		return 0;
	give_pin(fs, h->node, h->pin);
	h->pin = NULL;
	return err;
}

int pin_share(struct fs *fs, struct handle *h)
{
	struct mutex *stripe = &stripe_of(fs, h->node)->lock;
	struct pin *latest;

	if (h->text.len < PIN_LEAST)
		return charge_set(&fs->accounts, &h->charge, RESOURCE_READ,
				  h->uid, h->text.len);
	charge_end(&fs->accounts, &h->charge);
	mutex_lock(stripe);
	latest = h->node->pin;
	if (latest)
		latest->users++;
	mutex_unlock(stripe);
	if (latest && bytes_equal(buf_bytes(&latest->text),
				  buf_bytes(&h->text))) {
		text_free(fs, &h->text);
		h->pin = latest;
		return pay_for_pin(fs, h);
	}
	if (latest)
		give_pin(fs, h->node, latest);
	h->pin = mem_zalloc(1, sizeof(*h->pin));
	if (!h->pin)
		return -ENOMEM;
	h->pin->users = 1;
	h->pin->shares.what = RESOURCE_READ;
	h->pin->shares.amount = h->text.len;
	h->pin->text = h->text;
	h->text = BUF_INIT;
	mutex_lock(stripe);
	h->node->pin = h->pin;
	mutex_unlock(stripe);
	return pay_for_pin(fs, h);
}

void handle_drop_text(struct fs *fs, struct handle *h)
{
	buf_clear(&h->text);
	text_fit(fs, &h->text);
	charge_end(&fs->accounts, &h->charge);
}

/* ---------------------------------------------------------------- pending */
/* True for threads of one process, as far as the kernel still knows both. */
static bool is_same_process(pid_t a, pid_t b)
{
	char path[64];

	if (a <= 0 || b <= 0)
		return false;
	if (a == b)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)a, (int)b);
	return !access(path, F_OK);
}

/* True if the caller's process opened n, whose image this is, to write, or
 * wrote. */
static bool is_writer(struct op *op, const struct node *n,
		      const struct image *image)
{
	pid_t pids[64], pid = op->call ? op->call->pid : 0;
	size_t count = 0, i;
	struct handles *open = handles_of(op->fs, n->parent);
	struct handle *h;

	if (pid <= 0)
		return false;
	mutex_lock(&open->lock);
	for (h = open->writers; h; h = h->next) {
		if (h->image != image || count + 2 > ARRAY_SIZE(pids))
			continue;
		pids[count++] = h->pid;
		pids[count++] = atomic_load(&h->writer_pid);
	}
	mutex_unlock(&open->lock);
	for (i = 0; i < count; i++)
		if (is_same_process(pids[i], pid))
			return true;
	return false;
}

bool image_size(struct op *op, struct node *n, uint64_t *size)
{
	struct image *image = take_any(op->fs, n);
	bool pending, orphan;
	uint64_t len;

	if (!image)
		return false;
	mutex_lock(&image->lock);
	orphan = image->orphan;
	pending = image->state != IMAGE_CLEAN || orphan;
	len = image->text.len;
	mutex_unlock(&image->lock);
	/* Only its writers' node shows it: the name shows the committed
	 * size. */
	if (orphan || (pending && (n->scratch || view_is_written(op->fs, n)) &&
		       is_writer(op, n, image)))
		*size = len;
	image_give(op->fs, n, image);
	return pending;
}

void image_handle_size(struct handle *h, uint64_t *size)
{
	mutex_lock(&h->image->lock);
	if (h->image->state != IMAGE_CLEAN || h->image->orphan)
		*size = h->image->text.len;
	mutex_unlock(&h->image->lock);
}

static bool is_new(struct op *op, struct node *n, struct fs *fs, bool callers)
{
	struct image *image = take_any(fs, n);
	bool found;

	if (!image)
		return false;
	mutex_lock(&image->lock);
	found = image->is_new && !image->refused && !image->orphan;
	mutex_unlock(&image->lock);
	if (found && callers)
		found = is_writer(op, n, image);
	image_give(fs, n, image);
	return found;
}

bool image_is_new(struct fs *fs, struct node *n)
{
	return is_new(NULL, n, fs, false);
}

bool image_is_callers(struct op *op, struct node *n)
{
	return is_new(op, n, op->fs, true);
}

/* The nodes of its other writers, where an open in between gave the name
 * another node, have another size now. */
void image_tell_others(struct op *op, struct handle *h)
{
	struct fs *fs = op->fs;
	struct handles *open = handles_of(fs, h->node->parent);
	struct node *other = NULL;
	struct handle *o;

	if (h->image->users < 2)
		return;
	mutex_lock(&open->lock);
	for (o = open->writers; o && !other; o = o->next)
		if (o->image == h->image && o->node != h->node &&
		    (atomic_load(&o->node->armed) & ARMED_ATTRIBUTES))
			other = node_get(o->node);
	mutex_unlock(&open->lock);
	if (other)
		op_drop_attributes(op, other);
	node_put(&fs->nodes, other);
}

bool image_is_there(struct fs *fs, struct node *n)
{
	struct image *image = take_any(fs, n);

	image_give(fs, n, image);
	return image;
}

/* Leave its text for descriptors that would load it. */
static void leave_text(struct op *op, struct image *image, struct bytes text)
	REQUIRES(&image->lock)
{
	buf_clear(&image->text);
	if (charge_set(&op->fs->accounts, &image->charge, RESOURCE_PENDING,
		       op->who.uid, text.len))
		return;
	if (!bytes_is_null(text))
		buf_add_bytes(&image->text, text);
	image->loaded = !image->text.failed;
}

struct image *image_hold(struct fs *fs, struct node *n)
{
	struct image *image = image_take(fs, n, true);

	if (image)
		mutex_lock(&image->lock);
	return image;
}

void image_let(struct fs *fs, struct node *n, struct image *image)
{
	if (!image)
		return;
	mutex_unlock(&image->lock);
	image_give(fs, n, image);
}

bool image_is_open(const struct image *image)
{
	return image && image->descriptors;
}

bool handle_give_image(struct fs *fs, struct handle *h)
{
	struct image *image = h->image;

	h->image = NULL;
	if (image)
		image->descriptors--;
	return image_give(fs, h->node, image);
}

void image_orphan(struct op *op, struct node *n, struct image *image,
		  struct bytes text, bool make)
{
	struct stripe *s = stripe_of(op->fs, n);
	struct node *named;

	if (!image_is_open(image) && (!make || bytes_is_null(text)))
		return;
	if (!image->loaded)
		leave_text(op, image, text);
	image->orphan = true;
	image->is_new = false;
	/* Its user is the node, for all descriptors: freed with it. */
	mutex_lock(&s->lock);
	named = unlist_locked(s, image);
	if (n->orphan != image)
		image->users++;
	n->orphan = image;
	mutex_unlock(&s->lock);
	node_put(&op->fs->nodes, named);
}

bool image_how(struct op *op, struct node *n, const struct store_how *set,
	       struct store_how *now)
{
	struct image *image = take_any(op->fs, n);
	bool pending;

	if (!image)
		return false;
	mutex_lock(&image->lock);
	pending = image->state != IMAGE_CLEAN || image->is_new;
	if (pending && set && set->has_mtime) {
		image->how.has_mtime = true;
		image->how.mtime_ns = set->mtime_ns;
	}
	if (pending && set && set->has_expires) {
		image->how.has_expires = true;
		image->how.expires_s = set->expires_s;
	}
	if (now)
		*now = image->how;
	mutex_unlock(&image->lock);
	image_give(op->fs, n, image);
	return pending;
}

bool image_set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct store_how how = { .has_mtime = true, .mtime_ns = mtime_ns };

	return image_how(op, n, &how, NULL);
}

/* Charge the caller for a text of that length. */
static int charge(struct op *op, struct image *image, uint64_t len)
{
	return len > image->charge.amount ?
		       op_charge(op, &image->charge, RESOURCE_PENDING, len) : 0;
}

int image_load(struct op *op, struct node *n, struct image *image)
{
	int err;

	if (image->loaded)
		return 0;
	if (image->orphan)
		return op_refuse(op, -ESTALE, "it was removed, and there was "
					      "no room to hold what it was");
	buf_clear(&image->text);
	err = file_load(op, n, &image->text);
	if (err == -ENOENT)
		err = 0;
	if (!err && image->text.failed)
		err = -ENOMEM;
	if (!err)
		err = charge(op, image, image->text.len);
	if (err)
		image_forget(op->fs, image);
	image->loaded = !err;
	image->added = true;
	image->base = image->text.len;
	return err;
}

static int refuse_size(struct op *op)
{
	return op_refuse(op, -EFBIG, "a value may have %llu bytes",
			 (unsigned long long)op->fs->max_value);
}

/* Check the length, without the newline that ends a text and is not part of its
 * value. */
static bool is_too_long(struct op *op, struct node *n, struct bytes text)
{
	const struct file_kind *file = n->ops->file;

	return text.len > op->fs->max_value &&
	       (text.len > op->fs->max_value + 1 ||
		text.ptr[text.len - 1] != '\n' ||
		(file->keeps_newline && file->keeps_newline(op, n)));
}

int image_cut(struct op *op, struct node *n, struct image *image, uint64_t size)
{
	int err;

	/* Not by zeros: the newline that does not count is no zero. */
	if (size > op->fs->max_value && size != image->text.len)
		return refuse_size(op);
	if (!size) {
		image_forget(op->fs, image);
		image->loaded = true;
		image->added = false;
		image->state = IMAGE_TRUNCATED;
		return 0;
	}
	err = image_load(op, n, image);
	if (err)
		return err;
	if (size > image->text.len) {
		size_t more = size - image->text.len;

		err = charge(op, image, size);
		if (err)
			return err;
		if (!buf_reserve(&image->text, more))
			return -ENOMEM;
		memset(image->text.ptr + image->text.len, 0, more);
	}
	image->text.len = size;
	image->added = false;
	image->state = IMAGE_DIRTY;
	return 0;
}

/* Check a write: 0, or the reason to refuse it. */
static int check_text(struct op *op, struct node *n, const struct image *image,
		      size_t from)
{
	const struct file_kind *file = n->ops->file;
	struct bytes text = buf_bytes(&image->text);

	if (is_too_long(op, n, text))
		return refuse_size(op);
	if (file->may_begin && !file->may_begin(op, n, text, from))
		return op_refuse(op, -EINVAL, "no value begins so");
	if (!file->check || !text.len || text.ptr[text.len - 1] != '\n')
		return 0;
	/* Values that can be empty, text and blob, may continue after any
	 * newline. */
	if (has_empty_value(op, n) || !text_is_complete(text))
		return 0;
	return file->check(op, n, text, &image->how);
}

/* Put data into the image at offset, validated as far as it goes. */
int image_write(struct op *op, struct node *n, struct image *image,
		uint64_t offset, struct bytes data)
{
	struct buf *text = &image->text;
	size_t old_len;
	int err = image_load(op, n, image);
	uint64_t end;
	struct buf saved = BUF_INIT;

	if (err)
		return err;
	end = offset + data.len;
	if (end < offset || end > op->fs->max_value + 1)
		return refuse_size(op);
	old_len = text->len;
	err = charge(op, image, end);
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
	err = check_text(op, n, image, offset < old_len ? offset : old_len);
	if (err) {
		text->len = old_len;
		memcpy(text->ptr + offset, buf_bytes(&saved).ptr, saved.len);
	} else {
		image->state = IMAGE_DIRTY;
	}
	buf_release(&saved);
	return err;
}
