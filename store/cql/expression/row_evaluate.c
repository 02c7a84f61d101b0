#include "store/cql/expression/row_evaluate.h"

#include <errno.h>
#include <string.h>

#include "store/cql/expression/selector.h"
#include "store/cql/statement/execution.h"
#include "store/type/compound_codec.h"

int row_values_init(struct execution *x, struct row_values *r,
		    const struct table *t)
{
	r->table = t;
	r->marker = MARKER_NONE;
	r->values = arena_zalloc(x->arena, t->column_count, sizeof(*r->values));
	r->ready = arena_zalloc(x->arena, t->column_count, sizeof(*r->ready));
	r->cells = arena_zalloc(x->arena, t->column_count, sizeof(*r->cells));
	return r->values && r->ready && r->cells ? 0 : -ENOMEM;
}

static void set_cells(struct row_values *r, const struct cell_view *cells,
		      uint32_t count)
{
	struct column_cells *of;

	for (uint32_t i = 0; i < count; i++) {
		of = &r->cells[cells[i].column - r->table->columns];
		if (!of->count)
			of->cells = &cells[i];
		of->count++;
	}
}

void row_values_set(struct row_values *r, const struct row_view *view)
{
	const struct table *t = r->table;
	uint32_t i, keys = t->partition_key_count;

	memset(r->values, 0, t->column_count * sizeof(*r->values));
	memset(r->ready, 0, t->column_count * sizeof(*r->ready));
	memset(r->cells, 0, t->column_count * sizeof(*r->cells));
	r->marker = MARKER_NONE;
	for (i = 0; i < keys + t->clustering_count; i++)
		r->ready[i] = true;
	if (!view)
		return;
	for (i = 0; i < keys; i++)
		r->values[i] = view->key_values[i];
	for (i = 0; i < t->clustering_count && view->row_exists; i++)
		r->values[keys + i] = view->clustering[i];
	if (view->row_exists)
		r->marker = view->marker;
	set_cells(r, view->cells, view->row_exists ? view->cell_count : 0);
	set_cells(r, view->statics, view->static_count);
}

int row_values_copy(struct execution *x, struct arena *arena,
		    struct row_values *to, const struct row_values *from)
{
	const struct table *t = from->table;
	struct arena *before = x->arena;
	int err;

	x->arena = arena;
	err = row_values_init(x, to, t);
	x->arena = before;
	to->marker = from->marker;
	for (uint32_t i = 0; i < t->column_count && !err; i++) {
		const struct column_cells *cells = &from->cells[i];
		struct cell_view *copy;

		to->ready[i] = from->ready[i] && !cells->count;
		to->values[i] = arena_copy(arena, from->values[i]);
		if (!cells->count)
			continue;
		copy = arena_alloc(arena, cells->count * sizeof(*copy));
		if (!copy)
			return -ENOMEM;
		memcpy(copy, cells->cells, cells->count * sizeof(*copy));
		for (uint32_t c = 0; c < cells->count; c++) {
			copy[c].path = arena_copy(arena, copy[c].path);
			copy[c].value = arena_copy(arena, copy[c].value);
		}
		to->cells[i].cells = copy;
		to->cells[i].count = cells->count;
	}
	return err ? err : arena->failed ? -ENOMEM : 0;
}

/* Build the value of a column of many cells: its frozen form. */
static int build(struct execution *x, const struct type *t,
		 const struct column_cells *cells, struct bytes *value)
{
	size_t count = t->kind == TYPE_UDT ? t->part_count : 0;
	struct bytes *parts;

	parts = arena_zalloc(x->arena, count + 2 * (size_t)cells->count,
			     sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < cells->count; i++) {
		const struct cell_view *c = &cells->cells[i];

		switch (t->kind) {
		case TYPE_UDT:
			if (c->path.len == 2 && get_be16(c->path.ptr) < count)
				parts[get_be16(c->path.ptr)] = c->value;
			break;
		case TYPE_MAP:
			parts[count++] = c->path;
			parts[count++] = c->value;
			break;
		case TYPE_SET:
			parts[count++] = c->path;
			break;
		default:
			parts[count++] = c->value;
		}
	}
	buf_clear(&x->scratch);
	type_build(&x->scratch, t, parts, count);
	return execution_keep_scratch(x, value);
}

int row_value(struct execution *x, struct row_values *r,
	      const struct column *c, struct bytes *value)
{
	size_t place = (size_t)(c - r->table->columns);
	const struct column_cells *cells = &r->cells[place];
	int err = 0;

	if (!r->ready[place]) {
		if (cells->count && type_is_multicell(c->type))
			err = build(x, c->type, cells, &r->values[place]);
		else if (cells->count)
			r->values[place] = cells->cells[0].value;
		r->ready[place] = !err;
	}
	*value = r->values[place];
	return err;
}
