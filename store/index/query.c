/*
 * Find rows by an index.
 *
 * The entries of one term already are in the order of the base table, and are
 * followed one by one. A range or a part of a text has many terms: the keys of
 * the base are collected, sorted and made distinct, in bounded memory: when it
 * is full only the smallest keys are kept, and when these have been returned
 * the slice is read again for those above them.
 */
#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/murmur3.h"
#include "store/base/watch.h"
#include "store/index/index.h"
#include "store/row/row_codec.h"
#include "store/table/cursor.h"
#include "store/table/inner.h"
#include "store/table/present.h"
#include "store/type/ordered.h"

struct index_refs {
	struct ref_source source;	/* first */
	struct store *store;
	struct table *table;		/* a reference */
	const struct index *index;
	const struct column *column;
	struct index_query by;		/* values in memory */
	struct arena memory, scratch;
	struct index_text text;
	const struct type *type;
	struct term_list wanted;	/* EQ: all of them */
	struct bytes *pieces;		/* text operators, split as terms are */
	size_t piece_count;
	int64_t now_s;

	struct iterator *it;
	struct buf lower, upper;
	bool collects;

	struct arena collected;		/* the keys */
	struct bytes *keys;
	size_t key_count, key_capacity, key_at;
	struct buf floor;		/* the last key that was returned */
	bool given_any, complete;
};

/* ----------------------------------------------------- the slice of entries */
/* Replace the bytes by the smallest above all that begin with them. */
static void make_successor(struct buf *b)
{
	while (b->len && b->ptr[b->len - 1] == 0xff)
		b->len--;
	if (b->len)
		b->ptr[b->len - 1]++;
}

static void add_range(struct index_refs *r)
{
	const struct index_query *by = &r->by;

	/* Do not limit the slice: entries are in the order of the type, and all
	 * may match. */
	if (index_has_own_order(r->index, r->type)) {
		make_successor(&r->upper);
		return;
	}
	if (!bytes_is_null(by->low)) {
		type_ordered_append(&r->lower, r->type, by->low, false);
		if (!by->low_inclusive)
			make_successor(&r->lower);
	}
	if (bytes_is_null(by->high)) {
		make_successor(&r->upper);
		return;
	}
	type_ordered_append(&r->upper, r->type, by->high, false);
	if (by->high_inclusive)
		make_successor(&r->upper);
}

/* Limit the slice to a prefix. After the lead byte, text is ordered by its
 * bytes up to its first 0. */
static void add_prefix(struct index_refs *r)
{
	struct bytes prefix = r->piece_count ? r->pieces[0] : BYTES_EMPTY;
	const uint8_t *zero = prefix.len ? memchr(prefix.ptr, 0, prefix.len)
					 : NULL;

	if (zero)
		prefix.len = (size_t)(zero - prefix.ptr);
	if (prefix.len) {
		buf_add_byte(&r->lower, 0x40);
		buf_add_byte(&r->upper, 0x40);
		buf_add_bytes(&r->lower, prefix);
		buf_add_bytes(&r->upper, prefix);
	}
	make_successor(&r->upper);
}

/* Limit the slice to one partition: a slice within the entries of a term. */
static void add_partition(struct index_refs *r, const struct query *q)
{
	buf_add_bytes(&r->lower, r->wanted.terms[0]);
	buf_add_bytes(&r->upper, r->wanted.terms[0]);
	if (q->partition_count == 1) {
		int64_t token = murmur3_token(q->partitions[0]);

		key_add_partition(&r->lower, token, q->partitions[0]);
		key_add_partition(&r->upper, token, q->partitions[0]);
	}
	make_successor(&r->upper);
}

static int find_slice(struct index_refs *r, const struct query *q)
{
	index_add_prefix(&r->lower);
	index_add_prefix(&r->upper);
	switch (r->by.operator) {
	case INDEX_EQ:
		if (r->wanted.count) {
			add_partition(r, q);
			break;
		}
		r->upper.len = 0;	/* an empty value has no term */
		break;
	case INDEX_RANGE:
		add_range(r);
		r->collects = true;
		break;
	case INDEX_PREFIX:
		add_prefix(r);
		r->collects = true;
		break;
	case INDEX_SUFFIX:
	case INDEX_CONTAINS_TEXT:
		make_successor(&r->upper);
		r->collects = true;
		break;
	}
	return r->lower.failed || r->upper.failed ? -ENOMEM : 0;
}

static int open_slice(struct index_refs *r)
{
	struct deletion in_force;
	int err;

	iterator_close(r->it);
	r->it = NULL;
	err = lsm_iterate(&r->it, r->store->lsm, r->index->number,
			  buf_bytes(&r->lower), buf_bytes(&r->upper), false);
	return err ? err : iterator_seek(r->it, buf_bytes(&r->lower),
					 &in_force);
}

/* ------------------------------------------------------------------ entries */
static int is_live_entry(struct index_refs *r, struct bytes encoded)
{
	struct row row;
	uint32_t i;
	int err;

	arena_clear(&r->scratch);
	err = row_decode(&row, &r->scratch, encoded);
	if (err)
		return err;
	for (i = 0; i < row.cell_count; i++)
		if (row.cells[i].column == CELL_INDEX &&
		    cell_is_live(&row.cells[i], r->now_s))
			return 1;
	return 0;
}

static int base_key(struct index_refs *r, struct bytes entry_key,
		    struct bytes *key)
{
	struct reader reader = reader_of(entry_key);
	int err;

	read_bytes(&reader, INDEX_PREFIX_LENGTH);
	err = index_skip_term(&reader, r->table, r->index);
	if (err || reader.failed || reader_left(&reader) < 2)
		return -EUCLEAN;
	*key = bytes_of(reader.ptr, reader_left(&reader) - 1);
	return 0;
}

/* Read the next live entry of the slice: 1 with the base's key, 0, -errno. */
static int next_entry(struct index_refs *r, struct bytes *key)
{
	struct entry entry;
	int more, live, err;

	for (;;) {
		more = watch_step();
		if (!more)
			more = iterator_next(r->it, &entry);
		if (more <= 0)
			return more;
		if (bytes_compare(entry.key, buf_bytes(&r->upper)) >= 0)
			return 0;
		if (entry.kind != ENTRY_ROW)
			continue;
		live = is_live_entry(r, entry.row);
		if (live < 0)
			return live;
		if (!live)
			continue;
		err = base_key(r, entry.key, key);
		return err ? err : 1;
	}
}

/* --------------------------------------------------------------- collecting */
static int compare_keys(const void *a, const void *b)
{
	return bytes_compare(*(const struct bytes *)a,
			     *(const struct bytes *)b);
}

static void sort_distinct(struct index_refs *r)
{
	size_t i, kept = 0;

	if (r->key_count)
		qsort(r->keys, r->key_count, sizeof(*r->keys), compare_keys);
	for (i = 0; i < r->key_count; i++)
		if (!kept || !bytes_equal(r->keys[kept - 1], r->keys[i]))
			r->keys[kept++] = r->keys[i];
	r->key_count = kept;
}

/* Copy the smaller half to other memory, and drop the rest. */
static int shrink(struct index_refs *r)
{
	struct arena smaller = ARENA_INIT;
	size_t i;

	sort_distinct(r);
	if (r->key_count > 1)
		r->key_count /= 2;
	for (i = 0; i < r->key_count; i++)
		r->keys[i] = arena_copy(&smaller, r->keys[i]);
	arena_release(&r->collected);
	r->collected = smaller;
	r->complete = false;
	return smaller.failed ? -ENOMEM : 0;
}

static int keep_key(struct index_refs *r, struct bytes key)
{
	struct bytes *bigger = array_grow(r->keys, r->key_count,
					  sizeof(*bigger), &r->key_capacity);

	if (!bigger)
		return -ENOMEM;
	r->keys = bigger;
	key = arena_copy(&r->collected, key);
	if (bytes_is_null(key))
		return -ENOMEM;
	r->keys[r->key_count++] = key;
	return 0;
}

/* Read the slice for the smallest keys above the floor. */
static int collect(struct index_refs *r)
{
	struct bytes key, ceiling = BYTES_NULL;
	size_t bytes = 0;
	int more, err = open_slice(r);

	r->key_count = r->key_at = 0;
	arena_release(&r->collected);
	r->collected = ARENA_INIT;
	r->complete = true;
	while (!err && (more = next_entry(r, &key)) != 0) {
		if (more < 0)
			return more;
		if (r->given_any &&
		    bytes_compare(key, buf_bytes(&r->floor)) <= 0)
			continue;
		if (!bytes_is_null(ceiling) && bytes_compare(key, ceiling) > 0)
			continue;
		err = keep_key(r, key);
		bytes += key.len + sizeof(key);
		if (err || bytes < r->store->collect_bytes)
			continue;
		err = shrink(r);
		bytes /= 2;
		ceiling = r->keys[r->key_count - 1];
	}
	sort_distinct(r);
	return err;
}

static int next_collected(struct index_refs *r, struct bytes *key)
{
	int err;

	if (r->key_at == r->key_count) {
		if (r->complete)
			return 0;
		err = collect(r);
		if (err)
			return err;
		if (!r->key_count)
			return 0;
	}
	*key = r->keys[r->key_at++];
	buf_clear(&r->floor);
	buf_add_bytes(&r->floor, *key);
	r->given_any = true;
	return r->floor.failed ? -ENOMEM : 1;
}

static int refs_next(struct ref_source *source, struct bytes *key)
{
	struct index_refs *r = (struct index_refs *)source;

	if (!r->upper.len)
		return 0;
	return r->collects ? next_collected(r, key) : next_entry(r, key);
}

/* ---------------------------------------------------------------- matching */
static bool text_matches(struct index_refs *r, struct bytes piece,
			 struct bytes wanted)
{
	size_t at = piece.len - wanted.len;

	if (wanted.len > piece.len)
		return false;
	switch (r->by.operator) {
	case INDEX_PREFIX:
		return bytes_begin_with(piece, wanted);
	case INDEX_SUFFIX:
		return !memcmp(piece.ptr + at, wanted.ptr, wanted.len);
	default:
		return memmem(piece.ptr, piece.len, wanted.ptr,
			      wanted.len) != NULL;
	}
}

/* Check that each wanted piece is found in some piece of the value: 1, 0,
 * -ENOMEM. */
static int value_has_pieces(struct index_refs *r, struct bytes value)
{
	struct bytes one = value, *pieces = &one;
	size_t i, j, count = 1;
	int err = r->text.applies ? index_text_split(&pieces, &count,
						     &r->scratch, &r->text,
						     value) : 0;

	if (err)
		return err;
	for (i = 0; i < r->piece_count; i++) {
		for (j = 0; j < count; j++)
			if (text_matches(r, pieces[j], r->pieces[i]))
				break;
		if (j == count)
			return 0;
	}
	return r->piece_count > 0;
}

/* 1, 0, -ENOMEM. */
static int value_has_terms(struct index_refs *r, struct bytes key,
			   struct bytes value)
{
	struct term_list list = { NULL, 0 };
	size_t i, j;
	int err = index_terms(&list, &r->scratch, r->table, r->index, key,
			      value);

	if (err)
		return err;
	for (i = 0; i < r->wanted.count; i++) {
		for (j = 0; j < list.count; j++)
			if (bytes_equal(list.terms[j], r->wanted.terms[i]))
				break;
		if (j == list.count)
			return 0;
	}
	return r->wanted.count > 0;
}

static bool value_in_range(struct index_refs *r, struct bytes value)
{
	const struct index_query *by = &r->by;
	int order;

	if (!bytes_is_null(by->low)) {
		order = index_compare(r->index, r->type, value, by->low);
		if (order < 0 || (!order && !by->low_inclusive))
			return false;
	}
	if (bytes_is_null(by->high))
		return true;
	order = index_compare(r->index, r->type, value, by->high);
	return order < 0 || (!order && by->high_inclusive);
}

static int value_matches(struct index_refs *r, struct bytes key,
			 struct bytes value)
{
	if (bytes_is_null(value))
		return 0;
	arena_clear(&r->scratch);
	switch (r->by.operator) {
	case INDEX_EQ:
		return value_has_terms(r, key, value);
	case INDEX_RANGE:
		return value_in_range(r, value);
	default:
		return value_has_pieces(r, value);
	}
}

static int cells_match(struct index_refs *r, const struct cell_view *cells,
		       uint32_t count)
{
	bool by_path = r->index->target == INDEX_KEYS ||
		       (type_is_multicell(r->column->type) &&
			r->column->type->kind == TYPE_SET);
	int match = 0;
	uint32_t i;

	for (i = 0; i < count && !match; i++) {
		const struct cell_view *cell = &cells[i];

		if (cell->column->number == r->column->number)
			match = value_matches(r, cell->path, by_path ?
						      cell->path : cell->value);
	}
	return match;
}

static int refs_match(struct ref_source *source, const struct row_view *row)
{
	struct index_refs *r = (struct index_refs *)source;
	const struct column *c = r->column;

	switch (c->kind) {
	case COLUMN_PARTITION_KEY:
		return value_matches(r, BYTES_NULL,
				     row->key_values[c->position]);
	case COLUMN_CLUSTERING:
		return row->clustering ?
			       value_matches(r, BYTES_NULL,
					     row->clustering[c->position]) : 0;
	case COLUMN_STATIC:
		return cells_match(r, row->statics, row->static_count);
	case COLUMN_REGULAR:
		return cells_match(r, row->cells, row->cell_count);
	}
	return 0;
}

static void refs_close(struct ref_source *source)
{
	struct index_refs *r = (struct index_refs *)source;

	iterator_close(r->it);
	table_put(r->table);
	arena_release(&r->memory);
	arena_release(&r->scratch);
	arena_release(&r->collected);
	mem_free(r->keys);
	buf_release(&r->lower);
	buf_release(&r->upper);
	buf_release(&r->floor);
	mem_free(r);
}

static void refs_memory(const struct ref_source *source,
			struct memory_use *m)
{
	const struct index_refs *r = (const struct index_refs *)source;

	m->bytes += sizeof(*r) + r->memory.total + r->scratch.total +
		    r->collected.total + r->key_capacity * sizeof(*r->keys);
	iterator_memory(r->it, m);
}

/* ------------------------------------------------------------------- opening */
static int copy_values(struct index_refs *r)
{
	struct index_query *by = &r->by;

	by->value = arena_copy(&r->memory, by->value);
	by->key = arena_copy(&r->memory, by->key);
	by->low = arena_copy(&r->memory, by->low);
	by->high = arena_copy(&r->memory, by->high);
	return r->memory.failed ? -ENOMEM : 0;
}

/* Split the value that is searched as indexed values are split. */
static int prepare(struct index_refs *r)
{
	const struct index_query *by = &r->by;

	r->type = index_term_type(r->table, r->index);
	if (!r->type)
		return -EINVAL;
	index_text_init(&r->text, r->index, r->type);
	if (by->operator == INDEX_RANGE)
		return 0;
	if (by->operator == INDEX_EQ)
		return index_terms(&r->wanted, &r->memory, r->table, r->index,
				   by->key, by->value);
	if (r->text.applies)
		return index_text_split(&r->pieces, &r->piece_count,
					&r->memory, &r->text, by->value);
	r->pieces = &r->by.value;
	r->piece_count = 1;
	return 0;
}

int index_query_table(struct cursor **out, struct store *s,
		      const struct query *q, const struct index_query *by)
{
	struct index_refs *r = mem_zalloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->source.next = refs_next;
	r->source.matches = refs_match;
	r->source.close = refs_close;
	r->source.memory = refs_memory;
	r->store = s;
	r->table = table_get((struct table *)q->table);
	r->index = by->index;
	r->column = &q->table->columns[by->index->column];
	r->by = *by;
	r->now_s = q->now_s ? q->now_s : store_now_s(r->store);
	r->source.columns = (uint64_t)1 << (r->column->number & 63);
	r->source.statics = r->column->kind == COLUMN_STATIC;
	err = copy_values(r);
	if (!err)
		err = prepare(r);
	if (!err)
		err = find_slice(r, q);
	if (!err && r->upper.len)
		err = open_slice(r);
	if (err) {
		refs_close(&r->source);
		return err;
	}
	return cursor_open_refs(out, s, q, &r->source);
}
