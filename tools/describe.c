#include "tools/describe.h"

#include <errno.h>

#include "store/schema/schema.h"
#include "tools/connect.h"
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

static int add(struct definitions *d, const struct bytes *row)
{
	struct definition *one = arena_zalloc(&d->arena, 1, sizeof(*one));

	if (!one)
		return -ENOMEM;
	one->keyspace = arena_copy(&d->arena, row[0]);
	one->kind = arena_copy(&d->arena, row[1]);
	one->name = arena_copy(&d->arena, row[2]);
	one->statement = arena_copy(&d->arena, uncommented(row[3]));
	*d->last = one;
	d->last = &one->next;
	return d->arena.failed ? -ENOMEM : 0;
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
		tool_complain(b->place, "%s", b->error.message);
		/* It has nothing else to refuse. */
		status = b->error.code == CQL_INVALID_REQUEST ? TOOL_NONE :
								TOOL_FAILED;
	} else {
		status = read_rows(d, b);
	}
	b->ops->finish(b);
	buf_release(&statement);
	return status;
}
