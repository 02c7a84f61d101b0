/*
 * The schema as bytes. A record is a keyspace or a table, its fields one after
 * the other, and nothing may follow:
 *
 *   keyspace  version | string name | bool durable_writes | byte 0 |
 *             number uid, gid, mode | signed created_us | properties
 *             replication | list of user types: type, by name, not frozen
 *
 *   table     version | string keyspace, name | 16 id |
 *             number number, flags (enum table_flags) | number uid, gid, mode |
 *             signed created_us |
 *             number next_number | list of columns | list of dropped columns |
 *             list of indexes | options | list of masks
 *
 *   column    string name | byte kind | number number | bool reversed, hidden |
 *             type. In SELECT * order, the hidden ones at the end
 *   dropped   string name | byte kind | number number | signed dropped_us | type
 *   index     string name | byte kind, target | number column (its place),
 *             number | optional class_name | properties | bool building
 *   mask      number column (its place) | string function | list of arguments:
 *             number kind (of a native type and 1 more; 0: the column's type) |
 *             bool is not null | if so: number length, bytes of the value
 *   options   string comment, additional_write_policy, speculative_retry |
 *             optional memtable | string read_repair |
 *             double bloom_filter_fp_chance, crc_check_chance |
 *             signed default_time_to_live, gc_grace_seconds,
 *             max_index_interval, min_index_interval,
 *             memtable_flush_period_in_ms, cdc, allow_auto_snapshot,
 *             incremental_backups |
 *             properties caching, compaction, compression, extensions
 *
 * version and bool are bytes, number is a LEB128 varint and signed its zigzag
 * form, a double its 8 bytes, little-endian; a string is a number, its length,
 * and bytes without zeros; optional is a byte 0, or 1 and a string; a list is a
 * number, its length, and its elements; properties are a list of two strings
 * each; a type is as type_encode has it. Kinds and flags are the values of their
 * enums (schema.h). The version is 1 to 3:
 *
 *   2  TABLE_WAS_FLAT may be set, and rows have other keys then (row/key.h).
 *      The first programs to know it wrote it under version 1.
 *   3  masks at the end of a table.
 *
 * New fields are added at the end of a record, under a higher version; the
 * version of the store's marker goes up with it.
 */
#include "store/schema/catalog.h"

#include "store/schema/mask.h"
#include "store/schema/schema.h"
#include "store/type/value.h"

static void add_double(struct buf *out, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, 8);
	buf_add_le64(out, bits);
}

static void add_string(struct buf *out, const char *s)
{
	buf_add_sized(out, bytes_str(s));
}

/* Append a string that may be NULL: a byte 0, or 1 and the string. */
static void add_optional(struct buf *out, const char *s)
{
	buf_add_byte(out, s != NULL);
	if (s)
		add_string(out, s);
}

static void add_options(struct buf *out, const struct property *options,
			uint32_t count)
{
	uint32_t i;

	buf_add_varint(out, count);
	for (i = 0; i < count; i++) {
		add_string(out, options[i].name);
		add_string(out, options[i].value);
	}
}

void catalog_encode_keyspace(struct buf *out, const struct keyspace *k)
{
	uint32_t i;

	buf_add_byte(out, CATALOG_VERSION);
	add_string(out, k->name);
	buf_add_byte(out, k->durable_writes);
	buf_add_byte(out, 0);
	buf_add_varint(out, k->uid);
	buf_add_varint(out, k->gid);
	buf_add_varint(out, k->mode);
	buf_add_zigzag(out, k->created_us);
	add_options(out, k->replication, k->replication_count);
	buf_add_varint(out, k->type_count);
	for (i = 0; i < k->type_count; i++)
		type_encode(out, k->types[i].type);
}

static void add_columns(struct buf *out, const struct table *t)
{
	uint32_t i;

	buf_add_varint(out, t->next_number);
	buf_add_varint(out, t->column_count);
	for (i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];

		add_string(out, c->name);
		buf_add_byte(out, (uint8_t)c->kind);
		buf_add_varint(out, c->number);
		buf_add_byte(out, c->reversed);
		buf_add_byte(out, c->hidden);
		type_encode(out, c->type);
	}
	buf_add_varint(out, t->dropped_count);
	for (i = 0; i < t->dropped_count; i++) {
		const struct dropped_column *d = &t->dropped[i];

		add_string(out, d->name);
		buf_add_byte(out, (uint8_t)d->kind);
		buf_add_varint(out, d->number);
		buf_add_zigzag(out, d->dropped_us);
		type_encode(out, d->type);
	}
}

static void add_indexes(struct buf *out, const struct table *t)
{
	uint32_t i;

	buf_add_varint(out, t->index_count);
	for (i = 0; i < t->index_count; i++) {
		const struct index *x = &t->indexes[i];

		add_string(out, x->name);
		buf_add_byte(out, (uint8_t)x->kind);
		buf_add_byte(out, (uint8_t)x->target);
		buf_add_varint(out, x->column);
		buf_add_varint(out, x->number);
		add_optional(out, x->class_name);
		add_options(out, x->options, x->option_count);
		buf_add_byte(out, x->building);
	}
}

static void add_table_options(struct buf *out, const struct table_options *o)
{
	add_string(out, o->comment);
	add_string(out, o->additional_write_policy);
	add_string(out, o->speculative_retry);
	add_optional(out, o->memtable);
	add_string(out, o->read_repair);
	add_double(out, o->bloom_filter_fp_chance);
	add_double(out, o->crc_check_chance);
	buf_add_zigzag(out, o->default_time_to_live);
	buf_add_zigzag(out, o->gc_grace_seconds);
	buf_add_zigzag(out, o->max_index_interval);
	buf_add_zigzag(out, o->min_index_interval);
	buf_add_zigzag(out, o->memtable_flush_period_in_ms);
	buf_add_zigzag(out, o->cdc);
	buf_add_zigzag(out, o->allow_auto_snapshot);
	buf_add_zigzag(out, o->incremental_backups);
	add_options(out, o->caching, o->caching_count);
	add_options(out, o->compaction, o->compaction_count);
	add_options(out, o->compression, o->compression_count);
	add_options(out, o->extensions, o->extension_count);
}

static void add_mask(struct buf *out, uint32_t place,
		     const struct column_mask *m)
{
	buf_add_varint(out, place);
	add_string(out, m->function);
	buf_add_varint(out, m->argument_count);
	for (uint32_t i = 0; i < m->argument_count; i++) {
		const struct mask_argument *a = &m->arguments[i];

		buf_add_varint(out, a->of_column ? 0 : (uint64_t)a->kind + 1);
		buf_add_byte(out, a->value != NULL);
		if (a->value)
			buf_add_sized(out, mask_argument_value(a));
	}
}

static void add_masks(struct buf *out, const struct table *t)
{
	uint32_t i, count = 0;

	for (i = 0; i < t->column_count; i++)
		count += t->columns[i].mask != NULL;
	buf_add_varint(out, count);
	for (i = 0; i < t->column_count; i++)
		if (t->columns[i].mask)
			add_mask(out, i, t->columns[i].mask);
}

void catalog_encode_table(struct buf *out, const struct table *t)
{
	buf_add_byte(out, CATALOG_VERSION);
	add_string(out, t->keyspace);
	add_string(out, t->name);
	buf_add(out, t->id, sizeof(t->id));
	buf_add_varint(out, t->number);
	buf_add_varint(out, t->flags);
	buf_add_varint(out, t->uid);
	buf_add_varint(out, t->gid);
	buf_add_varint(out, t->mode);
	buf_add_zigzag(out, t->created_us);
	add_columns(out, t);
	add_indexes(out, t);
	add_table_options(out, &t->options);
	add_masks(out, t);
}
