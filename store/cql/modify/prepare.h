/*
 * INSERT, UPDATE and DELETE, the first of three steps (plan.h, apply.h): names
 * are resolved and terms get their types. Memory is of the execution's
 * arena. Errors: what refuse() returns, or -ENOMEM.
 */
#ifndef STORE_CQL_MODIFY_PREPARE_H
#define STORE_CQL_MODIFY_PREPARE_H
#include "store/cql/modify/modify.h"

/* Return the hidden clustering column of COMPACT STORAGE without clustering
 * columns, whose columns are stored as statics. NULL: of any other table. */
const struct column *modification_hidden_clustering(const struct table *t);
/* Note that m sets or deletes the column, or a part of it. */
void modification_touches(struct modification *m, const struct column *c);
/* Return the name of the table that an INSERT, UPDATE or DELETE changes. */
const struct table_name *modification_table(const struct statement *s);
/* Prepare the statement s as *m. */
int modification_prepare(struct execution *x, struct modification *m,
			 const struct statement *s);
/* Check USING of a counter table; in a batch, once all its statements are
 * prepared. */
int modification_validate(struct execution *x, const struct modification *m);
#endif
