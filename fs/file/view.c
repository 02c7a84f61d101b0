/* The holders of nodes: see view.h. */
#include "fs/file/view.h"

#include <errno.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/reader_text.h"
#include "fs/file/stat.h"
#include "fs/file/wish.h"
#include "fs/file/write_buffer.h"
#include "fs/node/account.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/node/timer.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"

#define TRIES 100

static struct mutex *stripe_of(struct fs *fs, const struct node *n)
{
	return &op_stripe(fs, n)->lock;
}

bool view_applies(const struct node *n)
{
	const struct file_kind *file = n->ops->file;

	return !n->ops->directory && !n->scratch && file->load && !file->open &&
	       !file->streamed && !file->document &&
	       !node_waits_for_key((struct node *)n);
}

/* True if an open of it has to fit those before it. */
static bool is_held(const struct node *n)
{
	return !n->ops->directory &&
	       (n->ops->file->alone || view_applies(n));
}

/* An open that has a node alone holds it as a writer does. */
static bool is_held_to_write(const struct node *n, bool writer)
{
	return writer || n->ops->file->alone;
}

static bool holds_to_write(const struct handle *h)
{
	return is_held_to_write(h->node, h->writer);
}

static bool is_past(const struct node *n)
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

static int version_load(struct op *op, struct node *n,
			struct view_version **out)
{
	struct view_version *v = mem_zalloc(1, sizeof(*v));
	int err = v ? stat_and_load(op, n, &v->child, &v->text) : -ENOMEM;

	if (!err && v->text.failed)
		err = -ENOMEM;
	if (err) {
		view_version_free(op->fs, v);
		return err;
	}
	v->child.value = BYTES_NULL;
	v->child.size = v->text.len;
	v->shares.what = RESOURCE_READ;
	v->shares.amount = v->text.len;
	if (v->text.len <= FILE_CACHED)
		v->hash = XXH3_64bits(buf_bytes(&v->text).ptr, v->text.len);
	*out = v;
	return 0;
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

/* Add a reader to a node that has some, or gets its version now. */
static int add_reader(struct fs *fs, struct node *n, struct view_version *v,
		      uid_t uid)
{
	int err = share_add(&fs->accounts, &v->shares, uid);

	if (!err)
		n->readers++;
	return err;
}

/* Hold it with a version that was loaded since the node had `changes`; it is
 * taken over. 0, -EBUSY, -EAGAIN, or as charge_set. */
static int hold_version(struct op *op, struct node *n, struct view_version **v,
			uint32_t changes)
{
	struct fs *fs = op->fs;
	int err = 0;

	mutex_lock(stripe_of(fs, n));
	if (is_past(n) || n->writers || wish_is_marked(op, n)) {
		err = -EBUSY;
	} else if (n->readers) {
		err = add_reader(fs, n, n->version, op->who.uid);
	} else if (atomic_load(&n->changes) != changes) {
		err = -EAGAIN;
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
	mutex_unlock(stripe_of(fs, n));
	return err;
}

static int hold_to_read(struct op *op, struct node *n)
{
	struct view_version *v;
	uint32_t changes;
	int i, err;

	mutex_lock(stripe_of(op->fs, n));
	err = is_past(n) || n->writers || wish_is_marked(op, n) ? -EBUSY :
	      n->readers ? add_reader(op->fs, n, n->version, op->who.uid) :
			   -EAGAIN;
	mutex_unlock(stripe_of(op->fs, n));
	for (i = 0; i < TRIES && err == -EAGAIN; i++) {
		changes = atomic_load(&n->changes);
		err = version_load(op, n, &v);
		if (err)
			return err;
		if (v->child.expires_s != NO_TIME)
			timer_add(&op->fs->timers, n, v->child.expires_s);
		err = hold_version(op, n, &v, changes);
		view_version_free(op->fs, v);
	}
	return err == -EAGAIN ? -EBUSY : err;
}

static int hold_to_write(struct fs *fs, struct node *n)
{
	int err = 0;

	mutex_lock(stripe_of(fs, n));
	if (is_past(n) || n->readers || (n->writers && n->ops->file->alone))
		err = -EBUSY;
	else
		n->writers++;
	mutex_unlock(stripe_of(fs, n));
	return err;
}

int view_hold_again(struct op *op, struct handle *h)
{
	struct node *n = h->node;
	int err;

	mutex_lock(stripe_of(op->fs, n));
	err = n->readers ? add_reader(op->fs, n, n->version, h->uid) : -EBUSY;
	mutex_unlock(stripe_of(op->fs, n));
	if (err)
		err = hold_to_read(op, n);
	if (!err)
		h->hold = HOLD_READ;
	return err;
}

/* Hold it. 0; -EBUSY: it is held the other way, or past; another error of the
 * load. */
static int hold(struct op *op, struct node *n, bool writer)
{
	return writer ? hold_to_write(op->fs, n) : hold_to_read(op, n);
}

static void let_go(struct fs *fs, struct node *n, bool writer, uid_t uid)
{
	struct view_version *last = NULL;

	mutex_lock(stripe_of(fs, n));
	if (writer) {
		n->writers--;
	} else {
		share_end(&fs->accounts, &n->version->shares, uid);
		if (!--n->readers) {
			last = n->version;
			n->version = NULL;
		}
	}
	mutex_unlock(stripe_of(fs, n));
	view_version_free(fs, last);
}

void view_close(struct fs *fs, struct handle *h)
{
	if (h->hold != HOLD_NONE)
		let_go(fs, h->node, h->hold == HOLD_WRITE, h->uid);
	h->hold = HOLD_NONE;
}

/* ------------------------------------------------------------------ wishes */
static bool wants_to_write(const struct wish *w)
{
	return w->call != WISHES_TO_READ;
}

/* How it holds what it found. */
static bool wish_writes(const struct wish *w)
{
	return is_held_to_write(w->found, wants_to_write(w));
}

static enum wishes wishes_of(bool writer)
{
	return writer ? WISHES_TO_WRITE : WISHES_TO_READ;
}

static void release_hold(struct fs *fs, struct wish *w)
{
	if (w->holds)
		let_go(fs, w->found, wish_writes(w), w->uid);
	w->holds = false;
}

static void wish_let_go(struct fs *fs, struct wish *w)
{
	release_hold(fs, w);
	w->asks = false;
	wish_lose(fs, w);
}

static void wish_end(struct fs *fs, struct wish *w)
{
	if (!w)
		return;
	wish_let_go(fs, w);
	wish_free(fs, w);
}

/* Return what the name of n shows now. -ENOENT. */
static int look_now(struct op *op, const struct node *n, struct child *c)
{
	struct node *now;
	int err = stat_lookup(op, n->parent, node_name(n), c, &now);

	node_put(&op->fs->nodes, now);
	op->reason[0] = 0;
	/* The kernel has n as that. */
	if (!err && c->ops->directory != n->ops->directory)
		err = -ENOENT;
	return err == -ESTALE ? -ENOENT : err;
}

/* Answer a call that came by a directory that is gone: -ESTALE if it shall look
 * again, else `otherwise`. Of an unknown caller. */
static int tell_unknown(struct op *op, const struct node *dir, int otherwise)
{
	if (wish_is_marked(op, dir))
		return otherwise;
	wish_tell_unknown(op);
	return -ESTALE;
}

bool view_asks(struct op *op, struct node *n)
{
	struct wish *w = wish_take(op);
	bool first;

	if (!w)
		return false;
	first = w->asks && wish_found(w, n);
	w->asks = false;
	wish_list(op->fs, w);
	return first;
}

int view_missed(struct op *op, struct node *n, bool first,
		struct child *c)
{
	struct wish *w;
	int err;

	/* A file's call may be one that opens nothing. */
	if (wish_is_unknown(op))
		return n->ops->directory && tell_unknown(op, n, 0) ?
			       -ESTALE : look_now(op, n, c);
	w = wish_take(op);
	if (w && wish_found(w, n)) {
		*c = w->child;
		wish_list(op->fs, w);
		return first ? 0 : look_now(op, n, c);
	}
	wish_end(op->fs, w);
	err = wish_add(op, n, WISHES_ANY);
	return err == -ESTALE ? err : look_now(op, n, c);
}

int view_lost(struct op *op, struct node *dir)
{
	struct wish *w = wish_take(op);
	bool looked = w && w->looked;

	if (wish_is_unknown(op))
		return tell_unknown(op, dir, -ENOENT);
	wish_end(op->fs, w);
	return looked || wish_add(op, dir, WISHES_ANY) != -ESTALE ? -ENOENT :
								    -ESTALE;
}

/* Give the name of *cur to another node: *cur becomes that, or NULL. */
static void renew(struct op *op, struct node **cur)
{
	struct fs *fs = op->fs;
	struct node *next = node_renew(&fs->nodes, *cur);

	if (next)
		notice_node(&fs->notices, *cur, ARMED_NAME);
	node_put(&fs->nodes, *cur);
	*cur = next;
}

/* Hold the node of the name, or make one. -EBUSY: it is not held; *n may be it,
 * or NULL. */
static int hold_by_name(struct op *op, struct node *dir, struct bytes name,
			bool writer, struct child *c, struct node **n)
{
	int i, err = -EBUSY;
	bool to_write;

	for (i = 0; i < TRIES && err == -EBUSY; i++) {
		node_put(&op->fs->nodes, *n);
		err = stat_lookup(op, dir, name, c, n);
		if (err || !is_held(*n))
			return err ? err : -EBUSY;
		to_write = is_held_to_write(*n, writer);
		err = hold(op, *n, to_write);
		if (err == -EBUSY) {
			renew(op, n);
			err = *n ? hold(op, *n, to_write) : -EBUSY;
		}
		if (err == -ENOENT)	/* removed meanwhile */
			err = -EBUSY;
	}
	return err;
}

/* Mark it: true; false: an open of it might not fit. */
static bool mark(struct op *op, struct node *n)
{
	bool fits = true;

	if (!is_held(n)) {
		wish_mark(op, n);
		return true;
	}
	mutex_lock(stripe_of(op->fs, n));
	if (is_past(n) || n->readers || (n->ops->file->alone && n->writers))
		fits = false;
	else
		wish_mark(op, n);
	mutex_unlock(stripe_of(op->fs, n));
	return fits;
}

/* Look up for an unknown caller, who may have been told to: what is found is
 * marked. */
static int look_to_mark(struct op *op, struct node *dir, struct bytes name,
			struct child *c, struct node **n)
{
	int i, err;

	*n = NULL;
	for (i = 0; i < TRIES; i++) {
		node_put(&op->fs->nodes, *n);
		err = stat_lookup(op, dir, name, c, n);
		if (err || mark(op, *n))
			return err;
		renew(op, n);
		if (*n && mark(op, *n))
			return 0;
	}
	return *n ? 0 : stat_lookup(op, dir, name, c, n);
}

/* True if the look is for another file than the one that the wish has: that
 * call has ended. */
static bool is_over(const struct wish *w, const struct node *dir,
		    struct bytes name)
{
	return w->found && !w->found->ops->directory &&
	       (w->found->parent != dir ||
		!bytes_equal(node_name(w->found), name));
}

/* Release the node held since an earlier look: it may be old. */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n)
{
	struct wish *w = wish_take(op);
	struct fs *fs = op->fs;
	int err;

	if (wish_is_unknown(op) && wish_unknown_are_told(op))
		return look_to_mark(op, dir, name, c, n);
	if (w && is_over(w, dir, name)) {
		wish_end(fs, w);
		w = NULL;
	}
	if (!w)
		return stat_lookup(op, dir, name, c, n);
	wish_let_go(fs, w);
	*n = NULL;
	err = hold_by_name(op, dir, name, wants_to_write(w), c, n);
	w->holds = !err;
	w->uid = op->who.uid;
	if (err == -EBUSY)	/* left to the open */
		err = *n ? 0 : stat_lookup(op, dir, name, c, n);
	/* A name that is missing may exist when the same call looks next. */
	if (!err) {
		w->found = node_get(*n);
		w->child = *c;
		w->child.value = BYTES_NULL;
		w->asks = true;
	}
	w->looked = true;
	wish_list(fs, w);
	return err;
}

int view_look_to_open(struct op *op, struct node *dir, struct bytes name,
		      bool writer, struct child *c, struct node **n)
{
	if (!is_held(*n))
		return 0;
	wish_end(op->fs, wish_take(op));
	if (!wish_is_unknown(op) &&
	    wish_add(op, *n, wishes_of(writer)) == -EBUSY)
		return 0;
	node_put(&op->fs->nodes, *n);
	return wish_is_unknown(op) ? look_to_mark(op, dir, name, c, n) :
				     view_look(op, dir, name, c, n);
}

/* Give *n's name another node, if it can have one: true. */
static bool try_renew(struct op *op, struct node **n)
{
	struct node *next = node_get(*n);

	renew(op, &next);
	if (!next)
		return false;
	node_put(&op->fs->nodes, *n);
	*n = next;
	return true;
}

void view_hold_new(struct op *op, struct node **n)
{
	struct wish *w;
	int i, err = -EBUSY;

	if (!is_held(*n))
		return;
	if (wish_is_unknown(op)) {
		for (i = 0; i < TRIES && !mark(op, *n); i++)
			try_renew(op, n);
		return;
	}
	wish_end(op->fs, wish_take(op));
	if (wish_add(op, *n, WISHES_TO_WRITE) == -EBUSY)
		return;
	w = wish_take(op);
	for (i = 0; i < TRIES && err == -EBUSY; i++) {
		err = hold_to_write(op->fs, *n);
		if (err && !try_renew(op, n))
			break;
	}
	w->holds = !err;
	w->found = node_get(*n);
	w->looked = true;
	wish_list(op->fs, w);
}

void view_expire(struct fs *fs, int64_t now_s, bool all)
{
	struct wish *w, *old = wish_take_old(fs, now_s, all);

	while ((w = old)) {
		old = w->next;
		wish_end(fs, w);
	}
}

/* -------------------------------------------------------------------- open */
/*
 * Let in an open that does not fit: it is its call's last try, or the caller is
 * unknown. A writer joins the others. A reader gets the version of the other
 * readers; of a past node's, which is old, only where the call means that node:
 * its look found it, or it cannot look. Else it has a copy of its own, which
 * mmap is not safe with.
 */
static int let_in(struct op *op, struct handle *h, bool meant, bool moved)
{
	struct node *n = h->node;
	int err = 0;

	h->moved = moved;
	mutex_lock(stripe_of(op->fs, n));
	if (holds_to_write(h)) {
		n->writers++;
		h->hold = HOLD_WRITE;
	} else if (n->readers && !moved && (meant || !is_past(n))) {
		err = add_reader(op->fs, n, n->version, h->uid);
		h->hold = err ? HOLD_NONE : HOLD_READ;
	}
	mutex_unlock(stripe_of(op->fs, n));
	if (err || h->hold != HOLD_NONE)
		return err;
	if (n->orphan)	/* who is known has it open, or it was there before */
		return wish_is_unknown(op) ? -ENOENT : 0;
	err = content_load(op, n, &h->text);
	if (!err && h->text.failed)
		err = -ENOMEM;
	if (!err)
		err = pin_share(op->fs, h);
	h->pinned = h->at_open = !err;
	return err == -ESTALE ? -ENOENT : err;
}

/* If the wish holds the node as h needs it, let h take over. */
static bool take_held(struct handle *h, struct wish *w)
{
	if (!w->holds || w->found != h->node ||
	    wish_writes(w) != holds_to_write(h) || w->uid != h->uid)
		return false;
	h->hold = wish_writes(w) ? HOLD_WRITE : HOLD_READ;
	w->holds = false;
	return true;
}

/*
 * True if it is the second try of a call: by the node that its look found,
 * which may have been renamed since, or, by /proc/self/fd, without a look.
 */
static bool is_second(const struct op *op, const struct wish *w,
		      const struct node *n, bool moved)
{
	if (wish_is_unknown(op))
		return wish_is_marked(op, n);
	if (!w)
		return false;
	if (!w->looked)
		return w->asked == n;
	return moved ? wish_found(w, n) : w->found == n;
}

static int open_current(struct op *op, struct handle *h, const struct wish *w,
			bool moved)
{
	struct node *n = h->node;
	bool writer = holds_to_write(h), second = is_second(op, w, n, moved);
	bool unknown = wish_is_unknown(op);
	int err = moved ? -EBUSY : hold(op, n, writer);

	if (!err)
		h->hold = writer ? HOLD_WRITE : HOLD_READ;
	/* Made and not committed: it exists for its maker. */
	if (err == -ENOENT && !h->writer && buffer_is_callers(op, n))
		return 0;
	if (err == -ESTALE)	/* it, or its table */
		err = -ENOENT;
	if (err == -EBUSY &&
	    (second || (unknown && ((!writer && !n->orphan) || moved))))
		return let_in(op, h, w && (!w->looked || w->found == n), moved);
	if (err == -EBUSY || (err == -ENOENT && !second))
		err = wish_add(op, n, wishes_of(writer));
	return err == -EBUSY ? let_in(op, h, false, moved) : err;
}

int view_open(struct op *op, struct handle *h, bool moved)
{
	struct node *n = h->node;
	struct wish *w;
	int err = 0;

	if (!is_held(n))
		return 0;
	w = wish_take(op);
	if (w && !moved && take_held(h, w)) {
		wish_end(op->fs, w);
		return 0;
	}
	if (w)	/* else it would be in the way of its own open */
		release_hold(op->fs, w);
	err = open_current(op, h, w, moved);
	wish_end(op->fs, w);
	return op_refuse_resource(op, RESOURCE_READ, err);
}

/* -------------------------------------------------------------- attributes */
bool view_is_read(struct fs *fs, struct node *n)
{
	bool found;

	mutex_lock(stripe_of(fs, n));
	found = n->readers;
	mutex_unlock(stripe_of(fs, n));
	return found;
}

bool view_shows(struct fs *fs, struct node *n, struct child *c)
{
	bool found;

	mutex_lock(stripe_of(fs, n));
	found = n->readers;
	if (found)
		*c = n->version->child;
	mutex_unlock(stripe_of(fs, n));
	return found;
}

bool view_is_written(struct fs *fs, struct node *n)
{
	bool found;

	mutex_lock(stripe_of(fs, n));
	found = n->writers;
	mutex_unlock(stripe_of(fs, n));
	return found;
}

bool view_fill(struct fs *fs, struct node *n, struct child *c)
{
	bool written;

	mutex_lock(stripe_of(fs, n));
	if (n->readers && (is_past(n) || c->size != n->version->child.size ||
			   c->timestamp_us != n->version->child.timestamp_us))
		*c = n->version->child;
	/* Two sizes under way: nobody knows which one the kernel keeps. */
	if ((atomic_load(&n->armed) & ARMED_ATTRIBUTES) &&
	    atomic_load(&n->told_size) != c->size)
		n->mixed = true;
	atomic_store(&n->told_size, c->size);
	atomic_fetch_or(&n->armed, ARMED_ATTRIBUTES);
	written = n->writers;
	mutex_unlock(stripe_of(fs, n));
	return written;
}

/*
 * Decide under the stripe whether readers go on with their version, or the
 * kernel drops it: later opens wait for the notice.
 */
uint64_t view_changed(struct fs *fs, struct op *op, struct node *n,
		      uint32_t bits)
{
	uint64_t number;

	if (n->ops->directory)
		return notice_node(&fs->notices, n, bits);
	mutex_lock(stripe_of(fs, n));
	/* A node that the kernel is about to get has nothing to drop. */
	if (n->readers || (!(atomic_load(&n->flags) & NODE_SEEN) &&
			   (atomic_load(&n->armed) & bits & ARMED_ATTRIBUTES) &&
			   view_applies(n))) {
		node_pass(&fs->nodes, n);
		bits = ARMED_NAME;
		if (op && (atomic_load(&n->armed) & ARMED_NAME) &&
		    op_drops_name(op, n))
			atomic_fetch_and(&n->armed, ~(uint32_t)ARMED_NAME);
	}
	number = notice_node(&fs->notices, n, bits);
	if (number && (bits & (ARMED_ATTRIBUTES | ARMED_PAGES)))
		n->notice = number;
	if (bits & ARMED_ATTRIBUTES)
		n->mixed = false;
	mutex_unlock(stripe_of(fs, n));
	return number;
}
