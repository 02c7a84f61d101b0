/*
 * Native types for the rest of store/type: what text.c and compound.c call for
 * a value that has no parts. Each function does for a native kind what the
 * type_ function of the same name in type.h does for a type; nothing outside
 * store/type includes this file. Any thread.
 */
#ifndef STORE_TYPE_NATIVE_H
#define STORE_TYPE_NATIVE_H
#include "store/type/type.h"

/* 0 or -EINVAL with Cassandra's words for a wrong bound value. */
int native_validate(enum type_kind kind, struct bytes value,
		    struct type_error *error);
/*
 * Appends the value's bytes. 0 or -EINVAL; no memory: out->failed. Takes what
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
 * As print_text, in quotes where CQL wants them; null for null. What no literal
 * gives (the empty int, a time beyond its day) is written blob_as_int(0x).
 */
void native_print_literal(struct buf *out, enum type_kind kind,
			  struct bytes value);
/* Do the kind's literals stand in quotes ('a', '2016-10-04', '::1')? */
bool native_is_quoted(enum type_kind kind);

/*
 * What follows is each form's own, gathered in text.c and used by convert.c,
 * arithmetic.c and the JSON reader. All read functions: 0 or -EINVAL with the
 * message, nothing appended then.
 */

/* number.c: integers of 1, 2, 4, 8 bytes; boolean. */
/* Optional sign, digits. False: not of this form, or beyond 64 bits. */
bool number_read_int64(int64_t *out, struct bytes text);
int64_t number_get_int(struct bytes value);
void number_add_int(struct buf *out, enum type_kind kind, int64_t n);
int number_read_integer(struct buf *out, enum type_kind kind,
			struct bytes text, struct type_error *error);
int number_read_boolean(struct buf *out, struct bytes text,
			struct type_error *error);
bool number_may_begin(enum type_kind kind, struct bytes text);
bool number_boolean_may_begin(struct bytes text);

/* float.c: float and double. */
double float_get(enum type_kind kind, struct bytes value);
/* Rounds a double to float for TYPE_FLOAT; one NaN. */
void float_add(struct buf *out, enum type_kind kind, double x);
int float_read(struct buf *out, enum type_kind kind, struct bytes text,
	       struct type_error *error);
/* Java's Double.toString, shortest digits: at most 26 bytes, no 0 at the end. */
#define FLOAT_TEXT_MAX 32
size_t float_print(char text[FLOAT_TEXT_MAX], enum type_kind kind, double x);
bool float_may_begin(struct bytes text);

/* decimal.c: varint and decimal, on GMP. */
int decimal_read_varint(struct buf *out, struct bytes text,
			struct type_error *error);
int decimal_read(struct buf *out, struct bytes text, struct type_error *error);
/* Why Java makes no decimal of NaN or an infinity. */
const char *decimal_refusal(double x);
void decimal_print_varint(struct buf *out, struct bytes value);
void decimal_print(struct buf *out, struct bytes value);
size_t decimal_varint_length(struct bytes value);
size_t decimal_length(struct bytes value);
bool decimal_may_begin(struct bytes text);
bool decimal_varint_may_begin(struct bytes text);

/* time.c, timestamp.c, duration.c. Days are counted from 1970-01-01. */
#define MS_PER_DAY 86400000LL
#define NS_PER_DAY 86400000000000LL
#define DATE_EPOCH 0x80000000u	/* a date's bytes for 1970-01-01 */
int64_t time_days(int64_t year, unsigned month, unsigned day);
void time_civil(int64_t days, int64_t *year, unsigned *month, unsigned *day);
unsigned time_month_length(int64_t year, unsigned month);
/* Rounds down, as division of times must. */
int64_t time_floor_div(int64_t a, int64_t b);
int64_t time_floor_mod(int64_t a, int64_t b);
/* 1 to max_len digits at the begin of r: stepped over. -1: there are none. */
int64_t time_read_digits(struct reader *r, int max_len);
int time_read_date(struct buf *out, struct bytes text,
		   struct type_error *error);
int time_read_time(struct buf *out, struct bytes text,
		   struct type_error *error);
/* Also what we print with a sign before its year; a literal may not. */
int time_read_timestamp(struct buf *out, struct bytes text,
			struct type_error *error);
int time_read_timestamp_literal(struct buf *out, struct bytes text,
				struct type_error *error);
void time_print_date(struct buf *out, uint32_t date);
void time_print_time(struct buf *out, int64_t ns);
/*
 * TEXT: 2016-10-04T12:34:00.000Z, years beyond 0-9999 with their sign, so that
 * it reads back. CAST: the same as Cassandra's CAST gives it, where years
 * before 1 lose their era (-1 is 0002). JSON and EXACT_JSON: CAST and TEXT with
 * a space for the T.
 */
enum timestamp_style {
	TIMESTAMP_TEXT, TIMESTAMP_CAST, TIMESTAMP_JSON, TIMESTAMP_EXACT_JSON,
};
void time_print_timestamp(struct buf *out, int64_t ms,
			  enum timestamp_style style);
size_t time_date_length(uint32_t date);
size_t time_timestamp_length(int64_t ms, enum timestamp_style style);
bool time_date_may_begin(struct bytes text);
bool time_time_may_begin(struct bytes text);
bool time_timestamp_may_begin(struct bytes text);

struct duration {
	int32_t months, days;
	int64_t ns;
};
int duration_read(struct buf *out, struct bytes text, struct type_error *error);
int duration_parse(struct duration *d, struct bytes text,
		   struct type_error *error);
int duration_validate(struct bytes value, struct type_error *error);
/* From a value's bytes: 0 or -EINVAL. */
int duration_get(struct duration *d, struct bytes value);
void duration_add(struct buf *out, const struct duration *d);
void duration_print(struct buf *out, const struct duration *d);
bool duration_may_begin(struct bytes text);

/* uuid.c */
int uuid_read(struct buf *out, enum type_kind kind, struct bytes text,
	      struct type_error *error);
void uuid_print(struct buf *out, const uint8_t uuid[16]);
bool uuid_may_begin(struct bytes text);
/* A uuid's or timeuuid's 16 bytes as memcmp orders them, and back. */
void uuid_order(uint8_t out[16], enum type_kind kind, const uint8_t *uuid);
void uuid_order_back(uint8_t out[16], enum type_kind kind,
		     const uint8_t *ordered);

/* inet.c */
int inet_read(struct buf *out, struct bytes text, struct type_error *error);
void inet_print(struct buf *out, struct bytes value);
bool inet_may_begin(struct bytes text);
/* The 16 bytes of a mapped IPv4 address, which text cannot write. */
bool inet_is_mapped(struct bytes value);
#endif
