/* Asks for the rows of a table and takes them apart; dump_row.c prints them. */
#include "tools/dump_table.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/arena.h"
#include "store/schema/schema.h"
#include "store/type/compound_codec.h"
#include "store/type/value.h"
#include "tools/connect.h"
#include "tools/dump_row.h"
#include "tools/lib/tool.h"

/* ------------------------------------------------------------------ columns */
static struct bytes bare(struct dump *d, struct bytes name)
{
	struct buf out = BUF_INIT;
	size_t i;

	if (!name.len || name.ptr[0] != '"')
		return name;
	for (i = 1; i + 1 < name.len; i++) {
		buf_add_byte(&out, name.ptr[i]);
		i += name.ptr[i] == '"';
	}
	name = arena_copy(&d->arena, buf_bytes(&out));
	buf_release(&out);
	return name;
}

static void add_literal(struct buf *out, struct bytes text)
{
	type_print_literal(out, type_native(TYPE_TEXT), text);
}

static enum dump_kind kind_of(struct bytes word)
{
	return bytes_equal(word, bytes_str("partition_key")) ? DUMP_PARTITION_KEY :
	       bytes_equal(word, bytes_str("clustering")) ? DUMP_CLUSTERING :
	       bytes_equal(word, bytes_str("static")) ? DUMP_STATIC : DUMP_REGULAR;
}

/* Ask for the names of the columns in the order of SELECT *. */
static int read_names(struct dump *d)
{
	uint32_t i;
	int status;

	buf_clear(&d->text);
	buf_add_str(&d->text, "SELECT * FROM ");
	buf_add_bytes(&d->text, d->keyspace);
	buf_add_byte(&d->text, '.');
	buf_add_bytes(&d->text, d->table);
	buf_add_str(&d->text, " LIMIT 1");
	status = connect_run(d->b, buf_bytes(&d->text));
	if (status)
		return status;
	d->count = d->b->column_count;
	d->columns = arena_zalloc(&d->arena, d->count + 1,
				  sizeof(*d->columns));
	for (i = 0; d->columns && i < d->count; i++) {
		struct buf name = BUF_INIT;

		schema_print_name(&name, d->b->columns[i].name);
		d->columns[i].name = arena_copy(&d->arena, buf_bytes(&name));
		d->columns[i].kind = DUMP_REGULAR;
		buf_release(&name);
	}
	return d->arena.failed ? TOOL_FAILED : TOOL_DONE;
}

/* Run a SELECT of system_schema, for the table's rows there. */
static int ask_schema(struct dump *d, const char *select)
{
	buf_clear(&d->text);
	buf_add_str(&d->text, select);
	buf_add_str(&d->text, " WHERE keyspace_name = ");
	add_literal(&d->text, bare(d, d->keyspace));
	buf_add_str(&d->text, " AND table_name = ");
	add_literal(&d->text, bare(d, d->table));
	return connect_run(d->b, buf_bytes(&d->text));
}

static int read_kinds(struct dump *d)
{
	const struct bytes *row;
	uint32_t i;
	int more, status = ask_schema(d, "SELECT column_name, kind FROM "
				      "system_schema.columns");

	if (status)
		return status;
	while ((more = connect_next(d->b, &row)) > 0)
		for (i = 0; i < d->count; i++)
			if (bytes_equal(bare(d, d->columns[i].name), row[0]))
				d->columns[i].kind = kind_of(row[1]);
	return more < 0 || d->arena.failed ? TOOL_FAILED : TOOL_DONE;
}

/* Ask whether cells without a TTL would get one: they are to say TTL 0. */
static int read_default_ttl(struct dump *d)
{
	const struct bytes *row;
	int more, status = ask_schema(d, "SELECT default_time_to_live FROM "
				      "system_schema.tables");

	if (status)
		return status;
	while ((more = connect_next(d->b, &row)) > 0)
		d->default_ttl = row[0].len == 4 && get_be32(row[0].ptr);
	return more < 0 || d->arena.failed ? TOOL_FAILED : TOOL_DONE;
}

/* Ask for the rows, with timestamps and TTLs: of counters there are none. */
static int ask(struct dump *d, bool counters)
{
	uint32_t i, next = d->count;

	buf_clear(&d->text);
	buf_add_str(&d->text, "SELECT ");
	for (i = 0; i < d->count; i++) {
		buf_add_str(&d->text, i ? ", " : "");
		buf_add_bytes(&d->text, d->columns[i].name);
	}
	for (i = 0; i < d->count && !counters; i++) {
		struct dump_column *c = &d->columns[i];

		if (c->kind < DUMP_STATIC)
			continue;
		c->time = next;
		next += 2;
		buf_add_str(&d->text, ", writetime(");
		buf_add_bytes(&d->text, c->name);
		buf_add_str(&d->text, "), ttl(");
		buf_add_bytes(&d->text, c->name);
		buf_add_byte(&d->text, ')');
	}
	if (!counters) {
		d->marker = next;
		buf_add_str(&d->text, ", writetime(*), ttl(*)");
	}
	buf_add_str(&d->text, " FROM ");
	buf_add_bytes(&d->text, d->keyspace);
	buf_add_byte(&d->text, '.');
	buf_add_bytes(&d->text, d->table);
	if (d->text.failed) {
		tool_failed(d->b->place, -ENOMEM);
		return TOOL_FAILED;
	}
	return connect_run(d->b, buf_bytes(&d->text));
}

/* ------------------------------------------------------------------- pieces */
/* True if its timestamp is a list: it has many cells. */
static bool is_multicell(const struct dump *d, uint32_t column)
{
	const struct dump_column *c = &d->columns[column];

	return c->time && dump_type_of(d, c->time)->kind == TYPE_LIST;
}

static struct dump_piece *add_piece(struct dump *d, uint32_t column,
			       struct bytes timestamp, struct bytes ttl)
{
	struct dump_piece *p = array_grow(d->pieces, d->piece_count,
					  sizeof(*p), &d->piece_room);

	if (!p) {
		d->err = -ENOMEM;
		return NULL;
	}
	d->pieces = p;
	p = &d->pieces[d->piece_count];
	*p = (struct dump_piece){ .column = column, .key = BYTES_NULL };
	p->order = (uint32_t)d->piece_count++;
	dump_row_set_times(p, timestamp, ttl);
	return p;
}

struct dump_part {
	struct bytes key, value, timestamp, ttl;
	uint32_t field;
};

/* Step to the next part of a collection: 1, 0, -EUCLEAN. */
static int next_part(struct type_parts *values, struct type_parts *times,
		     struct type_parts *ttls, bool map, struct dump_part *p)
{
	int more;

	p->key = BYTES_NULL;
	more = map ? type_parts_next(values, &p->key) : 1;
	if (more > 0)
		more = type_parts_next(values, &p->value);
	if (more > 0)
		more = type_parts_next(times, &p->timestamp);
	if (more > 0)
		more = type_parts_next(ttls, &p->ttl);
	return more;
}

/* Add the parts of a collection, or all as one if they were written together. */
static void add_parts(struct dump *d, uint32_t column)
{
	uint32_t time = d->columns[column].time, field = 0;
	const struct type *t = dump_type_of(d, column);
	struct type_parts values, times, ttls;
	size_t first = d->piece_count, i;
	struct dump_part part;
	int more;

	d->err = type_parts_begin(&values, t, d->row[column]);
	if (!d->err)
		d->err = type_parts_begin(&times, dump_type_of(d, time),
					  d->row[time]);
	if (!d->err)
		d->err = type_parts_begin(&ttls, dump_type_of(d, time + 1),
					  d->row[time + 1]);
	while (!d->err && (more = next_part(&values, &times, &ttls,
					    t->kind == TYPE_MAP, &part))) {
		struct dump_piece *p;

		d->err = more < 0 ? more : 0;
		if (d->err)
			break;
		if (!bytes_is_null(part.value)) {
			p = add_piece(d, column, part.timestamp, part.ttl);
			if (p) {
				p->key = part.key;
				p->value = part.value;
				p->field = field;
			}
		}
		field++;
	}
	for (i = first; i + 1 < d->piece_count; i++)
		if (d->pieces[i].timestamp != d->pieces[i + 1].timestamp ||
		    d->pieces[i].ttl != d->pieces[i + 1].ttl)
			return;
	if (d->piece_count > first) {
		d->piece_count = first + 1;
		d->pieces[first].whole = true;
	}
}

static void add_column(struct dump *d, uint32_t column)
{
	uint32_t time = d->columns[column].time;
	struct dump_piece *p;

	if (bytes_is_null(d->row[column]))
		return;
	if (is_multicell(d, column)) {
		add_parts(d, column);
		return;
	}
	p = time ? add_piece(d, column, d->row[time], d->row[time + 1]) :
		   add_piece(d, column, BYTES_NULL, BYTES_NULL);
	if (p)
		p->whole = true;
}

static void add_columns(struct dump *d, enum dump_kind kind)
{
	uint32_t i;

	d->piece_count = 0;
	for (i = 0; i < d->count && !d->err; i++)
		if (d->columns[i].kind == kind)
			add_column(d, i);
}

/* True for the first row of a partition. */
static bool is_new_partition(struct dump *d)
{
	struct buf key = BUF_INIT;
	bool same;
	uint32_t i;

	for (i = 0; i < d->count; i++)
		if (d->columns[i].kind == DUMP_PARTITION_KEY)
			buf_add_sized(&key, d->row[i]);
	same = d->begun && bytes_equal(buf_bytes(&key),
				       buf_bytes(&d->partition));
	buf_release(&d->partition);
	d->partition = key;
	d->begun = true;
	return !same;
}

/* True for a partition that has statics alone. */
static bool has_no_row(const struct dump *d)
{
	uint32_t i;

	for (i = 0; i < d->count; i++)
		if (d->columns[i].kind == DUMP_CLUSTERING)
			return bytes_is_null(d->row[i]);
	return false;
}

static int print_row(struct dump *d, bool counters)
{
	buf_clear(&d->text);
	if (is_new_partition(d)) {
		add_columns(d, DUMP_STATIC);
		if (d->piece_count)
			dump_row_print(d, false, DUMP_PARTITION_KEY);
	}
	if (!has_no_row(d)) {
		add_columns(d, DUMP_REGULAR);
		dump_row_print(d, !counters, DUMP_CLUSTERING);
	}
	if (d->err || d->text.failed || d->partition.failed)
		return d->err ? d->err : -ENOMEM;
	return tool_write(d->out, buf_bytes(&d->text)) ? 0 : -errno;
}

static int print_rows(struct dump *d)
{
	bool counters = false;
	int status, more = 0, err = 0;
	uint32_t i;

	for (i = 0; i < d->count; i++)
		counters |= dump_type_of(d, i)->kind == TYPE_COUNTER;
	d->b->ops->finish(d->b);
	status = read_kinds(d);
	if (!status)
		status = read_default_ttl(d);
	if (!status)
		status = ask(d, counters);
	while (!status && !err && (more = connect_next(d->b, &d->row)) > 0)
		err = print_row(d, counters);
	if (err)
		tool_failed(ferror(d->out) ? "standard output" : d->b->place, err);
	return status ? status : err || more < 0 ? TOOL_FAILED : TOOL_DONE;
}

int dump_table(FILE *out, struct cql_backend *b, struct bytes keyspace,
	       struct bytes table)
{
	struct dump d = { .out = out, .b = b, .keyspace = keyspace,
			  .table = table, .arena = ARENA_INIT,
			  .text = BUF_INIT, .partition = BUF_INIT };
	int status = read_names(&d);

	if (!status)
		status = print_rows(&d);
	b->ops->finish(b);
	arena_release(&d.arena);
	buf_release(&d.text);
	buf_release(&d.partition);
	mem_free(d.pieces);
	return status;
}
