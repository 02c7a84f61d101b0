/*
 * CQL's types, and what can be done with a value of one: check its bytes, read
 * it from text, print it, compare it, order it as bytes, write it as JSON.
 *
 * A type is immutable and counted: trees share their parts, any thread may read.
 * A value is its binary form (that of Cassandra's native protocol) in a struct
 * bytes; ptr NULL is null. The empty value (length 0) exists for every native
 * type but is what a user wrote only for text, ascii and blob.
 *
 * The parts that only the language needs are in convert.h (constants, casts,
 * dates) and arithmetic.h (operators).
 */
#ifndef STORE_TYPE_TYPE_H
#define STORE_TYPE_TYPE_H
#include "store/base/arena.h"
#include "store/base/bytes.h"
#include "store/type/error.h"

/* The numbers are stored in the catalogue and must stay: a new one is the last. */
enum type_kind {
	TYPE_ASCII, TYPE_BIGINT, TYPE_BLOB, TYPE_BOOLEAN, TYPE_COUNTER,
	TYPE_DATE, TYPE_DECIMAL, TYPE_DOUBLE, TYPE_DURATION, TYPE_FLOAT,
	TYPE_INET, TYPE_INT, TYPE_SMALLINT, TYPE_TEXT, TYPE_TIME,
	TYPE_TIMESTAMP, TYPE_TIMEUUID, TYPE_TINYINT, TYPE_UUID, TYPE_VARINT,
	TYPE_EMPTY,	/* of a compact table's hidden value column */
	TYPE_LIST, TYPE_SET, TYPE_MAP, TYPE_TUPLE, TYPE_UDT, TYPE_VECTOR,
	TYPE_KIND_COUNT,
};
/* True for a type without parts; the others are those of compound values. */
static inline bool kind_is_native(enum type_kind kind)
{
	return kind < TYPE_LIST || kind > TYPE_VECTOR;
}
/* True for a number, or a counter. */
bool type_kind_is_number(enum type_kind kind);
static inline bool kind_is_text(enum type_kind kind)
{
	return kind == TYPE_TEXT || kind == TYPE_ASCII;
}

struct type {
	enum type_kind kind;
	/*
	 * A collection or user type that was declared frozen<> (or is inside
	 * another). Not frozen at the top of a column = multi-cell. Tuples,
	 * vectors and native types are always single values: false.
	 */
	bool frozen;
	uint32_t part_count;	/* LIST, SET, VECTOR 1; MAP 2; TUPLE, UDT n */
	struct type **parts;	/* references of our own; NULL for natives */
	uint32_t dimension;	/* VECTOR */
	char *keyspace, *name;	/* UDT, as in the schema (not quoted) */
	char **field_names;	/* UDT, part_count of them */
	unsigned depth;		/* 1 for a type without parts */
	unsigned references;	/* by atomic operations only */
};

/*
 * Deeper types are refused by who parses them and by type_decode, so that all
 * the walks below may recurse.
 */
#define TYPE_DEPTH_MAX 32
/* Fields of a tuple or user type. */
#define TYPE_PARTS_MAX 65535

/* Return the one object of a native type; type_get/put on it are allowed. */
struct type *type_native(enum type_kind kind);
/* Takes over the references in parts; NULL (parts put) without memory. */
struct type *type_new(enum type_kind kind, bool frozen, struct type **parts,
		      uint32_t part_count);
struct type *type_new_vector(struct type *element, uint32_t dimension);
/* Copies the names, takes over the references in field_types. */
struct type *type_new_udt(const char *keyspace, const char *name, bool frozen,
			  char *const *field_names, struct type **field_types,
			  uint32_t field_count);
struct type *type_get(struct type *t);
void type_put(struct type *t);
/* The same type frozen (deeply) or, at the top only, not frozen: a reference. */
struct type *type_frozen(struct type *t);
struct type *type_unfrozen(struct type *t);
/* True for a collection or user type that is not frozen: many cells in a
 * column. */
bool type_is_multicell(const struct type *t);
bool type_is_collection(const struct type *t);
/* Equal in every part; with frozen ignored where asked. */
bool type_equal(const struct type *a, const struct type *b);
bool type_equal_but_frozen(const struct type *a, const struct type *b);
/* True if the type, or a part of it, is this user type / is of this kind. */
bool type_uses_udt(const struct type *t, const char *keyspace, const char *name);
bool type_contains_kind(const struct type *t, enum type_kind kind);
/* As CQL writes it: map<text, frozen<list<int>>>. With say_frozen false as
 * clients see it, where frozen<> is never said. User types by name, quoted
 * where they need it. */
void type_print(struct buf *out, const struct type *t, bool say_frozen);
/* Print an identifier of CQL, in double quotes where it needs them. */
void type_print_identifier(struct buf *out, const char *name);
/* Print the name of a user type: in quotes also where it could be another's. */
void type_print_user_name(struct buf *out, const char *name);
/* True for a word that CQL reserves (pass it in lower case). */
bool type_identifier_is_reserved(struct bytes name);
/* Return the name of a kind: "int", "text" (also for varchar), "list". */
const char *type_kind_name(enum type_kind kind);
/* Return the native type of that (lower-case) name, or -1. varchar is text. */
int type_kind_by_name(struct bytes name);
/* Return the fixed length of a value's bytes, or 0 where it varies. */
uint32_t type_fixed_length(const struct type *t);
/* Cassandra knows the length of its values: they need none in a vector. */
bool type_is_flat(const struct type *t);
/* True for a vector whose elements are side by side, without a length before
 * each. */
bool type_vector_is_flat(const struct type *t);
/* A type to bytes and back, for the catalogue. read: NULL when damaged
 * (the reader has failed then) or without memory. */
void type_encode(struct buf *out, const struct type *t);
struct type *type_decode(struct reader *r);

/*
 * The parts of a frozen collection, tuple, user type or vector value. Set,
 * list: elements; map: key, value, key, value; tuple, UDT: fields (null where
 * absent or cut short). next returns 1 with *part, 0 at the end, -EUCLEAN.
 */
struct type_parts {
	const struct type *type;
	struct reader reader;
	uint32_t count, index;	/* count of *parts* (maps: 2 * entries) */
};
#endif
