/*
 * The interface of CQL: text in, rows or an error with a place out.
 *
 * A session holds the present keyspace (USE), the rights of the caller and
 * settings; it is used by one thread at a time. A result streams: rows are
 * pulled one by one in bounded memory and are valid until the next pull.
 */
#ifndef STORE_CQL_CQL_H
#define STORE_CQL_CQL_H
#include "store/base/bytes.h"
#include "store/base/memory.h"
#include "store/cql/statement/face.h"
#include "store/schema/schema.h"
#include "store/store.h"

struct cql_session;
struct cql_result;

/* Make a session on s, which outlives it: 0 or -ENOMEM. One thread at a time
 * uses it. With rights, `may` is asked with the context before each access;
 * without, all is allowed. */
int cql_session_new(struct cql_session **out, struct store *s);
void cql_session_free(struct cql_session *c);
void cql_session_rights(struct cql_session *c, cql_may *may, void *context);
/*
 * Set a function that is called now and then while a statement reads; if it
 * returns true the statement fails with -EINTR. A statement that has begun to
 * write finishes.
 */
void cql_session_stop(struct cql_session *c, bool (*stop)(void *context),
		      void *context);
/* Set the owner, group and mode of created objects. */
void cql_session_owner(struct cql_session *c, uid_t uid, gid_t gid, mode_t mode);
void cql_session_adopt(struct cql_session *c, cql_adopt *adopt, void *context);
/*
 * While a keyspace is set (NULL: no more), a CREATE TABLE of a table that exists
 * in it makes the table what the statement says, as by ALTER TABLEs (several, if
 * need be) in one change of the schema: all of it happens, or nothing. What none
 * of them can do is refused, and named. keyspace has to stay until then.
 */
void cql_session_redefine(struct cql_session *c, const char *keyspace);
/* Return the present keyspace, "" none. Setting it: -ENOENT, -ENOMEM. */
const char *cql_session_keyspace(const struct cql_session *c);
int cql_session_use(struct cql_session *c, struct bytes keyspace);

/*
 * Run one statement (a final ';' is allowed). 0 with *result (to be freed with
 * cql_result_free), which has columns and may have rows; -errno with
 * cql_session_error set: -EINVAL, -EEXIST (AlreadyExists), -EACCES
 * (Unauthorized), -EIO (failures), -EUCLEAN, -ENOMEM, -EROFS, -ENOSPC, -EINTR
 * (cql_session_stop).
 */
int cql_execute(struct cql_session *c, struct bytes statement,
		struct cql_result **result);
/*
 * Look whether a statement can begin with text, the last `added` bytes of which
 * are new, and to which more may be added: 0, or -EINVAL with cql_session_error
 * set where no end makes it one. A long text that comes in small pieces is not
 * looked at (0): the time would grow with its square.
 */
int cql_may_begin(struct cql_session *c, struct bytes text, size_t added);
/*
 * As cql_execute, for a SELECT whose rows come in their order or backwards
 * (none that sorts or groups them): it returns only the rows after the one of
 * this key, which need not exist. partition_key: serialised; clustering: all of
 * its values; NULL in a table without clustering columns. Both are read in the
 * call only.
 */
int cql_execute_after(struct cql_session *c, struct bytes statement,
		      struct bytes partition_key,
		      const struct bytes *clustering,
		      struct cql_result **result);
/* True if a SELECT was refused that ALLOW FILTERING may allow, or that only an
 * index of its column would. */
bool cql_error_needs_index(const struct cql_error *error);
/* Return the error of the last call that failed on this session. */
const struct cql_error *cql_session_error(const struct cql_session *c);

/* Return the number of columns: zero when the statement returns no rows. */
uint32_t cql_result_column_count(const struct cql_result *r);
const struct cql_column *cql_result_columns(const struct cql_result *r);
/* Read the next row: 1 with *values (one per column, null where null), 0,
 * -errno as cql_execute (error set on the session). */
int cql_result_next(struct cql_result *r, const struct bytes **values);
/*
 * Release the moment of the data that the rows are of, where others have followed:
 * it holds their memory and files. The next row is the one that follows in the
 * moment of the next call; the values returned last are not valid any more. No
 * effect where rows are read backwards or by an index, are merged from several
 * partitions, or begin a group.
 */
void cql_result_rest(struct cql_result *r);
/* Add the memory that the result holds: its statement, rows and groups, and what it
 * pins of the moment that its rows are of. */
void cql_result_memory(const struct cql_result *r, struct memory_use *m);
/* Return a warning of the result (tombstones, replication), NULL after the
 * last. */
const char *cql_result_warning(const struct cql_result *r, uint32_t i);
/* Return the number of the table that a SELECT reads. */
uint32_t cql_result_table(const struct cql_result *r);
/* True for SELECT JSON: the one column is text already in JSON form. */
bool cql_result_is_json(const struct cql_result *r);
void cql_result_free(struct cql_result *r);
/* Return what the last statement read, complete when its rows are. */
void cql_session_trace(const struct cql_session *c, struct cql_trace *trace);
#endif
