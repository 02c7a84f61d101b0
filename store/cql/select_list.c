/*
 * The list of a SELECT: what is found of it before the WHERE is looked at, and
 * its preparation after.
 */
#include <errno.h>

#include "store/cql/select.h"

/* A column, a literal, a call of such: its function can be told at once. */
static bool is_plain(const struct term *t)
{
	bool plain = t->kind == TERM_COLUMN || t->kind == TERM_CALL ||
		     t->kind == TERM_BINARY || t->kind == TERM_NEGATE ||
		     t->kind == TERM_CONSTANT || t->kind == TERM_NULL ||
		     t->kind == TERM_COUNT_ROWS || t->kind == TERM_LIST ||
		     t->kind == TERM_SET || t->kind == TERM_MAP ||
		     t->kind == TERM_TUPLE;

	for (uint32_t i = 0; plain && i < t->item_count; i++)
		plain = is_plain(t->items[i]);
	return plain && (!t->left || is_plain(t->left)) &&
	       (t->kind != TERM_BINARY || is_plain(t->right));
}

/*
 * What Cassandra finds of a selector as soon as it looks at it: columns, and
 * the functions that calls mean; what else may be wrong is told after the WHERE.
 * Keys of a map may be fields of a user type.
 */
static int look_up(struct select_state *s, struct selectors *found,
		   const struct term *t)
{
	const struct column *c;
	struct expression *e;
	int err = 0;

	if (!t)
		return 0;
	if (t->kind == TERM_COLUMN) {
		err = resolve_column(s->x, &c, s->table, &t->name);
		if (!err)
			found->selected[c - s->table->columns] = true;
		return err;
	}
	if ((t->kind == TERM_CALL || t->kind == TERM_BINARY ||
	     t->kind == TERM_NEGATE) && is_plain(t))
		return selector_prepare(s->x, found, &e, t);
	for (uint32_t i = 0; i < t->item_count && !err; i++)
		if (t->kind != TERM_MAP || i % 2 ||
		    t->items[i]->kind != TERM_COLUMN)
			err = look_up(s, found, t->items[i]);
	if (!err)
		err = look_up(s, found, t->left);
	if (!err && t->kind == TERM_BINARY)
		err = look_up(s, found, t->right);
	return err;
}

/* Does a selector have a static column, or (others) one that is neither static
 * nor of the partition key? Those behind it are not looked at. */
static int any_selects(struct select_state *s, bool others, bool *any)
{
	const struct select *q = s->select;
	const struct table *t = s->table;
	struct selectors found;
	int err = selectors_init(s->x, &found, t);

	*any = false;
	for (uint32_t i = 0; i < q->selection_count && !*any && !err; i++) {
		err = look_up(s, &found, q->selections[i].term);
		for (uint32_t n = 0; n < t->column_count && !err; n++) {
			enum column_kind kind = t->columns[n].kind;

			if (found.selected[n] &&
			    (others ? kind != COLUMN_STATIC &&
					    kind != COLUMN_PARTITION_KEY :
				      kind == COLUMN_STATIC))
				*any = true;
		}
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
	err = any_selects(s, false, only);
	if (!err && *only)
		err = any_selects(s, true, &others);
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
