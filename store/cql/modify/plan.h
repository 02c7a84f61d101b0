/*
 * INSERT, UPDATE and DELETE, the second step: the values of a prepared statement
 * become the partitions, rows and ranges that it changes, its timestamp and its
 * TTL. Errors: what refuse() returns, or -errno.
 */
#ifndef STORE_CQL_MODIFY_PLAN_H
#define STORE_CQL_MODIFY_PLAN_H
#include "store/cql/modify/modify.h"

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
/* Set and check the TTL: a conditional statement's once its condition holds. */
int modification_plan_ttl(struct execution *x, struct modification *m);
#endif
