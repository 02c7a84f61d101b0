#include "store/cql/modify/apply.h"

#include "store/cql/modify/cell_change.h"
#include "store/cql/modify/plan.h"
#include "store/cql/statement/refuse.h"
#include "store/store.h"

bool modification_reads(const struct modification *m)
{
	if (modification_is_conditional(m))
		return true;
	for (uint32_t i = 0; i < m->change_count; i++) {
		const struct change *c = &m->changes[i];

		if (c->kind == CHANGE_COUNT || c->kind == CHANGE_COMPUTE)
			return true;
		if (c->column->type->kind == TYPE_LIST &&
		    (c->kind == CHANGE_ELEMENT || c->kind == CHANGE_REMOVE))
			return true;
	}
	return false;
}

static void apply_ranges(struct modification *m, struct write *w,
			 struct bytes key)
{
	if (!m->slice_count)
		write_partition_deletion(w, m->table, key, m->timestamp_us);
	for (size_t i = 0; i < m->slice_count; i++)
		write_range_deletion(w, m->table, key, &m->slices[i],
				     m->timestamp_us);
}

static int apply_row(struct execution *x, struct modification *m,
		     struct write *w, struct bytes key,
		     const struct bytes *clustering)
{
	int err;

	if (m->kind == STATEMENT_DELETE && !m->change_count) {
		write_row(w, m->table, key, clustering);
		write_row_deletion(w, m->timestamp_us);
		return 0;
	}
	if (!m->sets_regular && m->kind != STATEMENT_INSERT)
		return 0;
	/* In a compact table the value makes the row; JSON without it makes
	 * none. */
	if (!m->change_count && m->table->flags & TABLE_COMPACT && m->json)
		return 0;
	if (!m->change_count && m->table->flags & TABLE_COMPACT &&
	    m->table->regular_count)
		return refuse(x, "Column %s is mandatory for this COMPACT "
				 "STORAGE table",
			      m->table->columns[m->table->partition_key_count +
						m->table->clustering_count]
				      .name);
	err = cell_change_apply(x, m, w, key, clustering);
	if (!err && m->kind == STATEMENT_INSERT)
		write_marker(w, m->timestamp_us, m->ttl_s);
	return err;
}

int modification_apply(struct execution *x, struct modification *m,
		       struct write *w)
{
	static const struct bytes none;
	int err = modification_is_conditional(m) ? modification_plan_ttl(x, m) : 0;

	if (m->nothing)
		return err;
	for (size_t k = 0; k < m->key_count && !err; k++) {
		if (m->ranges) {
			apply_ranges(m, w, m->keys[k]);
			continue;
		}
		if (m->only_statics)
			err = cell_change_apply(x, m, w, m->keys[k], NULL);
		/* Write the statics with every row: a counter is incremented
		 * each time. */
		for (size_t i = 0; i < m->row_count && !err; i++) {
			if (m->sets_static)
				err = cell_change_apply(x, m, w, m->keys[k],
							NULL);
			if (!err)
				err = apply_row(x, m, w, m->keys[k],
						m->table->clustering_count ?
							m->rows[i] : &none);
		}
	}
	return err;
}

int modification_commit(struct execution *x, struct write *w, bool conditional)
{
	int err = commit_write(w);

	if (!err && conditional)
		err = store_sync_to(x->store, store_position(x->store));
	return refuse_write_failure(x, w, err);
}
