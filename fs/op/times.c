/*
 * Attributes: the results of stat and of the extended attributes.
 *
 * A cell's time is that of its write, a row's the latest of its parts, until a
 * caller sets another: that is stored beside the data, for a cell and for a
 * document with the timestamp it goes with (a later write outdates it). Most
 * tables never have such a time, so a table stores in one attribute of its own
 * whether it has any, and is not asked again.
 *
 *   'm'  8 nanoseconds since 1970, little-endian; of a cell also 8 the
 *        timestamp, likewise
 *   'j'  of a row's or a collection's document: 8 nanoseconds, and 8 the newest
 *        timestamp in it, of a value or of a deletion
 *   'h'  of a table: 1 enum hint, HINTS_OF_TIMES of it
 *
 * A table's own attributes are stored under the empty partition key, which no
 * partition can have.
 */
#include "fs/op/times.h"
#include "fs/op/times_keep.h"

#include <errno.h>

#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/twin.h"
#include "store/table/present.h"

#define ATTRIBUTE_MTIME 'm'
#define ATTRIBUTE_DOCUMENT 'j'
#define ATTRIBUTE_HINTS 'h'
enum hint {
	HINT_KNOWN = 1, HINT_DIRECTORIES = 2, HINT_CELLS = 4, HINT_TABLE = 8,
	HINTS_STORED_SHIFT = 8,	/* shifted by this: those in the store */
};
/* The bits of a node above the hints: the number of truncations before the
 * hints were read. */
#define HINTS_AFTER_SHIFT 32

void times_child_owner(struct child *c, const struct table *t)
{
	c->uid = t->uid;
	c->gid = t->gid;
	c->mode = t->mode & 0777;
	if (t->flags & TABLE_VIRTUAL)
		c->read_only = true;
	if (!c->mtime_ns)
		c->mtime_ns = t->created_us * MICROSECOND;
}

static void set_time(struct timespec *out, int64_t ns)
{
	out->tv_sec = ns / SECOND;
	out->tv_nsec = ns % SECOND;
	if (out->tv_nsec < 0) {
		out->tv_nsec += SECOND;
		out->tv_sec--;
	}
}

void times_child_stat(const struct child *c, uint64_t ino, struct stat *out)
{
	mode_t mode = c->mode & 0777;

	memset(out, 0, sizeof(*out));
	if (c->read_only)
		mode &= 0555;
	out->st_ino = ino;
	out->st_nlink = 1;
	out->st_uid = c->uid;
	out->st_gid = c->gid;
	out->st_blksize = 4096;
	if (c->ops->directory) {
		out->st_mode = S_IFDIR | mode;
		out->st_size = DIRECTORY_SIZE;
		out->st_blocks = DIRECTORY_SIZE / 512;
	} else if (c->ops->link) {
		out->st_mode = S_IFLNK | 0777;
		out->st_size = (off_t)c->size;
	} else {
		out->st_mode = S_IFREG | (mode & 0666);
		out->st_size = (off_t)c->size;
		out->st_blocks = (blkcnt_t)((c->size + 511) / 512);
	}
	set_time(&out->st_mtim, c->mtime_ns);
	out->st_atim = out->st_ctim = out->st_mtim;
	/* Copiers by change time see a write even if an older time was set
	 * since. */
	if (c->timestamp_us != NO_TIMESTAMP)
		set_time(&out->st_ctim, timestamp_ns(c->timestamp_us));
}

int64_t op_timestamp(struct op *op, int64_t replaced_us)
{
	int64_t now = store_timestamp(op->store);

	if (now > replaced_us)
		return now;
	return replaced_us < INT64_MAX ? replaced_us + 1 : INT64_MAX;
}

int op_check_later(struct op *op, int64_t replaced_us, int64_t spare)
{
	if (replaced_us == NO_TIMESTAMP || replaced_us < INT64_MAX - spare)
		return 0;
	return op_refuse(op, -EPERM, "what is or was here has the largest "
				     "timestamp there is (user.writetime): "
				     "nothing can be later");
}

int op_later(struct op *op, int64_t replaced_us, int64_t spare, int64_t *at)
{
	int err = op_check_later(op, replaced_us, spare);

	if (err)
		return err;
	*at = op_timestamp(op, replaced_us == NO_TIMESTAMP ?
				       NO_TIMESTAMP : replaced_us + spare);
	return 0;
}

int times_place_newest(struct op *op, const struct place *p, int64_t *newest)
{
	return table_newest(op->store, p->table, p->partition_key,
			    p->is_static ? NULL : p->clustering, p->column,
			    p->path, &op->arena, newest);
}

int times_place_timestamp(struct op *op, const struct place *p, int64_t spare,
			  int64_t *at)
{
	int64_t newest;
	int err = times_place_newest(op, p, &newest);

	return err ? err : op_later(op, newest, spare, at);
}

int times_check_place(struct op *op, const struct place *p, int64_t spare)
{
	int64_t newest;
	int err = times_place_newest(op, p, &newest);

	return err ? err : op_check_later(op, newest, spare);
}

int times_place_deletion(struct op *op, const struct place *p, int64_t *at)
{
	int64_t newest;
	int err = times_place_newest(op, p, &newest);

	if (!err)
		*at = op_timestamp(op, newest);
	return err;
}

int64_t times_row_mtime_ns(const struct row_view *row)
{
	int64_t latest = row->marker.timestamp;
	uint32_t i;

	for (i = 0; i < row->cell_count; i++)
		if (row->cells[i].timestamp_us > latest)
			latest = row->cells[i].timestamp_us;
	if (latest == NO_TIMESTAMP)
		for (i = 0; i < row->static_count; i++)
			if (row->statics[i].timestamp_us > latest)
				latest = row->statics[i].timestamp_us;
	return latest == NO_TIMESTAMP ? 0 : timestamp_ns(latest);
}

int64_t times_row_expires_s(const struct row_view *row)
{
	int64_t latest = row->names ? row->expires_s : 0;
	uint32_t i;

	if (row->marker.timestamp != NO_TIMESTAMP)
		latest = row->marker.ttl ? row->marker.expires : NO_TIME;
	for (i = 0; i < row->cell_count && latest != NO_TIME; i++)
		if (row->cells[i].expires_s > latest)
			latest = row->cells[i].expires_s;
	for (i = 0; !row->row_exists && i < row->static_count; i++)
		if (row->statics[i].expires_s > latest)
			latest = row->statics[i].expires_s;
	return latest ? latest : NO_TIME;
}

int64_t times_row_changes_s(const struct row_view *row)
{
	int64_t first = row->marker.ttl ? row->marker.expires : NO_TIME;
	uint32_t i;

	for (i = 0; i < row->cell_count; i++)
		if (row->cells[i].expires_s < first)
			first = row->cells[i].expires_s;
	for (i = 0; i < row->static_count; i++)
		if (row->statics[i].expires_s < first)
			first = row->statics[i].expires_s;
	return first;	/* NO_TIME is later than all */
}

int64_t times_child_changes_s(const struct child *c)
{
	return c->expires_s < c->changes_s ? c->expires_s : c->changes_s;
}

/* ------------------------------------------------------------------ hints */
#define HINTS_OF_TIMES (HINT_DIRECTORIES | HINT_CELLS | HINT_TABLE)
/* HINT_TABLE: of the times of directories the table's own alone is stored. */
#define DIRECTORY_HINTS(p) (bytes_is_null((p)->partition_key) ?               \
		HINT_DIRECTORIES | HINT_TABLE : HINT_DIRECTORIES)

static struct object_ref table_object(const struct table *t)
{
	return (struct object_ref){ .table = t, .partition_key = BYTES_EMPTY };
}

/*
 * Add hints to the node's. after: the number of truncations of the store before
 * they were read, or will be written; hints from before a later truncation are
 * dropped. Returns all that hold now.
 */
static uint32_t hints_add(struct node *table, uint32_t after, uint32_t hints)
{
	uint64_t now = atomic_load(&table->hints), next;

	do {
		uint32_t since = (uint32_t)(now >> HINTS_AFTER_SHIFT) - after;

		if (since && since <= INT32_MAX)	/* truncated meanwhile */
			return hints;
		next = since ? (uint64_t)after << HINTS_AFTER_SHIFT : now;
		next |= hints;
	} while (!atomic_compare_exchange_weak(&table->hints, &now, next));
	return (uint32_t)next;
}

static int hints_of(struct op *op, struct node *table, const struct table *t,
		    uint32_t *hints)
{
	uint32_t after = store_truncations(op->store);
	uint64_t now = atomic_load(&table->hints);
	struct object_ref object;
	struct bytes value;
	int got;

	*hints = (uint32_t)now;
	if (now >> HINTS_AFTER_SHIFT == after && *hints & HINT_KNOWN)
		return 0;
	if (t->flags & TABLE_VIRTUAL) {
		*hints = HINT_KNOWN;
		return 0;
	}
	object = table_object(t);
	got = table_attribute(op->store, &object, ATTRIBUTE_HINTS,
			      &op->arena, &value);
	if (got < 0)
		return got;
	*hints = got && value.len == 1 ? value.ptr[0] & HINTS_OF_TIMES : 0;
	*hints |= HINT_KNOWN | *hints << HINTS_STORED_SHIFT;
	*hints = hints_add(table, after, *hints);
	return 0;
}

/* Read the hints of a table: for one in .json those of its twin. */
static int read_hints(struct op *op, struct node *table, const struct table *t,
		      uint32_t *hints)
{
	struct node *twin;
	int err;

	if (twin_is_self(table))
		return hints_of(op, table, t, hints);
	twin = twin_table(op, table, t);
	err = twin ? hints_of(op, twin, t, hints) : -ESTALE;
	node_put(&op->fs->nodes, twin);
	return err;
}

/*
 * Set the hint with the write that needs it, which is locked, so that no
 * truncation comes between: readers look from now on. But the write may be
 * refused, so each write adds the hint until one was not.
 */
static int add_hint_to(struct op *op, struct write *w, struct node *table,
		       const struct table *t, uint32_t hint)
{
	struct object_ref object = table_object(t);
	int64_t at = store_timestamp(op->store);
	uint32_t hints;
	uint8_t byte;
	int err = hints_of(op, table, t, &hints);

	if (err || (hints & hint << HINTS_STORED_SHIFT))
		return err;
	op->hinted_after = store_truncations(op->store);
	hints = hints_add(table, op->hinted_after, hint);
	byte = (uint8_t)(hints & HINTS_OF_TIMES);
	/* Of two threads that add a hint each at the same time, the later write
	 * stores both hints: it takes the later timestamp. */
	if (byte != hint)
		at = store_timestamp(op->store);
	attribute_write(w, &object, ATTRIBUTE_HINTS, bytes_of(&byte, 1), at);
	if (op->hinted != table) {
		node_put(&op->fs->nodes, op->hinted);
		op->hinted = node_get(table);
		op->hints = 0;
	}
	op->hints |= hint;
	return 0;
}

static int add_hint(struct op *op, struct write *w, struct node *table,
		    const struct table *t, uint32_t hint)
{
	struct node *twin = twin_table(op, table, t);
	int err = twin ? add_hint_to(op, w, twin, t, hint) : -ESTALE;

	node_put(&op->fs->nodes, twin);
	return err;
}

void times_written(struct op *op, bool done, uint64_t state)
{
	times_kept(op, done ? state : 0);
	if (!op->hinted)
		return;
	if (done)
		hints_add(op->hinted, op->hinted_after,
			  op->hints << HINTS_STORED_SHIFT);
	node_put(&op->fs->nodes, op->hinted);
	op->hinted = NULL;
}

/* ------------------------------------------------------------------ times */
static int stored_mtime(struct op *op, const struct place *p, uint8_t name,
			struct bytes *out)
{
	struct object_ref object = place_object(p);

	return table_attribute(op->store, &object, name, &op->arena, out);
}

/* Set the time of a directory to the one that is stored, if any. */
static int directory_times(struct op *op, struct node *table,
			   const struct place *p, struct child *c)
{
	struct bytes value;
	uint32_t hints;
	int got = read_hints(op, table, p->table, &hints);

	if (got || !(hints & DIRECTORY_HINTS(p)))
		return got;
	got = stored_mtime(op, p, ATTRIBUTE_MTIME, &value);
	if (got >= 0)
		times_of_listed(c, got ? value : BYTES_EMPTY);
	return got < 0 ? got : 0;
}

void times_of_listed(struct child *c, struct bytes attribute)
{
	c->time_is_read = true;
	c->time_is_set = attribute.len > 0;
	if (attribute.len < 8)
		return;
	c->mtime_ns = (int64_t)get_le64(attribute.ptr);
	c->changes_s = NO_TIME;
}

int times_attribute(struct op *op, struct node *table)
{
	struct table *t = op_table(op, table);
	uint32_t hints;
	int err = t ? read_hints(op, table, t, &hints) : -ESTALE;

	return err ? err : hints & HINT_DIRECTORIES ? ATTRIBUTE_MTIME : 0;
}

int times_cell_mtime(struct op *op, struct node *table, const struct place *p,
		     int64_t timestamp_us, int64_t *mtime_ns)
{
	struct bytes value;
	uint32_t hints;
	int got = read_hints(op, table, p->table, &hints);

	*mtime_ns = timestamp_ns(timestamp_us);
	if (got || !(hints & HINT_CELLS))
		return got;
	got = stored_mtime(op, p, ATTRIBUTE_MTIME, &value);
	if (got > 0 && value.len == 16 &&
	    (int64_t)get_le64(value.ptr + 8) == timestamp_us)
		*mtime_ns = (int64_t)get_le64(value.ptr);
	return got < 0 ? got : 0;
}

/* Return the newest timestamp in the document, also of deletions in it. */
static int document_newest(struct op *op, const struct place *p,
			   int64_t *newest)
{
	struct place statics = *p;
	int64_t of_statics;
	int err = times_place_newest(op, p, newest);

	if (err || p->column || !table_has_statics(p->table))
		return err;
	statics.is_static = true;
	err = times_place_newest(op, &statics, &of_statics);
	if (!err && of_statics > *newest)
		*newest = of_statics;
	return err;
}

/* When deletions are purged an older timestamp may become the newest. */
static int document_times(struct op *op, struct node *table,
			  const struct place *p, struct child *c)
{
	struct bytes value;
	int64_t newest;
	uint32_t hints;
	int got = read_hints(op, table, p->table, &hints);

	if (got || !(hints & HINT_CELLS))
		return got;
	got = stored_mtime(op, p, ATTRIBUTE_DOCUMENT, &value);
	if (got <= 0 || value.len != 16)
		return got < 0 ? got : 0;
	got = document_newest(op, p, &newest);
	if (got || (int64_t)get_le64(value.ptr + 8) < newest)
		return got;
	c->mtime_ns = (int64_t)get_le64(value.ptr);
	c->timestamp_us = newest;
	return 0;
}

static bool has_directory_time(const struct node_ops *ops)
{
	return ops->directory && ops->part != PART_PATH;
}

int times_of_child(struct op *op, struct node *table, const struct place *p,
		   struct child *c)
{
	if (has_directory_time(c->ops))
		return directory_times(op, table, p, c);
	if (c->ops->file && c->ops->file->document)
		return document_times(op, table, p, c);
	if (c->timestamp_us == NO_TIMESTAMP)
		return 0;
	return times_cell_mtime(op, table, p, c->timestamp_us, &c->mtime_ns);
}

int times_exist(struct op *op, struct node *table, const struct node_ops *ops)
{
	uint32_t hint = has_directory_time(ops) ? HINT_DIRECTORIES : HINT_CELLS;
	struct table *t = op_table(op, table);
	uint32_t hints;
	int err = t ? read_hints(op, table, t, &hints) : -ESTALE;

	return err ? err : (hints & hint) != 0;
}

static int set_directory(struct op *op, struct write *w, struct node *table,
			 const struct place *p, uint32_t hint, int64_t mtime_ns)
{
	struct object_ref object = place_object(p);
	uint8_t value[8];
	int err = add_hint(op, w, table, p->table, hint);

	if (!op->timed)
		op->timed = node_get(table);
	op->timed_after = op->own_changes;
	put_le64(value, (uint64_t)mtime_ns);
	if (!err)
		attribute_write(w, &object, ATTRIBUTE_MTIME, bytes_of(value, 8),
				store_timestamp(op->store));
	return err;
}

int times_set_directory(struct op *op, struct write *w, struct node *table,
			const struct place *p, int64_t mtime_ns)
{
	return set_directory(op, w, table, p, HINT_DIRECTORIES, mtime_ns);
}

int times_set_truncated(struct op *op, struct write *w, struct node *table,
			const struct place *p)
{
	return set_directory(op, w, table, p,
			     atomic_load(&table->hints) & HINT_DIRECTORIES ?
				     HINT_DIRECTORIES : HINT_TABLE,
			     store_timestamp(op->store) * MICROSECOND);
}

static int set_dated(struct op *op, struct write *w, struct node *table,
		     const struct place *p, uint8_t name, int64_t timestamp_us,
		     int64_t mtime_ns)
{
	struct object_ref object = place_object(p);
	uint8_t value[16];
	int err = add_hint(op, w, table, p->table, HINT_CELLS);

	put_le64(value, (uint64_t)mtime_ns);
	put_le64(value + 8, (uint64_t)timestamp_us);
	if (!err)
		attribute_write(w, &object, name, bytes_of(value, 16),
				store_timestamp(op->store));
	return err;
}

int times_set_cell(struct op *op, struct write *w, struct node *table,
		   const struct place *p, int64_t timestamp_us,
		   int64_t mtime_ns)
{
	return set_dated(op, w, table, p, ATTRIBUTE_MTIME, timestamp_us,
			 mtime_ns);
}

int times_set_document(struct op *op, struct write *w, struct node *table,
		       const struct place *p, int64_t timestamp_us,
		       int64_t mtime_ns)
{
	return set_dated(op, w, table, p, ATTRIBUTE_DOCUMENT, timestamp_us,
			 mtime_ns);
}

int times_are_set(struct op *op, struct node *table, const struct place *p)
{
	struct bytes value;
	uint32_t hints;
	int err = read_hints(op, table, p->table, &hints);

	if (err || !(hints & DIRECTORY_HINTS(p)))
		return err;
	return stored_mtime(op, p, ATTRIBUTE_MTIME, &value);
}

int times_move_directory(struct op *op, struct write *w, struct node *table,
			 const struct place *p, bool only)
{
	int set = only ? times_are_set(op, table, p) : 1;

	return set <= 0 ? set :
			  times_set_directory(op, w, table, p,
					      store_timestamp(op->store) *
						      MICROSECOND);
}

static int carry(struct op *op, struct write *w, const struct place *from,
		 const struct place *to, uint8_t name)
{
	struct object_ref object = place_object(from), target = place_object(to);
	struct bytes value;
	int got = table_attribute(op->store, &object, name, &op->arena,
				  &value);

	if (got > 0)
		attribute_write(w, &target, name, value,
				store_timestamp(op->store));
	return got < 0 ? got : 0;
}

int times_carry(struct op *op, struct write *w, const struct place *from,
		const struct place *to)
{
	int err = carry(op, w, from, to, ATTRIBUTE_MTIME);

	if (!err && bytes_is_null(from->partition_key))
		err = carry(op, w, from, to, ATTRIBUTE_HINTS);
	return err;
}

/* Later writes are newer, and outdate it. */
static int set_mtime(struct op *op, struct write *w, struct node *n,
		     const struct place *p, int64_t mtime_ns)
{
	int64_t newest;
	int err;

	if (n->ops->directory)
		return times_set_directory(op, w, n->table, p, mtime_ns);
	err = document_newest(op, p, &newest);
	return err ? err : times_set_document(op, w, n->table, p, newest,
					      mtime_ns);
}

int times_set_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	struct write w;
	struct place p;
	int err;

	if (node_waits_for_key(n)) {	/* it takes effect with the key */
		atomic_store(&n->mtime_ns, mtime_ns);
		/* It may have come meanwhile, and not have found it. */
		if (node_waits_for_key(n) ||
		    !(mtime_ns = atomic_exchange(&n->mtime_ns, 0)))
			return 0;
	}
	err = place_of(op, n, &p);
	if (err)
		return err;
	err = place_begin_write(op, &w, n, &p);
	if (!err)
		err = set_mtime(op, &w, n, &p, mtime_ns);
	if (!err)
		err = op_write(op, &w);
	write_release(&w);
	return err;
}
