/* How native values print, and what may begin their text. */
#include "store/type/native.h"

#include <stdio.h>

#include "store/base/utf8.h"
#include "store/type/decimal.h"
#include "store/type/duration.h"
#include "store/type/float.h"
#include "store/type/inet.h"
#include "store/type/number.h"
#include "store/type/time.h"
#include "store/type/timestamp.h"
#include "store/type/uuid.h"

static void print_hex(struct buf *out, struct bytes value)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	buf_add_str(out, "0x");
	if (value.len > SIZE_MAX / 2 || !buf_reserve(out, value.len * 2)) {
		out->failed = true;
		return;
	}
	for (i = 0; i < value.len; i++) {
		out->ptr[out->len++] = (uint8_t)hex[value.ptr[i] >> 4];
		out->ptr[out->len++] = (uint8_t)hex[value.ptr[i] & 15];
	}
}

static void print_float(struct buf *out, enum type_kind kind,
			struct bytes value)
{
	char text[FLOAT_TEXT_MAX];

	buf_add(out, text, float_print(text, kind, float_get(kind, value)));
}

/* Empty and broken values are not; of a timeuuid the version does not matter:
 * the least one of a time long ago has another. */
static bool is_printable(enum type_kind kind, struct bytes value)
{
	return value.len &&
	       !native_validate(kind == TYPE_TIMEUUID ? TYPE_UUID : kind,
				value, NULL);
}

void native_print_text(struct buf *out, enum type_kind kind,
		       struct bytes value)
{
	struct duration duration;

	if (kind == TYPE_BLOB) {
		print_hex(out, value);
		return;
	}
	if (!is_printable(kind, value))
		return;
	switch (kind) {
	case TYPE_ASCII:
	case TYPE_TEXT:
		buf_add_bytes(out, value);
		break;
	case TYPE_BOOLEAN:
		buf_add_str(out, value.ptr[0] ? "true" : "false");
		break;
	case TYPE_DATE:
		time_print_date(out, get_be32(value.ptr));
		break;
	case TYPE_TIME:
		time_print_time(out, (int64_t)get_be64(value.ptr));
		break;
	case TYPE_TIMESTAMP:
		time_print_timestamp(out, (int64_t)get_be64(value.ptr),
				     TIMESTAMP_TEXT);
		break;
	case TYPE_DURATION:
		if (!duration_get(&duration, value))
			duration_print(out, &duration);
		break;
	case TYPE_DECIMAL:
		decimal_print(out, value);
		break;
	case TYPE_VARINT:
		decimal_print_varint(out, value);
		break;
	case TYPE_DOUBLE:
	case TYPE_FLOAT:
		print_float(out, kind, value);
		break;
	case TYPE_INET:
		inet_print(out, value);
		break;
	case TYPE_UUID:
	case TYPE_TIMEUUID:
		uuid_print(out, value.ptr);
		break;
	default:
		buf_add_decimal(out, number_get_int(value));
	}
}

size_t native_text_length(enum type_kind kind, struct bytes value)
{
	struct buf text = BUF_INIT;
	size_t len;

	if (kind == TYPE_BLOB)
		return 2 + 2 * value.len;
	if (!is_printable(kind, value))
		return 0;
	switch (kind) {
	case TYPE_ASCII:
	case TYPE_TEXT:
		return value.len;
	case TYPE_DATE:
		return time_date_length(get_be32(value.ptr));
	case TYPE_TIMESTAMP:
		return time_timestamp_length((int64_t)get_be64(value.ptr),
					     TIMESTAMP_TEXT);
	case TYPE_DECIMAL:
		return decimal_length(value);
	case TYPE_VARINT:
		return decimal_varint_length(value);
	case TYPE_UUID:
	case TYPE_TIMEUUID:
		return 36;
	default:		/* short ones are printed */
		native_print_text(&text, kind, value);
		len = text.len;
		buf_release(&text);
		return len;
	}
}

bool native_text_may_begin(enum type_kind kind, struct bytes text)
{
	switch (kind) {
	case TYPE_ASCII:
		return utf8_is_ascii(text);
	case TYPE_TEXT:
		return utf8_is_valid(text, true);
	case TYPE_BLOB:
		return !text.len || (text.ptr[0] == '0' &&
				     (text.len == 1 ||
				      (text.ptr[1] | 0x20) == 'x'));
	case TYPE_BOOLEAN:
		return number_boolean_may_begin(text);
	case TYPE_DATE:
		return time_date_may_begin(text);
	case TYPE_TIME:
		return time_time_may_begin(text);
	case TYPE_TIMESTAMP:
		return time_timestamp_may_begin(text);
	case TYPE_DURATION:
		return duration_may_begin(text);
	case TYPE_DECIMAL:
		return decimal_may_begin(text);
	case TYPE_VARINT:
		return decimal_varint_may_begin(text);
	case TYPE_DOUBLE:
	case TYPE_FLOAT:
		return float_may_begin(text);
	case TYPE_INET:
		return inet_may_begin(text);
	case TYPE_UUID:
	case TYPE_TIMEUUID:
		return uuid_may_begin(text);
	case TYPE_EMPTY:
		return !text.len;
	default:
		return number_may_begin(kind, text);
	}
}

bool native_is_quoted(enum type_kind kind)
{
	switch (kind) {
	case TYPE_ASCII:
	case TYPE_DATE:
	case TYPE_INET:
	case TYPE_TEXT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
		return true;
	default:
		return false;
	}
}

/* Bytes that no literal of the type gives, but a function does. */
static void print_by_blob(struct buf *out, enum type_kind kind,
			  struct bytes value)
{
	buf_add_format(out, "blob_as_%s(", type_kind_name(kind));
	print_hex(out, value);
	buf_add_byte(out, ')');
}

static bool has_no_literal(enum type_kind kind, struct bytes value)
{
	switch (kind) {
	case TYPE_ASCII:
	case TYPE_BLOB:
	case TYPE_TEXT:
		return false;
	case TYPE_TIME:
		return value.len != 8 ||
		       get_be64(value.ptr) >= (uint64_t)NS_PER_DAY;
	case TYPE_INET:
		return inet_is_mapped(value);
	case TYPE_TIMESTAMP:
		return false;
	case TYPE_DECIMAL:
		/* The lexer takes no number beyond those of a double. */
		return !value.len || decimal_length(value) > 300 ||
		       (value.len >= 4 && (int32_t)get_be32(value.ptr) < -250);
	default:
		return !value.len;
	}
}

/* Years that CQL reads as printed, 1 to 9999; others are written as
 * milliseconds. */
static bool is_plain_timestamp(struct bytes value)
{
	int64_t ms = value.len == 8 ? (int64_t)get_be64(value.ptr) : 0;

	return ms >= -62135596800000 && ms < 253402300800000;
}

static void print_quoted(struct buf *out, struct bytes text)
{
	size_t i, start = 0;

	buf_add_byte(out, '\'');
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] != '\'')
			continue;
		buf_add(out, text.ptr + start, i + 1 - start);
		start = i;	/* so that it comes twice */
	}
	buf_add(out, text.ptr + start, text.len - start);
	buf_add_byte(out, '\'');
}

void native_print_literal(struct buf *out, enum type_kind kind,
			  struct bytes value)
{
	size_t start = out->len;

	if (bytes_is_null(value)) {
		buf_add_str(out, "null");
	} else if (kind_is_text(kind)) {
		print_quoted(out, value);
	} else if (has_no_literal(kind, value)) {
		print_by_blob(out, kind, value);
	} else if (kind == TYPE_TIMESTAMP && !is_plain_timestamp(value)) {
		buf_add_decimal(out, (int64_t)get_be64(value.ptr));
	} else {
		if (native_is_quoted(kind))
			buf_add_byte(out, '\'');
		native_print_text(out, kind, value);
		if (native_is_quoted(kind))
			buf_add_byte(out, '\'');
		else if (kind == TYPE_DURATION && out->len == start)
			buf_add_str(out, "0s");
	}
}
