#include "store/cql/schema/print.h"

#include "store/type/text/text.h"
#include "store/type/value.h"

/* Append 'it''s' */
static void print_string(struct buf *out, const char *text)
{
	buf_add_byte(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_add_byte(out, '\'');
		buf_add_byte(out, (uint8_t)*text);
	}
	buf_add_byte(out, '\'');
}

static void print_name(struct buf *out, const char *name)
{
	schema_print_name(out, bytes_str(name));
}

static void print_qualified(struct buf *out, const char *keyspace,
			    const char *name)
{
	print_name(out, keyspace);
	buf_add_byte(out, '.');
	print_name(out, name);
}

static void print_map(struct buf *out, const struct property *options,
		      uint32_t count)
{
	uint32_t i;

	buf_add_byte(out, '{');
	for (i = 0; i < count; i++) {
		if (i)
			buf_add_str(out, ", ");
		print_string(out, options[i].name);
		buf_add_str(out, ": ");
		print_string(out, options[i].value);
	}
	buf_add_byte(out, '}');
}

void cql_print_keyspace(struct buf *out, const struct keyspace *k)
{
	static const char package[] = "org.apache.cassandra.locator.";
	const size_t length = sizeof(package) - 1;
	uint32_t i;

	buf_add_str(out, "CREATE KEYSPACE ");
	print_name(out, k->name);
	buf_add_str(out, " WITH replication = {");
	for (i = 0; i < k->replication_count; i++) {
		const char *value = k->replication[i].value;

		if (!strcmp(k->replication[i].name, "class") &&
		    !strncmp(value, package, length))
			value += length;
		if (i)
			buf_add_str(out, ", ");
		print_string(out, k->replication[i].name);
		buf_add_str(out, ": ");
		print_string(out, value);
	}
	buf_add_format(out, "}  AND durable_writes = %s;",
		       k->durable_writes ? "true" : "false");
}

void cql_print_type(struct buf *out, const struct type *udt)
{
	uint32_t i;

	buf_add_str(out, "CREATE TYPE ");
	print_name(out, udt->keyspace);
	buf_add_byte(out, '.');
	type_print_user_name(out, udt->name);
	buf_add_str(out, " (");
	for (i = 0; i < udt->part_count; i++) {
		buf_add_str(out, i ? ",\n    " : "\n    ");
		print_name(out, udt->field_names[i]);
		buf_add_byte(out, ' ');
		type_print(out, udt->parts[i], true);
	}
	buf_add_str(out, "\n);");
}

static const struct dropped_column *find_dropped(const struct table *t,
						 const char *name)
{
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++)
		if (!strcmp(t->dropped[i].name, name))
			return &t->dropped[i];
	return NULL;
}

static bool is_key(const struct column *c)
{
	return c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING;
}

/* True if a key of one column comes after its type: not where Cassandra has a
 * hidden clustering column. */
static bool has_inline_key(const struct table *t, unsigned flags)
{
	return t->partition_key_count == 1 && !t->clustering_count &&
	       !(t->flags & TABLE_COMPACT &&
		 flags & CQL_PRINT_DESCRIBED);
}

void cql_print_column(struct buf *out, const char *name,
		      const struct type *type, enum column_kind kind)
{
	print_name(out, name);
	buf_add_byte(out, ' ');
	type_print(out, type, true);
	if (kind == COLUMN_STATIC)
		buf_add_str(out, " static");
}

static void print_mask(struct buf *out, const struct column *c)
{
	const struct column_mask *m = c->mask;

	if (!m)
		return;
	buf_add_format(out, " MASKED WITH system.%s(", m->function);
	for (uint32_t i = 0; i < m->argument_count; i++) {
		const struct mask_argument *a = &m->arguments[i];

		buf_add_str(out, i ? ", " : "");
		if (a->value)
			type_print_literal(out, mask_argument_type(c, a),
					   mask_argument_value(a));
		else
			buf_add_str(out, "null");
	}
	buf_add_byte(out, ')');
}

/*
 * True if the column is left to an ALTER. CREATE TABLE refuses masks; but a
 * table of counters needs a counter from the beginning.
 */
static bool is_masked_later(const struct table *t, uint32_t column,
			    unsigned flags)
{
	uint32_t i;

	if (!t->columns[column].mask || flags & CQL_PRINT_DESCRIBED)
		return false;
	if (!(t->flags & TABLE_COUNTER))
		return true;
	for (i = 0; i < t->column_count; i++)
		if (!is_key(&t->columns[i]) && (i < column ||
						!t->columns[i].mask))
			return true;
	return false;
}

/*
 * Print the columns of a kind with many cells or one: the latter come first. A
 * column that was dropped and added again is left to the ALTERs.
 */
static void print_columns(struct buf *out, const struct table *t,
			  enum column_kind kind, bool multicell,
			  unsigned flags, const char **separator)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];

		if (c->hidden || c->kind != kind ||
		    type_is_multicell(c->type) != multicell)
			continue;
		if (flags & CQL_PRINT_INTERNALS && !is_key(c) &&
		    find_dropped(t, c->name))
			continue;
		if (is_masked_later(t, i, flags))
			continue;
		buf_add_str(out, *separator);
		*separator = ",\n    ";
		cql_print_column(out, c->name, c->type, c->kind);
		if (flags & CQL_PRINT_DESCRIBED)
			print_mask(out, c);
		if (is_key(c) && has_inline_key(t, flags))
			buf_add_str(out, " PRIMARY KEY");
	}
}

static void print_primary_key(struct buf *out, const struct table *t)
{
	bool several = t->partition_key_count > 1;
	uint32_t i;

	buf_add_str(out, several ? ",\n    PRIMARY KEY (("
				 : ",\n    PRIMARY KEY (");
	for (i = 0; i < t->partition_key_count; i++) {
		buf_add_str(out, i ? ", " : "");
		print_name(out, table_partition_column(t, i)->name);
	}
	buf_add_str(out, several ? ")" : "");
	for (i = 0; i < t->clustering_count; i++) {
		buf_add_str(out, ", ");
		print_name(out, table_clustering_column(t, i)->name);
	}
	buf_add_byte(out, ')');
}

static void print_body(struct buf *out, const struct table *t, unsigned flags)
{
	const char *separator = "    ";
	uint32_t i;

	print_columns(out, t, COLUMN_PARTITION_KEY, false, flags, &separator);
	print_columns(out, t, COLUMN_CLUSTERING, false, flags, &separator);
	print_columns(out, t, COLUMN_STATIC, false, flags, &separator);
	print_columns(out, t, COLUMN_STATIC, true, flags, &separator);
	print_columns(out, t, COLUMN_REGULAR, false, flags, &separator);
	print_columns(out, t, COLUMN_REGULAR, true, flags, &separator);
	for (i = 0; flags & CQL_PRINT_INTERNALS && i < t->dropped_count; i++) {
		const struct dropped_column *d = &t->dropped[i];

		buf_add_str(out, ",\n    ");
		cql_print_column(out, d->name, d->type, d->kind);
	}
	if (!has_inline_key(t, flags))
		print_primary_key(out, t);
}

static void print_id(struct buf *out, const uint8_t id[16])
{
	buf_add_str(out, "ID = ");
	type_print_text(out, type_native(TYPE_UUID), bytes_of(id, 16));
	buf_add_str(out, "\n    AND ");
}

/* Print the order, of the hidden clustering column too where Cassandra shows
 * it. */
static void print_clustering_order(struct buf *out, const struct table *t,
				   unsigned flags)
{
	bool hidden = flags & CQL_PRINT_DESCRIBED;
	uint32_t i, n = 0;

	for (i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];

		if (c->kind != COLUMN_CLUSTERING || (c->hidden && !hidden))
			continue;
		buf_add_str(out, n++ ? ", " : "CLUSTERING ORDER BY (");
		print_name(out, c->name);
		buf_add_str(out, c->reversed ? " DESC" : " ASC");
	}
	if (n)
		buf_add_str(out, ")\n    AND ");
}

static void print_double(struct buf *out, const char *name, double value)
{
	uint64_t bits;
	uint8_t bytes[8];

	memcpy(&bits, &value, 8);
	put_be64(bytes, bits);
	buf_add_format(out, "    AND %s = ", name);
	type_print_text(out, type_native(TYPE_DOUBLE), bytes_of(bytes, 8));
	buf_add_byte(out, '\n');
}

static void print_list(struct buf *out, const char *name,
		       const struct property *options, uint32_t count)
{
	buf_add_format(out, "    AND %s = ", name);
	print_map(out, options, count);
	buf_add_byte(out, '\n');
}

static void print_text(struct buf *out, const char *name, const char *value)
{
	buf_add_format(out, "    AND %s = ", name);
	print_string(out, value ? value : "");
	buf_add_byte(out, '\n');
}

static void print_bool(struct buf *out, const char *name, int8_t value,
		       bool by_default)
{
	bool shown = value < 0 ? by_default : value;

	buf_add_format(out, "    AND %s = %s\n", name, shown ? "true" : "false");
}

static void print_int(struct buf *out, const char *name, int32_t value)
{
	buf_add_format(out, "    AND %s = %d\n", name, value);
}

void cql_print_options(struct buf *out, const struct table_options *o)
{
	buf_add_str(out, "additional_write_policy = ");
	print_string(out, o->additional_write_policy);
	buf_add_byte(out, '\n');
	print_bool(out, "allow_auto_snapshot", o->allow_auto_snapshot, true);
	print_double(out, "bloom_filter_fp_chance", o->bloom_filter_fp_chance);
	print_list(out, "caching", o->caching, o->caching_count);
	print_bool(out, "cdc", o->cdc, false);
	print_text(out, "comment", o->comment);
	print_list(out, "compaction", o->compaction, o->compaction_count);
	print_list(out, "compression", o->compression, o->compression_count);
	print_text(out, "memtable", o->memtable ? o->memtable : "default");
	print_double(out, "crc_check_chance", o->crc_check_chance);
	print_int(out, "default_time_to_live", o->default_time_to_live);
	print_list(out, "extensions", o->extensions, o->extension_count);
	print_int(out, "gc_grace_seconds", o->gc_grace_seconds);
	print_bool(out, "incremental_backups", o->incremental_backups, true);
	print_int(out, "max_index_interval", o->max_index_interval);
	print_int(out, "memtable_flush_period_in_ms",
		  o->memtable_flush_period_in_ms);
	print_int(out, "min_index_interval", o->min_index_interval);
	print_text(out, "read_repair", o->read_repair);
	buf_add_str(out, "    AND speculative_retry = ");
	print_string(out, o->speculative_retry);
	buf_add_byte(out, ';');
}

static void print_add(struct buf *out, const struct table *t,
		      const struct column *c)
{
	buf_add_str(out, "\nALTER TABLE ");
	print_qualified(out, t->keyspace, t->name);
	buf_add_str(out, " ADD ");
	cql_print_column(out, c->name, c->type, c->kind);
	print_mask(out, c);
	buf_add_byte(out, ';');
}

static void print_masked(struct buf *out, const struct table *t, unsigned flags)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (is_masked_later(t, i, flags))
			print_add(out, t, &t->columns[i]);
}

/* Print the ALTERs that drop the dropped columns, and add some again. */
static void print_drops(struct buf *out, const struct table *t)
{
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++) {
		const struct dropped_column *d = &t->dropped[i];
		int column = table_column(t, bytes_str(d->name));

		buf_add_str(out, "\nALTER TABLE ");
		print_qualified(out, t->keyspace, t->name);
		buf_add_str(out, " DROP ");
		print_name(out, d->name);
		buf_add_format(out, " USING TIMESTAMP %lld;",
			       (long long)d->dropped_us);
		if (column >= 0)
			print_add(out, t, &t->columns[column]);
	}
}

void cql_print_table(struct buf *out, const struct table *t, unsigned flags)
{
	bool comment = t->flags & TABLE_COMPACT &&
		       flags & CQL_PRINT_DESCRIBED;

	if (comment) {
		buf_add_str(out, "/*\nWarning: Table ");
		print_qualified(out, t->keyspace, t->name);
		buf_add_str(out, " omitted because it has constructs not "
			    "compatible with CQL (was created via legacy API)."
			    "\nApproximate structure, for reference:\n(this "
			    "should not be used to reproduce this schema)\n\n");
	}
	buf_add_str(out, "CREATE TABLE ");
	print_qualified(out, t->keyspace, t->name);
	buf_add_str(out, " (\n");
	print_body(out, t, flags);
	buf_add_str(out, "\n) WITH ");
	if (t->flags & TABLE_COMPACT)
		buf_add_str(out, "COMPACT STORAGE\n    AND ");
	if (flags & CQL_PRINT_INTERNALS)
		print_id(out, t->id);
	print_clustering_order(out, t, flags);
	cql_print_options(out, &t->options);
	print_masked(out, t, flags);
	if (flags & CQL_PRINT_INTERNALS)
		print_drops(out, t);
	if (comment)
		buf_add_str(out, "\n*/");
}

static const char *index_class(const struct index *index)
{
	if (index->class_name)
		return index->class_name;
	return index->kind == INDEX_SASI
		? "org.apache.cassandra.index.sasi.SASIIndex"
		: "StorageAttachedIndex";
}

void cql_print_index(struct buf *out, const struct table *t,
		     const struct index *index)
{
	static const char *const functions[] = {
		[INDEX_VALUES] = "values(", [INDEX_KEYS] = "keys(",
		[INDEX_ENTRIES] = "entries(", [INDEX_FULL] = "full(",
		[INDEX_SIMPLE] = "",
	};
	bool custom = index->kind != INDEX_COMPOSITES;

	buf_add_str(out, custom ? "CREATE CUSTOM INDEX " : "CREATE INDEX ");
	print_name(out, index->name);
	buf_add_str(out, " ON ");
	print_qualified(out, t->keyspace, t->name);
	buf_add_str(out, " (");
	buf_add_str(out, functions[index->target]);
	print_name(out, t->columns[index->column].name);
	buf_add_str(out, index->target == INDEX_SIMPLE ? ")" : "))");
	if (custom) {
		buf_add_str(out, " USING ");
		print_string(out, index_class(index));
	}
	if (custom && index->option_count) {
		buf_add_str(out, " WITH OPTIONS = ");
		print_map(out, index->options, index->option_count);
	}
	buf_add_byte(out, ';');
}
