/* The three steps of INSERT, UPDATE and DELETE: prepare, plan, apply. */
#ifndef STORE_CQL_MODIFY_PREPARE_H
#define STORE_CQL_MODIFY_PREPARE_H
#include "store/cql/modify/modify.h"

/* Return the hidden clustering column of COMPACT STORAGE without clustering
 * columns, whose columns are stored as statics. NULL: of any other table. */
const struct column *modification_hidden_clustering(const struct table *t);
/* Note that it sets or deletes the column, or part of it. */
void modification_touches(struct modification *m, const struct column *c);
/* True if it reads what it changes. */
bool modification_reads(const struct modification *m);
const struct table_name *modification_table(const struct statement *s);
int modification_prepare(struct execution *x, struct modification *m,
			 const struct statement *s);
/* Check what is known when all statements are prepared. */
int modification_validate(struct execution *x, const struct modification *m);
/* Plan a statement by itself: its partitions, then its rows. */
int modification_plan(struct execution *x, struct modification *m);
int modification_plan_keys(struct execution *x, struct modification *m);
/* Check the key of a conditional statement: a partition not given by IN, with
 * one key or, beside a restriction of its token, none; and one row of it. */
int modification_check_key(struct execution *x, const struct modification *m);
int modification_check_rows(struct execution *x, const struct modification *m);
/* Plan the rows. timestamp_us: for all that has no USING TIMESTAMP. Conditions
 * are bound apart. */
int modification_plan_rows(struct execution *x, struct modification *m,
			   int64_t timestamp_us);
int modification_apply(struct execution *x, struct modification *m,
		       struct write *w);
#endif
