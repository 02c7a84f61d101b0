#include "fs/kind/schema.h"

#include <errno.h>
#include <stdio.h>
#include <xxhash.h>

#include "fs/kind/keyspace.h"
#include "fs/kind/schema_write.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/cql/cql.h"
#include "store/cql/schema/print.h"
#include "store/snapshot.h"

static const struct node_ops kind_schema, kind_table_cql;

/* ------------------------------------------------------------- statements */
bool schema_may_caller(void *context, const struct keyspace *k,
		       const struct table *t, enum cql_right right)
{
	static const unsigned rights[] = { [CQL_READ] = RIGHT_READ,
					   [CQL_WRITE] = RIGHT_WRITE,
					   [CQL_DDL] = RIGHT_WRITE };
	struct op *op = context;
	unsigned want = rights[right];

	if (!k)
		return caller_may(op, op->fs->uid, op->fs->gid, 0755, want);
	if (!caller_may_enter(op, k, t))
		return false;
	if (t && right != CQL_DDL)
		return caller_may(op, t->uid, t->gid, t->mode, want);
	return caller_may(op, k->uid, k->gid, k->mode, want);
}

int schema_run_session(struct op *op, struct cql_session *session,
		       struct bytes text)
{
	struct cql_result *result;
	const struct bytes *values;
	int err = cql_execute(session, text, &result);

	while (!err && (err = cql_result_next(result, &values)) > 0)
		err = 0;
	if (err)
		op_refuse(op, err, "%s", cql_session_error(session)->message);
	cql_result_free(result);
	return err;
}

int schema_open_session(struct op *op, struct cql_session **out,
			const char *keyspace, mode_t mode, bool as_caller)
{
	struct fs_call *call = op->call;
	int err = cql_session_new(out, op->store);

	if (err)
		return err;
	if (as_caller)
		cql_session_rights(*out, schema_may_caller, op);
	cql_session_owner(*out, op_uid(op),
			  call ? call->gid : op->fs->gid, mode);
	return keyspace ? cql_session_use(*out, bytes_str(keyspace)) : 0;
}

int schema_run_statement(struct op *op, const char *keyspace, struct bytes text,
			 mode_t mode, bool as_caller)
{
	struct cql_session *session = NULL;
	int err = schema_open_session(op, &session, keyspace, mode, as_caller);

	if (!err)
		err = schema_run_session(op, session, text);
	cql_session_free(session);
	return err;
}

/* ------------------------------------------------------------------- print */
static void add_statement(struct buf *out, bool *first)
{
	if (!*first)
		buf_add_str(out, "\n\n");
	*first = false;
}

static bool was_printed(const bool *printed, const struct keyspace *k,
			const struct type *t)
{
	uint32_t i;

	for (i = 0; i < k->type_count; i++)
		if (!printed[i] && k->types[i].type != t &&
		    type_uses_udt(t, k->name, k->types[i].name))
			return false;
	return true;
}

/* Print types after the types that they use. */
static int print_types(struct op *op, struct buf *out, const struct keyspace *k)
{
	bool *printed = arena_zalloc(&op->arena, k->type_count + 1,
				     sizeof(*printed));
	bool first = false, more = true;
	uint32_t i;

	while (printed && more) {
		more = false;
		for (i = 0; i < k->type_count; i++) {
			if (printed[i] ||
			    !was_printed(printed, k, k->types[i].type))
				continue;
			add_statement(out, &first);
			cql_print_type(out, k->types[i].type);
			printed[i] = true;
			more = true;
		}
	}
	return printed ? 0 : -ENOMEM;
}

static void print_table(struct buf *out, const struct table *t, bool *first)
{
	uint32_t i;

	add_statement(out, first);
	cql_print_table(out, t, 0);
	for (i = 0; i < t->index_count; i++) {
		add_statement(out, first);
		cql_print_index(out, t, &t->indexes[i]);
	}
}

/* Print the DDL. all: also of objects that the caller may not enter. */
static int print(struct op *op, struct buf *out, const struct keyspace *k,
		 bool all)
{
	bool first = true;
	uint32_t i;
	int err;

	add_statement(out, &first);
	cql_print_keyspace(out, k);
	err = print_types(op, out, k);
	for (i = 0; i < k->table_count; i++)
		if (all || caller_may_enter(op, k, k->tables[i]))
			print_table(out, k->tables[i], &first);
	buf_add_byte(out, '\n');
	return err ? err : out->failed ? -ENOMEM : 0;
}

static int print_keyspace(struct op *op, struct buf *out,
			  const struct keyspace *k)
{
	return print(op, out, k, false);
}

/* --------------------------------------------------------------- schema.cql */
/* Compute a tag of this whole text: a time that was set is valid until the next
 * DDL. */
static int text_tag(struct op *op, const struct keyspace *k, uint64_t *tag)
{
	struct buf text = BUF_INIT;
	int err = print(op, &text, k, true);

	*tag = XXH3_64bits(buf_bytes(&text).ptr, text.len);
	buf_release(&text);
	return err;
}

static int64_t newest(const struct keyspace *k)
{
	int64_t latest = k->created_us;
	uint32_t i;

	for (i = 0; i < k->table_count; i++)
		if (k->tables[i]->created_us > latest)
			latest = k->tables[i]->created_us;
	return latest;
}

/* Who compares times, as editors and rsync, must see that the text is another: that
 * of the newest table tells it only if there is a new one. */
static void follow(struct op *op, const struct keyspace *was,
		   const struct keyspace *is)
{
	uint64_t before = 0, tag = 0;

	if (was == is || newest(was) < newest(is) ||
	    text_tag(op, was, &before) || text_tag(op, is, &tag) ||
	    before == tag)
		return;
	keyspace_times_set(op, bytes_str(is->name), ABOVE_SCHEMA, tag,
			   store_timestamp(op->store) * MICROSECOND);
}

void schema_times_follow(struct op *op, const struct schema *from,
			 const struct schema *to)
{
	uint32_t i;

	for (i = 0; i < to->keyspace_count; i++) {
		struct keyspace *was = schema_keyspace(
			from, bytes_str(to->keyspaces[i]->name));

		if (was)
			follow(op, was, to->keyspaces[i]);
	}
}

static int set_schema_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct keyspace *k = op_keyspace(op, n);
	uint64_t tag = 0;
	int err = !k ? -ESTALE : text_tag(op, k, &tag);

	if (!err)
		err = keyspace_times_set(op, bytes_str(k->name), ABOVE_SCHEMA,
					 tag, mtime_ns);
	return err;
}

static int fill_child(struct op *op, const struct keyspace *k,
		      struct child *out)
{
	struct buf text = BUF_INIT;
	uint64_t tag = 0;
	int err = print_keyspace(op, &text, k);

	out->uid = k->uid;
	out->gid = k->gid;
	out->mode = k->mode & 0777;
	out->read_only = k->system;
	out->mtime_ns = newest(k) * MICROSECOND;
	out->size = text.len;
	out->volatile_attributes = true;
	out->volatile_name = true;
	if (!err)
		err = text_tag(op, k, &tag);
	if (!err)
		err = keyspace_times_get(op, bytes_str(k->name), ABOVE_SCHEMA,
					 tag, &out->mtime_ns);
	buf_release(&text);
	return err;
}

int schema_child(struct op *op, struct node *dir, struct child *out)
{
	struct keyspace *k = op_keyspace(op, dir);

	child_init(out, &kind_schema);
	return k ? fill_child(op, k, out) : -ESTALE;
}

static int stat_schema(struct op *op, struct node *n, struct child *out)
{
	return schema_child(op, n->parent, out);
}

static int load_schema(struct op *op, struct node *n, struct buf *out)
{
	struct keyspace *k = op_keyspace(op, n);

	return k ? print_keyspace(op, out, k) : -ESTALE;
}

static int store_schema_text(struct op *op, struct node *n, struct bytes text,
			     const struct store_how *how)
{
	struct keyspace *k = op_keyspace(op, n);
	int err = !k ? -ESTALE : k->system ? -EROFS :
					 schema_write_apply(op, n, text);

	if (err || !how->has_mtime)
		return err;
	op_renew_schema(op);
	return set_schema_mtime(op, n, how->mtime_ns);
}

static bool takes_empty(struct op *op, struct node *n)
{
	(void)op;
	(void)n;
	return true;
}

static const struct file_kind schema_file = {
	.load = load_schema,
	.store = store_schema_text,
	.takes_empty = takes_empty,
	.document = true,
	.statements = true,
	.begin = schema_write_begin,
	.write = schema_write_text,
	.flush = schema_write_flush,
	.close = schema_write_close,
};

/* Hide the file until the next DDL; nothing is dropped. `rm -r` of a keyspace
 * begins with it, since it is listed first: so the tables are kept now. */
static int unlink_schema(struct op *op, struct node *n)
{
	struct keyspace *k = op_keyspace(op, n);
	char change[64];
	int err = !k ? -ESTALE : k->system ? -EROFS :
		snapshot_keep_keyspace(op->fs->store, node_value(n->parent),
				       "removed", op_uid(op), change,
				       sizeof(change));

	if (err)
		return err;
	atomic_fetch_or(&n->flags, NODE_HIDDEN);
	node_keep(n);
	op_remark(op, n, "nothing was dropped, and the file is hidden until the "
		  "next definition (to drop: rm -r of the directory, or DROP)%s%s",
		  *change ? "; what rm -r removes comes back by: widefsctl "
		  "snapshot restore STORE " : "", change);
	return 0;
}

static const struct node_ops kind_schema = {
	.kind = "schema",
	.file = &schema_file,
	.stat = stat_schema,
	.unlink = unlink_schema,
	.set_mtime = set_schema_mtime,
};

/* ----------------------------------------------------------------- NAME.cql */
static int load_ddl(struct op *op, struct node *n, struct buf *out)
{
	struct keyspace *k;
	struct table *t;
	bool first = true;

	if (node_is_store(n->parent)) {
		k = schema_keyspace(op->schema, node_value(n));
		return k ? print_keyspace(op, out, k) : -ENOENT;
	}
	t = schema_table(op->schema, node_value(n->parent), node_value(n));
	if (!t)
		return -ENOENT;
	print_table(out, t, &first);
	buf_add_byte(out, '\n');
	return out->failed ? -ENOMEM : 0;
}

int schema_definition_child(struct op *op, struct node *dir, struct bytes base,
			    struct child *out)
{
	struct keyspace *k;
	struct table *t = NULL;
	struct buf text = BUF_INIT;
	struct bytes raw;
	bool first = true;
	int err = keyspace_read_name(op, base, &raw);

	if (err)
		return err;
	child_init(out, &kind_table_cql);
	out->value = raw;
	k = node_is_store(dir) ? schema_keyspace(op->schema, raw) :
				 op_keyspace(op, dir);
	if (!k)
		return -ENOENT;
	if (!node_is_store(dir)) {
		t = keyspace_table(k, raw);
		if (!t)
			return -ENOENT;
		print_table(&text, t, &first);
		buf_add_byte(&text, '\n');
	} else {
		err = print_keyspace(op, &text, k);
	}
	out->uid = t ? t->uid : k->uid;
	out->gid = t ? t->gid : k->gid;
	out->mode = owner_mode_of_description(t ? t->mode : k->mode);
	out->mtime_ns = (t ? t->created_us : k->created_us) * MICROSECOND;
	out->size = text.len;
	out->read_only = true;
	out->volatile_name = true;
	out->volatile_attributes = true;
	buf_release(&text);
	return err;
}

static int stat_ddl(struct op *op, struct node *n, struct child *out)
{
	struct bytes base;

	name_suffix(node_name(n), &base);
	return schema_definition_child(op, n->parent, base, out);
}

static const struct file_kind ddl_file = { .load = load_ddl,
					   .document = true };

static const struct node_ops kind_table_cql = {
	.kind = "definition",
	.file = &ddl_file,
	.stat = stat_ddl,
};
