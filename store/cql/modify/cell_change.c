/*
 * Change cells. Changes of lists depend on their contents. So a list that an
 * operation needs is read once for each row, and each operation of the
 * statement changes the copy for the next.
 */
#include "store/cql/modify/cell_change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/modify/modify.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/arithmetic.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/uuid.h"

/* A list in the middle of a statement. */
struct list_item {
	struct bytes path, value;
};
struct list_image {
	const struct column *column;
	struct list_item *items;
	uint32_t count, room;
	struct list_image *next;
};

/* The row that changes are applied to. */
struct applying {
	struct execution *x;
	struct modification *m;
	struct write *w;
	struct bytes key;
	const struct bytes *clustering;	/* NULL: the static row */
	struct list_image *lists;
	struct arena arena;		/* of what is forgotten then: lists may
					 * be large, and a batch has many */
	struct bytes *sums;		/* of each column, once one is made */
};

/* ------------------------------------------------------------------ lists */
static bool asks_list(const struct change *c)
{
	return c->column->type->kind == TYPE_LIST &&
	       (c->kind == CHANGE_ELEMENT || c->kind == CHANGE_REMOVE);
}

/* Make a gap of that many items at the front or the end; NULL without
 * memory. */
static struct list_item *add_items(struct applying *a, struct list_image *list,
				   bool front, uint32_t count)
{
	struct list_item *items = list->items;
	uint32_t needed = list->count + count;

	if (needed > list->room) {
		list->room = needed > 2 * list->room ? needed : 2 * list->room;
		items = arena_alloc(&a->arena,
				    list->room * sizeof(*items));
		if (!items)
			return NULL;
	}
	if (list->count && (front || items != list->items))
		memmove(items + (front ? count : 0), list->items,
			list->count * sizeof(*items));
	list->items = items;
	list->count = needed;
	return front ? items : items + needed - count;
}

static struct list_image *find_list(struct applying *a,
				    const struct column *column)
{
	struct list_image *list = a->lists;

	while (list && list->column != column)
		list = list->next;
	return list;
}

static int load_list(struct applying *a, const struct column *column)
{
	struct list_image *list = arena_zalloc(&a->arena, 1, sizeof(*list));
	const struct cell_view *cells;
	struct list_item *item;
	struct row_view row = { 0 };
	uint32_t count;
	int found;

	if (!list)
		return -ENOMEM;
	list->column = column;
	list->next = a->lists;
	a->lists = list;
	found = table_read(a->x->store, a->m->table, a->key, a->clustering,
			   1ull << (column->number & 63), a->x->now_s,
			   &a->arena, &row);
	if (found <= 0)
		return refuse_store_failure(a->x, found);
	cells = a->clustering ? row.cells : row.statics;
	count = a->clustering ? row.cell_count : row.static_count;
	for (uint32_t i = 0; i < count; i++) {
		if (cells[i].column != column)
			continue;
		item = add_items(a, list, false, 1);
		if (!item)
			return -ENOMEM;
		*item = (struct list_item){ cells[i].path, cells[i].value };
	}
	return 0;
}

static int load_lists(struct applying *a, enum column_kind kind)
{
	int err = 0;

	for (uint32_t i = 0; i < a->m->change_count && !err; i++) {
		const struct change *c = &a->m->changes[i];

		if (c->column->kind == kind && asks_list(c) &&
		    !find_list(a, c->column))
			err = load_list(a, c->column);
	}
	return err;
}

/* Prepended elements count down from 2010-01-01, in the ticks of version 1
 * UUIDs. */
#define PREPEND_REFERENCE ((1262304000000ull + 12219292800000ull) * 10000)

static void mirror_uuid(uint8_t uuid[16])
{
	uint64_t ticks = (uint64_t)get_be32(uuid) |
			 (uint64_t)get_be16(uuid + 4) << 32 |
			 (uint64_t)(get_be16(uuid + 6) & 0x0fff) << 48;
	uint64_t mirrored = 2 * PREPEND_REFERENCE - ticks;

	put_be32(uuid, (uint32_t)mirrored);
	uuid[4] = (uint8_t)(mirrored >> 40);
	uuid[5] = (uint8_t)(mirrored >> 32);
	uuid[6] = (uint8_t)(0x10 | (mirrored >> 56 & 0x0f));
	uuid[7] = (uint8_t)(mirrored >> 48);
}

/* Add elements at one end of a list, each with a path of its own. */
static int extend_list(struct applying *a, const struct change *c,
		       const struct bytes *parts, uint32_t count)
{
	bool front = c->kind == CHANGE_PREPEND;
	struct list_image *list = find_list(a, c->column);
	struct list_item *added = NULL;
	uint8_t uuid[16];

	if (list) {
		added = add_items(a, list, front, count);
		if (!added)
			return -ENOMEM;
	}
	for (uint32_t n = 0; n < count; n++) {
		uint32_t i = front ? count - 1 - n : n;
		struct bytes path;

		uuid_new_time(uuid);
		if (front)
			mirror_uuid(uuid);
		path = arena_copy(&a->arena, bytes_of(uuid, 16));
		write_cell(a->w, c->column, path, parts[i], a->m->timestamp_us,
			   a->m->ttl_s);
		if (added)
			added[i] = (struct list_item){ path, parts[i] };
	}
	return 0;
}

static int change_list_item(struct applying *a, const struct change *c)
{
	struct list_image *list = find_list(a, c->column);
	bool deletes = a->m->kind == STATEMENT_DELETE;
	int32_t at = (int32_t)get_be32(c->key.ptr);

	if (!list || !list->count)
		return refuse(a->x, deletes ?
			"Attempted to delete an element from a list which is "
			"null" :
			"Attempted to set an element on a list which is null");
	if (at < 0 || (uint32_t)at >= list->count)
		return refuse(a->x, "List index %d out of bound, list has size "
				    "%u", at, list->count);
	write_cell(a->w, c->column, list->items[at].path, c->value,
		   a->m->timestamp_us,
		   bytes_is_null(c->value) ? 0 : a->m->ttl_s);
	list->items[at].value = c->value;
	if (bytes_is_null(c->value))
		memmove(&list->items[at], &list->items[at + 1],
			(--list->count - (uint32_t)at) * sizeof(*list->items));
	return 0;
}

static int compare_elements(const void *a, const void *b, void *element)
{
	return type_compare(element, *(const struct bytes *)a,
			    *(const struct bytes *)b);
}

/* True if it is among the sorted values. */
static bool is_among(const struct type *element, struct bytes value,
		     const struct bytes *parts, uint32_t count)
{
	uint32_t from = 0, to = count, middle;
	int order;

	while (from < to) {
		middle = from + (to - from) / 2;
		order = type_compare(element, value, parts[middle]);
		if (!order)
			return true;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return false;
}

/* Discard elements of these values. Sorts parts. */
static void discard(struct applying *a, const struct change *c,
		    struct bytes *parts, uint32_t count)
{
	struct list_image *list = find_list(a, c->column);
	struct type *element = c->column->type->parts[0];
	uint32_t kept = 0;

	if (count > 1)
		qsort_r(parts, count, sizeof(*parts), compare_elements,
			element);
	for (uint32_t i = 0; list && i < list->count; i++) {
		struct list_item item = list->items[i];

		if (is_among(element, item.value, parts, count))
			write_cell(a->w, c->column, item.path, BYTES_NULL,
				   a->m->timestamp_us, 0);
		else
			list->items[kept++] = item;
	}
	if (list)
		list->count = kept;
}

/* ------------------------------------------------------- other collections */
static struct bytes field_path(struct applying *a, uint32_t field)
{
	uint8_t path[2] = { (uint8_t)(field >> 8), (uint8_t)field };

	return arena_copy(&a->arena, bytes_of(path, 2));
}

/* Add elements to the column: present ones stay. */
static int add_parts(struct applying *a, const struct change *c,
		     const struct bytes *parts, uint32_t count)
{
	struct modification *m = a->m;

	switch (c->column->type->kind) {
	case TYPE_LIST:
		return extend_list(a, c, parts, count);
	case TYPE_MAP:
		for (uint32_t i = 0; i + 1 < count; i += 2)
			write_cell(a->w, c->column, parts[i], parts[i + 1],
				   m->timestamp_us, m->ttl_s);
		return 0;
	case TYPE_UDT:
		for (uint32_t i = 0; i < count; i++)
			if (!bytes_is_null(parts[i]))
				write_cell(a->w, c->column,
					   field_path(a, i), parts[i],
					   m->timestamp_us, m->ttl_s);
		return 0;
	default:
		for (uint32_t i = 0; i < count; i++)
			write_cell(a->w, c->column, parts[i], BYTES_EMPTY,
				   m->timestamp_us, m->ttl_s);
		return 0;
	}
}

/* Split a change's value into its parts; a null has none. */
static int split(struct applying *a, const struct change *c,
		 struct bytes **parts, uint32_t *count)
{
	const struct type *t = c->column->type;
	struct type pretended;
	struct type_parts it;
	int more;

	*count = 0;
	*parts = NULL;
	if (bytes_is_null(c->value) || c->kind == CHANGE_ELEMENT ||
	    c->kind == CHANGE_FIELD)
		return 0;
	/* The operand removed from a map is a set of its keys. Not copied:
	 * others change the count of the type's references meanwhile. */
	if (c->kind == CHANGE_REMOVE && t->kind == TYPE_MAP) {
		pretended = (struct type){ .kind = TYPE_SET, .part_count = 1,
					   .parts = t->parts };
		t = &pretended;
	}
	more = type_parts_begin(&it, t, c->value);
	if (more)
		return more;
	*parts = arena_zalloc(&a->arena, it.count, sizeof(**parts));
	if (!*parts)
		return -ENOMEM;
	while ((more = type_parts_next(&it, &(*parts)[*count])) > 0)
		if (++*count == it.count)
			return 0;
	return more;
}

static int apply_multicell(struct applying *a, const struct change *c)
{
	struct modification *m = a->m;
	struct list_image *list = find_list(a, c->column);
	struct bytes *parts;
	uint32_t count;
	int err = split(a, c, &parts, &count);

	if (err)
		return err;
	switch (c->kind) {
	case CHANGE_SET:
	case CHANGE_DELETE:
		/* Just before its own cells, so that these stay. */
		write_column_deletion(a->w, c->column,
				      m->timestamp_us -
					      (c->kind == CHANGE_SET));
		if (list)
			list->count = 0;
		return add_parts(a, c, parts, count);
	case CHANGE_ADD:
	case CHANGE_PREPEND:
		return add_parts(a, c, parts, count);
	case CHANGE_REMOVE:
		if (c->column->type->kind == TYPE_LIST) {
			discard(a, c, parts, count);
			return 0;
		}
		for (uint32_t i = 0; i < count; i++)
			write_cell(a->w, c->column, parts[i], BYTES_NULL,
				   m->timestamp_us, 0);
		return 0;
	case CHANGE_ELEMENT:
		if (c->column->type->kind == TYPE_LIST)
			return change_list_item(a, c);
		write_cell(a->w, c->column, c->key, c->value, m->timestamp_us,
			   bytes_is_null(c->value) ? 0 : m->ttl_s);
		return 0;
	default:
		write_cell(a->w, c->column, field_path(a, c->field),
			   c->value, m->timestamp_us,
			   bytes_is_null(c->value) ? 0 : m->ttl_s);
		return 0;
	}
}

/* Return the cell as earlier changes of the statement leave it (of several with
 * one timestamp, the larger). 1: there is one. */
static int computed(struct applying *a, const struct change *c,
		    struct bytes *value)
{
	struct cell_view cell;
	int found;

	if (!a->sums)
		a->sums = arena_zalloc(&a->arena, a->m->table->column_count,
				       sizeof(*a->sums));
	if (!a->sums)
		return -ENOMEM;
	*value = a->sums[c->column - a->m->table->columns];
	if (!bytes_is_null(*value))
		return 1;
	found = table_read_cell(a->x->store, a->m->table, a->key,
				a->clustering, c->column, BYTES_NULL,
				a->x->now_s, &a->arena, &cell);
	if (found > 0)
		*value = cell.value;
	return found;
}

/* Compute v = v + x of a conditional update: nothing where there is no v. */
static int compute(struct applying *a, const struct change *c)
{
	enum type_kind kind = c->column->type->kind;
	struct type_error error;
	struct bytes value, *sum;
	bool is_null = false;
	int found = computed(a, c, &value);

	if (found <= 0)
		return refuse_store_failure(a->x, found);
	buf_clear(&a->x->scratch);
	found = arithmetic_apply(&a->x->scratch, &is_null, kind, value, '+',
				 kind, c->value, &error);
	if (found)
		return refuse_type_error(a->x, found, &error);
	if (is_null) {
		buf_clear(&a->x->scratch);
		return 0;
	}
	found = execution_keep_scratch(a->x, &value);
	if (found)
		return found;
	write_cell(a->w, c->column, BYTES_NULL, value, a->m->timestamp_us,
		   a->m->ttl_s);
	sum = &a->sums[c->column - a->m->table->columns];
	if (bytes_is_null(*sum) || bytes_compare(value, *sum) > 0)
		*sum = value;
	return 0;
}

/* Check for faults that are told only when the change is made. */
static int check_change(struct execution *x, const struct change *c)
{
	static const char *const words[] = {
		[TYPE_LIST] = "Invalid null value for list index",
		[TYPE_SET] = "Invalid null set element",
		[TYPE_MAP] = "Invalid null map key",
	};
	int err = late_term_bind(x, c->late);

	/* The empty value is no valid list index either. */
	if (!err && c->kind == CHANGE_ELEMENT &&
	    (bytes_is_null(c->key) ||
	     (c->column->type->kind == TYPE_LIST && !c->key.len)))
		return refuse(x, "%s", words[c->column->type->kind]);
	/* A tuple may be a user type elsewhere; here Cassandra fails. */
	if (!err && c->tuple && c->column->type->kind == TYPE_UDT)
		return refuse(x, "Invalid tuple type literal for %s of type %s",
			      c->column->name,
			      text_of_type(x, c->column->type));
	return err;
}

static int count(struct applying *a, const struct change *c)
{
	int64_t delta;

	if (bytes_is_null(c->value) || c->value.len < 8)
		return refuse(a->x, "Invalid null value for counter increment/"
				    "decrement");
	delta = (int64_t)get_be64(c->value.ptr);
	if (c->minus && delta == INT64_MIN)
		return refuse(a->x, "The negation of %lld overflows supported "
				    "counter precision (signed 8 bytes "
				    "integer)", (long long)delta);
	return refuse_store_failure(a->x,
				    commit_counter_add(a->w, c->column,
						       BYTES_NULL, c->minus ?
						       -delta : delta,
						       a->m->timestamp_us));
}

static int apply_change(struct applying *a, const struct change *c)
{
	struct modification *m = a->m;
	int err = check_change(a->x, c);

	if (err)
		return err;
	if (type_is_multicell(c->column->type))
		return apply_multicell(a, c);
	switch (c->kind) {
	case CHANGE_COUNT:
		return count(a, c);
	case CHANGE_COMPUTE:
		return compute(a, c);
	default:
		write_cell(a->w, c->column, BYTES_NULL, c->value,
			   m->timestamp_us,
			   bytes_is_null(c->value) ? 0 : m->ttl_s);
		return 0;
	}
}

int cell_change_apply(struct execution *x, struct modification *m,
		      struct write *w, struct bytes key,
		      const struct bytes *clustering)
{
	enum column_kind kind = clustering ? COLUMN_REGULAR : COLUMN_STATIC;
	struct applying a = { .x = x, .m = m, .w = w, .key = key,
			      .clustering = clustering,
			      .arena = ARENA_INIT };
	int err = load_lists(&a, kind);

	write_row(w, m->table, key, clustering);
	for (uint32_t i = 0; i < m->change_count && !err; i++)
		if (m->changes[i].column->kind == kind)
			err = apply_change(&a, &m->changes[i]);
	/* An element's path is invalid if there was no memory for it. */
	if (!err && a.arena.failed)
		err = -ENOMEM;
	arena_release(&a.arena);
	return err;
}
