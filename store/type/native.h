/*
 * Native types. Each is a table of what is special about its values, beside the
 * code of its form (uuid.c, inet.c, ...). A new one is such a file, its number in
 * type.h, its line in native.c, and its word in the lexer (cql/syntax/token.h, .c).
 *
 * The functions below do for a native kind what the type_ functions of the same
 * names in type.h do for a type. Any thread.
 */
#ifndef STORE_TYPE_NATIVE_H
#define STORE_TYPE_NATIVE_H
#include "store/type/type.h"

/* A constant's form, in the order of the lexer's enum constant_kind. */
enum literal_kind {
	LITERAL_STRING, LITERAL_INTEGER, LITERAL_UUID, LITERAL_FLOAT,
	LITERAL_BOOLEAN, LITERAL_HEX, LITERAL_DURATION,
};

/* The numbers of JSON that are values, and how they are read. */
enum json_number {
	JSON_NO_NUMBER,
	JSON_INT, JSON_LONG,	/* whole ones of 32 bits, of 64 */
	JSON_DIGITS,		/* any, by the digits as they stand */
	JSON_JAVA_TEXT,		/* any, by the text that Java makes of it */
	JSON_FLOAT,
};

/* The value of JSON's "". */
enum json_empty {
	JSON_EMPTY_VALUE,	/* the empty value */
	JSON_EMPTY_FALSE,	/* a byte of 0; in a file the empty value */
	JSON_EMPTY_IN_FILE,	/* the empty value, but only in a file */
	JSON_EMPTY_TEXT,	/* a text, to be read as any other */
};

/* The most bytes of a fixed length. */
#define NATIVE_LENGTH_MAX 16

/* Members that are NULL, 0 or false are as most types have them. */
struct native_type {
	struct type type;		/* the object of type_native() */
	const char *name, *class;	/* in CQL, and in Cassandra's code */
	bool is_number;

	/* A value's bytes: so many, or (0) of any number. */
	uint8_t length;
	bool is_never_empty;		/* of a fixed length: and not of 0 */
	const char *wrong_length;	/* what is said of any other length */
	bool is_flat;			/* type_is_flat() */
	/* Checks bytes beyond their length; NULL: any are a value. */
	int (*validate)(struct bytes value, struct type_error *error);

	/* Text. print and text_length get valid values that are not empty. */
	int (*read)(struct buf *out, struct bytes text,
		    struct type_error *error);
	bool (*may_begin)(struct bytes text);
	void (*print)(struct buf *out, struct bytes value);
	size_t (*text_length)(struct bytes value);	/* NULL: as printed */

	/* Literals of CQL. */
	unsigned constants;	/* the forms that are taken: bits of literal_kind */
	bool is_quoted;		/* printed in quotes: 'a', '2016-10-04', '::1' */
	bool has_empty;		/* users write the empty value: '', 0x */
	int (*read_literal)(struct buf *out, struct bytes text,
			    struct type_error *error);	/* NULL: read */
	/* NULL: all but the empty value, unless has_empty. */
	bool (*has_literal)(struct bytes value);
	/* NULL: as print, in quotes where is_quoted. */
	void (*print_literal)(struct buf *out, struct bytes value);

	bool casts_to_text;	/* CAST (x AS text); numbers do without it */

	/* JSON. */
	const char *json_expected;	/* "an int value" */
	enum json_number json_number;
	enum json_empty json_empty;

	/*
	 * The order of values, and as bytes that memcmp orders: those of a fixed
	 * length are changed in place (NULL: they are right), the others written
	 * so that they end themselves (NULL: with their zeros escaped).
	 */
	int (*compare)(struct bytes a, struct bytes b);	/* NULL: the bytes */
	void (*order)(uint8_t *bytes);
	void (*order_back)(uint8_t *bytes);
	void (*add_ordered)(struct buf *out, struct bytes value);
	/* out NULL: only step over it. 0 or -EUCLEAN. */
	int (*read_ordered)(struct buf *out, struct reader *r, uint8_t mask);
	bool is_ambiguous;	/* equal values may differ in their bytes */

	/* The value of mask_default(); null: zeros of the fixed length. */
	struct bytes masked;
};

/* By kind; NULL where it is no native one. */
extern const struct native_type *const native_types[TYPE_KIND_COUNT];

/* 0 or -EINVAL with Cassandra's words for a wrong bound value. */
int native_validate(enum type_kind kind, struct bytes value,
		    struct type_error *error);
/*
 * Append the value's bytes. 0 or -EINVAL; no memory: out->failed. Takes what
 * Java's readers of the type take, which is more than CQL's literals (+1 for an
 * int, .5, 0x1p3). The empty text is a value of ascii, text, inet, timestamp
 * (the empty one) and duration (zero), and refused by the others.
 */
int native_read_text(struct buf *out, enum type_kind kind, struct bytes text,
		     struct type_error *error);
/* Without quotes; a value of a wrong length (never stored) prints nothing. */
void native_print_text(struct buf *out, enum type_kind kind,
		       struct bytes value);
size_t native_text_length(enum type_kind kind, struct bytes value);
bool native_text_may_begin(enum type_kind kind, struct bytes text);
/*
 * As print_text, in quotes where CQL wants them; null for null. Values without
 * a literal (the empty int, a time beyond its day) are written as
 * blob_as_int(0x).
 */
void native_print_literal(struct buf *out, enum type_kind kind,
			  struct bytes value);
/* True if the kind's literals have quotes ('a', '2016-10-04', '::1'). */
bool native_is_quoted(enum type_kind kind);
#endif
