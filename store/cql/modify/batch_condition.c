/*
 * Conditional batches: collect the rows that their conditions are about, and
 * refuse conditions that may not be combined. conditional.c checks them.
 */
#include "store/cql/modify/batch_condition.h"
#include "store/cql/modify/batch_rows.h"
#include "store/cql/modify/condition.h"
#include "store/cql/modify/plan.h"
#include "store/cql/statement/refuse.h"

/* Check the conditions of one row. */
static int check_mixed(struct execution *x, const struct modification *a,
		       const struct modification *b)
{
	bool simple_a = a->exists || a->not_exists;
	bool simple_b = b->exists || b->not_exists;

	if (a->exists == b->exists && a->not_exists == b->not_exists)
		return 0;
	if (simple_a && simple_b)
		return refuse(x, "Cannot mix IF EXISTS and IF NOT EXISTS "
				 "conditions for the same row");
	/* Before other conditions of either kind the message is this. */
	return refuse(x, "Cannot mix IF conditions and %s for the same row",
		      simple_b && b->exists ? "IF EXISTS" : "IF NOT EXISTS");
}

/* Plan a conditional batch: all statements are about one partition, each about
 * one row. */
static int plan_conditional(struct execution *x, struct batch_state *b,
			    struct modification *m)
{
	int err = modification_plan_keys(x, m);

	if (err)
		return err;
	if (where_partition_is_in(&m->where))
		return refuse(x, "Batch with conditions cannot span multiple "
				 "partitions (you cannot use IN on the "
				 "partition key)");
	err = modification_check_key(x, m);
	if (!err && !bytes_equal(m->keys[0], b->items[0].keys[0]))
		return refuse(x, "Batch with conditions cannot span multiple "
				 "partitions");
	if (!err)
		err = modification_check_rows(x, m);
	if (!err)
		err = modification_plan_rows(x, m, b->timestamp_us);
	/*
	 * All statements have the timestamp of the decision, whatever USING
	 * says; deleted ranges have an earlier one, so that other changes of
	 * the batch win.
	 */
	m->timestamp_us = b->timestamp_us - m->ranges;
	m->has_timestamp = false;
	return err;
}

/* The rows with conditions so far; the values are the first statements with
 * them. */
struct asked {
	struct hash rows;
	const struct modification *statics;	/* NULL: it has no condition */
};

/* Check that all conditions of a row, or of the statics, are of the kind of its
 * first; then bind the calls in them, which may fail. */
static int plan_conditions(struct execution *x, struct modification *m,
			   struct asked *asked)
{
	struct hash_place *row = NULL;
	int err = 0;

	if (condition_asks_row(m))
		err = batch_rows_find(&row, &asked->rows, x->arena, m);
	if (!err && row && !row->value)
		row->value = m;
	if (!err && row)
		err = check_mixed(x, row->value, m);
	if (!err)
		err = conditions_bind(x, m, false);
	if (err || !condition_asks_statics(m))
		return err;
	if (!asked->statics)
		asked->statics = m;
	err = check_mixed(x, asked->statics, m);
	return err ? err : conditions_bind(x, m, true);
}

int batch_plan_conditional(struct execution *x, struct batch_state *b)
{
	struct asked asked = { .statics = NULL };
	int err = 0;

	for (uint32_t i = 0; i < b->count && !err; i++) {
		err = plan_conditional(x, b, &b->items[i]);
		if (!err)
			err = plan_conditions(x, &b->items[i], &asked);
	}
	return err;
}
