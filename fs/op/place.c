/*
 * From nodes to keys: a node's place is collected by walking up to its table,
 * each step adding its part. Values are those of the nodes, which the op's node
 * pins; only the array is the op's.
 */
#include "fs/op/place.h"

#include <errno.h>

#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"

struct keyspace *op_keyspace(struct op *op, struct node *n)
{
	while (n && n->parent && !node_is_store(n->parent))
		n = n->parent;
	if (!n || node_is_store(n))
		return NULL;
	return schema_keyspace(op->schema, node_value(node_now(n)));
}

struct table *op_table(struct op *op, const struct node *n)
{
	struct table *t;

	if (!n->table)
		return NULL;
	if (op->found_in == op->schema &&
	    op->found->number == n->table->number)
		return op->found;
	t = schema_table(op->schema, node_value(n->table->parent),
			 node_value(n->table));
	/* The table may have a new name, which its node need not have yet. */
	if (!t || t->number != n->table->number)
		t = schema_table_by_number(op->schema, n->table->number);
	if (!t || !t->number)	/* virtual ones all have the number 0 */
		return t;
	op->found_in = op->schema;
	op->found = t;
	return t;
}

/* Return the column of that engine number. */
static const struct column *table_column_numbered(const struct table *t,
						  uint32_t n)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (t->columns[i].number == n)
			return &t->columns[i];
	return NULL;
}

static const struct type *value_type(const struct column *c, struct bytes path)
{
	const struct type *t = c->type;
	unsigned field;

	if (!type_is_multicell(t))
		return bytes_is_null(path) ? t : NULL;
	if (bytes_is_null(path))
		return NULL;
	switch (t->kind) {
	case TYPE_MAP:
		return t->parts[1];
	case TYPE_LIST:
		return t->parts[0];
	case TYPE_UDT:
		field = path.len == 2 ? get_be16(path.ptr) : UINT16_MAX;
		return field < t->part_count ? t->parts[field] : NULL;
	default:
		return NULL;
	}
}

/* Add the part of one step. is_key_of_table: its parent is the table itself. */
static int add_part(struct place *p, enum part part, bool below_table,
		    uint32_t number, struct bytes value)
{
	uint32_t i;

	switch (part) {
	case PART_NONE:
	case PART_VALUE:
		return 0;
	case PART_KEY:
		if (below_table) {
			p->partition_key = value;
			return 0;
		}
		if (p->clustering_count == p->table->clustering_count)
			return -ESTALE;
		/* Parts come from the lowest up: make room before the present
		 * ones. */
		for (i = p->clustering_count++; i > 0; i--)
			p->clustering[i] = p->clustering[i - 1];
		p->clustering[0] = value;
		return 0;
	case PART_STATIC:
		p->is_static = true;
		return 0;
	case PART_COLUMN:
		p->column = table_column_numbered(p->table, number);
		return p->column ? 0 : -ESTALE;
	case PART_PATH:
		p->path = value;
		return 0;
	}
	return -ESTALE;
}

static int begin_place(struct op *op, struct node *n, struct place *p)
{
	memset(p, 0, sizeof(*p));
	p->table = op_table(op, n);
	if (!p->table)
		return -ESTALE;
	p->clustering = arena_zalloc(&op->arena, p->table->clustering_count + 1,
				     sizeof(*p->clustering));
	return p->clustering ? 0 : -ENOMEM;
}

/* Return the one value column of a schemaless table. */
static const struct column *plain_column(const struct table *t)
{
	uint32_t i = t->partition_key_count + t->clustering_count;

	return i < t->column_count ? &t->columns[i] : NULL;
}

/*
 * True if the place is of the kind that the node's kind expects. A file may
 * have become another kind since it was opened or looked up: a cell is renamed
 * to a temporary file. A call with the old kind is refused here, once for all
 * calls.
 */
static bool fits(const struct node_ops *ops, const struct place *p)
{
	switch (ops->part) {
	case PART_KEY:
		return !bytes_is_null(p->partition_key);
	case PART_COLUMN:
		return p->column && bytes_is_null(p->path) &&
		       (ops->key_column ||
			type_is_multicell(p->column->type) ==
				ops->whole_column);
	case PART_PATH:
		return p->column && !bytes_is_null(p->path) &&
		       type_is_multicell(p->column->type);
	default:
		return true;
	}
}

static int walk_up(const struct node_ops *ops, struct node *n, struct place *p,
		   bool keyed)
{
	int err = 0;

	if (ops->plain_value) {
		p->column = plain_column(p->table);
		if (!p->column)
			return -ESTALE;
	}

	while (!err && n != n->table) {
		n = node_now(n);
		if (keyed && atomic_load(&n->flags) & NODE_UNKEYED &&
		    !atomic_load(&n->key))
			return -EINVAL;
		err = add_part(p, n->ops->part, n->parent == n->table,
			       n->number, node_value(n));
		n = n->parent;
	}
	if (!err && p->column)
		p->type = value_type(p->column, p->path);
	return err || fits(ops, p) ? err : -ESTALE;
}

/* True if n, or a directory above it, was renamed or is being renamed. */
static bool may_have_moved(const struct node *n)
{
	for (; n != n->table; n = n->parent)
		if (atomic_load(&n->forward) ||
		    (atomic_load(&n->flags) & NODE_MOVING))
			return true;
	return false;
}

#define KNOWN_KEYS 8

/*
 * The place that place_of found last. A node's name, and so its keys, are
 * constant until it moves: of the same node it is the same, in the same version
 * of the schema.
 */
struct op_place {
	uint64_t node, schema;		/* the id, the version */
	struct place place;
	struct bytes clustering[KNOWN_KEYS];
};

/* Set the place, if it is the one that was found last. */
static bool known_place(struct op *op, const struct node *n, struct place *p)
{
	const struct op_place *known = op->placed;
	struct bytes keys;

	if (!known || known->node != n->id ||
	    known->schema != op->schema->version || may_have_moved(n))
		return false;
	*p = known->place;
	keys = arena_copy(&op->arena, bytes_of(known->clustering,
					       sizeof(known->clustering)));
	p->clustering = (struct bytes *)keys.ptr;
	return !bytes_is_null(keys);
}

static void know_place(struct op *op, const struct node *n,
		       const struct place *p)
{
	if (may_have_moved(n) || p->table->clustering_count >= KNOWN_KEYS)
		return;
	if (!op->placed)
		op->placed = mem_zalloc(1, sizeof(*op->placed));
	if (!op->placed)
		return;
	op->placed->node = n->id;
	op->placed->schema = op->schema->version;
	op->placed->place = *p;
	memcpy(op->placed->clustering, p->clustering,
	       (p->clustering_count + 1) * sizeof(*p->clustering));
}

void place_forget(struct op *op)
{
	if (op->placed)
		op->placed->node = 0;
}

int place_of(struct op *op, struct node *n, struct place *p)
{
	int err;

	if (known_place(op, n, p))
		return 0;
	err = begin_place(op, n, p);
	if (!err)
		err = walk_up(n->ops, n, p, true);
	if (!err)
		know_place(op, n, p);
	return err;
}

int place_to_change(struct op *op, struct node *n, struct place *p)
{
	int err = place_of(op, n, p);

	return err ? err : p->table->flags & TABLE_VIRTUAL ? -EROFS : 0;
}

int place_type(struct op *op, struct node *n, struct place *p)
{
	int err = place_of(op, n, p);

	if (err != -EINVAL)
		return err;
	err = begin_place(op, n, p);
	return err ? err : walk_up(n->ops, n, p, false);
}

int place_of_child(struct op *op, struct node *dir, const struct child *c,
		   struct place *p)
{
	int err = begin_place(op, dir, p);

	if (!err)
		err = add_part(p, c->ops->part, dir == dir->table, c->number,
			       c->value);
	return err ? err : walk_up(c->ops, dir, p, true);
}

bool place_is_row(const struct place *p)
{
	return !bytes_is_null(p->partition_key) && !p->is_static &&
	       p->clustering_count == p->table->clustering_count;
}

struct object_ref place_object(const struct place *p)
{
	return (struct object_ref){
		.table = p->table,
		.partition_key = bytes_is_null(p->partition_key) ?
					 BYTES_EMPTY : p->partition_key,
		.clustering = p->clustering,
		.clustering_count = p->clustering_count,
		.is_static = p->is_static,
		.column = p->column,
		.path = p->path,
	};
}

/*
 * A rename of a row changes its data, under the locks of both partitions, and
 * then its node. A call that finds a place and writes there must do both
 * before, or both after: with the partition locked no rename of a row in it
 * changes data, and NODE_MOVING tells of one that has, or is about to. A call
 * that waits for its end may hold buffers and lists of handles: from its
 * beginning on a rename takes neither.
 */
void place_move_begin(struct node *row)
{
	atomic_fetch_or(&row->flags, NODE_MOVING);
}

void place_move_end(struct fs *fs, struct node *row)
{
	mutex_lock(&fs->leaving_lock);
	atomic_fetch_and(&row->flags, ~(uint32_t)NODE_MOVING);
	pthread_cond_broadcast(&fs->left);
	mutex_unlock(&fs->leaving_lock);
}

static bool is_moving(struct node *n)
{
	for (; n != n->table; n = n->parent) {
		n = node_now(n);
		if (atomic_load(&n->flags) & NODE_MOVING)
			return true;
	}
	return false;
}

static void wait_moved(struct fs *fs, struct node *n)
{
	mutex_lock(&fs->leaving_lock);
	while (is_moving(n))
		mutex_wait(&fs->leaving_lock, &fs->left);
	mutex_unlock(&fs->leaving_lock);
}

/* Set the keys of p to those of the present names on the way to n. */
static int follow(struct op *op, struct node *n, struct place *p)
{
	struct place now;
	int err = place_of(op, n, &now);

	if (err || bytes_is_null(now.partition_key))
		return err;
	p->partition_key = now.partition_key;
	memcpy(p->clustering, now.clustering,
	       now.clustering_count * sizeof(*p->clustering));
	return 0;
}

/* Set the keys of all places to those of their nodes' present names, with these
 * partitions locked. 1: other ones must be locked. */
static int follow_all(struct op *op, const struct placed *of, size_t count,
		      const struct partition_ref *locked)
{
	size_t i;
	int err = 0;

	for (i = 0; i < count; i++)
		if (is_moving(of[i].n))
			return 1;
	for (i = 0; i < count && !err; i++)
		err = follow(op, of[i].n, of[i].p);
	for (i = 0; i < count && !err; i++)
		err = !bytes_equal(of[i].p->partition_key, locked[i].key);
	return err;
}

int place_begin_writes(struct op *op, struct write *w,
		       const struct placed *of, size_t count)
{
	struct partition_ref refs[2];
	bool moved;
	size_t i;
	int err;

	write_init(w, op->store);
	for (;;) {
		for (i = 0; i < count; i++)
			refs[i] = (struct partition_ref){
				of[i].p->table, of[i].p->partition_key };
		write_lock(w, refs, count);
		for (i = 0, moved = false; i < count; i++)
			moved = moved || may_have_moved(of[i].n);
		err = moved ? follow_all(op, of, count, refs) : 0;
		if (err <= 0)
			return err;
		write_unlock(w);
		for (i = 0; i < count; i++)
			wait_moved(op->fs, of[i].n);
	}
}

int place_begin_write(struct op *op, struct write *w, struct node *n,
		      struct place *p)
{
	struct placed of = { n, p };

	return place_begin_writes(op, w, &of, 1);
}

int place_change(struct op *op, struct node *n, struct place *p,
		 int (*change)(struct op *op, struct node *n,
			       const struct place *p, struct write *w))
{
	struct write w;
	int err = place_begin_write(op, &w, n, p);

	if (!err)
		err = change(op, n, p, &w);
	write_release(&w);
	return err;
}

void place_write_row(struct write *w, const struct place *p)
{
	write_row(w, p->table, p->partition_key,
		  p->is_static ? NULL : p->clustering);
}
