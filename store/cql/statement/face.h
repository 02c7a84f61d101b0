/* What the face of CQL (cql.h) and the statements share: rights, columns,
 * what was read. */
#ifndef STORE_CQL_STATEMENT_FACE_H
#define STORE_CQL_STATEMENT_FACE_H
#include "store/cql/syntax/error.h"
#include "store/schema/schema.h"

struct cql_session;
struct cql_result;

/* To enter is part of each of the others, on the table and on its keyspace. */
enum cql_right { CQL_ENTER, CQL_READ, CQL_WRITE, CQL_DDL };
/* May the session's user do this? table NULL: on the keyspace; both NULL: on
 * the store (new keyspaces). Without a function everything is allowed. A user is
 * not told of what he may not enter. */
typedef bool cql_may(void *context, const struct keyspace *k,
		     const struct table *t, enum cql_right right);

/*
 * CREATE TABLE over a table that mkdir made: brings the rows of that one over
 * (store_edit_tables); -EEXIST: they do not fit. Without it such a table is
 * replaced only while it has no row.
 */
typedef int cql_adopt(void *context, struct table *from, struct table *to);

/* A column of a result. */
struct cql_column {
	struct bytes name;	/* as Cassandra names it: "count", "system.token(k)" */
	const struct type *type;
};

/* For TRACING: what the last statement read, complete when its rows are. */
struct cql_trace {
	uint64_t rows_read, rows_given, tombstones;
	int64_t microseconds;
	uint32_t sstables;	/* files that may hold what was asked for */
	uint32_t file_count;	/* the first of them, named */
	const uint64_t *files;	/* numbers, valid until the next statement */
};
#endif
