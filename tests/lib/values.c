#include "tests/lib/values.h"

#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"

static struct type *parse_type(const char **at);

static struct type *address(void)
{
	static char *const names[] = { "street", "city", "zip", "tags" };
	struct type *text = type_native(TYPE_TEXT);
	struct type *types[] = { text, text, type_native(TYPE_INT),
				 type_new(TYPE_SET, true, &text, 1) };

	return type_new_udt("ks", "address", true, names, types, 4);
}

static struct type *mixed(void)
{
	static char *const names[] = { "A", "b c", "d" };
	struct type *types[] = { type_native(TYPE_INT), type_native(TYPE_TEXT),
				 address() };

	return type_new_udt("ks", "Mixed", true, names, types, 3);
}

static struct type *parse_parts(const char **at, enum type_kind kind)
{
	struct type *parts[8];
	uint32_t count = 0, dimension = 0;

	do {
		*at += strspn(*at, "<, ");
		if (**at >= '0' && **at <= '9')
			dimension = (uint32_t)strtoul(*at, (char **)at, 10);
		else
			parts[count++] = parse_type(at);
	} while (**at == ',');
	++*at;	/* > */
	return kind == TYPE_VECTOR ? type_new_vector(parts[0], dimension) :
				     type_new(kind, true, parts, count);
}

static struct type *parse_type(const char **at)
{
	struct bytes name = bytes_of(*at, strcspn(*at, "<>, "));
	int kind;

	*at += name.len;
	if (bytes_equal(name, bytes_str("address")))
		return address();
	if (bytes_equal(name, bytes_str("Mixed")))
		return mixed();
	for (kind = TYPE_LIST; **at == '<' && kind <= TYPE_VECTOR; kind++)
		if (bytes_equal(name, bytes_str(type_kind_name(kind))))
			return parse_parts(at, kind);
	kind = type_kind_by_name(name);
	return kind < 0 ? NULL : type_native(kind);
}

struct type *type_named(const char *name)
{
	return parse_type(&name);
}

struct type *random_type(struct random *rng, unsigned depth)
{
	static char *const names[] = { "a", "B c", "set", "d" };
	struct type *parts[4];
	enum type_kind kind;
	uint32_t count = 1, i;

	if (!depth || !random_below(rng, 3)) {
		kind = random_below(rng, TYPE_LIST);
		if (kind == TYPE_EMPTY || kind == TYPE_COUNTER)
			kind = TYPE_TEXT;
		return type_native(kind);
	}
	kind = TYPE_LIST + random_below(rng, TYPE_VECTOR - TYPE_LIST + 1);
	if (kind == TYPE_MAP)
		count = 2;
	if (kind == TYPE_TUPLE || kind == TYPE_UDT)
		count = 1 + random_below(rng, 4);
	for (i = 0; i < count; i++)
		parts[i] = random_type(rng, depth - 1);
	if (kind == TYPE_UDT)
		return type_new_udt("ks", "Some type", true, names, parts,
				    count);
	if (kind == TYPE_VECTOR)
		return type_new_vector(parts[0], 1 + random_below(rng, 3));
	return type_new(kind, true, parts, count);
}

static void random_text(struct buf *out, struct random *rng, bool ascii)
{
	static const char *const pieces[] = {
		"a", "b", "'", "\"", "\\", "\n", "\x01", "\x7f", ",", ":",
		"{", "]", " ", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xe2\x82\xac",
	};
	uint32_t count = 1 + random_below(rng, 6);

	while (count--)
		buf_add_str(out, pieces[random_below(rng, ascii ? 13 : 16)]);
}

static void random_blob(struct buf *out, struct random *rng)
{
	static const uint8_t likely[] = { 0, 0, 0, 1, 0xfe, 0xff };
	uint32_t count = 1 + random_below(rng, 6);

	while (count--)
		buf_add_byte(out, likely[random_below(rng, 6)]);
}

static void random_varint(struct buf *out, struct random *rng, bool canonical)
{
	static const uint8_t likely[] = { 0, 1, 0x7f, 0x80, 0xff, 0x63, 0x64 };
	uint8_t bytes[20];
	uint32_t len = 1 + random_below(rng, random_below(rng, 4) ? 3 : 20);
	uint32_t i, skip = 0;

	for (i = 0; i < len; i++)
		bytes[i] = likely[random_below(rng, 7)];
	while (canonical && skip + 1 < len &&
	       ((!bytes[skip] && !(bytes[skip + 1] & 0x80)) ||
		(bytes[skip] == 0xff && bytes[skip + 1] & 0x80)))
		skip++;
	buf_add(out, bytes + skip, len - skip);
}

static void random_decimal(struct buf *out, struct random *rng, bool canonical)
{
	static const int32_t scales[] = {
		0, 1, 2, 3, -1, -2, 20, -20, 99, 101, -150,
		INT32_MAX - 5, INT32_MIN + 5,
	};
	static const uint8_t tens[][2] = { { 0, 1 }, { 0, 10 }, { 0, 100 },
					   { 3, 0xe8 }, { 0xff, 0xf6 } };
	uint32_t n = random_below(rng, canonical ? 11 : 13);

	buf_add_be32(out, (uint32_t)scales[n]);
	if (random_below(rng, 2) || canonical)
		random_varint(out, rng, canonical);
	else
		buf_add(out, tens[random_below(rng, 5)], 2);
}

static uint64_t random_bits(struct random *rng)
{
	static const uint64_t likely[] = {
		0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, 0x80, 42,
	};
	uint32_t n = random_below(rng, 9);

	return n < 7 ? likely[n] : random_next(rng);
}

static void random_float(struct buf *out, struct random *rng, bool wide,
			 bool canonical)
{
	static const double likely[] = {
		0.0, -0.0, 1.5, -1.5, 1e30, -1e30, __builtin_inf(),
		-__builtin_inf(), 0.1, 1e-30,
	};
	double d = likely[random_below(rng, 10)];
	float f = (float)d;
	uint64_t bits;
	uint32_t word;

	memcpy(&bits, &d, 8);
	memcpy(&word, &f, 4);
	if (!random_below(rng, 8)) {
		bool odd = !canonical && random_below(rng, 2);

		bits = 0x7ff8000000000000 + odd;
		word = 0x7fc00000 | (odd ? 0x80000001 : 0);
	}
	if (wide)
		buf_add_be64(out, bits);
	else
		buf_add_be32(out, word);
}

static void random_uuid(struct buf *out, struct random *rng, bool time)
{
	uint8_t uuid[16];
	uint32_t i;

	for (i = 0; i < 16; i++)
		uuid[i] = random_below(rng, 3) ? 0x80 : (uint8_t)
			random_below(rng, 256);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) |
			    (time || random_below(rng, 2) ? 0x10 : 0x40));
	buf_add(out, uuid, 16);
}

static void random_native(struct buf *out, struct random *rng,
			  enum type_kind kind, bool canonical)
{
	static const uint8_t durations[][3] = { { 2, 0, 0 }, { 0, 4, 0 },
						{ 0, 0, 2 }, { 1, 0, 0 } };

	switch (kind) {
	case TYPE_ASCII:
	case TYPE_TEXT:
		random_text(out, rng, kind == TYPE_ASCII);
		break;
	case TYPE_BLOB:
		random_blob(out, rng);
		break;
	case TYPE_BOOLEAN:
		buf_add_byte(out, (uint8_t)random_below(rng,
							canonical ? 2 : 3));
		break;
	case TYPE_TINYINT:
		buf_add_byte(out, (uint8_t)random_bits(rng));
		break;
	case TYPE_SMALLINT:
		buf_add_be16(out, (uint16_t)random_bits(rng));
		break;
	case TYPE_INT:
	case TYPE_DATE:
		buf_add_be32(out, (uint32_t)random_bits(rng));
		break;
	case TYPE_TIME:
		buf_add_be64(out, random_next(rng) % 86400000000000);
		break;
	case TYPE_TIMESTAMP:	/* years that have a text of their own */
		buf_add_be64(out, random_next(rng) % 100000000000000);
		break;
	case TYPE_FLOAT:
	case TYPE_DOUBLE:
		random_float(out, rng, kind == TYPE_DOUBLE, canonical);
		break;
	case TYPE_UUID:
	case TYPE_TIMEUUID:
		random_uuid(out, rng, kind == TYPE_TIMEUUID);
		break;
	case TYPE_INET:
		buf_add(out, "\x0a\0\0\1\0\0\0\2\0\0\0\0\0\0\0\1",
			random_below(rng, 2) ? 4 : 16);
		if (random_below(rng, 2))
			out->ptr[out->len - 1] = 0;
		break;
	case TYPE_VARINT:
		random_varint(out, rng, canonical);
		break;
	case TYPE_DECIMAL:
		random_decimal(out, rng, canonical);
		break;
	case TYPE_DURATION:
		buf_add(out, durations[random_below(rng, 4)], 3);
		break;
	default:
		buf_add_be64(out, random_bits(rng));
	}
}

void random_value(struct buf *out, struct random *rng, const struct type *t,
		  bool canonical)
{
	bool fields = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	struct bytes parts[8] = { BYTES_NULL };
	struct buf bufs[8];
	uint32_t count, i;

	if (kind_is_native(t->kind)) {
		random_native(out, rng, t->kind, canonical);
		return;
	}
	count = fields ? t->part_count : t->kind == TYPE_VECTOR ?
		t->dimension : random_below(rng, 4);
	if (fields && !canonical && random_below(rng, 2))
		count = 1 + random_below(rng, count);
	if (t->kind == TYPE_MAP)
		count *= 2;
	for (i = 0; i < count; i++) {
		bufs[i] = BUF_INIT;
		random_value(&bufs[i], rng, type_part(t, i), canonical);
		parts[i] = buf_bytes(&bufs[i]);
		if (fields && !random_below(rng, 3))
			parts[i] = BYTES_NULL;
	}
	if (t->kind == TYPE_SET || t->kind == TYPE_MAP)
		type_build_sorted(out, t, parts, count);
	else
		type_build(out, t, parts, count);
	for (i = 0; i < count; i++)
		buf_release(&bufs[i]);
}
