/* Make the next version of a schema: copy what changes, share the rest. */
#include "store/schema/schema_edit.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/schema/options.h"
#include "store/schema/schema.h"
#include "store/schema/table_edit.h"

struct schema *schema_copy(const struct schema *s)
{
	struct schema *copy = mem_zalloc(1, sizeof(*copy));
	uint32_t i;

	if (!copy)
		return NULL;
	copy->references = 1;
	copy->version = s->version + 1;
	copy->keyspaces = mem_zalloc(s->keyspace_count,
				     sizeof(*copy->keyspaces));
	if (!copy->keyspaces) {
		schema_put(copy);
		return NULL;
	}
	for (i = 0; i < s->keyspace_count; i++)
		copy->keyspaces[i] = keyspace_get(s->keyspaces[i]);
	copy->keyspace_count = s->keyspace_count;
	return copy;
}

struct keyspace *keyspace_new(const char *name)
{
	struct keyspace *k = mem_zalloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->references = 1;
	k->durable_writes = true;
	k->mode = 0755;
	k->name = mem_copy(name, strlen(name));
	if (!k->name) {
		keyspace_put(k);
		return NULL;
	}
	return k;
}

static int copy_lists(struct keyspace *copy, const struct keyspace *k)
{
	uint32_t i;

	copy->tables = mem_zalloc(k->table_count, sizeof(*copy->tables));
	copy->types = mem_zalloc(k->type_count, sizeof(*copy->types));
	if (!copy->tables || !copy->types ||
	    options_copy(&copy->replication, &copy->replication_count,
			 k->replication, k->replication_count))
		return -ENOMEM;
	for (i = 0; i < k->table_count; i++)
		copy->tables[i] = table_get(k->tables[i]);
	copy->table_count = k->table_count;
	for (i = 0; i < k->type_count; i++) {
		const char *name = k->types[i].name;

		copy->types[i].name = mem_copy(name, strlen(name));
		copy->types[i].type = type_get(k->types[i].type);
		copy->type_count = i + 1;
		if (!copy->types[i].name)
			return -ENOMEM;
	}
	return 0;
}

struct keyspace *keyspace_copy(const struct keyspace *k)
{
	struct keyspace *copy = keyspace_new(k->name);

	if (!copy)
		return NULL;
	copy->durable_writes = k->durable_writes;
	copy->system = k->system;
	copy->uid = k->uid;
	copy->gid = k->gid;
	copy->mode = k->mode;
	copy->created_us = k->created_us;
	if (copy_lists(copy, k)) {
		keyspace_put(copy);
		return NULL;
	}
	return copy;
}

int keyspace_set_replication(struct keyspace *k, const char *name,
			     const char *value)
{
	int err = options_set(&k->replication, &k->replication_count, name,
			      value);
	uint32_t i;

	/* Sorted but for the class: put the class where it would sort, set,
	 * and bring it to the front again. */
	for (i = 1; !err && i < k->replication_count; i++) {
		struct property o = k->replication[i];

		if (strcmp(o.name, "class"))
			continue;
		memmove(k->replication + 1, k->replication, i * sizeof(o));
		k->replication[0] = o;
	}
	return err;
}

/* ------------------------------------------------- lists sorted by name */
static uint32_t keyspace_place(const struct schema *s, struct bytes name,
			       bool *found)
{
	uint32_t i;

	*found = false;
	for (i = 0; i < s->keyspace_count; i++) {
		int order = bytes_compare(bytes_str(s->keyspaces[i]->name),
					  name);

		if (order >= 0) {
			*found = !order;
			return i;
		}
	}
	return s->keyspace_count;
}

int schema_set_keyspace(struct schema *s, struct keyspace *k)
{
	struct keyspace **bigger;
	bool found;
	uint32_t i = keyspace_place(s, bytes_str(k->name), &found);

	if (found) {
		keyspace_put(s->keyspaces[i]);
		s->keyspaces[i] = k;
		return 0;
	}
	bigger = array_insert(s->keyspaces, s->keyspace_count,
			      sizeof(*bigger), i);
	if (!bigger) {
		keyspace_put(k);
		return -ENOMEM;
	}
	bigger[i] = k;
	s->keyspaces = bigger;
	s->keyspace_count++;
	return 0;
}

int schema_remove_keyspace(struct schema *s, struct bytes name)
{
	bool found;
	uint32_t i = keyspace_place(s, name, &found);

	if (!found)
		return -ENOENT;
	keyspace_put(s->keyspaces[i]);
	array_remove(s->keyspaces, s->keyspace_count--, sizeof(*s->keyspaces),
		     i, 1);
	return 0;
}

static uint32_t table_place(const struct keyspace *k, struct bytes name,
			    bool *found)
{
	uint32_t i;

	*found = false;
	for (i = 0; i < k->table_count; i++) {
		int order = bytes_compare(bytes_str(k->tables[i]->name), name);

		if (order >= 0) {
			*found = !order;
			return i;
		}
	}
	return k->table_count;
}

/* Copy the keyspace, to be changed and then set; NULL with *err. */
static struct keyspace *edit(struct schema *s, struct bytes name, int *err)
{
	struct keyspace *k = schema_keyspace(s, name);

	if (!k) {
		*err = -ENOENT;
		return NULL;
	}
	k = keyspace_copy(k);
	*err = k ? 0 : -ENOMEM;
	return k;
}

int schema_set_table(struct schema *s, struct table *t)
{
	struct table **bigger;
	struct keyspace *k;
	bool found;
	uint32_t i;
	int err;

	k = edit(s, bytes_str(t->keyspace), &err);
	if (!k)
		goto fail;
	i = table_place(k, bytes_str(t->name), &found);
	if (found) {
		table_put(k->tables[i]);
		k->tables[i] = t;
		return schema_set_keyspace(s, k);
	}
	err = -ENOMEM;
	bigger = array_insert(k->tables, k->table_count, sizeof(*bigger), i);
	if (!bigger)
		goto fail;
	bigger[i] = t;
	k->tables = bigger;
	k->table_count++;
	return schema_set_keyspace(s, k);
fail:
	keyspace_put(k);
	table_put(t);
	return err;
}

int schema_remove_table(struct schema *s, struct bytes keyspace,
			struct bytes name)
{
	struct keyspace *k;
	bool found;
	uint32_t i;
	int err;

	k = edit(s, keyspace, &err);
	if (!k)
		return err;
	i = table_place(k, name, &found);
	if (!found) {
		keyspace_put(k);
		return -ENOENT;
	}
	table_put(k->tables[i]);
	array_remove(k->tables, k->table_count--, sizeof(*k->tables), i, 1);
	return schema_set_keyspace(s, k);
}

/* ------------------------------------------------------------- user types */
struct type *schema_type_of_parts(const struct type *t, const char *keyspace,
				  struct type **parts)
{
	if (t->kind == TYPE_UDT)
		return type_new_udt(keyspace, t->name, t->frozen,
				    t->field_names, parts, t->part_count);
	if (t->kind == TYPE_VECTOR)
		return type_new_vector(parts[0], t->dimension);
	return type_new(t->kind, t->frozen, parts, t->part_count);
}

/* Return t with the new version of the user type in place of the old one: a
 * reference. */
static struct type *replace(struct type *t, struct type *udt)
{
	struct type **parts, *out = NULL;
	uint32_t i;

	if (!type_uses_udt(t, udt->keyspace, udt->name))
		return type_get(t);
	if (t->kind == TYPE_UDT && !strcmp(t->name, udt->name) &&
	    !strcmp(t->keyspace, udt->keyspace))
		return t->frozen ? type_frozen(udt) : type_unfrozen(udt);
	parts = mem_zalloc(t->part_count, sizeof(*parts));
	if (!parts)
		return NULL;
	for (i = 0; i < t->part_count; i++) {
		parts[i] = replace(t->parts[i], udt);
		if (!parts[i])
			break;
	}
	if (i == t->part_count)
		out = schema_type_of_parts(t, t->keyspace, parts);
	else
		while (i--)
			type_put(parts[i]);
	mem_free(parts);
	return out;
}

static int replace_at(struct type **at, struct type *udt)
{
	struct type *t = replace(*at, udt);

	if (!t)
		return -ENOMEM;
	type_put(*at);
	*at = t;
	return 0;
}

static int replace_in_table(struct table **at, struct type *udt)
{
	struct table *t = *at, *copy;
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (type_uses_udt(t->columns[i].type, udt->keyspace, udt->name))
			break;
	if (i == t->column_count)
		return 0;
	copy = table_copy(t);
	if (!copy)
		return -ENOMEM;
	table_put(t);
	*at = copy;
	for (i = 0; i < copy->column_count; i++)
		if (replace_at(&copy->columns[i].type, udt))
			return -ENOMEM;
	return 0;
}

static int add_type(struct keyspace *k, struct type *udt)
{
	struct user_type *bigger;
	char *name;
	uint32_t i;

	for (i = 0; i < k->type_count; i++) {
		int order = strcmp(k->types[i].name, udt->name);

		if (!order) {
			type_put(k->types[i].type);
			k->types[i].type = type_get(udt);
			return 0;
		}
		if (order > 0)
			break;
	}
	name = mem_copy(udt->name, strlen(udt->name));
	bigger = name ? array_insert(k->types, k->type_count,
				     sizeof(*bigger), i) : NULL;
	if (!bigger) {
		mem_free(name);
		return -ENOMEM;
	}
	bigger[i] = (struct user_type){ name, type_get(udt) };
	k->types = bigger;
	k->type_count++;
	return 0;
}

int schema_set_type(struct schema *s, struct bytes keyspace, struct type *udt)
{
	struct keyspace *k;
	uint32_t i;
	int err;

	k = edit(s, keyspace, &err);
	if (!k)
		goto out;
	err = add_type(k, udt);
	for (i = 0; !err && i < k->type_count; i++)
		if (strcmp(k->types[i].name, udt->name))
			err = replace_at(&k->types[i].type, udt);
	for (i = 0; !err && i < k->table_count; i++)
		err = replace_in_table(&k->tables[i], udt);
	if (err)
		keyspace_put(k);
	else
		err = schema_set_keyspace(s, k);
out:
	type_put(udt);
	return err;
}

int schema_remove_type(struct schema *s, struct bytes keyspace,
		       struct bytes name)
{
	struct keyspace *k;
	uint32_t i;
	int err;

	k = edit(s, keyspace, &err);
	if (!k)
		return err;
	for (i = 0; i < k->type_count; i++)
		if (bytes_equal(bytes_str(k->types[i].name), name))
			break;
	if (i == k->type_count) {
		keyspace_put(k);
		return -ENOENT;
	}
	mem_free(k->types[i].name);
	type_put(k->types[i].type);
	array_remove(k->types, k->type_count--, sizeof(*k->types), i, 1);
	return schema_set_keyspace(s, k);
}
