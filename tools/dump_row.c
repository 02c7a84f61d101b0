/*
 * CQL gives for each cell its value, its timestamp and how long it lives; for a
 * collection a list of them; our writetime(*) and ttl(*) give those of the row's
 * marker. The cells of a row with the same two become one statement:
 *
 *   INSERT  of the keys, if the row has a marker, and of the cells that were
 *           written with it
 *   UPDATE  of each other set, and of parts of one collection that differ: those
 *           without a TTL come first
 *   UPDATE  of the runs of a list, in their order, where its elements differ
 *
 * Statics are an UPDATE of their partition, counters an addition to nothing.
 */
#include "tools/dump_row.h"

#include <stdlib.h>

#include "store/schema/schema.h"
#include "store/type/value.h"

void dump_row_set_times(struct dump_piece *p, struct bytes timestamp, struct bytes ttl)
{
	if (timestamp.len == 8)
		p->timestamp = (int64_t)get_be64(timestamp.ptr);
	if (ttl.len == 4)
		p->ttl = (int32_t)get_be32(ttl.ptr);
}

static bool is_run(const struct dump *d, const struct dump_piece *p)
{
	return !p->whole && dump_type_of(d, p->column)->kind == TYPE_LIST;
}

/* Order pieces: those without a TTL first, then those that live longest; of
 * equal ones the oldest first. */
static int compare_pieces(const void *a, const void *b)
{
	const struct dump_piece *x = a, *y = b;

	if (x->ttl != y->ttl)
		return !x->ttl ? -1 : !y->ttl ? 1 : x->ttl > y->ttl ? -1 : 1;
	if (x->timestamp != y->timestamp)
		return x->timestamp < y->timestamp ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* ----------------------------------------------------------------- printing */
static void add_value(struct dump *d, uint32_t column)
{
	type_print_literal(&d->text, dump_type_of(d, column), d->row[column]);
}

static void add_using(struct dump *d, const struct dump_piece *p)
{
	buf_add_format(&d->text, " USING TIMESTAMP %lld",
		       (long long)p->timestamp);
	if (p->ttl || d->default_ttl)
		buf_add_format(&d->text, " AND TTL %d", p->ttl);
}

/* True of a key column, up to a kind: a compact table's last ones may be null. */
static bool is_given_key(const struct dump *d, uint32_t i, enum dump_kind last)
{
	return d->columns[i].kind <= last && !bytes_is_null(d->row[i]);
}

static void add_where(struct dump *d, enum dump_kind last)
{
	uint32_t i;
	const char *word = " WHERE ";

	for (i = 0; i < d->count; i++) {
		if (!is_given_key(d, i, last))
			continue;
		buf_add_str(&d->text, word);
		buf_add_bytes(&d->text, d->columns[i].name);
		buf_add_str(&d->text, " = ");
		add_value(d, i);
		word = " AND ";
	}
	buf_add_str(&d->text, ";\n");
}

static void begin(struct dump *d, const char *word)
{
	buf_add_str(&d->text, word);
	buf_add_bytes(&d->text, d->keyspace);
	buf_add_byte(&d->text, '.');
	buf_add_bytes(&d->text, d->table);
}

/* Print c = c + {'k': v} or t.f = v: a part of an existing value. */
static void add_part(struct dump *d, const struct dump_piece *p)
{
	const struct type *t = dump_type_of(d, p->column);
	struct bytes name = d->columns[p->column].name;

	buf_add_bytes(&d->text, name);
	if (t->kind == TYPE_UDT) {
		buf_add_byte(&d->text, '.');
		type_print_identifier(&d->text, t->field_names[p->field]);
		buf_add_str(&d->text, " = ");
		type_print_literal(&d->text, t->parts[p->field], p->value);
		return;
	}
	buf_add_str(&d->text, " = ");
	buf_add_bytes(&d->text, name);
	buf_add_str(&d->text, t->kind == TYPE_LIST ? " + [" : " + {");
	if (t->kind == TYPE_MAP) {
		type_print_literal(&d->text, t->parts[0], p->key);
		buf_add_str(&d->text, ": ");
	}
	type_print_literal(&d->text, t->parts[t->kind == TYPE_MAP], p->value);
	buf_add_byte(&d->text, t->kind == TYPE_LIST ? ']' : '}');
}

static void add_assignment(struct dump *d, const struct dump_piece *p)
{
	struct bytes name = d->columns[p->column].name;

	if (!p->whole) {
		add_part(d, p);
		return;
	}
	buf_add_bytes(&d->text, name);
	buf_add_str(&d->text, " = ");
	if (dump_type_of(d, p->column)->kind == TYPE_COUNTER) {
		buf_add_bytes(&d->text, name);
		buf_add_str(&d->text, " + ");
	}
	add_value(d, p->column);
}

/* Count the pieces of one statement: it may name a column once. */
static size_t together(const struct dump *d, const struct dump_piece *p, size_t count)
{
	size_t n = 1;

	while (n < count && p[n].timestamp == p->timestamp &&
	       p[n].ttl == p->ttl && is_run(d, p) == is_run(d, &p[n]) &&
	       (p[n].whole || p[n].column != p[n - 1].column ||
		dump_type_of(d, p->column)->kind == TYPE_UDT))
		n++;
	return n;
}

static void print_update(struct dump *d, const struct dump_piece *p, size_t count,
			 enum dump_kind last)
{
	size_t i;

	begin(d, "UPDATE ");
	if (d->columns[p->column].time)
		add_using(d, p);
	for (i = 0; i < count; i++) {
		buf_add_str(&d->text, i ? ", " : " SET ");
		add_assignment(d, &p[i]);
	}
	add_where(d, last);
}

/* Print the keys and the first `count` pieces, which are whole, with the times of `marker`, if any. */
static void print_insert(struct dump *d, const struct dump_piece *marker, const struct dump_piece *p, size_t count)
{
	const char *comma = "";
	uint32_t i;
	size_t j;

	begin(d, "INSERT INTO ");
	buf_add_str(&d->text, " (");
	for (i = 0; i < d->count; i++) {
		if (!is_given_key(d, i, DUMP_CLUSTERING))
			continue;
		buf_add_str(&d->text, comma);
		buf_add_bytes(&d->text, d->columns[i].name);
		comma = ", ";
	}
	for (j = 0; j < count; j++) {
		buf_add_str(&d->text, ", ");
		buf_add_bytes(&d->text, d->columns[p[j].column].name);
	}
	buf_add_str(&d->text, ") VALUES (");
	comma = "";
	for (i = 0; i < d->count; i++) {
		if (!is_given_key(d, i, DUMP_CLUSTERING))
			continue;
		buf_add_str(&d->text, comma);
		add_value(d, i);
		comma = ", ";
	}
	for (j = 0; j < count; j++) {
		buf_add_str(&d->text, ", ");
		add_value(d, p[j].column);
	}
	buf_add_byte(&d->text, ')');
	if (marker)
		add_using(d, marker);
	buf_add_str(&d->text, ";\n");
}

/* The whole ones that were written with the marker come first: they are those of the INSERT. */
static size_t marked_first(struct dump_piece *p, size_t count, const struct dump_piece *marker)
{
	size_t n = 0, i;

	for (i = 0; i < count; i++) {
		struct dump_piece one = p[i];

		if (!one.whole || one.timestamp != marker->timestamp || one.ttl != marker->ttl)
			continue;
		memmove(p + n + 1, p + n, (i - n) * sizeof(*p));
		p[n++] = one;
	}
	return n;
}

/* Put the runs of lists after all others, in their order. */
static size_t runs_last(struct dump *d)
{
	size_t n = 0, i;

	for (i = 0; i < d->piece_count; i++) {
		struct dump_piece one = d->pieces[i];

		if (is_run(d, &one))
			continue;
		memmove(d->pieces + n + 1, d->pieces + n,
			(i - n) * sizeof(one));
		d->pieces[n++] = one;
	}
	if (n)
		qsort(d->pieces, n, sizeof(*d->pieces), compare_pieces);
	return n;
}

/* Print the INSERT of a row; return how many of the first `sets` pieces it has. A row without a marker
 * needs none, but in a compact table that has nothing but its key. */
static size_t print_marker(struct dump *d, size_t sets)
{
	struct dump_piece marker = { 0 };
	size_t n;

	if (bytes_is_null(d->row[d->marker])) {
		if (!d->piece_count && d->columns[d->count - 1].kind == DUMP_CLUSTERING)
			print_insert(d, NULL, NULL, 0);
		return 0;
	}
	dump_row_set_times(&marker, d->row[d->marker], d->row[d->marker + 1]);
	n = marked_first(d->pieces, sets, &marker);
	print_insert(d, &marker, d->pieces, n);
	return n;
}

void dump_row_print(struct dump *d, bool row, enum dump_kind last)
{
	size_t sets = runs_last(d), done = row ? print_marker(d, sets) : 0;

	while (done < d->piece_count) {
		size_t end = done < sets ? sets : d->piece_count;
		size_t n = together(d, d->pieces + done, end - done);

		print_update(d, d->pieces + done, n, last);
		done += n;
	}
}

