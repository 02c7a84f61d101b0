/*
 * A schema: keyspaces, tables, columns, user types, indexes. It is one
 * immutable version of all of them, counted; DDL makes the next version
 * (schema_edit.h) and the catalogue makes that durable (catalog.h). Any thread
 * may read what it holds a reference to; everything below a schema lives as
 * long as the reference, and a table can be held on its own (table_get).
 */
#ifndef STORE_SCHEMA_SCHEMA_H
#define STORE_SCHEMA_SCHEMA_H
#include <sys/types.h>

#include "store/type/type.h"

enum column_kind {
	COLUMN_PARTITION_KEY, COLUMN_CLUSTERING, COLUMN_STATIC, COLUMN_REGULAR
};

/*
 * MASKED WITH f(a, b): a native function and its arguments but the first, which
 * is the column. Kept and shown, never applied. Immutable and counted.
 */
struct mask_argument {
	bool of_column;		/* its type is the column's; else: */
	enum type_kind kind;	/* a native one */
	uint8_t *value;		/* NULL: null */
	size_t value_len;
};
struct column_mask {
	char *function;
	struct mask_argument *arguments;
	uint32_t argument_count;
	unsigned references;
};

struct column {
	char *name;
	struct type *type;
	struct column_mask *mask;	/* a reference, or NULL */
	enum column_kind kind;
	uint32_t position;	/* among the columns of its kind */
	uint32_t number;	/* in the engine: never used again in the table.
				 * Key columns have one too (unused there). */
	bool reversed;		/* CLUSTERING: DESC */
	bool hidden;		/* COMPACT STORAGE: below the surface */
};

/* Numbers of an engine's cells that are no column: see table/table.h. */
#define COLUMN_NUMBER_FIRST 16

struct dropped_column {
	char *name;
	struct type *type;	/* with user types as frozen tuples */
	enum column_kind kind;
	int64_t dropped_us;	/* cells up to this timestamp are gone */
	uint32_t number;
	bool now;		/* see DROPPED_NOW */
};

enum index_kind { INDEX_COMPOSITES, INDEX_SASI, INDEX_SAI };
enum index_target { INDEX_VALUES, INDEX_KEYS, INDEX_ENTRIES, INDEX_FULL,
		    INDEX_SIMPLE };
struct property {		/* 'name': 'value' */
	char *name, *value;
};
struct index {
	char *name;
	enum index_kind kind;
	enum index_target target;
	uint32_t column;	/* place in table->columns */
	uint32_t number;	/* its hidden table in the engine */
	char *class_name;	/* of CREATE CUSTOM INDEX, as given; or NULL */
	struct property *options;
	uint32_t option_count;
	bool building;
};

/* Options of a table, as CQL has them (store/cql/README.md, "Schema"). */
struct table_options {
	char *comment, *additional_write_policy, *speculative_retry,
	     *read_repair;
	char *memtable;		/* NULL: not set ('default') */
	double bloom_filter_fp_chance, crc_check_chance;
	int32_t default_time_to_live, gc_grace_seconds, max_index_interval,
		min_index_interval, memtable_flush_period_in_ms;
	int8_t cdc, allow_auto_snapshot, incremental_backups; /* -1: not set */
	struct property *caching, *compaction, *compression, *extensions;
	uint32_t caching_count, compaction_count, compression_count,
		extension_count;
};

enum table_flags {
	TABLE_COUNTER = 1,
	TABLE_COMPACT = 2,	/* COMPACT STORAGE, either shape */
	TABLE_DENSE = 4,	/* shape (b), with clustering columns */
	/* made by mkdir: CREATE TABLE may replace it while it has no row */
	TABLE_PROVISIONAL = 8,
	TABLE_VIRTUAL = 16,	/* system tables: rows come from code */
	/* was compact, shape (a): its static rows lie where its rows lay */
	TABLE_WAS_FLAT = 32,
};

struct table {
	uint8_t id[16];
	uint32_t number;	/* in the engine; 0 for virtual tables */
	char *keyspace, *name;
	uint32_t flags;
	uid_t uid;
	gid_t gid;
	mode_t mode;		/* permission bits of the directory */
	int64_t created_us;
	uint32_t column_count;
	/* In the order of SELECT *: partition key, clustering, statics by name,
	 * regulars by name; hidden ones last. */
	struct column *columns;
	uint32_t partition_key_count, clustering_count, static_count,
		regular_count;	/* without hidden ones */
	uint32_t next_number;	/* of a column */
	struct dropped_column *dropped;
	uint32_t dropped_count;
	struct index *indexes;
	uint32_t index_count;
	struct table_options options;
	unsigned references;	/* the last member: table_copy */
};

struct user_type {
	char *name;
	struct type *type;	/* TYPE_UDT, not frozen */
};

struct keyspace {
	char *name;
	struct property *replication;	/* 'class' first */
	uint32_t replication_count;
	bool durable_writes;
	bool system;			/* not user-modifiable */
	uid_t uid;
	gid_t gid;
	mode_t mode;
	int64_t created_us;
	struct table **tables;		/* by name (bytes) */
	uint32_t table_count;
	struct user_type *types;	/* by name */
	uint32_t type_count;
	unsigned references;
};

struct schema {
	uint64_t version;		/* 1, 2, ...: one more per change */
	struct keyspace **keyspaces;	/* by name */
	uint32_t keyspace_count;
	unsigned references;
};

/* Take a reference to a version of the schema, or of a table, and return it; give
 * one back: the last frees it. NULL is accepted by the puts. Any thread. */
struct schema *schema_get(struct schema *s);
void schema_put(struct schema *s);
struct table *table_get(struct table *t);
void table_put(struct table *t);

/* Lookups; NULL when there is none. Names are as in the schema, not quoted. */
struct keyspace *schema_keyspace(const struct schema *s, struct bytes name);
struct table *keyspace_table(const struct keyspace *k, struct bytes name);
struct table *schema_table(const struct schema *s, struct bytes keyspace,
			   struct bytes name);
struct table *schema_table_by_number(const struct schema *s, uint32_t number);
struct type *keyspace_type(const struct keyspace *k, struct bytes name);
/* Return the table that has the index. */
struct table *keyspace_index(const struct keyspace *k, struct bytes name,
			     struct index **index);

static inline const struct type *
mask_argument_type(const struct column *c, const struct mask_argument *a)
{
	return a->of_column ? c->type : type_native(a->kind);
}
static inline struct bytes mask_argument_value(const struct mask_argument *a)
{
	return bytes_of(a->value, a->value_len);
}

/* Columns. Place in table->columns, or -1. Hidden ones are not found. */
int table_column(const struct table *t, struct bytes name);
static inline const struct column *
table_partition_column(const struct table *t, uint32_t i)
{
	return &t->columns[i];
}
static inline const struct column *
table_clustering_column(const struct table *t, uint32_t i)
{
	return &t->columns[t->partition_key_count + i];
}
/* Return the i-th column of the whole key, the partition key's first. */
static inline const struct column *table_key_column(const struct table *t,
						    uint32_t i)
{
	return &t->columns[i];
}
static inline bool table_has_statics(const struct table *t)
{
	return t->static_count > 0;
}
/* True if each partition is one row: there are no clustering columns. */
static inline bool table_is_flat(const struct table *t)
{
	return !t->clustering_count;
}
/* True if the table is compact (text-like key, text column1, blob value): its
 * rows are shown as plain files. */
bool table_is_schemaless(const struct table *t);

/* Append the name as CQL has it, in quotes where it needs them. */
void schema_print_name(struct buf *out, struct bytes name);
/* Exported for tests: true for a word that CQL reserves. */
bool schema_name_is_reserved(struct bytes lower_case_name);
struct keyspace *keyspace_get(struct keyspace *k);
void keyspace_put(struct keyspace *k);
#endif
