/* Texts for messages and names. */
#include "store/cql/statement/execution.h"
#include "store/cql/statement/statement.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"
#include "store/cql/syntax/parse.h"

const char *text_of(struct execution *x, struct bytes bytes)
{
	struct bytes copy = arena_copy(x->arena, bytes);

	return copy.ptr ? (const char *)copy.ptr : "";
}

const char *text_of_buf(struct execution *x, struct buf *buf)
{
	const char *text = text_of(x, buf_bytes(buf));

	if (buf->failed)	/* cut short: the statement ends with -ENOMEM */
		x->arena->failed = true;
	buf_release(buf);
	return text;
}

const char *text_of_type(struct execution *x, const struct type *t)
{
	struct buf buf = BUF_INIT;

	type_print(&buf, t, true);
	return text_of_buf(x, &buf);
}

const char *text_of_term(struct execution *x, const struct term *t)
{
	struct buf buf = BUF_INIT;

	ast_print_term_known(&buf, t, execution_keyspace(x));
	return text_of_buf(x, &buf);
}

const char *text_as_written(struct execution *x, const struct term *t)
{
	struct buf buf = BUF_INIT;

	ast_print_term(&buf, t);
	return text_of_buf(x, &buf);
}

const char *text_of_table(struct execution *x, const struct table *t)
{
	struct buf buf = BUF_INIT;

	cql_print_name(&buf, bytes_str(t->keyspace));
	buf_add_byte(&buf, '.');
	cql_print_name(&buf, bytes_str(t->name));
	return text_of_buf(x, &buf);
}
