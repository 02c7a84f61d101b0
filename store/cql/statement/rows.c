/* A result of a few rows that exist already. */
#include <errno.h>

#include "store/cql/statement/rows.h"
#include "store/cql/statement/statement.h"

struct cql_column *statement_result_columns(struct cql_result *r,
					    uint32_t count)
{
	r->columns = arena_zalloc(&r->arena, count, sizeof(*r->columns));
	r->column_count = count;
	return r->columns;
}

struct ready_rows {
	struct bytes **rows;
	size_t count, next;
};

static int ready_next(struct cql_result *r, const struct bytes **values)
{
	struct ready_rows *rows = r->state;

	if (rows->next == rows->count)
		return 0;
	*values = rows->rows[rows->next++];
	return 1;
}

int statement_result_rows(struct cql_result *r, struct bytes **rows,
			  size_t count)
{
	struct ready_rows *ready = arena_zalloc(&r->arena, 1, sizeof(*ready));

	if (!ready)
		return -ENOMEM;
	ready->rows = rows;
	ready->count = count;
	r->state = ready;
	r->next = ready_next;
	return 0;
}
