#include "tools/describe.h"

#include <errno.h>

#include "store/schema/schema.h"
#include "store/type/value.h"
#include "tools/connect.h"
#include "tools/lib/nearest.h"
#include "tools/lib/tool.h"

void describe_release(struct definitions *d)
{
	arena_release(&d->arena);
}

/* DESCRIBE puts tables with COMPACT STORAGE in a comment, since a Cassandra of
 * today makes none. Return the statement in it. */
static struct bytes uncommented(struct bytes text)
{
	static const char create[] = "\n\nCREATE TABLE ";
	const uint8_t *begin;

	if (!bytes_begin_with(text, bytes_str("/*")))
		return text;
	begin = memmem(text.ptr, text.len, create, strlen(create));
	if (!begin)
		return text;
	text = bytes_of(begin + 2, (size_t)(text.ptr + text.len - begin) - 2);
	while (text.len && text.ptr[text.len - 1] != ';')
		text.len--;
	return text;
}

/* True if the column, as it begins the order, is one of the primary key. */
static bool orders_key(struct bytes key, struct bytes order)
{
	const uint8_t *end = memmem(order.ptr, order.len, " ASC", 4);
	const uint8_t *end2 = memmem(order.ptr, order.len, " DESC", 5), *at = key.ptr;
	struct buf name = BUF_INIT;
	bool found = false;

	if (!end || (end2 && end2 < end))
		end = end2;
	buf_add_str(&name, ", ");
	if (end)
		buf_add(&name, order.ptr, (size_t)(end - order.ptr));
	found = name.failed;
	while (!found && end &&
	       (at = memmem(at, (size_t)(key.ptr + key.len - at), name.ptr, name.len))) {
		at += name.len;
		found = at < key.ptr + key.len && (*at == ',' || *at == ')');
	}
	buf_release(&name);
	return found;
}

/*
 * In a compact table without clustering columns DESCRIBE gives the order of a
 * hidden one, which CREATE refuses: append the statement without that line.
 */
static void add_creating(struct buf *out, struct bytes text)
{
	static const char with[] = "\n) WITH COMPACT STORAGE";
	static const char order[] = "\n    AND CLUSTERING ORDER BY (";
	const uint8_t *end = text.ptr + text.len, *line, *next;

	line = memmem(text.ptr, text.len, with, strlen(with));
	if (line && bytes_begin_with(bytes_of(line + strlen(with), (size_t)(end - line) - strlen(with)),
				     bytes_str(order)) &&
	    !orders_key(bytes_of(text.ptr, (size_t)(line - text.ptr)),
			bytes_of(line + strlen(with) + strlen(order),
				 (size_t)(end - line) - strlen(with) - strlen(order)))) {
		line += strlen(with);
		buf_add(out, text.ptr, (size_t)(line - text.ptr));
		next = memchr(line + 1, '\n', (size_t)(end - line) - 1);
		text = next ? bytes_of(next, (size_t)(end - next)) : bytes_str(";");
	}
	buf_add_bytes(out, text);
}

static int add(struct definitions *d, const struct bytes *row)
{
	struct buf statement = BUF_INIT;
	struct definition *one = arena_zalloc(&d->arena, 1, sizeof(*one));
	int err;

	if (!one)
		return -ENOMEM;
	one->keyspace = arena_copy(&d->arena, row[0]);
	one->kind = arena_copy(&d->arena, row[1]);
	one->name = arena_copy(&d->arena, row[2]);
	add_creating(&statement, uncommented(row[3]));
	one->statement = arena_copy(&d->arena, buf_bytes(&statement));
	*d->last = one;
	d->last = &one->next;
	err = statement.failed || d->arena.failed ? -ENOMEM : 0;
	buf_release(&statement);
	return err;
}

static int read_rows(struct definitions *d, struct cql_backend *b)
{
	const struct bytes *row;
	int more;

	while ((more = connect_next(b, &row)) > 0) {
		if (add(d, row)) {
			tool_failed(b->place, -ENOMEM);
			return TOOL_FAILED;
		}
	}
	return more < 0 ? TOOL_FAILED : TOOL_DONE;
}

/* Offer what a SELECT finds. True: the word itself is among it. */
static bool offer_names(struct nearest *near, struct cql_backend *b,
			struct buf *select)
{
	const struct bytes *row;
	bool there = false;

	if (!select->failed && !b->ops->execute(b, buf_bytes(select)))
		while (b->ops->next(b, &row) > 0) {
			there |= bytes_equal(row[0], near->word);
			nearest_offer(near, row[0]);
		}
	b->ops->finish(b);
	return there;
}

/* Find the keyspace, or in it the table (NULL: none is meant), that is most
 * like one that is not there. The backend's error is gone afterwards. */
static void find_nearest(struct nearest *near, struct cql_backend *b,
			 const char *keyspace, const char *table)
{
	struct buf select = BUF_INIT;

	nearest_begin(near, bytes_str(keyspace));
	buf_add_str(&select, "SELECT keyspace_name FROM "
		    "system_schema.keyspaces");
	if (offer_names(near, b, &select) && table) {
		nearest_begin(near, bytes_str(table));
		buf_clear(&select);
		buf_add_str(&select, "SELECT table_name FROM "
			    "system_schema.tables WHERE keyspace_name = ");
		type_print_literal(&select, type_native(TYPE_TEXT),
				   bytes_str(keyspace));
		offer_names(near, b, &select);
	}
	buf_release(&select);
}

int describe_no_table(const struct tool_place *p)
{
	char hint[NEAREST_HINT];
	struct nearest near;
	struct cql_backend *b;
	int status = connect_place(&b, p, true);

	if (status)
		return status;
	find_nearest(&near, b, p->keyspace, p->table);
	tool_complain(p->mount ? p->mount : p->store,
		      "there is no table '%s.%s'%s", p->keyspace, p->table,
		      nearest_hint(&near, hint));
	b->ops->close(b);
	return TOOL_NONE;
}

/* Say why it was refused, and which name is like one that is not there. */
static void complain(struct cql_backend *b, const char *keyspace,
		     const char *table)
{
	struct buf message = BUF_INIT;
	char hint[NEAREST_HINT] = "";
	struct nearest near;

	buf_add_str(&message, b->error.message);
	if (keyspace && b->error.code == CQL_INVALID_REQUEST) {
		find_nearest(&near, b, keyspace, table);
		nearest_hint(&near, hint);
	}
	tool_complain(b->place, "%s%s", buf_cstr(&message), hint);
	buf_release(&message);
}

int describe_read(struct definitions *d, struct cql_backend *b,
		  const char *keyspace, const char *table)
{
	struct buf statement = BUF_INIT;
	int status = TOOL_DONE;

	*d = (struct definitions){ .arena = ARENA_INIT };
	d->last = &d->first;
	buf_add_str(&statement, !keyspace ? "DESCRIBE SCHEMA" :
		    table ? "DESCRIBE TABLE " : "DESCRIBE KEYSPACE ");
	if (keyspace)
		schema_print_name(&statement, bytes_str(keyspace));
	if (table) {
		buf_add_byte(&statement, '.');
		schema_print_name(&statement, bytes_str(table));
	}
	if (b->ops->execute(b, buf_bytes(&statement))) {
		/* An object that is missing is all that DESCRIBE refuses. */
		status = b->error.code == CQL_INVALID_REQUEST ? TOOL_NONE :
								TOOL_FAILED;
		complain(b, keyspace, table);
	} else {
		status = read_rows(d, b);
	}
	b->ops->finish(b);
	buf_release(&statement);
	return status;
}
