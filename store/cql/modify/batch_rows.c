/*
 * A row's key is its clustering in its ordered form, which is the same for all
 * values that are equal (1.0 and 1.00).
 */
#include "store/cql/modify/batch_rows.h"

#include <errno.h>

#include "store/type/ordered.h"

/* The first byte distinguishes the statics from rows. */
static void add_key(struct buf *out, const struct modification *m)
{
	const struct table *t = m->table;

	buf_add_byte(out, m->only_statics);
	for (uint32_t i = 0; !m->only_statics && i < t->clustering_count; i++)
		type_ordered_append(out, table_clustering_column(t, i)->type,
				    m->rows[0][i], false);
}

int batch_rows_find(struct hash_place **out, struct hash *rows,
		    struct arena *arena, const struct modification *m)
{
	struct buf key = BUF_INIT;

	*out = NULL;
	if (!m->only_statics && m->table->clustering_count && !m->row_count)
		return 0;
	add_key(&key, m);
	if (!key.failed)
		*out = hash_place(rows, arena, buf_bytes(&key));
	buf_release(&key);
	return *out ? 0 : -ENOMEM;
}
