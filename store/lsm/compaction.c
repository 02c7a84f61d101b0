/*
 * The order that makes a crash harmless: the outputs are synced, then the
 * directory, then the manifest names them and forgets the inputs in one edit,
 * then the inputs' files are removed. Until the edit is durable no manifest
 * names the outputs, and from then on none names the inputs.
 */
#include "store/lsm/compaction.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/row/key.h"
#include "store/row/merge.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"
#include "store/row/shadow.h"
#include "store/sstable/iterate.h"
#include "store/sstable/writer.h"

#define CHECK_BYTES (256 << 10)	/* between two checks */

struct output {
	struct sstable_info info;
	struct sstable *sstable;	/* open after run; owned */
};

struct compaction {
	struct compaction_setup setup;
	struct sstable **inputs;
	struct output *outputs;
	size_t output_count, output_room;
	uint64_t size, written;		/* of the inputs, of the outputs */
	bool installed;
	bool unknown;		/* whether it is installed: keep all files */

	/* while it runs */
	struct iterator *merged;
	struct sstable_writer *writer;	/* NULL: between two outputs */
	struct deletion in_force;	/* in the writer's file */
	struct arena arena;
	struct buf row;
	struct buf partition;		/* token and key of the current one */
	int64_t purge_before;		/* timestamps below may be purged */
	bool nothing_expires;		/* rows need not be looked into */
};

int compaction_prepare(struct compaction **out,
		       const struct compaction_setup *setup)
{
	struct compaction *c = mem_zalloc(1, sizeof(*c));
	size_t i;

	if (!c)
		return -ENOMEM;
	c->setup = *setup;
	c->in_force = DELETION_NONE;
	c->purge_before = INT64_MIN;
	c->nothing_expires = true;
	c->inputs = mem_zalloc(setup->input_count, sizeof(*c->inputs));
	if (!c->inputs) {
		mem_free(c);
		return -ENOMEM;
	}
	for (i = 0; i < setup->input_count; i++) {
		const struct sstable_info *info;

		c->inputs[i] = sstable_get(setup->inputs[i]);
		info = sstable_info(c->inputs[i]);
		c->size += info->size;
		if (info->max_local_time != INT64_MIN)
			c->nothing_expires = false;
	}
	*out = c;
	return 0;
}

/* --------------------------------------------------------------- outputs */
/* Set how many keys an output may hold at most, for its filters. */
static void expect(const struct compaction *c, struct sstable_options *options)
{
	double size = 0, rows = 0, partitions = 0, share = 1;
	size_t i;

	for (i = 0; i < c->setup.input_count; i++) {
		const struct sstable_info *info = sstable_info(c->inputs[i]);

		size += (double)info->size;
		rows += (double)info->row_count;
		partitions += (double)info->partition_count;
	}
	/* Outputs are cut at the next partition: allow for some more. */
	if (c->setup.output_size && size > 1.5 * (double)c->setup.output_size)
		share = 1.5 * (double)c->setup.output_size / size;
	options->expected_rows = (uint64_t)(rows * share) + 1;
	options->expected_partitions = (uint64_t)(partitions * share) + 1;
}

static int begin_output(struct compaction *c)
{
	struct sstable_options options = c->setup.output;

	expect(c, &options);
	return sstable_writer_create(&c->writer, c->setup.files, c->setup.dir,
				     options.measure_only ? 0 :
				     c->setup.next_number(c->setup.context),
				     &options);
}

static int end_output(struct compaction *c)
{
	struct output *o;
	int err;

	if (!c->writer)
		return 0;
	o = array_grow(c->outputs, c->output_count, sizeof(*o),
		       &c->output_room);
	if (!o)
		return -ENOMEM;
	c->outputs = o;
	o = &c->outputs[c->output_count];
	o->sstable = NULL;
	err = sstable_writer_finish(c->writer, &o->info);
	if (err)
		return err;
	c->output_count += !c->setup.output.measure_only;
	c->written += o->info.size;
	sstable_writer_close(c->writer);
	c->writer = NULL;
	return 0;
}

/* Return the shard of a key, of so many of equal size. */
static uint64_t shard_of(struct bytes key, uint32_t shards)
{
	return (uint64_t)((unsigned __int128)get_be64(key.ptr) * shards >> 64);
}

/*
 * True if a shard ends here, and neither the file nor the rest, as far as it is
 * known, is too small to be one: where much is of few partitions most shards
 * have next to nothing.
 */
static bool is_shard_end(const struct compaction *c, struct bytes key)
{
	const struct compaction_setup *s = &c->setup;
	uint64_t size, done;

	if (s->shards < 2 ||
	    shard_of(key, s->shards) ==
		    shard_of(buf_bytes(&c->partition), s->shards))
		return false;
	size = sstable_writer_size(c->writer);
	done = c->written + size;
	return size >= s->least_size && c->size >= done &&
	       c->size - done >= s->least_size;
}

/* True if another file can begin here: no deletion is in force. */
static bool is_cut(const struct compaction *c, struct bytes key,
		   bool new_partition)
{
	const struct compaction_setup *s = &c->setup;
	uint64_t size;

	if (!c->writer || !deletion_is_none(c->in_force))
		return false;
	if (new_partition && is_shard_end(c, key))
		return true;
	size = s->output_size ? sstable_writer_size(c->writer) : 0;
	/* Cut a partition only when it alone is too large for a file. */
	return s->output_size && (size >= 2 * s->output_size ||
				  (new_partition && size >= s->output_size));
}

static int check_size(const struct compaction *c)
{
	uint64_t most = c->setup.most_bytes;

	return most && c->written + (c->writer ?
		       sstable_writer_size(c->writer) : 0) > most ?
		       -ERANGE : 0;
}

static int write_entry(struct compaction *c, const struct entry *entry)
{
	int err = c->writer ? 0 : begin_output(c);

	if (!err)
		err = sstable_writer_add(c->writer, entry);
	if (!err && entry->kind == ENTRY_BOUND)
		c->in_force = entry->after;
	return err ? err : check_size(c);
}

/* --------------------------------------------------------------- entries */
static int enter_partition(struct compaction *c, struct bytes key)
{
	const struct compaction_setup *s = &c->setup;
	size_t len = key_partition_len(key);

	if (!len)
		return -EUCLEAN;
	buf_clear(&c->partition);
	buf_add(&c->partition, key.ptr, len);
	if (c->partition.failed)
		return -ENOMEM;
	c->purge_before = INT64_MIN;
	if (s->min_other_timestamp && !c->nothing_expires)
		c->purge_before = s->min_other_timestamp(s->context,
						buf_bytes(&c->partition));
	return 0;
}

static struct deletion purged(const struct compaction *c, struct deletion d)
{
	return d.local_time < c->setup.gc_before &&
			       d.timestamp < c->purge_before ?
		       DELETION_NONE : d;
}

static int take_bound(struct compaction *c, struct entry *entry)
{
	/* One rule for the whole partition keeps its bounds consistent. */
	entry->before = purged(c, entry->before);
	entry->after = purged(c, entry->after);
	if (entry->before.timestamp == entry->after.timestamp &&
	    entry->before.local_time == entry->after.local_time)
		return 0;
	return write_entry(c, entry);
}

static int take_row(struct compaction *c, struct entry *entry)
{
	struct row row;
	bool keep = true;
	int err;

	if (c->nothing_expires)
		return write_entry(c, entry);
	arena_clear(&c->arena);
	err = row_decode(&row, &c->arena, entry->row);
	if (err)
		return err;
	row_purge(&row, c->setup.now, c->setup.gc_before, c->purge_before,
		  &keep);
	if (!keep)
		return 0;
	buf_clear(&c->row);
	row_encode(&c->row, &row);
	if (c->row.failed)
		return -ENOMEM;
	entry->row = buf_bytes(&c->row);
	return write_entry(c, entry);
}

static int take(struct compaction *c, struct entry *entry)
{
	bool gone = entry->kind == ENTRY_ROW && !entry->row.len;
	bool same = c->partition.len &&
		    bytes_begin_with(entry->key, buf_bytes(&c->partition));
	int err = 0;

	if (gone)	/* by a deletion that shadows it */
		return 0;
	if (is_cut(c, entry->key, !same))
		err = end_output(c);
	if (!err && !same)
		err = enter_partition(c, entry->key);
	if (err)
		return err;
	return entry->kind == ENTRY_ROW ? take_row(c, entry) :
					  take_bound(c, entry);
}

/* ------------------------------------------------------------------- run */
static int merge_files(struct iterator **out, struct sstable *const *files,
		       size_t count)
{
	struct iterator **sources = mem_zalloc(count, sizeof(*sources));
	size_t i;
	int err = 0;

	if (!sources)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++)
		err = sstable_iterate(&sources[i], files[i], false, true);
	if (err) {
		for (i = 0; i < count; i++)
			iterator_close(sources[i]);
	} else {
		err = merge_open(out, sources, count, false);
	}
	mem_free(sources);
	return err;
}

static int open_merge(struct compaction *c)
{
	const struct compaction_setup *s = &c->setup;
	struct iterator *shadows = NULL;
	struct deletion in_force;
	int err = merge_files(&c->merged, c->inputs, s->input_count);

	if (!err && s->shadow_count) {
		err = merge_files(&shadows, s->shadows, s->shadow_count);
		if (!err) {
			struct iterator *all = c->merged;

			c->merged = NULL;	/* taken over */
			err = shadow_open(&c->merged, all, shadows);
		}
	}
	return err ? err : iterator_seek(c->merged, BYTES_EMPTY, &in_force);
}

static int merge_all(struct compaction *c)
{
	const struct compaction_setup *s = &c->setup;
	struct entry entry;
	uint64_t seen = 0, look = 0;
	int more, err = 0;

	while (!err && (more = iterator_next(c->merged, &entry)) != 0) {
		if (more < 0)
			return more;
		seen += entry.key.len + entry.row.len + sizeof(entry);
		if (s->cancelled && seen >= look) {
			if (s->cancelled(s->context))
				return -ECANCELED;
			look = seen + CHECK_BYTES;
		}
		err = take(c, &entry);
	}
	if (!err)
		err = end_output(c);
	return err ? err : check_size(c);
}

static int open_outputs(struct compaction *c)
{
	const struct compaction_setup *s = &c->setup;
	size_t i;
	int err = 0;

	for (i = 0; i < c->output_count && !err; i++)
		err = sstable_open(&c->outputs[i].sstable, s->files, s->dir,
				   c->outputs[i].info.number, s->cache);
	return err;
}

int compaction_run(struct compaction *c)
{
	int err;

	if (c->setup.drop_only || c->setup.move_only)
		return 0;
	err = open_merge(c);
	if (!err)
		err = merge_all(c);
	iterator_close(c->merged);
	c->merged = NULL;
	sstable_writer_close(c->writer);	/* removes an unfinished file */
	c->writer = NULL;
	if (!err && c->output_count)
		err = c->setup.files->sync(c->setup.files->context,
					   c->setup.dir);
	return err ? err : open_outputs(c);
}

/* --------------------------------------------------------------- install */
int compaction_install(struct compaction *c, struct manifest *manifest)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	const struct compaction_setup *s = &c->setup;
	size_t i;
	int err;

	for (i = 0; i < s->input_count; i++) {
		const struct sstable_info *info = sstable_info(c->inputs[i]);

		manifest_edit_drop(&edit, s->table, info->number);
		if (s->move_only)
			manifest_edit_add(&edit, s->table, s->level, info);
	}
	for (i = 0; i < c->output_count; i++)
		manifest_edit_add(&edit, s->table, s->level,
				  &c->outputs[i].info);
	err = manifest_apply(manifest, &edit);
	manifest_edit_release(&edit);
	c->installed = !err;
	c->unknown = err == -EIO;
	return err;
}

size_t compaction_output_count(const struct compaction *c)
{
	return c->output_count;
}

struct sstable *compaction_output(const struct compaction *c, size_t i)
{
	return c->outputs[i].sstable;
}

void compaction_drop_inputs(struct compaction *c, struct manifest *manifest)
{
	size_t i;

	if (!c->installed || c->setup.move_only)
		return;
	for (i = 0; i < c->setup.input_count; i++)
		if (!manifest_has_file(manifest,
				       sstable_info(c->inputs[i])->number))
			sstable_drop(c->inputs[i]);
}

uint64_t compaction_bytes_written(const struct compaction *c)
{
	return c->written;
}

static void free_output(struct compaction *c, struct output *o)
{
	bool remove = !c->installed && !c->unknown;
	char name[32];

	if (o->sstable && remove)
		sstable_drop(o->sstable);
	if (!o->sstable && remove) {
		sstable_name(name, o->info.number);
		c->setup.files->unlink(c->setup.files->context, c->setup.dir,
				       name);
	}
	sstable_put(o->sstable);
}

void compaction_free(struct compaction *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->output_count; i++)
		free_output(c, &c->outputs[i]);
	for (i = 0; i < c->setup.input_count; i++)
		sstable_put(c->inputs[i]);
	mem_free(c->outputs);
	mem_free(c->inputs);
	arena_release(&c->arena);
	buf_release(&c->row);
	buf_release(&c->partition);
	mem_free(c);
}
