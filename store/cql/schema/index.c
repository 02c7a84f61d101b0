/*
 * CREATE and DROP INDEX. Names of indexes are one namespace for the keyspace;
 * the store builds an index before the statement answers.
 */
#include "store/cql/schema/index.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "store/cql/schema/ddl.h"
#include "store/cql/schema/index_options.h"
#include "store/cql/schema/property.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/cql/statement/text.h"
#include "store/schema/options.h"
#include "store/schema/table_edit.h"

#define SASI "org.apache.cassandra.index.sasi.SASIIndex"
#define PLAIN "legacy_local_table"	/* Cassandra's name for its own */

struct new_index {
	struct ddl *d;
	const struct create_index *s;
	const struct keyspace *keyspace;
	const struct table *old;
	bool custom;
	const char *class;		/* as given */
	struct index index;		/* options in it are owned */
};

static const char *const functions[] = {
	[INDEX_VALUES] = "values", [INDEX_KEYS] = "keys",
	[INDEX_ENTRIES] = "entries", [INDEX_FULL] = "full",
	[INDEX_SIMPLE] = "",
};

/* ------------------------------------------------------------ what it says */
static int read_attributes(struct new_index *n)
{
	static const char *const names[] = { "options" };
	static const char *const kept[] = { "class_name", "target" };
	const struct create_index *s = n->s;
	const struct written_property *options;
	struct ddl *d = n->d;
	int err = property_check_names(d, &s->properties, names, 1);

	n->custom = s->custom || (s->using_class.ptr &&
				  !bytes_equal(s->using_class,
					       bytes_str(PLAIN)));
	n->class = s->using_class.ptr ? text_of(d->x, s->using_class) : PLAIN;
	options = property_find(&s->properties, "options");
	if (err || !options)
		return err;
	if (!n->custom)
		return refuse(d->x, "Cannot specify options for a non-CUSTOM "
				    "index");
	err = property_map(d, options);
	for (size_t i = 0; i < ARRAY_SIZE(kept) && !err; i++)
		if (property_entry(d, options, kept[i]))
			err = refuse(d->x, "Cannot specify %s as a CUSTOM "
					   "option", kept[i]);
	for (uint32_t i = 0; i < options->entry_count && !err; i++)
		err = options_set(&n->index.options, &n->index.option_count,
				  text_of(d->x, options->entries[i].key),
				  text_of(d->x, options->entries[i].value));
	return err;
}

/* ------------------------------------------------------------------ targets */
static int refuse_duration(struct ddl *d, const struct type *t)
{
	return refuse(d->x, "Secondary indexes are not supported on %s",
		      type_is_collection(t) ? "collections containing "
					      "durations" :
		      t->kind == TYPE_TUPLE ? "tuples containing durations" :
		      t->kind == TYPE_UDT   ? "UDTs containing durations" :
					      "duration columns");
}

static int check_compact_target(struct ddl *d, const struct table *t,
				const struct column *c)
{
	if (c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING)
		return refuse(d->x, "Secondary indexes are not supported on "
				    "PRIMARY KEY columns in COMPACT STORAGE "
				    "tables");
	if (t->flags & TABLE_DENSE)
		return refuse(d->x, "Secondary indexes are not supported on "
				    "compact value column of COMPACT STORAGE "
				    "tables");
	return 0;
}

static int check_target_form(struct ddl *d, const struct column *c,
			     enum index_target target)
{
	const struct type *t = c->type;
	bool collection = type_is_collection(t);
	bool frozen = collection && t->frozen;
	const char *function = functions[target];
	struct buf name = BUF_INIT;

	if (frozen && target != INDEX_FULL) {
		schema_print_name(&name, bytes_str(c->name));
		return refuse(d->x, "Cannot create %s() index on frozen column "
				    "%s. Frozen collections are immutable and "
				    "must be fully indexed by using the "
				    "'full(%s)' modifier", function, c->name,
			      text_of_buf(d->x, &name));
	}
	if (!frozen && target == INDEX_FULL)
		return refuse(d->x, "full() indexes can only be created on "
				    "frozen collections");
	if (!collection && target != INDEX_SIMPLE)
		return refuse(d->x, "Cannot create %s() index on %s. "
				    "Non-collection columns only support "
				    "simple indexes", function, c->name);
	if (t->kind != TYPE_MAP &&
	    (target == INDEX_KEYS || target == INDEX_ENTRIES))
		return refuse(d->x, "Cannot create index on %s of column %s "
				    "with non-map type", function, c->name);
	if (t->kind == TYPE_UDT && !t->frozen)
		return refuse(d->x, "Cannot create index on non-frozen UDT "
				    "column %s", c->name);
	return 0;
}

static int check_target(struct new_index *n, const struct column *c,
			enum index_target target)
{
	struct ddl *d = n->d;
	int err = 0;

	if (n->custom && !ddl_is_plain_name(bytes_str(c->name), 48))
		return refuse(d->x, "Column '%s' is longer than the "
				    "permissible name length of 48 characters "
				    "or contains non-alphanumeric-underscore "
				    "characters", c->name);
	if (type_contains_kind(c->type, TYPE_DURATION))
		return refuse_duration(d, c->type);
	if (n->old->flags & TABLE_COMPACT)
		err = check_compact_target(d, n->old, c);
	if (!err && c->kind == COLUMN_PARTITION_KEY &&
	    n->old->partition_key_count == 1)
		err = refuse(d->x, "Cannot create secondary index on the only "
				   "partition key column %s", c->name);
	return err ? err : check_target_form(d, c, target);
}

/* Cassandra does not notice that a column with DESC is a collection. */
static enum index_target target_of(const struct indexed_column *written,
				   const struct column *c)
{
	switch (written->kind) {
	case INDEX_TARGET_VALUES:
		return INDEX_VALUES;
	case INDEX_TARGET_KEYS:
		return INDEX_KEYS;
	case INDEX_TARGET_ENTRIES:
		return INDEX_ENTRIES;
	case INDEX_TARGET_FULL:
		return INDEX_FULL;
	default:
		return type_is_collection(c->type) && !c->reversed ?
			       INDEX_VALUES : INDEX_SIMPLE;
	}
}

static int look_up_targets(struct new_index *n, const struct column **columns)
{
	const struct create_index *s = n->s;
	struct execution *x = n->d->x;
	int err = 0;

	for (uint32_t i = 0; i < s->target_count && !err; i++)
		err = resolve_column(x, &columns[i], n->old,
				     &s->targets[i].column);
	if (err)
		return err;
	if (!s->target_count && !n->custom)
		return refuse(x, "Only CUSTOM indexes can be created without "
				 "specifying a target column");
	if (s->target_count > 1 && !n->custom)
		return refuse(x, "Only CUSTOM indexes support multiple "
				 "columns");
	for (uint32_t i = 0; i < s->target_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (columns[i] == columns[k])
				return refuse(x, "Duplicate column '%s' in "
						 "index target list",
					      columns[i]->name);
	return 0;
}

static int check_targets(struct new_index *n)
{
	const struct create_index *s = n->s;
	const struct column **columns =
		arena_zalloc(n->d->x->arena, s->target_count + 1,
			     sizeof(*columns));
	int err = columns ? look_up_targets(n, columns) : -ENOMEM;

	for (uint32_t i = 0; i < s->target_count && !err; i++) {
		n->index.target = target_of(&s->targets[i], columns[i]);
		n->index.column = (uint32_t)(columns[i] - n->old->columns);
		err = refuse_at(n->d->x, s->targets[i].column.span,
				check_target(n, columns[i], n->index.target));
	}
	return err;
}

/* ------------------------------------------------------------ name and class */
static void add_word_characters(struct buf *out, const char *text)
{
	for (; *text; text++)
		if (isascii((unsigned char)*text) &&
		    (isalnum((unsigned char)*text) || *text == '_'))
			buf_add_byte(out, (uint8_t)*text);
}

/* Choose a name: table_column_idx, or with _1, _2, … after it where that is
 * taken. */
static int choose_name(struct new_index *n)
{
	struct execution *x = n->d->x;
	struct buf name = BUF_INIT;
	const char *base, *free_name;

	if (identifier_is_given(&n->s->name)) {
		n->index.name = (char *)text_of(x, n->s->name.text);
		return 0;
	}
	add_word_characters(&name, n->old->name);
	if (n->s->target_count == 1) {
		buf_add_byte(&name, '_');
		add_word_characters(&name,
				    n->old->columns[n->index.column].name);
	}
	buf_add_str(&name, "_idx");
	base = free_name = text_of_buf(x, &name);
	for (unsigned i = 1;; i++) {
		if (!free_name)
			return -ENOMEM;
		if (!keyspace_index(n->keyspace, bytes_str(free_name), NULL))
			break;
		free_name = arena_format(x->arena, "%s_%u", base, i);
	}
	n->index.name = (char *)free_name;
	return 0;
}

static int choose_kind(struct new_index *n)
{
	n->index.kind = INDEX_COMPOSITES;
	if (!n->custom)
		return 0;
	n->index.class_name = (char *)n->class;
	if (!strcmp(n->class, SASI))
		n->index.kind = INDEX_SASI;
	else if (!strcasecmp(n->class, "sai") ||
		 !strcasecmp(n->class, "StorageAttachedIndex") ||
		 !strcmp(n->class, "org.apache.cassandra.index.sai."
				   "StorageAttachedIndex"))
		n->index.kind = INDEX_SAI;
	else
		return -ENOENT;
	return 0;
}

static bool same_options(const struct index *a, const struct index *b)
{
	if (a->option_count != b->option_count)
		return false;
	for (uint32_t i = 0; i < a->option_count; i++)
		if (strcmp(a->options[i].name, b->options[i].name) ||
		    strcmp(a->options[i].value, b->options[i].value))
			return false;
	return true;
}

/* True if they are the same but for their names. */
static bool is_equal(const struct index *a, const struct index *b)
{
	return a->kind == b->kind && a->column == b->column &&
	       a->target == b->target && same_options(a, b);
}

static const struct index *find_equal(const struct new_index *n)
{
	for (uint32_t i = 0; i < n->old->index_count; i++) {
		const struct index *one = &n->old->indexes[i];

		/* Like Cassandra, do not notice the same class under another
		 * name, except in a definition. */
		if (is_equal(one, &n->index) &&
		    (!one->class_name || ddl_is_definition(n->d) ||
		     !strcmp(one->class_name, n->index.class_name)))
			return one;
	}
	return NULL;
}

/* Look at an index that has the name already, in a definition. */
static int define_again(struct new_index *n, const struct table *holder,
			const struct index *was)
{
	bool same = false;
	int err = 0;

	if (holder == n->old) {
		err = check_targets(n);
		same = !err && !choose_kind(n) && n->s->target_count == 1 &&
		       is_equal(was, &n->index);
	}
	return err || same ? err :
		ddl_refuse_different(n->d, "Index", &n->s->name);
}

/* Refuse an index on no or several columns: none of ours takes that. */
static int check_target_count(struct new_index *n)
{
	struct buf list = BUF_INIT;

	if (n->s->target_count == 1)
		return 0;
	for (uint32_t i = 0; i < n->s->target_count; i++) {
		buf_add_str(&list, i ? ", " : "");
		schema_print_name(&list, n->s->targets[i].column.text);
	}
	if (n->index.kind == INDEX_SASI)
		return misconfigured(n->d, "failed to retrieve target column "
					   "for: %s",
				     text_of_buf(n->d->x, &list));
	return refuse(n->d->x, n->s->target_count ?
				       "A storage-attached index cannot be "
				       "created over multiple columns: %s" :
				       "Failed to retrieve target column for: "
				       "%s", text_of_buf(n->d->x, &list));
}

/* Add the index to the table, and check it as a whole. */
static int add_index(struct new_index *n, bool known)
{
	struct ddl *d = n->d;
	struct table *t;
	int err = 0;

	if (!ddl_is_plain_name(bytes_str(n->index.name), SIZE_MAX))
		return misconfigured(d, "Illegal index name %s", n->index.name);
	if (strlen(n->index.name) > 65535)
		return misconfigured(d, "Illegal index name");
	if (!known)
		return misconfigured(d, "Unable to find custom indexer class "
					"'%s'", n->class);
	err = check_target_count(n);
	if (err)
		return err;
	t = table_copy(n->old);
	if (!t)
		return -ENOMEM;
	t->flags &= ~(uint32_t)TABLE_PROVISIONAL;
	err = table_add_index(t, &n->index);
	if (!err)
		err = index_options_check(d, t,
					  &t->indexes[t->index_count - 1]);
	if (!err)
		return ddl_set_table(d, t);
	table_put(t);
	return err;
}

static int make_index(struct new_index *n)
{
	struct execution *x = n->d->x;
	const struct index *equal;
	int err = check_targets(n), unknown;

	if (!err)
		err = choose_name(n);
	if (err)
		return err;
	unknown = choose_kind(n);
	equal = unknown ? NULL : find_equal(n);
	if (equal && (n->s->if_not_exists ||
		      (ddl_is_definition(n->d) &&
		       !identifier_is_given(&n->s->name))))
		return 0;
	if (equal)
		return refuse(x, "Index %s is a duplicate of existing index %s",
			      n->index.name, equal->name);
	err = add_index(n, !unknown);
	if (!err && n->index.kind == INDEX_SASI)
		statement_warn(x, "SASI indexes are experimental and are not "
			       "recommended for production use.");
	return err;
}

int index_create(struct ddl *d)
{
	const struct create_index *s = d->statement->create_index;
	struct new_index n = { .d = d, .s = s };
	const char *table = text_of(d->x, s->table.name.text);
	const struct table *holder = NULL;
	struct index *was = NULL;
	int err = read_attributes(&n);

	if (!err)
		err = ddl_keyspace(d, &n.keyspace);
	if (!err)
		err = ddl_table(d, n.keyspace, s->table.name.text, &n.old);
	if (!err && !n.old)
		err = refuse_at(d->x, s->table.name.span,
				refuse(d->x, "Table '%s' doesn't exist",
				       table));
	if (err || !n.old)
		goto out;
	if (identifier_is_given(&s->name))
		holder = keyspace_index(n.keyspace, s->name.text, &was);
	if (holder && s->if_not_exists)
		goto out;
	if (holder && ddl_is_definition(d))
		err = define_again(&n, holder, was);
	else if (holder)
		err = refuse_at(d->x, s->name.span,
				refuse(d->x, "Index '%s' already exists",
				       text_of(d->x, s->name.text)));
	else if (n.old->flags & TABLE_COUNTER)
		err = refuse(d->x, "Secondary indexes on counter tables aren't "
				   "supported");
	else
		err = make_index(&n);
out:
	options_release(n.index.options, n.index.option_count);
	return err;
}

int index_drop(struct ddl *d)
{
	const struct drop *s = d->statement->drop;
	const struct keyspace *k = schema_keyspace(d->now, d->keyspace);
	const struct table *old;
	struct table *t;

	old = k ? keyspace_index(k, s->name.name.text, NULL) : NULL;
	if (old && !statement_may_enter(d->x, k, old))
		old = NULL;	/* an error does not describe it */
	if (!old)
		return ddl_missing(d, s->if_exists, &s->name.name,
				   "Index '", "' doesn't exist'");
	t = table_copy(old);
	if (!t)
		return -ENOMEM;
	table_remove_index(t, s->name.name.text);
	return ddl_set_table(d, t);
}
