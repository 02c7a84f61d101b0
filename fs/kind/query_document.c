#include "fs/kind/query_document.h"

#include <errno.h>

#include "fs/file/keep.h"
#include "fs/kind/rows.h"
#include "fs/kind/rows_read.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "fs/query/query.h"
#include "fs/query/query_match.h"

static const struct node_ops kind_query_document;

int query_document_child(struct op *op, struct node *dir, struct bytes name,
			 struct child *out)
{
	struct row_query *q;
	enum row_form form;
	struct bytes base;
	int err;

	if (!rows_form(name_suffix(name, &base), &form)) {
		op->tells_missing = true;
		return op_refuse(op, -ENOENT, "the document of a query ends in "
				 ".ndjson or .csv; a value that ends so has "
				 "%%2E for its dot; @after takes no .json");
	}
	err = row_query_parse(op, dir, base, &q);
	if (err)
		return err;
	child_init(out, &kind_query_document);
	times_child_owner(out, q->place.table);
	out->number = form;
	out->mtime_ns = op->fs->opened_ns;
	out->volatile_name = true;
	out->volatile_attributes = true;
	return 0;
}

static int stat_document(struct op *op, struct node *n, struct child *out)
{
	return query_document_child(op, n->parent, node_name(n), out);
}

static int refuse_change(struct op *op)
{
	return op_refuse(op, -EPERM, "the document of a query is read-only");
}

static int open_document(struct op *op, struct handle *h)
{
	int err = h->writer ? refuse_change(op) : rows_open(op, h);

	if (!err)
		((struct rows *)h->state)->is_query = true;
	return err;
}

static int truncate_document(struct op *op, struct node *n, struct handle *h,
			     uint64_t size)
{
	(void)n;
	(void)h;
	(void)size;
	return refuse_change(op);
}

/* Delete the range, with the partition locked: w is written, or nothing is. */
static int delete_range(struct op *op, struct node *n, const struct place *p,
			const struct slice *range, struct write *w)
{
	int64_t at;
	int err = rows_later_timestamp(op, p, &at);

	if (err)
		return err;
	write_range_deletion(w, p->table, p->partition_key, range, at);
	err = times_touch(op, w, n->parent);
	return err ? err : op_write(op, w);
}

static int unlink_document(struct op *op, struct node *n)
{
	struct row_query *q;
	struct slice range;
	struct bytes base;
	struct write w;
	int err, got;

	name_suffix(node_name(n), &base);
	err = row_query_parse(op, n->parent, base, &q);
	if (err)
		return err;
	if (q->place.table->flags & TABLE_VIRTUAL)
		return -EROFS;
	got = query_range(op, q, &range);
	if (got == -EPERM)
		return op_refuse(op, -EPERM, "only a range of clustering in a "
				 "partition can be removed as a document");
	if (got <= 0)
		return got;
	op->broadcast = true;
	err = place_begin_write(op, &w, n, &q->place);
	if (!err)
		err = delete_range(op, n, &q->place, &range, &w);
	write_release(&w);
	if (!err)
		keep_up(op, n->parent);
	return err;
}

static int refuse_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	(void)n;
	(void)mtime_ns;
	return refuse_change(op);
}

static const struct file_kind document_file = {
	.streamed = true,
	.statements = true,
	.alone = true,
	.open = open_document,
	.read = rows_read,
	.close = rows_close,
	.truncate = truncate_document,
};

static const struct node_ops kind_query_document = {
	.kind = "rows of a query",
	.file = &document_file,
	.stat = stat_document,
	.unlink = unlink_document,
	.set_mtime = refuse_mtime,
};
