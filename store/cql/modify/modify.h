/*
 * INSERT, UPDATE and DELETE in three steps, so that a batch can take each step
 * for all its statements: prepare (names, types, WHERE; nothing is read), plan
 * (which partitions and rows, and the values' own checks), apply (changes into
 * a struct write, reading where an operation has to).
 */
#ifndef STORE_CQL_MODIFY_MODIFY_H
#define STORE_CQL_MODIFY_MODIFY_H
#include "store/cql/where/where.h"

enum change_kind {
	CHANGE_SET,		/* the whole column: value, null deletes */
	CHANGE_ADD,		/* elements of value; list: append */
	CHANGE_PREPEND,
	CHANGE_REMOVE,		/* elements of value (of a map: keys) */
	CHANGE_ELEMENT,		/* [key] = value, null deletes */
	CHANGE_FIELD,		/* .field = value */
	CHANGE_DELETE,		/* the whole column, of DELETE */
	CHANGE_COUNT,		/* delta */
	CHANGE_COMPUTE,		/* value is added to what is there */
};
struct change {
	enum change_kind kind;
	const struct column *column;
	struct bytes key, value;
	uint32_t field;
	bool minus;			/* of COUNT */
	bool tuple;			/* of SET: written as (a, b) */
	struct late_term *late;		/* told when it is written */
};

struct if_condition {
	const struct column *column;
	enum operator_kind op;
	const struct type *type;	/* of what is compared */
	bool has_key, has_field;
	struct bytes key;
	uint32_t field;
	struct bytes *values;
	uint32_t value_count;
	struct late_term *late;		/* told when it is bound */
};

struct modification {
	enum statement_kind kind;
	const struct table *table;
	struct change *changes;
	uint32_t change_count;
	struct restrictions where;
	bool exists, not_exists;
	struct if_condition *conditions;
	uint32_t condition_count;
	bool has_timestamp, has_ttl;
	const struct using_clause *using;
	bool sets_static, sets_regular, only_statics;
	bool json;			/* INSERT JSON */

	int64_t timestamp_us, ttl;	/* of USING, where it is there */

	/* plan: the timestamp that counts, and */
	int32_t ttl_s;
	struct bytes *keys;
	size_t key_count;
	struct bytes **rows;		/* clustering values of whole rows */
	size_t row_count;
	struct slice *slices;		/* DELETE of ranges */
	size_t slice_count;
	bool ranges, nothing;
};
/* COMPACT STORAGE without clustering columns has a hidden one, and its columns
 * are static below. NULL: of any other table. */
const struct column *hidden_clustering(const struct table *t);

static inline bool modification_is_conditional(const struct modification *m)
{
	return m->exists || m->not_exists || m->condition_count;
}
/* It sets or deletes the column, or part of it. */
void modification_touches(struct modification *m, const struct column *c);
/* True if it reads what it changes. */
bool modification_reads(const struct modification *m);

const struct table_name *modification_table(const struct statement *s);
int modification_prepare(struct execution *x, struct modification *m,
			 const struct statement *s);
/* What is looked at once all statements are prepared. */
int modification_validate(struct execution *x, const struct modification *m);
/* Of a statement by itself: its partitions, then its rows. */
int modification_plan(struct execution *x, struct modification *m);
int modification_plan_keys(struct execution *x, struct modification *m);
/* Conditions want a partition: not given by IN, the key is one or, beside a
 * restriction of its token, none. And one row of it each. */
int modification_check_key(struct execution *x, const struct modification *m);
int modification_check_rows(struct execution *x, const struct modification *m);
/* timestamp_us: of all that has no USING TIMESTAMP. Conditions are bound
 * apart. */
int modification_plan_rows(struct execution *x, struct modification *m,
			   int64_t timestamp_us);
int modification_apply(struct execution *x, struct modification *m,
		       struct write *w);

/* assignment.c: SET and DELETE items to changes. */
int change_of_value(struct execution *x, struct change *c,
		    const struct column *column, const struct term *value);
int change_of_assignment(struct execution *x, struct change *c,
			 const struct table *t, const struct assignment *a,
			 bool conditional);
int change_of_deletion(struct execution *x, struct change *c,
		       const struct table *t, const struct deleted_item *d);
/* cell_change.c: all changes of the kind of column to the row begun in w. */
int apply_changes(struct execution *x, struct modification *m, struct write *w,
		  struct bytes key, const struct bytes *clustering);
/* insert_json.c: INSERT JSON to restrictions and changes. */
int insert_json(struct execution *x, struct modification *m,
		const struct insert *s);

/* condition.c */
int conditions_prepare(struct execution *x, struct modification *m,
		       const struct if_clause *c);
/* Calls in those on statics, or in the others, that fail. */
int conditions_bind(struct execution *x, const struct modification *m,
		    bool statics);
/* Does it hold for the row? 1, 0, -errno; refuses what cannot be compared. */
int condition_holds(struct execution *x, const struct if_condition *i,
		    struct row_values *row);
/* Does it ask about the partition's statics? */
bool condition_asks_statics(const struct modification *m);
/* Is it about a row, and not only about the partition's statics? */
bool condition_asks_row(const struct modification *m);
#endif
