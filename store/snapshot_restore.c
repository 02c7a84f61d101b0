/*
 * Restore. Tables of the snapshot become new tables, which have its files; then
 * the catalogue names them in place of what there was.
 *
 * Order against crashes: that of every change of the schema (schema_change.c).
 * Before its batch, one edit of the manifest gives the files to the new tables:
 * a crash after it leaves tables without a name, which the next open drops. The
 * batch has the schema and the times above tables, and is all of the restore.
 * The tables that were there are dropped after it.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/murmur3.h"
#include "store/lsm/lsm_snapshot.h"
#include "store/row/row_codec.h"
#include "store/schema/schema_edit.h"
#include "store/schema/table_edit.h"
#include "store/snapshot.h"
#include "store/table/inner.h"
#include "store/table/present.h"

/* One snapshot that is restored. */
struct restore_source {
	uint64_t number;
	struct lsm_snapshot_hold hold;
	struct store *view;		/* NULL: not yet */
	struct schema *schema;		/* its own */
	struct lsm_adoption *tables;
	size_t count, room;
};

struct restore {
	struct store *s;
	const struct snapshot_part *part;
	struct buf *why;
	struct restore_source *sources;
	size_t source_count;
	const char *made;	/* a keyspace that was not there; borrowed */
};

static int refuse(struct restore *r, int err, const char *what,
		  const char *name)
{
	buf_add_format(r->why, "snapshot %s: %s%s", r->part->name, what, name);
	return r->why->failed ? -ENOMEM : err;
}

static int adopt_later(struct restore_source *from, uint32_t was, uint32_t to)
{
	struct lsm_adoption *grown = array_grow(from->tables, from->count,
						sizeof(*grown), &from->room);

	if (!grown)
		return -ENOMEM;
	from->tables = grown;
	from->tables[from->count++] = (struct lsm_adoption){ was, to };
	return 0;
}

/* Make the table that takes the place of t. A snapshot of one table has no
 * files of its indexes: they are built. REQUIRES ddl. */
static struct table *new_table(struct restore *r, struct restore_source *from,
			       const struct table *t)
{
	struct table *made = table_copy(t);
	uint32_t i;
	int err;

	if (!made)
		return NULL;
	made->number = r->s->next_table_number++;
	err = adopt_later(from, t->number, made->number);
	for (i = 0; i < made->index_count; i++) {
		made->indexes[i].number = 0;	/* it is built */
		if (from->view->only || made->indexes[i].building)
			continue;
		made->indexes[i].number = r->s->next_table_number++;
		if (!err)
			err = adopt_later(from, t->indexes[i].number,
					  made->indexes[i].number);
	}
	if (!err)
		return made;
	table_put(made);
	return NULL;
}

/* True if another table has the id: this one was renamed since. */
static bool has_id(const struct schema *s, const struct table *t)
{
	uint32_t i, j;

	for (i = 0; i < s->keyspace_count; i++)
		for (j = 0; j < s->keyspaces[i]->table_count; j++) {
			const struct table *other = s->keyspaces[i]->tables[j];

			if (!memcmp(other->id, t->id, sizeof(t->id)) &&
			    (strcmp(other->name, t->name) ||
			     strcmp(other->keyspace, t->keyspace)))
				return true;
		}
	return false;
}

/* Refuse when two tables have an index of one name: one of them stays, and has it
 * since a renaming or since the snapshot. */
static int check_indexes(struct restore *r, const struct keyspace *k)
{
	uint32_t i, j;

	for (i = 0; i < k->table_count; i++) {
		const struct table *t = k->tables[i];

		for (j = 0; j < t->index_count; j++) {
			const char *name = t->indexes[j].name;

			if (keyspace_index(k, bytes_str(name), NULL) != t)
				return refuse(r, -EINVAL, "another table has "
					      "an index of that name: ", name);
		}
	}
	return 0;
}

static int set_tables(struct restore *r, struct restore_source *from,
		      struct schema *next, const struct keyspace *k,
		      const struct table *only)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < k->table_count && !err; i++) {
		struct table *t;

		if (only && k->tables[i] != only)
			continue;
		t = new_table(r, from, k->tables[i]);
		if (t && has_id(next, t))	/* it gets a new one */
			memset(t->id, 0, sizeof(t->id));
		err = t ? schema_set_table(next, t) : -ENOMEM;
	}
	return err;
}

/* Put the keyspace as it was in the place of the present one. */
static int set_keyspace(struct restore *r, struct restore_source *from,
			struct schema *next, const struct keyspace *k)
{
	struct keyspace *copy = keyspace_copy(k);
	int err = copy ? schema_set_keyspace(next, copy) : -ENOMEM;

	return err ? err : set_tables(r, from, next, k, NULL);
}

/* ---------------------------------------------------------------- one table */
static bool table_uses(const struct table *t, const struct user_type *type)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (type_uses_udt(t->columns[i].type, t->keyspace, type->name))
			return true;
	return false;
}

/* Bring the types of a table: those that are there must be as they were. */
static int set_types(struct restore *r, struct schema *next,
		     const struct keyspace *k, const struct table *t)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < k->type_count && !err; i++) {
		const struct keyspace *now =
			schema_keyspace(next, bytes_str(k->name));
		struct type *is = keyspace_type(now,
						bytes_str(k->types[i].name));

		if (!table_uses(t, &k->types[i]))
			continue;
		if (!is)
			err = schema_set_type(next, bytes_str(k->name),
					      type_get(k->types[i].type));
		else if (!type_equal(is, k->types[i].type))
			err = refuse(r, -EINVAL, "the table's type has changed "
				     "since: ", k->types[i].name);
	}
	return err;
}

/* Copy the keyspace k without its tables. */
static struct keyspace *bare_keyspace(const struct keyspace *k)
{
	struct keyspace *made = keyspace_copy(k);
	uint32_t i;

	for (i = 0; made && i < made->table_count; i++)
		table_put(made->tables[i]);
	if (made)
		made->table_count = 0;
	return made;
}

static int set_table(struct restore *r, struct restore_source *from,
		     struct schema *next, const struct keyspace *k,
		     const struct table *t)
{
	struct bytes name = bytes_str(k->name);
	struct keyspace *made;
	int err;

	if (schema_keyspace(next, name)) {
		err = set_types(r, next, k, t);
	} else {
		made = bare_keyspace(k);
		err = made ? schema_set_keyspace(next, made) : -ENOMEM;
		r->made = k->name;
	}
	return err ? err : set_tables(r, from, next, k, t);
}

/* --------------------------------------------------------------------- edit */
static int set_all(struct restore *r, struct restore_source *from,
		   struct schema *next)
{
	uint32_t i = 0;
	int err = 0;

	while (!err && i < next->keyspace_count) {
		struct keyspace *k = next->keyspaces[i];

		if (k->system)
			i++;
		else
			err = schema_remove_keyspace(next, bytes_str(k->name));
	}
	for (i = 0; !err && i < from->schema->keyspace_count; i++)
		if (!from->schema->keyspaces[i]->system)
			err = set_keyspace(r, from, next,
					   from->schema->keyspaces[i]);
	return err;
}

/* Restore a keyspace or a table of a snapshot of everything. */
static int set_part(struct restore *r, struct restore_source *from,
		    struct schema *next)
{
	const struct snapshot_part *part = r->part;
	const struct keyspace *k =
		schema_keyspace(from->schema, bytes_str(part->keyspace));
	const struct table *t = k && part->table ?
		keyspace_table(k, bytes_str(part->table)) : NULL;

	if (!k || k->system)
		return refuse(r, -ENOENT, "it has no keyspace ",
			      part->keyspace);
	if (part->table && !t)
		return refuse(r, -ENOENT, "it has no such table in its "
			      "keyspace: ", part->table);
	return part->table ? set_table(r, from, next, k, t) :
			     set_keyspace(r, from, next, k);
}

/* Restore a snapshot of one table, if that is meant. */
static int set_only(struct restore *r, struct restore_source *from,
		    struct schema *next, bool *any)
{
	const struct snapshot_part *part = r->part;
	const struct table *t = schema_table_by_number(from->schema,
						       from->view->only);

	if (!t || (part->keyspace && strcmp(part->keyspace, t->keyspace)) ||
	    (part->table && strcmp(part->table, t->name)))
		return 0;
	*any = true;
	return set_table(r, from, next,
			 schema_keyspace(from->schema, bytes_str(t->keyspace)),
			 t);
}

static int edit(void *context, const struct schema *now, struct schema **out)
{
	struct restore *r = context;
	struct schema *next = schema_copy(now);
	bool any = false;
	uint32_t k;
	size_t i;
	int err = next ? 0 : -ENOMEM;

	for (i = 0; !err && i < r->source_count; i++) {
		struct restore_source *from = &r->sources[i];

		if (from->view->only) {
			err = set_only(r, from, next, &any);
			continue;
		}
		any = true;
		err = r->part->keyspace ? set_part(r, from, next) :
					  set_all(r, from, next);
	}
	if (!err && !any)
		err = r->part->table ?
			refuse(r, -ENOENT, "it has no such table in its "
			       "keyspace: ", r->part->table) :
			refuse(r, -ENOENT, "it has no keyspace ",
			       r->part->keyspace);
	for (k = 0; !err && k < next->keyspace_count; k++)
		err = check_indexes(r, next->keyspaces[k]);
	if (err)
		schema_put(next);
	else
		*out = next;
	return err;
}

/* -------------------------------------------------------------------- times */
/* Add the rows of the engine's table of attributes that begin so to the batch:
 * those that are there now are deleted (as of the timestamp before), those of
 * the snapshot are written. */
static int add_rows(struct lsm *lsm, struct bytes begin, int64_t timestamp,
		    bool delete, struct batch *batch)
{
	struct arena arena = ARENA_INIT;
	struct deletion in_force;
	struct iterator *it;
	struct entry e;
	int got, err;

	err = lsm_iterate(&it, lsm, STORE_ATTRIBUTES_NUMBER, BYTES_EMPTY,
			  BYTES_EMPTY, false);
	if (err)
		return err;
	got = iterator_seek(it, BYTES_EMPTY, &in_force);
	while (!got && (got = iterator_next(it, &e)) > 0) {
		struct row row = ROW_NONE, was;
		uint32_t i;

		got = 0;
		if (e.kind != ENTRY_ROW || !bytes_begin_with(e.key, begin))
			continue;
		if (delete) {
			row.deletion.timestamp = timestamp - 1;
			row.deletion.local_time = clock_now_s();
		} else {
			got = row_decode(&was, &arena, e.row);
			row.cells = was.cells;
			row.cell_count = got ? 0 : was.cell_count;
			for (i = 0; i < row.cell_count; i++)
				if (!row.cells[i].flags)
					row.cells[i].timestamp = timestamp;
		}
		if (!got)
			batch_add_row(batch, STORE_ATTRIBUTES_NUMBER, e.key,
				      &row);
		arena_clear(&arena);
	}
	iterator_close(it);
	arena_release(&arena);
	return got;
}

/* Put the times of what is above tables as they were: of everything, or (name
 * not NULL) of a keyspace. Those of one table are among its rows. */
static int add_times(struct restore *r, const char *name, struct batch *batch)
{
	int64_t timestamp = store_timestamp(r->s);
	struct buf begin = BUF_INIT;
	int err;

	if (name)
		key_add_partition(&begin, murmur3_token(bytes_str(name)),
				  bytes_str(name));
	err = begin.failed ? -ENOMEM :
			     add_rows(r->s->lsm, buf_bytes(&begin), timestamp,
				      true, batch);
	if (!err)
		err = add_rows(r->sources[0].view->lsm, buf_bytes(&begin),
			       timestamp, false, batch);
	buf_release(&begin);
	return err;
}

static int fill(void *context, struct batch *batch)
{
	struct restore *r = context;
	size_t i;
	int err = 0;

	if (r->made)
		err = add_times(r, r->made, batch);
	else if (!r->part->table && !r->sources[0].view->only)
		err = add_times(r, r->part->keyspace, batch);
	for (i = 0; !err && i < r->source_count; i++)
		if (r->sources[i].count)
			err = lsm_snapshot_adopt(r->s->lsm,
						 r->sources[i].number,
						 r->sources[i].tables,
						 r->sources[i].count);
	return err;
}

/* Forget the new tables, which have no name. */
static void forget(void *context)
{
	struct restore *r = context;
	size_t i, j;

	for (i = 0; i < r->source_count; i++)
		for (j = 0; j < r->sources[i].count; j++)
			if (lsm_table_drop(r->s->lsm, r->sources[i].tables[j].to))
				return;		/* the next open does it */
}

/* ------------------------------------------------------------------ sources */
/* Find and hold the snapshot of that name, or those of the change. */
static int find_sources(struct restore *r)
{
	struct manifest_snapshot *list;
	struct restore_source *from;
	size_t count, i;
	bool whole = false;
	int err = snapshot_list(r->s, &list, &count);

	if (!err && count)
		r->sources = mem_zalloc(count, sizeof(*r->sources));
	if (!err && count && !r->sources)
		err = -ENOMEM;
	for (i = 0; !err && i < count; i++)
		whole |= !strcmp(list[i].name, r->part->name);
	/* Present data becomes an automatic snapshot, for which the oldest is
	 * removed, but never one of these. */
	for (i = 0; !err && i < count; i++)
		if (whole ? !strcmp(list[i].name, r->part->name) :
			    list[i].automatic &&
			    snapshot_name_is_of(list[i].name, r->part->name)) {
			from = &r->sources[r->source_count++];
			from->number = list[i].number;
			lsm_snapshot_hold(r->s->lsm, &from->hold, from->number);
		}
	mem_free(list);
	if (!err && !r->source_count)
		err = refuse(r, -ENOENT, "there is no such snapshot", "");
	return err;
}

static int open_sources(struct restore *r)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < r->source_count; i++) {
		struct restore_source *from = &r->sources[i];

		err = snapshot_acquire(&from->view, r->s, from->number);
		if (err)
			from->view = NULL;
		else
			from->schema = store_schema(from->view);
	}
	return err;
}

static void close_sources(struct restore *r)
{
	size_t i;

	for (i = 0; i < r->source_count; i++) {
		struct restore_source *from = &r->sources[i];

		if (from->view) {
			schema_put(from->schema);
			snapshot_release(r->s, from->view);
		}
		lsm_snapshot_unhold(r->s->lsm, &from->hold);
		mem_free(from->tables);
	}
	mem_free(r->sources);
}

int snapshot_restore(struct store *s, const struct snapshot_part *part,
		     uid_t owner, struct buf *why)
{
	struct restore r = { .s = s, .part = part, .why = why };
	struct schema_edit how = { .edit = edit, .fill = fill,
				   .forget = forget, .context = &r,
				   .owner = owner };
	int err;

	if (s->read_only)
		return -EROFS;
	err = find_sources(&r);
	if (!err)
		err = open_sources(&r);
	if (!err)
		err = store_edit_tables(s, &how);
	close_sources(&r);
	return err;
}
