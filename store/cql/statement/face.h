/* Shared by the interface of CQL (cql.h) and the statements: rights, columns,
 * trace. */
#ifndef STORE_CQL_STATEMENT_FACE_H
#define STORE_CQL_STATEMENT_FACE_H
#include "store/cql/syntax/error.h"
#include "store/schema/schema.h"

struct cql_session;
struct cql_result;

/* Each of the other rights includes CQL_ENTER, on the table and on its
 * keyspace. */
enum cql_right { CQL_ENTER, CQL_READ, CQL_WRITE, CQL_DDL };
/* True if the session's user has the right. table NULL: on the keyspace; both
 * NULL: on the store (new keyspaces). Without a function everything is allowed.
 * A user is not told of objects that he may not enter. */
typedef bool cql_may(void *context, const struct keyspace *k,
		     const struct table *t, enum cql_right right);

/*
 * Moves the rows of a table that mkdir made (from) to the one that a CREATE
 * TABLE of its name makes (to); called by store_edit_tables. 0, -EEXIST if they
 * do not fit, or another -errno. Without such a function a table that mkdir
 * made is replaced only while it has no row.
 */
typedef int cql_adopt(void *context, struct table *from, struct table *to);
/* What a CREATE TABLE does that differs from its table (cql_session_define). */
enum cql_difference {
	CQL_REFUSES,
	CQL_CHANGES_ALL_BUT_DROPS,	/* refused where a column would go */
	CQL_CHANGES,
};

/* A column of a result. */
struct cql_column {
	struct bytes name;	/* as Cassandra names it: "count", "system.token(k)" */
	const struct type *type;
};

/* For TRACING: what the last statement read, complete when its rows are. */
struct cql_trace {
	uint64_t rows_read, rows_given, tombstones;
	int64_t microseconds;
	uint32_t sstables;	/* files that may hold the wanted data */
	uint32_t file_count;	/* the first of them, named */
	const uint64_t *files;	/* numbers, valid until the next statement */
};
#endif
