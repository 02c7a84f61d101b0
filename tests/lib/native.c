#include "tests/lib/native.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "store/type/decimal.h"
#include "store/type/duration.h"
#include "store/type/inet.h"
#include "store/type/native.h"
#include "store/type/number.h"
#include "store/type/text/cql_constant.h"
#include "store/type/time.h"

void native_unhex(struct buf *out, const char *hex)
{
	unsigned byte;

	for (; hex[0] && hex[1]; hex += 2) {
		ck_assert_int_eq(sscanf(hex, "%2x", &byte), 1);
		buf_add_byte(out, (uint8_t)byte);
	}
}

void native_check_text(const struct native_text *t)
{
	struct buf value = BUF_INIT, want = BUF_INIT;
	struct type_error error = { .text = "" };
	int err = native_read_text(&value, t->kind, bytes_str(t->text), &error);

	if (t->hex) {
		native_unhex(&want, t->hex);
		ck_assert_int_eq(err, 0);
		ck_assert(bytes_equal(buf_bytes(&value), buf_bytes(&want)));
	} else {
		ck_assert_int_eq(err, -EINVAL);
		ck_assert_uint_gt(strlen(error.text), 0);
	}
	buf_release(&value);
	buf_release(&want);
}

static void check_prefixes(enum type_kind kind, struct bytes text)
{
	size_t i;

	for (i = 0; i <= text.len; i++)
		ck_assert_msg(native_text_may_begin(kind,
						    bytes_of(text.ptr, i)),
			      "%s: %zu bytes of %.*s", type_kind_name(kind), i,
			      (int)text.len, text.ptr);
}

void native_check_round_trip(enum type_kind kind, struct bytes value)
{
	struct buf text = BUF_INIT, back = BUF_INIT;
	struct type_error error = { .text = "" };

	ck_assert_int_eq(native_validate(kind, value, &error), 0);
	native_print_text(&text, kind, value);
	ck_assert(!text.failed);
	ck_assert_uint_eq(native_text_length(kind, value), text.len);
	ck_assert_msg(!native_read_text(&back, kind, buf_bytes(&text), &error),
		      "%s", error.text);
	ck_assert_msg(bytes_equal(buf_bytes(&back), value), "%s: %s",
		      type_kind_name(kind), buf_cstr(&text));
	check_prefixes(kind, buf_bytes(&text));
	buf_release(&text);
	buf_release(&back);
}

static void check_accepted(const struct native_case *c, struct bytes value)
{
	struct buf want = BUF_INIT, text = BUF_INIT;

	native_unhex(&want, c->hex);
	ck_assert_msg(bytes_equal(buf_bytes(&want), value), "%s %s",
		      type_kind_name(c->kind), c->text);
	native_print_text(&text, c->kind, value);
	ck_assert_str_eq(buf_cstr(&text), c->printed);
	native_check_round_trip(c->kind, value);
	/* CQL takes blanks around a time, files do not. */
	if (c->kind != TYPE_TIME || !strchr(c->text, ' '))
		check_prefixes(c->kind, bytes_str(c->text));
	buf_release(&want);
	buf_release(&text);
}

void native_check(const struct native_case *c)
{
	struct buf value = BUF_INIT;
	struct type_error error = { .text = "" };
	int err = type_read_constant(&value, type_native(c->kind), c->form,
				     bytes_str(c->text), false, "v", &error);

	if (c->hex) {
		ck_assert_msg(!err, "%s %s: %s", type_kind_name(c->kind),
			      c->text, error.text);
		check_accepted(c, buf_bytes(&value));
	} else {
		ck_assert_msg(err < 0, "%s %s", type_kind_name(c->kind),
			      c->text);
		ck_assert_str_eq(error.text, c->printed);
		ck_assert_uint_eq(value.len, 0);
	}
	buf_release(&value);
}

static void random_integer(struct buf *out, struct random *rng)
{
	struct type_error error;
	char digits[64];
	uint32_t len = 1 + random_below(rng, 60), i;

	for (i = 0; i < len; i++)
		digits[i] = (char)('0' + random_below(rng, 10));
	if (len > 1 && random_below(rng, 2))
		digits[0] = '-';
	ck_assert_int_eq(native_varint.read(out, bytes_of(digits, len),
					    &error), 0);
}

static void random_duration(struct buf *out, struct random *rng)
{
	int shift = (int)random_below(rng, 31);
	bool negative = random_below(rng, 2);
	struct duration d = {
		.months = (int32_t)random_below(rng, 1u << 31) >> shift,
		.days = (int32_t)random_below(rng, 1u << 31) >> shift,
		.ns = (int64_t)(random_next(rng) >> 1 >> 2 * shift),
	};

	if (negative) {
		d.months = -d.months;
		d.days = -d.days;
		d.ns = -d.ns;
	}
	duration_add(out, &d);
}

static void random_characters(struct buf *out, struct random *rng, bool ascii)
{
	static const char *const characters[] = {
		"a", "\n", "'", "\x01", "\x7f", "\xc3\xa9", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
		"\xf4\x8f\xbf\xbf",
	};
	uint32_t len = random_below(rng, 20);

	while (len--)
		buf_add_str(out, characters[random_below(rng, ascii ? 5 : 11)]);
}

/* Append a random value of a type of fixed length. Left out are other forms of
 * NaN, and mapped addresses, as no text has them. */
static void random_fixed(struct buf *out, struct random *rng,
			 enum type_kind kind)
{
	uint64_t n = random_next(rng) >> random_below(rng, 64);

	if (random_below(rng, 2))
		n = -n;
	switch (kind) {
	case TYPE_BOOLEAN:
		buf_add_byte(out, n & 1);
		break;
	case TYPE_DATE:
		buf_add_be32(out, (uint32_t)(n >> 32));
		break;
	case TYPE_DOUBLE:
		n = random_next(rng);
		buf_add_be64(out, (n & 0x7ff0000000000000) ==
			     0x7ff0000000000000 ? 0x7ff0000000000000 : n);
		break;
	case TYPE_FLOAT:
		n = random_next(rng) >> 32;
		buf_add_be32(out, (n & 0x7f800000) == 0x7f800000 ? 0x7fc00000 :
			     (uint32_t)n);
		break;
	case TYPE_TIME:
		buf_add_be64(out, n % (uint64_t)NS_PER_DAY);
		break;
	case TYPE_TIMESTAMP:
		buf_add_be64(out, n);
		break;
	default:
		number_add_int(out, kind, (int64_t)n);
	}
}

void native_random(struct buf *out, struct random *rng, enum type_kind kind)
{
	size_t start = out->len;
	uint32_t i;

	switch (kind) {
	case TYPE_ASCII:
	case TYPE_TEXT:
		random_characters(out, rng, kind == TYPE_ASCII);
		break;
	case TYPE_BLOB:
		random_bytes(rng, out, 40);
		break;
	case TYPE_DECIMAL:
		buf_add_be32(out, random_below(rng, 2) ?
			     random_below(rng, 80) - 20 :
			     (uint32_t)random_next(rng));
		random_integer(out, rng);
		break;
	case TYPE_VARINT:
		random_integer(out, rng);
		break;
	case TYPE_DURATION:
		random_duration(out, rng);
		break;
	case TYPE_INET:
		if (random_below(rng, 2))
			buf_add_be32(out, (uint32_t)random_next(rng));
		else
			for (i = 0; i < 8; i++)
				buf_add_be16(out, random_below(rng, 3) *
						  random_below(rng, 0x5555));
		if (inet_is_mapped(bytes_of(out->ptr + start, out->len - start)))
			out->ptr[start] = 1;
		break;
	case TYPE_TIMEUUID:
	case TYPE_UUID:
		buf_add_be64(out, random_next(rng));
		buf_add_be64(out, random_next(rng));
		if (kind == TYPE_TIMEUUID)
			out->ptr[start + 6] = (out->ptr[start + 6] & 15) | 16;
		break;
	case TYPE_EMPTY:
		break;
	default:
		random_fixed(out, rng, kind);
	}
}
