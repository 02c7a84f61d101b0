/* ALTER TABLE. Every form changes a copy of the table. */
#include "store/cql/schema/alter_table.h"

#include <errno.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/cql/expression/assignability.h"
#include "store/cql/expression/term.h"
#include "store/cql/expression/type_resolve.h"
#include "store/cql/schema/compression_options.h"
#include "store/cql/schema/create_table.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/schema/mask.h"
#include "store/cql/schema/property.h"
#include "store/cql/schema/table_check.h"
#include "store/cql/schema/table_options.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/parse.h"
#include "store/schema/mask.h"
#include "store/schema/options.h"
#include "store/schema/table_edit.h"
#include "store/store.h"

/* -------------------------------------------------------------------- ADD */
static const struct dropped_column *find_dropped(const struct table *t,
						 struct bytes name)
{
	const struct dropped_column *last = NULL;

	for (uint32_t i = 0; i < t->dropped_count; i++)
		if (bytes_equal(bytes_str(t->dropped[i].name), name))
			last = &t->dropped[i];
	return last;
}

static uint32_t length_of(const struct type *t)
{
	return type_is_flat(t) ? type_fixed_length(t) : 0;
}

/* True if cells of the dropped type are cells of t too. */
static bool takes_cells(const struct type *t, const struct type *dropped)
{
	if (type_is_multicell(t) != type_is_multicell(dropped) ||
	    !assignable_type(dropped, t))
		return false;
	switch (t->kind) {
	case TYPE_LIST:
	case TYPE_MAP:
		return takes_cells(t->parts[t->part_count - 1],
				   dropped->parts[t->part_count - 1]);
	case TYPE_SET:
		return true;
	default:
		return length_of(t) == length_of(dropped);
	}
}

static int check_again(struct ddl *d, const struct table *t,
		       const struct column_definition *c,
		       const struct type *type)
{
	const struct dropped_column *was = find_dropped(t, c->name.text);
	const char *name = text_of(d->x, c->name.text);

	if (!was)
		return 0;
	if (!takes_cells(type, was->type))
		return refuse(d->x, "Cannot re-add previously dropped column "
				    "'%s' of type %s, incompatible with "
				    "previous type %s", name,
			      text_of_type(d->x, type),
			      text_of_type(d->x, was->type));
	if (c->is_static != (was->kind == COLUMN_STATIC))
		return refuse(d->x, "Cannot re-add previously dropped column "
				    "'%s' of kind %s, incompatible with "
				    "previous kind %s", name,
			      c->is_static ? "STATIC" : "REGULAR",
			      c->is_static ? "REGULAR" : "STATIC");
	if (t->flags & TABLE_COUNTER)
		return refuse(d->x, "Cannot re-add previously dropped counter "
				    "column %s", name);
	return 0;
}

static int check_added(struct ddl *d, const struct table *t,
		       const struct column_definition *c,
		       const struct type *type)
{
	int err;

	if (t->flags & TABLE_COMPACT)
		return refuse(d->x, "Cannot add new column to a COMPACT "
				    "STORAGE table");
	if (c->is_static && table_is_flat(t))
		return refuse(d->x, "Static columns are only useful (and thus "
				    "allowed) if the table has at least one "
				    "clustering column");
	err = check_nested_fields(d, type, text_of(d->x, c->name.text));
	if (!err)
		err = ddl_check_name(d, c->name.text);
	return err ? err : check_again(d, t, c, type);
}

static int add_new_column(struct ddl *d, struct table *t,
			  const struct column_definition *c, struct type *type,
			  struct column_mask *mask)
{
	enum column_kind kind = c->is_static ? COLUMN_STATIC : COLUMN_REGULAR;
	int place, err = check_added(d, t, c, type);

	if (err)
		return refuse_at(d->x, c->span, err);
	place = table_add_column(t, text_of(d->x, c->name.text),
				 type_get(type), kind, false);
	if (place < 0)
		return place;
	t->columns[place].mask = mask_get(mask);
	return 0;
}

/* True if a column that exists is the one of a definition. */
static bool is_defined(struct ddl *d, const struct column *was,
		       const struct column_definition *c,
		       const struct type *type, const struct column_mask *mask)
{
	return ddl_is_definition(d) &&
	       was->kind == (c->is_static ? COLUMN_STATIC : COLUMN_REGULAR) &&
	       type_equal(was->type, type) && mask_equal(was->mask, mask);
}

/* Add a column to t, which was old before the statement. */
static int add_column(struct ddl *d, struct table *t, const struct table *old,
		      const struct column_definition *c,
		      const struct keyspace *k)
{
	struct column_mask *mask = NULL;
	struct type *type;
	int place = table_column(t, c->name.text);
	int err = type_resolve(d->x, &type, c->type, k);

	if (err)
		return err;
	if (c->mask)
		err = mask_prepare(d, &mask, t, c, type);
	if (!err && place < 0)
		err = add_new_column(d, t, c, type, mask);
	else if (!err && !d->statement->alter_table->if_column_not_exists &&
		 !(place < (int)old->column_count &&
		   is_defined(d, &old->columns[place], c, type, mask)))
		err = refuse_at(d->x, c->name.span,
				refuse(d->x, "Column with name '%s' already "
					     "exists",
				       text_of(d->x, c->name.text)));
	mask_put(mask);
	type_put(type);
	return err;
}

static int add_columns(struct ddl *d, struct table *t, const struct table *old,
		       const struct keyspace *k)
{
	const struct alter_table *s = d->statement->alter_table;
	int err = 0;

	for (uint32_t i = 0; i < s->column_count && !err; i++)
		err = add_column(d, t, old, &s->columns[i], k);
	if (!err)
		err = table_finish(t);
	return err ? err : create_table_check(d, t);
}

/* ----------------------------------------------------------- DROP, RENAME */
/* List the indexes on a column: "a, b", or NULL. */
static const char *indexes_of(struct ddl *d, const struct table *t, int column)
{
	struct buf list = BUF_INIT;

	for (uint32_t i = 0; i < t->index_count; i++) {
		if (t->indexes[i].column != (uint32_t)column)
			continue;
		buf_add_str(&list, list.len ? ", " : "");
		buf_add_str(&list, t->indexes[i].name);
	}
	return list.len || list.failed ? text_of_buf(d->x, &list) : NULL;
}

static int refuse_drop(struct ddl *d, const struct table *t, int place)
{
	const struct column *c = &t->columns[place];
	const char *indexes = indexes_of(d, t, place);

	if (c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING)
		return refuse(d->x, "Cannot drop PRIMARY KEY column %s",
			      c->name);
	if (c->type->kind == TYPE_UDT && !c->type->frozen)
		return refuse(d->x, "Cannot drop non-frozen column %s of user "
				    "type %s", c->name,
			      text_of_type(d->x, c->type));
	if (indexes)
		return refuse(d->x, "Cannot drop column %s because it has "
				    "dependent secondary indexes (%s)",
			      c->name, indexes);
	if (t->flags & TABLE_DENSE)
		return refuse(d->x, "Cannot drop the value column %s of a "
				    "COMPACT STORAGE table", c->name);
	return 0;
}

/* Choose one of equal names: the first, or the last. */
static int choose_names(struct ddl *d, struct hash *chosen, uint32_t step,
			bool last)
{
	const struct alter_table *s = d->statement->alter_table;
	struct hash_place *place;

	for (uint32_t i = 0; i < s->name_count; i += step) {
		place = hash_place(chosen, d->x->arena, s->names[i].text);
		if (!place)
			return -ENOMEM;
		if (last || !place->value)
			place->value = &s->names[i];
	}
	return 0;
}

static bool is_chosen(struct ddl *d, struct hash *chosen,
		      const struct identifier *name)
{
	const struct hash_place *place = hash_place(chosen, d->x->arena,
						    name->text);

	return place && place->value == name;
}

static int drop_column(struct ddl *d, struct table *t,
		       const struct identifier *name)
{
	const struct alter_table *s = d->statement->alter_table;
	int place = table_column(t, name->text), err;

	if (place < 0 && s->if_column_exists)
		return 0;
	if (place < 0)
		err = refuse(d->x, "Column %s was not found in table '%s'",
			     text_of(d->x, name->text), text_of_table(d->x, t));
	else
		err = refuse_drop(d, t, place);
	err = refuse_at(d->x, name->span, err);
	return err ? err : table_drop_column(t, (uint32_t)place,
					     s->has_timestamp ?
						     s->timestamp : DROPPED_NOW);
}

static int drop_columns(struct ddl *d, struct table *t)
{
	const struct alter_table *s = d->statement->alter_table;
	const uint32_t *order = property_java_order(d, s->names, s->name_count,
						    sizeof(*s->names));
	uint32_t before = t->dropped_count;
	struct hash chosen = { .count = 0 };
	int err = order ? choose_names(d, &chosen, 1, false) : -ENOMEM;

	for (uint32_t i = 0; i < s->name_count && !err; i++)
		if (is_chosen(d, &chosen, &s->names[order[i]]))
			err = drop_column(d, t, &s->names[order[i]]);
	table_order_dropped(t, before);
	return err ? err : table_finish(t);
}

static bool has_name(const struct table *t, struct bytes name)
{
	for (uint32_t i = 0; i < t->column_count; i++)
		if (bytes_equal(bytes_str(t->columns[i].name), name))
			return true;
	return false;
}

/* Rename a column. old is the table as it was before the statement, its columns
 * in the places that they have in t. */
static int rename_column(struct ddl *d, struct table *t,
			 const struct table *old, const struct identifier *from,
			 const struct identifier *to)
{
	const char *was = text_of(d->x, from->text);
	const char *new = text_of(d->x, to->text), *indexes;
	const struct column *c;
	char *copy;
	int place, err = resolve_column(d->x, &c, old, from);

	if (!err)
		err = ddl_check_name(d, to->text);
	if (err)
		return err;
	if (c->kind != COLUMN_PARTITION_KEY && c->kind != COLUMN_CLUSTERING)
		return refuse(d->x, "Cannot rename non PRIMARY KEY column %s",
			      was);
	if (has_name(old, to->text) || has_name(t, to->text))
		return refuse(d->x, "Cannot rename column %s to %s in table "
				    "'%s'; another column with that name "
				    "already exists", was, new,
			      text_of_table(d->x, t));
	place = (int)(c - old->columns);
	indexes = indexes_of(d, t, place);
	if (indexes)
		return refuse(d->x, "Can't rename column %s because it has "
				    "dependent secondary indexes (%s)", was,
			      indexes);
	copy = mem_copy(new, strlen(new));
	if (!copy)
		return -ENOMEM;
	mem_free(t->columns[place].name);
	t->columns[place].name = copy;
	return 0;
}

/* Rename columns. Of two new names for one column the later is used. */
static int rename_columns(struct ddl *d, struct table *t,
			  const struct table *old)
{
	const struct alter_table *s = d->statement->alter_table;
	const uint32_t *order = property_java_order(d, s->names,
						    s->name_count / 2,
						    2 * sizeof(*s->names));
	struct hash chosen = { .count = 0 };
	int err = order ? choose_names(d, &chosen, 2, true) : -ENOMEM;

	for (uint32_t n = 0; n < s->name_count / 2 && !err; n++) {
		uint32_t i = order[n] * 2;

		if (is_chosen(d, &chosen, &s->names[i]))
			err = refuse_at(d->x, s->names[i].span,
					rename_column(d, t, old, &s->names[i],
						      &s->names[i + 1]));
	}
	return err ? err : table_finish(t);
}

/* ------------------------------------------------------------------- WITH */
/* Read the options beside the defaults, and check: each value by itself. */
static int read_options(struct ddl *d, bool check)
{
	const struct properties *p = &d->statement->alter_table->properties;
	struct table_options alone;
	int err = table_options_init(&alone);

	if (err)
		return err;
	err = table_options_read(d, &alone, p);
	if (!err && check)
		err = table_options_check(d, &alone, p);
	table_options_release(&alone);
	return err;
}

static int set_options(struct ddl *d, struct table *t)
{
	const struct properties *p = &d->statement->alter_table->properties;
	bool given = false;
	uint8_t id[16];
	int err = read_options(d, true);

	if (!err)
		err = table_options_read_id(d, id, &given, p);
	if (!err && given)
		err = misconfigured(d, "Cannot alter table id.");
	if (!err)
		err = table_options_read(d, &t->options, p);
	if (!err && t->flags & TABLE_COUNTER &&
	    t->options.default_time_to_live > 0)
		err = refuse(d->x, "Cannot set default_time_to_live on a table "
				   "with counters");
	if (!err && property_find(p, "compression"))
		compression_options_warn(d, &t->options);
	return err;
}

static int unmask_column(struct ddl *d, struct table *t)
{
	const struct alter_table *s = d->statement->alter_table;
	struct bytes name = s->columns[0].name.text;
	int place = table_column(t, name);

	if (place >= 0) {
		mask_put(t->columns[place].mask);
		t->columns[place].mask = NULL;
	}
	if (place >= 0 || s->if_column_exists)
		return 0;
	return refuse(d->x, "Column with name '%s' doesn't exist on table '%s'",
		      text_of(d->x, name), t->name);
}

/* ------------------------------------------------------- DROP COMPACT STORAGE */
/*
 * Show the hidden columns. The columns of shape (a) are static then: no data
 * moves, as the existing rows have the place of static rows.
 */
static int drop_compact_storage(struct ddl *d, struct table *t)
{
	bool flat = !(t->flags & TABLE_DENSE);

	if (!(t->flags & TABLE_COMPACT))
		return refuse(d->x, "Cannot DROP COMPACT STORAGE on table "
				    "without COMPACT STORAGE");
	for (uint32_t i = 0; i < t->column_count; i++) {
		struct column *c = &t->columns[i];

		if (flat && c->kind == COLUMN_REGULAR && !c->hidden)
			c->kind = COLUMN_STATIC;
		c->hidden = false;
	}
	for (uint32_t i = 0; i < t->dropped_count && flat; i++)
		t->dropped[i].kind = COLUMN_STATIC;
	t->flags &= ~(uint32_t)(TABLE_COMPACT | TABLE_DENSE);
	if (flat)
		t->flags |= TABLE_WAS_FLAT;
	return table_finish(t);
}

/* ------------------------------------------------------------ all of them */
static int change(struct ddl *d, struct table *t, const struct table *old,
		  const struct keyspace *k)
{
	switch (d->statement->alter_table->kind) {
	case ALTER_TABLE_ADD:
		return add_columns(d, t, old, k);
	case ALTER_TABLE_DROP:
		return drop_columns(d, t);
	case ALTER_TABLE_RENAME:
		return rename_columns(d, t, old);
	case ALTER_TABLE_WITH:
		return set_options(d, t);
	case ALTER_TABLE_DROP_COMPACT:
		return drop_compact_storage(d, t);
	case ALTER_TABLE_UNMASK:
		return unmask_column(d, t);
	default:
		return refuse(d->x, "Altering column types is no longer "
				    "supported");
	}
}

int alter_table(struct ddl *d)
{
	const struct alter_table *s = d->statement->alter_table;
	const struct keyspace *k = schema_keyspace(d->now, d->keyspace);
	const struct table *old;
	struct table *t;
	bool adds_nothing;
	int err = s->kind == ALTER_TABLE_WITH ? read_options(d, false) : 0;

	if (err)
		return err;
	err = ddl_table(d, k, s->table.name.text, &old);
	if (err)
		return err;
	if (!old)
		return ddl_missing(d, s->if_exists, &s->table.name,
				   "Table '", "' doesn't exist");
	t = table_copy(old);
	if (!t)
		return -ENOMEM;
	t->flags &= ~(uint32_t)TABLE_PROVISIONAL;
	table_order_dropped(t, t->dropped_count);
	err = change(d, t, old, k);
	adds_nothing = s->kind == ALTER_TABLE_ADD &&
		       t->column_count == old->column_count;
	if (!err && !adds_nothing)
		return ddl_set_table(d, t);
	table_put(t);
	return err;
}

/* Run one of alter_table_all. Its places are not those of the text that the
 * user has written. */
static int alter_next(struct ddl *d, const struct statement *s)
{
	struct ddl step = {
		.x = d->x, .statement = s, .keyspace = d->keyspace,
		.now = d->next ? d->next : d->now,
	};
	struct bytes text = d->x->text;
	int err;

	d->x->text = BYTES_NULL;
	err = alter_table(&step);
	d->x->text = text;
	if (step.next) {
		schema_put(d->next);
		d->next = step.next;
	}
	return err;
}

int alter_table_all(struct ddl *d, struct bytes statements)
{
	struct cql_error error = CQL_ERROR_INIT;
	struct statement *s;
	size_t used = 0;
	int err = 0;

	while (!err && statements.len) {
		err = cql_parse(d->x->arena, &s, statements, &used, &error);
		if (err == -EINVAL)
			return refuse_as(d->x, error.code, "%s", error.message);
		if (!err)
			err = alter_next(d, s);
		statements.ptr += used;
		statements.len -= used;
	}
	return err;
}
