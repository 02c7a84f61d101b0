/* Conditional batches: all applies, or nothing does and the rows are shown. */
#include <errno.h>
#include <stdlib.h>

#include "store/cql/batch.h"
#include "store/cql/batch_rows.h"

/* Of one row. */
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
	err = modification_check_key(x, m);
	if (!err && !bytes_equal(m->keys[0], b->items[0].keys[0]))
		return refuse(x, "Batch with conditions cannot span multiple "
				 "partitions");
	if (!err)
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

static bool asks_static_row(const struct modification *m)
{
	return condition_asks_statics(m) ||
	       (m->only_statics && (m->exists || m->not_exists));
}

/* The rows asked about so far; the values are the first statements to ask. */
struct asked {
	struct hash rows;
	const struct modification *statics;	/* NULL: none asks about them */
};

/* As long as nothing was refused all conditions of a row, the static one too,
 * are of the kind of its first. */
static int note_rows(struct execution *x, struct batch_state *b,
		     struct asked *asked, uint32_t i)
{
	struct modification *m = &b->items[i];
	struct hash_place *row = NULL;
	int err = 0;

	if (condition_asks_row(m))
		err = batch_rows_find(&row, &asked->rows, x->arena, m);
	if (!err && row && !row->value) {
		row->value = m;
		b->asks_first[i] = true;
	}
	if (!err && row)
		err = check_mixed(x, row->value, m);
	if (err || !asks_static_row(m))
		return err;
	if (!asked->statics)
		asked->statics = m;
	return check_mixed(x, asked->statics, m);
}

int batch_plan_conditional(struct execution *x, struct batch_state *b)
{
	struct asked asked = { .statics = NULL };
	int err = 0;

	b->asks_first = arena_zalloc(x->arena, b->count,
				     sizeof(*b->asks_first));
	if (!b->asks_first)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->count && !err; i++) {
		err = plan_conditional(x, b, &b->items[i]);
		if (!err)
			err = note_rows(x, b, &asked, i);
	}
	return err;
}

/* ----------------------------------------------------------------- refusal */
/* Does it ask about statics alone, but change more than them and partitions? */
static bool changes_unasked_rows(const struct batch_state *b)
{
	bool changes = false;

	for (uint32_t i = 0; i < b->count; i++) {
		if (b->asks_first[i])
			return false;
		changes = changes || (!b->items[i].only_statics &&
				      (b->items[i].row_count ||
				       b->items[i].slice_count));
	}
	return changes;
}

int batch_check_conditions(struct execution *x, struct batch_state *b,
			   bool *applies)
{
	bool among_rows = changes_unasked_rows(b);
	int err = 0;

	*applies = true;
	b->rows = arena_zalloc(x->arena, b->count, sizeof(*b->rows));
	if (!b->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->count && !err; i++) {
		if (!modification_is_conditional(&b->items[i]))
			continue;
		b->items[i].among_rows = among_rows;
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
	const struct column *hidden = hidden_clustering(t);
	uint32_t count, seen;

	for (count = 0; count < (all ? visible : keys); count++)
		columns[count] = &t->columns[count];
	if (hidden && !all)
		columns[count++] = hidden;
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
	const struct modification *m = &b->items[i];
	int err = 0;

	values[0] = bytes_of("\0", 1);
	for (uint32_t c = 0; c < count && !err; c++)
		/* Who asked about statics alone, and changes no more, read no
		 * more. */
		if (columns[c]->kind != COLUMN_REGULAR ||
		    condition_asks_row(m) || m->among_rows)
			err = condition_values(x, m, &b->rows[i], columns[c],
					       all, &values[c + 1]);
	return err;
}

/*
 * Where no row was found the first statement that has statics to show does so.
 * Asked about rows too, the read did not look for a first row of the partition.
 */
static bool shows_statics(struct batch_state *b, uint32_t i, bool asks_rows)
{
	bool all;

	if (!modification_is_conditional(&b->items[i]) ||
	    (b->items[i].not_exists && b->rows[i].applies) ||
	    !condition_shows(&b->items[i], &b->rows[i], &all))
		return false;
	if (!asks_rows)
		return true;
	b->rows[i].first_clustering = NULL;
	return b->rows[i].static_exists;
}

static int compare_shown(const void *a, const void *b, void *state)
{
	const struct batch_state *s = state;
	const struct modification *m = &s->items[*(const uint32_t *)a];
	const struct modification *n = &s->items[*(const uint32_t *)b];

	return compare_clusterings(m->table, m->rows[0], n->rows[0]);
}

/* The statements whose rows are shown, each row once, in the rows' order. */
static uint32_t shown_statements(struct batch_state *b, uint32_t *shown)
{
	uint32_t count = 0, i;
	bool asks_rows = false;

	for (i = 0; i < b->count; i++) {
		asks_rows = asks_rows || b->asks_first[i];
		if (b->asks_first[i] && b->rows[i].row_exists)
			shown[count++] = i;
	}
	if (count > 1)
		qsort_r(shown, count, sizeof(*shown), compare_shown, b);
	for (i = 0; !count && i < b->count; i++)
		if (shows_statics(b, i, asks_rows))
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

int batch_refused(struct cql_result *r, struct batch_state *b)
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
