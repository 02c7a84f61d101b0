#include "fs/kind/link.h"

#include <errno.h>

#include "fs/kind/query_rows.h"
#include "fs/kind/schemaless.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/times.h"
#include "fs/query/query.h"

static const struct node_ops kind_link;

bool link_is_to_document(const struct node *dir, const struct table *t)
{
	return dir->json && !table_is_schemaless(t);
}

/* Append a step of the target. document: of the row, to that. */
static void add_step(struct buf *out, struct buf *name, bool document)
{
	if (document)
		name_of_document(name);
	buf_add_byte(out, '/');
	buf_add_bytes(out, buf_bytes(name));
	out->failed |= name->failed;
}

/* Append the names of the row's clustering values below the place. */
static void print_steps(struct buf *out, const struct place *p,
			struct bytes partition_name, const struct row_key *key,
			bool document)
{
	const struct table *t = p->table;
	bool plain = table_is_schemaless(t);
	struct buf name = BUF_INIT;
	uint32_t i;

	for (i = p->clustering_count; i < t->clustering_count; i++) {
		buf_clear(&name);
		if (plain)
			schemaless_print_name(&name, partition_name,
					      key->clustering[i]);
		else
			key_name_of_clustering(&name, t, i,
					       key->clustering[i]);
		name_shorten(&name);
		add_step(out, &name, document && i + 1 == t->clustering_count);
	}
	buf_release(&name);
}

/* Append where the link leads to, from the query's directory. */
static int print_target(struct buf *out, const struct node *dir,
			const struct place *p, const struct row_key *key)
{
	bool document = link_is_to_document(dir, p->table);
	struct buf partition = BUF_INIT;
	int err = 0;

	buf_add_str(out, "..");
	if (bytes_is_null(p->partition_key)) {
		err = key_name_stored(&partition, p->table,
				      key->partition_key);
		add_step(out, &partition,
			 document && !p->table->clustering_count);
	}
	if (!err)
		print_steps(out, p, buf_bytes(&partition), key, document);
	buf_release(&partition);
	return err ? err : out->failed ? -ENOMEM : 0;
}

int link_child(struct op *op, const struct node *dir, const struct place *p,
	       const struct row_key *key, struct buf *value, struct child *out)
{
	struct buf target = BUF_INIT;
	int err = print_target(&target, dir, p, key);

	child_init(out, &kind_link);
	times_child_owner(out, p->table);
	out->size = target.len;
	out->mtime_ns = op->fs->opened_ns;
	out->volatile_name = true;
	out->volatile_attributes = true;
	buf_release(&target);
	buf_clear(value);
	entry_print_value(value, p, key);
	out->value = buf_bytes(value);
	return err ? err : value->failed ? -ENOMEM : 0;
}

/* Describe the link to that row, if it exists and satisfies the terms. */
static int find(struct op *op, const struct node *dir,
		const struct row_query *q, const struct row_key *key,
		struct child *out)
{
	struct buf value = BUF_INIT;
	int got = query_rows_has(op, q, key);
	int err = got < 0 ? got : got ? 0 : -ENOENT;

	if (!err)
		err = link_child(op, dir, &q->place, key, &value, out);
	if (!err) {
		out->value = arena_copy(&op->arena, out->value);
		err = op->arena.failed ? -ENOMEM : 0;
	}
	buf_release(&value);
	return err;
}

int link_lookup(struct op *op, struct node *dir, struct bytes name,
		struct child *out)
{
	struct bytes base = name;
	struct row_query *q;
	struct row_key key;
	int err = row_query_parse(op, dir->parent, node_name(dir), &q);

	if (err)
		return err;
	if (link_is_to_document(dir, q->place.table) &&
	    name_suffix(name, &base) != SUFFIX_JSON)
		return -ENOENT;
	if (name_is_shortened(base))
		return op->fs->lookup_shortened(op, dir, base, name, out);
	err = entry_parse(op, &q->place, base, &key);
	return err ? err : find(op, dir, q, &key, out);
}

static int stat_link(struct op *op, struct node *n, struct child *out)
{
	struct node *dir = n->parent;
	struct row_query *q;
	struct row_key key;
	int err = row_query_parse(op, dir->parent, node_name(dir), &q);

	if (!err)
		err = entry_read_value(op, &q->place, node_value(n), &key);
	return err ? err : find(op, dir, q, &key, out);
}

static int read_link(struct op *op, struct node *n, struct buf *out)
{
	struct row_key key;
	struct place p;
	int err = place_of(op, n, &p);

	if (!err)
		err = entry_read_value(op, &p, node_value(n), &key);
	return err ? err : print_target(out, n->parent, &p, &key);
}

/* The kernel opens what a link leads to, never the link. */
static int open_link(struct op *op, struct handle *h)
{
	(void)op;
	(void)h;
	return -ELOOP;
}

static int refuse_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	(void)op;
	(void)n;
	(void)mtime_ns;
	return -EROFS;
}

static const struct file_kind link_file = {
	.streamed = true,
	.open = open_link,
};

static const struct node_ops kind_link = {
	.kind = "link",
	.link = true,
	.file = &link_file,
	.stat = stat_link,
	.read_link = read_link,
	.set_mtime = refuse_mtime,
};
