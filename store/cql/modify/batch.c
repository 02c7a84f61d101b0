/*
 * BATCH: every statement is prepared, planned and applied into one write, which
 * the engine takes whole or not at all.
 */
#include <errno.h>
#include <string.h>

#include "store/cql/modify/apply.h"
#include "store/cql/modify/batch.h"
#include "store/cql/modify/batch_condition.h"
#include "store/cql/modify/conditional.h"
#include "store/cql/modify/plan.h"
#include "store/cql/modify/prepare.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/resolve.h"
#include "store/store.h"

#define WARN_SIZE 5120
#define FAIL_SIZE 51200
#define WARN_PARTITIONS 10

static int check_counters(struct execution *x, const struct batch_state *b)
{
	bool counter = false, other = false;

	for (uint32_t i = 0; i < b->count; i++) {
		bool is_counter = b->items[i].table->flags & TABLE_COUNTER;

		counter = counter || is_counter;
		other = other || !is_counter;
	}
	if (counter && b->batch->using.timestamp)
		return refuse(x, "Cannot provide custom timestamp for a BATCH "
				 "containing counters");
	if (other && b->batch->kind == BATCH_COUNTER)
		return refuse(x, "Cannot include non-counter statement in a "
				 "counter batch");
	if (counter && other)
		return refuse(x, "Counter and non-counter mutations cannot "
				 "exist in the same batch");
	if (counter && b->batch->kind == BATCH_LOGGED)
		return refuse(x, "Cannot include a counter statement in a "
				 "logged batch");
	return 0;
}

static int check_using(struct execution *x, const struct batch_state *b)
{
	bool stamped = b->batch->using.timestamp;

	if (b->batch->using.ttl)
		return refuse(x, "Global TTL on the BATCH statement is not "
				 "supported.");
	if (stamped && b->conditional)
		return refuse(x, "Cannot provide custom timestamp for "
				 "conditional BATCH");
	if (stamped && b->batch->kind == BATCH_COUNTER)
		return refuse(x, "Cannot provide custom timestamp for counter "
				 "BATCH");
	for (uint32_t i = 0; stamped && i < b->count; i++)
		if (b->items[i].has_timestamp)
			return refuse(x, "Timestamp must be set either on "
					 "BATCH or individual statements");
	return 0;
}

/* Check that all statements have a keyspace, before any table is looked up. */
static int check_keyspaces(struct execution *x, const struct batch_state *b)
{
	const struct table_name *name;

	for (uint32_t i = 0; i < b->count && !x->session->keyspace; i++) {
		name = modification_table(b->batch->statements[i]);
		if (!identifier_is_given(&name->keyspace))
			return statement_refuse_without_keyspace(x);
	}
	return 0;
}

static int prepare(struct execution *x, struct batch_state *b)
{
	int err;

	b->count = b->batch->statement_count;
	b->items = arena_zalloc(x->arena, b->count, sizeof(*b->items));
	if (!b->items)
		return -ENOMEM;
	err = check_keyspaces(x, b);
	for (uint32_t i = 0; i < b->count && !err; i++) {
		err = modification_prepare(x, &b->items[i],
					   b->batch->statements[i]);
		if (!err && modification_is_conditional(&b->items[i]))
			b->conditional = true;
	}
	if (!err && b->batch->using.timestamp)
		err = term_integer(x, &b->timestamp_us,
				   b->batch->using.timestamp, TYPE_BIGINT,
				   "timestamp");
	if (!err)
		err = check_using(x, b);
	if (!err)
		err = check_counters(x, b);
	for (uint32_t i = 1; !err && b->conditional && i < b->count; i++)
		if (b->items[i].table != b->items[0].table)
			return refuse(x, "Batch with conditions cannot span "
					 "multiple tables");
	if (!err)
		err = refuse_markers(x);
	for (uint32_t i = 0; !err && i < b->count; i++)
		err = modification_validate(x, &b->items[i]);
	return err;
}

static int plan_timestamp(struct execution *x, struct batch_state *b)
{
	if (!b->batch->using.timestamp)
		b->timestamp_us = execution_timestamp(x);
	else if (b->timestamp_us == INT64_MIN)
		return refuse(x, "Out of bound timestamp, must be in [%lld, "
				 "%lld]", (long long)INT64_MIN + 1,
			      (long long)INT64_MAX);
	return 0;
}

/* Collect the partitions of all statements, without duplicates. */
static int add_partitions(struct execution *x, struct batch_state *b)
{
	size_t total = 0, n;

	for (uint32_t i = 0; i < b->count; i++)
		total += b->items[i].key_count;
	b->refs = arena_alloc(x->arena, (total + 1) * sizeof(*b->refs));
	if (!b->refs)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->count; i++) {
		const struct modification *m = &b->items[i];

		for (size_t k = 0; k < m->key_count; k++) {
			/* With many partitions a few may be listed twice. */
			for (n = 0; n < b->ref_count && n < 64; n++)
				if (b->refs[n].table == m->table &&
				    bytes_equal(b->refs[n].key, m->keys[k]))
					break;
			if (n == b->ref_count || n == 64)
				b->refs[b->ref_count++] =
					(struct partition_ref){ m->table,
								m->keys[k] };
		}
	}
	return 0;
}

/*
 * Refuse the values of statement i. The statements before it would have been
 * run first: if one of them has a fault that is told only then, tell that one.
 */
static int refuse_in_turn(struct execution *x, struct batch_state *b,
			  uint32_t i)
{
	struct write *w = &x->session->write;
	int err = 0;

	for (uint32_t n = 0; n < i && !err; n++)
		if (modification_reads(&b->items[n]))
			err = modification_apply(x, &b->items[n], w);
	write_clear(w);
	return err ? err : modification_plan_rows(x, &b->items[i],
						  b->timestamp_us);
}

static int plan_all(struct execution *x, struct batch_state *b)
{
	int err = 0;

	for (uint32_t i = 0; i < b->count && !err; i++)
		err = modification_plan_keys(x, &b->items[i]);
	for (uint32_t i = 0; i < b->count && !err; i++) {
		x->quiet++;
		err = modification_plan_rows(x, &b->items[i], b->timestamp_us);
		x->quiet--;
		if (err == -EINVAL)
			return refuse_in_turn(x, b, i);
	}
	return err;
}

static int plan(struct execution *x, struct batch_state *b)
{
	int err = plan_timestamp(x, b);

	if (!err)
		err = b->conditional ? batch_plan_conditional(x, b) :
				       plan_all(x, b);
	return err ? err : add_partitions(x, b);
}

/* ----------------------------------------------------------------- running */
/* Refuse large batches over several partitions, or warn of them. */
static int check_size(struct execution *x, const struct batch_state *b,
		      const struct write *w)
{
	const struct table *t = b->items[0].table;
	size_t size = w->batch.bytes.len;

	if (b->ref_count < 2)
		return 0;
	if (size > FAIL_SIZE)
		return refuse(x, "Batch too large");
	if (size > WARN_SIZE)
		statement_warn(x, "Batch for [%s.%s] is of size %zu, exceeding "
			       "specified threshold of %d by %zu.", t->keyspace,
			       t->name, size, WARN_SIZE, size - WARN_SIZE);
	if (b->batch->kind == BATCH_UNLOGGED && b->ref_count > WARN_PARTITIONS)
		statement_warn(x, "Unlogged batch covering %zu partitions "
			       "detected against table [%s.%s]. You should use "
			       "a logged batch for atomicity, or asynchronous "
			       "writes for performance.", b->ref_count,
			       t->keyspace, t->name);
	return 0;
}

static int run(struct cql_result *r, struct batch_state *b)
{
	struct execution *x = &r->execution;
	struct write *w = &x->session->write;
	bool applies = true;
	int err = 0;

	if (b->conditional)
		err = conditional_run(r, b->items, b->count, true, &applies);
	if (err || !applies)
		return err;
	for (uint32_t i = 0; i < b->count && !err; i++)
		err = modification_apply(x, &b->items[i], w);
	if (!err)
		err = check_size(x, b, w);
	return err ? err : modification_commit(x, w, b->conditional);
}

/* Under the lock: see write_lock. */
static void stamp_again(struct execution *x, struct batch_state *b)
{
	int64_t later;

	x->timestamp_us = 0;
	later = execution_timestamp(x) - b->timestamp_us;
	b->timestamp_us += later;
	for (uint32_t i = 0; i < b->count; i++)
		if (!b->items[i].has_timestamp)
			b->items[i].timestamp_us += later;
}

int batch_execute(struct cql_result *r, const struct batch_statement *batch)
{
	struct execution *x = &r->execution;
	struct batch_state b = { .batch = batch };
	int err = prepare(x, &b);

	if (!err)
		err = plan(x, &b);
	if (err || !b.count)
		return err;
	r->arena.limit = 0;
	write_lock(&x->session->write, b.refs, b.ref_count);
	if (!b.batch->using.timestamp)
		stamp_again(x, &b);
	err = run(r, &b);
	write_clear(&x->session->write);
	return err;
}
