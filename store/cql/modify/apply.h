/*
 * INSERT, UPDATE and DELETE, the third step: a planned statement becomes changes
 * of a write, which the caller has begun and commits.
 */
#ifndef STORE_CQL_MODIFY_APPLY_H
#define STORE_CQL_MODIFY_APPLY_H
#include "store/cql/modify/modify.h"

/* True if the statement reads stored rows before it writes. */
bool modification_reads(const struct modification *m);
/* Add the changes of a planned statement to w. 0, what refuse() returns, or
 * -errno. */
int modification_apply(struct execution *x, struct modification *m,
		       struct write *w);
/* Commit w; conditional: return only when it is on disk, as the answer says
 * that the condition held. 0, what refuse() returns, or -errno. */
int modification_commit(struct execution *x, struct write *w, bool conditional);
#endif
