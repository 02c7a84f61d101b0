/*
 * CQL's types, and what can be done with a value of one: check its bytes, read
 * it from text, print it, compare it, order it as bytes, write it as JSON.
 *
 * A type is immutable and counted: trees share their parts, any thread may read.
 * A value is its binary form (that of Cassandra's native protocol) in a struct
 * bytes; ptr NULL is null. The empty value (length 0) exists for every native
 * type but is what a user wrote only for text, ascii and blob.
 *
 * What only the language needs is in convert.h (constants, casts, dates) and
 * arithmetic.h (operators).
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
/* A type without parts; the others are those of compound values. */
static inline bool kind_is_native(enum type_kind kind)
{
	return kind < TYPE_LIST || kind > TYPE_VECTOR;
}
/* A number, or a counter. */
bool kind_is_number(enum type_kind kind);
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

/* The one object of a native type; type_get/put on it are allowed. */
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
/* A collection or user type that is not frozen: many cells in a column. */
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
/* An identifier of CQL, in double quotes where it needs them. */
void type_print_identifier(struct buf *out, const char *name);
/* The name of a user type: in quotes also where it could be another's. */
void type_print_user_name(struct buf *out, const char *name);
/* True for a word that CQL reserves (pass it in lower case). */
bool type_identifier_is_reserved(struct bytes name);
/* "int", "text" (also for varchar), "list": the name of a kind. */
const char *type_kind_name(enum type_kind kind);
/* The native type of that (lower-case) name, or -1. varchar is text. */
int type_kind_by_name(struct bytes name);
/* The fixed length of a value's bytes, or 0 where it varies. */
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
 * Check that these bytes are a value of t, with every length and nested part. 0
 * or -EINVAL with Cassandra's message.
 */
int type_validate(const struct type *t, struct bytes value,
		  struct type_error *error);

/*
 * Text form (fs/README.md, "Cells"; store/cql/README.md, "Values"). read takes
 * every literal that CQL takes for the type, without quotes, for frozen
 * collections, tuples, user types and vectors a JSON text or a CQL literal;
 * appends the bytes.
 * print appends the one canonical form, without a newline: for native types the
 * literal without quotes, else JSON. Both return 0, -EINVAL (error set) or
 * -ENOMEM is left to out->failed.
 */
int type_read_text(struct buf *out, const struct type *t, struct bytes text,
		   struct type_error *error);
void type_print_text(struct buf *out, const struct type *t, struct bytes value);
/*
 * False as soon as no text that begins with these bytes is taken by
 * type_read_text (so that write(2) refuses at once); true when in doubt.
 */
bool type_text_may_begin(const struct type *t, struct bytes text);
/* The length of type_print_text without printing (exact, cheap). */
size_t type_text_length(const struct type *t, struct bytes value);
/* A CQL literal that reads back as this value: 'it''s', 0xcafe, {1, 2}. */
void type_print_literal(struct buf *out, const struct type *t,
			struct bytes value);

/*
 * JSON (store/cql/README.md, "Values"). print writes as SELECT JSON does, and
 * null for null. read takes one JSON value (what follows it is not looked at, as
 * Cassandra does), appends the bytes and sets *is_null for a JSON null. Errors
 * as Cassandra words them after "Error decoding JSON value for c: ". 0, -EINVAL;
 * -ENOMEM also where out->failed.
 */
void type_print_json(struct buf *out, const struct type *t, struct bytes value);
int type_read_json(struct buf *out, bool *is_null, const struct type *t,
		   struct bytes json, struct type_error *error);
/*
 * The same for files, where each value comes back as it was: NaN, infinities, the
 * era of years before the first, values of no bytes.
 */
void type_print_json_exact(struct buf *out, const struct type *t,
			   struct bytes value);
int type_read_json_exact(struct buf *out, bool *is_null, const struct type *t,
			 struct bytes json, struct type_error *error);
/* A JSON string with quotes and escapes as Cassandra writes them. */
void json_print_string(struct buf *out, struct bytes text);

/*
 * A pull reader of JSON for objects (INSERT JSON, R.json). Numbers come as
 * their text. Depth is bounded (64), UTF-8 and escapes are checked.
 */
struct json_member {
	struct bytes name;	/* unescaped; valid until the arena goes */
	struct bytes value;	/* the text of the value, as it stands */
};
/*
 * Check the JSON value at the beginning of text; *value is its text alone,
 * without the blanks around it. The rest is not looked at. 0 or -EINVAL, with
 * the words of Cassandra's library, its Java class before them.
 */
int json_read_value(struct bytes *value, struct bytes text,
		    struct type_error *error);
/* The same for INSERT JSON: faults are reported as those of a map. */
int json_read_row(struct bytes *value, struct bytes text,
		  struct type_error *error);
/* A JSON string without quotes and escapes. -EINVAL if it is not one. */
int json_read_string(struct buf *out, struct bytes json,
		     struct type_error *error);
/*
 * Parse text as one JSON object: its members in order, duplicates kept. Only
 * blanks may be around it: for INSERT JSON give what json_read_value found.
 * 0, -EINVAL (error says what and where) or -ENOMEM. Memory from arena.
 */
int json_read_object(struct arena *arena, struct json_member **members,
		     size_t *count, struct bytes text, struct type_error *error);
/*
 * The same as Java's map of it: of a name that occurs twice the last value, at
 * the first place.
 */
int json_read_map(struct arena *arena, struct json_member **members,
		  size_t *count, struct bytes text, struct type_error *error);
/*
 * Call the members of such a map as columns and fields are: in lower case, but
 * for a name in quotes of its own, which loses them. A name that changes so
 * replaces the value of that name. 0 or -ENOMEM.
 */
int json_call_members(struct arena *arena, struct json_member **members,
		      size_t *count);
/* The texts of an array's elements, as json_read_object. */
int json_read_array(struct arena *arena, struct bytes **elements, size_t *count,
		    struct bytes text, struct type_error *error);

/* As Cassandra's comparator of the type: <0, 0, >0. Null sorts first. */
int type_compare(const struct type *t, struct bytes a, struct bytes b);

/*
 * Byte-comparable form (ordered.c): memcmp orders two encodings as
 * type_compare orders the values, and none is a prefix of another. append adds
 * the lead byte: 0x3E null, 0x3F empty, 0x40 value. For reversed columns every
 * byte after it is inverted, and it is 0x40 value, 0x41 empty, 0x42 null, so
 * that it stays between a key's bounds (row/key.h). decode reads one
 * component from r and appends the value's bytes, or sets *is_null.
 * type_ordered_exact: decode gives back the very bytes that were encoded
 * (false for what holds a decimal, and for other types where values that are
 * equal may differ in bytes).
 */
void type_ordered_append(struct buf *out, const struct type *t,
			 struct bytes value, bool reversed);
int type_ordered_decode(struct buf *out, bool *is_null, const struct type *t,
			struct reader *r, bool reversed);
/* Return the length of the component at the beginning of `from` if it holds its
 * value as it is (text and blobs without zeros inside), with *value a slice of
 * it. Else 0. */
size_t type_ordered_slice(struct bytes *value, const struct type *t,
			  struct bytes from, bool reversed);
/* Step over one component: 0 or -EUCLEAN. */
int type_ordered_skip(struct reader *r, const struct type *t, bool reversed);
bool type_ordered_exact(const struct type *t);

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
int type_parts_begin(struct type_parts *p, const struct type *t,
		     struct bytes value);
int type_parts_next(struct type_parts *p, struct bytes *part);
/* The type of the part of that index (maps: of keys and values in turn). */
const struct type *type_part(const struct type *t, uint32_t index);
/*
 * Build such a value from its parts, in the order given (sets and maps: sorted
 * by the caller or with type_build_sorted, which sorts, reordering parts, and of
 * equal keys keeps the first key and the last value, as Cassandra does). Tuples
 * may be given fewer parts than fields. sorted: 0 or -ENOMEM.
 */
void type_build(struct buf *out, const struct type *t,
		const struct bytes *parts, size_t part_count);
int type_build_sorted(struct buf *out, const struct type *t,
		      struct bytes *parts, size_t part_count);
#endif
