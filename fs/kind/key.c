#include "fs/kind/key.h"

#include <errno.h>

#include "fs/file/unkeyed.h"
#include "fs/file/unkeyed_record.h"
#include "fs/kind/cell.h"
#include "fs/kind/cell_text.h"
#include "fs/kind/waiting.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/base/alloc.h"
#include "store/type/text/text.h"

static const struct node_ops kind_key_file;

/* ------------------------------------------------------------- key column */
static int column_value(struct op *op, const struct place *p,
			struct bytes *value)
{
	const struct table *t = p->table;
	struct bytes *values;
	int err;

	if (p->column->kind == COLUMN_CLUSTERING) {
		if (p->column->position >= p->clustering_count)
			return -ENOENT;
		*value = p->clustering[p->column->position];
		return 0;
	}
	values = arena_alloc(&op->arena,
			     t->partition_key_count * sizeof(*values));
	err = values ? table_partition_values(values, t, p->partition_key) :
		       -ENOMEM;
	if (!err)
		*value = values[p->column->position];
	return err;
}

static int stat_column(struct op *op, const struct place *p, struct child *c)
{
	struct bytes value;
	int err = column_value(op, p, &value);

	if (err)
		return err;
	times_child_owner(c, p->table);
	c->read_only = true;
	c->size = cell_value_size(p->column->type, value);
	return 0;
}

static int load_column(struct op *op, struct node *n, struct buf *out)
{
	struct bytes value;
	struct place p;
	int err = place_of(op, n, &p);

	if (!err)
		err = column_value(op, &p, &value);
	if (!err)
		cell_print_value(out, p.column->type, value);
	return err;
}

/* After EXDEV mv would replace its target before it finds that this one stays. */
static int keep_column(struct op *op, struct node *n, struct node *dir,
		       struct bytes name, struct node *replaced,
		       struct child *target)
{
	(void)n;
	(void)dir;
	(void)name;
	(void)replaced;
	(void)target;
	return op_refuse(op, -EPERM, "a key column is read-only: to change it "
				     "rename the row");
}

static const struct file_kind column_file = { .load = load_column };

const struct node_ops kind_key_column = {
	.kind = "key column",
	.part = PART_COLUMN,
	.key_column = true,
	.file = &column_file,
	.stat = cell_stat,
	.stat_place = stat_column,
	.rename = keep_column,
};

/* ------------------------------------------------------------------- @key */
static bool has_key(struct node *dir)
{
	return !node_is_unkeyed(dir);
}

int key_file_child(struct op *op, struct node *dir, struct child *out)
{
	struct table *t = op_table(op, dir);

	if (!name_is_shortened(node_name(dir)))
		return -ENOENT;
	child_init(out, &kind_key_file);
	if (!t)
		return -ESTALE;
	times_child_owner(out, t);
	out->mtime_ns = 0;	/* constant: a backup stays equal */
	return 0;
}

int key_file_lookup(struct op *op, struct node *dir, struct child *out)
{
	struct buf text = BUF_INIT;
	int err = key_file_child(op, dir, out);

	/* @key can be made while the directory waits for it, or after its
	 * removal. */
	if (err)
		return err;
	if (!has_key(dir) || (atomic_load(&dir->flags) & NODE_NO_KEY_FILE))
		return -ENOENT;
	err = key_name_full(op, dir, &text);
	out->size = text.len + 1;
	out->read_only = !(atomic_load(&dir->flags) & NODE_UNSETTLED);
	buf_release(&text);
	return err;
}

static int stat_node(struct op *op, struct node *n, struct child *out)
{
	return key_file_lookup(op, n->parent, out);
}

static int load_key(struct op *op, struct node *n, struct buf *out)
{
	int err;

	if (!has_key(n->parent))
		return -ENOENT;
	err = key_name_full(op, n->parent, out);
	buf_add_byte(out, '\n');
	return err;
}

/* Return the type of the key that names dir, if it is a single one. */
static int key_type(struct op *op, struct node *dir, const struct type **type)
{
	struct table *t = op_table(op, dir);
	uint32_t level = key_name_level(dir->parent);
	struct place p;
	int err;

	if (dir->ops->part == PART_PATH) {
		err = place_type(op, dir->parent, &p);
		*type = err ? NULL : p.column->type->parts[0];
		return err;
	}
	if (!t || level > t->clustering_count)
		return -ESTALE;
	*type = dir->parent == dir->table ?
			table_partition_column(t, 0)->type :
			table_clustering_column(t, level - 1)->type;
	return 0;
}

static bool is_composite(struct op *op, struct node *dir)
{
	struct table *t = op_table(op, dir);

	return dir->parent == dir->table && t && t->partition_key_count > 1;
}

/* Parse the whole name before shortening: of a composite key a name, else
 * text. */
static int parse_full(struct op *op, struct node *dir, struct bytes text,
		      struct buf *name, struct buf *value)
{
	struct type_error error = { .text = "" };
	const struct type *type;
	struct bytes key;
	int err;

	if (is_composite(op, dir)) {
		err = key_name_parse_whole(op, op_table(op, dir), text, &key);
		if (!err) {
			buf_add_bytes(name, text);
			buf_add_bytes(value, key);
		}
		name_shorten(name);
		return err;
	}
	err = key_type(op, dir, &type);
	if (err)
		return err;
	err = type_read_text(value, type, text, &error);
	if (err)
		return err == -EINVAL ? op_refuse_type(op, &error) : err;
	if (dir->ops->part != PART_PATH &&
	    (err = key_name_check_length(op, value->len)))
		return err;
	if (dir->parent->ops->plain_names) {
		name_escape_plain(name, buf_bytes(value));
		name_shorten(name);
	} else {
		key_name_of_value(name, type, buf_bytes(value));
	}
	return 0;
}

/* The memory for a key that is about to be set: its value, or its text, which
 * waits for schema.cql; or neither, where dir has a key. */
struct key_room {
	struct bytes *key;
	struct held *held;
};

static int reserve_key(struct node *dir, struct bytes value,
		       struct key_room *room)
{
	struct bytes *key;

	if (has_key(dir))
		return 0;
	key = mem_alloc(sizeof(*key) + value.len);
	if (!key)
		return -ENOMEM;
	memcpy(key + 1, value.ptr, value.len);
	*key = bytes_of(key + 1, value.len);
	room->key = key;
	return 0;
}

static int set_key(struct op *op, struct node *dir, struct bytes *key)
{
	struct bytes *none = NULL;

	if (!atomic_compare_exchange_strong(&dir->key, &none, key)) {
		mem_free(key);
		return 0;
	}
	return unkeyed_settle(op, dir);
}

/* Use the memory up. n: the @key. 0, or the error of what waited for it. */
static int put_key(struct op *op, struct node *n, struct key_room *room)
{
	struct node *dir = n->parent;
	int err;

	if (room->held) {
		unkeyed_put(op, n, room->held);
		return 0;
	}
	err = room->key ? set_key(op, dir, room->key) :
			  unkeyed_settle_again(op, dir);
	if (!err)
		atomic_fetch_and(&dir->flags, ~(uint32_t)NODE_NO_KEY_FILE);
	return err;
}

/* True if the key may be one of the table that schema.cql is to make: names of
 * other types have other escapes. */
static bool may_wait(struct op *op, struct node *dir)
{
	return dir->ops->takes_waiting && !has_key(dir) &&
	       waiting_is_allowed(op, dir) > 0;
}

/* True if something may go on waiting when dir has its key: in a directory below it,
 * or for a key above it. */
static bool may_wait_on(struct op *op, struct node *dir)
{
	struct node **children;
	size_t i, count;
	bool found = node_waits_for_key(dir->parent);

	if (found || node_children(&op->fs->nodes, dir, CHILDREN_KEPT, &children,
				   &count))
		return true;
	for (i = 0; i < count; i++)
		found |= children[i]->ops->directory;
	node_children_put(&op->fs->nodes, children, count);
	return found;
}

static int store_key(struct op *op, struct node *n, struct bytes text,
		     const struct store_how *how)
{
	struct buf name = BUF_INIT, value = BUF_INIT;
	struct bytes whole = text;
	struct node *dir = n->parent;
	bool waits = may_wait(op, dir), waits_as_text = false;
	struct key_room room = { NULL, NULL };
	int err;

	if (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	err = parse_full(op, dir, text, &name, &value);
	if (!err && (name.failed || value.failed))
		err = -ENOMEM;
	if (err == -ENOENT)
		err = -EINVAL;
	if (!err && !bytes_equal(buf_bytes(&name), node_name(dir)))
		err = op_refuse(op, -EINVAL,
				"this key belongs to the directory '%s'",
				buf_cstr(&name));
	if (err == -EINVAL && waits) {
		op->reason[0] = 0;
		waits_as_text = true;
		err = 0;
	}
	if (!err)
		err = waits_as_text ?
			      unkeyed_prepare(&room.held, op, whole, how) :
			      reserve_key(dir, buf_bytes(&value), &room);
	/* One that cannot be stored is no key, and one that is stored is set. */
	if (!err && (waits || may_wait_on(op, dir)))
		err = unkeyed_record_save_key(op, dir, whole);
	if (!err) {
		err = put_key(op, n, &room);
		if (err && waits)	/* its writer, who is told, tries again */
			atomic_fetch_or(&dir->flags, NODE_NO_KEY_FILE);
	} else {
		unkeyed_free(op->fs, room.held);
		mem_free(room.key);
	}
	buf_release(&name);
	buf_release(&value);
	return err;
}

/* Remove it: rm -r must be able to, and tar, which then makes it again. Its
 * contents go with its directory. */
static int unlink_key(struct op *op, struct node *n)
{
	(void)op;
	atomic_fetch_or(&n->parent->flags, NODE_NO_KEY_FILE);
	return 0;
}

static int set_key_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	(void)op;
	(void)n;
	(void)mtime_ns;
	return 0;
}

/* True if the directory's shortened name can be made from this text, or
 * more. */
static bool key_may_begin(struct op *op, struct node *n, struct bytes text,
			  size_t from)
{
	struct node *dir = n->parent;
	size_t len = dir->name_len - NAME_TAIL_LEN;
	struct buf name = BUF_INIT;
	struct bytes base;
	bool good;

	(void)from;
	if (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	if (is_composite(op, dir))
		buf_add_bytes(&name, text);
	else if (dir->parent->ops->plain_names)
		name_escape_plain(&name, text);
	else
		name_escape(&name, text);
	if (name.len < len)
		len = name.len;
	/* More may follow what looks like a suffix now. */
	if (name_suffix(text, &base) != SUFFIX_NONE)
		len = len < 10 ? 0 : len - 10;
	good = name.failed || !memcmp(buf_bytes(&name).ptr, dir->data, len);
	buf_release(&name);
	good |= may_wait(op, dir);
	if (!good)
		op_refuse(op, -EINVAL,
			  "this is not the key that the name was shortened from");
	return good;
}

static const struct file_kind key_file = {
	.load = load_key,
	.store = store_key,
	.may_begin = key_may_begin,
};

static const struct node_ops kind_key_file = {
	.kind = "key",
	.key_file = true,
	.file = &key_file,
	.stat = stat_node,
	.unlink = unlink_key,
	.set_mtime = set_key_mtime,
};
