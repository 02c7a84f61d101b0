#include "store/schema/table_edit.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/java.h"
#include "store/schema/mask.h"
#include "store/schema/options.h"
#include "store/schema/schema_edit.h"

/* So many fit on a page of DESCRIBE, and little enough to insert one by one. */
#define DROPPED_IN_ORDER_MAX 1000

static char *copy_string(const char *s)
{
	return mem_copy(s, strlen(s));
}

struct table *table_new(const char *keyspace, const char *name)
{
	struct table *t = mem_zalloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->references = 1;
	t->next_number = COLUMN_NUMBER_FIRST;
	t->mode = 0755;
	t->keyspace = copy_string(keyspace);
	t->name = copy_string(name);
	if (!t->keyspace || !t->name || table_options_init(&t->options)) {
		table_put(t);
		return NULL;
	}
	return t;
}

static int copy_columns(struct table *to, const struct table *t)
{
	uint32_t i;

	to->columns = mem_zalloc(t->column_count, sizeof(*to->columns));
	to->dropped = mem_zalloc(t->dropped_count, sizeof(*to->dropped));
	if (!to->columns || !to->dropped)
		return -ENOMEM;
	for (i = 0; i < t->column_count; i++) {
		to->columns[i] = t->columns[i];
		to->columns[i].type = type_get(t->columns[i].type);
		to->columns[i].mask = mask_get(t->columns[i].mask);
		to->columns[i].name = copy_string(t->columns[i].name);
		to->column_count = i + 1;
		if (!to->columns[i].name)
			return -ENOMEM;
	}
	for (i = 0; i < t->dropped_count; i++) {
		to->dropped[i] = t->dropped[i];
		to->dropped[i].type = type_get(t->dropped[i].type);
		to->dropped[i].name = copy_string(t->dropped[i].name);
		to->dropped_count = i + 1;
		if (!to->dropped[i].name)
			return -ENOMEM;
	}
	return 0;
}

struct table *table_copy(const struct table *t)
{
	struct table *copy = mem_zalloc(1, sizeof(*copy));
	uint32_t i;

	if (!copy)
		return NULL;
	/* Copy all but the count of references, which others change
	 * meanwhile. */
	memcpy(copy, t, offsetof(struct table, references));
	copy->references = 1;
	copy->columns = NULL;
	copy->dropped = NULL;
	copy->indexes = NULL;
	copy->column_count = copy->dropped_count = copy->index_count = 0;
	memset(&copy->options, 0, sizeof(copy->options));
	copy->keyspace = copy_string(t->keyspace);
	copy->name = copy_string(t->name);
	if (!copy->keyspace || !copy->name || copy_columns(copy, t) ||
	    table_options_copy(&copy->options, &t->options))
		goto fail;
	for (i = 0; i < t->index_count; i++)
		if (table_add_index(copy, &t->indexes[i]))
			goto fail;
	return copy;
fail:
	table_put(copy);
	return NULL;
}

/* Return the number of a dropped column that is added again, or a new one. */
static uint32_t number_for(struct table *t, const char *name,
			   const struct type *type, enum column_kind kind)
{
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++) {
		const struct dropped_column *d = &t->dropped[i];

		if (!strcmp(d->name, name) && d->kind == kind &&
		    type_is_multicell(d->type) == type_is_multicell(type))
			return d->number;
	}
	return t->next_number++;
}

int table_add_column(struct table *t, const char *name, struct type *type,
		     enum column_kind kind, bool reversed)
{
	struct column *bigger;
	char *copy = copy_string(name);

	bigger = copy ? mem_resize(t->columns, t->column_count + 1,
				   sizeof(*bigger)) : NULL;
	if (!bigger) {
		mem_free(copy);
		type_put(type);
		return -ENOMEM;
	}
	t->columns = bigger;
	bigger[t->column_count] = (struct column){
		.name = copy, .type = type, .kind = kind,
		.reversed = reversed,
		.number = number_for(t, name, type, kind),
	};
	return (int)t->column_count++;
}

/*
 * Compare names in Cassandra's order: the first 8 bytes as one signed number
 * (so names that begin with a byte from 80 on come first), then byte by byte.
 */
static int compare_names(const char *a, const char *b)
{
	uint8_t heads[2][8] = { { 0 }, { 0 } };
	size_t a_len = strlen(a), b_len = strlen(b);
	int64_t x, y;

	memcpy(heads[0], a, a_len < 8 ? a_len : 8);
	memcpy(heads[1], b, b_len < 8 ? b_len : 8);
	x = (int64_t)get_be64(heads[0]);
	y = (int64_t)get_be64(heads[1]);
	if (x != y)
		return x < y ? -1 : 1;
	return bytes_compare(bytes_of(a, a_len), bytes_of(b, b_len));
}

/* True if column a comes before b. Key columns keep their order. */
static bool stands_before(const struct column *a, const struct column *b)
{
	if (a->hidden != b->hidden)
		return b->hidden;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	if (a->kind == COLUMN_PARTITION_KEY || a->kind == COLUMN_CLUSTERING)
		return false;
	return compare_names(a->name, b->name) < 0;
}

static void count_columns(struct table *t)
{
	uint32_t i, kinds[4] = { 0 }, all[4] = { 0 };

	for (i = 0; i < t->column_count; i++) {
		struct column *c = &t->columns[i];

		c->position = all[c->kind]++;
		if (!c->hidden)
			kinds[c->kind]++;
	}
	t->partition_key_count = kinds[COLUMN_PARTITION_KEY];
	t->clustering_count = kinds[COLUMN_CLUSTERING];
	t->static_count = kinds[COLUMN_STATIC];
	t->regular_count = kinds[COLUMN_REGULAR];
}

int table_finish(struct table *t)
{
	uint32_t i, j, k;

	/* Sort by insertion, which is stable and shows where each column
	 * went. */
	for (i = 1; i < t->column_count; i++) {
		struct column moved = t->columns[i];

		for (j = i; j > 0; j--)
			if (!stands_before(&moved, &t->columns[j - 1]))
				break;
		memmove(t->columns + j + 1, t->columns + j,
			(i - j) * sizeof(moved));
		t->columns[j] = moved;
		for (k = 0; k < t->index_count; k++) {
			uint32_t *at = &t->indexes[k].column;

			if (*at == i)
				*at = j;
			else if (*at >= j && *at < i)
				++*at;
		}
	}
	count_columns(t);
	return t->partition_key_count ? 0 : -EINVAL;
}

/* Return the type with user types as frozen tuples: the record must outlive
 * them. */
static struct type *expanded(const struct type *t)
{
	enum type_kind kind = t->kind == TYPE_UDT ? TYPE_TUPLE : t->kind;
	struct type **parts, *out = NULL;
	uint32_t i;

	if (!t->part_count)
		return type_get((struct type *)t);
	parts = mem_zalloc(t->part_count, sizeof(*parts));
	if (!parts)
		return NULL;
	for (i = 0; i < t->part_count; i++) {
		parts[i] = expanded(t->parts[i]);
		if (!parts[i])
			break;
	}
	if (i < t->part_count)
		while (i--)
			type_put(parts[i]);
	else if (kind == TYPE_VECTOR)
		out = type_new_vector(parts[0], t->dimension);
	else
		out = type_new(kind, t->frozen, parts, t->part_count);
	mem_free(parts);
	return out;
}

static struct dropped_column *dropped_record(struct table *t, uint32_t number)
{
	struct dropped_column *bigger;
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++)
		if (t->dropped[i].number == number)
			return &t->dropped[i];
	bigger = mem_resize(t->dropped, t->dropped_count + 1, sizeof(*bigger));
	if (!bigger)
		return NULL;
	t->dropped = bigger;
	bigger += t->dropped_count++;
	memset(bigger, 0, sizeof(*bigger));
	bigger->dropped_us = INT64_MIN;
	return bigger;
}

int table_drop_column(struct table *t, uint32_t column, int64_t dropped_us)
{
	struct column *c = &t->columns[column];
	struct dropped_column *d;
	struct type *type = expanded(c->type);
	uint32_t i;

	d = type ? dropped_record(t, c->number) : NULL;
	if (!d) {
		type_put(type);
		return -ENOMEM;
	}
	mem_free(d->name);
	type_put(d->type);
	d->name = c->name;		/* moves from one to the other */
	d->type = type;
	d->kind = c->kind;
	d->number = c->number;
	if (dropped_us > d->dropped_us)
		d->dropped_us = dropped_us;
	d->now |= dropped_us == DROPPED_NOW;
	type_put(c->type);
	mask_put(c->mask);
	t->column_count--;
	memmove(c, c + 1, (t->column_count - column) * sizeof(*c));
	for (i = 0; i < t->index_count; i++)
		if (t->indexes[i].column > column)
			t->indexes[i].column--;
	return 0;
}

bool table_drops_now(const struct table *t)
{
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++)
		if (t->dropped[i].now)
			return true;
	return false;
}

void table_set_dropped(struct table *t, int64_t now_us)
{
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++) {
		struct dropped_column *d = &t->dropped[i];

		if (d->now && now_us > d->dropped_us)
			d->dropped_us = now_us;
		d->now = false;
	}
}

void table_order_dropped(struct table *t, uint32_t before)
{
	uint32_t mask = java_buckets(before, t->dropped_count - before) - 1;
	uint32_t i, j;

	if (t->dropped_count > DROPPED_IN_ORDER_MAX)
		return;
	for (i = 1; i < t->dropped_count; i++) {
		struct dropped_column moved = t->dropped[i];
		uint32_t bucket = java_hash_bytes(bytes_str(moved.name)) & mask;

		for (j = i; j > 0; j--) {
			const char *name = t->dropped[j - 1].name;

			if ((java_hash_bytes(bytes_str(name)) & mask) <= bucket)
				break;
			t->dropped[j] = t->dropped[j - 1];
		}
		t->dropped[j] = moved;
	}
}

int table_add_index(struct table *t, const struct index *index)
{
	struct index *bigger, *x;

	bigger = mem_resize(t->indexes, t->index_count + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	t->indexes = bigger;
	x = &bigger[t->index_count++];
	*x = *index;
	x->class_name = NULL;
	x->options = NULL;
	x->option_count = 0;
	x->name = copy_string(index->name);
	if (index->class_name)
		x->class_name = copy_string(index->class_name);
	if (!x->name || (index->class_name && !x->class_name) ||
	    options_copy(&x->options, &x->option_count, index->options,
			 index->option_count))
		return -ENOMEM;		/* goes with the table */
	return 0;
}

void table_remove_index(struct table *t, struct bytes name)
{
	uint32_t i;

	for (i = 0; i < t->index_count; i++) {
		struct index *x = &t->indexes[i];

		if (!bytes_equal(bytes_str(x->name), name))
			continue;
		mem_free(x->name);
		mem_free(x->class_name);
		options_release(x->options, x->option_count);
		t->index_count--;
		memmove(x, x + 1, (t->index_count - i) * sizeof(*x));
		return;
	}
}
