/*
 * INSERT, UPDATE and DELETE, the second step: the values of a prepared statement
 * become the partitions, rows and ranges that it changes, its timestamp and its
 * TTL. Errors: what refuse() returns, or -errno.
 */
#ifndef STORE_CQL_MODIFY_PLAN_H
#define STORE_CQL_MODIFY_PLAN_H
#include "store/cql/modify/modify.h"

/* Plan a statement outside a batch: its partitions, then its rows; then bind
 * the calls in its conditions. */
int modification_plan(struct execution *x, struct modification *m);
/* Plan the partitions: set m->keys. */
int modification_plan_keys(struct execution *x, struct modification *m);
/* Refuse a conditional statement without a partition: a restriction of the
 * token leaves out its key. */
int modification_check_key(struct execution *x, const struct modification *m);
/* Refuse IN on the clustering columns of a conditional statement. */
int modification_check_rows(struct execution *x, const struct modification *m);
/* Plan the rows or ranges, the timestamp, and the TTL unless the statement is
 * conditional. timestamp_us: for a statement without USING TIMESTAMP. */
int modification_plan_rows(struct execution *x, struct modification *m,
			   int64_t timestamp_us);
/* Set and check the TTL: a conditional statement's once its condition holds. */
int modification_plan_ttl(struct execution *x, struct modification *m);
#endif
