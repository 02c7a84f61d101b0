/* CREATE, ALTER and DROP TYPE. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/expression/assignability.h"
#include "store/cql/expression/type_resolve.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/schema/property.h"
#include "store/cql/schema/user_type.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"

/* Fields that are collected; the arena has the arrays. */
struct fields {
	char **names;
	struct type **types;	/* references */
	uint32_t count;
};

static int fields_init(struct ddl *d, struct fields *f, uint32_t room)
{
	f->names = arena_zalloc(d->x->arena, room, sizeof(*f->names));
	f->types = arena_zalloc(d->x->arena, room, sizeof(*f->types));
	f->count = 0;
	return f->names && f->types ? 0 : -ENOMEM;
}

static void fields_release(struct fields *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		type_put(f->types[i]);
	f->count = 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Return a name that occurs twice, or NULL. The arena reports -ENOMEM. */
static const char *repeated(struct ddl *d, const struct fields *f)
{
	char **sorted = arena_alloc(d->x->arena, f->count * sizeof(*sorted));

	if (!sorted)
		return NULL;
	memcpy(sorted, f->names, f->count * sizeof(*sorted));
	qsort(sorted, f->count, sizeof(*sorted), compare_names);
	for (uint32_t i = 1; i < f->count; i++)
		if (!strcmp(sorted[i - 1], sorted[i]))
			return sorted[i];
	return NULL;
}

static int check_field_type(struct ddl *d, const struct type_name *t)
{
	if (t->kind == TYPE_NAME_NATIVE && t->native == TYPE_COUNTER)
		return refuse_at(d->x, t->span,
				 refuse(d->x, "A user type cannot contain "
					      "counters"));
	if (t->kind == TYPE_NAME_USER && !t->frozen)
		return refuse_at(d->x, t->span,
				 refuse(d->x, "A user type cannot contain "
					      "non-frozen UDTs"));
	return 0;
}

/* Check that the types that use the new one stay within bounds. */
static int check_users(struct ddl *d)
{
	const struct keyspace *k = schema_keyspace(d->next, d->keyspace);
	int err = 0;

	for (uint32_t i = 0; i < k->type_count && !err; i++)
		err = type_check_limit(d->x, k->types[i].type);
	for (uint32_t i = 0; i < k->table_count && !err; i++)
		for (uint32_t c = 0; c < k->tables[i]->column_count && !err;
		     c++)
			err = type_check_limit(
				d->x, k->tables[i]->columns[c].type);
	return err;
}

/* Set the type. Takes over the fields. */
static int set_type(struct ddl *d, const char *name, struct fields *f,
		    bool altered)
{
	struct type *t;
	int err = 0;

	if (f->count > TYPE_PARTS_MAX)
		err = refuse(d->x, "A user type has at most %d fields",
			     TYPE_PARTS_MAX);
	if (err) {
		fields_release(f);
		return err;
	}
	t = type_new_udt(text_of(d->x, d->keyspace), name, false, f->names,
			 f->types, f->count);
	if (!t)
		return -ENOMEM;
	err = type_check_limit(d->x, t);
	if (!err)
		err = ddl_begin(d);
	if (err) {
		type_put(t);
		return err;
	}
	err = schema_set_type(d->next, d->keyspace, t);
	return err || !altered ? err : check_users(d);
}

static int name_fields(struct ddl *d, struct fields *f,
		       const struct create_type *s)
{
	const char *twice;
	int err = fields_init(d, f, s->field_count);

	for (uint32_t i = 0; i < s->field_count && !err; i++) {
		err = ddl_check_name(d, s->fields[i].name.text);
		f->names[i] = (char *)text_of(d->x, s->fields[i].name.text);
	}
	if (err)
		return err;
	f->count = s->field_count;
	twice = repeated(d, f);
	f->count = 0;
	if (twice)
		return refuse(d->x, "Duplicate field name '%s' in type '%s'",
			      twice, text_of(d->x, s->name.name.text));
	return 0;
}

static bool has_fields(const struct type *t, const struct fields *f)
{
	if (t->part_count != f->count)
		return false;
	for (uint32_t i = 0; i < f->count; i++)
		if (strcmp(t->field_names[i], f->names[i]) ||
		    !type_equal(t->parts[i], f->types[i]))
			return false;
	return true;
}

int user_type_create(struct ddl *d)
{
	const struct create_type *s = d->statement->create_type;
	const char *name = text_of(d->x, s->name.name.text);
	const struct keyspace *k;
	const struct type *was;
	struct fields f = { .count = 0 };
	uint32_t i;
	int err = ddl_keyspace(d, &k);

	if (err)
		return err;
	was = keyspace_type(k, s->name.name.text);
	if (was && s->if_not_exists)
		return 0;
	if (was && !ddl_is_definition(d))
		return refuse_at(d->x, s->name.name.span,
				 refuse(d->x, "A user type with name '%s' "
					      "already exists", name));
	err = ddl_check_name(d, s->name.name.text);
	if (!err)
		err = name_fields(d, &f, s);
	for (i = 0; i < s->field_count && !err; i++)
		err = check_field_type(d, s->fields[i].type);
	for (i = 0; i < s->field_count && !err; i++) {
		err = type_resolve(d->x, &f.types[i], s->fields[i].type, k);
		f.count += !err;
	}
	if (!err && !was)
		return set_type(d, name, &f, false);
	if (!err && !has_fields(was, &f))
		err = ddl_refuse_different(d, "Type", &s->name.name);
	fields_release(&f);
	return err;
}

/* ------------------------------------------------------------------ ALTER */
static const char *text_of_name(struct ddl *d, const struct type *t)
{
	struct buf buf = BUF_INIT;

	schema_print_name(&buf, bytes_str(t->keyspace));
	buf_add_byte(&buf, '.');
	schema_print_name(&buf, bytes_str(t->name));
	return text_of_buf(d->x, &buf);
}

static int copy_fields(struct ddl *d, struct fields *f, const struct type *t)
{
	int err = fields_init(d, f, t->part_count + 1);

	for (uint32_t i = 0; i < t->part_count && !err; i++) {
		f->names[i] = t->field_names[i];
		f->types[i] = type_get(t->parts[i]);
		f->count++;
	}
	return err;
}

/* List the tables that have the type in their partition key: "ks.a, ks.b". */
static int check_keys(struct ddl *d, const struct keyspace *k,
		      const struct type *t, const char *field,
		      const char *type)
{
	struct buf list = BUF_INIT;

	for (uint32_t i = 0; i < k->table_count; i++) {
		const struct table *table = k->tables[i];
		uint32_t c = 0;

		while (c < table->partition_key_count &&
		       !type_uses_udt(table->columns[c].type, t->keyspace,
				      t->name))
			c++;
		if (c == table->partition_key_count)
			continue;
		buf_add_str(&list, list.len ? ", " : "");
		buf_add_str(&list, text_of_table(d->x, table));
	}
	if (!list.len && !list.failed)
		return 0;
	return refuse(d->x, "Cannot add new field %s of type %s to user type "
			    "%s as the type is being used in partition key by "
			    "the following tables: %s", field, type,
		      text_of_name(d, t), text_of_buf(d->x, &list));
}

/* Refuse a field that exists, unless it is the same in a definition. */
static int add_field_again(struct ddl *d, const struct keyspace *k,
			   const struct type *t)
{
	const struct alter_type *s = d->statement->alter_type;
	const char *name = text_of(d->x, s->field.name.text);
	int place = assignable_user_field(t, s->field.name.text);
	struct type *type = NULL;
	bool same;
	int err = 0;

	if (ddl_is_definition(d))
		err = type_resolve(d->x, &type, s->field.type, k);
	same = type && type_equal(type, t->parts[place]);
	type_put(type);
	if (err || same)
		return err;
	return refuse(d->x, "Cannot add field %s to type %s: a field "
			    "with name %s already exists", name,
		      text_of_name(d, t), name);
}

static int add_field(struct ddl *d, const struct keyspace *k,
		     const struct type *t)
{
	const struct alter_type *s = d->statement->alter_type;
	const char *name = text_of(d->x, s->field.name.text);
	const char *written = type_text_of_name(d->x, s->field.type,
						d->keyspace);
	struct type *type = NULL;
	struct fields f = { .count = 0 };
	int err = check_field_type(d, s->field.type);

	if (err)
		return err;
	if (assignable_user_field(t, s->field.name.text) >= 0)
		return s->if_field_not_exists ? 0 : add_field_again(d, k, t);
	err = ddl_check_name(d, s->field.name.text);
	if (!err)
		err = type_resolve(d->x, &type, s->field.type, k);
	if (!err && type_uses_udt(type, t->keyspace, t->name))
		err = refuse(d->x, "Cannot add new field %s of type %s to user "
				   "type %s as it would create a circular "
				   "reference", name, written,
			     text_of_name(d, t));
	if (!err)
		err = check_keys(d, k, t, name, written);
	if (!err)
		err = copy_fields(d, &f, t);
	if (err) {
		fields_release(&f);
		type_put(type);
		return err;
	}
	f.names[f.count] = (char *)name;
	f.types[f.count++] = type;
	return set_type(d, t->name, &f, true);
}

static int rename_fields(struct ddl *d, const struct type *t)
{
	const struct alter_type *s = d->statement->alter_type;
	const char *twice;
	struct fields f;
	const uint32_t *order = property_java_order(d, s->names,
						    s->name_count / 2,
						    2 * sizeof(*s->names));
	int err = copy_fields(d, &f, t);

	if (!err && !order)
		err = -ENOMEM;
	for (uint32_t n = 0; n < s->name_count / 2 && !err; n++) {
		uint32_t i = order[n] * 2;
		int place = assignable_user_field(t, s->names[i].text);

		err = ddl_check_name(d, s->names[i + 1].text);
		if (place >= 0)
			f.names[place] = (char *)text_of(d->x,
							 s->names[i + 1].text);
		else if (!s->if_field_exists)
			err = refuse_at(d->x, s->names[i].span,
					refuse(d->x, "Unkown field %s in user "
						     "type %s",
					       text_of(d->x, s->names[i].text),
					       text_of_name(d, t)));
	}
	twice = err ? NULL : repeated(d, &f);
	if (twice)
		err = refuse(d->x, "Duplicate field name %s in type %s", twice,
			     t->keyspace);
	if (!err)
		return set_type(d, t->name, &f, true);
	fields_release(&f);
	return err;
}

int user_type_alter(struct ddl *d)
{
	const struct alter_type *s = d->statement->alter_type;
	const struct keyspace *k = schema_keyspace(d->now, d->keyspace);
	const struct type *t = k ? keyspace_type(k, s->name.name.text) : NULL;

	if (!t)
		return ddl_missing(d, s->if_exists, &s->name.name,
				   "Type ", " doesn't exist");
	switch (s->kind) {
	case ALTER_TYPE_ADD:
		return add_field(d, k, t);
	case ALTER_TYPE_RENAME:
		return rename_fields(d, t);
	default:
		return refuse(d->x, "Altering field types is no longer "
				    "supported");
	}
}

/* ------------------------------------------------------------------- DROP */
static void list_types(struct buf *out, const struct keyspace *k,
		       const char *name)
{
	for (uint32_t i = 0; i < k->type_count; i++) {
		if (!strcmp(k->types[i].name, name) ||
		    !type_uses_udt(k->types[i].type, k->name, name))
			continue;
		buf_add_str(out, out->len ? ", " : "");
		buf_add_str(out, k->types[i].name);
	}
}

static void list_tables(struct buf *out, const struct keyspace *k,
			const char *name)
{
	for (uint32_t i = 0; i < k->table_count; i++) {
		const struct table *t = k->tables[i];
		uint32_t c = 0;

		while (c < t->column_count &&
		       !type_uses_udt(t->columns[c].type, k->name, name))
			c++;
		if (c == t->column_count)
			continue;
		buf_add_str(out, out->len ? ", " : "");
		buf_add_str(out, t->name);
	}
}

int user_type_drop(struct ddl *d)
{
	const struct drop *s = d->statement->drop;
	const struct keyspace *k = schema_keyspace(d->now, d->keyspace);
	const char *name = text_of(d->x, s->name.name.text);
	struct buf list = BUF_INIT;
	const char *what = "user types";
	int err;

	if (!k || !keyspace_type(k, s->name.name.text))
		return ddl_missing(d, s->if_exists, &s->name.name,
				   "Type '", "' doesn't exist");
	list_types(&list, k, name);
	if (!list.len) {
		list_tables(&list, k, name);
		what = "tables";
	}
	if (list.len || list.failed)
		return refuse(d->x, "Cannot drop user type '%s.%s' as it is "
				    "still used by %s %s", k->name, name, what,
			      text_of_buf(d->x, &list));
	err = ddl_begin(d);
	return err ? err : schema_remove_type(d->next, d->keyspace,
					      s->name.name.text);
}
