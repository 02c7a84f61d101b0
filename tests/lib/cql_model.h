/*
 * A table of CQL by the rules of store/README.md, without files, merges or code of
 * the store: each written fact is kept, and a read looks at all of them.
 *
 *	(p int, c int, s text static, a int, b text, z set<int>,
 *	 m map<int, int>, PRIMARY KEY (p, c))
 */
#ifndef TESTS_LIB_CQL_MODEL_H
#define TESTS_LIB_CQL_MODEL_H
#include "store/base/bytes.h"

enum { CM_PARTITIONS = 4, CM_ROWS = 8, CM_PATHS = 5, CM_RANGES = 4096 };
enum cm_column { CM_S, CM_A, CM_B, CM_Z, CM_M, CM_COLUMNS };
#define CM_NEVER INT64_MIN

struct cm_cell {
	bool set, dead;		/* dead: a tombstone */
	int64_t timestamp, expiry;	/* expiry 0: none */
	int32_t ttl, value;
};
struct cm_row {
	struct cm_cell marker, cells[CM_COLUMNS][CM_PATHS];
	int64_t column_deleted[CM_COLUMNS], deleted;
};
struct cm_range {
	int from, to;		/* rows from <= c < to */
	int64_t timestamp;
};
struct cm_partition {
	struct cm_row fixed, rows[CM_ROWS];	/* fixed: the static row */
	int64_t deleted;
	struct cm_range ranges[CM_RANGES];
	int range_count;
};
struct cm {
	struct cm_partition partitions[CM_PARTITIONS];
	int64_t now;		/* seconds */
};
/* Values are small: an int as it is, a text as the letter 'a' + value. */
struct cm_write {
	int64_t timestamp;
	int32_t ttl;
};
struct cm_query {
	int partitions[CM_PARTITIONS], partition_count;	/* in their order */
	bool restricted;	/* by c: no row of statics alone */
	bool wanted[CM_ROWS];
	bool descending;
	int limit, each;	/* 0: none; PER PARTITION LIMIT */
};

void cm_init(struct cm *m, int64_t now);
/* Return a row, or the static row if row < 0. */
struct cm_row *cm_row(struct cm *m, int partition, int row);
/* Write a cell's value or tombstone; write the row marker. */
void cm_put(struct cm *m, struct cm_row *row, enum cm_column column, int path,
	    int32_t value, const struct cm_write *w);
void cm_kill(struct cm_row *row, enum cm_column column, int path,
	     int64_t timestamp);
void cm_mark(struct cm *m, struct cm_row *row, const struct cm_write *w);
/* Delete a collection; the rows with from <= c < to; a partition. */
void cm_delete_column(struct cm_row *row, enum cm_column column, int64_t t);
void cm_delete_range(struct cm *m, int partition, int from, int to, int64_t t);
void cm_delete_partition(struct cm *m, int partition, int64_t t);
/* Append p, c, s, a, b, z, m, writetime(a), ttl(b) of each row: a JSON array in
 * a line. */
void cm_select(const struct cm *m, const struct cm_query *q, struct buf *out);
#endif
