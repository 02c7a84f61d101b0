#include "store/table/source.h"

#include "store/table/inner.h"

int table_source_iterate(struct iterator **out, struct store *s,
			 const struct query *q, struct bytes lower,
			 struct bytes upper, bool reverse)
{
	if (q->table->flags & TABLE_VIRTUAL)
		return s->virtual_rows->iterate(out, s, q, reverse);
	return lsm_iterate(out, s->lsm, q->table->number, lower, upper,
			   reverse);
}

int table_source_get(struct store *s, const struct table *t, struct bytes key,
		     uint64_t mask, struct arena *arena, struct row *row)
{
	if (t->flags & TABLE_VIRTUAL)
		return s->virtual_rows->get(s, t, key, arena, row);
	/* Columns may share bits, which then do not say that all are
	 * decided. */
	if (t->next_number > 64)
		mask = UINT64_MAX;
	return lsm_get(s->lsm, t->number, key, mask, arena, row);
}
