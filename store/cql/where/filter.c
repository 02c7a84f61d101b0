/* Check restrictions that no key and no index serves, row by row. */
#include "store/cql/where/filter.h"

#include <errno.h>
#include <string.h>

#include "store/cql/expression/row_evaluate.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/where/index_choice.h"
#include "store/cql/where/relation.h"
#include "store/cql/where/where.h"
#include "store/index/analyzer.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"

static int check_contained(struct execution *x, const struct restriction *r)
{
	const char *name = r->columns[0]->name;

	for (const struct contained *c = r->contained; c; c = c->next) {
		bool entry = c->has_key && c->has_value;

		if (c->has_key && bytes_is_null(c->key))
			return refuse(x, entry ? "Unsupported null map key for "
						 "column %s" :
						 "Unsupported null value for "
						 "column %s", name);
		if (c->has_value && bytes_is_null(c->value))
			return refuse(x, entry ? "Unsupported null map value "
						 "for column %s" :
						 "Unsupported null value for "
						 "column %s", name);
	}
	return 0;
}

/* Check the values of a restriction. in_slices: only rows that match it are
 * read. */
static int check_values(struct execution *x, struct restriction *r,
			bool in_slices)
{
	const struct restriction_bound *b;
	int err;

	if (in_slices && r->kind != RESTRICT_CONTAINS)
		return 0;
	err = restriction_bind(x, r);
	if (err)
		return err;
	if (r->kind == RESTRICT_CONTAINS)
		return check_contained(x, r);
	if (r->kind == RESTRICT_LIKE || r->kind == RESTRICT_IN)
		return 0;
	if (r->kind == RESTRICT_SLICE && r->multi)
		return refuse(x, "Multi-column slice restrictions cannot be "
				 "used for filtering.");
	for (int i = 0; i < 3; i++) {
		b = i ? &r->high : &r->low;
		if (i < 2 ? b->count && bytes_is_null(b->values[0]) :
			    r->kind == RESTRICT_EQ && bytes_is_null(*r->values))
			return refuse(x, "Unsupported null value for column %s",
				      r->columns[0]->name);
	}
	return 0;
}

/* Set how values are folded and ordered as in SAI's indexes, if one of these
 * chooses rows. */
static int fold_as_indexed(struct execution *x, const struct restrictions *r,
			   struct restriction *of)
{
	const struct table *t = r->table;
	const struct type *type = of->columns[0]->type;
	struct index_text *text;

	if (of->multi || of->kind == RESTRICT_IN || !r->index ||
	    r->index->kind != INDEX_SAI)
		return 0;
	for (uint32_t i = 0; i < t->index_count; i++) {
		const struct index *index = &t->indexes[i];
		bool keys = index->target == INDEX_KEYS;

		if (index->kind != INDEX_SAI || !index_supports(t, index, of))
			continue;
		if (index_has_own_order(index, type))
			of->ordered_by = index;
		text = arena_alloc(x->arena, sizeof(*text));
		if (!text)
			return -ENOMEM;
		index_text_init(text, index, type_is_multicell(type) ?
			type->parts[keys ? 0 : type->part_count - 1] : type);
		if (text->applies)
			*(keys ? &of->folds_key : &of->folds_value) = text;
	}
	return 0;
}

/* Fold two values as they are indexed; how NULL: leave them. 0, -ENOMEM. */
static int fold(struct execution *x, const struct index_text *how,
		struct bytes *a, struct bytes *b)
{
	struct bytes *both[] = { a, b }, *pieces;
	size_t count;
	int err = 0;

	for (size_t i = 0; how && i < ARRAY_SIZE(both) && !err; i++) {
		err = index_text_split(&pieces, &count, x->arena, how,
				       *both[i]);
		if (!err && count == 1)
			*both[i] = pieces[0];
	}
	return err;
}

bool where_is_filtered(const struct restrictions *r, const struct column *c)
{
	switch (c->kind) {
	case COLUMN_PARTITION_KEY:
		return r->filters_partition;
	case COLUMN_CLUSTERING:
		return r->filters_clustering;
	default:
		return true;
	}
}

int filter_init(struct execution *x, struct filter *f,
		const struct restrictions *r)
{
	const struct table *t = r->table;
	struct restriction *of;
	uint32_t place = 0;
	bool in_slices;
	int err;

	f->count = 0;
	f->items = arena_zalloc(x->arena, t->column_count, sizeof(*f->items));
	if (!f->items)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->column_count; i++) {
		of = r->by_column[i];
		if (!of || of->columns[0] != &t->columns[i] ||
		    !where_is_filtered(r, &t->columns[i]))
			continue;
		in_slices = of->columns[0]->kind == COLUMN_CLUSTERING &&
			    of->columns[0]->position == place;
		if (in_slices && of->kind != RESTRICT_SLICE)
			place += of->column_count;
		err = check_values(x, of, in_slices &&
					  !index_choice_has(t, of));
		if (err)
			return err;
		err = fold_as_indexed(x, r, of);
		if (err)
			return err;
		/* The index, which found the row, decides what equality means
		 * for these. */
		if (of == r->indexed && (of->kind == RESTRICT_LIKE ||
					 r->index->kind == INDEX_SASI))
			continue;
		/* Entries of this index are equal if their bytes are: 1.0 is
		 * not 1.00. */
		of->exact = of == r->indexed && of->kind == RESTRICT_EQ &&
			    r->index->kind == INDEX_COMPOSITES;
		f->items[f->count++] = of;
	}
	return 0;
}

/* Compare values of the i-th column: 1: they are equal; 0; -ENOMEM. */
static int is_equal(struct execution *x, const struct restriction *r,
		    uint32_t i, struct bytes a, struct bytes b)
{
	int err;

	if (bytes_is_null(a) || bytes_is_null(b))
		return 0;
	err = fold(x, r->folds_value, &a, &b);
	if (err)
		return err;
	return r->exact ? bytes_equal(a, b) :
			  !type_compare(r->columns[i]->type, a, b);
}

static int row_of_values(struct execution *x, const struct restriction *r,
			 struct row_values *row)
{
	struct bytes value;
	int equal, err;

	/* Values of an IN after a null do not count. */
	for (size_t n = 0; n < r->value_count &&
			   !bytes_is_null(r->values[n * r->column_count]);
	     n++) {
		equal = 1;
		for (uint32_t i = 0; i < r->column_count && equal > 0; i++) {
			err = row_value(x, row, r->columns[i], &value);
			if (err)
				return err;
			equal = is_equal(x, r, i, value,
					 r->values[n * r->column_count + i]);
		}
		if (equal)
			return equal;
	}
	return 0;
}

/* Compare the row's values with those of the bound, by the first that
 * differ. */
static int compare_bound(struct execution *x, const struct restriction *r,
			 const struct restriction_bound *b,
			 struct row_values *row, int *order)
{
	struct bytes value;
	int err = 0;

	*order = 0;
	for (uint32_t i = 0; i < b->count && !*order && !err; i++) {
		err = row_value(x, row, r->columns[i], &value);
		if (!err)
			*order = type_compare(r->columns[i]->type, value,
					      b->values[i]);
	}
	return err;
}

/* Check that a value is within the bounds also by the order of SAI's index. */
static int in_order_of_index(struct execution *x, const struct restriction *r,
			     struct row_values *row)
{
	const struct type *t = r->columns[0]->type;
	struct bytes value;
	int order, err = row_value(x, row, r->columns[0], &value);

	if (err)
		return err;
	if (r->low.count) {
		order = index_compare(r->ordered_by, t, value, *r->low.values);
		if (order < 0 || (!order && !r->low.inclusive))
			return 0;
	}
	if (!r->high.count)
		return 1;
	order = index_compare(r->ordered_by, t, value, *r->high.values);
	return order < 0 || (!order && r->high.inclusive);
}

static int in_slice(struct execution *x, const struct restriction *r,
		    struct row_values *row)
{
	int order, err = compare_bound(x, r, &r->low, row, &order);

	if (err || order < 0 || (!order && r->low.count && !r->low.inclusive))
		return err;
	err = compare_bound(x, r, &r->high, row, &order);
	if (err || order > 0 || (!order && r->high.count && !r->high.inclusive))
		return err;
	return r->ordered_by ? in_order_of_index(x, r, row) : 1;
}

/* Return 1 if this is the key or value that is searched, 0 or -ENOMEM. exact:
 * bytes are compared. */
static int is_part(struct execution *x, const struct index_text *how,
		   const struct type *t, bool exact, struct bytes part,
		   struct bytes wanted)
{
	int err = fold(x, how, &part, &wanted);

	if (err)
		return err;
	return exact ? bytes_equal(part, wanted) :
		       !type_compare(t, part, wanted);
}

/*
 * Return 1 if the collection contains it, 0, or -errno. As in Cassandra, values
 * in a frozen collection are equal if their bytes are (1.0 is not 1.00); keys
 * of a map and elements stored as cells are compared by their type.
 */
static int has_contained(struct execution *x, const struct restriction *r,
			 struct bytes value, const struct contained *c)
{
	const struct type *t = r->columns[0]->type;
	struct type_parts parts;
	struct bytes key, part;
	bool map = t->kind == TYPE_MAP, exact = !type_is_multicell(t);
	int more, same, err = type_parts_begin(&parts, t, value);

	if (err)
		return err;
	while ((more = type_parts_next(&parts, &key)) > 0) {
		same = 1;
		part = key;
		if (map) {
			more = type_parts_next(&parts, &part);
			if (more <= 0)
				break;
		}
		if (c->has_key)
			same = is_part(x, r->folds_key, t->parts[0], false,
				       key, c->key);
		if (c->has_value && same > 0)
			same = is_part(x, r->folds_value,
				       t->parts[t->part_count - 1], exact,
				       part, c->value);
		if (same)
			return same;
	}
	return more;
}

static bool is_like(const struct restriction *r, struct bytes value)
{
	struct bytes p = r->pattern;

	switch (r->like) {
	case LIKE_MATCH:
		return bytes_equal(value, p);
	case LIKE_PREFIX:
		return bytes_begin_with(value, p);
	case LIKE_SUFFIX:
		return value.len >= p.len &&
		       !memcmp(value.ptr + value.len - p.len, p.ptr, p.len);
	default:
		return memmem(value.ptr, value.len, p.ptr, p.len);
	}
}

static int passes(struct execution *x, const struct restriction *r,
		  struct row_values *row)
{
	struct bytes value;
	int err;

	if (r->kind == RESTRICT_EQ || r->kind == RESTRICT_IN)
		return row_of_values(x, r, row);
	err = row_value(x, row, r->columns[0], &value);
	if (err)
		return err;
	if (bytes_is_null(value))
		return 0;
	if (r->kind == RESTRICT_SLICE)
		return in_slice(x, r, row);
	if (r->kind == RESTRICT_LIKE)
		return is_like(r, value);
	for (const struct contained *c = r->contained; c; c = c->next) {
		err = has_contained(x, r, value, c);
		if (err <= 0)
			return err;
	}
	return 1;
}

int filter_row(struct execution *x, const struct filter *f,
	       struct row_values *row)
{
	int pass = 1;

	for (uint32_t i = 0; i < f->count && pass > 0; i++)
		pass = passes(x, f->items[i], row);
	return pass;
}
