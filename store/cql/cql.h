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

/* Make a session on s, which must outlive it: 0 or -ENOMEM. The caller frees
 * it, after its results. */
int cql_session_new(struct cql_session **out, struct store *s);
void cql_session_free(struct cql_session *c);	/* NULL: nothing */
/* Ask `may`, with the context, before each access; NULL: all is allowed. */
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
/*
 * Set the function that a CREATE TABLE calls, in its own thread, when a table
 * that mkdir made has the name (cql_adopt); adopt NULL: none, as at first. It
 * and the context have to stay as long as the session.
 */
void cql_session_adopt(struct cql_session *c, cql_adopt *adopt, void *context);
/*
 * While a keyspace is set (NULL: no more), statements are those of a text that
 * defines it. A CREATE, or an ADD of a column or field, whose object exists and
 * is the same, whatever the form that it is written in, succeeds and changes
 * nothing; options that are not given are not compared. One that differs is
 * refused (-EEXIST), but CREATE KEYSPACE of this keyspace sets the options as
 * long as that has no tables, and unless it is refused a CREATE TABLE of a table
 * that exists in it makes the table what the statement says, as by ALTER TABLEs
 * (several, if need be) in one change of the schema: all of it happens, or
 * nothing. What none of them can do is refused, and named. keyspace has to stay
 * until then.
 */
void cql_session_define(struct cql_session *c, const char *keyspace,
			enum cql_difference difference);
/*
 * Set the schema that such a text was written from (NULL: the present one, as at
 * first); it has to stay as long as the session. What a CREATE TABLE changes is its
 * difference to the table there: what others made of the table since then stays as
 * they made it, or the statement is refused. A table made since then loses no column.
 */
void cql_session_base(struct cql_session *c, const struct schema *base);
/* True if a CREATE TABLE, since a keyspace was last set with CQL_CHANGES_ALL_BUT_DROPS,
 * was refused for the columns that it drops, and would succeed with CQL_CHANGES. */
bool cql_session_drops(const struct cql_session *c);
/* Return the present keyspace, "" if there is none; valid until it changes. */
const char *cql_session_keyspace(const struct cql_session *c);
/* Set the present keyspace; rights are not asked. 0, -ENOENT, -ENOMEM. */
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
 * Look whether a statement can begin with text, to which more may be added; the
 * last `added` bytes of it are new since the last call. 0, or -EINVAL with
 * cql_session_error set if no continuation makes a statement of it. 0, without
 * a look, also for a long text that grows by small pieces, where the time would
 * grow with its square, and without memory.
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
 * Release the old state of the table that the rows are read from, if the store
 * has a newer one (after a flush or a compaction): it keeps memory and files in
 * use. The next row is then read from the newest state, after the key of the
 * last row; the values returned last are not valid any more. No effect on rows
 * that are read backwards or by an index, come from several partitions in
 * order, or are of groups.
 */
void cql_result_rest(struct cql_result *r);
/* Add to *m the memory that the result holds: its statement, rows and groups,
 * and that of the state of the table that its rows are read from. */
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
