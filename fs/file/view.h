/*
 * Keep readers and writers of a value apart. The kernel has one size and one
 * set of pages for a node, and changes them one after the other: a reader of
 * pages beside a writer would see a truncated, empty or mixed text. So a node
 * is held either by readers or by writers:
 *
 *   held by readers   its text and attributes are those that its first reader
 *                     found. A change of the value gives the name another
 *                     node, and this one is past: its readers go on with it,
 *                     and it is freed with the last of them. What a past node
 *                     shows can only grow (view_follow), by what was added to
 *                     its text: so no reader sees a part of two values. The
 *                     kernel is told to drop its attributes when nobody has used
 *                     it for half a second: by a notice that overtakes the answer
 *                     to a reader it would go on with the size of an older value.
 *   held by writers   it has no pages, and its size matters to nobody else.
 *                     The kernel keeps no attributes of it, so none are dropped:
 *                     an answer that a notice overtakes is ignored.
 *                     Of a file that each open has alone (file_kind.alone)
 *                     any open is such a hold, and there is one at a time.
 *   held by nobody    a change drops pages and attributes; until the kernel has
 *                     been told, no reader takes hold of it.
 *
 * An open that does not fit is answered ESTALE once, and admitted after a second
 * look: view_look.h.
 *
 * Any thread. The calls take the stripe of the node's name, except those that
 * only look at its kind.
 */
#ifndef FS_FILE_VIEW_H
#define FS_FILE_VIEW_H
#include "fs/file/handle.h"

/* The value as the readers of a node see it. */
struct view_version {
	struct buf text;
	unsigned users;		/* its node, and who looks at its text */
	struct shares shares;	/* of its holders */
	struct child child;	/* its attributes; without the value */
	_Atomic uint64_t used_ns;	/* when it was opened or read last */
	uint64_t told_ns;	/* when its attributes were asked for last */
	/* It grew at that moment (0: it did not), and the kernel drops the pages
	 * of before; what it is told meanwhile. */
	uint64_t grown_ns, notice;
	struct child before;
	/* The last later value that it is no beginning of. */
	int64_t other_us;
	uint64_t other_size;
	uint64_t hash;		/* of a text that the kernel may keep */
	uint64_t node;		/* its id */
};

/* True for a value's file. Others are read directly, without holds; some of
 * those are held alone. */
bool view_applies(const struct node *n);
/* True if an open of it has to fit those before it. */
bool view_is_held(const struct node *n);
/* True if an open holds it as a writer does: one that has it alone, too. */
bool view_holds_to_write(const struct node *n, bool writer);
/* True if its name leads to another node, or to none. */
bool view_is_past(const struct node *n);
/* Hold it. 0; -EBUSY: it is held the other way, or past; another error of the
 * load. */
int view_hold(struct op *op, struct node *n, bool writer);
void view_unhold(struct fs *fs, struct node *n, bool writer, uid_t uid);
/*
 * Hold the handle's node beside its present holders, though the open does not
 * fit them. A writer joins any of them. A reader joins other readers: of a past
 * node only if its call means that node (`meant`), and never of one that a
 * rename left (`moved`). 0, or an error of the account; h->hold says if it
 * holds now.
 */
int view_join(struct fs *fs, struct handle *h, bool meant, bool moved);
/* End the handle's hold, if it has one. */
void view_close(struct fs *fs, struct handle *h);
/* Hold it again for a reader that released it and begins anew: 0 when it
 * does. */
int view_hold_again(struct op *op, struct handle *h);
/* True if readers hold it. */
bool view_is_read(const struct node *n);
/* The same, and *c is set to what they see of it. */
bool view_shows(struct fs *fs, struct node *n, struct child *c);
/*
 * If *now, the present attributes of n's name, are of a longer value that begins
 * with what the readers of n, which is past, see of it, and none of them has read
 * for half a second, they see that: so `tail -f` goes on. Attributes follow half a
 * second later, when no page that ended with the value of before is in use: its
 * rest would be read as zeros.
 */
void view_follow(struct op *op, struct node *n, const struct child *now);
/*
 * Read the text that h holds. A reader that has read all of it, and for which the
 * kernel keeps no pages, lets it go; it notes what that was. REQUIRES h's lock.
 */
void view_read(struct fs *fs, struct handle *h, uint64_t offset, size_t size,
	       struct buf *out);
/* Return the length of the text of n, which the caller holds. */
uint64_t view_length(struct fs *fs, struct node *n);
/* Note that h has read all of text; and true if another text, of which it would
 * read the rest, begins with what was noted last. REQUIRES h's lock. */
void view_note_read(struct handle *h, struct bytes text);
bool view_goes_on(const struct handle *h, struct bytes text);
/* True if it has writers. */
bool view_is_written(const struct node *n);
/* Change *c, the attributes of n for the kernel, to what its readers see, and
 * arm them. True if it has writers. */
bool view_fill(struct fs *fs, struct node *n, struct child *c);
/*
 * Tell the kernel to drop its copies of n (bits: enum armed), changed by op (or
 * NULL). Returns the number of the last notice, or 0.
 */
uint64_t view_changed(struct fs *fs, struct op *op, struct node *n,
		      uint32_t bits);
/* Tell the kernel to drop the name of n, which has another node now, and its
 * attributes as far as view_changed would. */
void view_renewed(struct fs *fs, struct node *n);
void view_version_free(struct fs *fs, struct view_version *v);
/* Free, at the end, the versions that are kept for the next readers. */
void view_release(struct fs *fs);
#endif
