/*
 * The schema in the store, and how it changes.
 *
 * A change is made in an order that a crash cannot harm:
 *   1. rows on which the change depends are looked at (schema_edit.check), and
 *      what is to be kept of dropped data becomes snapshots; nobody writes then
 *      until step 4 is done (snapshot_automatic.c);
 *   2. new tables are made known to the engine; they have no file yet. Where one
 *      takes the name of another its rows are moved (table_takeover.c);
 *   3. one batch brings the catalogue from one version to the next, and is
 *      synced: from here on the change has happened;
 *   4. the new version is published;
 *   5. engine tables that nobody names any more are dropped. A crash before
 *      that leaves orphans, which the next open finds and drops;
 *   6. indexes that are marked as building are filled, and a second batch takes
 *      the mark away. A crash before that leaves the mark, and the next open
 *      that may write builds them again from the begin.
 */
#include "store/schema_change.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/catalog_rows.h"
#include "store/engine_options.h"
#include "store/index/maintain.h"
#include "store/schema/schema_edit.h"
#include "store/schema/table_edit.h"
#include "store/snapshot_automatic.h"
#include "store/store.h"
#include "store/system/tables.h"
#include "store/table/inner.h"
#include "store/table/present.h"
#include "store/table_takeover.h"
#include "store/type/uuid.h"

/* ------------------------------------------------------------ engine's side */
/*
 * Hidden tables are rebuilt, never repaired: tombstones may be dropped at once.
 */
static int make_known(struct store *s, const struct table *t)
{
	struct lsm_table_options options;
	uint32_t i;
	int err;

	if (t->flags & TABLE_VIRTUAL)
		return 0;
	engine_options_of(&options, t);
	err = lsm_table_set(s->lsm, t->number, &options);
	for (i = 0; !err && i < t->index_count; i++) {
		lsm_table_defaults(&options);
		options.gc_grace_s = 0;
		err = lsm_table_set(s->lsm, t->indexes[i].number, &options);
	}
	return err;
}

/* ----------------------------------------------------------------- numbers */
static int compare_tables(const void *a, const void *b)
{
	const struct table *const *x = a, *const *y = b;

	return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

/* List the stored tables of a schema by number; NULL without memory. */
static struct table **list_tables(const struct schema *schema, size_t *count)
{
	struct table **list;
	size_t n = 0;
	uint32_t i, j;

	for (i = 0; i < schema->keyspace_count; i++)
		n += schema->keyspaces[i]->table_count;
	list = mem_zalloc(n, sizeof(*list));
	if (!list)
		return NULL;
	*count = 0;
	for (i = 0; i < schema->keyspace_count; i++)
		for (j = 0; j < schema->keyspaces[i]->table_count; j++) {
			struct table *t = schema->keyspaces[i]->tables[j];

			if (!(t->flags & TABLE_VIRTUAL))
				list[(*count)++] = t;
		}
	qsort(list, *count, sizeof(*list), compare_tables);
	return list;
}

static bool is_named(const struct table *const *tables, size_t count,
		     uint32_t number)
{
	size_t i;
	uint32_t j;

	for (i = 0; i < count; i++) {
		if (tables[i]->number == number)
			return true;
		for (j = 0; j < tables[i]->index_count; j++)
			if (tables[i]->indexes[j].number == number)
				return true;
	}
	return false;
}

/* Publish: take over both references. REQUIRES publish. */
static void publish(struct store *s, struct schema *schema,
		    struct table **by_number, size_t count)
{
	struct schema *old;
	struct table **old_list;

	pthread_mutex_lock(&s->guard);
	old = s->schema;
	old_list = s->by_number;
	s->schema = schema;
	s->by_number = by_number;
	s->by_number_count = count;
	pthread_mutex_unlock(&s->guard);
	mem_free(old_list);
	if (old)
		schema_put(old);
}

/* ---------------------------------------------------------------- changing */
/* Give numbers and an identity to new objects. REQUIRES ddl. */
static void assign_numbers(struct store *s, struct schema *next)
{
	static const uint8_t none[16];
	uint32_t i, j, k;

	for (i = 0; i < next->keyspace_count; i++)
		for (j = 0; j < next->keyspaces[i]->table_count; j++) {
			struct table *t = next->keyspaces[i]->tables[j];

			if (t->flags & TABLE_VIRTUAL)
				continue;
			if (!t->number)
				t->number = s->next_table_number++;
			if (!memcmp(t->id, none, 16))
				uuid_new_time(t->id);
			if (!t->created_us)
				t->created_us = clock_now_us();
			for (k = 0; k < t->index_count; k++) {
				struct index *x = &t->indexes[k];

				if (x->number)
					continue;
				x->number = s->next_table_number++;
				x->building = true;
			}
		}
	for (i = 0; i < next->keyspace_count; i++)
		if (!next->keyspaces[i]->created_us)
			next->keyspaces[i]->created_us = clock_now_us();
}

/* Write the objects of one keyspace that are not, or not the same, in the
 * other. */
static int diff_keyspace(struct store *s, struct batch *batch,
			 const struct keyspace *was, const struct keyspace *is,
			 uint64_t version)
{
	uint32_t i;
	int err = 0;

	if (is)
		catalog_put_keyspace(batch, is, version);
	else
		catalog_put_gone(batch, was->name, NULL, version);
	for (i = 0; was && i < was->table_count; i++)
		if (!is || !keyspace_table(is,
				bytes_str(was->tables[i]->name)))
			catalog_put_gone(batch, was->name,
					 was->tables[i]->name, version);
	for (i = 0; is && !err && i < is->table_count; i++) {
		struct table *t = is->tables[i];

		if (was && keyspace_table(was, bytes_str(t->name)) == t)
			continue;
		err = make_known(s, t);
		catalog_put_table(batch, t, version);
	}
	return err;
}

/* Do step 2, and collect the writes of step 3. */
static int diff(struct store *s, struct batch *batch, const struct schema *was,
		const struct schema *is)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < is->keyspace_count; i++) {
		struct keyspace *k = is->keyspaces[i];
		struct keyspace *old = schema_keyspace(was,
						       bytes_str(k->name));

		if (old != k && !k->system)
			err = diff_keyspace(s, batch, old, k, is->version);
	}
	for (i = 0; !err && i < was->keyspace_count; i++) {
		struct keyspace *k = was->keyspaces[i];

		if (!schema_keyspace(is, bytes_str(k->name)))
			err = diff_keyspace(s, batch, k, NULL, is->version);
	}
	catalog_put_counters(batch, is->version, s->next_table_number);
	if (!err && batch->bytes.failed)
		err = -ENOMEM;
	return err;
}

static bool drops_columns(struct table **list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (table_drops_now(list[i]))
			return true;
	return false;
}

/*
 * Do steps 1 to 4; take over the reference to next. edit NULL: no table takes
 * the name of another. keep: the snapshots to be taken before, or NULL. REQUIRES
 * ddl.
 */
static int commit(struct store *s, struct schema *next,
		  const struct schema_edit *edit,
		  struct snapshot_automatic *keep)
{
	bool fills = edit && edit->fill, checks = edit && edit->check, waits;
	bool replaces = edit && !fills && store_replaces(s->schema, next);
	struct batch batch = BATCH_INIT;
	struct table **list;
	uint64_t position;
	size_t i, count;
	int err;

	batch.schema = true;
	assign_numbers(s, next);
	list = list_tables(next, &count);
	/* A write to a table while its rows move would be lost, as would one
	 * after the check or the snapshot; one to a column that is dropped
	 * would be shown when it is added again. */
	waits = replaces || fills || checks || (keep && keep->count) ||
		(list && drops_columns(list, count));
	if (waits)
		pthread_rwlock_wrlock(&s->publish);
	err = list ? 0 : -ENOMEM;
	if (!err && checks)
		err = edit->check(edit->context);
	if (!err && keep)
		err = snapshot_automatic_take(keep);
	for (i = 0; !err && waits && i < count; i++)
		if (table_drops_now(list[i]))
			table_set_dropped(list[i], store_timestamp(s));
	if (!err)
		err = diff(s, &batch, s->schema, next);
	if (!err && replaces)
		err = store_move_rows(s, s->schema, next, edit);
	if (!err && fills)
		err = edit->fill(edit->context, &batch);
	if (!err && batch.bytes.failed)
		err = -ENOMEM;
	if (!err)
		err = lsm_apply(s->lsm, &batch, &position);
	if (err && replaces)	/* later errors: it may be done */
		store_forget_rows(s, s->schema, next);
	if (err && fills)
		edit->forget(edit->context);
	if (!err)
		err = lsm_sync(s->lsm, position);
	batch_release(&batch);
	if (!err && !waits)
		pthread_rwlock_wrlock(&s->publish);
	if (!err)
		publish(s, next, list, count);
	if (!err || waits)
		pthread_rwlock_unlock(&s->publish);
	if (err) {
		mem_free(list);
		schema_put(next);
	}
	return err;
}

static bool has_index(const struct table *t, uint32_t number)
{
	uint32_t i;

	for (i = 0; t && i < t->index_count; i++)
		if (t->indexes[i].number == number)
			return true;
	return false;
}

/*
 * Step 5: drop the tables that `was` names and the present version does not. A
 * table keeps its number, and an index its table; most are the same object in
 * both.
 */
static int drop_removed(struct store *s, const struct schema *was)
{
	struct table **list;
	size_t i, count;
	uint32_t j;
	int err = 0;

	list = list_tables(was, &count);
	if (!list)
		return -ENOMEM;
	for (i = 0; !err && i < count; i++) {
		struct table *t = list[i];
		struct table *is = store_current_table(s, t->number);

		if (is == t)
			continue;
		if (!is)
			err = lsm_table_drop(s->lsm, t->number);
		for (j = 0; !err && j < t->index_count; j++)
			if (!has_index(is, t->indexes[j].number))
				err = lsm_table_drop(s->lsm,
						     t->indexes[j].number);
	}
	mem_free(list);
	return err;
}

/* Return a reference to a table with an index that is to be built, or NULL. */
static struct table *find_building(struct store *s, uint32_t *index)
{
	size_t i;
	uint32_t j;

	for (i = 0; i < s->by_number_count; i++)
		for (j = 0; j < s->by_number[i]->index_count; j++)
			if (s->by_number[i]->indexes[j].building) {
				*index = j;
				return table_get(s->by_number[i]);
			}
	return NULL;
}

/* Step 6: fill indexes. REQUIRES ddl. */
static int build_indexes(struct store *s)
{
	struct table *t, *built;
	struct schema *next;
	uint32_t i;
	int err = 0;

	while (!err && (t = find_building(s, &i))) {
		err = index_build(s, t, &t->indexes[i]);
		built = err ? NULL : table_copy(t);
		next = built ? schema_copy(s->schema) : NULL;
		table_put(t);
		if (err)
			break;
		if (!next) {
			table_put(built);
			return -ENOMEM;
		}
		built->indexes[i].building = false;
		err = schema_set_table(next, built);
		if (err)
			schema_put(next);
		else
			err = commit(s, next, NULL, NULL);
	}
	return err;
}

/* After the commit the change has happened: a failure to drop old tables is no
 * error of it. The next open drops them. */
static int change_schema(struct store *s, const struct schema_edit *edit)
{
	struct snapshot_automatic keep = SNAPSHOT_AUTOMATIC_INIT(s, edit->owner);
	struct schema *next = NULL, *was;
	int err = edit->edit(edit->context, s->schema, &next);

	if (err || !next)
		return err;
	was = schema_get(s->schema);
	if (edit->fill)
		snapshot_automatic_all(&keep);
	else
		snapshot_automatic_dropped(&keep, next);
	err = snapshot_automatic_prepare(&keep);
	if (err)
		schema_put(next);
	else
		err = commit(s, next, edit, &keep);
	snapshot_automatic_end(&keep);
	if (!err && drop_removed(s, was))
		log_message(LOG_WARNING_LEVEL, "data of dropped tables will "
			    "be removed when the store is opened again");
	schema_put(was);
	return err ? err : build_indexes(s);
}

int store_edit_schema(struct store *s,
		      int (*edit)(void *context, const struct schema *now,
				  struct schema **next),
		      void *context, uid_t owner)
{
	struct schema_edit e = { .edit = edit, .context = context,
				 .owner = owner };

	return store_edit_tables(s, &e);
}

int store_edit_tables(struct store *s, const struct schema_edit *edit)
{
	struct schema *was, *now;
	int err;

	if (s->read_only)
		return -EROFS;
	pthread_mutex_lock(&s->ddl);
	was = schema_get(s->schema);
	err = build_indexes(s);		/* which a failure has left */
	if (!err)
		err = change_schema(s, edit);
	now = store_schema(s);
	pthread_mutex_unlock(&s->ddl);
	if (now != was && s->observed && s->observer.schema_changed)
		s->observer.schema_changed(s->observer.context, was, now);
	schema_put(was);
	schema_put(now);
	return err;
}

/* ----------------------------------------------------------------- opening */
static int drop_orphans(struct store *s)
{
	uint32_t *numbers = NULL;
	size_t i, count = 0;
	int err = lsm_table_list(s->lsm, &numbers, &count);

	for (i = 0; !err && i < count; i++) {
		if (numbers[i] < TABLE_NUMBER_FIRST ||
		    is_named((const struct table *const *)s->by_number,
			     s->by_number_count, numbers[i]))
			continue;
		err = lsm_table_drop(s->lsm, numbers[i]);
	}
	mem_free(numbers);
	return err;
}

/* Remove all but the table, in its keyspace, without its indexes. */
static int keep_only(struct schema *schema, uint32_t number)
{
	struct table *t = schema_table_by_number(schema, number);
	struct keyspace *k, *bare;
	uint32_t i;
	int err = 0;

	if (!t)
		return log_corrupt("catalogue", 0,
				   "the snapshot's table is not in " "it");
	for (i = 0; i < t->index_count; i++)
		t->indexes[i].building = true;
	i = 0;
	while (!err && i < schema->keyspace_count) {
		k = schema->keyspaces[i];
		if (!strcmp(k->name, t->keyspace))
			i++;
		else
			err = schema_remove_keyspace(schema,
						     bytes_str(k->name));
	}
	bare = err ? NULL : keyspace_copy(schema->keyspaces[0]);
	if (!bare)
		return err ? err : -ENOMEM;
	for (i = 0; i < bare->table_count; i++)
		if (bare->tables[i] != t)
			table_put(bare->tables[i]);
	bare->tables[0] = t;
	bare->table_count = 1;
	return schema_set_keyspace(schema, bare);
}

int store_load_schema(struct store *s)
{
	struct schema empty = { .references = 1 };
	struct schema *schema = schema_copy(&empty);
	struct lsm_table_options options;
	struct table **list = NULL;
	size_t i, count = 0;
	int err = schema ? 0 : -ENOMEM;

	s->next_table_number = TABLE_NUMBER_FIRST;
	lsm_table_defaults(&options);
	options.gc_grace_s = 0;
	if (!err)
		err = lsm_table_set(s->lsm, CATALOG_NUMBER, &options);
	if (!err)
		err = lsm_table_set(s->lsm, STORE_ATTRIBUTES_NUMBER, &options);
	if (!err)
		err = catalog_load(s->lsm, schema, &s->next_table_number);
	if (!err && s->only)
		err = keep_only(schema, s->only);
	if (!err)
		err = system_add_keyspaces(s, schema);
	if (!err)
		list = list_tables(schema, &count);
	if (!err && !list)
		err = -ENOMEM;
	if (!err)
		err = catalog_check_numbers(list, count, s->next_table_number);
	for (i = 0; !err && i < count; i++)
		err = make_known(s, list[i]);
	if (err) {
		mem_free(list);
		if (schema)
			schema_put(schema);
		return err;
	}
	pthread_rwlock_wrlock(&s->publish);
	publish(s, schema, list, count);
	pthread_rwlock_unlock(&s->publish);
	return 0;
}

int store_finish_schema(struct store *s)
{
	int err;

	if (s->read_only)
		return 0;
	/* Do not give out numbers that a crash has left, while the engine knows
	 * them as dropped. */
	if (lsm_table_last(s->lsm) >= s->next_table_number)
		s->next_table_number = lsm_table_last(s->lsm) + 1;
	err = drop_orphans(s);
	return err ? err : build_indexes(s);
}
