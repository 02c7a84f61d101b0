#include "fs/kind/query.h"

#include <errno.h>

#include "fs/kind/link.h"
#include "fs/kind/query_rows.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/times.h"
#include "fs/query/query.h"
#include "fs/tree/listing.h"

static const struct node_ops kind_query;

/* Held memory is charged in steps of these bytes, and after this many rows. */
#define CHARGE_STEP 65536
#define CHARGE_ROWS 64

int query_child(struct op *op, struct node *dir, struct bytes name,
		struct child *out)
{
	struct row_query *q;
	int err = row_query_parse(op, dir, name, &q);

	if (err)
		return err;
	if (!bytes_is_null(q->terms.columns))
		return op_refuse(op, -EINVAL, "@cols is for documents");
	child_init(out, &kind_query);
	times_child_owner(out, q->place.table);
	out->mtime_ns = op->fs->opened_ns;
	out->volatile_name = true;
	out->volatile_attributes = true;
	return 0;
}

static int stat_query(struct op *op, struct node *n, struct child *out)
{
	return query_child(op, n->parent, node_name(n), out);
}

static void end_rows(struct listing *l)
{
	query_rows_close(l->data);
	l->data = NULL;
}

static void rest_rows(struct listing *l)
{
	query_rows_rest(l->data);
}

static int begin_listing(struct op *op, struct listing *l)
{
	struct query_rows *rows;
	struct row_query *q;
	int err = listing_place(op, l);

	if (!err)
		err = row_query_parse(op, l->node->parent, node_name(l->node),
				      &q);
	if (!err)
		err = query_rows_open(op, q, &l->place, false, &rows);
	if (err)
		return err;
	l->data = rows;
	l->end = end_rows;
	l->rest = rest_rows;
	return 0;
}

/* Charge the memory that an open directory holds. (Lookups of our own hold
 * none.) */
static int charge_rows(struct op *op, struct listing *l)
{
	uint64_t bytes = query_rows_memory(l->data);

	bytes = (bytes / CHARGE_STEP + 1) * CHARGE_STEP;
	return l->open.of && bytes > l->charge.amount ?
		       op_charge(op, &l->charge, RESOURCE_RESULTS, bytes) : 0;
}

static int next_link(struct op *op, struct listing *l, struct buf *name,
		     struct child *out)
{
	struct row_key key;
	int got = l->data ? 0 : begin_listing(op, l);

	if (!got && !(l->step % CHARGE_ROWS))
		got = charge_rows(op, l);
	if (!got)
		got = query_rows_next(op, l->data, &key);
	if (got <= 0)
		return got;
	got = entry_print_name(op, name, &l->place, &key);
	if (!got && l->documents && link_is_to_document(l->node, l->place.table))
		name_of_document(name);
	if (!got)
		got = link_child(op, l->node, &l->place, &key, &l->value, out);
	return got ? got : 1;
}

static int refuse(struct op *op, struct node *n)
{
	(void)n;
	return op_refuse(op, -EROFS, "a query is not stored");
}

static int refuse_rename(struct op *op, struct node *n, struct node *dir,
			 struct bytes name, struct node *replaced,
			 struct child *target)
{
	(void)dir;
	(void)name;
	(void)replaced;
	(void)target;
	return refuse(op, n);
}

static int refuse_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	(void)mtime_ns;
	return refuse(op, n);
}

static int refuse_attribute(struct op *op, struct node *n, const char *name,
			    struct bytes value)
{
	(void)name;
	(void)value;
	return refuse(op, n);
}

static const struct node_ops kind_query = {
	.kind = "query",
	.directory = true,
	.made_up = true,
	.lookup = link_lookup,
	.stat = stat_query,
	.next = next_link,
	.rmdir = refuse,
	.rename = refuse_rename,
	.set_mtime = refuse_mtime,
	.set_attribute = refuse_attribute,
};
