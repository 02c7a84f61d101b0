#include "store/salvage_use.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/store.h"
#include "store/table/inner.h"

struct unknown {
	uint32_t table;
	uint64_t count;
};

static struct unknown *unknowns(const struct salvage_uses *u, size_t *count)
{
	*count = u->unknown.len / sizeof(struct unknown);
	return (struct unknown *)(void *)u->unknown.ptr;
}

/* Find the sstable of that number that names no table. */
static struct lsm_salvage_file *nameless(const struct salvage_uses *u,
					 uint64_t number)
{
	size_t count, i;
	struct lsm_salvage_file *files = lsm_salvage_files(u->from, &count);

	for (i = 0; i < count; i++)
		if (files[i].number == number && !files[i].table)
			return &files[i];
	return NULL;
}

static bool is_twin(const struct salvage_uses *u, uint32_t number,
		    const struct table *restored)
{
	const struct salvage_twin *list;
	size_t i, count;

	list = salvage_catalog_twins(u->catalog, &count);
	for (i = 0; i < count; i++)
		if (list[i].number == number && list[i].restored == restored)
			return true;
	return false;
}

static int take_given(struct salvage_uses *u, const struct salvage_given *g)
{
	struct table *t = schema_table(u->schema, bytes_str(g->keyspace),
				       bytes_str(g->table));
	struct lsm_salvage_file *file;
	const struct table *has;

	if (!t || lsm_salvage_is_whole(u->from))
		return -EINVAL;
	if (g->number)
		return salvage_use_of(u, g->number, &has) == USE_UNKNOWN ||
		       is_twin(u, g->number, t) ?
			salvage_catalog_give(u->catalog, g->number, t) :
			-EINVAL;
	file = nameless(u, g->file);
	if (!file)
		return -EINVAL;
	file->table = t->number;
	return 0;
}

int salvage_use_given(struct salvage_uses *u,
		      const struct salvage_options *options,
		      const struct salvage_given **refused)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < options->given_count; i++) {
		err = take_given(u, &options->given[i]);
		if (err == -EINVAL)
			*refused = &options->given[i];
	}
	return err;
}

enum salvage_use salvage_use_of(const struct salvage_uses *u, uint32_t number,
				const struct table **t)
{
	const struct salvage_former *former = NULL;
	uint32_t i, j, n;

	if (!lsm_salvage_is_whole(u->from))
		former = salvage_catalog_former(u->catalog, number);
	*t = schema_table_by_number(u->schema, number);
	if (*t && former)	/* a twin has it */
		*t = former->now;
	if (*t || number == STORE_ATTRIBUTES_NUMBER)
		return USE_TAKE;
	if (number == CATALOG_NUMBER || lsm_salvage_is_dropped(u->from, number))
		return USE_SKIP;
	for (i = 0; i < u->schema->keyspace_count; i++)
		for (j = 0; j < u->schema->keyspaces[i]->table_count; j++) {
			const struct table *base =
				u->schema->keyspaces[i]->tables[j];

			for (n = 0; n < base->index_count; n++)
				if (base->indexes[n].number == number)
					return USE_SKIP;	/* it is built */
		}
	if (!former)
		return USE_UNKNOWN;
	*t = former->now;
	return *t ? USE_TAKE : former->hidden ? USE_SKIP : USE_UNKNOWN;
}

bool salvage_use_cell(const struct salvage_former *f, uint32_t number)
{
	const struct former_column *other;
	uint32_t i;

	for (other = f->others; other; other = other->next)
		if (other->number == number)
			return false;
	for (i = 0; i < f->now->column_count; i++)
		if (f->now->columns[i].number == number)
			return true;
	return number < COLUMN_NUMBER_FIRST;
}

int salvage_use_count(struct salvage_uses *u, uint32_t table)
{
	struct unknown fresh = { table, 1 }, *list;
	size_t count, i;

	list = unknowns(u, &count);
	for (i = 0; i < count; i++)
		if (list[i].table == table) {
			list[i].count++;
			return 0;
		}
	buf_add(&u->unknown, &fresh, sizeof(fresh));
	return u->unknown.failed ? -ENOMEM : 0;
}

void salvage_use_tell(const struct salvage_uses *u,
		      void (*lost)(void *context, const char *text),
		      void *context)
{
	const struct salvage_former *former;
	const struct unknown *list;
	char line[512];
	size_t count, i;

	list = unknowns(u, &count);
	for (i = 0; i < count; i++) {
		former = salvage_catalog_former(u->catalog, list[i].table);
		snprintf(line, sizeof(line), "table number %" PRIu32 ": %.300s "
			 "%s: %" PRIu64 " entries", list[i].table,
			 former ? former->name : "it",
			 former ? "was dropped, or replaced by a restore" :
				  "has no schema (its record is lost, or it was "
				  "dropped)", list[i].count);
		lost(context, line);
	}
}

static void print_twin(struct buf *line, const struct salvage_uses *u,
		       const struct salvage_twin *twin)
{
	const struct salvage_former *given =
		salvage_catalog_former(u->catalog, twin->number);
	const struct table *r = twin->restored, *n = twin->renamed;

	if (given && given->now == r)
		buf_add_format(line, "%s.%s: its rows are in %s.%s, to which "
			       "number %" PRIu32 " was given", n->keyspace,
			       n->name, r->keyspace, r->name, twin->number);
	else
		buf_add_format(line, "%s.%s: rows that a restore gave it may be "
			       "in %s.%s alone, which has their number (--table "
			       "%" PRIu32 "=%s.%s takes all of them into this one)",
			       r->keyspace, r->name,
			       given ? given->now->keyspace : n->keyspace,
			       given ? given->now->name : n->name,
			       twin->number, r->keyspace, r->name);
}

void salvage_use_tell_twins(const struct salvage_uses *u,
			    void (*lost)(void *context, const char *text),
			    void *context)
{
	const struct salvage_twin *list;
	size_t i, count;

	list = salvage_catalog_twins(u->catalog, &count);
	for (i = 0; i < count && !lsm_salvage_is_whole(u->from); i++) {
		struct buf line = BUF_INIT;

		print_twin(&line, u, &list[i]);
		lost(context, buf_cstr(&line));
		buf_release(&line);
	}
}
