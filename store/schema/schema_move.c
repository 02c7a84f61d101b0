#include "store/schema/schema_move.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/schema/table_edit.h"

static bool is_of(const struct type *t, const char *keyspace)
{
	return t->kind == TYPE_UDT && !strcmp(t->keyspace, keyspace);
}

static bool uses_types_of(const struct type *t, const char *keyspace)
{
	uint32_t i;

	if (is_of(t, keyspace))
		return true;
	for (i = 0; i < t->part_count; i++)
		if (uses_types_of(t->parts[i], keyspace))
			return true;
	return false;
}

/* Return the type with user types of keyspace `to` in place of those of `from`:
 * a reference; NULL without memory. */
static struct type *moved_type(struct type *t, const char *from, const char *to)
{
	struct type **parts, *out = NULL;
	uint32_t i;

	if (!uses_types_of(t, from))
		return type_get(t);
	parts = mem_zalloc(t->part_count, sizeof(*parts));
	for (i = 0; parts && i < t->part_count; i++) {
		parts[i] = moved_type(t->parts[i], from, to);
		if (!parts[i])
			break;
	}
	if (parts && i == t->part_count)
		out = schema_type_of_parts(t, is_of(t, from) ? to : t->keyspace,
					   parts);
	else
		while (parts && i--)
			type_put(parts[i]);
	mem_free(parts);
	return out;
}

static int move_type(struct type **at, const char *from, const char *to)
{
	struct type *t = moved_type(*at, from, to);

	if (!t)
		return -ENOMEM;
	type_put(*at);
	*at = t;
	return 0;
}

/* Return a copy under other names; NULL without memory. */
static struct table *moved_table(const struct table *t, struct bytes keyspace,
				 struct bytes name)
{
	struct table *copy = table_copy(t);
	char *to = mem_copy(keyspace.ptr, keyspace.len);
	char *called = mem_copy(name.ptr, name.len);
	int err = copy && to && called ? 0 : -ENOMEM;
	uint32_t i;

	for (i = 0; !err && i < copy->column_count; i++)
		err = move_type(&copy->columns[i].type, t->keyspace, to);
	for (i = 0; !err && i < copy->dropped_count; i++)
		err = move_type(&copy->dropped[i].type, t->keyspace, to);
	if (err) {
		mem_free(to);
		mem_free(called);
		if (copy)
			table_put(copy);
		return NULL;
	}
	mem_free(copy->keyspace);
	mem_free(copy->name);
	copy->keyspace = to;
	copy->name = called;
	return copy;
}

/* Look for user types of the keyspace k that k has not, or not so. */
static bool lacks_type(const struct keyspace *k, const struct type *t,
		       struct buf *why)
{
	struct type *there;
	uint32_t i;

	if (is_of(t, k->name)) {
		there = keyspace_type(k, bytes_str(t->name));
		if (!there || !type_equal_but_frozen(there, t)) {
			buf_add_format(why, "keyspace %s has no type %s like "
				       "that of the table", k->name, t->name);
			return true;
		}
	}
	for (i = 0; i < t->part_count; i++)
		if (lacks_type(k, t->parts[i], why))
			return true;
	return false;
}

/* Check what a table of another keyspace needs. */
static int check_arrival(const struct keyspace *k, const struct table *t,
			 struct buf *why)
{
	struct index *index;
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (lacks_type(k, t->columns[i].type, why))
			return -EINVAL;
	for (i = 0; i < t->index_count; i++) {
		if (!keyspace_index(k, bytes_str(t->indexes[i].name), &index))
			continue;
		buf_add_format(why, "keyspace %s has an index %s already",
			       k->name, t->indexes[i].name);
		return -EINVAL;
	}
	return 0;
}

int schema_move_table(struct schema *s, const struct table *t,
		      struct bytes to_keyspace, struct bytes to_name,
		      struct buf *why)
{
	const struct keyspace *k = schema_keyspace(s, to_keyspace);
	struct table *copy;
	int err = 0;

	if (!k)
		return -ENOENT;
	if (keyspace_table(k, to_name))
		return -EEXIST;
	copy = moved_table(t, to_keyspace, to_name);
	if (!copy)
		return -ENOMEM;
	if (!bytes_equal(bytes_str(t->keyspace), to_keyspace))
		err = check_arrival(k, copy, why);
	if (!err)
		err = schema_remove_table(s, bytes_str(t->keyspace),
					  bytes_str(t->name));
	if (!err)
		return schema_set_table(s, copy);
	table_put(copy);
	return err;
}

static int move_contents(struct keyspace *k, const char *from, struct bytes to)
{
	struct table *copy;
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < k->type_count; i++)
		err = move_type(&k->types[i].type, from, k->name);
	for (i = 0; !err && i < k->table_count; i++) {
		copy = moved_table(k->tables[i], to,
				   bytes_str(k->tables[i]->name));
		if (!copy)
			return -ENOMEM;
		table_put(k->tables[i]);
		k->tables[i] = copy;
	}
	return err;
}

int schema_move_keyspace(struct schema *s, struct bytes name, struct bytes to)
{
	struct keyspace *k = schema_keyspace(s, name);
	char *from, *called;
	int err;

	if (!k)
		return -ENOENT;
	if (schema_keyspace(s, to))
		return -EEXIST;
	k = keyspace_copy(k);
	called = mem_copy(to.ptr, to.len);
	if (!k || !called) {
		keyspace_put(k);
		mem_free(called);
		return -ENOMEM;
	}
	from = k->name;
	k->name = called;
	err = move_contents(k, from, to);
	if (!err)
		err = schema_remove_keyspace(s, bytes_str(from));
	mem_free(from);
	if (!err)
		return schema_set_keyspace(s, k);
	keyspace_put(k);
	return err;
}
