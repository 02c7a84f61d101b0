/* The statements of a dump that make one row again. */
#ifndef TOOLS_DUMP_ROW_H
#define TOOLS_DUMP_ROW_H
#include <stdio.h>

#include "store/base/arena.h"
#include "store/base/bytes.h"
#include "tools/cql/backend.h"

enum dump_kind { DUMP_PARTITION_KEY, DUMP_CLUSTERING, DUMP_STATIC, DUMP_REGULAR };
struct dump_column {
	struct bytes name;	/* as CQL writes it */
	enum dump_kind kind;
	uint32_t time;		/* column of its writetime; 0: it has none */
};

/* A cell, or a collection whose parts were written together. */
struct dump_piece {
	uint32_t column, order;
	int64_t timestamp;
	int32_t ttl;		/* 0: none */
	bool whole;
	struct bytes key, value;	/* of a part: null, or a map's key */
	uint32_t field;			/* of a user type */
};

struct dump {
	FILE *out;
	struct cql_backend *b;
	struct bytes keyspace, table;
	struct arena arena;
	struct dump_column *columns;
	uint32_t count;
	uint32_t marker;	/* column of its writetime, the TTL is the next; 0: none */
	const struct bytes *row;
	struct dump_piece *pieces;		/* of the row */
	size_t piece_count, piece_room;
	struct buf text, partition;	/* the partition key of the row before */
	bool begun, default_ttl;	/* the table has a TTL for all cells */
	int err;
};

static inline const struct type *dump_type_of(const struct dump *d, uint32_t column)
{
	return d->b->columns[column].type;
}

/* Take over a timestamp and a TTL, each a value or null. */
void dump_row_set_times(struct dump_piece *p, struct bytes timestamp, struct bytes ttl);
/* Append to d->text the statements of d->pieces, which are sorted on the way. row: the pieces are of a row,
 * whose marker is printed too; else they are statics. last: the columns that a WHERE has end with this kind. */
void dump_row_print(struct dump *d, bool row, enum dump_kind last);
#endif
