/*
 * An open directory: a stream of entries from one moment of the data. The kind
 * steps through it (node_ops.next) with the members below; what is in memory
 * alone (kept nodes) comes first, from a list that is frozen at the begin.
 *
 * Cookies count entries. A call that goes on where the last one ended costs
 * nothing; one that goes elsewhere begins anew and walks there.
 *
 * A call without readdirplus needs no attributes: where l->names is set a kind
 * gives at least what the entry is, its value and when it expires. The kernel
 * goes from one to the other in the midst of a stream.
 */
#ifndef FS_TREE_LISTING_H
#define FS_TREE_LISTING_H
#include "fs/op/op.h"

struct listing {
	struct node *node;		/* a reference */
	struct listing *next, **link;	/* in fs->listings */
	struct charge open;		/* of the stream itself */
	struct mutex lock;
	/* all below under lock */
	uint64_t position;		/* entries that are behind us */
	bool held;			/* name and child: not yet taken */
	bool ended;
	int err;			/* what broke it off: given until it
					 * begins anew */
	bool names;			/* this call wants names and types */
	bool bare;			/* child has no attributes */
	struct buf name;
	struct child child;
	struct buf value;		/* its, where the cursor rests */
	struct node **kept;		/* sorted by name: references of those
					 * before `given` (listed) and from
					 * kept_at on (to come) */
	size_t kept_count, kept_at, given;
	struct charge charge;		/* of that list */
	uint32_t changes;		/* the node's, at the begin */
	uint32_t table_changes;		/* its table's: see op_watch */
	/* Of one cut name: only what may have it. In a table: */
	bool by_token;
	int64_t token;
	struct bytes prefix;		/* below: how the value begins; null */
	/* the kind's */
	uint64_t step;			/* calls of next; 0 in the first */
	struct schema *schema;		/* that of the moment: a reference */
	struct arena arena;
	struct cursor *cursor;
	struct row_view row;
	struct place place;		/* of the directory, in arena */
	size_t index, count;
	void *data;
};
/* The child that l->row is: of names alone nothing else is looked at. */
static inline void listing_child(const struct listing *l, struct child *out,
				 const struct node_ops *ops)
{
	if (l->row.names)
		out->ops = ops;
	else
		child_init(out, ops);
	out->expires_s = l->row.expires_s;
}
/* Open one of n: 0, or what op_charge says. */
int listing_open(struct op *op, struct node *n, struct listing **out);
/* Fill in entries behind that cookie until there is no more room: 0, -errno.
 * REQUIRES l->lock. */
int listing_stream(struct op *op, struct listing *l, uint64_t cookie, bool plus,
		   fs_fill *fill, void *context);
void listing_close(struct fs *fs, struct listing *l);

/*
 * A listing for oneself (lookups of cut names): node is set, and no reference;
 * what is in memory alone is left out. Then step gives 1 with name and child, 0 at the end, -errno.
 */
void listing_begin(struct op *op, struct listing *l);
int listing_step(struct op *op, struct listing *l);
void listing_end(struct fs *fs, struct listing *l);
/* Of the rows that q is about (slice is its or it has none) those in question.
 * 0 or -ENOMEM. */
int listing_narrow(struct listing *l, struct query *q, struct slice *slice);
/* The place of the listed directory in the listing's schema and arena. */
int listing_place(struct op *op, struct listing *l);
#endif
