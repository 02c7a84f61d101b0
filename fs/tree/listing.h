/*
 * An open directory: a stream of entries from one moment of the data. The kind
 * steps through it (node_ops.next) with the members below; nodes that exist
 * only in memory (kept nodes) come first, from a list that is made at the
 * beginning.
 *
 * Cookies count entries. A call that continues where the last one ended costs
 * nothing; one that starts elsewhere begins anew and walks there.
 *
 * A call without readdirplus needs no attributes: where l->names is set a kind
 * returns at least the entry's kind, its value and when it expires. The kernel
 * switches between the two in the middle of a stream.
 *
 * A listing holds no values of cells between two calls. The names and
 * attributes that it holds are charged to its user.
 */
#ifndef FS_TREE_LISTING_H
#define FS_TREE_LISTING_H
#include "fs/op/op.h"
#include "fs/op/place.h"

struct listing {
	struct node *node;		/* a reference */
	struct store *view;		/* as in struct handle */
	LIST_ENTRY(listing) entry;	/* of fs->listings */
	struct charge open;		/* of the stream itself */
	struct mutex lock;
	/* all below under lock */
	uint64_t position;		/* entries already returned */
	bool held;			/* name and child are the next entry */
	bool ended;
	int err;			/* the error that ended it: returned
					 * until it begins again */
	bool names;			/* this call wants names and types */
	bool bare;			/* child has no attributes */
	struct buf name;
	struct child child;
	struct buf value;		/* child's, where the cursor rests */
	struct node **kept;		/* sorted by name: references of those
					 * before `given` (listed) and from
					 * kept_at on (to come) */
	size_t kept_count, kept_at, given;
	struct charge charge;		/* of what it holds, see listing.c */
	bool documents;			/* rows are listed as such: in .json */
	uint32_t changes;		/* the node's, at the beginning */
	uint32_t table_changes;		/* its table's: see op_watch */
	/* For the lookup of one shortened name: step only through entries that
	 * may have it. In a table: the partitions with this token. */
	bool by_token;
	int64_t token;
	/* Below: the values that begin so; or null. */
	struct bytes prefix;
	/* set and used by the kind: */
	uint64_t step;			/* calls of next; 0 in the first */
	struct schema *schema;		/* of its moment: a reference */
	struct arena arena;
	struct cursor *cursor;
	uint64_t since;			/* store_state before it was opened */
	struct row_view row;
	struct place place;		/* of the directory, in arena */
	/* Entries of one row, which is read once for many of them. */
	struct child *children;
	struct arena values;		/* theirs */
	size_t room;			/* of the array */
	size_t used, granted;		/* bytes of children: held, charged */
	bool more_children;		/* there was no room for all */
	size_t index, count;		/* of children: the next; all */
	void *data;
	/* Set by a kind that holds more, in data: frees it; lets it release a
	 * moment of the store that has passed. Or NULL. */
	void (*end)(struct listing *l);
	void (*rest)(struct listing *l);
};
/* Set out to a child of that kind for l->row; if only the row's name was read,
 * just its kind and its end. */
static inline void listing_child(const struct listing *l, struct child *out,
				 const struct node_ops *ops)
{
	if (l->row.names)
		out->ops = ops;
	else
		child_init(out, ops);
	out->expires_s = l->row.expires_s;
}
/* Open a listing of n: 0, or an error of op_charge. */
int listing_open(struct op *op, struct node *n, struct listing **out);
/* Fill in the entries after that cookie until there is no more room. 0 or
 * -errno. */
int listing_stream(struct op *op, struct listing *l, uint64_t cookie, bool plus,
		   fs_fill *fill, void *context)
	REQUIRES(&l->lock);
/* Before it begins anew: if its directory was moved, go on as the one that it
 * has become, which has what exists in memory alone. */
void listing_follow(struct fs *fs, struct listing *l);
void listing_close(struct fs *fs, struct listing *l);

/*
 * Use a listing without an open directory, to look up shortened names: the
 * caller sets node, without a reference. Nodes that exist only in memory are
 * left out. step returns 1 with name and child set, 0 at the end, or -errno.
 */
void listing_begin(struct op *op, struct listing *l);
int listing_step(struct op *op, struct listing *l);
void listing_end(struct fs *fs, struct listing *l);
/* Set the place of the listed directory, in the listing's schema and arena. 0,
 * or as place_of or op_charge. */
int listing_place(struct op *op, struct listing *l);
/* Drop the children, to add others: index and count become 0. */
void listing_children_begin(struct listing *l);
/* Add a child, with a copy of its value. 1; 0: there is no room for more of
 * them now; -ENOMEM, or an error of op_charge if there is no room for one. */
int listing_children_add(struct op *op, struct listing *l,
			 const struct child *c);
/* Let open directories release moments of the store that have passed. */
void listings_rest(struct fs *fs);
#endif
