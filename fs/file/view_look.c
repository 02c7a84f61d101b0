/* Looks that follow a refusal, and opens: see view_look.h. */
#include "fs/file/view_look.h"

#include <errno.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/reader_text.h"
#include "fs/file/stat.h"
#include "fs/file/view.h"
#include "fs/file/wish.h"
#include "fs/file/write_buffer.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/op/op.h"

#define TRIES 100

static bool holds_to_write(const struct handle *h)
{
	return view_holds_to_write(h->node, h->writer);
}

/* ------------------------------------------------------------------ wishes */
static bool wants_to_write(const struct wish *w)
{
	return w->call != WISHES_TO_READ;
}

/* True if it holds what it found as a writer does. */
static bool wish_writes(const struct wish *w)
{
	return view_holds_to_write(w->found, wants_to_write(w));
}

static enum wishes wishes_of(bool writer)
{
	return writer ? WISHES_TO_WRITE : WISHES_TO_READ;
}

static void release_hold(struct fs *fs, struct wish *w)
{
	if (w->holds)
		view_let_go(fs, w->found, wish_writes(w), w->uid);
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

/* Return the answer to an unknown caller that came by a directory that is gone:
 * -ESTALE if it shall look again, else `otherwise`. */
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
	/* In a snapshot that was released no look is made. */
	bool looked = w && (w->looked ||
			    (dir->snapshot && w->asked == dir));

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
		notice_node(&fs->notices, *cur, ARMED_NAME | ARMED_ATTRIBUTES);
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
		if (err || !view_is_held(*n))
			return err ? err : -EBUSY;
		to_write = view_holds_to_write(*n, writer);
		err = view_hold(op, *n, to_write);
		if (err == -EBUSY) {
			renew(op, n);
			err = *n ? view_hold(op, *n, to_write) : -EBUSY;
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

	if (!view_is_held(n)) {
		wish_mark(op, n);
		return true;
	}
	mutex_lock(&op_stripe(op->fs, n)->lock);
	if (view_is_past(n) || n->readers || (n->ops->file->alone && n->writers))
		fits = false;
	else
		wish_mark(op, n);
	mutex_unlock(&op_stripe(op->fs, n)->lock);
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

/* A node that is held since an earlier look may be old, and is released. */
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
	if (!view_is_held(*n))
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

	if (!view_is_held(*n))
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
		err = view_hold(op, *n, true);
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
	int err;

	h->moved = moved;
	err = view_join(op->fs, h, meant, moved);
	if (err || h->hold != HOLD_NONE)
		return err;
	if (n->orphan)	/* a known caller has it open, or had seen it */
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
	int err = moved ? -EBUSY : view_hold(op, n, writer);

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

	if (!view_is_held(n))
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
