/* The three steps of INSERT, UPDATE and DELETE: prepare, plan, apply. */
#ifndef STORE_CQL_MODIFY_PREPARE_H
#define STORE_CQL_MODIFY_PREPARE_H
#include "store/cql/modify/modify.h"

/* COMPACT STORAGE without clustering columns has a hidden one, and its columns
 * are static below. NULL: of any other table. */
const struct column *hidden_clustering(const struct table *t);
/* It sets or deletes the column, or part of it. */
void modification_touches(struct modification *m, const struct column *c);
/* True if it reads what it changes. */
bool modification_reads(const struct modification *m);
const struct table_name *modification_table(const struct statement *s);
int modification_prepare(struct execution *x, struct modification *m,
			 const struct statement *s);
/* What is looked at once all statements are prepared. */
int modification_validate(struct execution *x, const struct modification *m);
/* Of a statement by itself: its partitions, then its rows. */
int modification_plan(struct execution *x, struct modification *m);
int modification_plan_keys(struct execution *x, struct modification *m);
/* Conditions want a partition: not given by IN, the key is one or, beside a
 * restriction of its token, none. And one row of it each. */
int modification_check_key(struct execution *x, const struct modification *m);
int modification_check_rows(struct execution *x, const struct modification *m);
/* timestamp_us: of all that has no USING TIMESTAMP. Conditions are bound
 * apart. */
int modification_plan_rows(struct execution *x, struct modification *m,
			   int64_t timestamp_us);
int modification_apply(struct execution *x, struct modification *m,
		       struct write *w);
#endif
