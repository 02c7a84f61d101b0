/*
 * Check a WHERE as a whole, in the order of Cassandra's StatementRestrictions,
 * so that of several faults the same one is told: relations one by one, the
 * partition key, static columns, clustering columns, the others.
 */
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"
#include "store/cql/where/index_choice.h"
#include "store/cql/where/relation.h"
#include "store/cql/where/where.h"

#include <errno.h>
#include <string.h>

static const char *const type_words[] = {
	[STATEMENT_SELECT] = "SELECT", [STATEMENT_INSERT] = "INSERT",
	[STATEMENT_UPDATE] = "UPDATE", [STATEMENT_DELETE] = "DELETE",
};

int restrictions_init(struct execution *x, struct restrictions *r,
		      const struct table *t, enum statement_kind type)
{
	memset(r, 0, sizeof(*r));
	r->table = t;
	r->type = type;
	x->table = t;
	r->by_column = arena_zalloc(x->arena, t->column_count,
				    sizeof(*r->by_column));
	return r->by_column ? 0 : -ENOMEM;
}

/* ------------------------------------------------------ adding, with merges */
/* Check that a slice is the last of the restricted clustering columns. */
static int check_slice_order(struct execution *x, const struct restrictions *r,
			     const struct restriction *new)
{
	const struct table *t = r->table;
	const struct restriction *last = NULL, *next = NULL;
	uint32_t first = new->columns[0]->position;

	for (uint32_t i = 0; i < t->clustering_count; i++) {
		const struct restriction *o =
			restriction_of(r, table_clustering_column(t, i));

		if (o)
			last = o;
		if (o && !next && i > first)
			next = o;
	}
	if (!last || r->allow_filtering || index_choice_has(t, new))
		return 0;
	if (last->kind == RESTRICT_SLICE && first > last->columns[0]->position)
		return refuse(x, "Clustering column \"%s\" cannot be "
				 "restricted (preceding column \"%s\" is "
				 "restricted by a non-EQ relation)",
			      new->columns[0]->name, last->columns[0]->name);
	if (first < last->columns[0]->position &&
	    new->kind == RESTRICT_SLICE && next)
		return refuse(x, "PRIMARY KEY column \"%s\" cannot be "
				 "restricted (preceding column \"%s\" is "
				 "restricted by a non-EQ relation)",
			      next->columns[0]->name, new->columns[0]->name);
	return 0;
}

static int add(struct execution *x, struct restrictions *r,
	       struct restriction *new)
{
	struct restriction *merged = new, *old, *seen = NULL;
	int err;

	if (new->columns[0]->kind == COLUMN_CLUSTERING) {
		/* Merging is refused first, as Cassandra does. */
		for (uint32_t i = 0; i < new->column_count; i++) {
			old = restriction_of(r, new->columns[i]);
			if (!old || old == seen)
				continue;
			seen = old;
			err = restriction_merge(x, &merged, old, merged);
			if (err)
				return err;
		}
		err = check_slice_order(x, r, new);
		if (err)
			return err;
	} else {
		old = restriction_of(r, new->columns[0]);
		err = old ? restriction_merge(x, &merged, old, new) : 0;
		if (err)
			return err;
	}
	for (uint32_t i = 0; i < merged->column_count; i++)
		r->by_column[merged->columns[i] - r->table->columns] = merged;
	for (uint32_t i = 0; i < new->column_count; i++)
		r->by_column[new->columns[i] - r->table->columns] = merged;
	if (new->columns[0]->kind == COLUMN_REGULAR)
		r->restricts_regular = true;
	return 0;
}

static int add_relation(struct execution *x, struct restrictions *r,
			const struct relation *relation)
{
	struct restriction *new;
	int err = relation_restriction(x, &new, r->table, r->type, relation);

	if (!err && relation->kind == RELATION_TOKEN)
		err = r->token ? restriction_merge(x, &r->token, r->token,
						   new) :
				 (r->token = new, 0);
	else if (!err)
		err = add(x, r, new);
	return refuse_at(x, relation->span, err);
}

static struct restriction *add_equal(struct execution *x,
				     struct restrictions *r,
				     const struct column *c)
{
	struct {
		struct restriction restriction;
		const struct column *column;
		struct bytes value;
	} *new = arena_zalloc(x->arena, 1, sizeof(*new));

	if (!new)
		return NULL;
	new->column = c;
	new->restriction.kind = RESTRICT_EQ;
	new->restriction.columns = &new->column;
	new->restriction.column_count = 1;
	new->restriction.values = &new->value;
	new->restriction.value_count = 1;
	r->by_column[c - r->table->columns] = &new->restriction;
	return &new->restriction;
}

int restrictions_add_term(struct execution *x, struct restrictions *r,
			  const struct column *c, const struct term *value)
{
	struct restriction *new = add_equal(x, r, c);
	struct receiver receiver = receiver_column(c);

	if (!new)
		return -ENOMEM;
	new->span = value->span;
	receiver.checked = c->kind == COLUMN_PARTITION_KEY;
	return term_value_or_late(x, new->values, value, &receiver, &new->late);
}

int restrictions_add_value(struct execution *x, struct restrictions *r,
			   const struct column *c, struct bytes value)
{
	struct restriction *new = add_equal(x, r, c);

	if (!new)
		return -ENOMEM;
	new->values[0] = value;
	return 0;
}

/* -------------------------------------------------------------- questions */
bool where_restricted_by_eq(const struct restrictions *r,
			    const struct column *c)
{
	const struct restriction *of = restriction_of(r, c);

	return of && of->kind == RESTRICT_EQ;
}

static bool any_in(const struct restrictions *r, uint32_t first, uint32_t count,
		   enum restriction_kind kind)
{
	for (uint32_t i = first; i < first + count; i++)
		if (r->by_column[i] && r->by_column[i]->kind == kind)
			return true;
	return false;
}

static uint32_t missing(const struct restrictions *r, uint32_t first,
			uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = first; i < first + count; i++)
		n += !r->by_column[i];
	return n;
}

bool where_restricts_clustering(const struct restrictions *r)
{
	const struct table *t = r->table;

	return missing(r, t->partition_key_count, t->clustering_count) <
	       t->clustering_count;
}

bool where_restricts_others(const struct restrictions *r, bool statics_too)
{
	const struct table *t = r->table;

	for (uint32_t i = t->partition_key_count + t->clustering_count;
	     i < t->column_count; i++)
		if (r->by_column[i] &&
		    (statics_too || t->columns[i].kind != COLUMN_STATIC))
			return true;
	return false;
}

bool where_partition_is_in(const struct restrictions *r)
{
	return any_in(r, 0, r->table->partition_key_count, RESTRICT_IN);
}

bool where_clustering_is_in(const struct restrictions *r)
{
	return any_in(r, r->table->partition_key_count,
		      r->table->clustering_count, RESTRICT_IN);
}

static const char *missing_names(struct execution *x,
				 const struct restrictions *r, uint32_t first,
				 uint32_t count)
{
	struct buf names = BUF_INIT;

	for (uint32_t i = first; i < first + count; i++)
		if (!r->by_column[i])
			buf_add_format(&names, "%s%s", names.len ? ", " : "",
				       r->table->columns[i].name);
	return text_of_buf(x, &names);
}

/* True if a clustering column is restricted so that it cannot be part of a
 * slice of rows. */
static bool clustering_needs_filtering(const struct restrictions *r)
{
	const struct table *t = r->table;
	const struct restriction *of, *before = NULL;
	uint32_t position = 0;

	for (uint32_t i = 0; i < t->clustering_count; i++) {
		of = restriction_of(r, table_clustering_column(t, i));
		if (!of || of == before)
			continue;
		before = of;
		if (of->kind == RESTRICT_CONTAINS || of->kind == RESTRICT_LIKE ||
		    of->columns[0]->position != position)
			return true;
		if (of->kind != RESTRICT_SLICE)
			position = of->columns[of->column_count - 1]->position +
				   1;
	}
	return false;
}

/* ----------------------------------------------------------------- checks */
/* True if a column of the partition key is restricted so that it gives no
 * values. */
static bool filters_keys(const struct restrictions *r)
{
	for (uint32_t i = 0; i < r->table->partition_key_count; i++) {
		const struct restriction *of = r->by_column[i];

		if (of && (of->kind == RESTRICT_SLICE ||
			   of->kind == RESTRICT_LIKE ||
			   of->kind == RESTRICT_CONTAINS))
			return true;
	}
	return false;
}

static int check_partition_write(struct execution *x, struct restrictions *r)
{
	uint32_t keys = r->table->partition_key_count;
	uint32_t absent = missing(r, 0, keys);
	bool filters = filters_keys(r);

	if (r->token && (filters || absent))
		return refuse(x, "The token function cannot be used in WHERE "
				 "clauses for %s statements",
			      type_words[r->type]);
	if (absent)
		return refuse(x, "Some partition key parts are missing: %s",
			      missing_names(x, r, 0, keys));
	if (filters)
		return refuse(x, "Only EQ and IN relation are supported on the "
				 "partition key (unless you use the token() "
				 "function) for %s statements",
			      type_words[r->type]);
	return 0;
}

static int check_partition(struct execution *x, struct restrictions *r,
			   bool indexed)
{
	uint32_t keys = r->table->partition_key_count;
	uint32_t absent = missing(r, 0, keys);
	bool filtered = absent < keys && (absent || filters_keys(r));

	/* With the whole key given, tokens only select among its values. */
	r->key_range = absent && (r->token || absent == keys);
	if (absent == keys && !r->token)
		r->uses_index = indexed;
	if (filtered) {
		if (!r->allow_filtering && !indexed)
			return refuse(x, NEEDS_FILTERING);
		r->key_range = true;
		r->uses_index = indexed;
	}
	r->filters_partition = filtered || (r->uses_index && absent < keys);
	return 0;
}

static int check_statics(struct execution *x, const struct restrictions *r)
{
	if (!r->only_statics || !where_restricts_clustering(r))
		return 0;
	if (r->type == STATEMENT_SELECT)
		return refuse(x, "Cannot restrict clustering columns when "
				 "selecting only static columns");
	if (r->type == STATEMENT_INSERT)
		return 0;
	return refuse(x, "Invalid restrictions on clustering columns since the "
			 "%s statement modifies only static columns",
		      type_words[r->type]);
}

/* Refuse the first restricted clustering column that has none before it. */
static int refuse_gap(struct execution *x, const struct restrictions *r)
{
	const struct table *t = r->table;
	uint32_t place = 0;

	for (uint32_t i = 0; i < t->clustering_count; i++) {
		const struct column *c = table_clustering_column(t, i);

		if (!restriction_of(r, c))
			continue;
		if (i != place)
			return refuse(x, "PRIMARY KEY column \"%s\" cannot be "
					 "restricted as preceding column "
					 "\"%s\" is not restricted", c->name,
				      table_clustering_column(t, place)->name);
		place++;
	}
	return 0;
}

static int check_clustering(struct execution *x, struct restrictions *r,
			    bool indexed)
{
	const struct table *t = r->table;
	uint32_t first = t->partition_key_count, n = t->clustering_count;
	bool whole = r->type == STATEMENT_UPDATE || r->type == STATEMENT_INSERT;
	int err;

	if (whole && any_in(r, first, n, RESTRICT_SLICE))
		return refuse(x, "Slice restrictions are not supported on the "
				 "clustering columns in %s statements",
			      type_words[r->type]);
	if (whole && (!(t->flags & TABLE_COMPACT) ||
		      !where_restricts_clustering(r))) {
		if (!r->only_statics && missing(r, first, n))
			return refuse(x, "Some clustering keys are missing: %s",
				      missing_names(x, r, first, n));
		return 0;
	}
	if (!indexed && !r->allow_filtering &&
	    any_in(r, first, n, RESTRICT_CONTAINS))
		return refuse(x, "Clustering columns can only be restricted "
				 "with CONTAINS with a secondary index or "
				 "filtering");
	if (where_restricts_clustering(r) && clustering_needs_filtering(r)) {
		if (indexed)
			r->uses_index = true;
		else if (!r->allow_filtering) {
			err = refuse_gap(x, r);
			if (err)
				return err;
		}
		r->filters_clustering = true;
	}
	return 0;
}

static int check_others(struct execution *x, struct restrictions *r,
			bool indexed)
{
	const struct table *t = r->table;
	struct buf names = BUF_INIT;

	if (!where_restricts_others(r, true))
		return 0;
	if (r->type != STATEMENT_SELECT) {
		for (uint32_t i = t->partition_key_count + t->clustering_count;
		     i < t->column_count; i++)
			if (r->by_column[i])
				buf_add_format(&names, "%s%s",
					       names.len ? ", " : "",
					       t->columns[i].name);
		return refuse(x, "Non PRIMARY KEY columns found in where "
				 "clause: %s ", text_of_buf(x, &names));
	}
	if (indexed)
		r->uses_index = true;
	else if (!r->allow_filtering)
		return refuse(x, NEEDS_FILTERING);
	r->filters_others = true;
	return 0;
}

static bool any_index(const struct restrictions *r, uint32_t first,
		      uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		if (r->by_column[i] &&
		    index_choice_has(r->table, r->by_column[i]))
			return true;
	return false;
}

int restrictions_check(struct execution *x, struct restrictions *r)
{
	const struct table *t = r->table;
	bool select = r->type == STATEMENT_SELECT && t->index_count;
	bool clustering = select && any_index(r, t->partition_key_count,
					      t->clustering_count);
	bool indexed = select &&
		(clustering || any_index(r, 0, t->column_count) ||
		 (r->nearest && index_choice_of_vector(t, r->nearest)));
	int err = index_choice_check_vectors(x, r);

	if (!err)
		err = r->type == STATEMENT_SELECT ?
			      check_partition(x, r, indexed) :
			      check_partition_write(x, r);
	if (!err)
		err = check_statics(x, r);
	if (!err)
		err = check_clustering(x, r, indexed);
	if (err)
		return err;
	if (r->key_range && clustering)
		r->uses_index = true;
	if (r->uses_index && where_restricts_clustering(r))
		r->filters_clustering = true;
	if (r->nearest)
		err = index_choice_check_beside_nearest(x, r);
	if (!err)
		err = check_others(x, r, indexed);
	r->uses_index = r->uses_index || r->nearest;
	if (!err && r->uses_index)
		index_choice_make(r);
	return err;
}

int restrictions_need_filtering(struct execution *x, struct restrictions *r)
{
	bool any = r->filters_partition || r->filters_clustering ||
		   r->filters_others;

	if (r->allow_filtering || (!r->key_range && !r->uses_index))
		return 0;
	if (any || r->nearest ? !index_choice_covers(r) :
	    where_restricts_clustering(r))
		return refuse(x, NEEDS_FILTERING);
	return 0;
}

/* Refuse CONTAINS in UPDATE and DELETE, in the words that they have for it. */
static int check_relation(struct execution *x, const struct restrictions *r,
			  const struct relation *relation)
{
	if (r->type == STATEMENT_SELECT ||
	    (relation->op != OPERATOR_CONTAINS &&
	     relation->op != OPERATOR_CONTAINS_KEY))
		return 0;
	return refuse(x, "Cannot use %s with %s", type_words[r->type],
		      ast_operator_name(relation->op));
}

/* Refuse expr(index, value): none of our indexes takes one. It is checked when
 * all other relations are known to be right. */
static int check_expressions(struct execution *x, const struct restrictions *r,
			     const struct relation *relations, uint32_t count)
{
	const struct relation *expression = NULL;
	const struct index *index = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (relations[i].kind != RELATION_CUSTOM)
			continue;
		if (expression)
			return refuse(x, "Multiple custom index expressions in "
					 "a single query are not supported");
		expression = &relations[i];
	}
	if (!expression)
		return 0;
	if (r->type != STATEMENT_SELECT)
		return refuse(x, "Custom index expressions cannot be used in "
				 "WHERE clauses for UPDATE or DELETE statements");
	for (uint32_t i = 0; i < r->table->index_count && !index; i++)
		if (bytes_equal(bytes_str(r->table->indexes[i].name),
				expression->columns[0].text))
			index = &r->table->indexes[i];
	if (!index)
		return refuse(x, "Invalid index expression, index %s not found "
				 "for %s",
			      text_of(x, expression->columns[0].text),
			      text_of_table(x, r->table));
	return refuse(x, index->class_name ?
				 "Index %s does not support custom expressions" :
				 "Only CUSTOM indexes may be used in custom "
				 "index expressions, %s is not valid",
		      index->name);
}

int where_analyse(struct execution *x, struct restrictions *r,
		  const struct table *t, enum statement_kind type,
		  const struct relation *relations, uint32_t count,
		  bool allow_filtering, bool only_statics,
		  const struct column *nearest)
{
	int err = restrictions_init(x, r, t, type);

	r->allow_filtering = allow_filtering;
	r->only_statics = only_statics;
	r->nearest = nearest;
	for (uint32_t i = 0; i < count && !err; i++) {
		if (relations[i].kind == RELATION_CUSTOM)
			continue;
		err = check_relation(x, r, &relations[i]);
		if (!err)
			err = add_relation(x, r, &relations[i]);
	}
	if (!err)
		err = check_expressions(x, r, relations, count);
	return err ? err : restrictions_check(x, r);
}
