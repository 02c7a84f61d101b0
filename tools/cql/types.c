/*
 * The grammar of a type is the parser's: the name is put where a CREATE TYPE
 * has one, and the type is built from the tree, with the fields that find
 * returns for user types.
 */
#include "tools/cql/types.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/cql/syntax/parse.h"

struct build {
	struct arena *arena;
	const char *keyspace;
	cql_find_type *find;
	void *context;
};

static int build(struct build *b, struct type **out, const struct type_name *n,
		 unsigned depth);
static int build_named(struct build *b, struct type **out, struct bytes name,
		       unsigned depth);

static void put_all(struct type **types, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		type_put(types[i]);
}

static int build_user(struct build *b, struct type **out,
		      const struct type_name *n, unsigned depth)
{
	struct cql_fields fields = { NULL, NULL, 0 };
	struct type **types;
	uint32_t i = 0;
	char **names;
	int err;

	if (!b->find)
		return -ENOENT;
	err = b->find(b->context, b->arena, n->user.name.text, &fields);
	types = arena_zalloc(b->arena, fields.count + 1, sizeof(*types));
	names = arena_zalloc(b->arena, fields.count + 1, sizeof(*names));
	if (!err && (!types || !names))
		err = -ENOMEM;
	for (; !err && i < fields.count; i++) {
		names[i] = (char *)arena_copy(b->arena, fields.names[i]).ptr;
		err = names[i] ? build_named(b, &types[i], fields.types[i],
					     depth + 1)
			       : -ENOMEM;
	}
	if (err) {
		if (types)
			put_all(types, fields.count);
		return err;
	}
	*out = type_new_udt(b->keyspace,
			    (const char *)n->user.name.text.ptr, n->frozen,
			    names, types, fields.count);
	return *out ? 0 : -ENOMEM;
}

static int build_parts(struct build *b, struct type **out,
		       const struct type_name *n, unsigned depth)
{
	static const enum type_kind kinds[] = {
		[TYPE_NAME_LIST] = TYPE_LIST, [TYPE_NAME_SET] = TYPE_SET,
		[TYPE_NAME_MAP] = TYPE_MAP, [TYPE_NAME_TUPLE] = TYPE_TUPLE,
	};
	struct type **parts = arena_zalloc(b->arena, n->part_count + 1,
					   sizeof(*parts));
	bool frozen = n->frozen && n->kind != TYPE_NAME_TUPLE;
	uint32_t i;
	int err = parts ? 0 : -ENOMEM;

	for (i = 0; !err && i < n->part_count; i++)
		err = build(b, &parts[i], n->parts[i], depth + 1);
	if (err) {
		if (parts)
			put_all(parts, n->part_count);
		return err;
	}
	if (n->kind == TYPE_NAME_VECTOR)
		*out = type_new_vector(parts[0], (uint32_t)n->dimension);
	else
		*out = type_new(kinds[n->kind], frozen, parts, n->part_count);
	return *out ? 0 : -ENOMEM;
}

static int build(struct build *b, struct type **out, const struct type_name *n,
		 unsigned depth)
{
	if (depth > TYPE_DEPTH_MAX)
		return -EINVAL;
	switch (n->kind) {
	case TYPE_NAME_NATIVE:
		*out = type_get(type_native(n->native));
		return 0;
	case TYPE_NAME_USER:
		return build_user(b, out, n, depth);
	case TYPE_NAME_CUSTOM:
		return -EINVAL;
	case TYPE_NAME_VECTOR:
		if (n->dimension <= 0)
			return -EINVAL;
		break;
	default:
		break;
	}
	return build_parts(b, out, n, depth);
}

static int build_named(struct build *b, struct type **out, struct bytes name,
		       unsigned depth)
{
	struct cql_error error = CQL_ERROR_INIT;
	struct statement *statement;
	struct buf text = BUF_INIT;
	int err;

	if (depth > TYPE_DEPTH_MAX)
		return -EINVAL;
	buf_add_str(&text, "CREATE TYPE k.t (f ");
	buf_add_bytes(&text, name);
	buf_add_byte(&text, ')');
	err = text.failed ? -ENOMEM
			  : cql_parse(b->arena, &statement, buf_bytes(&text),
				      NULL, &error);
	if (!err && (statement->kind != STATEMENT_CREATE_TYPE ||
		     statement->create_type->field_count != 1))
		err = -EINVAL;
	if (!err)
		err = build(b, out, statement->create_type->fields[0].type,
			    depth);
	buf_release(&text);
	return err;
}

int cql_type_of_name(struct type **out, struct bytes name,
		     const char *keyspace, cql_find_type *find, void *context)
{
	struct arena arena = ARENA_INIT;
	struct build b = { &arena, keyspace, find, context };
	int err;

	*out = NULL;
	err = build_named(&b, out, name, 1);
	arena_release(&arena);
	return err;
}
