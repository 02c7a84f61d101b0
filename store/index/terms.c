/* The terms of a value, which are indexed. */
#include <errno.h>

#include "store/index/index.h"
#include "store/table/cell.h"
#include "store/type/ordered.h"

/* ------------------------------------------------------------------- terms */
static const struct type *column_type(const struct table *t,
				      const struct index *index)
{
	return t->columns[index->column].type;
}

const struct type *index_term_type(const struct table *t,
				   const struct index *index)
{
	const struct type *type = column_type(t, index);

	switch (index->target) {
	case INDEX_KEYS:
		type = type->kind == TYPE_MAP ? type->parts[0] : NULL;
		break;
	case INDEX_ENTRIES:
		type = type->kind == TYPE_MAP ? type->parts[1] : NULL;
		break;
	case INDEX_VALUES:
		if (type_is_multicell(type))
			type = type->kind == TYPE_UDT ? NULL :
			       type->parts[type->part_count - 1];
		break;
	case INDEX_FULL:
	case INDEX_SIMPLE:
		if (type_is_multicell(type))
			type = NULL;
		break;
	}
	/* Types without an order have no entries. Vectors are compared one by
	 * one. */
	if (type && (type_contains_kind(type, TYPE_DURATION) ||
		     type->kind == TYPE_VECTOR))
		return NULL;
	return type;
}

static struct bytes new_term(struct arena *arena, const struct table *t,
			     const struct index *index, struct bytes key,
			     const struct type *type, struct bytes value)
{
	struct buf out = BUF_INIT;
	struct bytes term;

	if (index->target == INDEX_ENTRIES)
		type_ordered_append(&out, column_type(t, index)->parts[0], key,
				    false);
	type_ordered_append(&out, type, value, false);
	term = arena_copy(arena, buf_bytes(&out));
	if (out.failed)
		arena->failed = true;
	buf_release(&out);
	return term;
}

int index_terms(struct term_list *list, struct arena *arena,
		const struct table *t, const struct index *index,
		struct bytes key, struct bytes value)
{
	const struct type *type = index_term_type(t, index);
	struct bytes one = value, *pieces = &one, *terms;
	struct index_text text;
	size_t i, count = 1;
	int err;

	if (!type || bytes_is_null(value))
		return 0;
	index_text_init(&text, index, type);
	if (text.applies) {
		err = index_text_split(&pieces, &count, arena, &text, value);
		if (err)
			return err;
	}
	terms = arena_alloc(arena, (list->count + count + 1) * sizeof(*terms));
	if (!terms)
		return -ENOMEM;
	if (list->count)
		memcpy(terms, list->terms, list->count * sizeof(*terms));
	list->terms = terms;
	for (i = 0; i < count; i++)
		terms[list->count++] = new_term(arena, t, index, key, type,
						pieces[i]);
	return arena->failed ? -ENOMEM : 0;
}

/* Decode the path of a cell to its binary form. */
static int cell_path(struct bytes *path, struct arena *arena,
		     const struct type *type, const struct cell *cell)
{
	struct reader r = reader_of(cell->path);
	struct buf out = BUF_INIT;
	bool is_null;
	int err = type_ordered_decode(&out, &is_null, type, &r, false);

	*path = arena_copy(arena, buf_bytes(&out));
	if (!err && (out.failed || arena->failed))
		err = -ENOMEM;
	buf_release(&out);
	return err;
}

int index_cell_parts(struct bytes *path, struct bytes *value,
		     struct arena *arena, const struct column *c,
		     const struct cell *cell)
{
	const struct type *t = c->type;
	struct reader r;

	*path = BYTES_NULL;
	*value = cell->value;
	if (!type_is_multicell(t))
		return 0;
	if (cell_keeps_path(c) && !(cell->flags & CELL_TOMBSTONE)) {
		r = reader_of(*value);
		read_sized(&r);
		*value = read_bytes(&r, reader_left(&r));
		if (r.failed)
			return -EUCLEAN;
	}
	return t->kind == TYPE_SET || t->kind == TYPE_MAP ?
		       cell_path(path, arena, t->parts[0], cell) : 0;
}

int index_cell_terms(struct term_list *list, struct arena *arena,
		     const struct table *t, const struct index *index,
		     const struct cell *cell)
{
	const struct column *c = &t->columns[index->column];
	struct bytes value, path;
	int err;

	if (cell->flags & (CELL_TOMBSTONE | CELL_COLUMN_DELETION))
		return 0;
	err = index_cell_parts(&path, &value, arena, c, cell);
	if (err)
		return err;
	if (!bytes_is_null(path) &&
	    (index->target == INDEX_KEYS || c->type->kind == TYPE_SET))
		value = path;
	return index_terms(list, arena, t, index, path, value);
}

int index_skip_term(struct reader *r, const struct table *t,
		    const struct index *index)
{
	const struct type *type = index_term_type(t, index);
	int err = type ? 0 : -EUCLEAN;

	if (!err && index->target == INDEX_ENTRIES)
		err = type_ordered_skip(r, column_type(t, index)->parts[0],
					false);
	return err ? err : type_ordered_skip(r, type, false);
}

void index_add_prefix(struct buf *out)
{
	key_add_partition(out, 0, BYTES_EMPTY);
	buf_add_byte(out, KEY_ROW);
}
