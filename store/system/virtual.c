/*
 * Virtual tables: rows that code makes, passed to cursors as the engine would
 * pass them, so that the floors above read them like any other.
 */
#include "store/system/virtual.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/row/row_codec.h"
#include "store/system/tables.h"
#include "store/table/cell.h"
#include "store/table/key.h"
#include "store/type/compound_codec.h"

struct virtual_entry {
	struct bytes key, row;		/* in the arena */
};

struct virtual_rows {
	struct iterator iterator;	/* first: it is one */
	struct arena arena;
	int64_t timestamp;
	struct virtual_entry *entries;
	size_t count, capacity, at;	/* at: the next one; reverse: after it */
	bool reverse, failed;

	const struct table *table;	/* while rows are added */
	const struct query *query;	/* and its reader */
	struct bytes key;		/* of the row that is being built */
	struct cell *cells;
	size_t cell_count, cell_capacity;
};

static void add_entry(struct virtual_rows *v, struct bytes row)
{
	struct virtual_entry *bigger = array_grow(v->entries, v->count,
						  sizeof(*bigger), &v->capacity);

	if (!bigger) {
		v->failed = true;
		return;
	}
	v->entries = bigger;
	v->entries[v->count++] = (struct virtual_entry){ v->key, row };
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return bytes_compare(x->path, y->path);
}

static void finish_row(struct virtual_rows *v)
{
	struct row row = ROW_NONE;
	struct buf encoded = BUF_INIT;

	if (bytes_is_null(v->key) || v->failed)
		return;
	if (v->cell_count)
		qsort(v->cells, v->cell_count, sizeof(*v->cells),
		      compare_cells);
	row.marker = (struct marker){ v->timestamp, 0, NO_TIME };
	row.cells = v->cells;
	row.cell_count = v->cell_count;
	row_encode(&encoded, &row);
	add_entry(v, arena_copy(&v->arena, buf_bytes(&encoded)));
	if (encoded.failed)
		v->failed = true;
	buf_release(&encoded);
	v->cell_count = 0;
	v->key = BYTES_NULL;
}

void virtual_add(struct virtual_rows *v, const struct bytes *key_values)
{
	struct buf partition = BUF_INIT, key = BUF_INIT;

	finish_row(v);
	table_partition_key(&partition, v->table, key_values);
	key_add_row(&key, v->table, buf_bytes(&partition),
		    key_values + v->table->partition_key_count);
	v->key = arena_copy(&v->arena, buf_bytes(&key));
	if (partition.failed || key.failed)
		v->failed = true;
	buf_release(&partition);
	buf_release(&key);
}

static void add_cell(struct virtual_rows *v, uint32_t number,
		     struct bytes path, struct bytes value)
{
	struct cell *bigger = array_grow(v->cells, v->cell_count,
					 sizeof(*bigger), &v->cell_capacity);

	if (!bigger) {
		v->failed = true;
		return;
	}
	v->cells = bigger;
	v->cells[v->cell_count++] = (struct cell){
		.column = number, .timestamp = v->timestamp,
		.local_time = NO_TIME,
		.path = arena_copy(&v->arena, path),
		.value = arena_copy(&v->arena, value),
	};
}

bool virtual_shows(const struct virtual_rows *v, const struct keyspace *k,
		   const struct table *t)
{
	const struct query *q = v->query;

	return !q->shown || q->shown(q->shown_context, k, t);
}

/* Add a cell for each element of a set that is not frozen. */
static void add_elements(struct virtual_rows *v, const struct column *c,
			 struct bytes value)
{
	struct buf path = BUF_INIT;
	struct type_parts parts;
	struct bytes part;

	if (type_parts_begin(&parts, c->type, value))
		return;
	while (type_parts_next(&parts, &part) > 0) {
		buf_clear(&path);
		cell_add_path(&path, c, part);
		add_cell(v, c->number, buf_bytes(&path), BYTES_EMPTY);
	}
	if (path.failed)
		v->failed = true;
	buf_release(&path);
}

void virtual_set(struct virtual_rows *v, const char *column,
		 struct bytes value)
{
	int place = table_column(v->table, bytes_str(column));
	const struct column *c;

	if (place < 0 || bytes_is_null(value))
		return;
	c = &v->table->columns[place];
	if (type_is_multicell(c->type))
		add_elements(v, c, value);
	else
		add_cell(v, c->number, BYTES_NULL, value);
}

void virtual_set_text(struct virtual_rows *v, const char *column,
		      const char *text)
{
	if (text)
		virtual_set(v, column, bytes_str(text));
}

void virtual_set_int(struct virtual_rows *v, const char *column, int32_t n)
{
	uint8_t be[4];

	put_be32(be, (uint32_t)n);
	virtual_set(v, column, bytes_of(be, 4));
}

void virtual_set_long(struct virtual_rows *v, const char *column, int64_t n)
{
	uint8_t be[8];

	put_be64(be, (uint64_t)n);
	virtual_set(v, column, bytes_of(be, 8));
}

void virtual_set_boolean(struct virtual_rows *v, const char *column, bool b)
{
	uint8_t byte = b;

	virtual_set(v, column, bytes_of(&byte, 1));
}

void virtual_set_double(struct virtual_rows *v, const char *column, double x)
{
	int64_t bits;

	memcpy(&bits, &x, 8);
	virtual_set_long(v, column, bits);
}

/* ------------------------------------------------------------- as iterator */
static bool entry_before(const void *element, const void *key)
{
	return bytes_compare(((const struct virtual_entry *)element)->key,
			     *(const struct bytes *)key) < 0;
}

static size_t lower_bound(const struct virtual_rows *v, struct bytes key)
{
	return array_find(v->entries, v->count, sizeof(*v->entries), &key,
			  entry_before);
}

static int seek(struct iterator *it, struct bytes key,
		struct deletion *in_force)
{
	struct virtual_rows *v = (struct virtual_rows *)it;

	*in_force = DELETION_NONE;
	if (key.len)
		v->at = lower_bound(v, key);
	else
		v->at = v->reverse ? v->count : 0;
	return 0;
}

static int next(struct iterator *it, struct entry *entry)
{
	struct virtual_rows *v = (struct virtual_rows *)it;
	const struct virtual_entry *e;

	if (v->reverse ? !v->at : v->at == v->count)
		return 0;
	e = &v->entries[v->reverse ? --v->at : v->at++];
	*entry = (struct entry){ .key = e->key, .kind = ENTRY_ROW,
				 .row = e->row, .before = DELETION_NONE,
				 .after = DELETION_NONE };
	return 1;
}

static void close_rows(struct iterator *it)
{
	struct virtual_rows *v = (struct virtual_rows *)it;

	arena_release(&v->arena);
	mem_free(v->entries);
	mem_free(v->cells);
	mem_free(v);
}

static void rows_memory(const struct iterator *it, struct memory_use *m)
{
	const struct virtual_rows *v = (const struct virtual_rows *)it;

	m->bytes += v->arena.total;
}

static const struct iterator_ops virtual_ops = { seek, next, close_rows,
						 rows_memory };

static int compare_entries(const void *a, const void *b)
{
	const struct virtual_entry *x = a, *y = b;

	return bytes_compare(x->key, y->key);
}

static int virtual_open(struct iterator **out, struct store *s,
			const struct query *q, bool reverse)
{
	struct virtual_rows *v = mem_zalloc(1, sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	v->iterator.ops = &virtual_ops;
	v->reverse = reverse;
	v->table = q->table;
	v->query = q;
	v->timestamp = s->opened_us;
	err = system_fill(v, s, q->table);
	v->query = NULL;
	finish_row(v);
	if (!err && (v->failed || v->arena.failed))
		err = -ENOMEM;
	if (err) {
		close_rows(&v->iterator);
		return err;
	}
	if (v->count)
		qsort(v->entries, v->count, sizeof(*v->entries),
		      compare_entries);
	*out = &v->iterator;
	return 0;
}

static int virtual_get(struct store *s, const struct table *t,
		       struct bytes key, struct arena *arena, struct row *row)
{
	struct deletion in_force;
	struct iterator *it;
	struct entry entry;
	struct query q = { .table = t };
	int found, err = virtual_open(&it, s, &q, false);

	if (err)
		return err;
	seek(it, key, &in_force);
	found = next(it, &entry) > 0 && bytes_equal(entry.key, key);
	if (found) {
		err = row_decode(row, arena, arena_copy(arena, entry.row));
		found = arena->failed ? -ENOMEM : err ? err : 1;
	}
	iterator_close(it);
	return found;
}

const struct row_source virtual_source = { virtual_open, virtual_get };
