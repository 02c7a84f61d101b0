/*
 * Shared by the parts of the executor: a session, the one statement that is run
 * in it, and its result. Inside store/cql only.
 *
 * All memory of a statement is in the arena of its result and freed with it:
 * terms, plans, values. A session is used by one thread at a time, and so are
 * its results; a result must not outlive its session.
 */
#ifndef STORE_CQL_STATEMENT_STATEMENT_H
#define STORE_CQL_STATEMENT_STATEMENT_H
#include "store/base/hash.h"
#include "store/base/watch.h"
#include "store/cql/statement/face.h"
#include "store/cql/syntax/ast.h"
#include "store/table/table.h"

struct cql_session {
	struct store *store;
	char *keyspace;			/* of USE; NULL: none */
	cql_may *may;
	void *may_context;
	cql_adopt *adopt;		/* or NULL */
	void *adopt_context;
	const char *defined;		/* of cql_session_define; or NULL */
	enum cql_difference difference;
	const struct schema *base;	/* of cql_session_base; or NULL */
	bool drops;			/* see cql_session_drops */
	uid_t uid;
	gid_t gid;
	mode_t mode;
	struct cql_error error;		/* its message is in error_arena */
	struct arena error_arena;
	struct cql_result *spare;	/* memory of the last result, or NULL */
	size_t space;			/* of a statement, see cql/cql.c */
	struct write write;		/* empty between two statements */
	struct cql_trace trace;
	struct watch watch;		/* of its reads */
};

/* A type that was made for one statement, put when its result is freed. */
struct owned_type {
	struct type *type;
	struct owned_type *next;
};
struct warning {
	const char *text;
	struct warning *next;
};

/* One statement that is run. Part of its result. */
struct execution {
	struct cql_session *session;
	struct store *store;
	struct schema *schema;		/* a reference */
	struct bytes text;		/* valid inside cql_execute only */
	const struct table *table;	/* that token() is about, or NULL */
	struct arena *arena;
	struct buf scratch;		/* for a value being made */
	struct owned_type *types;
	struct warning *warnings;	/* newest first */
	uint64_t begun_ns;		/* for the trace */
	int64_t timestamp_us;		/* of the statement; 0: none taken yet */
	int64_t now_s;
	/* Of a SELECT: as the same members of struct query, or null. Valid
	 * inside cql_execute_after only. */
	struct bytes after_key;
	const struct bytes *after_clustering;
	unsigned quiet;			/* refusals leave no error */
	/*
	 * Set to true, while a statement is prepared, if a call failed or
	 * returned a null that is not allowed: both are told only when it runs.
	 * NULL: they are told at once.
	 */
	bool *late;
	const char *hint_keyspace;	/* of user types in hints; NULL: the table's */
	unsigned markers;		/* ? so far: none is bound */
	struct hash calls;		/* of expression/term_call.c */
};

struct cql_result {
	struct execution execution;
	struct arena arena;		/* limited until the statement runs */
	struct cql_column *columns;
	uint32_t column_count;
	uint32_t table_number;		/* of a SELECT */
	bool json;
	/* Read the next row of a result: 1 with *values, 0, -errno. The others
	 * may be NULL. */
	int (*next)(struct cql_result *r, const struct bytes **values);
	void (*rest)(struct cql_result *r);
	void (*memory)(const struct cql_result *r, struct memory_use *m);
	void (*close)(struct cql_result *r);
	void *state;			/* of these, from the arena */
};
#endif
