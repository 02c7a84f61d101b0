/* Native types by kind: which of the forms' functions does what. */
#include "store/type/native.h"

#include <ctype.h>
#include <errno.h>
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

static int wrong_length(struct type_error *error, const char *words, size_t len)
{
	return type_fail(error, "%s (%zu)", words, len);
}

static int validate_ascii(struct bytes value, struct type_error *error)
{
	size_t i;

	for (i = 0; i < value.len; i++)
		if (value.ptr[i] & 0x80)
			return type_fail(error, "Invalid byte for ascii: %d",
					 (int8_t)value.ptr[i]);
	return 0;
}

static int validate_inet(struct bytes value, struct type_error *error)
{
	char hex[2 * 200 + 1];
	size_t i;

	if (!value.len || value.len == 4 || value.len == 16)
		return 0;
	for (i = 0; i < value.len && i < 200; i++)
		snprintf(hex + 2 * i, 3, "%02x", value.ptr[i]);
	return type_fail(error, "Expected 4 or 16 byte inetaddress; got %s",
			 hex);
}

static int validate_uuid(enum type_kind kind, struct bytes value,
			 struct type_error *error)
{
	if (value.len && value.len != 16)
		return wrong_length(error, "UUID should be 16 or 0 bytes",
				    value.len);
	/* It is the first byte that Cassandra shows here. */
	if (kind == TYPE_TIMEUUID && value.len && !uuid_is_time(value.ptr))
		return type_fail(error, "Invalid version for TimeUUID type: "
				 "0x%x", value.ptr[0] >> 4);
	return 0;
}

/* Types of one length: bytes, may they be empty, what is said otherwise. */
static const struct {
	uint8_t length;
	bool or_empty;
	const char *words;
} fixed[TYPE_NATIVE_COUNT] = {
	[TYPE_BIGINT] = { 8, true, "Expected 8 or 0 byte long" },
	[TYPE_BOOLEAN] = { 1, true, "Expected 1 or 0 byte value" },
	[TYPE_COUNTER] = { 8, true, "Expected 8 or 0 byte long" },
	[TYPE_DATE] = { 4, false, "Expected 4 byte long for date" },
	[TYPE_DOUBLE] = { 8, true, "Expected 8 or 0 byte value for a double" },
	[TYPE_FLOAT] = { 4, true, "Expected 4 or 0 byte value for a float" },
	[TYPE_INT] = { 4, true, "Expected 4 or 0 byte int" },
	[TYPE_SMALLINT] = { 2, false, "Expected 2 bytes for a smallint" },
	[TYPE_TIME] = { 8, false, "Expected 8 byte long for time" },
	[TYPE_TIMESTAMP] = { 8, true, "Expected 8 or 0 byte long for date" },
	[TYPE_TINYINT] = { 1, false, "Expected 1 byte for a tinyint" },
};

int native_validate(enum type_kind kind, struct bytes value,
		    struct type_error *error)
{
	if (fixed[kind].length)
		return value.len == fixed[kind].length ||
		       (!value.len && fixed[kind].or_empty) ? 0 :
			wrong_length(error, fixed[kind].words, value.len);
	switch (kind) {
	case TYPE_ASCII:
		return validate_ascii(value, error);
	case TYPE_TEXT:
		return utf8_is_valid(value, false) ? 0 :
			type_fail(error, "String didn't validate.");
	case TYPE_DECIMAL:
		return !value.len || value.len >= 4 ? 0 :
			wrong_length(error, "Expected 0 or at least 4 bytes",
				     value.len);
	case TYPE_DURATION:
		return duration_validate(value, error);
	case TYPE_INET:
		return validate_inet(value, error);
	case TYPE_UUID:
	case TYPE_TIMEUUID:
		return validate_uuid(kind, value, error);
	case TYPE_EMPTY:
		return !value.len ? 0 :
			type_fail(error, "EmptyType only accept empty values");
	default:		/* blob, varint: any bytes */
		return 0;
	}
}

static int read_ascii(struct buf *out, struct bytes text,
		      struct type_error *error)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.ptr[i] & 0x80)
			/* Java counts what UTF-16 needs. */
			return type_fail(error, "Invalid ASCII character in "
				"string literal: java.nio.charset."
				"UnmappableCharacterException: Input length = "
				"%d", text.ptr[i] >= 0xf0 ? 2 : 1);
	buf_add_bytes(out, text);
	return 0;
}

static int read_utf8(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	if (!utf8_is_valid(text, false))
		return type_fail(error, "String didn't validate.");
	buf_add_bytes(out, text);
	return 0;
}

static int read_blob(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	size_t i;

	if (text.len < 2 || text.ptr[0] != '0' || (text.ptr[1] | 0x20) != 'x')
		return type_fail(error, "String representation of blob is "
				 "missing 0x prefix: %.*s",
				 type_fail_length(text), text.ptr);
	text = bytes_of(text.ptr + 2, text.len - 2);
	for (i = 0; i < text.len && isxdigit(text.ptr[i]); i++)
		;
	if (i < text.len || text.len % 2)
		return type_fail(error, "cannot parse '%.*s' as hex bytes",
				 type_fail_length(text), text.ptr);
	if (!buf_reserve(out, text.len / 2))
		return 0;
	for (i = 0; i < text.len; i += 2) {
		uint8_t high = text.ptr[i], low = text.ptr[i + 1];

		high = (uint8_t)((high & 15) + (high >> 6) * 9);
		low = (uint8_t)((low & 15) + (low >> 6) * 9);
		out->ptr[out->len++] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

int native_read_text(struct buf *out, enum type_kind kind, struct bytes text,
		     struct type_error *error)
{
	switch (kind) {
	case TYPE_ASCII:
		return read_ascii(out, text, error);
	case TYPE_TEXT:
		return read_utf8(out, text, error);
	case TYPE_BLOB:
		return read_blob(out, text, error);
	case TYPE_BOOLEAN:
		return number_read_boolean(out, text, error);
	case TYPE_DATE:
		return time_read_date(out, text, error);
	case TYPE_TIME:
		return time_read_time(out, text, error);
	case TYPE_TIMESTAMP:
		return time_read_timestamp(out, text, error);
	case TYPE_DURATION:
		return duration_read(out, text, error);
	case TYPE_DECIMAL:
		return decimal_read(out, text, error);
	case TYPE_VARINT:
		return decimal_read_varint(out, text, error);
	case TYPE_DOUBLE:
	case TYPE_FLOAT:
		return float_read(out, kind, text, error);
	case TYPE_INET:
		return inet_read(out, text, error);
	case TYPE_UUID:
	case TYPE_TIMEUUID:
		return uuid_read(out, kind, text, error);
	case TYPE_EMPTY:
		return native_validate(kind, text, error);
	default:
		return number_read_integer(out, kind, text, error);
	}
}
