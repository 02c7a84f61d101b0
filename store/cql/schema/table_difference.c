#include "store/cql/schema/table_difference.h"

#include <errno.h>

#include "store/cql/schema/print.h"
#include "store/cql/schema/table_options.h"
#include "store/cql/statement/text.h"
#include "store/schema/options.h"

static int refuse_difference(struct ddl *d, const struct table *t,
			     const char *column, const char *what)
{
	const char *table = text_of_table(d->x, t);

	return refuse_as(d->x, CQL_ALREADY_EXISTS,
			 "Table \"%s\" exists, and is not this one: %s%s%s",
			 table, column ? column : "", column ? " " : "", what);
}

static void begin_alter(struct buf *out, const struct table *t,
			const char *what)
{
	buf_add_str(out, "ALTER TABLE ");
	schema_print_name(out, bytes_str(t->keyspace));
	buf_add_byte(out, '.');
	schema_print_name(out, bytes_str(t->name));
	buf_add_str(out, what);
}

static bool is_key(const struct column *c)
{
	return c->kind == COLUMN_PARTITION_KEY || c->kind == COLUMN_CLUSTERING;
}

static int compare_type(struct ddl *d, const struct table *old,
			const struct column *was, const struct column *now)
{
	struct buf name = BUF_INIT;
	const char *type, *column;

	if (type_equal(was->type, now->type))
		return 0;
	type = text_of_type(d->x, now->type);
	schema_print_name(&name, bytes_str(was->name));
	column = text_of_buf(d->x, &name);
	return refuse_difference(d, old, was->name,
				 text_of(d->x, bytes_str(
				 arena_format(d->x->arena, "would need ALTER "
					      "TABLE %s ALTER %s TYPE %s, and "
					      "types of columns cannot change",
					      text_of_table(d->x, old), column,
					      type))));
}

static bool has_index(const struct table *t, const struct column *c)
{
	for (uint32_t i = 0; i < t->index_count; i++)
		if (&t->columns[t->indexes[i].column] == c)
			return true;
	return false;
}

/* Compare the columns of the key, by their places; new names are RENAMEs. */
static int compare_key(struct ddl *d, const struct table_difference *t,
		       struct buf *out)
{
	const struct table *old = t->before, *new = t->new;
	uint32_t count = old->partition_key_count + old->clustering_count;
	bool renames = false;

	if (old->partition_key_count != new->partition_key_count ||
	    old->clustering_count != new->clustering_count)
		return refuse_difference(d, old, NULL, "no ALTER TABLE changes "
					 "the columns of its PRIMARY KEY");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t c = i - old->partition_key_count;
		bool first = i < old->partition_key_count;
		const struct column *was, *now;
		int err;

		was = first ? table_partition_column(old, i) :
			      table_clustering_column(old, c);
		now = first ? table_partition_column(new, i) :
			      table_clustering_column(new, c);
		err = compare_type(d, old, was, now);
		if (err)
			return err;
		if (was->reversed != now->reversed)
			return refuse_difference(d, old, was->name, "has the "
				"other CLUSTERING ORDER, which no ALTER TABLE "
				"changes");
		if (!strcmp(was->name, now->name))
			continue;
		if (has_index(old, was))
			return refuse_difference(d, old, was->name, "has an "
				"index, and no ALTER TABLE renames it then");
		if (!renames)
			begin_alter(out, t->now, " RENAME ");
		buf_add_str(out, renames ? " AND " : "");
		schema_print_name(out, bytes_str(was->name));
		buf_add_str(out, " TO ");
		schema_print_name(out, bytes_str(now->name));
		renames = true;
	}
	if (renames)
		buf_add_byte(out, ';');
	return 0;
}

/* Compare the columns that both tables have. */
static int compare_columns(struct ddl *d, const struct table_difference *t)
{
	const struct table *old = t->before, *new = t->new;

	for (uint32_t i = 0; i < old->column_count; i++) {
		const struct column *was = &old->columns[i], *now;
		int place = table_column(new, bytes_str(was->name)), err;

		if (place < 0 || was->hidden)
			continue;
		now = &new->columns[place];
		if (is_key(was) != is_key(now))
			return refuse_difference(d, old, NULL, "no ALTER TABLE "
				"changes the columns of its PRIMARY KEY");
		if (is_key(was))
			continue;
		err = compare_type(d, old, was, now);
		if (err)
			return err;
		if (was->kind != now->kind)
			return refuse_difference(d, old, was->name, "is static "
				"in one alone, which no ALTER TABLE changes");
	}
	return 0;
}

static bool is_listed(const struct column *c, const struct table *without)
{
	return !is_key(c) && !c->hidden && !c->mask &&
	       table_column(without, bytes_str(c->name)) < 0;
}

/* List the columns that come: "a int, b text static". */
static uint32_t list_coming(struct buf *out, const struct table_difference *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->new->column_count; i++) {
		const struct column *c = &t->new->columns[i];

		if (!is_listed(c, t->before))
			continue;
		buf_add_str(out, n++ ? ", " : "");
		cql_print_column(out, c->name, c->type, c->kind);
	}
	return n;
}

/* Return when a column was last dropped: one that comes again has its number. */
static int64_t dropped_at(const struct table *t, uint32_t number)
{
	for (uint32_t i = 0; i < t->dropped_count; i++)
		if (t->dropped[i].number == number)
			return t->dropped[i].dropped_us;
	return INT64_MIN;
}

/* List the names of those that go. One that somebody else dropped is gone, also
 * where another has its name. */
static uint32_t list_going(struct buf *out, const struct table_difference *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->before->column_count; i++) {
		const struct column *c = &t->before->columns[i];
		int place = table_column(t->now, bytes_str(c->name));

		if (!is_listed(c, t->new) || place < 0 ||
		    dropped_at(t->now, c->number) !=
			    dropped_at(t->before, c->number))
			continue;
		buf_add_str(out, n++ ? ", " : "");
		schema_print_name(out, bytes_str(c->name));
	}
	return n;
}

static int add_and_drop(struct ddl *d, const struct table_difference *t,
			struct buf *out)
{
	struct buf come = BUF_INIT, go = BUF_INIT;
	uint32_t coming = list_coming(&come, t);
	uint32_t going = list_going(&go, t);
	const char *added = text_of_buf(d->x, &come);
	const char *dropped = text_of_buf(d->x, &go);

	if (coming && going)
		return refuse_difference(d, t->now, NULL, text_of(d->x, bytes_str(
			arena_format(d->x->arena, "a column that is not of the "
				     "key has no new name without a loss of its "
				     "values (ALTER TABLE %s ADD (%s), then "
				     "DROP (%s), in two steps)",
				     text_of_table(d->x, t->now), added,
				     dropped))));
	if (coming || going) {
		begin_alter(out, t->now, coming ? " ADD (" : " DROP (");
		buf_add_str(out, coming ? added : dropped);
		buf_add_str(out, ");");
	}
	return 0;
}

/* Compare the options that are given. */
static int compare_options(struct ddl *d, const struct table_difference *t,
			   struct buf *out)
{
	struct buf was = BUF_INIT, is = BUF_INIT, now = BUF_INIT;
	struct table_options with = { 0 };
	int err = table_options_copy(&with, &t->before->options);

	if (!err)
		err = table_options_read(d, &with, t->given);
	if (!err) {
		cql_print_options(&was, &t->before->options);
		cql_print_options(&is, &t->now->options);
		cql_print_options(&now, &with);
		err = was.failed || is.failed || now.failed ? -ENOMEM : 0;
	}
	if (err || bytes_equal(buf_bytes(&was), buf_bytes(&now))) {
		/* they stay what they are */
	} else if (!bytes_equal(buf_bytes(&was), buf_bytes(&is))) {
		err = refuse_difference(d, t->now, NULL, "its options were "
			"changed since this text was begun");
	} else {
		begin_alter(out, t->now, " WITH ");
		buf_add_bytes(out, buf_bytes(&now));
	}
	buf_release(&was);
	buf_release(&is);
	buf_release(&now);
	table_options_release(&with);
	return err;
}

int table_difference(struct ddl *d, const struct table_difference *t,
		     struct buf *out)
{
	const unsigned shape = TABLE_COMPACT | TABLE_DENSE | TABLE_COUNTER;
	int err = 0;

	if ((t->before->flags & shape) != (t->new->flags & shape))
		err = refuse_difference(d, t->now, NULL, t->before->flags &
			TABLE_COMPACT ? "it has COMPACT STORAGE (ALTER TABLE "
			"with DROP COMPACT STORAGE is a statement for .cql)" :
			"no ALTER TABLE changes its kind");
	if (!err)
		err = compare_key(d, t, out);
	if (!err)
		err = compare_columns(d, t);
	if (!err)
		err = add_and_drop(d, t, out);
	if (!err)
		err = compare_options(d, t, out);
	return err ? err : out->failed ? -ENOMEM : 0;
}

int table_refuse_drops(struct ddl *d, const struct table_difference *t,
		       const char *why)
{
	struct buf go = BUF_INIT;
	uint32_t going = list_going(&go, t);
	const char *dropped = text_of_buf(d->x, &go);

	if (!going)
		return 0;
	return refuse_difference(d, t->now, NULL, text_of(d->x, bytes_str(
		arena_format(d->x->arena, "DROP (%s) would lose their values, "
			     "and %s", dropped, why))));
}
