#include "store/store_figures.h"

#include <errno.h>
#include <stdio.h>

#include "store/base/bytes.h"
#include "store/lsm/lsm.h"
#include "store/store.h"

static const struct figure engine[] = {
	{ "batches", "batches applied", FIGURE_COUNTER, NULL },
	{ "gets", "point reads", FIGURE_COUNTER, NULL },
	{ "scans", "iterators opened", FIGURE_COUNTER, NULL },
	{ "sstables_read", "sstables looked into", FIGURE_COUNTER, NULL },
	{ "sources_per_get", "sstables looked into for a point read",
	  FIGURE_GAUGE, NULL },
	{ "filter_skips", "sstables that filters spared", FIGURE_COUNTER, NULL },
	{ "filter_misses", "sstables that filters did not spare",
	  FIGURE_COUNTER, NULL },
	{ "tombstones_read", "tombstones met by reads", FIGURE_COUNTER, NULL },
	{ "cache_hits", "blocks found in the cache", FIGURE_COUNTER, NULL },
	{ "cache_misses", "blocks read", FIGURE_COUNTER, NULL },
	{ "cache_bytes", "bytes of cached blocks", FIGURE_GAUGE, NULL },
	{ "cache_room_bytes", "bytes that blocks may have", FIGURE_GAUGE, NULL },
	{ "cache_held_bytes", "bytes of filters and indexes", FIGURE_GAUGE,
	  NULL },
	{ "bytes_written", "bytes written to the log", FIGURE_COUNTER, NULL },
	{ "bytes_flushed", "bytes flushed", FIGURE_COUNTER, NULL },
	{ "bytes_compacted", "bytes compacted", FIGURE_COUNTER, NULL },
	{ "write_amplification", "bytes on disk for a byte written",
	  FIGURE_GAUGE, NULL },
	{ "flushes", "memtables written", FIGURE_COUNTER, NULL },
	{ "compactions", "compactions", FIGURE_COUNTER, NULL },
	{ "debt", "sstables left to merge", FIGURE_GAUGE, NULL },
	{ "purgeable_bytes", "bytes that a purge may free, estimated",
	  FIGURE_GAUGE, NULL },
	{ "memtable_bytes", "bytes of memtables", FIGURE_GAUGE, NULL },
	{ "memtable_room_bytes", "bytes that memtables may have", FIGURE_GAUGE,
	  NULL },
	{ "paused_ns", "ns that writers waited", FIGURE_COUNTER, NULL },
	{ "log_bytes", "bytes of the commit log", FIGURE_GAUGE, NULL },
	{ "log_segments", "segments of the commit log", FIGURE_GAUGE, NULL },
	{ "syncs", "syncs of the log", FIGURE_COUNTER, NULL },
	{ "batches_per_sync", "batches for a sync of the log", FIGURE_GAUGE,
	  NULL },
	{ "damaged_files", "sstables found damaged", FIGURE_GAUGE, NULL },
	{ "faulted", "1 after an I/O error: read-only", FIGURE_GAUGE, NULL },
};

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void add_engine(struct figures *f, const struct lsm_stats *s,
		       const struct lsm_shape *shape)
{
	const double values[ARRAY_SIZE(engine)] = {
		(double)s->applied, (double)s->gets, (double)s->iterators,
		(double)s->sstables_read,
		ratio((double)s->sstables_read, (double)s->gets),
		(double)s->filter_skips, (double)s->filter_misses,
		(double)s->tombstones_read, (double)s->cache_hits,
		(double)s->cache_misses, (double)s->cache_bytes,
		(double)s->cache_room, (double)s->cache_held,
		(double)s->bytes_written,
		(double)s->bytes_flushed, (double)s->bytes_compacted,
		ratio((double)(s->bytes_written + s->bytes_flushed +
			       s->bytes_compacted), (double)s->bytes_written),
		(double)s->flushes, (double)s->compactions, (double)s->debt,
		(double)shape->purgeable_bytes, (double)s->memtable_bytes,
		(double)s->memtable_room, (double)s->paused_ns,
		(double)s->log_bytes, (double)s->log_segments,
		(double)s->syncs, ratio((double)s->applied, (double)s->syncs),
		(double)shape->damaged_files, s->faulted,
	};

	figures_add(f, figures_begin(f, NULL, engine, ARRAY_SIZE(engine)),
		    BYTES_EMPTY, BYTES_EMPTY, values);
}

/* Of these calls one in this many is timed; of syncs all are. */
static const struct figure times[] = {
	{ "engine_seconds", "time of the engine's work; of point reads and "
	  "batches one of 16 is timed", FIGURE_LATENCY, NULL },
};

static void add_time(struct figures *f, struct figure_table *t,
		     const char *what, const struct latency_sum *l)
{
	struct buf labels = BUF_INIT;

	if (!l->count)
		return;
	figures_label(&labels, "work", bytes_str(what));
	figures_add_latency(f, t, buf_bytes(&labels), bytes_str(what), l);
	buf_release(&labels);
}

static void add_times(struct figures *f, const struct lsm_stats *s)
{
	struct figure_table *t = figures_begin(f, "engine", times,
					       ARRAY_SIZE(times));

	add_time(f, t, "get", &s->get_time);
	add_time(f, t, "batch", &s->apply_time);
	add_time(f, t, "sync", &s->sync_time);
}

static const struct figure levels[] = {
	{ "level_files", "sstables of the level", FIGURE_GAUGE, "files" },
	{ "level_bytes", "bytes of the level's sstables", FIGURE_GAUGE,
	  "bytes" },
	{ "level_density_bytes", "bytes for the share of tokens covered, a file",
	  FIGURE_GAUGE, "density" },
};

static void add_levels(struct figures *f, const struct lsm_shape *shape)
{
	struct figure_table *t = figures_begin(f, "level", levels,
					       ARRAY_SIZE(levels));
	struct buf labels = BUF_INIT;
	unsigned i;

	for (i = 0; i < LSM_LEVELS; i++) {
		const struct lsm_level_stats *l = &shape->levels[i];
		const double values[ARRAY_SIZE(levels)] = {
			(double)l->files, (double)l->bytes,
			ratio(l->density, (double)l->files),
		};
		char name[16];

		if (!l->files)
			continue;
		snprintf(name, sizeof(name), "%u", i);
		buf_clear(&labels);
		figures_label(&labels, "level", bytes_str(name));
		figures_add(f, t, buf_bytes(&labels), bytes_str(name), values);
	}
	buf_release(&labels);
}

static const struct figure of_tables[] = {
	{ "table_reads", "reads of the table", FIGURE_COUNTER, "reads" },
	{ "table_writes", "batches on the table", FIGURE_COUNTER, "writes" },
	{ "table_rows", "rows of the table, estimated", FIGURE_GAUGE, "rows" },
	{ "table_partitions", "partitions of its sstables, estimated",
	  FIGURE_GAUGE, "partitions" },
	{ "table_tombstones", "tombstones of the table", FIGURE_GAUGE,
	  "tombstones" },
	{ "table_sstables", "sstables of the table", FIGURE_GAUGE, "files" },
	{ "table_bytes", "bytes of its sstables", FIGURE_GAUGE, "bytes" },
	{ "table_raw_bytes", "bytes of its sstables before compression",
	  FIGURE_GAUGE, "raw" },
	{ "table_memtable_bytes", "bytes of its memtables", FIGURE_GAUGE,
	  "memory" },
	{ "table_debt", "sstables of the table left to merge", FIGURE_GAUGE,
	  "debt" },
	{ "table_largest_partition_rows", "rows of its largest partition in an "
	  "sstable", FIGURE_GAUGE, "largest" },
};

static void add_table(struct figures *f, struct figure_table *all,
		      struct store *s, struct table *t)
{
	struct buf labels = BUF_INIT, name = BUF_INIT;
	struct lsm_table_stats stats;

	store_table_stats(s, t, &stats);
	figures_label(&labels, "keyspace", bytes_str(t->keyspace));
	figures_label(&labels, "table", bytes_str(t->name));
	buf_add_format(&name, "%s.%s", t->keyspace, t->name);
	figures_add(f, all, buf_bytes(&labels), buf_bytes(&name),
		    (const double[ARRAY_SIZE(of_tables)]){
		(double)stats.reads, (double)stats.writes,
		(double)stats.row_estimate, (double)stats.partition_estimate,
		(double)stats.tombstones, (double)stats.sstable_count,
		(double)stats.sstable_bytes, (double)stats.raw_bytes,
		(double)stats.memtable_bytes, (double)stats.debt,
		(double)stats.largest_partition_rows,
	});
	f->failed |= labels.failed || name.failed;
	buf_release(&labels);
	buf_release(&name);
}

int store_figures_add(struct figures *f, struct store *s,
		      const struct schema *schema,
		      bool (*shows)(void *context, const struct keyspace *k,
				    const struct table *t),
		      void *context)
{
	struct figure_table *all;
	struct lsm_shape shape;
	struct lsm_stats stats;
	uint32_t i, j;
	int err = store_shape(s, &shape);

	if (err)
		return err;
	store_stats(s, &stats);
	add_engine(f, &stats, &shape);
	add_times(f, &stats);
	add_levels(f, &shape);
	all = figures_begin(f, "table", of_tables, ARRAY_SIZE(of_tables));
	for (i = 0; i < schema->keyspace_count; i++) {
		const struct keyspace *k = schema->keyspaces[i];

		for (j = 0; j < k->table_count; j++) {
			struct table *t = k->tables[j];

			if (!(t->flags & TABLE_VIRTUAL) &&
			    (!shows || shows(context, k, t)))
				add_table(f, all, s, t);
		}
	}
	return f->failed ? -ENOMEM : 0;
}
