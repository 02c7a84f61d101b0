/* Refuse values that an index does not take, in Cassandra's words. */
#include "store/index/refuse.h"

#include <errno.h>
#include <math.h>
#include <strings.h>

#include "store/index/index.h"
#include "store/schema/options.h"
#include "store/type/text/text.h"

/* Longest value, or map's key, value and the bytes between them. */
#define INDEXED_MAX 65534		/* bytes; also of a deleted element */
/* The largest number in a vector that is stored or searched. */
#define VECTOR_MAX 1e17f

static float element(struct bytes vector, uint32_t i)
{
	uint32_t bits = get_be32(vector.ptr + 4 * (size_t)i);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

void index_refuses_vector(struct buf *why, const struct index *index,
			  struct bytes vector)
{
	const char *similarity = options_find(index->options,
					      index->option_count,
					      "similarity_function");
	uint32_t count = (uint32_t)(vector.len / 4), i;
	bool any = !count ||
		   (similarity && strcasecmp(similarity, "cosine"));
	float f;

	for (i = 0; i < count; i++) {
		f = element(vector, i);
		if (!isfinite(f) || fabsf(f) > VECTOR_MAX) {
			buf_add_format(why, "%s value at vector[%u]=",
				       isfinite(f) ? "Out-of-bounds" :
						     "non-finite", i);
			type_print_text(why, type_native(TYPE_FLOAT),
					bytes_of(vector.ptr + 4 * (size_t)i,
						 4));
			return;
		}
		any = any || f != 0;
	}
	if (!any)
		buf_add_str(why, "Zero vectors cannot be indexed or queried "
				 "with cosine similarity");
}

/* Return the length of the cell's bytes in Cassandra's index of this kind. */
static int indexed_length(size_t *length, struct arena *arena,
			  const struct table *t, const struct index *index,
			  const struct cell *cell)
{
	const struct column *c = &t->columns[index->column];
	struct bytes path, value;
	int err = index_cell_parts(&path, &value, arena, c, cell);

	*length = bytes_is_null(value) ? 0 : value.len;
	if (index->target == INDEX_KEYS || c->type->kind == TYPE_SET)
		*length = path.len;
	else if (index->target == INDEX_ENTRIES)
		*length = path.len + 3 + value.len + 3;
	return err;
}

static int check_cell(struct buf *why, bool *late, struct arena *arena,
		      const struct table *t, const struct index *index,
		      const struct cell *cell)
{
	const struct column *c = &t->columns[index->column];
	size_t length;
	int err;

	if (index->kind == INDEX_SAI && c->type->kind == TYPE_VECTOR) {
		if (!bytes_is_null(cell->value))
			index_refuses_vector(why, index, cell->value);
		*late = true;
	} else if (index->kind == INDEX_COMPOSITES) {
		err = indexed_length(&length, arena, t, index, cell);
		if (err)
			return err;
		if (length > INDEXED_MAX)
			buf_add_format(why, "Cannot index value of size %zu "
				       "for index %s on %s.%s(%s) (maximum "
				       "allowed size=65535)", length,
				       index->name, t->keyspace, t->name,
				       c->name);
		*late = false;
	}
	return why->failed ? -ENOMEM : why->len ? -EINVAL : 0;
}

int index_check_row(struct buf *why, bool *late, struct arena *arena,
		    const struct table *t, const struct row *row)
{
	uint32_t i, n;
	int err = 0;

	for (i = 0; i < t->index_count && !err; i++) {
		const struct index *index = &t->indexes[i];
		uint32_t number = t->columns[index->column].number;

		for (n = 0; n < row->cell_count && !err; n++)
			if (row->cells[n].column == number &&
			    !(row->cells[n].flags & CELL_COLUMN_DELETION))
				err = check_cell(why, late, arena, t, index,
						 &row->cells[n]);
	}
	return err;
}
