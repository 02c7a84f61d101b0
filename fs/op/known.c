#include "fs/op/known.h"

#include <errno.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/base/alloc.h"
#include "store/base/murmur3.h"
#include "store/table/present.h"

/* A row with more is not kept. */
#define ROW_BYTES 8192
/* Memory with more is not used again. */
#define SPARE_BYTES (64 << 10)

/* True if the node shows data of one partition alone. */
bool known_may_be(const struct node *n)
{
	const struct file_kind *file = n->ops->file;

	return n->table && n->table != n &&
	       n->table->number &&	/* not virtual */
	       (n->ops->directory || (file && file->load_with_stat)) &&
	       !n->ops->by_position && !n->json && node_is_current(n);
}

/* Return the present moment of a partition. */
static struct node_moment moment_of(const struct op *op, uint32_t table,
				    struct bytes partition_key)
{
	struct node_moment m = { .schema = op->schema->version,
				 .token = murmur3_token(partition_key) };

	m.state = store_partition_state(op->store, table, m.token);
	return m;
}

/* Return the moment before the row was read by table_read. */
static struct node_moment moment_of_row(const struct op *op,
					const struct row_view *row)
{
	return (struct node_moment){ .schema = op->schema->version,
				     .token = row->token,
				     .state = row->state };
}

struct node_moment known_moment_at(const struct op *op, const struct place *p)
{
	if (!p->table->number || bytes_is_null(p->partition_key))
		return (struct node_moment){ .state = 0 };
	return moment_of(op, p->table->number, p->partition_key);
}

struct node_moment known_moment_since(const struct op *op, const struct table *t,
				      struct bytes partition_key,
				      uint64_t since)
{
	struct node_moment m = moment_of(op, t->number, partition_key);

	if (!since || store_state(op->store) != since)
		m.state = 0;
	return m;
}

/* True if the partition has not changed since the moment. */
static bool is_now(const struct op *op, uint32_t table,
		   const struct node_moment *m)
{
	return m->state && m->schema == op->schema->version &&
	       m->state == store_partition_state(op->store, table, m->token);
}

bool known_is_same(const struct op *op, const struct node *n,
		   const struct node_moment *m)
{
	return m->state && known_may_be(n) && is_now(op, n->table->number, m);
}

bool known_now(struct op *op, struct node *n, struct node_known *known)
{
	*known = node_knows(&op->fs->nodes, n);
	return known_is_same(op, n, &known->moment);
}

/* ------------------------------------------------------------------- rows */
/* A row as it was read after a moment. Constant while anybody but its maker has
 * it. */
struct known_row {
	_Atomic unsigned users;		/* ops, and the place where it is kept */
	struct schema *schema;		/* a reference: its columns are in it */
	struct node_moment moment;
	uint32_t table;
	bool is_static;
	uint64_t columns;		/* that were wanted */
	struct arena arena;
	struct row_view row;
};

void known_row_free(struct known_row *k)
{
	if (!k)
		return;
	schema_put(k->schema);
	arena_release(&k->arena);
	mem_free(k);
}

/* Drop one user. The op of the last one keeps the memory for its next row. */
static void give(struct op *op, struct known_row *k)
{
	if (atomic_fetch_sub(&k->users, 1) != 1)
		return;
	if (op->spare_row || k->arena.total > SPARE_BYTES)
		known_row_free(k);
	else
		op->spare_row = k;
}

void known_end(struct op *op)
{
	while (op->row_count)
		give(op, op->rows[--op->row_count]);
}

void known_init(struct fs *fs)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fs->rows_known); i++)
		mutex_init(&fs->rows_known[i].lock);
}

void known_release(struct fs *fs)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fs->rows_known); i++)
		known_row_free(fs->rows_known[i].row);
}

/* True if what it shows may be kept: the row is in a partition of the store as it
 * is, and the op has room to hold it. */
static bool may_keep(const struct op *op, const struct place *p)
{
	return op->store == op->fs->store && p->table->number &&
	       (p->is_static ||
		p->clustering_count == p->table->clustering_count) &&
	       op->row_count < ARRAY_SIZE(op->rows);
}

/* Return where the row of that place is kept, if it is. */
static struct known_place *kept_at(struct fs *fs, const struct place *p)
{
	uint64_t hash = XXH3_64bits_withSeed(p->partition_key.ptr,
					     p->partition_key.len,
					     p->table->number);
	uint32_t i;

	for (i = 0; i < p->clustering_count; i++)
		hash = XXH3_64bits_withSeed(p->clustering[i].ptr,
					    p->clustering[i].len, hash);
	return &fs->rows_known[hash % ARRAY_SIZE(fs->rows_known)];
}

/* True if k is that row. Keys that are equal but are written differently differ
 * here. */
static bool is_row_of(const struct known_row *k, const struct place *p)
{
	uint32_t i;

	if (k->table != p->table->number || k->is_static != p->is_static ||
	    !bytes_equal(k->row.partition_key, p->partition_key))
		return false;
	for (i = 0; i < p->clustering_count; i++)
		if (!bytes_equal(k->row.clustering[i], p->clustering[i]))
			return false;
	return true;
}

/* The parts of a row that are wanted: columns, and an attribute or 0. */
struct wanted {
	uint64_t columns;
	uint8_t attribute;
};

/* True if k has all of it. */
static bool has(const struct known_row *k, const struct wanted *wanted)
{
	return !(wanted->columns & ~k->columns) &&
	       (!wanted->attribute || !bytes_is_null(k->row.attribute));
}

/* Take the row that is kept there, if it has what is wanted: one more user. */
static struct known_row *take(const struct op *op, struct known_place *at,
			      const struct place *p, const struct wanted *wanted)
{
	struct known_row *k;

	mutex_lock(&at->lock);
	k = at->row;
	if (k && k->schema == op->schema && has(k, wanted) && is_row_of(k, p))
		atomic_fetch_add(&k->users, 1);
	else
		k = NULL;
	mutex_unlock(&at->lock);
	return k;
}

static void keep(struct op *op, struct known_place *at, struct known_row *k)
{
	struct known_row *before;

	atomic_fetch_add(&k->users, 1);
	mutex_lock(&at->lock);
	before = at->row;
	at->row = k;
	mutex_unlock(&at->lock);
	if (before)
		give(op, before);
}

/* True if nothing of the row ends, and it is small. */
static bool is_worth_keeping(const struct known_row *k)
{
	return k->moment.state && k->arena.total <= ROW_BYTES &&
	       times_row_changes_s(&k->row) == NO_TIME;
}

static struct known_row *new_row(struct op *op)
{
	struct known_row *k = op->spare_row;

	op->spare_row = NULL;
	if (!k)
		k = mem_zalloc(1, sizeof(*k));
	if (!k)
		return NULL;
	atomic_store(&k->users, 1);
	if (k->schema != op->schema) {
		schema_put(k->schema);
		k->schema = schema_get(op->schema);
	}
	arena_clear(&k->arena);
	return k;
}

static int read_row(const struct op *op, const struct place *p,
		    const struct wanted *wanted, struct arena *arena,
		    struct row_view *row)
{
	int err, got = table_read(op->store, p->table, p->partition_key,
				  p->is_static ? NULL : p->clustering,
				  wanted->columns, op->now_s, arena, row);

	if (got <= 0 || !wanted->attribute)
		return got;
	err = table_row_attribute(op->store, p->table, wanted->attribute, arena,
				  row);
	return err ? err : 1;
}

/* Read the row, for one user, and keep it if later reads may use it. 1, 0,
 * -errno. */
static int read_new(struct op *op, struct known_place *at, const struct place *p,
		    const struct wanted *wanted, struct known_row **out)
{
	struct known_row *k = new_row(op);
	int got;

	if (!k)
		return -ENOMEM;
	k->table = p->table->number;
	k->is_static = p->is_static;
	k->columns = wanted->columns;
	got = read_row(op, p, wanted, &k->arena, &k->row);
	k->moment = moment_of_row(op, &k->row);
	if (got <= 0) {
		give(op, k);
		return got;
	}
	if (is_worth_keeping(k))
		keep(op, at, k);
	*out = k;
	return 1;
}

/* As known_row. */
static int find_row(struct op *op, const struct place *p,
		    const struct wanted *wanted, struct row_view *row,
		    struct node_moment *m)
{
	struct known_place *at;
	struct known_row *k;
	int got = 1;

	if (!may_keep(op, p)) {
		got = read_row(op, p, wanted, &op->arena, row);
		if (m)
			*m = moment_of_row(op, row);
		return got;
	}
	at = kept_at(op->fs, p);
	k = take(op, at, p, wanted);
	if (k && !is_now(op, k->table, &k->moment)) {
		give(op, k);
		k = NULL;
	}
	if (!k)
		got = read_new(op, at, p, wanted, &k);
	if (got <= 0)
		return got;
	*row = k->row;
	if (m)
		*m = k->moment;
	op->rows[op->row_count++] = k;
	return 1;
}

int known_row(struct op *op, const struct place *p, uint64_t columns,
	      struct row_view *row, struct node_moment *m)
{
	const struct wanted wanted = { .columns = columns };

	return find_row(op, p, &wanted, row, m);
}

int known_row_timed(struct op *op, struct node *table, const struct place *p,
		    struct row_view *row, struct node_moment *m)
{
	int attribute = times_attribute(op, table);
	const struct wanted wanted = { .columns = UINT64_MAX,
				       .attribute = (uint8_t)attribute };

	return attribute < 0 ? attribute : find_row(op, p, &wanted, row, m);
}

int known_cell(struct op *op, const struct place *p, struct cell_view *cell,
	       struct node_moment *m)
{
	struct row_view row;
	int got = known_row(op, p, table_columns_of(p->column), &row, m);

	return got > 0 ? table_row_cell(&row, p->column, p->path, cell) : got;
}
