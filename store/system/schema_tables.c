/* The rows of system_schema: the schema as tables. */
#include "store/system/schema_tables.h"

#include <errno.h>

#include "store/table/present.h"
#include "store/type/text/cql_constant.h"

static void add_part(struct buf *out, struct bytes part)
{
	buf_add_be32(out, (uint32_t)part.len);
	buf_add_bytes(out, part);
}

static void set_map(struct virtual_rows *v, const char *column,
		    const struct property *options, uint32_t count)
{
	struct buf out = BUF_INIT;
	uint32_t i;

	buf_add_be32(&out, count);
	for (i = 0; i < count; i++) {
		add_part(&out, bytes_str(options[i].name));
		add_part(&out, bytes_str(options[i].value));
	}
	if (!out.failed)
		virtual_set(v, column, buf_bytes(&out));
	buf_release(&out);
}

static void set_type(struct virtual_rows *v, const struct type *t)
{
	struct buf out = BUF_INIT;

	type_print(&out, t, true);
	if (!out.failed)
		virtual_set(v, "type", buf_bytes(&out));
	buf_release(&out);
}

/* --------------------------------------------------------------- keyspaces */
static void fill_keyspace(struct virtual_rows *v, const struct keyspace *k)
{
	struct bytes key = bytes_str(k->name);

	virtual_add(v, &key);
	virtual_set_boolean(v, "durable_writes", k->durable_writes);
	set_map(v, "replication", k->replication, k->replication_count);
}

/* ------------------------------------------------------------------ tables */
static void set_flags(struct virtual_rows *v, const struct table *t)
{
	struct buf out = BUF_INIT;
	const char *names[2];
	uint32_t i, count = 0;

	if (!(t->flags & TABLE_COMPACT) ||
	    (t->flags & TABLE_DENSE && t->clustering_count > 1))
		names[count++] = "compound";
	if (t->flags & TABLE_COUNTER)
		names[count++] = "counter";
	if (t->flags & TABLE_DENSE)
		names[count++] = "dense";
	buf_add_be32(&out, count);
	for (i = 0; i < count; i++)
		add_part(&out, bytes_str(names[i]));
	if (!out.failed)
		virtual_set(v, "flags", buf_bytes(&out));
	buf_release(&out);
}

static void set_optional(struct virtual_rows *v, const char *column, int8_t b)
{
	if (b >= 0)
		virtual_set_boolean(v, column, b);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Append text as 0xcafe as its bytes; other text unchanged. */
static void add_blob_part(struct buf *out, const char *text)
{
	size_t len = strlen(text), i, at = out->len;

	if (len < 2 || len % 2 || text[0] != '0' || (text[1] | 0x20) != 'x') {
		add_part(out, bytes_of(text, len));
		return;
	}
	buf_add_be32(out, (uint32_t)(len / 2 - 1));
	for (i = 2; i < len; i += 2) {
		int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);

		if (high < 0 || low < 0) {
			out->len = at;
			add_part(out, bytes_of(text, len));
			return;
		}
		buf_add_byte(out, (uint8_t)(high << 4 | low));
	}
}

static void set_extensions(struct virtual_rows *v,
			   const struct table_options *o)
{
	struct buf out = BUF_INIT;
	uint32_t i;

	buf_add_be32(&out, o->extension_count);
	for (i = 0; i < o->extension_count; i++) {
		add_part(&out, bytes_str(o->extensions[i].name));
		add_blob_part(&out, o->extensions[i].value);
	}
	if (!out.failed)
		virtual_set(v, "extensions", buf_bytes(&out));
	buf_release(&out);
}

static void fill_table(struct virtual_rows *v, const struct table *t)
{
	const struct table_options *o = &t->options;
	struct bytes key[] = { bytes_str(t->keyspace), bytes_str(t->name) };

	virtual_add(v, key);
	set_flags(v, t);
	virtual_set(v, "id", bytes_of(t->id, 16));
	virtual_set_text(v, "additional_write_policy",
			 o->additional_write_policy);
	set_optional(v, "allow_auto_snapshot", o->allow_auto_snapshot);
	virtual_set_double(v, "bloom_filter_fp_chance",
			   o->bloom_filter_fp_chance);
	set_map(v, "caching", o->caching, o->caching_count);
	/* cdc stays null, as on a node where it is off. */
	virtual_set_text(v, "comment", o->comment);
	set_map(v, "compaction", o->compaction, o->compaction_count);
	set_map(v, "compression", o->compression, o->compression_count);
	virtual_set_double(v, "crc_check_chance", o->crc_check_chance);
	virtual_set_double(v, "dclocal_read_repair_chance", 0);
	virtual_set_int(v, "default_time_to_live", o->default_time_to_live);
	set_extensions(v, o);
	virtual_set_int(v, "gc_grace_seconds", o->gc_grace_seconds);
	set_optional(v, "incremental_backups", o->incremental_backups);
	virtual_set_int(v, "max_index_interval", o->max_index_interval);
	virtual_set_text(v, "memtable", o->memtable);
	virtual_set_int(v, "memtable_flush_period_in_ms",
			o->memtable_flush_period_in_ms);
	virtual_set_int(v, "min_index_interval", o->min_index_interval);
	virtual_set_text(v, "read_repair", o->read_repair);
	virtual_set_double(v, "read_repair_chance", 0);
	virtual_set_text(v, "speculative_retry", o->speculative_retry);
}

/* ----------------------------------------------------------------- columns */
static const char *const kinds[] = {
	[COLUMN_PARTITION_KEY] = "partition_key",
	[COLUMN_CLUSTERING] = "clustering",
	[COLUMN_STATIC] = "static",
	[COLUMN_REGULAR] = "regular",
};

/*
 * In Cassandra's storage a compact table without clustering columns has its
 * columns as statics, beside the hidden column1 and value.
 */
static enum column_kind shown_kind(const struct table *t,
				   enum column_kind kind)
{
	if (t->flags & TABLE_COMPACT && !(t->flags & TABLE_DENSE) &&
	    kind == COLUMN_REGULAR)
		return COLUMN_STATIC;
	return kind;
}

static void fill_columns(struct virtual_rows *v, const struct table *t)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];
		enum column_kind kind = c->hidden ? c->kind :
					shown_kind(t, c->kind);
		bool in_key = kind == COLUMN_PARTITION_KEY ||
			      kind == COLUMN_CLUSTERING;
		struct bytes key[] = { bytes_str(t->keyspace),
				       bytes_str(t->name),
				       bytes_str(c->name) };

		virtual_add(v, key);
		virtual_set_text(v, "clustering_order",
				 kind != COLUMN_CLUSTERING ? "none" :
				 c->reversed ? "desc" : "asc");
		virtual_set(v, "column_name_bytes", bytes_str(c->name));
		virtual_set_text(v, "kind", kinds[kind]);
		virtual_set_int(v, "position",
				in_key ? (int32_t)c->position : -1);
		set_type(v, c->type);
	}
}

static void fill_dropped(struct virtual_rows *v, const struct table *t)
{
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++) {
		const struct dropped_column *d = &t->dropped[i];
		struct bytes key[] = { bytes_str(t->keyspace),
				       bytes_str(t->name),
				       bytes_str(d->name) };

		virtual_add(v, key);
		virtual_set_long(v, "dropped_time", d->dropped_us / 1000);
		virtual_set_text(v, "kind", kinds[shown_kind(t, d->kind)]);
		set_type(v, d->type);
	}
}

/* ------------------------------------------------------------------- masks */
static void fill_mask(struct virtual_rows *v, const struct table *t,
		      const struct column *c)
{
	const struct column_mask *m = c->mask;
	struct bytes key[] = { bytes_str(t->keyspace), bytes_str(t->name),
			       bytes_str(c->name) };
	struct buf nulls = BUF_INIT, types = BUF_INIT, values = BUF_INIT;
	struct buf one = BUF_INIT;

	buf_add_be32(&nulls, m->argument_count);
	buf_add_be32(&types, m->argument_count);
	buf_add_be32(&values, m->argument_count);
	for (uint32_t i = 0; i < m->argument_count; i++) {
		const struct mask_argument *a = &m->arguments[i];
		const struct type *type = mask_argument_type(c, a);
		uint8_t is_null = !a->value;

		add_part(&nulls, bytes_of(&is_null, 1));
		buf_clear(&one);
		type_print(&one, type, true);
		add_part(&types, buf_bytes(&one));
		buf_clear(&one);
		if (a->value)
			type_print_constant(&one, type, mask_argument_value(a));
		add_part(&values, buf_bytes(&one));
	}
	virtual_add(v, key);
	virtual_set(v, "function_argument_nulls", buf_bytes(&nulls));
	virtual_set(v, "function_argument_types", buf_bytes(&types));
	virtual_set(v, "function_argument_values", buf_bytes(&values));
	virtual_set_text(v, "function_keyspace", "system");
	virtual_set_text(v, "function_name", m->function);
	buf_release(&nulls);
	buf_release(&types);
	buf_release(&values);
	buf_release(&one);
}

static void fill_masks(struct virtual_rows *v, const struct table *t)
{
	for (uint32_t i = 0; i < t->column_count; i++)
		if (t->columns[i].mask)
			fill_mask(v, t, &t->columns[i]);
}

/* ----------------------------------------------------------------- indexes */
static void add_target(struct buf *out, const struct table *t,
		       const struct index *x)
{
	static const char *const functions[] = {
		[INDEX_VALUES] = "values", [INDEX_KEYS] = "keys",
		[INDEX_ENTRIES] = "entries", [INDEX_FULL] = "full",
		[INDEX_SIMPLE] = NULL,
	};
	struct bytes name = bytes_str(t->columns[x->column].name);

	if (!functions[x->target]) {
		schema_print_name(out, name);
		return;
	}
	buf_add_format(out, "%s(", functions[x->target]);
	schema_print_name(out, name);
	buf_add_byte(out, ')');
}

/* True if the option of that name comes before the next one of the index's. */
static void add_index_options(struct buf *out, const struct table *t,
			      const struct index *x)
{
	struct buf target = BUF_INIT;
	struct property own[2];
	uint32_t i = 0, j = 0, own_count = 0;

	add_target(&target, t, x);
	if (x->class_name)
		own[own_count++] = (struct property){ "class_name",
						    x->class_name };
	own[own_count++] = (struct property){ "target",
					    (char *)buf_cstr(&target) };
	buf_add_be32(out, own_count + x->option_count);
	while (i < own_count || j < x->option_count) {
		const struct property *o;

		if (j == x->option_count ||
		    (i < own_count &&
		     strcmp(own[i].name, x->options[j].name) < 0))
			o = &own[i++];
		else
			o = &x->options[j++];
		add_part(out, bytes_str(o->name));
		add_part(out, bytes_str(o->value));
	}
	if (target.failed)
		out->failed = true;
	buf_release(&target);
}

static void fill_indexes(struct virtual_rows *v, const struct table *t)
{
	struct buf out = BUF_INIT;
	uint32_t i;

	for (i = 0; i < t->index_count; i++) {
		const struct index *x = &t->indexes[i];
		struct bytes key[] = { bytes_str(t->keyspace),
				       bytes_str(t->name),
				       bytes_str(x->name) };

		virtual_add(v, key);
		virtual_set_text(v, "kind", x->kind == INDEX_COMPOSITES ?
				 "COMPOSITES" : "CUSTOM");
		buf_clear(&out);
		add_index_options(&out, t, x);
		if (!out.failed)
			virtual_set(v, "options", buf_bytes(&out));
	}
	buf_release(&out);
}

/* ------------------------------------------------------------------- types */
static void fill_types(struct virtual_rows *v, const struct keyspace *k)
{
	struct buf names = BUF_INIT, types = BUF_INIT, one = BUF_INIT;
	uint32_t i, j;

	for (i = 0; i < k->type_count; i++) {
		const struct type *t = k->types[i].type;
		struct bytes key[] = { bytes_str(k->name),
				       bytes_str(k->types[i].name) };

		buf_clear(&names);
		buf_clear(&types);
		buf_add_be32(&names, t->part_count);
		buf_add_be32(&types, t->part_count);
		for (j = 0; j < t->part_count; j++) {
			add_part(&names, bytes_str(t->field_names[j]));
			buf_clear(&one);
			type_print(&one, t->parts[j], true);
			add_part(&types, buf_bytes(&one));
		}
		virtual_add(v, key);
		virtual_set(v, "field_names", buf_bytes(&names));
		virtual_set(v, "field_types", buf_bytes(&types));
	}
	buf_release(&names);
	buf_release(&types);
	buf_release(&one);
}

int system_fill_schema(struct virtual_rows *v, struct store *s,
		       const struct table *t)
{
	static const struct {
		const char *name;
		void (*keyspace)(struct virtual_rows *v,
				 const struct keyspace *k);
		void (*table)(struct virtual_rows *v, const struct table *t);
	} fillers[] = {
		{ "keyspaces", fill_keyspace, NULL },
		{ "types", fill_types, NULL },
		{ "tables", NULL, fill_table },
		{ "columns", NULL, fill_columns },
		{ "column_masks", NULL, fill_masks },
		{ "dropped_columns", NULL, fill_dropped },
		{ "indexes", NULL, fill_indexes },
	};
	struct schema *schema = store_schema(s);
	uint32_t i, j;
	size_t f;

	for (f = 0; f < ARRAY_SIZE(fillers); f++)
		if (!strcmp(fillers[f].name, t->name))
			break;
	for (i = 0; f < ARRAY_SIZE(fillers) && i < schema->keyspace_count;
	     i++) {
		const struct keyspace *k = schema->keyspaces[i];

		if (!virtual_shows(v, k, NULL))
			continue;
		if (fillers[f].keyspace)
			fillers[f].keyspace(v, k);
		for (j = 0; fillers[f].table && j < k->table_count; j++)
			if (virtual_shows(v, k, k->tables[j]))
				fillers[f].table(v, k->tables[j]);
	}
	schema_put(schema);
	return 0;
}
