/*
 * A hash table of the rows' clustering in its ordered form, of which there is
 * one for all values that are equal (1.0 and 1.00). It is never more than half
 * full.
 */
#include "store/cql/batch_rows.h"

#include <errno.h>
#include <xxhash.h>

int batch_rows_init(struct batch_rows *r, struct arena *arena, uint32_t count)
{
	uint64_t slots = 2;

	while (slots < (uint64_t)count * 2)
		slots *= 2;
	*r = (struct batch_rows){ .mask = (uint32_t)(slots - 1) };
	r->slots = arena_zalloc(arena, slots, sizeof(*r->slots));
	return r->slots ? 0 : -ENOMEM;
}

/* The statics are told from rows by the first byte. */
static void add_key(struct buf *out, const struct modification *m)
{
	const struct table *t = m->table;

	buf_add_byte(out, m->only_statics);
	for (uint32_t i = 0; !m->only_statics && i < t->clustering_count; i++)
		type_ordered_append(out, table_clustering_column(t, i)->type,
				    m->rows[0][i], false);
}

int batch_rows_find(struct batch_row **out, struct batch_rows *r,
		    struct arena *arena, const struct modification *m)
{
	struct buf key = BUF_INIT;
	struct batch_row *slot;
	uint64_t at;
	int err = 0;

	*out = NULL;
	if (!m->only_statics && m->table->clustering_count && !m->row_count)
		return 0;
	add_key(&key, m);
	for (at = XXH3_64bits(key.ptr, key.len);; at++) {
		slot = &r->slots[at & r->mask];
		r->probes++;
		if (bytes_is_null(slot->key) ||
		    bytes_equal(slot->key, buf_bytes(&key)))
			break;
	}
	if (bytes_is_null(slot->key)) {
		slot->first_asking = NO_STATEMENT;
		slot->key = arena_copy(arena, buf_bytes(&key));
	}
	if (key.failed || bytes_is_null(slot->key))
		err = -ENOMEM;
	buf_release(&key);
	*out = slot;
	return err;
}
