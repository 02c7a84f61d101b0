/* Looks that follow a refusal, and opens: see view_look.h. */
#include "fs/file/view_look.h"

#include <errno.h>

#include "fs/file/content.h"
#include "fs/file/handle.h"
#include "fs/file/reader_text.h"
#include "fs/file/retry.h"
#include "fs/file/stat.h"
#include "fs/file/view.h"
#include "fs/file/write_buffer.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"

#define TRIES 100

static bool holds_to_write(const struct handle *h)
{
	return view_holds_to_write(h->node, h->writer);
}

/* ------------------------------------------------------------------ retries */
static bool calls_to_write(const struct retry *r)
{
	return r->call != RETRY_TO_READ;
}

/* True if it holds what it found as a writer does. */
static bool retry_holds_to_write(const struct retry *r)
{
	return view_holds_to_write(r->found, calls_to_write(r));
}

static enum retry_call retry_call_of(bool writer)
{
	return writer ? RETRY_TO_WRITE : RETRY_TO_READ;
}

static void release_hold(struct fs *fs, struct retry *r)
{
	if (r->holds)
		view_unhold(fs, r->found, retry_holds_to_write(r), r->uid);
	r->holds = false;
}

static void retry_release(struct fs *fs, struct retry *r)
{
	release_hold(fs, r);
	r->asks = false;
	retry_drop_found(fs, r);
}

static void retry_end(struct fs *fs, struct retry *r)
{
	if (!r)
		return;
	retry_release(fs, r);
	retry_free(fs, r);
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
	if (retry_is_marked(op, dir))
		return otherwise;
	retry_note_unknown(op);
	return -ESTALE;
}

bool view_asks(struct op *op, struct node *n)
{
	struct retry *r = retry_take(op);
	bool first;

	if (!r)
		return false;
	first = r->asks && retry_found(r, n);
	r->asks = false;
	retry_insert(op->fs, r);
	return first;
}

int view_missed(struct op *op, struct node *n, bool first,
		struct child *c)
{
	struct retry *r;
	int err;

	/* A file's call may be one that opens nothing. */
	if (retry_is_unknown(op))
		return n->ops->directory && tell_unknown(op, n, 0) ?
			       -ESTALE : look_now(op, n, c);
	r = retry_take(op);
	if (r && retry_found(r, n)) {
		*c = r->child;
		retry_insert(op->fs, r);
		return first ? 0 : look_now(op, n, c);
	}
	retry_end(op->fs, r);
	err = retry_add(op, n, RETRY_ANY);
	return err == -ESTALE ? err : look_now(op, n, c);
}

int view_lost(struct op *op, struct node *dir)
{
	struct retry *r = retry_take(op);
	/* A snapshot that was released is not looked into. */
	bool looked = r && (r->looked ||
			    (dir->snapshot && r->asked == dir));

	if (retry_is_unknown(op))
		return tell_unknown(op, dir, -ENOENT);
	retry_end(op->fs, r);
	return looked || retry_add(op, dir, RETRY_ANY) != -ESTALE ? -ENOENT :
								    -ESTALE;
}

/* Give the name of *cur to another node: *cur becomes that, or NULL. */
static void renew(struct op *op, struct node **cur)
{
	struct fs *fs = op->fs;
	struct node *next = node_renew(&fs->nodes, *cur);

	if (next)
		view_renewed(fs, *cur);
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
		retry_mark(op, n);
		return true;
	}
	mutex_lock(&op_stripe(op->fs, n)->lock);
	if (view_is_past(n) || n->readers || (n->ops->file->alone && n->writers))
		fits = false;
	else
		retry_mark(op, n);
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

/* True if the look is for another file than the one that the retry has: that
 * call has ended. */
static bool is_over(const struct retry *r, const struct node *dir,
		    struct bytes name)
{
	return r->found && !r->found->ops->directory &&
	       (r->found->parent != dir ||
		!bytes_equal(node_name(r->found), name));
}

/* A node that is held since an earlier look may be old, and is released. */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n)
{
	struct retry *r = retry_take(op);
	struct fs *fs = op->fs;
	int err;

	if (retry_is_unknown(op) && retry_unknown_are_recent(op))
		return look_to_mark(op, dir, name, c, n);
	if (r && is_over(r, dir, name)) {
		retry_end(fs, r);
		r = NULL;
	}
	if (!r)
		return stat_lookup(op, dir, name, c, n);
	retry_release(fs, r);
	*n = NULL;
	err = hold_by_name(op, dir, name, calls_to_write(r), c, n);
	r->holds = !err;
	r->uid = op->who.uid;
	if (err == -EBUSY)	/* left to the open */
		err = *n ? 0 : stat_lookup(op, dir, name, c, n);
	/* A name that is missing may exist when the same call looks next. */
	if (!err) {
		r->found = node_get(*n);
		r->child = *c;
		r->child.value = BYTES_NULL;
		r->asks = true;
	}
	r->looked = true;
	retry_insert(fs, r);
	return err;
}

int view_look_to_open(struct op *op, struct node *dir, struct bytes name,
		      bool writer, struct child *c, struct node **n)
{
	if (!view_is_held(*n))
		return 0;
	retry_end(op->fs, retry_take(op));
	if (!retry_is_unknown(op) &&
	    retry_add(op, *n, retry_call_of(writer)) == -EBUSY)
		return 0;
	node_put(&op->fs->nodes, *n);
	return retry_is_unknown(op) ? look_to_mark(op, dir, name, c, n) :
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
	struct retry *r;
	int i, err = -EBUSY;

	if (!view_is_held(*n))
		return;
	if (retry_is_unknown(op)) {
		for (i = 0; i < TRIES && !mark(op, *n); i++)
			try_renew(op, n);
		return;
	}
	retry_end(op->fs, retry_take(op));
	if (retry_add(op, *n, RETRY_TO_WRITE) == -EBUSY)
		return;
	r = retry_take(op);
	for (i = 0; i < TRIES && err == -EBUSY; i++) {
		err = view_hold(op, *n, true);
		if (err && !try_renew(op, n))
			break;
	}
	r->holds = !err;
	r->found = node_get(*n);
	r->looked = true;
	retry_insert(op->fs, r);
}

void view_expire(struct fs *fs, int64_t now_s, bool all)
{
	struct retry *r, *old = retry_take_old(fs, now_s, all);

	while ((r = old)) {
		old = r->next;
		retry_end(fs, r);
	}
}

/* -------------------------------------------------------------------- open */
/*
 * Admit an open that does not fit: it is its call's last try, or the caller is
 * unknown. A writer joins the others. A reader gets the version of the other
 * readers; of a past node's, which is old, only where the call means that node:
 * its look found it, or it cannot look. Else it has a copy of its own, which
 * mmap is not safe with.
 */
static int admit(struct op *op, struct handle *h, bool meant, bool moved)
{
	struct node *n = h->node;
	int err;

	h->moved = moved;
	err = view_join(op->fs, h, meant, moved);
	if (err || h->hold != HOLD_NONE)
		return err;
	if (n->orphan)	/* a known caller has it open, or had seen it */
		return retry_is_unknown(op) ? -ENOENT : 0;
	err = content_load(op, n, &h->text);
	if (!err && h->text.failed)
		err = -ENOMEM;
	if (!err)
		err = pin_share(op->fs, h);
	h->pinned = h->at_open = !err;
	return err == -ESTALE ? -ENOENT : err;
}

/* If the retry holds the node as h needs it, let h take over. */
static bool take_held(struct handle *h, struct retry *r)
{
	if (!r->holds || r->found != h->node ||
	    retry_holds_to_write(r) != holds_to_write(h) || r->uid != h->uid)
		return false;
	h->hold = retry_holds_to_write(r) ? HOLD_WRITE : HOLD_READ;
	r->holds = false;
	return true;
}

/*
 * True if it is the second try of a call: by the node that its look found,
 * which may have been renamed since, or, by /proc/self/fd, without a look.
 */
static bool is_second(const struct op *op, const struct retry *r,
		      const struct node *n, bool moved)
{
	if (retry_is_unknown(op))
		return retry_is_marked(op, n);
	if (!r)
		return false;
	if (!r->looked)
		return r->asked == n;
	return moved ? retry_found(r, n) : r->found == n;
}

static int open_current(struct op *op, struct handle *h, const struct retry *r,
			bool moved)
{
	struct node *n = h->node;
	bool writer = holds_to_write(h), second = is_second(op, r, n, moved);
	bool unknown = retry_is_unknown(op);
	int err = moved ? -EBUSY : view_hold(op, n, writer);

	if (!err)
		h->hold = writer ? HOLD_WRITE : HOLD_READ;
	/* A file that was made and not committed exists for its maker. */
	if (err == -ENOENT && !h->writer && buffer_is_callers(op, n))
		return 0;
	if (err == -ESTALE)	/* it, or its table */
		err = -ENOENT;
	if (err == -EBUSY &&
	    (second || (unknown && ((!writer && !n->orphan) || moved))))
		return admit(op, h, r && (!r->looked || r->found == n), moved);
	if (err == -EBUSY || (err == -ENOENT && !second))
		err = retry_add(op, n, retry_call_of(writer));
	return err == -EBUSY ? admit(op, h, false, moved) : err;
}

int view_open(struct op *op, struct handle *h, bool moved)
{
	struct node *n = h->node;
	struct retry *r;
	int err = 0;

	if (!view_is_held(n))
		return 0;
	r = retry_take(op);
	if (r && !moved && take_held(h, r)) {
		retry_end(op->fs, r);
		return 0;
	}
	if (r)	/* else it would be in the way of its own open */
		release_hold(op->fs, r);
	err = open_current(op, h, r, moved);
	retry_end(op->fs, r);
	return err ? op_refuse_resource(op, RESOURCE_READ, err) : 0;
}
