/* The holders of nodes: see view.h. */
#include "fs/file/view.h"

#include <errno.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/reader_text.h"
#include "fs/file/stat.h"
#include "fs/file/write_buffer.h"
#include "fs/node/account.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/node/timer.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

#define WISH_S 10	/* after that the thread has ended */
#define AGAIN_NS 1000000000	/* an older look was for something else */
#define TRIES 100

/* A wish: a call that was told to look again. */
struct wish {
	struct wish *next;
	pid_t thread;
	uid_t uid;
	bool opens, writer;	/* an open, and of which kind; else unknown */
	bool found;		/* the name, when it looked */
	uint64_t told_ns;	/* when told, or when found; 0: neither */
	struct node *asked;	/* the node it came by: a reference */
	struct node *node;	/* held for it since its look; or NULL */
	int64_t until_s;
	struct charge charge;	/* of one node */
};

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

static bool is_past(const struct node *n)
{
	return atomic_load(&n->flags) & (NODE_PAST | NODE_GONE);
}

void view_version_free(struct fs *fs, struct version *v)
{
	if (!v)
		return;
	text_free(fs, &v->text);
	mem_free(v);
}

/*
 * Attributes first: after a change in between an old time goes with the new
 * text, and copiers by time copy it again.
 */
static int version_load(struct op *op, struct node *n, struct version **out)
{
	struct version *v = mem_zalloc(1, sizeof(*v));
	int err = v ? stat_node(op, n, &v->child) : -ENOMEM;

	if (!err)
		err = content_load(op, n, &v->text);
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
			       const struct version *v)
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
static int add_reader(struct fs *fs, struct node *n, struct version *v,
		      uid_t uid)
{
	int err = share_add(&fs->accounts, &v->shares, uid);

	if (!err)
		n->readers++;
	return err;
}

/* Hold it with a version that was loaded since the node had `changes`; it is
 * taken over. 0, -EBUSY, -EAGAIN, or as charge_set. */
static int hold_version(struct op *op, struct node *n, struct version **v,
			uint32_t changes)
{
	struct fs *fs = op->fs;
	int err = 0;

	mutex_lock(stripe_of(fs, n));
	if (is_past(n) || n->writers) {
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
	struct version *v;
	uint32_t changes;
	int i, err;

	mutex_lock(stripe_of(op->fs, n));
	err = is_past(n) || n->writers ? -EBUSY :
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
	struct version *last = NULL;

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
/* Remove the thread's wish for that name from the list, and return it; or
 * NULL. */
static struct wish *wish_take(struct op *op, const struct node *dir,
			      struct bytes name)
{
	struct fs *fs = op->fs;
	pid_t thread = op->call ? op->call->pid : 0;
	struct wish **at, *w;

	if (!atomic_load(&fs->wish_count))
		return NULL;
	mutex_lock(&fs->wish_lock);
	for (at = &fs->wishes; (w = *at); at = &w->next)
		if (w->thread == thread && w->asked->parent == dir &&
		    bytes_equal(node_name(w->asked), name))
			break;
	if (w) {
		*at = w->next;
		atomic_fetch_sub(&fs->wish_count, 1);
	}
	mutex_unlock(&fs->wish_lock);
	return w;
}

static void wish_let_go(struct fs *fs, struct wish *w)
{
	if (w->node)
		let_go(fs, w->node, w->writer, w->uid);
	node_put(&fs->nodes, w->node);
	w->node = NULL;
}

static void wish_free(struct fs *fs, struct wish *w)
{
	wish_let_go(fs, w);
	node_put(&fs->nodes, w->asked);
	charge_end(&fs->accounts, &w->charge);
	mem_free(w);
}

static void wish_list(struct fs *fs, struct wish *w)
{
	mutex_lock(&fs->wish_lock);
	w->next = fs->wishes;
	fs->wishes = w;
	atomic_fetch_add(&fs->wish_count, 1);
	mutex_unlock(&fs->wish_lock);
}

/* Add a wish. -ESTALE; -EBUSY: the user has too many. */
static int wish_add(struct op *op, struct node *n, bool opens, bool writer)
{
	struct fs *fs = op->fs;
	struct wish *w = mem_zalloc(1, sizeof(*w));

	if (!w || charge_set(&fs->accounts, &w->charge, RESOURCE_LOOKS,
			     op->who.uid, 1)) {
		mem_free(w);
		return -EBUSY;
	}
	w->thread = op->call ? op->call->pid : 0;
	w->uid = op->who.uid;
	w->opens = opens;
	w->writer = writer;
	w->asked = node_get(node_now(n));
	w->until_s = op->now_s + WISH_S;
	w->told_ns = clock_monotonic_ns();
	wish_list(fs, w);
	return -ESTALE;
}

/* True if it was this call that was told, and has looked if it could. */
static bool has_looked(const struct wish *w)
{
	return w && w->told_ns && clock_monotonic_ns() - w->told_ns < AGAIN_NS;
}

static bool is_there(struct op *op, const struct node *n)
{
	struct node *now;
	struct child c;
	int err = stat_lookup(op, n->parent, node_name(n), &c, &now);

	node_put(&op->fs->nodes, now);
	op->reason[0] = 0;
	return !err;
}

int view_missed(struct op *op, struct node *n)
{
	struct wish *w;
	bool looked;

	if (!op->call || !op->call->pid)
		return -ENOENT;
	w = wish_take(op, n->parent, node_name(n));
	if (w && w->node == n) {
		wish_list(op->fs, w);
		return 0;
	}
	looked = has_looked(w);
	if (w)
		wish_free(op->fs, w);
	if (looked && !is_there(op, n))
		return -ENOENT;
	return wish_add(op, n, false, false) == -ESTALE ? -ESTALE : -ENOENT;
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

static bool has_holders(struct fs *fs, struct node *n)
{
	bool found;

	mutex_lock(stripe_of(fs, n));
	found = n->readers || n->writers;
	mutex_unlock(stripe_of(fs, n));
	return found;
}

/* Return a node for an open of either kind, if one is to come. */
static int look_free(struct op *op, struct node *dir, struct bytes name,
		     struct child *c, struct node **n)
{
	int err = stat_lookup(op, dir, name, c, n);

	if (err || !is_held(*n) || !has_holders(op->fs, *n))
		return err;
	renew(op, n);
	return *n ? 0 : stat_lookup(op, dir, name, c, n);
}

/* Hold the node of the name, or make one. */
static int hold_by_name(struct op *op, struct node *dir, struct bytes name,
			bool writer, struct child *c, struct node **n)
{
	int i, err = -EBUSY;

	for (i = 0; i < TRIES && err == -EBUSY; i++) {
		node_put(&op->fs->nodes, *n);
		err = stat_lookup(op, dir, name, c, n);
		if (err || !is_held(*n))
			return err ? err : -EBUSY;
		err = hold(op, *n, writer);
		if (err == -EBUSY) {
			renew(op, n);
			err = *n ? hold(op, *n, writer) : -EBUSY;
		}
		if (err == -ENOENT)	/* removed meanwhile */
			err = -EBUSY;
	}
	return err;
}

/* Release the node held since an earlier look: it may be old. */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n)
{
	struct wish *w = wish_take(op, dir, name);
	struct fs *fs = op->fs;
	int err;

	if (!w)
		return stat_lookup(op, dir, name, c, n);
	wish_let_go(fs, w);
	*n = NULL;
	if (!w->opens) {
		err = look_free(op, dir, name, c, n);
	} else {
		err = hold_by_name(op, dir, name, w->writer, c, n);
		if (!err)
			w->node = node_get(*n);
		else if (err == -EBUSY)	/* left to the open */
			err = *n ? 0 : stat_lookup(op, dir, name, c, n);
	}
	/* A name that is missing may exist when the same call looks next. */
	w->found = !err;
	w->told_ns = err ? 0 : clock_monotonic_ns();
	wish_list(fs, w);
	return err;
}

void view_expire(struct fs *fs, int64_t now_s, bool all)
{
	struct wish **at, *w, *old = NULL;

	mutex_lock(&fs->wish_lock);
	for (at = &fs->wishes; (w = *at);) {
		if (!all && w->until_s > now_s) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		w->next = old;
		old = w;
		atomic_fetch_sub(&fs->wish_count, 1);
	}
	mutex_unlock(&fs->wish_lock);
	while ((w = old)) {
		old = w->next;
		wish_free(fs, w);
	}
}

/* -------------------------------------------------------------------- open */
/*
 * The kernel has asked again for the same node (by /proc/self/fd), or the
 * caller is unknown: a reader gets the version of the other readers, or a copy
 * of its own, which mmap is not safe with. A writer is let in.
 */
static int open_anyway(struct op *op, struct handle *h, bool writer)
{
	struct node *n = h->node;
	int err = 0;

	mutex_lock(stripe_of(op->fs, n));
	if (writer) {
		n->writers++;
		h->hold = HOLD_WRITE;
	} else if (n->readers) {
		err = add_reader(op->fs, n, n->version, h->uid);
		h->hold = err ? HOLD_NONE : HOLD_READ;
	}
	mutex_unlock(stripe_of(op->fs, n));
	if (err || h->hold != HOLD_NONE || n->orphan)
		return err;
	err = content_load(op, n, &h->text);
	if (!err && h->text.failed)
		err = -ENOMEM;
	if (!err)
		err = pin_share(op->fs, h);
	h->pinned = h->at_open = !err;
	return err;
}

/* An open that has a node alone holds it as a writer does. */
static bool holds_to_write(const struct handle *h)
{
	return h->writer || h->node->ops->file->alone;
}

/* If this is the thread's wish, let h take over its hold. */
static bool take_held(struct fs *fs, struct handle *h, struct wish *w)
{
	if (!w || w->node != h->node || w->writer != holds_to_write(h) ||
	    w->uid != h->uid)
		return false;
	h->hold = w->writer ? HOLD_WRITE : HOLD_READ;
	node_put(&fs->nodes, w->node);
	w->node = NULL;
	return true;
}

/*
 * True if an open that does not fit is let in. By /proc/self/fd the kernel
 * cannot look again. A caller that could has found the node that it comes by,
 * and another was first; but a past node's readers hold an old value.
 */
static bool is_let_in(struct op *op, struct handle *h, const struct wish *w,
		      bool moved)
{
	if (!holds_to_write(h) && (!op->call || !op->call->pid))
		return true;
	if (!has_looked(w))
		return false;
	if (!w->found)
		return true;
	return !moved && !h->node->orphan &&
	       !((holds_to_write(h) || is_past(h->node)) &&
		 view_is_read(op->fs, h->node));
}

static int open_current(struct op *op, struct handle *h, const struct wish *w,
			bool moved)
{
	struct node *n = h->node;
	bool writer = holds_to_write(h);
	int err = moved ? -EBUSY : hold(op, n, writer);

	if (!err)
		h->hold = writer ? HOLD_WRITE : HOLD_READ;
	/* Made and not committed: it exists for its maker. */
	if (err == -ENOENT && !h->writer && buffer_is_callers(op, n))
		return 0;
	if (err == -ENOENT && has_looked(w) && !is_there(op, n))
		return err;
	if (err == -EBUSY && is_let_in(op, h, w, moved))
		return open_anyway(op, h, writer);
	if (err == -ENOENT || err == -EBUSY)
		err = wish_add(op, n, true, writer);
	return err == -EBUSY ? open_anyway(op, h, writer) : err;
}

int view_open(struct op *op, struct handle *h, bool moved)
{
	struct node *n = h->node;
	struct wish *w;
	int err = 0;

	if (!is_held(n))
		return 0;
	w = wish_take(op, n->parent, node_name(n));
	if (moved || !take_held(op->fs, h, w))
		err = open_current(op, h, w, moved);
	if (w)
		wish_free(op->fs, w);
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

void view_fill(struct fs *fs, struct node *n, struct child *c)
{
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
	mutex_unlock(stripe_of(fs, n));
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
