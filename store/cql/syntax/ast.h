/*
 * A parsed CQL statement: the text's contents, before any name is looked up.
 * parse.h makes it. Every node and every string is in the arena given to
 * cql_parse: no slice points into the text, which may be freed. A tree is
 * constant once it is made; any thread may read it. Strings in struct bytes
 * have a 0 byte after them, so that ptr is a C string too.
 *
 * Arrays are a pointer and a count; with count 0 the pointer may be NULL. A
 * pointer that may be NULL says so.
 */
#ifndef STORE_CQL_SYNTAX_AST_H
#define STORE_CQL_SYNTAX_AST_H
#include "store/base/bytes.h"
#include "store/type/type.h"

/* A place in the text: bytes from its beginning. For carets. */
struct span {
	uint32_t offset, length;
};

/*
 * A name. Unquoted ones are folded to lower case. text.ptr NULL: not given.
 * Keyspace, table and index names fold too, as do names of functions.
 */
struct identifier {
	struct bytes text;
	struct span span;
};
static inline bool identifier_is_given(const struct identifier *id)
{
	return id->text.ptr;
}

/* The name of a table, type, index or view; the keyspace may be missing. */
struct table_name {
	struct identifier keyspace, name;
};

/*
 * A type as written. Names of user types are not resolved, and the place of a
 * collection is not checked.
 */
enum type_name_kind {
	TYPE_NAME_NATIVE, TYPE_NAME_LIST, TYPE_NAME_SET, TYPE_NAME_MAP,
	TYPE_NAME_TUPLE, TYPE_NAME_VECTOR,
	TYPE_NAME_USER,		/* user.keyspace may be not given */
	TYPE_NAME_CUSTOM,	/* 'org.apache…': custom; native, or EMPTY */
};
struct type_name {
	enum type_name_kind kind;
	bool frozen;			/* frozen<this>, which freezes what is
					 * inside, too */
	enum type_kind native;		/* NATIVE */
	bool varchar;			/* TYPE_TEXT by its other name */
	struct type_name **parts;	/* LIST, SET, VECTOR 1; MAP 2; TUPLE */
	uint32_t part_count;
	int32_t dimension;		/* VECTOR, as written: may be <= 0 */
	struct table_name user;
	struct bytes custom;
	struct span span;
};

/*
 * A term: an expression for a value, in VALUES, SET, WHERE, IF and as argument;
 * and an item of a SELECT list (a "selectable"), where the kinds marked S may
 * occur too. The parser accepts no S kind elsewhere.
 */
enum term_kind {
	TERM_CONSTANT,
	TERM_NULL,
	TERM_MARKER,		/* ? or :name, for a bound value */
	TERM_LIST,		/* [a, b]: list or vector */
	TERM_SET,		/* {a, b}; {} is a set or a map by its target */
	TERM_MAP,		/* items: key, value, key, value. In a SELECT
				 * list it may be a user type: keys are columns */
	TERM_USER,		/* {f: a}: names and items, as many of each */
	TERM_TUPLE,		/* (a, b); (a) is one item, in brackets or a
				 * tuple by its target */
	TERM_HINT,		/* (type)left */
	TERM_CAST,		/* CAST(left AS type) */
	TERM_CALL,		/* function(items); count(*) is COUNT_ROWS */
	TERM_BINARY,		/* left op right: op is one of + - * / % */
	TERM_NEGATE,		/* -left */
	TERM_COLUMN,		/* S: name */
	TERM_FIELD,		/* S: left.name */
	TERM_ELEMENT,		/* S: left[right] */
	TERM_SLICE,		/* S: left[from..to], from or to may be NULL */
	TERM_COUNT_ROWS,	/* S: count(*) */
	TERM_WRITETIME, TERM_MAXWRITETIME, TERM_TTL,	/* S: of left;
				 * NULL: of the row, of its marker */
};

/* The lexer's kind of a constant; printed in messages as STRING, INTEGER, … */
enum constant_kind {
	CONSTANT_STRING, CONSTANT_INTEGER, CONSTANT_UUID, CONSTANT_FLOAT,
	CONSTANT_BOOLEAN, CONSTANT_HEX, CONSTANT_DURATION,
};

struct term {
	enum term_kind kind;
	enum constant_kind constant;	/* CONSTANT */
	char op;			/* BINARY */
	/*
	 * CONSTANT: as written, but a string unescaped and NaN, -NaN and
	 * ±Infinity in one spelling (NaN, Infinity, -Infinity).
	 */
	struct bytes text;
	struct identifier name;		/* COLUMN, FIELD, CALL; MARKER: may be
					 * not given */
	struct identifier keyspace;	/* CALL: may be not given */
	uint32_t marker;		/* MARKER: number, from 0 */
	uint32_t height;		/* of this tree, at most some 500 */
	uint32_t item_count;
	struct term **items;		/* LIST, SET, MAP, USER, TUPLE, CALL */
	struct identifier *names;	/* USER */
	struct term *left, *right;	/* SLICE: from is right */
	struct term *to;		/* SLICE */
	struct type_name *type;		/* HINT; CAST (native) */
	struct span span;
};

enum operator_kind {
	OPERATOR_EQ, OPERATOR_NE, OPERATOR_LT, OPERATOR_LE, OPERATOR_GT,
	OPERATOR_GE, OPERATOR_IN, OPERATOR_CONTAINS, OPERATOR_CONTAINS_KEY,
	OPERATOR_LIKE, OPERATOR_IS_NOT,	/* IS NOT NULL: value is TERM_NULL */
};

/* One part of a WHERE. */
enum relation_kind {
	RELATION_COLUMN,	/* columns[0] op value */
	RELATION_ELEMENT,	/* columns[0][key] op value */
	RELATION_TUPLE,		/* (columns) op value: a TERM_TUPLE or MARKER;
				 * IN: values are such */
	RELATION_TOKEN,		/* token(columns) op value */
	RELATION_CUSTOM,	/* expr(columns[0], value) */
};
struct relation {
	enum relation_kind kind;
	enum operator_kind op;
	struct identifier *columns;
	uint32_t column_count;
	struct term *key;	/* ELEMENT */
	/*
	 * The right side. IN (a, b): value NULL, values holds them (maybe
	 * none). IN ? : value is the marker.
	 */
	struct term *value;
	struct term **values;
	uint32_t value_count;
	struct span span;
};

/* USING: integer constants or markers, NULL where not given. */
struct using_clause {
	struct term *timestamp, *ttl;
};

/* One IF condition: column op value, column[key] op value, column.field op
 * value; the value as in struct relation. */
struct condition {
	struct identifier column;
	enum operator_kind op;
	struct term *key;		/* NULL: none */
	struct identifier field;	/* may be not given */
	struct term *value;
	struct term **values;
	uint32_t value_count;
	struct span span;
};
/* IF …: none, EXISTS, NOT EXISTS, or conditions. */
struct if_clause {
	bool exists, not_exists;
	struct condition *conditions;
	uint32_t condition_count;
	struct span span;
};

struct selection {
	struct term *term;
	struct identifier alias;	/* may be not given */
};
struct ordering {
	struct identifier column;
	bool descending;
	struct term *ann_of;		/* ORDER BY c ANN OF term, or NULL */
};
struct select {
	struct table_name table;
	bool json, distinct, allow_filtering;
	bool all;			/* SELECT *: no selections */
	struct selection *selections;
	uint32_t selection_count;
	struct relation *relations;
	uint32_t relation_count;
	struct term **groups;
	uint32_t group_count;
	struct ordering *orderings;
	uint32_t ordering_count;
	struct term *per_partition_limit, *limit;	/* NULL: none */
};

struct insert {
	struct table_name table;
	struct identifier *columns;
	struct term **values;		/* may be of another number: the
					 * executor refuses that */
	uint32_t column_count, value_count;
	struct term *json;		/* INSERT JSON: a string or a marker */
	bool json_default_unset;
	bool if_not_exists;
	struct using_clause using;
};

enum assignment_kind {
	ASSIGN_SET,		/* c = value */
	ASSIGN_ADD,		/* c = c + value, c += value */
	ASSIGN_SUBTRACT,	/* c = c - value, c -= value */
	ASSIGN_PREPEND,		/* c = value + c */
	ASSIGN_ELEMENT,		/* c[key] = value */
	ASSIGN_FIELD,		/* c.field = value */
};
/* c = c -1 is ADD of the constant -1, as Cassandra has it. */
struct assignment {
	enum assignment_kind kind;
	struct identifier column;
	struct term *key;
	struct identifier field;
	struct term *value;
	struct span span;
};
struct update {
	struct table_name table;
	struct using_clause using;
	struct assignment *assignments;
	uint32_t assignment_count;
	struct relation *relations;
	uint32_t relation_count;
	struct if_clause condition;
};

/* DELETE c, c[key], c.field: a deleted part of the row. */
struct deleted_item {
	struct identifier column;
	struct term *key;		/* NULL: none */
	struct identifier field;	/* may be not given */
	struct span span;
};
struct delete {
	struct table_name table;
	struct deleted_item *deletions;	/* none: whole rows */
	uint32_t deletion_count;
	struct using_clause using;	/* a timestamp only */
	struct relation *relations;
	uint32_t relation_count;
	struct if_clause condition;
};

enum batch_kind { BATCH_LOGGED, BATCH_UNLOGGED, BATCH_COUNTER };
struct statement;
struct batch_statement {
	enum batch_kind kind;
	struct using_clause using;
	struct statement **statements;	/* INSERT, UPDATE, DELETE */
	uint32_t statement_count;
};

/*
 * WITH name = value AND …. The parser has refused doubles. A simple value is
 * kept as raw text ('a' gives a, 1.5 gives 1.5), a map as pairs of such, in
 * the order written.
 */
struct written_property {
	struct identifier name;
	bool is_map;
	struct bytes value;
	struct span value_span;
	struct { struct bytes key, value; } *entries;
	uint32_t entry_count;
};
struct properties {
	struct written_property *items;
	uint32_t count;
};

struct column_definition {
	struct identifier name;
	struct type_name *type;
	bool is_static, primary_key;	/* PRIMARY KEY right after the column */
	struct term *mask;		/* MASKED WITH: a call without its first
					 * argument, the column; or NULL */
	struct span span;
};
struct clustering_order {
	struct identifier column;
	bool descending;
};
struct create_table {
	struct table_name table;
	bool if_not_exists;
	struct column_definition *columns;
	uint32_t column_count;
	/* PRIMARY KEY ((partition), clustering), or right after a column. */
	struct identifier *partition_key, *clustering_key;
	uint32_t partition_key_count, clustering_key_count;
	bool has_key;		/* the executor refuses a table without */
	struct clustering_order *orders;
	uint32_t order_count;
	bool compact_storage;
	struct properties properties;
};

enum alter_table_kind {
	ALTER_TABLE_ADD,		/* columns */
	ALTER_TABLE_DROP,		/* names, timestamp */
	ALTER_TABLE_RENAME,		/* names: from, to, from, to */
	ALTER_TABLE_TYPE,		/* columns[0]: refused by the executor */
	ALTER_TABLE_MASK,		/* refused */
	ALTER_TABLE_UNMASK,		/* columns[0]: DROP MASKED */
	ALTER_TABLE_DROP_COMPACT,
	ALTER_TABLE_WITH,		/* properties */
};
struct alter_table {
	enum alter_table_kind kind;
	struct table_name table;
	bool if_exists;			/* ALTER TABLE IF EXISTS */
	bool if_column_exists;		/* DROP/RENAME IF EXISTS */
	bool if_column_not_exists;	/* ADD IF NOT EXISTS */
	struct column_definition *columns;
	uint32_t column_count;
	struct identifier *names;
	uint32_t name_count;
	bool has_timestamp;
	int64_t timestamp;		/* DROP … USING TIMESTAMP */
	struct properties properties;
};

struct create_type {
	struct table_name name;
	bool if_not_exists;
	struct column_definition *fields;
	uint32_t field_count;
};
enum alter_type_kind { ALTER_TYPE_ADD, ALTER_TYPE_RENAME, ALTER_TYPE_TYPE };
struct alter_type {
	enum alter_type_kind kind;
	struct table_name name;
	bool if_exists, if_field_exists, if_field_not_exists;
	struct column_definition field;	/* ADD, TYPE */
	struct identifier *names;	/* RENAME: from, to, from, to */
	uint32_t name_count;
};

enum index_target_kind {
	INDEX_TARGET_SIMPLE, INDEX_TARGET_VALUES, INDEX_TARGET_KEYS,
	INDEX_TARGET_ENTRIES, INDEX_TARGET_FULL,
};
struct indexed_column {
	enum index_target_kind kind;
	struct identifier column;
};
struct create_index {
	struct table_name table;
	struct identifier name;		/* may be not given */
	bool custom, if_not_exists;
	struct indexed_column *targets;	/* maybe none */
	uint32_t target_count;
	struct bytes using_class;	/* null: not given */
	struct properties properties;
};

/* CREATE and ALTER KEYSPACE. */
struct keyspace_statement {
	struct identifier name;
	bool if_exists, if_not_exists;
	struct properties properties;
};
/* DROP of a keyspace (name.name), table, type, index; and TRUNCATE. */
struct drop {
	struct table_name name;
	bool if_exists;
};

enum describe_kind {
	DESCRIBE_CLUSTER, DESCRIBE_SCHEMA, DESCRIBE_KEYSPACES,
	DESCRIBE_KEYSPACE,	/* name.name may be not given: that of USE */
	DESCRIBE_TABLES, DESCRIBE_TABLE, DESCRIBE_INDEX, DESCRIBE_VIEW,
	DESCRIBE_TYPES, DESCRIBE_TYPE, DESCRIBE_FUNCTIONS, DESCRIBE_FUNCTION,
	DESCRIBE_AGGREGATES, DESCRIBE_AGGREGATE,
	DESCRIBE_ANY,		/* a bare name: keyspace, table or index */
};
struct describe {
	enum describe_kind kind;
	struct table_name name;
	bool full, only, internals;
};

/*
 * Statements of the grammar that we do not have: the executor refuses them, in
 * Cassandra's words. ROLES is for CREATE, ALTER, DROP and LIST of roles and
 * users, GRANT, REVOKE, LIST of permissions, and identities.
 */
enum statement_kind {
	STATEMENT_SELECT, STATEMENT_INSERT, STATEMENT_UPDATE, STATEMENT_DELETE,
	STATEMENT_BATCH, STATEMENT_TRUNCATE, STATEMENT_USE, STATEMENT_DESCRIBE,
	STATEMENT_CREATE_KEYSPACE, STATEMENT_ALTER_KEYSPACE,
	STATEMENT_DROP_KEYSPACE,
	STATEMENT_CREATE_TABLE, STATEMENT_ALTER_TABLE, STATEMENT_DROP_TABLE,
	STATEMENT_CREATE_TYPE, STATEMENT_ALTER_TYPE, STATEMENT_DROP_TYPE,
	STATEMENT_CREATE_INDEX, STATEMENT_DROP_INDEX,
	STATEMENT_CREATE_VIEW, STATEMENT_ALTER_VIEW, STATEMENT_DROP_VIEW,
	STATEMENT_CREATE_FUNCTION, STATEMENT_DROP_FUNCTION,
	STATEMENT_CREATE_AGGREGATE, STATEMENT_DROP_AGGREGATE,
	STATEMENT_CREATE_TRIGGER, STATEMENT_DROP_TRIGGER,
	STATEMENT_ROLES,
};
struct statement {
	enum statement_kind kind;
	struct span span;		/* without the ; */
	uint32_t marker_count;		/* ? and :name in the whole of it */
	union {
		struct select *select;
		struct insert *insert;
		struct update *update;
		struct delete *delete;
		struct batch_statement *batch;
		struct drop *drop;	/* DROP_*, TRUNCATE */
		struct identifier *use;
		struct describe *describe;
		struct keyspace_statement *keyspace;	/* CREATE, ALTER */
		struct create_table *create_table;
		struct alter_table *alter_table;
		struct create_type *create_type;
		struct alter_type *alter_type;
		struct create_index *create_index;
		/* views, functions, aggregates, triggers: the named object */
		struct table_name *named;
	};
};
#endif
