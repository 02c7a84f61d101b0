/*
 * BATCH: every statement is prepared, planned and applied into one write, which
 * the engine takes whole or not at all.
 */
#include <errno.h>
#include <string.h>

#include "store/cql/modify.h"

#define WARN_SIZE 5120
#define FAIL_SIZE 51200
#define WARN_PARTITIONS 10

struct batch_state {
	const struct batch_statement *batch;
	struct modification *items;
	uint32_t count;
	bool conditional, reads;
	int64_t timestamp_us;
	struct partition_ref *refs;
	size_t ref_count;
	struct condition_row *rows;	/* conditional: by statement */
};

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

/* Before any table is looked for, all have to have a keyspace. */
static int check_keyspaces(struct execution *x, const struct batch_state *b)
{
	const struct table_name *name;

	for (uint32_t i = 0; i < b->count && !x->session->keyspace; i++) {
		name = modification_table(b->batch->statements[i]);
		if (!identifier_is_given(&name->keyspace))
			return refuse_without_keyspace(x);
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
		b->timestamp_us = statement_timestamp(x);
	else if (b->timestamp_us == INT64_MIN)
		return refuse(x, "Out of bound timestamp, must be in [%lld, "
				 "%lld]", (long long)INT64_MIN + 1,
			      (long long)INT64_MAX);
	return 0;
}

/* Partitions of all statements, none twice. */
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
			/* Of many partitions a few may stand twice. */
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
 * The values of statement i are refused. Those before it would have been run
 * first: if one of them has a fault that shows only then, that is told.
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

static bool same_row(const struct modification *a, const struct modification *b)
{
	const struct table *t = a->table;

	if (a->only_statics != b->only_statics)
		return false;
	if (a->only_statics || !t->clustering_count)
		return true;
	if (!a->row_count || !b->row_count)
		return false;
	for (uint32_t i = 0; i < t->clustering_count; i++)
		if (type_compare(table_clustering_column(t, i)->type,
				 a->rows[0][i], b->rows[0][i]))
			return false;
	return true;
}

static int check_mixed(struct execution *x, const struct modification *a,
		       const struct modification *b)
{
	bool simple_a = a->exists || a->not_exists;
	bool simple_b = b->exists || b->not_exists;

	if (!modification_is_conditional(a) ||
	    !modification_is_conditional(b) || !same_row(a, b))
		return 0;
	if (a->exists == b->exists && a->not_exists == b->not_exists)
		return 0;
	if (simple_a && simple_b)
		return refuse(x, "Cannot mix IF EXISTS and IF NOT EXISTS "
				 "conditions for the same row");
	/* Before other conditions both kinds are told so. */
	return refuse(x, "Cannot mix IF conditions and %s for the same row",
		      simple_b && b->exists ? "IF EXISTS" : "IF NOT EXISTS");
}

/* Of a conditional batch: all is about one partition, each about one row. */
static int plan_conditional(struct execution *x, struct batch_state *b,
			    struct modification *m)
{
	int err = modification_plan_keys(x, m);

	if (err)
		return err;
	if (partition_is_in(&m->where))
		return refuse(x, "Batch with conditions cannot span multiple "
				 "partitions (you cannot use IN on the "
				 "partition key)");
	if (!bytes_equal(m->keys[0], b->items[0].keys[0]))
		return refuse(x, "Batch with conditions cannot span multiple "
				 "partitions");
	err = modification_check_rows(x, m);
	if (!err)
		err = modification_plan_rows(x, m, b->timestamp_us);
	/*
	 * All has the one time of the decision, whatever was asked for; what
	 * else is in the batch outlives its ranges.
	 */
	m->timestamp_us = b->timestamp_us - m->ranges;
	m->has_timestamp = false;
	return err;
}

static int plan(struct execution *x, struct batch_state *b)
{
	int err = plan_timestamp(x, b);

	for (uint32_t i = 0; i < b->count && !err && !b->conditional; i++)
		err = modification_plan_keys(x, &b->items[i]);
	for (uint32_t i = 0; i < b->count && !err; i++) {
		struct modification *m = &b->items[i];

		if (b->conditional) {
			err = plan_conditional(x, b, m);
			for (uint32_t j = 0; j < i && !err; j++)
				err = check_mixed(x, &b->items[j], m);
		} else {
			x->quiet++;
			err = modification_plan_rows(x, m, b->timestamp_us);
			x->quiet--;
			if (err == -EINVAL)
				return refuse_in_turn(x, b, i);
		}
		b->reads = b->reads || modification_reads(m);
	}
	return err ? err : add_partitions(x, b);
}

/* ------------------------------------------------------------ conditional */
static int check_conditions(struct execution *x, struct batch_state *b,
			    bool *applies)
{
	int err = 0;

	*applies = true;
	b->rows = arena_zalloc(x->arena, b->count, sizeof(*b->rows));
	if (!b->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->count && !err; i++) {
		if (!modification_is_conditional(&b->items[i]))
			continue;
		err = condition_check(x, &b->items[i], &b->rows[i],
				      !*applies);
		*applies = *applies && b->rows[i].applies;
	}
	return err;
}

/* The columns behind [applied]: all, or the key and those of conditions. */
static uint32_t refused_columns(const struct batch_state *b,
				const struct column **columns, bool all)
{
	const struct table *t = b->items[0].table;
	uint32_t keys = t->partition_key_count + t->clustering_count;
	uint32_t visible = keys + t->static_count + t->regular_count;
	uint32_t count, seen;

	for (count = 0; count < (all ? visible : keys); count++)
		columns[count] = &t->columns[count];
	for (uint32_t i = 0; !all && i < b->count; i++) {
		for (int pass = 0; pass < 2; pass++) {
			const struct modification *m = &b->items[i];

			for (uint32_t n = 0; n < m->condition_count; n++) {
				const struct column *c =
					m->conditions[n].column;

				if ((c->kind == COLUMN_STATIC) != pass)
					continue;
				for (seen = 0; seen < count &&
					       columns[seen] != c;)
					seen++;
				if (seen == count)
					columns[count++] = c;
			}
		}
	}
	return count;
}

static int refused_row(struct execution *x, struct batch_state *b, uint32_t i,
		       const struct column **columns, uint32_t count, bool all,
		       struct bytes *values)
{
	values[0] = bytes_of("\0", 1);
	for (uint32_t c = 0; c < count; c++) {
		int err = condition_values(x, &b->items[i], &b->rows[i],
					   columns[c], all, &values[c + 1]);

		if (err)
			return err;
	}
	return 0;
}

/* Was statement i's row read and found, and by none before it? */
static bool found_row(const struct batch_state *b, uint32_t i)
{
	const struct modification *m = &b->items[i];

	if (!condition_asks_row(m) || !b->rows[i].row_exists)
		return false;
	for (uint32_t j = 0; j < i; j++)
		if (condition_asks_row(&b->items[j]) &&
		    same_row(&b->items[j], m))
			return false;
	return true;
}

/*
 * Without such a row the first statement that has statics to show does. Asked
 * about rows too, the read did not look for a first row of the partition.
 */
static bool shows_statics(struct batch_state *b, uint32_t i)
{
	bool all;

	if (!modification_is_conditional(&b->items[i]) ||
	    (b->items[i].not_exists && b->rows[i].applies) ||
	    !condition_shows(&b->items[i], &b->rows[i], &all))
		return false;
	for (uint32_t j = 0; j < b->count; j++) {
		if (!condition_asks_row(&b->items[j]))
			continue;
		b->rows[i].first_clustering = NULL;
		return b->rows[i].static_exists;
	}
	return true;
}

/* The statements whose rows are shown, in the order of the rows. */
static uint32_t shown_statements(struct batch_state *b, uint32_t *shown)
{
	const struct table *t = b->items[0].table;
	uint32_t count = 0, at, i;

	for (i = 0; i < b->count; i++) {
		if (!found_row(b, i))
			continue;
		for (at = count++; at && t->clustering_count; at--) {
			if (compare_clusterings(t, b->items[i].rows[0],
						b->items[shown[at - 1]]
							.rows[0]) >= 0)
				break;
			shown[at] = shown[at - 1];
		}
		shown[at] = i;
	}
	for (i = 0; !count && i < b->count; i++)
		if (shows_statics(b, i))
			shown[count++] = i;
	return count;
}

static int refused_rows(struct execution *x, struct batch_state *b,
			const struct column **columns, uint32_t count, bool all,
			struct bytes **rows, uint32_t *given)
{
	uint32_t *shown = arena_alloc(x->arena, (b->count + 1) *
						sizeof(*shown));
	int err = 0;

	if (!shown)
		return -ENOMEM;
	*given = shown_statements(b, shown);
	for (uint32_t i = 0; i < *given && !err; i++) {
		rows[i] = arena_zalloc(x->arena, count + 1, sizeof(**rows));
		err = rows[i] ? refused_row(x, b, shown[i], columns, count,
					    all, rows[i]) : -ENOMEM;
	}
	return err;
}

static int batch_refused(struct cql_result *r, struct batch_state *b)
{
	struct execution *x = &r->execution;
	const struct table *t = b->items[0].table;
	const struct column **columns;
	struct bytes **rows;
	uint32_t count, given = 0, i;
	bool all = false, statics = false;
	int err;

	for (i = 0; i < b->count; i++) {
		const struct modification *m = &b->items[i];

		all = all || m->exists || m->not_exists;
		statics = statics || condition_asks_statics(m) ||
			  (modification_is_conditional(m) && m->sets_static);
	}
	for (i = 0; i < b->count; i++)
		b->items[i].sets_static = statics;
	columns = arena_zalloc(x->arena, t->column_count, sizeof(*columns));
	rows = arena_zalloc(x->arena, b->count + 1, sizeof(*rows));
	if (!columns || !rows)
		return -ENOMEM;
	count = refused_columns(b, columns, all);
	err = refused_rows(x, b, columns, count, all, rows, &given);
	if (err)
		return err;
	if (!given) {
		count = 0;
		rows[given] = arena_zalloc(x->arena, 1, sizeof(**rows));
		if (!rows[given])
			return -ENOMEM;
		rows[given++][0] = bytes_of("\0", 1);
	}
	if (!result_columns(r, count + 1))
		return -ENOMEM;
	r->columns[0].name = bytes_str("[applied]");
	r->columns[0].type = type_native(TYPE_BOOLEAN);
	for (i = 0; i < count; i++) {
		r->columns[i + 1].name = bytes_str(columns[i]->name);
		r->columns[i + 1].type = columns[i]->type;
	}
	return result_rows(r, rows, given);
}

/* ----------------------------------------------------------------- running */
/* Batches over several partitions are to be small. */
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
		warn(x, "Batch for [%s.%s] is of size %zu, exceeding specified "
			"threshold of %d by %zu.", t->keyspace, t->name, size,
		     WARN_SIZE, size - WARN_SIZE);
	if (b->batch->kind == BATCH_UNLOGGED && b->ref_count > WARN_PARTITIONS)
		warn(x, "Unlogged batch covering %zu partitions detected "
			"against table [%s.%s]. You should use a logged batch "
			"for atomicity, or asynchronous writes for "
			"performance.", b->ref_count, t->keyspace, t->name);
	return 0;
}

static int run(struct cql_result *r, struct batch_state *b)
{
	struct execution *x = &r->execution;
	struct write *w = &x->session->write;
	bool applies = true;
	int err = 0;

	if (b->conditional) {
		err = check_conditions(x, b, &applies);
		if (!err)
			err = applies ? result_applied(r) : batch_refused(r, b);
	}
	if (err || !applies)
		return err;
	for (uint32_t i = 0; i < b->count && !err; i++)
		err = modification_apply(x, &b->items[i], w);
	if (!err)
		err = check_size(x, b, w);
	if (err) {
		write_clear(w);
		return err;
	}
	err = table_write(w);
	if (!err && b->conditional)
		err = store_sync_to(x->store, store_position(x->store));
	return store_failure(x, err);
}

/* Under the lock: what is read must be older than what is written. */
static void stamp_again(struct execution *x, struct batch_state *b)
{
	int64_t later;

	x->timestamp_us = 0;
	later = statement_timestamp(x) - b->timestamp_us;
	b->timestamp_us += later;
	for (uint32_t i = 0; i < b->count; i++)
		if (!b->items[i].has_timestamp)
			b->items[i].timestamp_us += later;
}

int execute_batch(struct cql_result *r, const struct batch_statement *batch)
{
	struct execution *x = &r->execution;
	struct batch_state b = { .batch = batch };
	struct store_lock lock;
	int err = prepare(x, &b);

	if (!err)
		err = plan(x, &b);
	if (err || !b.count)
		return err;
	if (!b.reads)
		return run(r, &b);
	store_lock(x->store, &lock, b.refs, b.ref_count);
	if (!b.batch->using.timestamp)
		stamp_again(x, &b);
	err = run(r, &b);
	store_unlock(x->store, &lock);
	return err;
}
