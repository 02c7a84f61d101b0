/* The interface to observe the changes of a store. */
#ifndef STORE_TABLE_OBSERVER_H
#define STORE_TABLE_OBSERVER_H
#include "store/table/table.h"

/* One element of a committed batch, for the observer. */
struct table_change {
	struct table *table;
	struct bytes partition_key;
	/* A row (clustering_count == the table's; is_static: the static row)
	 * or everything in the partition or range (whole). */
	const struct bytes *clustering;
	uint32_t clustering_count;
	bool is_static, whole;
	struct slice range;		/* whole: of these rows */
	/* The columns that were written; column_count 0 with whole: all. */
	const struct column *const *columns;
	uint32_t column_count;
	/* The row as it is written, without what its own deletion covers; of a
	 * range its deletion alone (effect.h). */
	struct row written;
	/* The row's key in the engine, or the first that is in the range and
	 * the first that comes after it: opaque, in the order of rows. */
	struct bytes key, to;
	bool row_deleted;
	bool gives;			/* a marker or values, no deletions */
	bool removes;			/* it deletes anything */
	int64_t earliest_expiry_s;	/* of the written cells; or NO_TIME */
};

/*
 * One observer (the filesystem) is told of every change after it can be read,
 * on the thread that made it, with no lock held.
 */
struct store_observer {
	/* Before a batch is applied, with its partitions locked: attributes may
	 * be added to it. 0, or why it is not applied. */
	int (*changing)(void *context, struct write *w,
			const struct table_change *changes, size_t count);
	/* A committed batch: each element is one row, or a range. */
	void (*changed)(void *context, const struct table_change *changes,
			size_t count);
	/* The schema went from one version to the next. */
	void (*schema_changed)(void *context, const struct schema *from,
			       const struct schema *to);
	/* Before and after a table is truncated. Before it no other thread
	 * writes: attributes above tables may be written by commit_fill, and are
	 * on disk before the rows are gone. */
	void (*truncating)(void *context, struct table *t);
	void (*truncated)(void *context, struct table *t);
	/* A file of "keyspace.table" is damaged; text names the file and the
	 * place. On any thread; damage known before is told when the observer
	 * is set. */
	void (*damaged)(void *context, const char *table, const char *text);
	void *context;
};
#endif
