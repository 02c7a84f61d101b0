/*
 * Masking: values that hide those of a column. A part of a text is counted as
 * Java counts it, in units of UTF-16; digests are those of Java's providers, by
 * their names there.
 */
#include <errno.h>
#include <nettle/nettle-meta.h>
#include <string.h>
#include <strings.h>

#include "store/base/alloc.h"
#include "store/cql/expression/function.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/native.h"

#define DIGEST_MAX 64		/* bytes, of SHA-512 */
#define PARTS_MAX (1 << 20)	/* of a default */

int function_mask_null(struct execution *x, const struct function *f,
		       const struct bytes *args, bool *is_null)
{
	(void)x, (void)f, (void)args;
	*is_null = true;
	return 0;
}

int function_mask_replace(struct execution *x, const struct function *f,
			  const struct bytes *args, bool *is_null)
{
	(void)f;
	*is_null = bytes_is_null(args[1]);
	buf_add_bytes(&x->scratch, args[1]);
	return 0;
}

/* ----------------------------------------------------------------- default */
/* Count the values that a default is made of: not beyond PARTS_MAX. */
static uint64_t count_parts(const struct type *t)
{
	bool vector = t->kind == TYPE_VECTOR;
	uint64_t count = 1;

	for (uint32_t i = 0; count <= PARTS_MAX && i < t->part_count &&
			     (vector || t->kind == TYPE_TUPLE ||
			      t->kind == TYPE_UDT); i++)
		count += count_parts(t->parts[i]) * (vector ? t->dimension : 1);
	return count <= PARTS_MAX ? count : PARTS_MAX + 1;
}

static int add_default(struct buf *out, const struct type *t);

/* Add the defaults of all fields or elements; a collection has none. */
static int add_default_parts(struct buf *out, const struct type *t)
{
	uint32_t count = t->kind == TYPE_VECTOR ? t->dimension :
			 t->kind == TYPE_TUPLE || t->kind == TYPE_UDT ?
						  t->part_count : 0;
	struct arena arena = ARENA_INIT;
	struct bytes *parts = arena_zalloc(&arena, count + 1, sizeof(*parts));
	struct buf part = BUF_INIT;
	int err = parts ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < count && !err; i++) {
		buf_clear(&part);
		err = add_default(&part, type_part(t, i));
		if (!err)
			parts[i] = arena_copy(&arena, buf_bytes(&part));
		if (!err && (arena.failed || part.failed))
			err = -ENOMEM;
	}
	if (!err)
		type_build(out, t, parts, count);
	buf_release(&part);
	arena_release(&arena);
	return err;
}

static int add_default(struct buf *out, const struct type *t)
{
	static const uint8_t zeros[NATIVE_LENGTH_MAX];
	const struct native_type *n = native_types[t->kind];

	if (!n)
		return add_default_parts(out, t);
	if (n->masked.ptr)
		buf_add_bytes(out, n->masked);
	else
		buf_add(out, zeros, n->length);
	return 0;
}

int function_mask_default(struct execution *x, const struct function *f,
			  const struct bytes *args, bool *is_null)
{
	(void)args;
	*is_null = false;
	/* Vectors of vectors may have more elements than there is memory. */
	if (count_parts(f->result) > PARTS_MAX)
		return refuse(x, "The default of %s has more than %d values",
			      text_of_type(x, f->result), PARTS_MAX);
	return add_default(&x->scratch, f->result);
}

/* ------------------------------------------------------- a part of a text */
/* Count the units of UTF-16 that begin with this byte of UTF-8. */
static uint32_t units_of(uint8_t byte)
{
	return (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
}

static int64_t length_of(struct bytes text)
{
	int64_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += units_of(text.ptr[i]);
	return n;
}

static int check_padding(struct execution *x, const struct function *f,
			 struct bytes padding)
{
	int64_t length = length_of(padding);

	return length == 1 ? 0 :
		refuse(x, "The padding argument for function system.%s should "
			  "be single-character, but '%s' has %lld characters.",
		       f->name, text_of(x, padding), (long long)length);
}

/* Return the length of an end that a call names; null is none. */
static int64_t end_of(struct bytes arg)
{
	return arg.len == 4 ? (int32_t)get_be32(arg.ptr) : 0;
}

/*
 * mask_inner(text, begin, end[, padding]) pads all but the ends, mask_outer the
 * ends. Half of a pair of surrogates, or what an ascii cannot hold, is '?'.
 */
int function_mask_part(struct execution *x, const struct function *f,
		       const struct bytes *args, bool *is_null)
{
	bool inner = !strcmp(f->name, "mask_inner"), mask[2];
	struct bytes text = args[0], padding = bytes_str("*");
	int64_t begin = end_of(args[1]), at = 0, end;
	size_t len;
	int err;

	*is_null = bytes_is_null(text);
	if (f->arg_count == 4 && !bytes_is_null(args[3])) {
		err = check_padding(x, f, args[3]);
		if (err)
			return err;
		padding = args[3];
		if (f->result->kind == TYPE_ASCII && padding.len > 1)
			padding = bytes_str("?");
	}
	/* As an int of Java, which may wrap. */
	end = (int32_t)(uint32_t)(length_of(text) - 1 - end_of(args[2]));
	for (size_t i = 0; i < text.len; i += len) {
		uint32_t units = units_of(text.ptr[i]);

		for (len = 1; i + len < text.len; len++)
			if (units_of(text.ptr[i + len]))
				break;
		for (uint32_t u = 0; u < units; u++, at++)
			mask[u] = (at >= begin && at <= end) == inner;
		if (!mask[0] && !mask[units - 1]) {
			buf_add(&x->scratch, text.ptr + i, len);
			continue;
		}
		for (uint32_t u = 0; u < units; u++)
			buf_add_bytes(&x->scratch,
				      mask[u] ? padding : bytes_str("?"));
	}
	return 0;
}

/* ------------------------------------------------------------------ digests */
/* Java's names, in any case: each begins with one, others come after blanks. */
static const struct {
	const char *names;
	const struct nettle_hash *hash;
} digests[] = {
	{ "SHA-256 SHA256 2.16.840.1.101.3.4.2.1", &nettle_sha256 },
	{ "MD2", &nettle_md2 },
	{ "MD5", &nettle_md5 },
	{ "SHA-1 SHA SHA1 1.3.14.3.2.26", &nettle_sha1 },
	{ "SHA-224 SHA224 2.16.840.1.101.3.4.2.4", &nettle_sha224 },
	{ "SHA-384 SHA384 2.16.840.1.101.3.4.2.2", &nettle_sha384 },
	{ "SHA-512 SHA512 2.16.840.1.101.3.4.2.3", &nettle_sha512 },
	{ "SHA-512/224 SHA512/224 2.16.840.1.101.3.4.2.5",
	  &nettle_sha512_224 },
	{ "SHA-512/256 SHA512/256 2.16.840.1.101.3.4.2.6",
	  &nettle_sha512_256 },
	{ "SHA3-224 2.16.840.1.101.3.4.2.7", &nettle_sha3_224 },
	{ "SHA3-256 2.16.840.1.101.3.4.2.8", &nettle_sha3_256 },
	{ "SHA3-384 2.16.840.1.101.3.4.2.9", &nettle_sha3_384 },
	{ "SHA3-512 2.16.840.1.101.3.4.2.10", &nettle_sha3_512 },
};

static bool is_named(const char *names, struct bytes name)
{
	for (size_t len; *names; names += len + (names[len] == ' ')) {
		len = strcspn(names, " ");
		if (len == name.len &&
		    !strncasecmp(names, (const char *)name.ptr, len))
			return true;
	}
	return false;
}

static const struct nettle_hash *find_digest(struct bytes name)
{
	/* An object identifier may have this prefix. */
	if (name.len > 4 && !strncasecmp((const char *)name.ptr, "OID.", 4))
		name = bytes_of(name.ptr + 4, name.len - 4);
	for (size_t i = 0; i < ARRAY_SIZE(digests); i++)
		if (is_named(digests[i].names, name))
			return digests[i].hash;
	return NULL;
}

int function_mask_hash(struct execution *x, const struct function *f,
		       const struct bytes *args, bool *is_null)
{
	const struct nettle_hash *hash = digests[0].hash;
	uint8_t digest[DIGEST_MAX];
	void *context;

	if (f->arg_count == 2 && !bytes_is_null(args[1]))
		hash = find_digest(args[1]);
	if (!hash)
		return refuse(x, "Hash algorithm not found: %s",
			      text_of(x, args[1]));
	*is_null = bytes_is_null(args[0]);
	if (*is_null)
		return 0;
	context = mem_zalloc(1, hash->context_size);
	if (!context)
		return -ENOMEM;
	hash->init(context);
	hash->update(context, args[0].len, args[0].ptr);
	hash->digest(context, hash->digest_size, digest);
	mem_free(context);
	buf_add(&x->scratch, digest, hash->digest_size);
	return 0;
}
