/* The holders of nodes, and what they see: see view.h. */
#include "fs/file/view.h"

#include <errno.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fs/file/handle.h"
#include "fs/file/reader_text.h"
#include "fs/file/retry.h"
#include "fs/file/stat.h"
#include "fs/node/account.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/node/timer.h"
#include "fs/op/kernel.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

#define TRIES 100
#define QUIET_NS 500000000ull	/* who reads without a pause is done by then */

static struct mutex *stripe_of(struct fs *fs, const struct node *n)
{
	return &fs->stripes[n->ino % NODE_SHARDS].lock;
}

bool view_applies(const struct node *n)
{
	const struct file_kind *file = n->ops->file;

	return !n->ops->directory && !n->scratch && file->load && !file->open &&
	       !file->streamed && !file->document &&
	       !node_waits_for_key((struct node *)n);
}

bool view_is_held(const struct node *n)
{
	return !n->ops->directory &&
	       (n->ops->file->alone || view_applies(n));
}

bool view_holds_to_write(const struct node *n, bool writer)
{
	return writer || n->ops->file->alone;
}

bool view_is_past(const struct node *n)
{
	return atomic_load(&n->flags) & (NODE_PAST | NODE_GONE);
}

void view_version_free(struct fs *fs, struct view_version *v)
{
	if (!v)
		return;
	text_free(fs, &v->text);
	mem_free(v);
}

/* An empty version is charged, too: it may grow. */
static uint64_t cost_of(const struct view_version *v)
{
	return v->text.len ? v->text.len : 1;
}

static int version_load(struct op *op, struct node *n,
			struct view_version **out)
{
	struct view_version *v = mem_zalloc(1, sizeof(*v));
	int err = v ? stat_and_load(op, n, &v->child, &v->text) :
		      -ENOMEM;

	if (!err && v->text.failed)
		err = -ENOMEM;
	if (err) {
		view_version_free(op->fs, v);
		return err;
	}
	v->child.value = BYTES_NULL;
	v->child.size = v->text.len;
	v->users = 1;
	v->shares.what = RESOURCE_READ;
	v->shares.amount = cost_of(v);
	if (v->text.len <= FILE_CACHED)
		v->hash = XXH3_64bits(buf_bytes(&v->text).ptr, v->text.len);
	v->node = n->id;
	*out = v;
	return 0;
}

/* True if it may be kept for the next reader: it is small, and has no end. */
static bool may_return(const struct view_version *v)
{
	return v->child.moment.state && v->text.len <= FILE_CACHED &&
	       v->child.expires_s == NO_TIME && !v->child.volatile_attributes;
}

/* Take the version that its last readers left, if nothing has changed since. */
static struct view_version *take_spare(struct op *op, struct node *n)
{
	struct stripe *stripe = op_stripe(op->fs, n);
	struct view_version *v = NULL;

	mutex_lock(&stripe->lock);
	if (stripe->spare && stripe->spare->node == n->id) {
		v = stripe->spare;
		v->users = 1;
		stripe->spare = NULL;
	}
	mutex_unlock(&stripe->lock);
	if (v && known_is_same(op, n, &v->child.moment))
		return v;
	view_version_free(op->fs, v);
	return NULL;
}

void view_release(struct fs *fs)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fs->stripes); i++) {
		view_version_free(fs, fs->stripes[i].spare);
		fs->stripes[i].spare = NULL;
	}
}

/* ------------------------------------------------------------------- holds */
/*
 * True if the kernel has this version, or none. Otherwise the notice of a
 * change is still to come.
 */
static bool is_what_kernel_has(struct fs *fs, const struct node *n,
			       const struct view_version *v)
{
	uint32_t armed = atomic_load(&n->armed);

	if (n->mixed || !notices_are_sent(&fs->notices, n->notice))
		return false;
	if ((armed & ARMED_ATTRIBUTES) &&
	    atomic_load(&n->told_size) != v->text.len)
		return false;
	return !(armed & ARMED_PAGES) ||
	       v->text.len > FILE_CACHED || n->hash == v->hash;
}

/* Note that somebody opened or read the version. */
static void version_used(struct view_version *v)
{
	atomic_store(&v->used_ns, clock_monotonic_ns());
}

static bool is_quiet(uint64_t since_ns)
{
	return clock_monotonic_ns() - since_ns >= QUIET_NS;
}

/* Add a reader to a node that has some, or gets its version now. */
static int add_reader(struct fs *fs, struct node *n, struct view_version *v,
		      uid_t uid)
{
	int err = share_add(&fs->accounts, &v->shares, uid);

	if (!err) {
		n->readers++;
		version_used(v);
	}
	return err;
}

/*
 * Hold it with a version that was loaded after the node's count of changes was
 * `changes`. The node takes it over: then *v is NULL. 0; -EBUSY: it cannot be
 * held; -EAGAIN: it changed since; -ESTALE: its readers have another value; or as
 * charge_set.
 */
static int hold_version(struct op *op, struct node *n, struct view_version **v,
			uint32_t changes)
{
	struct fs *fs = op->fs;
	struct mutex *lock = stripe_of(fs, n);
	int err = 0;

	mutex_lock(lock);
	if (view_is_past(n) || n->writers || retry_is_marked(op, n)) {
		err = -EBUSY;
	} else if (n->readers && bytes_equal(buf_bytes(&n->version->text),
					     buf_bytes(&(*v)->text))) {
		err = add_reader(fs, n, n->version, op->who.uid);
	} else if (atomic_load(&n->changes) != changes) {
		err = -EAGAIN;
	} else if (n->readers) {
		err = -ESTALE;
	} else if (!is_what_kernel_has(fs, n, *v)) {
		err = -EBUSY;
	} else if (!(err = add_reader(fs, n, *v, op->who.uid))) {
		n->version = *v;
		/* A large text's pages are read by mmap, whose next user drops
		 * them; a small one's must be exactly these. */
		n->hash = (*v)->hash;
		n->fresh = !(atomic_fetch_or(&n->armed, ARMED_PAGES) &
			     ARMED_PAGES);
		*v = NULL;
	}
	mutex_unlock(lock);
	return err;
}

/* True if the node's readers see what is stored: a change can be read before the
 * kernel is told of it. */
static bool readers_are_current(const struct op *op, const struct node *n)
{
	return n->readers && known_is_same(op, n, &n->version->child.moment);
}

/* Join the readers if their value is the one of *now. 0; -EBUSY: the node cannot be
 * held; -EAGAIN: it is another value, or there are none; or as charge_set. now
 * NULL: they are joined if nothing has changed. */
static int join_readers(struct op *op, struct node *n, const struct child *now)
{
	struct mutex *lock = stripe_of(op->fs, n);
	int err = -EAGAIN;

	mutex_lock(lock);
	if (view_is_past(n) || n->writers || retry_is_marked(op, n))
		err = -EBUSY;
	else if (now ? n->readers && now->timestamp_us != NO_TIMESTAMP &&
		       now->timestamp_us == n->version->child.timestamp_us &&
		       now->size == n->version->text.len :
		       readers_are_current(op, n))
		err = add_reader(op->fs, n, n->version, op->who.uid);
	mutex_unlock(lock);
	return err;
}

static int hold_to_read(struct op *op, struct node *n)
{
	struct view_version *v;
	struct child now;
	uint32_t changes;
	int i, err = join_readers(op, n, NULL);

	if (err == -EAGAIN && view_is_read(n) && !stat_node(op, n, &now))
		err = join_readers(op, n, &now);
	for (i = 0; i < TRIES && err == -EAGAIN; i++) {
		changes = atomic_load(&n->changes);
		v = take_spare(op, n);
		err = v ? 0 : version_load(op, n, &v);
		if (err)
			return err;
		if (v->child.expires_s != NO_TIME)
			timer_add(&op->fs->timers, &op->fs->nodes, n,
				  v->child.expires_s);
		err = hold_version(op, n, &v, changes);
		view_version_free(op->fs, v);
	}
	if (err == -ESTALE)	/* the change is about to be told */
		view_changed(op->fs, NULL, n,
			     ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES);
	return err == -EAGAIN || err == -ESTALE ? -EBUSY : err;
}

static int hold_to_write(struct fs *fs, struct node *n)
{
	struct mutex *lock = stripe_of(fs, n);
	int err = 0;

	mutex_lock(lock);
	if (view_is_past(n) || n->readers || (n->writers && n->ops->file->alone))
		err = -EBUSY;
	else
		n->writers++;
	mutex_unlock(lock);
	return err;
}

int view_hold_again(struct op *op, struct handle *h)
{
	struct node *n = h->node;
	struct mutex *lock = stripe_of(op->fs, n);
	int err;

	mutex_lock(lock);
	err = n->readers ? add_reader(op->fs, n, n->version, h->uid) : -EBUSY;
	mutex_unlock(lock);
	if (err)
		err = hold_to_read(op, n);
	if (!err)
		h->hold = HOLD_READ;
	return err;
}

int view_hold(struct op *op, struct node *n, bool writer)
{
	return writer ? hold_to_write(op->fs, n) : hold_to_read(op, n);
}

int view_join(struct fs *fs, struct handle *h, bool meant, bool moved)
{
	struct node *n = h->node;
	struct mutex *lock = stripe_of(fs, n);
	int err = 0;

	mutex_lock(lock);
	if (view_holds_to_write(n, h->writer)) {
		n->writers++;
		h->hold = HOLD_WRITE;
	} else if (n->readers && !moved && (meant || !view_is_past(n))) {
		err = add_reader(fs, n, n->version, h->uid);
		h->hold = err ? HOLD_NONE : HOLD_READ;
	}
	mutex_unlock(lock);
	return err;
}

void view_unhold(struct fs *fs, struct node *n, bool writer, uid_t uid)
{
	struct stripe *stripe = op_stripe(fs, n);
	struct view_version *last = NULL;

	mutex_lock(&stripe->lock);
	if (writer) {
		n->writers--;
	} else {
		share_end(&fs->accounts, &n->version->shares, uid);
		if (!--n->readers) {
			last = --n->version->users ? NULL : n->version;
			n->version = NULL;
		}
		if (last && may_return(last)) {
			struct view_version *before = stripe->spare;

			stripe->spare = last;
			last = before;
		}
	}
	mutex_unlock(&stripe->lock);
	view_version_free(fs, last);
}

void view_close(struct fs *fs, struct handle *h)
{
	if (h->hold != HOLD_NONE)
		view_unhold(fs, h->node, h->hold == HOLD_WRITE, h->uid);
	h->hold = HOLD_NONE;
}

/* Use the version that the readers of n have, for version_give. Under the
 * stripe. */
static struct view_version *version_use(struct node *n)
{
	n->version->users++;
	return n->version;
}

static void version_give(struct fs *fs, struct node *n, struct view_version *v)
{
	struct mutex *lock = stripe_of(fs, n);
	bool last;

	mutex_lock(lock);
	last = !--v->users;
	mutex_unlock(lock);
	if (last)
		view_version_free(fs, v);
}

void view_read(struct fs *fs, struct handle *h, uint64_t offset, size_t size,
	       struct buf *out)
{
	struct mutex *lock = stripe_of(fs, h->node);
	struct view_version *v;

	mutex_lock(lock);
	v = version_use(h->node);
	version_used(v);
	mutex_unlock(lock);
	text_slice(out, buf_bytes(&v->text), offset, size);
	if (!h->cached && offset && offset >= v->text.len) {
		view_note_read(h, buf_bytes(&v->text));
		view_close(fs, h);
		h->let_go = true;
	}
	version_give(fs, h->node, v);
}

uint64_t view_length(struct fs *fs, struct node *n)
{
	struct mutex *lock = stripe_of(fs, n);
	uint64_t len;

	mutex_lock(lock);
	len = n->version->text.len;
	mutex_unlock(lock);
	return len;
}

void view_note_read(struct handle *h, struct bytes text)
{
	h->read_len = text.len;
	h->read_hash = XXH3_64bits(text.ptr, text.len);
}

bool view_goes_on(const struct handle *h, struct bytes text)
{
	return !h->read_len ||
	       (text.len >= h->read_len &&
		XXH3_64bits(text.ptr, h->read_len) == h->read_hash);
}

/* -------------------------------------------------------------- attributes */
/* Return the attributes that the kernel is told of it now. */
static const struct child *told_of(struct fs *fs, const struct view_version *v)
{
	bool settled = !v->grown_ns ||
		       (notices_are_sent(&fs->notices, v->notice) &&
			is_quiet(v->grown_ns));

	return settled ? &v->child : &v->before;
}

/* True if the value of now may be the version's and more. A read that is under
 * way goes on with its value: it is waited for. */
static bool may_follow(struct fs *fs, const struct node *n,
		       const struct child *now)
{
	const struct view_version *v = n->version;

	return n->readers && !n->writers && now->size > v->text.len &&
	       !(atomic_load(&n->flags) & NODE_GONE) &&
	       told_of(fs, v) == &v->child &&
	       is_quiet(atomic_load(&v->used_ns)) &&
	       !(now->size == v->other_size && now->timestamp_us == v->other_us);
}

/* Let *next take the place of v, the version of n; then *next is NULL. */
static void version_grow(struct fs *fs, struct node *n, struct view_version *v,
			 struct view_version **next)
{
	struct view_version *to = *next;

	if (n->version != v || n->writers ||
	    shares_raise(&fs->accounts, &v->shares, cost_of(to)))
		return;
	to->shares = v->shares;
	v->shares.first = NULL;
	to->before = v->child;
	n->version = to;
	n->hash = to->hash;
	to->notice = notice_node(&fs->notices, n, ARMED_PAGES);
	atomic_fetch_or(&n->armed, ARMED_PAGES);
	to->grown_ns = clock_monotonic_ns();
	version_used(to);
	v->users--;	/* the caller has another use */
	*next = NULL;
}

void view_follow(struct op *op, struct node *n, const struct child *now)
{
	struct mutex *lock = stripe_of(op->fs, n);
	struct view_version *v, *next = NULL;
	bool begins;

	if (!(atomic_load(&n->flags) & NODE_PAST))
		return;
	mutex_lock(lock);
	v = may_follow(op->fs, n, now) ? version_use(n) : NULL;
	mutex_unlock(lock);
	if (!v)
		return;
	if (version_load(op, n, &next))
		op->reason[0] = 0;
	begins = next && next->text.len > v->text.len &&
		 bytes_begin_with(buf_bytes(&next->text), buf_bytes(&v->text));
	mutex_lock(lock);
	if (begins) {
		version_grow(op->fs, n, v, &next);
	} else if (next) {
		v->other_size = now->size;
		v->other_us = now->timestamp_us;
	}
	mutex_unlock(lock);
	view_version_free(op->fs, next);
	version_give(op->fs, n, v);
}

bool view_is_read(const struct node *n)
{
	return atomic_load(&n->readers);
}

bool view_shows(struct fs *fs, struct node *n, struct child *c)
{
	struct mutex *lock = stripe_of(fs, n);
	bool found;

	mutex_lock(lock);
	found = n->readers;
	if (found)
		*c = *told_of(fs, n->version);
	mutex_unlock(lock);
	return found;
}

bool view_is_written(const struct node *n)
{
	return atomic_load(&n->writers);
}

bool view_fill(struct fs *fs, struct node *n, struct child *c)
{
	struct mutex *lock = stripe_of(fs, n);
	bool written;

	mutex_lock(lock);
	if (n->readers && (view_is_past(n) || c->size != n->version->child.size ||
			   c->timestamp_us != n->version->child.timestamp_us))
		*c = *told_of(fs, n->version);
	/* Answers with two sizes are on their way: nobody knows which one the
	 * kernel keeps. */
	if ((atomic_load(&n->armed) & ARMED_ATTRIBUTES) &&
	    atomic_load(&n->told_size) != c->size)
		n->mixed = true;
	atomic_store(&n->told_size, c->size);
	atomic_fetch_or(&n->armed, ARMED_ATTRIBUTES);
	if (n->readers)
		n->version->told_ns = clock_monotonic_ns();
	written = n->writers;
	mutex_unlock(lock);
	return written;
}

/*
 * Return which copies of a past node the kernel drops now. It ignores an answer
 * with attributes that a notice overtakes, and a reader who asked for the size then
 * goes on with that of an older value. So the attributes are dropped when all
 * answers have long arrived: later, if there are readers who are not quiet. Under
 * the stripe.
 */
static uint32_t dropped_of_past(struct node *n)
{
	const struct view_version *v = n->version;

	return n->readers && !(is_quiet(atomic_load(&v->used_ns)) &&
			       is_quiet(v->told_ns)) ?
		       ARMED_NAME : ARMED_NAME | ARMED_ATTRIBUTES;
}

/* Let view_changed be called for n again, if the kernel still has attributes of
 * it: in the next second. */
static void drop_later(struct fs *fs, struct node *n)
{
	if (atomic_load(&n->armed) & ARMED_ATTRIBUTES)
		timer_add(&fs->timers, &fs->nodes, n, clock_now_s() + 1);
}

/*
 * Decide under the stripe whether readers go on with their version, or the
 * kernel drops it: later opens wait for the notice.
 */
uint64_t view_changed(struct fs *fs, struct op *op, struct node *n,
		      uint32_t bits)
{
	struct mutex *lock = stripe_of(fs, n);
	uint64_t number;
	bool later = false;

	if (n->ops->directory)
		return notice_node(&fs->notices, n, bits);
	mutex_lock(lock);
	/* A node that the kernel is about to get has nothing to drop. */
	if (n->readers || (!(atomic_load(&n->flags) & NODE_SEEN) &&
			   (atomic_load(&n->armed) & bits & ARMED_ATTRIBUTES) &&
			   view_applies(n))) {
		node_pass(&fs->nodes, n);
		/* From now on the kernel asks for its attributes: view_follow. */
		bits = dropped_of_past(n);
		later = !(bits & ARMED_ATTRIBUTES);
		if (op && (atomic_load(&n->armed) & ARMED_NAME) &&
		    op_drops_name(op, n))
			atomic_fetch_and(&n->armed, ~(uint32_t)ARMED_NAME);
	}
	number = notice_node(&fs->notices, n, bits);
	if (number && (bits & (ARMED_ATTRIBUTES | ARMED_PAGES)))
		n->notice = number;
	if (bits & ARMED_ATTRIBUTES)
		n->mixed = false;
	mutex_unlock(lock);
	if (later)
		drop_later(fs, n);
	return number;
}

void view_renewed(struct fs *fs, struct node *n)
{
	struct mutex *lock = stripe_of(fs, n);
	uint32_t bits;
	bool later;

	mutex_lock(lock);
	/* Of a written one the kernel has no attributes to keep, and a notice
	 * would make it ignore those of an answer on its way: a writer would
	 * seek the end by an older size. */
	bits = n->writers ? ARMED_NAME : dropped_of_past(n);
	later = !n->writers && !(bits & ARMED_ATTRIBUTES);
	notice_node(&fs->notices, n, bits);
	mutex_unlock(lock);
	if (later)
		drop_later(fs, n);
}
