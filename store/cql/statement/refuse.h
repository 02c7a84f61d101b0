/*
 * Refuses a statement, turns errors of types and of the store into its own,
 * warns.
 */
#ifndef STORE_CQL_STATEMENT_REFUSE_H
#define STORE_CQL_STATEMENT_REFUSE_H
#include "store/cql/statement/statement.h"

/* Refuse the statement: returns -EINVAL, with the error set (unless quiet), or
 * -ENOMEM. */
int refuse(struct execution *x, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same with a code: AlreadyExists is -EEXIST, Unauthorized -EACCES. */
int refuse_as(struct execution *x, enum cql_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Refuse markers that were met: after all other checks of a statement. */
int refuse_markers(struct execution *x);
/* Set the place of the error, if it has none yet; returns err. */
int refuse_at(struct execution *x, struct span span, int err);
/* Turn a type's error into the statement's. err -EINVAL uses its text. */
int refuse_type_error(struct execution *x, int err,
		      const struct type_error *error);
/* Add a warning to the result, cut at 511 bytes; without memory there is none. */
void statement_warn(struct execution *x, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Turn an error of the store (-EIO and so on) into one with a message. */
int refuse_store_failure(struct execution *x, int err);
/* The same for an error of commit_write. */
int refuse_write_failure(struct execution *x, const struct write *w, int err);
#endif
