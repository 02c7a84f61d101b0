#include "fs/kind/table.h"

#include <errno.h>

#include "fs/kind/adopt.h"
#include "fs/kind/keyspace.h"
#include "fs/kind/partition.h"
#include "fs/kind/row.h"
#include "fs/kind/row_json.h"
#include "fs/kind/schemaless.h"
#include "fs/kind/waiting.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/key_name.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"
#include "fs/tree/listing.h"
#include "store/schema/schema_edit.h"
#include "store/schema/schema_move.h"
#include "store/schema/table_edit.h"
#include "store/store.h"
#include "store/table/present.h"
#include "store/table_takeover.h"

static const struct node_ops kind_table;

void table_child(struct child *c, const struct table *t)
{
	child_init(c, &kind_table);
	times_child_owner(c, t);
	c->is_table = true;
	c->number = t->number;
	c->value = bytes_str(t->name);
}

static int stat_table(struct op *op, struct node *n, struct child *out)
{
	struct table *t = op_table(op, n);
	struct place p;
	int err;

	child_init(out, &kind_table);
	/* Renamed in the tree, its node in .json did not get the new name. */
	if (!t || (n->json && (!bytes_equal(node_value(n),
					    bytes_str(t->name)) ||
			       !bytes_equal(node_value(n->parent),
					    bytes_str(t->keyspace)))))
		return -ENOENT;
	out->is_table = true;
	out->number = t->number;
	out->value = node_value(n);
	times_child_owner(out, t);
	/* Look up times that were set here: the table's parent is no table, and
	 * does not. */
	err = place_of(op, n, &p);
	if (!err)
		err = times_of_child(op, n, &p, out);
	if (!err && !out->time_is_set)
		err = keyspace_times_of_truncating(op, t, &out->mtime_ns);
	return err == -ESTALE ? 0 : err;
}

static int next_partition(struct op *op, struct listing *l, struct buf *name,
			  struct child *out)
{
	const struct table *t;
	struct query q;
	int got;

	if (!l->cursor) {
		got = listing_place(op, l);
		if (got)
			return got;
		query_init(&q, l->place.table);
		q.now_s = op->now_s;
		if (l->by_token)
			q.from_token = q.to_token = l->token;
		if (!table_is_flat(l->place.table)) {
			q.distinct = 0;
			q.with_statics = true;
			q.static_only_rows = true;
		}
		l->since = store_state(op->store);
		got = table_query(&l->cursor, op->store, &q);
		if (got)
			return got;
	}
	got = cursor_next(l->cursor, &l->row);
	if (got <= 0)
		return got;
	t = l->place.table;
	listing_child(l, out, table_is_flat(t) ? &kind_row :
			      table_is_schemaless(t) ? &kind_schemaless :
						       &kind_partition);
	row_child(out, t, &l->row);
	if (!l->names && t->number)
		out->moment = known_moment_since(op, t, l->row.partition_key,
						 l->since);
	out->value = l->row.partition_key;
	key_name_of_partition(name, t, l->row.key_values);
	return l->documents && out->ops == &kind_row ?
		       row_json_list(op, l, name, out) : 1;
}

static int mkdir_in_table(struct op *op, struct node *dir, struct bytes name,
			  mode_t mode, struct child *out, bool *keep)
{
	int err = partition_mkdir(op, dir, name, mode, out, keep);

	if (err == -ENOENT)
		err = waiting_mkdir_composite(op, dir, name, out, keep);
	return err || !*keep ? err : times_make_alone(op, dir, out);
}

/* A table that is dropped if it has no rows. */
struct table_removal {
	struct op *op;
	struct table *table;
	uint64_t since;		/* store_state before it was looked at */
};

static int check_is_empty(struct op *op, const struct table *t)
{
	int got = store_has_rows(op->store, t);

	return got > 0 ? -ENOTEMPTY : got;
}

/* Look again, if anything was written since; nobody writes now. */
static int check_is_still_empty(void *context)
{
	struct table_removal *r = context;

	if (r->since && store_state(r->op->store) == r->since)
		return 0;
	return check_is_empty(r->op, r->table);
}

static int remove_table(void *context, const struct schema *now,
			struct schema **next)
{
	struct table_removal *r = context;
	struct table *t = schema_table_by_number(now, r->table->number);
	int err;

	if (!t)
		return -ESTALE;
	if (t != r->table)	/* altered: it may have more to look at */
		r->since = 0;
	r->table = t;
	*next = schema_copy(now);
	if (!*next)
		return -ENOMEM;
	err = schema_remove_table(*next, bytes_str(t->keyspace),
				  bytes_str(t->name));
	if (err) {
		schema_put(*next);
		*next = NULL;
	}
	return err;
}

static int rmdir_table(struct op *op, struct node *n)
{
	struct table_removal r = { op, op_table(op, n), 0 };
	struct schema_edit edit = { .edit = remove_table,
				    .check = check_is_still_empty,
				    .context = &r, .owner = op_uid(op) };
	int err;

	if (!r.table)
		return -ESTALE;
	if (r.table->flags & TABLE_VIRTUAL)
		return -EROFS;
	r.since = store_state(op->store);
	err = check_is_empty(op, r.table);
	if (!err)
		err = store_edit_tables(op->store, &edit);
	if (!err)
		times_touch(op, NULL, n->parent);	/* as after a move */
	return err;
}

struct table_move {
	uint32_t number;
	struct bytes keyspace, name;
	struct buf why;		/* what the keyspace lacks */
};

static int move_table(void *context, const struct schema *now,
		      struct schema **next)
{
	struct table_move *move = context;
	const struct table *t = schema_table_by_number(now, move->number);
	int err;

	if (!t)
		return -ESTALE;
	*next = schema_copy(now);
	if (!*next)
		return -ENOMEM;
	err = schema_move_table(*next, t, move->keyspace, move->name,
				&move->why);
	if (err) {
		schema_put(*next);
		*next = NULL;
	}
	return err;
}

/* Move the table itself: to another name, here or in another keyspace. */
static int rename_table(struct op *op, struct node *n, struct node *dir,
			struct bytes name, struct node *replaced,
			struct child *target)
{
	struct table *t = op_table(op, n);
	struct keyspace *k = op_keyspace(op, dir);
	struct table_move move = { .why = BUF_INIT };
	int err;

	if (!k || dir->parent->parent)
		return op_refuse(op, -EXDEV, "a table is renamed into a "
				 "keyspace: mv copies its files, without its "
				 "types (in the root: mkdir KEYSPACE, then mv "
				 "TABLE KEYSPACE/)");
	if (!t)
		return -ESTALE;
	if (t->flags & TABLE_VIRTUAL || k->system)
		return -EROFS;
	if (replaced)
		return op_refuse(op, -EEXIST, "the other table of this name is "
					      "not replaced: remove it first");
	err = keyspace_read_name(op, name, &move.name);
	if (!err)
		err = keyspace_check_name(op, move.name, "table");
	if (err)
		return err;
	move.number = t->number;
	move.keyspace = arena_copy(&op->arena, bytes_str(k->name));
	err = op->arena.failed ? -ENOMEM :
				 op_edit_schema(op, move_table, &move);
	if (err && move.why.len)
		op_refuse(op, err, "%s", buf_cstr(&move.why));
	buf_release(&move.why);
	if (err)
		return err == -ENOENT ? -ESTALE : err;	/* a keyspace is gone */
	t = schema_table_by_number(op->schema, move.number);
	if (!t)		/* another dropped it since */
		return -ESTALE;
	table_child(target, t);
	times_touch(op, NULL, n->parent);	/* it is done, with them or not */
	if (dir != n->parent)
		times_touch(op, NULL, dir);
	return 0;
}

struct table_owner_change {
	const struct table *table;
	unsigned set;
	const struct stat *attr;
};

static int change_owner(void *context, const struct schema *now,
			struct schema **next)
{
	const struct table_owner_change *change = context;
	struct table *t = schema_table(now, bytes_str(change->table->keyspace),
				       bytes_str(change->table->name));
	int err;

	if (!t || t->number != change->table->number)
		return -ESTALE;
	t = table_copy(t);
	if (!t)
		return -ENOMEM;
	owner_change(change->set, change->attr, &t->uid, &t->gid, &t->mode);
	*next = schema_copy(now);
	err = *next ? schema_set_table(*next, t) : -ENOMEM;
	if (err) {
		schema_put(*next);
		*next = NULL;
	}
	return err;
}

static int set_owner(struct op *op, struct node *n, unsigned set,
		     const struct stat *attr)
{
	const struct table *t = op_table(op, n);
	struct table_owner_change change = { t, set, attr };
	int err;

	if (!t)
		return -ESTALE;
	if (t->flags & TABLE_VIRTUAL)
		return op_refuse(op, -EPERM,
				 "the system's keyspaces have no other owner or mode");
	err = owner_differs(op, set, attr, t->uid, t->gid, t->mode);
	if (err <= 0)
		return err;
	err = op_edit_schema(op, change_owner, &change);
	if (!err)
		op_notify_below(op, n);
	return err;
}

static const struct node_ops kind_table = {
	.kind = "table",
	.directory = true,
	.lookup = partition_lookup,
	.stat = stat_table,
	.next = next_partition,
	.create = partition_create,
	.mkdir = mkdir_in_table,
	.rmdir = rmdir_table,
	.rename = rename_table,
	.set_mtime = times_set_mtime,
	.set_owner = set_owner,
	.store_adopted = adopt_store,
};
