/*
 * Compare CQL with the bare calls of store/table/table.h: the same point
 * statements by both, in one run, on one store.
 */
#include "tools/bench/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/cql/cql.h"
#include "store/cql/syntax/statement_end.h"
#include "store/store.h"
#include "store/table/present.h"
#include "store/table/table.h"

struct bench_place {
	struct bench *b;
	struct store *store;
	struct cql_session *session;
	struct schema *schema;
	const struct table *table;
	const struct column *column;
	double insert_us, select_us;	/* of the bare calls */
};

static int execute(struct bench_place *p, struct bytes statement, long *rows)
{
	struct cql_result *result;
	const struct bytes *values;
	int err = cql_execute(p->session, statement, &result);

	if (err) {
		fprintf(stderr, "widefsctl: bench: %s\n",
			cql_session_error(p->session)->message);
		return err;
	}
	while ((err = cql_result_next(result, &values)) > 0)
		++*rows;
	cql_result_free(result);
	return err;
}

static int open_place(struct bench_place *p, struct bench *b)
{
	static const char *const statements[] = {
		"CREATE KEYSPACE bench WITH replication = {'class': "
		"'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE bench.t (k text PRIMARY KEY, v text)",
	};
	struct store_options options;
	pid_t owner;
	bool created;
	long rows = 0;
	size_t i;
	int err;

	*p = (struct bench_place){ .b = b };
	store_options_init(&options);
	options.create = true;
	options.commit_s = 1;
	err = store_open(&p->store, b->path, &options, &owner, &created);
	if (!err)
		err = cql_session_new(&p->session, p->store);
	for (i = 0; i < 2 && !err; i++)
		err = execute(p, bytes_str(statements[i]), &rows);
	if (err)
		return err;
	p->schema = store_schema(p->store);
	p->table = schema_table(p->schema, bytes_str("bench"), bytes_str("t"));
	if (!p->table)
		return -EUCLEAN;
	p->column = &p->table->columns[table_column(p->table, bytes_str("v"))];
	return 0;
}

static int close_place(struct bench_place *p, int err)
{
	int closed = 0;

	if (p->schema)
		schema_put(p->schema);
	cql_session_free(p->session);
	if (p->store)
		closed = store_close(p->store);
	return err ? err : closed;
}

/* Make a text of letters, so that it is a value and a constant of CQL as it
 * is. */
static struct bytes make_value(struct bench_place *p, char *to, size_t room)
{
	size_t len = p->b->value_len < room ? p->b->value_len : room, i;

	for (i = 0; i < len; i++)
		to[i] = (char)('a' + bench_random(p->b) % 16);
	return bytes_of(to, len);
}

static struct bytes key_of(char *to, size_t room, long id)
{
	return bytes_of(to, (size_t)snprintf(to, room, "%016ld", id));
}

static int insert_bare(struct bench_place *p, long n)
{
	double begin = bench_now_s();
	char key[32], value[1024];
	struct write w;
	int err = 0;
	long i;

	write_init(&w, p->store);
	for (i = 0; i < n && !err; i++) {
		struct partition_ref ref = { p->table,
					     key_of(key, sizeof(key), i) };
		int64_t now;

		write_lock(&w, &ref, 1);
		now = store_timestamp(p->store);
		write_row(&w, p->table, ref.key, &BYTES_EMPTY);
		write_marker(&w, now, 0);
		write_cell(&w, p->column, BYTES_NULL,
			   make_value(p, value, sizeof(value)), now, 0);
		err = commit_write(&w);
	}
	write_release(&w);
	p->insert_us = (bench_now_s() - begin) * 1e6 / (double)n;
	bench_tell(p->b, "table-insert", p->insert_us, "us");
	return err;
}

static int select_bare(struct bench_place *p, long n)
{
	double begin = bench_now_s();
	struct arena arena = ARENA_INIT;
	struct row_view row;
	char key[32];
	int got = 1;
	long i;

	for (i = 0; i < n && got > 0; i++) {
		long id = (long)(bench_random(p->b) % (uint64_t)n);

		got = table_read(p->store, p->table,
				 key_of(key, sizeof(key), id), &BYTES_EMPTY,
				 UINT64_MAX, 0, &arena, &row);
		arena_clear(&arena);
	}
	arena_release(&arena);
	p->select_us = (bench_now_s() - begin) * 1e6 / (double)n;
	bench_tell(p->b, "table-select", p->select_us, "us");
	return got > 0 ? 0 : got < 0 ? got : -EUCLEAN;
}

static int insert_cql(struct bench_place *p, long n)
{
	double begin = bench_now_s(), us;
	char statement[1400], value[1024];
	long rows = 0, i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		struct bytes v = make_value(p, value, sizeof(value));
		int len = snprintf(statement, sizeof(statement),
				   "INSERT INTO bench.t (k, v) VALUES "
				   "('%016ld', '%.*s')", i, (int)v.len,
				   (const char *)v.ptr);

		err = execute(p, bytes_of(statement, (size_t)len), &rows);
	}
	us = (bench_now_s() - begin) * 1e6 / (double)n;
	bench_tell(p->b, "cql-insert", us, "us");
	bench_tell(p->b, "cql-insert-difference", us - p->insert_us, "us");
	return err;
}

static int select_cql(struct bench_place *p, long n)
{
	double begin = bench_now_s(), us;
	char statement[128];
	long rows = 0, i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		long id = (long)(bench_random(p->b) % (uint64_t)n);
		int len = snprintf(statement, sizeof(statement),
				   "SELECT v FROM bench.t WHERE k = '%016ld'",
				   id);

		err = execute(p, bytes_of(statement, (size_t)len), &rows);
	}
	us = (bench_now_s() - begin) * 1e6 / (double)n;
	bench_tell(p->b, "cql-select", us, "us");
	bench_tell(p->b, "cql-select-difference", us - p->select_us, "us");
	return err ? err : rows == n ? 0 : -EUCLEAN;
}

static int run_table(struct bench *b)
{
	long n = b->records < 200000 ? b->records : 200000;
	struct bench_place p;
	int err = open_place(&p, b);

	if (!err)
		err = insert_bare(&p, n);
	if (!err)
		err = select_bare(&p, n);
	if (!err)
		err = insert_cql(&p, n);
	if (!err)
		err = select_cql(&p, n);
	return close_place(&p, err);
}

static int run_script(struct bench *b)
{
	struct buf script = BUF_INIT;
	struct bytes text, statement;
	struct cql_split split;
	struct bench_place p;
	char value[1024];
	size_t used;
	double begin;
	long rows = 0, i;
	int err = open_place(&p, b);

	for (i = 0; i < 100000; i++) {
		struct bytes v = make_value(&p, value, sizeof(value));

		buf_add_format(&script, "INSERT INTO bench.t (k, v) VALUES "
			       "('%016ld', '%.*s');\n", i, (int)v.len,
			       (const char *)v.ptr);
	}
	if (script.failed)
		err = -ENOMEM;
	text = buf_bytes(&script);
	begin = bench_now_s();
	cql_split_init(&split);
	while (!err && cql_split_next(&split, text, true, &statement, &used)) {
		if (statement.len)
			err = execute(&p, statement, &rows);
		text = bytes_of(text.ptr + used, text.len - used);
		cql_split_init(&split);
	}
	bench_tell(b, "cql-script", bench_now_s() - begin, "s");
	buf_release(&script);
	return close_place(&p, err);
}

const struct bench_group bench_table_groups[BENCH_TABLE_GROUPS] = {
	{ "table-insert table-select cql-insert cql-insert-difference cql-select "
	  "cql-select-difference ", run_table },
	{ "cql-script ", run_script },
};
