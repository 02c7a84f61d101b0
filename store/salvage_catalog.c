/*
 * The catalogue's rows are collected from all files and the log, and of each
 * key the version with the largest timestamp wins, a removal over a record. A
 * table whose keyspace's record is lost gets a keyspace with defaults.
 */
#include "store/salvage_catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/catalog_rows.h"
#include "store/schema/catalog.h"
#include "store/schema/schema_edit.h"

struct catalog_record {
	struct bytes key, value;	/* value null: removed */
	int64_t version;
};

struct catalog_build {
	struct schema *schema;
	uint32_t next_number;
	void (*lost)(void *context, const char *text);
	void *context;
};

void salvage_catalog_release(struct salvage_catalog *c)
{
	arena_release(&c->arena);
	buf_release(&c->records);
	buf_release(&c->formers);
	buf_release(&c->twins);
}

static void add_record(struct salvage_catalog *c, struct bytes key,
		       struct bytes value, int64_t version)
{
	struct catalog_record record = {
		arena_copy(&c->arena, key), BYTES_NULL, version,
	};

	if (!bytes_is_null(value)) {
		record.value = arena_copy(&c->arena, value);
		c->failed |= bytes_is_null(record.value);
	}
	buf_add(&c->records, &record, sizeof(record));
	c->failed |= bytes_is_null(record.key) || c->records.failed;
}

int salvage_catalog_add(struct salvage_catalog *c, struct bytes key,
			const struct row *row)
{
	uint32_t i;

	if (!deletion_is_none(row->deletion))
		add_record(c, key, BYTES_NULL, row->deletion.timestamp);
	for (i = 0; i < row->cell_count; i++)
		if (row->cells[i].column == CELL_CATALOG &&
		    !row->cells[i].flags)
			add_record(c, key, row->cells[i].value,
				   row->cells[i].timestamp);
	return c->failed ? -ENOMEM : 0;
}

/* Order by key; of one key the one that wins comes first. */
static int compare_records(const void *a, const void *b)
{
	const struct catalog_record *x = a, *y = b;
	int order = bytes_compare(x->key, y->key);

	if (order)
		return order;
	if (x->version != y->version)
		return x->version > y->version ? -1 : 1;
	return bytes_is_null(y->value) - bytes_is_null(x->value);
}

static void lose(const struct catalog_build *b, const char *text)
{
	b->lost(b->context, text);
}

static int add_keyspace(struct catalog_build *b, struct bytes record)
{
	struct keyspace *k;
	int err = catalog_decode_keyspace(&k, record);

	if (err == -EUCLEAN) {
		lose(b, "catalogue: the record of a keyspace is damaged");
		return 0;
	}
	return err ? err : schema_set_keyspace(b->schema, k);
}

/* Make a keyspace whose record is lost. */
static int make_keyspace(struct catalog_build *b, const char *name)
{
	struct keyspace *k = keyspace_new(name);
	char line[512];

	if (!k)
		return -ENOMEM;
	if (keyspace_set_replication(k, "class", "SimpleStrategy") ||
	    keyspace_set_replication(k, "replication_factor", "1")) {
		keyspace_put(k);
		return -ENOMEM;
	}
	k->durable_writes = true;
	k->mode = 0700;
	k->uid = geteuid();
	k->gid = getegid();
	snprintf(line, sizeof(line), "catalogue: the record of keyspace %.300s "
		 "is lost: it is made with defaults, without its user types",
		 name);
	lose(b, line);
	return schema_set_keyspace(b->schema, k);
}

/* True if a table or index of the schema has the number. */
static bool is_taken(const struct schema *s, uint32_t number)
{
	uint32_t i, j, n;

	for (i = 0; i < s->keyspace_count; i++)
		for (j = 0; j < s->keyspaces[i]->table_count; j++) {
			const struct table *t = s->keyspaces[i]->tables[j];

			if (t->number == number)
				return true;
			for (n = 0; n < t->index_count; n++)
				if (t->indexes[n].number == number)
					return true;
		}
	return false;
}

static bool has_good_numbers(const struct schema *s, const struct table *t)
{
	uint32_t i, j;

	if (t->number < TABLE_NUMBER_FIRST || is_taken(s, t->number))
		return false;
	for (i = 0; i < t->index_count; i++) {
		uint32_t number = t->indexes[i].number;

		if (number < TABLE_NUMBER_FIRST || number == t->number ||
		    is_taken(s, number))
			return false;
		for (j = 0; j < i; j++)
			if (t->indexes[j].number == number)
				return false;
	}
	return true;
}

static int add_table(struct catalog_build *b, struct bytes record)
{
	struct table *t;
	uint32_t i;
	int err = catalog_decode_table(&t, record);

	if (!err && !has_good_numbers(b->schema, t)) {
		table_put(t);
		err = -EUCLEAN;
	}
	if (err == -EUCLEAN) {
		lose(b, "catalogue: the record of a table is damaged");
		return 0;
	}
	if (err)
		return err;
	for (i = 0; i < t->index_count; i++) {
		t->indexes[i].building = true;
		if (t->indexes[i].number >= b->next_number)
			b->next_number = t->indexes[i].number + 1;
	}
	if (t->number >= b->next_number)
		b->next_number = t->number + 1;
	if (!schema_keyspace(b->schema, bytes_str(t->keyspace)))
		err = make_keyspace(b, t->keyspace);
	if (!err)
		return schema_set_table(b->schema, t);
	table_put(t);
	return err;
}

static void add_counters(struct catalog_build *b, struct bytes record)
{
	struct reader r = reader_of(record);
	uint64_t version = read_le64(&r), next = read_le64(&r);

	if (r.failed || reader_left(&r) || next > UINT32_MAX ||
	    version > INT64_MAX)
		return;		/* they are made again */
	if (version > b->schema->version)
		b->schema->version = version;
	if (next > b->next_number)
		b->next_number = (uint32_t)next;
}

static int add_winner(struct catalog_build *b, const struct catalog_record *r,
		      bool tables)
{
	struct key_parts parts;

	if (key_split(&parts, r->key))
		return 0;
	if (r->version > 0 && (uint64_t)r->version > b->schema->version)
		b->schema->version = (uint64_t)r->version;
	if (bytes_is_null(r->value) || tables != (parts.kind == KEY_ROW))
		return 0;
	if (tables)
		return add_table(b, r->value);
	if (parts.partition_len == KEY_EMPTY_LEN)
		add_counters(b, r->value);
	else
		return add_keyspace(b, r->value);
	return 0;
}

/* ------------------------------------------------------------ older records */
static const struct table *table_of_id(const struct schema *s,
				       const uint8_t id[16])
{
	uint32_t i, j;

	for (i = 0; i < s->keyspace_count; i++)
		for (j = 0; j < s->keyspaces[i]->table_count; j++)
			if (!memcmp(s->keyspaces[i]->tables[j]->id, id, 16))
				return s->keyspaces[i]->tables[j];
	return NULL;
}

/* True if the number of the column is another's now. Only those of the key can have
 * been renamed. A column that was dropped and added again keeps its number. */
static bool is_another(const struct column *was, const struct table *now)
{
	const struct column *c;
	uint32_t i;

	for (i = 0; i < now->column_count; i++) {
		c = &now->columns[i];
		if (c->number == was->number)
			return c->kind != was->kind ||
			       !type_equal(c->type, was->type) ||
			       ((c->kind == COLUMN_STATIC ||
				 c->kind == COLUMN_REGULAR) &&
				strcmp(c->name, was->name));
	}
	return false;
}

/* Note the columns that the former table had, and are others now. */
static int add_others(struct salvage_catalog *c, struct salvage_former *f,
		      const struct table *was)
{
	struct former_column *made;
	uint32_t i;

	for (i = 0; f->now && i < was->column_count; i++) {
		if (!is_another(&was->columns[i], f->now))
			continue;
		made = arena_zalloc(&c->arena, 1, sizeof(*made));
		if (!made)
			return -ENOMEM;
		made->number = was->columns[i].number;
		made->name = arena_strdup(&c->arena, was->columns[i].name);
		made->next = f->others;
		f->others = made;
		if (!made->name)
			return -ENOMEM;
	}
	return 0;
}

static struct salvage_former *find_former(const struct salvage_catalog *c,
					  uint32_t number)
{
	struct salvage_former *list = (void *)c->formers.ptr;
	size_t i;

	for (i = 0; i < c->formers.len / sizeof(*list); i++)
		if (list[i].number == number)
			return &list[i];
	return NULL;
}

const struct salvage_former *
salvage_catalog_former(const struct salvage_catalog *c, uint32_t number)
{
	return find_former(c, number);
}

static int add_former(struct salvage_catalog *c, const struct schema *s,
		      uint32_t number, const struct table *was, bool hidden)
{
	struct salvage_former *known = find_former(c, number);
	struct salvage_former f = { .number = number, .hidden = hidden };

	if (is_taken(s, number))
		return 0;
	if (known)
		return add_others(c, known, was);
	f.now = hidden ? NULL : table_of_id(s, was->id);
	f.name = arena_format(&c->arena, "%s.%s", was->keyspace, was->name);
	if (!f.name || add_others(c, &f, was))
		return -ENOMEM;
	buf_add(&c->formers, &f, sizeof(f));
	return c->formers.failed ? -ENOMEM : 0;
}

const struct salvage_twin *
salvage_catalog_twins(const struct salvage_catalog *c, size_t *count)
{
	*count = c->twins.len / sizeof(struct salvage_twin);
	return (const void *)c->twins.ptr;
}

/* Look whether `was` has another name now, and was restored under the old one: as
 * it was made at that moment. */
static int add_twin(struct salvage_catalog *c, const struct schema *s,
		    const struct table *was)
{
	struct salvage_twin twin = { .number = was->number };
	const struct salvage_twin *list;
	size_t i, count;

	twin.restored = schema_table(s, bytes_str(was->keyspace),
				     bytes_str(was->name));
	twin.renamed = schema_table_by_number(s, was->number);
	if (!twin.restored || !twin.renamed || twin.restored == twin.renamed ||
	    twin.restored->created_us != was->created_us)
		return 0;
	list = salvage_catalog_twins(c, &count);
	for (i = 0; i < count; i++)
		if (list[i].number == twin.number &&
		    list[i].restored == twin.restored)
			return 0;
	buf_add(&c->twins, &twin, sizeof(twin));
	return c->twins.failed ? -ENOMEM : 0;
}

/* Decode the record, if it is of a table: 1; 0: it is not, or is damaged; -ENOMEM. */
static int decode_older(struct table **out, const struct catalog_record *r)
{
	struct key_parts parts;
	int err;

	if (bytes_is_null(r->value) || key_split(&parts, r->key) ||
	    parts.kind != KEY_ROW)
		return 0;
	err = catalog_decode_table(out, r->value);
	return !err ? 1 : err == -ENOMEM ? err : 0;
}

static int add_older(struct salvage_catalog *c, const struct schema *s,
		     const struct catalog_record *r)
{
	struct table *was;
	uint32_t i;
	int err = decode_older(&was, r);

	if (err <= 0)
		return err;
	err = add_former(c, s, was->number, was, false);
	if (!err)
		err = add_twin(c, s, was);
	for (i = 0; !err && i < was->index_count; i++)
		err = add_former(c, s, was->indexes[i].number, was, true);
	table_put(was);
	return err;
}

/* Note those of the record, if it is of a table of that number. */
static int add_others_of(struct salvage_catalog *c, struct salvage_former *f,
			 const struct catalog_record *r)
{
	struct table *was;
	int err = decode_older(&was, r);

	if (err <= 0)
		return err;
	err = was->number == f->number ? add_others(c, f, was) : 0;
	table_put(was);
	return err;
}

int salvage_catalog_give(struct salvage_catalog *c, uint32_t number,
			 const struct table *now)
{
	struct salvage_former f = { .number = number, .now = now,
				    .name = now->name };
	struct salvage_former *known = find_former(c, number);
	const struct catalog_record *list = (const void *)c->records.ptr;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < c->records.len / sizeof(*list); i++)
		err = add_others_of(c, &f, &list[i]);
	if (err)
		return err;
	if (known)
		*known = f;
	else
		buf_add(&c->formers, &f, sizeof(f));
	return c->formers.failed ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------- the schema */
int salvage_catalog_schema(struct salvage_catalog *c, struct schema **out,
			   uint32_t *next_number,
			   void (*lost)(void *context, const char *text),
			   void *context)
{
	struct schema empty = { .references = 1 };
	struct catalog_build b = { schema_copy(&empty), TABLE_NUMBER_FIRST,
				   lost, context };
	struct catalog_record *list = (void *)c->records.ptr;
	size_t count = c->records.len / sizeof(*list), i;
	int pass, err = b.schema ? 0 : -ENOMEM;

	if (count)
		qsort(list, count, sizeof(*list), compare_records);
	/* Order keyspaces before their tables. */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; !err && i < count; i++)
			if (!i || !bytes_equal(list[i].key, list[i - 1].key))
				err = add_winner(&b, &list[i], pass);
	for (i = 1; !err && i < count; i++)
		if (bytes_equal(list[i].key, list[i - 1].key))
			err = add_older(c, b.schema, &list[i]);
	if (err) {
		if (b.schema)
			schema_put(b.schema);
		return err;
	}
	b.schema->version++;
	*out = b.schema;
	*next_number = b.next_number;
	return 0;
}

void salvage_catalog_put(struct batch *batch, const struct schema *schema,
			 uint32_t next_number)
{
	uint32_t i, j;

	for (i = 0; i < schema->keyspace_count; i++) {
		const struct keyspace *k = schema->keyspaces[i];

		catalog_put_keyspace(batch, k, schema->version);
		for (j = 0; j < k->table_count; j++)
			catalog_put_table(batch, k->tables[j],
					  schema->version);
	}
	catalog_put_counters(batch, schema->version, next_number);
}
