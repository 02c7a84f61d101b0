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
#include "store/lsm/lsm_snapshot.h"
#include "store/row/row_codec.h"
#include "store/schema/schema_edit.h"
#include "store/schema/table_edit.h"
#include "store/snapshot.h"
#include "store/table/inner.h"
#include "store/table/present.h"

struct restore {
	struct store *s, *view;
	const struct snapshot_part *part;
	struct buf *why;
	struct schema *from;		/* the snapshot's */
	uint64_t number;
	struct lsm_adoption *tables;
	size_t count, room;
};

static int refuse(struct restore *r, int err, const char *what,
		  const char *name)
{
	buf_add_format(r->why, "snapshot %s: %s%s", r->part->name, what, name);
	return r->why->failed ? -ENOMEM : err;
}

static int adopt_later(struct restore *r, uint32_t from, uint32_t to)
{
	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 16;
		struct lsm_adoption *grown = mem_resize(r->tables, room,
							sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		r->tables = grown;
		r->room = room;
	}
	r->tables[r->count++] = (struct lsm_adoption){ from, to };
	return 0;
}

/* Make the table that takes the place of t. A snapshot of one table has no
 * files of its indexes: they are built. REQUIRES ddl. */
static struct table *new_table(struct restore *r, const struct table *t)
{
	struct table *made = table_copy(t);
	uint32_t i;
	int err;

	if (!made)
		return NULL;
	made->number = r->s->next_table_number++;
	err = adopt_later(r, t->number, made->number);
	for (i = 0; i < made->index_count; i++) {
		made->indexes[i].number = 0;	/* it is built */
		if (r->view->only || made->indexes[i].building)
			continue;
		made->indexes[i].number = r->s->next_table_number++;
		if (!err)
			err = adopt_later(r, t->indexes[i].number,
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

/* Refuse when another table has the name of one of its indexes, since a
 * renaming or since the snapshot. */
static int check_indexes(struct restore *r, const struct schema *next,
			 const struct table *t)
{
	const struct keyspace *k = schema_keyspace(next, bytes_str(t->keyspace));
	uint32_t i;

	for (i = 0; i < t->index_count; i++) {
		const struct table *has =
			keyspace_index(k, bytes_str(t->indexes[i].name), NULL);

		if (has && strcmp(has->name, t->name))
			return refuse(r, -EINVAL, "another table has an index "
				      "of that name: ", t->indexes[i].name);
	}
	return 0;
}

static int set_tables(struct restore *r, struct schema *next,
		      const struct keyspace *k, const struct table *only)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < k->table_count && !err; i++) {
		struct table *t;

		if (only && k->tables[i] != only)
			continue;
		err = only ? check_indexes(r, next, only) : 0;
		t = err ? NULL : new_table(r, k->tables[i]);
		if (t && has_id(next, t))	/* it gets a new one */
			memset(t->id, 0, sizeof(t->id));
		if (!err)
			err = t ? schema_set_table(next, t) : -ENOMEM;
	}
	return err;
}

/* Put the keyspace as it was in the place of the present one. */
static int set_keyspace(struct restore *r, struct schema *next,
			const struct keyspace *k)
{
	struct keyspace *copy = keyspace_copy(k);
	int err = copy ? schema_set_keyspace(next, copy) : -ENOMEM;

	return err ? err : set_tables(r, next, k, NULL);
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

/* Copy the keyspace k without its tables and types. */
static struct keyspace *bare_keyspace(const struct keyspace *k)
{
	struct keyspace *made = keyspace_new(k->name);
	uint32_t i;

	if (!made)
		return NULL;
	made->durable_writes = k->durable_writes;
	made->uid = k->uid;
	made->gid = k->gid;
	made->mode = k->mode;
	made->created_us = k->created_us;
	for (i = 0; i < k->replication_count; i++)
		if (keyspace_set_replication(made, k->replication[i].name,
					     k->replication[i].value)) {
			keyspace_put(made);
			return NULL;
		}
	return made;
}

static int set_table(struct restore *r, struct schema *next,
		     const struct keyspace *k, const struct table *t)
{
	struct bytes name = bytes_str(k->name);
	struct keyspace *made;
	int err = 0;

	if (!schema_keyspace(next, name)) {
		made = bare_keyspace(k);
		err = made ? schema_set_keyspace(next, made) : -ENOMEM;
	}
	if (!err)
		err = set_types(r, next, k, t);
	return err ? err : set_tables(r, next, k, t);
}

/* --------------------------------------------------------------------- edit */
static int set_all(struct restore *r, struct schema *next)
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
	for (i = 0; !err && i < r->from->keyspace_count; i++)
		if (!r->from->keyspaces[i]->system)
			err = set_keyspace(r, next, r->from->keyspaces[i]);
	return err;
}

static int set_part(struct restore *r, struct schema *next)
{
	const struct snapshot_part *part = r->part;
	const struct keyspace *k =
		schema_keyspace(r->from, bytes_str(part->keyspace));
	const struct table *t = k && part->table ?
		keyspace_table(k, bytes_str(part->table)) : NULL;

	if (!k || k->system)
		return refuse(r, -ENOENT, "it has no keyspace ",
			      part->keyspace);
	if (part->table && !t)
		return refuse(r, -ENOENT, "it has no such table in its "
			      "keyspace: ", part->table);
	return part->table ? set_table(r, next, k, t) :
			     set_keyspace(r, next, k);
}

static int edit(void *context, const struct schema *now, struct schema **out)
{
	struct restore *r = context;
	struct schema *next = schema_copy(now);
	const struct keyspace *k;
	struct snapshot_part one;
	int err;

	if (!next)
		return -ENOMEM;
	/* All of a snapshot of one table is that table. */
	if (r->view->only && !r->part->table) {
		struct table *t = schema_table_by_number(r->from,
							 r->view->only);

		k = t ? schema_keyspace(r->from, bytes_str(t->keyspace)) : NULL;
		one = *r->part;
		if (k && one.keyspace && strcmp(one.keyspace, k->name))
			k = NULL;
		err = k ? set_table(r, next, k, t) :
			  refuse(r, -ENOENT, "it has no keyspace ",
				 one.keyspace ? one.keyspace : "");
	} else {
		err = r->part->keyspace ? set_part(r, next) : set_all(r, next);
	}
	if (err)
		schema_put(next);
	else
		*out = next;
	return err;
}

/* -------------------------------------------------------------------- times */
/* Add the rows of the engine's table of attributes to the batch: those that are
 * there now are deleted (as of the timestamp before), those of the snapshot are
 * written. */
static int add_times(struct restore *r, struct lsm *lsm, struct bytes begin,
		     int64_t timestamp, bool delete, struct batch *batch)
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
	(void)r;
	return got;
}

static int fill(void *context, struct batch *batch)
{
	struct restore *r = context;
	int64_t timestamp = store_timestamp(r->s);
	struct buf begin = BUF_INIT;
	int err;

	if (r->part->keyspace && !r->part->table)
		key_add_partition(&begin,
				  key_token(bytes_str(r->part->keyspace)),
				  bytes_str(r->part->keyspace));
	/* The times of one table are among its rows. */
	if (r->part->table || r->view->only)
		err = 0;
	else if (begin.failed)
		err = -ENOMEM;
	else
		err = add_times(r, r->s->lsm, buf_bytes(&begin), timestamp,
				true, batch);
	if (!err && !r->part->table && !r->view->only)
		err = add_times(r, r->view->lsm, buf_bytes(&begin), timestamp,
				false, batch);
	if (!err)
		err = lsm_snapshot_adopt(r->s->lsm, r->number, r->tables,
					 r->count);
	buf_release(&begin);
	return err;
}

/* Forget the new tables, which have no name. */
static void forget(void *context)
{
	struct restore *r = context;
	size_t i;

	for (i = 0; i < r->count; i++)
		if (lsm_table_drop(r->s->lsm, r->tables[i].to))
			return;		/* the next open does it */
}

int snapshot_restore(struct store *s, const struct snapshot_part *part,
		     struct buf *why)
{
	struct restore r = { .s = s, .part = part, .why = why };
	struct schema_edit how = { .edit = edit, .fill = fill,
				   .forget = forget, .context = &r };
	struct manifest_snapshot found;
	struct lsm_snapshot_hold hold;
	int err;

	if (s->read_only)
		return -EROFS;
	err = snapshot_find(s, part->name, 0, &found);
	if (err == -ENOENT)
		return refuse(&r, err, "there is no such snapshot", "");
	if (err)
		return err;
	/* Present data becomes an automatic snapshot, for which the oldest is
	 * removed, but never this one. */
	lsm_snapshot_hold(s->lsm, &hold, found.number);
	err = snapshot_acquire(&r.view, s, found.number);
	if (!err) {
		r.number = found.number;
		r.from = store_schema(r.view);
		err = store_edit_tables(s, &how);
		mem_free(r.tables);
		schema_put(r.from);
		snapshot_release(s, r.view);
	}
	lsm_snapshot_unhold(s->lsm, &hold);
	return err;
}
