/*
 * The shell runs statements on a backend: a store in this process (store.c), or
 * a mount through its .cql.raw (mount.c). Both return the same: columns with
 * types, rows of binary values one by one in bounded memory, errors.
 *
 * One statement at a time: execute, next until it gives no more, finish. One
 * thread. Results of execute and next are valid until the next call.
 */
#ifndef TOOLS_CQL_BACKEND_H
#define TOOLS_CQL_BACKEND_H
#include "store/cql/cql.h"

struct cql_backend;
struct cql_backend_ops {
	/* One statement. 0 with columns set (count 0: nothing to read), or
	 * -errno with error set. */
	int (*execute)(struct cql_backend *b, struct bytes statement);
	/* 1 with *values, one per column; 0; -errno with error set. */
	int (*next)(struct cql_backend *b, const struct bytes **values);
	/* Done with the statement, whether or not all of it was read. */
	void (*finish)(struct cql_backend *b);
	/* NULL after the last. */
	const char *(*warning)(struct cql_backend *b, uint32_t i);
	/* Fill in what the statement read. False: its result was not read to
	 * the end. */
	bool (*trace)(struct cql_backend *b, struct cql_trace *trace);
	/* 0; -errno after a message: what was written may be lost. */
	int (*close)(struct cql_backend *b);
};
struct cql_backend {
	const struct cql_backend_ops *ops;
	const struct cql_column *columns;
	uint32_t column_count;
	bool json;		/* SELECT JSON */
	struct cql_error error;	/* of the last call that failed */
	char keyspace[64];	/* in force; "" none */
	const char *place;	/* for people: where the data is */
};
#endif
