/*
 * Look up types as DDL and type hints write them. Cassandra checks the parts of
 * a collection before it looks up any name, and prints a type as it was written
 * until then.
 */
#include "store/cql/expression/type_resolve.h"

#include <errno.h>
#include <string.h>

#include "store/cql/syntax/type_name.h"
#include "store/cql/expression/assignability.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/text.h"

/* The most nodes that a type may have, with all types that it names; they are
 * walked, and stored, as a tree. */
#define TYPE_SIZE_MAX 100000

static bool is_native(const struct type_name *t, enum type_kind kind)
{
	return t->kind == TYPE_NAME_NATIVE && t->native == kind;
}

static const char *text_of_raw(struct execution *x,
			       const struct written_type *r,
			       struct bytes keyspace)
{
	struct buf buf = BUF_INIT;

	written_type_print(&buf, r, keyspace);
	return text_of_buf(x, &buf);
}

const char *type_text_of_name(struct execution *x, const struct type_name *t,
			      struct bytes keyspace)
{
	struct written_type raw = { t, t->frozen };

	return text_of_raw(x, &raw, keyspace);
}

/* ------------------------------------------------------------ looking up */
struct lookup {
	struct execution *x;
	const struct keyspace *keyspace;
	unsigned depth;
};

static int look_up(struct lookup *l, struct type **out,
		   const struct written_type *r);

static int look_up_user(struct lookup *l, struct type **out,
			const struct written_type *r)
{
	const struct table_name *user = &r->name->user;
	const struct keyspace *k = l->keyspace;
	struct execution *x = l->x;
	struct type *t;

	if (identifier_is_given(&user->keyspace) &&
	    !bytes_equal(user->keyspace.text, bytes_str(k->name)))
		return refuse(x, "Statement on keyspace %s cannot refer to a "
				 "user type in keyspace %s; user types can "
				 "only be used in the keyspace they are "
				 "defined in", k->name,
			      text_of(x, user->keyspace.text));
	t = keyspace_type(k, user->name.text);
	if (!t)
		return refuse_at(x, r->name->span,
				 refuse(x, "Unknown type %s.%s", k->name,
					text_of(x, user->name.text)));
	*out = r->frozen ? type_frozen(t) : type_get(t);
	return *out ? 0 : -ENOMEM;
}

/* Refuse a class of Cassandra's that is none of our types. */
static int refuse_class(struct execution *x, const struct type_name *name)
{
	const char *class = text_of(x, name->custom);

	return refuse_as(x, CQL_SYNTAX, "Error setting type %s: it is no type "
			 "of CQL", class);
}

/* Check that the part may be in that collection. */
static int check_part(struct lookup *l, const struct written_type *r,
		      uint32_t i)
{
	struct written_type part = written_type_part(r, i);
	const struct type_name *t = part.name;
	bool nests = type_name_is_collection(t) || t->kind == TYPE_NAME_USER;
	bool key = r->name->kind == TYPE_NAME_MAP && !i;
	struct execution *x = l->x;
	const char *why = NULL;

	if (is_native(t, TYPE_COUNTER))
		why = "Counters are not allowed inside collections: %s";
	else if (is_native(t, TYPE_DURATION) &&
		 r->name->kind == TYPE_NAME_SET)
		why = "Durations are not allowed inside sets: %s";
	else if (is_native(t, TYPE_DURATION) && key)
		why = "Durations are not allowed as map keys: %s";
	else if (!r->frozen && nests && !part.frozen)
		why = type_name_is_collection(t) ?
			      "Non-frozen collections are not allowed inside "
			      "collections: %s" :
			      "Non-frozen UDTs are not allowed inside "
			      "collections: %s";
	if (!why)
		return 0;
	return refuse_at(x, r->name->span,
			 refuse(x, why, text_of_raw(l->x, r, BYTES_NULL)));
}

/* A map's value is checked before its key. */
static int check_parts(struct lookup *l, const struct written_type *r)
{
	int err = 0;

	for (uint32_t i = r->name->part_count; i-- > 0 && !err;) {
		if (type_name_is_collection(r->name))
			err = check_part(l, r, i);
		else if (r->name->kind == TYPE_NAME_TUPLE &&
			 is_native(r->name->parts[i], TYPE_COUNTER))
			err = refuse(l->x, "Counters are not allowed inside "
					      "tuples");
	}
	return err;
}

static int look_up_parts(struct lookup *l, struct type **parts,
			 const struct written_type *r)
{
	uint32_t i, done;
	int err = 0;

	for (i = 0; i < r->name->part_count && !err; i++) {
		struct written_type part = written_type_part(r, i);
		struct type *made = NULL;

		err = look_up(l, &made, &part);
		parts[i] = err ? NULL : type_frozen(made);
		type_put(made);
		if (!err && !parts[i])
			err = -ENOMEM;
	}
	for (done = 0; err && done < i; done++)
		type_put(parts[done]);
	return err;
}

static int look_up_compound(struct lookup *l, struct type **out,
			    const struct written_type *r)
{
	static const enum type_kind kinds[] = {
		[TYPE_NAME_LIST] = TYPE_LIST, [TYPE_NAME_SET] = TYPE_SET,
		[TYPE_NAME_MAP] = TYPE_MAP, [TYPE_NAME_TUPLE] = TYPE_TUPLE,
	};
	const struct type_name *name = r->name;
	struct type **parts = arena_zalloc(l->x->arena, name->part_count,
					   sizeof(*parts));
	int err = parts ? check_parts(l, r) : -ENOMEM;

	if (!err && name->part_count > TYPE_PARTS_MAX)
		err = refuse(l->x, "A tuple has at most %d fields",
			     TYPE_PARTS_MAX);
	if (!err)
		err = look_up_parts(l, parts, r);
	if (err)
		return err;
	if (name->kind == TYPE_NAME_VECTOR && name->dimension <= 0) {
		type_put(parts[0]);
		return refuse(l->x, "vectors may only have positive "
				       "dimensions; given %d", name->dimension);
	}
	*out = name->kind == TYPE_NAME_VECTOR ?
		       type_new_vector(parts[0], (uint32_t)name->dimension) :
		       type_new(kinds[name->kind], r->frozen, parts,
				name->part_count);
	return *out ? 0 : -ENOMEM;
}

static int look_up(struct lookup *l, struct type **out,
		   const struct written_type *r)
{
	int err;

	switch (r->name->kind) {
	case TYPE_NAME_CUSTOM:
		if (r->name->native == TYPE_EMPTY)
			return refuse_class(l->x, r->name);
		/* fallthrough */
	case TYPE_NAME_NATIVE:
		*out = type_get(type_native(r->name->native));
		return 0;
	case TYPE_NAME_USER:
		return look_up_user(l, out, r);
	default:
		break;
	}
	if (l->depth >= TYPE_DEPTH_MAX)
		return refuse(l->x, "Types may be nested %d deep at most",
			      TYPE_DEPTH_MAX);
	l->depth++;
	err = look_up_compound(l, out, r);
	l->depth--;
	return err;
}

/* ---------------------------------------------------------------- limits */
/* Count nodes until there are too many. */
static uint32_t count_nodes(const struct type *t, uint32_t count)
{
	count++;
	for (uint32_t i = 0; i < t->part_count && count <= TYPE_SIZE_MAX; i++)
		count = count_nodes(t->parts[i], count);
	return count;
}

int type_check_limit(struct execution *x, const struct type *t)
{
	if (t->depth > TYPE_DEPTH_MAX)
		return refuse(x, "Types may be nested %d deep at most",
			      TYPE_DEPTH_MAX);
	if (count_nodes(t, 0) > TYPE_SIZE_MAX)
		return refuse(x, "A type may be made of at most %d others",
			      TYPE_SIZE_MAX);
	return 0;
}

int type_resolve(struct execution *x, struct type **out,
		 const struct type_name *name, const struct keyspace *k)
{
	struct lookup l = { .x = x, .keyspace = k };
	struct written_type raw = { name, name->frozen };
	struct type *t;
	int err = look_up(&l, &t, &raw);

	if (err)
		return err;
	err = type_check_limit(x, t);
	if (err)
		type_put(t);
	else
		*out = t;
	return err;
}

int type_resolve_owned(struct execution *x, const struct type **out,
		 const struct type_name *name, struct bytes keyspace)
{
	struct lookup l = {
		.x = x, .keyspace = schema_keyspace(x->schema, keyspace),
	};
	struct written_type raw = { name, name->frozen };
	struct type *t;
	int err = l.keyspace ? look_up(&l, &t, &raw) :
			       statement_refuse_without_keyspace(x);

	if (err)
		return err;
	*out = execution_own_type(x, t);
	return *out ? 0 : -ENOMEM;
}

/* --------------------------------------------------------------- by class */
static void print_class(struct buf *out, const struct type *t, bool in_frozen);

/* Names are hexadecimal. */
static void print_hex(struct buf *out, const char *name)
{
	for (; *name; name++)
		buf_add_format(out, "%02x", (uint8_t)*name);
}

static void print_parts(struct buf *out, const struct type *t, bool in_frozen)
{
	if (t->kind == TYPE_UDT) {
		buf_add_format(out, "%s,", t->keyspace);
		print_hex(out, t->name);
		buf_add_byte(out, ',');
	}
	for (uint32_t i = 0; i < t->part_count; i++) {
		buf_add_str(out, i ? "," : "");
		if (t->kind == TYPE_UDT) {
			print_hex(out, t->field_names[i]);
			buf_add_byte(out, ':');
		}
		print_class(out, t->parts[i], in_frozen);
	}
	if (t->kind == TYPE_VECTOR)
		buf_add_format(out, " , %u", t->dimension);
}

/* Print a class. frozen is printed once, around all its parts. */
static void print_class(struct buf *out, const struct type *t, bool in_frozen)
{
	static const char *const compound[] = {
		[TYPE_LIST] = "ListType", [TYPE_SET] = "SetType",
		[TYPE_MAP] = "MapType", [TYPE_TUPLE] = "TupleType",
		[TYPE_UDT] = "UserType", [TYPE_VECTOR] = "VectorType",
	};
	const char *name = kind_is_native(t->kind) ? type_class(t->kind)
						       : compound[t->kind];
	bool frozen = t->frozen && !in_frozen;

	if (frozen)
		buf_add_format(out, "%sFrozenType(", TYPE_PACKAGE);
	buf_add_format(out, "%s%s", TYPE_PACKAGE, name);
	if (t->part_count) {
		buf_add_byte(out, '(');
		print_parts(out, t, in_frozen || t->frozen ||
					    t->kind == TYPE_TUPLE);
		buf_add_byte(out, ')');
	}
	buf_add_str(out, frozen ? ")" : "");
}

const char *type_text_of_class(struct execution *x, const struct type *t)
{
	struct buf out = BUF_INIT;

	print_class(&out, t, false);
	return text_of_buf(x, &out);
}

const char *type_text_of_entries(struct execution *x, const struct type *map)
{
	struct buf out = BUF_INIT;

	buf_add_format(&out, "'%sCompositeType(", TYPE_PACKAGE);
	print_class(&out, map->parts[0], false);
	buf_add_byte(&out, ',');
	print_class(&out, map->parts[1], false);
	buf_add_str(&out, ")'");
	return text_of_buf(x, &out);
}
