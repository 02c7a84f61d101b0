/*
 * The list of a SELECT: checks of it before the WHERE is analysed, and its
 * preparation after.
 */
#include <errno.h>

#include "store/cql/expression/selectable.h"
#include "store/cql/select/list.h"
#include "store/cql/select/select.h"
#include "store/cql/select/selector.h"

/* Find out whether a selector has a column of one of these kinds. Selectors
 * after it are not checked. */
static int any_selects(struct select_state *s, unsigned kinds, bool *any)
{
	const struct select *q = s->select;
	struct selectable *of;
	int err = 0;

	*any = false;
	s->x->table = s->table;
	for (uint32_t i = 0; i < q->selection_count && !*any && !err; i++) {
		err = selectable_prepare(s->x, &of, s->table,
					 q->selections[i].term);
		if (!err)
			*any = selectable_has(of, kinds);
	}
	return err;
}

int select_only_statics(struct select_state *s, bool *only)
{
	bool others = false;
	int err;

	*only = false;
	if (s->select->all || !table_has_statics(s->table))
		return 0;
	err = any_selects(s, 1u << COLUMN_STATIC, only);
	if (!err && *only)
		err = any_selects(s, ~(1u << COLUMN_STATIC |
				       1u << COLUMN_PARTITION_KEY),
				  &others);
	*only = *only && !others;
	return err;
}

int select_prepare(struct select_state *s)
{
	const struct select *q = s->select;
	const struct table *t = s->table;
	struct execution *x = s->x;
	uint32_t visible = t->partition_key_count + t->clustering_count +
			   t->static_count + t->regular_count;
	struct selectors *of = &s->selectors;
	int err = selectors_init(x, of, t);

	if (err)
		return err;
	of->count = q->all ? visible : q->selection_count;
	of->items = arena_zalloc(x->arena, of->count, sizeof(*of->items));
	if (!of->items)
		return -ENOMEM;
	for (uint32_t i = 0; i < of->count && !err; i++) {
		if (q->all) {
			of->items[i] = selector_column(x, of, &t->columns[i]);
			err = of->items[i] ? 0 : -ENOMEM;
			continue;
		}
		err = selector_prepare(x, of, &of->items[i],
				       q->selections[i].term);
	}
	return err;
}
