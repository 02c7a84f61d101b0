#include <errno.h>

#include "store/base/murmur3.h"
#include "store/base/watch.h"
#include "store/row/row_codec.h"
#include "store/table/cell.h"
#include "store/table/cursor.h"
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

	key_add_partition(out, murmur3_token(o->partition_key), o->partition_key);
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

/* Set *value to the attribute at that path, if the row of an object has it. */
static bool find_attribute(const struct row *row, struct bytes path,
			   struct bytes *value)
{
	uint32_t i;

	for (i = 0; i < row->cell_count; i++) {
		const struct cell *c = &row->cells[i];

		if (c->column != CELL_ATTRIBUTE || c->flags ||
		    !bytes_equal(c->path, path))
			continue;
		*value = c->value;
		return true;
	}
	return false;
}

int table_attribute(struct store *s, const struct object_ref *object,
		    uint8_t name, struct arena *arena, struct bytes *value)
{
	struct buf key = BUF_INIT, path = BUF_INIT;
	struct row row;
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
	if (found > 0)
		found = find_attribute(&row, buf_bytes(&path), value);
	buf_release(&key);
	buf_release(&path);
	return found;
}

/* The path of an attribute of an object itself. */
#define OBJECT_PATH(name) { (name), 0, 0, 0, 0 }

int table_row_attribute(struct store *s, const struct table *t, uint8_t name,
			struct arena *arena, struct row_view *view)
{
	const uint8_t path[] = OBJECT_PATH(name);
	struct bytes of = view->engine_key;
	size_t before = key_partition_len(of);
	struct buf key = BUF_INIT;
	struct row row;
	int found = 0;

	view->attribute = BYTES_EMPTY;
	if (t->flags & TABLE_VIRTUAL)
		return 0;
	buf_add(&key, of.ptr, before);
	buf_add_byte(&key, KEY_ATTRIBUTES);
	buf_add_byte(&key, !view->row_exists);
	if (view->row_exists)
		buf_add(&key, of.ptr + before + 1, of.len - before - 1);
	else
		buf_add_byte(&key, KEY_ROW_END);
	found = key.failed ? -ENOMEM :
		table_source_get(s, t, buf_bytes(&key),
				 (uint64_t)1 << CELL_ATTRIBUTE, arena, &row);
	if (found > 0)
		find_attribute(&row, bytes_of(path, sizeof(path)),
			       &view->attribute);
	buf_release(&key);
	return found < 0 ? found : 0;
}

/* Pass the attribute of a partition, if the entry has it. */
static int pass_attribute(const struct entry *e, struct bytes path,
			  struct arena *arena, table_attribute_each *each,
			  void *context)
{
	struct buf key = BUF_INIT;
	struct bytes value;
	struct row row;
	int err = row_decode(&row, arena, e->row);

	if (!err)
		err = key_partition_key(&key, e->key);
	if (!err && find_attribute(&row, path, &value))
		err = key.failed ? -ENOMEM :
				   each(context, buf_bytes(&key), value);
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
	/* An attribute beside no partition of a table needs no lock. */
	if (object->partition_key.len &&
	    object->table->number >= TABLE_NUMBER_FIRST)
		write_note_partition(w, object->table,
				     murmur3_token(object->partition_key));
	buf_release(&key);
	buf_release(&path);
}

/* ----------------------------------------------------------- beside a cursor */
/*
 * Objects of one partition have the order of their rows, so that the attributes
 * of all rows that a cursor returns are one walk beside it.
 */
void cursor_leave_attributes(struct cursor *c)
{
	iterator_close(c->attributes.it);
	c->attributes = (struct peek){ .it = NULL };
}

/* Append the key of the object of these components in the cursor's partition. */
static void object_key(struct buf *out, const struct cursor *c,
		       struct bytes components)
{
	buf_clear(out);
	buf_add_bytes(out, buf_bytes(&c->prefix));
	buf_add_byte(out, KEY_ATTRIBUTES);
	buf_add_byte(out, 0);
	buf_add_bytes(out, components);
	buf_add_byte(out, KEY_ROW_END);
}

static int open_attributes(struct cursor *c)
{
	struct buf to = BUF_INIT;
	int err;

	buf_add_bytes(&to, buf_bytes(&c->prefix));
	buf_add_byte(&to, KEY_ATTRIBUTES + 1);
	err = to.failed ? -ENOMEM :
	      lsm_iterate(&c->attributes.it, c->store->lsm, c->table->number,
			  buf_bytes(&c->scratch), buf_bytes(&to), false);
	buf_release(&to);
	return err;
}

/* Go to the object of these components, or the first after it. */
static int seek_object(struct cursor *c, struct bytes components)
{
	struct peek *p = &c->attributes;
	struct deletion in_force;
	int err = 0;

	object_key(&c->scratch, c, components);
	if (c->scratch.failed)
		return -ENOMEM;
	if (!p->it)
		err = open_attributes(c);
	p->have = false;
	p->sought = !err;
	return err ? err : iterator_seek(p->it, buf_bytes(&c->scratch), &in_force);
}

/* Step to the next object of the partition; p->ended: there is none. */
static int next_object(struct cursor *c)
{
	struct peek *p = &c->attributes;
	struct bytes prefix = buf_bytes(&c->prefix);
	int more;

	do {
		more = watch_step();
		if (!more)
			more = iterator_next(p->it, &p->entry);
	} while (more > 0 && p->entry.kind != ENTRY_ROW);
	p->have = more > 0 && bytes_begin_with(p->entry.key, prefix) &&
		  p->entry.key.len > prefix.len + 2 &&
		  p->entry.key.ptr[prefix.len] == KEY_ATTRIBUTES &&
		  !p->entry.key.ptr[prefix.len + 1];
	p->ended = more >= 0 && !p->have;
	return more < 0 ? more : 0;
}

/* Compare the object of the iterator's entry with that of these components. */
static int compare_object(const struct cursor *c, struct bytes components)
{
	struct bytes key = c->attributes.entry.key, object;
	size_t before = c->prefix.len + 2;
	int order;

	object = bytes_of(key.ptr + before, key.len - before);
	if (object.len <= components.len)
		return bytes_compare(object, components);
	order = bytes_compare(bytes_of(object.ptr, components.len), components);
	return order ? order : object.ptr[components.len] - KEY_ROW_END;
}

static int take_attribute(struct cursor *c, struct row_view *view)
{
	const uint8_t path[] = OBJECT_PATH(c->query.attribute);
	struct row row;
	int err = row_decode(&row, &c->row_memory, c->attributes.entry.row);

	if (!err)
		find_attribute(&row, bytes_of(path, sizeof(path)),
			       &view->attribute);
	return err ? err : 1;
}

int cursor_attribute(struct cursor *c, struct row_view *view)
{
	struct peek *p = &c->attributes;
	uint32_t count = c->query.distinct >= 0 ? (uint32_t)c->query.distinct :
						  c->table->clustering_count;
	struct bytes components = bytes_of(
		view->engine_key.ptr + c->prefix.len + 1,
		count ? c->ends[count - 1] : 0);
	bool near = p->sought;
	int order, err;

	view->attribute = BYTES_EMPTY;
	for (; !p->ended; near = false) {
		order = p->have ? compare_object(c, components) : -1;
		if (order >= 0)
			return order ? 1 : take_attribute(c, view);
		err = near ? 0 : seek_object(c, components);
		if (!err)
			err = next_object(c);
		if (err)
			return err;
	}
	return 1;
}
