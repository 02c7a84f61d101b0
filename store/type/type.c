/*
 * The tree of types. Native types are constants (native.h) and are not counted;
 * everything else is built once, never changed and freed with its last
 * reference.
 */
#include "store/type/type.h"

#include "store/base/alloc.h"
#include "store/type/native.h"

static const char *const compound_names[TYPE_KIND_COUNT] = {
	[TYPE_LIST] = "list", [TYPE_SET] = "set", [TYPE_MAP] = "map",
	[TYPE_TUPLE] = "tuple", [TYPE_UDT] = "udt", [TYPE_VECTOR] = "vector",
};

/* Never written, though callers hold struct type * for the others' sake. */
struct type *type_native(enum type_kind kind)
{
	return (struct type *)&native_types[kind]->type;
}

static void put_parts(struct type **parts, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		type_put(parts[i]);
}

struct type *type_new(enum type_kind kind, bool frozen, struct type **parts,
		      uint32_t part_count)
{
	struct type *t = mem_zalloc(1, sizeof(*t));
	uint32_t i;

	if (t)
		t->parts = mem_zalloc(part_count, sizeof(*t->parts));
	if (!t || !t->parts) {
		put_parts(parts, part_count);
		mem_free(t);
		return NULL;
	}
	t->kind = kind;
	t->frozen = frozen && kind != TYPE_TUPLE && kind != TYPE_VECTOR;
	t->part_count = part_count;
	t->references = 1;
	for (i = 0; i < part_count; i++) {
		t->parts[i] = parts[i];
		if (parts[i]->depth > t->depth)
			t->depth = parts[i]->depth;
	}
	t->depth++;
	return t;
}

struct type *type_new_vector(struct type *element, uint32_t dimension)
{
	struct type *t = type_new(TYPE_VECTOR, false, &element, 1);

	if (t)
		t->dimension = dimension;
	return t;
}

static char *copy_string(const char *s)
{
	return mem_copy(s, strlen(s));
}

struct type *type_new_udt(const char *keyspace, const char *name, bool frozen,
			  char *const *field_names, struct type **field_types,
			  uint32_t field_count)
{
	struct type *t = type_new(TYPE_UDT, frozen, field_types, field_count);
	uint32_t i;

	if (!t)
		return NULL;
	t->keyspace = copy_string(keyspace);
	t->name = copy_string(name);
	t->field_names = mem_zalloc(field_count, sizeof(*t->field_names));
	if (!t->keyspace || !t->name || !t->field_names)
		goto fail;
	for (i = 0; i < field_count; i++) {
		t->field_names[i] = copy_string(field_names[i]);
		if (!t->field_names[i])
			goto fail;
	}
	return t;
fail:
	type_put(t);
	return NULL;
}

struct type *type_get(struct type *t)
{
	if (t && !kind_is_native(t->kind))
		__atomic_fetch_add(&t->references, 1, __ATOMIC_RELAXED);
	return t;
}

void type_put(struct type *t)
{
	uint32_t i;

	if (!t || kind_is_native(t->kind) ||
	    __atomic_sub_fetch(&t->references, 1, __ATOMIC_ACQ_REL))
		return;
	put_parts(t->parts, t->part_count);
	for (i = 0; t->field_names && i < t->part_count; i++)
		mem_free(t->field_names[i]);
	mem_free(t->field_names);
	mem_free(t->keyspace);
	mem_free(t->name);
	mem_free(t->parts);
	mem_free(t);
}

/* Return a copy of t with these parts, whose references it takes over. */
static struct type *with_parts(const struct type *t, bool frozen,
			       struct type **parts)
{
	struct type *copy;

	if (t->kind == TYPE_UDT)
		return type_new_udt(t->keyspace, t->name, frozen,
				    t->field_names, parts, t->part_count);
	copy = type_new(t->kind, frozen, parts, t->part_count);
	if (copy)
		copy->dimension = t->dimension;
	return copy;
}

static bool is_deeply_frozen(const struct type *t)
{
	uint32_t i;

	if (type_is_multicell(t))
		return false;
	for (i = 0; i < t->part_count; i++)
		if (!is_deeply_frozen(t->parts[i]))
			return false;
	return true;
}

struct type *type_frozen(struct type *t)
{
	struct type **parts, *frozen = NULL;
	uint32_t i;

	if (is_deeply_frozen(t))
		return type_get(t);
	parts = mem_zalloc(t->part_count, sizeof(*parts));
	if (!parts)
		return NULL;
	for (i = 0; i < t->part_count; i++) {
		parts[i] = type_frozen(t->parts[i]);
		if (!parts[i])
			break;
	}
	if (i == t->part_count)
		frozen = with_parts(t, true, parts);
	else
		put_parts(parts, i);
	mem_free(parts);
	return frozen;
}

struct type *type_unfrozen(struct type *t)
{
	struct type **parts, *copy;
	uint32_t i;

	if (!t->frozen)
		return type_get(t);
	parts = mem_zalloc(t->part_count, sizeof(*parts));
	if (!parts)
		return NULL;
	for (i = 0; i < t->part_count; i++)
		parts[i] = type_get(t->parts[i]);
	copy = with_parts(t, false, parts);
	mem_free(parts);
	return copy;
}

bool type_kind_is_number(enum type_kind kind)
{
	return native_types[kind] && native_types[kind]->is_number;
}

bool type_is_collection(const struct type *t)
{
	return t->kind == TYPE_LIST || t->kind == TYPE_SET ||
	       t->kind == TYPE_MAP;
}

bool type_is_multicell(const struct type *t)
{
	return !t->frozen && (type_is_collection(t) || t->kind == TYPE_UDT);
}

static bool equal_names(const struct type *a, const struct type *b)
{
	uint32_t i;

	if (strcmp(a->keyspace, b->keyspace) || strcmp(a->name, b->name))
		return false;
	for (i = 0; i < a->part_count; i++)
		if (strcmp(a->field_names[i], b->field_names[i]))
			return false;
	return true;
}

static bool equal(const struct type *a, const struct type *b, bool but_frozen)
{
	uint32_t i;

	if (a == b)
		return true;
	if (a->kind != b->kind || a->part_count != b->part_count ||
	    a->dimension != b->dimension ||
	    (!but_frozen && a->frozen != b->frozen))
		return false;
	if (a->kind == TYPE_UDT && !equal_names(a, b))
		return false;
	for (i = 0; i < a->part_count; i++)
		if (!equal(a->parts[i], b->parts[i], but_frozen))
			return false;
	return true;
}

bool type_equal(const struct type *a, const struct type *b)
{
	return equal(a, b, false);
}

bool type_equal_but_frozen(const struct type *a, const struct type *b)
{
	return equal(a, b, true);
}

bool type_uses_udt(const struct type *t, const char *keyspace, const char *name)
{
	uint32_t i;

	if (t->kind == TYPE_UDT && !strcmp(t->name, name) &&
	    !strcmp(t->keyspace, keyspace))
		return true;
	for (i = 0; i < t->part_count; i++)
		if (type_uses_udt(t->parts[i], keyspace, name))
			return true;
	return false;
}

bool type_contains_kind(const struct type *t, enum type_kind kind)
{
	uint32_t i;

	if (t->kind == kind)
		return true;
	for (i = 0; i < t->part_count; i++)
		if (type_contains_kind(t->parts[i], kind))
			return true;
	return false;
}

/* CQL's reserved words, and the two that are constants. */
bool type_identifier_is_reserved(struct bytes name)
{
	static const char *const words[] = {
		"add", "allow", "alter", "and", "apply", "asc", "authorize",
		"batch", "begin", "by", "columnfamily", "create", "delete",
		"desc", "describe", "drop", "entries", "execute", "false",
		"from", "full", "grant", "if", "in", "index", "infinity",
		"insert", "into", "is", "keyspace", "limit",
		"materialized", "modify", "nan", "norecursive", "not", "null",
		"of", "on", "or", "order", "primary", "rename", "revoke",
		"schema", "select", "set", "table", "to", "token", "true",
		"truncate", "unlogged", "update", "use", "using", "view",
		"where", "with",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (bytes_equal(name, bytes_str(words[i])))
			return true;
	return false;
}

void type_print_identifier(struct buf *out, const char *name)
{
	const char *c = name;

	if (*c >= 'a' && *c <= 'z')
		while ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ||
		       *c == '_')
			c++;
	if (c > name && !*c && !type_identifier_is_reserved(bytes_str(name))) {
		buf_add_str(out, name);
		return;
	}
	buf_add_quoted(out, bytes_str(name), '"');
}

/* Unquoted, CQL takes them for another type, or keeps them. */
static bool is_taken_type_name(struct bytes name)
{
	static const char *const taken[] = {
		"bitstring", "byte", "cast", "complex", "count", "distinct",
		"enum", "interval", "json", "macaddr", "maxwritetime", "ttl",
		"writetime",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(taken); i++)
		if (bytes_equal(name, bytes_str(taken[i])))
			return true;
	return type_kind_by_name(name) >= 0;
}

void type_print_user_name(struct buf *out, const char *name)
{
	if (is_taken_type_name(bytes_str(name)))
		buf_add_quoted(out, bytes_str(name), '"');
	else
		type_print_identifier(out, name);
}

void type_print(struct buf *out, const struct type *t, bool say_frozen)
{
	/* A tuple is always frozen, and Cassandra says so; a vector's is not. */
	bool frozen = say_frozen && (t->frozen || t->kind == TYPE_TUPLE);
	uint32_t i;

	if (frozen)
		buf_add_str(out, "frozen<");
	if (t->kind == TYPE_UDT)
		type_print_user_name(out, t->name);
	else
		buf_add_str(out, type_kind_name(t->kind));
	if (t->kind != TYPE_UDT && t->part_count) {
		for (i = 0; i < t->part_count; i++) {
			buf_add_str(out, i ? ", " : "<");
			type_print(out, t->parts[i], say_frozen);
		}
		if (t->kind == TYPE_VECTOR)
			buf_add_format(out, ", %u", t->dimension);
		buf_add_byte(out, '>');
	}
	if (frozen)
		buf_add_byte(out, '>');
}

const char *type_kind_name(enum type_kind kind)
{
	return native_types[kind] ? native_types[kind]->name :
				    compound_names[kind];
}

int type_kind_by_name(struct bytes name)
{
	int kind;

	if (bytes_equal(name, bytes_str("varchar")))
		return TYPE_TEXT;
	for (kind = 0; kind < TYPE_KIND_COUNT; kind++)
		if (native_types[kind] && kind != TYPE_EMPTY &&
		    bytes_equal(name, bytes_str(native_types[kind]->name)))
			return kind;
	return -1;
}

/*
 * Cassandra takes a few types of fixed length for variable ones here (tinyint,
 * smallint, date, time): the bytes of a vector show it, and its token.
 */
bool type_is_flat(const struct type *t)
{
	if (native_types[t->kind])
		return native_types[t->kind]->is_flat;
	return t->kind == TYPE_VECTOR && type_vector_is_flat(t);
}

bool type_vector_is_flat(const struct type *t)
{
	return type_is_flat(t->parts[0]);
}

uint32_t type_fixed_length(const struct type *t)
{
	uint64_t length;

	if (native_types[t->kind])
		return native_types[t->kind]->length;
	if (t->kind != TYPE_VECTOR || !type_vector_is_flat(t))
		return 0;
	length = (uint64_t)type_fixed_length(t->parts[0]) * t->dimension;
	return length <= INT32_MAX ? (uint32_t)length : 0;
}

/*
 * In the catalogue: a byte of kind, for those with parts a byte of frozen, a
 * varint of their number, for a user type its two names, for a vector its
 * dimension, and then the parts, each after its name in a user type.
 */
void type_encode(struct buf *out, const struct type *t)
{
	uint32_t i;

	buf_add_byte(out, (uint8_t)t->kind);
	if (kind_is_native(t->kind))
		return;
	buf_add_byte(out, t->frozen);
	buf_add_varint(out, t->part_count);
	if (t->kind == TYPE_VECTOR)
		buf_add_varint(out, t->dimension);
	if (t->kind == TYPE_UDT) {
		buf_add_sized(out, bytes_str(t->keyspace));
		buf_add_sized(out, bytes_str(t->name));
	}
	for (i = 0; i < t->part_count; i++) {
		if (t->kind == TYPE_UDT)
			buf_add_sized(out, bytes_str(t->field_names[i]));
		type_encode(out, t->parts[i]);
	}
}

static struct type *decode(struct reader *r, unsigned depth);

static char *decode_name(struct reader *r)
{
	struct bytes name = read_sized(r);

	if (r->failed || (name.len && memchr(name.ptr, 0, name.len))) {
		r->failed = true;
		return NULL;
	}
	return mem_copy(name.ptr, name.len);
}

static bool decode_count(struct reader *r, enum type_kind kind, uint32_t *count)
{
	uint64_t n = read_varint(r);

	*count = (uint32_t)n;
	if (r->failed || n > TYPE_PARTS_MAX || n > reader_left(r))
		return false;
	switch (kind) {
	case TYPE_MAP:
		return n == 2;
	case TYPE_TUPLE:
	case TYPE_UDT:
		return n > 0;
	default:
		return n == 1;
	}
}

/* The parts of t->part_count still NULL are what a failure leaves. */
static bool decode_parts(struct type *t, struct reader *r, unsigned depth)
{
	uint32_t i;

	if (t->kind == TYPE_UDT) {
		t->keyspace = decode_name(r);
		t->name = decode_name(r);
		if (!t->keyspace || !t->name || !t->field_names)
			return false;
	}
	for (i = 0; i < t->part_count; i++) {
		if (t->kind == TYPE_UDT) {
			t->field_names[i] = decode_name(r);
			if (!t->field_names[i])
				return false;
		}
		t->parts[i] = decode(r, depth);
		if (!t->parts[i])
			return false;
		if (t->parts[i]->depth > t->depth)
			t->depth = t->parts[i]->depth;
	}
	t->depth++;
	return true;
}

static struct type *decode(struct reader *r, unsigned depth)
{
	uint8_t kind = read_byte(r), frozen;
	struct type *t;
	uint32_t count;

	if (r->failed || kind >= TYPE_KIND_COUNT || !depth) {
		r->failed = true;
		return NULL;
	}
	if (kind_is_native(kind))
		return type_native(kind);
	frozen = read_byte(r);
	if (frozen > 1 || !decode_count(r, kind, &count)) {
		r->failed = true;
		return NULL;
	}
	t = mem_zalloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->kind = kind;
	t->frozen = frozen && kind != TYPE_TUPLE && kind != TYPE_VECTOR;
	t->references = 1;
	t->part_count = count;
	t->parts = mem_zalloc(count, sizeof(*t->parts));
	if (kind == TYPE_UDT)
		t->field_names = mem_zalloc(count, sizeof(*t->field_names));
	if (kind == TYPE_VECTOR) {
		uint64_t dimension = read_varint(r);

		if (r->failed || !dimension || dimension > INT32_MAX) {
			r->failed = true;
			goto fail;
		}
		t->dimension = (uint32_t)dimension;
	}
	if (t->parts && decode_parts(t, r, depth - 1))
		return t;
fail:
	if (!t->parts)
		t->part_count = 0;
	type_put(t);
	return NULL;
}

struct type *type_decode(struct reader *r)
{
	return decode(r, TYPE_DEPTH_MAX);
}
