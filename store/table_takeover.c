/*
 * A table takes the name of another that was not dropped before: CREATE TABLE
 * over one that mkdir made. Its rows are copied to the engine's table of the
 * new one before the catalogue names that: a crash leaves a table without a
 * name, which the next open drops.
 */
#include "store/table_takeover.h"

#include <errno.h>

#include "store/store.h"
#include "store/table/inner.h"

struct replacement {
	struct table *from, *to;
	uint32_t keyspace, table;	/* where to continue */
};

/* Find the next replaced table after r: false at the end. */
static bool find_next(struct replacement *r, const struct schema *was,
		      const struct schema *next)
{
	for (; r->keyspace < next->keyspace_count; r->keyspace++, r->table = 0) {
		const struct keyspace *k = next->keyspaces[r->keyspace];

		while (r->table < k->table_count) {
			r->to = k->tables[r->table++];
			r->from = schema_table(was, bytes_str(k->name),
					       bytes_str(r->to->name));
			if (r->from && r->from->number != r->to->number)
				return true;
		}
	}
	return false;
}

bool store_replaces(const struct schema *was, const struct schema *next)
{
	struct replacement r = { .keyspace = 0 };

	return find_next(&r, was, next);
}

int store_has_rows(struct store *s, const struct table *t)
{
	struct query q;

	query_init(&q, t);
	q.limit = 1;
	q.with_statics = true;
	q.static_only_rows = true;
	return table_query_finds(s, &q);
}

int store_move_rows(struct store *s, const struct schema *was,
		    const struct schema *next, const struct schema_edit *edit)
{
	struct replacement r = { .keyspace = 0 };
	int err = 0;

	while (!err && find_next(&r, was, next)) {
		err = edit->move ? edit->move(edit->context, r.from, r.to) :
				   store_has_rows(s, r.from);
		if (err > 0)
			err = -EEXIST;
	}
	return err;
}

void store_forget_rows(struct store *s, const struct schema *was,
		       const struct schema *next)
{
	struct replacement r = { .keyspace = 0 };

	while (find_next(&r, was, next))
		if (lsm_table_drop(s->lsm, r.to->number))
			log_message(LOG_WARNING_LEVEL, "data of a table that "
				    "was not made will be removed when the "
				    "store is opened again");
}
