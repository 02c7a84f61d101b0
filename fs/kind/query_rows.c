#include "fs/kind/query_rows.h"

#include <errno.h>

#include "fs/kind/schema.h"
#include "fs/node/call.h"
#include "fs/op/op.h"
#include "fs/query/query_match.h"
#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "store/table/present.h"
#include "store/type/type.h"

struct query_rows {
	const struct place *place;
	struct cql_session *session;
	struct cql_result *result;
	struct op *op;			/* of the call under way */
	uint32_t first;			/* column of the key in the result */
	bool whole;
	uint32_t columns;		/* of the result: how many */
	bool limited;
	uint64_t left;			/* if limited */
	struct buf key;			/* of the row's partition */
	struct bytes *clustering;	/* room for all */
	struct buf text;		/* of the SELECT */
	struct buf before, after;	/* its parts around the table */
	/* The result begins after this row: that of @after or, while result is
	 * NULL, the row that was returned last. */
	bool begun;			/* a row was returned, */
	bool is_row;			/* not only statics */
	struct arena memory;		/* of these: */
	struct bytes after_partition;
	struct bytes *after_clustering;
};

/* The cql_may of the session: ask the rights of the present caller. */
static bool may(void *context, const struct keyspace *k, const struct table *t,
		enum cql_right right)
{
	const struct query_rows *rows = context;

	return schema_may_caller(rows->op, k, t, right);
}

/* True if the caller has been interrupted. */
static bool is_given_up(void *context)
{
	const struct query_rows *rows = context;
	const struct fs_call *call = rows->op->call;

	return call && call->interrupted && call->interrupted(call->context);
}

/* Turn the session's error into the op's: returns the errno. may_scan: @scan is
 * not given. */
static int refuse(struct op *op, const struct cql_session *session, int err,
		  bool may_scan)
{
	const struct cql_error *error = cql_session_error(session);

	if (err == -EINVAL && may_scan && cql_error_needs_index(error))
		return op_refuse(op, -EOPNOTSUPP, "%s (here: @scan)",
				 error->message);
	if (cql_error_is_set(error))
		op_refuse(op, err, "%s", error->message);
	return err;
}

/* Count the columns of the query's rows. */
static uint32_t wanted_columns(const struct row_query *q)
{
	const struct table *t = q->place.table;
	uint32_t i, count = 0;

	for (i = 0; i < t->column_count; i++)
		count += !t->columns[i].hidden && (!q->wanted || q->wanted[i]);
	return count;
}

/* -ESTALE if the table or the columns are no longer those that the query has: in
 * the order of the table's, from `first` on. */
static int check_columns(const struct query_rows *rows)
{
	const struct table *t = rows->place->table;
	const struct cql_column *columns = cql_result_columns(rows->result);
	uint32_t i, found = 0;

	if (cql_result_table(rows->result) != t->number ||
	    cql_result_column_count(rows->result) != rows->columns)
		return -ESTALE;
	for (i = rows->first; i < t->column_count && found < rows->columns; i++)
		if (bytes_equal(columns[found].name,
				bytes_str(t->columns[i].name)) &&
		    type_equal(columns[found].type, t->columns[i].type))
			found++;
	return found == rows->columns ? 0 : -ESTALE;
}

/* Print the SELECT, with the name that the table has now. (The op's schema is
 * that of the open directory.) */
static int print(struct op *op, struct query_rows *rows)
{
	struct schema *now = store_schema(op->store);
	const struct table *t = rows->place->table;

	if (!(t->flags & TABLE_VIRTUAL))
		t = schema_table_by_number(now, t->number);
	buf_clear(&rows->text);
	buf_add_bytes(&rows->text, buf_bytes(&rows->before));
	if (t)
		row_query_print_table(&rows->text, t);
	buf_add_bytes(&rows->text, buf_bytes(&rows->after));
	schema_put(now);
	return !t ? -ESTALE : rows->before.failed || rows->after.failed ||
				      rows->text.failed ? -ENOMEM : 0;
}

static int run(struct op *op, struct query_rows *rows, bool scan)
{
	int err = print(op, rows);

	if (err)
		return err;
	err = cql_execute_after(rows->session, buf_bytes(&rows->text),
				rows->after_partition, rows->after_clustering,
				&rows->result);
	if (err)
		return refuse(op, rows->session, err, !scan);
	err = check_columns(rows);
	if (err) {
		cql_result_free(rows->result);
		rows->result = NULL;
	}
	return err;
}

/* Begin after the row of this key. */
static int set_after(struct query_rows *rows, struct bytes partition_key,
		     const struct bytes *clustering)
{
	uint32_t i, count = rows->place->table->clustering_count;
	struct arena memory = ARENA_INIT;
	struct bytes *copy = NULL;
	struct bytes key = arena_copy(&memory, partition_key);

	if (count && clustering)
		copy = arena_alloc(&memory, count * sizeof(*copy));
	for (i = 0; copy && i < count; i++)
		copy[i] = arena_copy(&memory, clustering[i]);
	if (memory.failed) {
		arena_release(&memory);
		return -ENOMEM;
	}
	arena_release(&rows->memory);
	rows->memory = memory;
	rows->after_partition = key;
	rows->after_clustering = copy;
	return 0;
}

int query_rows_open(struct op *op, const struct row_query *q,
		    const struct place *p, bool whole,
		    struct query_rows **out)
{
	struct query_rows *rows = mem_zalloc(1, sizeof(*rows));
	uint32_t i;
	int err;

	if (!rows)
		return -ENOMEM;
	rows->op = op;
	rows->place = p;
	rows->whole = whole;
	rows->first = whole ? 0 : entry_first_column(p);
	rows->columns = whole ? wanted_columns(q) :
				p->table->partition_key_count +
				p->table->clustering_count - rows->first;
	rows->limited = q->terms.limited;
	rows->left = q->terms.limit;
	rows->key = rows->text = rows->before = rows->after = BUF_INIT;
	rows->memory = ARENA_INIT;
	rows->clustering = mem_zalloc(p->table->clustering_count + 1,
				      sizeof(*rows->clustering));
	err = rows->clustering ? cql_session_new(&rows->session, op->store) :
				 -ENOMEM;
	for (i = 0; i < p->clustering_count && !err; i++)
		rows->clustering[i] = p->clustering[i];
	if (!err && !bytes_is_null(q->after_partition))
		err = set_after(rows, q->after_partition, q->after_clustering);
	row_query_print_columns(&rows->before, q, !whole);
	row_query_print_rest(&rows->after, q);
	if (!err) {
		cql_session_rights(rows->session, may, rows);
		cql_session_stop(rows->session, is_given_up, rows);
		err = run(op, rows, q->terms.scan);
	}
	if (err)
		query_rows_close(rows);
	else
		*out = rows;
	return err;
}

/* Set the key from the row's values. 1; 0: it is the statics of a partition
 * that has no row, or the row of a compact table without a whole key. */
static int take_key(struct query_rows *rows, const struct bytes *values,
		    struct row_key *key)
{
	const struct table *t = rows->place->table;
	uint32_t i, from = rows->place->clustering_count;
	int complete = 1;

	key->partition_key = rows->place->partition_key;
	key->clustering = rows->clustering;
	if (!rows->first) {	/* the partition's key comes first */
		buf_clear(&rows->key);
		table_partition_key(&rows->key, t, values);
		if (rows->key.failed)
			return -ENOMEM;
		key->partition_key = buf_bytes(&rows->key);
		values += t->partition_key_count;
		from = 0;
	}
	for (i = from; i < t->clustering_count; i++) {
		rows->clustering[i] = values[i - from];
		if (bytes_is_null(rows->clustering[i]))
			complete = 0;
	}
	return complete;
}

/* Pull the next row: 1, 0, -errno. */
static int pull(struct op *op, struct query_rows *rows,
		const struct bytes **values)
{
	int got = 0;

	rows->op = op;
	if (rows->limited && !rows->left)
		return 0;
	if (!rows->result)
		got = run(op, rows, true);
	if (got)
		return got;
	got = cql_result_next(rows->result, values);
	return got < 0 ? refuse(op, rows->session, got, false) : got;
}

int query_rows_next(struct op *op, struct query_rows *rows,
		    struct row_key *key)
{
	const struct bytes *values;
	int got;

	do {
		got = pull(op, rows, &values);
	} while (got > 0 && !(got = take_key(rows, values, key)));
	rows->left -= got > 0 && rows->limited;
	rows->begun = rows->is_row = got > 0;
	return got;
}

int query_rows_values(struct op *op, struct query_rows *rows,
		      const struct bytes **values)
{
	struct row_key key;
	int got = pull(op, rows, values), is_row;

	rows->begun = false;
	if (got <= 0)
		return got;
	is_row = take_key(rows, *values, &key);
	if (is_row < 0)
		return is_row;
	rows->is_row = is_row || !table_has_statics(rows->place->table);
	rows->begun = true;
	rows->left -= rows->limited;
	return 1;
}

/* Note that the result keeps a part of a moment that has passed. */
static void add_source(void *context, const void *source, uint64_t bytes)
{
	bool *any = context;

	(void)source;
	(void)bytes;
	*any = true;
}

void query_rows_rest(struct query_rows *rows)
{
	bool keeps = false;
	struct memory_use m = { .past = add_source, .context = &keeps };

	if (!rows->result)
		return;
	/* Before the rest: afterwards the row is not valid any more. */
	cql_result_memory(rows->result, &m);
	if (!keeps)
		return;
	if (rows->begun &&
	    set_after(rows, rows->first ? rows->place->partition_key :
					  buf_bytes(&rows->key),
		      rows->is_row ? rows->clustering : NULL))
		return;
	cql_result_free(rows->result);
	rows->result = NULL;
	rows->begun = false;
}

uint64_t query_rows_memory(const struct query_rows *rows)
{
	struct memory_use m = { .bytes = 0 };

	if (rows->result)
		cql_result_memory(rows->result, &m);
	return m.bytes;
}

void query_rows_close(struct query_rows *rows)
{
	if (!rows)
		return;
	cql_result_free(rows->result);
	cql_session_free(rows->session);
	arena_release(&rows->memory);
	buf_release(&rows->text);
	buf_release(&rows->before);
	buf_release(&rows->after);
	buf_release(&rows->key);
	mem_free(rows->clustering);
	mem_free(rows);
}

/* ----------------------------------------------------------------- one row */
static bool same_values(const struct bytes *a, const struct bytes *b,
			uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!bytes_equal(a[i], b[i]))
			return false;
	return true;
}

/* Read the row by a SELECT with the caller's rights: 1, 0, -errno. q: compare the
 * values that follow its key; NULL: the SELECT has. */
static int select_row(struct op *op, struct bytes text,
		      const struct row_key *key, const struct table *t,
		      const struct row_query *q)
{
	uint32_t keys = t->partition_key_count, count = t->clustering_count;
	struct cql_session *session = NULL;
	struct cql_result *result = NULL;
	const struct bytes *values;
	int got = schema_open_session(op, &session, NULL, 0755, true);

	if (!got)
		got = cql_execute(session, text, &result);
	if (!got && cql_result_column_count(result) < keys + count)
		got = -ESTALE;
	if (!got)
		got = cql_result_next(result, &values);
	if (got < 0 && session)
		refuse(op, session, got, false);
	else if (got > 0)
		got = same_values(values + keys, key->clustering, count);
	if (got > 0 && q)
		got = query_matches_values(q, values + keys + count);
	cql_result_free(result);
	cql_session_free(session);
	return got;
}

static int read_row(struct op *op, const struct table *t,
		    const struct row_key *key)
{
	struct row_view row;
	int got = table_read(op->store, t, key->partition_key,
			     key->clustering, UINT64_MAX, op->now_s,
			     &op->arena, &row);

	return got <= 0 ? got : same_values(row.clustering, key->clustering,
					    t->clustering_count);
}

int query_rows_has(struct op *op, const struct row_query *q,
		   const struct row_key *key)
{
	const struct table *t = q->place.table;
	struct bytes *values = arena_alloc(&op->arena, t->partition_key_count *
						       sizeof(*values));
	struct buf text = BUF_INIT;
	int got = values ? table_partition_values(values, t,
						  key->partition_key) :
			   -ENOMEM;

	if (got)
		return got;
	if (!query_matches_key(q, key->partition_key, values, key->clustering))
		return 0;
	/* Users do not all see the same rows of a virtual table. */
	if (row_query_print_check(&text, q, values, key->clustering, false) ||
	    (t->flags & TABLE_VIRTUAL))
		got = text.failed ? -ENOMEM :
		      select_row(op, buf_bytes(&text), key, t, q);
	else
		got = read_row(op, t, key);
	if (got == -EAGAIN) {
		buf_clear(&text);
		row_query_print_check(&text, q, values, key->clustering, true);
		got = text.failed ? -ENOMEM :
		      select_row(op, buf_bytes(&text), key, t, NULL);
	}
	buf_release(&text);
	return got;
}
