/*
 * What the parts of the executor share: a session, the one statement that is
 * being run in it, and the result it makes. Inside store/cql only.
 *
 * Everything that a statement needs lies in the arena of its result and dies
 * with it: terms, plans, values. A session is used by one thread at a time, and
 * so are its results; a result must not outlive its session.
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

/* A type that was made for one statement, put when its result goes. */
struct owned_type {
	struct type *type;
	struct owned_type *next;
};
struct warning {
	const char *text;
	struct warning *next;
};

/* One statement being run. Part of its result. */
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
	unsigned quiet;			/* refusals leave no error */
	/*
	 * Where to note, while a statement is prepared, that a call failed or
	 * gave a null that may not be: both show only when it runs. NULL: at
	 * once.
	 */
	bool *late;
	const char *hint_keyspace;	/* of user types in hints; NULL: the table's */
	unsigned markers;		/* ? so far: nothing is bound to them */
	struct hash calls;		/* of expression/term_call.c */
};

struct cql_result {
	struct execution execution;
	struct arena arena;		/* limited until the statement runs */
	struct cql_column *columns;
	uint32_t column_count;
	bool json;
	/* A result with rows: 1 with *values, 0, -errno. close may be NULL. */
	int (*next)(struct cql_result *r, const struct bytes **values);
	void (*close)(struct cql_result *r);
	void *state;			/* of next and close, from the arena */
};

/* Refuse the statement: -EINVAL, the error set (unless quiet). */
int refuse(struct execution *x, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int refuse_as(struct execution *x, enum cql_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Refuse markers that were met: when all else of a statement is looked at. */
int refuse_markers(struct execution *x);
/* Give the error its place, if it has none yet; err as it came. */
int refuse_at(struct execution *x, struct span span, int err);
/* Turn a type's error into the statement's. err -EINVAL uses its text. */
int refuse_type_error(struct execution *x, int err,
		      const struct type_error *error);

/* Texts for messages and names, from the arena; "" without memory. */
const char *text_of(struct execution *x, struct bytes bytes);
const char *text_of_buf(struct execution *x, struct buf *buf); /* releases */
const char *text_of_type(struct execution *x, const struct type *t);
const char *text_of_term(struct execution *x, const struct term *t);
/* Before its types are looked up: their names are as they were written. */
const char *text_as_written(struct execution *x, const struct term *t);
const char *text_of_table(struct execution *x, const struct table *t);

/* The scratch buffer as a value in the arena; clears it. -ENOMEM. */
int keep_scratch(struct execution *x, struct bytes *value);
/* Take over a reference for as long as the statement lives; NULL as it is. */
const struct type *own_type(struct execution *x, struct type *t);
void warn(struct execution *x, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The keyspace that a name means (that of USE when not given). */
int refuse_without_keyspace(struct execution *x);
int resolve_keyspace(struct execution *x, const struct keyspace **out,
		     const struct identifier *name);
/* The table, which is there for `right`, or an error. */
int resolve_table(struct execution *x, const struct table **out,
		  const struct table_name *name, enum cql_right right);
/* A column; refuses what is not there. */
int resolve_column(struct execution *x, const struct column **out,
		   const struct table *t, const struct identifier *name);
/* May the user? Refuses with CQL_UNAUTHORIZED, -EACCES. */
int require_right(struct execution *x, const struct table *t,
		  enum cql_right right);
/* May the session's user enter it? t NULL: the keyspace. */
bool may_enter(const struct execution *x, const struct keyspace *k,
	       const struct table *t);
/* -EACCES unless he may enter the keyspace. */
int require_entry(struct execution *x, const struct keyspace *k);
/* The statement's timestamp (one for all it does). */
int64_t statement_timestamp(struct execution *x);
/* Where the names of types in it are looked up: the table's keyspace. */
struct bytes statement_keyspace(const struct execution *x);
/* Turn an error of the store (-EIO and so on) into one with a message. */
int store_failure(struct execution *x, int err);
/* The same of what table_write answered. */
int write_failure(struct execution *x, const struct write *w, int err);

/* ------------------------------------------------------------- results */
/* Columns to be filled in; NULL without memory. */
struct cql_column *result_columns(struct cql_result *r, uint32_t count);
/* Give rows that are already there: count arrays of column_count values. */
int result_rows(struct cql_result *r, struct bytes **rows, size_t count);

/* ----------------------------------------------------------- statements */
int execute_statement(struct cql_result *r, const struct statement *s);
int execute_select(struct cql_result *r, const struct select *s);
/* INSERT, UPDATE, DELETE. */
int execute_modification(struct cql_result *r, const struct statement *s);
int execute_batch(struct cql_result *r, const struct batch_statement *b);
/* What changes the schema, and DESCRIBE. */
int execute_schema(struct cql_result *r, const struct statement *s);
#endif
