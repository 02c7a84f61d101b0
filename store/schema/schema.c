/* Look up the parts of a schema, and release it. Lists are sorted by the bytes
 * of their names; columns (few, in SELECT * order) are searched one by one. */
#include "store/schema/schema.h"

#include "store/base/alloc.h"
#include "store/schema/mask.h"
#include "store/schema/options.h"

static unsigned put(unsigned *references)
{
	return __atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL);
}

static void get(unsigned *references)
{
	__atomic_fetch_add(references, 1, __ATOMIC_RELAXED);
}

struct table *table_get(struct table *t)
{
	get(&t->references);
	return t;
}

void table_put(struct table *t)
{
	uint32_t i;

	if (!t || put(&t->references))
		return;
	for (i = 0; i < t->column_count; i++) {
		mem_free(t->columns[i].name);
		type_put(t->columns[i].type);
		mask_put(t->columns[i].mask);
	}
	for (i = 0; i < t->dropped_count; i++) {
		mem_free(t->dropped[i].name);
		type_put(t->dropped[i].type);
	}
	for (i = 0; i < t->index_count; i++) {
		mem_free(t->indexes[i].name);
		mem_free(t->indexes[i].class_name);
		options_release(t->indexes[i].options,
				t->indexes[i].option_count);
	}
	mem_free(t->columns);
	mem_free(t->dropped);
	mem_free(t->indexes);
	table_options_release(&t->options);
	mem_free(t->keyspace);
	mem_free(t->name);
	mem_free(t);
}

struct keyspace *keyspace_get(struct keyspace *k)
{
	get(&k->references);
	return k;
}

void keyspace_put(struct keyspace *k)
{
	uint32_t i;

	if (!k || put(&k->references))
		return;
	for (i = 0; i < k->table_count; i++)
		table_put(k->tables[i]);
	for (i = 0; i < k->type_count; i++) {
		mem_free(k->types[i].name);
		type_put(k->types[i].type);
	}
	options_release(k->replication, k->replication_count);
	mem_free(k->tables);
	mem_free(k->types);
	mem_free(k->name);
	mem_free(k);
}

struct schema *schema_get(struct schema *s)
{
	get(&s->references);
	return s;
}

void schema_put(struct schema *s)
{
	uint32_t i;

	if (!s || put(&s->references))
		return;
	for (i = 0; i < s->keyspace_count; i++)
		keyspace_put(s->keyspaces[i]);
	mem_free(s->keyspaces);
	mem_free(s);
}

/* Compare name with a name of the schema, for a binary search. */
static int order(struct bytes name, const char *other)
{
	return bytes_compare(name, bytes_str(other));
}

struct keyspace *schema_keyspace(const struct schema *s, struct bytes name)
{
	uint32_t low = 0, high = s->keyspace_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		int o = order(name, s->keyspaces[middle]->name);

		if (!o)
			return s->keyspaces[middle];
		if (o < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

struct table *keyspace_table(const struct keyspace *k, struct bytes name)
{
	uint32_t low = 0, high = k->table_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		int o = order(name, k->tables[middle]->name);

		if (!o)
			return k->tables[middle];
		if (o < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

struct table *schema_table(const struct schema *s, struct bytes keyspace,
			   struct bytes name)
{
	struct keyspace *k = schema_keyspace(s, keyspace);

	return k ? keyspace_table(k, name) : NULL;
}

struct table *schema_table_by_number(const struct schema *s, uint32_t number)
{
	uint32_t i, j;

	if (!number)
		return NULL;
	for (i = 0; i < s->keyspace_count; i++)
		for (j = 0; j < s->keyspaces[i]->table_count; j++)
			if (s->keyspaces[i]->tables[j]->number == number)
				return s->keyspaces[i]->tables[j];
	return NULL;
}

struct type *keyspace_type(const struct keyspace *k, struct bytes name)
{
	uint32_t i;

	for (i = 0; i < k->type_count; i++)
		if (!order(name, k->types[i].name))
			return k->types[i].type;
	return NULL;
}

struct table *keyspace_index(const struct keyspace *k, struct bytes name,
			     struct index **index)
{
	uint32_t i, j;

	for (i = 0; i < k->table_count; i++)
		for (j = 0; j < k->tables[i]->index_count; j++) {
			struct index *x = &k->tables[i]->indexes[j];

			if (order(name, x->name))
				continue;
			if (index)
				*index = x;
			return k->tables[i];
		}
	return NULL;
}

int table_column(const struct table *t, struct bytes name)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];

		if (!c->hidden && strlen(c->name) == name.len &&
		    !memcmp(c->name, name.ptr, name.len))
			return (int)i;
	}
	return -1;
}

bool table_is_schemaless(const struct table *t)
{
	return t->flags & TABLE_COMPACT && t->partition_key_count == 1 &&
	       t->clustering_count == 1 && t->regular_count == 1 &&
	       kind_is_text(t->columns[0].type->kind) &&
	       kind_is_text(t->columns[1].type->kind) &&
	       t->columns[2].type->kind == TYPE_BLOB;
}

bool schema_name_is_reserved(struct bytes lower_case_name)
{
	return type_identifier_is_reserved(lower_case_name);
}

/* True if the name needs quotes in CQL. */
static bool name_needs_quotes(struct bytes name)
{
	size_t i;

	if (!name.len || name.ptr[0] < 'a' || name.ptr[0] > 'z')
		return true;
	for (i = 1; i < name.len; i++) {
		uint8_t c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '_')
			return true;
	}
	return schema_name_is_reserved(name);
}

void schema_print_name(struct buf *out, struct bytes name)
{
	if (name_needs_quotes(name))
		buf_add_quoted(out, name, '"');
	else
		buf_add_bytes(out, name);
}
