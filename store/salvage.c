/*
 * The salvage of a store has three parts: the schema is put together from the
 * catalogue's records in the sstables and the log; then the rows of every table
 * of it are copied, with timestamps and deletions, so that the order in which
 * files are read does not matter; then the catalogue is written, and the new
 * store is opened as any is, which builds its indexes.
 */
#include "store/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/counted.h"
#include "store/lsm/lsm_salvage.h"
#include "store/marker.h"
#include "store/row/row_codec.h"
#include "store/salvage_catalog.h"
#include "store/salvage_use.h"
#include "store/store.h"
#include "store/table/inner.h"
#include "store/type/text/text.h"

#define BATCH_BYTES ((size_t)1 << 20)
#define FLUSH_BYTES ((size_t)32 << 20)
#define LARGEST_LEASE_US (INT64_MAX / 1000)
#define KEY_SHOWN 60

struct salvage {
	const struct salvage_told *told;
	struct salvage_counts *counts;
	struct marker_file old, new;
	struct lsm_salvage *from;
	struct lsm *to;			/* NULL: dry */
	struct salvage_catalog catalog;
	struct schema *schema;
	struct salvage_uses uses;
	uint32_t next_number;
	struct batch batch;
	size_t unflushed;
	struct arena arena;
	/* The file that is read: */
	const struct lsm_salvage_file *file;
	uint32_t table;
	const struct table *of;		/* NULL: not of the schema */
	const struct salvage_former *former;	/* restored as `of`, or NULL */
	/* The file, of an unknown table, has records of the catalogue; bytes of
	 * it are lost. */
	bool has_records, has_gap;
};

static void tell_lost(void *context, const char *text)
{
	struct salvage *s = context;

	s->counts->lost++;
	s->told->lost(s->told->context, text);
}

/* ---------------------------------------------------------- what is taken */
static int apply(struct salvage *s)
{
	int err = s->batch.bytes.failed ? -ENOMEM : 0;

	if (!err && s->batch.op_count)
		err = lsm_apply(s->to, &s->batch, NULL);
	s->unflushed += s->batch.bytes.len;
	batch_clear(&s->batch);
	if (!err && s->unflushed >= FLUSH_BYTES) {
		s->unflushed = 0;
		err = lsm_flush(s->to, UINT32_MAX);
	}
	s->counts->of_new |= err != 0;
	return err;
}

static int added(struct salvage *s)
{
	s->counts->entries++;
	if (!s->to) {
		batch_clear(&s->batch);
		return 0;
	}
	return s->batch.bytes.len >= BATCH_BYTES || s->batch.bytes.failed ?
		       apply(s) : 0;
}

static int take_row(void *context, struct bytes key, const struct row *row)
{
	struct salvage *s = context;

	batch_add_row(&s->batch, s->table, key, row);
	return added(s);
}

/* Take a row of a table that was restored as another: without columns that are
 * younger than the snapshot, as their numbers may mean others now. */
static int take_former(void *context, struct bytes key, const struct row *row)
{
	struct salvage *s = context;
	struct row some = *row;
	uint32_t i;

	some.cell_count = 0;
	for (i = 0; i < row->cell_count; i++)
		if (salvage_use_cell(s->former, row->cells[i].column))
			some.cells[some.cell_count++] = row->cells[i];
	return take_row(s, key, &some);
}

static int take_range(void *context, struct bytes from, struct bytes to,
		      struct deletion deletion)
{
	struct salvage *s = context;

	batch_add_range(&s->batch, s->table, from, to, deletion);
	return added(s);
}

static int count_row(void *context, struct bytes key, const struct row *row)
{
	struct salvage *s = context;

	(void)key;
	(void)row;
	return salvage_use_count(&s->uses, s->table);
}

static int count_range(void *context, struct bytes from, struct bytes to,
		       struct deletion deletion)
{
	(void)context;
	(void)from;
	(void)to;
	(void)deletion;
	return 0;
}

/* Append the partition of a key, as text. */
static void add_partition(const struct salvage *s, struct buf *out,
			  struct bytes key)
{
	struct buf partition = BUF_INIT, text = BUF_INIT;
	struct bytes values[64];
	uint32_t i;

	if (!s->of || s->of->partition_key_count > ARRAY_SIZE(values) ||
	    key_partition_key(&partition, key) ||
	    table_partition_values(values, s->of, buf_bytes(&partition))) {
		buf_add_str(out, "?");
	} else {
		for (i = 0; i < s->of->partition_key_count; i++) {
			buf_add_str(&text, i ? ", " : "");
			type_print_text(&text, s->of->columns[i].type,
					values[i]);
		}
		buf_add(out, text.ptr,
			text.len < KEY_SHOWN ? text.len : KEY_SHOWN);
	}
	buf_release(&partition);
	buf_release(&text);
}

static int lose_bytes(void *context, uint64_t begin, uint64_t end,
		      struct bytes before, struct bytes behind, const char *why)
{
	struct salvage *s = context;
	struct buf line = BUF_INIT;
	char name[32];

	lsm_salvage_name(name, s->file);
	buf_add_format(&line, "%s: %" PRIu64 " to %" PRIu64 ": %s; rows of ",
		       name, begin, end, why);
	if (s->of)
		buf_add_format(&line, "%s.%s", s->of->keyspace, s->of->name);
	else
		buf_add_format(&line, "table number %u", (unsigned)s->table);
	buf_add_str(&line, before.len ? " from partition " : " from the begin");
	if (before.len)
		add_partition(s, &line, before);
	buf_add_str(&line, behind.len ? " to partition " : " to the end");
	if (behind.len)
		add_partition(s, &line, behind);
	buf_add_str(&line, ", by token");
	tell_lost(s, buf_cstr(&line));
	buf_release(&line);
	return 0;
}

static int lose_silently(void *context, uint64_t begin, uint64_t end,
			 struct bytes before, struct bytes behind,
			 const char *why)
{
	struct salvage *s = context;

	s->has_gap = true;
	(void)begin;
	(void)end;
	(void)before;
	(void)behind;
	(void)why;
	return 0;
}

/* Report that nothing of a file is taken. */
static void lose_file(struct salvage *s, const char *why)
{
	struct buf line = BUF_INIT;
	char name[32];

	lsm_salvage_name(name, s->file);
	buf_add_format(&line, "%s: %s: ", name, why);
	if (s->file->named)
		buf_add_format(&line, "%s of ",
			       counted(s->file->info.row_count, "row").text);
	if (s->of)
		buf_add_format(&line, "%s.%s", s->of->keyspace, s->of->name);
	else if (s->table)
		buf_add_format(&line, "table number %u", (unsigned)s->table);
	else
		buf_add_str(&line, "all of it");
	tell_lost(s, buf_cstr(&line));
	buf_release(&line);
}

/* ------------------------------------------------------------ the catalogue */
static int catalog_row(void *context, struct bytes key, const struct row *row)
{
	struct salvage *s = context;

	/* In a file of an unknown table only records of the catalogue count. */
	if (!s->table && (!row->cell_count ||
			  row->cells[0].column != CELL_CATALOG))
		return 0;
	s->has_records = true;
	return salvage_catalog_add(&s->catalog, key, row);
}

static int catalog_op(void *context, const struct batch_op *op)
{
	struct salvage *s = context;
	struct row row;
	int err = 0;

	if (op->table != CATALOG_NUMBER || bytes_is_null(op->row))
		return 0;
	err = row_decode(&row, &s->arena, op->row);
	if (!err)
		err = salvage_catalog_add(&s->catalog, op->key, &row);
	arena_clear(&s->arena);
	return err == -EUCLEAN ? 0 : err;
}

static int find_schema(struct salvage *s)
{
	struct sstable_salvage calls = { catalog_row, count_range, lose_bytes,
					 s };
	size_t count, i;
	struct lsm_salvage_file *files = lsm_salvage_files(s->from, &count);
	int err = 0;

	for (i = 0; !err && i < count; i++) {
		if (files[i].table && files[i].table != CATALOG_NUMBER)
			continue;
		s->file = &files[i];
		s->table = files[i].table;
		/* Damages of other files are reported when their rows are
		 * read. */
		calls.lost = s->table ? lose_bytes : lose_silently;
		s->has_records = s->has_gap = false;
		err = files[i].here ? lsm_salvage_read(s->from, &files[i],
						       &calls) : -ENOENT;
		if (!s->table && s->has_records) {
			files[i].table = CATALOG_NUMBER;
			if (s->has_gap)
				lose_file(s, "bytes of it are damaged, and it "
					  "has records of the catalogue");
		}
		if (err == -EUCLEAN && s->table)
			tell_lost(s, log_corrupt_last());
		if (err == -ENOENT && s->table)
			tell_lost(s, "an sstable of the catalogue is missing");
		if (err == -EUCLEAN || err == -ENOENT || err == -EIO)
			err = 0;
	}
	if (!err)
		err = lsm_salvage_log(s->from, false, catalog_op, s);
	if (!err)
		err = salvage_catalog_schema(&s->catalog, &s->schema,
					     &s->next_number, tell_lost, s);
	if (!err && lsm_salvage_last_table(s->from) >= s->next_number)
		s->next_number = lsm_salvage_last_table(s->from) + 1;
	return err;
}

/* ------------------------------------------------------------------ the rows */
/* Set the table whose rows those of that number become; true if it is another,
 * which was restored. */
static bool set_former(struct salvage *s, uint32_t number)
{
	s->table = s->of ? s->of->number : number;
	s->former = s->table == number ? NULL :
		salvage_catalog_former(&s->catalog, number);
	return s->former;
}

static void lose_columns(struct salvage *s)
{
	const struct former_column *c;
	char line[512], name[32];

	lsm_salvage_name(name, s->file);
	for (c = s->former->others; c; c = c->next) {
		snprintf(line, sizeof(line), "%s: values of column %.200s, "
			 "which %.100s.%.100s has not had since it was "
			 "restored", name, c->name, s->of->keyspace,
			 s->of->name);
		tell_lost(s, line);
	}
}

static int take_file(struct salvage *s, const struct lsm_salvage_file *f)
{
	struct sstable_salvage calls = { take_row, take_range, lose_bytes, s };
	enum salvage_use use = salvage_use_of(&s->uses, f->table, &s->of);
	int err;

	s->file = f;
	s->table = f->table;
	if (use == USE_SKIP)
		return 0;
	if (!f->table) {
		/* The catalogue's own file has been read. */
		lose_file(s, "it names no table (older format, or "
			  "damaged), and no manifest does");
		return 0;
	}
	if (!f->here) {
		lose_file(s, "it is missing");
		return 0;
	}
	if (use == USE_UNKNOWN) {
		calls.row = count_row;
		calls.range = count_range;
	} else if (set_former(s, f->table)) {
		lose_columns(s);
		calls.row = take_former;
	}
	err = lsm_salvage_read(s->from, f, &calls);
	if (err == -EUCLEAN && !s->counts->of_new)
		lose_file(s, log_corrupt_last());
	else if (err == -EIO && !s->counts->of_new)
		lose_file(s, "the disk cannot read it");
	else
		return err;
	return 0;
}

static int take_op(void *context, const struct batch_op *op)
{
	struct salvage *s = context;
	struct key_parts parts;
	struct row row;
	bool former;
	int err;

	switch (salvage_use_of(&s->uses, op->table, &s->of)) {
	case USE_SKIP:
		return 0;
	case USE_UNKNOWN:
		return salvage_use_count(&s->uses, op->table);
	case USE_TAKE:
		break;
	}
	former = set_former(s, op->table);
	err = key_split(&parts, op->key);
	if (!err && bytes_is_null(op->row)) {
		err = key_split(&parts, op->to);
		if (!err)
			return take_range(s, op->key, op->to, op->deletion);
	}
	if (!err)
		err = row_decode(&row, &s->arena, op->row);
	if (!err)
		err = former ? take_former(s, op->key, &row) :
			       take_row(s, op->key, &row);
	else if (err == -EUCLEAN) {
		tell_lost(s, "the log: a change of a row cannot be read");
		err = 0;
	}
	arena_clear(&s->arena);
	return err;
}

static int take_all(struct salvage *s)
{
	size_t count, i;
	struct lsm_salvage_file *files = lsm_salvage_files(s->from, &count);
	int err = 0;

	for (i = 0; !err && i < count; i++) {
		s->told->progress(s->told->context, i, count + 1);
		err = take_file(s, &files[i]);
	}
	if (!err)
		err = lsm_salvage_log(s->from, true, take_op, s);
	if (!err)
		salvage_use_tell(&s->uses, tell_lost, s);
	s->told->progress(s->told->context, count + 1, count + 1);
	return err;
}

/* ------------------------------------------------------------- the new store */
static int open_new(struct salvage *s, const char *path)
{
	struct lsm_options options = { .commit_s = 3600, .no_threads = true };
	bool made;
	int err = marker_open(&s->new, &file_system, path, false, true, &made);

	s->counts->holder = s->new.holder;
	if (!err && !made)
		err = -ENOTEMPTY;
	s->counts->begun = !err;
	if (!err)
		err = lsm_open(&s->to, &file_system, s->new.engine, &options);
	if (!err)
		err = marker_take_over(&s->new, &file_system);
	return err ? err : lsm_start(s->to);
}

/* Write the catalogue, when all else is on disk. */
static int finish_new(struct salvage *s)
{
	struct bytes lease = lsm_salvage_property(s->from, "timestamp");
	int err = apply(s);

	if (!err)
		err = lsm_flush(s->to, UINT32_MAX);
	/* The clock continues where it was. */
	if (!err && lease.len == 8 &&
	    (int64_t)get_le64(lease.ptr) <= LARGEST_LEASE_US)
		err = lsm_property_set(s->to, "timestamp", lease);
	salvage_catalog_put(&s->batch, s->schema, s->next_number);
	if (!err)
		err = apply(s);
	if (!err)
		err = lsm_flush(s->to, UINT32_MAX);
	if (!err)
		err = lsm_close(s->to);
	else
		lsm_close(s->to);
	s->to = NULL;
	if (!err)
		err = marker_ready(&s->new, &file_system);
	return err;
}

/* Open the new store as any is: it is checked, and its indexes are built. */
static int prove_new(const char *path)
{
	struct store_options options;
	struct store *store;
	int err;

	store_options_init(&options);
	err = store_open(&store, path, &options, NULL, NULL);
	return err ? err : store_close(store);
}

static void tell_plan(struct salvage *s, bool dry)
{
	size_t count, i;
	struct lsm_salvage_file *files = lsm_salvage_files(s->from, &count);
	char line[320], name[32];

	for (i = 0; i < s->schema->keyspace_count; i++)
		s->counts->tables += s->schema->keyspaces[i]->table_count;
	snprintf(line, sizeof(line), "%s: %s, %s, %s of the log",
		 dry ? "would read" : "reading",
		 counted(s->counts->tables, "table").text,
		 counted(count, "sstable").text,
		 counted(lsm_salvage_segments(s->from), "file").text);
	s->told->plan(s->told->context, line);
	if (lsm_salvage_snapshots(s->from)) {
		snprintf(line, sizeof(line), "snapshots are not carried over: "
			 "%zu", lsm_salvage_snapshots(s->from));
		s->told->plan(s->told->context, line);
	}
	if (!lsm_salvage_is_whole(s->from))
		s->told->plan(s->told->context, "the manifest is damaged: data "
			      "that was removed may be back");
	for (i = 0; i < count; i++)
		if (salvage_use_of(&s->uses, files[i].table, &s->of) ==
			    USE_TAKE && s->of &&
		    s->of->number != files[i].table) {
			lsm_salvage_name(name, &files[i]);
			snprintf(line, sizeof(line), "%s: of %.100s.%.100s "
				 "before it was restored: what was replaced "
				 "may be back", name, s->of->keyspace,
				 s->of->name);
			s->told->plan(s->told->context, line);
		}
}

/* Refuse a store with a file that the caller may not read: it is not lost. */
static int check_file(void *context, const char *name)
{
	struct salvage *s = context;
	int fd = lsm_salvage_is_file(name) ?
			 file_open(&file_system, s->old.engine, name,
				   O_RDONLY | O_NONBLOCK) : -ENOENT;

	if (fd == -EACCES)
		snprintf(s->counts->unreadable, sizeof(s->counts->unreadable),
			 "%s", name);
	file_close(&file_system, fd);
	return fd == -EACCES ? fd : 0;
}

static int open_old(struct salvage *s, const char *path)
{
	const struct lsm_salvage_told told = { tell_lost, s };
	int err = marker_open_damaged(&s->old, &file_system, path);

	s->counts->holder = s->old.holder;
	if (err == 1) {
		tell_lost(s, log_corrupt_last());
		err = 0;
	}
	if (!err && s->old.engine < 0)
		err = log_corrupt("engine", 0, "the directory cannot be opened");
	if (!err)
		err = file_system.list(file_system.context, s->old.engine,
				       check_file, s);
	return err ? err : lsm_salvage_open(&s->from, &file_system,
					    s->old.engine, &told);
}

static int run(struct salvage *s, const char *path, const char *new_path,
	       const struct salvage_options *options)
{
	bool dry = options->dry;
	int err = marker_check_new(&file_system, new_path);

	s->counts->of_new = err;
	if (!err)
		err = open_old(s, path);
	if (!err)
		err = find_schema(s);
	if (err)
		return err;
	s->uses.from = s->from;
	s->uses.catalog = &s->catalog;
	s->uses.schema = s->schema;
	err = salvage_use_given(&s->uses, options, &s->counts->refused);
	if (err)
		return err;
	tell_plan(s, dry);
	salvage_use_tell_twins(&s->uses, tell_lost, s);
	if (!dry) {
		err = open_new(s, new_path);
		s->counts->of_new = err;
	}
	if (!err)
		err = take_all(s);
	if (!err && !dry) {
		err = finish_new(s);
		marker_close(&s->new, &file_system);
		if (!err)
			err = prove_new(new_path);
		s->counts->of_new = err;
	}
	return err;
}

int store_salvage(const char *path, const char *new_path,
		  const struct salvage_options *options,
		  const struct salvage_told *told,
		  struct salvage_counts *counts)
{
	struct salvage s = {
		.told = told, .counts = counts, .old = MARKER_FILE_INIT,
		.new = MARKER_FILE_INIT, .catalog = SALVAGE_CATALOG_INIT,
		.batch = BATCH_INIT, .arena = ARENA_INIT,
		.uses = { .unknown = BUF_INIT },
	};
	int err;

	*counts = (struct salvage_counts){ 0 };
	err = run(&s, path, new_path, options);
	lsm_close(s.to);
	lsm_salvage_close(s.from);
	if (s.schema)
		schema_put(s.schema);
	salvage_catalog_release(&s.catalog);
	batch_release(&s.batch);
	arena_release(&s.arena);
	buf_release(&s.uses.unknown);
	marker_close(&s.new, &file_system);
	marker_close(&s.old, &file_system);
	return err;
}
