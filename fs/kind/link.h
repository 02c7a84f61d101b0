/*
 * An entry of a query directory: a relative symbolic link to a row that
 * satisfies the query's terms. @limit, @desc and @after matter to the listing
 * alone: a lookup of one entry reads that row only, however long the listing
 * is.
 */
#ifndef FS_KIND_LINK_H
#define FS_KIND_LINK_H
#include "fs/op/place.h"
#include "fs/query/entry.h"

/* True if the links in this query's directory lead to documents, and are named as
 * these are: in .json, but for schemaless tables, whose rows are files there, too. */
bool link_is_to_document(const struct node *dir, const struct table *t);
/* Describe the link in dir to a row that exists; value: the node's, which the
 * caller keeps as long as out. 0 or -errno. */
int link_child(struct op *op, const struct node *dir, const struct place *p,
	       const struct row_key *key, struct buf *value, struct child *out);
/* Look up the entry of that name, which was not shortened as a whole, in a
 * query's directory. */
int link_lookup(struct op *op, struct node *dir, struct bytes name,
		struct child *out);
#endif
