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

struct keyspace *op_keyspace(struct op *op, const struct node *n)
{
	while (n && n->parent && n->parent->parent)
		n = n->parent;
	return n && n->parent ? schema_keyspace(op->schema, node_value(n)) :
				NULL;
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
	if (!t || t->number != n->table->number)
		return NULL;
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

int place_of(struct op *op, struct node *n, struct place *p)
{
	int err = begin_place(op, n, p);

	return err ? err : walk_up(n->ops, n, p, true);
}

int place_type(struct op *op, struct node *n, struct place *p)
{
	int err = begin_place(op, n, p);

	return err ? err : walk_up(n->ops, n, p, false);
}

uint32_t key_level(const struct node *dir)
{
	uint32_t level = 0;

	for (; dir && dir != dir->table; dir = dir->parent)
		level += dir->ops->part == PART_KEY;
	return level;
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
 * then its node. Who finds a place and writes there must do both before, or both
 * after: with the partition locked no rename of a row in it changes data, and
 * NODE_MOVING tells of one that has, or is about to. Who waits for its end may
 * hold buffers and lists of handles: from its begin on a rename takes neither.
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

/* True if n, or a directory above it, was renamed or is being renamed. */
static bool may_have_moved(const struct node *n)
{
	for (; n != n->table; n = n->parent)
		if (atomic_load(&n->forward) ||
		    (atomic_load(&n->flags) & NODE_MOVING))
			return true;
	return false;
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

/* Follow with these partitions locked: 1 if others must be locked. */
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

	write_init(w, op->fs->store);
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

void place_write_row(struct write *w, const struct place *p)
{
	write_row(w, p->table, p->partition_key,
		  p->is_static ? NULL : p->clustering);
}

/* -------------------------------------------------------------- key names */
void key_name_of_value(struct buf *out, const struct type *type,
		       struct bytes value)
{
	struct buf text = BUF_INIT;
	size_t before = out->len;

	if (type->kind == TYPE_TEXT || type->kind == TYPE_ASCII) {
		name_escape(out, value);
	} else {
		type_print_text(&text, type, value);
		name_escape(out, buf_bytes(&text));
		out->failed |= text.failed;
		buf_release(&text);
	}
	if (!before)
		name_shorten(out);
}

void key_name_of_clustering(struct buf *out, const struct table *t, uint32_t i,
			    struct bytes value)
{
	key_name_of_value(out, table_clustering_column(t, i)->type, value);
}

static void add_parts(struct buf *out, const struct table *t,
		      const struct bytes *values)
{
	struct buf text = BUF_INIT;
	size_t start = out->len;
	uint32_t i;

	for (i = 0; i < t->partition_key_count; i++) {
		buf_clear(&text);
		type_print_text(&text, table_partition_column(t, i)->type,
				values[i]);
		name_escape_part(out, i, buf_bytes(&text));
		out->failed |= text.failed;
	}
	name_escape_end(out, start);
	buf_release(&text);
}

void key_name_of_partition(struct buf *out, const struct table *t,
			   const struct bytes *values)
{
	if (t->partition_key_count == 1) {
		key_name_of_value(out, table_partition_column(t, 0)->type,
				  values[0]);
		return;
	}
	add_parts(out, t, values);
	name_shorten(out);
}

int key_name_stored(struct buf *out, const struct table *t, struct bytes key)
{
	struct bytes few[8], *values = few;
	int err;

	if (t->partition_key_count > ARRAY_SIZE(few))
		values = mem_alloc(t->partition_key_count * sizeof(*values));
	err = values ? table_partition_values(values, t, key) : -ENOMEM;
	if (!err)
		key_name_of_partition(out, t, values);
	if (values != few)
		mem_free(values);
	return err ? err : out->failed ? -ENOMEM : 0;
}

static int full_partition_name(struct op *op, const struct table *t,
			       struct bytes key, struct buf *out)
{
	struct bytes *values = arena_alloc(&op->arena, t->partition_key_count *
						       sizeof(*values));
	int err = values ? table_partition_values(values, t, key) : -ENOMEM;

	if (err)
		return err;
	if (t->partition_key_count == 1)
		type_print_text(out, table_partition_column(t, 0)->type,
				values[0]);
	else
		add_parts(out, t, values);
	return 0;
}

int key_name_full(struct op *op, struct node *n, struct buf *out)
{
	struct place p;
	int err = place_of(op, n, &p);

	if (err)
		return err;
	if (!bytes_is_null(p.path))
		type_print_text(out, p.column->type->parts[0], p.path);
	else if (!p.clustering_count)
		err = full_partition_name(op, p.table, p.partition_key, out);
	else
		type_print_text(out,
				table_clustering_column(p.table,
						p.clustering_count - 1)->type,
				p.clustering[p.clustering_count - 1]);
	return err ? err : out->failed ? -ENOMEM : 0;
}

#define KEY_MAX 65535	/* bytes of a key, in CQL too */

static int read_part(struct op *op, struct buf *out, const struct type *type,
		     struct bytes name)
{
	struct type_error error = { .text = "" };
	int err;

	op->text.len = 0;
	if (name_unescape(&op->text, name))
		return op_refuse(op, -ENOENT,
				 "a %% in a name stands before two upper-case hex digits");
	/* The empty name: also for types whose literals are never empty. */
	if (!op->text.len && !type_validate(type, BYTES_EMPTY, &error))
		return op->text.failed ? -ENOMEM : 0;
	err = type_read_text(out, type, buf_bytes(&op->text), &error);
	if (err == -EINVAL) {
		op_refuse_type(op, &error);
		return -ENOENT;
	}
	if (!err && out->len > KEY_MAX)
		return op_refuse(op, -ENOENT,
				 "Key length of %zu is longer than maximum of 65535",
				 out->len);
	return err ? err : out->failed || op->text.failed ? -ENOMEM : 0;
}

/* Check that the name is the one that the value has. */
static int check_spelling(struct op *op, struct bytes name, struct buf *again)
{
	int err = 0;

	if (again->failed)
		err = -ENOMEM;
	else if (!bytes_equal(buf_bytes(again), name))
		err = op_refuse(op, -ENOENT, "the name of this value is '%s'",
				buf_cstr(again));
	buf_release(again);
	return err;
}

int place_check_name(struct op *op, const struct place *p,
		     const struct row_view *row)
{
	struct buf stored = BUF_INIT, name = BUF_INIT;
	uint32_t last = p->clustering_count - 1;
	int err;

	if (!p->clustering_count ||
	    bytes_equal(row->clustering[last], p->clustering[last]))
		return 0;
	key_name_of_clustering(&stored, p->table, last, row->clustering[last]);
	key_name_of_clustering(&name, p->table, last, p->clustering[last]);
	err = name.failed ? -ENOMEM :
	      check_spelling(op, buf_bytes(&name), &stored);
	buf_release(&name);
	return err;
}

int key_name_parse_value(struct op *op, const struct type *type,
			 struct bytes name, struct bytes *value)
{
	struct buf got = BUF_INIT, again = BUF_INIT;
	int err = read_part(op, &got, type, name);

	if (!err) {
		key_name_of_value(&again, type, buf_bytes(&got));
		err = check_spelling(op, name, &again);
	}
	if (!err) {
		*value = arena_copy(&op->arena, buf_bytes(&got));
		if (op->arena.failed)
			err = -ENOMEM;
	}
	buf_release(&got);
	return err;
}

int key_name_parse_clustering(struct op *op, const struct table *t, uint32_t i,
			      struct bytes name, struct bytes *value)
{
	return key_name_parse_value(op, table_clustering_column(t, i)->type,
				    name, value);
}

static int parse_parts(struct op *op, const struct table *t, struct bytes name,
		       struct bytes *values)
{
	uint32_t i, n = t->partition_key_count;
	struct buf got = BUF_INIT;
	struct bytes *names = arena_alloc(&op->arena, n * sizeof(*names));
	int err = 0;

	if (!names)
		return -ENOMEM;
	if (name_split(names, n, name))
		return op_refuse(op, -ENOENT,
				 "a partition of %s is named by %u values joined by ','",
				 t->name, n);
	for (i = 0; i < n && !err; i++) {
		buf_clear(&got);
		err = names[i].len ? read_part(op, &got,
					table_partition_column(t, i)->type,
					names[i]) : 0;
		values[i] = arena_copy(&op->arena, buf_bytes(&got));
	}
	buf_release(&got);
	return err ? err : op->arena.failed ? -ENOMEM : 0;
}

static int parse_composite(struct op *op, const struct table *t,
			   struct bytes name, bool cut, struct bytes *value)
{
	struct buf key = BUF_INIT, again = BUF_INIT;
	struct bytes *values;
	int err;

	values = arena_alloc(&op->arena,
			     t->partition_key_count * sizeof(*values));
	err = values ? parse_parts(op, t, name, values) : -ENOMEM;
	if (err)
		return err;
	if (cut)
		key_name_of_partition(&again, t, values);
	else
		add_parts(&again, t, values);
	err = check_spelling(op, name, &again);
	if (err)
		return err;
	table_partition_key(&key, t, values);
	*value = arena_copy(&op->arena, buf_bytes(&key));
	err = key.failed || op->arena.failed ? -ENOMEM : 0;
	if (!err && key.len > KEY_MAX)
		err = op_refuse(op, -ENOENT,
				"Key length of %zu is longer than maximum of 65535",
				key.len);
	buf_release(&key);
	return err;
}

int key_name_parse_partition(struct op *op, const struct table *t,
			     struct bytes name, struct bytes *value)
{
	int err;

	if (t->partition_key_count > 1)
		return parse_composite(op, t, name, true, value);
	err = key_name_parse_value(op, table_partition_column(t, 0)->type, name,
				   value);
	if (!err && !value->len)
		err = op_refuse(op, -ENOENT, "Key may not be empty");
	return err;
}

int key_name_parse_whole(struct op *op, const struct table *t,
			 struct bytes name, struct bytes *value)
{
	return parse_composite(op, t, name, false, value);
}
