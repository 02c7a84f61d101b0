#include <errno.h>

#include "store/row/row_codec.h"
#include "store/table/cell.h"
#include "store/table/inner.h"
#include "store/table/key.h"
#include "store/table/source.h"
#include "store/table/write.h"

/*
 * Attributes, stored beside the data of an object. The key of an object's entry
 * has, after the partition:
 *
 *   10 | 01: of the static row, 00: of all else | clustering components, as
 *   many as the object has | 38
 *
 * and a cell CELL_ATTRIBUTE for each attribute, whose path is
 *
 *   1 name | 4 number of the column, big-endian, or 0: of the object itself |
 *   the path of the cell in it, as the engine has it
 *
 * fs/op/times.c and fs/op/keyspace_times.c describe the values.
 */
static void attribute_key(struct buf *out, const struct object_ref *o)
{
	/* A cell that became static keeps its attributes. */
	bool is_static = o->is_static &&
			 !(o->column && o->table->flags & TABLE_WAS_FLAT);

	key_add_partition(out, key_token(o->partition_key), o->partition_key);
	buf_add_byte(out, KEY_ATTRIBUTES);
	buf_add_byte(out, is_static);
	if (!is_static)
		key_add_clustering(out, o->table, o->clustering,
				   o->clustering_count);
	buf_add_byte(out, KEY_ROW_END);
}

static void attribute_path(struct buf *out, const struct object_ref *o,
			   uint8_t name)
{
	buf_add_byte(out, name);
	buf_add_be32(out, o->column ? o->column->number : 0);
	if (!o->column || bytes_is_null(o->path))
		return;
	cell_add_path(out, o->column, o->path);
}

int table_attribute(struct store *s, const struct object_ref *object,
		    uint8_t name, struct arena *arena, struct bytes *value)
{
	struct buf key = BUF_INIT, path = BUF_INIT;
	struct row row;
	uint32_t i;
	int found;

	attribute_key(&key, object);
	attribute_path(&path, object, name);
	if (key.failed || path.failed)
		found = -ENOMEM;
	else if (object->table->flags & TABLE_VIRTUAL)
		found = 0;
	else
		found = table_source_get(s, object->table, buf_bytes(&key),
				   (uint64_t)1 << CELL_ATTRIBUTE, arena, &row);
	for (i = 0; found > 0 && i < row.cell_count; i++) {
		const struct cell *c = &row.cells[i];

		if (c->column != CELL_ATTRIBUTE || c->flags ||
		    !bytes_equal(c->path, buf_bytes(&path)))
			continue;
		*value = c->value;
		break;
	}
	if (found > 0)
		found = i < row.cell_count;
	buf_release(&key);
	buf_release(&path);
	return found;
}

/* Pass the attribute of a partition, if the entry has it. */
static int pass_attribute(const struct entry *e, struct bytes path,
			  struct arena *arena, table_attribute_each *each,
			  void *context)
{
	struct buf key = BUF_INIT;
	struct row row;
	uint32_t i;
	int err = row_decode(&row, arena, e->row);

	if (!err)
		err = key_partition_key(&key, e->key);
	for (i = 0; !err && i < row.cell_count; i++) {
		const struct cell *c = &row.cells[i];

		if (c->column == CELL_ATTRIBUTE && !c->flags &&
		    bytes_equal(c->path, path))
			err = key.failed ? -ENOMEM :
					   each(context, buf_bytes(&key),
						c->value);
	}
	buf_release(&key);
	return err;
}

int table_each_attribute(struct store *s, const struct table *t, uint8_t name,
			 table_attribute_each *each, void *context)
{
	struct object_ref object = { .table = t };
	struct buf path = BUF_INIT;
	struct arena arena = ARENA_INIT;
	struct iterator *it = NULL;
	struct deletion in_force;
	struct entry e;
	int got = lsm_iterate(&it, s->lsm, t->number, BYTES_EMPTY, BYTES_EMPTY,
			      false);

	attribute_path(&path, &object, name);
	if (!got && path.failed)
		got = -ENOMEM;
	if (!got)
		got = iterator_seek(it, BYTES_EMPTY, &in_force);
	while (!got && (got = iterator_next(it, &e)) > 0) {
		size_t len = key_partition_len(e.key);

		got = 0;
		if (e.kind == ENTRY_ROW && len && e.key.len == len + 3 &&
		    e.key.ptr[len] == KEY_ATTRIBUTES && !e.key.ptr[len + 1])
			got = pass_attribute(&e, buf_bytes(&path), &arena, each,
					     context);
		arena_clear(&arena);
	}
	if (it)
		iterator_close(it);
	arena_release(&arena);
	buf_release(&path);
	return got;
}

void attribute_write(struct write *w, const struct object_ref *object,
		     uint8_t name, struct bytes value, int64_t timestamp_us)
{
	struct cell cell = { .column = CELL_ATTRIBUTE,
			     .timestamp = timestamp_us,
			     .local_time = NO_TIME, .value = value };
	struct row row = ROW_NONE;
	struct buf key = BUF_INIT, path = BUF_INIT;

	write_finish_row(w);
	if (w->failed)
		return;
	attribute_key(&key, object);
	attribute_path(&path, object, name);
	cell.path = buf_bytes(&path);
	if (bytes_is_null(value)) {
		cell.flags = CELL_TOMBSTONE;
		cell.local_time = write_now_s(w);
	}
	row.cells = &cell;
	row.cell_count = 1;
	if (key.failed || path.failed)
		w->failed = true;
	else
		batch_add_row(&w->batch, object->table->number,
			      buf_bytes(&key), &row);
	write_note_table(w, object->table);
	/* What is stored beside no partition of a table needs no lock. */
	if (object->partition_key.len &&
	    object->table->number >= TABLE_NUMBER_FIRST)
		write_note_partition(w, object->table, object->partition_key);
	buf_release(&key);
	buf_release(&path);
}
