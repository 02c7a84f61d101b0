#include "fs/kind/keyspace.h"

#include <errno.h>

#include "fs/kind/cql.h"
#include "fs/kind/rows.h"
#include "fs/kind/schema.h"
#include "fs/kind/scratch.h"
#include "fs/kind/table.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "fs/op/place.h"
#include "fs/op/times_keep.h"
#include "fs/tree/listing.h"
#include "store/base/array.h"
#include "store/schema/schema_edit.h"
#include "store/schema/schema_move.h"
#include "store/schema/table_edit.h"
#include "store/table_takeover.h"
#include "store/type/uuid.h"

static const struct node_ops kind_keyspace;

void keyspace_child(struct child *c, const struct keyspace *k)
{
	child_init(c, &kind_keyspace);
	c->uid = k->uid;
	c->gid = k->gid;
	c->mode = k->mode & 0777;
	c->mtime_ns = k->created_us * MICROSECOND;
	c->value = bytes_str(k->name);
	c->read_only = k->system;
}

int keyspace_set_time(struct op *op, const struct keyspace *k, struct child *c)
{
	if (k->system)
		return 0;
	return keyspace_times_get(op, bytes_str(k->name), ABOVE_DIRECTORY,
				  (uint64_t)k->created_us, &c->mtime_ns);
}

static int stat_keyspace(struct op *op, struct node *n, struct child *out)
{
	struct keyspace *k = schema_keyspace(op->schema, node_value(n));

	child_init(out, &kind_keyspace);
	if (!k)
		return -ENOENT;
	keyspace_child(out, k);
	out->value = node_value(n);
	return keyspace_set_time(op, k, out);
}

int keyspace_read_name(struct op *op, struct bytes name, struct bytes *raw)
{
	struct buf text = BUF_INIT, again = BUF_INIT;
	int err = name_unescape(&text, name) ? -ENOENT : 0;

	if (!err)
		name_escape(&again, buf_bytes(&text));
	if (!err && !bytes_equal(buf_bytes(&again), name))
		err = op_refuse(op, -ENOENT, "this is written '%s'",
				buf_cstr(&again));
	if (!err)
		*raw = arena_copy(&op->arena, buf_bytes(&text));
	if (text.failed || again.failed || op->arena.failed)
		err = -ENOMEM;
	buf_release(&text);
	buf_release(&again);
	return err;
}

/* True if mkdir made all that the keyspace has. */
static bool has_no_ddl(const struct keyspace *k)
{
	uint32_t i;

	for (i = 0; i < k->table_count; i++)
		if (!(k->tables[i]->flags & TABLE_PROVISIONAL))
			return false;
	return !k->system && !k->type_count;
}

static bool is_smaller(const void *element, const void *key)
{
	return *(const uint32_t *)element < *(const uint32_t *)key;
}

/* Return the place of a table among those whose directories were made. */
static size_t copied_place(const struct fs *fs, uint32_t table)
	REQUIRES(&fs->copied_lock)
{
	return array_find(fs->copied, fs->copied_count, sizeof(table), &table,
			  is_smaller);
}

static bool is_copied(struct fs *fs, uint32_t table)
{
	bool found;
	size_t at;

	mutex_lock(&fs->copied_lock);
	at = copied_place(fs, table);
	found = at < fs->copied_count && fs->copied[at] == table;
	mutex_unlock(&fs->copied_lock);
	return found;
}

int keyspace_note_made(struct fs *fs, uint32_t table)
{
	uint32_t *grown;
	size_t at;

	mutex_lock(&fs->copied_lock);
	at = copied_place(fs, table);
	grown = array_insert(fs->copied, fs->copied_count, sizeof(table), at);
	if (grown) {
		fs->copied = grown;
		fs->copied[at] = table;
		fs->copied_count++;
	}
	mutex_unlock(&fs->copied_lock);
	return grown ? 0 : -ENOMEM;
}

static _Atomic uint64_t *copier_of(struct op *op, const struct node *dir)
{
	return &op->fs->copiers[dir->ino % NODE_SHARDS];
}

/* Return the copier that the caller is, if it makes the schema.cql of dir. */
static uint64_t as_copier(const struct op *op, const struct node *dir)
{
	return (uint64_t)op->call->pid << 32 | dir->ino >> 32;
}

bool keyspace_is_copied(struct op *op, const struct node *n)
{
	const struct node *keyspace = n->table ? n->table->parent : NULL;

	return keyspace && op->call && !keyspace->json &&
	       atomic_load(copier_of(op, keyspace)) == as_copier(op, keyspace);
}

/* True if the caller made the keyspace's schema.cql, which made this table, and
 * may continue to make the table's directory, as cp does. */
static bool table_is_made(struct op *op, const struct node *dir,
			  const struct table *t)
{
	if (t->flags & (TABLE_PROVISIONAL | TABLE_VIRTUAL) ||
	    atomic_load(copier_of(op, dir)) != as_copier(op, dir) ||
	    is_copied(op->fs, t->number))
		return false;
	return !store_has_rows(op->store, t);
}

/*
 * True if the caller may be making the name, which then is not found: else the
 * kernel would not pass the call that makes it. This is so for schema.cql with
 * O_EXCL before there is any DDL, and then, once, for the tables that it made.
 * Where the call cannot be seen it is expected of the keyspace's maker.
 */
static bool is_being_made(struct op *op, struct node *dir, struct bytes name)
{
	struct keyspace *k = op_keyspace(op, dir);
	struct table *t = NULL;
	bool schema = bytes_equal(name, bytes_str("schema.cql"));
	struct bytes raw;
	enum making makes;

	if (!k || k->system || dir->snapshot || dir->json || !op->call ||
	    !op->call->pid)
		return false;
	if (!schema && !keyspace_read_name(op, name, &raw))
		t = keyspace_table(k, raw);
	op->reason[0] = 0;
	if (schema ? !has_no_ddl(k) : !t || !table_is_made(op, dir, t))
		return false;
	makes = caller_makes(op->call);
	if (makes == MAKES_UNKNOWN)
		return !schema || atomic_load(&dir->maker_pid) == op->call->pid;
	return makes == (schema ? MAKES_FILE : MAKES_DIRECTORY);
}

static int lookup(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	struct keyspace *k = op_keyspace(op, dir);
	enum name_suffix suffix;
	enum row_form form;
	struct bytes raw, base;
	struct table *t;
	int err;

	if (!k)
		return -ESTALE;
	if (name.len && name.ptr[0] == '.')
		return cql_child(op, dir, name, out);
	if (bytes_equal(name, bytes_str("schema.cql")))
		return schema_child(op, dir, out);
	suffix = name_suffix(name, &base);
	if (suffix == SUFFIX_CQL)
		return schema_definition_child(op, dir, base, out);
	if (rows_form(suffix, &form))
		return rows_of_table(op, dir, base, form, out);
	err = keyspace_read_name(op, name, &raw);
	if (err)
		return err;
	t = keyspace_table(k, raw);
	if (!t)
		return -ENOENT;
	table_child(out, t);
	return 0;
}

static bool schema_is_hidden(struct op *op, struct node *dir)
{
	struct node *n = node_find(&op->fs->nodes, dir,
				   bytes_str("schema.cql"));
	bool hidden = n && (atomic_load(&n->flags) & NODE_HIDDEN);

	node_put(&op->fs->nodes, n);
	return hidden;
}

static int next(struct op *op, struct listing *l, struct buf *name,
		struct child *out)
{
	struct keyspace *k = op_keyspace(op, l->node);
	int err;

	if (!k)
		return -ESTALE;
	if (!l->step && !k->system && !schema_is_hidden(op, l->node)) {
		buf_add_str(name, "schema.cql");
		err = schema_child(op, l->node, out);
		return err ? err : 1;
	}
	if (l->index >= k->table_count)
		return 0;
	table_child(out, k->tables[l->index]);
	name_of_text(name, bytes_str(k->tables[l->index++]->name));
	return 1;
}

static int create(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	enum row_form form;
	struct bytes base;
	struct node *n;

	if (bytes_equal(name, bytes_str("schema.cql"))) {
		if (is_being_made(op, dir, name))
			atomic_store(copier_of(op, dir), as_copier(op, dir));
		n = node_find(&op->fs->nodes, dir, name);
		if (n && (atomic_fetch_and(&n->flags, ~(uint32_t)NODE_HIDDEN) &
			  NODE_HIDDEN))
			node_unkeep(&op->fs->nodes, n);
		node_put(&op->fs->nodes, n);
		return schema_child(op, dir, out);
	}
	/* A temporary file is renamed onto it. */
	if (rows_form(name_suffix(name, &base), &form) &&
	    !rows_of_table(op, dir, base, form, out))
		return 0;
	if (name_is_scratch(name, &base))
		return scratch_create(op, name, out);
	return op_refuse(op, -EINVAL, "here are tables: use mkdir or CQL");
}

/* --------------------------------------------------- mkdir, rmdir, chmod */
struct keyspace_new_table {
	struct op *op;
	const char *keyspace;
	struct bytes name;
	mode_t mode;
};

static int add_columns(struct table *t)
{
	static const struct {
		const char *name;
		enum type_kind type;
		enum column_kind kind;
	} columns[] = {
		{ "key", TYPE_TEXT, COLUMN_PARTITION_KEY },
		{ "column1", TYPE_TEXT, COLUMN_CLUSTERING },
		{ "value", TYPE_BLOB, COLUMN_REGULAR },
	};
	size_t i;
	int place = 0;

	for (i = 0; i < ARRAY_SIZE(columns) && place >= 0; i++)
		place = table_add_column(t, columns[i].name,
					 type_native(columns[i].type),
					 columns[i].kind, false);
	return place < 0 ? place : table_finish(t);
}

static int add_table(void *context, const struct schema *now,
		     struct schema **next_schema)
{
	struct keyspace_new_table *new = context;
	struct fs_call *call = new->op->call;
	struct table *t;
	int err;

	if (schema_table(now, bytes_str(new->keyspace), new->name))
		return -EEXIST;
	t = table_new(new->keyspace, (const char *)new->name.ptr);
	if (!t)
		return -ENOMEM;
	t->flags = TABLE_COMPACT | TABLE_DENSE | TABLE_PROVISIONAL;
	t->uid = call ? call->uid : new->op->fs->uid;
	t->gid = call ? call->gid : new->op->fs->gid;
	t->mode = new->mode & 0777;
	t->created_us = store_timestamp(new->op->store);
	uuid_new_time(t->id);
	err = add_columns(t);
	*next_schema = err ? NULL : schema_copy(now);
	if (!err && !*next_schema)
		err = -ENOMEM;
	if (err) {
		table_put(t);
		return err;
	}
	err = schema_set_table(*next_schema, t);
	if (err) {
		schema_put(*next_schema);
		*next_schema = NULL;
	}
	return err;
}

#define IDENTIFIER_MAX 48	/* as CREATE TABLE has it */

int keyspace_check_name(struct op *op, struct bytes name, const char *what)
{
	size_t i;

	for (i = 0; i < name.len; i++) {
		uint8_t c = name.ptr[i];

		if (c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') &&
		    (c < 'a' || c > 'z'))
			break;
	}
	if (i == name.len && name.len && name.len <= IDENTIFIER_MAX)
		return 0;
	return op_refuse(op, -EINVAL,
			 "\"%.*s\" is not a valid %s name (must be alphanumeric character or underscore only: [a-zA-Z_0-9]+, of at most %d)",
			 (int)name.len, name.ptr, what, IDENTIFIER_MAX);
}

static int mkdir_table(struct op *op, struct node *dir, struct bytes name,
		       mode_t mode, struct child *out, bool *keep)
{
	struct keyspace *k = op_keyspace(op, dir);
	struct keyspace_new_table new = { op, NULL, BYTES_NULL, mode };
	struct table *t;
	int err;

	(void)keep;
	if (!k)
		return -ESTALE;
	if (k->system)
		return -EROFS;
	err = keyspace_read_name(op, name, &new.name);
	if (!err)
		err = keyspace_check_name(op, new.name, "table");
	if (err)
		return err;
	t = keyspace_table(k, new.name);
	if (t && is_being_made(op, dir, name)) {
		table_child(out, t);
		return keyspace_note_made(op->fs, t->number);
	}
	new.keyspace = k->name;
	err = op_edit_schema(op, add_table, &new);
	if (err)
		return err;
	k = op_keyspace(op, dir);
	t = k ? keyspace_table(k, new.name) : NULL;
	if (!t)		/* another dropped it since */
		return -ESTALE;
	table_child(out, t);
	times_touch(op, NULL, dir);	/* it is made, with them or not */
	return 0;
}

static int remove_keyspace(void *context, const struct schema *now,
			   struct schema **next_schema)
{
	const struct bytes *name = context;
	const struct keyspace *k = schema_keyspace(now, *name);
	int err;

	if (!k)
		return -ESTALE;
	if (k->table_count)
		return -ENOTEMPTY;
	*next_schema = schema_copy(now);
	if (!*next_schema)
		return -ENOMEM;
	err = schema_remove_keyspace(*next_schema, *name);
	if (err) {
		schema_put(*next_schema);
		*next_schema = NULL;
	}
	return err;
}

static int rmdir_keyspace(struct op *op, struct node *n)
{
	struct keyspace *k = op_keyspace(op, n);
	struct bytes name;
	int err;

	if (!k)
		return -ESTALE;
	if (k->system)
		return -EROFS;
	name = bytes_str(k->name);
	err = store_edit_schema(op->store, remove_keyspace, &name, op_uid(op));
	if (!err)
		times_touch(op, NULL, n->parent);	/* it is done */
	return err;
}

/* --------------------------------------------------------------- rename */
struct keyspace_move {
	struct bytes name, to;
};

static int move_keyspace(void *context, const struct schema *now,
			 struct schema **next_schema)
{
	const struct keyspace_move *move = context;
	int err;

	*next_schema = schema_copy(now);
	if (!*next_schema)
		return -ENOMEM;
	err = schema_move_keyspace(*next_schema, move->name, move->to);
	if (err) {
		schema_put(*next_schema);
		*next_schema = NULL;
	}
	return err;
}

/* Move the keyspace itself: to another name in the root. */
static int rename_keyspace(struct op *op, struct node *n, struct node *dir,
			   struct bytes name, struct node *replaced,
			   struct child *target)
{
	struct keyspace *k = op_keyspace(op, n);
	struct keyspace_move move;
	int64_t set_ns = 0;
	int err;

	if (dir->parent)
		return op_refuse(op, -EXDEV, "a keyspace is renamed in the root: "
				 "mv copies its files, without their types "
				 "(rename its tables: mv KEYSPACE/TABLE OTHER/)");
	if (!k)
		return -ESTALE;
	if (k->system)
		return -EROFS;
	if (op->fs->keyspace)
		return op_refuse(op, -EPERM, "only keyspace %s is mounted",
				 op->fs->keyspace);
	if (replaced)
		return op_refuse(op, -EEXIST, "the other keyspace of this name "
					      "is not replaced: remove it first");
	err = keyspace_read_name(op, name, &move.to);
	if (!err)
		err = keyspace_check_name(op, move.to, "keyspace");
	if (!err)
		err = keyspace_times_get(op, bytes_str(k->name), ABOVE_DIRECTORY,
					 (uint64_t)k->created_us, &set_ns);
	if (err)
		return err;
	move.name = arena_copy(&op->arena, bytes_str(k->name));
	err = op->arena.failed ? -ENOMEM :
				 op_edit_schema(op, move_keyspace, &move);
	if (err)
		return err == -ENOENT ? -ESTALE : err;	/* it is gone */
	k = schema_keyspace(op->schema, move.to);
	if (!k)		/* another dropped it since */
		return -ESTALE;
	if (set_ns)	/* it is done, with its times or not */
		keyspace_times_set(op, move.to, ABOVE_DIRECTORY,
				   (uint64_t)k->created_us, set_ns);
	keyspace_child(target, k);
	target->value = move.to;
	times_touch(op, NULL, dir);
	return 0;
}

struct owner_change {
	struct bytes name;
	unsigned set;
	const struct stat *attr;
};

static int change_owner(void *context, const struct schema *now,
			struct schema **next_schema)
{
	const struct owner_change *change = context;
	struct keyspace *k = schema_keyspace(now, change->name);
	int err;

	k = k ? keyspace_copy(k) : NULL;
	if (!k)
		return -ENOMEM;
	owner_change(change->set, change->attr, &k->uid, &k->gid, &k->mode);
	*next_schema = schema_copy(now);
	err = *next_schema ? schema_set_keyspace(*next_schema, k) : -ENOMEM;
	if (err) {
		schema_put(*next_schema);
		*next_schema = NULL;
	}
	return err;
}

static int set_owner(struct op *op, struct node *n, unsigned set,
		     const struct stat *attr)
{
	struct owner_change change = { node_value(n), set, attr };
	struct keyspace *k = op_keyspace(op, n);
	int got;

	if (!k)
		return -ESTALE;
	if (k->system)
		return op_refuse(op, -EPERM,
				 "the system's keyspaces have no other owner or mode");
	got = owner_differs(op, set, attr, k->uid, k->gid, k->mode);
	return got > 0 ? op_edit_schema(op, change_owner, &change) : got;
}

static const struct node_ops kind_keyspace = {
	.kind = "keyspace",
	.directory = true,
	.is_being_made = is_being_made,
	.lookup = lookup,
	.stat = stat_keyspace,
	.next = next,
	.create = create,
	.mkdir = mkdir_table,
	.rmdir = rmdir_keyspace,
	.rename = rename_keyspace,
	.set_mtime = keyspace_times_set_mtime,
	.set_owner = set_owner,
};
